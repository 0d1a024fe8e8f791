"""What a report consists of: sections, and in them paragraphs, tables, drawings.

In:  words and numbers.
Out: values that ``template.html`` writes; ``kind`` says how. Text is escaped there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

__all__ = ["Details", "Drawing", "Facts", "Heading", "Html", "Paragraph", "Part", "Section",
           "Table", "TreeText", "count"]  # fmt: skip


@dataclass(frozen=True)
class Part:
    """One thing on the page."""

    kind: ClassVar[str]


@dataclass(frozen=True)
class Section:
    """A part of the page with a title; nothing of it is shown without a lead and parts."""

    id: str
    title: str
    lead: str
    parts: Sequence[Part] = ()


@dataclass(frozen=True)
class Paragraph(Part):
    """A sentence or two, and perhaps a command with what it does."""

    kind = "paragraph"
    text: str
    command: str = ""
    then: str = ""


@dataclass(frozen=True)
class Heading(Part):
    """The title of what follows."""

    kind = "heading"
    text: str


@dataclass(frozen=True)
class Table(Part):
    """A table; numbers get separators, and all columns but the first are set to the right."""

    kind = "table"
    head: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Facts(Part):
    """Names with what is said of them."""

    kind = "facts"
    facts: Mapping[str, str]


@dataclass(frozen=True)
class Html(Part):
    """HTML that another part of the library has made: a figure, or a listing that may be wide."""

    kind = "html"
    html: str
    wide: bool = False


@dataclass(frozen=True)
class Drawing(Part):
    """A tree as SVG, with the marks of its classes; as text where it is too wide to be read."""

    kind = "drawing"
    classes: Sequence[tuple[str, str]]  # mark and label
    picture: str
    width: float
    text: str


@dataclass(frozen=True)
class TreeText(Part):
    """A tree as text."""

    kind = "text"
    text: str


@dataclass(frozen=True)
class Details(Part):
    """What is shown on request."""

    kind = "details"
    summary: str
    parts: Sequence[Part]


def count(n: int, noun: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> count(1, "leaf"), count(2_000, "leaf"), count(0, "question")
    ('1 leaf', '2,000 leaves', '0 questions')
    """
    plural = {"leaf": "leaves"}.get(noun, f"{noun}s")
    return f"{n:,} {noun if n == 1 else plural}"
