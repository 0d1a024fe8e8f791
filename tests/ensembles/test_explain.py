"""Explanations of rows, against every completion of every set of features."""

import itertools
import json

import numpy as np
import pytest
from sums import as_ensemble

import orderless as ol
from orderless import Ensemble
from orderless.errors import InvalidTree, TooManyReasons
from orderless.model import Adding, Rule

from ..oracle_ensemble_rows import draw, partial_row

LONG = 1e5


class Brute:
    """What is sufficient for a certain row, by trying everything."""

    def __init__(self, case, ensemble, row):
        self.case, self.row = case, row
        self.known = [name for name in row if name in ensemble.features]
        (self.label,) = {case.says(done) for done in case.completions(row)}
        self.seen = {}

    def sufficient(self, names):
        key = frozenset(names)
        if key not in self.seen:
            part = {name: self.row[name] for name in names}
            said = {self.case.says(done) for done in self.case.completions(part)}
            self.seen[key] = said == {self.label}
        return self.seen[key]

    def subsets(self):
        for size in range(len(self.known) + 1):
            yield from itertools.combinations(self.known, size)

    def minimal(self):
        """All minimal sufficient sets."""
        found = []
        for names in self.subsets():
            if self.sufficient(names) and not any(set(f) <= set(names) for f in found):
                found.append(names)
        return {frozenset(f) for f in found}

    def contrasts(self):
        """The smallest sets whose change can give another class, each with the classes."""
        out = {}
        for names in self.subsets():
            if out and len(names) > len(next(iter(out))):
                break
            part = {name: v for name, v in self.row.items() if name not in names}
            said = {self.case.says(done) for done in self.case.completions(part)}
            if said != {self.label}:
                out[frozenset(names)] = said - {self.label}
        return out


def has(side, value):
    """Whether a side has a value, read off its words and not its bins."""
    if side.feature.ordered:
        if side.feature.values == "float32" and side.feature.kind == "numeric":
            value = float(np.float32(value))
        return bool(side.has(np.array([float(value)]))[0])
    if value != value:
        return side.feature.n_values - 1 in side.codes
    return side.feature.code(value) in side.codes


def inside(case, term, done):
    return all(has(side, done[side.feature.name]) for side in term.sides)


def certain_rows(seed, n=3):
    case = draw(seed, rule=("largest", "cuts")[seed % 2])
    ensemble, random = case.ensemble(), np.random.default_rng(seed)
    rows = [partial_row(case, random) for _ in range(8)]
    complete = case.completions({})
    rows += [complete[int(i)] for i in random.integers(len(complete), size=4)]
    rows = [row for row in rows if ensemble.status([row], time_limit=LONG)[0] == "certain"]
    return case, ensemble, rows[-n:]


@pytest.mark.parametrize("seed", range(50))
def test_reasons_are_sufficient_minimal_and_wide(seed):
    case, ensemble, rows = certain_rows(seed)
    everything = case.completions({})
    for row in rows:
        brute = Brute(case, ensemble, row)
        why = ensemble.explain(row, time_limit=LONG)
        assert (why.status, why.label, why.possible) == ("certain", brute.label, (brute.label,))
        minimal = brute.minimal()
        for reason in (why.reason, why.shortest, *why.all_reasons):
            assert frozenset(reason.features) in minimal
            covered = [done for done in everything if inside(case, reason, done)]
            assert {case.says(done) for done in covered} == {brute.label}
            assert all(inside(case, reason, done) for done in case.completions(row))
            check_wide(case, reason, brute.label)
        assert len(why.shortest.features) == min(map(len, minimal))
        assert {frozenset(r.features) for r in why.all_reasons} == minimal
        assert len(why.all_reasons) == len(minimal)
        every = set.intersection(*map(set, minimal))
        assert set(why.necessary) == every
        assert set(why.relevant) == set.union(*map(set, minimal))
        costs = {name: 1 + 3 * (i % 2) for i, name in enumerate(ensemble.features)}
        cheapest = why.cheapest(costs)
        cost = {m: sum(costs[name] for name in m) for m in minimal}
        assert sum(costs[name] for name in cheapest.features) == min(cost.values())


