"""How far numbers are from the truth, as people read it: text and Markdown.

In:  ``JudgedNumbers``: a ``Deviation`` and which rows it is about.
Out: text of a few lines, Markdown, or what JSON can hold.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...estimators import Deviation
from ...model import printable
from ..rules.text import escaped, wrapped
from .quality import HEAD

__all__ = ["JudgedNumbers", "deviation_as_markdown", "deviation_as_text"]


@dataclass(frozen=True)
class JudgedNumbers:
    """A deviation, of which rows ("test rows"), and more in a sentence; by fold the errors."""

    rows: str
    quality: Deviation
    note: str = ""
    errors: tuple[float, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Give everything as what JSON can hold."""
        out = {"of": self.rows, **self.quality.to_dict()}
        return {**out, "mean_absolute_errors": list(self.errors)} if self.errors else out


def _summary(judged: JudgedNumbers, show: Callable[[str], str] = str) -> str:
    """Say how far off the tree is, and how far always saying the mean would be."""
    found = judged.quality
    what = show(printable(judged.rows[:1].upper() + judged.rows[1:]))
    if found.absolute is None or found.mean is None:
        text = f"{what}: none has a number that can be compared."
    else:
        rows = "1 row" if found.n_rows == 1 else f"{found.n_rows:,} rows"
        text = (
            f"{what}: off by {found.absolute:.4g} on average over {rows} (root mean square "
            f"{found.root_mean_square:.4g}); always saying their mean, {found.mean:.4g}, would be "
            f"off by {found.absolute_of_mean:.4g} ({found.root_mean_square_of_mean:.4g})."
        )
    if n := found.n_undetermined:
        text += f" {n:,} more {'is' if n == 1 else 'are'} not determined, and left out."
    if n := found.n_unlabelled:
        text += f" {n:,} more without a number {'is' if n == 1 else 'are'} left out."
    if judged.errors:
        text += f" By fold {min(judged.errors):.4g} to {max(judged.errors):.4g}."
    return text + (f" {judged.note}" if judged.note else "")


def deviation_as_text(judged: Sequence[JudgedNumbers]) -> str:
    """Write a sentence per set of rows.

    Examples
    --------
    >>> found = Deviation((1.0, 2.0, 6.0), (1.5, 1.5, 6.0), 1)
    >>> print(deviation_as_text([JudgedNumbers("test rows", found)]).replace(" on average", ""))
    How well it predicts
    Test rows: off by 0.3333 over 3 rows (root mean square 0.4082); always saying their mean,
      3, would be off by 2 (2.16). 1 more is not determined, and left out.
    """
    return f"{HEAD}\n" + "\n\n".join("\n".join(wrapped(_summary(one))) for one in judged)


def deviation_as_markdown(judged: Sequence[JudgedNumbers]) -> str:
    """Write a paragraph per set of rows."""
    return "\n\n".join([f"**{HEAD}**", *(_summary(one, escaped) for one in judged)])
