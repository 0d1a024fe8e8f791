"""Clocks and tables: what every benchmark here shares.

In:  work to time, here or in a process that is ended when it takes too long.
Out: seconds, ratios, and tables in Markdown.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import platform
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NOT_INSTALLED = "not installed"
GIGABYTES = 6  # what a peer's process may hold before it is ended

# Processor time of this process: what other jobs on a shared machine take away does not count.
clock = time.process_time


# -- clocks --------------------------------------------------------------------------------------


def best_of(work: Callable[[], Any], n: int = 7, *, budget: float = 2.0) -> float:
    """Processor seconds of the quickest of ``n`` calls, fewer when ``budget`` seconds are used up.

    Calls much shorter than a tick of the clock are put together.
    """
    start = clock()
    work()
    first = clock() - start
    together = max(1, min(1000, int(2e-4 / max(first, 1e-7))))
    best, used = first, first
    for _ in range(n - 1):
        if used > budget:
            break
        start = clock()
        for _ in range(together):
            work()
        passed = clock() - start
        best, used = min(best, passed / together), used + passed
    return best


_began = time.perf_counter()


def now(what: str) -> None:
    """Say on stderr what is being measured: one line that changes, or one each in a log.

    Nothing to say wipes that line.
    """
    line = f"[{time.perf_counter() - _began:4.0f} s] {what}" if what else ""
    if sys.stderr.isatty():
        print(f"\r\033[K{line[:100]}", end="", file=sys.stderr, flush=True)
    elif line:
        print(line, file=sys.stderr, flush=True)


# -- peers ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Unfinished:
    """What a peer gives that was ended: it did not finish in so many seconds."""

    limit: float

    def __str__(self) -> str:
        return f"did not finish in {self.limit:g} s"


@dataclass(frozen=True)
class Failed:
    """What a peer gives that raised an error."""

    message: str

    def __str__(self) -> str:
        return self.message


@dataclass
class Peer:
    """A function of ``benchmarks.peers`` in a process of its own, ended when it takes too long.

    Parameters
    ----------
    function : str
        Its name. It gives (seconds, answer); imports and conversions are not in the seconds.
    packages : str
        What must be installed, separated by spaces.
    """

    function: str
    packages: str
    _process: Any = field(default=None, repr=False)
    _pipe: Any = field(default=None, repr=False)

    @property
    def installed(self) -> bool:
        return all(find_spec(name) is not None for name in self.packages.split())

    def __call__(self, *args: Any, limit: float) -> tuple[float, Any] | Unfinished | Failed:
        if not self.installed:
            return Failed(NOT_INSTALLED)
        if self._process is None:
            self._start()
        before, start = self._worked(), time.perf_counter()
        self._pipe.send(args)
        while not self._pipe.poll(0.1):
            # Seconds of work, as everywhere here; on a busy machine more pass on the wall.
            passed = time.perf_counter() - start
            if self._worked() - before > limit or passed > 3 * limit:
                self.stop()
                return Unfinished(limit)
            if self._held() > GIGABYTES * 2**30:
                self.stop()
                return Failed(f"ended at {GIGABYTES} GB of memory")
        try:
            good, value = self._pipe.recv()
        except (EOFError, ConnectionError):
            self.stop()
            return Failed("crashed")
        return value if good else Failed(value)

    def _worked(self) -> float:
        """Processor seconds of the process so far; 0 where the system does not tell."""
        try:
            text = Path(f"/proc/{self._process.pid}/stat").read_text()
        except OSError:
            return 0.0
        user, system = text.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def _held(self) -> int:
        """Bytes of memory of the process; 0 where the system does not tell."""
        try:
            pages = Path(f"/proc/{self._process.pid}/statm").read_text().split()[1]
        except OSError:
            return 0
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, end = context.Pipe()
        self._process = context.Process(target=_serve, args=(self.function, end), daemon=True)
        self._process.start()
        end.close()
        if not self._pipe.poll(180):  # imports, not counted
            raise RuntimeError(f"{self.function} did not start in 180 s")
        self._pipe.recv()

    def stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._pipe.close()
            self._process = self._pipe = None

    def __enter__(self) -> Peer:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def _serve(function: str, pipe: Any) -> None:
    with quiet():  # some peers print
        work = getattr(import_module("benchmarks.peers"), function)
        work(None)  # import what it needs
        pipe.send("ready")
        while True:
            try:
                args = pipe.recv()
            except EOFError:
                return
            try:
                pipe.send((True, work(*args)))
            except Exception as fault:
                pipe.send((False, f"{type(fault).__name__}: {fault}"[:80]))


@contextmanager
def quiet():  # type: ignore[no-untyped-def]
    """Nothing that libraries print, from C++ either, gets into the tables."""
    keep = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(keep, 1)
        os.close(keep)
        os.close(nowhere)


# -- words ---------------------------------------------------------------------------------------


def seconds(value: Any) -> str:
    """Write a time with three digits, in the unit that fits."""
    if not isinstance(value, float):
        return str(value)
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}" if value / size < 1000 else f"{value / size:,.0f} s"
    return f"{value / 1e-9:.0f} ns"


def ratio(theirs: Any, ours: float) -> str:
    """Write how many times longer a peer takes; below 1 it is quicker than we are."""
    if isinstance(theirs, Unfinished):
        return f"> {_two_digits(theirs.limit / ours)}x"
    if not isinstance(theirs, float):
        return ""
    return f"{_two_digits(theirs / ours)}x"


def _two_digits(x: float) -> str:
    digits = max(0, 1 - math.floor(math.log10(x)))
    return f"{round(x, 1 - math.floor(math.log10(x))):,.{digits}f}"


def span(ratios: Sequence[float]) -> str:
    """Write the least and the largest of some ratios: "3.1 to 52 times"."""
    low, high = _two_digits(min(ratios)), _two_digits(max(ratios))
    return f"{low} times" if low == high else f"{low} to {high} times"


def against(target: float, measured: float) -> str:
    """Write a target, and whether it is met."""
    return f"< {seconds(target)}: {'met' if measured < target else '**missed**'}"


def at_least(target: float, theirs: Any, ours: float) -> str:
    """Write the least ratio that is wanted, of a peer's time to ours, and whether it is met."""
    if not isinstance(theirs, float):
        return ""
    return f">= {target:.2g}x: {'met' if theirs / ours >= target else '**missed**'}"


