"""How long ``import orderless`` and the command line take to start, in fresh processes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import orderless as ol

from .data import random_tree
from .timing import NOT_INSTALLED, Table, against, ratio, seconds

CODE = """
import sys, time
import numpy, scipy
start, cpu = time.perf_counter(), time.process_time()
try:
    import {name}
except ModuleNotFoundError as fault:
    sys.exit(3 if fault.name == {name!r} else 1)
print(time.perf_counter() - start, time.process_time() - cpu)
heavy = {{"sklearn", "pandas", "matplotlib", "joblib", "pooch"}} & set(sys.modules)
assert {name!r} != "orderless" or not heavy, heavy
"""
PEERS = ("sklearn", "pandas", "sympy", "pyeda.inter", "dd.autoref", "oxidd", "treelite")


def import_time(name: str, n: int) -> tuple[float | str, float | str]:
    """Best of ``n`` fresh processes, in each of which numpy and scipy are there already.

    Gives seconds on the clock on the wall, and of the processor.
    """
    best = [float("inf")] * 2
    for _ in range(n):
        out = subprocess.run(
            [sys.executable, "-c", CODE.format(name=name)], capture_output=True, text=True
        )
        if out.returncode == 3:
            return NOT_INSTALLED, NOT_INSTALLED
        out.check_returncode()
        best = [min(b, float(t)) for b, t in zip(best, out.stdout.split(), strict=True)]
    return best[0], best[1]


def command_time(arguments: list[str], n: int, folder: Path) -> tuple[float, float]:
    """Best of ``n`` runs of the command line: seconds on the wall, and of the processor.

    Modules are compiled once, into a folder: an installed package has them compiled.
    """
    best = [float("inf")] * 2
    names = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    names["PYTHONPYCACHEPREFIX"] = str(folder)
    for _ in range(n + 1):
        before, start = os.times(), time.perf_counter()
        subprocess.run([sys.executable, "-m", "orderless", *arguments],
                       stdout=subprocess.DEVNULL, check=True, env=names)  # fmt: skip
        wall, after = time.perf_counter() - start, os.times()
        own = sum(after[2:4]) - sum(before[2:4])  # of children that have ended
        best = [min(best[0], wall), min(best[1], own)]
    return best[0], best[1]


def commands(n: int) -> Table:
    """Time commands whose work is small: what is left is starting up."""
    table = Table(
        "Start-up of the command line",
        ["command", "wall clock", "processor", "target"],
        [f"Best of {n} runs; the target is for the processor. The tree has ten leaves."],
    )
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.json"
        space = ol.Space([ol.Feature(f"x{i}") for i in range(5)])
        tree = random_tree(np.random.default_rng(0), space, n_leaves=10)
        model.write_text(tree.to_json(), encoding="utf-8")
        for shown, arguments, target in (
            ("orderless --help", ["--help"], 0.3),
            ("orderless explain model.json", ["explain", str(model)], 0.6),
        ):
            wall, own = command_time(arguments, n, Path(folder))
            table.add(f"`{shown}`", seconds(wall), seconds(own), against(target, own))
    return table


def run(quick: bool) -> list[Table]:
    n = 2 if quick else 5
    table = Table(
        "Import, beyond numpy and scipy",
        ["package", "wall clock", "processor", "ratio", "target"],
        [
            f"Best of {n} fresh processes. Scikit-learn and pandas are imported when first needed, "
            "not by `import orderless`; that is asserted."
        ],
    )
    wall, ours = import_time("orderless", n)
    assert isinstance(wall, float)
    table.add("orderless", seconds(wall), seconds(ours), "1x", against(0.3, wall))
    for name in PEERS[:2] if quick else PEERS:
        wall, theirs = import_time(name, 1 if quick else 3)
        table.add(name, seconds(wall), seconds(theirs), ratio(theirs, ours), "")
    return [table, commands(n)]
