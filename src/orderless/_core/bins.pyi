from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import BinNodes, Layout

class LeafBoxes(NamedTuple):
    leaves: NDArray[np.int32]
    boxes: NDArray[np.uint16]

def leaf_boxes(nodes: BinNodes, bins: Layout) -> LeafBoxes: ...
def function_bins(nodes: BinNodes, bins: Layout) -> list[NDArray[np.int32]]: ...
