"""Random spaces, trees and rows, with the names and numbers that tend to break things."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from .model import Ask, Feat, Leaf, Node, Point, Split

PLAIN = ["age", "dose", "ward", "x", "y", "z"]
AWKWARD = [
    "a b", 'say "hi"', "it's", "naïve", "東京", "x <= 5", "`tick`", "back\\slash", "{x}", "%s",
    "n]b", "two\nlines", "tab\there", "😀", "--", "/* no */", "${x}", "</script>", "prediction",
    "needed", "None", "true", "other", "missing", "class", "a.b", "a,b", "<b>", "&amp;", "0", "É",
    "E\u0301", "select", "row", "decide", "__proto__", "constructor", " lead", "trail ", "and",
    "^a.*$", "*", "x'); DROP TABLE t; --", "toString", "\\", "'", '"', "why", "decide(row)", "$1",
]  # fmt: skip
NUMBERS = [
    0.0, -0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -1.0, -2.5, 0.1, 0.2, 0.3, 24.5, 25.0, 1e-3, 7.25, 100.0,
    0.30000000000000004, 16777217.0, 1e10,
]  # fmt: skip
EXTREME = [
    5e-324, -5e-324, 1e-46, 1.4e-45, -1e-300, 2.0**53, 2.0**53 + 2, -(2.0**53), 2.0**63, 1e300,
    -1e300, 3.4028234663852886e38, 1.7976931348623157e308, 1e15 + 0.3, 2.2250738585072014e-308,
]  # fmt: skip
CATEGORIES: list[list[Any]] = [
    ["red", "blue", "green"], ["A", "B", "AB", "0"], [1, 2, 3], ["1", 1, "x"], ["a", "A", "á"],
    ["", " ", "nan"], ["it's", 'q"', "b\\"], ["😀", "東京"], ["None", "other", "missing"],
    ["a", "b", "c", "d", "e"], ["k1", "k2", "k3", "k4", "k5", "k6"], ["f", "e", "d", "c", "b"],
    ["true", "false"], [0.5, 1.5], ["only"], ["x'; DROP", "--", "/*"], [-1, 0], ["a\nb", "a\tb"],
]  # fmt: skip
CLASSES: list[list[Any]] = [
    [0, 1], ["no", "yes"], [False, True], ["a", "b", "c"], [0, 1, 2], [-1, 1], [0.5, 1.5],
    ["it's", 'say "x"'], ["well", "ill", "東京"], ["", "x"], ["None", "nan"], [10, 2],
]  # fmt: skip
KINDS = ["float64", "float32", "integer", "boolean", "categorical"]


def features(
    rng: Random, most: int = 4, nan: float = 0.2, kinds: Sequence[str] = KINDS
) -> tuple[Feat, ...]:
    """A space of one to ``most`` features."""
    n = rng.randint(1, most)
    if rng.random() < 0.3:  # all of few kinds
        kinds = rng.sample(kinds, min(2, len(kinds)))
    names = rng.sample(AWKWARD if rng.random() < 0.4 else PLAIN, n)
    made = []
    for name in names:
        kind = rng.choice(kinds)
        missing = kind != "boolean" and rng.random() < nan  # a boolean has no such value
        if kind == "categorical":
            listed = tuple(rng.choice(CATEGORIES))
            other = rng.random() < 0.4 or len(listed) == 1
            made.append(Feat(name, kind, listed, other, missing))
        else:
            made.append(Feat(name, kind, nan=missing))
    return tuple(made)


def number(rng: Random, extreme: float = 0.08) -> float:
    return rng.choice(EXTREME if rng.random() < extreme else NUMBERS)


def question(rng: Random, feats: Sequence[Feat], pool: Sequence[Ask] = ()) -> Ask:
    """A question; half of the time one that was asked before, or close to it."""
    at = rng.randrange(len(feats))
    feat = feats[at]
    nan = feat.nan and rng.random() < 0.5
    if not feat.ordered:
        codes = list(feat.codes)
        chosen = rng.sample(codes, rng.randint(1, max(1, len(codes) - 1)))
        return Ask(at, 0.0, frozenset(chosen))
    if feat.kind == "boolean":
        return Ask(at, rng.choice([0.0, 0.0, 0.5]), None, nan)
    before = [ask.at_most for ask in pool if ask.feature == at and math.isfinite(ask.at_most)]
    if before and rng.random() < 0.5:
        cut = rng.choice(before)
        if rng.random() < 0.3:
            cut = rng.choice([math.nextafter(cut, 9e9), feat.after(feat.floor(cut)), cut + 1])
    else:
        cut = number(rng)
        if feat.kind == "integer" and cut > 1e308:  # kept as a case of its own
            cut = 1e300
    if feat.nan and rng.random() < 0.15:
        cut, nan = math.inf, False
    return Ask(at, cut + 0.0, None, nan)


def tree(rng: Random, feats: Sequence[Feat], classes: Sequence[Any], leaves: int) -> Node:
    """A tree with so many leaves, of any shape."""
    pool: list[Ask] = []

    def grow(n: int) -> Node:
        if n <= 1:
            return Leaf(rng.choice(classes))
        ask = question(rng, feats, pool)
        pool.append(ask)
        left = rng.randint(1, n - 1)
        return Split(ask, grow(left), grow(n - left))

    return grow(leaves)


def near(feat: Feat, cuts: Sequence[float]) -> list[float]:
    """Numbers at, just below and just above cuts, in float64 and float32, and special ones."""
    found = {0.0, 1.0, -1.0, 0.5}
    if feat.kind == "boolean":
        return [0.0, 1.0]
    if feat.kind == "integer":
        for cut in cuts:
            if math.isfinite(cut):
                whole = float(math.floor(cut))
                found |= {whole, whole + 1, whole - 1}
        return sorted(one for one in found | {2.0**53, -(2.0**53) - 2} if one == int(one))
    for cut in cuts:
        if not math.isfinite(cut):
            continue
        found |= {cut, math.nextafter(cut, math.inf), math.nextafter(cut, -math.inf)}
        with np.errstate(over="ignore", under="ignore"):
            single = np.float32(cut)
            found |= {float(single), (float(single) + cut) / 2}
            for way in (np.float32(-np.inf), np.float32(np.inf)):
                beside = np.nextafter(single, way)
                found |= {float(beside), (float(single) + float(beside)) / 2}
    found |= {5e-324, -5e-324, 1e-46, 2.0**53 + 2, 1e300, -1e300, math.inf, -math.inf}
    return sorted(found)


def point_of(feat: Feat, value: Any) -> Point:
    """The point that a row's number is (ordered features only)."""
    return None if value is None else feat.rounded(float(value))


def some(rng: Random, items: Sequence[Any], most: int) -> list[Any]:
    """At most so many of the items, in their order."""
    if len(items) <= most:
        return list(items)
    keep = set(rng.sample(range(len(items)), most))
    return [item for at, item in enumerate(items) if at in keep]
