"""What ``predict_file`` did, in numbers.

In:  counts.
Out: ``FilePrediction``; notes on categories that a tree does not know.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ...model import Label

__all__ = ["FilePrediction", "Unseen", "add_unseen", "unseen_notes"]

EXAMPLES = 3  # values of a column that are shown; no more are kept, since files can be huge


@dataclass(frozen=True, slots=True)
class Unseen:
    """Values of a column that its feature does not list: in how many rows, and the first few."""

    n_rows: int
    values: tuple[Label, ...]


def add_unseen(counts: dict[str, Unseen], column: str, cell: Label, n_rows: int) -> None:
    """Count a category that the tree does not know."""
    so_far = counts.get(column, Unseen(0, ()))
    examples = so_far.values
    if cell not in examples and len(examples) <= EXAMPLES:  # one more says that there are more
        examples = (*examples, cell)
    counts[column] = Unseen(so_far.n_rows + n_rows, examples)


def unseen_notes(counts: dict[str, Unseen]) -> list[str]:
    """Write one sentence for each column with unseen categories.

    Examples
    --------
    >>> unseen_notes({"ward": Unseen(2, ("south",))})
    ["2 rows taken as unknown in 'ward': the tree does not know 'south'"]
    """
    return [
        f"{one.n_rows:,} row{'s' * (one.n_rows != 1)} taken as unknown in {column!r:.80}: the "
        f"tree does not know {', '.join(f'{value!r:.40}' for value in one.values[:EXAMPLES])}"
        + " and others"
        * (len(one.values) > EXAMPLES)
        for column, one in counts.items()
    ]


@dataclass(frozen=True, slots=True)
class FilePrediction:
    """What was written: how many rows, and how many of them got each class for certain.

    ``unseen`` has the columns with categories that the tree does not know, which were taken as
    unknown.
    """

    target: Path | None
    n_rows: int
    counts: dict[Label, int]
    unseen: dict[str, Unseen] = field(default_factory=dict)

    @property
    def n_determined(self) -> int:
        """How many rows are determined."""
        return sum(self.counts.values())

    @property
    def summary(self) -> str:
        """How many rows are determined, in one line."""
        share = f" ({self.n_determined / self.n_rows:.1%})" if self.n_rows else ""
        ranked = sorted(self.counts.items(), key=lambda pair: -pair[1])
        each = ", ".join(f"{n:,} {label}" for label, n in ranked if n)
        said = f"{self.n_determined:,} of {self.n_rows:,} rows are determined{share}"
        return said + f": {each}" * bool(each)

    @property
    def notes(self) -> list[str]:
        """One sentence for each column with unseen categories."""
        return unseen_notes(self.unseen)

    def __str__(self) -> str:
        return "\n".join([self.summary, *self.notes])
