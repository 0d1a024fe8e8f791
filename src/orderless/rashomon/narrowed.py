"""A view as the core reads it: a narrower graph, and a record of what is left to look at.

In:  a ``View`` of a problem's columns.
Out: ``Narrowing``s, to be applied one after the other; the record ``View`` of the core.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import TooLarge
from .columns import Columns
from .view import Paid, Question, View

__all__ = ["Step", "asked_features", "core_view", "narrowing", "steps"]

NO_FEATURES = np.zeros(0, dtype=np.int32)
MOST_FEATURES = 64  # whose sets the core tells apart

# One narrowing: the weight of leaves, a beginning, or prices.
Step = tuple[int, tuple[Question, ...], Paid | None]


def steps(view: View) -> Iterator[Step]:
    """Give what a view asks of leaves and of paths, one by one."""
    if view.least_weight:
        yield view.least_weight, (), None
    for questions in view.first:
        yield 0, questions, None
    for paid in view.paid:
        yield 0, (), paid


def narrowing(columns: Columns, step: Step) -> _core.rashomon.Narrowing:
    """Give one of them to the core."""
    weight, first, paid = step
    asked = np.zeros((len(first), len(columns)), dtype=np.uint8)
    for i, question in enumerate(first):
        asked[i, list(question.columns)] = 1
    return _core.rashomon.Narrowing(
        least_weight=weight,
        first=[(asked[i], each.when_true, each.when_false) for i, each in enumerate(first)],
        feature=columns.feature if paid else np.zeros(0, dtype=np.int32),
        price=np.array(paid.prices if paid else (), dtype=np.int64),
        most_paid=paid.most if paid else 0,
    )


def _may_be_asked(columns: Columns, graph: _core.rashomon.Graph, view: View) -> NDArray[np.bool_]:
    asked = graph.asked().astype(bool)
    asked[sorted(view.forbidden)] = False
    return asked


def asked_features(columns: Columns, graph: _core.rashomon.Graph, view: View) -> list[int]:
    """Give the features that some tree of a view may ask about."""
    used: list[int] = np.unique(columns.feature[_may_be_asked(columns, graph, view)]).tolist()
    return used


@lru_cache(maxsize=64)  # of some numbers of columns; nobody writes to it
def _every_column(n: int) -> NDArray[np.uint8]:
    return np.ones(n, dtype=np.uint8)


def core_view(
    columns: Columns, graph: _core.rashomon.Graph, view: View, base: int
) -> _core.rashomon.View:
    """Give the record of what the steps leave; the core adds ``base`` to every objective."""
    allowed = _every_column(len(columns))
    if view.forbidden:
        allowed = allowed.copy()
        allowed[sorted(view.forbidden)] = 0
    feature = NO_FEATURES
    if view.most_features is not None:
        used = asked_features(columns, graph, view)
        if len(used) + len(view.required) > MOST_FEATURES:
            raise TooLarge(
                f"near-optimal trees ask about {len(used)} features, and "
                f"a limit on their number tells {MOST_FEATURES - len(view.required)} apart at "
                "most: rule some out, or take a smaller epsilon",
                MOST_FEATURES,
            )
        asked = _may_be_asked(columns, graph, view)
        feature = np.where(asked, np.searchsorted(used, columns.feature), -1).astype(np.int32)
    return _core.rashomon.View(  # by position, which is quicker
        view.bound + base, view.max_leaves, allowed, [list(group) for group in view.required],
        view.trivial, feature, view.most_features or 0,
    )  # fmt: skip
