"""Decision tables: gaps, overlaps and what is decided, beside every cell there is."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import orderless as ol
from orderless.errors import InvalidRules

from .running import Wrong, same

ENDS = (0.0, 1.0, 2.5, 10.0)
LABELS = ("a", "b b", "ä")
OUTPUTS = ("p", "q", "r")
NAMES = ("age", "dose", "blood type", "it's")
HITS = ("unique", "first", "any")


@dataclass(frozen=True)
class Cell:
    """A condition: the ends of a range and whether they are in, or labels, all but these."""

    low: float | None = None
    high: float | None = None
    low_in: bool = False
    high_in: bool = False
    labels: tuple[str, ...] | None = None
    negated: bool = False

    def holds(self, value: Any) -> bool:
        if self.labels is not None:
            return (value in self.labels) != self.negated
        above = self.low is None or value > self.low or (self.low_in and value == self.low)
        below = self.high is None or value < self.high or (self.high_in and value == self.high)
        return above and below

    @property
    def text(self) -> str:
        if self.labels is not None:
            return ("not " if self.negated else "") + ", ".join(f"'{one}'" for one in self.labels)
        if self.low is None and self.high is None:
            return "-"
        if self.low is None:
            return f"{'<=' if self.high_in else '<'} {self.high!r}"
        if self.high is None:
            return f"{'>=' if self.low_in else '>'} {self.low!r}"
        ends = "(["[self.low_in], ")]"[self.high_in]
        return f"{ends[0]}{self.low!r}..{self.high!r}{ends[1]}"


@dataclass(frozen=True)
class Case:
    """A table: which features are labels, rules, their outputs, and the hit policy."""

    text_at: frozenset[int]
    n: int
    rules: tuple[tuple[Cell, ...], ...]
    outputs: tuple[str, ...]
    hit: str
    default: str | None

    @property
    def source(self) -> str:
        out = io.StringIO()
        lines = csv.writer(out, lineterminator="\n")
        lines.writerow([*NAMES[: self.n], "output"])
        for cells, output in zip(self.rules, self.outputs, strict=True):
            lines.writerow([*(cell.text for cell in cells), output])
        return out.getvalue()

    @property
    def space(self) -> dict[str, Any]:
        kinds: dict[str, Any] = {}
        for at, name in enumerate(NAMES[: self.n]):
            kinds[name] = [*LABELS, "another"] if at in self.text_at else "numeric"
        return kinds

    def cells(self) -> list[dict[str, Any]]:
        """A row of every cell: at all ends, between them and beyond."""
        numbers = [-1.0, *itertools.chain.from_iterable((end, end + 0.25) for end in ENDS)]
        values = [[*LABELS, "another"] if at in self.text_at else numbers for at in range(self.n)]
        names = NAMES[: self.n]
        return [dict(zip(names, row, strict=True)) for row in itertools.product(*values)]

    def holding(self, row: dict[str, Any]) -> list[int]:
        values = list(row.values())
        return [k for k, cells in enumerate(self.rules)
                if all(cell.holds(v) for cell, v in zip(cells, values, strict=True))]  # fmt: skip


def a_cell(rng: Random, text: bool) -> Cell:
    if rng.random() < 0.25:
        return Cell()
    if text:
        some = tuple(rng.sample(LABELS, rng.randint(1, 2)))
        return Cell(labels=some, negated=rng.random() < 0.4)
    low, high = sorted(rng.sample(ENDS, 2))
    ends = rng.random() < 0.5, rng.random() < 0.5
    which = rng.random()
    return Cell(low if which > 0.3 else None, high if which < 0.7 else None, *ends)


def draw(rng: Random) -> Case:
    n = rng.randint(1, 3)
    text_at = frozenset(at for at in range(n) if rng.random() < 0.4)
    rules = tuple(
        tuple(a_cell(rng, at in text_at) for at in range(n)) for _ in range(rng.randint(1, 6))
    )
    outputs = tuple(rng.choice(OUTPUTS) for _ in rules)
    return Case(text_at, n, rules, outputs, rng.choice(HITS), rng.choice([None, None, "p", "z"]))


def smaller(case: Case) -> Iterator[Case]:
    if len(case.rules) > 1:
        for at in range(len(case.rules)):
            kept = [k for k in range(len(case.rules)) if k != at]
            yield replace(case, rules=tuple(case.rules[k] for k in kept),
                          outputs=tuple(case.outputs[k] for k in kept))  # fmt: skip


def show(case: Case) -> str:
    return (
        f"import orderless as ol\nprint(ol.rules.check({case.source!r}, hit={case.hit!r}, "
        f"default={case.default!r}, space={case.space!r}))"
    )


def checked(case: Case) -> Any:
    return ol.rules.check(case.source, hit=case.hit, default=case.default, space=case.space)


def gaps(case: Case) -> None:
    check = checked(case)
    open_cells = [row for row in case.cells() if not case.holding(row)]
    same("there are gaps", bool(check.gaps), bool(open_cells))
    same("the number of gaps", check.n_gaps >= len(check.gaps), True)
    for gap in check.gaps:
        same(f"a gap is one: {gap}", case.holding(gap.row), [])


def overlaps(case: Case) -> None:
    check = checked(case)
    wanted = set()
    for row in case.cells():
        for i, j in itertools.combinations(case.holding(row), 2):
            if case.hit == "unique" or (case.hit == "any" and case.outputs[i] != case.outputs[j]):
                wanted.add((i + 2, j + 2))
    same("overlaps", sorted(one.lines for one in check.overlaps), sorted(wanted))
    for one in check.overlaps:
        held = {k + 2 for k in case.holding(one.row)}
        same(f"an overlap is one: {one}", set(one.lines) <= held, True)
        same("what they say", one.outputs, tuple(case.outputs[k - 2] for k in one.lines))


def unused(case: Case) -> None:
    if case.hit == "first":
        decides = {held[0] for row in case.cells() if (held := case.holding(row))}
        wanted = [k + 2 for k in range(len(case.rules)) if k not in decides]
        same("rules that never decide", list(checked(case).unused), wanted)


def decided(case: Case) -> None:
    try:
        tree = ol.rules.read(case.source, hit=case.hit, default=case.default, space=case.space)
    except InvalidRules as fault:
        if checked(case):
            raise Wrong("a table that is fine is read", str(fault)) from None
        return
    same("a table that is read is fine", bool(checked(case)), True)
    rows = case.cells()
    held = [case.holding(row) for row in rows]
    expected = [case.outputs[one[0]] if one else case.default for one in held]
    same("what is decided", tree.predict(rows).tolist(), expected)


CHECKS = (gaps, overlaps, unused, decided)
