"""Rows with unknown values where facts hold: certain answers against brute force."""

import warnings

import numpy as np
import pandas as pd
import pytest
from fact_cases import case

import orderless as ol
from orderless.errors import ContradictingRows, InvalidData

CASES = [
    *((seed, {}) for seed in range(200, 240)),
    *((seed, {"real": True}) for seed in range(1200, 1215)),
    *((seed, {"compare": False}) for seed in range(2200, 2215)),
]


@pytest.mark.filterwarnings("ignore::orderless.errors.ContradictingRows")
def test_possible_classes_and_predictions():
    lengths, more = set(), 0
    for seed, options in CASES:
        found = case(seed, **options)
        if not found.possible:
            continue
        tree = found.trees()[0]
        plain = tree.with_space(tree.space.without_facts())
        parts = found.parts(8)
        given = tree.possible(parts)
        said = tree.predict(parts)
        for k, part in enumerate(parts):
            wanted = {found.says(row) for row in found.completions(part)}
            lengths.add(len(wanted))
            assert set(given[k]) == wanted, (seed, part)
            assert said.mask[k] == (len(wanted) != 1), (seed, part)
            assert said.mask[k] or said[k] == next(iter(wanted))
        more += int((plain.predict(parts).mask & ~said.mask).sum())
    assert lengths >= {0, 1, 2}
    assert more > 20  # certain because of the facts alone


SPACE = ol.Space({"low": "numeric", "high": "numeric", "sex": ["f", "m"]},
                 facts=["low <= high"])  # fmt: skip
TREE = ol.read({"feature": "high", "relation": "<=", "reference": 5,
                     "true": {"prediction": "no"}, "false": {"prediction": "yes"}},
                    space=SPACE)  # fmt: skip


def test_a_contradicting_row_is_masked_and_warned_of():
    rows = [{"low": 9, "high": 2}, {"low": 9}, {"low": 3, "high": 1}, {}]
    with pytest.warns(
        ContradictingRows, match=r"2 rows contradict the facts \(the first is row 0\)"
    ):
        assert TREE.predict(rows).tolist() == [None, "yes", None, None]
    with pytest.warns(ContradictingRows):
        assert ol.read(TREE).possible(rows) == [(), ("yes",), (), ("no", "yes")]
    with pytest.raises(InvalidData, match="the row contradicts the facts: 'low <= high'"):
        TREE.explain(rows[0])
    numbers = ol.read({"task": "regression", "feature": "high", "relation": "<=",
                            "reference": 5, "true": {"prediction": 1.0},
                            "false": {"prediction": 2.0}}, space=SPACE)  # fmt: skip
    with pytest.warns(ContradictingRows):
        lower, upper, exact = numbers.predict_interval(rows)
    assert exact.all()
    assert np.isnan(lower).tolist() == [True, False, True, False]
    assert upper[[1, 3]].tolist() == [2.0, 2.0]
    assert lower[[1, 3]].tolist() == [2.0, 1.0]
    with pytest.warns(ContradictingRows):
        assert numbers.predict(rows, tolerance=5.0).mask.tolist() == [True, False, True, False]


def test_ranges_frames_and_columns_that_are_absent():
    said = ol.read(TREE).predict(ol.Between([{"low": 6}, {"low": 4}], [{"low": 8}, {"low": 8}]))
    assert said.tolist() == ["yes", None]
    frame = pd.DataFrame({"high": [np.nan, 3.0], "low": [7.0, np.nan]})
    assert TREE.predict(frame).tolist() == ["yes", "no"]
    without = TREE.predict(frame[["high"]])
    assert without.isna().tolist() == [True, False]
    assert TREE.predict([[7.0, None, "f"]]).tolist() == ["yes"]


def test_numbers_that_are_equal_and_the_neighbouring_floats():
    above = np.nextafter(5.0, 6.0)
    assert TREE.predict([{"low": 5.0}, {"low": above}]).tolist() == [None, "yes"]
    strict = TREE.with_facts(["low < high"])
    assert strict.predict([{"low": 5.0}]).tolist() == ["yes"]


def test_complete_rows_cost_no_search():
    rng = np.random.default_rng(0)
    low = rng.integers(0, 9, 300)
    rows = pd.DataFrame({"low": low, "high": low + rng.integers(0, 5, 300)})
    plain = TREE.with_space(SPACE.without_facts())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert TREE.predict(rows).tolist() == plain.predict(rows).tolist()
