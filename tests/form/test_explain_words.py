"""What an explanation says, and the rows that it takes."""

import html
import json
import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

import orderless as ol
from orderless.errors import InvalidData, InvalidSpace

from .explained_trees import LEAF, form_of, split


def recidivism():
    """Class 1: more than 3 priors and age at most 25, or a smoker whose sex is x."""
    old = split("sex", ["x"], split("smoker", None, LEAF[1], LEAF[0]), LEAF[0], "in")
    return split("priors", 3, old, split("age", 25, LEAF[1], old))


def test_text():
    form = form_of(recidivism())
    assert str(form.tree.explain({"age": 23, "priors": 5, "sex": "f", "smoker": False})) == (
        "1, because age <= 25 AND priors > 3 (whatever sex and smoker are).\n"
        "It would be 0 if age were > 25, or if priors were <= 3."
    )
    assert str(form.tree.explain({"age": 40, "priors": 5, "sex": "x", "smoker": False})) == (
        "0, because age > 25 AND not smoker (whatever priors and sex are).\n"
        "It would be 1 if age were <= 25, or if smoker were true."
    )
    assert str(form.tree.explain({"age": 23, "priors": 0, "smoker": 0})) == (
        "0, because priors <= 3 AND not smoker (whatever age and sex are).\n"
        "It would be 1 if priors were > 3.\n"
        "It could be 1 if smoker were true."
    )
    assert str(form.tree.explain({"age": 40, "sex": "f"})) == (
        "0, because age > 25 AND sex != x (whatever priors and smoker are).\n"
        "It could be 1 if age were <= 25, or if sex were x."
    )
    assert str(form.tree.explain({"age": 23, "sex": "f"})) == (
        "Not determined: 0 or 1 are possible, because priors is unknown.\n"
        "Settled, whatever the values, by priors."
    )
    assert str(form.tree.explain({})).startswith(
        "Not determined: 0 or 1 are possible, because age, priors, sex and smoker are unknown.\n"
        "Settled, whatever the values, by "
    )
    assert repr(form.tree.explain({})) == "Explanation(not determined: [0, 1])"
    assert repr(form.tree.explain({"age": 40, "sex": "f"})) == "Explanation(0)"


def test_text_with_costs():
    form = form_of(recidivism())
    row = {"age": 40, "priors": 0, "sex": "f", "smoker": False}
    assert str(form.tree.explain(row)).startswith("0, because priors <= 3 AND not smoker (")
    costs = {"age": 0.1, "priors": 0.25, "sex": 0.2, "smoker": 0.1}
    assert str(form.tree.explain(row, costs=costs)).startswith(
        "0, because age > 25 AND not smoker ("
    )
    dear = {**dict.fromkeys(form.tree.features, 0), "smoker": 3}
    assert str(form.tree.explain(row, costs=dear)).startswith("0, because priors <= 3 AND sex")


def test_text_of_every_kind_of_change():
    def said(tree, row, space):
        return str(form_of(tree, space).tree.explain(row)).splitlines()[1]

    numbers = ol.Space([ol.Feature("t", nan=True), ol.Feature("u", values="float32")])
    known = ol.Tree(
        numbers,
        [0, 1],
        feature=[0, -1, -1],
        threshold=[math.inf, 0, 0],
        when_true=[1, -1, -1],
        when_false=[2, -1, -1],
        leaf_class=[-1, 0, 1],
    )
    form = ol.canonicalize(known)
    assert str(form.tree.explain([2.0, 1.0])) == (
        "0, because t is known.\nIt would be 1 if t were missing."
    )
    assert str(form.tree.explain([None, 1.0])) == (
        "1, because t is missing.\nIt would be 0 if t were known."
    )
    assert said(split("u", 0.1, LEAF[0], LEAF[1]), {"u": 0.0}, numbers) == (
        "It would be 1 if u were >= 0.1."
    )
    colors = ol.Space({"c": ["red", "green", "blue", "grey", "black"]})
    for inside, then in [
        (["red"], "c were not red"),
        (["red", "blue"], "c were not in {red, blue}"),
        (["red", "blue", "grey"], "c were in {green, black}"),
        (["red", "blue", "grey", "black"], "c were green"),
    ]:
        tree = split("c", inside, LEAF[0], LEAF[1], "in")
        assert said(tree, {"c": "red"}, colors) == f"It would be 1 if {then}."


