import itertools
import math
import re

import numpy as np
import oracle
import pandas as pd
import pytest
import showcase
from hypothesis import assume, given, settings
from strategies import problems, tree_of

import orderless as ol
from orderless.errors import InvalidData
from orderless.model.escapes import printable
from orderless.model.words import label_text, pieces
from orderless.output.rules.listing import Block, Line, Listing, list_terms
from orderless.output.rules.text import width_of
from tests.form.test_canonical_limits import many_reasons


@pytest.mark.parametrize("name", showcase.FORMS)
def test_golden_rules(name):
    form = showcase.FORMS[name]()
    showcase.check_golden(f"{name}.txt", str(form))
    assert str(form) == form.to_text()


def test_golden_with_data_and_reasons():
    form, rows = showcase.mixed(), showcase.mixed_rows()
    showcase.check_golden("mixed_data.txt", form.to_text(*rows))
    showcase.check_golden("mixed_reasons.txt", form.to_text(rows[0], terms="reasons"))
    form, X, y = showcase.iris()
    showcase.check_golden("iris_data.txt", form.to_text(X, y))


def test_the_issues_own_example():
    young = showcase.ask("age", "<=", 25, showcase.leaf(1), showcase.leaf(0))
    tree = showcase.ask("priors", "<=", 3, showcase.leaf(0), young)
    space = ol.Space({"age": "integer", "priors": "integer"})
    form = ol.canonicalize(ol.read(tree, space=space))
    assert "IF age <= 25 AND priors > 3  THEN 1" in str(form).splitlines()
    assert str(form).splitlines()[0] == "3 rules, proven minimal: 2 for 0, 1 for 1."


# -- the printed numbers decide as the tree does -----------------------------------------------


def rules_in(text):
    """Read the lines back: (conditions, label) of every rule, wrapped or not."""
    found = []
    for line in text.splitlines():
        if line.startswith("IF "):
            found.append(line[3:])
        elif line.startswith("   ") and found:
            found[-1] += " " + line.strip() if not line.startswith("       ") else line[6:]
        elif line.startswith("always "):
            found.append(f"  THEN {line[7:]}")
    return [re.fullmatch(r"(.*?) *  THEN (.*)", rule).groups() for rule in found]


def holds(condition, kinds, row):
    """Evaluate one printed condition, its numbers read as values of the feature."""
    number = r"(-?[\d.]+(?:e[+-]?\d+)?)"
    for name, kind in kinds.items():
        value, quoted = row[name], re.escape(name)
        if kind == "boolean":
            if condition in (name, f"not {name}"):
                return value == (condition == name)
            continue
        if isinstance(kind, tuple):
            words = {label_text(label): label for label in kind}
            match = re.fullmatch(rf"{quoted} (=|!=|in|not in) (.+)", condition)
            if match:
                sign, said = match.groups()
                names = said[1:-1].split(", ") if "in" in sign else [said]
                return (value in [words[n] for n in names]) == (sign in ("=", "in"))
            continue
        read = oracle.as_float32 if kind == "float32" else float
        match = re.fullmatch(rf"(?:{number} < )?{quoted}(?: (<=|>) {number})", condition)
        if match:
            low, sign, cut = match.groups()
            inside = low is None or read(value) > read(float(low))
            above = read(value) > read(float(cut))
            return inside and above == (sign == ">")
    raise AssertionError(f"cannot read {condition!r}")


@given(problems(max_features=4))
@settings(max_examples=120)
def test_printed_conditions_decide_every_cell_as_the_tree_does(problem):
    kinds, (spec,) = problem
    form = ol.canonicalize(tree_of(spec, kinds))
    rows = list(itertools.islice(oracle.cells(kinds, spec), 150))
    for which in ("rules", "reasons"):
        terms = [(label, t) for label, own in getattr(form, which).items() for t in own]
        assume(len(terms) < 100)
        printed = rules_in(form.to_text(terms=which))
        assert [label for _, label in printed] == [str(label) for label, _ in terms]
        for (said, _), (_, term) in zip(printed, terms, strict=True):
            conditions = said.split(" AND ") if said else []
            ours = [all(holds(c, kinds, row) for c in conditions) for row in rows]
            assert ours == term.covers(rows).tolist()


@given(problems(max_features=4))
@settings(max_examples=100)
def test_pieces_read_as_terms_do(problem):
    kinds, (spec,) = problem
    assume(("", " ", "é") not in kinds.values())
    for terms in ol.canonicalize(tree_of(spec, kinds)).rules.values():
        for term in terms:
            written = tuple("".join(text for _, text in pieces(side)) for side in term.sides)
            assert written == term.conditions


