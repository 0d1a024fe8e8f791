"""Where two sets of trees differ, and why: TreeFARMS' floats against exact arithmetic.

In:  a set (a list from TreeFARMS, say) and the exact set of the same problem.
Out: ``Differences``: each tree that only one of them has, with the reason.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..api import Tree
from ..errors import InvalidData, TooLarge

if TYPE_CHECKING:
    import pandas as pd

    from .tree_set import TreeSet

__all__ = ["Differences", "differences"]

NEAR = Fraction(1, 10**6)  # what float32 cannot tell apart, at objectives below 1
REASONS = {
    "on the bound": "its objective is exactly the bound, which floats decide by chance",
    "near the bound": "its objective is so close to the bound that float32 decides by chance",
    "trivial": "it has a split of two leaves with equal label, and the other set has no such tree",
    "trivial filter": "it is inside the bound without trivial splits, and was lost with them: "
    "TreeFARMS' filter does that where regularization x rows is a whole number",
    "reference": "its objective is above the bound of the exact set: the best tree of the other "
    "set, from which its bound is counted, is not optimal",
    "above the bound": "its objective is above the bound",
    "too deep": "it is deeper than the exact set's max_depth",
    "another label": "a leaf predicts a class that is not the heaviest there, or no row reaches a "
    "side of a split",
    "another number": "a leaf predicts another number than the mean (rounded to the exact set's "
    "decimals) or the lower median of its rows, or no row reaches a side of a split",
    "another condition": "one of its conditions is not a column of the exact set",
    "unexplained": "none of the known reasons",
}


@dataclass(frozen=True, eq=False)
class Differences:
    """The trees that only one of two sets has. Made by ``TreeSet.differences``.

    Attributes
    ----------
    missing : list of (Tree, str)
        In the exact set, and not in the other: the tree and the reason.
    extra : list of (Tree, str)
        In the other set, and not in the exact one.
    """

    missing: list[tuple[Tree, str]] = field(repr=False)
    extra: list[tuple[Tree, str]] = field(repr=False)

    def __bool__(self) -> bool:
        return bool(self.missing or self.extra)

    @property
    def table(self) -> pd.DataFrame:
        """Numbers of trees by side ("missing", "extra") and reason, with the reason in words."""
        import pandas as pd

        rows = []
        for side, trees in (("missing", self.missing), ("extra", self.extra)):
            counts = Counter(reason for _, reason in trees)
            rows += [[side, reason, n, REASONS[reason]] for reason, n in sorted(counts.items())]
        return pd.DataFrame(rows, columns=["side", "reason", "trees", "meaning"])

    def __repr__(self) -> str:
        counts = [f"{n} {side} ({reason})" for side, reason, n, _ in self.table.itertuples(False)]
        return f"Differences({', '.join(counts) or 'none'})"


def differences(other: TreeSet, exact: TreeSet, limit: int) -> Differences:
    """Compare tree by tree. Cost: the trees of both."""
    for trees in (other, exact):
        if trees.n_trees > limit:
            raise TooLarge(
                f"one set has {trees.n_trees:,} trees, more than limit={limit:,}: raise limit=, or "
                "compare views",
                trees.n_trees,
            )
    if other._has_numbers != exact._has_numbers:
        raise InvalidData(
            "one set is of task='regression' and the other of task='classification': compare sets "
            "of one task"
        )
    # A leaf's label among equally heavy classes may differ; trees are compared as they are.
    filtered = other.n_trees == other.n_nontrivial
    missing = [(tree, _why_missing(tree, filtered, exact)) for tree in exact if tree not in other]
    extra = [(tree, _why_extra(tree, other, exact)) for tree in other if tree not in exact]
    return Differences(missing, extra)


def _objective(tree: Tree, trees: TreeSet) -> Fraction:
    """Evaluate a tree on a set's training rows."""
    problem = trees._problem
    flat = problem.columns.flatten(tree.kernel, problem.classes)
    if flat is None:
        return Fraction(10**9)  # one of its conditions is not a column
    errors = problem.errors_of(flat)
    return problem.objective(int(problem.cost(errors, flat.n_leaves)[0]))


def _why_missing(tree: Tree, filtered: bool, exact: TreeSet) -> str:
    objective = _objective(tree, exact)
    flat: Any = exact._problem.columns.flatten(tree.kernel, exact._problem.classes)
    if not flat.nontrivial[0] and filtered:
        return "trivial"
    if objective == exact.bound:
        return "on the bound"
    if exact.bound - objective < NEAR:
        return "near the bound"
    if exact._has_numbers:
        return "unexplained"
    rows = Fraction(exact._problem.total_weight, exact._problem.weight_scale)
    if filtered and (exact._problem.rules.regularization * rows).denominator == 1:
        return "trivial filter"
    return "unexplained"


def _why_extra(tree: Tree, other: TreeSet, exact: TreeSet) -> str:
    if tree.depth > exact._problem.rules.max_depth:
        return "too deep"
    if exact._has_numbers:  # its numbers need not be among those of the exact set
        if exact._problem.columns.flatten(tree.kernel, tree.classes) is None:
            return "another condition"
        objective, label = _objective(tree, other), "another number"
    else:
        objective, label = _objective(tree, exact), "another label"
    if objective <= exact.bound:
        return label
    if objective - exact.bound < NEAR:
        return "near the bound"
    return "reference" if other.objective > exact.objective else "above the bound"
