from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import BinNodes, Layout
from .rows import RowReader

class Cover(NamedTuple):
    boxes: NDArray[np.uint16]
    bound: int

def all_reasons(
    nodes: BinNodes,
    bins: Layout,
    n_classes: int,
    limit: int,
    time_limit: float,
    wanted: list[bool],  # by class; empty: all
) -> list[NDArray[np.uint16]]: ...
def smallest_cover(
    bins: Layout, leaves: NDArray[np.uint16], reasons: NDArray[np.uint16], time_limit: float
) -> NDArray[np.int32]: ...
def irredundant_cover(
    nodes: BinNodes,
    bins: Layout,
    n_classes: int,
    class_index: int,
    leaves: NDArray[np.uint16],
    time_limit: float,
) -> Cover: ...
def cover_fault(
    nodes: BinNodes,
    bins: Layout,
    n_classes: int,
    class_index: int,
    leaves: NDArray[np.uint16],
    cover: NDArray[np.uint16],
    polls: int,
) -> int: ...
def canonical_tree(nodes: BinNodes, bins: Layout, limit: int, time_limit: float) -> BinNodes: ...

class Explained(NamedTuple):
    which: NDArray[np.int32]
    label: NDArray[np.int32]
    boxes: NDArray[np.uint16]
    reasons: NDArray[np.uint16]

class ExplainedRow:
    @property
    def possible(self) -> list[int]: ...
    @property
    def row(self) -> NDArray[np.uint16]: ...
    @property
    def n_looks(self) -> int: ...
    def unsettled(self, time_limit: float) -> list[int]: ...
    def missed(self) -> NDArray[np.uint8]: ...
    def leaf_boxes(self) -> NDArray[np.uint16]: ...
    def all(self, limit: int, time_limit: float) -> NDArray[np.uint16]: ...
    def best(
        self, high: NDArray[np.uint64], low: NDArray[np.uint64], time_limit: float
    ) -> NDArray[np.uint16]: ...
    def necessary(self) -> list[int]: ...
    def relevant(self, time_limit: float) -> list[int]: ...

class RowReasons:
    def __init__(self, row: ExplainedRow) -> None: ...
    def next(self, time_limit: float) -> NDArray[np.uint16] | None: ...

class Explainer:
    def __init__(
        self,
        nodes: BinNodes,
        bins: Layout,
        ends: list[NDArray[np.float64]],
        groups: list[NDArray[np.int32]],
        places: NDArray[np.int32],
    ) -> None: ...
    def read(self, reader: RowReader, row: Any) -> ExplainedRow | None: ...
    def box(self, box: NDArray[np.uint16]) -> ExplainedRow: ...
    def take(self, columns: list[Any], features: NDArray[np.int32]) -> ExplainedRow: ...
    def explain(
        self, columns: list[Any], features: NDArray[np.int32], n_rows: int, time_limit: float
    ) -> Explained: ...
