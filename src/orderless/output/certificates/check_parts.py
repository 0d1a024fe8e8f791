"""What certificates consist of: bins, boxes and trees, read with Python's standard library alone.

In:  JSON, as docs/certificates says. Nothing of orderless is imported here, nor in check_claims.
Out: ``About`` and ``Tree``; ``Invalid`` says what is wrong, ``Undecided`` that it takes too long.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

__all__ = [
    "About",
    "Box",
    "Invalid",
    "Tree",
    "Undecided",
    "flag",
    "inside",
    "need",
    "number",
    "take",
    "whole",
]

Box = tuple[int, ...]  # per feature its bins, as bits


class Invalid(ValueError):
    """The certificate is not valid."""


class Undecided(RuntimeError):
    """Checking takes more steps than are allowed."""


def need(holds: object, message: str) -> None:
    """Refuse what does not hold."""
    if not holds:
        raise Invalid(message)


def take(given: Any, key: str, kind: type = list) -> Any:
    """Give an entry of an object; it must be there, and of this type."""
    need(isinstance(given, dict) and isinstance(given.get(key), kind), f"{key!r} is missing")
    return given[key]


def flag(given: Any, key: str) -> bool:
    """Give an entry that is true or false; false if it is left out."""
    need(isinstance(given.get(key, False), bool), f"{key!r} must be true or false")
    return bool(given.get(key, False))


def number(given: Any) -> float:
    """Read a finite number."""
    need(isinstance(given, int | float) and not isinstance(given, bool), "a number is missing")
    need(abs(given) < 2**1024 - 2**970, "a number is too large")  # what rounds to a double
    return float(given)


def whole(given: Any, below: int = 2**53) -> int:
    """Read a whole number from 0 on."""
    need(number(given).is_integer() and 0 <= given < below, f"{given!r:.40} is out of range")
    return int(given)


def labels(given: list[Any]) -> list[tuple[str, Any]]:
    """Read labels that must differ; those of different types do."""
    plain = (x if isinstance(x, str | bool) else number(x) for x in given)
    out = [(type(x).__name__, x) for x in plain]
    need(len(set(out)) == len(out), "a label is there twice")
    return out


class Feature:
    """A feature, cut into bins."""

    def __init__(self, feature: dict[str, Any], bins: dict[str, Any]) -> None:
        self.ordered = feature["kind"] != "categorical"
        self.missing = flag(feature, "nan")
        need(set(bins) == {"feature", "cuts" if self.ordered else "values"}, "wrong bins")
        if self.ordered:
            self.cuts = [number(cut) for cut in take(bins, "cuts")]
            need(all(a < b for a, b in pairwise(self.cuts)), "cuts must rise")
            need(all(is_value(cut, feature) for cut in self.cuts), "a cut is not a value")
            self.numbers = (2 << len(self.cuts)) - 1
            self.width = len(self.cuts) + 1 + self.missing
            self.nan = self.numbers + 1 if self.missing else 0
            return
        self.nan, self.labels = 0, labels(feature["categories"])
        self.flags = {"other": flag(feature, "other"), "missing": self.missing}
        self.n = len(self.labels) + sum(self.flags.values())
        self.groups = [[whole(v, self.n) for v in group] for group in take(bins, "values")]
        values = sorted(v for group in self.groups for v in group)
        need(all(self.groups) and values == list(range(self.n)), "a value is not in one bin")
        self.width = len(self.groups)

    def among(self, values: set[int]) -> int:
        """Give the bins of some values; part of a bin is refused."""
        shares = [len(values.intersection(group)) for group in self.groups]
        need(all(n in (0, len(g)) for n, g in zip(shares, self.groups, strict=True)), "part of bin")
        return sum(1 << b for b, n in enumerate(shares) if n)

    def up_to(self, cut: float) -> int:
        """Give the bins up to a cut."""
        need(cut in self.cuts, f"{cut} is not a cut")
        return (2 << self.cuts.index(cut)) - 1

    def side(self, given: dict[str, Any]) -> int:
        """Read a condition of a term."""
        known = {"above", "at_most"} if self.ordered else {"among", "other"}
        need(set(given) <= {"feature", "missing"} | known, "unknown entry of a condition")
        if not self.ordered:
            need(isinstance(given.get("among", []), list), "'among' must be a list")
            chosen = labels(given.get("among", []))
            need(set(chosen) <= set(self.labels), "wrong category")
            values, place = {self.labels.index(one) for one in chosen}, len(self.labels)
            for name, allowed in self.flags.items():
                inside = flag(given, name)
                need(allowed or not inside, f"wrong {name!r}")
                values |= {place} if inside else set()
                place += allowed
            return self.among(values)
        if given.get("missing") == "only":
            need(self.missing and len(given) == 2, "wrong 'missing'")
            return self.nan
        need(self.missing or not flag(given, "missing"), "wrong 'missing'")
        low = self.up_to(number(given["above"])) if "above" in given else 0
        high = self.up_to(number(given["at_most"])) if "at_most" in given else self.numbers
        need(high & ~low, "an empty condition")
        return high & ~low | (self.nan if flag(given, "missing") else 0)

    def next_to(self, bits: int) -> Iterator[int]:
        """Go through the single bins by which a side can be widened."""
        numbers = bits & ~self.nan
        for one in (1 << b for b in range(self.width) if not bits >> b & 1):
            free = not self.ordered or not numbers or one & self.nan
            if free or (one << 1 | one >> 1) & numbers:
                yield one

    def around(self, a: int, b: int) -> int:
        """Give the smallest side around two."""
        numbers = (a | b) & ~self.nan
        between = (1 << numbers.bit_length()) - (numbers & -numbers) if self.ordered else 0
        return a | b | between if numbers else a | b

    def together(self, a: int, b: int) -> list[int]:
        """Give the sides that two sides make together."""
        if not self.ordered:
            return [a | b]
        numbers, nan = (a | b) & ~self.nan, (a | b) & self.nan
        joined = [a | b] if not numbers & (numbers + (numbers & -numbers)) else []
        return [*joined, a & ~self.nan | nan, b & ~self.nan | nan]


def is_value(cut: float, feature: dict[str, Any]) -> bool:
    """Whether a number is a value of a feature."""
    if feature["kind"] == "boolean":
        return cut == 0
    if feature.get("values") == "float32":
        small = abs(cut) < 2.0**128 and struct.unpack("f", struct.pack("f", cut))[0] == cut
        return small or cut == -(2.0**128)
    return feature.get("values") != "integer" or cut.is_integer()


class About:
    """What a certificate is about, and the steps that are left."""

    def __init__(self, content: dict[str, Any], limit: int) -> None:
        self.left = limit
        self.n_classes = len(labels(take(content, "classes")))
        need(self.n_classes, "there are no classes")
        features = take(content.get("space"), "features")
        names = [take(feature, "name", str) for feature in features]
        need(all(names) and len(set(names)) == len(names), "names must differ")
        for feature in features:
            kind = take(feature, "kind", str)
            need(kind in ("numeric", "boolean", "categorical"), "unknown kind")
            need(not flag(feature, "nan") or kind != "boolean", "a boolean is never missing")
            values = feature.get("values", "float64") if kind == "numeric" else "float64"
            need(values in ("float64", "float32", "integer"), "unknown values")
            need(kind != "categorical" or labels(take(feature, "categories")), "no categories")
            need(kind != "categorical" or flag(feature, "other") >= 0, "wrong 'other'")
        bins = take(content, "bins")
        self.names = {take(own, "feature", str): k for k, own in enumerate(bins)}
        need(len(self.names) == len(bins) and set(self.names) <= set(names), "wrong bins")
        places = {name: i for i, name in enumerate(names)}
        self.place = {places[name]: k for name, k in self.names.items()}
        self.bins = [Feature(features[places[own["feature"]]], own) for own in bins]
        self.whole: Box = tuple((1 << own.width) - 1 for own in self.bins)

    def step(self, steps: int = 1) -> None:
        """Count steps."""
        self.left -= steps
        if self.left < 0:
            raise Undecided("checking takes too many steps")

    def terms(self, given: Any) -> list[list[Box]]:
        """Read the terms of each class as boxes."""
        need(isinstance(given, list) and len(given) == self.n_classes, "one list per class")
        need(all(isinstance(own, list) for own in given), "a list of terms is missing")
        return [[self.term(term) for term in own] for own in given]

    def term(self, given: Any) -> Box:
        """Read one term as a box."""
        need(isinstance(given, list), "a term must be a list")
        box, seen = list(self.whole), set()
        for condition in given:
            name = take(condition, "feature", str)
            need(name in self.names and name not in seen, "wrong feature of a condition")
            seen.add(name)
            box[self.names[name]] = self.bins[self.names[name]].side(condition)
        need(all(box), "an empty condition")
        return tuple(box)

    def cell(self, given: Any) -> Box:
        """Read a cell as a box."""
        need(isinstance(given, list) and len(given) == len(self.bins), "wrong cell")
        return tuple(1 << whole(b, own.width) for b, own in zip(given, self.bins, strict=True))


class Tree:
    """A tree over bins; by node its feature, the bins where it holds, and the children."""

    def __init__(self, about: About, given: Any) -> None:
        feature = take(given, "feature")
        self.about, self.nodes, n = about, [], len(feature)
        sets: Any = given.get("sets", {})
        children: list[int] = []
        arrays = {"nan_true": given.get("nan_true", [False] * n)}
        for name in ("threshold", "when_true", "when_false", "leaf_class"):
            arrays[name] = take(given, name)
        need(isinstance(sets, dict) and isinstance(arrays["nan_true"], list), "wrong arrays")
        need(n and all(len(own) == n for own in arrays.values()), "arrays of different lengths")
        for i in range(n):
            node = {name: own[i] for name, own in arrays.items()}
            if number(feature[i]) == -1:
                self.nodes.append((-1, 0, whole(node["leaf_class"], about.n_classes), 0))
                continue
            k = about.place.get(whole(feature[i]), -1)
            need(k >= 0, "a node asks about a feature without bins")
            holds = self.holds(about.bins[k], node, sets.get(str(i), []))
            pair = whole(node["when_true"], n), whole(node["when_false"], n)
            self.nodes.append((k, holds, *pair))
            children += pair
        need(sorted(children) == list(range(1, n)), "the nodes are not a tree")

    @staticmethod
    def holds(own: Feature, node: dict[str, Any], inside: list[Any]) -> int:
        """Give the bins in which a condition holds."""
        if not own.ordered:
            need(isinstance(inside, list), "a set must be a list")
            return own.among({whole(value, own.n) for value in inside})
        cut, nan = node["threshold"], own.nan if flag(node, "nan_true") else 0
        if cut in ("inf", "-inf"):
            return (own.numbers if cut == "inf" else 0) | nan
        return own.up_to(number(cut)) | nan

    def leaves(self, box: Box) -> Iterator[tuple[int, Box]]:
        """Go through the leaves that a box meets: the class, and what they have in common."""
        todo = [(0, box)]
        while todo:
            self.about.step()
            at, box = todo.pop()
            k, holds, yes, no = self.nodes[at]
            if k < 0:
                yield yes, box
                continue
            for child, bits in ((yes, box[k] & holds), (no, box[k] & ~holds)):
                if bits:
                    todo.append((child, (*box[:k], bits, *box[k + 1 :])))

    def only(self, box: Box) -> int:
        """Give the class that the tree gives on a box; -1 if there are several."""
        found = -1
        for own, _ in self.leaves(box):
            if found not in (-1, own):
                return -1
            found = own
        return found


def inside(a: Box, b: Box) -> bool:
    """Whether a box lies in another."""
    return all(not x & ~y for x, y in zip(a, b, strict=True))
