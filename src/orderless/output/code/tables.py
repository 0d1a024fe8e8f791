"""Trees as tables over bins, as the code that we write in other languages reads them.

In:  trees over one space.
Out: plain data: dicts of features, lists of nodes. A feature's cuts are the largest numbers that a
     row may hold on their lower sides, with every bit, so nothing has to be rounded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...model import Feature, label_text, printable, refuse_facts, row_boundary, short_end

if TYPE_CHECKING:
    from ...model import TreeKernel

__all__ = ["cuts_of", "feature_table", "tree_tables"]


def tree_tables(
    tree: TreeKernel, *others: TreeKernel
) -> tuple[list[dict[str, Any]], list[list[list[Any]]]]:
    """Give the features of trees over one space, sorted by name, and the nodes of each tree.

    Bins are cut by all of the trees, so that one box serves for each. A leaf is [class]; any other
    node is [feature, test, where NaN goes, next node if the test holds, next node if not]; a test
    is the last bin that meets it, or the numbers of the categories.
    """
    trees = (tree, *others)
    refuse_facts(
        tree.space,
        "code in another language",
        why="it tells what is certain from each value by itself",
    )
    used = {i for one in trees for i in one.used}
    order = sorted(used, key=lambda i: tree.space.features[i].name)
    cuts = {i: cuts_of(trees, i) for i in order}
    features = [feature_table(tree.space.features[i], cuts[i]) for i in order]
    return features, [_nodes(one, order, cuts) for one in trees]


def cuts_of(trees: Sequence[TreeKernel], i: int) -> NDArray[np.float64]:
    """Give the finite thresholds of all trees on a feature, in order."""
    own = [tree.threshold[tree.feature == i] for tree in trees]
    found: NDArray[np.float64] = np.unique(np.concatenate(own))
    return found[np.isfinite(found)]


def feature_table(feature: Feature, cuts: NDArray[np.float64]) -> dict[str, Any]:
    """Give what a written program has to know of a feature."""
    kind = "integer" if feature.values == "integer" else feature.kind
    out = {
        "name": feature.name,
        "shown": printable(feature.name),
        "kind": kind,
        "nan": feature.nan,
    }
    if not feature.ordered:
        labels = [label_text(feature.label(code)) for code in range(feature.n_values)]
        return {**out, "values": list(feature.categories), "labels": labels, "other": feature.other}
    ends = row_boundary(cuts, feature.values) if feature.kind == "numeric" else cuts
    words = [short_end(cut, feature.values) for cut in cuts.tolist()]
    return {**out, "cuts": ends.tolist(), "words": words}


def _nodes(
    tree: TreeKernel, order: list[int], cuts: dict[int, NDArray[np.float64]]
) -> list[list[Any]]:
    place = {feature: k for k, feature in enumerate(order)}
    nodes: list[list[Any]] = []
    for node in range(tree.n_nodes):
        i = int(tree.feature[node])
        if i < 0:
            nodes.append([int(tree.leaf_class[node])])
            continue
        test: Any
        threshold = float(tree.threshold[node])
        if not tree.space.features[i].ordered:
            test = tree.set_of(node).tolist()
        elif threshold == -math.inf:
            test = -1
        else:
            test = int(np.searchsorted(cuts[i], threshold))
        way = [int(tree.when_true[node]), int(tree.when_false[node])]
        nodes.append([place[i], test, bool(tree.nan_true[node]), *way])
    return nodes
