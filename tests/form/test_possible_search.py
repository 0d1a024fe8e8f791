"""Rules, reasons, explanations and changes where facts hold: brute force over all rows."""

import itertools
import math
import pickle

import pytest
from fact_cases import case, inside

import orderless as ol
from orderless.errors import InvalidData, InvalidSpace

CASES = [
    *((seed, {}) for seed in range(100, 116)),
    *((seed, {"real": True}) for seed in range(1100, 1108)),
    *((seed, {"compare": False}) for seed in range(2100, 2106)),
]


def possible_cases():
    for seed, options in CASES:
        found = case(seed, **options)
        if found.possible:
            yield found


@pytest.mark.parametrize("exact", [True, False])
def test_rules_cover_the_possible_rows_of_a_class(exact):
    for found in possible_cases():
        form = ol.canonicalize(found.trees()[0], exact=exact)
        for label, terms in form.rules.items():
            for row in found.possible:
                covered = any(inside(term.sides, row) for term in terms)
                assert covered == (found.says(row) == label), (found.seed, row)
            for term in terms:  # none can be left out
                rest = [other for other in terms if other is not term]
                assert any(found.says(row) == label
                           and not any(inside(other.sides, row) for other in rest)
                           for row in found.possible), (found.seed, str(term))  # fmt: skip


def boxes(found, form):
    """All boxes over the bins of a form, as lists of sides."""
    bins = form.form.bins
    choices = []
    for k, feature in enumerate(bins.features):
        n = bins.widths[k]
        if feature.ordered:
            some = [sum(1 << b for b in range(i, j)) for i in range(n) for j in range(i + 1, n + 1)]
        else:
            some = range(1, 1 << n)
        choices.append([bins.side(k, bits) for bits in some])
    return itertools.product(*choices)


def test_reasons_are_all_maximal_boxes():
    n = 0
    for found in itertools.islice(possible_cases(), 25):
        form = ol.canonicalize(found.trees()[0])
        every = list(boxes(found, form))
        if len(every) > 600:
            continue
        for label, terms in form.reasons.items():
            sets = {}
            for box in every:
                rows = [row for row in found.possible if inside(box, row)]
                if rows and all(found.says(row) == label for row in rows):
                    sets[box] = None
            maximal = [b for b in sets if not any(b != c and _within(b, c) for c in sets)]
            wanted = {frozenset((s.feature.name, s) for s in b if not s.is_whole) for b in maximal}
            got = {frozenset((s.feature.name, s) for s in term.sides) for term in terms}
            assert got == wanted, (found.seed, label)
            n += len(got)
    assert n > 30


def _within(a, b):
    return all(
        q.lower <= p.lower and p.upper <= q.upper if p.feature.ordered
        else set(p.codes) <= set(q.codes)
        for p, q in zip(a, b, strict=True)
    )  # fmt: skip


def test_a_row_its_reasons_and_its_changes():
    n = 0
    for found in possible_cases():
        form = ol.canonicalize(found.trees()[0])
        for part in [*found.parts(3), found.possible[0]]:
            rows = found.completions(part)
            if not rows:
                with pytest.raises(InvalidData, match="contradicts the facts"):
                    form.tree.explain(part)
                continue
            classes = {found.says(row) for row in rows}
            why = form.tree.explain(part)
            assert set(why.possible) == classes
            if len(classes) > 1:
                assert why.label is None
                assert why.unknown
                continue
            (label,) = classes
            n += 1
            assert why.label == label
            for reason in why.reasons():
                assert all(inside(reason.sides, row) for row in rows)
                assert all(found.says(row) == label for row in found.possible
                           if inside(reason.sides, row)), (found.seed, str(reason))  # fmt: skip
            assert why.shortest in why.all_reasons
            if len(part) == len(found.kinds):
                _check_changes(found, part, why)
    assert n > 30


