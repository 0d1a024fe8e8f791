"""Two ensembles where facts hold: the same on possible rows, or such a row tells them apart."""

import pytest
from fact_sums import Drawn

import orderless as ol
from orderless.ensembles import as_ensemble
from orderless.errors import InvalidSpace


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
    space = ol.Space({"low": float, "high": float}, knowing=["low <= high"])
    low = {"feature": "low", "relation": "<=", "reference": 5, "true": {"prediction": "a"},
           "false": {"feature": "high", "relation": "<=", "reference": 3,
                     "true": {"prediction": "a"}, "false": {"prediction": "b"}}}  # fmt: skip
    plain = {"feature": "low", "relation": "<=", "reference": 5, "true": {"prediction": "a"},
             "false": {"prediction": "b"}}  # fmt: skip
    many = as_ensemble(ol.read_tree(low, space=space))
    tree = ol.read_tree(plain, space=space)
    assert ol.equivalent(many, tree)
    assert ol.counterexample(many, tree) is None
    free = space.without_facts()
    row = ol.counterexample(many.over(free), tree.over(free))
    assert row["low"] > 5
    assert row["high"] <= 3
    with pytest.raises(InvalidSpace, match="disagreement of ensembles without rows does not work"):
        ol.disagreement(many, tree)
