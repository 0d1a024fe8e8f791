"""Imputers and indicators: what becomes of missing values.

In:  a fitted transformer of scikit-learn and the ``Block`` of columns that goes in.
Out: the ``Block`` that comes out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import UnreadableModel
from ...inputs import is_unknown
from ...model import plain_label
from .stage import Block, Fill, Flag, Wire

__all__ = ["imputed", "indicated"]


def imputed(imputer: Any, block: Block, step: str) -> Block:
    """Fill in a statistic; perhaps add columns that tell what was missing."""
    only_numbers = imputer.strategy in ("mean", "median")
    statistics = np.asarray(imputer.statistics_)
    wires: list[Wire] = []
    for wire, statistic in zip(block.wires, statistics.tolist(), strict=True):
        if is_unknown(statistic):
            if imputer.keep_empty_features:
                raise UnreadableModel(
                    f"{step} met only missing values in a column and keeps it, without a value to "
                    "fill in: leave the column out and fit again"
                )
            continue  # a column without a value is dropped
        if statistics.dtype != object and only_numbers:
            statistic = float(np.asarray(statistic).astype(block.dtype))
        fill = Fill(step, imputer.missing_values, plain_label(statistic), only_numbers)
        wires.append(wire.then(fill, block.dtype if only_numbers else None))
    if imputer.add_indicator:
        flag = Flag(step, imputer.missing_values)
        wires += [block.wires[k].then(flag, bool) for k in imputer.indicator_.features_.tolist()]
    return Block(wires, block.sparse)


def indicated(indicator: Any, block: Block, step: str) -> Block:
    """Tell, for some columns, what is missing."""
    flag = Flag(step, indicator.missing_values)
    wires = [block.wires[k].then(flag, bool) for k in indicator.features_.tolist()]
    sparse = indicator.sparse is True or (indicator.sparse == "auto" and block.sparse)
    return Block(wires, sparse)
