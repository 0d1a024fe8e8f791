"""Ensemble: the one internal form of every model that adds up trees.

In:  trees over one space whose leaves are numbered, and what each leaf adds; from a reader or by
     hand.
Out: ``Ensemble``: immutable, checked once; it offers what can be asked of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidTree, a_kind
from .arrays import Nodes
from .bins import Bins
from .feature import Label
from .space import Space
from .tree import Tree
from .tree_arrays import Task, labels_array, read_classes
from .whole_numbers import Adding, Whole, whole_numbers

if TYPE_CHECKING:
    from ..inputs import Rows

__all__ = ["Adding", "Ensemble", "Link", "Rule"]

Floats = NDArray[np.float64]
Link = Literal["identity", "logistic", "softmax", "exp"]


class Rule(NamedTuple):
    """How scores become a class, or a number.

    Attributes
    ----------
    kind : "largest": the class whose score is largest after it is divided, of equals the first.
        "cuts": of one score, the class whose number is how many cuts the score is above. "number":
        the score itself
    cuts : rising, compared with the undivided sum as the library keeps it
    window : sums that are this close, or closer, may be told apart or not: the library rounds again
        before it compares (a softmax)
    """

    kind: Literal["largest", "cuts", "number"]
    cuts: tuple[float, ...] = ()
    window: float = 0.0


class Ensemble:
    """Trees whose leaves are added up, whatever made them.

    Parameters
    ----------
    trees : sequence of Tree
        Over one space. The classes of a tree are the numbers of its leaves, 0, 1, ...
    values : sequence of arrays
        Per tree, leaves x scores: what each leaf adds to each score.
    scores : sequence of int, optional
        Per tree the only score that it adds to, -1 for all (the default); the rest of its values
        are 0.
    classes : sequence of labels
        None for a model of numbers.
    adding : Adding
    rule : Rule
    link : "identity", "logistic", "softmax" or "exp"
        What makes a probability, or a number, of the (divided) scores.
    factor : float
        By which the (divided) scores are multiplied before the link.
    """

    def __init__(
        self,
        trees: Sequence[Tree],
        values: Sequence[ArrayLike],
        *,
        scores: Sequence[int] | None = None,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        adding: Adding,
        rule: Rule,
        link: Link = "identity",
        factor: float = 1.0,
    ) -> None:
        if not trees:
            raise InvalidTree("an ensemble must have at least one tree")
        self.trees = tuple(trees)
        self.space: Space = trees[0].space
        for tree in self.trees:
            if not isinstance(tree, Tree) or tree.space != self.space:
                raise InvalidTree(
                    f"all trees of an ensemble must be over one space, got {a_kind(tree)}"
                )
        n_scores = len(adding.base)
        self.values: tuple[Floats, ...] = tuple(
            np.array(own, dtype=np.float64).reshape(-1, n_scores) for own in values
        )
        sizes = [
            (len(tree.classes), len(own)) for tree, own in zip(trees, self.values, strict=True)
        ]
        wrong = [i for i, (n, m) in enumerate(sizes) if n != m]
        if wrong:
            raise InvalidTree(
                f"tree {wrong[0]} numbers {sizes[wrong[0]][0]} leaves and "
                f"{sizes[wrong[0]][1]} have values"
            )
        if not all(np.isfinite(own).all() for own in self.values):
            raise InvalidTree("what leaves add must be finite numbers: fit or save the model again")
        self.scores = (
            np.full(len(trees), -1, np.int32) if scores is None else np.array(scores, np.int32)
        )
        self.task: Task = "classification" if classes is not None else "regression"
        self.classes: tuple[Label, ...] = (
            () if classes is None else read_classes(classes, "classification")
        )
        self.adding, self.rule, self.link, self.factor = adding, rule, link, factor

    # -- the same names as a tree has, for all nodes one tree after the other --------------------

    @cached_property
    def starts(self) -> NDArray[np.int32]:
        """Where each tree begins among all nodes: its root."""
        return np.cumsum([0, *(tree.n_nodes for tree in self.trees)])[:-1].astype(np.int32)

    @cached_property
    def nodes(self) -> Nodes:
        """All nodes, one tree after the other; a leaf's class is its place among all values."""
        parts = [tree.nodes for tree in self.trees]
        first = np.cumsum([0, *(len(own) for own in self.values)])[:-1].tolist()

        def shifted(name: str, by: Sequence[int]) -> NDArray[Any]:
            arrays = (getattr(part, name) for part in parts)
            return np.concatenate(
                [np.where(a >= 0, a + b, -1) for a, b in zip(arrays, by, strict=True)]
            ).astype(np.int32)

        def joined(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in parts])

        starts = self.starts.tolist()
        ends = np.cumsum([0, *(len(part.set_values) for part in parts)]).tolist()
        set_start = [part.set_start[:-1] + at for part, at in zip(parts, ends, strict=False)]
        return Nodes(
            joined("feature"),
            joined("threshold"),
            joined("nan_true"),
            shifted("when_true", starts),
            shifted("when_false", starts),
            shifted("leaf_class", first),
            np.concatenate([*set_start, [ends[-1]]]).astype(np.int64),
            joined("set_values"),
        )

    @cached_property
    def used(self) -> tuple[int, ...]:
        """Positions of the features that it asks about."""
        return tuple(sorted({i for tree in self.trees for i in tree.used}))

    @cached_property
    def features(self) -> tuple[str, ...]:
        """Their names, in the order of the space."""
        return tuple(self.space.features[i].name for i in self.used)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Give the classes as an array, for results."""
        return labels_array(self.classes)

    @cached_property
    def bins(self) -> Bins:
        """The conditions of all trees cut each feature into bins."""
        return Bins(self)

    def read(self, X: Any) -> Rows:
        """Read what it asks of rows of any usual kind; rows that were read stay as they are."""
        from ..inputs import Rows, read_rows

        return X if isinstance(X, Rows) else read_rows(X, self.space, self.used)

    @cached_property
    def whole(self) -> Whole:
        """What leaves add, in whole numbers of a common unit, and what rounding can hide."""
        return whole_numbers(self.values, self.adding)

    def whole_within(self, bits: int) -> Whole:
        """Give the same in a unit so coarse that no sum takes more than so many bits."""
        return whole_numbers(self.values, self.adding, bits)

    def __repr__(self) -> str:
        what = f"classes {list(self.classes)!s:.80}" if self.classes else "numbers"
        return f"Ensemble({len(self.trees)} trees, features {list(self.features)!s:.200}, {what})"
