from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..model.arrays import Domains, Nodes

class Links(NamedTuple):
    fault: int
    node: int
    depth: int

def check_links(nodes: Nodes) -> Links: ...

class HeldSpace:
    def __init__(
        self, domains: Domains, numbers: NDArray[np.uint8], rank: NDArray[np.int32]
    ) -> None: ...

class HeldTree:
    @property
    def n_nodes(self) -> int: ...
    @property
    def n_dropped(self) -> int: ...
    def arrays(self) -> tuple[NDArray[Any], ...]: ...
    def used(self) -> tuple[int, ...]: ...

def held_alike(trees: list[Any]) -> list[HeldTree] | None: ...
def hold(
    space: HeldSpace, nodes: Nodes, n_classes: int
) -> tuple[HeldTree, NDArray[np.int32] | None] | None: ...
def hold_again(space: HeldSpace, nodes: Nodes, n_classes: int) -> HeldTree | None: ...
def hold_all(
    space: HeldSpace, nodes: Nodes, start: NDArray[np.int64], n_classes: int
) -> list[HeldTree]: ...
def hold_bits(
    space: HeldSpace,
    codes: NDArray[np.int32],
    ends: NDArray[np.int64],
    columns: tuple[NDArray[Any], ...],
    n_classes: int,
) -> list[HeldTree] | None: ...
