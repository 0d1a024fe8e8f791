"""Small trees for the tests of trees."""

from orderless import Feature, Space, Tree

X1 = Space({"x": "numeric"})


def arrays(**other):
    given = {
        "feature": [0, -1, -1],
        "threshold": [0.5, 0.0, 0.0],
        "when_true": [1, -1, -1],
        "when_false": [2, -1, -1],
        "leaf_class": [-1, 0, 1],
    }
    return {**given, **other}


def stump(space=X1, classes=(0, 1), **other):
    return Tree(space, classes, **arrays(**other))


MIXED = Space(
    [Feature("x", nan=True), Feature("b", "boolean"), Feature("n", values="integer"),
     Feature("c", "categorical", categories=("red", "blue"), other=True, nan=True)]
)  # fmt: skip


def leaf(space=X1, classes=(0,), **other):
    given = {"feature": [-1], "threshold": [0.0], "when_true": [-1], "when_false": [-1],
             "leaf_class": [0]}  # fmt: skip
    return Tree(space, classes, **{**given, **other})