def _check_changes(found, part, why):
    others = [row for row in found.possible if found.says(row) != why.label]
    changes = why.changes()
    assert bool(changes) == bool(others)
    if not others:
        return
    fewest = min(sum(row[n] != part[n] for n in found.kinds) for row in others)
    for change in changes:
        assert len(change.features) == fewest, (found.seed, part, str(change))
        reached = [
            row
            for row in found.possible
            if all(row[n] == part[n] for n in found.kinds if n not in change.features)
            and inside(change.ranges.values(), row)
        ]
        assert reached, (found.seed, str(change))
        assert all(found.says(row) == change.label for row in reached), (found.seed, str(change))


def test_no_explanation_mentions_a_pregnant_man():
    space = ol.Space({"sex": ["female", "male"], "pregnant": bool},
                     facts=["if pregnant then sex = female"])  # fmt: skip
    tree = ol.read({"feature": "pregnant", "true": {
        "feature": "sex", "relation": "in", "reference": ["male"], "true": {"prediction": "odd"},
        "false": {"prediction": "yes"}}, "false": {"prediction": "no"}}, space=space)  # fmt: skip
    form = ol.canonicalize(tree)
    assert [str(t) for t in form.rules["yes"]] == ["pregnant"]
    assert form.rules["odd"] == ()
    assert str(form.tree.explain({"sex": "male"})).startswith("no, because sex = male")
    change = form.tree.explain({"sex": "male", "pregnant": False}).changes()[0]
    assert change.features == ("pregnant", "sex")


def test_values_of_the_row_that_the_tree_does_not_ask_are_reasons():
    tree = ol.read({"feature": "high", "relation": "<=", "reference": 10,
                         "true": {"prediction": "ok"}, "false": {"prediction": "ill"}},
                        space=ol.Space({"low": int, "high": int}))  # fmt: skip
    why = tree.with_facts(["low <= high"]).explain({"low": 12})
    assert str(why).splitlines()[0] == "ill, because low > 11 (whatever high is)."
    assert pickle.loads(pickle.dumps(why)).label == "ill"


def test_changes_take_facts():
    space = ol.Space({"low": int, "high": int})
    tree = ol.read({"feature": "low", "relation": "<=", "reference": 10,
                         "true": {"prediction": "ok"}, "false": {"prediction": "ill"}},
                        space=space)  # fmt: skip
    why = tree.explain({"low": 5, "high": 8})
    assert [c.features for c in why.changes()] == [("low",)]
    assert [c.features for c in why.changes(facts=["low <= high"])] == [("high", "low")]
    assert why.changes(facts=["low <= high"], immutable=["high"]) == ()
    with pytest.raises(InvalidData, match="contradicts the facts: 'low > high'"):
        why.changes(facts=["low > high"])


def test_regression_trees_and_their_intervals():
    n = 0
    for seed in range(3000, 3012):
        found = case(seed, numbers=True)
        if not found.possible:
            continue
        tree = found.trees()[0]
        form = ol.canonicalize(tree)
        for part in found.parts(3):
            numbers = [found.says(row) for row in found.completions(part)]
            if not numbers:
                continue
            lower, upper, exact = tree.predict_interval([part])
            assert (lower[0], upper[0], exact[0]) == (min(numbers), max(numbers), True)
            why = form.tree.explain(part)
            assert why.interval == (min(numbers), max(numbers))
            for reason in why.reasons():
                n += 1
                assert all(min(numbers) <= found.says(row) <= max(numbers)
                           for row in found.possible if inside(reason.sides, row))  # fmt: skip
    assert n > 10


def test_forms_with_facts_are_written_and_read():
    found = next(possible_cases())
    form = ol.canonicalize(found.trees()[0])
    again = ol.CanonicalForm.from_json(form.to_json())
    assert again == form
    assert again.rules == form.rules
    assert '"version": 3' in form.to_json()


