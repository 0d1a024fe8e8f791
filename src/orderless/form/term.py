"""Terms: boxes in words.

In:  boxes over ``Bins``, from the core.
Out: ``Term``: conditions that hold together, as text, as data, and applied to rows; and a ``Tree``
     again out of the terms of all classes.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidSpace, InvalidTree, OutOfTime, setting
from ..inputs import AMONG, BETWEEN, CODE, Rows, read_rows
from ..model import Bins, Feature, Side, Space, Tree, row_boundary, side_text, sides_text

__all__ = ["Term", "side_from_dict", "tree_of_terms", "whole_side"]

MOST_NODES = 1_000_000


class Term:
    """A box, as conditions that hold together: one reason, or one rule.

    Two terms are equal if they say the same, whatever tree they come from.

    Attributes
    ----------
    sides : tuple of Side
        What it says of each feature, sorted by name; features of which it says nothing are left
        out.
    """

    __slots__ = ("_bins", "_box")

    def __init__(self, bins: Bins, box: NDArray[np.uint16]) -> None:
        self._bins = bins
        self._box = box

    @property
    def sides(self) -> tuple[Side, ...]:
        """What it says of each feature."""
        return self._bins.sides(self._box)

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features it is about."""
        return tuple(side.feature.name for side in self.sides)

    @property
    def conditions(self) -> tuple[str, ...]:
        """Give its conditions in words, one text per feature."""
        return tuple(side_text(side) for side in self.sides)

    @property
    def n_conditions(self) -> int:
        """How many conditions it takes; an interval with two ends takes two."""
        return sum(_n_conditions(side) for side in self.sides)

    def covers(self, X: Any) -> NDArray[np.bool_]:
        """Tell which rows it certainly covers, whatever their unknown values are."""
        space = self._bins.tree.space
        rows = read_rows(X, space, [space.index(name) for name in self.features])
        return self.covers_rows(rows)

    def covers_rows(self, rows: Rows) -> NDArray[np.bool_]:
        """``covers`` for rows that have been read over the term's space already."""
        inside = np.ones(rows.n_rows, dtype=bool)
        for side in self.sides:
            kind, first, second = rows.columns[self._bins.tree.space.index(side.feature.name)]
            inside &= _certainly(side, kind, first, second, rows.n_rows)
        return inside

    def to_dict(self) -> list[dict[str, Any]]:
        """Give what JSON needs to write it down (docs/formats)."""
        return [_side_to_dict(side) for side in self.sides]

    def _key(self) -> tuple[Any, ...]:
        return tuple(
            (s.feature.name, s.lower, s.upper, s.nan, frozenset(s.labels)) for s in self.sides
        )

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Term) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __len__(self) -> int:
        return len(self.sides)

    def __bool__(self) -> bool:
        return True  # a term without conditions always holds; it is not "nothing"

    def __str__(self) -> str:
        return sides_text(self.sides)

    def __repr__(self) -> str:
        return f"Term({self})"


def _n_conditions(side: Side) -> int:
    if not side.feature.ordered or not side.lower < side.upper:
        return 1
    low, high = side.feature.bounds
    return max((side.lower > low) + (side.upper < high), 1)


def _certainly(
    side: Side, kind: int, first: NDArray[Any] | None, second: NDArray[Any] | None, n_rows: int
) -> NDArray[np.bool_]:
    """Tell which rows' values certainly lie in a side. ``kind`` is as in ``rows``."""
    if first is None:
        return np.zeros(n_rows, dtype=bool)
    if kind == CODE:
        return np.isin(first, side.codes)
    if kind == AMONG:
        outside = np.ones(side.feature.n_values, dtype=bool)
        outside[list(side.codes)] = False
        return np.asarray(~(first.astype(bool) & outside).any(axis=1))
    values = side.feature.values
    seen = replace(
        side,
        lower=float(row_boundary(np.asarray(side.lower), values)),
        upper=float(row_boundary(np.asarray(side.upper), values)),
    )
    if kind == BETWEEN:
        assert second is not None
        # An open end that may also be NaN (see rows): then all numbers from the first on count.
        numbers = np.where(np.isnan(second) & ~np.isnan(first), np.inf, second)
        return seen.has(first) & seen.has(second) & seen.has(numbers)
    return seen.has(first.astype(np.float64, copy=False))


