"""Conditional model reliance: what a feature says beyond all the others.

In:  a tree, and complete rows with labels.
Out: the loss of accuracy by feature when its values are permuted among rows that agree elsewhere.
Paper: Section 5.1 names it among the importances that depend on the function only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidData
from ..inputs import class_codes, codes_for, number_array, read_rows
from ..model import (
    ABSENT,
    AMONG,
    BETWEEN,
    CODE,
    CoreColumn,
    Feature,
    SumKernel,
    TreeKernel,
    refuse_facts,
)
from ..questions import as_one_tree
from ..readers import read_model
from .number_loss import Loss, check_loss, strata_loss
from .rows import WeightedRows, by_name, sum_answers

__all__ = ["conditional_model_reliance"]

Strata = Literal["values", "bins"]
STRATA = ("values", "bins")

Codes = NDArray[np.int64]


def conditional_model_reliance(
    model: Any,
    X: Any,
    y: ArrayLike,
    *,
    strata: Strata = "values",
    loss: Loss | None = None,
    sample_weight: ArrayLike | None = None,
) -> Any:
    r"""Return the accuracy lost when a feature is permuted among rows that agree on all others.

    For each feature the rows are parted into strata that agree on every other feature, and the
    feature's values are permuted within each stratum. Unlike ``permutation_importance`` no row is
    made that cannot be: what a feature only repeats of the others does not count. The expectation
    over all such permutations is exact:

    .. math:: E_j = \sum_{\text{strata } s} \frac{1}{n_s} \sum_{\text{classes } c}
        P_c(s) \cdot (n_s - Y_c(s)),

    with :math:`P_c` the rows of the stratum that the tree gives class c, and :math:`Y_c` those that
    have it: within a stratum, a row that gets another's value gets its prediction.

    Parameters
    ----------
    model : Tree, Ensemble, CanonicalForm, or any model that ``orderless.read`` reads
    X : array, data frame, or list of dicts
        Rows; with strata by values complete in all features of the tree's space, else in those
        that the tree asks about.
    y : labels, or numbers for a regression tree
        By row. A label that is not a class of the tree always counts as an error.
    strata : "values" or "bins"
        What it is to agree on the others. "values": the same values in every other feature of the
        space, asked about or not; where measurements hardly ever repeat, every row is alone and
        every reliance 0. "bins": the same bins of the function: of numbers the longest intervals
        on which it does not change, of categories those that it nowhere tells apart. Where missing
        is a value of a number, it is a bin of its own: it lies in no interval. As a category it is
        like any other.
    loss : "squared" or "absolute", optional
        For regression trees: what is given is the mean squared (the default) or absolute error
        that is added.
    sample_weight : array, optional
        By row; a row of weight 2 counts as two rows.

    Returns
    -------
    array of float, or a Series when a pandas data frame came in
        By feature of the tree's space. It depends on the function and the rows only, so equivalent
        trees agree on it.

    Notes
    -----
    The conditional model reliance of Fisher, Rudin and Dominici (2019), as a difference of errors.
    Cost: features x rows x log rows.

    Examples
    --------
    A copy of a bit takes nothing from it by plain permutation, and everything conditionally:

    >>> import orderless as ol
    >>> from orderless.importance import conditional_model_reliance
    >>> tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}},
    ...                feature_names=["bit", "copy"])
    >>> X, y = [[0, 0], [0, 0], [1, 1], [1, 1]], [0, 0, 1, 1]
    >>> ol.permutation_importance(tree, X, y).tolist()
    [0.5, 0.0]
    >>> conditional_model_reliance(tree, X, y).tolist()
    [0.0, 0.0]
    """
    if strata not in STRATA:
        raise ValueError(f"strata must be 'values' or 'bins', got {strata!r:.80}")
    source = read_model(model)
    refuse_facts(
        source.space,
        "conditional_model_reliance",
        why="values that are handed to other rows make rows that they exclude",
    )
    loss = check_loss(source, loss)
    data: WeightedRows[Any] = WeightedRows.read(source, X, sample_weight)
    lost = _losing(data, X, y, loss)
    if strata == "values":
        columns = _value_codes(data, X)
    else:
        columns = _function_codes(WeightedRows.read(as_one_tree(source), X, sample_weight))
    used = set(source.used)
    out = np.zeros(len(source.space))
    for j, others in enumerate(_others(columns, data.n_rows)):
        if j in used:  # elsewhere a stratum has one prediction, and nothing changes
            out[j] = lost(others)
    return by_name(X, source.space.names, out)


def _losing(data: WeightedRows[Any], X: Any, y: ArrayLike, loss: Loss) -> Callable[[Codes], float]:
    """Return what is lost as a function of the strata."""
    tree = data.tree
    answers = sum_answers(tree, data.table) if isinstance(tree, SumKernel) else codes_for(tree, X)
    if tree.task == "regression":
        numbers = number_array(y, data.n_rows)
        predicted: Any = answers if isinstance(tree, SumKernel) else tree.numbers[answers]
        return partial(strata_loss, predicted=predicted, y=numbers, weight=data.weight, loss=loss)
    n_classes = len(tree.classes)
    truth = class_codes(tree, y, data.n_rows, complete=True)
    truth = np.where(truth < 0, n_classes, truth).astype(np.int32)
    return partial(_excess, predicted=answers, truth=truth, weight=data.weight,
                   n_classes=n_classes + 1)  # fmt: skip


def _excess(
    stratum: Codes, predicted: NDArray[np.int32], truth: NDArray[np.int32],
    weight: NDArray[Any], n_classes: int,
) -> float:  # fmt: skip
    n = int(stratum.max()) + 1
    size = np.bincount(stratum, weight, minlength=n)
    predictions = np.bincount(stratum * n_classes + predicted, weight, minlength=n * n_classes)
    truths = np.bincount(stratum * n_classes + truth, weight, minlength=n * n_classes)
    right = (predictions * truths).reshape(n, n_classes).sum(axis=1)
    now = np.bincount(stratum, weight * (predicted == truth), minlength=n)
    lost = np.divide(now * size - right, size, out=np.zeros(n), where=size > 0)
    return float(lost.sum() / weight.sum())


def _others(columns: list[Codes], n_rows: int) -> list[Codes]:
    """Give, for each feature, a number for what a row says in all the other features."""
    none = np.zeros(n_rows, dtype=np.int64)
    before, after = [none], [none]
    for column in columns[:-1]:
        before.append(_pair(before[-1], column))
    for column in columns[:0:-1]:
        after.append(_pair(after[-1], column))
    return [_pair(a, b) for a, b in zip(before, reversed(after), strict=True)] if columns else []


def _pair(a: Codes, b: Codes) -> Codes:
    """Give pairs of numbers a number each, from 0."""
    if not a.any() and not b.any():
        return a
    _, which = np.unique(a * (int(b.max()) + 1) + b, return_inverse=True)
    return np.asarray(which, dtype=np.int64)


def _function_codes(data: WeightedRows[TreeKernel]) -> list[Codes]:
    """Return by feature of the space each row's bin of the function."""
    out = [np.zeros(data.n_rows, dtype=np.int64) for _ in data.tree.space.features]
    groups = _core.bins.function_bins(data.bins.nodes, data.bins.layout)
    for k, (feature, group) in enumerate(zip(data.bins.features, groups, strict=True)):
        out[data.tree.space.index(feature.name)] = group[data.table[:, k]].astype(np.int64)
    return out


