"""Points scores, added up here in fractions as docs/formats says: every completion of every row."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

import orderless as ol

from . import certainty, drawing, reasoning
from .completions import Truth, features_of, points_near, truth_of
from .grid import TooBig
from .running import same

POINTS = [
    ["1", "2", "-1", "3"], ["0.1", "0.2", "0.3", "-0.3"], ["0.5", "1.25", "-2"],
    ["1/3", "2/3", "1"], ["0.7", "0.07", "100"], ["1e-3", "12", "-0.5"],
]  # fmt: skip
KINDS: list[Any] = [
    "numeric",
    "integer",
    "float32",
    "boolean",
    ["red", "blue", "it's"],
    ["é", "b c"],
]
REFUSED = ("every row", "no row", "no total", "fulfil", "is not a value")
Condition = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A score as a person writes it; points are text, as they are written."""

    features: dict[str, Any]
    items: tuple[tuple[tuple[Condition, ...], Any], ...]
    base: Any
    verdicts: Any
    seed: int = 0

    @property
    def content(self) -> dict[str, Any]:
        items = []
        for when, points in self.items:
            own = dict(when[0]) if len(when) == 1 else {"when": [dict(one) for one in when]}
            items.append({**own, "points": points})
        found = {"features": self.features, "items": items}
        if self.base is not None:
            found["base"] = self.base
        return found if self.verdicts is None else {**found, "verdicts": self.verdicts}

    def total(self, row: dict[str, Any], verdict: str | None = None) -> Fraction:
        def worth(points: Any) -> Fraction:
            if verdict is not None:
                points = points.get(verdict, "0") if isinstance(points, dict) else "0"
            return Fraction(points)

        found = worth("0" if self.base is None else self.base)
        for when, points in self.items:
            if all(holds(self.features[one["feature"]], one, row[one["feature"]]) for one in when):
                found += worth(points)
        return found

    def label(self, row: dict[str, Any]) -> Any:
        if self.verdicts is None:
            return float(self.total(row))
        if isinstance(self.verdicts, list):
            totals = [self.total(row, one) for one in self.verdicts]
            return self.verdicts[totals.index(max(totals))]
        total = self.total(row)
        reached = [name for name, least in self.verdicts.items()
                   if least is None or total >= Fraction(least)]  # fmt: skip
        return reached[-1]

    @cached_property
    def truth(self) -> Truth:
        ens = ol.Ensemble.from_points(self.content)
        rng = Random(self.seed)
        points = []
        for feat in features_of(ens):
            cuts = [float(number) for when, _ in self.items for one in when
                    if one["feature"] == feat.name for number in numbers_of(one)]  # fmt: skip
            points.append(points_near(feat, cuts, np.inf, rng))

        def replay(rows: list[dict[str, Any]]) -> list[Any]:
            return [self.label({name: rounded(self.features[name], value)
                                for name, value in row.items()}) for row in rows]  # fmt: skip

        numbers = None if self.verdicts else (lambda rows: np.array(replay(rows)))
        return truth_of(ens, points, replay, Truth.as_row, numbers)


def rounded(kind: Any, value: Any) -> Any:
    if kind == "float32":
        with np.errstate(over="ignore", under="ignore"):
            return float(np.float32(value))
    return bool(value) if kind == "boolean" else value


def numbers_of(condition: Condition) -> list[Any]:
    found = []
    for key, value in condition.items():
        if key != "feature":
            found += value if isinstance(value, list) else [value]
    return [one for one in found if isinstance(one, int | float) and not isinstance(one, bool)]


def holds(kind: Any, condition: Condition, value: Any) -> bool:
    """Whether a condition holds; a bare one asks whether the feature is true."""
    relations = {key: one for key, one in condition.items() if key != "feature"}
    if not relations:
        return value is True
    tests: dict[str, Callable[[Any], bool]] = {
        "at most": lambda x: value <= x, "below": lambda x: value < x,
        "above": lambda x: value > x, "at least": lambda x: value >= x,
        "<=": lambda x: value <= x, "<": lambda x: value < x,
        ">": lambda x: value > x, ">=": lambda x: value >= x,
        "between": lambda x: x[0] <= value <= x[1],
        "is": lambda x: value == x, "is not": lambda x: value != x,
        "among": lambda x: value in x, "not among": lambda x: value not in x,
    }  # fmt: skip
    return all(tests[key](one) for key, one in relations.items())


