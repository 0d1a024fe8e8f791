"""scikit-learn's trees: ours predicts as the model does, at and beside every threshold.

A case is a program that fits a model and reads it; so a finding can be pasted as it is.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from . import drawing
from .grid import TooBig
from .model import Feat, asks, from_json
from .running import Wrong, same

HEAD = (
    "import numpy as np\nfrom numpy import array, inf, nan\nimport pandas as pd\n"
    "import orderless as ol\n"
)


@dataclass(frozen=True)
class Case:
    """Training rows, a program over ``X`` and ``y`` that makes ``model``, and how to read it."""

    X: list[list[Any]]
    y: list[Any]
    program: str
    reading: str = ""
    names: tuple[str, ...] = ()  # of a data frame
    gaps: bool = False  # whether the model takes NaN
    seed: int = 0

    @property
    def fitting(self) -> str:
        if self.names:
            columns = {name: [row[at] for row in self.X] for at, name in enumerate(self.names)}
            table = f"X = pd.DataFrame({columns!r})\n"
        else:
            table = f"X = array({self.X!r})\n"
        return f"{HEAD}{table}y = array({self.y!r})\n{self.program}\n"

    @property
    def code(self) -> str:
        read = ", ".join(part for part in ("model", self.reading) if part)
        value = f'value = ol.read({read}, nan="value")\n' if self.gaps else ""
        return f"{self.fitting}tree = ol.read({read})\n{value}"

    @cached_property
    def made(self) -> dict[str, Any]:
        return ran(self.fitting, self.code)


def ran(fitting: str, code: str) -> dict[str, Any]:
    """What a program of our own makes; a table that the library refuses is no case."""
    space: dict[str, Any] = {}
    try:
        exec(fitting, space)
    except Exception:
        raise TooBig from None
    exec(code.removeprefix(fitting), space)
    return space


def draw(rng: Random) -> Case:
    gaps = rng.random() < 0.35
    X, y = table(rng, gaps)
    kind = rng.choice(["DecisionTreeClassifier", "DecisionTreeClassifier", "ExtraTreeClassifier"])
    given = {
        "max_depth": rng.randint(1, 4),
        "criterion": rng.choice(["gini", "entropy", "log_loss"]),
        "random_state": rng.randint(0, 99),
        "max_features": rng.choice([None, 1]),
    }
    if rng.random() < 0.2:
        given["class_weight"] = "balanced"
    if kind == "DecisionTreeClassifier" and rng.random() < 0.3:
        given["splitter"] = "random"
    cast = rng.choice(["", "", ".astype(np.float32)", ".copy(order='F')"])
    weights = ""
    if rng.random() < 0.25:
        weights = f", sample_weight=array({[rng.choice([1, 2, 0.5]) for _ in y]!r})"
    options = ", ".join(f"{key}={value!r}" for key, value in given.items())
    program = (
        f"from sklearn.tree import {kind}\nX = X{cast}\n"
        f"model = {kind}({options}).fit(X, y{weights})"
    )
    return Case(X, y, program, gaps=gaps, seed=rng.randint(0, 10**6))


def table(rng: Random, gaps: bool, width: int = 3) -> tuple[list[list[Any]], list[Any]]:
    """Rows of numbers, some of them awkward, and labels."""
    n = rng.randint(6, 25)
    columns = []
    for _ in range(rng.randint(1, width)):
        pool = [float(one) for one in rng.choice(POOLS)]
        column = [rng.choice(pool) for _ in range(n)]
        if gaps and rng.random() < 0.7:
            column = [math.nan if rng.random() < 0.25 else one for one in column]
        columns.append(column)
    classes: list[Any] = rng.choice([[0, 1], ["no", "yes"], [False, True], ["a", "b", "c"], [3, 7]])
    y = [rng.choice(classes) for _ in range(n)]
    y[: len(classes)] = classes
    return [list(row) for row in zip(*columns, strict=True)], y


POOLS: list[list[float]] = [
    [0.1, 0.2, 0.3, 0.30000000000000004, 0.7], [0, 1], [-0.0, 0.0, 1e-45, -1e-45, 1e-40],
    [1, 2, 3, 4, 5, 6], [16777215, 16777216, 16777217, 16777218], [1e-3, 2.5, 1e3, 1e6],
    [1.0, 1.0000001, 1.0000002, 1.0000004], [-1, 0, 1, 2], [1e30, 3e38, -3e38, 1e-30],
    [2.45, 2.4499998, 2.5, 1.7], [1e9 + 0.5, 1e9, 1e9 + 64],
]  # fmt: skip


def smaller(case: Case) -> Iterator[Case]:
    if "sample_weight" in case.program:
        return
    half = len(case.y) // 2
    for keep in (range(half), range(half, len(case.y))):
        y = [case.y[at] for at in keep]
        if len(set(y)) > 1:
            yield replace(case, X=[case.X[at] for at in keep], y=y)
    for at in range(len(case.y)):
        y = case.y[:at] + case.y[at + 1 :]
        if len(set(y)) > 1:
            yield replace(case, X=case.X[:at] + case.X[at + 1 :], y=y)


def show(case: Case) -> str:
    return case.code


def cuts_of(tree: Any) -> dict[str, list[float]]:
    """The thresholds of a tree, by feature, from its JSON."""
    feats, root, _ = from_json(tree.to_json())
    found: dict[str, list[float]] = {feat.name: [] for feat in feats}
    for ask in asks(root):
        if ask.codes is None:
            found[feats[ask.feature].name].append(ask.at_most)
    return found


def edges(case: Case, n: int = 60, single: bool = True, wild: bool = False) -> list[list[Any]]:
    """Rows near the thresholds; ``single``: only numbers that fit into a float32."""
    rng = Random(case.seed)
    tree = case.made["tree"]
    cuts = list(cuts_of(tree).values())
    own = case.made.get("cuts")
    if own is not None:
        cuts = [a + b for a, b in zip(cuts, own, strict=True)]
    most = float(np.finfo(np.float32).max)
    values = []
    for some in cuts:
        near = drawing.near(Feat("x", "float64"), some)
        if single:
            near = [one for one in near if abs(one) <= most]
        elif not wild:
            near = [one for one in near if math.isfinite(one)]
        values.append(near)
    return [
        [rng.choice(near) if rng.random() < 0.8 else rng.choice(case.X)[at]
         for at, near in enumerate(values)]
        for _ in range(n)
    ]  # fmt: skip


def with_gaps(case: Case, rows: list[list[Any]]) -> list[list[Any]]:
    rng = Random(case.seed + 1)
    return [[math.nan if rng.random() < 0.35 else one for one in row] for row in rows]


def complete(rows: list[list[Any]]) -> list[list[Any]]:
    return [row for row in rows if not any(one != one for one in row)]


def labels(answer: Any) -> list[Any]:
    return np.asarray(answer).ravel().tolist()


def own_cuts(case: Case) -> None:
    """Take scikit-learn's own thresholds too."""
    inner = getattr(case.made["model"], "tree_", None)
    if inner is None or "cuts" in case.made:
        return
    found: list[list[float]] = [[] for _ in case.X[0]]
    for feature, cut in zip(inner.feature, inner.threshold, strict=True):
        if feature >= 0:
            found[feature].append(float(cut))
    case.made["cuts"] = found


