"""Explanations of ensembles where facts hold, against brute force over sets of features."""

import itertools
from fractions import Fraction

import pytest
from fact_cases import inside
from fact_sums import Drawn
from sums import as_ensemble

import orderless as ol
from orderless.errors import InvalidData


def agreeing(own, row, names):
    return [r for r in own.found.possible if all(r[n] == row[n] for n in names)]


def sufficient(own, part, names, label):
    return all(own.says(r) == label for r in agreeing(own, part, names))


def minimal_sets(own, part, label):
    """All sets of known features that are sufficient, and no part of which is."""
    known = sorted(part)
    good = [frozenset(some) for size in range(len(known) + 1)
            for some in itertools.combinations(known, size)
            if sufficient(own, part, some, label)]  # fmt: skip
    return {some for some in good if not any(other < some for other in good)}


def smallest_changes(own, part, label):
    for size in range(1, len(part) + 1):
        found = {frozenset(some) for some in itertools.combinations(sorted(part), size)
                 if not sufficient(own, part, set(part) - set(some), label)}  # fmt: skip
        if found:
            return found
    return set()


def certain_rows(seeds, rule):
    for seed in seeds:
        own = Drawn(seed, rule)
        if not own.found.possible:
            continue
        for part in own.found.parts(4):
            rows = own.found.completions(part)
            classes = {own.says(row) for row in rows}
            if part and len(classes) == 1:
                yield own, part, next(iter(classes))


@pytest.mark.parametrize("rule", ["largest", "cuts"])
def test_reasons_and_changes(rule):
    n = shorter = 0
    for own, part, label in certain_rows(range(7000, 7010), rule):
        model = own.model()
        why = model.explain(part)
        assert why.label == label
        wanted = minimal_sets(own, part, label)
        got = {frozenset(side.feature.name for side in term.sides): term for term in why.reasons()}
        assert set(got) == wanted, (own.found.seed, part)
        for term in (why.reason, *got.values()):
            rows = [row for row in own.found.possible if inside(term.sides, row)]
            assert rows
            assert all(own.says(row) == label for row in rows), (own.found.seed, part, str(term))
        assert len(why.shortest.sides) == min(map(len, wanted))
        changes = why.changes()
        assert {frozenset(c.ranges) for c in changes} == smallest_changes(own, part, label)
        for change in changes:
            row = why.row_after(change)
            assert all(holds(row) for _, holds in own.found.facts), (own.found.seed, part)
            assert own.says(row) == change.label != label
        plain = model.with_space(model.space.without_facts())
        n += 1
        shorter += (plain.explain(part).label is None
                    or len(plain.explain(part).shortest.sides) > min(map(len, wanted)))  # fmt: skip
    assert n > 5
    assert shorter > 0


def test_numbers():
    n = 0
    for own, part, number in certain_rows(range(7100, 7115), "number"):
        why = own.model().explain(part)
        assert why.label == number
        rows = [row for row in own.found.possible if inside(why.reason.sides, row)]
        assert {own.says(row) for row in rows} == {number}
        n += 1
    assert n > 5


def test_what_is_certain_by_a_rows_own_values():
    items = [{"feature": "high", "above": 5, "points": 2}, {"feature": "rash", "points": 1}]
    space = ol.Space({"low": float, "high": float, "rash": bool}, facts=["low <= high"])
    score = ol.Ensemble.from_points(
        {"items": items, "verdicts": {"low": None, "high": 2}}, space=space
    )
    row = {"low": 7.0, "rash": True}
    assert score.predict([row]).tolist() == ["high"]
    assert str(score.explain(row).reason) == "low >= 7"
    assert score.explain({}).possible == ("low", "high")
    assert "settle" not in str(score.explain({}))
    with pytest.raises(InvalidData, match="contradicts the facts"):
        score.explain({"low": 7.0, "high": 2.0})
    changes = score.explain({"high": 7.0}).changes(facts=["rash"])
    assert changes == score.with_facts(["rash"]).explain({"high": 7.0}).changes()
    assert str(changes) == "It would be low if high were <= 5."


NO, YES = {"prediction": "no"}, {"prediction": "yes"}
NEAR_1 = [0.5, 1 - 2**-53, 1.0, 1 + 2**-52, 1 + 2**-30, 1.5]  # the fourth and fifth round to 1


