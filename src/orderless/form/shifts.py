"""Differences as an account: which rows go from which answer to which, and how it is written.

In:  pairs of answers, each with its rules and rows.
Out: ``Shift``, ``Difference``: text, HTML and data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..model import Label, label_text, number_names, pieces, printable
from ..output.templates import fragment
from .proof import plain_row, value_text
from .reasons import Term

__all__ = ["Difference", "Shift", "changed_rows"]

LISTED = 20  # rows that a text names


@dataclass(frozen=True)
class Shift:
    """Rows to which the old model says one thing, and the new model another.

    Attributes
    ----------
    before, after
        What the old model says, and what the new one does.
    rules : tuple of Term
        The fewest boxes that hold exactly these rows. None where only rows of a table are known.
    example : dict or None
        One of these rows, with a value for every feature.
    at : tuple of int
        Positions of the rows of the table that are among them.
    """

    before: Label
    after: Label
    rules: tuple[Term, ...] | None = None
    example: dict[str, Any] | None = None
    at: tuple[int, ...] = ()

    @property
    def by(self) -> float | None:
        """How much larger the new number is; None if the answers are not numbers."""
        if isinstance(self.before, str | bool) or isinstance(self.after, str | bool):
            return None
        return float(self.after) - float(self.before)

    @property
    def example_text(self) -> str:
        """The example in words; empty where there is none."""
        cells = (self.example or {}).items()
        return ", ".join(f"{printable(name)} = {value_text(value)}" for name, value in cells)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold."""
        return {
            "before": self.before,
            "after": self.after,
            "by": self.by,
            "rules": None if self.rules is None else [term.to_dict() for term in self.rules],
            "texts": None if self.rules is None else [str(term) for term in self.rules],
            "example": None if self.example is None else plain_row(self.example),
            "at": list(self.at),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Difference:
    """The exact account of a change from one model to another. It is true if they differ.

    Made by ``orderless.difference``.

    Attributes
    ----------
    same : bool
        Whether both models give every row the same answer; this is proven.
    shifts : tuple of Shift
        By pair of answers, the rows that change: no row is in two of them.
    task : str
        "classification" or "regression".
    share_of_space : float or None
        On which share of the space the models differ, as ``orderless.disagreement`` gives it.
    training : tuple of float, or None
        Between which shares the training rows of the old model that change lie, by the rows that
        its leaves know of; None if they know none.
    n_rows : int or None
        Rows of the table; None without one.
    n_open : int
        Rows of the table that are not compared: one of the models has no certain answer for them.
    exact : bool
        Whether the rules are proven to be the fewest.
    note : str
        What kind of rules they are where they are not the fewest, or why there are none.
    """

    same: bool
    shifts: tuple[Shift, ...] = ()
    task: str = "classification"
    share_of_space: float | None = None
    training: tuple[float, float] | None = None
    n_rows: int | None = None
    n_open: int = 0
    exact: bool = True
    note: str = ""

    def __bool__(self) -> bool:
        return not self.same

    @property
    def at(self) -> tuple[int, ...]:
        """Positions of the rows of the table that change."""
        return tuple(sorted(i for shift in self.shifts for i in shift.at))

    @property
    def names(self) -> dict[Label, str]:
        """How the answers are written: labels, and numbers with no more digits than needed."""
        answers = [answer for shift in self.shifts for answer in (shift.before, shift.after)]
        if self.task == "regression":
            return dict(number_names([float(answer) for answer in answers]).items())
        return {answer: label_text(answer) for answer in answers}

    def head(self) -> list[str]:
        """Say in a few lines how much changes."""
        if self.same:
            return ["Both models give every row the same answer; this is proven."]
        share = self.share_of_space
        on = "" if share is None else f" on {_percent(share)} of the space"
        lines = [f"The models differ{on}."]
        if self.training is not None:
            low, high = self.training
            ends = _percent(low) if low == high else f"between {_percent(low)} and {_percent(high)}"
            lines.append(f"Of the old model's training rows {ends} change.")
        if self.n_rows is not None:
            have = "has" if self.n_open == 1 else "have"
            open_ = f"; {self.n_open:,} {have} no certain answer" if self.n_open else ""
            n = len(self.at)
            lines.append(f"Of the {self.n_rows:,} rows {n:,} change{'s' * (n == 1)}{open_}.")
        if self.task == "regression" and self.shifts:
            most = max((shift.by or 0.0 for shift in self.shifts), key=abs)
            lines.append(f"The largest change that is listed is {'+' * (most > 0)}{_short(most)}.")
        return [*lines, *([self.note] if self.note else [])]

    def __str__(self) -> str:
        names, lines = self.names, self.head()
        for shift in self.shifts:
            lines += ["", f"{self.title(shift, names)}:"]
            for term in shift.rules or ():
                lines.append(f"  {term}")
            if shift.at:
                more = ", ..." if len(shift.at) > LISTED else ""
                some = ", ".join(f"{i:,}" for i in shift.at[:LISTED])
                lines.append(f"  {len(shift.at):,} of the rows, counted from 0: {some}{more}")
            elif shift.rules is None and shift.example is not None:
                lines.append(f"  for example {shift.example_text}")
        return "\n".join(lines)

    def title(self, shift: Shift, names: Mapping[Label, str]) -> str:
        """Say from what to what a shift goes."""
        by = ""
        if self.task == "regression" and shift.by is not None:
            by = f" ({'+' if shift.by > 0 else ''}{_short(shift.by)})"
        return f"{names[shift.before]} -> {names[shift.after]}{by}"

    def __repr__(self) -> str:
        if self.same:
            return "Difference(none)"
        return f"Difference({len(self.shifts)} kinds of change)"

    def to_html(self) -> str:
        """Write it as an HTML fragment, with every name and label escaped."""
        names = self.names
        shifts = [
            {
                "title": self.title(shift, names),
                "rules": [
                    [list(pieces(side, len(term))) for side in term.sides]
                    for term in shift.rules or ()
                ],
                "known": shift.rules is not None,
                "rows": len(shift.at),
                "example": "" if shift.rules is not None or shift.at else shift.example_text,
            }
            for shift in self.shifts
        ]
        counted = self.n_rows is not None
        return fragment("rules/difference.html", head=self.head(), shifts=shifts, counted=counted)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold."""
        return {
            "same": self.same,
            "share_of_space": self.share_of_space,
            "training": None if self.training is None else list(self.training),
            "rows": self.n_rows,
            "rows_changed": None if self.n_rows is None else len(self.at),
            "rows_not_compared": self.n_open,
            "exact": self.exact,
            "note": self.note,
            "shifts": [shift.to_dict() for shift in self.shifts],
        }

    def to_json(self) -> str:
        """Write it as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def changed_rows(
    met: Sequence[tuple[Label | None, Label | None]], shifts: Iterable[Shift]
) -> tuple[Shift, ...]:
    """Put the rows of a table, as (before, after), to the shifts that they belong to.

    A row whose pair of answers no region has gets a shift without rules: a float64 that only one of
    the models rounds is no value that both have.
    """
    at: dict[tuple[Any, Any], list[int]] = {}
    for i, (before, after) in enumerate(met):
        if before is not None and after is not None and before != after:
            at.setdefault((before, after), []).append(i)
    out = [
        Shift(s.before, s.after, s.rules, s.example, tuple(at.pop((s.before, s.after), ())))
        for s in shifts
    ]
    out += [Shift(a, b, at=tuple(own)) for (a, b), own in sorted(at.items(), key=str)]
    return tuple(out)


def _percent(share: float) -> str:
    text = f"{100 * share:.3g} %"
    return text if share in (0.0, 1.0) or text not in ("0 %", "100 %") else f"{100 * share:.9g} %"


def _short(number: float) -> str:
    return f"{number:.6g}"
