from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import BinNodes, Layout
from .tree import HeldSpace, HeldTree

class LeafBoxes(NamedTuple):
    leaves: NDArray[np.int32]
    boxes: NDArray[np.uint16]

class CutTree(NamedTuple):
    positions: tuple[int, ...]
    cuts: list[NDArray[np.float64]]
    layout: tuple[NDArray[Any], ...]
    nodes: tuple[NDArray[Any], ...]

def cut_tree(tree: HeldTree, space: HeldSpace) -> CutTree | None: ...
def leaf_boxes(nodes: BinNodes, bins: Layout) -> LeafBoxes: ...
def function_bins(nodes: BinNodes, bins: Layout) -> list[NDArray[np.int32]]: ...
