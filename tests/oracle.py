"""Brute force, to check every answer against. It shares no algorithm with the package.

A tree is a plain nested tuple, a row a plain dict; everything is tried by enumeration.

    Leaf  = ("leaf", label)
    Split = ("split", feature name, test, yes, no)
    test  = a number (value at most it) or a frozenset (value in it)
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Iterator
from typing import Any

Spec = tuple[Any, ...]


def as_float32(x: float) -> float:
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def decide(spec: Spec, row: dict[str, Any], float32: frozenset[str] = frozenset()) -> Any:
    """Walk one complete row down a tree."""
    while spec[0] == "split":
        _, name, test, yes, no = spec
        value = row[name]
        if isinstance(test, frozenset):
            holds = value in test
        else:
            holds = (as_float32(value) if name in float32 else value) <= test
        spec = yes if holds else no
    return spec[1]


def tests_of(spec: Spec) -> Iterator[tuple[str, Any]]:
    if spec[0] == "split":
        yield spec[1], spec[2]
        yield from tests_of(spec[3])
        yield from tests_of(spec[4])


def values_by_feature(kinds: dict[str, Any], *specs: Spec) -> dict[str, list[Any]]:
    """For each feature enough values to tell all trees apart: one per bin at least.

    ``kinds``: name -> "float64", "float32", "integer", "boolean", or a tuple of categories.
    """
    out: dict[str, list[Any]] = {}
    for name, kind in kinds.items():
        if kind == "boolean":
            out[name] = [False, True]
        elif isinstance(kind, tuple):
            out[name] = list(kind)
        else:
            values = {0.0}
            for spec in specs:
                for tested, cut in tests_of(spec):
                    if tested != name:
                        continue
                    if kind == "integer":
                        low = float(math.floor(cut))
                        values |= {low, max(low + 1, math.nextafter(low, math.inf))}
                    elif kind == "float64":
                        values |= {cut, math.nextafter(cut, math.inf)}
                    else:
                        near = as_float32(cut)
                        values |= {near, *float32_neighbours(near)}
            out[name] = sorted(values)
    return out


def float32_neighbours(x: float) -> tuple[float, float]:
    """The float32 just below and just above a float32."""
    (bits,) = struct.unpack("i", struct.pack("f", x))
    key = bits if bits >= 0 else -(2**31) - bits
    out = []
    for step in (-1, 1):
        k = key + step
        bits = k if k >= 0 else -(2**31) - k
        out.append(struct.unpack("f", struct.pack("i", bits))[0])
    return out[0], out[1]


def cells(kinds: dict[str, Any], *specs: Spec) -> Iterator[dict[str, Any]]:
    """Rows that between them reach every combination of bins."""
    values = values_by_feature(kinds, *specs)
    for combination in itertools.product(*values.values()):
        yield dict(zip(values, combination, strict=True))


def float32_names(kinds: dict[str, Any]) -> frozenset[str]:
    return frozenset(name for name, kind in kinds.items() if kind == "float32")


def same_function(kinds: dict[str, Any], a: Spec, b: Spec) -> bool:
    rounded = float32_names(kinds)
    return all(decide(a, row, rounded) == decide(b, row, rounded) for row in cells(kinds, a, b))


def completions(kinds: dict[str, Any], row: dict[str, Any], spec: Spec) -> Iterator[dict[str, Any]]:
    """All ways to fill in the features that a row does not have (or has as None)."""
    values = values_by_feature(kinds, spec)
    known = {name: [row[name]] if row.get(name) is not None else values[name] for name in kinds}
    for combination in itertools.product(*known.values()):
        yield dict(zip(known, combination, strict=True))


def possible_classes(kinds: dict[str, Any], row: dict[str, Any], spec: Spec) -> set[Any]:
    rounded = float32_names(kinds)
    return {decide(spec, full, rounded) for full in completions(kinds, row, spec)}


def all_boolean_trees(names: tuple[str, ...]) -> Iterator[Spec]:
    """Every decision tree that asks each boolean at most once on a path."""
    yield ("leaf", 0)
    yield ("leaf", 1)
    for name in names:
        rest = tuple(other for other in names if other != name)
        children = list(all_boolean_trees(rest))
        for yes, no in itertools.product(children, children):
            yield ("split", name, frozenset([True]), yes, no)


# -- reasons and rules -------------------------------------------------------------------------


def bins_by_feature(kinds: dict[str, Any], *specs: Spec) -> dict[str, list[Any]]:
    """One value per bin of each feature, in order: values that every test treats alike are one."""
    rounded = float32_names(kinds)
    out: dict[str, list[Any]] = {}
    for name, values in values_by_feature(kinds, *specs).items():
        tests = sorted({t for s in specs for f, t in tests_of(s) if f == name}, key=str)
        if isinstance(kinds[name], tuple) or kinds[name] == "boolean":
            out[name] = values  # every value by itself
            continue
        seen: dict[tuple[bool, ...], Any] = {}
        for value in values:
            x = as_float32(value) if name in rounded else value
            seen.setdefault(tuple(x <= cut for cut in tests), value)
        out[name] = sorted(seen.values())
    return out


def sides(kind: Any, values: list[Any]) -> list[frozenset[Any]]:
    """All sides of a box: intervals of bins, or sets of categories."""
    if isinstance(kind, tuple):
        return [
            frozenset(chosen)
            for size in range(1, len(values) + 1)
            for chosen in itertools.combinations(values, size)
        ]
    return [
        frozenset(values[i:j]) for i in range(len(values)) for j in range(i + 1, len(values) + 1)
    ]


Box = tuple[frozenset[Any], ...]


def all_boxes(kinds: dict[str, Any], spec: Spec) -> Iterator[tuple[Box, set[Any]]]:
    """Every box, as one set of bins per feature in the order of ``kinds``, and its classes."""
    bins = bins_by_feature(kinds, spec)
    rounded = float32_names(kinds)
    said = {
        cell: decide(spec, dict(zip(kinds, cell, strict=True)), rounded)
        for cell in itertools.product(*(bins[name] for name in kinds))
    }
    for box in itertools.product(*(sides(kinds[name], bins[name]) for name in kinds)):
        yield box, {said[cell] for cell in itertools.product(*box)}


def n_boxes(kinds: dict[str, Any], spec: Spec) -> int:
    bins = bins_by_feature(kinds, spec)
    return math.prod(len(sides(kinds[name], bins[name])) for name in kinds)


def reasons(kinds: dict[str, Any], spec: Spec, label: Any) -> set[Box]:
    """All maximal boxes on which the class is certain, by trying every box."""
    certain = [box for box, classes in all_boxes(kinds, spec) if classes == {label}]

    def inside(a: Box, b: Box) -> bool:
        return all(p <= q for p, q in zip(a, b, strict=True))

    by_size = sorted(certain, key=lambda box: -math.prod(len(side) for side in box))
    maximal: list[Box] = []
    for box in by_size:
        if not any(inside(box, other) for other in maximal):
            maximal.append(box)
    return set(maximal)


def smallest_cover_size(kinds: dict[str, Any], spec: Spec, label: Any, found: set[Box]) -> int:
    """The least number of boxes that cover the class, by trying all choices of one, two, ..."""
    bins = bins_by_feature(kinds, spec)
    rounded = float32_names(kinds)
    cells = [
        cell
        for cell in itertools.product(*(bins[name] for name in kinds))
        if decide(spec, dict(zip(kinds, cell, strict=True)), rounded) == label
    ]
    boxes = list(found)
    masks = [
        sum(1 << k for k, cell in enumerate(cells)
            if all(v in side for v, side in zip(cell, box, strict=True)))
        for box in boxes
    ]  # fmt: skip
    full = (1 << len(cells)) - 1
    for size in range(len(boxes) + 1):
        for chosen in itertools.combinations(masks, size):
            covered = 0
            for mask in chosen:
                covered |= mask
            if covered == full:
                return size
    raise AssertionError("the reasons do not cover the class")


# -- one row -----------------------------------------------------------------------------------


def bins_of_row(
    kinds: dict[str, Any], spec: Spec, row: dict[str, Any]
) -> dict[str, frozenset[Any]]:
    """Per feature the bins in which a row may lie: one if its value is known, else all."""
    rounded = float32_names(kinds)
    out = {}
    for name, values in bins_by_feature(kinds, spec).items():
        known = row.get(name)
        tests = [test for tested, test in tests_of(spec) if tested == name]
        if known is None:
            out[name] = frozenset(values)
        elif kinds[name] == "boolean" or isinstance(kinds[name], tuple):
            out[name] = frozenset([known])
        else:
            read = as_float32 if name in rounded else float
            out[name] = frozenset(
                v for v in values if all((read(v) <= t) == (read(known) <= t) for t in tests)
            )
    return out


def reasons_of_row(kinds: dict[str, Any], spec: Spec, label: Any, row: dict[str, Any]) -> set[Box]:
    """The reasons of the class that hold for a row whatever its unknown values are."""
    inside = bins_of_row(kinds, spec, row)
    return {
        box
        for box in reasons(kinds, spec, label)
        if all(inside[name] <= side for name, side in zip(kinds, box, strict=True))
    }


def changes_of_row(
    kinds: dict[str, Any], spec: Spec, label: Any, row: dict[str, Any]
) -> set[tuple[tuple[str, ...], Any, Box]]:
    """The fewest features that can be changed so that another class is possible.

    All sets of them, for each the class and every maximal box of new values, by trying everything.
    """
    bins, rounded = bins_by_feature(kinds, spec), float32_names(kinds)
    here = bins_of_row(kinds, spec, row)
    for size in range(1, len(kinds) + 1):
        out = set()
        for changed in itertools.combinations(kinds, size):
            possible: dict[Any, set[tuple[Any, ...]]] = {}
            for new in itertools.product(*(bins[name] for name in changed)):
                put = {**here, **{name: [v] for name, v in zip(changed, new, strict=True)}}
                for cell in itertools.product(*(put[name] for name in kinds)):
                    said = decide(spec, dict(zip(kinds, cell, strict=True)), rounded)
                    possible.setdefault(said, set()).add(new)
            for said in set(possible) - {label}:
                boxes = [
                    box
                    for box in itertools.product(*(sides(kinds[n], bins[n]) for n in changed))
                    if set(itertools.product(*box)) <= possible[said]
                ]
                out |= {
                    (changed, said, box)
                    for box in boxes
                    if not any(
                        box != other and all(p <= q for p, q in zip(box, other, strict=True))
                        for other in boxes
                    )
                }
        if out:
            return out
    return set()


# -- ranges, and what is needed ----------------------------------------------------------------


def values_in_range(kind: Any, values: list[Any], low: Any, high: Any) -> list[Any]:
    """Values of a feature from low to high (None: no end), enough to meet every bin there."""
    if kind == "boolean":
        ends: list[Any] = []
    elif kind == "integer":
        ends = [math.ceil(low)] if low is not None else []
        ends += [math.floor(high)] if high is not None else []
    else:
        ends = [end for end in (low, high) if end is not None]
    return [
        value
        for value in [*values, *ends]
        if (low is None or value >= low) and (high is None or value <= high)
    ]


def classes_of_box(kinds: dict[str, Any], spec: Spec, box: dict[str, list[Any]]) -> set[Any]:
    """The classes of all combinations of the values that a box lists."""
    rounded = float32_names(kinds)
    return {
        decide(spec, dict(zip(box, cell, strict=True)), rounded)
        for cell in itertools.product(*box.values())
    }


def needed(
    kinds: dict[str, Any], row: dict[str, Any], spec: Spec
) -> tuple[set[frozenset[str]], set[frozenset[str]]]:
    """All smallest sets of unknown features that settle a row for all, and for some, values."""
    values = values_by_feature(kinds, spec)
    unknown = [name for name in kinds if row.get(name) is None]
    settle: set[frozenset[str]] = set()
    could: set[frozenset[str]] = set()
    for size in range(len(unknown) + 1):
        for chosen in itertools.combinations(unknown, size):
            settled = [
                len(possible_classes(kinds, {**row, **dict(zip(chosen, cell, strict=True))}, spec))
                == 1
                for cell in itertools.product(*(values[name] for name in chosen))
            ]
            if all(settled) and all(len(other) == size for other in settle):
                settle.add(frozenset(chosen))
            if any(settled) and all(len(other) == size for other in could):
                could.add(frozenset(chosen))
    return settle, could
