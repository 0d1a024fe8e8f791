"""Tree: the one internal form of every tree that comes in.

In:  arrays of nodes over a ``Space``, from a reader or by hand.
Out: ``Tree``: immutable, checked once, without dead branches; it offers what can be asked of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidTree, a_kind
from .arrays import Nodes
from .bins import Bins
from .feature import Label
from .frozen import Frozen, freeze
from .side import Side
from .space import Space
from .tree_arrays import (
    Ints,
    Task,
    check_nodes,
    flatten,
    labels_array,
    n_threads,
    normalise,
    pruned,
    read_array,
    read_classes,
    read_distribution,
)
from .tree_file import TreeFile
from .tree_numbers import TreeNumbers
from .tree_offers import TreeOffers
from .tree_rows import TreeRows

__all__ = ["Tree"]


class Tree(Frozen, TreeFile, TreeNumbers, TreeRows, TreeOffers):
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
      yes: no
      no:  yes
    >>> tree.predict([[24], [25]]).tolist()
    ['no', 'yes']
    """

    space: Space
    classes: tuple[Label, ...]
    task: Task
    used: tuple[int, ...]
    n_dropped: int

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
        flags = np.zeros(n, dtype=np.uint8) if nan_true is None else nan_true
        nodes = Nodes(
            own,
            read_array(threshold, np.float64, "threshold"),
            read_array(flags, np.uint8, "nan_true"),
            read_array(when_true, np.int32, "when_true"),
            read_array(when_false, np.int32, "when_false"),
            read_array(leaf_class, np.int32, "leaf_class"),
            *flatten(sets or {}, n),
        )
        check_nodes(nodes, space, len(self.classes))
        normalise(nodes, space)
        self._keep(nodes, read_distribution(distribution, n, len(self.classes)))

    @classmethod
    def of_normal(
        cls,
        space: Space,
        classes: tuple[Label, ...],
        nodes: Nodes,
        task: Task = "classification",
    ) -> Tree:
        """Make a tree of arrays that are good and in normal form (readers of many trees)."""
        tree = cls.__new__(cls)
        tree.space = space
        tree.task, tree.classes = task, classes
        tree._keep(nodes, None)
        return tree

    def _keep(self, nodes: Nodes, distribution: NDArray[np.float64] | None) -> None:
        """Drop dead branches, and freeze."""
        self.nodes, kept = pruned(nodes, self.space)
        self.n_dropped = len(nodes.feature) - len(self.nodes.feature)
        self.feature, self.threshold, self.nan_true = self.nodes[:3]
        self.when_true, self.when_false, self.leaf_class = self.nodes[3:6]
        self.set_start, self.set_values = self.nodes[6:]
        self.n_nodes = len(self.feature)
        self.n_leaves = self.n_nodes // 2 + 1  # every other node has two children
        self.used = tuple(sorted({*self.feature.tolist()} - {-1}))
        self.features = tuple(self.space.features[i].name for i in self.used)
        if distribution is not None and kept is not None:
            distribution = distribution[kept]
        self.distribution = distribution
        freeze(self._arrays)

    @property
    def _arrays(self) -> list[NDArray[Any]]:
        return [*self.nodes, *([] if self.distribution is None else [self.distribution])]

    def replace(self, **changes: Any) -> Tree:
        """Make a tree that differs in some of the parameters that ``Tree`` takes.

        Examples
        --------
        >>> from orderless import read_tree
        >>> tree = read_tree({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
        >>> tree.replace(classes=("no", "yes")).classes
        ('no', 'yes')
        """
        own: dict[str, Any] = {
            "space": self.space,
            "classes": self.classes,
            "feature": self.feature,
            "threshold": self.threshold,
            "when_true": self.when_true,
            "when_false": self.when_false,
            "leaf_class": self.leaf_class,
            "nan_true": self.nan_true,
            "sets": {i: self.set_of(i).tolist() for i in range(self.n_nodes)},
            "distribution": self.distribution,
            "task": self.task,
        }
        return Tree(**{**own, **changes})

    # -- what it is ----------------------------------------------------------------------------

    @cached_property
    def depth(self) -> int:
        """Conditions on the longest path; 0 for a single leaf."""
        return int(_core.tree.check_links(self.nodes).depth)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Give the classes as an array, for results."""
        return labels_array(self.classes)

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

    def __repr__(self) -> str:
        dropped = f", {self.n_dropped} dead nodes dropped" if self.n_dropped else ""
        return (
            f"Tree({self.n_leaves} leaves, depth {self.depth}, features {list(self.features)}, "
            f"{self.classes_text}{dropped})"
        )

    def __eq__(self, other: object) -> bool:
        """Whether it is the same tree, node by node (``equivalent`` compares functions)."""
        if not isinstance(other, Tree):
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

    def leaves(self) -> Iterator[int]:
        """Go through the leaves, in order of their numbers."""
        return iter(np.flatnonzero(self.feature < 0).tolist())

    # -- what it says --------------------------------------------------------------------------

    def predict(self, X: Any, *, within: float | None = None, n_jobs: int | None = None) -> Any:
        """Give each row's class, or number, where it is certain.

        A row with unknowns (NaN, None, NA) has a class if every completion of it gets that class;
        otherwise it is masked. Where the space has facts, completions are those that satisfy them;
        a row that contradicts them has none, is masked, and is warned of.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Arrays go by position, the others by name. One dict is one row.
        within : float, optional
            For classes that are numbers: give the midpoint of the numbers that a row can get, if
            these are at most so far apart (``predict_interval``). 0 is the same as without.
        n_jobs : int, optional
            Threads to use, by default one; -1 is all cores. The result is the same.

        Returns
        -------
        numpy.ma.MaskedArray, or a nullable Series when a data frame came in
            Of one dict its label, None where it is not certain.

        Notes
        -----
        The paper's Theorem 3.2, read off the tree. Cost per row: features x leaves / 64 for trees
        of up to 512 leaves, else the nodes that it can reach. Beyond rows and result, memory does
        not grow with the rows, if these are numbers in an array.
        """
        if within is not None:
            return self.predict_within(X, within, n_jobs)
        if type(X) is np.ndarray:
            found = self._ready.table(X, n_threads(n_jobs))
            if found is not None:
                return found
        elif isinstance(X, Mapping):
            return self._ready(X)
        from ..inputs import is_frame, labels_like

        if self.labels.dtype == object or is_frame(X) or self.connected:
            return labels_like(X, self.labels, self.decide(X, n_jobs))
        rows = self.read(X)
        data = np.empty(rows.n_rows, dtype=self.labels.dtype)
        hidden = np.empty(rows.n_rows, dtype=bool)
        self.over_rows(
            _core.rows.label,
            self.nodes,
            rows,
            n_jobs,
            self.labels.view(np.uint8),
            self.labels.itemsize,
            data.view(np.uint8),
            hidden.view(np.uint8),
        )
        return np.ma.MaskedArray(data, mask=hidden)
