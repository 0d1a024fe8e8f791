"""Permutations of its own for every tree: the same distribution as shuffling, without shuffling."""

import itertools
from collections import Counter

import numpy as np
import pytest

import orderless as ol
from orderless.errors import TooLarge
from orderless.importance.rid.bootstrap import Sample
from orderless.importance.rid.drawn import MOST_COLUMNS, MOST_MERGED, drawn_losses
from orderless.rashomon.flat import FlatTrees, join

# That some features are never offered is asked for in test_rid_never_offered.
pytestmark = pytest.mark.filterwarnings("ignore::orderless.errors.NeverOffered")


def flat(tree):
    """A tree (label, or column, where 1, where 0) as arrays."""
    column, label, zero = [], [], []

    def walk(node):
        at = len(column)
        column.append(node[0] if isinstance(node, tuple) else -1)
        label.append(-1 if isinstance(node, tuple) else node)
        zero.append(-1)
        if isinstance(node, tuple):
            walk(node[1])
            zero[at] = len(column)
            walk(node[2])

    walk(tree)
    return FlatTrees.of([[0, len(column)], column, label, zero])


def says(tree, row):
    while isinstance(tree, tuple):
        tree = tree[1] if row[tree[0]] else tree[2]
    return tree


def shuffled(tree, rows, y, own):
    """How often each number of lost rows comes out of all permutations."""
    now = sum(says(tree, row) != label for row, label in zip(rows, y, strict=True))
    out = Counter()
    for order in itertools.permutations(range(len(rows))):
        wrong = 0
        for i, j in enumerate(order):
            row = [rows[j][c] if c in own else rows[i][c] for c in range(len(rows[i]))]
            wrong += says(tree, row) != y[i]
        out[wrong - now] += 1
    return {lost: n / out.total() for lost, n in out.items()}


CASES = [
    # tree, rows, labels, group of each column
    ((0, 1, 0), [(1,), (1,), (0,), (0,), (1,)], [1, 0, 0, 0, 1], [0]),
    ((0, (1, 1, 0), 0), [(1, 1), (1, 0), (0, 1), (0, 0), (1, 1), (0, 1)], [1, 0, 0, 1, 1, 0],
     [0, 1]),
    # Two columns of one feature, and one of another.
    ((0, (2, 1, 0), (1, 0, 1)), [(1, 1, 1), (1, 1, 0), (0, 1, 1), (0, 0, 0), (0, 1, 0), (1, 1, 1)],
     [1, 0, 0, 1, 1, 0], [0, 0, 1]),
    # Three classes.
    ((0, (1, 2, 0), 1), [(1, 1), (1, 0), (0, 1), (0, 0), (1, 1), (0, 1)], [2, 0, 1, 0, 1, 2],
     [0, 1]),
    # Three columns of one feature: more values than are put together.
    ((0, (1, 1, 0), (2, 0, 1)), [(1, 1, 1), (1, 0, 1), (0, 1, 1), (0, 0, 0), (0, 1, 0), (1, 0, 0)],
     [1, 1, 0, 1, 0, 0], [0, 0, 0]),
    # ... and one of another.
    ((0, (1, (3, 1, 0), 0), (2, 0, (3, 0, 1))),
     [(1, 1, 1, 0), (1, 0, 1, 1), (0, 1, 1, 1), (0, 0, 0, 0), (0, 1, 0, 1), (1, 1, 0, 1)],
     [1, 1, 0, 1, 0, 0], [0, 0, 0, 1]),
]  # fmt: skip


@pytest.mark.parametrize(("tree", "rows", "y", "group"), CASES)
def test_losses_come_as_often_as_among_all_permutations(tree, rows, y, group):
    n_groups, draws = max(group) + 1, 20_000
    sample = Sample(np.array(rows, np.uint8), np.array(y, np.int32), np.ones(len(y), np.int64),
                    max(y) + 1, np.array(group, np.int32), n_groups)  # fmt: skip
    found = {}
    for at, owner, lost in drawn_losses(
        flat(tree), sample, np.array([draws]), 1, np.random.default_rng(0)
    ):
        assert len(owner) == len(lost) == draws
        assert not owner.any()
        assert at not in found
        found[at] = Counter(np.rint(lost * len(y)).astype(int).tolist())
    assert sorted(found) == list(range(n_groups))
    for at, counts in found.items():
        known = shuffled(tree, rows, y, [c for c, g in enumerate(group) if g == at])
        assert set(counts) <= set(known)
        assert len(known) > 1
        for lost, share in known.items():
            assert counts[lost] / draws == pytest.approx(share, abs=0.012)


def test_both_ways_of_counting_kinds_were_tried():
    widths = [max(Counter(group).values()) for *_, group in CASES]
    assert any(2**width > MOST_MERGED for width in widths)
    assert any(1 < 2**width <= MOST_MERGED for width in widths)