def condition(rng: Random, name: str, kind: Any) -> Condition:
    if kind == "boolean":
        return rng.choice([{"feature": name}, {"feature": name, "is": rng.random() < 0.5},
                           {"feature": name, "is not": True}])  # fmt: skip
    if isinstance(kind, list):
        some = rng.sample(kind, rng.randint(1, len(kind) - 1))
        return rng.choice([{"feature": name, "is": some[0]}, {"feature": name, "is not": some[0]},
                           {"feature": name, "among": some},
                           {"feature": name, "not among": some}])  # fmt: skip
    whole = kind == "integer"
    pool = [0, 1, 2, 5, -3, 40] if whole else [0.1, 0.3, 2.5, 7, -1, 0.30000000000000004, 16777217]
    low, high = sorted(rng.sample(pool, 2))
    relation = rng.choice(["at most", "below", "above", "at least", "<=", "<", ">", ">="])
    return rng.choice([{"feature": name, relation: low}, {"feature": name, "between": [low, high]},
                       {"feature": name, "above": low, "at most": high},
                       {"feature": name, "is": low}, {"feature": name, "is not": low}])  # fmt: skip


def draw(rng: Random) -> Case:
    names = rng.sample(drawing.AWKWARD if rng.random() < 0.4 else drawing.PLAIN, rng.randint(1, 4))
    features = {name: rng.choice(KINDS) for name in names}
    pool = rng.choice(POINTS)
    way = rng.choice(["total", "levels", "levels", "list"])
    verdicts: Any = None
    if way == "levels":
        least = sorted({Fraction(one) + Fraction(other) for one in pool for other in pool})
        chosen = sorted(rng.sample(least, min(len(least), rng.randint(1, 2))))
        named = zip(["mid", "high"], chosen, strict=False)
        verdicts = {"low": None, **{name: str(one) for name, one in named}}
    elif way == "list":
        verdicts = ["flu", "cold", "none of it"][: rng.randint(2, 3)]

    def points() -> Any:
        if way != "list":
            return rng.choice(pool)
        return {
            one: rng.choice(pool) for one in rng.sample(verdicts, rng.randint(1, len(verdicts)))
        }

    items = []
    for _ in range(rng.randint(1, 5)):
        asked = rng.sample(names, min(len(names), rng.choice([1, 1, 2])))
        items.append((tuple(condition(rng, name, features[name]) for name in asked), points()))
    used = {one["feature"] for when, _ in items for one in when}
    features = {name: kind for name, kind in features.items() if name in used}
    base = points() if rng.random() < 0.5 else None
    case = Case(features, tuple(items), base, verdicts, rng.randint(0, 10**6))
    try:
        case.truth  # noqa: B018 (too large, or not)
    except ol.errors.InvalidTree as fault:  # says nothing, or too fine
        if any(word in str(fault) for word in REFUSED):
            raise TooBig from None
    return case


def smaller(case: Case) -> Iterator[Case]:
    for at in range(len(case.items)):
        if len(case.items) > 1:
            items = case.items[:at] + case.items[at + 1 :]
            used = {one["feature"] for when, _ in items for one in when}
            features = {name: kind for name, kind in case.features.items() if name in used}
            yield replace(case, items=items, features=features)


def show(case: Case) -> str:
    return f"import orderless as ol\nens = ol.Ensemble.from_points({case.content!r})"


def read_alike(case: Case) -> None:
    """As a dict, and as JSON."""
    text = json.dumps(case.content)
    same("JSON", ol.Ensemble.from_points(text) == case.truth.ens, True)


def checked(check: Callable[[Truth, Random], None]) -> Callable[[Case], None]:
    def run(case: Case) -> None:
        check(case.truth, Random(case.seed))

    run.__name__ = check.__name__
    return run


KEPT: tuple[Case, ...] = ()
CHECKS = (*(checked(check) for check in (*certainty.CHECKS, *reasoning.CHECKS)), read_alike)
