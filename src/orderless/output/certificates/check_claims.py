"""Check a certificate of orderless; Python's standard library is enough (docs/certificates).

In:  the text of a certificate. As a program: ``python check_certificate.py FILE``.
Out: what it proves, in sentences; ``Invalid`` says what is wrong, ``Undecided`` that it takes long.
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from .check_parts import About, Box, Invalid, Tree, Undecided, inside, need, number, take, whole

__all__ = ["STEPS", "check"]

STEPS = 20_000_000
MOST_PURCHASES = 300
Known = tuple[int, ...]  # per feature its bin, or -1
Rows = list[tuple[int, Known]]  # how often a row is there, and its cell


class Form:
    """The rules and reasons of a tree."""

    def __init__(self, about: About, content: dict[str, Any]) -> None:
        self.about, self.tree = about, Tree(about, content.get("tree"))
        self.rules = about.terms(content.get("rules"))
        reasons, complete = content["reasons"], content["complete"]
        need((reasons is None) == (complete is None), "'complete' goes with 'reasons'")
        self.reasons = [] if reasons is None else about.terms(reasons)
        self.complete = [False] * about.n_classes if reasons is None else take(content, "complete")
        self.fewest = take(content, "fewest")
        need(len(self.complete) == len(self.fewest) == about.n_classes, "one entry per class")
        need(all(isinstance(own, bool) for own in self.complete), "'complete': true or false")

    def check(self) -> list[str]:
        """Check all that is stated."""
        out = ["The rules decide as the tree on every row; none can be widened."]
        for c, terms in enumerate(self.rules):
            self.widest(c, terms)
            self.covered(c, terms)
        for c, terms in enumerate(self.reasons):
            need(len(set(terms)) == len(terms), "a reason is there twice")
            self.widest(c, terms)
            if self.complete[c]:
                self.covered(c, terms)
                self.closed(terms)
            which = "these are all" if self.complete[c] else "not stated whether these are all"
            out.append(f"Reasons of class {c}: {len(terms):,}; {which}.")
        for c, given in enumerate(self.fewest):
            stated = "not stated how many are needed"
            if given is not None:
                need(isinstance(given, dict) and set(given) == {"bound", "proof"}, "wrong proof")
                bound = whole(given["bound"], len(self.rules[c]) + 1)
                self.prove(c, given["proof"], bound, [])
                stated = f"at least {bound:,} needed"
            out.append(f"Rules of class {c}: {len(self.rules[c]):,}; {stated}.")
        return out if self.reasons else [*out, "Not stated: reasons."]

    def widest(self, c: int, terms: Sequence[Box]) -> None:
        """Check that the class is given on boxes, and on no wider ones."""
        for box in terms:
            need(self.tree.only(box) == c, "a rule or reason holds where the class is another")
            for k, own in enumerate(self.about.bins):
                for one in own.next_to(box[k]):
                    more = (*box[:k], one, *box[k + 1 :])
                    need(self.tree.only(more) != c, "a rule or reason can be widened")

    def covered(self, c: int, terms: list[Box]) -> None:
        """Check that boxes cover a class: cut what is left until it lies in one of them."""
        todo = [(box, terms) for own, box in self.tree.leaves(self.about.whole) if own == c]
        while todo:
            box, near = todo.pop()
            self.about.step(len(near) + 1)
            near = [t for t in near if all(a & b for a, b in zip(t, box, strict=True))]
            need(near, "some rows of a class are in none of its rules")
            if not any(inside(box, term) for term in near):
                k = next(k for k, bits in enumerate(near[0]) if box[k] & ~bits)
                parts = box[k] & near[0][k], box[k] & ~near[0][k]
                todo += [((*box[:k], bits, *box[k + 1 :]), near) for bits in parts]

    def closed(self, terms: Sequence[Box]) -> None:
        """Check that the joins of any two boxes lie in one of them."""
        for p, q in combinations(terms, 2):
            self.about.step()
            common = tuple(a & b for a, b in zip(p, q, strict=True))
            apart = [k for k, bits in enumerate(common) if not bits]
            for k in (apart or range(len(p))) if len(apart) < 2 else ():
                for bits in self.about.bins[k].together(p[k], q[k]):
                    join = (*common[:k], bits, *common[k + 1 :])
                    if bits and not inside(join, p) and not inside(join, q):
                        self.about.step(len(terms))
                        need(any(inside(join, one) for one in terms), "a reason is missing")

    def prove(self, c: int, proof: Any, k: int, chosen: list[Box]) -> None:
        """Check that k more rules are needed for what the chosen reasons leave open."""
        need(isinstance(proof, dict), "wrong proof")
        split = set(proof) == {"cell", "branches"}
        need(split or set(proof) == {"cells"}, "wrong proof")
        cells = [self.about.cell(x) for x in ([proof["cell"]] if split else take(proof, "cells"))]
        for cell in cells:
            self.about.step(len(chosen))
            need(self.tree.only(cell) == c, "a cell is of another class")
            need(not any(inside(cell, box) for box in chosen), "a cell is covered")
        if split:
            need(self.complete[c], "branches need all reasons")
            holding = [box for box in self.reasons[c] if inside(cells[0], box)]
            need(len(take(proof, "branches")) == len(holding), "a branch is missing")
            for box, branch in zip(holding, proof["branches"], strict=True):
                self.prove(c, branch, k - 1, [*chosen, box])
            return
        need(len(cells) >= k, "too few cells")
        for a, b in combinations(cells, 2):
            pairs = zip(self.about.bins, a, b, strict=True)
            box = tuple(own.around(x, y) for own, x, y in pairs)
            need(self.tree.only(box) != c, "two cells fit into one rule")


class Policy:
    """What it costs to get the answer of a tree."""

    def __init__(self, about: About, content: dict[str, Any]) -> None:
        self.about, self.content, self.tree = about, content, Tree(about, content.get("tree"))
        self.buys, self.costs = [], []
        for given in take(content, "purchases"):
            need(take(given, "name", str) and len(given) == 3, "wrong purchase")
            self.buys.append([whole(k, len(about.bins)) for k in take(given, "features")])
            self.costs.append(whole(given["cost"]))
        bought = sorted(k for own in self.buys for k in own)
        need(all(self.buys) and bought == list(range(len(about.bins))), "wrong purchases")
        unit = [whole(part) for part in take(content, "unit")]
        need(len(unit) == 2 and unit[1], "wrong unit")
        self.unit = f"{unit[0]}/{unit[1]}"
        self.rows: Rows = []
        for row in take(content, "rows"):
            about.cell(row[1:])
            self.rows.append((whole(row[0]), tuple(map(int, row[1:]))))
        need(all(weight for weight, _ in self.rows), "a row has no weight")
        need(len({cell for _, cell in self.rows}) == len(self.rows), "a row is there twice")
        self.worst = take(content, "objective", str) == "worst"
        need(self.worst or content["objective"] == "expected", "unknown objective")
        self.memory: dict[Known, int] = {}

    def only(self, known: Known) -> int:
        """Give the class that is certain with what is known; -1 if none is."""
        pairs = zip(known, self.about.whole, strict=True)
        return self.tree.only(tuple(1 << b if b >= 0 else every for b, every in pairs))

    def check(self) -> list[str]:
        """Check all that is stated."""
        found = dict(zip(("cost", "worst", "determined"), self.walk(), strict=True))
        for name, value in found.items():
            need(whole(self.content.get(name)) == value, f"{name!r} is wrong: it is {value:,}")
        n, start = sum(weight for weight, _ in self.rows), (-1,) * len(self.about.bins)
        out = [
            f"{n:,} rows cost {found['cost']:,} x {self.unit} together, and the dearest "
            f"{found['worst']:,} x {self.unit}.",
            f"{found['determined']:,} of them end with the tree's answer, none with another.",
        ]
        if self.content["bound"] is None:
            return [*out, "Not stated: how cheap it can be."]
        bound = whole(self.content["bound"])
        if len(self.buys) > MOST_PURCHASES:
            raise Undecided("there are too many purchases")
        need(bound <= self.least(start, self.rows), "it can be cheaper than the bound")
        return [*out, f"Nothing that always ends with the answer costs less than {bound:,}."]

    def walk(self) -> tuple[int, int, int]:
        """Go through the nodes: what all rows cost, the dearest, and how many are determined."""
        nodes, children = take(self.content, "nodes"), []
        cost = worst = determined = 0
        todo: list[tuple[int, Known, Rows, int]] = []
        todo.append((0, (-1,) * len(self.about.bins), self.rows, 0))
        while todo:
            at, known, rows, spent = todo.pop()
            self.about.step(len(rows) + 1)
            node, weight = nodes[at], sum(weight for weight, _ in rows)
            if set(node) == {"ask", "answers"}:
                p = whole(node["ask"], len(self.buys))
                for to, after, own in self.answers(
                    self.buys[p], take(node, "answers"), known, rows
                ):
                    todo.append((whole(to, len(nodes)), after, own, spent + self.costs[p]))
                    children.append(to)
                need(len(children) < len(nodes), "a node is the answer of two")
                continue
            need(set(node) in ({"decision"}, {"open"}), "wrong node")
            need(node.get("open", True) is True, "wrong node")
            if "decision" in node:
                decided = whole(node["decision"], self.about.n_classes)
                need(self.only(known) == decided, "a decision is not the tree's")
                determined += weight
            cost, worst = cost + weight * spent, max(worst, spent if rows else 0)
        need(sorted(children) == list(range(1, len(nodes))), "the nodes are not a tree")
        return cost, worst, determined

    def answers(
        self, features: list[int], given: list[Any], known: Known, rows: Rows
    ) -> Iterator[tuple[Any, Known, Rows]]:
        """Go through the answers: where they lead, what is known then, and the rows."""
        need(all(known[k] < 0 for k in features), "something is bought twice")
        widths = [self.about.bins[k].width for k in features]
        need(len(given) == math.prod(widths), "an answer is missing")
        seen = set()
        for answer in given:
            need(len(answer) == len(features) + 1, "wrong answer")
            bins = tuple(whole(b, n) for b, n in zip(answer[:-1], widths, strict=True))
            seen.add(bins)
            after = list(known)
            for k, b in zip(features, bins, strict=True):
                after[k] = b
            own = [row for row in rows if all(row[1][k] == after[k] for k in features)]
            yield answer[-1], tuple(after), own
        need(len(seen) == len(given), "an answer is there twice")

    def least(self, known: Known, rows: Rows) -> int:
        """Give the least that has to be paid from here on, trying all purchases."""
        if known in self.memory:
            return self.memory[known]
        self.about.step(len(rows) + 1)
        best = 0 if not rows or self.only(known) >= 0 else -1
        weight = 1 if self.worst else sum(weight for weight, _ in rows)
        for p in sorted(range(len(self.buys)), key=lambda p: self.costs[p]):
            total = self.costs[p] * weight
            if known[self.buys[p][0]] >= 0 or 0 <= best <= total:
                continue
            parts: dict[Known, Rows] = {}
            for row in rows:
                cell = enumerate(row[1])
                after = tuple(b if k in self.buys[p] else known[k] for k, b in cell)
                parts.setdefault(after, []).append(row)
            self.about.step(len(rows))
            rest = [self.least(after, own) for after, own in parts.items()]
            total += max(rest) if self.worst else sum(rest)
            best = total if best < 0 else min(best, total)
        self.memory[known] = best
        return best


def same(about: About, content: dict[str, Any]) -> list[str]:
    """Check that two trees give every row the same class."""
    given = take(content, "trees")
    need(len(given) == 2, "two trees are needed")
    one, other = (Tree(about, tree) for tree in given)
    for own, box in one.leaves(about.whole):
        need(other.only(box) == own, "the two trees differ")
    return ["Both trees give every row the same class."]


def refuse(constant: str) -> float:
    """Refuse NaN and Infinity, which are not JSON."""
    raise Invalid(f"{constant} is not JSON")


def check(text: str | bytes, limit: int = STEPS) -> list[str]:
    """Check a certificate; give what it proves, or raise ``Invalid`` or ``Undecided``."""
    try:
        content = json.loads(text, parse_constant=refuse)
        need(take(content, "format", str) == "orderless-certificate", "unknown format")
        need(number(content.get("version")) == 1, "unknown version")
        claim = take(content, "claim", str)
        need(claim in ("form", "same", "policy"), "unknown claim")
        about = About(content, limit)
        if claim == "same":
            return same(about, content)
        return (Form if claim == "form" else Policy)(about, content).check()
    except (Invalid, Undecided):
        raise
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError) as fault:
        raise Invalid(f"this is not a certificate ({fault!r:.120})") from fault


def main(path: str) -> int:
    """Check a file; 0 if it is valid, 4 if it is not, 5 if that is not decided."""
    try:
        lines, code = check(Path(path).read_bytes()), 0
    except Invalid as fault:
        lines, code = [f"Not valid: {fault}."], 4
    except Undecided as fault:
        lines, code = [f"Undecided: {fault}."], 5
    sys.stdout.write("\n".join([*lines, *(["Valid."] if code == 0 else [])]) + "\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
