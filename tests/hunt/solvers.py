"""Trees of optimal and Rashomon solvers: ours says of every 0/1 row what the library says."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol

from . import readers
from .grid import TooBig
from .readers import Case, compare, complete, edges, labels, ran, show
from .running import Wrong

__all__ = ["CHECKS", "draw", "show", "smaller"]

NAMES = ("a", "b <= 1", "c'd")
PROGRAMS = {
    "gosdt": (
        "from gosdt import GOSDTClassifier\nX = X.astype(bool)\n"
        "model = GOSDTClassifier(regularization={price}, depth_budget={depth}, "
        "allow_small_reg=True).fit(X, pd.Series(y))"
    ),
    "treefarms": (
        "from treefarms import TREEFARMS\n"
        "model = TREEFARMS({{'regularization': {price}, 'rashomon_bound_adder': 0.05, "
        "'depth_budget': {depth}}})\nmodel.fit(X, pd.Series(y, name='y'))"
    ),
    "pystreed": (
        "from pystreed import STreeDClassifier\n"
        "model = STreeDClassifier(max_depth={depth}, cost_complexity={price}).fit(X, y)"
    ),
    "praxis": (
        "from praxis import PRAXIS\nmodel = PRAXIS()\n"
        "model.fit(X, y, lambda_reg={price}, depth_budget={depth}, rashomon_mult=0.05)"
    ),
    "pydl85": (
        "from pydl85 import DL85Classifier\n"
        "model = DL85Classifier(max_depth={depth})\nmodel.fit(X, y)"
    ),
}
HERE = [name for name in PROGRAMS if find_spec(name)]


def draw(rng: Random) -> Case:
    if not HERE:
        raise TooBig
    kind = rng.choice(HERE)
    n, width = rng.randint(6, 14), rng.randint(2, 3)
    X: list[list[Any]] = [[rng.randint(0, 1) for _ in range(width)] for _ in range(n)]
    X[:2] = [[0] * width, [1] * width]
    y = [rng.randint(0, 1) for _ in range(n)]
    y[:2] = [0, 1]
    price, depth = rng.choice([0.02, 0.05, 0.11]), rng.randint(1, 3)
    program = PROGRAMS[kind].format(price=price, depth=depth)
    seed = rng.randint(0, 10**6)
    if kind == "pystreed" and rng.random() < 0.6:
        X, y = readers.table(rng, False)
        y = [sorted(set(y), key=str).index(one) for one in y]
        return Case(X, y, program, seed=seed)
    framed = NAMES[:width] if kind in ("gosdt", "treefarms") else ()
    reading = f"feature_names={list(NAMES[:width])!r}" if kind in ("praxis", "pydl85") else ""
    return Case(X, y, program, reading, framed, seed=seed)


def smaller(case: Case) -> Iterator[Case]:
    return readers.smaller(case)


@contextmanager
def silence() -> Iterator[None]:
    """Some solvers write to the process's output, past Python."""
    kept, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nothing)


def made(case: Case) -> dict[str, Any]:
    with silence():
        return made_aloud(case)


def made_aloud(case: Case) -> dict[str, Any]:
    """The model, with all of its trees where it holds many."""
    if any(name in case.program for name in ("PRAXIS", "TREEFARMS")):
        code = case.code.replace("tree = ol.read(", "trees = ol.read_many(")
        return ran(case.fitting, code)
    return {**case.made, "trees": [case.made["tree"]]}


def predicts(case: Case) -> None:
    if "STreeD" in case.program:
        made(case)
        bits = [{row[at] for row in case.X} <= {0, 1} for at in range(len(case.X[0]))]
        rows = [
            [float(one > 0.5) if bit else one for one, bit in zip(row, bits, strict=True)]
            for row in complete(edges(case))
        ]
        compare("predict at the edges", rows, case.made["tree"], case.made["model"].predict)
        return
    space = made(case)
    rows = np.array(list(itertools.product((0, 1), repeat=len(case.X[0]))))
    frame: Any = pd.DataFrame(rows, columns=list(case.names)) if case.names else rows
    for at, tree in enumerate(space["trees"][:20]):
        got = np.asarray(tree.predict(frame)).tolist()
        expected = labels(said(case, space["model"], at, frame))
        if [str(one) for one in got] != [str(one) for one in expected]:
            raise Wrong("all rows of bits", (at, got), expected)


def said(case: Case, model: Any, at: int, frame: Any) -> Any:
    if "PRAXIS" in case.program:
        return model.get_predictions(at, frame)
    if "TREEFARMS" in case.program:
        return model[at].predict(frame)
    if "GOSDT" in case.program:  # its own predict asks scikit-learn for what is no longer there
        return model.trees_[at].predict(frame.to_numpy().astype(bool))
    return model.predict(frame)


def groups(case: Case) -> None:
    """Trees that a set holds are equivalent exactly if they say the same of all rows."""
    space = made(case)
    trees = space["trees"][:30]
    rows = np.array(list(itertools.product((0, 1), repeat=len(case.X[0]))))
    if "STreeD" in case.program:
        return
    frame: Any = pd.DataFrame(rows, columns=list(case.names)) if case.names else rows
    seen: dict[Any, list[int]] = {}
    for at, tree in enumerate(trees):
        seen.setdefault(tuple(np.asarray(tree.predict(frame)).tolist()), []).append(at)
    got = ol.group_equivalent(trees)
    if got != list(seen.values()):
        raise Wrong("groups of equivalent trees", got, list(seen.values()))


CHECKS = (predicts, groups)
