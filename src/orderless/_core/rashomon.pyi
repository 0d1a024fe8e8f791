from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..rashomon.columns import CoreMeasure

class FlatTrees(NamedTuple):
    start: NDArray[np.int64]
    column: NDArray[np.int32]
    label: NDArray[np.int32]
    false_child: NDArray[np.int32]

class Histogram(NamedTuple):
    leaves: NDArray[np.int32]
    errors: NDArray[np.int64]
    trees_high: NDArray[np.uint64]
    trees_low: NDArray[np.uint64]
    nontrivial_high: NDArray[np.uint64]
    nontrivial_low: NDArray[np.uint64]

class FunctionArrays(NamedTuple):
    points: NDArray[np.uint64]
    errors: NDArray[np.int64]
    leaves: NDArray[np.int32]
    n_trees: NDArray[np.uint64]
    n_nontrivial: NDArray[np.uint64]

class Decisions(NamedTuple):
    label: NDArray[np.int32]
    cost: NDArray[np.int64]

class Ranges(NamedTuple):
    smallest: NDArray[np.int32]
    largest: NDArray[np.int32]

class GoalFront(NamedTuple):
    cost: NDArray[np.int64]
    measure: NDArray[np.int64]
    leaves: NDArray[np.int32]

class Measured:
    def __init__(
        self,
        graph: Graph,
        view: View,
        columns: NDArray[np.uint8],
        part: NDArray[np.int32],
        weights: NDArray[np.int64],
        n_parts: int,
        share_bits: int,
        memory_limit: int,
        time_limit: float,
    ) -> None: ...
    @property
    def n_places(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class Goal:
    def __init__(
        self,
        measured: Measured,
        factors: NDArray[np.int64],
        memory_limit: int,
        time_limit: float,
    ) -> None: ...
    def front(self) -> GoalFront: ...
    def trees(self, positions: NDArray[np.int64], time_limit: float) -> FlatTrees: ...
    @property
    def bytes(self) -> int: ...

class Nearest:
    def __init__(
        self,
        measured: Measured,
        factors: NDArray[np.int64],
        wanted: int,
        most: int,
        memory_limit: int,
        time_limit: float,
    ) -> None: ...
    @property
    def found(self) -> bool: ...
    @property
    def distance(self) -> int: ...
    @property
    def at_least(self) -> int: ...
    @property
    def cost(self) -> int: ...
    @property
    def measure(self) -> int: ...
    def tree(self, time_limit: float) -> FlatTrees: ...

class Epsilon(NamedTuple):
    numerator: int
    denominator: int
    relative: bool
    base: int

class Search(NamedTuple):
    max_depth: int
    error_cost: int
    leaf_cost: int
    epsilon: Epsilon
    memory_limit: int
    time_limit: float
    n_threads: int
    optimum: int | None
    walk_from: int
    most_last: int

class View(NamedTuple):
    bound: int
    max_leaves: int
    allowed: NDArray[np.uint8]
    required: list[list[int]]
    trivial: bool
    feature: NDArray[np.int32]
    most_features: int

class Narrowing(NamedTuple):
    least_weight: int
    first: list[tuple[NDArray[np.uint8], int, int]]
    feature: NDArray[np.int32]
    price: NDArray[np.int64]
    most_paid: int

class Sizes(NamedTuple):
    start: NDArray[np.int64]
    n_trees: NDArray[np.uint64]
    n_nontrivial: NDArray[np.uint64]

def monotone(
    start: NDArray[np.int64],
    column: NDArray[np.int32],
    label: NDArray[np.int32],
    measure: CoreMeasure,
    directions: list[tuple[int, bool]],
) -> NDArray[np.uint8]: ...
def trees_alike(
    graph: Graph,
    view: View,
    measure: CoreMeasure,
    start: NDArray[np.int64],
    column: NDArray[np.int32],
    label: NDArray[np.int32],
    memory_limit: int,
    time_limit: float,
) -> NDArray[np.uint64]: ...
def trees_by_root(
    graph: Graph,
    view: View,
    measure: CoreMeasure,
    start: NDArray[np.int64],
    column: NDArray[np.int32],
    label: NDArray[np.int32],
    errors: NDArray[np.int64],
    memory_limit: int,
    time_limit: float,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint64]]: ...
def distinct_at_least(
    graph: Graph,
    view: View,
    measure: CoreMeasure,
    most_cells: int,
    memory_limit: int,
    time_limit: float,
) -> tuple[int, int]: ...

class Graph:
    def __init__(
        self,
        columns: NDArray[np.uint8],
        y: NDArray[np.int32],
        weights: NDArray[np.int64] | None,
        n_classes: int,
        search: Search,
    ) -> None: ...
    @staticmethod
    def of_means(
        columns: NDArray[np.uint8],
        y: NDArray[np.int64],
        weights: NDArray[np.int64],
        fine: int,
        largest: int,
        search: Search,
    ) -> Graph: ...
    @staticmethod
    def of_medians(
        columns: NDArray[np.uint8],
        y: NDArray[np.int32],
        weights: NDArray[np.int64],
        numbers: NDArray[np.int64],
        search: Search,
    ) -> Graph: ...
    def labels(self) -> NDArray[np.int32]: ...
    @property
    def optimum(self) -> int: ...
    @property
    def bound(self) -> int: ...
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_edges(self) -> int: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def asked(self) -> NDArray[np.uint8]: ...
    def narrowed(self, narrowing: Narrowing, memory_limit: int, time_limit: float) -> Graph: ...
    def best_tree(self) -> FlatTrees: ...
    def counts(
        self,
        view: View,
        memory_limit: int,
        time_limit: float,
    ) -> Counts: ...
    def functions(
        self,
        view: View,
        measure: CoreMeasure | None,
        listed: bool,
        limit: int,
        residue: tuple[int, int] | None,
        memory_limit: int,
        time_limit: float,
    ) -> Functions: ...
    def decide(
        self,
        view: View,
        may_be_true: NDArray[np.uint8],
        may_be_false: NDArray[np.uint8],
        time_limit: float,
    ) -> Decisions: ...
    def ranges(
        self,
        view: View,
        may_be_true: NDArray[np.uint8],
        may_be_false: NDArray[np.uint8],
        first: NDArray[np.int32],
        last: NDArray[np.int32],
        time_limit: float,
    ) -> Ranges: ...

class Counts:
    @property
    def n(self) -> tuple[int, int]: ...
    @property
    def bytes(self) -> int: ...
    @property
    def n_nontrivial(self) -> tuple[int, int]: ...
    def n_at(self, cost: int) -> tuple[int, int]: ...
    def histogram(self, memory_limit: int, time_limit: float) -> Histogram: ...
    def unrank(self, positions: NDArray[np.uint64]) -> FlatTrees: ...
    def rank(
        self, column: NDArray[np.int32], label: NDArray[np.int32]
    ) -> tuple[int, int] | None: ...

class Functions:
    @property
    def n(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def arrays(self) -> FunctionArrays: ...
    def sizes(self) -> Sizes: ...
    def trees(self, positions: NDArray[np.int64]) -> FlatTrees: ...
    def trees_of(self, position: int, start: int, count: int) -> FlatTrees: ...
    def votes(self, columns: NDArray[np.uint8]) -> NDArray[np.int64]: ...
    def disagreement(
        self,
        columns: NDArray[np.uint8],
        weights: NDArray[np.int64],
        positions: NDArray[np.int64],
    ) -> NDArray[np.int64]: ...
