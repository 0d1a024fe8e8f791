"""TreeFARMS' trees: one, or a whole Rashomon set.

In:  a fitted ``TREEFARMS``, its ``ModelSetContainer``, or a ``TreeClassifier`` out of it.
Out: ``ColumnModel``, or ``BitTrees``. A column is asked whether it is 1. A ``TREEFARMS`` knows
     names and labels; the other two know neither, so their classes are numbers: positions among the
     labels sorted as text, as TreeFARMS' own ``predict`` gives them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..errors import UnreadableModel
from .bits import BitTrees, Flat, join, leaf
from .builder import ColumnModel, ModelBuilder, Table
from .checks import refuse_own_predict, unfitted

__all__ = ["from_treefarms", "knows", "knows_set", "trees_of"]


def knows_set(model: Any) -> bool:
    """Whether it is a whole model set of TreeFARMS."""
    from treefarms.model.model_set import ModelSetContainer
    from treefarms.model.treefarms import TREEFARMS

    return isinstance(model, TREEFARMS | ModelSetContainer)


def knows(model: Any) -> bool:
    """Whether it is a tree, or a set of trees, of TreeFARMS."""
    from treefarms.model.tree_classifier import TreeClassifier

    return isinstance(model, TreeClassifier) or knows_set(model)


def from_treefarms(model: Any) -> ColumnModel:
    """Read a ``TreeClassifier``, or a set that holds exactly one tree."""
    if knows_set(model):
        container, _, _ = _unpack(model)
        if container.model_count != 1:
            raise UnreadableModel(
                f"this {type(model).__qualname__} holds {container.model_count} trees: read all "
                "with orderless.read_many(model), one with orderless.read(model[i])"
                + (", and raise rashomon_bound_adder to get any" * (not container.model_count))
            )
        bits = trees_of(model)
        return ColumnModel([bits.column_tree(next(iter(bits.trees)))])
    from treefarms.model.tree_classifier import TreeClassifier

    refuse_own_predict(model, TreeClassifier)
    if model.encoder is not None:
        raise UnreadableModel(
            "this TreeClassifier has an encoder inside, which cannot be undone: fit TreeFARMS on "
            "0/1 columns, and read the tree with preprocessing= or space= to say what they mean"
        )
    builder = ModelBuilder(Table(None, binary=True))
    for node in builder.walk(model.source):
        if "prediction" in node:
            builder.leaf_number(node["prediction"])
        else:
            builder.bit_test(node["feature"], zero=node["false"], one=node["true"])
    return builder.finish()


def trees_of(model: Any) -> BitTrees:
    """Give the trees of a set, in TreeFARMS' own order: ``model[0]``, ``model[1]``, ...

    Every subtree is put together once and shared: linear in the trees' nodes.
    """
    container, names, labels = _unpack(model)
    n_used, n_classes = _sizes(container.storage)
    if names is None:
        table = Table(n_used, at_least=True, binary=True)
    else:
        table = Table(len(names), names, binary=True)
    return BitTrees(table, range(n_classes) if labels is None else labels, _all_trees(container))


def _all_trees(container: Any) -> Iterator[Flat]:
    memo: dict[int, list[Flat]] = {}
    for pointer in container.available_metrics["metric_pointers"]:
        yield from _trees(container.storage, pointer, memo)


def _unpack(model: Any) -> tuple[Any, Sequence[str] | None, Sequence[Any] | None]:
    """Give the set, the names of its columns and its labels; refuse what TreeFARMS garbles."""
    if not hasattr(model, "model_set"):
        return model, None, None
    if model.model_set is None:
        raise unfitted(model)
    columns = model.dataset.iloc[:, :-1]
    bits = columns.isin([0, 1]).all()
    if not bits.all():
        raise UnreadableModel(
            f"TreeFARMS was fitted on the column {bits.index[~bits][0]!r}, which is not 0/1, and "
            "does not keep the thresholds: binarize the columns first, and read with preprocessing="
        )
    # The data went to C++ as text, so the labels are numbered in the order of their text.
    labels = sorted(model.dataset.iloc[:, -1].unique().tolist(), key=str)
    return model.model_set, [str(name) for name in columns.columns], labels


def _sizes(storage: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    columns = [int(column) for entry in storage for column in entry["mapping"]]
    # A node that is no leaf has no prediction; TreeFARMS leaves there what was in memory.
    predictions = [entry["prediction"] for entry in storage if entry["terminal"]]
    return max(columns, default=-1) + 1, max(predictions, default=0) + 1


def _trees(
    storage: Sequence[Mapping[str, Any]], pointer: int, memo: dict[int, list[Flat]]
) -> list[Flat]:
    """Give all trees of one entry; as deep as the trees are, so recursion is no problem."""
    trees = memo.get(pointer)
    if trees is None:
        entry = storage[pointer]
        trees = [leaf(entry["prediction"])] if entry["terminal"] else []
        for column, pairs in entry["mapping"].items():
            for one, zero in pairs:
                trees += [
                    join(int(column), when_zero, when_one)
                    for when_one in _trees(storage, one, memo)
                    for when_zero in _trees(storage, zero, memo)
                ]
        memo[pointer] = trees
    return trees
