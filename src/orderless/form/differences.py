"""What changed between two models: the regions in which they differ, as rules, and the rows.

In:  two trees, over the same or different spaces, and rows if there are some.
Out: ``Difference``: for every pair of answers the fewest rules of the rows that go from one to the
     other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import OutOfTime, TooLarge, TooManyReasons
from ..inputs import rows_for
from ..model import TIME_LIMIT, Budget, Label, Space, TreeKernel, over_common_space
from .equivalence import cuts_by_feature, disagreement, round_alike
from .function_tree import canonical_tree, with_function_bins
from .leaf_table import LeafTable, example_row
from .possible_pairs import adjusted_row, is_possible, meeting_boxes
from .product import product_tree, shared_classes
from .reasons import (
    LIMIT,
    Rules,
    Subject,
    Term,
    all_reasons,
    irredundant_rules,
    leaf_rules,
    smallest_rules,
)
from .shifts import Difference, Shift, changed_rows

__all__ = ["Both", "tree_difference"]

GROWTH = 4  # times the nodes of both trees together that the canonical tree may have


def tree_difference(
    old: TreeKernel,
    new: TreeKernel,
    X: Any = None,
    *,
    limit: int = LIMIT,
    time_limit: float | None = TIME_LIMIT,
    exact: bool = True,
) -> Difference:
    """Account for the change from one tree to another; see ``orderless.difference``."""
    shared = over_common_space([old, new])
    product, pairs = product_tree(_with_all_features(shared, (old, new)))
    rules, proven, note = _rules(product, pairs, limit, time_limit, exact)
    met = _met(old, new, X)
    n_open = 0 if met is None else sum(a is None or b is None for a, b in met)
    shifts = _shifts(old, new, shared, pairs, rules)
    if not rules:
        rows = None if met is None else len(met)
        changed = changed_rows(met or [], ())
        return Difference(True, changed, old.task, 0.0, None, rows, n_open)
    return Difference(
        False,
        changed_rows(met or [], shifts),
        old.task,
        disagreement(old, new),
        _training(old, shared),
        None if met is None else len(met),
        n_open,
        proven,
        note,
    )


def _with_all_features(
    shared: Sequence[TreeKernel], trees: Sequence[TreeKernel]
) -> Sequence[TreeKernel]:
    """Give two trees over one space with the features that neither asks, too.

    Rows that a model takes have them, and the rules are put to such rows.
    """
    space = shared[0].space
    more = {f.name: f for tree in reversed(trees) for f in tree.space.features
            if f.name not in space}  # fmt: skip
    if not more:
        return shared
    wide = Space([*space.features, *more.values()], space.columns, facts=space.facts)
    return [tree.over(wide) for tree in shared]


def _met(
    old: TreeKernel, new: TreeKernel, X: Any
) -> list[tuple[Label | None, Label | None]] | None:
    """Ask both trees about every row."""
    if X is None:
        return None
    lists = []
    for tree, rows in zip((old, new), X if isinstance(X, Both) else (X, X), strict=True):
        codes = tree.decide(rows_for(tree, rows)).tolist()
        lists.append([None if code < 0 else tree.classes[code] for code in codes])
    return list(zip(*lists, strict=True))


class Both(tuple[Any, Any]):
    """The same rows, as each of two models reads them."""

    __slots__ = ()


# -- regions -------------------------------------------------------------------------------------


def _rules(
    product: TreeKernel,
    pairs: Sequence[tuple[int, int]],
    limit: int,
    time_limit: float | None,
    exact: bool,
) -> tuple[dict[tuple[int, int], tuple[Term, ...]], bool, str]:
    """Give the rules of every pair of answers, whether they are the fewest, and a note.

    All steps together take the time limit: half of it the fewest rules, a quarter of what is left
    the tree that depends on the function alone, and the rest any rules.
    """
    possible = product.possible
    labels = (product if possible is None else possible.tree).leaf_class
    there = set(labels.tolist()) - {-1, 0, len(pairs) + 1}
    if not there:
        return {}, True, ""
    budget = Budget(time_limit)
    subject = (
        Subject.of(with_function_bins(product).bins)
        if possible is None
        else Subject.of_possible(possible)
    )
    found = _fewest(subject, there, limit, Budget(budget.left / 2)) if exact else None
    note = ""
    if found is None:
        found, note = _any_rules(product, subject, there, budget)
    return {pairs[k - 1]: found[k].terms for k in sorted(there)}, not note, note


def _fewest(subject: Subject, there: set[int], limit: int, budget: Budget) -> list[Rules] | None:
    """Give the fewest rules of some classes; None where that takes too long."""
    try:
        with budget:
            reasons = all_reasons(subject, limit, there)
            found = [Rules((), 0)] * len(reasons)
            for k in sorted(there):
                found[k] = smallest_rules(subject, k, reasons[k])
    except (TooManyReasons, OutOfTime):
        return None  # which is said
    return found


def _any_rules(
    product: TreeKernel, subject: Subject, there: set[int], budget: Budget
) -> tuple[list[Rules], str]:
    """Give rules that may not be the fewest, and say what they are."""
    note = "The rules are not proven to be the fewest; none can be left out."
    if product.possible is None:
        try:
            with Budget(budget.left / 4):
                whole = canonical_tree(product, limit=GROWTH * product.n_nodes)
            subject = Subject.of(whole.bins)
        except (OutOfTime, TooLarge):
            note += " Other trees that decide the same may give other rules."
    try:
        found = [Rules((), 0)] * (max(there) + 1)
        with budget:
            for k in sorted(there):
                found[k] = irredundant_rules(subject, k)
    except OutOfTime:
        note = "The rules are as the two trees ask, one after the other: fewer may be enough."
        return leaf_rules(Subject.of(product.bins) if product.possible is None else subject), note
    return found, note


def _shifts(
    old: TreeKernel,
    new: TreeKernel,
    shared: Sequence[TreeKernel],
    pairs: Sequence[tuple[int, int]],
    rules: Mapping[tuple[int, int], tuple[Term, ...]],
) -> list[Shift]:
    cuts = cuts_by_feature(list(shared))
    alike = {f.name for f in shared[0].space.features if round_alike(f, (old, new))}
    named = list({f.name: f for tree in (old, new) for f in tree.space.features}.values())
    out = []
    for a, b in pairs:
        terms = rules.get((a, b))
        if terms is None:
            continue
        sides = {side.feature.name: side for side in terms[0].sides}
        whole = {f.name: f for f in shared[0].space.features}
        features = [whole.get(f.name, f) for f in named]
        row = example_row(features, sides, cuts, alike)
        knowledge = shared[0].space.domain
        if knowledge.restricts:  # the first rule that has a row satisfying the facts
            pair = (old.classes[a], new.classes[b])
            boxes = meeting_boxes(shared[0], shared[1], only=pair)
            inside = next(box for box in boxes if is_possible(knowledge, box))
            row = adjusted_row(knowledge, example_row(features, inside, cuts, alike), inside)
        out.append(Shift(old.classes[a], new.classes[b], terms, row))
    if old.task == "regression":
        out.sort(key=lambda shift: -abs(shift.by or 0.0))
    return out


def _training(old: TreeKernel, shared: Sequence[TreeKernel]) -> tuple[float, float] | None:
    """Give the ends of the share of the old tree's training rows that change, by its leaves."""
    if old.distribution is None:
        return None
    rows = old.distribution[old.feature < 0].sum(axis=1)
    if np.allclose(rows, 1.0) or not rows.sum() > 0:  # shares, which count no rows
        return None
    numbered = old.replace(classes=range(old.n_leaves), task="classification", distribution=None,
                           leaf_class=old.numbered_leaves.leaf_class)  # fmt: skip
    mine = LeafTable(numbered.over(shared[0].space), {})
    theirs = LeafTable(shared[1], {})
    answers = old.leaf_class[old.feature < 0]
    codes = shared_classes(shared)
    some, every = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    all_pairs = np.ones((old.n_leaves, len(shared[1].classes)), dtype=bool)
    for leaf, others in mine.pairs((), all_pairs, theirs):
        own = int(mine.label[leaf])
        differ = codes[1][theirs.label[others]] != codes[0][answers[own]]
        some[own], every[own] = bool(differ.any()), bool(differ.all())
    total = float(rows.sum())
    return float(rows[every].sum()) / total, float(rows[some].sum()) / total
