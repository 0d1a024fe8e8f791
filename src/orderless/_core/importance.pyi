from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import BinNodes, Layout

class Orders(NamedTuple):
    n_trees: NDArray[np.uint32]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    mean: NDArray[np.float64]
    share_low: NDArray[np.float64]
    share_high: NDArray[np.float64]
    irredundant: bool
    n_states: int

class Permuted(NamedTuple):
    excess: NDArray[Any]
    errors: NDArray[Any]
    total: float

def all_orders(
    nodes: BinNodes,
    bins: Layout,
    rows: NDArray[np.int32],
    weight: NDArray[np.float64],
    criterion: int,
    limit: int,
) -> Orders: ...
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
) -> Permuted: ...
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
) -> Permuted: ...
def permuted_losses(
    offsets: NDArray[np.int64],
    column: NDArray[np.int32],
    label: NDArray[np.int32],
    said: NDArray[np.int64],
    cells: NDArray[np.uint8],
    y: NDArray[np.int64],
    weight: NDArray[np.int64],
    group: NDArray[np.int32],
    n_groups: int,
    squared: bool,
) -> Permuted: ...