def test_pieces_where_nan_is_a_value():
    age = ol.Feature("age", nan=True)
    color = ol.Feature("c", "categorical", categories=("r", "g", "b", "y"), other=True, nan=True)
    space = ol.Space([age, color])
    leaves = showcase.leaf(1), showcase.leaf(0)
    for tree, words in [
        (showcase.ask("age", "<=", 3, *leaves), "age > 3 or missing"),
        (showcase.ask("c", "in", ["r", "g"], *leaves), "c not in {r, g}"),
    ]:
        form = ol.canonicalize(ol.read(tree, space=space))
        assert f"IF {words} " in str(form)
        for term in (*form.rules[0], *form.rules[1]):
            assert "".join(t for s in term.sides for _, t in pieces(s)) == str(term)
    known = ol.Tree(
        ol.Space([age]), [0, 1], feature=[0, -1, -1], threshold=[math.inf, 0, 0],
        when_true=[1, -1, -1], when_false=[2, -1, -1], leaf_class=[-1, 0, 1],
    )  # fmt: skip
    text = str(ol.canonicalize(known))
    assert "IF age is known    THEN 0" in text
    assert "IF age is missing  THEN 1" in text


# -- layout ------------------------------------------------------------------------------------


def long_form(n_categories=40):
    names = [f"quite a long name of a measurement, the number {i}" for i in range(6)]
    place = [f"place number {i}" for i in range(n_categories)]
    tree = showcase.ask("place", "in", place[::2], showcase.leaf("positive"),
                        showcase.leaf("negative"))  # fmt: skip
    for name in names:
        tree = showcase.ask(name, "<=", 0.123456, tree, showcase.leaf("negative"))
    kinds = {**dict.fromkeys(names, "numeric"), "place": place}
    return ol.canonicalize(ol.read(tree, space=ol.Space(kinds)))


def test_long_rules_wrap_within_the_page():
    form = long_form()
    for text in (str(form), form.to_text([{}, {}], ["positive", "negative"])):
        lines = text.splitlines()
        assert max(map(len, lines)) <= 100
        at = {line.index("  THEN ") for line in lines if "THEN" in line}
        assert len(at) == 1
        assert any(line.startswith("   AND ") for line in lines)
        flat = " ".join(line.strip() for line in lines)
        rule = str(form.rules["positive"][0])
        assert all(condition in flat for condition in rule.split(" AND "))


def test_wide_letters_are_counted_as_they_show():
    assert width_of("größe") == 5
    assert width_of("中文") == 4
    assert width_of("e\u0301") == 1


def test_names_cannot_break_lines():
    form = showcase.hostile()
    for line in str(form).splitlines():
        assert line.isprintable()
    assert printable("a\tb") == "a\\tb"
    assert label_text(" a") == "' a'"


def test_reasons_are_all_there():
    form = ol.canonicalize(many_reasons(9))
    text = form.to_text(terms="reasons")
    n = sum(len(terms) for terms in form.reasons.values())
    assert sum(line.startswith("IF ") for line in text.splitlines()) == n > 500
    assert text.splitlines()[0] == f"{n} reasons, all there are: 9 for 0, 512 for 1."


# -- counts ------------------------------------------------------------------------------------


def test_counts_are_those_of_the_terms():
    form, (rows, y) = showcase.mixed(), showcase.mixed_rows()
    text = form.to_text(rows, y, terms="reasons", sort="length")
    counted = [line.split("  ")[-3:] for line in text.splitlines() if "THEN" in line]
    at = iter(re.findall(r"THEN \w+ +(\d+) +(\d+) *(\S*)$", text, re.M))
    for label, terms in form.reasons.items():
        for term in sorted(terms, key=lambda term: term.n_conditions):
            inside = term.covers(rows)
            right = int((inside & (np.array(y) == label)).sum())
            n, hit, share = next(at)
            assert (int(n), int(hit)) == (inside.sum(), right)
            assert share == (f"{round(100 * right / inside.sum())}%" if inside.sum() else "")
    assert len(counted) == 14
    frame = pd.DataFrame(rows)
    assert form.to_text(frame, pd.Series(y)) == form.to_text(rows, y)
    assert form.to_text(frame, pd.Series(y, dtype="string")) == form.to_text(rows, y)


def numbers_of(text):
    return [int(n) for n in re.findall(r"THEN \w+ +(\d+)", text)]


def test_rules_that_cover_most_rows_come_first():
    form, (rows, y) = showcase.mixed(), showcase.mixed_rows()
    text = form.to_text(rows, y, terms="reasons")
    assert form.to_text(rows, y, terms="reasons", sort="coverage") == text
    blocks = [numbers_of(block) for block in text.split("\n\n")[1:]]
    assert sum(map(len, blocks)) == 14
    assert all(block == sorted(block, reverse=True) for block in blocks)
    assert max(map(len, blocks)) > 2
    for block in list_terms(form, rows, terms="reasons", sort="length").blocks:
        lengths = [line.term.n_conditions for line in block.lines]
        assert lengths == sorted(lengths)


