from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import BinNodes, Layout

class Smallest(NamedTuple):
    nodes: BinNodes
    value: int
    bound: int
    weight: int
    first: bool
    n_states: int

def smallest_tree(
    nodes: BinNodes,
    bins: Layout,
    minimize: int,
    with_rows: bool,
    rows: NDArray[np.int32],
    weight: NDArray[np.int64],
    limit: int,
    time_limit: float,
) -> Smallest: ...
