"""What got slower since the run that is stored: times of this run beside the tables in README.md.

In:  the tables of two runs, as Markdown.
Out: a paragraph: how the machine differs, told from the peers' times, and what of ours got slower.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

MORE = 1.10  # times as long, beyond what the machine explains
_TIME = re.compile(r"([\d.,]+) (ns|µs|ms|s)(?: \(.*\))?")
_UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}
_PEERS = re.compile(
    r"sympy|espresso|\bdd\b|OxiDD|oxidd|PyXAI|TreeFARMS|ArborEnum|PRAXIS|STreeD|Veritas|scikit|sklearn|"
    r"LightGBM|XGBoost|treelite|pickle|DuckDB|polars|SQLite|Spark|\bQ\b|library|peer|imputation|"
    r"truth table|pairwise|pandas|pyeda|numpy|explicit columns|in Python"
)
_WALL = re.compile(r"wall|limit")


class Cell(NamedTuple):
    """One time of a table: where it stands, seconds, and whether it is a peer's."""

    table: str
    place: str
    seconds: float
    peer: bool


def compare(stored: str, run: str) -> str:
    """Say which tables of ours take more than a tenth longer than in the stored run.

    The machine is not the same one every time: the peers' times, which did not change, tell how
    much slower or quicker it is, and ours are divided by that. A single time is off by more than a
    tenth in every run on a shared machine, so a table is judged by its median.
    """
    before = {cell.place: cell.seconds for cell in _cells(stored)}
    both = [(cell, cell.seconds / before[cell.place]) for cell in _cells(run)
            if cell.place in before]  # fmt: skip
    theirs = [times for cell, times in both if cell.peer]
    ours = [times for cell, times in both if not cell.peer]
    if not ours:
        return "Nothing is stored to compare this run with."
    drift = median(theirs) if theirs else 1.0
    tables: dict[str, list[float]] = {}
    for cell, times in both:
        if not cell.peer:
            tables.setdefault(cell.table, []).append(times / drift)
    slower = {table: some for table, some in tables.items() if median(some) > MORE}
    said = (
        f"Beside the run stored before: peers take {drift:.2f} times as long (the median of "
        f"{len(theirs):,} times), ours {median(ours):.2f} times (of {len(ours):,}). Tables in "
        "which our times grew by more than 10 % beyond the peers', by their median: "
        f"{len(slower)} of {len(tables)}"
    )
    lines = [f"- {table}: {median(some):.2f} times as long, the median of {len(some)}"
             for table, some in slower.items()]  # fmt: skip
    return "\n".join([f"{said}:", "", *lines]) if lines else f"{said}."


def _cells(text: str) -> Iterator[Cell]:
    """Every time in the tables, but for those by the clock on the wall; a place is told once."""
    section = table = ""
    header: list[str] = []
    seen: set[str] = set()
    for line in text.splitlines():
        if line.startswith("### "):
            table, header = line[4:], []
        elif line.startswith("## "):
            section = line[3:]
        elif not line.startswith("| "):
            header = []
        elif not header:
            header = [cell.strip() for cell in line.strip("|").split("|")]
        else:
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if len(cells) != len(header):
                continue
            key = ", ".join(cell for cell in cells[:3] if not _TIME.fullmatch(cell))
            for i, cell in enumerate(cells):
                seconds = _seconds(cell)
                where = f"{section}: {table}"
                place = f"{where}: {key}: {header[i]} ({i + 1})"
                if seconds is None or _WALL.search(header[i]) or place in seen:
                    continue
                seen.add(place)
                yield Cell(where, place, seconds, _is_peer(table, header, cells, i))


def _seconds(cell: str) -> float | None:
    found = _TIME.fullmatch(cell)
    return float(found[1].replace(",", "")) * _UNITS[found[2]] if found else None


def _is_peer(table: str, header: list[str], cells: list[str], i: int) -> bool:
    """A peer's time stands in a column or a row of its name, or behind a column of peers."""
    if header[i].startswith(("ours", "`", "orderless")):
        return False
    if table.startswith("Peers") or "peer" in header[:i]:
        return True
    named = cells[0] if header[0] in ("method", "engine", "package", "step") else ""
    return bool(_PEERS.search(header[i]) or _PEERS.search(named))
