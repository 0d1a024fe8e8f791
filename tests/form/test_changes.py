"""Changes that a person can make, against every subset of features and every new value."""

import itertools
import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from oracle import as_float32, possible_classes, values_by_feature
from strategies import LABELS, kinds, problems, specs, tree_of

import orderless as ol
from orderless.errors import InvalidData, InvalidSpace
from orderless.questions import Changes
from tests.questions.test_prove import all_rows, regions, said


@st.composite
def restricted(draw):
    """A tree, a complete row, what may be changed, and the same for the oracle."""
    which = draw(
        st.one_of(kinds(max_features=3), st.just({"color": ("a", "b", "c"), "x": "float64"}))
    )
    labels = draw(LABELS)
    spec, kind_of = draw(specs(which, labels)), which
    return _limited(draw, kind_of, spec)


def _limited(draw, kinds, spec):
    values = values_by_feature(kinds, spec)
    row = {name: draw(st.sampled_from(own)) for name, own in values.items()}
    limits = {"immutable": [], "only_up": [], "only_down": []}
    for name, kind in kinds.items():
        ways = ["free", "free", "immutable"]
        ways += [] if isinstance(kind, tuple) else ["only_up", "only_down"]
        way = draw(st.sampled_from(ways))
        if way != "free":
            limits[way].append(name)
    region, tests = draw(regions(kinds))
    return kinds, spec, row, limits, region, tests


def allowed_values(kinds, row, limits, tests, rows):
    out = {}
    for name in kinds:
        own = list(dict.fromkeys(r[name] for r in rows))
        read = as_float32 if kinds[name] == "float32" else (lambda x: x)
        if name in limits["immutable"]:
            own = []
        if name in limits["only_up"]:
            own = [v for v in own if read(v) >= read(row[name])]
        if name in limits["only_down"]:
            own = [v for v in own if read(v) <= read(row[name])]
        if name in tests:
            own = [v for v in own if tests[name](v)]
        out[name] = own
    return out


def inside(side, value, kind):
    if side.feature.ordered:
        number = as_float32(value) if kind == "float32" else float(value)
        return bool(side.has(np.array([number]))[0])
    return value in side.labels


@settings(max_examples=250, deadline=None)
@given(restricted(), st.booleans())
def test_all_minimal_sets(case, aimed):
    kinds, spec, row, limits, region, tests = case
    rows = all_rows(kinds, [spec])
    if not rows:
        return
    tree = tree_of(spec, kinds)
    why = tree.explain(row)
    others = [label for label in tree.classes if label != why.label]
    wanted = {"to": others[0]} if aimed and others else {}
    found = why.changes(**limits, ranges=region, **wanted)
    new = allowed_values(kinds, row, limits, tests, rows)
    targets = {others[0]} if wanted else set(others)
    good = {}  # by set of features, the combinations of new values and their classes
    for size in range(1, len(kinds) + 1):
        for chosen in itertools.combinations(sorted(kinds), size):
            if any(set(less) < set(chosen) for less in good):
                continue
            hits = {}
            for values in itertools.product(*(new[name] for name in chosen)):
                label = said(spec, kinds, {**row, **dict(zip(chosen, values, strict=True))})
                if label in targets:
                    hits[values] = label
            if hits:
                good[chosen] = hits
    assert {change.features for change in found} == set(good)
    for chosen, hits in good.items():
        own = [change for change in found if change.features == chosen]
        check_ranges(kinds, chosen, hits, own, new)


def check_ranges(kinds, chosen, hits, own, new):
    def has(change, values):
        return all(
            inside(change.ranges[name], value, kinds[name])
            for name, value in zip(chosen, values, strict=True)
        )

    for values in itertools.product(*(new[name] for name in chosen)):
        for change in own:
            if has(change, values):  # whatever is chosen inside has the effect
                assert hits.get(values) == change.label
        if values in hits:  # nothing is left out
            assert any(has(change, values) and change.label == hits[values] for change in own)
    for change in own:  # and no range can be wider
        for name in chosen:
            there = [v for v in new[name] if inside(change.ranges[name], v, kinds[name])]
            outside = [v for v in new[name] if v not in there]
            if not isinstance(kinds[name], tuple):
                outside = [max((v for v in outside if v < min(there)), default=None),
                           min((v for v in outside if v > max(there)), default=None)]  # fmt: skip
            for value in outside:
                if value is None:
                    continue
                wide = [
                    [value] if other == name
                    else [v for v in new[other] if inside(change.ranges[other], v, kinds[other])]
                    for other in chosen
                ]  # fmt: skip
                assert any(hits.get(v) != change.label for v in itertools.product(*wide))


