"""Sets as files: the problem and its numbers in versioned JSON, never the trees.

In:  a ``TreeSet``.
Out: text; and a ``TreeSet`` again, found anew, with its numbers checked against those in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np

from .. import serial
from ..errors import InvalidTree
from ..space import Space, plain_label
from .flat import FlatTrees
from .listed import Listed
from .meaning import Meaning
from .problem import MOST_DEPTH, Problem
from .source import Engine, Source
from .treeset import TreeSet
from .view import View

__all__ = ["from_json", "to_json"]

FORMAT = "orderless-rashomon"
VERSION = 1


def to_json(trees: TreeSet) -> str:
    """Write a set down."""
    source, view, problem = trees._source, trees._view, trees._problem
    meaning = problem.meaning
    content: dict[str, Any] = {
        "space": meaning.space.to_dict(),
        "columns": [
            {
                "name": meaning.names[j],
                "feature": int(meaning.feature[j]),
                "threshold": _number_out(float(meaning.threshold[j])),
                "nan_true": bool(meaning.nan_true[j]),
                "set": meaning.set_of(j).tolist(),
                "one_is_true": bool(meaning.one_is_true[j]),
            }
            for j in range(len(meaning))
        ],
        "aware": problem.aware,
        "classes": list(problem.classes),
        "rows": ["".join("01"[bit] for bit in row) for row in problem.bits.tolist()],
        "y": problem.y.tolist(),
        "weights": problem.weights.tolist(),
        "weight_scale": problem.weight_scale,
        "max_depth": problem.max_depth,
        "regularization": str(problem.regularization),
        "epsilon": str(problem.epsilon),
        "epsilon_kind": problem.kind,
        "view": {
            "epsilon": str(view.epsilon),
            "bound": view.bound,
            "max_leaves": view.max_leaves,
            "forbidden": sorted(view.forbidden),
            "required": [list(group) for group in view.required],
            "trivial": view.trivial,
        },
        # Found again when the file is read, and compared.
        "optimum": source.optimum,
        "n_trees": trees.n_trees,
        "n_nontrivial": trees.n_nontrivial,
    }
    if isinstance(source, Engine):
        content["memory_limit"] = source.memory_limit
        content["time_limit"] = source.time_limit
    if isinstance(source, Listed):
        names = ("offsets", "column", "label", "false_child")
        content["trees"] = dict(
            zip(names, (part.tolist() for part in source.flat.arrays), strict=True)
        )
    return serial.dump(FORMAT, VERSION, content)


def from_json(text: str | bytes, limit: int | None = None) -> TreeSet:
    """Read what ``to_json`` wrote; anything else is an ``InvalidTree`` that says why."""
    content = serial.load(text, FORMAT, VERSION, limit=serial.LIMIT if limit is None else limit)
    with serial.Reading("a set of trees"):
        problem = _problem(content)
        source = _source(content, problem)
        view = _view(serial.take(content, "view", dict), len(problem.meaning))
        out = TreeSet._of(source, view)
        found = {
            "optimum": source.optimum,
            "n_trees": out.n_trees,
            "n_nontrivial": out.n_nontrivial,
        }
    for name, number in found.items():
        if content.get(name) != number:
            raise InvalidTree(
                f"the file says {name} = {content.get(name)!r:.80} and {number} was found: it was "
                "changed, or written by another definition of the set"
            )
    return out


def _problem(content: Mapping[str, Any]) -> Problem:
    meaning = _meaning(content)
    rows = serial.take(content, "rows", list)
    n = len(meaning)
    if not rows or any(not isinstance(r, str) or len(r) != n or set(r) - {"0", "1"} for r in rows):
        raise InvalidTree(f"'rows' holds texts of {n} zeros and ones, at least one")
    bits = np.array([[int(bit) for bit in row] for row in rows], dtype=np.uint8).reshape(-1, n)
    classes = tuple(plain_label(label) for label in serial.take(content, "classes", list))
    y = _whole(content, "y", len(rows), 0, len(classes) - 1).astype(np.int32)
    weights = _whole(content, "weights", len(rows), 1, 2**62)
    depth = serial.take(content, "max_depth", int)
    scale = serial.take(content, "weight_scale", int)
    kind = serial.take(content, "epsilon_kind", str)
    if not 0 <= depth <= MOST_DEPTH or scale < 1 or kind not in ("additive", "relative"):
        raise InvalidTree(
            f"max_depth {depth}, weight_scale {scale} or epsilon_kind {kind!r} is not legal"
        )
    return Problem(
        bits,
        y,
        weights,
        scale,
        classes,
        meaning,
        serial.take(content, "aware", bool),
        depth,
        _fraction(content, "regularization"),
        _fraction(content, "epsilon"),
        kind,
    )


def _meaning(content: Mapping[str, Any]) -> Meaning:
    space = Space.from_dict(serial.take(content, "space", dict))
    entries = serial.take(content, "columns", list)
    feature, threshold, nan_true, sets, one, names = [], [], [], [], [], []
    for entry in entries:
        at = serial.take(entry, "feature", int)
        if not 0 <= at < len(space):
            raise InvalidTree(f"feature {at} of a column: there are 0 to {len(space) - 1}")
        values = serial.take(entry, "set", list)
        if any(not isinstance(v, int) or not 0 <= v < space.features[at].n_values for v in values):
            raise InvalidTree(f"the set {values!r:.80} is not of values of {space.features[at]!r}")
        names.append(serial.take(entry, "name", str))
        feature.append(at)
        threshold.append(_number_in(entry["threshold"]))
        nan_true.append(serial.take(entry, "nan_true", bool))
        sets.append(np.array(values, dtype=np.int32))
        one.append(serial.take(entry, "one_is_true", bool))
    sizes = np.concatenate([[0], np.cumsum([len(part) for part in sets])]).astype(np.int64)
    return Meaning(
        space,
        tuple(names),
        np.array(feature, dtype=np.int32),
        np.array(threshold, dtype=np.float64),
        np.array(nan_true, dtype=np.uint8),
        sizes,
        np.concatenate([np.zeros(0, dtype=np.int32), *sets]).astype(np.int32),
        np.array(one, dtype=np.uint8),
    )


def _source(content: Mapping[str, Any], problem: Problem) -> Source:
    if "trees" not in content:
        memory = serial.take(content, "memory_limit", int)
        seconds = content.get("time_limit")
        if memory <= 0 or not (seconds is None or isinstance(seconds, int | float)):
            raise InvalidTree("memory_limit and time_limit are positive numbers")
        return Engine(problem, memory, seconds)
    given = serial.take(content, "trees", dict)
    parts = [
        np.array(serial.take(given, name, list), dtype=np.int64)
        for name in ("offsets", "column", "label", "false_child")
    ]
    flat = FlatTrees.of(parts)
    _check_trees(flat, len(problem.meaning), len(problem.classes))
    return Listed(problem, flat)


def _check_trees(flat: FlatTrees, n_columns: int, n_classes: int) -> None:
    """Refuse arrays that are not trees, root first, each branch in one piece."""
    sizes = np.diff(flat.offsets)
    n = len(flat.column)
    legal = (
        len(flat.offsets) > 0
        and flat.offsets[0] == 0
        and flat.offsets[-1] == n == len(flat.label) == len(flat.false_child)
        and (sizes > 0).all()
        and (flat.column < n_columns).all()
        and (flat.label < n_classes).all()
        and ((flat.label >= 0) == (flat.column < 0)).all()
    )
    if legal:
        for a, b in pairwise(flat.offsets.tolist()):
            open_ends = [0]
            for node in range(a, b):
                if not open_ends or (open_ends[-1] and node - a != open_ends[-1]):
                    legal = False
                    break
                open_ends.pop()
                if flat.column[node] >= 0:
                    open_ends += [int(flat.false_child[node]), 0]
            legal = legal and not open_ends
            if not legal:
                break
    if not legal:
        raise InvalidTree("the arrays under 'trees' are not trees over the columns")


def _view(given: Mapping[str, Any], n_columns: int) -> View:
    groups = [
        serial.take({"g": group}, "g", list) for group in serial.take(given, "required", list)
    ]
    forbidden = serial.take(given, "forbidden", list)
    named = [*forbidden, *(column for group in groups for column in group)]
    if any(not isinstance(column, int) or not 0 <= column < n_columns for column in named):
        raise InvalidTree(f"a view names a column that is not there: {named!r:.80}")
    return View(
        _fraction(given, "epsilon"),
        serial.take(given, "bound", int),
        serial.take(given, "max_leaves", int),
        frozenset(forbidden),
        tuple(tuple(group) for group in groups),
        serial.take(given, "trivial", bool),
    )


def _whole(content: Mapping[str, Any], name: str, n: int, low: int, high: int) -> Any:
    values = serial.take(content, name, list)
    if len(values) != n or any(
        not isinstance(v, int) or isinstance(v, bool) or not low <= v <= high for v in values
    ):
        raise InvalidTree(f"{name!r} holds {n} whole numbers from {low} to {high}")
    return np.array(values, dtype=np.int64)


def _fraction(content: Mapping[str, Any], name: str) -> Fraction:
    number = serial.fraction(serial.take(content, name, str))
    if number < 0:
        raise InvalidTree(f"{name!r} is negative: {number}")
    return number


def _number_out(number: float) -> float | str:
    return number if np.isfinite(number) else ("inf" if number > 0 else "-inf")


def _number_in(number: Any) -> float:
    if isinstance(number, str):
        return {"inf": np.inf, "-inf": -np.inf}[number]
    return float(number)