def check_wide(case, reason, label):
    """Any value next to a side, or any category outside of it, lets another class in."""
    everything = case.completions({})
    for side in reason.sides:
        name = side.feature.name
        values = [v for v in case.every[name] if not has(side, v)]
        if side.feature.ordered:
            numbers = sorted((v for v in values if v == v), key=float)
            below = [v for v in numbers if float(v) <= side.lower]
            above = [v for v in numbers if float(v) > side.upper]
            values = [*below[-1:], *above[:1], *(v for v in values if v != v)]
        for value in values:
            others = [s for s in reason.sides if s is not side]
            said = {
                case.says(done) for done in everything
                if (done[name] == value or (value != value and done[name] != done[name]))
                and all(has(s, done[s.feature.name]) for s in others)
            }  # fmt: skip
            assert said != {label}


@pytest.mark.parametrize("seed", range(50))
def test_changes_are_the_smallest(seed):
    case, ensemble, rows = certain_rows(seed)
    for row in rows:
        brute = Brute(case, ensemble, row)
        why = ensemble.explain(row, time_limit=LONG)
        expected = brute.contrasts()
        found = {}
        for change in why.changes():
            found.setdefault(frozenset(change.features), set()).add(change.label)
            after = why.row_after(change)
            assert case.says(after) == change.label
            kept = {k: v for k, v in row.items() if k not in change.features}
            assert all(after[k] == v or v != v for k, v in kept.items())
            done = [d for d in case.completions(kept)
                    if all(has(s, d[n]) for n, s in change.ranges.items())]  # fmt: skip
            said = {case.says(d) for d in done}
            assert change.label in said
            assert change.certain == (said == {change.label})
        assert found == expected


def loans():
    space = ol.Space({"age": "integer", "income": "numeric", "owns": "boolean"})

    def stump(feature, cut):
        return ol.Tree(space, [0, 1], feature=[feature, -1, -1], threshold=[cut, 0, 0],
                       when_true=[1, -1, -1], when_false=[2, -1, -1],
                       leaf_class=[-1, 0, 1])  # fmt: skip

    return Ensemble(
        [stump(0, 24), stump(0, 60), stump(1, 35.0), stump(2, 0.5)],
        [[0.0, 2.0], [0.0, -1.0], [0.0, 2.0], [0.0, 1.0]], classes=["refused", "granted"],
        adding=Adding(), rule=Rule("cuts", (2.5,)),
    )  # fmt: skip


def test_an_explanation_in_words():
    why = loans().explain({"age": 43, "income": 50.0, "owns": False})
    assert str(why) == (
        "granted, because age > 24 AND income > 35 (whatever owns is)."
        "\nIt would be refused if age were <= 24, or if income were <= 35."
    )
    assert repr(why) == "Explanation('granted')"
    assert why.to_dict()["status"] == "certain"
    json.dumps(why.to_dict())
    assert "<p>granted, because" in why._repr_html_()


def test_an_open_row_says_what_would_settle_it():
    why = loans().explain({"age": 43})
    assert why.status == "open"
    assert why.reason is why.shortest is None
    assert why.changes() == ()
    assert str(why).splitlines() == [
        "Not determined: refused or granted are possible, because income and owns are unknown.",
        "Settled, whatever the values, by income and owns.",
        "Settled, for some values, by income; or by owns.",
    ]
    assert why.needed.could == (("income",), ("owns",))
    json.dumps(why.to_dict())


def test_undecided_rows_say_so():
    near = loans().replace(rule=Rule("cuts", (2.5,), window=0.6))
    why = near.explain({"age": 43, "owns": True})
    assert why.status == "undecided"
    assert str(why).startswith("Undecided: it was not found out")
    assert repr(why).startswith("Explanation(not determined")


def numbers():
    return loans().replace(classes=None, rule=Rule("number"))


