from typing import Any

import numpy as np
from numpy.typing import NDArray

Nodes = tuple[NDArray[Any], ...]
Domains = tuple[NDArray[Any], ...]

def check_links(nodes: Nodes) -> tuple[int, int, int]: ...
def prune(
    nodes: Nodes, domains: Domains
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], int, int]: ...
def fingerprints(
    nodes: Nodes,
    start: NDArray[np.int64],
    domains: Domains,
    keys: NDArray[np.uint64],
    value_weights: list[NDArray[np.uint64]],
    class_values: NDArray[np.uint64],
) -> NDArray[np.uint64]: ...
def siphash(key0: int, key1: int, message: int) -> tuple[int, int]: ...
def first_difference(a: Nodes, b: Nodes, domains: Domains) -> tuple[list[Any], int, int] | None: ...
def redundant_splits(
    nodes: Nodes, domains: Domains, time_limit: float
) -> tuple[int, int, NDArray[np.int32]]: ...
def share_of_difference(a: Nodes, b: Nodes, domains: Domains, cuts: list[list[float]]) -> float: ...
def reach(
    nodes: Nodes,
    domains: Domains,
    threshold: NDArray[np.float64],
    columns: list[Any],
    n_rows: int,
    n_classes: int,
    all_classes: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]: ...
def decide(
    nodes: Nodes,
    domains: Domains,
    threshold: NDArray[np.float64],
    columns: list[Any],
    n_rows: int,
    n_threads: int,
) -> NDArray[np.int32]: ...
def label(
    nodes: Nodes,
    domains: Domains,
    threshold: NDArray[np.float64],
    columns: list[Any],
    n_rows: int,
    n_threads: int,
    items: NDArray[np.uint8],
    item_size: int,
    data: NDArray[np.uint8],
    hidden: NDArray[np.uint8],
) -> None: ...
def first_determined(
    nodes: Nodes,
    start: NDArray[np.int64],
    domains: Domains,
    threshold: NDArray[np.float64],
    columns: list[Any],
    n_rows: int,
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...

BinNodes = tuple[NDArray[Any], ...]
Layout = tuple[NDArray[Any], ...]

def reasons(
    nodes: BinNodes, bins: Layout, n_classes: int, limit: int, time_limit: float
) -> tuple[int, int, list[NDArray[np.uint16]]]: ...
def leaf_boxes(
    nodes: BinNodes, bins: Layout, n_classes: int
) -> tuple[NDArray[np.int32], NDArray[np.uint16]]: ...
def smallest_cover(
    bins: Layout, leaves: NDArray[np.uint16], reasons: NDArray[np.uint16], time_limit: float
) -> tuple[int, int, NDArray[np.int32]]: ...
def irredundant_cover(
    nodes: BinNodes,
    bins: Layout,
    n_classes: int,
    class_index: int,
    leaves: NDArray[np.uint16],
    time_limit: float,
) -> tuple[int, int, NDArray[np.uint16], int]: ...
def smallest_tree(
    nodes: BinNodes,
    bins: Layout,
    minimize: int,
    with_rows: bool,
    rows: NDArray[np.int32],
    weight: NDArray[np.int64],
    limit: int,
    time_limit: float,
) -> tuple[BinNodes, int, int, int, bool, int] | None: ...
def all_orders(
    nodes: BinNodes,
    bins: Layout,
    rows: NDArray[np.int32],
    weight: NDArray[np.float64],
    criterion: int,
    limit: int,
) -> tuple[
    int,
    NDArray[np.uint32],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    NDArray[np.float64],
    bool,
    int,
]: ...
def function_bins(nodes: BinNodes, bins: Layout) -> list[NDArray[np.int32]]: ...
def cover_fault(
    nodes: BinNodes,
    bins: Layout,
    n_classes: int,
    class_index: int,
    leaves: NDArray[np.uint16],
    cover: NDArray[np.uint16],
    polls: int,
) -> tuple[int, int]: ...
def canonical_tree(
    nodes: BinNodes, bins: Layout, limit: int, time_limit: float
) -> tuple[int, int, BinNodes]: ...
def permuted_errors(
    offsets: NDArray[np.int64],
    column: NDArray[np.int32],
    label: NDArray[np.int32],
    cells: NDArray[np.uint8],
    y: NDArray[np.int32],
    weight: NDArray[np.int64],
    group: NDArray[np.int32],
    n_classes: int,
    n_groups: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]: ...
def permuted_errors_real(
    offsets: NDArray[np.int64],
    column: NDArray[np.int32],
    label: NDArray[np.int32],
    cells: NDArray[np.uint8],
    y: NDArray[np.int32],
    weight: NDArray[np.float64],
    group: NDArray[np.int32],
    n_classes: int,
    n_groups: int,
) -> tuple[NDArray[np.float64], NDArray[np.float64], float]: ...

FlatTrees = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]

