"""What is said of rows, against every completion of them."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless import Ensemble
from orderless.errors import InvalidTree
from orderless.model import Adding, Rule
from orderless.questions import bounds

from ..oracle_ensemble_rows import draw, partial_row

SEEDS = st.integers(0, 2**32 - 1)
LONG = 1e6  # seconds: no row is out of time


def same(a, b):
    return a == b or (a != a and b != b)


def check_rows(case, n_rows, seed):
    """Everything that is said of some rows is what their completions say."""
    ensemble, random = case.ensemble(), np.random.default_rng(seed)
    complete = case.completions({})
    some = [complete[int(i)] for i in random.integers(len(complete), size=20)]
    assert ensemble.predict(some).tolist() == [case.says(row) for row in some]
    rows = [partial_row(case, random) for _ in range(n_rows)]
    found = ensemble.predict(rows, time_limit=LONG)
    status = ensemble.status(rows, time_limit=LONG)
    for i, row in enumerate(rows):
        said = {case.says(done) for done in case.completions(row)}
        if status[i] == "certain":
            assert said == {found[i]}
        elif status[i] == "open":
            assert len(said) > 1
            assert found.mask[i]
        else:  # numbers that are equal but for rounding
            assert case.rule.kind == "number"
            assert found.mask[i]
            assert max(said) - min(said) <= 1e-5 * max(1.0, *map(abs, said))
    if case.rule.kind != "number":
        assert ensemble.possible(rows, time_limit=LONG) == [
            tuple(c for c in case.classes if c in {case.says(r) for r in case.completions(row)})
            for row in rows
        ]
    check_intervals(case, ensemble, rows)


def check_intervals(case, ensemble, rows):
    of = "answer" if case.rule.kind == "number" else "score"
    lower, upper, exact = ensemble.predict_interval(rows, of=of, time_limit=LONG)
    assert np.all(exact)
    for i, row in enumerate(rows):
        done = case.completions(row)
        all_scores = np.array(
            [[case.says(r)] if case.rule.kind == "number" else case.scores_of(r) for r in done]
        )
        low, high = np.atleast_1d(lower[i]), np.atleast_1d(upper[i])
        if case.link == "exp":  # numpy's and Python's differ in the last digit
            low, high = low * (1 - 1e-15), high * (1 + 1e-15)
        assert (all_scores.min(axis=0) >= low).all()
        assert (all_scores.max(axis=0) <= high).all()
        if not ensemble.kernel.whole.slack.any() and case.link != "exp":
            assert all_scores.min(axis=0).tolist() == low.tolist()
            assert all_scores.max(axis=0).tolist() == high.tolist()
        assert np.allclose(all_scores.min(axis=0), low, rtol=1e-4, atol=1e-5)
        assert np.allclose(all_scores.max(axis=0), high, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("seed", range(80))
def test_every_row_is_answered_as_its_completions_are(seed):
    check_rows(draw(seed), 12, seed)


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_any_row_is_answered_as_its_completions_are(seed):
    check_rows(draw(seed), 4, seed)


@pytest.mark.parametrize("few", [4096, 0])
@pytest.mark.parametrize("seed", range(40))
def test_probabilities_are_between_their_ends(seed, few, monkeypatch):
    monkeypatch.setattr(bounds, "FEW_SHARES", few)
    rule = ("largest", "cuts")[seed % 2]
    cases = (draw(seed + 1000 * more, rule=rule, kind="floats") for more in itertools.count())
    # A logistic link has two classes.
    case = next(one for one in cases if rule == "largest" or len(one.rule.cuts) == 1)
    if case.link == "identity" or len(case.classes) != (2 if seed % 2 else len(case.classes)):
        case.link = "softmax"
    ensemble, random = case.ensemble(), np.random.default_rng(seed)
    rows = [partial_row(case, random) for _ in range(8)]
    lower, upper, exact = ensemble.predict_interval(rows, time_limit=LONG, of="probability")
    for i, row in enumerate(rows):
        shares = np.array([case.shares(done) for done in case.completions(row)])
        low, high = shares.min(axis=0), shares.max(axis=0)
        assert (lower[i] <= low + 1e-12).all()
        assert (upper[i] >= high - 1e-12).all()
        assert not few or exact[i].all()
        assert np.allclose(lower[i][exact[i]], low[exact[i]], atol=1e-9)
        assert np.allclose(upper[i][exact[i]], high[exact[i]], atol=1e-9)
    full = [case.completions({})[0]]
    assert np.allclose(ensemble.predict_proba(full)[0], case.shares(full[0]))


def forest(n=4, classes=("no", "yes")):
    """A forest of stumps on booleans, each sure of a class."""
    space = ol.Space(dict.fromkeys("abcdefgh"[:n], "boolean"))
    trees = [
        ol.Tree(space, [0, 1], feature=[i, -1, -1], threshold=[0, 0, 0], when_true=[1, -1, -1],
                when_false=[2, -1, -1], leaf_class=[-1, 0, 1]) for i in range(n)
    ]  # fmt: skip
    return Ensemble(
        trees, [[[1.0, 0.0], [0.0, 1.0]]] * n, classes=classes,
        adding=Adding(base=(0.0, 0.0), divisor=float(n)), rule=Rule("largest"),
    )  # fmt: skip


def test_probabilities_of_a_forest_are_exact():
    lower, upper, exact = forest().predict_interval(
        [[1, None, 0, None], [1, 1, 1, 1]], of="probability"
    )
    assert lower.tolist() == [[0.25, 0.25], [0.0, 1.0]]
    assert upper.tolist() == [[0.75, 0.75], [0.0, 1.0]]
    assert exact.all()
    assert forest().sums([[1, 1, 1, 0]]).tolist() == [[1.0, 3.0]]


def test_scores_that_are_no_probabilities_are_refused():
    points = forest().replace(values=[[[1.0, 0.0], [0.0, 3.0]]] * 4)
    with pytest.raises(InvalidTree, match=r"no probabilities.*predict_interval\(X, of='score'\)"):
        points.predict_interval([[1, 1, 1, 1]], of="probability")


def test_answers_like_the_rows_that_came_in():
    import pandas as pd
    import polars as pl

    rows = {"a": [1, 1], "b": [1, None], "c": [0, None], "d": [0, None]}
    frame = pd.DataFrame(rows, index=["x", "y"], dtype="Int64")
    found = forest().predict(frame)
    assert found.isna().tolist() == [False, True]
    assert found.index.tolist() == ["x", "y"]
    assert forest().status(frame).to_dict() == {"x": "certain", "y": "open"}
    assert forest().status(pl.DataFrame(rows)).to_list() == ["certain", "open"]
    lower, _, exact = forest().predict_interval(frame, of="probability")
    assert list(lower.columns) == ["no", "yes"]
    assert exact.to_numpy().all()
    assert forest().possible(frame)["y"] == ("no", "yes")


def test_ties_go_to_the_first_class():
    assert forest(2).predict([[1, 0]]).tolist() == ["no"]
    assert forest(2).status([[1, None]]).tolist() == ["open"]
    assert forest(2).status([[0, None]]).tolist() == ["certain"]


def test_no_rows_and_constant_ensembles():
    assert forest().predict(np.zeros((0, 4))).tolist() == []
    assert forest().status(np.zeros((0, 4))).tolist() == []
    space = ol.Space({"a": "boolean"})
    leaf = ol.Tree(space, [0], feature=[-1], threshold=[0], when_true=[-1], when_false=[-1],
                   leaf_class=[0])  # fmt: skip
    always = Ensemble([leaf], [[3.0]], classes=["low", "high"], adding=Adding(),
                      rule=Rule("cuts", (1.0,)))  # fmt: skip
    assert always.predict([[None], [1]]).tolist() == ["high", "high"]
    assert always.status([[None]]).tolist() == ["certain"]
    assert always.explain([None]).witness is None
    assert str(always.explain([None])).startswith("high")


def test_rounding_is_undecided():
    """A sum that lies in the window of the rule is not called."""
    near = forest(3).replace(rule=Rule("largest", window=1.0))
    rows = [[1, 1, 0], [1, 1, 1], [1, 0, None]]
    assert near.status(rows).tolist() == ["undecided", "certain", "undecided"]
    assert near.predict(rows).mask.tolist() == [True, False, True]
    lower, _, _ = near.predict_interval(rows, of="score")
    assert lower[0].tolist() == pytest.approx([1 / 3, 2 / 3])


def test_a_window_below_the_unit_hides_ties_alone():
    """Votes are whole numbers: one vote more is no matter of rounding, and none more is.

    Behind a softmax equal scores are equal probabilities, and the first class wins.
    """
    votes = forest(4)
    near = votes.replace(rule=Rule("largest", window=1e-9, either=True))
    rows = [[1, 1, 0, 0], [1, 1, 1, 0], [0, 0, 0, 1], [1, 1, 1, None], [1, 0, None, None]]
    expected = ["undecided", "certain", "certain", "certain", "open"]
    assert near.status(rows).tolist() == expected
    after = votes.replace(rule=Rule("largest", window=1e-9), link="softmax")
    assert after.status(rows[:1]).tolist() == ["certain"]
    assert after.predict(rows[:1]).tolist() == votes.predict(rows[:1]).tolist()


def test_time_limits_are_checked():
    for bad in (-1, "long", math.nan, True):
        with pytest.raises(ValueError, match=r"time_limit=.*give seconds"):
            forest().predict([[1, None, 0, 0]], time_limit=bad)


def test_tolerance_is_about_numbers():
    numbers = forest().replace(values=[[0.0, 1.0]] * 4, scores=None, classes=None,
                               adding=Adding(), rule=Rule("number"))  # fmt: skip
    found = numbers.predict([[1, 1, 0, 0], [1, None, 0, 0], [None] * 4], tolerance=1)
    assert found.tolist() == [2.0, 1.5, None]
    assert numbers.predict([[1, None, 0, 0]]).mask.all()
    with pytest.raises(InvalidTree, match="says classes: leave it out"):
        forest().predict([[1, 1, 1, 1]], tolerance=1)
    with pytest.raises(InvalidTree, match="about classes, and this model says numbers"):
        numbers.possible([[1, 1, 1, 1]])


def test_ranges_and_sets_of_values():
    space = ol.Space({"age": "integer", "ward": ["east", "north", "south"]})
    age = ol.Tree(space, [0, 1], feature=[0, -1, -1], threshold=[30.5, 0, 0],
                  when_true=[1, -1, -1], when_false=[2, -1, -1], leaf_class=[-1, 0, 1])  # fmt: skip
    ward = ol.Tree(space, [0, 1], feature=[1, -1, -1], threshold=[0, 0, 0], when_true=[1, -1, -1],
                   when_false=[2, -1, -1], leaf_class=[-1, 0, 1], sets={0: [0, 1]})  # fmt: skip
    points = Ensemble([age, ward], [[0.0, 2.0], [1.0, 0.0]], classes=["low", "high"],
                      adding=Adding(), rule=Rule("cuts", (0.5,)))  # fmt: skip
    lower = [{"age": 31}, {"age": 20, "ward": {"south"}}, {"age": 20, "ward": {"east", "south"}},
             {"age": 30.2, "ward": {"south"}}]  # fmt: skip
    upper = [{"age": 40}, {"age": 30.9}, {"age": 30}, {}]
    assert points.predict(ol.Between(lower, upper)).tolist() == ["high", "low", None, "high"]


def test_one_hot_groups_and_integers_make_more_rows_certain():
    """Space knows that columns exclude each other, and that there is nothing between 2 and 3."""
    names = ["red", "green", "blue"]
    apart = ol.Space.independent(names)
    color = ol.Feature("color", "categorical", categories=tuple(names))
    together = ol.Space([color], columns={n: ol.Condition("color", among=(n,)) for n in names})

    def stump(space, i):
        sets = {} if space is apart else {0: [i]}
        when = (2, 1) if space is apart else (1, 2)
        return ol.Tree(
            space, [0, 1], feature=[i if space is apart else 0, -1, -1], threshold=[0.5, 0, 0],
            when_true=[when[0], -1, -1], when_false=[when[1], -1, -1], leaf_class=[-1, 1, 0],
            sets=sets,
        )  # fmt: skip

    models = [
        Ensemble([stump(space, i) for i in range(3)], [[0.0, 1.0]] * 3, classes=["no", "yes"],
                 adding=Adding(), rule=Rule("cuts", (0.5,))) for space in (apart, together)
    ]  # fmt: skip
    rows = [[None, None, None], [0, None, None], [0, 0, None], [0, 0, 1]]
    assert models[0].status(rows).tolist() == ["open", "open", "open", "certain"]
    assert models[1].status(rows).tolist() == ["certain"] * 4
    assert set(models[1].predict(rows).tolist()) == {"yes"}


def test_there_is_nothing_between_two_whole_numbers():
    def over(values):
        space = ol.Space([ol.Feature("age", values=values)])
        trees = [
            ol.Tree(space, [0, 1], feature=[0, -1, -1], threshold=[cut, 0, 0],
                    when_true=[1, -1, -1], when_false=[2, -1, -1], leaf_class=[-1, 0, 1])
            for cut in (2.2, 2.7)
        ]  # fmt: skip
        return Ensemble(trees, [[0.0, 1.0], [0.0, -1.0]], classes=["no", "yes"], adding=Adding(),
                        rule=Rule("cuts", (0.5,)))  # fmt: skip

    assert over("float64").status([[None]]).tolist() == ["open"]
    assert over("integer").predict([[None]]).tolist() == ["no"]


@pytest.mark.parametrize("rule", [
    Rule("largest", window=0.05, either=True),
    Rule("largest", window=0.05),
    Rule("cuts", (0.01, 0.02), window=0.05),
])  # fmt: skip
def test_a_window_wider_than_all_sums_leaves_all_open(rule):
    """In units of such small numbers the window, and the cuts, are beyond any whole number."""
    least, values = 5e-324, [[[0.0, 0.0, 5e-324], [5e-324, 1e-300, 5e-324]]]
    base = (0.0, 0.0, least)
    if rule.kind == "cuts":
        base, values = base[2:], [[[0.0], [1e-300]]]
    space = ol.Space({"x": "integer"})
    stump = ol.Tree(space, [0, 1], feature=[0, -1, -1], threshold=[7, 0, 0], when_true=[1, -1, -1],
                    when_false=[2, -1, -1], leaf_class=[-1, 0, 1])  # fmt: skip
    model = Ensemble([stump], values, classes=("a", "b", "c"), adding=Adding(base=base), rule=rule)
    for row in ({}, {"x": 1}, {"x": 8}):
        assert model.status([row]).tolist() == ["undecided"]
        with pytest.raises(ol.Undecided):
            model.possible([row])