def test_numbers_are_explained_by_their_interval():
    row = {"age": 43, "income": 50.0, "owns": False}
    assert str(numbers().explain(row)).splitlines()[0] == (
        "4, because 24 < age <= 60 AND income > 35 AND not owns."
    )
    lines = str(numbers().explain(row, tolerance=1)).splitlines()
    assert lines[0] == "Between 3 and 5, because age > 24 AND income > 35 (whatever owns is)."
    assert lines[1] == "It would be below 3 if age were <= 24, or if income were <= 35."
    why = numbers().explain({"age": 43})
    assert (why.status, why.interval, why.label) == ("open", (2.0, 5.0), None)
    assert str(why).splitlines()[0] == (
        "Between 2 and 5, because 24 < age <= 60 (whatever income and owns are)."
    )


def test_settings_are_checked():
    with pytest.raises(ValueError, match="limit=0: at least one reason"):
        loans().explain({}, limit=0)
    with pytest.raises(ValueError, match="time_limit"):
        loans().explain({}, time_limit=-1)
    with pytest.raises(ValueError, match="tolerance must be"):
        numbers().explain({}, tolerance=-1)
    votes = as_ensemble(ol.read({"feature": 0, "true": {"prediction": 1}, "false":
                                      {"prediction": 0}}))  # fmt: skip
    with pytest.raises(ValueError, match="needs costs"):
        votes.explain([1]).cheapest()


def test_a_limit_on_reasons():
    space = ol.Space({f"x{i}": "boolean" for i in range(8)})
    votes = [
        ol.Tree(space, [0, 1], feature=[i, -1, -1], threshold=[0.5, 0, 0], when_true=[1, -1, -1],
                when_false=[2, -1, -1], leaf_class=[-1, 0, 1]) for i in range(8)
    ]  # fmt: skip
    ensemble = Ensemble(votes, [[0.0, 1.0]] * 8, classes=[0, 1], adding=Adding(),
                        rule=Rule("cuts", (3.5,)))  # fmt: skip
    why = ensemble.explain([1] * 8, limit=10)
    assert len(why.shortest.features) == 4
    with pytest.raises(TooManyReasons, match="more than limit=10 reasons"):
        _ = why.all_reasons
    assert len(ensemble.explain([1] * 8).all_reasons) == 70


def test_cutting_numbers():
    cut = numbers().discretize([2, 4])
    assert cut.classes == ("at most 2", "above 2 to 4", "above 4")
    rows = [{"age": 43, "income": 50.0, "owns": True}, {"age": 43, "income": 1.0}, {"age": 10}]
    assert cut.predict(rows).tolist() == ["above 4", None, None]
    assert cut.status([{"age": 10, "income": 1.0}]).tolist() == ["certain"]
    assert numbers().discretize([2], ["few", "many"]).predict(rows).tolist() == ["many", None, None]
    for levels, message in (([], "at least one"), ([3, 2], "must rise"), ("x", "at least one"),
                            ([np.nan], "finite")):  # fmt: skip
        with pytest.raises(InvalidTree, match=message):
            numbers().discretize(levels)
    with pytest.raises(InvalidTree, match="as many labels"):
        numbers().discretize([1], ["a"])
    with pytest.raises(InvalidTree, match="says classes"):
        loans().discretize([1])


@pytest.mark.parametrize("flip", [0.0, 1.0])
def test_a_side_around_a_missing_value_takes_in_what_it_can(flip):
    """Above 1 the class is that of a missing age, whatever w is; below, w matters, in two ways."""
    space = ol.Space([ol.Feature("age", values="integer", nan=True), ol.Feature("w", "boolean")])
    tree = ol.Tree(
        space, range(5), feature=[0, 0, 1, 1, -1, -1, -1, -1, -1],
        threshold=[1, 0, 0, 0, 0, 0, 0, 0, 0], when_true=[1, 2, 4, 6, -1, -1, -1, -1, -1],
        when_false=[8, 3, 5, 7, -1, -1, -1, -1, -1], leaf_class=[-1, -1, -1, -1, 0, 1, 2, 3, 4],
    )  # fmt: skip
    values = [[flip], [1 - flip], [1 - flip], [flip], [0.0]]
    ensemble = Ensemble([tree], [values], classes=["no", "yes"], adding=Adding(),
                        rule=Rule("cuts", (0.5,)))  # fmt: skip
    reason = ensemble.explain({"age": None, "w": True}).reason
    assert reason.to_dict() == [{"feature": "age", "above": 1.0, "missing": True}]
