"""Nested dicts and their JSON, in the style of GOSDT and TreeFARMS.

In:  ``{"feature": 0, "true": {...}, "false": {"prediction": 1}}``; a feature is the number or the
     name of a column. A split may say ``"relation"`` (``==``, ``<=``, ``<``, ``>``, ``>=``, ``in``)
     and ``"reference"``; without, it asks whether the column is 1. Predictions are classes;
     where they are numbers to compute with, the root says ``"task": "regression"``.
Out: ``ColumnModel``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import InvalidTree, a_kind, setting
from ..inputs import near, some_names
from ..model import parse
from .builder import MAX_COLUMNS, ColumnModel, ModelBuilder, Table

__all__ = ["from_nested"]

COMPARISONS = ("<=", "<", ">", ">=")
RELATIONS = ("==", *COMPARISONS, "in")


def from_nested(
    given: Mapping[str, Any] | str, column_names: Sequence[str] | None = None
) -> ColumnModel:
    """Read a tree of nested dicts. Without recursion, so depth is no problem."""
    root = _parsed(given) if isinstance(given, str) else given
    n_columns = None if column_names is None else len(column_names)
    position = {name: i for i, name in enumerate(column_names or ())}
    builder = ModelBuilder(Table(n_columns, column_names))
    binary = True
    for node in builder.walk(root):
        if not isinstance(node, Mapping):
            raise InvalidTree(f"a node must be a dict, got {a_kind(node)}: {node!r:.80}")
        if "prediction" in node:
            builder.leaf(node["prediction"])
            continue
        if not {"feature", "true", "false"} <= node.keys():
            raise InvalidTree(
                "a split needs the keys 'feature', 'true' and 'false', a leaf 'prediction'; "
                f"this node has {sorted(str(key) for key in node)}"
            )
        column = _column(node["feature"], position, n_columns)
        binary &= _split(builder, column, node)
    builder.table = replace(builder.table, binary=binary)
    return builder.finish(task=root.get("task", "classification"))


def _parsed(text: str) -> Mapping[str, Any]:
    parsed = parse(text)
    if not isinstance(parsed, dict):
        raise InvalidTree(f"expected a JSON object, got {a_kind(parsed)}")
    return parsed


def _column(feature: Any, position: Mapping[str, int], n_columns: int | None) -> int:
    if isinstance(feature, str):
        if feature not in position:
            names = some_names(position) or f"no names; give {setting('feature_names')}"
            raise InvalidTree(
                f"no column is named {feature!r}{near(feature, position)}: there are {names}"
            )
        return position[feature]
    if isinstance(feature, np.integer):
        feature = int(feature)
    most = MAX_COLUMNS if n_columns is None else n_columns
    if not isinstance(feature, int) or isinstance(feature, bool) or not 0 <= feature < most:
        raise InvalidTree(
            f"feature {feature!r:.80} is not a column: it must be a name, or one of 0 to {most - 1}"
        )
    return feature


def _split(builder: ModelBuilder, column: int, node: Mapping[str, Any]) -> bool:
    """Add a split; tell whether it asks no more than a column of 0 and 1 can answer."""
    true, false = node["true"], node["false"]
    if "relation" not in node and "reference" not in node:
        builder.numerical_test(column, ">", 0.5, true, false)
        return True
    relation, reference = node.get("relation", "=="), node.get("reference", 1)
    if relation not in RELATIONS:
        raise InvalidTree(f"relation must be one of {str(RELATIONS)[1:-1]}, got {relation!r:.80}")
    if relation in COMPARISONS:
        builder.numerical_test(column, relation, _number(reference), true, false)
        return False
    values = [reference]
    if relation == "in":
        if not isinstance(reference, Sequence | set | frozenset) or isinstance(
            reference, str | bytes
        ):
            raise InvalidTree(f"reference {reference!r:.80} is not a list of values")
        values = list(reference)
    builder.categorical_test(column, "in", values, true, false)
    return all(_is_bit(value) for value in values)


def _number(reference: Any) -> float:
    try:
        number = float(reference)
    except (TypeError, ValueError, OverflowError):
        raise InvalidTree(f"reference {reference!r:.80} is not a number") from None
    if not np.isfinite(number):
        raise InvalidTree(f"reference {reference!r} is not a finite number")
    return number


def _is_bit(value: Any) -> bool:
    return value in ("true", "false") or (not isinstance(value, str) and value in (0, 1))
