"""Proofs: a property of a model that holds for every row, or the rows that refute it.

In:  what was asked, and the rows that were found.
Out: ``Proof``: true or false, with the counterexample; as text, as columns and as data.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from ..inputs import column_value
from ..model import Label, Space, label_text, printable, short_number

__all__ = ["Proof", "differing", "plain_row", "value_text"]

LISTED = 8  # thresholds and rows that a text lists


@dataclass(frozen=True, eq=False, repr=False)
class Proof:
    """A property that is proven for all rows, or refuted by one or two of them.

    Made by the methods of ``orderless.prove(model)``. It is true if the property holds.

    Attributes
    ----------
    proven : bool
        Whether the property holds for every row; otherwise ``rows`` refutes it.
    claim : str
        The property in words.
    rows : tuple of dict
        The counterexample: none if the property is proven, one row, or two rows that differ only in
        the features that the property is about. Each has a value for every feature, and has been
        put through the model.
    answers : tuple
        What the model says of these rows; for ``same_as`` what each of the two models says of the
        row.
    near : tuple of str
        For ``stable``: every threshold at which a small change can change the answer; of an
        ensemble those that were found.
    at : tuple of int
        For ``stable`` with rows: the positions of the rows whose answer a small change can change.

    Examples
    --------
    >>> import orderless as ol
    >>> tree = ol.read({"feature": "age", "relation": "<=", "reference": 25,
    ...                 "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}},
    ...                feature_names=["age"])
    >>> found = ol.prove(tree).never("refuse", where={"age": (18, 30)})
    >>> bool(found), found.row, found.answers
    (False, {'age': 20.0}, ('refuse',))
    >>> print(found)
    where 18 <= age <= 30, the answer can be refuse, as for this row:
      age = 20: refuse
    >>> print(ol.prove(tree).never("refuse", where={"age": (26, None)}))
    Proven: where age >= 26, the answer is never refuse.
    """

    proven: bool
    claim: str
    rows: tuple[dict[str, Any], ...] = ()
    answers: tuple[Label, ...] = ()
    near: tuple[str, ...] = ()
    at: tuple[int, ...] = ()
    _space: Space | None = field(default=None, repr=False)
    _shown: tuple[str, ...] = field(default=(), repr=False)  # the features that matter
    _instead: str = field(default="", repr=False)  # a sentence: what is true where the claim is not

    def __bool__(self) -> bool:
        return self.proven

    @property
    def row(self) -> dict[str, Any] | None:
        """The first row of the counterexample; None if the property is proven."""
        return self.rows[0] if self.rows else None

    @property
    def columns(self) -> tuple[dict[str, Any], ...]:
        """The rows of the counterexample by column, as the model's own library takes them.

        They differ from ``rows`` where several columns describe one feature, as after one-hot
        encoding.
        """
        if self._space is None:
            return self.rows
        return tuple(
            {
                column.name: column_value(self._space, column, row[column.feature])
                for column in self._space.columns
            }
            for row in self.rows
        )

    def __str__(self) -> str:
        if self.proven:
            return f"Proven: {self.claim}."
        lines = [self._instead, *self._examples()]
        if self.near:
            more = f" and {len(self.near) - LISTED:,} more" if len(self.near) > LISTED else ""
            lines.append(f"The answer changes at {', '.join(self.near[:LISTED])}{more}.")
        if self.at:
            more = ", ..." if len(self.at) > LISTED else ""
            which = ", ".join(str(i) for i in self.at[:LISTED]) + more
            lines.append(f"It does so for {len(self.at):,} of the rows, counted from 0: {which}.")
        return "\n".join(lines)

    def _examples(self) -> list[str]:
        """Write the rows with all values: first those that differ, then those that matter."""
        if not self.rows:
            return []
        answers = [label_text(a) if isinstance(a, str) else f"{a}" for a in self.answers]
        if len(answers) > len(self.rows):
            answers = [f"this model says {answers[0]}, the other {answers[1]}"]
        changed = differing(self.rows)
        names = sorted(self.rows[-1], key=lambda n: (n not in changed, n not in self._shown))
        out = []
        for row, says in zip(self.rows, answers, strict=True):
            cells = (f"{printable(n)} = {value_text(row[n])}" for n in names if n in row)
            out.append(f"  {', '.join(cells)}: {says}")
        return out

    def __repr__(self) -> str:
        return (
            f"Proof(proven: {self.claim})"
            if self.proven
            else f"Proof(refuted: {self._instead[:-1]})"
        )

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{html.escape(line)}</p>" for line in str(self).splitlines())
        return f'<div class="orderless-proof">{lines}</div>'

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold."""
        out: dict[str, Any] = {"claim": self.claim, "proven": self.proven}
        if not self.proven:
            out["rows"] = [plain_row(row) for row in self.rows]
            out["answers"] = list(self.answers)
        if self.near:
            out["near"] = list(self.near)
        if self.at:
            out["at"] = list(self.at)
        return out


def differing(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Give the features in which a row differs from the one before it."""
    return [
        name for name in (rows[-1] if rows else ())
        if not all(_same(one.get(name), two.get(name)) for one, two in pairwise(rows))
    ]  # fmt: skip


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) or (a != a and b != b)


def value_text(value: Any) -> str:
    """Write the value of a row."""
    if isinstance(value, float) and math.isnan(value):
        return "missing"
    return short_number(value) if type(value) is float else label_text(value)


def plain_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give a row as JSON can hold it: what is missing as null, infinity as text."""
    out: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, float) and not math.isfinite(value):
            out[name] = None if math.isnan(value) else str(value)
        else:
            out[name] = value
    return out
