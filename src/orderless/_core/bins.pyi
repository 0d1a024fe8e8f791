from typing import Any, NamedTuple

from numpy.typing import NDArray

from ..model.arrays import BinNodes, Floats, Ints, Layout, Shorts
from .tree import HeldSpace, HeldTree

class LeafBoxes(NamedTuple):
    leaves: Ints
    boxes: Shorts

class CutTree(NamedTuple):
    positions: tuple[int, ...]
    cuts: list[Floats]
    layout: tuple[NDArray[Any], ...]
    nodes: tuple[NDArray[Any], ...]

def cut_tree(tree: HeldTree, space: HeldSpace) -> CutTree | None: ...
def leaf_boxes(nodes: BinNodes, bins: Layout) -> LeafBoxes: ...
def function_bins(nodes: BinNodes, bins: Layout) -> list[Ints]: ...
