from typing import NamedTuple

from ..model.arrays import BinNodes, Ints, Layout, Longs

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
    rows: Ints,
    weight: Longs,
    limit: int,
    time_limit: float,
) -> Smallest: ...
