"""Every completion of every row of a small model, put through what made the model.

``Truth`` has, per feature, some points of every bin (thresholds, the floats beside them, the ends),
and what the library itself says of every combination. A partial row is a set of places per feature,
so that whatever can become of it is one slice.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np

from .grid import TooBig
from .model import Feat, Point, feature_of

Places = tuple[tuple[int, ...], ...]  # by feature those of its points that are possible
MOST = 6000
SINGLE = float(np.finfo(np.float32).max)


@dataclass
class Truth:
    """An ensemble, and what is true of it."""

    ens: Any
    feats: tuple[Feat, ...]
    points: list[list[Point]]
    said: np.ndarray  # by places of all features, the number of a label
    labels: list[Any]
    replay: Callable[[list[dict[str, Any]]], list[Any]]
    as_row: Callable[[dict[str, Any]], dict[str, Any]] = lambda values: values
    numbers: np.ndarray | None = None  # the library's numbers or probabilities, places x outputs
    scores: np.ndarray | None = None  # what the library adds up, divided, places x scores

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(some) for some in self.points)

    @property
    def number(self) -> bool:
        """Whether it says numbers."""
        return bool(self.ens.kernel.rule.kind == "number")

    @property
    def whole(self) -> Places:
        return tuple(tuple(range(n)) for n in self.shape)

    def equal(self, got: Any, expected: Any) -> bool:
        """Whether it is the same label.

        Numbers of averages of averages are only close, and an exponential may round in its own way.
        """
        if got == expected or got is None or not self.number:
            return bool(got == expected)
        near = float(self.ens.kernel.rule.window) / self.ens.kernel.adding.divisor
        if self.ens.kernel.link != "identity":
            single = self.ens.kernel.adding.precision == "float32"
            near += (1e-6 if single else 1e-15) * abs(expected)
        return near > 0 and abs(got - expected) <= near

    def labels_in(self, places: Places) -> list[Any]:
        """The labels of all completions."""
        if not self.points:
            return [self.labels[int(self.said)]]
        return [self.labels[code] for code in np.unique(self.said[np.ix_(*places)])]

    def row(self, places: Places) -> dict[str, Any]:
        """A dict of what is known; a feature of which all is possible is left out."""
        values = {}
        for feat, some, own in zip(self.feats, self.points, places, strict=True):
            if len(own) == 1 and len(some) > 1:
                values[feat.name] = feat.given(some[own[0]])
        return self.as_row(values)

    def close(self, places: Places) -> bool:
        """Whether some completion is within what the model says it cannot tell apart."""
        window = self.ens.kernel.rule.window
        if window == 0:
            return False
        whole = self.ens.kernel.whole  # beyond the window, what additions round
        window += 2 * float(np.ldexp(float(whole.slack.max()), whole.exponent))
        sums = self.sums[np.ix_(*places)].reshape(-1, self.sums.shape[-1])
        if self.ens.kernel.rule.kind == "cuts":
            return bool((abs(sums - np.array(self.ens.kernel.rule.cuts)) <= window).any())
        near = sums.max(axis=1, keepdims=True) - sums <= window * (1 + 1e-9)
        return bool((near.sum(axis=1) > 1).any())

    @property
    def top(self) -> float:
        """The largest that leaves can add up to, by which rounding is measured."""
        content = json.loads(self.ens.to_json())
        largest = [np.abs(tree["values"]).max(initial=0.0) for tree in content["trees"]]
        total = sum(largest) + np.abs(content["adding"]["base"]).max(initial=0.0)
        return 1.0 + float(total) / content["adding"]["divisor"]

    @property
    def sums(self) -> np.ndarray:
        if not hasattr(self, "_sums"):
            got = np.asarray(self.ens.sums(self.complete), dtype=float)
            self._sums = got.reshape(*self.shape, -1)
        return self._sums

    @property
    def complete(self) -> list[dict[str, Any]]:
        """All rows, in the order of ``said``."""
        if not hasattr(self, "_complete"):
            self._complete = complete_rows(self.feats, self.points, self.as_row)
        return self._complete


def complete_rows(
    feats: Sequence[Feat],
    points: Sequence[Sequence[Point]],
    as_row: Callable[[dict[str, Any]], dict[str, Any]] = lambda values: values,
) -> list[dict[str, Any]]:
    names = [feat.name for feat in feats]
    given = [[feat.given(one) for one in own] for feat, own in zip(feats, points, strict=True)]
    return [as_row(dict(zip(names, row, strict=True))) for row in itertools.product(*given)]


def features_of(ens: Any) -> tuple[Feat, ...]:
    return tuple(feature_of(one) for one in json.loads(ens.to_json())["space"]["features"])


def thresholds(ens: Any) -> dict[int, set[float]]:
    """Of an ensemble's JSON, by feature."""
    found: dict[int, set[float]] = {}
    for tree in json.loads(ens.to_json())["trees"]:
        for number, cut in zip(tree["feature"], tree["threshold"], strict=True):
            if number >= 0:
                found.setdefault(number, set()).add(float(cut))
    return found


