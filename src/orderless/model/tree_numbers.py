"""Trees of numbers: what a leaf says is compared, not only told apart.

In:  a ``Tree`` whose classes are numbers; or one that knows the training rows of its leaves.
Out: the smallest and the largest number of a row; a ``Tree`` of classes, cut at levels or at a
     probability. Everything else that is asked of a tree is asked of that.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidTree
from .arrays import Floats, Nodes
from .numbers import short_number

if TYPE_CHECKING:
    from .tree import TreeKernel
    from .tree_arrays import Task

__all__ = [
    "TreeNumbers",
    "interval_widths",
    "level_labels",
    "midpoint",
    "narrow",
    "near_numbers",
    "place_of",
    "read_levels",
    "read_probability",
    "read_tolerance",
]

ROUNDING = 1 - 2.0**-50  # shares that differ by less are one share, computed in two ways


class TreeNumbers:
    """Methods of ``Tree`` for leaves that say numbers."""

    @cached_property
    def numbers(self) -> Floats:
        """The classes as numbers, in their order; an error where they are not numbers."""
        tree = cast("TreeKernel", self)
        labels = tree.classes
        if any(isinstance(label, str | bool) for label in labels):
            raise InvalidTree(
                f"the classes {str(list(labels[:6]))[:80]} are not numbers: ask for possible(X), "
                "or for a number of a classifier with decide_at(label, probability) or "
                "predict_interval(X, of='probability')"
            )
        return np.array(labels, dtype=np.float64)

    @property
    def classes_text(self) -> str:
        """What it can say, in a few words."""
        tree = cast("TreeKernel", self)
        if tree.task == "classification":
            return f"classes {list(tree.classes)}"
        return f"numbers {short_number(self.numbers[0])} to {short_number(self.numbers[-1])}"

    @cached_property
    def _by_number(self) -> tuple[Floats, Nodes]:
        """Give the numbers, rising, and the nodes, for the core, with their places for classes."""
        tree = cast("TreeKernel", self)
        order = np.argsort(self.numbers, kind="stable")
        place = np.empty(len(order) + 1, dtype=np.int32)
        place[order] = np.arange(len(order))
        place[-1] = -1  # no leaf
        return self.numbers[order], tree.relabelled(place[tree.leaf_class])

    def predict_interval(self, X: Any, *, n_jobs: int | None = None) -> tuple[Any, Any]:
        """Give the smallest and the largest number of each row; see ``Model.predict_interval``.

        Exact: some completion of the row gets the lower number, and some gets the upper. Not every
        number between them need be possible. Cost as for ``predict``, but rows with unknowns are
        followed to all leaves that they can reach.
        """
        from ..inputs import column_like

        lower, upper = self._interval(X, n_jobs)
        return column_like(X, lower, "lower"), column_like(X, upper, "upper")

    def _interval(self, X: Any, n_jobs: int | None) -> tuple[Floats, Floats]:
        tree = cast("TreeKernel", self)
        numbers, nodes = self._by_number
        rows = tree.read(X)
        ends = tree.over_rows(_core.rows.ends, nodes, rows, n_jobs)
        lower, upper = numbers[ends.low], numbers[ends.high]
        known = tree.known_rows(rows)
        at = np.flatnonzero((ends.low != ends.high) | (known is not None and known.contradicting))
        if known is not None and len(at):
            leaves = known.leaves(at, tree.plain_leaves(rows.take(at)))
            own = self.numbers[tree.leaf_class[tree.feature < 0]]
            lower[at] = np.where(leaves, own, np.inf).min(axis=1)
            upper[at] = np.where(leaves, own, -np.inf).max(axis=1)
            lower[known.contradicting] = upper[known.contradicting] = np.nan
        return lower, upper

    def predict_with_tolerance(self, X: Any, tolerance: float, n_jobs: int | None = None) -> Any:
        """Give the midpoint of each row's interval where that is narrow; see ``predict``."""
        from ..inputs import masked_like

        most = read_tolerance(tolerance)
        lower, upper = self._interval(X, n_jobs)
        return masked_like(X, midpoint(lower, upper), ~narrow(lower, upper, most))

    def as_regression(self) -> TreeKernel:
        """Give the tree with its classes as numbers that rise, each once: a regression tree."""
        tree = cast("TreeKernel", self)
        if tree.task == "regression":
            return tree
        numbers, of_class = np.unique(self.numbers, return_inverse=True)
        return self._with_classes(numbers.tolist(), of_class.ravel(), "regression")

    def cut(self, levels: Sequence[float], labels: Sequence[Any] | None = None) -> TreeKernel:
        """Give a tree of the intervals that the numbers fall into; see ``Model.discretize``."""
        at = read_levels(levels)
        return self._with_classes(level_labels(at, labels), np.searchsorted(at, self.numbers))

    def around(self, lower: float, upper: float) -> TreeKernel:
        """Give a tree of classes: below an interval, inside it ("10 to 14"), above it.

        Both ends are inside. All three are classes, also where no leaf has them.
        """
        low, high = short_number(lower), short_number(upper)
        labels = [f"below {low}", low if lower == upper else f"{low} to {high}", f"above {high}"]
        side = np.where(self.numbers < lower, 0, np.where(self.numbers > upper, 2, 1))
        return self._with_classes(labels, side)

    def _with_classes(
        self, labels: Sequence[Any], of_class: NDArray[Any], task: Task = "classification"
    ) -> TreeKernel:
        """Give the tree with other classes; ``of_class`` has the new one of each old one."""
        tree = cast("TreeKernel", self)
        rows = tree.distribution
        if rows is not None:
            sums = np.zeros((tree.n_nodes, len(labels)))
            np.add.at(sums.T, of_class, rows.T)
            rows = sums
        return tree.replace(
            classes=labels,
            leaf_class=np.where(tree.feature < 0, of_class[tree.leaf_class], -1),
            distribution=rows,
            task=task,
        )

    def decide_at(self, label: Any, probability: float) -> TreeKernel:
        """Give a tree of False, True: is the probability this or more? See ``Model.decide_at``."""
        tree = cast("TreeKernel", self)
        place, level = self.place_of(label), read_probability(probability)
        share = self.shares[:, place]
        return tree.replace(
            classes=(False, True),
            leaf_class=np.where(tree.feature < 0, share >= level * ROUNDING, -1),
            distribution=None,
        )

    def place_of(self, label: Any) -> int:
        """Give the position of a class; an error lists the classes that there are."""
        return place_of(cast("TreeKernel", self).classes, label)

    def risks(self, place: int) -> list[float]:
        """Give the different shares of a class in the leaves, rising: where ``decide_at`` changes.

        What differs by rounding alone is one share.
        """
        out: list[float] = []
        for share in np.unique(self.shares[cast("TreeKernel", self).feature < 0, place]).tolist():
            if out and share * ROUNDING <= out[-1]:
                out[-1] = share
            else:
                out.append(share)
        return out

    @cached_property
    def shares(self) -> Floats:
        """Nodes x classes: the share of each class among the training rows of each leaf."""
        tree = cast("TreeKernel", self)
        if tree.task == "regression":
            raise InvalidTree(
                "the tree says numbers, not shares of classes: use predict_interval(X), or "
                "discretize([level]) to decide at a level"
            )
        if tree.distribution is None:
            raise InvalidTree(
                "the tree does not say how many training rows of each class its leaves have, so "
                "there are no probabilities: read it from a scikit-learn or STreeD model, or give "
                "Tree(..., distribution=)"
            )
        total = tree.distribution.sum(axis=1, keepdims=True)
        leaf = (tree.feature < 0)[:, None]
        bad = leaf & ((total <= 0) | (tree.distribution < 0).any(axis=1, keepdims=True))
        if bad.any():
            raise InvalidTree(
                f"leaf {int(np.argmax(bad))} has no training rows, or less than none, so it has no "
                "probabilities: every leaf of distribution needs weights of at least 0 and a sum "
                "above"
            )
        shares: Floats = np.zeros_like(tree.distribution)
        np.divide(tree.distribution, total, out=shares, where=leaf)
        return shares


