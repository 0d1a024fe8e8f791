"""RID of trees of numbers: against brute force over all trees and all handed values."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import oracle_rashomon as brute
import pytest
from oracle_rashomon_numbers import NumberProblem
from rashomon_number_cases import NumberCase
from sklearn.datasets import load_diabetes

import orderless as ol
from orderless import _core
from orderless.errors import InvalidData
from orderless.importance.rid.bootstrap import Sample
from orderless.importance.rid.losses import drawn_number_losses
from orderless.rashomon.target import distinct_numbers, read_numbers
from tests.importance.test_rid import varies

# That some features are never offered is asked for in test_rid_never_offered.
pytestmark = pytest.mark.filterwarnings("ignore::orderless.errors.NeverOffered")

READINGS = {"aware": "cells", "independent": "all"}
POWER = {"squared": 2, "absolute": 1}


def handed(decide, rows, own, power, conditional):
    """Expected mean error added when values are handed to any row, or to those alike elsewhere."""
    strata = {}
    for cell, number, weight in rows:
        rest = tuple(v for j, v in enumerate(cell) if j not in own) if conditional else ()
        strata.setdefault(rest, []).append((cell, number, weight))
    out = Fraction(0)
    for members in strata.values():
        n = sum(weight for *_, weight in members)
        for cell, number, weight in members:
            out -= weight * abs(decide(cell) - number) ** power
            for other, _, there in members:
                mixed = tuple(other[j] if j in own else v for j, v in enumerate(cell))
                out += Fraction(weight * there, n) * abs(decide(mixed) - number) ** power
    return out / sum(weight for *_, weight in rows)


def by_brute_force(case, work, number, reading, groups, conditional):
    """Per near-optimal function its trees without trivial splits, and its importances."""
    data, target = work.data.problem, work.data.problem.target
    counts = work.data.draw(work.random(number)).tolist()
    cells = [tuple(row) for row in data.bits.tolist()]
    y = [(target.numbers.low + step) / Fraction(10) ** target.decimals
         for step in target.of_row(data.y).tolist()]  # fmt: skip
    problem = NumberProblem(
        cells, y, loss=case.loss, decimals=target.decimals, depth=case.depth,
        regularization=Fraction(str(case.regularization)), epsilon=Fraction(str(case.epsilon)),
        weights=[Fraction(count) for count in counts], cells=case.cells,
    )  # fmt: skip
    rows = [(c, a, w) for c, a, w in zip(cells, y, counts, strict=True) if w]
    out = []
    for trees in problem.functions(READINGS[reading]).values():
        kept = [tree for tree in trees if not brute.is_trivial(tree)]
        decide = lambda cell, tree=trees[0]: brute.say(tree, cell)  # noqa: E731
        values = [handed(decide, rows, own, POWER[case.loss], conditional) for own in groups]
        out.append((len(kept), values))
    return out


def shares(samples, feature, corrected):
    """Value -> share, straight from the definition."""
    out = {}
    for sample in samples:
        size = sum(1 if corrected else n for n, _ in sample)
        for n, values in sample:
            share = Fraction(1 if corrected else n, size * len(samples))
            out[values[feature]] = out.get(values[feature], 0) + share
    return dict(sorted(out.items()))


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("depth", [2, 3])
@pytest.mark.parametrize(
    ("semantics", "by", "importance"),
    [
        ("aware", "feature", "permutation"),
        ("independent", "column", "permutation"),
        ("aware", "feature", "conditional"),
        ("independent", "column", "conditional"),
    ],
)
def test_every_share_is_that_of_brute_force(watch, semantics, by, importance, depth, loss):
    for seed in range(12 if depth == 2 else 3):
        case = NumberCase(seed, depth, loss)
        model = ol.RashomonImportance(
            3, depth, case.regularization, case.epsilon, semantics=semantics, by=by,
            importance=importance, space=case.space, random_state=seed, loss=loss,
        )  # fmt: skip
        found, work = watch(model, case.X, case.y)
        assert not hasattr(found, "classes_")
        columns = [space.feature for space in case.space.columns]
        groups = [[j] for j in range(len(columns))]
        if by == "feature":
            groups = [[j for j, own in enumerate(columns) if own == f] for f in found.features_]
        conditional = importance == "conditional"
        samples = [by_brute_force(case, work, b, semantics, groups, conditional) for b in range(3)]
        assert found.n_functions_.tolist() == [len(sample) for sample in samples]
        assert found.n_trees_.tolist() == [sum(n for n, _ in sample) for sample in samples]
        scale = float(max(case.exact) - min(case.exact)) ** POWER[loss]
        for j, name in enumerate(found.features_):
            for corrected in (True, False):
                expected = shares(samples, j, corrected)
                if not varies(case.X, groups[j]):
                    assert set(expected) == {0}
                    assert np.isnan(found.distribution(name)[0]).all()
                    continue
                values, weights = found.distribution(name, correct_equivalence=corrected)
                due = np.array([*map(float, expected)])
                if not conditional:
                    assert len(values) == len(due)
                    np.testing.assert_allclose(values, due, rtol=1e-15)
                    np.testing.assert_allclose(weights, [*map(float, expected.values())])
                else:  # nearly equal ones are one
                    at = np.abs(values[:, None] - due).argmin(axis=0)
                    np.testing.assert_allclose(values[at], due, atol=1e-10 * max(scale, 1e-30))
                    summed = np.bincount(at, [*map(float, expected.values())], len(values))
                    np.testing.assert_allclose(summed, weights)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_importances_are_those_of_the_trees(watch, loss):
    """What one tree gets from ``permutation_importance`` is what its function has here."""
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = ol.RashomonImportance(
        1, 2, epsilon=0.05, loss=loss, thresholds=(0.33, 0.66), random_state=0
    )
    found, work = watch(model, X, y)
    problem = work.data.sample(work.data.draw(work.random(0)))
    functions = work.data.functions(problem, "aware", 10**6)
    trees = list(problem.trees(functions.trees))
    assert len(trees) > 60  # more numbers than weights of boxes are kept of
    said = {round(v, 9) for v in found.distribution("bmi")[0].tolist()}
    space = problem.columns.space
    columns = {name: [j for j, f in enumerate(problem.columns.feature) if space.names[f] == name]
               for name in space.names}  # fmt: skip
    for tree in trees[::20]:
        flat = problem.columns.flatten(tree.kernel, problem.classes)
        numbers = problem.target
        truth = numbers.of_row(problem.table.labels).astype(float)
        bits, weight = problem.table.bits, problem.amounts
        own = columns["bmi"]
        lost = 0.0
        for k in range(len(bits)):  # every row hands its value to all
            mixed = bits.copy()
            mixed[:, own] = bits[k, own]
            apart = numbers.of_label(flat.says(mixed)[0]) - truth
            lost += weight[k] * (weight @ np.abs(apart) ** POWER[loss])
        now = weight @ np.abs(numbers.of_label(flat.says(bits)[0]) - truth) ** POWER[loss]
        total = weight.sum()
        due = (lost / total - now) / total / float(numbers.per_one)
        assert min(abs(v - due) for v in said) <= 1e-6 * max(1, abs(due))


@pytest.mark.parametrize("importance", ["permutation-sampled", "permutation-per-tree"])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_samples_of_permutations_have_the_expectation_as_their_mean(importance, loss):
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (40, 3))
    y = (X @ [4, 2, 1] + random.normal(0, 0.5, 40)).round(1)
    options = {"loss": loss, "random_state": 1, "epsilon": 0.1}
    exact = ol.RashomonImportance(4, 2, **options).fit(X, y).summary()
    drawn = ol.RashomonImportance(4, 2, importance=importance, n_repeats=400, **options).fit(X, y)
    both = exact.merge(drawn.summary(), on="feature")
    assert both["mean_y"].tolist() == pytest.approx(both["mean_x"].tolist(), rel=0.05, abs=0.01)
    again = ol.RashomonImportance(4, 2, importance=importance, n_repeats=400, **options).fit(X, y)
    assert again.summary().equals(drawn.summary())


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_draws_come_as_often_as_among_all_permutations(loss):
    rows = [(1, 1, 0), (1, 0, 1), (0, 1, 1), (0, 0, 0), (1, 1, 1)]
    y = [1, 5, 2, 7, 7]
    values, which = distinct_numbers(y)
    weight = np.ones(5, dtype=np.int64)
    target, labels = read_numbers(values, which, weight, loss, None)
    places = [target.numbers.find(float(number)) for number in (7, 1, 2, 5)]
    tree = (0, (1, 0, 1), (2, 2, 3))  # columns 0 and 1 are one feature
    from orderless.rashomon import FlatTrees

    flat = FlatTrees.of([
        [0, 7], [0, 1, -1, -1, 2, -1, -1],
        [-1, -1, places[0], places[1], -1, places[2], places[3]], [4, 3, -1, -1, 6, -1, -1],
    ])  # fmt: skip
    numbers = [7, 1, 2, 5]

    def say(row):
        node = tree
        while isinstance(node, tuple):
            node = node[1] if row[node[0]] else node[2]
        return numbers[node]

    sample = Sample(np.array(rows, np.uint8), labels, weight, len(target.numbers),
                    np.array([0, 0, 1], np.int32), 2, target)  # fmt: skip
    now = sum(abs(say(row) - n) ** POWER[loss] for row, n in zip(rows, y, strict=True))
    for at, owner, lost in drawn_number_losses(
        flat, sample, np.array([20_000]), 1, np.random.default_rng(0)
    ):
        assert not owner.any()
        own = [0, 1] if at == 0 else [2]
        due = Counter()
        for order in permutations(range(5)):
            mixed = [tuple(rows[order[i]][j] if j in own else v for j, v in enumerate(row))
                     for i, row in enumerate(rows)]  # fmt: skip
            due[
                sum(abs(say(r) - n) ** POWER[loss] for r, n in zip(mixed, y, strict=True)) - now
            ] += 1
        seen = Counter(np.rint(lost * 5).astype(int).tolist())
        assert set(seen) <= set(due)
        for value, n in due.items():
            assert seen[value] / 20_000 == pytest.approx(n / 120, abs=0.015)


def test_checkpoints_and_pictures(tmp_path):
    import matplotlib as mpl

    mpl.use("agg")
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    X = ol.Binarizer((0.33, 0.66)).set_output(transform="pandas").fit_transform(X.iloc[:, :4])
    path = tmp_path / "rid.jsonl"
    options = {"random_state": 0, "checkpoint": path}
    one = ol.RashomonImportance(2, 2, loss="squared", **options).fit(X, y)
    two = ol.RashomonImportance(4, 2, loss="squared", **options).fit(X, y)
    whole = ol.RashomonImportance(4, 2, loss="squared", random_state=0).fit(X, y)
    assert two.summary().equals(whole.summary())
    assert one.plot().get_xlabel() == "mean squared error added without the feature"
    with pytest.raises(InvalidData, match=r"checkpoint"):
        ol.RashomonImportance(4, 2, **options, loss="absolute").fit(X, y)
    with pytest.raises(InvalidData, match=r"checkpoint"):
        ol.RashomonImportance(4, 2, loss="squared", **options, decimals=0).fit(X, y)


def test_bad_input():
    X = [[0, 1], [1, 0], [1, 1]]
    with pytest.raises(ValueError, match=r"loss must be 'errors' .*, got 'log'"):
        ol.RashomonImportance(1, loss="log").fit(X, [1, 2, 3])
    with pytest.raises(ValueError, match=r"decimals is for numbers .*, got 1"):
        ol.RashomonImportance(1, decimals=1).fit(X, [0, 1, 1])
    with pytest.raises(InvalidData, match=r"y has 'no' in row 0, and trees of numbers need"):
        ol.RashomonImportance(1, loss="squared").fit(X, ["no", "yes", "yes"])
    with pytest.raises(InvalidData, match=r"y has nan in row 2: every row needs a number"):
        ol.RashomonImportance(1, loss="squared").fit(X, [1, 2, np.nan])
    one = ol.RashomonImportance(2, 1, loss="squared", random_state=0).fit(X, [4, 4, 4])
    assert (one.summary()["max"] == 0).all()  # all rows have one number


def test_the_core_checks_what_it_gets():
    work = _core.importance.permuted_losses
    ints, longs = np.int32, np.int64
    tree = (np.array([0, 3], longs), np.array([0, -1, -1], ints), np.array([-1, 0, 1], ints))
    rest = (np.ones((2, 1), np.uint8), np.array([1, 2], longs), np.ones(2, longs),
            np.zeros(1, ints), 1, True)  # fmt: skip
    assert work(*tree, np.array([1, 2], longs), *rest).total == 2
    for said, change, match in [
        ([1], {}, "a leaf has a class that is not there"),
        ([1, -2], {}, "a number is not from 0"),
        ([1, 2**60], {}, "a number is not from 0"),
        ([1, 2], {1: np.array([1, -2], longs)}, "a number is not from 0"),
        ([1, 2], {2: np.array([1, 2**32], longs)}, "weight of two rows"),
        ([1, 2], {1: np.array([2**50, 2], longs), 2: np.array([4, 1], longs)}, "passes 2"),
        ([1, 2], {1: np.array([1], longs)}, "cells are not rows x columns"),
    ]:
        args = [change.get(i, part) for i, part in enumerate(rest)]
        with pytest.raises((ValueError, RuntimeError, _core.base.CountOverflow), match=match):
            work(*tree, np.array(said, longs), *args)
