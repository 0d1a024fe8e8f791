"""How often the tree is right: in short at the top of the report, and its section on that.

In:  ``Subject`` with labelled rows, and what was counted on held-out rows.
Out: sentences and numbers; ``Section``: per set of rows the confusion matrix, sensitivity and
     specificity.
"""

from __future__ import annotations

from ...estimators import Quality
from ...model import label_text
from ..rules.quality import HEAD, Judged, matrix, percent, summary as sentence
from .parts import Paragraph, Part, Section, Table
from .subject import Subject, count

__all__ = ["facts", "quality", "summary"]


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
        parts += [Paragraph(sentence(one)), Table(*matrix(one.quality))]
    return Section("quality", HEAD, lead, parts)


def summary(subject: Subject) -> str:
    """Say in a few sentences what the tree is, and how often it is right."""
    tree = subject.tree
    used = len(tree.features)
    most = subject.quality.majority
    usual = "" if most is None else (
        f"; always saying {label_text(most)} would be right for "
        f"{subject.quality.majority_share:.1%}"
    )  # fmt: skip
    return (
        f"A tree with {count(tree.n_leaves, 'leaf')} that asks about {count(used, 'feature')}. "
        f"Without the order of its questions, it comes down to {count(subject.n_rules, 'rule')}. "
        f"It gives the right class for {_right(subject.quality)} of the {subject.n_rows:,} rows"
        f"{usual}. {subject.about_rows}"
    ).rstrip()


def _right(found: Quality) -> str:
    return percent(found.n_right, found.n_rows)


def facts(subject: Subject) -> list[dict[str, str]]:
    """Give the numbers at the top of the page."""
    tree = subject.tree
    out = [
        (f"{tree.n_leaves}", "leaves"),
        (f"{tree.depth}", "questions at most"),
        (f"{subject.n_rules}", "rules"),
        (_right(subject.quality), "right on the data"),
    ]
    out += [(_right(found), f"right on {name}") for name, found in subject.held_out.items()]
    if subject.redundant is not None:
        out.insert(3, (f"{len(subject.redundant)}", "redundant splits"))
    return [{"number": number, "what": what} for number, what in out]
