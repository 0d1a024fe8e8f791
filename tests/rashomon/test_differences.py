"""Samples, set operations between folds, pictures."""

from collections import Counter

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from rashomon_cases import Case, key
from scipy.stats import chi2

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, TooLarge
from orderless.rashomon import FunctionSet, rashomon_sizes
from orderless.rashomon.functions import Listing

mpl.use("agg")


def uniform(counts, n_cells):
    """Whether counts fit equal chances; a false alarm has a chance of 1 in 10,000."""
    if n_cells == 1:
        return len(counts) == 1
    drawn = sum(counts.values())
    mean = drawn / n_cells
    statistic = sum((c - mean) ** 2 for c in counts.values()) / mean
    statistic += (n_cells - len(counts)) * mean
    return chi2.sf(statistic, n_cells - 1) > 1e-4


@pytest.mark.parametrize("seed", [4, 11, 23])
def test_samples_are_uniform(seed):
    case = Case(seed)
    found = case.fit(aware=False)
    trees = found.sample(20 * found.n_trees, random_state=seed)
    assert uniform(Counter(map(key, trees)), found.n_trees)
    functions = found.functions().sample(20 * len(found.functions()), random_state=seed)
    assert uniform(Counter(f.fingerprint for f in functions), len(found.functions()))
    view = found.where(~member.trivial)
    assert all(tree in view for tree in view.sample(50, random_state=np.random.default_rng(1)))
    same = [found.sample(5, random_state=np.random.RandomState(3)) for _ in range(2)]
    assert same[0] == same[1]
    assert found.sample(0) == []


def test_pieces_of_the_functions():
    """Functions by the last bits of their fingerprints: disjoint, and together all of them."""
    one, _ = folds()
    listed = ol.TreeSet.from_trees(list(one), *training(one))
    whole = one.functions()
    for found in (one, listed):
        parts = [
            FunctionSet.of(Listing(found._source, found._view, "aware", 10**6, (rest, 2)))
            for rest in range(4)
        ]
        assert sum(map(len, parts)) == len(whole) > 20
        assert parts[0] | parts[1] | parts[2] | parts[3] == whole
        for rest, part in enumerate(parts):
            assert all(int(f.fingerprint[:16], 16) % 4 == rest for f in part)
        # Too many to list at once: drawn from a piece.
        few = found.functions(limit=len(whole) // 3).sample(30, random_state=0)
        assert len(few) == 30
        assert len(few - whole) == 0
        assert len({f.fingerprint for f in few}) > 1
    with pytest.raises(TooLarge, match="between 1 and limit=0"):
        one.functions(limit=0).sample(1, random_state=0)


def training(found):
    """The rows that a set was trained on, one by one."""
    problem = found._problem
    binarizer = problem.table.binarizer
    rows = []
    for bits in problem.bits:
        row = {}
        for name, cuts in binarizer.space_.columns_of.items():
            told = [(binarizer.space_.columns[k].condition.at_most, bits[k]) for k in cuts]
            above = [cut for cut, bit in told if not bit]
            below = [cut for cut, bit in told if bit]
            row[name] = min(below) if below else max(above) + 1
        rows.append(row)
    X = pd.DataFrame(np.repeat(rows, problem.weights).tolist())
    return X, np.repeat([problem.classes[c] for c in problem.y], problem.weights)


def test_an_uneven_sample_would_be_noticed():
    assert not uniform(Counter({i: 20 + 20 * (i % 2) for i in range(50)}), 50)
    assert not uniform(Counter(dict.fromkeys(range(45), 20)), 50)


def folds():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True, as_frame=True)
    return [
        ol.RashomonSet(2, 0.01, 0.12, thresholds=(0.33, 0.66)).fit(X[rows], y[rows]).trees_
        for rows in (np.arange(150) % 5 != 0, np.arange(150) % 5 != 1)
    ]


