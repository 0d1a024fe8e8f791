"""Numbers of trees in files (docs/formats): JSON has no infinities.

In:  thresholds and numbers of nodes.
Out: what JSON can hold, and the way back.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import InvalidTree

__all__ = [
    "TREE_ARRAYS",
    "TREE_FORMAT",
]

TREE_FORMAT = "orderless-tree"
VERSION = 1
# Entries that are lists of numbers, by node.
TREE_ARRAYS = ("feature", "threshold", "when_true", "when_false", "leaf_class", "distribution")
KNOWING = 2  # with facts in the space, which an older orderless would not heed


def number_out(number: float) -> float | str:
    return number if np.isfinite(number) else ("inf" if number > 0 else "-inf")


def node_in(text: str) -> int:
    if not (text.isascii() and text.isdigit() and text == text.lstrip("0").rjust(1, "0")):
        raise InvalidTree(f"'sets' must go by the numbers of nodes, got {text!r:.80}")
    return int(text)


def number_in(number: Any) -> Any:
    return {"inf": np.inf, "-inf": -np.inf}.get(number) if isinstance(number, str) else number
