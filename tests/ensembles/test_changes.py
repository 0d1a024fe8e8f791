"""Changes of a row of an ensemble, against every new value and every completion."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from fact_cases import values
from fact_sums import Drawn

import orderless as ol
from orderless.errors import InvalidData, Undecided
from orderless.questions import Changes

from ..oracle_changes import Brute, Restricted
from ..oracle_ensemble_rows import draw, partial_row
from .test_explain import has

LONG = 1e5


def draw_limits(case, row, random, labels):
    """Draw what may be changed."""
    limits: dict = {"immutable": [], "only_up": [], "only_down": []}
    ranges = {}
    for name, kind in case.kinds.items():
        ways = ["free", "free", "immutable"]
        ways += [] if isinstance(kind, tuple | list) else ["only_up", "only_down"]
        way = str(random.choice(ways))
        if way != "free":
            limits[way].append(name)
        values = [v for v in case.every[name] if v == v]
        if random.random() < 0.3:
            if isinstance(kind, tuple | list):
                ranges[name] = {v for v in values if random.random() < 0.6} or {values[0]}
            elif kind != "boolean":
                ends = sorted(values[int(i)] for i in random.integers(len(values), size=2))
                ranges[name] = tuple(ends)
    costs = per_unit = None
    if random.random() < 0.6:
        costs = {name: int(random.integers(4)) for name in case.kinds}
    if random.random() < 0.5:
        numbers = [n for n, kind in case.kinds.items() if not isinstance(kind, tuple | list)]
        known = [n for n in numbers if n in row and row[n] == row[n]]
        per_unit = {name: int(random.integers(3)) for name in known}
    to = labels[int(random.integers(len(labels)))] if labels and random.random() < 0.3 else ...
    named = {what: tuple(names) for what, names in limits.items()}
    return Restricted(**named, ranges=ranges, costs=costs, per_unit=per_unit, to=to)


def certain_row(seed):
    """A small exact ensemble and a row of it that is certain, with unknown values or none."""
    case = draw(seed, rule=("largest", "cuts")[seed % 2], kind="points", features=3)
    ensemble, random = case.ensemble(), np.random.default_rng(seed)
    complete = case.completions({})
    rows = [partial_row(case, random) for _ in range(6)]
    rows.append(complete[int(random.integers(len(complete)))])
    for row in rows:
        answers = {case.says(done) for done in case.completions(row)}
        known = {name: v for name, v in row.items() if name in ensemble.features}
        if known and len(answers) == 1:
            return case, ensemble, row, random
    return None


@pytest.mark.parametrize("block", range(10))
def test_restricted_changes(block):
    n = with_gaps = 0
    for seed in range(40 * block, 40 * block + 40):
        drawn = certain_row(seed)
        if drawn is None:
            continue
        case, ensemble, row, random = drawn
        (label,) = {case.says(done) for done in case.completions(row)}
        others = [c for c in case.classes if c != label]
        limits = draw_limits(case, row, random, others)
        changes = ensemble.explain(row, time_limit=LONG).changes(**limits.given())
        brute = Brute(case.every, row, case.says, limits)
        brute.check(changes, has, lambda name, own=ensemble: own.space[name].ordered)
        why = ensemble.explain(row, time_limit=LONG)
        for change in changes:
            after = why.row_after(change)
            assert case.says(after) == change.label
            assert all(has(side, after[name]) for name, side in change.ranges.items())
        n += 1
        with_gaps += len(row) < len(case.kinds)
    assert n > 15
    assert with_gaps > 0


@pytest.mark.parametrize("seed", range(60))
def test_the_fewest_changes_have_widest_ranges(seed):
    drawn = certain_row(1000 + seed)
    if drawn is None:
        return
    case, ensemble, row, _ = drawn
    brute = Brute(case.every, row, case.says, Restricted())
    for change in ensemble.explain(row, time_limit=LONG).changes():
        brute.check_ranges(change, has, lambda name: ensemble.space[name].ordered)


@pytest.mark.parametrize("rule", ["largest", "cuts"])
@pytest.mark.parametrize("real", [False, True])
def test_restricted_changes_where_facts_hold(rule, real):
    n = impossible = 0
    for seed in range(8000, 8025):
        own = Drawn(seed, rule, real=real)
        if not own.found.possible:
            continue
        for part in (*own.found.parts(3), own.found.possible[-1]):
            rows = own.found.completions(part)
            labels = {own.says(row) for row in rows}
            if not part or len(labels) != 1:
                continue
            random = np.random.default_rng(seed)
            every = {name: values(kind) for name, kind in own.found.kinds.items()}
            case = SimpleNamespace(kinds=own.found.kinds, every=every)
            others = [c for c in own.classes if c not in labels]
            limits = draw_limits(case, part, random, others)
            why = own.model().explain(part)
            changes = why.changes(**limits.given())
            brute = Brute(every, part, own.says, limits, own.found.is_possible)
            found = {frozenset(change.features) for change in changes}
            if real:  # there are possible rows between those of the grid
                assert all(any(own <= names for own in found) for names in brute.minimal)
            else:
                brute.check_sets(changes)
            for change in changes:
                after = why.row_after(change)
                assert own.found.is_possible(after)
                assert own.says(after) == change.label
                if len(part) == len(every):
                    brute.check_effect(change, has)
            free = Brute(every, part, own.says, limits)
            impossible += free.label is None or set(free.minimal) != set(brute.minimal)
            n += 1
    assert n > 10
    assert impossible > 0


def score():
    items = [
        {"feature": name, "above": above, "points": 1}
        for name, above in [("a", 1), ("a", 2), ("b", 0)]
    ]
    verdicts = {"no": None, "yes": 2}
    space = ol.Space({"a": float, "b": float})
    return ol.Ensemble.from_points({"items": items, "verdicts": verdicts}, space=space)


def test_a_change_of_a_row_with_gaps_is_as_wide_as_that_of_the_same_tree():
    text = "It could be yes if a were > 1."
    assert str(score().explain({"a": 0}).changes()) == text
    assert str(score().explain({"a": 0}).changes(immutable=[])) == text
    assert str(score().to_tree().explain({"a": 0}).changes()) == text


def test_every_restriction_of_a_score():
    why = score().explain({"a": 0.0, "b": -1.0})
    assert str(why.changes(immutable=["b"])) == "It would be yes if a were > 2."
    assert why.changes(only_down=["a"]) == ()
    assert why.changes(immutable=["a"]) == ()
    assert str(why.changes(ranges={"a": (0, 1.5)})) == (
        "It would be yes if a were > 1 and <= 1.5 and b were > 0."
    )
    assert str(why.changes(costs={"a": 1, "b": 1}, per_unit={"a": 2})) == (
        "It would be yes if a were > 2 (cost 5)."
    )
    assert str(why.changes(to="yes")) == "It would be yes if a were > 2."
    assert why.changes(to="yes").nearest.steps == 2
    with pytest.raises(InvalidData, match="no class 'maybe'"):
        why.changes(to="maybe")
    with pytest.raises(InvalidData, match="as it is"):
        why.changes(to="no")
    with pytest.raises(InvalidData, match="costs"):
        why.changes(costs={"a": 1})
    open_row = score().explain({"b": 1.0})
    assert open_row.changes(immutable=["b"]) == ()


@pytest.mark.parametrize("seed", range(30))
def test_numbers_fall_and_rise(seed):
    case = draw(seed, rule="number", kind="points", features=3)
    case.link = "identity"
    ensemble, random = case.ensemble(), np.random.default_rng(seed)
    row = partial_row(case, random) if seed % 2 else case.completions({})[-1]
    row = {name: v for name, v in row.items() if name in ensemble.features}
    numbers = [case.says(done) for done in case.completions(row)]

    def side(done):
        number = case.says(done)
        return "below" if number < min(numbers) else "above" if number > max(numbers) else "inside"

    limits = draw_limits(case, row, random, ["below", "above"])
    why = ensemble.explain(row, time_limit=LONG)
    found = why.changes(**limits.given())
    changes = Changes(replace(c, label=str(c.label).split()[0]) for c in found)
    brute = Brute(case.every, row, side, limits)
    brute.check(changes, has, lambda name: ensemble.space[name].ordered)


def test_without_time_nothing_is_claimed():
    why = score().explain({"a": 0.0, "b": -1.0}, time_limit=0)
    with pytest.raises(Undecided):
        why.changes(immutable=[])
