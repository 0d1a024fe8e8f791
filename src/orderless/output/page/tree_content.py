"""What the page of one tree holds besides the form: its table, what to ask, and its numbers.

In:  a ``Tree``, and a policy or a width for what to ask.
Out: ``Written``, as for an ensemble.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import InvalidData, InvalidTree
from ...form import fingerprint
from ...model import TreeKernel, near_numbers, read_tolerance
from ...questions import counts_rows, equivalent
from ...readers import read_tree
from ..code.javascript import model_text
from ..code.tables import tree_tables
from .ensemble_content import Written

__all__ = ["written_tree"]

LIMIT = 1_000


def written_tree(
    tree: TreeKernel, policy: Any, tolerance: float | None, limit: int | None
) -> Written:
    """Give what the page has of a tree."""
    most = LIMIT if limit is None else limit
    if tree.n_leaves > most:
        raise InvalidTree(
            f"this tree has {tree.n_leaves:,} leaves and a page is written for at most "
            f"limit={most:,}: give tree.minimize(), use to_javascript(), or raise limit="
        )
    width = _width(tolerance, policy, tree)
    asked = [] if policy is None else [_policy_tree(policy, tree)]
    features, (nodes, *policies) = tree_tables(tree, *asked)
    own: dict[str, Any] = {
        "weights": _weights(tree),
        "policy": policies[0] if policies else None,
    }
    files = ["rows.js", "engine.js", "outcomes.js", "advice.js", "scale.js", "tree_page.js"]
    if tree.task == "regression":
        own["numbers"] = tree.numbers.tolist()
        if width is not None:  # by number the last that is near enough
            own |= {"within": width, "reach": near_numbers(tree.numbers, width).tolist()}
        files[2:2] = ["interval.js", "gauge.js"]
    return Written(
        features,
        model_text(tree, features, nodes),
        files,
        own,
        "What does the tree decide?",
        [
            "This page shows what the decision tree decides, and which answers are certain "
            "whatever the unknown values are. It does not say whether the tree is right."
        ],
        ("the function", fingerprint(tree)),
    )


def _width(given: Any, policy: Any, tree: TreeKernel) -> float | None:
    """Give how wide an interval may be: as it is given, or that of the policy."""
    own = getattr(policy, "tolerance", None)
    if given is None:
        return None if own is None else float(own)
    width = read_tolerance(given)
    if tree.task != "regression":
        raise InvalidTree(
            "tolerance is for trees that predict numbers, and this one has "
            f"{tree.classes_text[:200]}: leave it out"
        )
    if own is not None and width != own:
        raise InvalidData(
            f"the policy was made for tolerance={own:g}, and the page is to have "
            f"tolerance={width:g}: leave out tolerance=, or make the policy with "
            "cheapest_policy(tree, X, costs, tolerance=...)"
        )
    return width


def _policy_tree(policy: Any, tree: TreeKernel) -> TreeKernel:
    """Give the policy as a tree over the space of the tree that it belongs to."""
    to_tree = getattr(policy, "to_tree", None)
    own = read_tree(to_tree() if callable(to_tree) else policy).over(tree.space)
    # A policy for a width ends with intervals: its own tree has midpoints at its leaves.
    near = getattr(policy, "tolerance", None) is not None
    if not equivalent(read_tree(policy.tree).over(tree.space) if near else own, tree):
        raise InvalidTree(
            "the policy does not decide the same as the tree: give the policy made for it, "
            "cheapest_policy(tree, X, costs)"
        )
    return own


def _weights(tree: TreeKernel) -> list[float]:
    """Give per node one more than its training rows, where the tree counts them; else 1."""
    if tree.distribution is None:
        return [1] * tree.n_nodes
    counts = tree.distribution.sum(axis=1)
    leaves = tree.feature < 0
    if (counts < 0).any() or not counts_rows(tree):
        return [1] * tree.n_nodes
    return [float(n) for n in np.where(leaves, counts + 1, 0)]
