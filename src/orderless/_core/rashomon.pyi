from typing import NamedTuple

from ..model.arrays import Bytes, Ints, Longs, Words
from ..rashomon.columns import CoreMeasure

class FlatTrees(NamedTuple):
    start: Longs
    column: Ints
    label: Ints
    false_child: Ints

class Histogram(NamedTuple):
    leaves: Ints
    errors: Longs
    trees_high: Words
    trees_low: Words
    nontrivial_high: Words
    nontrivial_low: Words

class FunctionArrays(NamedTuple):
    points: Words
    errors: Longs
    leaves: Ints
    n_trees: Words
    n_nontrivial: Words

class Decisions(NamedTuple):
    label: Ints
    cost: Longs

class Ranges(NamedTuple):
    smallest: Ints
    largest: Ints

class GoalFront(NamedTuple):
    cost: Longs
    measure: Longs
    leaves: Ints

class Measured:
    def __init__(
        self,
        graph: Graph,
        view: View,
        columns: Bytes,
        part: Ints,
        weights: Longs,
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
        factors: Longs,
        memory_limit: int,
        time_limit: float,
    ) -> None: ...
    def front(self) -> GoalFront: ...
    def trees(self, positions: Longs, time_limit: float) -> FlatTrees: ...
    @property
    def bytes(self) -> int: ...

class Nearest:
    def __init__(
        self,
        measured: Measured,
        factors: Longs,
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
    allowed: Bytes
    required: list[list[int]]
    trivial: bool
    feature: Ints
    most_features: int

class Narrowing(NamedTuple):
    least_weight: int
    first: list[tuple[Bytes, int, int]]
    feature: Ints
    price: Longs
    most_paid: int

class Sizes(NamedTuple):
    start: Longs
    n_trees: Words
    n_nontrivial: Words

def monotone(
    start: Longs,
    column: Ints,
    label: Ints,
    measure: CoreMeasure,
    directions: list[tuple[int, bool]],
) -> Bytes: ...
def trees_alike(
    graph: Graph,
    view: View,
    measure: CoreMeasure,
    start: Longs,
    column: Ints,
    label: Ints,
    memory_limit: int,
    time_limit: float,
) -> Words: ...
def trees_by_root(
    graph: Graph,
    view: View,
    measure: CoreMeasure,
    start: Longs,
    column: Ints,
    label: Ints,
    errors: Longs,
    memory_limit: int,
    time_limit: float,
) -> tuple[Longs, Ints, Words]: ...

class Graph:
    def __init__(
        self,
        columns: Bytes,
        y: Ints,
        weights: Longs | None,
        n_classes: int,
        search: Search,
    ) -> None: ...
    @staticmethod
    def of_means(
        columns: Bytes,
        y: Longs,
        weights: Longs,
        fine: int,
        largest: int,
        search: Search,
    ) -> Graph: ...
    @staticmethod
    def of_medians(
        columns: Bytes,
        y: Ints,
        weights: Longs,
        numbers: Longs,
        search: Search,
    ) -> Graph: ...
    def labels(self) -> Ints: ...
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
    def asked(self) -> Bytes: ...
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
        may_be_true: Bytes,
        may_be_false: Bytes,
        time_limit: float,
    ) -> Decisions: ...
    def ranges(
        self,
        view: View,
        may_be_true: Bytes,
        may_be_false: Bytes,
        first: Ints,
        last: Ints,
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
    def unrank(self, positions: Words) -> FlatTrees: ...
    def rank(self, column: Ints, label: Ints) -> tuple[int, int] | None: ...

class Functions:
    @property
    def n(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def arrays(self) -> FunctionArrays: ...
    def sizes(self) -> Sizes: ...
    def trees(self, positions: Longs) -> FlatTrees: ...
    def trees_of(self, position: int, start: int, count: int) -> FlatTrees: ...
    def votes(self, columns: Bytes) -> Longs: ...
