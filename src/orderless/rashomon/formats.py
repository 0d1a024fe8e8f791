"""Sets as files: the problem and its numbers in versioned JSON, never the trees.

In:  a ``Source`` and conditions on its trees.
Out: text; and both again, found anew, with their numbers checked against those in the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from fractions import Fraction
from itertools import pairwise
from time import monotonic
from typing import Any

import numpy as np

from ..errors import InvalidTree
from ..model import Feature, Label, Space, formats as serial, plain_label
from .columns import Columns
from .conditions import Condition, read_conditions, view_of
from .engine import Engine
from .flat import FlatTrees
from .incomplete import incomplete_in, incomplete_out
from .listed import Listed, Source
from .number_problem import NumberProblem
from .problem import KINDS, LARGEST, MOST_DEPTH, Problem, Rules, decimal
from .table import Table
from .target import LOSSES, MOST, MOST_DECIMALS, MOST_LABEL, Numbers, Target

__all__ = ["from_json", "to_json"]

FORMAT = "orderless-rashomon"
VERSION = 1
ARRAYS = ("offsets", "column", "label", "false_child")  # of FlatTrees


def to_json(source: Source, conditions: tuple[Condition, ...]) -> str:
    """Write a set down."""
    problem, rules = source.problem, source.problem.rules
    columns = problem.columns
    content: dict[str, Any] = {
        "space": columns.space.to_dict(),
        "columns": [
            {
                "name": columns.names[j],
                "feature": int(columns.feature[j]),
                "threshold": _number_out(float(columns.threshold[j])),
                "nan_true": bool(columns.nan_true[j]),
                "set": columns.set_of(j).tolist(),
                "one_is_true": bool(columns.one_is_true[j]),
            }
            for j in range(len(columns))
        ],
        "aware": problem.table.aware,
        **_targets(problem),
        "rows": ["".join("01"[bit] for bit in row) for row in problem.bits.tolist()],
        "y": problem.y.tolist(),
        "weights": problem.weights.tolist(),
        "weight_scale": problem.weight_scale,
        "max_depth": rules.max_depth,
        "regularization": str(rules.regularization),
        "epsilon": str(rules.epsilon),
        "epsilon_kind": rules.kind,
        "where": [condition.to_dict() for condition in conditions],
        **_numbers(source, conditions),  # found again when the file is read, and compared
    }
    if isinstance(source, Engine):
        content["memory_limit"] = source.memory_limit
        content["time_limit"] = source.time_limit
        if source.incomplete is not None:
            content["incomplete"] = incomplete_out(source.incomplete)
    if isinstance(source, Listed):
        content["trees"] = {name: getattr(source.flat, name).tolist() for name in ARRAYS}
    return serial.dump(FORMAT, VERSION, content)


def _targets(problem: Problem) -> dict[str, Any]:
    """Say what leaves can predict: classes, or numbers."""
    target = problem.table.target
    if target is None:
        return {"classes": list(problem.classes)}
    numbers = target.numbers
    steps = [0, numbers.n - 1] if numbers.chosen is None else numbers.chosen.tolist()
    out = {
        "task": "regression",
        "loss": target.loss,
        "decimals": numbers.decimals,
        "smallest": numbers.low,
        "steps": steps,
        "fine": target.fine,
    }
    if target.loss == "squared" and numbers.chosen is not None:
        out["chosen"] = True  # of a list of trees
    return out


def _target(content: Mapping[str, Any]) -> Target:
    loss = serial.take(content, "loss", str)
    decimals = serial.take(content, "decimals", int)
    smallest = serial.take(content, "smallest", int)
    fine = serial.take(content, "fine", int)
    steps = serial.take(content, "steps", list)
    chosen = loss == "absolute" or ("chosen" in content and serial.take(content, "chosen", bool))
    good = (
        loss in LOSSES
        and abs(decimals) <= MOST_DECIMALS
        and abs(smallest) <= 2**1100
        and fine >= 1
        and len(steps) >= 1
        and all(is_whole(step, 0, MOST) for step in steps)
        and steps[0] == 0
    )
    if good and not chosen:
        good = len(steps) == 2 and steps[1] <= MOST_LABEL and steps[1] % fine == 0
    elif good:
        of_trees = loss == "absolute" or "trees" in content
        good = fine == 1 and of_trees and all(a < b for a, b in pairwise(steps))
    if not good:
        raise InvalidTree(
            "'loss', 'decimals', 'smallest', 'steps' and 'fine' do not say which numbers there are"
        )
    only = np.array(steps, dtype=np.int64) if chosen else None
    return Target(loss, Numbers(decimals, smallest, steps[-1] + 1, only), fine)


def _numbers(source: Source, conditions: tuple[Condition, ...]) -> dict[str, int]:
    counts = source.counts(view_of(source, conditions))
    return {
        "optimum": source.optimum,
        "n_trees": counts.n,
        "n_nontrivial": counts.n_nontrivial,
    }


def from_json(
    text: str | bytes, limit: int | None, memory_limit: int, time_limit: float | None
) -> tuple[Source, tuple[Condition, ...]]:
    """Read what ``to_json`` wrote; anything else is an ``InvalidTree`` that says why.

    The caller's limits count, not those in the file: a small file can ask for a lot of work.
    """
    end = None if time_limit is None else monotonic() + time_limit
    content = serial.load(text, FORMAT, VERSION, limit=serial.LIMIT if limit is None else limit)
    with ExitStack() as stack:
        with serial.Reading("a set of trees"):
            problem = _problem(content)
            source = _source(content, problem, memory_limit, time_limit)
            if isinstance(source, Engine):
                stack.enter_context(source.caps.until(end))
            listed = serial.take(content, "where", list)
            conditions = read_conditions([Condition.from_dict(each) for each in listed])
            numbers = _numbers(source, conditions)
        if "incomplete" in content:
            incomplete_in(serial.take(content, "incomplete", dict), source)
    for name, number in numbers.items():
        if content.get(name) != number:
            raise InvalidTree(
                f"the file says {name} = {content.get(name)!r:.80}, but it is {number}: the file "
                "was changed, or written by another definition of the set"
            )
    return source, conditions


def _problem(content: Mapping[str, Any]) -> Problem:
    columns = _columns(content)
    rows = serial.take(content, "rows", list)
    n = len(columns)
    if not rows or any(not isinstance(r, str) or len(r) != n or set(r) - {"0", "1"} for r in rows):
        raise InvalidTree(f"'rows' must hold at least one text, each of {n} zeros and ones")
    bits = np.frombuffer("".join(rows).encode("ascii"), dtype=np.uint8).reshape(len(rows), n) - 48
    if columns.contradictions(bits).any():
        raise InvalidTree("some of the 'rows' contradict themselves: no values have such columns")
    target = None if "task" not in content else _target(content)
    classes: Any = _classes(content) if target is None else target.numbers
    largest = len(classes) - 1 if target is None else target.largest_label
    y = _whole(content, "y", len(rows), 0, largest).astype(np.int32)
    weights = _whole(content, "weights", len(rows), 1, 2**62)
    if sum(weights.tolist()) >= LARGEST:
        raise InvalidTree("the 'weights' are 2^62 or more together")
    depth = serial.take(content, "max_depth", int)
    scale = serial.take(content, "weight_scale", int)
    kind = serial.take(content, "epsilon_kind", str)
    if not 0 <= depth <= MOST_DEPTH or scale < 1 or kind not in KINDS:
        raise InvalidTree(
            f"max_depth {depth}, weight_scale {scale} or epsilon_kind {kind!r} is not allowed"
        )
    rules = Rules(depth, _fraction(content, "regularization"), _fraction(content, "epsilon"), kind)
    table = Table(bits, y, classes, columns, serial.take(content, "aware", bool), target=target)
    if target is not None and not target.fits(int(weights.sum())):
        raise InvalidTree("'weights' and 'steps' are too large together: losses would pass 2^51")
    work = Problem if target is None else NumberProblem
    problem = work(table, weights, scale, rules)
    problem.in_order = False
    return problem


def _classes(content: Mapping[str, Any]) -> tuple[Label, ...]:
    classes = tuple(plain_label(label) for label in serial.take(content, "classes", list))
    if len(classes) < 2 or any(not a < b for a, b in pairwise(classes)):  # type: ignore[operator]
        raise InvalidTree(f"'classes' must be two or more, in order, got {classes!r:.80}")
    return classes


def _columns(content: Mapping[str, Any]) -> Columns:
    space = Space.from_dict(serial.take(content, "space", dict))
    entries = serial.take(content, "columns", list)
    names, conditions, one_is_true = [], [], []
    for entry in entries:
        at = serial.take(entry, "feature", int)
        if not 0 <= at < len(space):
            raise InvalidTree(
                f"the feature of a column must be from 0 to {len(space) - 1}, got {at}"
            )
        values = serial.take(entry, "set", list)
        names.append(serial.take(entry, "name", str))
        threshold = _number_in(entry["threshold"])
        nan_true = serial.take(entry, "nan_true", bool)
        if not _divides(space.features[at], threshold, nan_true, values):
            raise InvalidTree(
                f"the column {names[-1]!r:.80} is not a condition on {space.features[at]!r}"
            )
        conditions.append((at, threshold, nan_true, values))
        one_is_true.append(serial.take(entry, "one_is_true", bool))
    return Columns.of(space, names, conditions, one_is_true)


def _divides(feature: Feature, threshold: float, nan_true: bool, values: list[Any]) -> bool:
    """Whether this is a condition on a feature, as a ``Tree`` writes it, that can be both ways."""
    if feature.ordered and np.isposinf(threshold):  # is the value known?
        return feature.nan and not nan_true and not values
    if feature.ordered:
        holds = np.isfinite(threshold) and float(feature.at_most(threshold)) == threshold
        low, high = feature.bounds
        inside = low < threshold < high or feature.nan
        return bool(holds and inside and not values and (feature.nan or not nan_true))
    n = feature.n_values
    good = all(is_whole(v, 0, n - 1) for v in values) and all(a < b for a, b in pairwise(values))
    return good and 0 < len(values) < n and not threshold and not nan_true


def _source(
    content: Mapping[str, Any], problem: Problem, memory_limit: int, time_limit: float | None
) -> Source:
    if "trees" not in content:
        return Engine(problem, memory_limit, time_limit)
    given = serial.take(content, "trees", dict)
    sizes = {name: len(serial.take(given, name, list)) for name in ARRAYS}
    flat = FlatTrees.of([_whole(given, name, n, -1, 2**31 - 1) for name, n in sizes.items()])
    _check_trees(flat, len(problem.columns), len(problem.classes))
    return Listed(problem, flat)


def _check_trees(flat: FlatTrees, n_columns: int, n_classes: int) -> None:
    """Refuse arrays that are not trees, root first, each branch in one piece."""
    sizes = np.diff(flat.offsets)
    n = len(flat.column)
    good = (
        len(flat.offsets) > 0
        and flat.offsets[0] == 0
        and flat.offsets[-1] == n == len(flat.label) == len(flat.false_child)
        and (sizes > 0).all()
        and (flat.column < n_columns).all()
        and (flat.label < n_classes).all()
        and ((flat.label >= 0) == (flat.column < 0)).all()
        and ((flat.false_child >= 0) == (flat.column >= 0)).all()
    )
    if not good or not all(_is_tree(flat, a, b) for a, b in pairwise(flat.offsets.tolist())):
        raise InvalidTree("the arrays under 'trees' are not trees over the columns")


def _is_tree(flat: FlatTrees, first: int, end: int) -> bool:
    due = [0]  # where the branches that are still to come begin
    for node in range(end - first):
        if not due or due.pop() != node:
            return False
        if flat.column[first + node] >= 0:
            due += [int(flat.false_child[first + node]), node + 1]
    return not due


def _whole(content: Mapping[str, Any], name: str, n: int, low: int, high: int) -> Any:
    values = serial.take(content, name, list)
    if len(values) != n or not all(is_whole(v, low, high) for v in values):
        raise InvalidTree(f"{name!r} must hold {n} whole numbers from {low} to {high}")
    return np.array(values, dtype=np.int64)


def _fraction(content: Mapping[str, Any], name: str) -> Fraction:
    return decimal(serial.take(content, name, str), name)


def _number_out(number: float) -> float | str:
    return number if np.isfinite(number) else ("inf" if number > 0 else "-inf")


def _number_in(number: Any) -> float:
    if isinstance(number, str):
        return {"inf": np.inf, "-inf": -np.inf}[number]
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise InvalidTree(f"the threshold of a column must be a number, got {number!r:.80}")
    return float(number)


def is_whole(value: Any, low: int, high: int) -> bool:
    """Whether a value is a whole number between two others."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
