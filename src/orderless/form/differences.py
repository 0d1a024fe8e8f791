"""What changed between two models: the regions in which they differ, as rules, and the rows.

In:  two trees, over the same or different spaces, and rows if there are some.
Out: ``Difference``: for every pair of answers the fewest rules of the rows that go from one to the
     other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import OutOfTime, TooLarge, TooManyReasons
from ..inputs import Rows
from ..model import Bins, Label, Tree, over_common_space
from .canonical import LIMIT, TIME_LIMIT
from .cover import Rules, all_reasons, irredundant_rules, leaf_rules, smallest_rules
from .equivalence import cuts_by_feature, disagreement, round_alike, shared_classes
from .function_tree import canonical_tree, with_function_bins
from .leaf_table import LeafTable, example_row
from .shifts import Difference, Shift, changed_rows
from .term import Term

__all__ = ["Both", "tree_difference"]

MOST_NODES = 5_000_000
GROWTH = 4  # times the nodes of both trees together that the canonical tree may have


def tree_difference(
    old: Tree,
    new: Tree,
    X: Any = None,
    *,
    limit: int = LIMIT,
    time_limit: float = TIME_LIMIT,
    exact: bool = True,
) -> Difference:
    """Account for the change from one tree to another; see ``orderless.difference``."""
    shared = over_common_space([old, new])
    product, pairs = _product(shared)
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


def _met(old: Tree, new: Tree, X: Any) -> list[tuple[Label | None, Label | None]] | None:
    """Ask both trees about every row."""
    if X is None:
        return None
    lists = []
    for tree, rows in zip((old, new), X if isinstance(X, Both) else (X, X), strict=True):
        codes = tree.decide(rows if isinstance(rows, Rows) else tree.read(rows)).tolist()
        lists.append([None if code < 0 else tree.classes[code] for code in codes])
    return list(zip(*lists, strict=True))


class Both(tuple[Any, Any]):
    """The same rows, as each of two models reads them."""

    __slots__ = ()


# -- regions -------------------------------------------------------------------------------------


def _product(shared: Sequence[Tree]) -> tuple[Tree, list[tuple[int, int]]]:
    """Ask both trees one after the other; class 0 where they agree, else the pair of answers.

    The second tree is put at every leaf of the first, and what no row reaches is dropped.
    """
    old, new = shared
    inner = np.flatnonzero(old.feature >= 0)
    leaves = np.flatnonzero(old.feature < 0)
    n_new = new.n_nodes
    size = len(inner) + len(leaves) * n_new
    if size > MOST_NODES:
        raise TooLarge(
            f"the two trees together have {size:,} regions to look at, and at most {MOST_NODES:,} "
            "are: compare smaller trees, or ask counterexample and disagreement",
            size,
        )
    place = np.zeros(old.n_nodes + 1, dtype=np.int64)
    place[inner] = np.arange(len(inner))
    starts = len(inner) + np.arange(len(leaves)) * n_new
    place[leaves] = starts

    def moved(own: NDArray[np.int32]) -> NDArray[np.int64]:
        copies = np.where(own >= 0, own + starts[:, None], -1).ravel()
        return copies.astype(np.int64)

    codes = shared_classes(shared)
    pairs, table = _pairs(old, new, codes)
    label = table[old.leaf_class[leaves][:, None], new.leaf_class[None, :]]
    label = np.where(new.feature[None, :] < 0, label, -1).ravel()
    sets = {int(place[node]): old.set_of(node).tolist() for node in inner.tolist()
            if len(old.set_of(node))}  # fmt: skip
    own_sets = {n: new.set_of(n).tolist() for n in range(n_new) if len(new.set_of(n))}
    for start in starts.tolist() if own_sets else []:
        sets |= {start + node: values for node, values in own_sets.items()}
    times = len(leaves)
    product = Tree(
        old.space,
        range(len(pairs) + 1),
        feature=np.concatenate([old.feature[inner], np.tile(new.feature, times)]),
        threshold=np.concatenate([old.threshold[inner], np.tile(new.threshold, times)]),
        when_true=np.concatenate([place[old.when_true[inner]], moved(new.when_true)]),
        when_false=np.concatenate([place[old.when_false[inner]], moved(new.when_false)]),
        leaf_class=np.concatenate([np.full(len(inner), -1), label]),
        nan_true=np.concatenate([old.nan_true[inner], np.tile(new.nan_true, times)]),
        sets=sets,
    )
    return product, pairs


def _pairs(
    old: Tree, new: Tree, codes: Sequence[NDArray[np.int32]]
) -> tuple[list[tuple[int, int]], NDArray[np.int64]]:
    """Give the pairs of answers that differ, and their numbers, from 1; 0 where they agree."""
    mine, theirs = (np.unique(tree.leaf_class[tree.feature < 0]).tolist() for tree in (old, new))
    pairs = [(a, b) for a in mine for b in theirs if codes[0][a] != codes[1][b]]
    table = np.zeros((len(old.classes), len(new.classes)), dtype=np.int64)
    for k, (a, b) in enumerate(pairs, 1):
        table[a, b] = k
    return pairs, table


def _rules(
    product: Tree, pairs: Sequence[tuple[int, int]], limit: int, time_limit: float, exact: bool
) -> tuple[dict[tuple[int, int], tuple[Term, ...]], bool, str]:
    """Give the rules of every pair of answers, whether they are the fewest, and a note.

    All steps together take the time limit: half of it the fewest rules, a quarter of what is left
    the tree that depends on the function alone, and the rest any rules.
    """
    there = set(product.leaf_class[product.feature < 0].tolist()) - {0}
    if not there:
        return {}, True, ""
    end = monotonic() + time_limit
    bins = with_function_bins(product).bins
    found = _fewest(bins, there, limit, end - time_limit / 2) if exact else None
    note = ""
    if found is None:
        found, note = _any_rules(product, bins, there, end)
    return {pairs[k - 1]: found[k].terms for k in sorted(there)}, not note, note


def _fewest(bins: Bins, there: set[int], limit: int, end: float) -> list[Rules] | None:
    """Give the fewest rules of some classes; None where that takes too long."""
    try:
        reasons = all_reasons(bins, limit, _left(end), there)
        found = [Rules((), 0)] * len(reasons)
        for k in sorted(there):
            found[k] = smallest_rules(bins, reasons, _left(end), {k})[k]
    except (TooManyReasons, OutOfTime):
        return None  # which is said
    return found


def _any_rules(product: Tree, bins: Bins, there: set[int], end: float) -> tuple[list[Rules], str]:
    """Give rules that may not be the fewest, and say what they are."""
    note = "The rules are not proven to be the fewest; none can be left out."
    try:
        bins = canonical_tree(
            product, time_limit=_left(end) / 4, limit=GROWTH * product.n_nodes
        ).bins
    except (OutOfTime, TooLarge):
        note += " Other trees that decide the same may give other rules."
    try:
        found = [Rules((), 0)] * (max(there) + 1)
        for k in sorted(there):
            found[k] = irredundant_rules(bins, _left(end), {k})[k]
    except OutOfTime:
        note = "The rules are as the two trees ask, one after the other: fewer may be enough."
        return leaf_rules(product.bins), note
    return found, note


def _left(end: float) -> float:
    """Give the seconds that are left."""
    return max(end - monotonic(), 1e-9)


def _shifts(
    old: Tree,
    new: Tree,
    shared: Sequence[Tree],
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
        out.append(Shift(old.classes[a], new.classes[b], terms, row))
    if old.task == "regression":
        out.sort(key=lambda shift: -abs(shift.by or 0.0))
    return out


def _training(old: Tree, shared: Sequence[Tree]) -> tuple[float, float] | None:
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
