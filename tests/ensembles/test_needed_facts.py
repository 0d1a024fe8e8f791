"""What would settle a row of an ensemble where facts hold, against all sets of features."""

import itertools

import pytest
from fact_sums import Drawn

import orderless as ol
from orderless.errors import InvalidData, Undecided
from orderless.questions import needed


def classes_by_values(own, part, names):
    """Go through what values of some features leave: sets of classes of possible completions."""
    classes = {}
    for row in own.found.completions(part):
        classes.setdefault(tuple(row[name] for name in names), set()).add(own.says(row))
    return classes.values()


def smallest(own, part, enough):
    free = [name for name in own.found.kinds if name not in part]
    for size in range(len(free) + 1):
        sets = {
            some
            for some in itertools.combinations(free, size)
            if enough(len(one) == 1 for one in classes_by_values(own, part, some))
        }
        if sets:
            return sets
    raise AssertionError("all features settle a row")


@pytest.mark.parametrize("rule", ["largest", "cuts"])
def test_the_smallest_sets(rule):
    n = compared = 0
    for seed in range(7500, 7540):
        own = Drawn(seed, rule, real=seed % 4 == 3)
        if not own.found.possible:
            continue
        model = own.model()
        for part in own.found.parts(3):
            rows = own.found.completions(part)
            if not rows:
                with pytest.raises(InvalidData, match="contradicts the facts"):
                    model.needed(part)
                continue
            found, classes = model.needed(part), {own.says(row) for row in rows}
            assert set(found.possible) == classes
            if len(classes) == 1:
                assert {found.label} == classes
                assert found.settle == found.could == ((),)
                continue
            assert found.label is None
            assert {*found.settle} == smallest(own, part, all), (seed, part)
            assert {*found.could} == smallest(own, part, any), (seed, part)
            told = {name for one in (*found.settle, *found.could) for name in one}
            assert told <= {*found.unknown}
            assert not {*found.unknown} & {*part}
            n, compared = n + 1, compared + model.space.domain.linear
    assert n > 10
    assert compared > 5


def a_score():
    items = [{"feature": "high", "above": 5, "points": 2}, {"feature": "rash", "points": 1}]
    space = ol.Space({"low": float, "high": float, "rash": bool}, facts=["low <= high"])
    return ol.Ensemble.from_points(
        {"items": items, "verdicts": {"wait": None, "go": 2}}, space=space
    )


def test_a_value_settles_through_a_fact():
    score = a_score()
    found = score.needed({"rash": True})
    assert found.settle == (("high",),)
    assert found.could == (("low",), ("high",))  # a low above 5
    assert found.unknown == ("low", "high")
    assert "Settled, for some values, by low; or by high." in str(score.explain({}))


def test_too_large_is_undecided(monkeypatch):
    monkeypatch.setattr(needed, "MOST_LEAVES", 1)
    with pytest.raises(Undecided, match="one tree that says the same") as fault:
        a_score().needed({})
    assert fault.value.why == "room"