def compare(what: str, rows: list[list[Any]], ours: Any, theirs: Callable[[Any], Any]) -> None:
    """Raise with the first row on which the two differ."""
    if not rows:
        return
    array = np.array(rows, dtype=np.float64)
    got, expected = ours.predict(array).tolist(), labels(theirs(array))
    for row, one, other in zip(rows, got, expected, strict=True):
        if one != other:
            raise Wrong(what, (row, one), other)


def predicts(case: Case) -> None:
    own_cuts(case)
    model = case.made["model"]
    rows = complete(edges(case))
    compare("predict at the edges", rows, case.made["tree"], model.predict)
    array = np.array(rows)
    for other in (array.astype(np.float32), np.asfortranarray(array)):
        same("predict of float32 and of Fortran order",
             case.made["tree"].predict(other).tolist(), labels(model.predict(other)))  # fmt: skip


def takes_gaps(case: Case) -> None:
    """``nan="value"``: NaN goes where the model sends it."""
    own_cuts(case)
    if case.gaps and any(one != one for row in case.X for one in row):
        rows = with_gaps(case, edges(case))
        compare("NaN as a value", rows, case.made["value"], case.made["model"].predict)


def completes(case: Case) -> None:
    """Unknown: certain if and only if the model says one thing of all completions."""
    own_cuts(case)
    model, tree = case.made["model"], case.made["tree"]
    rng = Random(case.seed + 2)
    pools = [sorted({row[at] for row in edges(case, 200)}) for at in range(len(case.X[0]))]
    for row in complete(edges(case, 6)):
        at = rng.randrange(len(row))
        filled = np.array([[*row[:at], one, *row[at + 1 :]] for one in pools[at] if one == one])
        said = set(labels(model.predict(filled)))
        asked = tree.predict([[*row[:at], math.nan, *row[at + 1 :]]]).tolist()[0]
        same("one value is unknown", asked, said.pop() if len(said) == 1 else None)


def writes_back(case: Case) -> None:
    own_cuts(case)
    rows = np.array(complete(edges(case))).astype(np.float32).astype(np.float64)
    tree = case.made["tree"]
    back = tree.to_sklearn()
    same("to_sklearn", labels(back.predict(rows)), tree.predict(rows).tolist())
    if case.gaps:
        value = case.made["value"]
        rows = np.array(with_gaps(case, rows.tolist()))
        same("to_sklearn with NaN", labels(value.to_sklearn().predict(rows)),
             value.predict(rows).tolist())  # fmt: skip
    text = tree.to_json()
    same("JSON keeps it", json.loads(type(tree).from_json(text).to_json()), json.loads(text))


def counts_leaves(case: Case) -> None:
    """Odds without training rows: all rows in the leaves that can be reached."""
    own_cuts(case)
    model, tree = case.made["model"], case.made["tree"]
    rows = complete(edges(case, 10))
    got = tree.shares(rows)
    expected = model.predict_proba(np.array(rows))
    if not np.allclose(got, expected):
        raise Wrong("shares of complete rows", got.tolist(), expected.tolist())


KEPT = (
    Case(  # one training row per leaf
        [[1.0], [2.0], [3.0]],
        ["a", "b", "a"],
        "from sklearn.tree import DecisionTreeClassifier\n"
        "model = DecisionTreeClassifier(random_state=0).fit(X, y)",
    ),
)
CHECKS = (predicts, takes_gaps, completes, writes_back, counts_leaves)
