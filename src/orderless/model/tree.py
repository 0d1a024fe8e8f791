"""Tree: the one internal form of every tree that comes in.

In:  arrays of nodes over a ``Space``, from a reader or by hand.
Out: ``Tree``: immutable, checked once, without dead branches; it offers what can be asked of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidTree, a_kind
from .arrays import Nodes
from .bins import Bins
from .feature import Label
from .knowledge.fact import Fact
from .leaf_words import tree_text
from .predictor import Predictor
from .side import Side
from .space import Space
from .tree_arrays import (
    Ints,
    Task,
    check_nodes,
    flatten,
    read_array,
    read_classes,
    read_distribution,
)
from .tree_file import TreeFile
from .tree_numbers import TreeNumbers
from .tree_over import tree_over
from .tree_rows import TreeRows
from .words import side_text

__all__ = ["TreeKernel"]


class _Shown:
    """One of the arrays of a tree: made with the others when it is first looked at."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, tree: Any, owner: type) -> Any:
        if tree is None:
            return self
        own = tree.__dict__
        nodes = Nodes(*tree.held.arrays())
        for array in nodes:
            array.setflags(write=False)
        own.update(nodes._asdict())
        own["nodes"] = nodes
        return own[self.name]


class TreeKernel(TreeFile, TreeNumbers, TreeRows):
    """A decision tree over a space, whatever made it.

    Node 0 is the root. An inner node asks one condition: a numeric or boolean feature is at most
    the node's threshold, or a categorical feature has one of the node's values. A leaf has
    feature -1 and a class.

    Parameters
    ----------
    space : Space
    classes : sequence of labels
        Class labels; bool, int, float or str, all of one type.
    feature : array of int
        Per node the position of its feature in the space, -1 for a leaf.
    threshold : array of float
        Per node its threshold, ignored where there is none. "At most infinity" always holds, so
        its branch is dropped; where NaN is a value it asks whether the value is known.
    when_true, when_false : array of int
        Per node the child where the condition holds, and where it does not.
    leaf_class : array of int
        Per leaf the position of its class in ``classes``.
    nan_true : array of bool, optional
        Where NaN is a value of the feature: whether NaN counts as "condition holds".
    sets : dict of node -> sequence of int, optional
        For nodes on categorical features, the numbers of the values for which the condition holds.
    distribution : array of shape (nodes, classes), optional
        Training rows (or weights, or shares) by class, kept for leaves.
    task : "classification" or "regression"
        Whether classes are only told apart, or are numbers to compute with; these must rise.

    Attributes
    ----------
    n_nodes, n_leaves : int
    used : tuple of int
        Positions of the features that it asks about.
    features : tuple of str
        Their names, in the order of the space.
    n_dropped : int
        Nodes that were dropped because no row can reach them, or always answers them the same way.

    Notes
    -----
    Checking and dropping dead branches is linear in the nodes.

    Examples
    --------
    >>> from orderless import Space, Tree
    >>> tree = Tree(Space({"age": "integer"}), ["no", "yes"], feature=[0, -1, -1],
    ...             threshold=[24.5, 0, 0], when_true=[1, -1, -1], when_false=[2, -1, -1],
    ...             leaf_class=[-1, 0, 1])
    >>> print(tree)
    age <= 24?
      yes: class no
      no:  class yes
    >>> tree.predict([[24], [25]]).tolist()
    ['no', 'yes']
    """

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

    def __init__(
        self,
        space: Space,
        classes: Sequence[Any] | NDArray[Any],
        *,
        feature: ArrayLike,
        threshold: ArrayLike,
        when_true: ArrayLike,
        when_false: ArrayLike,
        leaf_class: ArrayLike,
        nan_true: ArrayLike | None = None,
        sets: Mapping[int, Sequence[int]] | None = None,
        distribution: ArrayLike | None = None,
        task: Task = "classification",
    ) -> None:
        if not isinstance(space, Space):
            raise InvalidTree(f"space must be a Space, got {a_kind(space)}")
        self.space = space
        self.task, self.classes = task, read_classes(classes, task)
        own = read_array(feature, np.int32, "feature")
        n = len(own)
        nodes = Nodes(
            own,
            read_array(threshold, np.float64, "threshold"),
            np.zeros(n, np.uint8)
            if nan_true is None
            else read_array(nan_true, np.uint8, "nan_true"),
            read_array(when_true, np.int32, "when_true"),
            read_array(when_false, np.int32, "when_false"),
            read_array(leaf_class, np.int32, "leaf_class"),
            *flatten(sets or {}, n),
        )
        flat = all(array.ndim == 1 for array in nodes)
        held = _core.tree.hold(space.held, nodes, len(self.classes)) if flat else None
        if held is None:
            check_nodes(nodes, space, len(self.classes))  # says what is wrong
            raise InvalidTree("these arrays do not describe a tree")
        self._keep(held[0], read_distribution(distribution, n, len(self.classes)), held[1])

    @classmethod
    def of_held(
        cls,
        space: Space,
        classes: tuple[Label, ...],
        held: _core.tree.HeldTree,
        task: Task = "classification",
    ) -> TreeKernel:
        """Make a tree of what the core holds already (readers of many trees)."""
        tree = cls.__new__(cls)
        tree.space = space
        tree.task, tree.classes = task, classes
        tree.held = held
        tree.n_dropped = held.n_dropped
        tree.distribution = None
        return tree

    @classmethod
    def of_normal(
        cls,
        space: Space,
        classes: tuple[Label, ...],
        nodes: Nodes,
        task: Task = "classification",
    ) -> TreeKernel:
        """Make a tree of arrays that are good and in normal form."""
        start = np.array([0, len(nodes.feature)], dtype=np.int64)
        (held,) = _core.tree.hold_all(space.held, nodes, start, len(classes))
        return cls.of_held(space, classes, held, task)

    def _keep(
        self,
        held: _core.tree.HeldTree,
        distribution: NDArray[np.float64] | None,
        kept: NDArray[np.int32] | None,
    ) -> None:
        """Keep what the core holds, and the rows of the nodes that are left."""
        self.held = held
        self.n_dropped = held.n_dropped
        if distribution is not None:
            distribution = distribution if kept is None else distribution[kept]
            distribution.setflags(write=False)
        self.distribution = distribution

    def replace(self, **changes: Any) -> TreeKernel:
        """Make a tree that differs in some of the parameters that ``Tree`` takes."""
        own: dict[str, Any] = {
            "space": self.space,
            "classes": self.classes,
            "feature": self.feature,
            "threshold": self.threshold,
            "when_true": self.when_true,
            "when_false": self.when_false,
            "leaf_class": self.leaf_class,
            "nan_true": self.nan_true,
            "sets": self.sets,
            "distribution": self.distribution,
            "task": self.task,
        }
        return TreeKernel(**{**own, **changes})

    # -- what it is ----------------------------------------------------------------------------

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

    @cached_property
    def depth(self) -> int:
        """Conditions on the longest path; 0 for a single leaf."""
        return int(_core.tree.check_links(self.nodes).depth)

    def relabelled(self, leaf_class: Ints) -> Nodes:
        """Give its nodes, for the core, with other classes at the leaves (by node)."""
        return self.nodes._replace(leaf_class=leaf_class)

    @cached_property
    def bins(self) -> Bins:
        """The same tree over the bins into which its conditions cut each feature."""
        return Bins(self)

    @cached_property
    def numbered_leaves(self) -> Nodes:
        """Its nodes, for the core, with every leaf as a class of its own, in their order."""
        leaves = self.feature < 0
        number = np.where(leaves, np.cumsum(leaves) - 1, -1).astype(np.int32)
        return self.relabelled(number)

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
            self.distribution.setflags(write=False)  # copied and unpickled arrays can be written to

    def __repr__(self) -> str:
        dropped = f", {self.n_dropped} dead nodes dropped" if self.n_dropped else ""
        return (
            f"Tree({self.n_leaves} leaves, depth {self.depth}, features {list(self.features)}, "
            f"{self.classes_text}{dropped})"
        )

    def __eq__(self, other: object) -> bool:
        """Whether it is the same tree, node by node (``equivalent`` compares functions)."""
        if not isinstance(other, TreeKernel):
            return NotImplemented
        return (
            self.space == other.space
            and (self.task, self.classes) == (other.task, other.classes)
            and [type(c) for c in self.classes] == [type(c) for c in other.classes]
            and len(self._arrays) == len(other._arrays)
            and all(map(np.array_equal, self._arrays, other._arrays))
        )

    def __hash__(self) -> int:
        nodes = self._arrays[: len(self.nodes)]  # shares of 0.0 and -0.0 are equal
        return hash((self.space, self.classes, *(array.tobytes() for array in nodes)))

    def side(self, node: int) -> Side:
        """Give the values for which the condition of an inner node holds."""
        feature = self.space.features[self.feature[node]]
        if not feature.ordered:
            return Side(feature, codes=tuple(self.set_of(node).tolist()))
        return Side(feature, upper=float(self.threshold[node]), nan=bool(self.nan_true[node]))

    def set_of(self, node: int) -> Ints:
        """Give the numbers of the values for which a categorical condition holds."""
        return self.set_values[self.set_start[node] : self.set_start[node + 1]]

    @property
    def sets(self) -> dict[int, list[int]]:
        """The numbers of the values for which conditions hold, by node, where there are any."""
        nodes = np.flatnonzero(np.diff(self.set_start)).tolist() if len(self.set_values) else []
        return {node: self.set_of(node).tolist() for node in nodes}

    def condition(self, node: int) -> str:
        """Write the condition of an inner node in words."""
        return side_text(self.side(node))

    def __str__(self) -> str:
        return tree_text(self)

    def over(self, space: Space) -> TreeKernel:
        """Convert to another space that has its features, by name; see ``Tree.with_space``."""
        return tree_over(self, space)

    def with_facts(self, facts: Iterable[Fact | str]) -> TreeKernel:
        """Return the same tree over its space with more facts."""
        return self.over(self.space.with_facts(facts))

    @cached_property
    def predictor(self) -> Predictor:
        """What answers rows that come one at a time, and tables of floats."""
        return Predictor(self)

    def leaves(self) -> Iterator[int]:
        """Go through the leaves, in order of their numbers."""
        return iter(np.flatnonzero(self.feature < 0).tolist())
