"""One row, explained: what an explanation is made of, without facts and with them.

In:  a ``Tree``, the bins of its function, one row.
Out: ``Explanation``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import _core
from ..inputs import one_row, read_costs
from ..model import Bins, Box, Fact, Side, TreeKernel, in_budget, read_seconds, refuse_contradiction
from .completed import completed, read_one
from .explain import Costs, Explanation
from .function_tree import with_function_bins
from .possible_search import PossibleSearch
from .reasons import Form
from .row_search import RowSearch, read_row

__all__ = ["Asked", "explain_one", "explain_row"]


@dataclass(frozen=True)
class Asked:
    """What was asked, to be asked again."""

    tree: TreeKernel
    row: Any
    costs: Costs | None
    limit: int
    time_limit: float

    def with_facts(self, facts: Iterable[Fact | str]) -> Explanation:
        """Explain the row where more facts hold."""
        tree = self.tree.with_facts(facts)
        return explain_row(tree, tree.bins, self.row, costs=self.costs, limit=self.limit,
                           time_limit=self.time_limit)  # fmt: skip

    @in_budget
    def witness(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Give two completions with different answers, the least and the greatest one."""
        tree, one = self.tree, read_one(self.tree, self.row)
        leaves = np.array(list(tree.leaves()))[tree.reached_leaves(one.rows)[0].astype(bool)]
        label = tree.leaf_class[leaves]
        if label.min() == label.max():
            return None
        first, second = (
            completed(tree, one, _leaf_box(tree, int(leaves[at])))
            for at in (label.argmin(), label.argmax())
        )
        return first, second


def _leaf_box(tree: TreeKernel, leaf: int) -> dict[int, Side]:
    """Give what a leaf says of features, by their position."""
    nodes, slots = _core.bins.leaf_boxes(tree.bins.nodes, tree.bins.layout)
    (box,) = Box.of_slots(tree.bins, slots[np.asarray(nodes) == leaf])
    return {tree.space.index(side.feature.name): side for side in box.sides}


@in_budget
def explain_row(
    tree: TreeKernel,
    bins: Bins,
    row: Any,
    *,
    costs: Costs | None,
    limit: int,
    time_limit: float,
) -> Explanation:
    """Explain one row of a tree over the bins of its function; see ``Model.explain``."""
    if limit < 1:
        raise ValueError(f"limit={limit}: at least one reason must be allowed")
    space, time_limit = tree.space, read_seconds(time_limit)
    if costs is not None:
        read_costs(costs, space, tree.features)
    asked_again = Asked(tree, row, costs, limit, time_limit)
    search, cells, given = read_row(tree, bins, row, time_limit)
    if space.domain.restricts:
        assert given is not None  # the core reads no rows with facts
        refuse_contradiction(tree, given)
        if tree.possible is not None:
            facts = PossibleSearch(tree, given, time_limit)
            return Explanation(
                row=cells, label=facts.label, possible=facts.possible, unknown=facts.unknown,
                _space=space, _search=facts.search, _costs=costs, _limit=limit,
                _partly_known=facts.partly_known, _asked=facts.asked,
                interval=facts.interval, _facts=facts, _asked_again=asked_again,
            )  # fmt: skip
    possible = tuple([tree.classes[c] for c in search.possible])
    unsettled = search.unsettled
    unknown = tuple([bins.features[k].name for k in unsettled])
    partly_known = any(search.row[k] != search.full[k] for k in unsettled)
    asked = tuple([feature.name for feature in bins.features])
    interval = None
    if tree.task == "regression":
        interval = (float(min(possible)), float(max(possible)))
        bins = with_function_bins(tree.around(*interval)).bins
        search = RowSearch.of_rows(bins, given or one_row(cells, space, tree.used), time_limit)
    return Explanation(
        row=cells,
        label=possible[0] if len(possible) == 1 else None,
        possible=possible,
        unknown=unknown,
        _space=space,
        _search=search,
        _costs=costs,
        _limit=limit,
        _partly_known=partly_known,
        _asked=asked,
        interval=interval,
        _asked_again=asked_again,
    )


def explain_one(
    form: Form,
    row: Any,
    *,
    costs: Costs | None = None,
    limit: int = 10_000,
    time_limit: float | None = None,
) -> Explanation:
    """Explain one row of what a form decides; see ``Model.explain``."""
    seconds = form.time_limit if time_limit is None else time_limit
    return explain_row(form.tree, form.bins, row, costs=costs, limit=limit, time_limit=seconds)
