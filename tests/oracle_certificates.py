"""Whether a certificate is valid, by brute force over all cells and all boxes.

Written from docs/certificates.md. It shares nothing with the checkers: boxes are listed, all of
them, and cells are tried, one by one, so it is for small certificates only.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

Cell = tuple[int, ...]
MOST_BOXES = 60_000
MOST_CELLS = 3_000


class Wrong(Exception):
    """Not valid, or not as the page says."""


class TooMany(Exception):
    """There are too many boxes to list."""


def truth(content: Any) -> bool:
    """Tell whether a certificate is valid."""
    try:
        Oracle(content)
    except (Wrong, KeyError, TypeError, IndexError, AttributeError, ValueError):
        return False
    return True


def must(holds: Any) -> None:
    if not holds:
        raise Wrong


def is_number(x: Any) -> bool:
    if isinstance(x, bool) or not isinstance(x, int | float):
        return False
    try:
        return math.isfinite(float(x))
    except OverflowError:
        return False


def count(x: Any) -> int:
    must(is_number(x) and x == math.floor(x) and 0 <= x <= 2**53 - 1)
    return int(x)


def listed(x: Any) -> list[Any]:
    must(type(x) is list)
    return list(x)


def distinct(names: Any) -> list[str]:
    must(all(type(name) is str for name in names))
    must(all(a != b for a, b in itertools.combinations(names, 2)))
    return list(names)


def only(given: Any, *names: str) -> None:
    must(type(given) is dict and sorted(given) == sorted(names))


def legal_sides(n_ordered: int, n: int) -> list[frozenset[int]]:
    """All sides that a box can have of a feature with n bins, of which the first are in order."""
    free = range(n_ordered, n)
    runs = [frozenset(range(i, j)) for i in range(n_ordered) for j in range(i + 1, n_ordered + 1)]
    every = [frozenset(s) for r in range(len(free) + 1) for s in itertools.combinations(free, r)]
    return [run | more for run in [frozenset(), *runs] for more in every if run or more]


class Oracle:
    def __init__(self, content: Any) -> None:
        only(content, "format", "version", "claim", "classes", "features", "trees", "stated")
        must(content["format"] == "orderless-certificate")
        must(is_number(content["version"]) and content["version"] == 2)
        self.stated = content["stated"]
        self.classes = distinct(listed(content["classes"]))
        self.read_features(listed(content["features"]))
        claim = {"form": (self.form, 1), "same": (self.same, 2), "policy": (self.policy, 2)}
        must(type(content["claim"]) is str)
        check, n = claim[content["claim"]]
        must(len(listed(content["trees"])) == n)
        self.policy_nodes = content["trees"][-1]
        kinds = [False, content["claim"] == "policy"]
        self.labels = [self.tree(*own) for own in zip(content["trees"], kinds, strict=False)]
        check()

    # -- what there is -----------------------------------------------------------------------------

    def read_features(self, features: list[Any]) -> None:
        self.sides, self.widths = [], []
        for f in features:
            only(f, "name", "cuts", "sets")
            n_ordered = 0
            if f["cuts"] is not None:
                must(all(is_number(cut) for cut in listed(f["cuts"])))
                must(all(float(x) < float(y) for x, y in itertools.pairwise(f["cuts"])))
                n_ordered = len(f["cuts"]) + 1
            must(all(listed(values) for values in listed(f["sets"])))
            distinct([value for values in f["sets"] for value in values])
            n = n_ordered + len(f["sets"])
            must(n)
            self.widths.append(n)
            if n > 12:
                raise TooMany
            self.sides.append(legal_sides(n_ordered, n))
        self.named = {name: k for k, name in enumerate(distinct([f["name"] for f in features]))}
        if math.prod(self.widths) > MOST_CELLS:
            raise TooMany
        self.cells = list(itertools.product(*map(range, self.widths)))

    def tree(self, given: Any, may_end_open: bool) -> dict[Cell, int]:
        """Give the class of every cell, walking each by itself; -1 where it ends open."""
        must(listed(given))
        for i, node in enumerate(given):
            if type(node) is list:
                name, bins, yes, no = node
                self.some(name, bins)
                must(i < count(yes) < len(given) and i < count(no) < len(given))
            else:
                must(may_end_open if node is None else node in self.classes)
        out = {}
        for cell in self.cells:
            *_, (_, end) = self.way(given, cell)
            out[cell] = -1 if end is None else self.classes.index(end)
        return out

    def way(self, given: Any, cell: Cell) -> list[tuple[int, Any]]:
        """Give the nodes that a cell goes through, each with the feature that it asks about."""
        at, out = 0, []
        while type(given[at]) is list:
            name, bins, yes, no = given[at]
            k = self.named[name]
            out.append((k, given[at]))
            at = int(yes if bins[cell[k]] == "1" else no)
        return [*out, (-1, given[at])]

    def some(self, name: Any, bins: Any) -> frozenset[int]:
        must(type(bins) is str and len(bins) == self.widths[self.named[name]])
        must(all(one in "01" for one in bins))
        return frozenset(b for b, one in enumerate(bins) if one == "1")

    def box(self, given: Any) -> tuple[frozenset[int], ...]:
        must(type(given) is dict)
        sides = [frozenset(range(n)) for n in self.widths]
        for name, bins in given.items():
            sides[self.named[name]] = self.some(name, bins)
            must(sides[self.named[name]] in self.sides[self.named[name]])
        return tuple(sides)

    # -- claims ------------------------------------------------------------------------------------

    def pure_boxes(self, label: dict[Cell, int]) -> list[set[tuple[frozenset[int], ...]]]:
        """By class all boxes on which it is given."""
        if math.prod(map(len, self.sides)) > MOST_BOXES:
            raise TooMany
        out: list[set[Any]] = [set() for _ in self.classes]
        for box in itertools.product(*self.sides):
            met = {label[cell] for cell in itertools.product(*box)}
            if len(met) == 1:
                out[met.pop()].add(box)
        return out

    def form(self) -> None:
        label = self.labels[0]
        only(self.stated, *self.classes)
        for own in self.stated.values():
            only(own, "rules", "reasons", "complete", "bound", "proof")
            must(type(own["complete"]) is bool)
        pure = self.pure_boxes(label)
        for c, name in enumerate(self.classes):
            given = self.stated[name]
            widest = {box for box in pure[c] if not any(box != o and le(box, o) for o in pure[c])}
            rules = [self.box(box) for box in listed(given["rules"])]
            must(all(box in widest for box in rules))
            covered = {cell for box in rules for cell in itertools.product(*box)}
            own = {cell for cell in self.cells if label[cell] == c}
            must(covered == own)
            reasons = [self.box(box) for box in listed(given["reasons"])]
            must(all(box in widest for box in reasons) and len(set(reasons)) == len(reasons))
            must(not given["complete"] or set(reasons) == widest)
            must(count(given["bound"]) <= len(rules))
            full = reasons if given["complete"] else None
            self.proof(given["proof"], int(given["bound"]), own, pure[c], full)

    def proof(self, given: Any, k: int, open_: set[Cell], pure: Any, full: Any) -> None:
        must(len(listed(given)) == 2)
        cells = [self.one(cell) for cell in listed(given[0])]
        must(all(cell in open_ for cell in cells))
        if not listed(given[1]):
            must(len(cells) >= k)
            for a, b in itertools.combinations(cells, 2):
                both = [box for box in pure if within(a, box) and within(b, box)]
                must(not both)
            return
        must(full is not None)
        holding = [box for box in full if within(cells[0], box)]
        must(len(given[1]) == len(holding))
        for box, branch in zip(holding, given[1], strict=True):
            left = {other for other in open_ if not within(other, box)}
            self.proof(branch, k - 1, left, pure, full)

    def one(self, cell: Any) -> Cell:
        must(type(cell) is list and len(cell) == len(self.widths))
        must(all(count(b) < n for b, n in zip(cell, self.widths, strict=True)))
        return tuple(int(b) for b in cell)

    def same(self) -> None:
        only(self.stated)
        must(self.labels[0] == self.labels[1])

    def policy(self) -> None:
        content, (label, ends) = self.stated, self.labels
        only(content, "purchases", "unit", "rows", "cost", "worst", "determined", "objective",
             "bound")  # fmt: skip
        must(all(ends[cell] in (-1, label[cell]) for cell in self.cells))
        self.bought, self.price = [], []
        for own in listed(content["purchases"]):
            self.price.append(count(listed(own)[0]))
            self.bought.append([self.named[name] for name in own[1:]])
        must(sorted(k for own in self.bought for k in own) == list(range(len(self.widths))))
        must(len(listed(content["unit"])) == 2)
        must(all(count(part) > 0 for part in content["unit"]))
        rows = []
        for row in listed(content["rows"]):
            must(count(listed(row)[0]) > 0)
            rows.append((int(row[0]), self.one(row[1:])))
        must(content["objective"] in ("expected", "worst"))
        spent = [self.spent(cell) for _, cell in rows]
        weights = [w for w, _ in rows]
        must(count(content["cost"]) == sum(w * c for w, c in zip(weights, spent, strict=True)))
        must(count(content["worst"]) == max(spent, default=0))
        must(count(content["determined"]) == sum(w for w, cell in rows if ends[cell] >= 0))
        must(count(content["bound"]) <= self.least({}, rows, label))

    def spent(self, cell: Cell) -> int:
        asked = {k for k, _ in self.way(self.policy_nodes, cell)}
        return sum(
            price
            for price, own in zip(self.price, self.bought, strict=True)
            if asked.intersection(own)
        )

    def least(self, known: dict[int, int], rows: Any, label: Any) -> int:
        if not rows or len({label[cell] for cell in self.cells if fits(cell, known)}) == 1:
            return 0
        found = []
        for p, features in enumerate(self.bought):
            if all(k in known for k in features):
                continue
            parts: dict[Any, Any] = {}
            for row in rows:
                parts.setdefault(tuple(row[1][k] for k in features), []).append(row)
            rest = [self.least({**known, **dict(zip(features, bins, strict=True))}, own, label)
                    for bins, own in parts.items()]  # fmt: skip
            if self.stated["objective"] == "worst":
                found.append(self.price[p] + max(rest))
            else:
                found.append(self.price[p] * sum(w for w, _ in rows) + sum(rest))
        return min(found)


def le(a: Any, b: Any) -> bool:
    return all(x <= y for x, y in zip(a, b, strict=True))


def within(cell: Cell, box: Any) -> bool:
    return all(b in side for b, side in zip(cell, box, strict=True))


def fits(cell: Cell, known: dict[int, int]) -> bool:
    return all(cell[k] == b for k, b in known.items())
