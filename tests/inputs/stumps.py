"""Trees of one question, for the tests of rows."""

from orderless import Space, Tree
from orderless.inputs import is_unknown


def stump(space, threshold=0.5, classes=(0, 1), feature=0, sets=None, nan_true=None):
    return Tree(
        space,
        classes,
        feature=[feature, -1, -1],
        threshold=[threshold, 0, 0],
        when_true=[1, -1, -1],
        when_false=[2, -1, -1],
        leaf_class=[-1, 0, 1],
        sets=sets,
        nan_true=nan_true,
    )


def plain(predicted):
    """Labels, and None where masked."""
    if hasattr(predicted, "to_list"):
        return [None if is_unknown(v) else v for v in predicted.to_list()]
    if hasattr(predicted, "to_pylist"):
        return predicted.to_pylist()
    return predicted.tolist()


X1 = Space({"x": "numeric"})
NUMERIC = stump(X1)
BOOLEAN = stump(Space({"b": "boolean"}))
INTEGER = stump(Space({"n": "integer"}))
COLOR = stump(Space({"c": ["red", "green", "blue"]}), sets={0: [0, 2]})
