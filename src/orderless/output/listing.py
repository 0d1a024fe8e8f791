"""Listing: what every format shows of an order-free form, before it is written.

In:  a ``CanonicalForm``, rules or reasons, and data if there is some.
Out: ``Listing``: blocks of lines by class, with counts; conditions as pieces; the words above them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import InvalidData, InvalidTree, OutOfTime, TooManyReasons
from ..escapes import printable
from ..rows import is_unknown, read_rows
from ..space import Label
from ..term import Term
from ..words import label_text

if TYPE_CHECKING:
    from ..canonical import CanonicalForm

__all__ = ["FAULTS", "TERMS", "Block", "Line", "Listing", "Terms", "list_terms"]

Terms = Literal["rules", "reasons"]
TERMS = ("rules", "reasons")

# Why rules may not be at hand. Each says what to do.
FAULTS = (TooManyReasons, OutOfTime, InvalidTree)


@dataclass(frozen=True, slots=True)
class Line:
    """One rule or reason: how many rows it covers, and how many of those have its class."""

    term: Term
    rows: int | None = None
    right: int | None = None

    @property
    def share(self) -> str:
        """Give the share of covered rows with its class; all and none are said only if exact."""
        if not self.rows or self.right is None:
            return ""
        percent = round(100 * self.right / self.rows)
        if percent == 100 and self.right < self.rows:
            return ">99%"
        return "<1%" if percent == 0 and self.right else f"{percent}%"


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one class; ``bound`` is how many rules it needs at least."""

    label: Label
    lines: tuple[Line, ...]
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """Rules or reasons by class, with the number of rows and whether their labels are known.

    ``about_rows`` says in words which rows they are; it follows what the counts are.
    """

    terms: Terms
    blocks: tuple[Block, ...]
    n_rows: int | None = None
    labelled: bool = False
    about_rows: str = ""

    def count(self, n: int) -> str:
        """Write how many, as "1 rule" or "2 rules"."""
        return f"{n:,} {self.terms if n != 1 else self.terms[:-1]}"

    def head(self, show: Callable[[str], str] = str) -> str:
        """Say how many there are by class, and what is proven; ``show`` escapes the labels."""
        total = self.count(sum(len(block.lines) for block in self.blocks))
        proven = all(block.bound == len(block.lines) for block in self.blocks)
        state = ", all there are" if self.terms == "reasons" else ", proven minimal" * proven
        each = []
        for block in self.blocks:
            said = f"{len(block.lines):,} for {show(label_text(block.label))}"
            if self.terms == "rules" and not proven:
                least = block.bound or 0
                said += (
                    " (minimal)"
                    if least == len(block.lines)
                    else f" (at least {least:,} {'is' if least == 1 else 'are'} needed)"
                )
            each.append(said)
        return f"{total}{state}: {', '.join(each)}."

    def legend(self, show: Callable[[str], str] = str) -> list[str]:
        """Say what the counts are, and which rows these are; nothing without data."""
        if self.n_rows is None:
            return []
        rows = "1 row" if self.n_rows == 1 else f"{self.n_rows:,} rows"
        right = "; right: how many of those have its class" if self.labelled else ""
        counts = f"Rows: how many of the {rows} a {self.terms[:-1]} covers for certain{right}."
        return [counts, *([show(self.about_rows)] if self.about_rows else [])]


def list_terms(
    form: CanonicalForm, X: Any = None, y: Any = None, terms: str = "rules", about_rows: str = ""
) -> Listing:
    """Collect the rules or reasons of a form, counted over rows X with labels y if given.

    The rows are read once; the cost is terms x rows.
    """
    if terms not in TERMS:
        raise ValueError(f"terms={terms!r}: legal are {TERMS}")
    if X is None and y is not None:
        raise ValueError("got y without X: give the rows that it labels")
    if X is None and about_rows:
        raise ValueError("got about_rows without X: give the rows that it is about")
    found = form.rules if terms == "rules" else form.reasons
    bounds = form.bounds if terms == "rules" else {}
    kind: Terms = "rules" if terms == "rules" else "reasons"
    if X is None:
        blocks = [
            Block(label, tuple(Line(term) for term in own), bounds.get(label))
            for label, own in found.items()
        ]
        return Listing(kind, tuple(blocks))
    used = {name for own in found.values() for term in own for name in term.features}
    rows = read_rows(X, form.space, sorted(form.space.index(name) for name in used))
    labels = None if y is None else _read_labels(y, rows.n_rows, form.classes)
    blocks = []
    for label, own in found.items():
        right = None if labels is None else np.array([value == label for value in labels], bool)
        lines = []
        for term in own:
            inside = term.covers_rows(rows)
            hit = None if right is None else int((inside & right).sum())
            lines.append(Line(term, int(inside.sum()), hit))
        blocks.append(Block(label, tuple(lines), bounds.get(label)))
    return Listing(kind, tuple(blocks), rows.n_rows, labels is not None, printable(about_rows))


def _read_labels(y: Any, n_rows: int, classes: tuple[Label, ...]) -> list[Any]:
    labels = np.asarray(y, dtype=object)
    if labels.shape != (n_rows,):
        raise InvalidData(
            f"y has the shape {labels.shape}, X has {n_rows} rows: give one label per row"
        )
    out = [None if is_unknown(value) else value for value in labels]
    known = [value for value in out if value is not None]
    if known and not any(value == label for value in known for label in classes):
        raise InvalidData(
            f"y has labels like {known[0]!r:.80}, and none of the classes {list(classes)!r:.200}: "
            "give the labels that the tree was fitted on"
        )
    return out