def place_of(classes: Sequence[Any], label: Any) -> int:
    """Give the position of a class; an error lists the classes that there are."""
    for i, own in enumerate(classes):
        if own == label and isinstance(own, bool) == isinstance(label, bool | np.bool_):
            return i
    raise InvalidTree(
        f"there is no class {label!r:.80}: the classes are {str(list(classes))[:200]}"
    )


def read_probability(probability: Any) -> float:
    """Check a probability."""
    if isinstance(probability, bool) or not isinstance(probability, int | float | np.number):
        raise ValueError(f"probability must be a number from 0 to 1, got {probability!r:.80}")
    if not 0 <= probability <= 1:
        raise ValueError(f"probability must be from 0 to 1, got {probability!r}")
    return float(probability)


def level_labels(levels: Sequence[float], labels: Sequence[Any] | None) -> Sequence[Any]:
    """Name the intervals between levels, or check the names that are given.

    Examples
    --------
    >>> level_labels([10.0, 20.0], None)
    ['at most 10', 'above 10 to 20', 'above 20']
    """
    if labels is None:
        text = [short_number(level) for level in levels]
        between = [f"above {low} to {high}" for low, high in pairwise(text)]
        return [f"at most {text[0]}", *between, f"above {text[-1]}"]
    if isinstance(labels, str) or len(labels) != len(levels) + 1:
        raise InvalidTree(
            f"{len(levels)} {'level cuts' if len(levels) == 1 else 'levels cut'} the numbers into "
            f"{len(levels) + 1} classes: give as many labels, got {labels!r:.80}"
        )
    return labels


