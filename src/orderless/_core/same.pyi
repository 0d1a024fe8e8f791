from typing import NamedTuple

from ..model.arrays import Domains, Ints, Longs, Nodes, Words
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
    start: Longs,
    domains: Domains,
    keys: Words,
    value_weights: list[Words],
    class_values: Words,
) -> Words: ...

class Prints:
    def __init__(
        self,
        space: HeldSpace,
        keys: Words,
        value_weights: list[Words],
        class_values: Words,
    ) -> None: ...
    def points(self, trees: list[HeldTree]) -> Words: ...
    def groups(self, trees: list[HeldTree]) -> list[list[int]]: ...

def siphash(key0: int, key1: int, message: int) -> tuple[int, int]: ...
def first_difference(
    a: Nodes, b: Nodes, domains: Domains, time_limit: float
) -> Difference | None: ...
def redundant_splits(nodes: Nodes, domains: Domains, time_limit: float) -> Ints: ...
def share_of_difference(
    a: Nodes, b: Nodes, domains: Domains, cuts: list[list[float]], time_limit: float
) -> float: ...
