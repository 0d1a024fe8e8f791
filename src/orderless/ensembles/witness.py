"""Two completions of a row that get different answers.

In:  a sum of trees, and one row with unknown values.
Out: two rows with a value for every column; None where the row is certain.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..form import OneRow, completed, read_one
from ..model import Budget, Side, SumKernel, refuse_contradiction
from ..questions.bounds import number_verdicts
from ..questions.boxes import CERTAIN, OPEN, RowBoxes, decide_boxes, undecided

__all__ = ["cell_box", "witness_rows"]


def cell_box(ensemble: SumKernel, cell: NDArray[np.int32]) -> dict[int, Side]:
    """Give a cell as sides, by position of the feature."""
    bins = ensemble.bins
    bits = [1 << code for code in cell.tolist()]
    return {i: bins.side(k, bits[k]) for k, i in enumerate(bins.positions)}


def witness_rows(ensemble: SumKernel, row: Any) -> tuple[dict[str, Any], dict[str, Any]] | None:
    """Give two completions with different answers; see ``Explanation.witness``."""
    budget = Budget.current()
    one = row if isinstance(row, OneRow) else read_one(ensemble, row)
    refuse_contradiction(ensemble, one.rows)
    boxes = RowBoxes(ensemble, one.rows)
    if ensemble.task == "regression":
        numbers = number_verdicts(ensemble, boxes, 1)
        status, pair = int(numbers.status[0]), (numbers.low_cell[0], numbers.high_cell[0])
    elif boxes.complete.all():
        status, pair = int(boxes.verdicts(1).status[0]), None
    else:
        block = next(boxes.blocks())
        found = decide_boxes(block.ensemble, block.boxes, block.seconds)
        status, pair = int(found.status[0]), (found.first[0], found.second[0])
    if status == CERTAIN:
        return None
    if status != OPEN or pair is None:
        raise undecided(status, "it is not known whether the row is certain", budget)
    first, second = (completed(ensemble, one, cell_box(ensemble, cell)) for cell in pair)
    return first, second
