"""Where the paper's number is a draw: repeats of its protocol, and what they say."""

import numpy as np
import pandas as pd
import pytest

import orderless as ol
from paper.page import because, page_text
from paper.rid import TARGETS
from paper.rid_draws import (
    binarized,
    distances,
    interval,
    shift_draws,
    synthetic_draws,
)
from paper.run import run
from paper.target import DIFFERS, DRAWN, EQUAL, Outcome, chance_outside, judge


def lines(inside):
    n = len(inside)
    return pd.DataFrame({"published": [1.0] * n, "error": [np.nan] * n, "ours": [2.0] * n,
                         "inside": ["yes" if one else "no" for one in inside]})  # fmt: skip


def test_a_verdict_of_draws():
    assert judge(lines([True] * 3), 0.1) == DRAWN
    assert judge(lines([True] * 54 + [False] * 3), 0.1) == DRAWN
    assert judge(lines([True] * 50 + [False] * 7), 0.1) == DIFFERS
    assert judge(lines([True] * 4 + [False] * 2), 0.1) == DIFFERS
    assert judge(lines([False]).assign(ours=1.0), 0.1) == EQUAL
    assert [chance_outside(n) for n in (1, 3, 6, 57, 100)] == [0, 1, 1, 6, 9]


def test_the_page_says_how_many_lie_outside():
    found = Outcome({}, lines([True] * 3), reason="0 of 3 lie outside", tolerance=0.1)
    assert because(found) == ": 0 of 3 lie outside"
    assert "Verdict: **within the draws**: 0 of 3 lie outside" in page_text(
        TARGETS[0], found, quick=False
    )
    assert because(Outcome({}, lines([False] * 3), reason="a reason")) == " because a reason"


def test_the_interval_holds_95_percent():
    assert interval(list(range(101))) == (2.5, 97.5)
    assert interval([0.25]) == (0.25, 0.25)


def test_a_repeat_is_rid_of_its_samples():
    """Of as many samples as there are, each repeat has all of them: the same bootstraps."""
    found = shift_draws("iris_versicolor", 4, 2, 8)
    X, y, space = binarized("iris_versicolor")
    rid = ol.RashomonImportance(8, semantics="independent", importance="permutation-per-tree",
                                pooled=True, space=space, random_state=1)  # fmt: skip
    with pytest.warns(ol.errors.NeverOffered, match="'sepal length', 'sepal width'"):
        rid.fit(X, y)
    random = np.random.default_rng(0)
    for k in range(2):
        order = random.permutation(8)
        one, two = rid.take(order[:4]), rid.take(order[4:])
        known = one.shift().set_index("feature")["ks"]
        for name, ways in found.items():
            assert len(ways["same"]) == len(ways["own"]) == 2
            assert ways["same"][k] == pytest.approx(known[name], abs=1e-12)
            trees = one._distribution(name, correct_equivalence=False)
            functions = two._distribution(name, correct_equivalence=True)
            at = np.union1d(trees.values, functions.values)
            gap = np.abs(trees.cdf(at) - functions.cdf(at)).max()
            assert ways["own"][k] == pytest.approx(gap, abs=1e-12)
    assert set(found) == {"petal length", "petal width"}


def test_the_paper_guesses_thresholds_of_all_columns():
    X, _, space = binarized("iris_setosa")
    assert all(" <= " in name for name in X)
    assert space.column_names == tuple(X)
    bits, _, none = binarized("tic_tac_toe") if _there("tic_tac_toe") else (None, None, None)
    assert none is None
    assert bits is None or set(np.unique(bits)) == {0, 1}


def _there(name):
    try:
        ol.datasets.load(name)
    except FileNotFoundError:
        return False
    return True


def test_repeats_of_the_synthetic_case():
    rows = synthetic_draws("release", 3, 2, 4)
    assert [row["repeat"] for row in rows] == [2] * 6 + [3] * 6
    assert rows == [{"repeat": 2, **row} for row in distances(
        "release", 3, 2, "permutation-per-tree", (True,))] + rows[6:]  # fmt: skip
    exact = distances("release", 3, 2, "permutation", (True,))
    for one, two in zip(rows[:6], exact, strict=True):
        assert one["truth"] == two["truth"]
        assert one["distance"] == pytest.approx(two["distance"], abs=0.02)
        assert one["distance"] != two["distance"] or not one["distance"]


def test_a_quick_run_says_how_small_it_is(tmp_path):
    ((_, outcome, _),) = run("table-rid-shift", tmp_path, quick=True)
    page = (tmp_path / "table-rid-shift.md").read_text()
    assert "10 repeats of 3 bootstraps each (the paper has 100), taken at random from 12" in page
    assert "| low | high | inside |" in page
    assert "left out, too: Iris Versicolor, 2 of 4 ('sepal length', 'sepal width')." in page
    assert (outcome.comparison["low"] <= outcome.comparison["high"]).all()
    repeats = pd.read_csv(tmp_path / "table-rid-shift-repeats.csv")
    assert repeats.groupby(["dataset", "feature", "samples"]).size().eq(10).all()
