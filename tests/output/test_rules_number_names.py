"""Rules that say numbers: text, Markdown, LaTeX and HTML, and how their numbers are written."""

import re

import numpy as np
import pytest
from hypothesis import given, strategies as st

import orderless as ol
from orderless.errors import InvalidData
from orderless.model import amount, number_names
from orderless.output.rules import list_terms, listing_records

STAY = {"task": "regression", "feature": "age", "relation": "<=", "reference": 60,
        "true": {"prediction": 2.5}, "false": {"feature": "smoker", "true": {"prediction": 37 / 3},
                 "false": {"prediction": 7.0}}}  # fmt: skip
SPACE = ol.Space({"age": "integer", "smoker": "boolean"})
X = [{"age": 50, "smoker": 0}, {"age": 70, "smoker": 1}, {"age": 70, "smoker": 1},
     {"age": 80, "smoker": None}]  # fmt: skip
Y = [2.0, 10.0, 16.0, 7.0]


def form():
    return ol.canonicalize(ol.read(STAY, space=SPACE))


def test_text():
    assert (
        str(form())
        == """\
3 rules, proven minimal, for 3 numbers from 2.5 to 12.33.
Numbers are rounded.

IF age <= 60                THEN   2.5
IF age > 60 AND not smoker  THEN     7
IF age > 60 AND smoker      THEN 12.33"""
    )


def test_text_with_data():
    assert (
        form().to_text(X, Y)
        == """\
3 rules, proven minimal, for 3 numbers from 2.5 to 12.33.
Rows: how many of the 4 rows a rule covers for certain; mean: of the true numbers of those; error:
  how far they are from the rule's, on average.
Numbers are rounded.

                                        rows  mean  error
IF age <= 60                THEN   2.5     1     2    0.5
IF age > 60 AND not smoker  THEN     7     0
IF age > 60 AND smoker      THEN 12.33     2    13      3"""
    )
    assert form().to_text(X).splitlines()[-1].endswith("THEN 12.33     2")


def test_markdown_is_one_table():
    text = form().to_markdown(X, Y)
    assert text.endswith("""
| rule | number | rows | mean | error |
| :--- | ---: | ---: | ---: | ---: |
| age ≤ 60 | 2.5 | 1 | 2 | 0.5 |
| age > 60 AND not smoker | 7 | 0 |  |  |
| age > 60 AND smoker | 12.33 | 2 | 13 | 3 |""")
    assert "**" not in text


def test_latex_is_one_list():
    text = form().to_latex(X, Y)
    assert text.count(r"\begin{itemize}") == 1
    assert (
        r"\item \textbf{$12.33$}: age $> 60$ $\land$ smoker (2 rows, mean $13$, error $3$)" in text
    )
    assert r"\item \textbf{$7$}: age $> 60$ $\land$ $\lnot$ smoker (0 rows)" in text


def test_html_is_one_table():
    html = form().to_html(X, Y)
    assert html.count("<table") == 1
    plain = re.sub(r"<[^>]*>", "|", html)
    assert re.search(r"smoker\|+12\.33\|+2\|+13\|+3\|", plain)
    assert "right" not in plain.replace("right-", "")
    tree = ol.read(STAY, space=SPACE)._repr_html_()
    assert "Numbers from <bdi>2.5</bdi> to <bdi>12.33</bdi>." in tree
    assert "Classes" not in tree


def test_many_rules_scroll():
    from sklearn.tree import DecisionTreeRegressor

    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 2))
    model = DecisionTreeRegressor(max_leaf_nodes=60, random_state=0).fit(rows, rows[:, 0])
    html = ol.canonicalize(model, exact=False).to_html()
    assert html.count("<table") == 1
    assert 'aria-label="rules of numbers"' in html


def test_records_say_numbers():
    first = listing_records(list_terms(form(), X, Y))[0]
    assert first == {"number": 2.5, "text": "age <= 60", "conditions": ["age <= 60"],
                     "n_conditions": 1, "rows": 1, "mean": 2.0, "error": 0.5}  # fmt: skip


def test_what_is_refused():
    for bad, message in ((["a"] * 4, "the tree says numbers"), ([1, 2, 3], "y has shape")):
        with pytest.raises(InvalidData, match=message):
            form().to_text(X, bad)


def test_a_constant_tree():
    tree = ol.Tree(SPACE, [12.4], feature=[-1], threshold=[0], when_true=[-1], when_false=[-1],
                   leaf_class=[0], task="regression")  # fmt: skip
    assert str(ol.canonicalize(tree)) == "1 rule, proven minimal: 1 for 12.4.\n\nalways 12.4"


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, unique=True))
def test_names_differ_and_keep_the_order(numbers):
    numbers = sorted({number + 0.0 for number in numbers})
    names = number_names(numbers)
    assert len(set(names.values())) == len(numbers)
    read = [float(names[number]) for number in numbers]
    assert read == sorted(read)
    for number, near in zip(numbers, read, strict=True):
        assert near == pytest.approx(number, rel=6e-4, abs=1e-320)


def test_amounts():
    assert [amount(v) for v in (0.0, 12.0, 1 / 3, 1234.56, 123456.7, 1e20)] == [
        "0", "12", "0.3333", "1235", "123457", "1e+20"]  # fmt: skip
