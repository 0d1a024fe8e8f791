"""RashomonImportance: against brute force over all trees and all handed values; its questions."""

import pickle
from fractions import Fraction
from functools import cache

import numpy as np
import oracle_rashomon as brute
import pytest
from oracle_importance import handed
from rashomon_cases import Case

import orderless as ol

# That some features are never offered is asked for in test_rid_never_offered.
pytestmark = pytest.mark.filterwarnings("ignore::orderless.errors.NeverOffered")

READINGS = {"aware": "cells", "independent": "all"}


def varies(X, columns):
    """Whether one of some columns has two values."""
    return any(len(set(X[:, column].tolist())) > 1 for column in columns)


def within_strata(decide, rows, own):
    """Expected excess errors when values are handed between rows that agree elsewhere."""
    strata = {}
    for cell, label, weight in rows:
        key = tuple(v for j, v in enumerate(cell) if j not in own)
        strata.setdefault(key, []).append((cell, label, weight))
    out = Fraction(0)
    for members in strata.values():
        n = sum(weight for _, _, weight in members)
        for cell, label, weight in members:
            out -= weight * (decide(cell) != label)
            for other, _, there in members:
                mixed = tuple(other[j] if j in own else v for j, v in enumerate(cell))
                out += Fraction(weight * there, n) * (decide(mixed) != label)
    return out / sum(weight for _, _, weight in rows)


def by_brute_force(case, work, number, reading, groups, importance):
    """Per near-optimal function its trees without trivial splits, and its importances."""
    counts = work.data.draw(work.random(number)).tolist()
    cells = [tuple(row) for row in work.data.problem.bits.tolist()]
    labels = work.data.problem.y.tolist()
    problem = brute.Problem(
        cells, labels, len(work.data.problem.classes), depth=case.depth,
        regularization=Fraction(str(case.regularization)), epsilon=Fraction(str(case.epsilon)),
        weights=[Fraction(count) for count in counts], cells=case.cells,
    )  # fmt: skip
    rows = [(c, a, w) for c, a, w in zip(cells, labels, counts, strict=True) if w]
    out = []
    for trees in problem.functions(READINGS[reading]).values():
        kept = [tree for tree in trees if not brute.is_trivial(tree)]
        decide = lambda cell, tree=trees[0]: brute.say(tree, cell)  # noqa: E731
        if importance == "permutation":
            found = [handed(decide, rows, own) for own in groups]
            values = [Fraction(excess, total * total) for excess, _, total in found]
        else:
            values = [within_strata(decide, rows, own) for own in groups]
        out.append((len(kept), values))
    return out


def weighted(samples, feature, corrected, pooled):
    """Value -> share, straight from the definition."""
    sizes = [sum(1 if corrected else n for n, _ in sample) for sample in samples]
    out = {}
    for sample, size in zip(samples, sizes, strict=True):
        for n, values in sample:
            share = Fraction(1 if corrected else n)
            share /= sum(sizes) if pooled else size * len(samples)
            out[values[feature]] = out.get(values[feature], 0) + share
    return dict(sorted(out.items()))


@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize(
    ("semantics", "by", "importance"),
    [
        ("aware", "feature", "permutation"),
        ("independent", "feature", "permutation"),
        ("independent", "column", "permutation"),
        ("aware", "feature", "conditional"),
        ("independent", "column", "conditional"),
    ],
)
def test_every_share_is_that_of_brute_force(watch, semantics, by, importance, depth):
    duplicates = 0
    for seed in range(18 if depth == 2 else 5):
        case = Case(seed, depth, width=5 if depth == 2 else 3)
        model = ol.RashomonImportance(
            3, depth, case.regularization, case.epsilon, semantics=semantics, by=by,
            importance=importance, space=case.space, random_state=seed,
        )  # fmt: skip
        found, work = watch(model, case.X, case.labels)
        columns = [space.feature for space in case.space.columns]
        if by == "feature":
            assert found.features_ == case.space.names
            groups = [[j for j, own in enumerate(columns) if own == f] for f in found.features_]
        else:
            assert found.features_ == case.names
            groups = [[j] for j in range(len(columns))]
        samples = [by_brute_force(case, work, b, semantics, groups, importance) for b in range(3)]
        assert found.n_functions_.tolist() == [len(sample) for sample in samples]
        assert found.n_trees_.tolist() == [sum(n for n, _ in sample) for sample in samples]
        assert all(n for sample in samples for n, _ in sample)  # every function has such a tree
        for j, name in enumerate(found.features_):
            for corrected in (True, False):
                for pooled in (True, False):
                    expected = weighted(samples, j, corrected, pooled)
                    if not varies(case.X, groups[j]):
                        assert set(expected) == {0}
                        expected = {np.nan: 1}
                    values, shares = found.distribution(
                        name, correct_equivalence=corrected, pooled=pooled
                    )
                    if importance == "permutation":
                        np.testing.assert_array_equal(values, [float(value) for value in expected])
                    np.testing.assert_allclose(values, [*map(float, expected)], atol=1e-12)
                    np.testing.assert_allclose(shares, [*map(float, expected.values())])
        same = all(n == 1 for sample in samples for n, _ in sample)
        duplicates += not same
        shift = found.shift().dropna()
        if same:  # the correction changes nothing
            assert (shift[["ks", "wasserstein"]] == 0).all(axis=None)
            assert (shift["p"] == 1).all()
    assert duplicates > 0


