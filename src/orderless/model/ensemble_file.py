"""Ensembles in files: what JSON needs to write one down, and the way back (docs/formats).

In:  an ``Ensemble``; or dicts and lists that somebody wrote.
Out: dicts and lists; or the ensemble, after everything was checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InvalidTree
from . import formats as serial
from .tree import TreeKernel

__all__ = [
    "ENSEMBLE_FORMAT",
]

ENSEMBLE_FORMAT = "orderless-ensemble"
VERSION = 1
KNOWING = 2  # with facts, which an older version would leave out without a word


def tree_in(entry: Any, space: Any) -> TreeKernel:
    """Read a tree, whose classes are the numbers of its values."""
    if not isinstance(entry, Mapping):
        raise InvalidTree(f"'trees' must be a list of objects, got {entry!r:.80}")
    n_values = len(serial.take(entry, "values", list))
    return TreeKernel.from_dict({**entry, "space": space, "classes": list(range(n_values))})


def refuse_more(what: str, entries: Mapping[str, Any], known: tuple[str, ...]) -> None:
    other = [name for name in entries if name not in known]
    if other:
        raise InvalidTree(f"{what!r} has the entry {other[0]!r:.80}; known are {list(known)}")
