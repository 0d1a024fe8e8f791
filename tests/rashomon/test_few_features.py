"""Trees of at most so many features: set by set, by the core's tables, and by brute force."""

import numpy as np
import pandas as pd
import pytest
from constraint_cases import features_of
from rashomon_cases import Case, key

import orderless as ol
from orderless import member
from orderless.errors import OutOfMemory, OutOfTime
from orderless.rashomon import few_features
from orderless.rashomon.flat import join


def two_ways(found, view, monkeypatch):
    """The same view, by sets of features and by the core's tables of all sets."""
    by_sets = found._source._counted(view)
    with monkeypatch.context() as patch:
        patch.setattr(few_features, "MOST_SETS", 0)
        by_tables = found._source._counted(view)
    assert not isinstance(by_tables, few_features.FewFeatures)
    return by_sets, by_tables


def random_set(seed, n_classes=2, depth=3, epsilon=0.08):
    random = np.random.default_rng(seed)
    n, features = 24, 6
    numbers = random.integers(0, 3, size=(n, features))
    y = (numbers[:, 0] + numbers[:, 1] * numbers[:, 2] + random.integers(0, 2, n)) % n_classes
    X = {f"a {j}": numbers[:, j].astype(float) for j in range(features)}
    return ol.RashomonSet(depth, 0.02, epsilon, thresholds="all").fit(pd.DataFrame(X), y).trees_


def shape(counts):
    histogram = counts.histogram()
    return (
        counts.n, counts.n_nontrivial, histogram.leaves.tolist(), histogram.errors.tolist(),
        histogram.trees, histogram.nontrivial,
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_set_by_set_and_all_sets_at_once_count_the_same_trees(seed, monkeypatch):
    found = random_set(seed, 2 + seed % 2)
    names = list(found._problem.columns.space.names)
    looks = [
        found,
        *map(found.where, (
            ~member.trivial, member.leaves <= 4, member.uses(names[0]), ~member.uses(names[1]),
            member.epsilon <= 0.03, member.min_leaf >= 3, member.root == names[0],
        )),
    ]  # fmt: skip
    n_by_sets = 0
    for look in looks:
        for most in (0, 1, 3):
            view = look._view.with_features(most)
            one, other = two_ways(found, view, monkeypatch)
            # Where trees ask about no more features anyway, there is nothing to do.
            n_by_sets += isinstance(one, few_features.FewFeatures)
            assert shape(one) == shape(other)
            objective = found._source.bound
            assert one.n_at(objective) == other.n_at(objective)
    assert n_by_sets >= 16


@pytest.mark.parametrize("trivial", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_positions_name_every_tree_once_and_by_objective(seed, trivial, monkeypatch):
    found = random_set(seed, depth=2, epsilon=0.2)
    look = found if trivial else found.where(~member.trivial)
    one, other = two_ways(found, look._view.with_features(2), monkeypatch)
    assert one.n > 20
    trees = one.unrank(range(one.n))
    assert sorted(trees.keys()) == sorted(other.unrank(range(other.n)).keys())
    assert len(set(trees.keys())) == one.n
    errors = found._problem.errors_of(trees)
    order = list(zip(found._problem.cost(errors, trees.n_leaves).tolist(), trees.n_leaves.tolist(),
                     strict=True))  # fmt: skip
    assert order == sorted(order)
    assert [one.rank(trees[[i]]) for i in range(one.n)] == list(range(one.n))
    mixed = np.random.default_rng(seed).permutation(one.n)[:15].tolist()
    assert one.unrank(mixed).keys() == trees[mixed].keys()
    assert len(one.unrank([])) == 0


def test_trees_that_are_not_in_have_no_position(monkeypatch):
    found = random_set(0)
    one, _ = two_ways(found, found._view.with_features(2), monkeypatch)
    every = found._source.counts(found._view)
    trees = join([one.unrank([0, 5, 20]), every.unrank(range(0, every.n, 100))])
    uses = trees.uses(len(found._problem.columns))
    feature = found._problem.columns.feature
    n_features = [len(set(feature[row].tolist())) for row in uses]
    assert {2, 3, 4} <= set(n_features)
    for i, n in enumerate(n_features):
        assert (one.rank(trees[[i]]) is not None) == (n <= 2)


@pytest.mark.parametrize("seed", range(20))
def test_brute_force_over_all_trees_agrees(seed):
    case = Case(seed, 2, 5)
    found = case.fit()
    for most in range(3):
        wanted = [tree for tree in case.oracle.trees if len(features_of(case, tree)) <= most]
        assert sorted(
            map(repr, (key(tree) for tree in found.where(member.n_features <= most)))
        ) == sorted(repr(case.key(tree)) for tree in wanted)


def test_limits_hold(monkeypatch):
    found = random_set(1)
    view = found._view.with_features(3)
    with monkeypatch.context() as patch:
        patch.setattr(found._source.caps, "time_limit", 1e-9)
        with pytest.raises(OutOfTime, match="counting the trees took longer"):
            found._source._counted(view)
    one = found._source._counted(view)
    with monkeypatch.context() as patch:
        patch.setattr(few_features, "BYTES", 10**12)
        with pytest.raises(OutOfMemory, match="the positions of trees of few features needs more"):
            one.unrank([0])
