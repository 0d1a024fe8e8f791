"""Trees in files: what JSON needs to write a tree down, and the way back (docs/formats).

In:  a ``Tree``; or dicts and lists that somebody wrote.
Out: dicts and lists; or the tree, after everything was checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import InvalidTree
from . import formats as serial
from .space import Space

if TYPE_CHECKING:
    from .tree import TreeKernel

__all__ = ["TREE_ARRAYS", "TREE_FORMAT", "TreeFile"]

TREE_FORMAT = "orderless-tree"
VERSION = 1
# Entries that are lists of numbers, by node.
TREE_ARRAYS = ("feature", "threshold", "when_true", "when_false", "leaf_class", "distribution")
KNOWING = 2  # with facts in the space, which an older orderless would not heed


class TreeFile:
    """Methods of ``Tree`` that write it down and read it again."""

    def to_dict(self) -> dict[str, Any]:
        """Give what JSON needs to write it down (docs/formats)."""
        content = self.written()
        content["threshold"] = [_number_out(t) for t in content["threshold"].tolist()]
        lists = {k: v.tolist() for k, v in content.items() if isinstance(v, np.ndarray)}
        return {**content, **lists}

    def written(self) -> dict[str, Any]:
        """Give what ``to_dict`` gives, with arrays for lists of numbers."""
        tree = cast("TreeKernel", self)
        content: dict[str, Any] = {
            "space": tree.space.to_dict(),
            "classes": list(tree.classes),
            "feature": tree.feature,
            "threshold": tree.threshold,
            "when_true": tree.when_true,
            "when_false": tree.when_false,
            "leaf_class": tree.leaf_class,
        }
        if tree.task != "classification":
            content["task"] = tree.task
        if tree.nan_true.any():
            content["nan_true"] = tree.nan_true.astype(bool)
        if len(tree.set_values):
            content["sets"] = {str(node): values for node, values in tree.sets.items()}
        if tree.distribution is not None:
            content["distribution"] = tree.distribution
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> TreeKernel:
        """Read what ``to_dict`` gave. Anything else is an ``InvalidTree`` that says why."""
        with serial.Reading("a tree"):
            limits = content.get("threshold")
            if not isinstance(limits, np.ndarray):
                limits = [_number_in(t) for t in serial.take(content, "threshold", list)]
            nodes = {**content, "threshold": limits}
            names = ("feature", "threshold", "when_true", "when_false", "leaf_class")
            flags, shares = content.get("nan_true"), content.get("distribution")
            sets = serial.take({"sets": {}, **content}, "sets", dict)
            named = {f"set of {node}": values for node, values in sets.items()}
            return cast("type[TreeKernel]", cls)(
                Space.from_dict(serial.take(content, "space", dict)),
                serial.take(content, "classes", list),
                **{name: serial.numbers(nodes, name) for name in names},
                nan_true=None if flags is None else serial.numbers(content, "nan_true"),
                sets={_node_in(node): serial.numbers(named, f"set of {node}") for node in sets},
                distribution=None if shares is None else serial.numbers(content, "distribution", 2),
                task=content.get("task", "classification"),
            )

    def to_json(self) -> str:
        """Write it as versioned JSON (docs/formats); ``from_json`` gives back an equal tree."""
        version = KNOWING if cast("TreeKernel", self).space.facts else VERSION
        return serial.dump(TREE_FORMAT, version, self.written())

    @classmethod
    def from_json(cls, text: str | bytes, *, limit: int = serial.LIMIT) -> TreeKernel:
        """Read what ``to_json`` wrote. Anything else is an ``InvalidTree`` that says why.

        Parameters
        ----------
        limit : int
            Longest text, in characters, that is looked at.
        """
        known = (VERSION, KNOWING)
        return cls.from_dict(serial.load(text, TREE_FORMAT, known, limit=limit, arrays=TREE_ARRAYS))


def _number_out(number: float) -> float | str:
    return number if np.isfinite(number) else ("inf" if number > 0 else "-inf")


def _node_in(text: str) -> int:
    if not (text.isascii() and text.isdigit() and text == text.lstrip("0").rjust(1, "0")):
        raise InvalidTree(f"'sets' must go by the numbers of nodes, got {text!r:.80}")
    return int(text)


def _number_in(number: Any) -> Any:
    return {"inf": np.inf, "-inf": -np.inf}.get(number) if isinstance(number, str) else number