def test_operations_between_folds_go_by_function():
    one, two = folds()
    names = [{tree.fingerprint for tree in found} for found in (one, two)]
    few = two.where(member.leaves <= 2)
    fewer = names[0] - {tree.fingerprint for tree in few}
    for both, known in ((one & two, names[0] & names[1]), (one | two, names[0] | names[1]),
                        (one - two, names[0] - names[1]),
                        (one.functions() - few, fewer)):  # fmt: skip
        assert isinstance(both, FunctionSet)
        assert {f.fingerprint for f in both} == known
        assert len(both) == len(known)
        assert all(f.tree in both for f in both)
        assert {f.tree.fingerprint for f in both} == known
    union = one | two
    assert union[-1] == list(union)[-1]
    assert len(union[1:4]) == 3
    assert union == two | one
    assert hash(union) == hash(two | one)
    assert union != one.functions()
    with pytest.raises(InvalidData, match="come from several sets"):
        union.table()
    with pytest.raises(InvalidData, match="there are no functions here"):
        (one - one).table()
    with pytest.raises(IndexError, match="no function 99999"):
        union[99999]
    with pytest.raises(TypeError, match="cannot compare functions with a list"):
        one & [1]
    rows = one.functions("rows")
    assert len(rows & rows) == len(one.functions("rows"))
    with pytest.raises(InvalidData, match="cannot be compared"):
        rows & two.functions("rows")


def test_sets_say_what_they_are():
    one, _ = folds()
    assert repr(one).startswith("TreeSet(")
    assert repr(one.where(member.leaves <= 2)).startswith("TreeSet(")
    assert f"{one.where(member.leaves <= 2).n_trees:,} trees" in repr(one.where(member.leaves <= 2))


def test_functions_as_a_frame():
    one, _ = folds()
    table = one.functions().to_frame()
    assert table.n_trees.sum() == one.n_trees
    assert table.objective.is_monotonic_increasing
    assert table.fingerprint.is_unique


def test_pictures(tmp_path):
    from matplotlib import pyplot as plt

    one, _ = folds()
    figure, axes = plt.subplots(1, 3, figsize=(15, 4))
    assert ol.plots.plot_sizes(one, axes[0]) is axes[0]
    assert ol.plots.plot_objectives(one, axes[1]) is axes[1]
    assert ol.plots.plot_map(one, axes[2]) is axes[2]
    widths = [bar.get_width() for bar in axes[0].patches]
    assert widths == [
        one.n_trees,
        one.n_nontrivial,
        *(len(one.functions(by)) for by in ("columns", "features", "rows")),
    ]
    heights = sum(bar.get_height() for bar in axes[1].patches)
    assert heights == one.n_trees
    legend = [text.get_text() for text in axes[1].get_legend().get_texts()]
    assert any(f"{one.on_bound:,} exactly on it" in text for text in legend), legend
    assert f"{len(one.functions()):,} functions" in axes[2].get_title()
    few = ol.plots.plot_map(one, most=10, random_state=1)
    assert "10 drawn" in few.get_title()
    # Distances in the full space are the disagreements themselves; here the plane holds most.
    figure.savefig(tmp_path / "set.png")
    plt.close("all")
    empty = one.where(*(member.uses(name) for name in one.best_tree.space.names))
    empty = empty.where(member.leaves <= 2)
    for draw in (ol.plots.plot_objectives, ol.plots.plot_map):
        with pytest.raises(InvalidData, match="nothing to draw"):
            draw(empty)
    plt.close("all")


def test_the_map_keeps_distances():
    from orderless.output.plots.rashomon import _scaled
    from orderless.rashomon import disagreements

    one, _ = folds()
    trees = one.functions().table().trees
    apart = disagreements(one._problem, trees)
    rows = one._problem.bits
    said = trees.says(rows)
    weight = one._problem.weights / one._problem.weights.sum()
    for i, j in ((0, 1), (2, 5), (3, 3)):
        assert apart[i, j] == pytest.approx(((said[i] != said[j]) * weight).sum())
    places, kept = _scaled(apart)
    assert 0.3 < kept <= 1
    squares = ((places[:, None] - places[None]) ** 2).sum(axis=2)
    assert (squares <= apart + 1e-9).all()  # a projection brings nothing farther apart
    same = _scaled(np.zeros((3, 3)))
    assert same[1] == 1.0


def test_sizes_as_a_picture():
    from matplotlib import pyplot as plt

    data = {name: tuple(ol.datasets.load(f"iris_{name}")) for name in ("virginica", "setosa")}
    sizes = rashomon_sizes(data, n_splits=2, thresholds=(0.33, 0.66))
    assert list(sizes.table.dataset) == ["virginica"] * 2 + ["setosa"] * 2
    ax = sizes.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["virginica", "setosa"]
    plt.close("all")
    array = {"virginica": (data["virginica"][0].to_numpy(), data["virginica"][1])}
    again = rashomon_sizes(array, n_splits=2, thresholds=(0.33, 0.66)).table
    pd.testing.assert_frame_equal(again, sizes.table[:2])
