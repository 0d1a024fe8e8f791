"""Run the benchmarks: ``python -m benchmarks [equivalence canonical acquisition ...]``.

``--quick`` takes a minute or two, ``--save`` puts tables and figures beside this file, into
README.md: each section when it is done, so that nothing is lost when another one fails.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from importlib import import_module
from pathlib import Path

from .figures import Figure
from .stored import compare
from .timing import machine, now

README = Path(__file__).with_name("README.md")
MARK = "<!-- tables: written by `python -m benchmarks --save`, do not edit below -->"
CAPABILITIES = {
    "equivalence": "Equivalence",
    "canonical": "Canonical form: reasons and rules",
    "families": "Trees that are hard to minimize",
    "acquisition": "Acquisition: the cheapest policy",
    "rows": "One row at a time, and small tables",
    "missing": "Rows with unknown values",
    "ensembles": "Forests and boosted trees",
    "proofs": "Proofs, differences and changes",
    "knowledge": "Facts between features",
    "importance": "Importance over all near-optimal trees",
    "readers": "Readers",
    "rashomon": "Rashomon sets",
    "deep": "Deeper and larger Rashomon sets",
    "distinct": "Functions that are too many to list",
    "goals": "Second goals over all near-optimal trees",
    "cuts": "Rashomon sets of every cut point",
    "sql": "Where the data is: SQL engines and files",
    "registers": "Processors without the widest registers",
    "import": "Import",
}
PACKAGES = (
    "orderless", "numpy", "scipy", "scikit-learn", "treefarms", "tree-praxis", "arborenum", "sympy",
    "pyeda", "dd", "oxidd", "pyxai", "treelite", "lightgbm", "xgboost-cpu", "dtai-veritas",
    "duckdb", "polars", "pyarrow",
    "pyspark",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("capability", nargs="*", help=f"of {', '.join(CAPABILITIES)}; default all")
    parser.add_argument("--quick", action="store_true", help="smaller sizes, fewer repeats")
    parser.add_argument("--save", action="store_true", help="write README.md and the figures too")
    given = parser.parse_args()
    for name in given.capability:
        if name not in CAPABILITIES:
            parser.error(f"no benchmark {name!r}: there are {', '.join(CAPABILITIES)}")
    if given.save and given.quick:
        parser.error("--save keeps a run in full: leave --quick out")
    start = time.perf_counter()
    where = machine(PACKAGES)
    print(where, flush=True)
    stored = README.read_text(encoding="utf-8")
    done: dict[str, str] = {}
    failed: list[str] = []
    for name in given.capability or CAPABILITIES:
        title = CAPABILITIES[name]
        print("", f"## {title}", sep="\n", flush=True)
        parts, fault = section(name, given.quick, given.save)
        done[title] = "\n\n".join([f"## {title}", *parts])
        if fault:
            failed.append(name)
        if given.save:
            own = "\n\n".join([f"## {title}", f"Of a run of its own: {where}", *parts])
            README.write_text(replaced(README.read_text(encoding="utf-8"), {title: own}),
                              encoding="utf-8")  # fmt: skip
    took = time.perf_counter() - start
    changed = compare(stored, "\n\n".join(done.values()))
    print("", changed, "", f"The run took {took:.0f} s.", sep="\n", flush=True)
    if given.save and not given.capability and not failed:
        head = f"{where} One complete run, {took / 60:.0f} minutes.\n\n{changed}"
        new = {"": head, **done}
        README.write_text(replaced(README.read_text(encoding="utf-8"), new), encoding="utf-8")
    if failed:
        sys.exit(f"failed: {', '.join(failed)}; what was measured before is kept")


def section(name: str, quick: bool, save: bool) -> tuple[list[str], bool]:
    """What one capability gives: sentences first, then tables and its figure; and whether it broke.

    An error ends this section only; it says so where it ended.
    """
    said: list[str] = []
    shown: list[str] = []
    try:
        for part in import_module(f"benchmarks.bench_{name}").run(quick):
            (said if isinstance(part, str) else shown).append(str(part))
            if isinstance(part, Figure) and save:
                part.draw()
            now("")
            print("", part, sep="\n", flush=True)
    except Exception as fault:
        traceback.print_exc()
        shown.append(f"**Broke off here**: {type(fault).__name__}.")
        print("", shown[-1], sep="\n", flush=True)
        return [*said, *shown], True
    return [*said, *shown], False


def replaced(readme: str, new: dict[str, str]) -> str:
    """Put sections in the place of those of the same title, and count the targets anew.

    What stands first is about the last complete run: it goes when no section is of that run.
    """
    head, mark, tables = readme.partition(MARK)
    parts = {**_sections(tables), **new}
    first = parts.pop("").partition("\n\nTargets: ")[0].strip()
    body = [parts[title] for title in CAPABILITIES.values() if title in parts]
    if all("Of a run of its own: " in text for text in body):
        first = "Each section says which run it is of."
    return head + mark + "\n\n" + "\n\n".join([first, targets(body), *body]) + "\n"


def targets(sections: list[str]) -> str:
    """How many targets are met, and which are not: told from the tables themselves."""
    met, missed = 0, []
    for text in sections:
        title = table = ""
        for line in text.splitlines():
            if line.startswith("### "):
                table = line[4:]
            elif line.startswith("## "):
                title = line[3:]
            elif line.startswith("| "):
                cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
                met += sum(cell == "met" or cell.endswith(": met") for cell in cells)
                if "**missed**" in line:
                    row = ", ".join(cell for cell in cells if cell)
                    missed.append(f"- {title}: {table.partition(':')[0]}: {row}")
            elif "(target: " in line:
                met += line.count(": met)")
                if "**missed**" in line:
                    missed.append(f"- {title}: {line}")
    if not missed:
        return f"Targets: all {met} are met."
    return "\n".join([f"Targets: {met} met, {len(missed)} missed:", "", *missed])


def _sections(text: str) -> dict[str, str]:
    """Cut text at its headings of the second level; what comes before the first is under ""."""
    first, *rest = ("\n" + text).split("\n## ")
    return {"": first.strip()} | {part.partition("\n")[0]: f"## {part.strip()}" for part in rest}


if __name__ == "__main__":
    main()
