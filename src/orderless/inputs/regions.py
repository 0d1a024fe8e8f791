"""Regions in: conditions on features, as people write them in ``where=``.

In:  a dict of feature -> value, range or set, and the ``Space`` that has the features.
Out: a ``Side`` for each feature.

Ends of ranges are read as ``read_between`` reads them: both are inside, and rounded as rows are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InvalidData, a_kind
from ..model import Feature, Side, Space
from .cells import as_values, is_unknown
from .names import some_names
from .ranges import COLLECTIONS, read_between

__all__ = ["read_region"]

ENDS = ("above", "at_least", "at_most", "below")


def read_region(given: Any, space: Space, what: str = "where") -> dict[str, Side]:
    """Read conditions on features; a feature that is not named may have every value.

    Parameters
    ----------
    given : dict of feature -> condition, or None
        Numbers: a value, a range ``(lower, upper)`` with both ends inside (None: no end), or a dict
        with some of ``above``, ``at_least``, ``at_most`` and ``below``. Categories: a value, or a
        set or list of values. NaN: the value is missing, where that is a value.
    what : str
        What the conditions are called in messages.

    Examples
    --------
    >>> space = Space({"age": "integer", "color": ["red", "blue", "green"]})
    >>> read_region({"age": (18, 25)}, space)["age"].upper
    25.0
    >>> read_region({"color": {"red", "blue"}}, space)["color"].labels
    ('red', 'blue')
    >>> read_region({"age": {"above": 18}}, space)["age"].lower
    18.0
    """
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise InvalidData(
            f"{what} must be a dict {{feature: value, range or set}}, got {a_kind(given)}"
        )
    out = {}
    for name, condition in given.items():
        feature = space[name]
        try:
            side = _numbers(feature, condition) if feature.ordered else _labels(feature, condition)
        except InvalidData as fault:
            text = str(fault).removeprefix("row 0, ").removeprefix(f"feature {name!r}: ")
            raise InvalidData(f"{what}, feature {name!r}: {text}") from None
        out[name] = side
    return out


def _numbers(feature: Feature, condition: Any) -> Side:
    if isinstance(condition, Mapping):
        return _between(feature, condition)
    if isinstance(condition, set | frozenset):
        raise InvalidData(
            "a set is for categories: give a number, or a range (lower, upper) with both ends "
            "inside and None for no end"
        )
    if isinstance(condition, COLLECTIONS):
        if len(condition) != 2:
            raise InvalidData(
                f"a range has two ends, (lower, upper), got {len(condition)}: None is no end"
            )
        low, high = condition
        if is_unknown(low) and is_unknown(high):
            raise InvalidData("the range has no end: leave the feature out")
        return _interval(feature, low, high)
    if is_unknown(condition):
        if condition is None or not feature.nan:
            raise InvalidData(
                f"{condition!r} is no value: give a number, or a range (lower, upper)"
                + (", or NaN for a value that is missing" if feature.nan else "")
            )
        return Side(feature, 0.0, 0.0, True)
    return _interval(feature, condition, condition)


def _interval(feature: Feature, low: Any, high: Any) -> Side:
    """Read a range as ``predict_between`` reads it; what lies between numbers is a number."""
    plain = replace(feature, nan=False)
    rows = read_between([{feature.name: low}], [{feature.name: high}], Space([plain]), [0])
    _, first, last = rows.columns[0]
    assert first is not None
    assert last is not None
    lower = float(feature.at_most(first[0], strict=True)) if first[0] > -math.inf else -math.inf
    return Side(feature, lower, float(last[0]))


def _between(feature: Feature, ends: Mapping[str, Any]) -> Side:
    unknown = [key for key in ends if key not in ENDS]
    if unknown or not ends:
        raise InvalidData(
            f"the ends of a range must be some of {some_names(ENDS)}, got "
            f"{some_names(unknown) or 'none'}"
        )
    for pair in (("above", "at_least"), ("at_most", "below")):
        if all(key in ends for key in pair):
            raise InvalidData(f"give {pair[0]!r} or {pair[1]!r}, not both")
    side = Side.whole(replace(feature, nan=False))
    lower, upper = side.lower, side.upper
    for key, end in ends.items():
        if is_unknown(end):
            raise InvalidData(f"{key!r} must be a number, got {end!r}")
        if key in ("at_least", "at_most"):
            part = _interval(feature, *((end, None) if key == "at_least" else (None, end)))
            lower, upper = max(lower, part.lower), min(upper, part.upper)
            continue
        # The end itself is outside; it is rounded as the numbers of rows are.
        number = _interval(replace(feature, kind="numeric", values=_wide(feature)), end, end).upper
        number = float(as_values(feature, np.asarray(number)))
        if key == "above":
            lower = max(lower, float(feature.at_most(number)))
        else:
            upper = min(upper, float(feature.at_most(number, strict=True)))
    if not lower < upper:
        raise InvalidData(f"no value lies in the range {dict(ends)!r:.120}")
    return Side(feature, lower, upper)


def _wide(feature: Feature) -> Any:
    return "float32" if feature.values == "float32" else "float64"


def _labels(feature: Feature, condition: Any) -> Side:
    if isinstance(condition, Mapping):
        raise InvalidData(
            f"categories have no order: give a value or a set of values, got {condition!r:.80}"
        )
    if condition is None:
        raise InvalidData("None is no value: give a category, or a set of categories")
    many = condition if isinstance(condition, COLLECTIONS) else [condition]
    row = [{feature.name: list(many)}]
    _, allowed, _ = read_between(row, [{}], Space([feature]), [0]).columns[0]
    assert allowed is not None
    return Side(feature, codes=tuple(np.flatnonzero(allowed[0]).tolist()))
