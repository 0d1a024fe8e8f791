from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import Domains, Nodes
from ..model.feature import Label

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

class RowReader:
    def __init__(
        self, names: list[str], features: list[tuple[Any, ...] | None], n_columns: int
    ) -> None: ...

class RowPredictor:
    def __init__(
        self,
        reader: RowReader,
        nodes: Nodes,
        domains: Domains,
        threshold: NDArray[np.float64],
        place: NDArray[np.int32],
        classes: tuple[Label, ...],
    ) -> None: ...
    def one(self, row: Any) -> Any: ...
    def table(
        self,
        rows: NDArray[Any],
        n_threads: int,
        items: NDArray[np.uint8],
        item_size: int,
        data: NDArray[np.uint8],
        hidden: NDArray[np.uint8],
    ) -> bool: ...

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
def copy_known(
    numbers: NDArray[Any], known: NDArray[np.uint8], first: int, to: NDArray[Any]
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
