"""Which feature to ask next: one question per undetermined row, the same everywhere.

In:  a tree, and rows with unknown values.
Out: the name of one unknown feature per row that is not determined. SQL and expressions
     (``output/code/formula.py``) say the same, by the same definition.
Paper: goes beyond Section 6, which says whether a row is determined, not what to ask.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..inputs import labels_like, predict, rows_for
from ..model import Bins, Rows, Target, TreeKernel, allowed_bins, distinct_rows
from ..readers import read_tree

__all__ = ["ask_next", "asked_features", "heights"]

MOST_CELLS = 50_000_000  # of a table of rows by bins at one time

Ints = NDArray[np.int32]


def ask_next(tree: Any, X: Any, *, tolerance: float | None = None) -> Any:
    """Give a feature whose value can matter, for each row that is open; see ``Model.ask_next``.

    Walk down the tree as far as the row answers. Where it does not: if one of the two sides is
    determined (all leaves that the row can reach there have one class, or numbers that are near
    enough), ask this node's feature;
    if neither is, go on in the side of lesser height (the ``when_true`` side if they are equal),
    with that answer taken for granted. So the feature that is asked always matters: for some values
    of the other unknowns, its value changes the class. It is a quick choice, linear in the nodes
    that a row can reach, and depends on the tree's order; ``missing_needed`` gives the smallest
    sets of questions, which do not. ``to_sql(needed="next")`` and ``to_expression(needed="next")``
    make the same choice in expressions. With facts, what no possible completion of the row reaches
    is left out.
    """
    tree, target = read_tree(tree).with_tolerance(tolerance)
    rows = rows_for(tree, X)
    codes = np.full(rows.n_rows, -1, dtype=np.int32)
    if target.tolerance is None:
        open_rows = np.flatnonzero(tree.decide(rows) < 0)
    else:
        known = predict(tree, rows, tolerance=tolerance)
        open_rows = np.flatnonzero(np.ma.getmaskarray(known))
    codes[open_rows] = asked_features(tree, rows, open_rows, tolerance)
    return labels_like(X, np.array(tree.space.names), codes, name="ask_next")


def asked_features(
    tree: TreeKernel, rows: Rows, which: NDArray[np.intp], tolerance: float | None = None
) -> Ints:
    """Give the positions of the features to ask in the space, for rows that are not determined."""
    out = np.full(len(which), -1, dtype=np.int32)
    if not len(which):
        return out
    tree, target = tree.with_tolerance(tolerance)
    bins = tree.bins
    asker = _Asker(bins, target)
    width = max(1, sum(bins.widths) + tree.n_leaves * bool(tree.connected))
    step = max(1, MOST_CELLS // width)
    for start in range(0, len(which), step):
        part = which[start : start + step]
        here = rows.take(part)
        tables = [allowed_bins(bins, k, here) for k in range(len(bins.features))]
        if tree.connected:  # with facts, not every leaf whose box meets the row's is reached
            tables.append(tree.reached_leaves(here).astype(bool))
        boxes, of_row = distinct_rows(np.hstack(tables))
        out[start : start + step] = asker.ask(boxes)[of_row]
    return out


def heights(tree: TreeKernel) -> Ints:
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

    def __init__(self, bins: Bins, target: Target) -> None:
        self.bins, self.target = bins, target
        self.height = heights(bins.tree).tolist()
        self.starts = np.concatenate([[0], np.cumsum(bins.widths)]).astype(int).tolist()
        tree = bins.tree
        self.feature = bins.nodes.feature.tolist()
        self.when_true, self.when_false = tree.when_true.tolist(), tree.when_false.tolist()
        self.label = tree.leaf_class.tolist()
        self.leaf = {node: i for i, node in enumerate(tree.leaves())}

    def ask(self, boxes: NDArray[np.bool_]) -> Ints:
        """Give the feature to ask by box; what is given for a determined box means nothing.

        ``boxes``: rows x bins, and with facts the leaves that are possible behind them.
        """
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
        # Up: the first and the last class, and the question, of every box at every node it gets to.
        none = np.zeros((3, 0), np.int32)
        done: list[Ints] = [none] * len(visits)
        for i in range(len(visits) - 1, -1, -1):
            node, here, children = visits[i]
            if not children:
                done[i] = np.full((3, len(here)), self.label[node], np.int32)
                done[i][2] = -1
                if boxes.shape[1] > self.starts[-1]:
                    there = boxes[here, self.starts[-1] + self.leaf[node]]
                    done[i][:2, ~there] = -2
                continue
            done[i] = self._merged(node, here, [(visits[slot[c]][1], done[slot[c]])
                                                for c in children])  # fmt: skip
            for child in children:
                done[slot[child]] = none  # not needed any more
        asked: Ints = done[0][2]
        return asked

    def _merged(
        self, node: int, here: NDArray[np.intp], children: list[tuple[NDArray[np.intp], Ints]]
    ) -> Ints:
        """Put the answers of the two sides together; -2 is "not there"."""
        sides = []
        for inside, answer in children:
            full = np.full((3, len(here)), -2, np.int32)
            full[:, np.searchsorted(here, inside)] = answer  # both are sorted
            sides.append(full)
        (low_yes, high_yes, ask_yes), (low_no, high_no, ask_no) = yes, no = sides
        first = int(self.height[self.when_true[node]] > self.height[self.when_false[node]])
        only_no, only_yes = low_yes == -2, low_no == -2
        low = np.where(only_no, low_no, np.where(only_yes, low_yes, np.minimum(low_yes, low_no)))
        high = np.maximum(high_yes, high_no)
        open_ = self._open(low_yes, high_yes) & self._open(low_no, high_no)
        both = np.where(open_, (yes, no)[first][2],
                        self.bins.positions[self.feature[node]])  # fmt: skip
        question = np.where(only_no, ask_no, np.where(only_yes, ask_yes, both))
        return np.stack([low, high, question]).astype(np.int32)

    def _open(self, low: Ints, high: Ints) -> NDArray[np.bool_]:
        """Whether a box is there and not settled."""
        there = low >= 0
        return there & self.target.differ(np.where(there, low, 0), np.where(there, high, 0))
