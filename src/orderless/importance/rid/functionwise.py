"""Importances of many functions at once, on one sample.

In:  flat trees over 0/1 columns, one for each function; distinct rows with labels and weights.
Out: an array of functions x features: the accuracy that is lost, in one of three ways.
Paper: Section 5.2, which averages over five permutations ("permutation-sampled").
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...rashomon import FlatTrees, distinct, merge
from ..permutation import permuted_errors

__all__ = ["KINDS", "PER_TREE", "Sample", "importances"]

PER_TREE = "permutation-per-tree"  # in drawn.py: it is no property of a function
KINDS = ("permutation", "permutation-sampled", PER_TREE, "conditional")
DIGITS = 12  # of conditional importances: beyond them, floats depend on the order of adding

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sample:
    """Distinct rows of 0/1 columns, with what is permuted together.

    Attributes
    ----------
    bits : array of 0/1, rows x columns
    y : array of int
        By row the number of its class.
    weight : array of int
        By row; a row of weight w is w rows.
    n_classes : int
    group : array of int
        By column the number of the feature with which it is permuted.
    n_groups : int
    """

    bits: NDArray[np.uint8]
    y: NDArray[np.int32]
    weight: NDArray[np.int64]
    n_classes: int
    group: NDArray[np.int32]
    n_groups: int


def importances(
    kind: str, trees: FlatTrees, sample: Sample, n_repeats: int, random: np.random.Generator
) -> Floats:
    """Give the accuracy that each function loses without each feature.

    Parameters
    ----------
    kind : one of ``KINDS``, but ``PER_TREE``
        "permutation": the expectation over all permutations; "permutation-sampled": the mean over
        ``n_repeats``, the same for all functions; "conditional": the expectation over all
        permutations among rows that agree on the columns of all other features.
    """
    if kind == "permutation":
        return _expected(trees, sample)
    if kind == "conditional":
        return _conditional(trees, sample)
    return _sampled(trees, sample, n_repeats, random)


def _expected(trees: FlatTrees, sample: Sample) -> Floats:
    excess, _, total = permuted_errors(
        trees, sample.bits, sample.y, sample.weight, sample.group,
        n_classes=sample.n_classes, n_groups=sample.n_groups,
    )  # fmt: skip
    out: Floats = excess / float(total * total)
    return out


def _users(trees: FlatTrees, sample: Sample) -> list[NDArray[np.intp]]:
    """Give, by group, the trees that ask about it; all others lose nothing."""
    uses = trees.uses(sample.bits.shape[1])
    return [
        np.flatnonzero(uses[:, sample.group == group].any(axis=1))
        for group in range(sample.n_groups)
    ]


def _sampled(
    trees: FlatTrees, sample: Sample, n_repeats: int, random: np.random.Generator
) -> Floats:
    rows = np.repeat(np.arange(len(sample.y)), sample.weight)
    cells, y, once = sample.bits[rows], sample.y[rows], np.ones(len(rows), dtype=np.int64)
    errors = trees.errors(sample.bits, sample.y, sample.weight)
    out = np.zeros((len(trees), sample.n_groups))
    for group, users in enumerate(_users(trees, sample)):
        if not len(users):
            continue
        own = np.flatnonzero(sample.group == group)
        some, wrong = trees[users], np.zeros(len(users), dtype=np.int64)
        for _ in range(n_repeats):
            permuted = cells.copy()
            permuted[:, own] = cells[np.ix_(random.permutation(len(rows)), own)]
            wrong += some.errors(*merge(permuted, y, once))
        out[users, group] = (wrong - n_repeats * errors[users]) / (n_repeats * len(rows))
    return out


def _conditional(trees: FlatTrees, sample: Sample) -> Floats:
    r"""Give what is lost within strata.

    In a stratum of n rows, Y of class c, a row that is given class c is right in the share Y / n of
    all permutations. So a function loses the sum over rows of (1 if right, else 0) - Y / n.
    """
    n_rows = len(sample.y)
    right = np.zeros((n_rows, sample.n_classes))
    right[np.arange(n_rows), sample.y] = 1.0
    users = _users(trees, sample)
    out = np.zeros((len(trees), sample.n_groups))
    for group, own in enumerate(users):
        if not len(own):
            continue
        _, stratum = distinct(np.ascontiguousarray(sample.bits[:, sample.group != group]))
        size = np.bincount(stratum, sample.weight)
        share = np.stack(
            [np.bincount(stratum, sample.weight * column) / size for column in right.T], axis=1
        )
        lost = sample.weight[:, None] * (right - share[stratum])
        for part, labels in trees[own].says_in_parts(sample.bits):
            out[own[part], group] = lost[np.arange(n_rows)[None, :], labels].sum(axis=1)
    rounded: Any = np.round(out / sample.weight.sum(), DIGITS) + 0.0
    return np.asarray(rounded, dtype=np.float64)
