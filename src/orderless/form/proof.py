"""Proofs: a property of a model that holds for every row, or the rows that refute it.

In:  what was asked, and the rows that were found.
Out: ``Proof``: true or false, with the counterexample; as text, as columns and as data.
"""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..inputs import column_value
from ..model import Label, Space, label_text, printable, short_number

__all__ = ["Proof", "plain_row", "value_text"]

LISTED = 8  # features that a text lists


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
        lines = [f"Refuted: {self.claim}."]
        if self.rows:
            lines.append(self._example())
        if self.near:
            more = f" and {len(self.near) - LISTED:,} more" if len(self.near) > LISTED else ""
            lines.append(f"The answer changes at {', '.join(self.near[:LISTED])}{more}.")
        if self.at:
            more = ", ..." if len(self.at) > LISTED else ""
            which = ", ".join(str(i) for i in self.at[:LISTED]) + more
            lines.append(f"It does so for {len(self.at):,} of the rows, counted from 0: {which}.")
        return "\n".join(lines)

    def _example(self) -> str:
        said = [label_text(a) if isinstance(a, str) else f"{a}" for a in self.answers]
        first = self.rows[0]
        names = [n for n in first if n in self._shown] or list(first)
        words = ", ".join(f"{printable(n)} = {value_text(first[n])}" for n in names[:LISTED])
        words += ", ..." if len(names) > LISTED else ""
        if len(self.rows) == 1 and len(said) == 2:
            return f"For example with {words}: this model says {said[0]}, the other {said[1]}."
        if len(self.rows) == 1:
            return f"For example with {words}: the answer is {said[0]}."
        second = self.rows[1]
        apart = [n for n in first if not _same(first[n], second[n])]
        changed = ", ".join(f"{printable(n)} = {value_text(second[n])}" for n in apart)
        return (
            f"For example with {words}: the answer is {said[0]}; with {changed} instead it is "
            f"{said[1]}."
        )

    def __repr__(self) -> str:
        state = "proven" if self.proven else "refuted"
        return f"Proof({state}: {self.claim})"

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
