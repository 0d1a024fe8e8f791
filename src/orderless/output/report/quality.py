"""The report's section on how often the tree is right.

In:  ``Subject`` with labelled rows, and what was counted on held-out rows.
Out: ``Section``: per set of rows the confusion matrix, sensitivity and specificity.
"""

from __future__ import annotations

from ..rules.quality import HEAD, Judged, matrix, summary
from .parts import Paragraph, Part, Section, Table
from .subject import Subject

__all__ = ["quality"]


def quality(subject: Subject) -> Section:
    """Show, class by class, how often the tree is right."""
    judged = [Judged("rows of this report", subject.quality)]
    judged += [Judged(name, found) for name, found in subject.held_out.items()]
    lead = (
        "Each line is a true class: it shows for how many of its rows the tree predicts each "
        "class. Sensitivity is the share of the class's rows for which the tree predicts this "
        "class; specificity is the share of all other rows for which it predicts another one."
    )
    parts: list[Part] = []
    for one in judged:
        parts += [Paragraph(summary(one)), Table(*matrix(one.quality))]
    return Section("quality", HEAD, lead, parts)
