"""Run the benchmarks: ``python -m benchmarks [equivalence canonical acquisition ...]``.

``--quick`` takes less than a minute, ``--save`` puts the tables into benchmarks/README.md: of a
complete run all, of named ones only theirs, with what they ran on.
"""

from __future__ import annotations

import argparse
import time
from importlib import import_module
from pathlib import Path

from .timing import machine

README = Path(__file__).with_name("README.md")
MARK = "<!-- tables: written by `python -m benchmarks --save`, do not edit below -->"
CAPABILITIES = {
    "equivalence": "Equivalence",
    "canonical": "Canonical form: reasons and rules",
    "acquisition": "Acquisition: the cheapest policy",
    "missing": "Rows with unknown values",
    "importance": "Importance over all near-optimal trees",
    "readers": "Readers",
    "rashomon": "Rashomon sets",
    "sql": "Where the data is: SQL engines and files",
    "import": "Import",
}
PACKAGES = (
    "orderless", "numpy", "scipy", "scikit-learn", "treefarms", "sympy", "pyeda", "dd", "oxidd",
    "pyxai", "treelite", "lightgbm", "tree-praxis",
    "duckdb", "polars", "pyarrow", "pyspark",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("capability", nargs="*", help=f"of {', '.join(CAPABILITIES)}; default all")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer repeats")
    parser.add_argument("--save", action="store_true", help="write the tables to README.md too")
    given = parser.parse_args()
    for name in given.capability:
        if name not in CAPABILITIES:
            parser.error(f"no benchmark {name!r}: there are {', '.join(CAPABILITIES)}")
    if given.save and given.quick:
        parser.error("--save keeps a run in full: leave --quick out")
    start = time.perf_counter()
    text: list[str] = []

    def show(*lines: str) -> None:
        print(*lines, sep="\n", flush=True)
        text.extend(lines)

    show(machine(PACKAGES))
    for name in given.capability or CAPABILITIES:
        show("", f"## {CAPABILITIES[name]}")
        if given.save and given.capability:
            text.extend(["", f"Of a run of its own: {machine(PACKAGES)}"])
        for table in import_module(f"benchmarks.bench_{name}").run(given.quick):
            show("", str(table))
    if given.save and given.capability:
        README.write_text(_replaced(README.read_text(encoding="utf-8"), text), encoding="utf-8")
        return
    show("", f"The whole run took {time.perf_counter() - start:.0f} s.")
    if given.save:
        head = README.read_text(encoding="utf-8").partition(MARK)[0] if README.is_file() else ""
        README.write_text(f"{head}{MARK}\n\n" + "\n".join(text) + "\n", encoding="utf-8")


def _replaced(readme: str, text: list[str]) -> str:
    """Put the sections of ``text`` in the place of those of the same title, new ones before the
    next that is there.
    """
    head, mark, tables = readme.partition(MARK)
    old, new = _sections(tables), _sections("\n".join(text))
    order = list(CAPABILITIES.values())
    tail = old.pop("Import")  # with how long the whole run took
    parts = {**old, **{title: body for title, body in new.items() if title}}
    body = [parts[title] for title in ("", *order) if title in parts and title != "Import"]
    return head + mark + "\n" + "\n\n".join([*body, parts.get("Import", tail)]) + "\n"


def _sections(text: str) -> dict[str, str]:
    """Cut text at its headings of the second level; what comes before the first is under ""."""
    first, *rest = ("\n" + text).split("\n## ")
    return {"": "\n" + first.strip()} | {
        part.partition("\n")[0]: f"## {part.strip()}" for part in rest
    }


if __name__ == "__main__":
    main()
