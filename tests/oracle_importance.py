"""Importances by brute force: every tree is written down, every permutation is made.

It shares no algorithm with the package. Numbers are fractions, so that equal is equal.

    Tree = None (a leaf), or (feature, values where the answer is yes, yes, no)
    Row  = (cell, label, weight)
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

from oracle_smallest import halves, told_apart

Cell = tuple[Any, ...]
Said = dict[Cell, Any]
Row = tuple[Cell, Any, Any]


def _order(value: Any) -> tuple[str, Any]:
    return str(type(value)), value


def splits(said: Said, kinds: list[str], box: frozenset[Cell]) -> Iterator[tuple[int, Any]]:
    """All questions that make a difference in a box: the feature, and where the answer is yes."""
    for f, kind in enumerate(kinds):
        values = sorted({cell[f] for cell in box}, key=_order)
        if len(values) < 2:
            continue
        for yes in dict.fromkeys(halves(kind, values)):  # some come twice
            if kind == "sets":
                rest = [v for v in values if v not in yes]
                matters = all(told_apart(said, f, u, v, box) for u in yes for v in rest)
            else:
                numbers = [v for v in values if not (kind == "nan" and v == math.inf)]
                low = [v for v in numbers if v in yes]
                high = [v for v in numbers if v not in yes]
                if low and high:
                    matters = told_apart(said, f, low[-1], high[0], box)
                else:
                    matters = any(told_apart(said, f, v, math.inf, box) for v in numbers)
            if matters:
                yield f, yes


def parted(box: frozenset[Cell], f: int, yes: Any) -> tuple[frozenset[Cell], frozenset[Cell]]:
    inside = frozenset(cell for cell in box if cell[f] in yes)
    return inside, box - inside


def n_trees(said: Said, kinds: list[str], most: int = 10**9) -> int:
    """How many trees there are; stops counting above ``most``."""
    known: dict[frozenset[Cell], int] = {}

    def count(box: frozenset[Cell]) -> int:
        if len({said[cell] for cell in box}) == 1:
            return 1
        if box not in known:
            total = 0
            for f, yes in splits(said, kinds, box):
                one, other = parted(box, f, yes)
                total += count(one) * count(other)
                if total > most:
                    break
            known[box] = total
        return known[box]

    return count(frozenset(said))


def trees(said: Said, kinds: list[str], box: frozenset[Cell] | None = None) -> Iterator[Any]:
    """Every tree for a function whose every question makes a difference where it is asked."""
    box = frozenset(said) if box is None else box
    if len({said[cell] for cell in box}) == 1:
        yield None
        return
    for f, yes in splits(said, kinds, box):
        one, other = parted(box, f, yes)
        for first, second in itertools.product(
            list(trees(said, kinds, one)), list(trees(said, kinds, other))
        ):
            yield f, yes, first, second


def gini(weights: Sequence[Any]) -> Any:
    total = sum(weights)
    return 1 - sum(Fraction(w) ** 2 for w in weights) / Fraction(total) ** 2 if total else 0


def entropy(weights: Sequence[Any]) -> Any:
    total = sum(weights)
    return -sum(float(w / total) * math.log2(w / total) for w in weights if w) if total else 0


def importance(
    tree: Any, rows: list[Row], n_features: int, impurity: Callable[[Sequence[Any]], Any] = gini
) -> list[Any]:
    """Impurity importance by feature, not normalised, by the definition."""
    labels = {label for _, label, _ in rows}
    everything = sum(weight for _, _, weight in rows)
    out: list[Any] = [0] * n_features

    def spread(own: list[Row]) -> Any:  # weight x impurity
        by_label = [sum(w for _, a, w in own if a == label) for label in labels]
        return sum(by_label) * impurity(by_label)

    def walk(node: Any, own: list[Row]) -> None:
        if node is None:
            return
        f, yes, first, second = node
        inside = [row for row in own if row[0][f] in yes]
        outside = [row for row in own if row[0][f] not in yes]
        out[f] += (spread(own) - spread(inside) - spread(outside)) / everything
        walk(first, inside)
        walk(second, outside)

    walk(tree, rows)
    return out


def variance_importance(tree: Any, rows: list[Row], n_features: int) -> list[Fraction]:
    """Likewise for labels that are numbers, with the variance, in fractions."""
    everything = sum(Fraction(weight) for _, _, weight in rows)
    out = [Fraction(0)] * n_features

    def spread(own: list[Row]) -> Fraction:  # weight x variance
        total = sum(Fraction(w) for _, _, w in own)
        if not total:
            return Fraction(0)
        mean = sum(Fraction(w) * Fraction(y) for _, y, w in own) / total
        return sum((Fraction(w) * (Fraction(y) - mean) ** 2 for _, y, w in own), Fraction(0))

    def walk(node: Any, own: list[Row]) -> None:
        if node is None:
            return
        f, yes, first, second = node
        inside = [row for row in own if row[0][f] in yes]
        outside = [row for row in own if row[0][f] not in yes]
        out[f] += (spread(own) - spread(inside) - spread(outside)) / everything
        walk(first, inside)
        walk(second, outside)

    walk(tree, rows)
    return out


def normalised(values: list[Any]) -> list[Any]:
    total = sum(values)
    return [value / total if total > 0 else 0 * value for value in values]


# -- permutations ------------------------------------------------------------------------------


def permuted(
    decide: Callable[[Cell], Any],
    rows: list[tuple[Cell, Any]],
    own: Sequence[int],
    stratum: Callable[[Cell], Any] = lambda cell: None,
) -> Fraction:
    """Accuracy lost when the places ``own`` of the cells are permuted: the mean over every
    permutation that hands values only between rows of one stratum."""
    errors, n_permutations = 0, 0
    for order in itertools.permutations(range(len(rows))):
        if any(stratum(rows[i][0]) != stratum(rows[k][0]) for i, k in enumerate(order)):
            continue
        n_permutations += 1
        for (cell, label), k in zip(rows, order, strict=True):
            mixed = tuple(rows[k][0][j] if j in own else v for j, v in enumerate(cell))
            errors += decide(mixed) != label
    now = sum(decide(cell) != label for cell, label in rows)
    return Fraction(errors, n_permutations * len(rows)) - Fraction(now, len(rows))


def handed(
    decide: Callable[[Cell], Any], rows: list[Row], own: Sequence[int]
) -> tuple[int, int, int]:
    """(Excess errors x weight, errors, weight), by handing every row every other row's values."""
    total = sum(weight for _, _, weight in rows)
    errors = sum(weight for cell, label, weight in rows if decide(cell) != label)
    mixed = 0
    for cell, label, weight in rows:
        for other, _, there in rows:
            given = tuple(other[j] if j in own else v for j, v in enumerate(cell))
            mixed += weight * there * (decide(given) != label)
    return mixed - total * errors, errors, total


def permuted_numbers(
    decide: Callable[[Cell], Any],
    rows: list[tuple[Cell, Any]],
    own: Sequence[int],
    loss: str,
    stratum: Callable[[Cell], Any] = lambda cell: None,
) -> Fraction:
    """Error added when the places ``own`` are permuted, for numbers: the mean over every
    permutation that hands values only between rows of one stratum."""

    def lost(number: Any, y: Any) -> Fraction:
        apart = Fraction(number) - Fraction(y)
        return apart * apart if loss == "squared" else abs(apart)

    added, n_permutations = Fraction(0), 0
    for order in itertools.permutations(range(len(rows))):
        if any(stratum(rows[i][0]) != stratum(rows[k][0]) for i, k in enumerate(order)):
            continue
        n_permutations += 1
        for (cell, y), k in zip(rows, order, strict=True):
            mixed = tuple(rows[k][0][j] if j in own else v for j, v in enumerate(cell))
            added += lost(decide(mixed), y) - lost(decide(cell), y)
    return added / (n_permutations * len(rows))