def _value_codes(data: WeightedRows[Any], X: Any) -> list[Codes]:
    """Return by feature of the space a number for each row's value."""
    space = data.tree.space
    rows = read_rows(X, space, range(len(space)))
    return [
        _codes(feature, column, data.n_rows)
        for feature, column in zip(space.features, rows.columns, strict=True)
    ]


def _codes(feature: Feature, column: CoreColumn, n_rows: int) -> Codes:
    kind, first, second = column
    if kind == ABSENT or first is None:
        raise InvalidData(
            f"X has no column for {feature.name!r}: strata='values' compares all features of the "
            "space, strata='bins' only those that the tree asks about"
        )
    if kind == CODE:
        _complete(feature, first < 0)
        return first.astype(np.int64)
    if kind == AMONG:
        return _number(first)
    values = _as_felt(feature, first)
    if kind == BETWEEN:
        assert second is not None
        return _number(np.stack([values, _as_felt(feature, second)], axis=1))
    _complete(feature, np.isnan(values) & (not feature.nan))
    return _number(values[:, None])


def _as_felt(feature: Feature, values: NDArray[Any]) -> NDArray[np.float64]:
    """Give numbers as the feature takes them; -0 is 0."""
    out = values.astype(np.float64)
    if feature.kind == "numeric" and feature.values == "float32":
        with np.errstate(over="ignore"):
            out = out.astype(np.float32).astype(np.float64)
    return out + 0.0


def _complete(feature: Feature, unknown: NDArray[np.bool_]) -> None:
    if unknown.any():
        raise InvalidData(
            f"row {int(np.argmax(unknown))} has no value for {feature.name!r}: strata='values' "
            "takes complete rows, strata='bins' rows complete in what the tree asks about"
        )


def _number(table: NDArray[Any]) -> Codes:
    """Return the distinct rows of a table a number each; NaN equals NaN."""
    out = np.zeros(len(table), dtype=np.int64)
    for column in table.T:
        out = _pair(out, np.unique(column, return_inverse=True)[1].ravel().astype(np.int64))
    return out