def _side_to_dict(side: Side) -> dict[str, Any]:
    out: dict[str, Any] = {"feature": side.feature.name}
    if side.feature.ordered:
        if not side.lower < side.upper:
            return {**out, "missing": "only"}
        if math.isfinite(side.lower):
            out["above"] = side.lower
        if math.isfinite(side.upper):
            out["at_most"] = side.upper
        if side.feature.nan:
            out["missing"] = side.nan
        return out
    n = len(side.feature.categories)
    out["among"] = [side.feature.categories[code] for code in side.codes if code < n]
    if side.feature.other:
        out["other"] = n in side.codes
    if side.feature.nan:
        out["missing"] = side.feature.n_values - 1 in side.codes
    return out


def side_from_dict(space: Space, given: Any) -> Side:
    """Read a condition of a term as ``Term.to_dict`` writes it."""
    if not isinstance(given, dict) or not isinstance(given.get("feature"), str):
        raise InvalidTree(f"a condition is a dict with a feature's name, got {given!r:.80}")
    feature = space[given["feature"]]
    if not feature.ordered:
        codes = [feature.code(label) for label in given.get("among", ())]
        if None in codes or len(feature.categories) in codes:
            raise InvalidTree(f"{given!r:.120} names a value that {feature!r} does not have")
        for flag, legal in (("other", feature.other), ("missing", feature.nan)):
            if given.get(flag) and not legal:
                raise InvalidTree(f"{given!r:.120}: {feature!r} has no value {flag!r}")
        if given.get("other"):
            codes.append(len(feature.categories))
        if given.get("missing"):
            codes.append(feature.n_values - 1)
        return Side(feature, codes=tuple(sorted({code for code in codes if code is not None})))
    if given.get("missing") and not feature.nan:
        raise InvalidTree(f"{given!r:.120}: {feature!r} has no value 'missing'")
    if given.get("missing") == "only":
        return Side(feature, 0.0, 0.0, True)
    low, high = given.get("above", -math.inf), given.get("at_most", math.inf)
    if not all(isinstance(x, int | float) for x in (low, high)) or not low < high:
        raise InvalidTree(f"{given!r:.120} is not an interval")
    return Side(feature, float(low), float(high), bool(given.get("missing", False)))


# -- a tree again ------------------------------------------------------------------------------


def tree_of_terms(
    space: Space, classes: Sequence[Any], rules: Sequence[Any], *, time_limit: float = math.inf
) -> Tree:
    """Build a tree out of terms by class, written as ``Term.to_dict`` does.

    The terms must leave no row without a class, and give none two. The tree may be exponentially
    larger than the terms; after ``time_limit`` seconds ``OutOfTime`` is raised.
    """
    if len(rules) != len(classes):
        raise InvalidTree(f"there are {len(classes)} classes and rules for {len(rules)}")
    try:
        terms = [
            (c, {side.feature.name: side for side in (side_from_dict(space, g) for g in given)})
            for c, written in enumerate(rules)
            for given in written
        ]
    except (InvalidSpace, TypeError) as fault:
        raise InvalidTree(f"these are not rules: {fault}") from fault
    return _Builder(space, classes, time_limit).build(terms)


Terms = list[tuple[int, dict[str, Side]]]
End = tuple[str, float, bool, tuple[int, ...]]  # a condition: feature, threshold, NaN, values


