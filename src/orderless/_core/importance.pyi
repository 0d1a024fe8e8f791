from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import BinNodes, Bytes, Floats, Ints, Layout, Longs

class Orders(NamedTuple):
    n_trees: NDArray[np.uint32]
    low: Floats
    high: Floats
    mean: Floats
    share_low: Floats
    share_high: Floats
    irredundant: bool
    n_states: int

class Permuted(NamedTuple):
    excess: NDArray[Any]
    errors: NDArray[Any]
    total: float

def all_orders(
    nodes: BinNodes,
    bins: Layout,
    rows: Ints,
    weight: Floats,
    criterion: int,
    limit: int,
) -> Orders: ...
def permuted_errors(
    offsets: Longs,
    column: Ints,
    label: Ints,
    cells: Bytes,
    y: Ints,
    weight: Longs,
    group: Ints,
    n_classes: int,
    n_groups: int,
) -> Permuted: ...
def permuted_errors_real(
    offsets: Longs,
    column: Ints,
    label: Ints,
    cells: Bytes,
    y: Ints,
    weight: Floats,
    group: Ints,
    n_classes: int,
    n_groups: int,
) -> Permuted: ...
def permuted_losses(
    offsets: Longs,
    column: Ints,
    label: Ints,
    said: Longs,
    cells: Bytes,
    y: Longs,
    weight: Longs,
    group: Ints,
    n_groups: int,
    squared: bool,
) -> Permuted: ...
