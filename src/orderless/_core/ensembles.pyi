from typing import Any, NamedTuple

from ..model.arrays import BinNodes, Bytes, Floats, Ints, Layout, Longs

class Evaluated(NamedTuple):
    sums: Floats  # rows x scores, added as the library adds, not divided
    label: Ints  # -1: within the library's rounding

class EvaluatedRows(NamedTuple):
    sums: Floats  # those of rows that are not complete mean nothing
    label: Ints  # -1 there, and within the library's rounding
    complete: Bytes  # 1 where a row has one bin of every feature

class Decided(NamedTuple):
    status: Bytes  # 0 certain, 1 open, 2 out of time, 3 within rounding, 4 out of room
    label: Ints  # the class, where it is certain; -1: facts exclude the whole box
    first: Ints  # rows x features: bins of a completion, where it is open; else -1
    second: Ints  # bins of a completion with another class

class Possible(NamedTuple):
    possible: Bytes  # rows x classes: 0 no, 1 yes, 2 not known
    cells: Ints  # rows x classes x features: bins of a completion of this class

class Extremes(NamedTuple):
    low: Longs  # proven: no completion is below
    high: Longs
    found_low: Longs  # what low_cell has; equal to low where that is exact
    found_high: Longs
    low_cell: Ints
    high_cell: Ints

class Ranges(NamedTuple):
    now: Longs  # per box how wide the ranges of all scores are, by bounds
    high: Longs  # boxes x features: that of all bins that stay open, high * 2^32 + low
    low: Longs
    asked: Bytes  # boxes x features: 1 if a tree still asks about it

class Reason(NamedTuple):
    features: Bytes  # per feature 1 if it is in the reason
    box: Bytes  # all bins of the features that are not; empty if it was not wanted

class Sum:
    """Trees over bins that are added up; made once, asked many times, from several threads.

    Boxes are rows x all bins: the bins of the first feature, its NaN, those of the second, ...
    """

    def __init__(
        self,
        nodes: BinNodes,  # all trees; a leaf's class is its place in values
        layout: Layout,
        roots: Ints,
        score: Ints,  # per tree the only score that it adds to, -1: all
        values: Floats,  # leaves x scores, as the library has them
        whole: Longs,  # the same in whole numbers
        base: Floats,
        whole_base: Longs,
        slack: Longs,
        single: bool,  # the library adds float32
        base_last: bool,
        divisor: float,  # of the sums before the largest is looked for; cuts are not divided
        rule: int,  # 0 largest, 1 cuts, 2 number
        cuts: Floats,
        whole_cuts: Longs,  # rounded down
        window: float,
        whole_window: int,
        either: bool,  # of two that close the later may be put first
        n_classes: int,
    ) -> None: ...
    def with_facts(
        self,
        nodes: BinNodes,  # over the same bins; a leaf's class is 0 where it is possible, else 1
        roots: Ints,  # of trees of which no two ask about one feature
    ) -> Sum: ...
    def evaluate(self, cells: Ints, n_threads: int) -> Evaluated: ...
    def evaluate_rows(
        self, bins: RowBins, columns: list[Any], n_rows: int, n_threads: int
    ) -> EvaluatedRows: ...
    def decide(
        self,
        boxes: Bytes,
        time_limit: float,  # seconds for all boxes, which share it
        n_threads: int,
        row_limit: float = ...,  # seconds for each box
        most_nodes: int = 0,  # of the search for each box; 0: as many as it takes
        memory_limit: int = ...,  # bytes that the search of a box may hold
    ) -> Decided: ...
    def decide_rows(
        self,
        bins: RowBins,
        columns: list[Any],  # of Rows
        n_rows: int,
        time_limit: float,
        n_threads: int,
        witnesses: bool,  # False: first and second have no columns
        row_limit: float = ...,
        memory_limit: int = ...,
    ) -> Decided: ...
    def possible(
        self,
        boxes: Bytes,
        time_limit: float,
        n_threads: int,
        row_limit: float = ...,
        memory_limit: int = ...,
    ) -> Possible: ...
    def extremes(
        self,
        boxes: Bytes,
        weights: Longs,  # per score: the ends are those of the weighted sum
        time_limit: float,
        n_threads: int,
        row_limit: float = ...,
        memory_limit: int = ...,
    ) -> Extremes: ...
    def ranges(self, boxes: Bytes, n_threads: int) -> Ranges: ...
    def order(self, box: Bytes, label: int) -> Ints: ...
    def reason(
        self,
        box: Bytes,  # one, and certain
        label: int,  # its class
        features: Bytes,  # per feature 1 if it may be in the reason
        shrink: bool,  # leave features out until the set is minimal
        widen: bool,  # find a box, too
        time_limit: float,  # for all of it; what is then not proven is not left out, nor inside
        most_nodes: int = 0,  # of the search for each side; 0: as many as it takes
        memory_limit: int = ...,
    ) -> Reason: ...
    def grow(
        self,
        box: Bytes,  # one, and certain
        feature: int,  # whose side is widened
        within: Bytes,  # a box: as far as it may go
        label: int,
        time_limit: float,
        most_nodes: int = 0,
        memory_limit: int = ...,
    ) -> Bytes: ...

class RowBins:
    """How the values of rows, in the columns that `_core.rows` reads, fall into a sum's bins."""

    def __init__(
        self,
        trees: Sum,
        positions: Ints,  # per feature of the trees its place among the columns
        cuts: list[Floats],  # ordered: bin i is above cut i - 1, at most cut i
        bins: list[Ints],  # unordered: per value its bin
    ) -> None: ...
