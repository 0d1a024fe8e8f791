from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import Domains, Nodes
from .tree import HeldSpace, HeldTree

class Side(NamedTuple):
    lower: float
    upper: float
    nan: bool
    values: list[int]

class Difference(NamedTuple):
    box: list[Side]
    class_a: int
    class_b: int

def fingerprints(
    nodes: Nodes,
    start: NDArray[np.int64],
    domains: Domains,
    keys: NDArray[np.uint64],
    value_weights: list[NDArray[np.uint64]],
    class_values: NDArray[np.uint64],
) -> NDArray[np.uint64]: ...

class Prints:
    def __init__(
        self,
        space: HeldSpace,
        keys: NDArray[np.uint64],
        value_weights: list[NDArray[np.uint64]],
        class_values: NDArray[np.uint64],
    ) -> None: ...
    def points(self, trees: list[HeldTree]) -> NDArray[np.uint64]: ...
    def groups(self, trees: list[HeldTree]) -> list[list[int]]: ...

def siphash(key0: int, key1: int, message: int) -> tuple[int, int]: ...
def first_difference(a: Nodes, b: Nodes, domains: Domains) -> Difference | None: ...
def redundant_splits(nodes: Nodes, domains: Domains, time_limit: float) -> NDArray[np.int32]: ...
def share_of_difference(a: Nodes, b: Nodes, domains: Domains, cuts: list[list[float]]) -> float: ...
