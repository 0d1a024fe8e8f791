"""``Letter``: the principal reasons of one decision; as text, HTML and data.

In:  what ``write`` found out about one row.
Out: text, a page, and plain data. All that it says is about the model, and proven.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ...model import Label, label_text, printable
from ..templates import fragment, markup, render

__all__ = ["Letter", "Reason", "letters_as_page"]

NOT_ADVICE = (
    "This letter says how a model came to its answer. Each statement about the model has been "
    "proven for every possible row. It is not legal advice, and it does not say whether the law "
    "asks for other or further reasons."
)


@dataclass(frozen=True)
class Reason:
    """One principal reason.

    Attributes
    ----------
    code, text : str
        As the codes have them.
    features : tuple of str
        The features that it stands for.
    conditions : tuple of str
        What holds for them, in words.
    values : tuple
        The values of the row; None where it has none under the feature's name.
    necessary : bool
        Whether every sufficient reason has one of its features.
    margin : int
        How many thresholds of the model the row is from leaving the conditions, on the feature on
        which it is furthest; 1 for a category.
    """

    code: str
    text: str
    features: tuple[str, ...]
    conditions: tuple[str, ...]
    values: tuple[Any, ...]
    necessary: bool
    margin: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold."""
        return {
            "code": self.code,
            "text": self.text,
            "features": list(self.features),
            "conditions": list(self.conditions),
            "values": list(self.values),
            "necessary": self.necessary,
            "margin": self.margin,
        }


@dataclass(frozen=True)
class Letter:
    """The principal reasons of one decision. It is false where there is no letter to be sent.

    Made by ``orderless.reason_letters``.

    Attributes
    ----------
    decision
        The class; None where it is not certain.
    reasons : tuple of Reason
        The principal reasons, in their order.
    left_out : tuple of Reason
        Further reasons, in the same order, that are named and not explained. All of them together
        with ``reasons`` are enough for the decision; ``reasons`` alone need not be.
    not_needed : tuple of str
        Features whose values made no difference: with the conditions of the reason, the decision is
        the same whatever they are.
    unknown : tuple of str
        Features whose value was not known; the decision is the same whatever they are.
    changes : tuple of str
        What would change the decision, in sentences.
    n_ways : int
        How many ways to change it there are; ``changes`` may have fewer.
    why_not : str
        Why there is no letter; empty where there is one.
    name : str
        What the row is called.
    """

    decision: Label | None
    reasons: tuple[Reason, ...] = ()
    left_out: tuple[Reason, ...] = ()
    not_needed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    n_ways: int = 0
    why_not: str = ""
    name: str = ""

    def __bool__(self) -> bool:
        return not self.why_not

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the principal reasons, in their order."""
        return tuple(reason.code for reason in self.reasons)

    @property
    def n_more(self) -> int:
        """How many further reasons belong to the same sufficient reason and are left out."""
        return len(self.left_out)

    def _parts(self) -> list[tuple[str, list[str]]]:
        """Give what follows the reasons: headings with sentences."""
        out = []
        if self.left_out:
            named = "; ".join(f"[{reason.code}] {reason.text}" for reason in self.left_out)
            out.append(
                (f"The other {self.n_more:,}" if self.n_more > 1 else "The other one", [named])
            )
        if self.not_needed:
            out.append(("What made no difference", [", ".join(self.not_needed)]))
        if self.unknown:
            lead = "The decision is the same whatever they are: "
            out.append(("What was not known", [lead + ", ".join(self.unknown)]))
        if self.changes:
            more = self.n_ways - len(self.changes)
            lines = [*self.changes]
            if more:
                lines.append(f"There {'is' if more == 1 else 'are'} {more:,} more.")
            out.append(("What would change the decision", lines))
        elif self:
            none = "No change of the values that may change gives another decision."
            out.append(("What would change the decision", [none]))
        return out

    def _lead(self) -> str:
        if not self.reasons:
            return "The model gives this answer to every row; no value made a difference."
        if self.n_more:
            n = len(self.reasons)
            return (
                f"{n + self.n_more:,} reasons are enough together for the decision, whatever the "
                f"other values are. The {f'{n:,} that are' if n > 1 else 'one that is'} shown need "
                "not be enough without the others, which are named below:"
            )
        if len(self.reasons) == 1:
            return "This reason is enough for the decision, whatever the other values are:"
        return "These reasons are enough together for the decision, whatever the other values are:"

    def _items(self) -> list[tuple[Reason, list[str]]]:
        """Give each reason with what holds, in words."""
        out = []
        for reason in self.reasons:
            lines = []
            for condition, value in zip(reason.conditions, reason.values, strict=True):
                yours = "" if value is None else f" (here {label_text(value)})"
                lines.append(f"{condition}{yours}")
            if reason.necessary:
                lines.append("No explanation of this decision can do without it.")
            out.append((reason, lines))
        return out

    def to_text(self) -> str:
        """Write it as text."""
        head = [f"For: {self.name}"] if self.name else []
        if self.why_not:
            return "\n".join([*head, f"No letter: {self.why_not}"])
        lines = [*head, f"Decision: {label_text(_label(self.decision))}", "", self._lead()]
        for place, (reason, texts) in enumerate(self._items(), start=1):
            lines.append(f"  {place}. [{reason.code}] {reason.text}")
            lines += [f"     {text}" for text in texts]
        for title, texts in self._parts():
            lines += ["", f"{title}:", *(f"  {text}" for text in texts)]
        return "\n".join(printable(line) for line in [*lines, "", NOT_ADVICE])

    def __str__(self) -> str:
        return self.to_text()

    def _html(self) -> str:
        return fragment(
            "letter/letter.html", letter=self, decision=label_text(_label(self.decision)),
            lead=self._lead(), items=self._items(), parts=self._parts(), not_advice=NOT_ADVICE,
        )  # fmt: skip

    def _repr_html_(self) -> str:
        return self._html()

    def to_html(self) -> str:
        """Write it as a page of its own, which loads nothing from elsewhere."""
        return letters_as_page([self])

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold."""
        return {
            "name": self.name,
            "decision": self.decision,
            "why_not": self.why_not,
            "reasons": [reason.to_dict() for reason in self.reasons],
            "left_out": [reason.to_dict() for reason in self.left_out],
            "not_needed": list(self.not_needed),
            "unknown": list(self.unknown),
            "changes": list(self.changes),
            "ways_to_change": self.n_ways,
            "note": NOT_ADVICE,
        }

    def to_json(self) -> str:
        """Write it as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def _label(decision: Label | None) -> Label:
    return "" if decision is None else decision


def letters_as_page(letters: Iterable[Letter], title: str = "Reasons for a decision") -> str:
    """Write letters as one page; printed, each begins on a new sheet.

    Examples
    --------
    >>> letters_as_page([Letter("refuse")]).startswith("<!doctype html>")
    True
    """
    bodies: Sequence[Any] = [markup(letter._html()) for letter in letters]
    return render("letter/letter_page.html", bodies=bodies, title=title)
