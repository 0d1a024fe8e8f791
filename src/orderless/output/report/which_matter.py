"""The report's section on which features matter, over all orders of asking.

In:  ``Subject``.
Out: ``Section``.
Paper: Section 5.
"""

from __future__ import annotations

from ...errors import InvalidTree, TooManyBoxes
from ...importance import (
    ImportanceRange,
    importance_range,
    impurity_importance,
    permutation_importance,
)
from ...model import amount, short_count
from ..plots.drawing import DRAWN_LEAVES
from ..plots.measures import draw_importance
from .subject import Part, Section, Subject, Table, picture

__all__ = ["importance"]

MANY_BOXES = 25_000  # that the range over all orders may look at: about a second


def importance(subject: Subject) -> Section:
    """Draw impurity importance with its range over all orders, and the order-free importances."""
    title = "Which features matter"
    tree, rows, y = subject.tree, subject.rows, subject.y
    if not tree.features:
        return Section("importance", title, "The tree has no splits, so no feature matters.")
    if subject.known:
        return _without_shuffling(subject)
    shuffled = dict(zip(tree.space.names, permutation_importance(tree, rows, y), strict=True))
    kind = "variance" if subject.numbers else "Gini"
    lost = "squared error added" if subject.numbers else "accuracy lost"
    try:
        if tree.n_leaves > DRAWN_LEAVES:
            raise TooManyBoxes
        found = importance_range(tree, rows, y, limit=MANY_BOXES)
    except (InvalidTree, TooManyBoxes):
        own = dict(zip(tree.space.names, impurity_importance(tree, rows, y), strict=True))
        order = sorted(tree.features, key=lambda name: -own[name])
        lines = [(name, f"{own[name]:.3f}", _lost(subject, shuffled[name])) for name in order]
        return Section(
            "importance",
            title,
            f"Impurity ({kind}) importance depends on the order in which a tree asks. Its range "
            "over all orders is left out here, because too many trees decide the same as this one. "
            f"Permutation importance (the {lost} when a feature's values are shuffled) "
            "depends only on what the tree decides.",
            [Table(("feature", f"{kind}, this order", "permutation"), lines)],
        )
    return Section(
        "importance",
        title,
        f"Impurity ({kind}) importance depends on the order in which a tree asks. The range is "
        f"over all trees that decide the same without redundant splits: "
        f"{short_count(found.n_trees)} of them. Their mean, and permutation importance (the "
        f"{lost} when a feature's values are shuffled), depend only on what the tree decides.",
        _ranges(subject, found, shuffled, kind),
    )


def _without_shuffling(subject: Subject) -> Section:
    """Show what is left where facts hold: the importance of this one order."""
    tree = subject.tree
    kind = "variance" if subject.numbers else "Gini"
    own = impurity_importance(tree, subject.rows, subject.y)
    found = dict(zip(tree.space.names, own, strict=True))
    order = sorted(tree.features, key=lambda name: -found[name])
    lead = (
        f"Impurity ({kind}) importance depends on the order in which a tree asks. Its range over "
        "all orders is left out, because the trees that decide the same on the rows that satisfy "
        "the facts are not counted; so is permutation importance, because shuffled values would "
        "make rows that contradict the facts."
    )
    lines = [(name, f"{found[name]:.3f}") for name in order]
    return Section("importance", "Which features matter", lead, [
        Table(("feature", f"{kind}, this order"), lines)
    ])  # fmt: skip


def _lost(subject: Subject, value: float) -> str:
    return amount(value) if subject.numbers else f"{value:.3f}"


def _ranges(
    subject: Subject, found: ImportanceRange, shuffled: dict[str, float], kind: str
) -> list[Part]:
    """Draw the range of each feature, and write it beside the order-free importances."""
    at = {name: i for i, name in enumerate(found.features)}
    order = sorted(subject.tree.features, key=lambda name: -found.mean[at[name]])
    lines = [
        (
            name,
            f"{found.importance[at[name]]:.3f}",
            f"{found.low[at[name]]:.3f} to {found.high[at[name]]:.3f}",
            f"{found.mean[at[name]]:.3f}",
            _lost(subject, shuffled[name]),
        )
        for name in order
    ]
    parts: list[Part] = []
    alt = (
        "Impurity importance of each feature in this tree, with its smallest and largest value "
        "over all equivalent trees."
    )
    with picture(alt, parts, height=1.4 + 0.3 * len(order)) as ax:
        draw_importance(found, ax)
    head = ("feature", f"{kind}, this order", f"{kind}, all orders", "mean", "permutation")
    return [*parts, Table(head, lines)]
