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
    from .tree import Tree

__all__ = ["TREE_FORMAT", "TreeFile"]

TREE_FORMAT = "orderless-tree"
VERSION = 1
KNOWING = 2  # with facts in the space, which an older orderless would not heed


class TreeFile:
    """Methods of ``Tree`` that write it down and read it again."""

    def to_dict(self) -> dict[str, Any]:
        """Give what JSON needs to write it down (docs/formats)."""
        tree = cast("Tree", self)
        content: dict[str, Any] = {
            "space": tree.space.to_dict(),
            "classes": list(tree.classes),
            "feature": tree.feature.tolist(),
            "threshold": [_number_out(t) for t in tree.threshold.tolist()],
            "when_true": tree.when_true.tolist(),
            "when_false": tree.when_false.tolist(),
            "leaf_class": tree.leaf_class.tolist(),
        }
        if tree.task != "classification":
            content["task"] = tree.task
        if tree.nan_true.any():
            content["nan_true"] = [bool(flag) for flag in tree.nan_true]
        sets = {str(i): s for i in range(tree.n_nodes) if (s := tree.set_of(i).tolist())}
        if sets:
            content["sets"] = sets
        if tree.distribution is not None:
            content["distribution"] = tree.distribution.tolist()
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Tree:
        """Read what ``to_dict`` gave. Anything else is an ``InvalidTree`` that says why."""
        with serial.Reading("a tree"):
            limits = [_number_in(t) for t in serial.take(content, "threshold", list)]
            nodes = {**content, "threshold": limits}
            names = ("feature", "threshold", "when_true", "when_false", "leaf_class")
            flags, shares = content.get("nan_true"), content.get("distribution")
            sets = serial.take({"sets": {}, **content}, "sets", dict)
            named = {f"set of {node}": values for node, values in sets.items()}
            return cast("type[Tree]", cls)(
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
        version = KNOWING if cast("Tree", self).space.knowing else VERSION
        return serial.dump(TREE_FORMAT, version, self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes, *, limit: int = serial.LIMIT) -> Tree:
        """Read what ``to_json`` wrote. Anything else is an ``InvalidTree`` that says why.

        Parameters
        ----------
        limit : int
            Longest text, in characters, that is looked at.
        """
        return cls.from_dict(serial.load(text, TREE_FORMAT, (VERSION, KNOWING), limit=limit))


def _number_out(number: float) -> float | str:
    return number if np.isfinite(number) else ("inf" if number > 0 else "-inf")


def _node_in(text: str) -> int:
    if not (text.isascii() and text.isdigit() and text == text.lstrip("0").rjust(1, "0")):
        raise InvalidTree(f"'sets' must go by the numbers of nodes, got {text!r:.80}")
    return int(text)


def _number_in(number: Any) -> Any:
    return {"inf": np.inf, "-inf": -np.inf}.get(number) if isinstance(number, str) else number
