from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import BinNodes, Layout

class Evaluated(NamedTuple):
    sums: NDArray[np.float64]  # rows x scores, added as the library adds, not divided
    label: NDArray[np.int32]  # -1: within the library's rounding

class EvaluatedRows(NamedTuple):
    sums: NDArray[np.float64]  # those of rows that are not complete mean nothing
    label: NDArray[np.int32]  # -1 there, and within the library's rounding
    complete: NDArray[np.uint8]  # 1 where a row has one bin of every feature

class Decided(NamedTuple):
    status: NDArray[np.uint8]  # 0 certain, 1 open, 2 out of time, 3 within rounding, 4 out of room
    label: NDArray[np.int32]  # the class, where it is certain; -1: facts exclude the whole box
    first: NDArray[np.int32]  # rows x features: bins of a completion, where it is open; else -1
    second: NDArray[np.int32]  # bins of a completion with another class

class Possible(NamedTuple):
    possible: NDArray[np.uint8]  # rows x classes: 0 no, 1 yes, 2 not known
    cells: NDArray[np.int32]  # rows x classes x features: bins of a completion of this class

class Extremes(NamedTuple):
    low: NDArray[np.int64]  # proven: no completion is below
    high: NDArray[np.int64]
    found_low: NDArray[np.int64]  # what low_cell has; equal to low where that is exact
    found_high: NDArray[np.int64]
    low_cell: NDArray[np.int32]
    high_cell: NDArray[np.int32]

class Ranges(NamedTuple):
    now: NDArray[np.int64]  # per box how wide the ranges of all scores are, by bounds
    high: NDArray[np.int64]  # boxes x features: that of all bins that stay open, high * 2^32 + low
    low: NDArray[np.int64]
    asked: NDArray[np.uint8]  # boxes x features: 1 if a tree still asks about it

class Reason(NamedTuple):
    features: NDArray[np.uint8]  # per feature 1 if it is in the reason
    box: NDArray[np.uint8]  # all bins of the features that are not; empty if it was not wanted

class Sum:
    """Trees over bins that are added up; made once, asked many times, from several threads.

    Boxes are rows x all bins: the bins of the first feature, its NaN, those of the second, ...
    """

    def __init__(
        self,
        nodes: BinNodes,  # all trees; a leaf's class is its place in values
        layout: Layout,
        roots: NDArray[np.int32],
        score: NDArray[np.int32],  # per tree the only score that it adds to, -1: all
        values: NDArray[np.float64],  # leaves x scores, as the library has them
        whole: NDArray[np.int64],  # the same in whole numbers
        base: NDArray[np.float64],
        whole_base: NDArray[np.int64],
        slack: NDArray[np.int64],
        single: bool,  # the library adds float32
        base_last: bool,
        divisor: float,  # of the sums before the largest is looked for; cuts are not divided
        rule: int,  # 0 largest, 1 cuts, 2 number
        cuts: NDArray[np.float64],
        whole_cuts: NDArray[np.int64],  # rounded down
        window: float,
        whole_window: int,
        either: bool,  # of two that close the later may be put first
        n_classes: int,
    ) -> None: ...
    def with_facts(
        self,
        nodes: BinNodes,  # over the same bins; a leaf's class is 0 where it is possible, else 1
        roots: NDArray[np.int32],  # of trees of which no two ask about one feature
    ) -> Sum: ...
    def evaluate(self, cells: NDArray[np.int32], n_threads: int) -> Evaluated: ...
    def evaluate_rows(
        self, bins: RowBins, columns: list[Any], n_rows: int, n_threads: int
    ) -> EvaluatedRows: ...
    def decide(
        self,
        boxes: NDArray[np.uint8],
        time_limit: float,  # seconds for each box
        n_threads: int,
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
        memory_limit: int = ...,
    ) -> Decided: ...
    def possible(
        self,
        boxes: NDArray[np.uint8],
        time_limit: float,
        n_threads: int,
        memory_limit: int = ...,
    ) -> Possible: ...
    def possible_rows(
        self,
        bins: RowBins,
        columns: list[Any],
        n_rows: int,
        time_limit: float,
        n_threads: int,
        memory_limit: int = ...,
    ) -> Possible: ...
    def extremes(
        self,
        boxes: NDArray[np.uint8],
        weights: NDArray[np.int64],  # per score: the ends are those of the weighted sum
        time_limit: float,
        n_threads: int,
        memory_limit: int = ...,
    ) -> Extremes: ...
    def extremes_rows(
        self,
        bins: RowBins,
        columns: list[Any],
        n_rows: int,
        weights: NDArray[np.int64],
        time_limit: float,
        n_threads: int,
        memory_limit: int = ...,
    ) -> Extremes: ...
    def ranges(self, boxes: NDArray[np.uint8], n_threads: int) -> Ranges: ...
    def order(self, box: NDArray[np.uint8], label: int) -> NDArray[np.int32]: ...
    def reason(
        self,
        box: NDArray[np.uint8],  # one, and certain
        label: int,  # its class
        features: NDArray[np.uint8],  # per feature 1 if it may be in the reason
        shrink: bool,  # leave features out until the set is minimal
        widen: bool,  # find a box, too
        time_limit: float,  # for all of it; what is then not proven is not left out, nor inside
        most_nodes: int = 0,  # of the search for each side; 0: as many as it takes
        memory_limit: int = ...,
    ) -> Reason: ...
    def grow(
        self,
        box: NDArray[np.uint8],  # one, and certain
        feature: int,  # whose side is widened
        within: NDArray[np.uint8],  # a box: as far as it may go
        label: int,
        time_limit: float,
        most_nodes: int = 0,
        memory_limit: int = ...,
    ) -> NDArray[np.uint8]: ...

class RowBins:
    """How the values of rows, in the columns that `_core.rows` reads, fall into a sum's bins."""

    def __init__(
        self,
        trees: Sum,
        positions: NDArray[np.int32],  # per feature of the trees its place among the columns
        cuts: list[NDArray[np.float64]],  # ordered: bin i is above cut i - 1, at most cut i
        bins: list[NDArray[np.int32]],  # unordered: per value its bin
    ) -> None: ...
