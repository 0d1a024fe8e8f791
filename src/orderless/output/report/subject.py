"""What a report is about: a tree and rows, each thing read and computed once.

In:  a tree, rows, labels, costs.
Out: ``Subject``, from which all sections are made.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...errors import OutOfTime, TooManyReasons
from ...estimators import Quality, judge
from ...form import CanonicalForm, canonicalize, redundant_splits, smallest_tree
from ...inputs import Rows
from ...model import Tree, label_text
from ..plots.drawing import DRAWN_LEAVES, tree_as_svg
from ..plots.look import mark
from .around import all_rows
from .parts import Details, Drawing, Paragraph, Part, TreeText

__all__ = ["Subject", "drawn"]


@dataclass(frozen=True, eq=False)
class Subject:
    """What the report is about; X only as it came, for its hash."""

    tree: Tree
    X: Any
    y: Any
    costs: Any = None
    about: dict[str, str] = field(default_factory=dict)
    about_rows: str = ""
    random_state: int = 0
    held_out: Mapping[str, Quality] = field(default_factory=dict)

    @cached_property
    def rows(self) -> Rows:
        """The rows as the core reads them: all features that there are."""
        return all_rows(self.tree, self.X)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.rows.n_rows

    @cached_property
    def form(self) -> CanonicalForm:
        """The order-free form; not proven minimal where that would take long."""
        form = canonicalize(self.tree)
        try:
            _ = form.rules
        except (OutOfTime, TooManyReasons):
            form = canonicalize(self.tree, exact=False)
        return form

    @cached_property
    def n_rules(self) -> int:
        """How many rules the form has."""
        return sum(map(len, self.form.rules.values()))

    @cached_property
    def smallest(self) -> Tree | None:
        """The smallest equivalent tree; None where that would take long."""
        try:
            return smallest_tree(self.tree)
        except (OutOfTime, TooManyReasons):
            return None

    @cached_property
    def redundant(self) -> tuple[int, ...] | None:
        """The redundant splits; None for a tree that is too large to draw."""
        return redundant_splits(self.tree) if self.tree.n_leaves <= DRAWN_LEAVES else None

    @cached_property
    def quality(self) -> Quality:
        """How often the tree gives the label of the rows."""
        return judge(self.tree, self.rows, self.y)


def drawn(subject: Subject, tree: Tree, marked: Sequence[int] = ()) -> list[Part]:
    """Draw a tree with a legend of its classes; as text where it is too large."""
    text = str(tree)
    if tree.n_leaves > DRAWN_LEAVES:
        return [
            Paragraph(f"With {tree.n_leaves:,} leaves it is too large to draw."),
            Details("As text", [TreeText(text)]),
        ]
    picture = tree_as_svg(tree, subject.rows, subject.y, marked=marked)
    width = float(re.search(r' width="([0-9.]+)"', picture)[1])  # type: ignore[index]
    classes = [(mark(k), label_text(label)) for k, label in enumerate(tree.classes)]
    return [Drawing(classes, picture, width, text)]
