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
