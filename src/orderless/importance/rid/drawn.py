"""Permutation importances by chance: every tree with random permutations of its own.

In:  a tree of each function, how often the function occurs, distinct rows with labels and weights.
Out: by function, occurrence and feature the accuracy lost, as a mean over a few permutations.
Paper: Section 5.2, whose program lists trees and shuffles anew for each of them.

Nothing is shuffled here. A permutation of a feature hands its values to the rows; how many rows a
tree then gets wrong depends only on how many rows of each kind (what the tree makes of each value,
and the label) receive each value. These counts are a random table with given margins, drawn cell by
cell from hypergeometric distributions: the same distribution, at the cost of a few numbers instead
of a pass over the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ...errors import TooLarge
from ...rashomon import FlatTrees

if TYPE_CHECKING:
    from .bootstrap import Sample

__all__ = ["drawn_losses"]

MOST_COLUMNS = 10  # of one function: it has a table of 2^k cells
MOST_MERGED = 4  # values of a feature up to which kinds of rows are put together

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def drawn_losses(
    trees: FlatTrees, sample: Sample, copies: Ints, n_repeats: int, random: np.random.Generator
) -> Iterator[tuple[int, NDArray[np.intp], Floats]]:
    """Return what functions lose when each of their occurrences has permutations of its own.

    Parameters
    ----------
    trees : FlatTrees
        A tree of each function.
    sample : Sample
    copies : array of int
        By function how often it occurs.
    n_repeats : int
        Permutations by occurrence, whose mean is taken.
    random : Generator

    Yields
    ------
    group, functions, losses
        Of a feature that some functions ask about: these functions, each as often as it occurs,
        and what each occurrence loses. All others lose nothing. A feature may come several times.

    Notes
    -----
    By function that asks about k columns a table of 2^k cells, and by occurrence, feature and
    repeat a few hypergeometric draws. Functions with equally many columns are handled at once.
    """
    uses = trees.uses(sample.bits.shape[1])
    width = uses.sum(axis=1)
    if len(width) and width.max() > MOST_COLUMNS:
        raise TooLarge(
            f"a function asks about {width.max()} columns, more than {MOST_COLUMNS}, too many for "
            "importance='permutation-per-tree': take importance='permutation-sampled'",
            MOST_COLUMNS,
        )
    for k in np.unique(width[width > 0]).tolist():
        some = np.flatnonzero(width == k)
        columns = np.nonzero(uses[some])[1].reshape(len(some), k)
        counts = _counts(sample, columns)
        labels = _decisions(trees[some], columns)
        missed = labels[:, :, None] != np.arange(sample.n_classes)
        errors = (counts * missed).sum(axis=(1, 2))
        for mask, group, at in _groups(sample.group[columns]):
            margin, sizes, wrong = _kinds(counts[at], labels[at], mask)
            number = copies[some[at]]
            times = np.repeat(np.arange(len(at)), number)
            drawn = _draw(margin, _merged(sizes, wrong), np.repeat(times, n_repeats), random)
            more = drawn.reshape(-1, n_repeats).sum(axis=1) - n_repeats * errors[at][times]
            lost = more / (n_repeats * float(sample.weight.sum()))
            start = np.concatenate([[0], np.cumsum(number)])
            for one, first, end in _runs(group):
                part = slice(start[first], start[end])
                yield one, some[at][times[part]], lost[part]


def _counts(sample: Sample, columns: NDArray[np.intp]) -> Ints:
    """Count, by function, cell of its columns and class, the rows."""
    n, k = columns.shape
    cell = np.zeros((len(sample.bits), n), dtype=np.int64)
    for i in range(k):
        cell |= sample.bits[:, columns[:, i]].astype(np.int64) << i
    place = ((np.arange(n) << k) + cell) * sample.n_classes + sample.y[:, None]
    weight = np.repeat(sample.weight, n)
    total = np.bincount(place.ravel(), weight, minlength=(n << k) * sample.n_classes)
    return total.astype(np.int64).reshape(n, 1 << k, sample.n_classes)


def _decisions(trees: FlatTrees, columns: NDArray[np.intp]) -> NDArray[np.int32]:
    """Give, by function and cell of its columns, the class."""
    k = columns.shape[1]
    owner = np.repeat(np.arange(len(trees)), np.diff(trees.offsets))
    own = (trees.column[:, None] == columns[owner]).argmax(axis=1)
    local = np.where(trees.column >= 0, own, -1).astype(np.int32)
    cells = (np.arange(1 << k)[:, None] >> np.arange(k) & 1).astype(np.uint8)
    return FlatTrees(trees.offsets, local, trees.label, trees.false_child).says(cells)


def _groups(
    group: NDArray[np.int32],
) -> Iterator[tuple[int, NDArray[np.int32], NDArray[np.intp]]]:
    """Find which columns of a function are one feature's.

    Yields
    ------
    mask, features, functions
        Of all functions that have just the columns in the mask for a feature; by feature.
    """
    k = group.shape[1]
    same = (group[:, :, None] == group[:, None, :]) << np.arange(k)
    mask = same.sum(axis=2)
    first = np.stack([(group[:, :i] != group[:, i : i + 1]).all(axis=1) for i in range(k)], axis=1)
    for one in np.unique(mask).tolist():
        at, position = np.nonzero((mask == one) & first)
        order = np.argsort(group[at, position], kind="stable")
        yield one, group[at, position][order], at[order]


def _runs(sorted_: NDArray[np.int32]) -> Iterator[tuple[int, int, int]]:
    """Return each value of a sorted array, with its first place and the one after its last."""
    first = np.flatnonzero(np.diff(sorted_, prepend=-1)).tolist()
    yield from zip(sorted_[first].tolist(), first, [*first[1:], len(sorted_)], strict=True)


def _kinds(counts: Ints, labels: NDArray[np.int32], mask: int) -> tuple[Ints, Ints, Ints]:
    """Part the rows by what a tree makes of them for each value of the columns in a mask.

    Returns
    -------
    margin : functions x values
        Rows by value.
    sizes : functions x kinds
        Rows by kind: a kind is what the other columns and the label are.
    wrong : functions x kinds x values
        1 where the tree gets a row of the kind wrong if it is handed the value.
    """
    n, n_cells, n_classes = counts.shape
    cells = np.arange(n_cells)
    inside = [cell for cell in cells.tolist() if cell & ~mask == 0]
    outside = [cell for cell in cells.tolist() if cell & mask == 0]
    place = np.array(outside)[:, None] | np.array(inside)
    split = counts[:, place]  # functions x others x values x classes
    margin = split.sum(axis=(1, 3))
    sizes = split.sum(axis=2).reshape(n, -1)
    wrong = labels[:, place][:, :, None, :] != np.arange(n_classes)[:, None]
    return margin, sizes, wrong.reshape(n, sizes.shape[1], len(inside)).astype(np.int64)


def _merged(sizes: Ints, wrong: Ints) -> tuple[Ints, Ints, Ints]:
    """Put kinds together that a tree gets wrong for the same values.

    Returns
    -------
    sizes, wrong
        As before. The last kind is right for every value, or always wrong.
    always : array
        By function the rows of the last kind that are always wrong.
    """
    n, _, n_values = wrong.shape
    if n_values > MOST_MERGED:
        return sizes, wrong, np.zeros(n, dtype=np.int64)
    code = wrong @ (1 << np.arange(n_values))
    n_codes = 1 << n_values
    place = (np.arange(n)[:, None] * n_codes + code).ravel()
    total = np.bincount(place, sizes.ravel(), minlength=n * n_codes).reshape(n, n_codes)
    always = total[:, -1].astype(np.int64)
    total[:, 0] += total[:, -1]
    order = [*np.flatnonzero(total[:, 1:-1].any(axis=0)) + 1, 0]
    means = np.array(order)[:, None] >> np.arange(n_values) & 1
    merged = total[:, order].astype(np.int64)
    return merged, np.broadcast_to(means, (n, *means.shape)), always


def _draw(
    margin: Ints, kinds: tuple[Ints, Ints, Ints], times: NDArray[np.intp],
    random: np.random.Generator,
) -> Ints:  # fmt: skip
    """Draw how many rows are wrong after a random permutation, by function as in ``times``."""
    sizes, wrong, always = kinds
    left = np.ascontiguousarray(sizes.T)[:, times]  # rows of each kind that have no value yet
    errors = always[times]
    last = margin.shape[1] - 1
    for value in range(last):
        open_ = margin[times, value]
        if not margin[:, value].any():
            continue
        rest = left.sum(axis=0)
        for kind in range(len(left)):
            rest -= left[kind]
            final = kind == len(left) - 1
            took = open_ if final else random.hypergeometric(left[kind], rest, open_)
            left[kind] -= took
            open_ = open_ - took
            if wrong[:, kind, value].any():
                errors += took * wrong[times, kind, value]
    errors += (left.T * wrong[times, :, last]).sum(axis=1)
    return errors
