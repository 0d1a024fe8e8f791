"""Conditions in words: the same for nodes, terms and every output, short, and not ambiguous."""

import javascript
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless.model import Side
from orderless.model.words import side_text, sides_text
from orderless.output.code.dot import tree_as_dot

STATES = tuple(f"state {i}" for i in range(50))


def leaf(label):
    return {"prediction": label}


def by_state(inside):
    space = ol.Space({"state": list(STATES)})
    return ol.Tree(space, [0, 1], feature=[0, -1, -1], threshold=[0, 0, 0], when_true=[1, -1, -1],
                   when_false=[2, -1, -1], leaf_class=[-1, 0, 1], sets={0: inside})  # fmt: skip


def test_a_large_set_is_written_by_what_it_leaves_out():
    tree = by_state(range(2, 50))
    short = "state not in {state 0, state 1}"
    assert tree.kernel.condition(0) == short
    assert str(tree).splitlines()[0] == f"{short}?"
    assert short in tree_as_dot(tree.kernel)
    assert [str(term) for term in ol.canonicalize(tree).rules[0]] == [short]
    html = ol.canonicalize(tree)._repr_html_() + tree._repr_html_()
    assert "state 7" not in html
    assert by_state(range(1, 50)).kernel.condition(0) == "state != state 0"
    assert by_state([3]).kernel.condition(0) == "state = state 3"
    assert by_state(range(25)).kernel.condition(0).startswith("state in {state 0, ")


@given(st.sets(st.integers(0, 5), min_size=1, max_size=5), st.booleans())
@settings(max_examples=60)
def test_a_node_is_written_as_the_term_of_its_yes_side(inside, other):
    labels = ("a", "b", "c", "d", "e")
    feature = ol.Feature("c", "categorical", categories=(*labels, *([] if other else ["f"])),
                         other=other)  # fmt: skip
    space = ol.Space([feature])
    tree = ol.Tree(space, [0, 1], feature=[0, -1, -1], threshold=[0, 0, 0], when_true=[1, -1, -1],
                   when_false=[2, -1, -1], leaf_class=[-1, 0, 1],
                   sets={0: sorted(inside)})  # fmt: skip
    assert tree.kernel.condition(0) == str(ol.canonicalize(tree).rules[0][0])
    assert tree.kernel.condition(0) == side_text(Side(feature, codes=tuple(sorted(inside))))


def loans():
    """``amount <= 1290 or missing`` and ``income > 88.5`` together."""
    space = ol.Space([ol.Feature("amount", nan=True), ol.Feature("income")])
    return ol.Tree(space, ["no", "yes"], feature=[0, 1, -1, -1, -1],
                   threshold=[1290, 88.5, 0, 0, 0],
                   nan_true=[True, False, False, False, False], when_true=[1, 2, -1, -1, -1],
                   when_false=[4, 3, -1, -1, -1], leaf_class=[-1, -1, 0, 1, 0])  # fmt: skip


SAID = "(amount <= 1290 or missing) AND income > 88.5"


def test_an_or_beside_an_and_is_in_parentheses():
    form = ol.canonicalize(loans())
    (term,) = form.rules["yes"]
    assert str(term) == SAID
    assert term.conditions == ("amount <= 1290 or missing", "income > 88.5")
    assert SAID in str(form)
    assert "(amount ≤ 1290 or missing) AND income" in form.to_markdown()
    assert r"(amount $\leq 1290$ or missing) $\land$ income" in form.to_latex()
    html = form._repr_html_()
    assert html.count("(<") == html.count(" or missing)") == 1
    explanation = form.tree.explain({"amount": 5.0, "income": 100.0})
    assert SAID in str(explanation)


def test_alone_it_needs_no_parentheses():
    side = Side(ol.Feature("amount", nan=True), upper=1290.0, nan=True)
    assert side_text(side) == sides_text([side]) == "amount <= 1290 or missing"
    assert loans().kernel.condition(0) == "amount <= 1290 or missing"
    gone = Side(ol.Feature("amount", nan=True), 0.0, 0.0, nan=True)
    assert sides_text([gone, gone]) == "amount is missing AND amount is missing"


@javascript.needs_node
def test_generated_code_says_the_same():
    form = ol.canonicalize(loans())
    row = {"amount": 5.0, "income": 100.0}
    names = {}
    exec(form.tree.to_python("decide"), names)
    source = form.tree.to_javascript(module=False)
    assert names["why"](row) == SAID
    assert javascript.run(source, [row], "orderless.why(row)") == [SAID]


def test_a_change_with_an_or_is_in_parentheses():
    form = ol.canonicalize(loans())
    changes = [
        str(change) for change in form.tree.explain({"amount": 2000.0, "income": 5.0}).changes()
    ]
    assert "(amount were <= 1290 or missing) and income were > 88.5" in changes


@pytest.mark.parametrize("values", ["float64", "float32", "integer"])
def test_printed_ends_draw_the_same_boundary(values):
    """What a person reads, compared with the feature's values, decides as the tree does."""
    rng = np.random.default_rng(3)
    feature = ol.Feature("x", values=values)
    cuts = np.concatenate([rng.uniform(-100, 100, 60), rng.integers(-9, 9, 20) / 8,
                           10 ** rng.uniform(-30, 30, 40), [-1e39, 1e39]])  # fmt: skip
    kind = np.float32 if values == "float32" else np.float64
    for cut in feature.at_most(cuts):
        if not np.isfinite(cut):
            continue
        name, sign, number = side_text(Side(feature, upper=float(cut))).split()
        assert name == "x"
        with np.errstate(over="ignore"):
            near = np.array([cut, *(f(cut) for f in (feature.at_most, feature.above))], dtype=kind)
            read = kind(float(number))
            near = np.concatenate([near, np.nextafter(near, kind(-np.inf)), [kind(0)]])
        if values == "integer":
            near = np.floor(near)
        assert ((near < read if sign == "<" else near <= read) == (near <= cut)).all()
