"""Listing: what every format shows of an order-free form, before it is written.

In:  a ``CanonicalForm``, rules or reasons, and data if there is some.
Out: ``Listing``: blocks of lines by class, with counts; conditions as pieces; the words above them.
     Or records: one dict per rule or reason, for JSON and CSV.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidData, InvalidTree, OutOfTime, TooManyReasons
from ...form import Term
from ...inputs import is_unknown, number_array, read_rows
from ...model import ROUNDED, Label, Rows, amount, any_rounded, label_text, number_names, printable

if TYPE_CHECKING:
    from ...form import Form

__all__ = ["FAULTS", "SORTS", "TERMS", "Block", "Line", "Listing", "Shown", "Terms", "Word",
           "list_terms", "listing_records", "sentence"]  # fmt: skip

Terms = Literal["rules", "reasons"]
TERMS = ("rules", "reasons")
# A sentence in pieces: our own words, written as they are; labels, and text of others, are escaped.
Word = tuple[Literal["words", "label", "text"], str]
SORTS = ("coverage", "length")


class Shown(TypedDict, total=False):
    """What is shown of a form: the options that every format takes (``CanonicalForm.to_text``)."""

    terms: str
    about_rows: str
    sort: str | None
    top: int | None
    min_rows: int


# Why there may be no rules to show. Each error says what to do.
FAULTS = (TooManyReasons, OutOfTime, InvalidTree)


@dataclass(frozen=True, slots=True)
class Line:
    """One rule or reason: how many rows it covers, and how many of those have its class.

    ``labelled``: how many of those have any class; the share is of these. Of a rule that says a
    number: the mean of the numbers of those rows, and how far these are from the rule's, on
    average.
    """

    term: Term
    rows: int | None = None
    right: int | None = None
    mean: float | None = None
    error: float | None = None
    labelled: int | None = None

    @property
    def share(self) -> str:
        """Give the share of covered rows with its class; all and none are said only if exact."""
        n = self.rows if self.labelled is None else self.labelled
        if not n or self.right is None:
            return ""
        percent = round(100 * self.right / n)
        if percent == 100 and self.right < n:
            return ">99%"
        return "<1%" if percent == 0 and self.right else f"{percent}%"


@dataclass(frozen=True, slots=True)
class Block:
    """The lines of one class; ``bound`` is how many rules it needs at least.

    ``total`` is how many there are, shown or not.
    """

    label: Label
    lines: tuple[Line, ...]
    total: int
    bound: int | None = None


@dataclass(frozen=True)
class Listing:
    """Rules or reasons by class, with the number of rows and whether their labels are known.

    ``about_rows`` says in words which rows they are; it follows what the counts are. ``never`` are
    the classes that no row can get. ``hidden`` are the terms that there are and that are not shown.
    ``numbers`` says that the classes are those of a regression tree. ``n_unlabelled``: how many of
    the rows have no class, so that they say nothing for or against a term.
    """

    terms: Terms
    blocks: tuple[Block, ...]
    never: tuple[Label, ...] = ()
    n_rows: int | None = None
    labelled: bool = False
    about_rows: str = ""
    hidden: int = 0
    numbers: bool = False
    n_unlabelled: int = 0

    @cached_property
    def _names(self) -> dict[Label, str]:
        labels = [*(block.label for block in self.blocks), *self.never]
        return number_names(labels) if self.numbers else {}  # type: ignore[arg-type, return-value]

    def name(self, label: Label) -> str:
        """Write a class; a number with no more digits than tell all of them apart."""
        return self._names.get(label) or label_text(label)

    @property
    def counts(self) -> list[str]:
        """Give the heads of the columns with counts, as ``cells`` gives them for a line."""
        if self.n_rows is None:
            return []
        judged = ["mean", "error"] if self.numbers else ["right"]
        return ["rows", *(judged if self.labelled else [])]

    def cells(self, line: Line) -> list[str]:
        """Give what stands in the columns of ``counts``; a share follows what is right."""
        if line.rows is None:
            return []
        out = [f"{line.rows:,}"]
        if line.right is not None:
            out.append(f"{line.right:,}")
        elif self.labelled:
            shown = (line.mean, line.error)
            out += ["" if value is None else amount(value) for value in shown]
        return out

    def count(self, n: int) -> str:
        """Write how many, as "1 rule" or "2 rules"."""
        return f"{n:,} {self.terms if n != 1 else self.terms[:-1]}"

    def head(self) -> list[Word]:
        """Say how many there are by class, and what is proven."""
        total = self.count(sum(block.total for block in self.blocks))
        proven = all(block.bound == block.total for block in self.blocks)
        state = ", all there are" if self.terms == "reasons" else ", proven minimal" * proven
        if self.numbers and len(self.blocks) > 1:
            low, high = (self.name(self.blocks[i].label) for i in (0, -1))
            if self.terms == "rules" and not proven:
                state = f" (at least {sum(block.bound or 0 for block in self.blocks):,} are needed)"
            return [("words", f"{total}{state}, for {len(self.blocks):,} numbers from "),
                    ("label", low), ("words", " to "), ("label", high), ("words", ".")]  # fmt: skip
        out: list[Word] = [("words", f"{total}{state}: ")]
        for block in self.blocks:
            note = ""
            if self.terms == "rules" and not proven:
                least = block.bound or 0
                note = f" (at least {least:,} {'is' if least == 1 else 'are'} needed)"
                note = " (minimal)" if least == block.total else note
            end = "." if block is self.blocks[-1] else ", "
            out += [("words", f"{block.total:,} for "), ("label", self.name(block.label)),
                    ("words", f"{note}{end}")]  # fmt: skip
        return out

    def no_row(self) -> list[Word]:
        """Name the classes that no row can get; empty if there are none."""
        out: list[Word] = []
        for label in self.never:
            out += [("words", ", ")] * bool(out)
            out.append(("label", self.name(label)))
        return out

    def legend(self) -> list[list[Word]]:
        """Say what the counts are, and which rows these are; nothing without data."""
        out: list[list[Word]] = []
        if self.n_rows is not None:
            rows = "1 row" if self.n_rows == 1 else f"{self.n_rows:,} rows"
            judged = ("; mean: of the true numbers of those; error: how far they are from the "
                      f"{self.terms[:-1]}'s, on average" if self.numbers
                      else "; right: how many of those have its class")  # fmt: skip
            right = judged if self.labelled else ""
            one = self.terms[:-1]
            text = f"Rows: how many of the {rows} a {one} covers for certain{right}."
            if self.n_unlabelled:
                n = self.n_unlabelled
                text += (
                    f" {n:,} {'has' if n == 1 else 'have'} no class: the share is of the others."
                )
            out.append([("words", text)])
            out += [[("text", self.about_rows)]] * bool(self.about_rows)
        if any_rounded(self._names):
            out.append([("words", ROUNDED)])
        if self.hidden:
            out.append([("words", f"Not shown: {self.count(self.hidden)}.")])
        return out


def sentence(words: list[Word], show: Callable[[str], str] = str) -> str:
    """Write a sentence; ``show`` escapes labels, and text of others."""
    return "".join(text if kind == "words" else show(text) for kind, text in words)


def list_terms(
    form: Form,
    X: Any = None,
    y: Any = None,
    *,
    terms: str = "rules",
    about_rows: str = "",
    sort: str | None = None,
    top: int | None = None,
    min_rows: int = 0,
) -> Listing:
    """Collect the rules or reasons of a form, counted over rows X with labels y if given.

    ``CanonicalForm.to_text`` says what the options mean. The rows are read once; the cost is
    terms x rows.
    """
    _check(X, y, terms, about_rows, sort, top, min_rows)
    found = form.rules if terms == "rules" else form.reasons
    bounds = form.bounds if terms == "rules" else {}
    lines, n_rows, n_unlabelled = _counted(form, found, X, y)
    blocks = [Block(label, own, len(own), bounds.get(label)) for label, own in lines.items() if own]
    listing = Listing(
        "rules" if terms == "rules" else "reasons",
        tuple(blocks),
        tuple(label for label, own in lines.items() if not own),
        n_rows,
        y is not None,
        printable(about_rows),
        numbers=form.tree.task == "regression",
        n_unlabelled=n_unlabelled,
    )
    return _chosen(listing, sort or ("" if X is None else "coverage"), top, min_rows)


def _check(
    X: Any, y: Any, terms: str, about_rows: str, sort: str | None, top: int | None, min_rows: int
) -> None:
    if terms not in TERMS:
        raise ValueError(f"terms must be one of {TERMS}, got {terms!r}")
    if sort is not None and sort not in SORTS:
        raise ValueError(f"sort must be one of {SORTS}, got {sort!r}")
    if top is not None and top < 1:
        raise ValueError(f"top must be at least 1, got {top}")
    if X is not None:
        return
    for name, given in (("y", y is not None), ("about_rows", about_rows), ("min_rows", min_rows),
                        ("sort='coverage'", sort == "coverage")):  # fmt: skip
        if given:
            raise ValueError(f"got {name} without X: give the rows it is about")


def _counted(
    form: Form, found: dict[Label, tuple[Term, ...]], X: Any, y: Any
) -> tuple[dict[Label, tuple[Line, ...]], int | None, int]:
    """Give the lines of each class, with counts where there are rows, how many, and unlabelled."""
    if X is None:
        return {label: tuple(map(Line, own)) for label, own in found.items()}, None, 0
    used = {name for own in found.values() for term in own for name in term.features}
    at = sorted(form.space.index(name) for name in used)
    rows = X if isinstance(X, Rows) else read_rows(X, form.space, at)
    if y is not None and form.tree.task == "regression":
        return _against(found, rows, _read_numbers(y, rows.n_rows)), rows.n_rows, 0
    labels = None if y is None else _read_labels(y, rows.n_rows, form.classes)
    known = np.array([value is not None for value in labels or ()], dtype=bool)
    n_unlabelled = int((~known).sum())
    out = {}
    for label, terms in found.items():
        right = None if labels is None else np.array([value == label for value in labels], bool)
        lines = []
        for term in terms:
            inside = term.covers_rows(rows)
            hits = None if right is None else int((inside & right).sum())
            labelled = int((inside & known).sum()) if n_unlabelled else None
            lines.append(Line(term, int(inside.sum()), hits, labelled=labelled))
        out[label] = tuple(lines)
    return out, rows.n_rows, n_unlabelled


def _against(
    found: dict[Label, tuple[Term, ...]], rows: Rows, y: NDArray[np.float64]
) -> dict[Label, tuple[Line, ...]]:
    """Give the lines of each number, with the mean and the error over the rows they cover.

    Rows whose number is NaN have none.
    """
    known = ~np.isnan(y)
    out = {}
    for number, own in found.items():
        lines = []
        for term in own:
            covered = term.covers_rows(rows)
            inside = y[covered & known]
            n = len(inside)
            mean = math.fsum(inside / n) if n else None
            error = math.fsum(np.abs(inside - float(number)) / n) if n else None
            lines.append(Line(term, int(covered.sum()), None, mean, error))
        out[number] = tuple(lines)
    return out


def _read_numbers(y: Any, n_rows: int) -> NDArray[np.float64]:
    """Read numbers; NaN where a row has none."""
    given = np.asarray(y, dtype=object)
    if given.shape != (n_rows,):
        return number_array(y, n_rows)  # says what is wrong
    known = np.array([not is_unknown(value) for value in given], dtype=bool)
    out = np.full(n_rows, np.nan)
    out[known] = number_array(given[known].tolist(), int(known.sum()))
    return out


def _chosen(listing: Listing, sort: str, top: int | None, min_rows: int) -> Listing:
    """Sort the lines of each class, and hide those beyond ``top`` or below ``min_rows``.

    Lines that are equal in what is sorted by stay in the form's own order.
    """
    blocks = []
    for block in listing.blocks:
        lines = list(block.lines)
        if sort == "coverage":
            lines.sort(key=lambda line: -(line.rows or 0))
        elif sort == "length":
            lines.sort(key=lambda line: line.term.n_conditions)
        lines = [line for line in lines if (line.rows or 0) >= min_rows][:top]
        blocks.append(replace(block, lines=tuple(lines)))
    hidden = sum(block.total - len(block.lines) for block in blocks)
    return replace(listing, blocks=tuple(blocks), hidden=hidden)


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


def listing_records(listing: Listing) -> list[dict[str, Any]]:
    """Give each rule or reason as a dict, with counts where there are data.

    Examples
    --------
    >>> from orderless.form import canonical_form
    >>> form = canonical_form({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    >>> listing_records(list_terms(form))[0]
    {'class': 0, 'text': 'not x0', 'conditions': ['not x0'], 'n_conditions': 1}
    """
    out = []
    for block in listing.blocks:
        for line in block.lines:
            record: dict[str, Any] = {
                "number" if listing.numbers else "class": block.label,
                "text": str(line.term),
                "conditions": list(line.term.conditions),
                "n_conditions": line.term.n_conditions,
            }
            if line.rows is not None:
                record["rows"] = line.rows
            if line.right is not None:
                record["right"] = line.right
            if line.labelled is not None:
                record["labelled"] = line.labelled
            if listing.numbers and listing.labelled:
                record |= {"mean": line.mean, "error": line.error}
            out.append(record)
    return out
