"""Which feature to ask next: one question per undetermined row, the same everywhere.

In:  a ``Tree``, or anything that ``read_tree`` knows, and rows with unknown values.
Out: the name of one unknown feature per row that is not determined. SQL and polars expressions
     (``output/code/formula.py``) say the same, by the same definition.
Paper: goes beyond Section 6, which says whether a row is determined, not what to ask.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inputs import Rows, allowed_bins, distinct_rows, labels_like
from ..model import Bins, Tree
from ..readers import read_tree

__all__ = ["ask_next", "asked_features", "heights"]

MOST_CELLS = 50_000_000  # of a table of rows by bins at one time

Ints = NDArray[np.int32]


def ask_next(tree: Any, X: Any) -> Any:
    """Give, for each row that is not determined, an unknown feature whose value can matter.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    X : array, data frame, or list of dicts
        NaN, None, NA and null are unknown.

    Returns
    -------
    numpy.ma.MaskedArray, or a nullable Series when a data frame came in
        Names of features; masked where the row is determined.

    Notes
    -----
    Walk down the tree as far as the row answers. Where it does not: if one of the two sides is
    determined (all leaves that the row can reach there have one class), ask this node's feature;
    if neither is, go on in the side of lesser height (the ``when_true`` side if they are equal),
    with that answer taken for granted. So the feature that is asked always matters: for some values
    of the other unknowns, its value changes the class. It is a quick choice, linear in the nodes
    that a row can reach, and depends on the tree's order; ``missing_needed`` gives the smallest
    sets of questions, which do not. ``to_sql(needed="next")`` and ``to_polars(needed="next")`` make
    the same choice in expressions.

    Examples
    --------
    >>> tree = {"feature": 0, "true": {"feature": 1, "true": {"prediction": 1},
    ...         "false": {"prediction": 0}}, "false": {"prediction": 0}}
    >>> ask_next(tree, [[None, None], [1, None], [None, 0], [None, 1]]).tolist()
    ['x0', 'x1', None, 'x0']
    """
    tree = read_tree(tree)
    rows = tree.read(X)
    codes = np.full(rows.n_rows, -1, dtype=np.int32)
    open_rows = np.flatnonzero(tree.decide(rows) < 0)
    codes[open_rows] = asked_features(tree, rows, open_rows)
    return labels_like(X, np.array(tree.space.names), codes)


def asked_features(tree: Tree, rows: Rows, which: NDArray[np.intp]) -> Ints:
    """Give the positions of the features to ask in the space, for rows that are not determined."""
    out = np.full(len(which), -1, dtype=np.int32)
    if not len(which):
        return out
    bins = tree.bins
    asker = _Asker(bins)
    width = max(1, sum(bins.widths))
    step = max(1, MOST_CELLS // width)
    for start in range(0, len(which), step):
        part = which[start : start + step]
        here = rows.take(part)
        tables = [allowed_bins(bins, k, here) for k in range(len(bins.features))]
        boxes, of_row = distinct_rows(np.hstack(tables))
        out[start : start + step] = asker.ask(boxes)[of_row]
    return out


def heights(tree: Tree) -> Ints:
    """Give, per node, the conditions on the longest path below it."""
    out = np.zeros(tree.n_nodes, dtype=np.int32)
    order = [0]
    for node in order:  # grows while it is gone through: parents before children
        if tree.feature[node] >= 0:
            order += [int(tree.when_true[node]), int(tree.when_false[node])]
    for node in reversed(order):
        if tree.feature[node] >= 0:
            out[node] = 1 + max(out[tree.when_true[node]], out[tree.when_false[node]])
    return out


class _Asker:
    """Puts one question to each of many boxes, node by node and not box by box."""

    def __init__(self, bins: Bins) -> None:
        self.bins = bins
        self.height = heights(bins.tree).tolist()
        self.starts = np.concatenate([[0], np.cumsum(bins.widths)]).astype(int).tolist()
        tree = bins.tree
        self.feature = bins.nodes.feature.tolist()
        self.when_true, self.when_false = tree.when_true.tolist(), tree.when_false.tolist()
        self.label = tree.leaf_class.tolist()

    def ask(self, boxes: NDArray[np.bool_]) -> Ints:
        """Give the feature to ask by box; what is given for a determined box means nothing."""
        everywhere = [np.ones(width, dtype=bool) for width in self.bins.widths]
        # Down: which boxes can get to a node, and what its path leaves of each feature.
        todo: list[tuple[int, NDArray[np.intp], list[NDArray[np.bool_]]]] = [
            (0, np.arange(len(boxes)), everywhere)
        ]
        visits: list[tuple[int, NDArray[np.intp], list[int]]] = []
        slot: dict[int, int] = {}
        while todo:
            node, here, path = todo.pop()
            slot[node] = len(visits)
            k = self.feature[node]
            if k < 0:
                visits.append((node, here, []))
                continue
            children = [self.when_true[node], self.when_false[node]]
            visits.append((node, here, children))
            table = boxes[here, self.starts[k] : self.starts[k + 1]]
            holds = self.bins.holds(node)
            for child, side in zip(children, (path[k] & holds, path[k] & ~holds), strict=True):
                inside = here[(table & side).any(axis=1)]
                todo.append((child, inside, [*path[:k], side, *path[k + 1 :]]))
        # Up: the class and the question of every box at every node it can get to.
        done: list[tuple[Ints, Ints]] = [(np.zeros(0, np.int32),) * 2] * len(visits)
        for i in range(len(visits) - 1, -1, -1):
            node, here, children = visits[i]
            if not children:
                done[i] = (np.full(len(here), self.label[node], np.int32),
                           np.full(len(here), -1, np.int32))  # fmt: skip
                continue
            done[i] = self._merged(node, here, [(visits[slot[c]][1], done[slot[c]])
                                                for c in children])  # fmt: skip
            for child in children:
                done[slot[child]] = (np.zeros(0, np.int32),) * 2  # not needed any more
        return done[0][1]

    def _merged(
        self,
        node: int,
        here: NDArray[np.intp],
        children: list[tuple[NDArray[np.intp], tuple[Ints, Ints]]],
    ) -> tuple[Ints, Ints]:
        """Put the answers of the two sides together; -1 is "several classes", -2 "not there"."""
        codes, asked = [], []
        for inside, (code, question) in children:
            at = np.searchsorted(here, inside)  # both are sorted
            full = np.full((2, len(here)), -2, np.int32)
            full[0, at], full[1, at] = code, question
            codes.append(full[0])
            asked.append(full[1])
        yes, no = codes
        first = int(self.height[self.when_true[node]] > self.height[self.when_false[node]])
        code = np.where(yes == -2, no, np.where(no == -2, yes, np.where(yes == no, yes, -1)))
        both = np.where(
            (yes == -1) & (no == -1), asked[first], self.bins.positions[self.feature[node]]
        )
        question = np.where(yes == -2, asked[1], np.where(no == -2, asked[0], both))
        return code.astype(np.int32), question.astype(np.int32)