def test_constant_trees_and_long_lists():
    space = ol.Space.independent([f"x{i}" for i in range(9)])
    form = form_of(LEAF[1], space)
    why = form.tree.explain(dict.fromkeys(space.names, 1))
    assert str(why) == "1, always."
    assert why.changes() == why.necessary == why.relevant == ()
    assert [str(term) for term in why.reasons()] == ["always"]
    assert form.tree.explain({}).label == 1
    same = form_of(split("x0", None, LEAF[1], LEAF[1]), space)
    assert str(same.tree.explain({})) == "1, always."  # x0 is asked in vain
    assert same.tree.explain({}).changes() == ()
    tree = LEAF[0]
    for name in space.names:
        tree = split(name, None, LEAF[1], tree)
    assert str(form_of(tree, space).tree.explain(dict.fromkeys(space.names, 0))) == (
        "0, because not x0 AND not x1 AND not x2 AND not x3 AND not x4 AND not x5 AND not x6 AND "
        "not x7 AND not x8.\nIt would be 1 if x0 were true, or if x1 were true, or if x2 were "
        "true, or if x3 were true, or if x4 were true, or if x5 were true, or in 3 more ways."
    )
    assert str(form_of(tree, space).tree.explain({"x8": 1})) == (
        "1, because x8 (whatever x0, x1, x2, x3, x4 and 3 more are).\n"
        "It could be 0 if x8 were false."
    )


def test_the_papers_second_figure():
    space = ol.Space.independent(["x1", "x2", "x3"])
    tree = split(
        "x1", None, split("x2", None, LEAF[1], LEAF[0]), split("x3", None, LEAF[1], LEAF[0])
    )
    form = form_of(tree, space)
    why = form.tree.explain([1, 1, 1])
    assert [str(term) for term in why.all_reasons] == ["x2 AND x3", "x1 AND x2"]
    assert why.necessary == ("x2",)
    assert why.relevant == ("x1", "x2", "x3")
    assert str(form.tree.explain({"x2": 1, "x3": 1})) == (
        "1, because x2 AND x3 (whatever x1 is).\n"
        "It could be 0 if x2 were false, or if x3 were false."
    )  # Algorithm 5 decides it although x1, the root of the tree, is unknown
    assert str(form.tree.explain({"x1": 1, "x2": 1}).shortest) == "x1 AND x2"


def test_html_escapes_hostile_names():
    hostile = "<script>alert('x')</script>"
    space = ol.Space({hostile: "integer", "b&b": ["<i>", '"']})
    no = {"prediction": "n"}
    tree = split(hostile, 3, split("b&b", ["<i>"], {"prediction": "<b>"}, no, "in"), no)
    for row in ({hostile: 1, "b&b": "<i>"}, {hostile: 9}, {}):
        why = form_of(tree, space).tree.explain(row)
        page = why._repr_html_()
        assert "<script" not in page
        assert "<i>" not in page
        assert "<b>" not in page
        lines = page.removeprefix('<div class="orderless-explanation">').removesuffix("</div>")
        back = lines.replace("</p><p>", "\n").removeprefix("<p>").removesuffix("</p>")
        assert html.unescape(back) == str(why)


def test_to_dict_and_pickle():
    form = form_of(recidivism())
    row = {"age": np.int64(23), "priors": 5, "sex": "f", "smoker": math.nan}
    why = form.tree.explain(row)
    assert json.loads(json.dumps(why.to_dict())) == {
        "row": {"age": 23, "priors": 5, "sex": "f", "smoker": None},
        "label": 1,
        "status": "certain",
        "possible": [1],
        "unknown": [],
        "reason": [{"feature": "age", "at_most": 25.0}, {"feature": "priors", "above": 3.0}],
        "text": str(why),
        "necessary": ["age", "priors"],
        "changes": [
            {"label": 0, "certain": True, "ranges": {"age": "age > 25"}},
            {"label": 0, "certain": True, "ranges": {"priors": "priors <= 3"}},
        ],
    }
    assert form.tree.explain({}).to_dict()["reason"] is None
    again = pickle.loads(pickle.dumps(why))
    assert again.all_reasons == why.all_reasons
    with pytest.raises(AttributeError):
        why.label = 0
    assert len({*why.changes(), *again.changes()}) == 2


# -- rows of every shape, and bad ones -----------------------------------------------------------


