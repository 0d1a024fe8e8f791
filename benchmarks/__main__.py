"""Run the benchmarks: ``python -m benchmarks [equivalence canonical importance readers import]``.

``--quick`` takes less than 40 s, ``--save`` puts the tables into benchmarks/README.md.
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
    "importance": "Importance over all near-optimal trees",
    "readers": "Readers",
    "import": "Import",
}
PACKAGES = (
    "orderless", "numpy", "scipy", "scikit-learn", "treefarms", "sympy", "pyeda", "dd", "oxidd",
    "pyxai", "treelite",
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
    if given.save and (given.capability or given.quick):
        parser.error("--save keeps a complete run: leave --quick and names out")
    start = time.perf_counter()
    text: list[str] = []

    def show(*lines: str) -> None:
        print(*lines, sep="\n", flush=True)
        text.extend(lines)

    show(machine(PACKAGES))
    for name in given.capability or CAPABILITIES:
        show("", f"## {CAPABILITIES[name]}")
        for table in import_module(f"benchmarks.bench_{name}").run(given.quick):
            show("", str(table))
    show("", f"The whole run took {time.perf_counter() - start:.0f} s.")
    if given.save:
        head = README.read_text(encoding="utf-8").partition(MARK)[0] if README.is_file() else ""
        README.write_text(f"{head}{MARK}\n\n" + "\n".join(text) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
