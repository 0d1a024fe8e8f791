"""Nested dicts and their JSON, in the style of GOSDT and TreeFARMS.

In:  ``{"feature": 0, "true": {...}, "false": {"prediction": 1}}``; a feature is the number or the
     name of a column. A split may say ``"relation"`` (``==``, ``<=``, ``<``, ``>``, ``>=``, ``in``)
     and ``"reference"``; without, it asks whether the column is 1.
Out: ``SourceTree``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InvalidTree, a_kind
from ..model import parse, plain_label
from .checks import MOST_COLUMNS
from .source import SourceTree

__all__ = ["from_nested"]

RELATIONS = ("==", "<=", "<", ">", ">=", "in")
MOST_NODES = 2**22


def from_nested(
    given: Mapping[str, Any] | str, column_names: Sequence[str] | None = None
) -> SourceTree:
    """Read a tree of nested dicts. Without recursion, so depth is no problem."""
    root = _parse(given) if isinstance(given, str) else given
    position = {name: i for i, name in enumerate(column_names or ())}
    reader = _Nodes(position, None if column_names is None else len(column_names))
    # Children are numbered when they are met; a dict that is its own descendant is a cycle.
    todo: list[tuple[Any, int, str]] = [(root, -1, "")]
    above: set[int] = set()  # the dicts on the way from the root
    while todo:
        node, parent, side = todo.pop()
        if side == "done":
            above.discard(id(node))
            continue
        if not isinstance(node, Mapping):
            raise InvalidTree(f"a node must be a dict, got {a_kind(node)}: {node!r:.80}")
        if id(node) in above:
            raise InvalidTree("a node is its own descendant: this is a cycle, not a tree")
        at = reader.add(node)
        if at >= MOST_NODES:  # dicts that are used twice can unfold without end
            raise InvalidTree(f"more than {MOST_NODES:,} nodes: build orderless.Tree(...) by hand")
        if parent >= 0:
            reader.children[side][parent] = at
        if "prediction" not in node:
            above.add(id(node))
            todo.append((node, -1, "done"))
            todo.append((node["false"], at, "false"))
            todo.append((node["true"], at, "true"))
    return reader.finish(column_names)


def _parse(text: str) -> Mapping[str, Any]:
    parsed = parse(text)
    if not isinstance(parsed, dict):
        raise InvalidTree(f"expected a JSON object, got {a_kind(parsed)}")
    return parsed


class _Nodes:
    """Collects nodes while the dicts are walked."""

    def __init__(self, position: Mapping[str, int], n_columns: int | None) -> None:
        self.position = position
        self.n_columns = n_columns
        self.column: list[int] = []
        self.threshold: list[float] = []
        self.members: dict[int, list[Any]] = {}
        self.children: dict[str, list[int]] = {"true": [], "false": []}
        self.prediction: list[Any] = []
        self.swap: list[bool] = []
        self.binary = True
        self.categories: dict[int, list[Any]] = {}

    def add(self, node: Mapping[str, Any]) -> int:
        at = len(self.column)
        self.children["true"].append(-1)
        self.children["false"].append(-1)
        self.swap.append(False)
        if "prediction" in node:
            self.column.append(-1)
            self.threshold.append(0.0)
            self.prediction.append(plain_label(node["prediction"]))
            return at
        for key in ("feature", "true", "false"):
            if key not in node:
                raise InvalidTree(
                    f"a split has the keys 'feature', 'true' and 'false', a leaf 'prediction'; "
                    f"this node has {sorted(str(k) for k in node)}"
                )
        self.prediction.append(None)
        self.column.append(self._column(node["feature"]))
        self.threshold.append(self._threshold(at, node))
        return at

    def _column(self, feature: Any) -> int:
        if isinstance(feature, str):
            if feature not in self.position:
                known = ", ".join(repr(name) for name in list(self.position)[:12])
                raise InvalidTree(
                    f"no column is named {feature!r}: there are {known or 'no names; give space= '}"
                    f"{'' if known else 'or feature_names='}"
                )
            return self.position[feature]
        if isinstance(feature, np.integer):
            feature = int(feature)
        n_columns = MOST_COLUMNS if self.n_columns is None else self.n_columns
        if (
            not isinstance(feature, int)
            or isinstance(feature, bool)
            or not 0 <= feature < n_columns
        ):
            raise InvalidTree(
                f"feature {feature!r:.80} is not a column: legal are 0 to {n_columns - 1}, or names"
            )
        return feature

    def _threshold(self, at: int, node: Mapping[str, Any]) -> float:
        """Give the node's threshold; mark it where its branches are to be swapped."""
        if "relation" not in node and "reference" not in node:
            self.swap[at] = True  # the column is 1: it is not at most one half
            return 0.5
        relation = node.get("relation", "==")
        reference = node.get("reference", 1)
        if relation not in RELATIONS:
            raise InvalidTree(f"relation {relation!r} is not known: legal are {RELATIONS}")
        if relation in ("==", "in"):
            if relation == "in" and (
                not isinstance(reference, Sequence | set | frozenset)
                or isinstance(reference, str | bytes)
            ):
                raise InvalidTree(f"reference {reference!r:.80} is not a list of values")
            values = list(reference) if relation == "in" else [reference]
            self.members[at] = [plain_label(value) for value in values]
            self.binary = self.binary and all(_is_bit(value) for value in values)
            return 0.0
        try:
            number = float(reference)
        except (TypeError, ValueError, OverflowError):
            raise InvalidTree(f"reference {reference!r:.80} is not a number") from None
        if not np.isfinite(number):
            raise InvalidTree(f"reference {reference!r} is not a finite number")
        self.binary = False
        self.swap[at] = relation in (">", ">=")
        below = relation in ("<", ">=")  # x < r is x at most the float below r
        return float(np.nextafter(number, -np.inf)) if below else number

    def finish(self, column_names: Sequence[str] | None) -> SourceTree:
        classes = _ordered_labels(p for p in self.prediction if p is not None)
        number = {label: i for i, label in enumerate(classes)}
        yes = np.array(self.children["true"], dtype=np.int32)
        no = np.array(self.children["false"], dtype=np.int32)
        swap = np.array(self.swap)
        n_columns = self.n_columns
        if n_columns is None:
            n_columns = max(self.column) + 1 if max(self.column) >= 0 else 0
        return SourceTree(
            classes=classes,
            column=np.array(self.column, dtype=np.int32),
            threshold=np.array(self.threshold),
            when_true=np.where(swap, no, yes),
            when_false=np.where(swap, yes, no),
            leaf_class=np.array([-1 if p is None else number[p] for p in self.prediction]),
            n_columns=n_columns,
            column_names=column_names,
            members=self.members,
            binary=self.binary,
            categories=self.categories,
        )


def _is_bit(value: Any) -> bool:
    return value in ("true", "false") or (not isinstance(value, str) and value in (0, 1))


def _ordered_labels(labels: Any) -> list[Any]:
    labels = list(labels)
    kinds = {str if isinstance(p, str) else bool if isinstance(p, bool) else float for p in labels}
    if len(kinds) > 1:
        raise InvalidTree(f"class labels must be of one type, got {labels!r:.120}")
    return sorted(set(labels))
