"""The report's section on the Rashomon set around the tree.

In:  ``Subject``.
Out: ``Section``: how many trees are about as good, how many functions they are, and where this
     tree stands.
Paper: Section 4.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from ...errors import InvalidData, OutOfMemory, OutOfTime, TooLarge
from ...model import short_count
from ..plots.look import INK_ON_PAGE
from ..plots.rashomon import plot_objectives
from .around import EPSILON, REGULARIZATION, Around, around
from .figure import Picture
from .parts import Details, Section, Table, count
from .subject import Subject, drawn

__all__ = ["near"]

TITLE = "Trees that are about as good"
MOST_FUNCTIONS = 1_000_000


def near(subject: Subject) -> Section:
    """Count the near-optimal trees and functions, and place the tree among them."""
    try:
        found = around(subject.tree, subject.rows, subject.y)
    except (OutOfMemory, OutOfTime):
        lead = (
            f"Left out: there are too many trees of depth {subject.tree.depth} to look at within "
            "the time and memory of a report."
        )
        return Section("near", TITLE, lead)
    except (InvalidData, TooLarge) as fault:
        lead = f"Left out: {str(fault).split(': ')[0]}."
        return Section("near", TITLE, lead)
    trees = found.found
    try:
        functions = short_count(trees.count_distinct(limit=MOST_FUNCTIONS))
    except (OutOfMemory, OutOfTime, TooLarge):
        functions = f"more than {MOST_FUNCTIONS:,}, not counted"
    sizes = Table(
        (f"with an objective of at most {float(trees.bound):.4f}", "how many"),
        [
            ("trees", short_count(trees.n_trees)),
            ("trees without trivial splits", short_count(trees.n_nontrivial)),
            ("functions that differ", functions),
        ],
    )
    best = trees.best_tree.over(subject.tree.space)
    compared = Table(
        ("tree", "leaves", "wrong rows", "objective"),
        [
            _line("this tree", subject.tree.n_leaves, found.objective, found),
            *_smaller(subject, found),
            _line("a best tree", best.n_leaves, trees.objective, found),
        ],
    )
    picture = Picture(
        "How many trees have which objective, by number of leaves"
        + ("; a line shows where this tree stands." if found.inside else "."),
    )
    with picture as ax:
        _draw(ax, found)
    shown = Details("A best tree", drawn(subject, best))
    return Section("near", TITLE, _lead(found), [sizes, picture.part, compared, shown])


def _lead(found: Around) -> str:
    trees = found.found
    guessed = len(trees.columns) - found.n_own
    out = (
        f"A tree's objective is its share of wrong rows plus {float(REGULARIZATION):g} for each "
        f"leaf; smaller is better. Counted here are all trees of depth {trees.max_depth} or less "
        f"whose objective is within {float(EPSILON):g} of the best. They may ask the "
        f"{count(found.n_own, 'condition')} of this tree and {guessed:,} more, which threshold "
        f"guessing proposed{_from_rows(found)}. "
    )
    if not found.inside:
        beyond = float(found.objective - trees.bound)
        return f"{out}This tree is not among them: its objective is {beyond:.4f} too large."
    better = found.n_better
    if better == 0:
        return f"{out}This tree is among the best: none has a smaller objective."
    return (
        f"{out}This tree is among them: {short_count(better)} of the "
        f"{short_count(trees.n_trees)} have a smaller objective."
    )


def _from_rows(found: Around) -> str:
    if found.n_guessed_from in (0, found.n_rows):
        return ""
    return f" from {found.n_guessed_from:,} of the {found.n_rows:,} rows, drawn at random"


def _line(name: str, leaves: int, objective: Fraction, found: Around) -> tuple[Any, ...]:
    wrong = (objective - REGULARIZATION * leaves) * found.n_rows
    return name, leaves, int(wrong), f"{float(objective):.4f}"


def _smaller(subject: Subject, found: Around) -> list[tuple[Any, ...]]:
    """Give the line of the smallest equivalent tree, where it is smaller."""
    best = subject.smallest
    if best is None or best.n_leaves == subject.tree.n_leaves:
        return []
    less = REGULARIZATION * (subject.tree.n_leaves - best.n_leaves)
    return [
        _line(
            "the smallest tree that decides the same", best.n_leaves, found.objective - less, found
        )
    ]


def _draw(ax: Any, found: Around) -> None:
    plot_objectives(found.found, ax)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    if found.inside:
        at = float(found.objective)
        ax.axvline(at, color=INK_ON_PAGE, linewidth=1.4)
        ax.annotate("this tree", (at, ax.get_ylim()[1]), xytext=(4, -4), va="top", fontsize=9,
                    textcoords="offset points")  # fmt: skip
