"""Sums of trees of treelite.

In:  a ``treelite.Model`` or the checkpoint that it writes.
Out: ``ColumnEnsemble``. treelite's own predictor (GTIL) begins at 0, adds one tree after the other
     in the precision of the leaves, divides where trees are averaged, and adds the base scores,
     which are float64, last.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ...errors import UnreadableModel
from ...model import Adding, Link, Rule
from ..build import TreeBuilder
from ..checks import damaged
from ..treelite import SAVE, half, knows, leaves, parts_of, scores_of, table_of
from ..treelite_file import Header
from .build import ColumnEnsemble
from .rounding import check_room, largest_sums

__all__ = ["from_treelite", "knows"]

LINKS: dict[str, Link] = {"sigmoid": "logistic", "softmax": "softmax"}


def from_treelite(model: Any) -> ColumnEnsemble:
    """Read all trees; classes are 0, 1, ...: the largest score, or of two whether it is above 0."""
    with damaged("treelite", save=SAVE):
        header, stored = parts_of(model)
        table = table_of(header, stored)
        trees, values = [], []
        for number, tree in enumerate(stored):
            builder = TreeBuilder(table)
            own: list[Any] = []
            for node in leaves(builder, tree):
                builder.leaf_number(len(own))
                own.append(scores_of(header, tree, number, node))
            trees.append(builder.finish(range(len(own))))
            values.append(np.array(own, dtype=np.float64))
        adding, rule = _adding(header, values)
        check_room(values, adding)
        classes = None if header.task == "kRegressor" else range(max(header.n_classes[0], 2))
        link = LINKS.get(header.postprocessor, "identity")
        factor = header.sigmoid_alpha if link == "logistic" else 1.0
        return ColumnEnsemble(trees, values, classes, adding, rule, link, factor)


def _adding(header: Header, values: list[Any]) -> tuple[Adding, Rule]:
    precision: Any = "float32" if header.leaves.itemsize == 4 else "float64"
    base = header.base_scores
    divisor = float(len(values)) if header.average else 1.0
    if divisor != 1.0 and base.any():
        raise UnreadableModel(
            "this model of treelite averages its trees and adds base scores, which is not read"
        )
    n = header.n_classes[0]
    plain = base if precision == "float64" else base.astype(np.float32).astype(np.float64)
    adding = Adding(precision, base=tuple(plain.tolist()), base_last=True, divisor=divisor)
    if header.task == "kBinaryClf":
        off = abs(float(plain[0] - base[0]))  # what rounding the base hides near the cut
        return adding, Rule("cuts", (half(header, precision),), window=off, either=off > 0)
    exact = bool((plain == base).all())
    if n == 1:
        if not exact:
            warnings.warn(
                "treelite adds a base score of float64 to sums of float32: numbers that are read "
                "here can differ from its own in the last bit",
                UserWarning,
                stacklevel=5,
            )
        return adding, Rule("number")
    window = 0.0 if exact else float(largest_sums(values, adding).max()) * 2.0**-21
    if header.postprocessor == "softmax":
        window = max(window, 2.0**-22 if precision == "float32" else 2.0**-51)
    return adding, Rule("largest", window=window, either=not exact)
