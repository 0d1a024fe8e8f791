"""Stages of a Spark pipeline that make indices of numbers: Bucketizer and VectorIndexer.

In:  what ``spark_folder`` says of the columns of the model's vector.
Out: ``SparkBefore``: how each arises from a column that goes into the pipeline; None where there
     are no such stages.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..errors import UnreadableModel
from ..model import Floats, Label
from .preprocessing.stage import Before, Encode, Pass, Rescale, Stage, Wire

__all__ = ["SparkBefore", "columns_before"]

INFINITE = {"-Inf": -np.inf, "Inf": np.inf, "-inf": -np.inf, "inf": np.inf}


class SparkBefore(NamedTuple):
    """The stages, and by column how many indices there are; 0 where it is a number."""

    before: Before
    levels: Sequence[int]


def columns_before(features: dict[str, Any]) -> SparkBefore | None:
    """Read what happens to the columns before they are in the vector, and there."""
    columns, maps = features["columns"], features.get("maps", {})
    if not maps and not any("splits" in column for column in columns):
        return None
    names: list[str] = []
    wires, levels = [], []
    for place, column in enumerate(columns):
        source = str(column.get("input", column["name"]))
        if source not in names:
            names.append(source)
        stages, n = _stages(column)
        if str(place) in maps:
            more, n = _indexed(maps[str(place)], features["unseen"])
            stages = (*stages, *more)
        if features["invalid"] != "keep":
            stages = (Pass("VectorAssembler"), *stages)
        wires.append(Wire(names.index(source), stages))
        levels.append(n)
    return SparkBefore(Before(wires, ["float64"] * len(names), names), levels)


def _stages(column: dict[str, Any]) -> tuple[tuple[Stage, ...], int]:
    if "splits" in column:
        return _bucketed(column)
    if "labels" not in column:
        return (), 0
    labels, keep = list(column["labels"]), column["invalid"] == "keep"
    beyond = float(len(labels)) if keep else None
    table = {label: float(i) for i, label in enumerate(labels)}
    return (Encode("StringIndexer", table, beyond, beyond),), len(labels) + keep


def _bucketed(column: dict[str, Any]) -> tuple[tuple[Stage, ...], int]:
    """Give the bucket of a number: from its split on, and below the next."""
    splits = [INFINITE[s] if s in INFINITE else float(s) for s in column["splits"]]
    if len(splits) < 3 or not all(a < b for a, b in pairwise(splits)):
        raise ValueError(f"a Bucketizer has the splits {splits!r:.80}")
    if splits[0] != -np.inf or splits[-1] != np.inf:
        raise UnreadableModel(
            f"Spark's Bucketizer of {column['input']!r:.80} goes from {splits[0]} to {splits[-1]}, "
            "and Spark gives no answer beyond: let its splits begin and end at infinity"
        )
    if 0.0 in splits:  # Java orders it below 0.0, and no other comparison does
        warnings.warn(
            f"Spark's Bucketizer of {column['input']!r:.80} has a split at 0, and puts -0.0 into "
            "the bucket below it; here -0.0 is 0, as everywhere else",
            UserWarning,
            stacklevel=9,
        )
    inner, n = np.array(splits[1:-1]), len(splits) - 1
    keep = column["invalid"] == "keep"

    def function(x: Floats) -> Floats:
        found = np.searchsorted(inner, x, side="right")
        return np.where(np.isnan(x), n, found).astype(np.float64)

    step = Rescale("Bucketizer", function, takes_missing=keep)
    table: dict[Label, float] = {float(i): float(i) for i in range(n + keep)}
    return (step, Encode("Bucketizer", table)), n + keep


def _indexed(pairs: list[list[Any]], unseen: str) -> tuple[tuple[Stage, ...], int]:
    """Give the index of a number that is a category."""
    table: dict[Label, float] = {float(value): float(i) for value, i in pairs}
    if sorted(table.values()) != list(range(len(pairs))):
        raise ValueError(f"a VectorIndexer has the categories {pairs!r:.80}")
    keep = unseen == "keep"
    beyond = float(len(pairs)) if keep else None
    return (Encode("VectorIndexer", table, beyond, beyond),), len(pairs) + keep