def read_tolerance(tolerance: Any) -> float:
    """Check how wide an interval may be; the float is the decimal that it is written as."""
    if isinstance(tolerance, bool) or not isinstance(
        tolerance, int | float | np.integer | np.floating
    ):
        raise ValueError(f"tolerance must be a number of at least 0, got {tolerance!r:.80}")
    try:
        width = float(str(tolerance)) if isinstance(tolerance, np.floating) else float(tolerance)
    except OverflowError:
        width = math.inf
    if not 0 <= width < math.inf:
        raise ValueError(f"tolerance must be a finite number of at least 0, got {tolerance!r:.80}")
    if isinstance(tolerance, int | np.integer) and int(tolerance) != int(width):
        raise ValueError(
            f"tolerance is {int(tolerance)}, which float64 cannot hold: the nearest is {width:.0f}"
        )
    return width


def narrow(lower: Any, upper: Any, tolerance: float) -> NDArray[np.bool_]:
    """Tell which intervals are at most so wide, by the decimals that all three are written as.

    So 0.1 and 0.4 are within 0.3, though their floats are not. Where a number is NaN, none are.

    Examples
    --------
    >>> narrow([0.1, 0.1], [0.4, 0.4000000000000001], 0.3).tolist()
    [True, False]
    """
    from ..inputs import exact

    low, high = np.broadcast_arrays(
        np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    )
    with np.errstate(over="ignore", invalid="ignore"):
        apart = high - low
        out = np.asarray((apart <= tolerance) | (low == high))
        doubt = 4 * (np.spacing(np.maximum(np.abs(low), np.abs(high))) + np.spacing(tolerance))
        close = np.abs(apart - tolerance) <= doubt
    if close.any():  # floats may say something else than the decimals
        pairs, which = np.unique(
            np.stack([low[close], high[close]], axis=1), axis=0, return_inverse=True
        )
        most = exact(tolerance)
        own = np.array([exact(b) - exact(a) <= most for a, b in pairs.tolist()])
        out[close] = own[which.ravel()]
    return out


def interval_widths(lower: Any, upper: Any) -> Floats:
    """Give how wide intervals are, by the decimals of their ends; rounded up to a float.

    So a width is at most a float, as a decimal, exactly where the float that comes out is.

    Examples
    --------
    >>> interval_widths([0.1, 1.0], [0.4, 1.0]).tolist()
    [0.3, 0.0]
    """
    from ..inputs import exact

    low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        out = np.asarray(high - low)
    some = np.isfinite(out) & (out != 0)
    pairs, which = np.unique(np.stack([low[some], high[some]], axis=1), axis=0, return_inverse=True)
    own = []
    for a, b in pairs.tolist():
        apart = exact(b) - exact(a)
        width = float(apart)
        own.append(width if exact(width) >= apart else math.nextafter(width, math.inf))
    out[some] = np.array(own)[which.ravel()]
    return out


def near_numbers(numbers: Floats, tolerance: float) -> NDArray[np.int32]:
    """Give, for each of some rising numbers, the place of the last that is within so much of it.

    Examples
    --------
    >>> near_numbers(np.array([0.1, 0.4, 0.5]), 0.3).tolist()
    [1, 2, 2]
    """
    with np.errstate(over="ignore"):
        last = np.searchsorted(numbers, numbers + tolerance, side="right") - 1
    last = np.maximum(last, np.arange(len(numbers)))
    while True:  # the sum may be rounded to either side of a number
        after = np.minimum(last + 1, len(numbers) - 1)
        up = (after > last) & narrow(numbers, numbers[after], tolerance)
        down = ~narrow(numbers, numbers[last], tolerance)
        if not (up | down).any():
            return last.astype(np.int32)
        last = last + up - down


def midpoint(lower: Any, upper: Any) -> Floats:
    """Give the number in the middle of each interval, also where the sum of its ends is too large.

    Examples
    --------
    >>> midpoint([1.0, 1.5e308], [2.0, 1.7e308]).tolist()
    [1.5, 1.6e+308]
    """
    low, high = np.asarray(lower, dtype=np.float64), np.asarray(upper, dtype=np.float64)
    with np.errstate(over="ignore"):
        middle = (low + high) / 2
    return np.where(np.isinf(middle), low / 2 + high / 2, middle)


def read_levels(levels: Sequence[float]) -> list[float]:
    """Check the levels at which numbers are cut."""
    if isinstance(levels, str) or np.ndim(levels) != 1 or np.size(levels) == 0:
        raise InvalidTree(f"levels must be a list of at least one number, got {levels!r:.80}")
    for level in levels:
        if isinstance(level, bool) or not isinstance(level, int | float | np.number):
            raise InvalidTree(f"levels must be numbers, got {level!r:.80}")
        if not math.isfinite(level):
            raise InvalidTree(f"levels must be finite numbers, got {level!r}")
    at = [float(level) for level in levels]
    if any(low >= high for low, high in pairwise(at)):
        raise InvalidTree(f"levels must rise, got {at!r:.80}")
    return at
