"""Brute force for the smallest tree of a function. It shares no algorithm with the package."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

from oracle import Spec, bins_by_feature, decide, float32_names


def table_of(kinds: dict[str, Any], spec: Spec) -> tuple[dict[tuple[Any, ...], Any], list[str]]:
    """The class of every combination of bins, and per feature whether it is "cuts" or "sets"."""
    bins = bins_by_feature(kinds, spec)
    rounded = float32_names(kinds)
    said = {
        cell: decide(spec, dict(zip(kinds, cell, strict=True)), rounded)
        for cell in itertools.product(*(bins[name] for name in kinds))
    }
    return said, ["sets" if isinstance(kind, tuple) else "cuts" for kind in kinds.values()]


def told_apart(said: dict[tuple[Any, ...], Any], f: int, u: Any, v: Any, box: Any = None) -> bool:
    """Whether two values of a feature make a difference in some cell of the box."""
    return any(
        cell[f] == u and said[cell] != said[(*cell[:f], v, *cell[f + 1 :])]
        for cell in (said if box is None else box)
    )


def merged(said: dict[tuple[Any, ...], Any], kinds: list[str]) -> dict[tuple[Any, ...], Any]:
    """The same table over the bins that the function tells apart: of equal ones, the first."""
    kept = []
    for f, kind in enumerate(kinds):
        values = sorted({cell[f] for cell in said}, key=lambda v: (str(type(v)), v))
        chosen = values[:1]
        for value in values[1:]:
            # Equal cuts: the neighbour decides. Equal categories: any that is there.
            others = [values[values.index(value) - 1]] if kind != "sets" else chosen
            if kind == "nan" and value == math.inf:
                others = []  # missing is a value by itself
            if all(told_apart(said, f, other, value) for other in others):
                chosen.append(value)
        kept.append(set(chosen))
    return {
        cell: label
        for cell, label in said.items()
        if all(v in k for v, k in zip(cell, kept, strict=True))
    }


def halves(kind: str, values: list[Any]) -> Iterator[frozenset[Any]]:
    """All ways to ask about a feature that has these values: where the answer is yes.

    kind: "cuts" (numbers), "nan" (numbers, and inf which stands for missing) or "sets".
    """
    if kind == "sets":
        first, *rest = values
        for size in range(len(rest)):
            for chosen in itertools.combinations(rest, size):
                yield frozenset([first, *chosen])
        return
    numbers = [v for v in values if not (kind == "nan" and v == math.inf)]
    missing = [v for v in values if v not in numbers]
    for i in range(1, len(numbers) + 1):
        if i < len(numbers):
            yield frozenset([*numbers[:i], *missing])
        if i < len(numbers) or missing:
            yield frozenset(numbers[:i])


def smallest(
    said: dict[tuple[Any, ...], Any],
    kinds: list[str],
    minimize: str,
    weight: dict[tuple[Any, ...], int] | None = None,
    that_matter: bool = False,
) -> int:
    """The least leaves, depth, or sum of depths (by weight), by trying every split of every box."""
    known: dict[frozenset[Any], int] = {}

    def matters(f: int, yes: frozenset[Any], values: list[Any], box: frozenset[Any]) -> bool:
        if not that_matter:
            return True
        if kinds[f] == "sets":
            return all(told_apart(said, f, u, v, box) for u in yes for v in values if v not in yes)
        numbers = [v for v in values if not (kinds[f] == "nan" and v == math.inf)]
        low, high = [v for v in numbers if v in yes], [v for v in numbers if v not in yes]
        if low and high:
            return told_apart(said, f, low[-1], high[0], box)
        return any(told_apart(said, f, v, math.inf, box) for v in numbers)

    def best(box: frozenset[Any]) -> int:
        if len({said[cell] for cell in box}) == 1:
            return 1 if minimize == "leaves" else 0
        if box in known:
            return known[box]
        found = []
        for f, kind in enumerate(kinds):
            values = sorted({cell[f] for cell in box}, key=lambda v: (str(type(v)), v))
            if len(values) < 2:
                continue
            for yes in halves(kind, values):
                if not matters(f, yes, values, box):
                    continue
                one = best(frozenset(cell for cell in box if cell[f] in yes))
                other = best(frozenset(cell for cell in box if cell[f] not in yes))
                if minimize == "depth":
                    found.append(1 + max(one, other))
                elif minimize == "leaves":
                    found.append(one + other)
                else:
                    own = sum(1 if weight is None else weight.get(cell, 0) for cell in box)
                    found.append(own + one + other)
        known[box] = min(found)
        return known[box]

    return best(frozenset(said))
