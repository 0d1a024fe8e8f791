"""Impurity importance over every order of asking: all trees that are the same function.

In:  a tree, and complete rows with labels.
Out: ``ImportanceRange``: by feature the smallest, largest and mean importance.
Paper: Section 5.1; docs/decisions/0007 says which trees are looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidTree, TooManyBoxes, setting
from ..inputs import some_names
from ..model import TreeKernel, refuse_facts, short_count
from ..readers import read_tree
from .impurity import Criterion, check_criterion, in_units, raw_importance, row_sums
from .rows import WeightedRows

if TYPE_CHECKING:
    import pandas as pd

    from .._core.importance import Orders

__all__ = ["ImportanceRange", "importance_range"]

LIMIT = 300_000
CRITERIA = {"gini": 0, "entropy": 1, "variance": 2}

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class ImportanceRange:
    """Impurity importance over all equivalent trees. Made by ``importance_range``.

    ``found["age"]`` is the smallest and the largest importance of a feature; so is ``found[0]``,
    by position.

    Attributes
    ----------
    features : tuple of str
        The features of the tree's space, in its order.
    importance : array
        By feature, in the given tree.
    low, high : array
        By feature, the smallest and the largest of all equivalent trees. Each is reached by some
        tree, not all of them by one.
    mean : array
        By feature, the mean over the equivalent trees. Normalised it is a ratio of means, the
        mean importance divided by the mean of the sum over the features, and not the mean of the
        trees' own shares. It depends on the function and the rows only.
    n_trees : int
        How many equivalent trees there are, exactly.
    criterion : str
    normalized : bool
    irredundant : bool
        Whether the given tree is one of them. If not, some split of it makes no difference
        where it is asked, and its own importance can lie outside of the range.
    n_boxes : int
        Boxes looked at, what ``limit`` limits.
    """

    features: tuple[str, ...]
    importance: Floats
    low: Floats
    high: Floats
    mean: Floats
    n_trees: int
    criterion: str
    normalized: bool
    irredundant: bool
    n_boxes: int = field(compare=False)

    def __post_init__(self) -> None:
        for values in (self.importance, self.low, self.high, self.mean):
            values.setflags(write=False)

    @property
    def table(self) -> pd.DataFrame:
        """By feature: ``importance`` (of the given tree), ``min``, ``max`` and ``mean``."""
        import pandas as pd

        columns = {
            "feature": list(self.features),
            "importance": self.importance,
            "min": self.low,
            "max": self.high,
            "mean": self.mean,
        }
        return pd.DataFrame(columns)

    def __len__(self) -> int:
        return len(self.features)

    def __getitem__(self, feature: str | int) -> tuple[float, float]:
        if isinstance(feature, str):
            if feature not in self.features:
                raise KeyError(
                    f"no feature {feature!r:.80}: the tree's space has {some_names(self.features)}"
                )
            feature = self.features.index(feature)
        return float(self.low[feature]), float(self.high[feature])

    def __repr__(self) -> str:
        trees = "1 tree" if self.n_trees == 1 else f"{short_count(self.n_trees)} equivalent trees"
        lines = [f"ImportanceRange({self.criterion}, {trees})"]
        shown = [i for i in np.argsort(-self.mean, kind="stable") if self._matters(i)]
        width = max([7, *(len(self.features[i]) for i in shown)])
        if shown:
            lines.append(f"{'feature':<{width}}  this tree    min    max   mean")
        for i in shown:
            numbers = (self.importance[i], self.low[i], self.high[i], self.mean[i])
            cells = "".join(f"{n:{w}.3f}" for n, w in zip(numbers, (11, 7, 7, 7), strict=True))
            lines.append(f"{self.features[i]:<{width}}{cells}")
        rest = len(self.features) - len(shown)
        if rest:
            lines.append(f"0 in every tree: {rest} feature{'s' if rest > 1 else ''}")
        if not self.irredundant:
            lines.append("This tree has redundant splits, so it can lie outside of the range.")
        return "\n".join(lines)

    def _matters(self, i: int) -> bool:
        return bool(self.importance[i] > 0 or self.high[i] > 0)

    def plot(self, ax: Any = None, *, most: int = 20) -> Any:
        """Draw each feature's range as a bar, with its mean and the given tree; give the Axes.

        At ``most`` so many features, the most important by their mean. Without ``ax`` a new figure.
        """
        from ..output.plots import draw_importance

        return draw_importance(self, ax, most=most)


def importance_range(
    tree: Any,
    X: Any,
    y: ArrayLike,
    *,
    criterion: Criterion | None = None,
    sample_weight: ArrayLike | None = None,
    normalize: bool = True,
    limit: int = LIMIT,
) -> ImportanceRange:
    r"""Return the range of each feature's impurity importance over all equivalent trees.

    Equivalent trees decide alike and split the credit differently (the paper's Section 5.1). This
    looks at every tree that is the same function and has no redundant split. It gives the smallest,
    the largest and the mean importance of each feature: exactly, by dynamic programming over boxes.

    Parameters
    ----------
    tree, X, y, criterion, sample_weight
        As for ``impurity_importance``.
    normalize : bool
        Whether importances are divided by their sum over the features, as scikit-learn does; see
        Notes.
    limit : int
        How many boxes may be looked at.

    Returns
    -------
    ImportanceRange

    Raises
    ------
    TooManyBoxes
        Where there are more boxes than ``limit``.
    InvalidTree
        Where a categorical feature has more than 12 groups of values that the function tells
        apart, or a path can have more than 500 conditions.

    Notes
    -----
    *Which trees.* All trees for the function whose every split makes a difference in the box in
    which it is asked: the function changes, somewhere in the box, from just below the threshold to
    just above it; a set of categories never parts values that the function does not tell apart in
    the box. So no branch is dead, no split has sides that decide alike, and the thresholds are
    those at which the function changes, all of them thresholds of the tree. Which rows there are
    does not matter for that: a split that all rows of a box answer alike is allowed and gains 0.
    Trees count as different if they ask differently somewhere; swapping "yes" and "no" is not
    asking differently.

    *Normalised.* The sum over the features is the impurity at the root less that of the leaves.
    Where leaves are not pure it differs between equivalent trees, because their leaves do. A
    normalised importance is then a ratio of two sums over splits, and its extremes over all trees
    are found by Dinkelbach's way: the largest ratio is the r for which the largest value of
    (importance - r x sum) is 0, and each candidate takes one more pass over the boxes. A tree that
    gains nothing at all has normalised importances of 0, as in scikit-learn.

    Cost: boxes x conditions, once per feature for each of a few passes. The number of boxes can
    grow exponentially with the number of conditions; a box counts once for each different function
    left in it and set of rows that come to it. Counts of trees are exact; importances are doubles.

    Examples
    --------
    An AND of two bits: which one is twice as important depends on the order alone.

    >>> import orderless as ol
    >>> tree = ol.read({"feature": "x1", "true": {"feature": "x2", "true": {"prediction": 1},
    ...     "false": {"prediction": 0}}, "false": {"prediction": 0}}, feature_names=["x1", "x2"])
    >>> ol.importance_range(tree, [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    ImportanceRange(gini, 2 equivalent trees)
    feature  this tree    min    max   mean
    x1           0.333  0.333  0.667  0.500
    x2           0.667  0.333  0.667  0.500
    """
    if limit < 1:
        raise ValueError(f"limit must be at least 1 (box), got {limit}")
    source = read_tree(tree)
    refuse_facts(
        source.space,
        "importance_range",
        why="more trees are equivalent then than it goes through",
    )
    criterion = check_criterion(source, criterion)
    data = WeightedRows.read(source, X, sample_weight)
    sums, unit = row_sums(data, y)
    cells, cell_sums = _distinct(data.table, sums)
    orders = _all_orders(data, cells, cell_sums, criterion, limit)
    this_tree = raw_importance(data, sums, criterion)
    by_bins = (orders.low, orders.high, orders.mean, orders.share_low, orders.share_high)
    low, high, mean, share_low, share_high = (_by_feature(data, values) for values in by_bins)
    total = float(data.weight.sum())
    if normalize:
        this_tree = this_tree / this_tree.sum() if this_tree.sum() > 0 else this_tree
        mean = mean / mean.sum() if mean.sum() > 0 else mean
        low, high = share_low, share_high
    else:
        low, high, mean = (in_units(values / total, unit) for values in (low, high, mean))
        this_tree = in_units(this_tree, unit)
    return ImportanceRange(
        source.space.names,
        this_tree,
        low,
        high,
        mean,
        int.from_bytes(orders.n_trees.tobytes(), "little"),
        criterion,
        bool(normalize),
        orders.irredundant,
        orders.n_states,
    )


def _all_orders(
    data: WeightedRows[TreeKernel],
    cells: NDArray[np.int32],
    sums: Floats,
    criterion: str,
    limit: int,
) -> Orders:
    """Look at all equivalent trees, or say why not."""
    try:
        return _core.importance.all_orders(
            data.bins.nodes, data.bins.layout, cells, sums, CRITERIA[criterion], limit
        )
    except _core.base.LimitReached:
        raise TooManyBoxes(
            f"there are more than {limit:,} boxes to look at: raise {setting('limit')}, or use a "
            "smaller tree"
        ) from None
    except _core.base.TooManySets:
        raise InvalidTree(
            "a categorical feature has more than 12 groups of values that the function tells "
            "apart, too many sets to ask for: use a smaller tree, or fewer categories"
        ) from None
    except _core.base.TooDeep:
        raise InvalidTree(
            "an equivalent tree can ask more than 500 conditions on one path, too many to look at: "
            "use a smaller tree"
        ) from None


def _by_feature(data: WeightedRows[TreeKernel], values: Floats) -> Floats:
    """Put values by feature of the bins at the places of the space."""
    out = np.zeros(len(data.tree.space))
    for feature, value in zip(data.bins.features, values.tolist(), strict=True):
        out[data.tree.space.index(feature.name)] = value
    return out


def _distinct(table: NDArray[np.int32], sums: Floats) -> tuple[NDArray[np.int32], Floats]:
    """Put rows of the same bins together; rows without weight do not matter."""
    there = sums.any(axis=1)
    table, sums = table[there], sums[there]
    if not table.shape[1]:
        return table[:1], sums.sum(axis=0, keepdims=True)
    cells, which = np.unique(table, axis=0, return_inverse=True)
    out = np.zeros((len(cells), sums.shape[1]))
    np.add.at(out, which.ravel(), sums)
    return np.ascontiguousarray(cells), out