def points_near(feat: Feat, cuts: Sequence[float], most: float, rng: Random) -> list[Point]:
    """Points that no reading of the cuts could tell apart are there once; NaN comes last."""
    if not feat.ordered:
        return list(feat.codes)
    if feat.kind == "boolean":
        return [0.0, 1.0]
    finite = sorted({one for one in cuts if math.isfinite(one)})
    found = {-most, most, 0.0, 1.0, -1e300, 1e300}
    for cut in finite:
        found |= beside(cut)
    found |= {(one + other) / 2 for one, other in itertools.pairwise(finite)}
    if feat.kind == "integer":
        found = {float(f(one)) for one in found for f in (math.floor, math.ceil)
                 if math.isfinite(one)}  # fmt: skip
    kept: dict[Any, list[float]] = {}
    for one in found:
        if abs(one) <= most:
            kept.setdefault(signature(one, finite), []).append(one + 0.0)
    numbers: list[Point] = [*sorted(rng.choice(some) for some in kept.values())]
    return [*numbers, None] if feat.nan else numbers


def beside(cut: float) -> set[float]:
    """A number and its neighbours in both precisions."""
    found = {cut, math.nextafter(cut, math.inf), math.nextafter(cut, -math.inf)}
    with np.errstate(over="ignore", under="ignore"):
        single = np.float32(cut)
        for way in (-np.inf, np.inf):
            next_one = float(np.nextafter(single, np.float32(way)))
            found |= {next_one, (float(single) + next_one) / 2}
    return {one for one in found | {float(single)} if math.isfinite(one)}


def signature(number: float, cuts: Sequence[float]) -> Any:
    """How it compares with every cut, however one rounds and whichever way a tie goes."""
    with np.errstate(over="ignore", under="ignore"):
        single = float(np.float32(number))
        return tuple(
            (number < cut, number <= cut, single < cut, single <= cut, single <= np.float32(cut))
            for cut in cuts
        )


def sized(points: Sequence[Sequence[Point]], most: int = MOST) -> None:
    if math.prod(len(some) for some in points) > most:
        raise TooBig


def some_rows(truth: Truth, rng: Random, n: int) -> list[Places]:
    """Rows with gaps: every feature known or not, values anywhere."""
    found = []
    for _ in range(n):
        unknown = rng.choice([0.0, 0.3, 0.5, 0.7, 1.0])
        found.append(
            tuple(
                own if rng.random() < unknown else (rng.choice(own),) for own in truth.whole
            )
        )  # fmt: skip
    return found


def some_ranges(truth: Truth, rng: Random, n: int) -> list[tuple[Places, Any, Any]]:
    """Rows of ranges, with the two ends as ``Between`` takes them."""
    found = []
    for _ in range(n):
        places, lower, upper = [], {}, {}
        for feat, points, whole in zip(truth.feats, truth.points, truth.whole, strict=True):
            if rng.random() < 0.3:
                places.append(whole)
            elif not feat.ordered:
                known = [at for at in whole if points[at] < len(feat.labels)]
                own = tuple(sorted(rng.sample(known, rng.randint(1, len(known)))))
                lower[feat.name] = {feat.given(points[at]) for at in own}
                places.append(own)
            else:
                numbers = [at for at in whole if points[at] is not None]
                first, last = sorted(rng.choice(numbers) for _ in range(2))
                if rng.random() < 0.7 or last < numbers[-1]:
                    upper[feat.name] = points[last]
                if rng.random() < 0.7 or first > 0 or feat.name not in upper:
                    lower[feat.name] = points[first]
                places.append(tuple(range(first, last + 1)))
        found.append((tuple(places), lower, upper))
    return found


def truth_of(
    ens: Any,
    points: list[list[Point]],
    replay: Callable[[list[dict[str, Any]]], list[Any]],
    as_row: Callable[[dict[str, Any]], dict[str, Any]] = lambda values: values,
    numbers: Callable[[list[dict[str, Any]]], np.ndarray] | None = None,
    scores: Callable[[list[dict[str, Any]]], np.ndarray] | None = None,
) -> Truth:
    """Ask the library about everything."""
    sized(points)
    feats = features_of(ens)
    rows = complete_rows(feats, points, as_row)
    answers = replay(rows)
    labels = sorted(set(answers)) if ens.kernel.rule.kind == "number" else list(ens.classes)
    place = {label: at for at, label in enumerate(labels)}
    shape = tuple(len(some) for some in points)
    said = np.array([place[one] for one in answers]).reshape(shape)

    def table(ask: Callable[[list[dict[str, Any]]], np.ndarray] | None) -> np.ndarray | None:
        return None if ask is None else np.asarray(ask(rows), dtype=float).reshape(*shape, -1)

    return Truth(ens, feats, points, said, labels, replay, as_row, table(numbers), table(scores))
