"""Permutation importance: what is lost when a feature's values are handed to other rows.

In:  a tree (or many flat trees over 0/1 columns), complete rows with labels.
Out: the loss of accuracy (of numbers: the error added) by feature, exactly expected over all
     permutations, or by a few.
Paper: Section 5.2, which averages over five permutations (docs/decisions/0007).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidData, InvalidTree
from ..inputs import RandomState, class_codes, generator, number_array, some_names
from ..model import Condition, Feature, Side, SumKernel, TreeKernel, as_bits, refuse_facts
from ..rashomon import FlatTrees, merge
from ..readers import read_model
from .number_loss import Loss, check_loss, expected_losses, repeated_losses
from .rows import WeightedRows, by_name
from .sum_losses import Sampled, sum_losses

__all__ = ["askers", "permutation_importance", "permuted_errors", "sampled_losses"]

By = Literal["feature", "column"]
BY = ("feature", "column")

Ints = NDArray[np.int32]


def permuted_errors(
    trees: FlatTrees,
    cells: NDArray[np.uint8],
    y: Ints,
    weight: NDArray[Any],
    group: Ints,
    *,
    n_classes: int,
    n_groups: int,
) -> tuple[NDArray[Any], NDArray[Any], int | float]:
    """Give, for many trees, how many errors more are expected when a group is permuted.

    Parameters
    ----------
    trees : FlatTrees
    cells : array of uint8, rows x columns
        0 or 1.
    y : array of int32
        By row the number of its class; one above all classes of the trees is always an error.
    weight : array of int64 or float64
        By row; a row of weight w counts as w rows (the multiplicities of a bootstrap sample).
    group : array of int32
        By column the group (source feature) with which it is permuted.

    Returns
    -------
    excess : array, trees x groups
        (Expected errors - errors) x total, of the type of the weights: exact for whole ones.
        Divided by the square of the total it is the importance.
    errors : array
        By tree the weight of its errors.
    total : int or float
        The weight of all rows.

    Notes
    -----
    Boxes are weighed once for all trees, and equal rows put together. Cost: nodes, plus distinct
    boxes x distinct rows / 64.
    """
    integer = weight.dtype.kind in "iu"
    core = _core.importance
    work: Any = core.permuted_errors if integer else core.permuted_errors_real
    try:
        counts = work(
            np.ascontiguousarray(trees.offsets, dtype=np.int64),
            np.ascontiguousarray(trees.column, dtype=np.int32),
            np.ascontiguousarray(trees.label, dtype=np.int32),
            np.ascontiguousarray(cells, dtype=np.uint8),
            np.ascontiguousarray(y, dtype=np.int32),
            np.ascontiguousarray(weight, dtype=np.int64 if integer else np.float64),
            np.ascontiguousarray(group, dtype=np.int32),
            n_classes,
            n_groups,
        )
    except _core.base.CountOverflow:
        raise InvalidData(
            "the weights of all rows add up to more than 3,037,000,499, too much to be exact: "
            "give weights as shares, such as weight / weight.sum()"
        ) from None
    return counts.excess.reshape(len(counts.errors), n_groups), counts.errors, counts.total


def askers(trees: FlatTrees, group: Ints, n_groups: int) -> list[NDArray[np.intp]]:
    """Give, by group of columns, the trees that ask about it; all others lose nothing."""
    uses = trees.uses(len(group))
    return [np.flatnonzero(uses[:, group == number].any(axis=1)) for number in range(n_groups)]


def sampled_losses(
    trees: FlatTrees,
    cells: NDArray[np.uint8],
    y: Ints,
    weight: NDArray[np.int64],
    group: Ints,
    *,
    n_groups: int,
    n_repeats: int,
    random: np.random.Generator,
) -> NDArray[np.float64]:
    """Give, by tree and group, the accuracy lost, as a mean over permutations, the same for all.

    Parameters as of ``permuted_errors``.
    """
    rows = np.repeat(np.arange(len(y)), weight)
    each, truth, once = cells[rows], y[rows], np.ones(len(rows), dtype=np.int64)
    errors = trees.errors(cells, y, weight)
    out = np.zeros((len(trees), n_groups))
    for number, users in enumerate(askers(trees, group, n_groups)):
        if not len(users):
            continue
        columns = np.flatnonzero(group == number)
        some, wrong = trees[users], np.zeros(len(users), dtype=np.int64)
        for _ in range(n_repeats):
            permuted = each.copy()
            permuted[:, columns] = each[np.ix_(random.permutation(len(rows)), columns)]
            wrong += some.errors(*merge(permuted, truth, once))
        out[users, number] = (wrong - n_repeats * errors[users]) / (n_repeats * len(rows))
    return out


def permutation_importance(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    by: By = "feature",
    loss: Loss | None = None,
    exact: bool = True,
    n_repeats: int = 5,
    random_state: RandomState = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    r"""Return the accuracy that is lost, on average, when a feature's values are permuted.

    Of a model of numbers: the error that is added, squared or absolute.

    It depends on the function only, so equivalent trees agree on it (for ``by="column"`` see
    below). The expectation over all n! permutations has a closed form: a permuted row lies in a
    leaf iff its own other values and the handed value fit, so

    .. math:: E_j = \frac{1}{n} \sum_{\text{leaves } l} W_j(l) \cdot E_{-j}(l),

    with :math:`W_j(l)` the rows whose value of j fits the leaf, and :math:`E_{-j}(l)` the rows
    whose other values do and whose label is not the leaf's class; for numbers, the sum of their
    :math:`(v_l - y)^2` or :math:`|v_l - y|`.

    Parameters
    ----------
    model : Tree, Ensemble, CanonicalForm, or any model that ``orderless.read`` reads
    X : array, data frame, or list of dicts
        Rows, complete in what the model asks about.
    y : labels, or numbers for a model of numbers
        By row. A label that is not a class of the model always counts as an error.
    by : "feature" or "column"
        What is permuted: a feature, so all columns that are about it together; or each column of
        the space by itself. The two differ where several columns are about one feature. Single
        columns make rows that contradict themselves ("age <= 3" but not "age <= 5"); the tree
        answers them as its questions come, so equivalent trees can then differ, unless the columns
        are independent (``Space.independent``).
    loss : "squared" or "absolute", optional
        For models of numbers: mean squared error, the default, or mean absolute error.
    exact : bool
        Whether to give the expectation over all permutations; otherwise the mean over
        ``n_repeats`` of them, as the paper does.
    n_repeats : int
        For ``exact=False``.
    random_state : int, RandomState, Generator or None
        For ``exact=False``; what is never permuted draws nothing.
    sample_weight : array, optional
        By row; a row of weight 2 counts as two rows, as in a bootstrap sample.

    Returns
    -------
    array of float, or a Series when a pandas data frame came in
        By feature of the tree's space, or by column. 0 for features that the function does not
        depend on; below 0 where permuting helps.

    Notes
    -----
    For whole weights, and for all of a regression tree, the only rounding is one last division.
    Cost: rows x conditions, plus leaves x features on the path x rows / 64 (of a regression tree:
    x distinct rows); ``exact=False``: features x repeats x rows x depth.

    Examples
    --------
    >>> import orderless as ol
    >>> tree = ol.read({"feature": "x1", "true": {"feature": "x2", "true": {"prediction": 1},
    ...     "false": {"prediction": 0}}, "false": {"prediction": 0}}, feature_names=["x1", "x2"])
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    >>> ol.permutation_importance(tree, X, y).tolist()
    [0.25, 0.25]

    A tree of numbers, and what is added to the mean squared and absolute error:

    >>> tree = ol.read({"task": "regression", "feature": "x1", "true": {"prediction": 2.5},
    ...     "false": {"prediction": 0.5}}, feature_names=["x1", "x2"])
    >>> ol.permutation_importance(tree, X, [0, 1, 2, 3]).tolist()
    [2.0, 0.0]
    >>> ol.permutation_importance(tree, X, [0, 1, 2, 3], loss="absolute").tolist()
    [0.75, 0.0]
    """
    if by not in BY:
        raise ValueError(f"by must be 'feature' or 'column', got {by!r:.80}")
    if not isinstance(n_repeats, int | np.integer) or n_repeats < 1:
        raise ValueError(f"n_repeats must be a whole number from 1, got {n_repeats!r:.80}")
    source = read_model(model)
    refuse_facts(
        source.space,
        "permutation_importance",
        why="values that are handed to other rows make rows that they exclude",
    )
    loss = check_loss(source, loss)
    data: WeightedRows[Any] = WeightedRows.read(source, X, sample_weight)
    if not exact and data.weight.dtype.kind == "f":
        raise InvalidData(
            "exact=False counts a row of weight w as w rows, so weights must be whole numbers: "
            "round sample_weight, or use exact=True"
        )
    sampled = None if exact else (int(n_repeats), generator(random_state))
    names = source.space.names if by == "feature" else source.space.column_names
    if isinstance(source, SumKernel):
        if names != source.space.names:
            raise InvalidTree(
                "of a sum of trees, by='column' is for spaces whose columns are the features: "
                "permute features instead, with by='feature'"
            )
        out = sum_losses(data, y, loss, sampled)
    else:
        work = _number_losses if source.task == "regression" else _class_losses
        out = work(data, y, _Conditions(data, by), len(names), loss, sampled)
    return by_name(X, names, out)


def _class_losses(
    data: WeightedRows[TreeKernel],
    y: ArrayLike,
    table: _Conditions,
    n_groups: int,
    loss: Loss,
    sampled: Sampled,
) -> NDArray[np.float64]:
    """Return the accuracy lost by group; there is but one loss."""
    n_classes = len(data.tree.classes)
    codes = class_codes(data.tree, y, data.n_rows, complete=True)
    codes = np.where(codes < 0, n_classes, codes).astype(np.int32)
    what = (table.flat, table.cells, codes, data.weight, table.group)
    if sampled is not None:
        n_repeats, random = sampled
        few = sampled_losses(*what, n_groups=n_groups, n_repeats=n_repeats, random=random)
        return np.asarray(few[0])
    excess, _, total = permuted_errors(*what, n_classes=n_classes + 1, n_groups=n_groups)
    return _divide(excess[0], total)


def _number_losses(
    data: WeightedRows[TreeKernel],
    y: ArrayLike,
    table: _Conditions,
    n_groups: int,
    loss: Loss,
    sampled: Sampled,
) -> NDArray[np.float64]:
    """Return the error added by group."""
    what = (table.flat, table.cells, table.group, n_groups, data.tree.numbers,
            number_array(y, data.n_rows), data.weight, loss)  # fmt: skip
    if sampled is not None:
        return repeated_losses(*what, n_repeats=sampled[0], random=sampled[1])
    return expected_losses(*what)


def _divide(excess: NDArray[Any], total: float) -> NDArray[np.float64]:
    """Divide by the square of the total; whole numbers as such, so that it rounds once."""
    square = total * total
    return np.array([value / square for value in excess.tolist()], dtype=np.float64)


class _Conditions:
    """A tree as a flat tree over its own conditions.

    ``cells``: by row whether each condition holds; ``group``: by condition the number of the
    feature, or column, with which it is permuted.
    """

    def __init__(self, data: WeightedRows[TreeKernel], by: By) -> None:
        tree, bins = data.tree, data.bins
        condition_of: dict[tuple[int, bytes], int] = {}
        cells: list[NDArray[np.uint8]] = []
        group: list[int] = []
        column = np.full(tree.n_nodes, -1, dtype=np.int32)
        order: list[int] = []
        todo = [0]
        while todo:
            node = todo.pop()
            order.append(node)
            if tree.feature[node] < 0:
                continue
            k, holds = int(bins.nodes.feature[node]), bins.holds(node)
            key = (k, holds.tobytes())
            if key not in condition_of:
                condition_of[key] = len(cells)
                cells.append(holds[data.table[:, k]].astype(np.uint8))
                feature = int(tree.feature[node])
                group.append(feature if by == "feature" else _column_of(data, node, k, holds))
            column[node] = condition_of[key]
            todo += [int(tree.when_false[node]), int(tree.when_true[node])]
        self.cells = (
            np.stack(cells, axis=1) if cells else np.zeros((data.n_rows, 0), dtype=np.uint8)
        )
        self.group = np.array(group, dtype=np.int32)
        at = np.empty(tree.n_nodes, dtype=np.int32)
        at[order] = np.arange(tree.n_nodes)
        false_child = np.where(tree.feature < 0, -1, at[tree.when_false])
        offsets = [0, tree.n_nodes]
        self.flat = FlatTrees.of(
            [offsets, column[order], tree.leaf_class[order], false_child[order]]
        )


def _column_of(data: WeightedRows[TreeKernel], node: int, k: int, holds: NDArray[np.bool_]) -> int:
    """Return the position of the column that is a node's condition, or the feature itself."""
    space, bins, bits = data.tree.space, data.bins, as_bits(holds)
    columns = space.columns_of[bins.features[k].name]
    for i in columns:
        condition = space.columns[i].condition
        if condition is None:
            return i
        if bins.bits_of(k, _side(bins.features[k], condition)) in (bits, bins.every_bin(k) & ~bits):
            return i
    raise InvalidTree(
        f"no single column is the condition {data.tree.condition(node)!r}: those about "
        f"{bins.features[k].name!r} are {some_names(space.columns[i].name for i in columns)}; "
        "permute features instead, with by='feature'"
    )


def _side(feature: Feature, condition: Condition) -> Side:
    """Return the values for which a condition holds."""
    if condition.at_most is not None:
        return Side(feature, upper=float(feature.at_most(condition.at_most)))
    among = condition.among or ()
    if feature.ordered:  # a boolean, by its values
        return Side(feature, -np.inf if False in among else 0.0, np.inf if True in among else 0.0)
    codes = map(feature.code, among)
    return Side(feature, codes=tuple(code for code in codes if code is not None))
