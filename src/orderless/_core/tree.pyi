from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import Domains, Nodes

class Links(NamedTuple):
    fault: int
    node: int
    depth: int

class Pruned(NamedTuple):
    new_index: NDArray[np.int32]
    when_true: NDArray[np.int32]
    when_false: NDArray[np.int32]
    root: int
    n_kept: int

def check_links(nodes: Nodes) -> Links: ...
def prune(nodes: Nodes, domains: Domains) -> Pruned: ...
