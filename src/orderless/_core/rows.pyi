from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import Domains, Nodes

class Reached(NamedTuple):
    leaf: NDArray[np.int32]
    label: NDArray[np.int32]
    possible: NDArray[np.uint8]

class Ends(NamedTuple):
    low: NDArray[np.int32]
    high: NDArray[np.int32]

class FirstDetermined(NamedTuple):
    tree: NDArray[np.int32]
    label: NDArray[np.int32]

def reach(
    nodes: Nodes,
    domains: Domains,
    threshold: NDArray[np.float64],
    columns: list[Any],
    n_rows: int,
    n_classes: int,
    all_classes: bool,
) -> Reached: ...
def decide(
    nodes: Nodes,
    domains: Domains,
    threshold: NDArray[np.float64],
    columns: list[Any],
    n_rows: int,
    n_threads: int,
) -> NDArray[np.int32]: ...
def ends(
    nodes: Nodes,
    domains: Domains,
    threshold: NDArray[np.float64],
    columns: list[Any],
    n_rows: int,
    n_threads: int,
) -> Ends: ...
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
) -> FirstDetermined: ...
def settling_sets(
    start: NDArray[np.int32],
    sides: NDArray[np.uint64],
    label: NDArray[np.int32],
    numbers: NDArray[np.float64],
    within: float,
    reached: NDArray[np.uint8],
    known: NDArray[np.uint64],
    limit: int,
    time_limit: float,
) -> NDArray[np.uint64]: ...
