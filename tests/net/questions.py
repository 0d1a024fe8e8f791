"""Ask the package about the inputs. This file knows its names; the inputs and answers do not."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol
from orderless.readers import read_tree
from tests.slow_sums import read_sum

from . import data

Answers = dict[str, Any]
ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
NEEDS_SHARED = {"data_sets", "reproduction"}
MOST_UNDECIDED = 20
UNDECIDED = "Undecided raised"  # the time did not suffice: on another day it may


def plain(value: Any) -> Any:
    """As JSON: masked is null, numbers to the last bit, everything else by its text."""
    if value is np.ma.masked or value is None or value is pd.NA:
        return None
    if isinstance(value, np.ma.MaskedArray | pd.Series | np.ndarray):
        return [plain(one) for one in value.tolist()]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((plain(one) for one in value), key=str)
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return str(value)


def attempt(ask: Callable[[], Any]) -> Any:
    """An answer, or the kind of error."""
    try:
        return plain(ask())
    except Exception as error:
        return f"{type(error).__name__} raised"


def asked(**questions: Callable[[], Any]) -> Answers:
    return {name: attempt(ask) for name, ask in questions.items()}


# -- one model -------------------------------------------------------------------------------------


def read_model(text: str) -> Any:
    kind = ol.Ensemble if '"orderless-ensemble"' in text else ol.Tree
    return kind.from_json(text)


def about_rows(model: Any, rows: list[Any]) -> Answers:
    return asked(
        predict=lambda: model.predict(rows),
        possible=lambda: model.possible(rows),
        interval=lambda: interval(model, rows),
        ask_next=lambda: model.ask_next(rows),
    )


def interval(model: Any, rows: list[Any]) -> Any:
    if isinstance(model, ol.Tree):
        return model.predict_interval(rows)[:2]
    return model.predict_interval(rows, of="answer" if model.task == "regression" else "score")


def about_row(model: Any, row: Any) -> Answers:
    try:
        why = model.explain(row)
    except Exception as error:
        return {"explain": f"{type(error).__name__} raised"}
    return asked(
        label=lambda: why.label,
        reasons=lambda: sorted(str(term) for term in why.all_reasons),
        shortest=lambda: why.shortest,
        necessary=lambda: sorted(why.necessary),
        changes=lambda: changes(why.changes()),
        costly=lambda: changes(why.changes(per_unit=dict.fromkeys(numeric(model), 1))),
        needed=lambda: settling(model.needed(row)),
    )


def numeric(model: Any) -> list[str]:
    return [feature.name for feature in model.space.features if feature.kind == "numeric"]


def changes(result: Any) -> list[Any]:
    return sorted(([str(change), change.certain, plain(change.cost)] for change in result), key=str)


def settling(needed: Any) -> Any:
    return [sorted(map(sorted, needed.settle)), sorted(map(sorted, needed.could))]


def about_model(model: Any) -> Answers:
    prove = ol.prove(model)
    return asked(
        never=lambda: {label: bool(prove.never(label)) for label in model.classes},
        ignores=lambda: {name: bool(prove.ignores(name)) for name in model.features},
        round_trip=lambda: type(model).from_json(model.to_json()).to_json() == model.to_json(),
    )


def about_function(tree: Any) -> Answers:
    form = ol.canonicalize(tree)
    return asked(
        fingerprint=lambda: tree.fingerprint,
        classes=lambda: tree.classes,
        rules=lambda: {label: sorted(map(str, terms)) for label, terms in form.rules.items()},
        reasons=lambda: {label: sorted(map(str, terms)) for label, terms in form.reasons.items()},
        redundant=lambda: len(tree.redundant_splits()),
        smallest=lambda: tree.minimize().n_leaves,
    )


def tree_answers(case: Any) -> Answers:
    tree, rows = read_model(case["model"]), case["rows"]
    return {
        **about_function(tree),
        **about_model(tree),
        **about_rows(tree, rows),
        **asked(between=lambda: tree.predict(ol.Between(*map(pd.DataFrame, case["between"])))),
        "rows": [about_row(tree, row) for row in rows],
    }


def number_answers(case: Any) -> Answers:
    tree, rows = read_model(case["model"]), case["rows"]
    return {
        **about_function(tree),
        **about_rows(tree, rows),
        **asked(
            within=lambda: [tree.predict(rows, tolerance=width) for width in (0, 0.1, 0.25, 3)],
            cut=lambda: tree.discretize(case["levels"]).fingerprint,
        ),
        "rows": [about_row(tree, row) for row in rows],
    }


def fact_answers(case: Any) -> Answers:
    tree, other, rows = read_model(case["model"]), read_model(case["other"]), case["rows"]
    return {
        **about_function(tree),
        **about_model(tree),
        **about_rows(tree, rows),
        **asked(
            equivalent=lambda: ol.equivalent(tree, other),
            differ=lambda: ol.counterexample(tree, other) is not None,
            difference=lambda: str(ol.difference(tree, other)),
        ),
        "rows": [about_row(tree, row) for row in rows],
    }


def ensemble_answers(case: Any) -> Answers:
    model = ol.Ensemble.from_points(case["score"]) if "score" in case else read_model(case["model"])
    return {
        **about_model(model),
        **about_rows(model, case["rows"]),
        **asked(tree=lambda: model.to_tree().fingerprint),
        "rows": [about_row(model, row) for row in case["rows"]],
    }


def policy_answers(case: Any) -> Answers:
    tree = read_model(case["model"])
    answers = {}
    for method in ("naive", "path", "greedy", "q-learning", "optimal"):
        answers[method] = attempt(
            lambda method=method: policy(
                ol.cheapest_policy(
                    tree, case["rows"], case["costs"], method=method, **case["options"]
                )
            )
        )
    return answers


def policy(result: Any) -> Any:
    return [result.expected_cost, result.bound]


def importance_answers(case: Any) -> Answers:
    tree, rows, y = read_model(case["model"]), case["rows"], case["y"]
    weights = {} if case["weights"] is None else {"sample_weight": case["weights"]}
    options = {"criterion": case["criterion"], **weights}
    return asked(
        impurity=lambda: ol.impurity_importance(tree, rows, y, **options),
        range=lambda: str(ol.importance_range(tree, rows, y, **options)),
        permutation=lambda: ol.permutation_importance(tree, rows, y, **weights),
    )


def set_answers(case: Any) -> Answers:
    weights = {} if case["weights"] is None else {"sample_weight": case["weights"]}
    parameters = dict(case["parameters"])  # as they were called when the answers were stored
    relative = parameters.pop("epsilon_kind", "additive") == "relative"
    if parameters.pop("binarizer", None) == "quantile":
        parameters["thresholds"] = (0.33, 0.66)
    rset = ol.RashomonSet(**parameters, relative=relative)
    trees = rset.fit(pd.DataFrame(case["table"]), case["y"], **weights).trees_
    positions = range(min(trees.n_trees, 20))
    return asked(
        n_trees=lambda: trees.n_trees,
        objective=lambda: trees.objective,
        trees=lambda: [trees[position].fingerprint for position in positions],
        leaves=lambda: [trees[position].n_leaves for position in positions],
        last=lambda: trees[trees.n_trees - 1].fingerprint,
        distinct=lambda: [len(trees.functions()), len(trees.functions("columns"))],
        predictions=lambda: rset.predict(pd.DataFrame(case["table"])),
        ambiguity=lambda: trees.votes(pd.DataFrame(case["table"])).ambiguity(),
    )


def file_answers(case: Any) -> Answers:
    """What a file of a library is read as."""
    endings = {"onnx": ".onnx", "pmml": ".pmml", "lightgbm": ".txt", "skops": ".skops"}
    ending = endings.get(case["name"].split()[0], ".json")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"model{ending}"
        path.write_bytes(base64.b64decode(case["file"]))
        return asked(
            tree=lambda: read_tree(path).to_json(),
            ensemble=lambda: read_sum(path).kernel.to_json(),
        )


# -- the paper -------------------------------------------------------------------------------------


def data_set_answers(case: Any) -> Answers:
    """A tree, its reasons and Rashomon sets of a data set of the paper; hashes of what is long."""
    table = pd.read_csv(SHARED / "data" / case["file"])
    X, y = table.iloc[:, :-1], table.iloc[:, -1]
    tree = read_model(case["model"])
    gaps = X.mask(np.random.default_rng(0).random(X.shape) < 0.3)
    return {
        **asked(
            json=lambda: hashed(tree.to_json()),
            predictions=lambda: hashed(plain(tree.predict(gaps))),
            possible=lambda: hashed(plain(tree.possible(gaps))),
            rules=lambda: hashed(plain(ol.canonicalize(tree).rules)),
            reasons=lambda: hashed(plain(ol.canonicalize(tree).reasons)),
        ),
        "guessed": attempt(lambda: rashomon_answers(ol.RashomonSet(3, 0.02, 0.02), X, y)),
        "quantiles": attempt(
            lambda: rashomon_answers(ol.RashomonSet(3, 0.02, 0.02, thresholds=3), X, y)
        ),
        "all": attempt(
            lambda: rashomon_answers(ol.RashomonSet(2, 0.02, 0.02, thresholds="all"), X, y)
        ),
    }


def rashomon_answers(rset: Any, X: Any, y: Any) -> Answers:
    trees = rset.fit(X, y).trees_
    positions = [*range(min(trees.n_trees, 50)), trees.n_trees // 2, trees.n_trees - 1]
    some = [trees[position] for position in positions]
    return asked(
        n_trees=lambda: trees.n_trees,
        objective=lambda: trees.objective,
        trees=lambda: hashed([tree.fingerprint for tree in some]),
        texts=lambda: hashed([tree.to_json() for tree in some]),
        ranks=lambda: [trees.index(tree) for tree in some],
        distinct=lambda: [len(trees.functions()), len(trees.functions("columns"))],
        votes=lambda: hashed(plain(trees.votes(X).shares)),
    )


def hashed(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, ensure_ascii=False).encode()).hexdigest()[:32]


def reproduction_answers(case: Any) -> Answers:
    """The quick version of every table and figure, without how long it took."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "paper", case["target"], "--quick"]
        environment = {**os.environ, "ORDERLESS_DATA": str(SHARED / "data")}
        subprocess.run(
            [*command, "--no-cache", "-o", folder],
            cwd=ROOT,
            env=environment,
            check=True,
            capture_output=True,
        )
        return {path.name: table_text(path) for path in sorted(Path(folder).glob("*.csv"))}


