"""Example rows: plain values out of a box, which satisfy the facts.

In:  features, a box as a side for some of them, a ``Domain``.
Out: a row with a value for every feature.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from .facts.domain import Domain, all_values, values_between, values_in
from .facts.solver import ValueSet, meet
from .feature import Feature, Side, any_value, value_in

__all__ = ["adjusted_in", "adjusted_row", "example_row", "is_possible", "value_sets_of"]

Sides = Mapping[str, Side]
DIGITS = range(1, 17)


def value_sets_of(domain: Domain, sides: Sides) -> dict[int, ValueSet]:
    """Return the values that a box has of the features that facts are about."""
    return {
        i: values_in(sides[domain.features[i].name])
        for i in domain.group_of
        if domain.features[i].name in sides
    }


def is_possible(domain: Domain, sides: Sides) -> bool:
    """Return whether a box has a possible row."""
    return domain.possible(value_sets_of(domain, sides))


def example_row(
    features: Sequence[Feature],
    sides: Mapping[str, Side],
    cuts: Mapping[str, Sequence[float]],
    rounded: Collection[str] | None = None,
) -> dict[str, Any]:
    """Choose a row in a box: plain values, near the thresholds.

    ``rounded``: the features whose numbers everybody rounds alike; None for all.
    """
    row = {}
    for feature in features:
        side = sides.get(feature.name)
        if side is None:
            row[feature.name] = any_value(feature)
            continue
        own = side.feature
        alike = rounded is None or feature.name in rounded
        row[feature.name] = value_in(own, cuts.get(own.name, []), side.lower, side.upper,
                                     side.nan, list(side.codes), rounded=alike)  # fmt: skip
    return row


def adjusted_row(domain: Domain, row: Mapping[str, Any], sides: Sides) -> Any:
    """Return a row inside a box that satisfies the facts, as near as may be to one that may not.

    Values are kept one by one, as long as the facts can still be satisfied; others are chosen anew,
    with few digits where that is possible. Where no floats do (``3 * x = 1``), the nearest floats
    are given, and this is said.
    """
    if not domain.restricts:
        return dict(row)
    return adjusted_in(domain, row, value_sets_of(domain, sides))


def adjusted_in(
    domain: Domain, row: Mapping[str, Any], value_sets: Mapping[int, ValueSet]
) -> dict[str, Any]:
    """Do what ``adjusted_row`` does, inside values that have a possible row."""
    own = dict(value_sets)
    out = dict(row)
    names = {feature.name: i for i, feature in enumerate(domain.features)}
    for name in row:
        i = names.get(name)
        if i is None or i not in domain.group_of:
            continue
        feature = domain.features[i]
        for value in _values(domain, own, i, row[name]):
            pinned = _pinned(feature, value)
            narrow = meet(own.get(i, domain.whole[i]), pinned)
            if not narrow.empty and domain.possible({**own, i: narrow}):
                own[i], out[name] = narrow, value
                break
        else:
            out[name] = _solved(domain, own, i)
            warnings.warn(
                f"the facts leave no float for {name!r} in this row that satisfies them exactly: "
                f"{out[name]!r} is the nearest",
                UserWarning,
                stacklevel=3,
            )
    return out


def _pinned(feature: Feature, value: Any) -> ValueSet:
    if not feature.ordered:
        missing = isinstance(value, float) and math.isnan(value)
        code = feature.n_values - 1 if missing and feature.nan else feature.code(value)
        return ValueSet(codes=frozenset() if code is None else frozenset([code]))
    number = float(value)
    if math.isnan(number):
        return all_values(feature)._replace(ends=None, nan=feature.nan)
    return values_between(feature, number, number, False)


def _values(domain: Domain, own: Mapping[int, ValueSet], i: int, plain: Any) -> Iterator[Any]:
    """Yield values of a feature to try, plain ones first.

    Where facts add numbers up, whole numbers, halves, quarters, ... come first: sums of them are
    floats, so that the values that are chosen later can be exact.
    """
    feature = domain.features[i]
    if not feature.ordered or feature.whole or math.isnan(plain):
        yield plain
        yield _solved(domain, own, i)
        return
    if not domain.linear:
        yield plain
    yield from _near(plain)
    solution = _solved(domain, own, i)
    if math.isnan(solution):
        yield solution
        return
    yield from _near(solution)
    yield from (float(f"{solution:.{digits}g}") for digits in DIGITS)
    yield solution
    for towards in (-math.inf, math.inf):
        yield float(np.nextafter(solution, towards))


def _near(number: float) -> Iterator[float]:
    """Yield multiples of 1, 1/2, 1/4, ... near a number."""
    if math.isfinite(number) and abs(number) < 2.0**52:
        for bits in range(0, 30, 2):
            yield math.floor(number * 2.0**bits) / 2.0**bits
            yield math.ceil(number * 2.0**bits) / 2.0**bits


def _solved(domain: Domain, own: Mapping[int, ValueSet], i: int) -> Any:
    """Return the value of a feature in some row that satisfies the facts."""
    values = domain.row(own)
    assert values is not None, "the box has a possible row"
    feature, value = domain.features[i], values[i]
    if value is None:
        return math.nan
    if not feature.ordered:
        return value_in(feature, [], 0.0, 0.0, False, [int(value)])
    if feature.kind == "boolean":
        return bool(value)
    return int(value) if feature.whole else float(value)
