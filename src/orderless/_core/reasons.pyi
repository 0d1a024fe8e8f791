from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import BinNodes, Layout

class Cover(NamedTuple):
    boxes: NDArray[np.uint16]
    bound: int

def all_reasons(
    nodes: BinNodes,
    bins: Layout,
    n_classes: int,
    limit: int,
    time_limit: float,
    wanted: list[bool],  # by class; empty: all
) -> list[NDArray[np.uint16]]: ...
def smallest_cover(
    bins: Layout, leaves: NDArray[np.uint16], reasons: NDArray[np.uint16], time_limit: float
) -> NDArray[np.int32]: ...
def irredundant_cover(
    nodes: BinNodes,
    bins: Layout,
    n_classes: int,
    class_index: int,
    leaves: NDArray[np.uint16],
    time_limit: float,
) -> Cover: ...
def cover_fault(
    nodes: BinNodes,
    bins: Layout,
    n_classes: int,
    class_index: int,
    leaves: NDArray[np.uint16],
    cover: NDArray[np.uint16],
    polls: int,
) -> int: ...
def canonical_tree(nodes: BinNodes, bins: Layout, limit: int, time_limit: float) -> BinNodes: ...
