"""Permutation importance of many flat trees at once, against walks of all cells."""

from fractions import Fraction

import numpy as np
import oracle_importance as brute
import pytest

import orderless as ol
from orderless.errors import InvalidData
from orderless.importance.permutation import permuted_errors
from orderless.rashomon import FlatTrees

from .small_trees import BITS, and_tree


def flat_tree(random, n_columns, n_classes, depth):
    """One in preorder, the side of 1 first; a column may be asked twice on a path."""
    if depth == 0 or random.random_sample() < 0.2:
        return [(-1, random.randint(n_classes))]
    own = [(random.randint(n_columns), -1)]
    return [*own, *flat_tree(random, n_columns, n_classes, depth - 1),
            *flat_tree(random, n_columns, n_classes, depth - 1)]  # fmt: skip


def walk(nodes, cell):
    """The class of a row, by counting through the preorder."""

    def end(i):
        return i + 1 if nodes[i][0] < 0 else end(end(i + 1))

    i = 0
    while nodes[i][0] >= 0:
        i = i + 1 if cell[nodes[i][0]] else end(i + 1)
    return nodes[i][1]


def flat_trees(offsets, column, label):
    """Trees for permuted_errors, which goes through them from left to right."""
    return FlatTrees.of([offsets, column, label, np.full(len(column), -1)])


@pytest.mark.parametrize("seed", range(12))
def test_many_flat_trees_at_once(seed):
    random = np.random.RandomState(seed)
    n_rows, n_columns, n_classes = 12 + 60 * (seed % 3), 1 + seed % 6, 2 + seed % 3
    n_groups = max(1, n_columns - 2)
    trees = [flat_tree(random, n_columns, n_classes, 4) for _ in range(15)]
    flat = flat_trees(
        np.cumsum([0, *map(len, trees)]),
        [c for tree in trees for c, _ in tree],
        [label for tree in trees for _, label in tree],
    )
    cells = random.randint(2, size=(n_rows, n_columns)).astype(np.uint8)
    y = random.randint(n_classes + 1, size=n_rows)  # one class that no tree has
    group = random.randint(n_groups, size=n_columns)
    weight = random.randint(5, size=n_rows)
    weight[0] = 1 + 1000 * seed
    excess, errors, total = permuted_errors(
        flat, cells, y, weight, group, n_classes=n_classes + 1, n_groups=n_groups
    )
    assert excess.dtype == np.int64
    assert excess.shape == (15, n_groups)
    rows = list(zip(map(tuple, cells.tolist()), y.tolist(), weight.tolist(), strict=True))
    for t in range(0, 15, 3):
        for g in range(n_groups):
            own = [j for j in range(n_columns) if group[j] == g]
            expected = brute.handed(lambda cell, t=t: walk(trees[t], cell), rows, own)
            assert (excess[t, g], errors[t], total) == expected
    real = permuted_errors(
        flat, cells, y, weight / 4, group, n_classes=n_classes + 1, n_groups=n_groups
    )
    np.testing.assert_allclose(real[0] * 16, excess, rtol=0, atol=1e-6)
    np.testing.assert_allclose(real[1] * 4, errors, rtol=0, atol=1e-6)
    assert real[2] * 4 == pytest.approx(total)


def test_more_than_64_columns():
    random = np.random.RandomState(0)
    cells = random.randint(2, size=(30, 130)).astype(np.uint8)
    y = random.randint(2, size=30)
    # A chain: column 0, below its 1 column 1, and so on; then the leaves, the deepest first.
    nodes = [*((j, -1) for j in range(130)), *((-1, i % 2) for i in range(131))]
    flat = flat_trees([0, 261], [c for c, _ in nodes], [label for _, label in nodes])
    excess, _, _ = permuted_errors(
        flat, cells, y, np.ones(30, dtype=np.int64), np.arange(130), n_classes=2, n_groups=130
    )
    rows = [(tuple(row), label, 1) for row, label in zip(cells.tolist(), y.tolist(), strict=True)]

    def decide(cell):  # the first column that is 0 decides
        first = next((j for j in range(130) if not cell[j]), 130)
        return (130 - first) % 2

    for j in (0, 1, 2, 63, 64, 129):
        assert excess[0, j] == brute.handed(decide, rows, [j])[0]


def test_flat_trees_that_are_none():
    cells = np.zeros((2, 2), dtype=np.uint8)
    y = np.zeros(2, dtype=np.int32)
    ones = np.ones(2, dtype=np.int64)
    group = np.arange(2, dtype=np.int32)

    def work(offsets, column, label, **changed):
        given = {"cells": cells, "y": y, "weight": ones, "group": group, **changed}
        return permuted_errors(flat_trees(offsets, column, label), n_classes=2, n_groups=2, **given)

    good = ([0, 3], [0, -1, -1], [-1, 0, 1])
    assert work(*good)[0].tolist() == [[0, 0]]
    for bad, match in (
        (([0, 2], [0, -1], [-1, 0]), "ends before its last leaf"),
        (([0, 2], [-1, -1], [0, 1]), "goes on after its last leaf"),
        (([0, 0], [], []), "ends before its last leaf"),
        (([0, 2], [0, -1, -1], [-1, 0, 1]), "offsets do not part"),
        (([0, 3], [2, -1, -1], [-1, 0, 1]), "column that is not there"),
        (([0, 3], [0, -1, -1], [-1, 0, 2]), "class that is not there"),
    ):
        with pytest.raises(ValueError, match=match):
            work(*bad)
    for changed, match in (
        ({"y": np.array([0, 2])}, "no class"),
        ({"y": np.array([0])}, "rows x columns"),
        ({"group": np.array([0, 5])}, "no group"),
        ({"group": np.array([0])}, "rows x columns"),
        ({"weight": np.array([1])}, "one weight each"),
        ({"weight": np.array([1, -1])}, "negative"),
    ):
        with pytest.raises(ValueError, match=match):
            work(*good, **changed)
    with pytest.raises(InvalidData, match="more than 3,037,000,499"):
        work(*good, weight=np.array([2 * 10**9, 2 * 10**9]))
    with pytest.raises(InvalidData, match="more than 3,037,000,499"):
        work(*good, weight=np.array([2**62, 2**62]))


def test_great_weights_are_exact():
    """Products of weights near 2^63."""
    weight = [1_000_000_007, 998_244_353, 1_000_000_009, 1]
    rows = [(tuple(c), y, w) for c, y, w in zip(BITS, [0, 1, 0, 1], weight, strict=True)]
    excess, _, total = brute.handed(lambda cell: int(all(cell)), rows, [0])
    ours = ol.permutation_importance(and_tree(), BITS, [0, 1, 0, 1], sample_weight=weight)
    assert ours[0] == float(Fraction(excess, total**2))