def test_what_does_not_work_with_facts_says_so():
    tree = ol.read({"feature": "a", "relation": "<=", "reference": 1,
                         "true": {"prediction": 0}, "false": {"prediction": 1}},
                        space=ol.Space({"a": float, "b": float}, facts=["a <= b"]))  # fmt: skip
    with pytest.raises(InvalidSpace, match="does not leave them out silently"):
        tree.minimize()


def test_a_change_leaves_the_row_possible():
    """The other value of the row is one point: nothing is between it and its neighbours."""
    space = ol.Space({"first": float, "age": float}, facts=["age < first"])
    tree = {"feature": "first", "relation": "<=", "reference": 1,
            "true": {"prediction": "no"}, "false": {"prediction": "yes"}}  # fmt: skip
    form = ol.canonicalize(ol.read(tree, space=space))
    (change,) = form.tree.explain({"first": 2.5, "age": 1.0}).changes(immutable=[])
    assert change.features == ("age", "first")
    (change,) = form.tree.explain({"first": 2.5, "age": 0.5}).changes(immutable=[])
    assert change.features == ("first",)
    assert not form.tree.explain({"first": 2.5, "age": 1.0}).changes(immutable=["age"])


def asked(feature, relation, reference, yes, no):
    yes, no = ({"prediction": x} if isinstance(x, str) else x for x in (yes, no))
    return {"feature": feature, "relation": relation, "reference": reference,
            "true": yes, "false": no}  # fmt: skip


def test_reasons_begin_and_end_where_facts_do_too():
    space = ol.Space({"b": int, "c": ["r", "g"]}, facts=["if b >= 1 then c = r"])
    tree = ol.read(asked("b", "<=", 2, asked("c", "in", ["r"], "x", "y"), "z"), space=space)
    assert tree.predict({"b": 1}) == "x"
    why = tree.explain({"b": 1, "c": "r"})
    assert {str(reason) for reason in why.all_reasons} == {"b <= 2 AND c = r", "0 < b <= 2"}
    assert why.necessary == ("b",)