def table_text(path: Path) -> str:
    """A table of the reproduction; scipy's p-values differ in the last digits by its version."""
    table = pd.read_csv(path).drop(columns="ms", errors="ignore")
    if "p" in table:
        table["p"] = table["p"].map(lambda p: float(f"{p:.12g}"))
    return table.to_csv(index=False)


ASK: dict[str, Callable[[Any], Answers]] = {
    "trees": tree_answers,
    "numbers": number_answers,
    "facts": fact_answers,
    "forests": ensemble_answers,
    "sums": ensemble_answers,
    "scores": ensemble_answers,
    "policies": policy_answers,
    "importances": importance_answers,
    "sets": set_answers,
    "files": file_answers,
    "data_sets": data_set_answers,
    "reproduction": reproduction_answers,
}


def answers(group: str) -> list[Answers]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [plain(ASK[group](case)) for case in data.cases(group)]


def changed(group: str) -> list[str]:
    """One line for each answer that is not the stored one; the last counts new undecided ones."""
    lines = []
    n_undecided = 0
    for number, (old, new) in enumerate(zip(data.answers(group), answers(group), strict=True)):
        for where, before, after in differences(old, new):
            if before == UNDECIDED:
                continue
            if after == UNDECIDED:
                n_undecided += 1
                continue
            lines.append(f"case {number}{where}: {before!r} is now {after!r}")
    if n_undecided > MOST_UNDECIDED:
        lines.append(f"{n_undecided} answers are undecided now: more than a busy machine explains")
    return lines


def differences(old: Any, new: Any, where: str = "") -> Iterator[tuple[str, Any, Any]]:
    if isinstance(old, dict) and isinstance(new, dict) and set(old) == set(new):
        for key in old:
            yield from differences(old[key], new[key], f"{where} {key}")
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (before, after) in enumerate(zip(old, new, strict=True)):
            yield from differences(before, after, f"{where} {index}")
    elif old != new:
        yield where, old, new
