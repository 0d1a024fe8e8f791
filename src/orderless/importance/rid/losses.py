"""Importances of many functions of numbers at once: the squared or absolute error that is added.

In:  a tree of each function, the distinct rows of a sample with their numbers.
Out: by function and feature the mean error added when the feature's values are handed to other
     rows; in whole steps of the set's numbers, so that equal importances are equal floats.
Paper: Section 5.2, with errors of numbers instead of classes (docs/decisions/0017).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ... import _core
from ...model import distinct_rows
from ...rashomon import FlatTrees, Target, merge
from ..permutation import askers

if TYPE_CHECKING:
    from .bootstrap import Sample

__all__ = ["drawn_number_losses", "number_importances"]

DIGITS = 12  # of conditional importances: beyond them, floats depend on the order of adding
MOST_CELLS = 4_000_000  # of permuted rows at one time

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def number_importances(
    kind: str, trees: FlatTrees, sample: Sample, n_repeats: int, random: np.random.Generator
) -> Floats:
    """Return the mean error that each function has more without each feature."""
    target = sample.target
    assert target is not None
    if kind == "conditional":
        return _conditional(trees, sample, target)
    if kind == "permutation-sampled":
        return _sampled(trees, sample, target, n_repeats, random)
    return _expected(trees, sample, target)


def _expected(trees: FlatTrees, sample: Sample, target: Target) -> Floats:
    """Return the expectation over all permutations. Cost: distinct boxes x distinct rows / 64."""
    leaf = trees.column < 0
    labels, which = np.unique(trees.label[leaf], return_inverse=True)
    label = np.full(len(trees.label), -1, dtype=np.int32)
    label[leaf] = which.ravel()
    found = _core.importance.permuted_losses(
        trees.offsets, trees.column, label, target.of_label(labels), sample.bits,
        target.of_row(sample.y), sample.weight, sample.group, sample.n_groups,
        target.loss == "squared",
    )  # fmt: skip
    total = int(sample.weight.sum())
    excess: Floats = found.excess.reshape(len(trees), sample.n_groups)
    return np.asarray(excess / float(total * total * target.per_one))


def _losses(
    trees: FlatTrees, target: Target, bits: NDArray[np.uint8], y: Any, weight: Ints
) -> Ints:
    """Return the loss of each tree in whole numbers."""
    out = np.zeros(len(trees), dtype=np.int64)
    for part, labels in trees.says_in_parts(bits):
        out[part] = target.losses(labels, y) @ weight
    return out


def _sampled(
    trees: FlatTrees, sample: Sample, target: Target, n_repeats: int, random: np.random.Generator
) -> Floats:
    """Return the mean over permutations, the same for all functions."""
    rows = np.repeat(np.arange(len(sample.y)), sample.weight)
    each, truth = sample.bits[rows], sample.y[rows]
    once = np.ones(len(rows), dtype=np.int64)
    now = _losses(trees, target, sample.bits, sample.y, sample.weight)
    out = np.zeros((len(trees), sample.n_groups))
    for number, users in enumerate(askers(trees, sample.group, sample.n_groups)):
        if not len(users):
            continue
        own = np.flatnonzero(sample.group == number)
        some, lost = trees[users], np.zeros(len(users), dtype=np.int64)
        for _ in range(n_repeats):
            permuted = each.copy()
            permuted[:, own] = each[np.ix_(random.permutation(len(rows)), own)]
            lost += _losses(some, target, *merge(permuted, truth, once))
        out[users, number] = (lost - n_repeats * now[users]) / float(
            n_repeats * len(rows) * target.per_one
        )
    return out


def _conditional(trees: FlatTrees, sample: Sample, target: Target) -> Floats:
    r"""Return what is added within strata.

    In a stratum of n rows, a row that is given the number p has the expected error
    :math:`\sum_i |p - y_i| / n` after permuting. For squares all but
    :math:`2 p (y - \bar y)` cancels out, for any origin of p.
    """
    total = float(sample.weight.sum())
    weight, y = sample.weight, target.of_row(sample.y)
    # The largest loss that there can be, whatever the sample: values of all samples are compared.
    scale = float(max(1, target.numbers.n - 1)) ** (2 if target.loss == "squared" else 1)
    out = np.zeros((len(trees), sample.n_groups))
    middle = (target.numbers.n - 1) // 2
    for group, own in enumerate(askers(trees, sample.group, sample.n_groups)):
        if not len(own):
            continue
        _, stratum = distinct_rows(sample.bits[:, sample.group != group] == 1)
        if target.loss == "squared":
            mean = np.bincount(stratum, weight * y) / np.bincount(stratum, weight)
            share = 2 * weight * (y - mean[stratum])
            for part, labels in trees[own].says_in_parts(sample.bits):
                out[own[part], group] = (target.of_label(labels) - middle) @ share
            continue
        strata = [rows for rows in _parts(stratum) if len(rows) > 1]
        for part, labels in trees[own].says_in_parts(sample.bits):
            said = target.of_label(labels)
            for rows in strata:
                handed = _distances(said[:, rows], y[rows], weight[rows])
                more = handed - np.abs(said[:, rows] - y[rows])
                out[own[part], group] += more @ weight[rows]
    rounded: Any = np.round(out / (total * scale), DIGITS) + 0.0
    return np.asarray(rounded * (scale / float(target.per_one)), dtype=np.float64)


def _parts(stratum: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    order = np.argsort(stratum, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(stratum[order])) + 1)


def _distances(said: Ints, y: Ints, weight: Ints) -> Floats:
    """Return the mean distance of numbers from those of a stratum."""
    order = np.argsort(y)
    weights = np.concatenate([[0], np.cumsum(weight[order])])
    sums = np.concatenate([[0], np.cumsum(weight[order] * y[order])])
    at = np.searchsorted(y[order], said)
    below = said * weights[at] - sums[at]
    above = (sums[-1] - sums[at]) - said * (weights[-1] - weights[at])
    return np.asarray((below + above) / weights[-1])


# -- permutations for every tree -------------------------------------------------------------------


def drawn_number_losses(
    trees: FlatTrees, sample: Sample, copies: Ints, n_repeats: int, random: np.random.Generator
) -> Iterator[tuple[int, NDArray[np.intp], Floats]]:
    """Return what functions lose when each of their occurrences has permutations of its own.

    As ``drawn_losses``, but rows are shuffled: numbers have too many values for tables of counts.
    Cost: by function, occurrence, feature and repeat a pass over the rows.
    """
    target = sample.target
    assert target is not None
    rows = np.repeat(np.arange(len(sample.y)), sample.weight)
    truth = target.of_row(sample.y)[rows]
    for position in range(len(trees)):
        one = trees[position : position + 1]
        columns = np.unique(one.column[one.column >= 0])
        if not len(columns):
            continue
        says = _numbers_by_cell(one, columns, target)
        place = np.left_shift(1, np.arange(len(columns)))
        each = sample.bits[np.ix_(rows, columns)].astype(np.int64)
        now = _total(says[each @ place], truth, target)
        for group in np.unique(sample.group[columns]).tolist():
            own = sample.group[columns] == group
            inside, outside = each[:, own] @ place[own], each[:, ~own] @ place[~own]
            n = int(copies[position]) * n_repeats
            lost = np.empty(n, dtype=np.int64)
            step = max(1, MOST_CELLS // len(rows))
            for start in range(0, n, step):
                some = slice(start, min(start + step, n))
                drawn = np.tile(inside, (some.stop - start, 1))
                random.permuted(drawn, axis=1, out=drawn)
                lost[some] = _total(says[drawn + outside], truth, target)
            more = lost.reshape(-1, n_repeats).sum(axis=1) - n_repeats * now
            yield (
                group,
                np.full(len(more), position),
                more / float(n_repeats * len(rows) * target.per_one),
            )


def _numbers_by_cell(tree: FlatTrees, columns: NDArray[np.int32], target: Target) -> Ints:
    """Return what a tree says for each combination of its columns."""
    k = len(columns)
    local = np.where(tree.column >= 0, np.searchsorted(columns, tree.column), -1).astype(np.int32)
    cells = (np.arange(1 << k)[:, None] >> np.arange(k) & 1).astype(np.uint8)
    own = FlatTrees(tree.offsets, local, tree.label, tree.false_child)
    return target.of_label(own.says(cells)[0])


def _total(said: Ints, truth: Ints, target: Target) -> Any:
    apart = said - truth
    return (apart * apart if target.loss == "squared" else np.abs(apart)).sum(axis=-1)