def test_what_is_not_shown_is_counted():
    form, (rows, y) = showcase.mixed(), showcase.mixed_rows()
    whole = numbers_of(form.to_text(rows, y, terms="reasons"))
    for shown, n in (({"top": 1}, 3), ({"min_rows": 9}, sum(n >= 9 for n in whole))):
        assert 0 < n < 14
        text = form.to_text(rows, y, terms="reasons", **shown)
        assert len(numbers_of(text)) == n
        assert text.startswith("14 reasons, all there are")
        assert f"Not shown: {14 - n} reasons." in text
        for write in (form.to_html, form.to_markdown, form.to_latex):
            assert f"Not shown: {14 - n} reasons." in write(rows, y, terms="reasons", **shown)
    assert "Not shown" not in form.to_text(rows, y, terms="reasons", top=100)


def test_classes_that_no_row_gets_are_one_line():
    tree = ol.Tree(ol.Space({"x": "numeric"}), list("abcd"), feature=[-1], threshold=[0.0],
                   when_true=[-1], when_false=[-1], leaf_class=[1])  # fmt: skip
    form = ol.canonicalize(tree)
    assert str(form) == "1 rule, proven minimal: 1 for b.\n\nalways b\n\nNever: a, c, d."
    assert form.to_markdown().endswith("Never: a, c, d.")
    assert form.to_latex().endswith("Never: a, c, d.")
    assert "Never: <bdi>a</bdi>, <bdi>c</bdi>, <bdi>d</bdi>." in form.to_html()


def test_shares_never_round_to_all_or_nothing():
    term = showcase.constant().rules["yes"][0]
    for rows, right, share in [(1000, 999, ">99%"), (1000, 1, "<1%"), (3, 3, "100%"), (3, 0, "0%"),
                               (0, 0, ""), (3, 2, "67%"), (3, None, "")]:  # fmt: skip
        assert Line(term, rows, right).share == share


def test_rows_without_a_label_say_nothing_of_a_rule():
    form = ol.canonicalize({"prediction": 1})
    assert form.to_text([[]] * 3, [1, None, math.nan]).splitlines()[-1].split()[-3:] == [
        "3", "1", "100%"]  # fmt: skip


def test_wrong_arguments():
    form, (rows, y) = showcase.mixed(), showcase.mixed_rows()
    for write in (form.to_text, form.to_html, form.to_markdown, form.to_latex):
        with pytest.raises(ValueError, match=r"terms must be one of \('rules', 'reasons'\), got"):
            write(terms="rule")
        with pytest.raises(ValueError, match="about_rows without X"):
            write(about_rows="new rows")
        with pytest.raises(ValueError, match="y without X"):
            write(y=y)
        with pytest.raises(ValueError, match=r"sort must be one of .*, got 'name'"):
            write(rows, sort="name")
        with pytest.raises(ValueError, match="got sort='coverage' without X"):
            write(sort="coverage")
        with pytest.raises(ValueError, match="got min_rows without X"):
            write(min_rows=1)
        with pytest.raises(ValueError, match="top must be at least 1, got 0"):
            write(top=0)
        with pytest.raises(InvalidData, match=r"shape \(1,\), X has 108 rows"):
            write(rows, y[:1])
        with pytest.raises(InvalidData, match=r"labels like 1, and none of the classes \['high'"):
            write(rows, [1] * len(rows))
        with pytest.raises(InvalidData, match=r"'age' has the value 0\.5"):
            write([{"age": 0.5}])


# -- what is proven, and what failed -----------------------------------------------------------


def sentence(words):
    return "".join(text for _, text in words)


def test_head_says_what_is_proven():
    term = showcase.constant().rules["yes"][0]
    lines = (Line(term),) * 3
    blocks = tuple(Block(label, lines, 3, k) for label, k in (("a", 3), ("b", 1), ("c", 2)))
    some = Listing("rules", blocks)
    assert sentence(some.head()) == (
        "9 rules: 3 for a (minimal), 3 for b (at least 1 is needed), "
        "3 for c (at least 2 are needed)."
    )
    assert sentence(Listing("rules", blocks[:1]).head()) == "3 rules, proven minimal: 3 for a."
    quick = ol.canonicalize(showcase.mixed(), exact=False)
    assert str(quick).splitlines()[0].startswith("9 rules")


def test_a_form_without_rules_says_so_in_one_line():
    form = ol.canonicalize(many_reasons(6), limit=10)
    assert "\n" not in str(form)
    assert "limit=10" in str(form)
    assert "exact=False" in str(form)
    slow = ol.canonicalize(many_reasons(12), limit=10**9, time_limit=0.01)
    assert "\n" not in str(slow)
    assert "raise time_limit=" in str(slow)


def test_repr_is_short_and_computes_nothing():
    form = ol.canonicalize(many_reasons(4), limit=10)
    assert repr(form) == "CanonicalForm(of a tree with 31 leaves, classes [0, 1])"
    assert not {"_reason_tables", "_rules", "bins"} & set(vars(form))
    labels = [f"{'x' * 100}{i}" for i in range(20)]
    big = ol.Tree(ol.Space([]), labels, feature=[-1], threshold=[0], when_true=[-1],
                  when_false=[-1], leaf_class=[0])  # fmt: skip
    assert len(repr(ol.canonicalize(big))) < 450
    assert "12 more" in repr(ol.canonicalize(big))
