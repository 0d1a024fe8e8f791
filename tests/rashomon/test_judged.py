"""What is measured of the functions of a set, against one tree after the other."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from rashomon_cases import Case

import orderless as ol
from orderless.errors import InvalidData, InvalidSpace, TooLarge

CASES = 40


@pytest.fixture(scope="module", params=range(5000, 5000 + CASES))
def case(request):
    return Case(request.param)


def trees_of(found, table):
    return [found.functions()[name].tree for name in table.index]


def said(tree, rows):
    return np.ma.getdata(tree.predict(rows))


def test_training_errors_rates_and_sizes(case):
    found = case.fit()
    table = ol.choose(
        found, positive=case.classes[0] if len(case.classes) == 2 else None
    ).set_index("fingerprint")
    weights = np.ones(len(case.X)) if case.weights is None else case.weights
    truth = np.array(case.labels, dtype=object)
    assert sorted(table.index) == sorted(f.fingerprint for f in found.functions())
    for tree, row in zip(trees_of(found, table), table.itertuples(), strict=True):
        answers = np.array(said(tree, case.X).tolist(), dtype=object)
        wrong = answers != truth
        assert row.error == pytest.approx(weights[wrong].sum() / weights.sum(), abs=1e-12)
        assert row.objective == float(found.objective_of(tree))
        assert row.leaves == tree.n_leaves
        assert row.features == ", ".join(n for n in case.space.names if n in tree.features)
        assert row.n_features == len(tree.features)
        if len(case.classes) == 2:
            for name, label in zip(("sensitivity", "specificity"), case.classes, strict=True):
                own = truth == label
                share = weights[own & ~wrong].sum() / weights[own].sum()
                assert getattr(row, name) == pytest.approx(share, abs=1e-12)
    assert ("sensitivity" in table) == (len(case.classes) == 2)
    assert int(table.n_trees.sum()) == found.n_trees


def test_held_out_rows_and_votes(case):
    found = case.fit()
    X = np.array([case.cells[i] for i in case.random.integers(0, len(case.cells), 9)])
    y = [case.classes[i] for i in case.random.integers(0, len(case.classes), 9)]
    table = ol.choose(found, X, y).set_index("fingerprint")
    answers = np.array([said(tree, X).tolist() for tree in trees_of(found, table)], dtype=object)
    n = len(answers)
    for k, row in enumerate(table.itertuples()):
        own = answers[k]
        assert row.held_out_error == pytest.approx(np.mean(own != np.array(y, dtype=object)))
        others = [np.mean(answers[j] == own) for j in range(n) if j != k]
        assert row.agreement == pytest.approx(np.mean(others) if others else 1)
        ruled = [
            any(2 * (answers[:, i] == label).sum() > n for label in case.classes if label != own[i])
            for i in range(len(X))
        ]
        assert row.overruled == pytest.approx(np.mean(ruled))


def brute_coverage(case, tree, X, chance):
    """Let every set of features go missing, and weigh what is still certain."""
    names = case.space.names
    owner = [case.space.columns[j].feature for j in range(len(case.names))]
    total = np.zeros(len(X))
    for k in range(len(names) + 1):
        for gone in combinations(names, k):
            probability = np.prod([chance[n] if n in gone else 1 - chance[n] for n in names])
            rows = X.astype(float).copy()
            rows[:, [name in gone for name in owner]] = np.nan
            total += probability * ~np.ma.getmaskarray(tree.predict(rows))
    return total


def test_coverage(case):
    found = case.fit()
    weights = np.ones(len(case.X)) if case.weights is None else case.weights
    chance = {name: (k % 4) / 4 for k, name in enumerate(case.space.names)}
    for given, chances in ((0.3, dict.fromkeys(case.space.names, 0.3)), (chance, chance)):
        table = ol.choose(found, missing=given).set_index("fingerprint")
        for tree, row in zip(trees_of(found, table)[:4], table.itertuples(), strict=False):
            certain = brute_coverage(case, tree, case.X, chances)
            assert row.coverage == pytest.approx(certain @ weights / weights.sum(), abs=1e-9)


def test_coverage_of_a_table_with_gaps(case):
    found = case.fit()
    rows = case.X.astype(float)
    rows[case.random.random(rows.shape) < 0.4] = np.nan
    gaps = pd.DataFrame(rows, columns=list(case.names))
    table = ol.choose(found, missing=gaps).set_index("fingerprint")
    for tree, row in zip(trees_of(found, table), table.itertuples(), strict=True):
        assert row.coverage == pytest.approx(1 - np.ma.getmaskarray(tree.predict(rows)).mean())


def test_questions_and_costs(case):
    found = case.fit()
    costs = {name: k + 0.5 for k, name in enumerate(case.space.names)}
    table = ol.choose(found, case.X, costs=costs).set_index("fingerprint")
    assert "held_out_error" not in table
    for tree, row in zip(trees_of(found, table)[:5], table.itertuples(), strict=False):
        one = dict.fromkeys(case.space.names, 1)
        assert row.questions == ol.cheapest_policy(tree, case.X, one).expected_cost
        assert row.cost == ol.cheapest_policy(tree, case.X, costs).expected_cost


def test_numbers():
    random = np.random.default_rng(3)
    X = random.integers(0, 2, (40, 4))
    y = np.round(X @ [1, 2, 3, 0] + random.normal(0, 1, 40), 1)
    found = ol.RashomonSet(2, 0.02, 0.1, loss="squared").fit(X, y).trees_
    table = ol.choose(found, X[:15], y[:15]).set_index("fingerprint")
    assert not {"agreement", "sensitivity"} & set(table)
    for tree, row in zip(trees_of(found, table), table.itertuples(), strict=True):
        answers = np.asarray(tree.predict(X[:15]), dtype=float)
        assert row.held_out_loss == pytest.approx(np.mean((answers - y[:15]) ** 2))
        assert row.objective == float(found.objective_of(tree))
        # The loss is a share of the best constant's.
        assert row.loss + 0.02 * row.leaves == pytest.approx(row.objective)


def small():
    X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    return ol.RashomonSet(2, 0.05, 0.05).fit(X, [0, 0, 0, 1, 1]).trees_


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"missing": 1.5}, ValueError, "missing must be a probability from 0 to 1"),
        ({"missing": {"x0": "a"}}, ValueError, "missing must be a probability"),
        ({"missing": {"z": 0.5}}, InvalidSpace, "z"),
        ({"missing": True}, ValueError, "got True"),
        ({"y": [0, 1]}, InvalidData, "y was given without X"),
        ({"X": [[0, 0, 0]], "y": [0, 1]}, InvalidData, "1 row"),
        ({"X": np.zeros((0, 3))}, InvalidData, "X has no rows"),
        ({"X": [[0, None, 0]]}, InvalidData, "complete rows are needed"),
        ({"positive": 7}, ValueError, "positive must be one of 0, 1, got 7"),
        ({"missing": np.zeros((0, 3))}, InvalidData, "missing is a table without rows"),
        ({"X": [[0, 0, 0]], "costs": {"x0": 1}}, InvalidData, "no cost for"),
    ],
)
def test_what_cannot_be_measured_is_said(given, error, words):
    with pytest.raises(error, match=words):
        ol.choose(small(), **given).set_index("fingerprint")


def test_labels_that_are_no_class_are_wrong():
    table = ol.choose(small(), [[0, 0, 0], [1, 1, 1]], [7, 1]).set_index("fingerprint")
    assert table.held_out_error.tolist() == [0.5, 0.5]
    assert np.isnan(table.specificity).all()  # no row of the other class


def test_too_many_ways_to_miss():
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (400, 12))
    y = X.sum(axis=1) % 2
    found = ol.TreeSet.from_trees([_parity(12)], X, y)
    with pytest.raises(TooLarge, match="missing= can be a table with gaps"):
        ol.choose(found).set_index("fingerprint")


def _parity(depth, odd=0, at=0):
    if at == depth:
        return {"prediction": odd}
    return {
        "feature": at,
        "true": _parity(depth, 1 - odd, at + 1),
        "false": _parity(depth, odd, at + 1),
    }


def test_further_measures(case):
    if len(case.classes) != 2:
        return
    found = case.fit()
    groups = np.arange(len(case.X)) % 2
    measures = {
        "precision": "precision",
        "mistakes": ol.Measure("false positives"),
        "gap": ol.Measure("positive rate", groups=groups),
    }
    table = ol.choose(found, measures=measures).set_index("fingerprint")
    for tree, row in zip(trees_of(found, table), table.itertuples(), strict=True):
        only = ol.TreeSet.from_trees(
            [tree], case.X, case.labels, regularization=case.regularization,
            sample_weight=case.weights,
        )  # fmt: skip
        assert row.mistakes == float(only.range(ol.Measure("false positives")).smallest)
        assert row.gap == float(only.range(ol.Measure("positive rate", groups=groups)).smallest)
        if np.isnan(row.precision):
            with pytest.raises(InvalidData):
                only.range(ol.Measure("precision"))
        else:
            assert row.precision == float(only.range(ol.Measure("precision")).smallest)
    front = ol.choose(found, measures=measures, front="error,gap").set_index("fingerprint")
    assert abs(front.gap).min() == abs(table.gap).min()
    assert (
        ol.choose(found, measures="false positives", sort="false positives")
        .set_index("fingerprint")
        .index[0]
        in table.index
    )


def test_measures_that_cannot_be():
    with pytest.raises(ValueError, match="measures names 'error', which is a column already"):
        ol.choose(small(), measures={"error": "fpr"}).set_index("fingerprint")
    with pytest.raises(InvalidData, match="is of trees, not of functions"):
        ol.choose(small(), measures=["brier score"]).set_index("fingerprint")