@settings(max_examples=100, deadline=None)
@given(restricted(), st.data())
def test_costs_are_exact_and_in_order(case, data):
    kinds, spec, row, limits, region, _ = case
    prices = st.sampled_from([0, 1, 2, 0.1, 0.2, 0.3, Fraction(1, 3)])
    costs = {name: data.draw(prices) for name in kinds}
    whole = [n for n, kind in kinds.items() if kind == "integer"]
    per_unit = {name: data.draw(prices) for name in whole}
    why = tree_of(spec, kinds).explain(row)
    found = why.changes(**limits, ranges=region, costs=costs, per_unit=per_unit)
    exact = {n: c if isinstance(c, Fraction) else Fraction(str(c)) for n, c in costs.items()}
    for change in found:
        total = sum(exact[name] for name in change.features)
        for name in set(change.features) & set(whole):
            side, here = change.ranges[name], int(row[name])
            away = 0
            if here <= side.lower:
                away = int(side.lower) + 1 - here
            elif here > side.upper:
                away = here - int(side.upper)
            price = per_unit[name]
            total += away * (price if isinstance(price, Fraction) else Fraction(str(price)))
        assert change.cost == total
    assert [c.cost for c in found] == sorted(c.cost for c in found)
    if found:
        assert found.cheapest.cost == min(c.cost for c in found)
        assert found.nearest.steps == min(c.steps for c in found) >= 1
    else:
        assert found.cheapest is None is found.nearest


@settings(max_examples=60, deadline=None)
@given(problems(max_features=3), st.data())
def test_with_unknowns_other_classes_become_possible(problem, data):
    """Every change makes its class possible; it is certain exactly where it says so."""
    kinds, (spec,) = problem
    values = values_by_feature(kinds, spec)
    row = {n: data.draw(st.one_of(st.none(), st.sampled_from(own))) for n, own in values.items()}
    why = tree_of(spec, kinds).explain(row)
    found = why.changes(immutable=[])
    if why.label is None:
        assert found == ()
        return
    assert set(why.changes()) <= {*found} or why.changes()[0].features in {
        c.features for c in found
    }
    for change in found:
        new = [
            [v for v in values[name] if inside(change.ranges[name], v, kinds[name])]
            for name in change.features
        ]
        possible = set()
        for chosen in itertools.product(*new):
            put = {**row, **dict(zip(change.features, chosen, strict=True))}
            here = possible_classes(kinds, put, spec)
            assert change.label in here
            possible |= here
        assert change.certain == (possible == {change.label})


CREDIT = {
    "feature": "income", "relation": "<=", "reference": 20,
    "true": {"feature": "age", "relation": "<=", "reference": 25,
             "true": {"prediction": "refuse"},
             "false": {"feature": "married", "true": {"prediction": "grant"},
                       "false": {"prediction": "refuse"}}},
    "false": {"feature": "debts", "relation": "<=", "reference": 3.5,
              "true": {"prediction": "grant"}, "false": {"prediction": "refuse"}},
}  # fmt: skip
SPACE = ol.Space({"age": int, "income": float, "debts": float, "married": bool})
ROW = {"age": 23, "income": 12.5, "debts": 5.0, "married": False}


def why():
    return ol.read(CREDIT, space=SPACE).explain(ROW)


def test_a_worked_example():
    every = why().changes(immutable=[])
    assert {c.features for c in every} == {("age", "married"), ("debts", "income")}
    assert [c.features for c in why().changes(immutable=["age"])] == [("debts", "income")]
    only = why().changes(immutable=["debts"], only_up=["age"])
    assert str(only) == "It would be grant if age were > 25 and married were true."
    none = why().changes(immutable=["debts"], only_down=["age"])
    assert none == ()
    assert not none
    assert str(none) == "No change that is allowed gives another answer; this is proven."
    ranged = why().changes(ranges={"income": (10, 30), "age": (None, 20)})
    assert str(ranged[0]) == "debts were <= 3.5 and income were > 20 and <= 30"
    price = {"age": 10, "income": 0.1, "debts": 0.2, "married": 3}
    priced = why().changes(costs=price)
    assert [c.cost for c in priced] == [Fraction(3, 10), Fraction(13)]
    assert priced.cheapest.to_dict() == {
        "label": "grant", "certain": True, "cost": "0.3",
        "ranges": {"debts": "debts <= 3.5", "income": "income > 20"},
    }  # fmt: skip
    assert "(cost 0.3)" in str(priced)
    json.dumps(priced.to_dict())
    far = why().changes(per_unit={"income": 1, "debts": 2})
    assert [c.cost for c in far] == [Fraction(0), Fraction(21, 2)]  # 7.5 up, and 1.5 down at 2 each
    assert far.nearest.steps == 2
    assert isinstance(why().changes(), Changes)
    with pytest.raises(InvalidData, match="needs costs"):
        _ = why().changes(immutable=[]).cheapest


