"""Check a certificate of orderless. Written from docs/certificates alone; needs nothing but Python.

In:  the text of a certificate. As a program: ``python check_certificate.py FILE``.
Out: "valid", "invalid" or "undecided", and in sentences what it proves, or what is wrong.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from itertools import combinations, pairwise
from math import isfinite
from pathlib import Path
from typing import Any

__all__ = ["STEPS", "check"]

STEPS = 20_000_000
Box = tuple[int, ...]  # per feature its bins, as bits; a cell has one bit of each


class Invalid(ValueError):
    """The certificate is not valid."""


class Undecided(RuntimeError):
    """Checking takes more steps than are allowed."""


def need(holds: object, message: str) -> None:
    """Refuse what does not hold."""
    if not holds:
        raise Invalid(message)


def array(given: Any) -> list[Any]:
    """Read a list."""
    need(type(given) is list, "a list is missing")
    return list(given)


def texts(given: list[Any]) -> list[str]:
    """Read texts that must differ."""
    need(all(type(text) is str for text in given), "a text is missing")
    need(len(set(given)) == len(given), "a text is there twice")
    return given


def whole(given: Any, below: int = 2**53, least: int = 0) -> int:
    """Read a whole number, which may be written 1.0."""
    fits = type(given) in (int, float) and least <= given < below and given == int(given)
    need(fits, f"{given!a:.40} is not a whole number, or out of range")
    return int(given)


def entries(given: Any, *names: str) -> list[Any]:
    """Give the entries of an object that must have these and no others."""
    need(type(given) is dict and set(given) == set(names), f"an object must have {names!a:.200}")
    return [given[name] for name in names]


def replaced(box: Box, k: int, bits: int) -> Box:
    """Give a box with other bins of one feature."""
    return (*box[:k], bits, *box[k + 1 :])


def inside(a: Box, b: Box) -> bool:
    """Whether a box lies in another."""
    return all(not x & ~y for x, y in zip(a, b, strict=True))


class Checker:
    """What a certificate is about, and the steps that are left."""

    def __init__(self, content: Any, limit: int) -> None:
        names = ("format", "version", "claim", "classes", "features", "trees", "stated")
        form, version, self.claim, classes, features, trees, self.stated = entries(content, *names)
        need(form == "orderless-certificate" and whole(version) == 2, "unknown format or version")
        self.left = limit
        self.classes: dict[Any, int] = {name: c for c, name in enumerate(texts(array(classes)))}
        cut = [entries(feature, "name", "cuts", "sets") for feature in array(features)]
        self.names = {name: k for k, name in enumerate(texts([own[0] for own in cut]))}
        self.in_order: list[int] = []  # by feature the bins between cuts, as bits
        self.width: list[int] = []  # by feature how many bins it has
        for _, cuts, sets in cut:
            numbers = [] if cuts is None else array(cuts)
            need(all(type(x) in (int, float) and isfinite(x) for x in numbers), "a wrong cut")
            need(all(float(a) < float(b) for a, b in pairwise(numbers)), "cuts must rise")
            texts([value for values in array(sets) for value in array(values)])
            between = 0 if cuts is None else len(numbers) + 1
            need(all(sets) and between + len(sets), "an empty bin, or no bins")
            self.in_order.append((1 << between) - 1)
            self.width.append(between + len(sets))
        self.all: Box = tuple((1 << width) - 1 for width in self.width)
        need(len(array(trees)) == (1 if self.claim == "form" else 2), "the wrong number of trees")
        ends = {**self.classes, None: -1} if self.claim == "policy" else self.classes
        self.trees = [self.tree(array(own), ends if i else self.classes)
                      for i, own in enumerate(trees)]  # fmt: skip

    def tree(self, given: list[Any], ends: dict[Any, int]) -> list[Any]:
        """Read a tree: the class of a leaf; else the feature, the bins, and where it goes on."""
        need(given, "a tree without nodes")
        nodes: list[Any] = []
        for i, node in enumerate(given):
            if type(node) is list:
                name, text, *children = node
                yes, no = (whole(child, len(given), i + 1) for child in children)
                nodes.append((self.names[name], self.bits(self.names[name], text), yes, no))
            else:
                nodes.append(ends[node])
        return nodes

    def bits(self, k: int, given: Any) -> int:
        """Read bins of a feature: a text that has 1 or 0 for each."""
        wrong = type(given) is not str or len(given) != self.width[k] or set(given) - {"0", "1"}
        need(not wrong, "a text of 0 and 1 is missing")
        return int(given[::-1], 2)

    def box(self, given: Any) -> Box:
        """Read a box."""
        need(type(given) is dict, "a box must be an object")
        box = self.all
        for name, text in given.items():
            k = self.names[name]
            box = replaced(box, k, self.bits(k, text))
            need(box[k] and self.filled(k, box[k]) == box[k], "bins that make no side of a box")
        return box

    def cell(self, given: Any) -> Box:
        """Read a cell."""
        return tuple(1 << whole(b, n) for b, n in zip(array(given), self.width, strict=True))

    def step(self, steps: int = 1) -> None:
        """Count steps."""
        self.left -= steps
        if self.left < 0:
            raise Undecided("checking takes too many steps")

    def filled(self, k: int, bits: int) -> int:
        """Give the smallest side of a box around bins: those in order have no gap."""
        ordered = bits & self.in_order[k]
        return bits | ((1 << ordered.bit_length()) - (ordered & -ordered) if ordered else 0)

    def leaves(self, box: Box, tree: int = 0) -> Iterator[tuple[int, Box]]:
        """Go through the leaves that a box meets: the class, and what they have in common."""
        todo = [(0, box)]
        while todo:
            self.step()
            at, box = todo.pop()
            node = self.trees[tree][at]
            if type(node) is int:
                yield node, box
                continue
            k, holds, yes, no = node
            parts = (yes, box[k] & holds), (no, box[k] & ~holds)
            todo += [(child, replaced(box, k, bits)) for child, bits in parts if bits]

    def gives(self, c: int, box: Box) -> bool:
        """Whether the first tree gives a class on a whole box."""
        return all(own == c for own, _ in self.leaves(box))

    # -- "same": two trees -------------------------------------------------------------------------

    def same(self) -> list[str]:
        """Check that two trees give every row the same class, but where the second ends open."""
        need(self.claim == "policy" or self.stated == {}, "nothing else can be stated")
        for c, box in self.leaves(self.all, 1):
            need(c < 0 or self.gives(c, box), "the two trees differ")
        return ["Both trees give every row the same class."]

    # -- "form": rules and reasons -----------------------------------------------------------------

    def form(self) -> list[str]:
        """Check rules and reasons of each class."""
        out = ["The rules decide as the tree on every row; none can be widened."]
        for c, given in enumerate(entries(self.stated, *self.classes)):
            names = ("rules", "reasons", "complete", "bound", "proof")
            *terms, complete, bound, proof = entries(given, *names)
            rules, reasons = ([self.box(box) for box in array(own)] for own in terms)
            for box in rules + reasons:
                self.widest(c, box)
            self.covered(c, rules)
            need(type(complete) is bool, "'complete' must be true or false")
            need(len(set(reasons)) == len(reasons), "a reason is there twice")
            if complete:
                need(set(rules) <= set(reasons), "a rule is not among all reasons")
                self.closed(reasons)
            self.prove(c, proof, whole(bound, len(rules) + 1), [], reasons if complete else [])
            counts = f"{len(rules)}; at least {int(bound)} needed. Reasons: {len(reasons)}"
            which = "these are all" if complete else "perhaps not all"
            out.append(f"Rules of class {c}: {counts}; {which}.")
        return out

    def widest(self, c: int, box: Box) -> None:
        """Check that the class is given on a box, and on none with one more bin."""
        need(self.gives(c, box), "a rule or reason holds where the class is another")
        for k, bits in enumerate(box):
            for one in (1 << b for b in range(self.width[k]) if not bits >> b & 1):
                if self.filled(k, bits | one) == bits | one:
                    wider = self.gives(c, replaced(box, k, one))
                    need(not wider, "a rule or reason can be widened")

    def covered(self, c: int, rules: list[Box]) -> None:
        """Check that rules cover a class: cut what is left until it lies in one of them."""
        todo = [(box, rules) for own, box in self.leaves(self.all) if own == c]
        while todo:
            box, near = todo.pop()
            self.step(len(near) + 1)
            near = [rule for rule in near if all(a & b for a, b in zip(rule, box, strict=True))]
            need(near, "some rows of a class are in none of its rules")
            if not any(inside(box, rule) for rule in near):
                k = next(k for k, bits in enumerate(near[0]) if box[k] & ~bits)
                parts = box[k] & near[0][k], box[k] & ~near[0][k]
                todo += [(replaced(box, k, bits), near) for bits in parts]

    def closed(self, reasons: list[Box]) -> None:
        """Check that the joins of any two reasons lie in one."""
        for p, q in combinations(reasons, 2):
            self.step()
            common = tuple(a & b for a, b in zip(p, q, strict=True))
            apart = [k for k, bits in enumerate(common) if not bits]
            for k in (apart or range(len(p))) if len(apart) < 2 else ():
                free = (p[k] | q[k]) & ~self.in_order[k]
                for bits in (p[k] | q[k], p[k] | free, q[k] | free):
                    join = replaced(common, k, bits)
                    if self.filled(k, bits) == bits and not inside(join, p) and not inside(join, q):
                        self.step(len(reasons))
                        need(any(inside(join, one) for one in reasons), "a reason is missing")

    def prove(self, c: int, proof: Any, k: int, chosen: list[Box], reasons: list[Box]) -> None:
        """Check that k more rules are needed for what the chosen reasons leave open."""
        given, branches = map(array, array(proof))
        cells = [self.cell(cell) for cell in given]
        for cell in cells:
            self.step(len(chosen))
            need(self.gives(c, cell), "a cell is of another class")
            need(not any(inside(cell, box) for box in chosen), "a cell is covered")
        if branches:
            holding = [box for box in reasons if inside(cells[0], box)]
            for box, branch in zip(holding, branches, strict=True):
                self.prove(c, branch, k - 1, [*chosen, box], reasons)
            return
        need(len(cells) >= k, "too few cells")
        for a, b in combinations(cells, 2):
            around = (self.filled(i, x | y) for i, (x, y) in enumerate(zip(a, b, strict=True)))
            need(not self.gives(c, tuple(around)), "two cells fit into one rule")

    # -- "policy": what it costs to get the tree's answer ------------------------------------------

    def policy(self) -> list[str]:
        """Check that a policy ends as the tree, what it costs, and that nothing is cheaper."""
        self.same()
        names = ("purchases", "unit", "rows", "cost", "worst", "determined", "objective", "bound")
        purchases, unit, rows, *totals, self.objective, bound = entries(self.stated, *names)
        up, down = (whole(part, least=1) for part in array(unit))
        self.buys: list[tuple[int, list[int]]] = []
        for price, *own in map(array, array(purchases)):
            self.buys.append((whole(price), [self.names[name] for name in own]))
        of = {k: p for p, (_, own) in enumerate(self.buys) for k in own}
        need(len(of) == len(self.names) == sum(len(own) for _, own in self.buys), "wrong purchases")
        rows = [(whole(row[0], least=1), self.cell(row[1:])) for row in map(array, array(rows))]
        cost = worst = determined = 0
        for weight, cell in rows:
            at, paid = 0, set()
            while type(node := self.trees[1][at]) is tuple:
                self.step()
                paid.add(of[node[0]])
                at = node[2] if cell[node[0]] & node[1] else node[3]
            spent = sum(self.buys[p][0] for p in paid)
            cost, worst = cost + weight * spent, max(worst, spent)
            determined += weight if node >= 0 else 0
        found = [cost, worst, determined]
        need([whole(own) for own in totals] == found, f"cost, worst, determined are {found}")
        need(self.objective in ("expected", "worst"), "unknown objective")
        self.memory: dict[Box, int] = {}
        cheaper = whole(bound) and self.least(self.all, rows) < bound
        need(not cheaper, "it can be cheaper than the bound")
        count, least = sum(weight for weight, _ in rows), f"{int(bound)} ({self.objective})"
        return [
            f"{count} rows cost {cost} x {up}/{down} together, the dearest {worst} x {up}/{down}.",
            f"{determined} of them end with the tree's answer, none with another.",
            f"Nothing that always ends with the answer costs less than {least}.",
        ]

    def least(self, box: Box, rows: list[tuple[int, Box]]) -> int:
        """Give the least that has to be paid from here on, trying all purchases."""
        if box in self.memory:
            return self.memory[box]
        self.step(len(rows) + 1)
        best = 0 if not rows or len({c for c, _ in self.leaves(box)}) == 1 else -1
        for price, features in self.buys:
            total = price * (1 if self.objective == "worst" else sum(n for n, _ in rows))
            if all(box[k] & box[k] - 1 == 0 for k in features) or 0 <= best <= total:
                continue
            parts: dict[Box, list[tuple[int, Box]]] = {}
            for row in rows:
                after = tuple(row[1][k] if k in features else own for k, own in enumerate(box))
                parts.setdefault(after, []).append(row)
            self.step(len(rows))
            rest = [self.least(after, own) for after, own in parts.items()]
            total += max(rest) if self.objective == "worst" else sum(rest)
            best = total if best < 0 else min(best, total)
        self.memory[box] = best
        return best


def check(text: str | bytes, limit: int = STEPS) -> tuple[str, list[str]]:
    """Give "valid" and what it proves; or "invalid" or "undecided", and why."""
    try:
        own = Checker(json.loads(text), limit)
        claims = {"form": own.form, "same": own.same, "policy": own.policy}
        return "valid", claims[own.claim]()
    except (Undecided, RecursionError) as fault:
        return "undecided", [f"{fault}"]
    except Invalid as fault:
        return "invalid", [f"{fault}"]
    except (ValueError, LookupError, TypeError, OverflowError) as fault:
        return "invalid", [f"it is not as it must be ({fault!a:.120})"]


if __name__ == "__main__":
    verdict, lines = check(Path(sys.argv[1]).read_bytes())
    sys.stdout.write("\n".join([*lines, verdict.capitalize() + "."]) + "\n")
    sys.exit({"valid": 0, "invalid": 4, "undecided": 5}[verdict])
