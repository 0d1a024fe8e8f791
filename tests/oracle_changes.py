"""Brute force for changes of a row: every set of features, every new value, every completion.

It knows a model only by what it says of complete rows, and features by some values in every bin.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Row = dict[str, Any]


def same(a, b):
    return a == b or (a != a and b != b)


@dataclass
class Restricted:
    """What may be changed, as ``changes`` takes it."""

    immutable: tuple[str, ...] = ()
    only_up: tuple[str, ...] = ()
    only_down: tuple[str, ...] = ()
    ranges: Mapping[str, Any] = field(default_factory=dict)
    costs: Mapping[str, float] | None = None
    per_unit: Mapping[str, float] | None = None
    to: Any = ...

    def allows(self, name, old, new):
        if name in self.immutable:
            return False
        for names, sign in ((self.only_up, 1), (self.only_down, -1)):
            if name in names and not sign * (new - old) > 0:  # nor from, or to, a missing value
                return False
        if name not in self.ranges:
            return True
        inside = self.ranges[name]
        if isinstance(inside, tuple):
            return inside[0] <= new <= inside[1]
        return new in inside

    def cost(self, row, new):
        out = sum((self.costs or {}).get(name, 0) for name in new)
        for name, price in (self.per_unit or {}).items():
            if name in new and new[name] == new[name]:
                out += price * abs(float(new[name]) - float(row[name]))
        return out

    def given(self):
        return vars(self)


@dataclass
class Brute:
    """All changes of a row whose answer is certain.

    ``every``: values of each feature, at least one in each bin; ``says``: the answer of a complete
    row; ``possible``: whether a complete row can be. What ``row`` lacks is unknown.
    """

    every: Mapping[str, Sequence[Any]]
    row: Row
    says: Callable[[Row], Any]
    limits: Restricted
    possible: Callable[[Row], bool] = lambda _: True

    def __post_init__(self):
        answers = self.answers({})
        self.label = next(iter(answers)) if len(answers) == 1 else None

    def answers(self, new):
        """Give what the row can get with new values for some features."""
        known = {**self.row, **new}
        sides = [[known[name]] if name in known else self.every[name] for name in self.every]
        rows = (dict(zip(self.every, values, strict=True)) for values in itertools.product(*sides))
        return {self.says(row) for row in rows if self.possible(row)}

    @cached_property
    def allowed(self):
        """By feature of the row the values that it may be changed to."""
        return {
            name: [v for v in self.every[name] if self.limits.allows(name, old, v)]
            for name, old in self.row.items()
        }

    def wanted(self, label):
        return label != self.label and self.limits.to in (..., label)

    def changed(self, names):
        """Give all new values of some features."""
        for values in itertools.product(*(self.allowed[name] for name in names)):
            yield dict(zip(names, values, strict=True))

    @cached_property
    def minimal(self):
        """By minimal set of features and class, the new values that can give it."""
        out: dict[frozenset[str], dict[Any, list[Row]]] = {}
        for size in range(1, len(self.row) + 1):
            for names in itertools.combinations(self.row, size):
                if any(less <= set(names) for less in out):
                    continue
                ways: dict[Any, list[Row]] = {}
                for new in self.changed(names):
                    for label in filter(self.wanted, self.answers(new)):
                        ways.setdefault(label, []).append(new)
                if ways:
                    out[frozenset(names)] = ways
        return out

    # -- what was found --------------------------------------------------------------------------

    def check(self, changes, has, ordered):
        """Assert that changes are those there are; ``has(side, value)``, ``ordered(name)``."""
        self.check_sets(changes)
        for change in changes:
            self.check_ranges(change, has, ordered)
            if change.cost is not None:
                every = self.minimal[frozenset(change.features)][change.label]
                least = self.least([new for new in every if self.fits(change, new, has)])
                assert math.isclose(float(change.cost), least, abs_tol=1e-6), (change, least)
        if changes and changes[0].cost is not None:
            every = [new for own in self.minimal.values() for news in own.values() for new in news]
            assert math.isclose(float(changes.cheapest.cost), self.least(every), abs_tol=1e-6)

    def check_sets(self, changes):
        """Assert that changes are about all minimal sets of features, with all classes."""
        found = {(frozenset(c.features), c.label) for c in changes}
        assert found == {(names, label) for names, own in self.minimal.items() for label in own}

    def least(self, news):
        return min(self.limits.cost(self.row, new) for new in news)

    def fits(self, change, new, has):
        return all(has(change.ranges[name], value) for name, value in new.items())

    def check_effect(self, change, has):
        """Assert that all new values inside have the effect; give them, by feature."""
        sides = {
            name: [v for v in self.allowed[name] if has(side, v)]
            for name, side in change.ranges.items()
        }
        assert all(sides.values()), change
        said = [self.answers(new) for new in products(sides)]
        assert all(change.label in own for own in said if own), change
        assert change.certain == all(own <= {change.label} for own in said), change
        return sides

    def check_ranges(self, change, has, ordered):
        """Assert that all new values inside have the effect, and that no range can be wider."""
        sides = self.check_effect(change, has)
        for name in sides:
            for value in self.beside(name, change.ranges[name], has, ordered(name)):
                wider = [self.answers(new) for new in products({**sides, name: [value]})]
                lost = [own for own in wider if own and change.label not in own]
                assert lost, (str(change), name, value)

    def beside(self, name, side, has, ordered):
        """Give the allowed values by which a range could grow."""
        outside = [v for v in self.every[name] if not has(side, v)]
        if ordered:
            inside = sorted(v for v in self.every[name] if has(side, v) and v == v)
            numbers = sorted(v for v in outside if v == v)
            missing = [v for v in outside if v != v]
            outside = missing
            if inside:
                outside += [v for v in numbers if v < inside[0]][-1:]
                outside += [v for v in numbers if v > inside[-1]][:1]
        return [v for v in outside if any(same(v, own) for own in self.allowed[name])]


def products(sides):
    for values in itertools.product(*sides.values()):
        yield dict(zip(sides, values, strict=True))