@pytest.mark.parametrize("numbers", [False, True], ids=["classes", "numbers"])
def test_exact_values_that_features_round_have_a_reason(numbers):
    """``a = b`` and b = 1: a is exactly 1, and 1 + 2^-30, which rounds to 1 as b, is above it."""
    features = [ol.Feature("a"), *(ol.Feature(name, values="float32") for name in "bc")]
    space = ol.Space(features, facts=["a = b"])
    x, y, z = (1.5, 2.0, 3.25) if numbers else "xyz"
    low = {"feature": "a", "relation": "<=", "reference": 0.5,
           "true": {"prediction": y}, "false": {"prediction": z}}  # fmt: skip
    inner = {"feature": "c", "relation": "<=", "reference": 0.25,
             "true": low, "false": {"prediction": x}}  # fmt: skip
    root = {"feature": "a", "relation": "<=", "reference": 1,
            "true": inner, "false": {"prediction": z}}  # fmt: skip
    tree = ol.read(root, space=space)
    tree = tree.replace(task="regression") if numbers else tree

    def says(a, c):
        return z if a > 1 else x if c > 0.25 else y if a <= 0.5 else z

    every = [{"a": a, "b": a, "c": c} for a in NEAR_1 for c in (0.0, 2.0)]
    why = as_ensemble(tree).explain({"b": 1, "c": 2})
    assert (why.label, why.reason.covers(every).any()) == (x, True)
    covered = [row for row, inside in zip(every, why.reason.covers(every), strict=True) if inside]
    assert {says(row["a"], row["c"]) for row in covered} == {x}
    assert {"a": 1.0, "b": 1.0, "c": 2.0} in covered
    apart = set()  # features of which a change alone gives a possible row another outcome
    for row in every:
        changed = {name for name, value in {"b": 1, "c": 2}.items() if row[name] != value}
        if says(row["a"], row["c"]) != x and len(changed) == 1:
            apart |= changed
    assert set(why.necessary) == apart == {"b", "c"}
    for change in why.changes():
        (name,) = change.ranges
        assert name in apart


def test_a_model_without_conditions_has_no_changes():
    """The core was asked about boxes without bins, and read beyond its memory."""
    space = ol.Space({"a": float})
    why = as_ensemble(ol.read({"prediction": "y"}, space=space)).explain({"a": 1})
    assert why.label == "y"
    assert not why.changes(immutable=[])
    assert not why.changes(only_up=["a"])


@pytest.mark.parametrize(("kinds", "fact", "row", "reasons"), [
    ({"a": int, "c": float}, "if a >= 3 then c > 0.5", {"a": 7, "c": 2.0}, {"a > 2", "c > 0.5"}),
    ({"a": ["r", "g", "b", "w"], "c": float}, "if a in {r, w} then c > 0.5", {"a": "w", "c": 2.0},
     {"a in {r, w}", "c > 0.5"}),
    ({"a": float, "b": int, "c": float}, "if a < 2 and b > 4 then c > 0.5",
     {"a": 0.25, "b": 9, "c": 2.0}, {"a < 2 AND b > 4", "c > 0.5"}),
])  # fmt: skip
def test_reasons_go_as_far_as_facts_do_where_no_tree_asks(kinds, fact, row, reasons):
    space = ol.Space(kinds, facts=[fact])
    asked = {"feature": "c", "relation": "<=", "reference": 0.5, "true": NO, "false": YES}
    tree = ol.read(asked, space=space)
    for explained in (tree.explain(row), as_ensemble(tree).explain(row)):
        assert {str(reason) for reason in explained.all_reasons} == reasons


def test_a_price_per_unit_of_a_number_that_the_row_does_not_have():
    items = [{"feature": "a", "above": 3, "points": 2}, {"feature": "b", "above": 3, "points": 2},
             {"feature": "c", "points": 2}]  # fmt: skip
    score = ol.Ensemble.from_points(
        {"items": items, "verdicts": {"low": None, "high": 2}},
        space=ol.Space({"a": int, "b": int, "c": bool}),
    )
    changes = score.explain({"a": 5, "c": False}).changes(per_unit={"a": 1, "b": 1})
    assert [(change.features, change.cost) for change in changes] == [(("a",), 2)]
    assert not changes[0].certain


