"""Reports and cards where facts hold: what they say is so for every row that satisfies these."""

import itertools
import re

import numpy as np
import pytest
from sums import as_ensemble

import orderless as ol
from orderless.errors import InvalidData

FACTS = ["low <= high", "0 <= low", "high <= 6"]


def ask(feature, reference, yes, no):
    return {"feature": feature, "relation": "<=", "reference": reference, "true": yes, "false": no}


YES, NO = {"prediction": "yes"}, {"prediction": "no"}
# Where high is at most 2, low is too: that question can be left out, and low matters nowhere.
SPEC = ask("high", 2, ask("low", 4, YES, NO), NO)
SPACE = ol.Space({"low": int, "high": int, "x<y": float}, facts=FACTS)
TREE = ol.read(SPEC, space=SPACE)
ROWS = [
    {"low": low, "high": high, "x<y": 0.5}
    for low, high in itertools.product(range(7), repeat=2)
    if low <= high
]
LABELS = ["yes" if row["high"] <= 2 else "no" for row in ROWS]
COSTS = {"low": 1, "high": 2, "x<y": 1}


def words(html):
    plain = re.sub(r"<(svg|style).*?</\1>", "", html, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", plain))


def test_a_report_speaks_of_possible_rows():
    page = ol.report(TREE, ROWS, LABELS, COSTS)
    text = words(page.html)
    assert "What is known of every row" in text
    assert "low &lt;= high" in text
    assert "<td>low <= high" not in page.html
    assert "1 redundant splits" in text
    assert "it comes down to 2 rules" in text
    assert "high ≤ 2 6 6 (100%)" in text  # one condition, where the tree asks two
    assert "The facts are left out here: on the rows that satisfy them, a smaller tree" in text
    assert "shuffled values would make rows that contradict the facts" in text
    assert "near-optimal trees are counted on all rows, and facts exclude some" in text
    assert "Asking in the tree's own order" not in text
    plain = words(ol.report(TREE.with_space(SPACE.without_facts()), ROWS, LABELS, COSTS).html)
    assert "What is known of every row" not in plain
    assert "0 redundant splits" in plain
    assert "it comes down to 3 rules" in plain


def test_the_smallest_tree_of_a_report_is_right_on_all_rows():
    wide = ol.read(ask("high", 5, ask("high", 2, SPEC, NO), NO), space=SPACE)
    text = words(ol.report(wide, ROWS, LABELS).html)
    assert "3 leaves instead of 4" in text
    assert "The facts are left out here" in text


def test_a_report_of_numbers():
    spec = ask("high", 2, ask("low", 4, {"prediction": 1.5}, {"prediction": 3.0}),
               {"prediction": 2.0})  # fmt: skip
    tree = ol.read({**spec, "task": "regression"}, space=SPACE)
    text = words(ol.report(tree, ROWS, [float(row["high"]) for row in ROWS], COSTS).html)
    assert "low &lt;= high" in text
    assert "1 redundant splits" in text


def test_a_report_of_many_trees():
    text = words(ol.report(as_ensemble(TREE), ROWS, LABELS).html)
    assert "low &lt;= high" in text
    # With the facts, low alone is never what makes a row open.
    assert "For none of these rows does one of the other 1 features matter alone." in text


def test_a_card_proves_it_of_possible_rows():
    def card(tree):
        return ol.model_card(tree, ROWS, LABELS, COSTS, name="n", intended_use="u",
                             protected=["low"])  # fmt: skip

    known = {s["title"]: s for s in card(TREE).to_dict()["sections"]}
    assert known["What is known of every row"]["facts"] == FACTS
    proven = known["What is proven"]["lines"]
    assert proven["protected: low"] == "Proven: low makes no difference."
    assert "satisfies the facts" in known["What is proven"]["note"]
    assert known["Models that are about as good"]["lines"] == {
        "not counted": "near-optimal trees are counted on all rows, and facts exclude some"
    }
    plain = {
        s["title"]: s for s in card(TREE.with_space(SPACE.without_facts())).to_dict()["sections"]
    }
    assert "What is known of every row" not in plain
    assert plain["What is proven"]["lines"]["protected: low"].startswith("low is used")
    page = ol.report(TREE, ROWS, LABELS, card={"intended_use": "u"})
    assert "fact 1" in words(page.html)


def test_what_is_certain_with_gaps_is_what_all_possible_rows_agree_on():
    """The shares of the card, against filling in the gaps by hand."""
    n_repeats, rate = 5, 0.5
    found = ol.coverage(TREE, ROWS, [rate], n_repeats=n_repeats, random_state=3)
    share = found.table.query("way == 'determined'")["answered"].mean()
    plain = ol.coverage(
        TREE.with_space(SPACE.without_facts()), ROWS, [rate], n_repeats=n_repeats, random_state=3
    )
    assert share > plain.table.query("way == 'determined'")["answered"].mean()
    for gone in (("low",), ("high",), ("low", "high")):
        parts = [{n: v for n, v in row.items() if n not in gone} for row in ROWS]
        for part, label in zip(parts, TREE.predict(parts).tolist(), strict=True):
            fits = [i for i, row in enumerate(ROWS) if part.items() <= row.items()]
            classes = {LABELS[i] for i in fits}
            assert label == (classes.pop() if len(classes) == 1 else None)


@pytest.mark.parametrize("model", [TREE, as_ensemble(TREE)])
def test_rows_that_contradict_the_facts_are_refused(model):
    wrong = [*ROWS, {"low": 5, "high": 1, "x<y": 0.0}]
    with pytest.raises(InvalidData, match=r"row 28 contradicts the facts: 'low <= high'"):
        ol.report(model, wrong, [*LABELS, "no"])
    with pytest.raises(InvalidData, match=r"row 28 contradicts the facts: 'low <= high'"):
        ol.model_card(model, np.array([[r["low"], r["high"], 0] for r in wrong]),
                      [*LABELS, "no"], name="n", intended_use="u")  # fmt: skip