class _Builder:
    """Splits the space along the terms' own ends until every part has one class.

    Of the ends, the one with the greatest weight is taken first, where an end of a term that has n
    of them weighs 2^-n: it decides most, and short terms soonest.
    """

    def __init__(self, space: Space, classes: Sequence[Any], time_limit: float) -> None:
        self.time_limit = time_limit
        self.deadline = time.monotonic() + time_limit
        self.space = space
        self.classes = classes
        self.feature: list[int] = []
        self.threshold: list[float] = []
        self.nan_true: list[bool] = []
        self.children: list[list[int]] = []
        self.leaf_class: list[int] = []
        self.sets: dict[int, Sequence[int]] = {}

    def build(self, terms: Terms) -> Tree:
        todo: list[tuple[dict[str, Side], Terms, int, int]] = [({}, terms, -1, 0)]
        while todo:
            region, meeting, parent, which = todo.pop()
            meeting = [term for term in meeting if _meets(region, term[1])]
            node = self._add(region, meeting)
            if parent >= 0:
                self.children[parent][which] = node
            if self.feature[node] >= 0:
                yes, no = self._split(region, node)
                todo += [(no, meeting, node, 1), (yes, meeting, node, 0)]
        return Tree(
            self.space,
            self.classes,
            feature=self.feature,
            threshold=self.threshold,
            when_true=[pair[0] for pair in self.children],
            when_false=[pair[1] for pair in self.children],
            leaf_class=self.leaf_class,
            nan_true=self.nan_true,
            sets=self.sets,
        )

    def _add(self, region: dict[str, Side], meeting: Terms) -> int:
        node = len(self.feature)
        if node >= MOST_NODES:
            raise InvalidTree(f"these rules need a tree of more than {MOST_NODES:,} nodes")
        if time.monotonic() > self.deadline:
            raise OutOfTime(
                f"no tree was built out of these rules in {setting('time_limit', self.time_limit)} "
                f"seconds ({node:,} nodes so far): raise {setting('time_limit')}"
            )
        labels = {c for c, _ in meeting}
        self.children.append([-1, -1])
        ends: Counter[End] = Counter()
        inside = False  # whether some term has the whole region
        for _, sides in meeting:
            own = [end for side in sides.values() for end in _ends(region, side)]
            inside = inside or not own
            for end in own:
                ends[end] += 1 << max(0, 64 - len(own))
        if not meeting or (inside and len(labels) > 1):
            state = "none" if not meeting else "more than one"
            raise InvalidTree(f"the rules give some rows {state} of the classes")
        if inside:
            self.feature.append(-1)
            self.threshold.append(0.0)
            self.nan_true.append(False)
            self.leaf_class.append(labels.pop())
            return node
        name, threshold, nan_true, codes = min(ends, key=lambda end: (-ends[end], str(end)))
        self.feature.append(self.space.index(name))
        self.threshold.append(threshold)
        self.nan_true.append(nan_true)
        self.leaf_class.append(-1)
        if not self.space[name].ordered:
            self.sets[node] = codes
        return node

    def _split(self, region: dict[str, Side], node: int) -> tuple[dict[str, Side], dict[str, Side]]:
        feature = self.space.features[self.feature[node]]
        side = region.get(feature.name) or whole_side(feature)
        if not feature.ordered:
            inside = set(self.sets[node])
            yes = replace(side, codes=tuple(c for c in side.codes if c in inside))
            no = replace(side, codes=tuple(c for c in side.codes if c not in inside))
        else:
            cut = self.threshold[node]
            yes = replace(side, upper=min(cut, side.upper), nan=side.nan and self.nan_true[node])
            no = replace(side, lower=max(cut, side.lower), nan=side.nan and not self.nan_true[node])
        return {**region, feature.name: yes}, {**region, feature.name: no}


def whole_side(feature: Feature) -> Side:
    """Give the side that says nothing."""
    if feature.ordered:
        return Side(feature, -math.inf, math.inf, feature.nan)
    return Side(feature, codes=tuple(range(feature.n_values)))


def _meets(region: dict[str, Side], sides: dict[str, Side]) -> bool:
    for name, side in sides.items():
        part = region.get(name)
        if part is None:
            continue
        if side.feature.ordered:
            interval = max(part.lower, side.lower) < min(part.upper, side.upper)
            if not interval and not (part.nan and side.nan):
                return False
        elif not set(part.codes) & set(side.codes):
            return False
    return True


def _ends(region: dict[str, Side], side: Side) -> list[End]:
    """Give the conditions at which a side begins or ends inside a region."""
    feature = side.feature
    part = region.get(feature.name) or whole_side(feature)
    if not feature.ordered:
        inside = set(part.codes) & set(side.codes)
        return [(feature.name, 0.0, False, side.codes)] if inside != set(part.codes) else []
    some = side.lower < side.upper
    cuts = [cut for cut in (side.lower, side.upper) if some and part.lower < cut < part.upper]
    if not cuts and part.nan and part.lower < part.upper:
        inside_interval = some and side.lower <= part.lower and part.upper <= side.upper
        if inside_interval != side.nan:
            cuts = [math.inf]  # NaN and the numbers part ways
    return [(feature.name, cut, False, ()) for cut in cuts]