def test_what_a_change_costs_is_what_a_possible_row_costs():
    space = ol.Space({"a": int, "d": int}, facts=["d <= a"])
    asked = {"feature": "a", "relation": "<=", "reference": 0, "true": NO, "false": YES}
    tree = ol.read(asked, space=space)
    row, options = {"a": 3, "d": 3}, {"costs": {"a": 2, "d": 0}, "per_unit": {"d": 0.5}}
    for model in (tree, as_ensemble(tree)):
        (change,) = model.explain(row).changes(**options)
        assert change.features == ("a", "d")
        assert change.cost == 2 + 3 * Fraction(1, 2)  # a = 0, so that d is 0, too


def nested(feature, cut, below, above):
    return {"feature": feature, "relation": "<=", "reference": cut, "true": below, "false": above}


def test_ranges_of_a_feature_that_facts_compare_and_no_tree_asks_about():
    """What a feature may become says which values of the others are possible, inside their bins."""
    space = ol.Space({"a": int, "b": int}, facts=["b = a", "0 <= a <= 6"])
    tree = ol.read(nested("a", 1, YES, nested("a", 3, YES, NO)), space=space)
    values = range(7)  # of both, which are equal
    for now in range(4, 7):
        for low in values:
            for high in range(low, 7):
                inside = [b for b in values if low <= b <= high]
                why = as_ensemble(tree).explain({"a": now, "b": now})
                changes = why.changes(ranges={"b": (low, high)}, per_unit={"a": 1, "b": 2})
                reached = [b for b in inside if b <= 3]
                assert [change.features for change in changes] == [("a", "b")] * bool(reached)
                for change in changes:
                    after = why.row_after(change)
                    assert after["a"] == after["b"]
                    assert after["b"] in reached
                    assert change.cost == min(3 * (now - b) for b in reached)


def test_the_cheapest_change_where_facts_compare_what_is_changed():
    """With ``d <= a``, a = 0 takes d down with it; to raise a costs less."""
    space = ol.Space({"a": int, "d": int}, facts=["d <= a"])
    high = nested("a", 15, nested("a", 12, NO, {"prediction": "maybe"}),
                  nested("a", 20, NO, nested("d", 5, YES, NO)))  # fmt: skip
    tree = ol.read(nested("a", 0, YES, high), space=space)
    row = {"a": 9, "d": 9}
    becomes = [(a, d) for a in range(-30, 31) for d in range(-30, a + 1)
               if a <= 0 or (a > 20 and d <= 5)]  # fmt: skip
    cheapest = min(abs(a - 9) + 10 * abs(d - 9) for a, d in becomes if a != 9 and d != 9)
    for model in (tree, as_ensemble(tree)):
        changes = model.explain(row).changes(per_unit={"a": 1, "d": 10}, to="yes")
        assert changes.cheapest.cost == cheapest == 12 + 40
        assert str(changes.cheapest) == "a were > 20 and d were <= 5"


def test_an_unknown_feature_that_facts_compare_holds_changes_back():
    """Only b above 1 gives the other class, and b <= c: 1 is not enough of c, whatever b is."""
    space = ol.Space({"a": "boolean", "b": "integer", "c": "integer"},
                     facts=["0 <= b <= 3", "0 <= c <= 3", "b <= c"])  # fmt: skip
    items = [
        {"feature": "b", ">": 1, "points": 1},
        {"when": [{"feature": "c", "<=": 2}, {"feature": "a", "is": True}], "points": 1},
    ]
    model = ol.Ensemble.from_points(
        {"items": items, "verdicts": {"mid": None, "low": 2}}, space=space
    )
    row = {"a": False, "c": 0}
    costs = {"costs": {"a": 2, "b": 3, "c": 1}, "per_unit": {"c": 1}}
    possible = [(a, b, c) for a in (0, 1) for c in range(4) for b in range(c + 1)]
    low = [(a, c) for a, b, c in possible if b > 1 and c <= 2 and a]
    (change,) = model.explain(row).changes(**costs)
    assert change.cost == min(2 + 1 + c for _, c in low) == 5
    side = change.ranges["c"]
    assert {c for c in range(4) if side.lower < c <= side.upper} == {c for _, c in low}
    assert not change.certain
    after = model.explain(row).row_after(change)
    assert (after["a"], after["c"]) in low
    assert model.predict([after]).tolist() == ["low"]
