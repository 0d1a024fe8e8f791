"""Exports of models over spaces with facts: what is written knows no facts, and this is said.

In:  a tree, or a sum of trees.
Out: the same without facts, and a warning. What is certain without them is certain with them.
"""

from __future__ import annotations

import warnings
from typing import TypeVar

from ...model import SumKernel, TreeKernel

__all__ = ["plain"]

M = TypeVar("M", TreeKernel, SumKernel)


def plain(model: M, what: str) -> M:
    """Give what can be written in another language, which knows no facts between features.

    Warns
    -----
    UserWarning
        If there were facts.
    """
    if not model.space.domain.restricts:
        return model
    warnings.warn(
        f"{what} writes nothing of the facts between features: every complete row gets its class, "
        "also one that the facts exclude, and a row with unknown values only one that is certain "
        "without the facts",
        UserWarning,
        stacklevel=4,
    )
    return model.over(model.space.without_facts())