@dataclass
class Table:
    """Rows for people, as Markdown; numbers are aligned right."""

    title: str
    columns: Sequence[str]
    notes: Sequence[str] = ()
    rows: list[list[str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        now(self.title)

    def add(self, *cells: Any) -> None:
        if len(cells) != len(self.columns):
            raise ValueError(f"{len(cells)} cells for {len(self.columns)} columns")
        self.rows.append([f"{c:,}" if isinstance(c, int) else str(c) for c in cells])

    def __str__(self) -> str:
        table = [list(self.columns), *self.rows]
        widths = [max(3, *(len(row[i]) for row in table)) for i in range(len(self.columns))]
        right = [
            all(row[i][:1].isdigit() or row[i][:1] in "<>" or not row[i] for row in self.rows)
            for i in range(len(self.columns))
        ]

        def line(cells: Sequence[str]) -> str:
            padded = [
                c.rjust(w) if r else c.ljust(w)
                for c, w, r in zip(cells, widths, right, strict=True)
            ]
            return "| " + " | ".join(padded) + " |"

        rule = ["-" * (w - 1) + (":" if r else "-") for w, r in zip(widths, right, strict=True)]
        body = [line(self.columns), line(rule), *(line(row) for row in self.rows)]
        return "\n".join([f"### {self.title}", "", *body, *(f"\n{note}" for note in self.notes)])


def machine(packages: Sequence[str]) -> str:
    """Say what it ran on: processor, registers, Python, versions; no names of hosts, no paths."""
    model = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.is_file():
        lines = [line for line in info.read_text().splitlines() if line.startswith("model name")]
        model = lines[0].partition(":")[2].strip() if lines else model
    found = []
    for name in packages:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            found.append(f"{name} {NOT_INSTALLED}")
    from orderless._core import base

    return (
        f"{model}, {os.cpu_count()} cores ({platform.system()}, {platform.machine()}), registers "
        f"chosen: {base.registers}; "
        f"Python {platform.python_version()}; {', '.join(found)}."
    )
