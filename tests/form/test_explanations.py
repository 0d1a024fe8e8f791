"""Explanations of many rows, against explanations of one."""

import pickle
import warnings

import numpy as np
import pytest
from fact_cases import case, inside
from hypothesis import given, settings, strategies as st
from strategies import partial_rows, problems, tree_of

import orderless as ol
from orderless.errors import InvalidData, OutOfTime

BOTH = {"feature": 0, "true": {"feature": 1, "true": {"prediction": 1}, "false": {"prediction": 0}},
        "false": {"prediction": 0}}  # fmt: skip


@st.composite
def tables(draw):
    kinds, (spec,) = draw(problems(max_features=4))
    rows = draw(st.lists(partial_rows(kinds, spec), min_size=1, max_size=8))
    return tree_of(spec, kinds), rows


@given(tables())
@settings(max_examples=120)
def test_many_rows_get_what_each_gets(case):
    """Proposition 3.3, row by row."""
    tree, rows = case
    form = ol.canonicalize(tree)
    why = form.tree.explain_all(rows)
    assert len(why) == len(why.reasons) == len(rows)
    for i, row in enumerate(rows):
        one = form.tree.explain(row)
        assert why.reasons[i] == one.shortest
        assert why.label.tolist()[i] == one.label
        assert str(why[i]) == str(one)
    table = why.to_dict()
    assert table["label"] == why.label.tolist()
    texts = [None if term is None else str(term) for term in why.reasons]
    assert table["reason"] == texts
    assert str(why[-1]) == str(why[len(rows) - 1]) == str(why[-1:][0])
    assert why.reasons[:1] == [why.reasons[0]]


def test_frames_arrays_and_no_rows():
    pd = pytest.importorskip("pandas", reason="a data frame is made with pandas")
    form = ol.canonicalize(BOTH)
    frame = pd.DataFrame({"x0": [1, None], "x1": [1, 0]}, index=[7, 9])
    why = form.tree.explain_all(frame)
    assert why.label.to_list() == [1, 0]
    assert list(why.label.index) == [7, 9]
    assert [str(term) for term in why.reasons] == ["x0 AND x1", "not x1"]
    assert why[1].label == 0
    array = form.tree.explain_all(np.array([[1.0, np.nan]] * 3))
    assert array.to_dict() == {"label": [None] * 3, "reason": [None] * 3,
                               "n_conditions": [None] * 3}  # fmt: skip
    assert repr(array) == "Explanations(3 rows, in 1 different places)"
    assert form.tree.explain_all([]).to_dict() == {"label": [], "reason": [], "n_conditions": []}
    with pytest.raises(IndexError):
        _ = array[3]


def test_time_limits():
    with pytest.raises(OutOfTime, match=r"0 of 2 rows.*raise time_limit"):
        ol.read(BOTH).explain_all([[1, 1], [0, 0]], time_limit=1e-9)


def test_an_explanation_can_be_pickled():
    tree = ol.read(BOTH)
    why = pickle.loads(pickle.dumps(tree.explain([0, 0])))
    assert [str(term) for term in why.all_reasons] == ["not x1", "not x0"]
    assert str(why.shortest) == str(tree.explain([0, 0]).shortest)
    assert pickle.loads(pickle.dumps(tree)).explain({"x0": 1, "x1": 1}).label == 1


def test_costs_that_are_too_far_apart_are_refused():
    why = ol.read(BOTH).explain([0, 0])
    assert str(why.cheapest({"x0": 0.1234567890123456, "x1": 1e19})) == "not x0"
    with pytest.raises(InvalidData, match="38 digits"):
        why.cheapest({"x0": 1e-30, "x1": 1e30})


# -- where facts hold ------------------------------------------------------------------------------


def test_many_rows_among_possible_rows():
    """Each row as by itself; classes and reasons against all possible rows of a grid."""
    certain = contradicting = 0
    for seed in range(24):
        own = case(seed, real=seed % 6 == 5)
        if not own.possible:
            continue
        form, rows = ol.canonicalize(own.trees()[0]), own.parts(5)
        completions = [own.completions(row) for row in rows]
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            why = form.tree.explain_all(rows)
        assert bool(said) == (not all(completions)), seed
        for i, (row, every) in enumerate(zip(rows, completions, strict=True)):
            if not every:
                contradicting += 1
                assert why.label.tolist()[i] is None
                assert why.reasons[i] is None
                with pytest.raises(InvalidData, match="the row contradicts the facts"):
                    _ = why[i]
                continue
            classes = {own.says(other) for other in every}
            assert why.label.tolist()[i] == (classes.pop() if len(classes) == 1 else None), seed
            assert why.reasons[i] == form.tree.explain(row).shortest
            if why.reasons[i] is not None:
                certain += 1
                met = [other for other in own.possible if inside(why.reasons[i].sides, other)]
                assert {own.says(other) for other in met} == {why.label[i]}
                assert all(other in met for other in every)
        assert why.to_dict()["label"] == why.label.tolist()
    assert certain > 20
    assert contradicting > 3


def test_many_rows_among_possible_rows_keep_the_time_limit():
    space = ol.Space({"low": int, "high": int}, facts=["low <= high"])
    node = {"feature": "low", "relation": "<=", "reference": 3, "true": {"prediction": 0},
            "false": {"prediction": 1}}  # fmt: skip
    tree, rows = ol.read(node, space=space), [{"low": 1, "high": 2}, {"low": 5, "high": 7}]
    with pytest.raises(OutOfTime, match=r"0 of 2 rows.*raise time_limit"):
        tree.explain_all(rows, time_limit=1e-9)
