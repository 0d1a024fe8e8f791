"""``tolerance=`` counts the decimals that people write, whichever question is asked."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from decimal_numbers import decimal
from hypothesis import given, settings, strategies as st
from javascript import needs_node

import orderless as ol
from orderless.connect import predict_file
from tests.output.test_page_advice import logic
from tests.output.test_page_app_width import advice

TENTHS = [n / 10 for n in range(13)]


def two(low, high):
    """A tree of two numbers."""
    return ol.read(
        {"task": "regression", "feature": "a", "relation": "<=", "reference": 0,
         "true": {"prediction": low}, "false": {"prediction": high}},
        space=ol.Space({"a": float}),
    )  # fmt: skip


def answers(tree, within):
    """Whether each question takes a row about which nothing is known for settled."""
    X = [[-1.0], [1.0]]
    return {
        "predict": not np.ma.getmaskarray(tree.predict([{}], tolerance=within))[0],
        "predict of the form": not np.ma.getmaskarray(
            ol.canonicalize(tree).predict([{}], tolerance=within)
        )[0],
        "needed": tree.needed({}, tolerance=within).settle == ((),),
        "next": bool(np.ma.getmaskarray(tree.ask_next([{}], tolerance=within))[0]),
        "policy": ol.cheapest_policy(tree, X, {"a": 1}, tolerance=within).expected_cost == 0,
        "widths": ol.coverage(tree, X, [1.0]).widths.within(within)[1.0] == 1,
    }


@given(st.sampled_from(TENTHS), st.sampled_from(TENTHS), st.sampled_from(TENTHS))
@settings(max_examples=40)
def test_every_question_counts_the_decimals(a, b, within):
    low, high = sorted((a, b))
    if low == high:
        return
    found = answers(two(low, high), within)
    assert found == dict.fromkeys(found, decimal(high) - decimal(low) <= decimal(within))


@pytest.mark.parametrize("kind", [float, np.float64, np.float32])
def test_one_to_four_tenths_are_within_three(kind):
    tree = two(0.1, 0.4)
    assert 0.4 - 0.1 > 0.3  # in floats
    assert tree.predict([{}], tolerance=kind(0.3)).tolist() == [0.25]
    assert tree.needed({}, tolerance=kind(0.3)).settle == ((),)


def test_many_rows_and_a_file_agree(tmp_path):
    tree = two(0.1, 0.4)
    (tmp_path / "rows.csv").write_text("a,b\n,1\n0,1\n", encoding="utf-8")
    done = predict_file(tree, tmp_path / "rows.csv", tmp_path / "out.csv", needed="smallest",
                           tolerance=0.3)  # fmt: skip
    assert done.n_rows == 2
    lines = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert "0.25" in lines[1]
    assert not lines[1].endswith(",a")


def test_a_forest_counts_the_decimals():
    from sklearn.ensemble import RandomForestRegressor

    model = RandomForestRegressor(1, bootstrap=False).fit([[0.0], [1.0]], [0.1, 0.4])
    ensemble = ol.read(model)
    low, high = (float(end[0]) for end in ensemble.predict_interval([[None]])[:2])
    assert (low, high) == (0.1, 0.4)
    assert ensemble.predict([[None]], tolerance=0.3).tolist() == [0.25]
    assert ensemble.predict([[None]], tolerance=0.2999999999999999).mask.all()
    # 0.1 is within 0.7 of 0.8, although 0.8 - 0.7 is more in floats.
    wide = RandomForestRegressor(1, bootstrap=False).fit([[0.0], [1.0], [2.0]], [0.1, 0.8, 5.0])
    reason = ol.read(wide).explain([1.0], tolerance=0.7).reason
    assert reason.covers([[0.0], [1.0], [2.0]]).tolist() == [True, True, False]


def test_sets_of_numbers_count_the_decimals():
    X = [[0], [1]]
    space = ol.Space.independent(["a"])
    rset = ol.RashomonSet(1, 0.01, 10, loss="squared", decimals=1, space=space)
    trees = rset.fit(X, [0.1, 0.4]).trees_
    for within in (0.2, 0.3):
        rows = [tree.predict(X).tolist() for tree in trees]
        far = [
            max(decimal(one[i]) for one in rows) - min(decimal(one[i]) for one in rows)
            for i in range(2)
        ]
        share = Fraction(sum(gap > decimal(within) for gap in far), 2)
        assert trees.votes(X, tolerance=within).ambiguity() == float(share)


def test_integers_that_no_float_holds_are_refused():
    with pytest.raises(ValueError, match="tolerance is 9007199254740993"):
        two(0.1, 0.4).predict([{}], tolerance=2**53 + 1)


@needs_node
def test_the_page_counts_the_decimals():
    for low, high, within in itertools.product((0.1, 0.2), (0.4, 0.7), (0.2, 0.3, 0.5)):
        source = logic(ol.write_page(two(low, high), tolerance=within))
        ((_, _, asked),) = advice(source, [{}])
        assert (asked is None) == (decimal(high) - decimal(low) <= decimal(within))