def test_what_is_necessary_is_what_the_row_cannot_lack():
    n = 0
    for found in possible_cases():
        tree = found.trees()[0]
        form = ol.canonicalize(tree)
        for row in found.possible[:: max(1, len(found.possible) // 6)]:
            why = form.tree.explain(row)
            lacking = {
                name for name in row
                if len({found.says(other) for other in found.completions(
                    {n: v for n, v in row.items() if n != name})}) > 1
            }  # fmt: skip
            assert set(why.necessary) == lacking, (found.seed, row)
            n += len(lacking)
    assert n > 30


def test_the_cost_of_a_change_is_that_of_a_possible_row():
    space = ol.Space({"a": int, "c": int, "d": int}, facts=["if c >= 1 then a >= 5"])
    both = asked("c", ">=", 1, asked("a", ">=", 1, "y", "n"), "n")
    form = ol.canonicalize(ol.read(asked("d", ">=", 1, "y", both), space=space))
    changes = form.tree.explain({"a": 0, "c": 0, "d": 0}).changes(per_unit={"a": 1, "c": 1, "d": 4})
    assert [(c.features, c.cost) for c in changes] == [(("d",), 4), (("a", "c"), 6)]
    assert changes.cheapest.features == ("d",)


def test_the_cost_where_facts_compare_numbers():
    """From 2 to above 10, and high may not be left behind: 8.5 + 7.5."""
    space = ol.Space({"low": float, "high": float}, facts=["low + 0.5 <= high"])
    form = ol.canonicalize(ol.read(asked("low", "<=", 10, "no", "yes"), space=space))
    (change,) = form.tree.explain({"low": 2.0, "high": 3.0}).changes(per_unit={"low": 1, "high": 1})
    assert (change.features, change.cost) == (("high", "low"), 15.5)


def test_how_many_thresholds_a_change_crosses_are_those_of_the_tree():
    space = ol.Space({"low": int, "high": int}, facts=["low <= high", "if low > 7 then high > 20"])
    tree = asked("low", "<=", 3, "yes", asked("low", "<=", 5, "maybe", "no"))
    form = ol.canonicalize(ol.read(tree, space=space))
    steps = {
        c.label: c.steps for c in form.tree.explain({"low": 6, "high": 9}).changes(immutable=[])
    }
    assert steps == {"maybe": 1, "yes": 2}


def test_a_change_that_facts_make_certain_is_certain():
    space = ol.Space({"a": int, "b": int}, facts=["b <= a"])
    tree = asked("b", "<=", 0, asked("a", "<=", 0, "no", "yes"), "yes")
    form = ol.canonicalize(ol.read(tree, space=space))
    (change,) = form.tree.explain({"a": 2}).changes()
    assert (change.features, change.label, change.certain) == (("a",), "no", True)
    assert change.ranges["a"].upper == 0


def test_each_value_of_a_change_has_the_effect_with_what_is_unknown():
    """First charged at 43, one is older than 40: only up to 40 can one be young."""
    space = ol.Space({"first": int, "age": int}, facts=["first <= age"])
    form = ol.canonicalize(ol.read(asked("age", "<=", 40, "young", "old"), space=space))
    (change,) = form.tree.explain({"first": 44}).changes()
    assert change.ranges["first"].upper == 40
    assert not change.certain


def test_a_change_may_have_its_effect_in_a_single_row():
    """No box of two numbers whose sum is 10 has the effect everywhere, with the third unknown."""
    space = ol.Space({"a": int, "b": int, "c": int}, facts=["a + b = 2*c", "0 <= c <= 20"])
    form = ol.canonicalize(ol.read(asked("c", "<=", 5, "no", "yes"), space=space))
    why = form.tree.explain({"a": 1, "b": 1})
    for change in why.changes(immutable=[]):
        for a, b in itertools.product(range(-30, 60), repeat=2):
            row = {"a": a, "b": b, "c": (a + b) // 2}
            kept = all(row[n] == 1 for n in ("a", "b") if n not in change.features)
            possible = (a + b) % 2 == 0 and 0 <= row["c"] <= 20
            if possible and kept and inside(change.ranges.values(), row):
                assert row["c"] > 5, str(change)


def test_ranges_that_may_be_changed_to_and_facts_hold_together():
    """In 0 to 3 there is no a that c allows; between 5 and 10 there is one."""
    space = ol.Space({"a": int, "c": int}, facts=["if c >= 1 then a >= 5"])
    tree = asked("c", ">=", 1, asked("a", ">=", 1, "y", "n"), "n")
    why = ol.read(tree, space=space).explain({"a": 0, "c": 0})
    assert why.changes(ranges={"a": (0, 3)}) == ()
    assert [c.features for c in why.changes(ranges={"a": (0, 10)})] == [("a", "c")]


@pytest.mark.parametrize("fact", ["a + 0.1 <= b", "b <= 3*a", "if a > 0.7 then b > 1.15"])
@pytest.mark.parametrize("a", [0.7, 1.05, 1.15, 0.38333333333333336, 1.0500000000000003])
def test_rows_that_float32_features_round_have_reasons(fact, a):
    """Facts are about the numbers in the row; reasons are true of all rows that they hold for."""
    space = ol.Space([ol.Feature("a", values="float32"), ol.Feature("b", values="float32")],
                     facts=[fact])  # fmt: skip
    tree = ol.read(asked("b", "<=", 1.15, "no", "yes"), space=space)
    why = tree.explain({"a": a})
    assert why.label == tree.predict({"a": a})
    for reason in why.reasons():
        assert reason.covers([{"a": a}]).all()
        (side,) = reason.sides
        for other in (side.lower, side.upper, a):
            if math.isfinite(other) and reason.covers([{"a": other}]).all():
                assert tree.predict({"a": other}) == why.label, (str(reason), other)
