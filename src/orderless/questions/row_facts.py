"""What a row says where facts or numbers are about it: values that are told apart, intervals.

In:  a kernel, one row.
Out: sides that must begin and end where bins do; the interval of numbers to be kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..inputs import exact
from ..model import Feature, Rows, Side, SumKernel, TreeKernel, ValueSet, read_tolerance, row_values

__all__ = ["fact_sides", "widened_interval"]


def fact_sides(
    kernel: TreeKernel | SumKernel, rows: Rows, more: Mapping[int, Sequence[Side]] | None = None
) -> dict[int, list[Side]]:
    """Return the values that facts tell apart, by feature, of those connected with the kernel's.

    Where facts compare features with each other, the values of the first row are told apart, too.
    ``more``: others.
    """
    space, domain = kernel.space, kernel.space.domain
    groups = {domain.group_of[i] for i in kernel.used if i in domain.group_of}
    sources: list[Mapping[int, Sequence[Side]]] = [domain.own_sides(), more or {}]
    if domain.linear:
        values = row_values(space, kernel.connected, rows, 0)
        sources.append({i: [_side(space.features[i], own)] for i, own in values.items()})
    sides: dict[int, list[Side]] = {}
    for source in sources:
        for i, own in source.items():
            if domain.group_of.get(i) in groups:
                sides.setdefault(i, []).extend(own)
    return sides


def _side(feature: Feature, values: ValueSet) -> Side:
    if values.codes is not None:
        return Side(feature, codes=tuple(sorted(values.codes)))
    if values.ends is None:
        return Side(feature, 0.0, 0.0, values.nan)
    low, high = values.ends
    below = -np.inf if low is None else float(feature.at_most(float(low[0]), strict=True))
    upper = np.inf if high is None else float(feature.at_most(float(high[0])))
    if feature.kind == "numeric" and feature.values == "float32" and low is not None:
        value = float(np.float32(float(low[0])))  # as the tree rounds it
        below = float(feature.at_most(value, strict=True))
        upper = max(upper, value)
    return Side(feature, below, upper, values.nan)


def widened_interval(lower: Any, upper: Any, tolerance: float) -> tuple[float, float]:
    """Return the numbers that a row can get, widened by a tolerance, in decimals."""
    if not tolerance:
        return float(lower), float(upper)
    more = exact(read_tolerance(tolerance))
    return _float_from(exact(float(lower)) - more), -_float_from(-exact(float(upper)) - more)


def _float_from(number: Fraction) -> float:
    """Return the smallest float that is at least a number, as the decimal that it is written as."""
    try:
        near = float(number)
    except OverflowError:
        return math.copysign(math.inf, number)
    while exact(near) < number:
        near = math.nextafter(near, math.inf)
    return near
