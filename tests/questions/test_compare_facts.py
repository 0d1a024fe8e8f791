"""Two ensembles where facts hold: the same on possible rows, or such a row tells them apart."""

import pytest
from fact_cases import case
from fact_sums import Drawn
from sums import as_ensemble

import orderless as ol


def pairs(seeds, rule):
    for seed in seeds:
        one, other = Drawn(seed, rule), Drawn(seed, rule)
        if not one.found.possible:
            continue
        for own in other.values[-1][: seed % 3]:  # none, or some leaves of the last tree
            own[0] += 0.25
        yield one, other


@pytest.mark.parametrize("rule", ["largest", "cuts", "number"])
def test_the_same_on_possible_rows(rule):
    same = hidden = 0
    for one, other in pairs(range(6000, 6060), rule):
        a, b = one.model(), other.model()
        differ = [row for row in one.found.possible if one.says(row) != other.says(row)]
        assert ol.equivalent(a, b) == (not differ), one.found.seed
        row = ol.counterexample(a, b)
        assert (row is None) == (not differ)
        if row is not None:
            assert all(holds(row) for _, holds in one.found.facts), (one.found.seed, row)
            assert one.says(row) != other.says(row)
        same += not differ
        hidden += not differ and any(one.says(r) != other.says(r) for r in one.found.rows)
    assert same > 5
    assert hidden > 0


def test_a_tree_and_an_ensemble():
    space = ol.Space({"low": float, "high": float}, facts=["low <= high"])
    low = {"feature": "low", "relation": "<=", "reference": 5, "true": {"prediction": "a"},
           "false": {"feature": "high", "relation": "<=", "reference": 3,
                     "true": {"prediction": "a"}, "false": {"prediction": "b"}}}  # fmt: skip
    plain = {"feature": "low", "relation": "<=", "reference": 5, "true": {"prediction": "a"},
             "false": {"prediction": "b"}}  # fmt: skip
    many = as_ensemble(ol.read(low, space=space))
    tree = ol.read(plain, space=space)
    assert ol.equivalent(many, tree)
    assert ol.counterexample(many, tree) is None
    free = space.without_facts()
    row = ol.counterexample(many.with_space(free), tree.with_space(free))
    assert row["low"] > 5
    assert row["high"] <= 3
    assert ol.disagreement(many, tree) == 0.0
    assert ol.disagreement(many.with_space(free), tree.with_space(free)) == 0.25


def test_the_share_of_possible_cells():
    """Whole numbers between facts' bounds: what two trees as ensembles differ on, as two trees."""
    some = 0
    for seed in range(6100, 6160):
        found = case(seed)
        if not found.possible:
            continue
        one, other = found.trees()
        share = ol.disagreement(as_ensemble(one), other)
        assert share == pytest.approx(ol.disagreement(one, other), abs=1e-12), seed
        differ = any(found.says(row) != found.says(row, 1) for row in found.possible)
        assert (share > 0) == differ, seed
        some += 0 < share < 1
    assert some > 10


@pytest.mark.parametrize("rule", ["largest", "cuts", "number"])
def test_the_share_by_cells(rule):
    """Rows of the grid, put together by what the trees tell apart, weigh the same."""
    some = 0
    for one, other in pairs(range(6200, 6230), rule):
        if any(isinstance(kind, list) for kind in one.found.kinds.values()):
            continue
        a, b = one.model(), other.model()
        bins = a.kernel.bins
        cells = {}
        for row in one.found.possible:
            cell = tuple(int((float(row[f.name]) > bins.cuts[k]).sum())
                         for k, f in enumerate(bins.features))  # fmt: skip
            cells[cell] = one.says(row) != other.says(row)
        share = sum(cells.values()) / len(cells)
        assert ol.disagreement(a, b) == pytest.approx(share, abs=1e-12), one.found.seed
        some += 0 < share < 1
    assert some > 2
