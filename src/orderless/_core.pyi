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