def test_without_duplicates_the_correction_changes_nothing():
    X, y = ol.datasets.load("iris_setosa")
    found = ol.RashomonImportance(20, random_state=0).fit(X, y)
    assert found.n_functions_.tolist() == found.n_trees_.tolist()
    for name in found.features_:
        one, two = (found.distribution(name, correct_equivalence=c) for c in (True, False))
        assert one[0].tobytes() == two[0].tobytes()
        assert one[1].tobytes() == two[1].tobytes()


# -- samples -----------------------------------------------------------------------------------


def iris():
    return ol.datasets.load("iris_virginica")


@cache
def small():
    """Iris in 0/1 columns, of which ``SMALL`` says what they mean: no binarizing in each test."""
    X, y = iris()
    return ol.Binarizer((0.33, 0.66)).set_output(transform="pandas").fit(X).transform(X), y


SMALL = {"space": ol.Binarizer((0.33, 0.66)).fit(iris().X).space_}


def test_samples_are_bootstrap_samples(watch):
    _, work = watch(ol.RashomonImportance(1, random_state=3, **SMALL), *small())
    draws = np.array([work.data.draw(work.random(b)) for b in range(2000)])
    assert (draws.sum(axis=1) == 150).all()
    n, p = 150, work.data.problem.weights / 150
    error = np.sqrt(n * p * (1 - p) / len(draws))
    assert (np.abs(draws.mean(axis=0) - n * p) < 5 * error).all()
    assert np.allclose(draws.var(axis=0), n * p * (1 - p), rtol=0.2)


def same(one, two):
    assert one.features_ == two.features_
    for name in one.features_:
        for corrected in (True, False):
            for a, b in zip(
                one.distribution(name, correct_equivalence=corrected),
                two.distribution(name, correct_equivalence=corrected),
                strict=True,
            ):
                assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize("importance", ["permutation", "permutation-sampled", "conditional"])
def test_seeds_decide_and_jobs_do_not(importance):
    X, y = small()
    settings = {"n_bootstraps": 8, "importance": importance, "random_state": 5, **SMALL}
    one = ol.RashomonImportance(**settings).fit(X, y)
    same(one, ol.RashomonImportance(**settings, n_jobs=2).fit(X, y))
    same(one, ol.RashomonImportance(**{**settings, "random_state": np.int64(5)}).fit(X, y))
    other = ol.RashomonImportance(**{**settings, "random_state": 6}).fit(X, y)
    assert other.summary().to_numpy().tolist() != one.summary().to_numpy().tolist()


def test_backends_that_give_all_results_at_once(monkeypatch):
    import joblib
    from joblib._parallel_backends import ThreadingBackend

    given = {"n_bootstraps": 20, "random_state": 1, **SMALL}
    one = ol.RashomonImportance(**given).fit(*small())
    monkeypatch.setattr(ThreadingBackend, "supports_return_generator", False)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        same(one, ol.RashomonImportance(**given).fit(*small()))


def test_work_can_be_sent_elsewhere(watch):
    model = ol.RashomonImportance(1, random_state=1, **SMALL)
    _, work = watch(model, *small())
    assert pickle.loads(pickle.dumps(work))(4).to_dict() == work(4).to_dict()


def test_the_order_of_rows_does_not_matter():
    X, y = iris()
    order = np.random.default_rng(0).permutation(len(X))
    given = {"n_bootstraps": 5, "random_state": 1}
    one = ol.RashomonImportance(**given).fit(X, y)
    binarizer = one.binarizer_
    bits = binarizer.set_output(transform="pandas").transform(X)
    given["space"] = binarizer.space_
    two = ol.RashomonImportance(**given).fit(bits, y)
    same(one, two)  # raw features, or their columns with what they mean
    same(two, ol.RashomonImportance(**given).fit(bits.iloc[order], y.iloc[order]))


