"""Run cases, keep findings, make them smaller, say how it goes.

An area is a module with ``draw(rng)``, which gives a case; ``CHECKS``, functions of a case that
raise where the package is wrong; ``smaller(case)``, cases with less in them; and ``show(case)``,
code to paste. ``KEPT``, if it is there, are cases that were found before and always come first. Any
other case n depends on the seed, the area and n, and on nothing else.
"""

from __future__ import annotations

import json
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from .grid import TooBig

STEPS = 150  # tries to make one finding smaller


class Wrong(Exception):
    """What the package gave, beside what it should have given."""

    def __init__(self, what: str, got: Any = "", expected: Any = "") -> None:
        super().__init__(f"{what}\n  got:      {got!r}\n  expected: {expected!r}")


compared = Counter[str]()  # answers, in this process


def same(what: str, got: Any, expected: Any) -> None:
    """Raise if the two are not equal."""
    compared["answers"] += 1
    if got != expected:
        raise Wrong(what, got, expected)


@dataclass
class Finding:
    """A check that failed, with the smallest case that was found for it."""

    area: str
    check: str
    seed: int
    number: int
    message: str
    code: str
    times: int = 1

    @property
    def text(self) -> str:
        again = f"python -m tests.hunt --area {self.area} --seed {self.seed} --case {self.number}"
        return f"# {self.area}: {self.check}\n# {again}\n{as_comment(self.message)}\n{self.code}\n"


@dataclass
class Tally:
    """What came of an area."""

    cases: int = 0
    skipped: int = 0
    compared: int = 0  # answers
    too_big: Counter[str] = field(default_factory=Counter)  # by check
    findings: dict[str, Finding] = field(default_factory=dict)


def as_comment(text: str) -> str:
    return "\n".join(f"# {line}" for line in text.splitlines())


def tried(
    check: Callable[[Any], None], case: Any, tally: Tally | None = None
) -> tuple[str, str] | None:
    """The kind of failure and its message, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            check(case)
    except TooBig:
        if tally is not None:
            tally.too_big[check.__name__] += 1
        return None
    except Wrong as fault:
        return f"{check.__name__}: {str(fault).splitlines()[0]}", str(fault)
    except Exception as fault:
        last = traceback.extract_tb(fault.__traceback__)[-1]
        kind = f"{check.__name__}: {type(fault).__name__} in {Path(last.filename).name}"
        return kind, f"{type(fault).__name__}: {fault}\n{Path(last.filename).name}: {last.name}"
    return None


def shrunk(area: ModuleType, check: Callable[[Any], None], case: Any, kind: str) -> Any:
    """A smaller case that fails in the same way."""
    steps, better = 0, True
    while better and steps < STEPS:
        better = False
        for candidate in area.smaller(case):
            steps += 1
            found = tried(check, candidate)
            if found is not None and found[0] == kind:
                case, better = candidate, True
                break
            if steps >= STEPS:
                break
    return case


def drawn(area: ModuleType, seed: int, number: int) -> Any:
    """Case n, or None if brute force could not handle it; first come those that are kept."""
    kept = getattr(area, "KEPT", ())
    if number < len(kept):
        return kept[number]
    rng = Random(f"{seed}/{area_name(area)}/{number}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return area.draw(rng)
    except TooBig:
        return None


def area_name(area: ModuleType) -> str:
    return area.__name__.rpartition(".")[2]


def run_case(
    area: ModuleType, seed: int, number: int, tally: Tally, folder: Path | None = None
) -> list[Finding]:
    """Run all checks on one case; give the findings that are new."""
    case = drawn(area, seed, number)
    tally.cases += 1
    if case is None:
        tally.skipped += 1
        return []
    if folder is not None:  # if the process dies, this is what it died of
        (folder / "now.txt").write_text(
            f"{area_name(area)} {seed} {number}\n{area.show(case)}\n", encoding="utf-8",
            errors="backslashreplace",
        )  # fmt: skip
    new = []
    for check in area.CHECKS:
        before = compared["answers"]
        found = tried(check, case, tally)
        tally.compared += compared["answers"] - before
        if found is None:
            continue
        kind, message = found
        if kind in tally.findings:
            tally.findings[kind].times += 1
            continue
        small = shrunk(area, check, case, kind)
        last = tried(check, small)
        if last is not None:
            message = last[1]
        finding = Finding(area_name(area), kind, seed, number, message, area.show(small))
        tally.findings[kind] = finding
        new.append(finding)
    return new


def run(
    area: ModuleType,
    *,
    cases: int | None = None,
    minutes: float | None = None,
    seed: int = 0,
    folder: Path | None = None,
    told: Callable[[Tally], None] = lambda tally: None,
    tally: Tally | None = None,
) -> Tally:
    """Run so many cases, or as many as fit into the time."""
    tally = Tally() if tally is None else tally
    begin, start = time.monotonic(), tally.cases
    while True:
        done = tally.cases - start
        if cases is not None and done >= cases:
            return tally
        if minutes is not None and time.monotonic() - begin > 60 * minutes:
            return tally
        for finding in run_case(area, seed, tally.cases, tally, folder):
            if folder is not None:
                write(folder, finding)
        told(tally)


def write(folder: Path, finding: Finding) -> Path:
    """Write a finding to its own file."""
    name = "".join(letter if letter.isalnum() else "-" for letter in finding.check)[:80]
    path = folder / f"{finding.area}-{name}-{finding.seed}-{finding.number}.py"
    path.write_text(finding.text, encoding="utf-8", errors="backslashreplace")
    return path


def literal(text: str) -> str:
    """JSON as a Python literal that can be pasted."""
    return repr(json.dumps(json.loads(text)))


def without_one(tree: Any) -> Iterator[Any]:
    """Trees in which one split is replaced by one of its sides; the largest cuts first."""
    from .model import Leaf, Split

    if isinstance(tree, Leaf):
        return
    yield tree.yes
    yield tree.no
    for side in without_one(tree.yes):
        yield Split(tree.ask, side, tree.no)
    for side in without_one(tree.no):
        yield Split(tree.ask, tree.yes, side)
