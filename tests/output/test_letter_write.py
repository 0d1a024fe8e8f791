"""Letters of reasons: every statement in them is checked against all rows."""

import html
import itertools
import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from oracle import values_by_feature
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from strategies import partial_rows, problems, tree_of

import orderless as ol
from orderless.errors import InvalidData, InvalidParameter
from tests.questions.test_prove import said


@settings(max_examples=80, deadline=None)
@given(st.data(), problems(n_trees=1, max_features=3))
def test_every_statement_holds(data, problem):
    kinds, (spec,) = problem
    values = values_by_feature(kinds, spec)
    rows = [dict(zip(values, own, strict=True)) for own in itertools.product(*values.values())]
    row = data.draw(partial_rows(kinds, spec))
    tree = tree_of(spec, kinds)
    codes = {name: (f"code {name}", f"about {name}") for name in kinds}
    letter = ol.reason_letters(tree, row, codes, at_most=9, ways=1_000)
    known = {name: value for name, value in row.items() if value is not None}

    def possible(given):
        return {said(spec, kinds, r) for r in rows if all(r[n] == v for n, v in given.items())}

    answers = possible(known)
    assert bool(letter) == (len(answers) == 1)
    if not letter:
        assert letter.decision is None
        assert letter.why_not.startswith("the answer is not certain: ")
        assert letter.reasons == letter.changes == ()
        return
    assert {letter.decision} == answers
    form = ol.canonicalize(tree)
    # The conditions are those of a sufficient reason of the row, and no shorter one holds for it.
    conditions = {text for reason in letter.reasons for text in reason.conditions}
    fitting = [t for t in form.reasons[letter.decision] if t.covers([row])[0]]
    (term,) = [t for t in fitting if set(t.conditions) == conditions]
    assert term.n_conditions == min(t.n_conditions for t in fitting)
    inside = [r for r, own in zip(rows, term.covers(rows), strict=True) if own]
    assert {said(spec, kinds, r) for r in inside} == {letter.decision}
    # A reason is necessary iff the answer is open without the value of its feature.
    for reason in letter.reasons:
        (name,) = reason.features
        rest = {n: v for n, v in known.items() if n != name}
        assert reason.necessary == (len(possible(rest)) > 1)
        assert reason.values[0] == row[name]
    order = [(not r.necessary, -r.margin, r.features[0]) for r in letter.reasons]
    assert order == sorted(order)
    # What made no difference: the answer is the same without it, and the model may depend on it.
    only = {n: v for n, v in known.items() if n in term.features}
    assert possible(only) == {letter.decision}
    told = {*term.features, *letter.not_needed, *letter.unknown}
    for name in kinds:
        others = [n for n in kinds if n != name]
        matters = any(
            len(possible({n: r[n] for n in others})) > 1 for r in rows[:: max(1, len(rows) // 40)]
        )
        assert name in told or not matters
    # What would change it: as few features as any change needs.
    reached = [r for r in rows if said(spec, kinds, r) != letter.decision]
    away = [{n for n, v in known.items() if r[n] != v} for r in reached]
    assert (letter.n_ways > 0) == bool(reached)
    changes = form.tree.explain(row).changes()
    assert len(letter.changes) == len(changes)
    for change, text in zip(changes, letter.changes, strict=True):
        assert len(change.features) == min(map(len, away))
        assert set(change.features) in away
        assert text.endswith(f"be {change.label} if {change}.")


@pytest.fixture
def tree():
    leaf = {"true": {"prediction": "refuse"}, "false": {"prediction": "grant"}}
    west = {"feature": "ward", "relation": "in", "reference": ["west"], **leaf}
    age = {"feature": "age", "relation": "<=", "reference": 25, **leaf, "false": west}
    income = {"feature": "income", "relation": "<=", "reference": 20, **leaf, "true": age}
    income = {**income, "false": {"prediction": "grant"}}
    space = ol.Space({"age": int, "income": float, "ward": ["east", "west"], "spare": bool})
    return ol.read(income, space=space)


CODES = {"age": ("A", "Age"), "income": ("I", "Income"), "ward": ("W", "Ward")}
ROW = {"age": 23, "income": 12.0, "ward": "west", "spare": True}


def test_the_order_and_what_is_cut_off(tree):
    letter = ol.reason_letters(tree, {**ROW, "ward": "east"}, CODES)
    assert letter.codes == ("A", "I")
    row = {"age": 40, "income": 12.0, "ward": "west", "spare": False}
    assert ol.reason_letters(tree, row, CODES).codes == ("I", "W")
    both = ol.reason_letters(tree, ROW, CODES)  # age or ward: neither is necessary
    assert [(r.code, r.necessary) for r in both.reasons] == [("I", True), ("W", False)]
    assert both.not_needed == ("age",)  # of two that are as short, the one that says less of it
    first = ol.reason_letters(tree, ROW, CODES, at_most=1)
    assert (first.codes, first.n_more) == (("I",), 1)
    assert [reason.code for reason in first.left_out] == ["W"]
    for text in (str(first), html.unescape(first.to_html())):
        assert "need not be enough without the others" in text
        assert "[W] Ward" in text
    assert first.to_dict()["left_out"][0]["conditions"] == ["ward = west"]
    none = ol.reason_letters(tree, ROW, CODES, ways=0)
    assert none.changes == ()
    assert none.n_ways == 1


def test_features_with_one_code_are_one_reason(tree):
    codes = {**CODES, "age": ("I", "Income")}
    letter = ol.reason_letters(tree, {**ROW, "ward": "east"}, codes)
    assert letter.codes == ("I",)
    assert letter.reasons[0].features == ("age", "income")
    assert letter.reasons[0].values == (23, 12)


def test_rows_without_a_letter(tree):
    assert ol.reason_letters(tree, {**ROW, "income": 30}, CODES, adverse="refuse").why_not == (
        "the decision, grant, is not adverse."
    )
    gaps = ol.reason_letters(tree, {**ROW, "income": None}, CODES)
    assert gaps.unknown == ("income",)
    assert str(gaps) == (
        "No letter: the answer is not certain: grant or refuse are possible, because income is "
        "unknown."
    )
    assert ol.reason_letters(tree, {**ROW, "age": None}, CODES)  # certain all the same
    assert json.loads(gaps.to_json())["why_not"]
    assert "No letter" in gaps.to_html()


def test_what_cannot_be_changed(tree):
    row = {**ROW, "ward": "east"}
    letter = ol.reason_letters(tree, row, CODES, immutable=["age"])
    assert letter.changes == ("It would be grant if income were > 20.",)
    fixed = ol.reason_letters(tree, row, CODES, immutable=["age", "income", "ward"])
    assert "No change of the values that may change gives another decision." in str(fixed)


def test_many_rows(tree):
    X = pd.DataFrame([ROW, {**ROW, "income": 30.0}, {**ROW, "income": None}])
    letters = list(ol.reason_letters(tree, X, CODES, adverse=["refuse"], names=["a", "b", "c"]))
    assert [bool(letter) for letter in letters] == [True, False, False]
    assert str(letters[0]).startswith("For: a\nDecision: refuse\n")
    with pytest.raises(InvalidData, match="there are 3 rows and 1 names"):
        list(ol.reason_letters(tree, X, CODES, names=["a"]))


def test_names_are_escaped():
    name = '<img src=x onerror="1"> & "q"'
    node = {"feature": name, "relation": "<=", "reference": 1, "true": {"prediction": "<b>"},
            "false": {"prediction": "x"}}  # fmt: skip
    tree = ol.read(node, space=ol.Space({name: float}))
    letter = ol.reason_letters(tree, {name: 0}, {name: ("<i>", "<u>")}, names="<s>")
    page = letter.to_html()
    for text in ("<b>", "<i>", "<u>", "<s>", "<img"):
        assert text not in page
        assert html.escape(text) in page
    assert letter._repr_html_() in page


def test_models_of_all_kinds(tree):
    X = [[a, i] for a in range(20, 60, 3) for i in range(5, 60, 5)]
    y = [int(a > 30 and i > 20) for a, i in X]
    codes = {"x0": ("A", "age"), "x1": ("I", "income")}
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    for one in (model, ol.read(model), ol.canonicalize(model)):
        assert ol.reason_letters(one, {"x0": 22, "x1": 10}, codes).decision == 0
    forest = RandomForestClassifier(5, max_depth=2, random_state=0).fit(X, y)
    letter = ol.reason_letters(forest, {"x0": 22, "x1": 10}, codes)
    assert letter.decision == forest.predict([[22, 10]])[0]
    for reason in letter.reasons:
        for feature in reason.features:  # what a reason names is enough, whatever else
            assert feature in ("x0", "x1")
    fixed = {int(reason.features[0][1]) for reason in letter.reasons}
    for other in X:
        row = [[22, 10][k] if k in fixed else other[k] for k in range(2)]
        assert forest.predict([row])[0] == letter.decision
    numbers = ol.read(DecisionTreeRegressor(max_depth=2, random_state=0).fit(X, y))
    with pytest.raises(InvalidData, match=r"says numbers: .* discretize"):
        ol.reason_letters(numbers, {"x0": 22, "x1": 10}, codes)
    cut = numbers.discretize([0.5], ["no", "yes"])
    assert ol.reason_letters(cut, {"x0": 22, "x1": 10}, codes).decision == "no"


def test_a_model_that_always_says_the_same():
    tree = ol.read({"prediction": "no"}, space=ol.Space({"x": float}))
    letter = ol.reason_letters(tree, {"x": 1}, {"x": ("X", "x")})
    assert "gives this answer to every row" in str(letter)
    assert letter.reasons == ()


def test_mistakes(tree):
    for options, message in (
        ({"adverse": "reject"}, "adverse names 'reject', which is not a class"),
        ({"adverse": []}, "adverse is empty"),
    ):
        with pytest.raises(InvalidData, match=message):
            ol.reason_letters(tree, ROW, CODES, **options)
    for options in ({"at_most": 0}, {"ways": -1}, {"at_most": True}):
        with pytest.raises(InvalidParameter, match="give a whole number"):
            ol.reason_letters(tree, ROW, CODES, **options)


def many(n):
    """A tree that refuses who is above 0 in all of n features, and codes for them."""
    tree = {"prediction": "refuse"}
    for k in reversed(range(n)):
        tree = {"feature": f"f{k}", "relation": "<=", "reference": 0,
                "true": {"prediction": "grant"}, "false": tree}  # fmt: skip
    space = ol.Space({f"f{k}": int for k in range(n)})
    return ol.read(tree, space=space), {f"f{k}": (f"R{k}", f"Feature {k}") for k in range(n)}


def test_what_is_left_out_is_named_and_what_is_shown_is_not_called_enough():
    """Of ten reasons four are shown: of the rows that meet these four, most get the other class."""
    tree, codes = many(10)
    row = {f"f{k}": 3 for k in range(10)}
    letter = ol.reason_letters(tree, row, codes)
    assert (len(letter.reasons), letter.n_more) == (4, 6)
    shown = {name for reason in letter.reasons for name in reason.features}
    rest = [name for name in tree.space.names if name not in shown]
    rows = [
        dict.fromkeys(shown, 3) | dict(zip(rest, own, strict=True))
        for own in itertools.product((0, 3), repeat=6)
    ]
    assert (tree.predict(rows) == "grant").sum() == 63
    text = str(letter)
    claim = next(line for line in text.splitlines() if "enough together" in line)
    assert claim.startswith("10 reasons")
    assert "4 that are shown need not be enough" in claim
    for name in rest:
        assert f"[{codes[name][0]}] {codes[name][1]}" in text
    everything = ol.reason_letters(tree, row, codes, at_most=10)
    assert "These reasons are enough together" in str(everything)
    assert everything.left_out == ()


def ladder(names):
    """A tree that refuses who is above 0 in all features; with the switch it asks at 1, 2 and 3."""
    refuse, ask = {"prediction": "refuse"}, {"prediction": "high"}
    for name in reversed(names):
        refuse = {"feature": name, "relation": "<=", "reference": 0,
                  "true": {"prediction": "grant"}, "false": refuse}  # fmt: skip
    for name, cut in itertools.product(names, (3, 2, 1)):
        ask = {"feature": name, "relation": "<=", "reference": cut,
               "true": {"prediction": f"{name} {cut}"}, "false": ask}  # fmt: skip
    space = ol.Space({**dict.fromkeys(names, int), "switch": bool})
    return ol.read({"feature": "switch", "true": ask, "false": refuse}, space=space)


@settings(max_examples=30, deadline=None)
@given(st.permutations([1, 2, 3, 9]), st.integers(1, 5))
def test_the_reason_that_is_furthest_from_its_boundary_comes_first(values, at_most):
    names = ["a", "b", "c", "d"]
    row = {**dict(zip(names, values, strict=True)), "switch": False}
    codes = {name: (name, name) for name in row}
    letter = ol.reason_letters(ladder(names), row, codes, at_most=at_most)
    every = [*letter.reasons, *letter.left_out]
    assert all(reason.necessary for reason in every)
    # By hand: to be no longer above 0, a value crosses those of 0, 1, 2 and 3 that are below it.
    crossed = {name: sum(cut < row[name] for cut in (0, 1, 2, 3)) for name in names}
    margins = {reason.features[0]: reason.margin for reason in every}
    assert margins == {**crossed, "switch": 1}
    order = sorted(margins, key=lambda name: (-margins[name], name))
    assert [reason.features[0] for reason in every] == order
    assert len(letter.reasons) == at_most


def meets(text, x, kind):
    """Whether a number meets the condition that ends a sentence, read as the model reads it."""
    sign, number = re.search(r"(<=|>=|<|>) (\S+?)[.]?$", text).groups()
    end = kind(number)
    return bool({"<=": x <= end, ">=": x >= end, "<": x < end, ">": x > end}[sign])


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from([665.0, 0.1, 868.2, -12.5, 1e-7, 123456.7, 1e9 / 3]),
    st.integers(-3, 3),
    st.sampled_from([np.float64, np.float32]),
    st.integers(1, 4),
    st.booleans(),
)
def test_numbers_are_short_and_what_is_said_remains_true(near, ulps, kind, away, up):
    """Floats around the threshold, and far from it: what meets a sentence gets its answer."""

    def step(number, n):
        number = kind(number)
        for _ in range(abs(n)):
            number = np.nextafter(number, kind(np.inf if n > 0 else -np.inf))
        return float(number)

    cut = step(near, ulps)
    node = {"feature": "x", "relation": "<=", "reference": cut,
            "true": {"prediction": "low"}, "false": {"prediction": "high"}}  # fmt: skip
    space = ol.Space([ol.Feature("x", values=np.dtype(kind).name)])
    tree = ol.read(node, space=space)
    far = step(cut + (1 if up else -1) * max(1.0, abs(cut)), 0)
    other = step(2 * cut - far, 0)
    tried = [*(step(cut, n) for n in range(-12, 13)), far, other]
    for value in (step(cut, away if up else 1 - away), far):
        letter = ol.reason_letters(tree, {"x": value}, {"x": ("X", "x")})
        (said,), (change,) = letter.reasons[0].conditions, letter.changes
        assert meets(said, kind(value), kind)
        for text, label in ((said, letter.decision), (change, "low" if up else "high")):
            inside = [x for x in tried if meets(text, kind(x), kind)]
            assert set(tree.predict([{"x": x} for x in inside])) == {label}
        for text in (change, said) if value == far else (change,):
            number = re.search(r"(\S+?)[.]?$", text).group(1).partition("e")[0]
            whole = number.lstrip("-0").partition(".")[0]
            assert len(number.lstrip("-0.").replace(".", "")) <= max(6, len(whole))
