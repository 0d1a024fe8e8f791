from typing import Any, NamedTuple

from ..model.arrays import BinNodes, Bytes, Floats, Ints, Layout, Shorts, Words
from .rows import RowReader

class Cover(NamedTuple):
    boxes: Shorts
    bound: int

def all_reasons(
    nodes: BinNodes,
    bins: Layout,
    n_classes: int,
    limit: int,
    time_limit: float,
    wanted: list[bool],  # by class; empty: all
) -> list[Shorts]: ...
def smallest_cover(bins: Layout, leaves: Shorts, reasons: Shorts, time_limit: float) -> Ints: ...
def irredundant_cover(
    nodes: BinNodes,
    bins: Layout,
    n_classes: int,
    class_index: int,
    leaves: Shorts,
    time_limit: float,
) -> Cover: ...
def cover_fault(
    nodes: BinNodes,
    bins: Layout,
    n_classes: int,
    class_index: int,
    leaves: Shorts,
    cover: Shorts,
    polls: int,
) -> int: ...
def canonical_tree(nodes: BinNodes, bins: Layout, limit: int, time_limit: float) -> BinNodes: ...

class Explained(NamedTuple):
    which: Ints
    label: Ints
    boxes: Shorts
    reasons: Shorts

class ExplainedRow:
    @property
    def possible(self) -> list[int]: ...
    @property
    def row(self) -> Shorts: ...
    @property
    def n_looks(self) -> int: ...
    def unsettled(self, time_limit: float) -> list[int]: ...
    def missed(self) -> Bytes: ...
    def leaf_boxes(self) -> Shorts: ...
    def all(self, limit: int, time_limit: float) -> Shorts: ...
    def best(self, high: Words, low: Words, time_limit: float) -> Shorts: ...
    def necessary(self) -> list[int]: ...
    def relevant(self, time_limit: float) -> list[int]: ...

class RowReasons:
    def __init__(self, row: ExplainedRow) -> None: ...
    def next(self, time_limit: float) -> Shorts | None: ...

class Explainer:
    def __init__(
        self,
        nodes: BinNodes,
        bins: Layout,
        ends: list[Floats],
        groups: list[Ints],
        places: Ints,
    ) -> None: ...
    def read(self, reader: RowReader, row: Any) -> ExplainedRow | None: ...
    def box(self, box: Shorts) -> ExplainedRow: ...
    def take(self, columns: list[Any], features: Ints) -> ExplainedRow: ...
    def explain(
        self, columns: list[Any], features: Ints, n_rows: int, time_limit: float
    ) -> Explained: ...
