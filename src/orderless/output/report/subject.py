"""What a report is about, and what its sections are made of.

In:  a tree, rows, labels, costs.
Out: ``Subject``, ``Section``, and HTML that sections share, in which every name is escaped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import Any

from ...errors import OutOfTime, TooManyReasons
from ...estimators import Quality, judge
from ...form import CanonicalForm, canonicalize, smallest_tree
from ...model import Tree, label_text
from ..plots.drawing import DRAWN_LEAVES, tree_as_svg
from ..plots.palette import mark

__all__ = ["Section", "Subject", "count", "drawn", "scroll", "table"]

PRINTED_WIDTH = 1100  # pixels of a drawing whose letters can still be read on a sheet of paper


@dataclass(frozen=True)
class Section:
    """A part of the page; ``body`` is HTML."""

    id: str
    title: str
    lead: str
    body: str


@dataclass(frozen=True, eq=False)
class Subject:
    """What the report is about."""

    tree: Tree
    X: Any
    y: Any
    costs: Any = None
    about: dict[str, str] = field(default_factory=dict)
    about_rows: str = ""
    random_state: int = 0
    held_out: Mapping[str, Quality] = field(default_factory=dict)

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
    def smallest(self) -> Tree | None:
        """The smallest equivalent tree; None where that would take long."""
        try:
            return smallest_tree(self.tree)
        except (OutOfTime, TooManyReasons):
            return None

    @cached_property
    def quality(self) -> Quality:
        """How often the tree gives the label of the rows."""
        return judge(self.tree, self.X, self.y)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.X)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Write a table; numbers are set to the right, text is escaped."""
    body = "".join(
        "<tr>" + "".join(_cell(value, first=k == 0) for k, value in enumerate(row)) + "</tr>"
        for row in rows
    )
    top = "".join(
        f'<th scope="col"{"" if k == 0 else " class=n"}>{escape(name)}</th>'
        for k, name in enumerate(head)
    )
    return (
        f'<div class="scroll" tabindex="0"><table class="plain"><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _cell(value: Any, *, first: bool) -> str:
    text = escape(value if isinstance(value, str) else f"{value:,}")
    return f'<th scope="row">{text}</th>' if first else f"<td class=n>{text}</td>"


def drawn(subject: Subject, tree: Tree, marked: Sequence[int] = ()) -> str:
    """Draw a tree with a legend of its classes; as text where it is too large."""
    legend = " ".join(
        f'<span class="class"><span style="color:var(--class-{k % 10})">{mark(k)}</span> '
        f"<bdi>{escape(label_text(label))}</bdi></span>"
        for k, label in enumerate(tree.classes)
    )
    if tree.n_leaves > DRAWN_LEAVES:
        return (
            f"<p>With {tree.n_leaves:,} leaves it is too large to draw.</p><details><summary>"
            f"As text</summary><pre>{escape(str(tree))}</pre></details>"
        )
    picture = tree_as_svg(tree, subject.X, subject.y, marked=marked)
    width = float(re.search(r' width="([0-9.]+)"', picture)[1])  # type: ignore[index]
    if width <= PRINTED_WIDTH:  # shrinks a little to fit; its letters can still be read
        fitting = f'<svg style="max-width:100%;height:auto;min-width:{0.75 * width:.0f}px" '
        return f'<p class="quiet">{legend}</p>{scroll(picture.replace("<svg ", fitting, 1))}'
    # Nothing can be moved on paper, and little of it seen on a phone: there it is text.
    return (
        f'<p class="quiet">{legend}</p><div class="on-screen">{scroll(picture)}</div>'
        f'<pre class="on-paper" tabindex="0">{escape(str(tree))}</pre>'
    )


def scroll(inside: str) -> str:
    """Let what may be wider than the page be moved, with a keyboard too."""
    return f'<div class="scroll" tabindex="0">{inside}</div>'


def count(n: int, noun: str) -> str:
    """Write a number of things."""
    plural = {"leaf": "leaves"}.get(noun, f"{noun}s")
    return f"{n:,} {noun if n == 1 else plural}"
