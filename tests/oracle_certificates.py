"""Whether a certificate is valid, by brute force over all cells and all boxes.

Written from docs/certificates.md. It shares nothing with the checkers: boxes are listed, all of
them, and cells are tried, one by one, so it is for small certificates only.
"""

from __future__ import annotations

import itertools
import math
from bisect import bisect_left
from typing import Any

import numpy as np

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


def key(label: Any) -> Any:
    must(isinstance(label, str | bool) or is_number(label))
    return (type(label) is bool, isinstance(label, str), label)


def distinct(labels: Any) -> list[Any]:
    must(type(labels) is list)
    keys = [key(label) for label in labels]
    must(all(a != b for a, b in itertools.combinations(keys, 2)))
    return keys


def legal_sides(feature: dict[str, Any], n: int) -> list[frozenset[int]]:
    """All sides that a box can have of a feature with n bins."""
    if feature["kind"] == "categorical":
        every = range(n)
        return [frozenset(s) for r in range(1, n + 1) for s in itertools.combinations(every, r)]
    m = n - feature.get("nan", False)
    runs = [frozenset(range(i, j)) for i in range(m) for j in range(i + 1, m + 1)]
    if m < n:
        return [*runs, *(run | {m} for run in runs), frozenset([m])]
    return runs


class Oracle:
    def __init__(self, content: Any) -> None:
        must(type(content) is dict and content["format"] == "orderless-certificate")
        must(is_number(content["version"]) and content["version"] == 1)
        self.content = content
        self.classes = distinct(content["classes"])
        must(self.classes)
        self.read_space(content["space"]["features"])
        self.read_bins(content["bins"])
        claim = {"form": self.form, "same": self.same, "policy": self.policy}
        must(type(content["claim"]) is str)
        claim[content["claim"]]()

    # -- what there is -----------------------------------------------------------------------------

    def read_space(self, features: Any) -> None:
        must(type(features) is list)
        for f in features:
            must(type(f["name"]) is str and f["name"])
            must(f["kind"] in ("numeric", "boolean", "categorical"))
            must(type(f.get("nan", False)) is bool)
            if f["kind"] == "boolean":
                must(not f.get("nan", False))
            if f["kind"] == "numeric":
                must(f.get("values", "float64") in ("float64", "float32", "integer"))
            if f["kind"] == "categorical":
                must(distinct(f["categories"]))
                must(type(f.get("other", False)) is bool)
        must(len({f["name"] for f in features}) == len(features))
        self.features = features

    def read_bins(self, bins: Any) -> None:
        must(type(bins) is list)
        by_name = {f["name"]: f for f in self.features}
        self.named, self.own, self.widths, self.given = {}, [], [], bins
        for k, b in enumerate(bins):
            must(type(b["feature"]) is str and b["feature"] not in self.named)
            f = by_name[b["feature"]]
            self.named[b["feature"]] = k
            self.own.append(f)
            if f["kind"] == "categorical":
                must(sorted(b) == ["feature", "values"] and type(b["values"]) is list)
                must(all(type(group) is list and group for group in b["values"]))
                flat = [count(v) for group in b["values"] for v in group]
                n = len(f["categories"]) + f.get("other", False) + f.get("nan", False)
                must(sorted(flat) == list(range(n)))
                self.widths.append(len(b["values"]))
                continue
            must(sorted(b) == ["cuts", "feature"] and type(b["cuts"]) is list)
            must(all(is_number(cut) for cut in b["cuts"]))
            cuts = [float(cut) for cut in b["cuts"]]
            must(all(x < y for x, y in itertools.pairwise(cuts)))
            for cut in cuts:
                values = f.get("values", "float64")
                if f["kind"] == "boolean":
                    must(cut == 0)
                elif values == "integer":
                    must(cut == math.floor(cut))
                elif values == "float32":
                    with np.errstate(over="ignore"):
                        must(float(np.float32(cut)) == cut or cut == -(2.0**128))
            self.widths.append(len(cuts) + 1 + f.get("nan", False))
        if math.prod(self.widths) > MOST_CELLS:
            raise TooMany
        self.cells = list(itertools.product(*map(range, self.widths)))

    def tree(self, given: Any) -> dict[Cell, int]:
        """Give the class of every cell, walking each by itself."""
        n = len(given["feature"])
        arrays = [given[name] for name in
                  ("feature", "threshold", "when_true", "when_false", "leaf_class")]  # fmt: skip
        nan_true = given.get("nan_true", [False] * n)
        must(all(type(a) is list and len(a) == n for a in [*arrays, nan_true]) and n)
        sets = given.get("sets", {})
        must(type(sets) is dict)
        parents = [0] * n
        tests: list[Any] = []
        for i in range(n):
            must(is_number(arrays[0][i]))
            if arrays[0][i] == -1:
                must(count(arrays[4][i]) < len(self.classes))
                tests.append(None)
                continue
            feature = self.features[count(arrays[0][i])]
            k = self.named[feature["name"]]
            for side in (2, 3):
                must(count(arrays[side][i]) < n)
                parents[int(arrays[side][i])] += 1
            tests.append((k, self.holds(k, arrays[1][i], nan_true[i], sets.get(str(i), []))))
        must(parents == [0] + [1] * (n - 1))
        out = {}
        for cell in self.cells:
            at = 0
            while tests[at] is not None:
                k, inside = tests[at]
                at = int(arrays[2 if cell[k] in inside else 3][at])
            out[cell] = int(arrays[4][at])
        return out

    def holds(self, k: int, cut: Any, missing: Any, values: Any) -> set[int]:
        feature, bins = self.own[k], self.given[k]
        if feature["kind"] == "categorical":
            must(type(values) is list)
            chosen = {count(v) for v in values}
            must(chosen <= {int(v) for group in bins["values"] for v in group})
            return self.groups(k, chosen)
        must(type(missing) is bool)
        n = len(bins["cuts"])
        last = n if cut == "inf" else -1 if cut == "-inf" else None
        if last is None:
            must(is_number(cut) and float(cut) in [float(c) for c in bins["cuts"]])
            last = bisect_left([float(c) for c in bins["cuts"]], float(cut))
        out = set(range(last + 1))
        return out | {n + 1} if missing and feature.get("nan", False) else out

    def groups(self, k: int, chosen: set[int]) -> set[int]:
        out = set()
        for b, group in enumerate(self.given[k]["values"]):
            shared = [int(v) in chosen for v in group]
            must(all(shared) or not any(shared))
            if any(shared):
                out.add(b)
        return out

    def box(self, term: Any) -> tuple[frozenset[int], ...]:
        must(type(term) is list)
        sides = [frozenset(range(n)) for n in self.widths]
        seen = []
        for condition in term:
            must(type(condition) is dict and condition["feature"] not in seen)
            seen.append(condition["feature"])
            k = self.named[condition["feature"]]
            sides[k] = frozenset(self.side(k, condition))
            must(sides[k])
        return tuple(sides)

    def side(self, k: int, given: dict[str, Any]) -> set[int]:
        f = self.own[k]
        missing = given.get("missing", False)
        if f["kind"] == "categorical":
            must(set(given) <= {"feature", "among", "other", "missing"})
            among, other = given.get("among", []), given.get("other", False)
            keys = distinct(f["categories"])
            chosen = {keys.index(own) for own in distinct(among)}
            must(type(other) is bool and type(missing) is bool)
            must(not other or f.get("other", False))
            must(not missing or f.get("nan", False))
            n = len(keys)
            chosen |= {n} if other else set()
            chosen |= {n + f.get("other", False)} if missing else set()
            return self.groups(k, chosen)
        must(set(given) <= {"feature", "above", "at_most", "missing"})
        cuts = [float(c) for c in self.given[k]["cuts"]]
        if missing == "only" and type(missing) is str:
            must(f.get("nan", False) and set(given) == {"feature", "missing"})
            return {len(cuts) + 1}
        must(type(missing) is bool and (not missing or f.get("nan", False)))
        ends = []
        for name in ("above", "at_most"):
            if name in given:
                must(is_number(given[name]) and float(given[name]) in cuts)
            ends.append(cuts.index(float(given[name])) if name in given else None)
        low = 0 if ends[0] is None else ends[0] + 1
        high = len(cuts) if ends[1] is None else ends[1]
        must(low <= high)
        return set(range(low, high + 1)) | ({len(cuts) + 1} if missing else set())

    # -- claims ------------------------------------------------------------------------------------

    def pure_boxes(self, label: dict[Cell, int]) -> list[set[tuple[frozenset[int], ...]]]:
        """By class all boxes on which it is given."""
        sides = [legal_sides(f, n) for f, n in zip(self.own, self.widths, strict=True)]
        if math.prod(map(len, sides)) > MOST_BOXES:
            raise TooMany
        out: list[set[Any]] = [set() for _ in self.classes]
        for box in itertools.product(*sides):
            met = {label[cell] for cell in itertools.product(*box)}
            if len(met) == 1:
                out[met.pop()].add(box)
        return out

    def form(self) -> None:
        content, label = self.content, self.tree(self.content["tree"])
        for name in ("rules", "fewest"):
            must(type(content[name]) is list and len(content[name]) == len(self.classes))
        reasons, complete = content["reasons"], content["complete"]
        must((reasons is None) == (complete is None))
        if reasons is not None:
            must(type(reasons) is list and len(reasons) == len(self.classes))
            must(type(complete) is list and len(complete) == len(self.classes))
            must(all(type(flag) is bool for flag in complete))
        pure = self.pure_boxes(label)
        for c in range(len(self.classes)):
            widest = {box for box in pure[c] if not any(box != o and le(box, o) for o in pure[c])}
            must(type(content["rules"][c]) is list)
            rules = [self.box(term) for term in content["rules"][c]]
            must(all(box in widest for box in rules))
            covered = {cell for box in rules for cell in itertools.product(*box)}
            must(covered == {cell for cell in self.cells if label[cell] == c})
            listed = []
            if reasons is not None:
                must(type(reasons[c]) is list)
                listed = [self.box(term) for term in reasons[c]]
                must(all(box in widest for box in listed) and len(set(listed)) == len(listed))
                must(not complete[c] or set(listed) == widest)
            given = content["fewest"][c]
            if given is not None:
                must(sorted(given) == ["bound", "proof"])
                must(count(given["bound"]) <= len(rules))
                full = listed if reasons is not None and complete[c] else None
                own = {cell for cell in self.cells if label[cell] == c}
                self.proof(given["proof"], int(given["bound"]), own, pure[c], full)

    def proof(self, given: Any, k: int, open_: set[Cell], pure: Any, full: Any) -> None:
        must(type(given) is dict)
        if set(given) == {"cells"}:
            must(type(given["cells"]) is list and len(given["cells"]) >= k)
            cells = [self.one(cell) for cell in given["cells"]]
            must(all(cell in open_ for cell in cells))
            for a, b in itertools.combinations(cells, 2):
                both = [box for box in pure if within(a, box) and within(b, box)]
                must(not both)
            return
        must(set(given) == {"cell", "branches"} and full is not None)
        cell = self.one(given["cell"])
        must(cell in open_)
        holding = [box for box in full if within(cell, box)]
        must(type(given["branches"]) is list and len(given["branches"]) == len(holding))
        for box, branch in zip(holding, given["branches"], strict=True):
            left = {other for other in open_ if not within(other, box)}
            self.proof(branch, k - 1, left, pure, full)

    def one(self, cell: Any) -> Cell:
        must(type(cell) is list and len(cell) == len(self.widths))
        must(all(count(b) < n for b, n in zip(cell, self.widths, strict=True)))
        return tuple(int(b) for b in cell)

    def same(self) -> None:
        must(type(self.content["trees"]) is list and len(self.content["trees"]) == 2)
        a, b = map(self.tree, self.content["trees"])
        must(a == b)

    def policy(self) -> None:
        content, label = self.content, self.tree(self.content["tree"])
        self.bought, self.price = [], []
        must(type(content["purchases"]) is list)
        for p in content["purchases"]:
            must(sorted(p) == ["cost", "features", "name"] and type(p["name"]) is str and p["name"])
            must(type(p["features"]) is list and p["features"])
            self.bought.append([count(k) for k in p["features"]])
            self.price.append(count(p["cost"]))
        must(sorted(k for own in self.bought for k in own) == list(range(len(self.widths))))
        must(type(content["unit"]) is list and len(content["unit"]) == 2)
        must(count(content["unit"][0]) >= 0 and count(content["unit"][1]) > 0)
        must(type(content["rows"]) is list)
        rows = []
        for row in content["rows"]:
            must(type(row) is list and row and count(row[0]) > 0)
            rows.append((int(row[0]), self.one(row[1:])))
        must(len({cell for _, cell in rows}) == len(rows))
        must(content["objective"] in ("expected", "worst"))
        self.nodes, self.reached = content["nodes"], [0] * len(content["nodes"])
        must(type(self.nodes) is list)
        ends = self.walk(0, {}, 0, label)
        must(self.reached == [1] * len(self.nodes))
        spent = [next((c, d) for known, c, d in ends if fits(cell, known)) for _, cell in rows]
        weights = [w for w, _ in rows]
        must(count(content["cost"]) == sum(w * c for w, (c, _) in zip(weights, spent, strict=True)))
        must(count(content["worst"]) == max((c for c, _ in spent), default=0))
        decided = sum(w for w, (_, d) in zip(weights, spent, strict=True) if d)
        must(count(content["determined"]) == decided)
        if content["bound"] is not None:
            must(count(content["bound"]) <= self.least({}, rows, label))

    def walk(self, at: int, known: dict[int, int], spent: int, label: Any) -> list[Any]:
        self.reached[at] += 1
        must(self.reached[at] == 1)
        node = self.nodes[at]
        must(type(node) is dict)
        if set(node) == {"open"}:
            must(node["open"] is True)
            return [(known, spent, False)]
        if set(node) == {"decision"}:
            met = {label[cell] for cell in self.cells if fits(cell, known)}
            must(met == {count(node["decision"])})
            return [(known, spent, True)]
        must(set(node) == {"ask", "answers"} and type(node["answers"]) is list)
        features = self.bought[count(node["ask"])]
        must(not any(k in known for k in features))
        out, seen = [], []
        for answer in node["answers"]:
            must(type(answer) is list and len(answer) == len(features) + 1)
            bins = [count(b) for b in answer]
            seen.append(tuple(bins[:-1]))
            more = {**known, **dict(zip(features, bins, strict=False))}
            out += self.walk(bins[-1], more, spent + self.price[int(node["ask"])], label)
        every = itertools.product(*(range(self.widths[k]) for k in features))
        must(sorted(seen) == sorted(every))
        return out

    def least(self, known: dict[int, int], rows: Any, label: Any) -> int:
        if not rows or len({label[cell] for cell in self.cells if fits(cell, known)}) == 1:
            return 0
        found = []
        for p, features in enumerate(self.bought):
            if features[0] in known:
                continue
            parts: dict[Any, Any] = {}
            for row in rows:
                parts.setdefault(tuple(row[1][k] for k in features), []).append(row)
            rest = [self.least({**known, **dict(zip(features, bins, strict=True))}, own, label)
                    for bins, own in parts.items()]  # fmt: skip
            if self.content["objective"] == "worst":
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