class RashomonGraph:
    def __init__(
        self,
        columns: NDArray[np.uint8],
        y: NDArray[np.int32],
        weights: NDArray[np.int64],
        n_classes: int,
        max_depth: int,
        error_cost: int,
        leaf_cost: int,
        epsilon_num: int,
        epsilon_den: int,
        relative: bool,
        memory_limit: int,
        time_limit: float,
    ) -> None: ...
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
    def best_tree(self) -> FlatTrees: ...
    def counts(
        self,
        bound: int,
        max_leaves: int,
        allowed: NDArray[np.uint8],
        required: list[list[int]],
        trivial: bool,
        memory_limit: int,
        time_limit: float,
    ) -> RashomonCounts: ...
    def functions(
        self,
        bound: int,
        max_leaves: int,
        allowed: NDArray[np.uint8],
        required: list[list[int]],
        trivial: bool,
        measure: tuple[Any, ...] | None,
        listed: bool,
        limit: int,
        residue: tuple[int, int] | None,
        memory_limit: int,
        time_limit: float,
    ) -> RashomonFunctions: ...
    def decide(
        self,
        bound: int,
        max_leaves: int,
        allowed: NDArray[np.uint8],
        required: list[list[int]],
        trivial: bool,
        may_be_true: NDArray[np.uint8],
        may_be_false: NDArray[np.uint8],
        time_limit: float,
    ) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...

class RashomonFunctions:
    @property
    def n(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    def arrays(
        self,
    ) -> tuple[
        NDArray[np.uint64],
        NDArray[np.int64],
        NDArray[np.int32],
        NDArray[np.uint64],
        NDArray[np.uint64],
    ]: ...
    def trees(self, positions: NDArray[np.int64]) -> FlatTrees: ...
    def trees_of(self, position: int, start: int, count: int) -> FlatTrees: ...
    def votes(self, columns: NDArray[np.uint8]) -> NDArray[np.int64]: ...
    def disagreement(
        self,
        columns: NDArray[np.uint8],
        weights: NDArray[np.int64],
        positions: NDArray[np.int64],
    ) -> NDArray[np.int64]: ...

class RashomonCounts:
    @property
    def n(self) -> tuple[int, int]: ...
    @property
    def bytes(self) -> int: ...
    def histogram(
        self,
    ) -> tuple[
        NDArray[np.int32],
        NDArray[np.int64],
        NDArray[np.uint64],
        NDArray[np.uint64],
        NDArray[np.uint64],
        NDArray[np.uint64],
    ]: ...
    def unrank(self, positions: NDArray[np.uint64]) -> FlatTrees: ...
    def rank(
        self, column: NDArray[np.int32], label: NDArray[np.int32]
    ) -> tuple[int, int] | None: ...

Problem = tuple[NDArray[Any], ...]
Rules = tuple[int, int | None, int | None, bool, bool]
PolicyNodes = tuple[NDArray[Any], ...]

def fixed_policy(arrays: Problem, rules: Rules, kind: int, stop: bool) -> PolicyNodes: ...
def cheapest_policy(
    arrays: Problem, rules: Rules, limit: int, time_limit: float
) -> tuple[PolicyNodes, int, int, bool, int]: ...
def least_cost(arrays: Problem, rules: Rules) -> tuple[int, int]: ...
def learned_policy(
    arrays: Problem,
    rules: Rules,
    episodes: int,
    alpha: float,
    gamma: float,
    exploration: float,
    reward: float,
    seed: int,
) -> tuple[PolicyNodes, NDArray[np.int32], NDArray[np.float64]]: ...