def test_rows_of_every_shape():
    form = form_of(recidivism())
    told = {"age": 23, "sex": "f", "priors": 5, "smoker": True}
    frame = pd.DataFrame([told])
    masked = np.ma.array([23, 0, 5, 1], mask=[0, 1, 0, 0])
    for row in (
        told,
        [23, "f", 5, True],
        (23, "f", 5, True),
        np.array([23, "f", 5, True], dtype=object),
        [told],
        [[23, "f", 5, True]],
        frame,
        frame.assign(more="ignored", y=1),
        pl.DataFrame([told]),
        frame.iloc[0],
        pd.Series([23, "f", 5, True]),
        masked,
        np.array([[23, None, 5, 1]], dtype=object),
        {"age": 23, "priors": 5, "sex": None},
        {"age": 23, "priors": 5, "smoker": pd.NA},
    ):
        why = form.tree.explain(row)
        assert why.label == 1, row
        assert why.row["age"] == 23
    assert form.tree.explain([23, "f", 5, True]).row == told
    numbers = ol.read({"feature": 0, "true": LEAF[1], "false": LEAF[0]})
    assert numbers.explain(pl.Series([1.0])).label == 1
    from scipy.sparse import csr_array

    assert numbers.explain(csr_array([[1.0]])).label == 1


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"age": "old"}, "feature 'age' has the value 'old' .*numeric, so give numbers"),
        ({"age": 23.5}, r"feature 'age' has the value 23\.5 in row 0 and is declared integer"),
        (
            {"agee": 23},
            r"unknown feature 'agee' \(did you mean 'age'\?\): the features are 'age', 'sex'",
        ),
        ({"sex": "q"}, "feature 'sex' has the value 'q' .*must be one of 'f', 'm', 'x'"),
        ({"smoker": 2}, r"feature 'smoker' has the value 2\.0 .*0, 1, False or True"),
        ([23, "f"], "X has 2 features, but Space is expecting 4 features as input: 'age', 'sex'"),
        ([], "X has 0 features"),
        ("age", "cannot read one row from 'age'"),
        (None, "cannot read one row from None"),
        (7, "cannot read one row from 7"),
        (np.array(7), "cannot read one row from array"),
        ({1, 2, 3, 4}, "cannot read one row from {1, 2, 3, 4}"),
        (pd.DataFrame([[1, 2]], columns=["age", "age"]), "have the same name"),
        ([{"age": 1}, {"age": 2}], "expected one row, got 2"),
        (np.zeros((3, 4)), "expected one row, got 3"),
        (pd.DataFrame({"age": [1, 2]}), "expected one row, got 2"),
        (pd.DataFrame({"age": []}), "expected one row, got 0"),
        (pd.DataFrame({"age": [1]}), "lacks the columns 'sex', 'priors', 'smoker'; it has 'age'"),
        ({"age": [1, 2]}, r"feature 'age' has the value \[1, 2\]"),
    ],
)
def test_bad_rows(row, said):
    with pytest.raises(InvalidData, match=said):
        form_of(recidivism()).tree.explain(row)


def test_a_value_that_the_tree_does_not_ask_about_is_checked_too():
    form = form_of(split("age", 3, LEAF[0], LEAF[1]))
    with pytest.raises(InvalidData, match="'sex' has the value 'q'"):
        form.tree.explain({"age": 1, "sex": "q"})
    assert form.tree.explain(pd.DataFrame({"age": [1]})).label == 0


def test_bad_costs():
    form = form_of(recidivism())
    row = {"age": 23, "priors": 5}
    with pytest.raises(ValueError, match=r"needs costs: cheapest\(\{feature: cost\}\)"):
        form.tree.explain(row).cheapest()
    for bad, said in [
        ({"age": -1}, "cost of 'age' is -1: nothing costs or weighs less than 0"),
        ({"age": math.nan}, "cost of 'age' is nan"),
        ({"age": math.inf}, "cost of 'age' is inf"),
        ({"age": "dear"}, "cost of 'age' is 'dear'"),
        ({"age": None}, "cost of 'age' is None"),
        (
            [1, 2],
            "costs must be a dict .*got a list: features are 'age', 'sex', 'priors', 'smoker'",
        ),
        ({"age": 1, "sex": 0}, "no cost for 'priors', 'smoker', which the tree asks about: name"),
        ({}, r"if all others cost the same.*dict.fromkeys\(tree.features, 1\)"),
    ]:
        with pytest.raises(InvalidData, match=said):
            form.tree.explain(row).cheapest(bad)
        with pytest.raises(InvalidData, match=said):
            form.tree.explain(row, costs=bad)
    with pytest.raises(InvalidSpace, match="no feature 'agee': the features are 'age'"):
        form.tree.explain(row, costs={"agee": 1})
