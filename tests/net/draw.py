"""Draw the inputs: random models, rows, tables and costs of the hunt, and files of libraries."""

from __future__ import annotations

import base64
import warnings
from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import Any

import model_files
import pandas as pd
from conftest import SHARED
from hunt import (
    fact_cases,
    forest_facts,
    importance,
    missing,
    numbers,
    policies,
    rashomon,
    scores,
    sums,
)
from hunt.grid import TooBig
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

from . import data

Case = dict[str, Any]


def some(draw: Callable[[Random], Any], count: int, convert: Callable[[Any], Case]) -> list[Case]:
    """Draw cases with seeds 0, 1, 2, ..., leaving out those that brute force finds too big."""
    cases: list[Case] = []
    seed = 0
    while len(cases) < count:
        with suppress(TooBig):
            cases.append({"seed": seed, **convert(draw(Random(seed)))})
        seed += 1
    return cases


def tree_case(case: Any) -> Case:
    between = [
        [case.named({at: listed(ends[end]) for at, ends in row.items()}) for row in case.ranges]
        for end in (0, 1)
    ]
    return {
        "model": case.read().to_json(),
        "rows": [case.named(row) for row in case.rows],
        "between": between,
    }


def listed(values: Any) -> Any:
    return sorted(values, key=str) if isinstance(values, set) else values


def number_case(case: Any) -> Case:
    rows = [case.named(row) for row in case.rows]
    return {"model": case.read().to_json(), "rows": rows, "levels": case.levels}


def fact_case(case: Any) -> Case:
    return {
        "model": case.read(case.one).to_json(),
        "other": case.read(case.two).to_json(),
        "rows": list(case.rows),
    }


def forest_case(case: Any) -> Case:
    return {"model": forest_facts.forest(case).to_json(), "rows": list(case.rows)}


def sum_case(case: Any) -> Case:
    return {"model": case.text, "rows": rows_of(case.truth, case.seed)}


def score_case(case: Any) -> Case:
    return {"score": case.content, "rows": rows_of(case.truth, case.seed)}


def rows_of(truth: Any, seed: int) -> list[Case]:
    """Rows of which about half of the values are unknown."""
    rng = Random(seed)
    rows = []
    for _ in range(6):
        one = [(rng.randrange(n),) if rng.random() < 0.6 else tuple(range(n)) for n in truth.shape]
        rows.append(truth.row(tuple(one)))
    return rows


def importance_case(case: Any) -> Case:
    return {
        "model": case.read().to_json(),
        "rows": case.rows,
        "y": case.y,
        "weights": case.weights,
        "criterion": case.criterion,
    }


def rashomon_case(case: Any) -> Case:
    if case.found is None:  # raises where no column varies
        raise TooBig
    return {
        "table": case.table,
        "y": case.y,
        "weights": case.weights,
        "parameters": case.parameters,
    }


def policy_case(case: Any) -> Case:
    return {
        "model": case.read().to_json(),
        "rows": case.rows,
        "costs": case.costs,
        "options": {**case.options, **case.caps},
    }


def library_files() -> list[Case]:
    """Every file of the tests."""
    files = {**model_files.FILES, **model_files.SUMS}
    return [
        {"name": name, "file": base64.b64encode(make()).decode()} for name, make in files.items()
    ]


def data_set(file: str) -> Case:
    table = pd.read_csv(SHARED / "data" / file)
    X, y = table.iloc[:, :-1], table.iloc[:, -1]
    fitted = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    tree = ol.read_tree(fitted, feature_names=list(X.columns))
    return {"file": file, "model": tree.to_json()}


DATA_SETS = (
    "broward_general_2y", "compas_complete", "coupon_full", "fico_complete", "iris_setosa",
    "iris_versicolor", "iris_virginica", "spiral", "tic-tac-toe", "wine_quality", "wisconsin",
)  # fmt: skip


GROUPS: dict[str, Callable[[], list[Case]]] = {
    "trees": lambda: some(missing.draw, 800, tree_case),
    "numbers": lambda: some(numbers.draw, 400, number_case),
    "facts": lambda: some(fact_cases.draw, 600, fact_case),
    "forests": lambda: some(fact_cases.draw, 150, forest_case),
    "sums": lambda: some(sums.draw, 500, sum_case),
    "scores": lambda: some(scores.draw, 150, score_case),
    "policies": lambda: some(policies.draw, 200, policy_case),
    "importances": lambda: some(importance.draw, 150, importance_case),
    "sets": lambda: some(rashomon.draw, 250, rashomon_case),
    "files": library_files,
    "data_sets": lambda: [data_set(f"{name}.csv") for name in DATA_SETS],
    "reproduction": lambda: [{"target": "all"}],
}


def main() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for group, draw in GROUPS.items():
            data.write(data.INPUTS / f"{group}.jsonl.gz", draw())
