"""Columns that rise and fall: one bin out of many, one number out of many.

In:  nodes whose condition holds on several intervals of an ordered feature.
Out: nodes that ask one threshold each. "In the second bin" becomes "at most its upper edge" and,
     below that, "at most its lower edge"; what follows outside of the bin is copied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import UnreadableModel
from ...model import Floats, Space

__all__ = ["Span", "Steps", "unfold"]

LIMIT = 1_000_000

# Boundaries on the feature, rising; and for each piece between them whether the condition holds.
Span = tuple[Sequence[float], Sequence[bool]]


@dataclass(frozen=True)
class Steps:
    """A piecewise constant function: ``levels[i]`` above ``cuts[i - 1]``, up to ``cuts[i]``."""

    cuts: tuple[float, ...]
    levels: tuple[float, ...]

    def then(self, function: Callable[[Floats], Floats]) -> Steps:
        """Apply a further function, monotone or not."""
        levels = function(np.array(self.levels, dtype=np.float64))
        return replace(self, levels=tuple(levels.tolist()))


@dataclass(frozen=True)
class _Range:
    """What is left of a feature on a path: above ``low``, up to ``high``, or missing."""

    low: float
    high: float
    missing: bool

    def pieces(self, span: Span) -> list[tuple[float, float, bool]]:
        """Cut it where the condition changes: low, high, whether it holds."""
        boundaries, holds = span
        ends = zip([-np.inf, *boundaries], [*boundaries, np.inf], holds, strict=True)
        out: list[tuple[float, float, bool]] = []
        for low, high, flag in ends:
            low, high = max(low, self.low), min(high, self.high)
            if not low < high:
                continue
            if out and out[-1][2] == flag:
                out[-1] = (out[-1][0], high, flag)
            else:
                out.append((low, high, flag))
        return out


def unfold(
    space: Space,
    nodes: Mapping[str, NDArray[Any]],
    spans: Mapping[int, Span],
    *,
    sets: Mapping[int, Sequence[int]],
    distribution: Floats | None,
    limit: int = LIMIT,
) -> dict[str, Any]:
    """Give the arguments of a ``Tree`` in which every node asks one threshold.

    Linear in the nodes that come out. Branches that no row reaches are left out on the way, so
    many bins of one feature cost little; bins of k features on one path may cost 2**k copies.

    Parameters
    ----------
    nodes : ``Tree``'s arrays by name
    spans : node -> where its condition holds; other nodes keep theirs
    sets, distribution : as in ``Tree``
    limit : most nodes that may come out
    """
    growing = _Growing(space, nodes, sets, spans)
    # What is left of each feature on the way; a new dict where it changes.
    todo: list[tuple[int, dict[int, _Range], int, str]] = [(0, {}, -1, "")]
    while todo:
        todo += growing.copy(*todo.pop())
        if len(growing.origin) > limit:
            raise UnreadableModel(
                f"as thresholds, this tree has more than {limit} nodes: it asks for single bins, "
                "or single numbers, of many features on one path. Encode them as ordinal numbers "
                "(KBinsDiscretizer(encode='ordinal')), or grow a smaller tree"
            )
    return growing.finish(distribution)


class _Growing:
    """The copy while it grows."""

    def __init__(
        self,
        space: Space,
        nodes: Mapping[str, NDArray[Any]],
        sets: Mapping[int, Sequence[int]],
        spans: Mapping[int, Span],
    ) -> None:
        self.space = space
        self.nodes = {name: array.tolist() for name, array in nodes.items()}
        self.sets = sets
        self.spans = spans
        self.origin: list[int] = []
        self.threshold: list[float] = []
        self.nan_true: list[bool] = []
        self.children: dict[str, list[int]] = {"when_true": [], "when_false": []}

    def add(self, origin: int, threshold: float, nan_true: bool, parent: int, side: str) -> int:
        at = len(self.origin)
        self.origin.append(origin)
        self.threshold.append(threshold)
        self.nan_true.append(nan_true)
        for name in self.children:
            self.children[name].append(-1)
        if parent >= 0:
            self.children[side][parent] = at
        return at

    def copy(
        self, node: int, left: dict[int, _Range], parent: int, side: str
    ) -> list[tuple[int, dict[int, _Range], int, str]]:
        """Copy one node, and give what is to be copied below it."""
        feature = self.nodes["feature"][node]
        yes, no = self.nodes["when_true"][node], self.nodes["when_false"][node]
        nan_true = bool(self.nodes["nan_true"][node])
        threshold = self.nodes["threshold"][node]
        if feature < 0 or not self.space.features[feature].ordered:
            at = self.add(node, threshold, nan_true, parent, side)
            sides = [(yes, left, at, "when_true"), (no, left, at, "when_false")]
            return sides if feature >= 0 else []
        here = left.get(feature)
        if here is None:
            here = _Range(-np.inf, np.inf, self.space.features[feature].nan)
        pieces = here.pieces(self.spans.get(node, ((threshold,), (True, False))))
        below: list[tuple[int, dict[int, _Range], int, str]] = []
        missing = here.missing
        if missing and not any(flag == nan_true for _, _, flag in pieces):
            # No number goes where missing goes: ask first whether it is known.
            alone = {**left, feature: _Range(0.0, 0.0, True)}
            if not pieces:
                return [(yes if nan_true else no, alone, parent, side)]
            at = self.add(node, np.inf, False, parent, side)
            below.append((yes if nan_true else no, alone, at, "when_false"))
            parent, side, missing = at, "when_true", False
        for i, (low, high, flag) in enumerate(pieces):
            hosts = missing and flag == nan_true
            missing = missing and not hosts
            inside = {**left, feature: _Range(low, high, hosts)}
            if i == len(pieces) - 1:
                below.append((yes if flag else no, inside, parent, side))
                break
            at = self.add(node, high, hosts, parent, side)
            below.append((yes if flag else no, inside, at, "when_true"))
            parent, side = at, "when_false"
        return below

    def finish(self, distribution: Floats | None) -> dict[str, Any]:
        origin = np.array(self.origin)
        shares = None
        if distribution is not None:
            shares = distribution[origin]
            leaves = origin[np.array(self.nodes["feature"])[origin] < 0]
            if len(np.unique(leaves)) < len(leaves):
                # How a leaf's rows spread over its copies is not known: keep the shares.
                total = shares.sum(axis=1, keepdims=True)
                shares = np.divide(shares, total, out=np.zeros_like(shares), where=total > 0)
        return {
            "feature": np.array(self.nodes["feature"], dtype=np.int32)[origin],
            "threshold": np.array(self.threshold, dtype=np.float64),
            "when_true": np.array(self.children["when_true"], dtype=np.int32),
            "when_false": np.array(self.children["when_false"], dtype=np.int32),
            "leaf_class": np.array(self.nodes["leaf_class"], dtype=np.int32)[origin],
            "nan_true": np.array(self.nan_true, dtype=bool),
            "sets": {i: self.sets[o] for i, o in enumerate(self.origin) if o in self.sets},
            "distribution": shares,
        }