@pytest.mark.parametrize(
    ("thresholds", "binarizer"),
    [("all", ol.Binarizer("all")), (2, ol.Binarizer([1 / 3, 2 / 3]))],
)
def test_thresholds_are_those_of_a_binarizer(thresholds, binarizer):
    X, y = iris()
    given = {"n_bootstraps": 3, "max_depth": 2, "random_state": 1}
    found = ol.RashomonImportance(thresholds=thresholds, **given).fit(X, y)
    same(found, ol.RashomonImportance(thresholds=binarizer, **given).fit(X, y))
    guessed = ol.RashomonImportance(**given).fit(X, y)
    assert len(found.binarizer_.space_.columns) != len(guessed.binarizer_.space_.columns)


def test_any_source_of_randomness():
    X, y = small()
    seeds = set()
    for state in (None, None, np.random.RandomState(0), np.random.default_rng(0)):
        model = ol.RashomonImportance(1, random_state=state, **SMALL).fit(X, y)
        seeds.add(model.seed_)
    assert len(seeds) == 4
    again = ol.RashomonImportance(1, random_state=np.random.RandomState(0), **SMALL).fit(X, y)
    assert again.seed_ in seeds


def test_a_sample_may_miss_a_class():
    X = [[0, 1], [1, 0], [1, 1], [0, 0]]
    found = ol.RashomonImportance(60, 2, 0.01, 0.02, random_state=0).fit(X, [0, 0, 0, 1])
    assert (found.n_functions_ >= 1).all()
    assert 1 in found.n_functions_  # a single leaf where all labels are 0


# -- importances -------------------------------------------------------------------------------


def test_sampled_permutations_come_near_the_expectation():
    X, y = small()
    given = {"n_bootstraps": 2, "random_state": 2, **SMALL}
    exact = ol.RashomonImportance(**given).fit(X, y)
    few = ol.RashomonImportance(**given, importance="permutation-sampled").fit(X, y)
    many = ol.RashomonImportance(
        **given, importance="permutation-sampled", n_repeats=400
    ).fit(X, y)  # fmt: skip
    assert few.n_functions_.tolist() == exact.n_functions_.tolist()
    means = {name: model.summary().set_index("feature")["mean"]
             for name, model in (("exact", exact), ("few", few), ("many", many))}  # fmt: skip
    assert 0 < abs(means["many"] - means["exact"]).max() < 0.004
    assert abs(means["few"] - means["exact"]).max() < 0.05
    for name in few.features_:
        scaled = few.distribution(name)[0] * 150 * 5
        np.testing.assert_allclose(scaled, np.round(scaled), atol=1e-6)


def test_features_of_several_columns_are_permuted_together():
    """By feature the columns of a number move together; by column one at a time."""
    X, y = iris()
    given = {"n_bootstraps": 10, "random_state": 0, "semantics": "independent"}
    whole = ol.RashomonImportance(**given).fit(X, y)
    single = ol.RashomonImportance(10, random_state=0, by="column").fit(X, y)
    assert whole.features_ == tuple(X.columns)
    assert single.features_ == whole.binarizer_.space_.column_names
    assert whole.n_functions_.tolist() == single.n_functions_.tolist()
    aware = ol.RashomonImportance(10, random_state=0).fit(X, y)
    assert (aware.n_functions_ <= whole.n_functions_).all()
    assert aware.n_functions_.sum() < whole.n_functions_.sum()
    assert aware.n_trees_.tolist() == whole.n_trees_.tolist()
    for name in X.columns:  # trees are the same, however functions are told apart
        a, b = (m.distribution(name, correct_equivalence=False) for m in (aware, whole))
        np.testing.assert_array_equal(a[0], b[0])
        np.testing.assert_allclose(a[1], b[1])


def test_what_a_worker_is_sent_does_not_grow_with_the_rows(watch):
    X, y = small()
    sizes = []
    for times in (1, 40):
        model = ol.RashomonImportance(1, **SMALL, random_state=0)
        _, work = watch(model, np.tile(np.asarray(X), (times, 1)), np.tile(np.asarray(y), times))
        sizes.append(len(pickle.dumps(work)))
    assert sizes[1] < 1.2 * sizes[0]
