"""What the explorer knows of a set: functions, measures, rules, rows, places on a map.

In:  a set of trees and the frame that ``choose`` gives.
Out: plain data for the page's script; arrays of numbers as base64.
"""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...form import canonicalize
from ...inputs import counted
from ...model import class_names, label_text, printable, short_number
from ...rashomon import disagreements

if TYPE_CHECKING:
    import pandas as pd

    from ...rashomon import FunctionTable, Judged, TreeSet

__all__ = ["set_content"]

MAPPED = 600  # functions whose distances to each other place all others
MOST_ROWS = 200_000


def set_content(trees: TreeSet, frame: pd.DataFrame, judged: Judged) -> dict[str, Any]:
    """Give what the page knows; ``frame`` has the functions that were judged, in their order."""
    table = judged.table
    columns = table.columns
    measures = {name: frame[name] for name in frame if name not in ("features", "n_trees")}
    example = next(columns.trees(table.trees[:1], table.classes))
    return {
        "classes": class_names(example),
        "features": _features(columns),
        "columns": _columns(columns),
        "measures": [
            {"name": str(name), "better": judged.better(str(name)),
             "whole": bool(np.issubdtype(np.asarray(values).dtype, np.integer)),
             "values": _numbers(np.asarray(values, dtype=np.float64))}
            for name, values in measures.items()
        ],
        "trees": table.n_trees.tolist(),
        "fingerprints": list(frame.index),
        "offsets": table.trees.offsets.tolist(),
        "column": table.trees.column.tolist(),
        "label": table.trees.label.tolist(),
        "rules": _rules(table),
        "rows": _rows(trees),
        **_places(trees, table),
        "model": {"space": example.space.to_dict(), "classes": list(example.classes)},
    }  # fmt: skip


def _numbers(values: NDArray[Any]) -> str:
    """Write numbers so that none loses a digit."""
    return base64.b64encode(np.ascontiguousarray(values).tobytes()).decode()


def _features(columns: Any) -> list[dict[str, Any]]:
    """Say of each feature which of its values the columns tell apart: its bins."""
    out = []
    for i, feature in enumerate(columns.space.features):
        own = np.flatnonzero(columns.feature == i).tolist()
        patterns = columns.patterns(own) if own else np.zeros((1, 0), dtype=np.uint8)
        entry: dict[str, Any] = {
            "name": printable(feature.name),
            "kind": feature.kind,
            "columns": own,
            "bins": len(patterns),
            "patterns": patterns.tolist(),
        }
        if feature.ordered and feature.kind != "boolean":
            entry["values"] = feature.values
            entry["nan"] = bool(feature.nan)
            entry["cuts"] = sorted({short_number(float(columns.threshold[j])) for j in own},
                                   key=float)  # fmt: skip
        elif not feature.ordered:
            labels = [printable(label_text(feature.label(k))) for k in range(feature.n_values)]
            entry["labels"] = labels
            entry["bin_of"] = _bins_of_values(columns, own, patterns, len(labels))
        out.append(entry)
    return out


def _bins_of_values(columns: Any, own: list[int], patterns: Any, n_values: int) -> list[int]:
    """Give the bin of each value of a categorical feature."""
    if not own:
        return [0] * n_values
    bins = {tuple(pattern): k for k, pattern in enumerate(patterns.tolist())}
    out = []
    for value in range(n_values):
        holds = [value in columns.set_of(j) for j in own]
        bits = [int(h == bool(columns.one_is_true[j])) for h, j in zip(holds, own, strict=True)]
        out.append(bins[tuple(bits)])
    return out


def _columns(columns: Any) -> list[dict[str, Any]]:
    """Give each column's feature, its threshold, and what it says where it is 1 and where 0."""
    out = []
    for j, question in enumerate(columns.questions):
        no, yes = (rules[0].conditions[0] for rules in canonicalize(question).rules.values())
        out.append(
            {
                "feature": int(columns.feature[j]),
                "yes": printable(yes),
                "no": printable(no),
                "threshold": float(columns.threshold[j]),
                "one_is_true": int(columns.one_is_true[j]),
                "nan_true": int(columns.nan_true[j]),
                "set": columns.set_of(j).tolist(),
            }
        )
    return out


def _rules(table: FunctionTable) -> dict[str, Any]:
    """Write the minimal rules of each function, with every condition once."""
    texts: dict[str, int] = {}
    out = []
    with counted(f"rules of {len(table):,} functions", len(table)) as done:
        for tree in table.columns.trees(table.trees, table.classes):
            form = canonicalize(tree)
            own = []
            for label, terms in form.rules.items():
                place = table.classes.index(label)
                for term in terms:
                    said = [texts.setdefault(printable(c), len(texts)) for c in term.conditions]
                    own.append([place, *said])
            out.append(own)
            done()
    return {"conditions": list(texts), "of": out}


def _rows(trees: TreeSet) -> dict[str, Any]:
    """Give the distinct training rows: the bits of each column, and the weight of each class."""
    problem = trees._problem
    bits, which = np.unique(problem.bits, axis=0, return_inverse=True)
    which = which.ravel()
    weight = np.zeros((len(problem.classes), len(bits)))
    np.add.at(weight, (problem.y, which), problem.weights / problem.weight_scale)
    packed = np.packbits(bits.T, axis=1, bitorder="little")
    width = -(-packed.shape[1] // 4) * 4
    words = np.zeros((bits.shape[1], width), dtype=np.uint8)
    words[:, : packed.shape[1]] = packed
    return {
        "n": len(bits),
        "words": width // 4,
        "bits": _numbers(words),
        "weights": [_numbers(one) for one in weight],
    }


def _places(trees: TreeSet, table: FunctionTable) -> dict[str, Any]:
    """Place functions in the plane: those that disagree on more rows lie farther apart.

    Shares of differing rows are squared distances. A few functions are placed by all distances
    between them (classical scaling); every other one by its distances to these.
    """
    n = len(table)
    step = max(1, -(-n // MAPPED))
    chosen = np.arange(0, n, step)
    landmarks = table.trees[chosen]
    distance = disagreements(trees._problem, landmarks)
    mean = distance.mean(axis=0)
    centred = -0.5 * (distance - mean - mean[:, None] + distance.mean())
    values, vectors = np.linalg.eigh(centred)
    values, vectors = np.clip(values[::-1][:2], 0, None), vectors[:, ::-1][:, :2]
    total = float(np.clip(np.linalg.eigvalsh(centred), 0, None).sum())
    with np.errstate(divide="ignore", invalid="ignore"):
        pull = np.where(values > 1e-12, 1 / np.sqrt(values), 0) * vectors
    places = np.zeros((n, 2))
    for start in range(0, n, 1024):
        part = np.arange(start, min(start + 1024, n))
        far = _apart(trees, table, part, chosen)
        places[part, : pull.shape[1]] = -0.5 * (far - mean) @ pull
    return {
        "places": [_numbers(places[:, 0].copy()), _numbers(places[:, 1].copy())],
        "kept": float(values.sum() / total) if total > 0 else 1.0,
        "mapped": len(chosen),
    }


def _apart(
    trees: TreeSet, table: FunctionTable, some: NDArray[Any], others: NDArray[Any]
) -> NDArray[np.float64]:
    """Give the share of training weight on which functions of two lists differ."""
    problem = trees._problem
    weight = problem.weights / problem.total_weight
    ours, theirs = table.trees[some].says(problem.bits), table.trees[others].says(problem.bits)
    same = np.zeros((len(some), len(others)))
    for c in range(len(problem.classes)):
        same += ((ours == c) * weight) @ (theirs == c).T
    return 1 - same
