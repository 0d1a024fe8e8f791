"""Facts that are proposed hold in all rows, and those that were planted are found."""

import random

import pandas as pd
import pytest

import orderless as ol
from orderless.errors import InvalidData
from orderless.inputs import discover


def planted(n=300, seed=0):
    r = random.Random(seed)
    rows = []
    for _ in range(n):
        low, more = r.randint(0, 20), r.randint(0, 9)
        sex = r.choice(["female", "male"])
        which = r.randint(0, 3)
        priors = max(0, r.randint(-5, 8))
        rows.append({
            "low end": low, "high": low + more, "sum": 2 * low + more, "sex": sex,
            "pregnant": sex == "female" and r.random() < 0.3,
            "is a": which == 0, "is b": which == 1, "is c": which == 2,
            "priors": priors, "felonies": r.randint(0, priors) if priors else 0,
            "noise": r.gauss(0, 1), "coin": r.random() < 0.5,
        })  # fmt: skip
    return pd.DataFrame(rows)


def test_what_was_planted_is_found():
    frame = planted()
    found = {one.fact.text: one for one in discover(frame)}
    assert {"`low end` <= high", "sum = `low end` + high", "felonies <= priors",
            "at most 1 of `is a`, `is b`, `is c`"} <= set(found)  # fmt: skip
    assert any("pregnant" in text and "sex" in text for text in found)
    assert not any("noise" in text or "coin" in text for text in found)
    assert found["`low end` <= high"].rows == 300
    assert [one.surprise for one in found.values()] == sorted(
        (one.surprise for one in found.values()), reverse=True
    )


def test_every_proposal_holds_in_every_row():
    frame = planted(80, seed=3)
    proposals = discover(frame, min_rows=5)
    space = ol.Space.infer(frame).with_facts([one.fact for one in proposals])
    tree = ol.read({"prediction": 1}, space=space)
    assert not tree.predict(frame).isna().any()  # a contradicting row would be warned of, too


def test_rows_with_unknown_values_say_nothing():
    frame = planted()
    frame.loc[:9, "high"] = None
    frame.loc[10, "low end"] = None
    found = {one.fact.text: one.rows for one in discover(frame, space=ol.Space({
        "low end": float, "high": float}))}  # fmt: skip
    assert found == {"`low end` <= high": 289}


def test_sums_of_decimals_say_how_far_they_are_off():
    rows = [{"a": i / 10, "b": (i * 7 % 13) / 10, "t": round(i / 10 + (i * 7 % 13) / 10, 1)}
            for i in range(60)]  # fmt: skip
    texts = [one.fact.text for one in discover(rows, space=ol.Space.numeric(["a", "b", "t"]))]
    sums = [text for text in texts if text.startswith("t = a + b within ")]
    assert len(sums) == 1
    space = ol.Space.numeric(["a", "b", "t"]).with_facts(sums)
    assert not ol.read({"prediction": 1}, space=space).predict(rows).mask.any()


def test_independent_columns_give_nothing():
    r = random.Random(1)
    rows = [{f"x{i}": r.random() < 0.5 for i in range(6)} | {"n": r.random(), "m": r.random()}
            for _ in range(200)]  # fmt: skip
    assert discover(pd.DataFrame(rows)) == []


def test_limits_are_said():
    frame = planted()
    with pytest.warns(UserWarning, match="facts hold in all rows, of which the 2 most surprising"):
        assert len(discover(frame, most=2)) == 2
    wide = pd.DataFrame({f"c{i}": [j * i % 11 + j for j in range(30)] for i in range(1, 64)})
    with pytest.warns(UserWarning, match="63 numeric columns, of which the first 60"):
        discover(wide, space=ol.Space.numeric(list(wide)), most=100_000)
    with pytest.raises(InvalidData, match="min_rows must be a whole number from 1, got 0"):
        discover(frame, min_rows=0)
    with pytest.raises(InvalidData, match="there are no rows"):
        discover([], space=ol.Space({"a": float}))