def test_without_restrictions_it_is_as_before():
    plain = why().changes()
    assert isinstance(plain, tuple)
    assert all(c.cost is None is c.steps for c in plain)
    assert {len(c.features) for c in plain} == {2}


def test_steps_count_thresholds():
    node = {"prediction": 9}
    for cut in (50, 40, 30, 20, 10):
        node = {"feature": "x", "relation": "<=", "reference": cut,
                "true": {"prediction": cut}, "false": node}  # fmt: skip
    form = ol.canonicalize(ol.read(node, space=ol.Space({"x": float})))
    found = form.tree.explain({"x": 25.0}).changes(immutable=[])
    assert {c.label: c.steps for c in found} == {10: 2, 20: 1, 40: 1, 50: 2, 9: 3}
    assert found.nearest.label in (20, 40)


def test_missing_is_a_value_without_up_or_down():
    space = ol.Space([ol.Feature("lab", nan=True)])
    node = {"feature": "lab", "relation": "<=", "reference": 3, "true": {"prediction": 0},
            "false": {"prediction": 1}}  # fmt: skip
    tree = ol.read(node, space=space).replace(nan_true=[1, 0, 0])
    form = ol.canonicalize(tree)
    assert form.tree.explain({"lab": math.nan}).changes(only_up=["lab"]) == ()
    assert str(form.tree.explain({"lab": math.nan}).changes(immutable=[])[0]) == "lab were > 3"
    back = form.tree.explain({"lab": 5.0}).changes(only_down=["lab"])
    assert str(back[0]) == "lab were <= 3"  # to become missing is not down
    free = form.tree.explain({"lab": 5.0}).changes(immutable=[])
    assert str(free[0]) == "lab were <= 3 or missing"
    gone = form.tree.explain({"lab": 5.0}).changes(ranges={"lab": math.nan})
    assert str(gone[0]) == "lab were missing"


def test_regression_goes_below_or_above():
    node = {"task": "regression", "feature": "age", "relation": "<=", "reference": 60,
            "true": {"feature": "age", "relation": "<=", "reference": 30,
                     "true": {"prediction": 1.0}, "false": {"prediction": 2.5}},
            "false": {"prediction": 7.5}}  # fmt: skip
    form = ol.canonicalize(ol.read(node, space=ol.Space({"age": int})))
    row = form.tree.explain({"age": 40})
    assert str(row.changes(to="above")) == "It would be above 2.5 if age were > 60."
    assert row.changes(to="above", only_down=["age"]) == ()
    assert str(row.changes(only_down=["age"])) == "It would be below 2.5 if age were <= 30."


@pytest.mark.parametrize(
    ("limits", "error", "match"),
    [
        ({"immutable": "age"}, InvalidData, "must be a list of features"),
        ({"immutable": ["Age"]}, InvalidSpace, "no feature 'Age'"),
        ({"only_up": ["age"], "only_down": ["age"]}, InvalidData, "restricted twice"),
        ({"only_up": ["age"], "immutable": ["age"]}, InvalidData, "restricted twice"),
        ({"ranges": {"age": (3, 1)}}, InvalidData, "ranges, feature 'age'"),
        ({"costs": {"age": 1}}, InvalidData, "there is no cost for"),
        ({"costs": {"age": -1}}, InvalidData, "less than 0"),
        ({"per_unit": {"rage": 1}}, InvalidSpace, "no feature 'rage'"),
        ({"to": "grand"}, InvalidData, "did you mean 'grant'"),
        ({"to": "refuse"}, InvalidData, "as it is"),
    ],
)
def test_mistakes(limits, error, match):
    with pytest.raises(error, match=match):
        why().changes(**limits)


def test_mistakes_about_categories():
    space = ol.Space({"color": ["red", "blue"]})
    tree = {"feature": "color", "relation": "in", "reference": ["red"],
            "true": {"prediction": 1}, "false": {"prediction": 0}}  # fmt: skip
    red = ol.read(tree, space=space).explain({"color": "red"})
    with pytest.raises(InvalidData, match="is categorical"):
        red.changes(only_up=["color"])
    with pytest.raises(InvalidData, match="is categorical"):
        red.changes(per_unit={"color": 1})
    assert red.changes(ranges={"color": {"red"}}) == ()


def test_a_cost_per_unit_needs_the_number():
    space = ol.Space({"age": "integer"}, columns={"young": ol.Condition("age", at_most=25)})
    tree = ol.read({"feature": "young", "true": {"prediction": 0},
                         "false": {"prediction": 1}}, space=space)  # fmt: skip
    row = tree.explain({"young": 1})
    with pytest.raises(InvalidData, match="which the row does not have"):
        row.changes(per_unit={"age": 1})
