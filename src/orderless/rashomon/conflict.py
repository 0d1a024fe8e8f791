"""Rows on which the functions of a set decide otherwise than its best tree.

In:  a ``Source``, a ``View`` of it, complete rows.
Out: ``Conflict``: by row whether any tree decides otherwise, and what share of the functions does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import Bits
from .flat import FlatTrees, distinct
from .functions import FunctionSet
from .leaf_sums import Form, Quantity, leaf_sums
from .listed import Listed, Source
from .view import LIMIT, View

__all__ = ["Conflict", "any_otherwise", "share_otherwise"]


@dataclass(frozen=True, eq=False)
class Conflict:
    """Where the functions of a set contradict its best tree.

    Attributes
    ----------
    decision : array
        What the best tree decides, by row.
    any : array of bool
        Whether some tree of the set decides otherwise: exact.
    share : array of float, a ``Sampled`` of it, or None
        What share of the functions, each counted once, decides otherwise: of all functions, or of a
        random sample of them; None if none were asked.
    complete : bool
        Whether the set is the whole one that was asked for; else a row without conflict in this
        part may have one in the whole.
    """

    decision: Any
    any: Any
    share: Any
    complete: bool = True

    def __repr__(self) -> str:
        rows = len(self.any)
        part = "" if self.complete else ", of an incomplete set"
        return f"Conflict({int(np.sum(np.asarray(self.any))):,} of {rows:,} rows{part})"


def any_otherwise(source: Source, view: View, bits: Bits, best: FlatTrees) -> NDArray[np.bool_]:
    """Tell, by complete row, whether some tree decides otherwise than the best one.

    Cost: distinct rows x edges; in views by leaves or by features that are required, for every
    distinct row a range over the whole set.
    """
    first, which = distinct(bits)
    rows = np.ascontiguousarray(bits[first])
    says = best.says(rows)[0]
    if isinstance(source, Listed) or view.monotone:
        out = np.zeros(len(rows), dtype=bool)
        for _, labels in _listed(source, view).says_in_parts(rows):
            out |= (labels != says).any(axis=0)
        return out[which]
    ends = source.ranges(view, rows, 1 - rows)
    if ends is None:
        one_by_one = [
            _some_tree(source, view, row, label)
            for row, label in zip(rows, says.tolist(), strict=True)
        ]
        return np.array(one_by_one, dtype=bool)[which]
    otherwise: NDArray[np.bool_] = (ends[0] != says) | (ends[1] != says)
    return otherwise[which]


def _listed(source: Source, view: View) -> FlatTrees:
    """Give a tree of every function, where they are listed anyway."""
    functions = source.functions(view, source.problem.semantics(), LIMIT)
    return functions.trees(np.arange(len(functions.errors)))


def _some_tree(source: Source, view: View, row: NDArray[np.uint8], label: int) -> bool:
    """Tell whether some tree says something else of one row."""
    labels = source.said(view) if source.problem.task == "regression" else _classes(source)
    factors = (labels != label).astype(np.int64).reshape(1, -1)
    one = np.ones(1, dtype=np.int64)
    quantity = Quantity(
        "otherwise", row.reshape(1, -1), np.zeros(1, dtype=np.int32), one, labels,
        (Form(factors, 0, 1),),
    )  # fmt: skip
    return leaf_sums(source, view, quantity).stairs(factors, True).measure[-1] == 1


def _classes(source: Source) -> NDArray[np.int32]:
    return np.arange(len(source.problem.classes), dtype=np.int32)


def share_otherwise(
    functions: FunctionSet, bits: Bits, best: FlatTrees, n_classes: int
) -> NDArray[np.float64]:
    """Give, by complete row, the share of functions that decide otherwise; 0 classes: numbers."""
    if n_classes:
        says = best.says(bits)[0]
        votes = functions.votes(bits, n_classes)
        agree: NDArray[np.float64] = votes[np.arange(len(bits)), says] / len(functions)
        return 1 - agree
    first, which = distinct(bits)
    rows = np.ascontiguousarray(bits[first])
    says = best.says(rows)[0]
    n = np.zeros(len(rows), dtype=np.int64)
    for _, labels in functions.table().trees.says_in_parts(rows):
        n += (labels != says).sum(axis=0)
    share: NDArray[np.float64] = n / len(functions)
    return share[which]
