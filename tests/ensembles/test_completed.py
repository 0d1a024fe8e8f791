"""Witnesses: two complete rows that the ensemble, and the oracle, put into different classes."""

import math

import numpy as np
import pytest
from fact_cases import case

import orderless as ol
from orderless import Ensemble
from orderless.model import Adding, Rule

from ..oracle_ensemble_rows import draw, partial_row


def differ(a, b):
    return not (a == b or (a != a and b != b))


@pytest.mark.parametrize("seed", range(80))
def test_witnesses_are_completions_that_get_different_classes(seed):
    case = draw(seed)
    ensemble, random = case.ensemble(), np.random.default_rng(seed)
    for _ in range(6):
        row = partial_row(case, random)
        status = ensemble.status([row], time_limit=1e6)[0]
        if status == "undecided":
            with pytest.raises(ol.Undecided, match="nearer to a tie"):
                _ = ensemble.explain(row).witness
            continue
        pair = ensemble.explain(row, time_limit=1e6).witness
        assert (pair is None) == (status == "certain")
        if pair is None:
            continue
        for done in pair:
            assert list(done) == list(case.kinds)
            assert not any(differ(done[name], value) for name, value in row.items())
        said = [case.says(done) for done in pair]
        assert said[0] != said[1]
        assert ensemble.predict(list(pair)).tolist() == said


def model(space, feature, threshold=0.0, sets=None, nan_true=0):
    tree = ol.Tree(
        space, [0, 1], feature=[space.index(feature), -1, -1], threshold=[threshold, 0, 0],
        when_true=[1, -1, -1], when_false=[2, -1, -1], leaf_class=[-1, 0, 1],
        sets={0: sets} if sets else {}, nan_true=[nan_true, 0, 0],
    )  # fmt: skip
    return Ensemble([tree], [[0.0, 1.0]], classes=["no", "yes"], adding=Adding(),
                    rule=Rule("cuts", (0.5,)))  # fmt: skip


def test_columns_that_are_indicators_are_completed():
    color = ol.Feature("color", "categorical", categories=("red", "green", "blue"), other=True)
    space = ol.Space(
        [ol.Feature("age", values="integer"), color],
        columns={
            "age <= 5": ol.Condition("age", at_most=5), "age <= 7": ol.Condition("age", at_most=7),
            "red": ol.Condition("color", among=("red",)),
            "green": ol.Condition("color", among=("green",)),
        },
    )  # fmt: skip
    # The tree cuts at 6, which no column says, and the row knows that the age is above 5.
    first, second = model(space, "age", 6.0).explain({"age <= 5": 0, "red": 0}).witness
    assert list(first)[:4] == ["age <= 5", "age <= 7", "red", "green"]
    assert first["age <= 5"] == second["age <= 5"] == 0
    assert {first["red"], second["red"]} == {0}
    said = model(space, "age", 6.0).predict([first, second])
    assert set(said.tolist()) == {"no", "yes"}
    # Neither red nor green: blue or another one, which the columns do not say.
    pair = model(space, "color", sets=[2]).explain({"red": 0, "green": 0}).witness
    said = model(space, "color", sets=[2]).predict(list(pair))
    assert set(said.tolist()) == {"no", "yes"}
    assert {row["color"] for row in pair} == {"blue", "other"}
    pair = model(space, "color", sets=[0, 2]).explain({}).witness
    assert set(model(space, "color", sets=[0, 2]).predict(list(pair)).tolist()) == {"no", "yes"}


def test_what_a_row_knows_of_an_interval_is_kept():
    space = ol.Space(
        [ol.Feature("age"), ol.Feature("kept", nan=True)],
        columns={"low": ol.Condition("age", at_most=7.0), "kept": "kept"},
    )
    ensemble = model(space, "age", 3.0)
    first, second = ensemble.explain({"low": 1, "kept": math.nan}).witness
    assert first["low"] == second["low"] == 1
    assert math.isnan(first["kept"])
    assert {row["age"] <= 7 for row in (first, second)} == {True}


def test_float32_values_round_to_their_side():
    space = ol.Space({"dose": "float32"})
    for cut in (0.1, 2.45, 1e-30, -3.3):
        ensemble = model(space, "dose", cut)
        pair = ensemble.explain([None]).witness
        says = [bool(np.float32(row["dose"]) <= np.float64(np.float32(cut))) for row in pair]
        low = ol.Feature("dose", values="float32").at_most(cut)
        says = [float(np.float32(row["dose"])) <= float(low) for row in pair]
        assert sorted(says) == [False, True]


def test_missing_as_a_value_is_one_of_the_completions():
    space = ol.Space([ol.Feature("dose", nan=True)])
    ensemble = model(space, "dose", math.inf)  # is it known?
    pair = ensemble.explain({}).witness
    assert sorted(math.isnan(row["dose"]) for row in pair) == [False, True]
    known_to_be_missing = {"dose": None}  # in a dict None is a value
    assert ensemble.explain(known_to_be_missing).witness is None


@pytest.mark.parametrize("numbers", [False, True])
def test_one_tree_has_witnesses_too(numbers):
    """Also where facts hold; every row of a small grid is looked at."""
    n_open = 0
    for seed in range(40):
        own = case(seed, real=seed % 4 == 3, numbers=numbers)
        if not own.possible:
            continue
        tree = own.trees()[0]
        for part in own.parts(4):
            rows = own.completions(part)
            if not rows:
                continue
            answers = {own.says(row) for row in rows}
            pair = tree.explain(part).witness
            assert (pair is None) == (len(answers) == 1), (seed, part)
            assert (tree.status([part])[0] == "open") == (pair is not None)
            if pair is None:
                continue
            n_open += 1
            assert own.says(pair[0]) != own.says(pair[1])
            for row in pair:
                assert own.is_possible(row), (seed, row)
                assert all(row[name] == value for name, value in part.items())
                assert tree.predict([row])[0] == own.says(row)
    assert n_open > 20


def test_rows_of_a_table_have_witnesses():
    tree = ol.read({"feature": "a", "true": {"prediction": 1}, "false": {"prediction": 0}},
                   feature_names=["a"])  # fmt: skip
    known, unknown = tree.explain_all([[1], [None]])
    assert known.witness is None
    assert tree.predict(list(unknown.witness)).tolist() in ([0, 1], [1, 0])
