"""What to ask next of an ensemble where facts hold: its value can matter among possible rows."""

import pytest
from fact_sums import Drawn

import orderless as ol
from orderless.errors import ContradictingRows


@pytest.mark.parametrize("rule", ["largest", "cuts", "number"])
def test_two_possible_completions_differ_in_it(rule):
    n = 0
    for seed in range(7600, 7640):
        own = Drawn(seed, rule)
        if not own.found.possible:
            continue
        model = own.model()
        for part in own.found.parts(3):
            rows = own.found.completions(part)
            if not rows:
                with pytest.warns(ContradictingRows):
                    assert model.ask_next([part]).mask[0]
                continue
            asked = model.ask_next([part])
            assert asked.mask[0] == (len({own.says(row) for row in rows}) == 1), (seed, part)
            if asked.mask[0]:
                continue
            name = asked[0]
            assert name in model.features
            assert name not in part
            assert any(one[name] != two[name] and own.says(one) != own.says(two)
                       for one in rows for two in rows), (seed, part, name)  # fmt: skip
            n += 1
    assert n > 10


def test_what_a_fact_excludes_is_not_asked():
    """One of two features decides; with the fact, only the other can still matter."""
    items = [{"feature": "a", "points": 1}, {"feature": "b", "points": 1}]
    space = ol.Space({"a": bool, "b": bool, "c": bool})
    model = ol.Ensemble.from_points(
        {"items": items, "verdicts": {"no": None, "yes": 1}}, space=space
    )
    known = model.with_facts(["if c then not a", "if b then a"])
    assert known.ask_next([{}, {"c": True}, {"c": False}]).tolist() == ["a", None, "a"]
    equal = model.with_facts(["if a then b", "if b then a"])  # never one alone
    assert equal.ask_next([{}]).tolist() == ["a"]
    assert equal.ask_next([{}], {"a": 2, "b": 1}).tolist() == ["b"]
