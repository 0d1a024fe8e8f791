"""What facts say of some features, whatever the others are: against all rows of small grids."""

import itertools
from fractions import Fraction

import pytest
from fact_cases import case, values
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless.errors import TooLarge
from orderless.model.facts.domain import values_between
from orderless.model.facts.solver import ValueSet, holds, projected, solve


def domain(feature, value):
    if not feature.ordered:
        return ValueSet(codes=frozenset([feature.code(value)]))
    return values_between(feature, float(value), float(value), False)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10_000), st.booleans(), st.data())
def test_values_satisfy_it_iff_a_possible_row_has_them(seed, real, data):
    found = case(seed, real=real)
    if not found.possible:
        return
    space = found.space()
    knowledge = space.domain
    names = list(found.kinds)
    keep = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=2, unique=True))
    places = [i for i in map(space.index, keep) if i in knowledge.group_of]
    if not places:
        return
    formula = knowledge.projected({}, places)
    own = [names[i] for i in places]
    there = {tuple(row[name] for name in own) for row in found.possible}
    for point in itertools.product(*(values(found.kinds[name]) for name in own)):
        at = {i: domain(space.features[i], v) for i, v in zip(places, point, strict=True)}
        assert (solve([formula], at) is not None) == (point in there), (seed, own, point)
        assert holds(formula, at) in (None, point in there)


def test_whole_numbers_are_no_real_numbers():
    """3 of 2 * a + 1 = b: b is odd."""
    space = ol.Space({"a": int, "b": int}, facts=["2*a + 1 = b", "a >= 0", "a <= 20"])
    knowledge = space.domain
    formula = knowledge.projected({}, [1])
    one = {b: values_between(space["b"], b, b, False) for b in range(-3, 50)}
    odd = [b for b, values in one.items() if solve([formula], {1: values}) is not None]
    assert odd == list(range(1, 42, 2))
    wide = ol.Space({"a": int, "b": int}, facts=["2*a + 1 = b"]).domain
    with pytest.raises(TooLarge, match="whole numbers with more than 64 values"):
        wide.projected({}, [1])
    exact = projected(wide.formulas, dict(enumerate(wide.whole)), [0], wide.whole)
    assert solve([exact], {0: values_between(space["a"], 7, 7, False)}) == {0: Fraction(7)}
