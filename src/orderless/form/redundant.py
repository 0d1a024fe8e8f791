"""Redundant splits: questions that a tree could leave out, one at a time.

In:  a ``Tree``.
Out: positions of its nodes.
"""

from __future__ import annotations

from typing import Any

from .. import _core
from ..errors import OutOfTime, setting
from ..model import refuse_facts
from ..readers import read_tree

__all__ = ["redundant_splits"]

TIME_LIMIT = 60.0


def redundant_splits(tree: Any, *, time_limit: float = TIME_LIMIT) -> tuple[int, ...]:
    """Find the splits that can be left out without changing what the tree decides.

    A split is redundant if the tree with one of the split's two sides in its place is the same
    function. The paper's "trivial" splits, two leaves of one class, are the plainest case. Each is
    tried by itself: when one is taken out, another may be needed.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    time_limit : float
        Seconds before ``OutOfTime`` is raised.

    Returns
    -------
    tuple of int
        Positions of nodes, in order. For the smallest tree that decides the same see
        ``smallest_tree``.

    Notes
    -----
    In the region of each split its two sides are compared, leaf by leaf, until two leaves differ:
    exact, and quick as a rule. At worst it takes as many steps per split as pairs of leaves meet.

    Examples
    --------
    >>> from orderless import read_tree
    >>> tree = read_tree({"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1,
    ...                   "true": {"prediction": 0}, "false": {"prediction": 0}}})
    >>> print(tree)
    not x0?
      yes: not x1?
        yes: 0
        no:  0
      no:  1
    >>> [tree.condition(node) for node in redundant_splits(tree)]
    ['not x1']
    """
    if not time_limit > 0:
        raise ValueError(f"{setting('time_limit', time_limit)}: give seconds, more than 0")
    tree = read_tree(tree)
    refuse_facts(tree.space, "redundant_splits")
    try:
        found = _core.same.redundant_splits(tree.nodes, tree.space.domains, float(time_limit))
    except _core.base.TimeUp as fault:  # each split is compared from two sides
        raise OutOfTime(
            f"the {tree.n_nodes - tree.n_leaves:,} splits were not all compared in "
            f"{setting('time_limit', time_limit)} seconds (about {(fault.met + 1) // 2:,} were): "
            f"raise {setting('time_limit')}, or use a smaller tree"
        ) from None
    return tuple(found.tolist())
