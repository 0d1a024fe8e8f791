"""The report's section on how often the tree is right.

In:  ``Subject`` with labelled rows, and what was counted on held-out rows.
Out: ``Section``: per set of rows the confusion matrix, sensitivity and specificity.
"""

from __future__ import annotations

from html import escape

from ..rules.quality import HEAD, Judged, matrix, summary
from .subject import Section, Subject, table

__all__ = ["quality"]


def quality(subject: Subject) -> Section:
    """Show, class by class, how often the tree is right."""
    judged = [Judged("rows of this report", subject.quality)]
    judged += [Judged(name, found) for name, found in subject.held_out.items()]
    body = "".join(f"<p>{summary(one, escape)}</p>{table(*matrix(one.quality))}" for one in judged)
    lead = (
        "Each line is a true class: for how many of its rows the tree says which class. "
        "Sensitivity is the share of the class's rows for which the tree says it, specificity the "
        "share of all other rows for which it says some other class."
    )
    return Section("quality", HEAD, lead, body)