def test_weights_are_repeated_rows_and_repeats_are_averaged():
    tree, rows, y, group = CASES[1]
    sample = Sample(np.array(rows, np.uint8), np.array(y, np.int32), np.full(len(y), 50, np.int64),
                    2, np.array(group, np.int32), 2)  # fmt: skip
    trees = join([flat(tree), flat(0), flat((0, 1, 0))])
    copies = np.array([4000, 7, 4000])
    by_tree = {}
    for at, owner, lost in drawn_losses(trees, sample, copies, 5, np.random.default_rng(1)):
        for number in set(owner.tolist()):
            by_tree[at, number] = lost[owner == number]
    assert sorted(by_tree) == [(0, 0), (0, 2), (1, 0)]  # who asks about what
    table = np.repeat(np.array(rows), 50, axis=0)
    for (at, number), lost in by_tree.items():
        assert len(lost) == 4000
        shape = [tree, 0, (0, 1, 0)][number]
        random = np.random.default_rng(2)
        real = []
        for _ in range(1500):
            five = 0
            for _ in range(5):
                mixed = table.copy()
                mixed[:, at] = random.permutation(mixed[:, at])
                cells = Counter(
                    zip(map(tuple, mixed.tolist()), np.repeat(y, 50).tolist(), strict=True)
                )
                five += sum(n for (row, label), n in cells.items() if says(shape, row) != label)
            real.append(five / 5 / len(table))
        now = sum(says(shape, row) != label for row, label in zip(rows, y, strict=True)) / len(y)
        assert lost.mean() == pytest.approx(np.mean(real) - now, abs=0.002)
        assert lost.std() == pytest.approx(np.std(real), rel=0.1)


def test_too_many_columns_are_refused():
    tree = 0
    for column in range(MOST_COLUMNS + 1):
        tree = (column, 1, tree)
    bits = np.zeros((2, MOST_COLUMNS + 1), np.uint8)
    sample = Sample(bits, np.array([0, 1], np.int32), np.ones(2, np.int64), 2,
                    np.arange(MOST_COLUMNS + 1, dtype=np.int32), MOST_COLUMNS + 1)  # fmt: skip
    with pytest.raises(TooLarge, match="asks about 11 columns, more than 10"):
        next(drawn_losses(flat(tree), sample, np.array([1]), 5, np.random.default_rng(0)))


def iris(**options):
    X, y = ol.datasets.load("iris_versicolor")
    given = {"n_bootstraps": 8, "random_state": 0, "semantics": "independent", "pooled": True}
    return ol.RashomonImportance(**{**given, **options}).fit(X, y)


def test_a_tree_has_permutations_of_its_own():
    exact, drawn = iris(), iris(importance="permutation-per-tree")
    assert drawn.n_trees_.tolist() == exact.n_trees_.tolist()
    assert (drawn.n_trees_ > drawn.n_functions_).any()
    for name in ("petal length", "petal width"):
        for corrected in (True, False):
            way = {"correct_equivalence": corrected}
            one, two = exact._distribution(name, corrected), drawn._distribution(name, corrected)
            assert two.mean == pytest.approx(one.mean, abs=0.01)
            assert two.weights.min() > 0
            # Each tree by itself: more values than functions.
            values = drawn.distribution(name, **way)[0]
            assert len(values) > len(exact.distribution(name, **way)[0])
    assert np.isnan(drawn.distribution("sepal width")[0]).all()
    again = iris(importance="permutation-per-tree", n_jobs=2)
    assert again.shift().equals(drawn.shift())


def test_where_there_are_no_duplicates_chance_alone_shifts():
    """Iris setosa: two trees, two functions; the paper prints a shift of 0.085 all the same."""
    X, y = ol.datasets.load("iris_setosa")
    given = {"n_bootstraps": 8, "random_state": 0, "pooled": True}
    exact = ol.RashomonImportance(**given).fit(X, y)
    assert exact.n_trees_.tolist() == exact.n_functions_.tolist()
    assert (exact.shift().ks.dropna() == 0).all()
    drawn = ol.RashomonImportance(**given, importance="permutation-per-tree").fit(X, y)
    assert drawn.shift().ks.max() > 0


def test_too_many_trees_to_draw_for_are_refused():
    with pytest.raises(
        TooLarge, match=r"near-optimal trees, more than limit=3,.*draws permutations"
    ):
        iris(importance="permutation-per-tree", limit=3, regularization=0.01)


def test_some_of_the_samples():
    whole = iris(importance="permutation-per-tree")
    part = whole.take([0, 1, 2])
    assert part.n_functions_.tolist() == whole.n_functions_[:3].tolist()
    assert part.summary().equals(iris(importance="permutation-per-tree", n_bootstraps=3).summary())
    assert (
        part.take(np.array([True, False, True])).n_trees_.tolist()
        == whole.n_trees_[[0, 2]].tolist()
    )
    assert len(whole.n_functions_) == 8
    with pytest.raises(ValueError, match="samples is empty"):
        whole.take([])
    with pytest.raises(IndexError):
        whole.take([8])
