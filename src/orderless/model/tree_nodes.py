"""The nodes of a tree: held by the core, shown as arrays when somebody looks at them.

In:  the memory in which the core holds a tree.
Out: ``TreeNodes``, the part of ``Tree`` that shows it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidTree
from .arrays import Nodes
from .frozen import freeze

if TYPE_CHECKING:
    from .feature import Label
    from .space import Space
    from .tree_arrays import Task

__all__ = ["TreeNodes"]


class _Shown:
    """One of the arrays of a tree: made with the others when it is first looked at."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, tree: Any, owner: type) -> Any:
        if tree is None:
            return self
        own = tree.__dict__
        nodes = Nodes(*tree.held.arrays())
        freeze(nodes)
        own.update(nodes._asdict())
        own["nodes"] = nodes
        return own[self.name]


class TreeNodes:
    """Parts of ``Tree`` that show what the core holds, each made when it is asked for."""

    held: _core.tree.HeldTree
    space: Space
    classes: tuple[Label, ...]
    task: Task
    distribution: NDArray[np.float64] | None
    n_dropped: int

    if TYPE_CHECKING:
        nodes: Nodes
        feature: NDArray[np.int32]
        threshold: NDArray[np.float64]
        nan_true: NDArray[np.uint8]
        when_true: NDArray[np.int32]
        when_false: NDArray[np.int32]
        leaf_class: NDArray[np.int32]
        set_start: NDArray[np.int64]
        set_values: NDArray[np.int32]
    else:
        nodes = _Shown()
        feature = _Shown()
        threshold = _Shown()
        nan_true = _Shown()
        when_true = _Shown()
        when_false = _Shown()
        leaf_class = _Shown()
        set_start = _Shown()
        set_values = _Shown()

    @property
    def n_nodes(self) -> int:
        """How many nodes it has."""
        return self.held.n_nodes

    @property
    def n_leaves(self) -> int:
        """How many leaves it has: every other node has two children."""
        return self.held.n_nodes // 2 + 1

    @cached_property
    def used(self) -> tuple[int, ...]:
        """Positions of the features that it asks about."""
        return self.held.used()

    @cached_property
    def features(self) -> tuple[str, ...]:
        """Their names, in the order of the space."""
        return tuple(self.space.features[i].name for i in self.used)

    @property
    def _arrays(self) -> list[NDArray[Any]]:
        return [*self.nodes, *([] if self.distribution is None else [self.distribution])]

    def __getstate__(self) -> dict[str, Any]:
        """Give what it is made of; what can be made again is not pickled."""
        names = ("space", "task", "classes", "n_dropped", "distribution", "nodes")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = {name: part for name, part in state.items() if name != "nodes"}
        self.__dict__.update(own)
        try:
            nodes = Nodes(*state["nodes"])
            held = _core.tree.hold_again(self.space.held, nodes, len(self.classes))
        except (RuntimeError, TypeError):  # no arrays, or of other types
            held = None
        if held is None:
            raise InvalidTree("the pickle does not describe a tree: it is damaged")
        self.held = held
        if self.distribution is not None:
            freeze([self.distribution])  # copied and unpickled arrays can be written to
