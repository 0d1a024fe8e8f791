"""``report``: one self-contained page on one tree.

In:  a tree, and labelled rows.
Out: ``Report``: HTML that loads nothing from anywhere, in light and dark, on screen and paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ...errors import InvalidData
from ...estimators import Quality
from ...inputs import known_rows, write_whole
from ...model import label_text, printable, shown
from ...readers import read_tree
from ..plots.look import page_colours
from ..rules.quality import percent
from ..templates import fragment, markup
from . import sections
from .cheapest import cheapest
from .near import near
from .parts import Section, count
from .quality import quality
from .subject import Subject

__all__ = ["Report", "report"]


@dataclass(frozen=True)
class Report:
    """A page on one tree. Made by ``report``.

    Attributes
    ----------
    html : str
        The whole page.
    """

    html: str

    def save(self, path: str | Path) -> Path:
        """Write the page to a file, whole or not at all.

        Parameters
        ----------
        path : path

        Returns
        -------
        pathlib.Path
        """
        place = Path(path)
        write_whole(place, self.html)
        return place

    def __repr__(self) -> str:
        return f"Report({len(self.html):,} characters of HTML; save(path) writes it)"


def report(
    tree: Any,
    X: Any,
    y: Any,
    costs: Any = None,
    *,
    title: str = "What this decision tree decides",
    about: Mapping[str, str] | None = None,
    about_rows: str = "",
    random_state: int = 0,
    held_out: Mapping[str, Quality] | None = None,
) -> Report:
    """Write all that can be said about one tree on one page.

    The tree as it was given, how often it is right, its rules with coverage and accuracy, the
    reasons, redundant splits and the smallest equivalent tree, robustness to missing values, which
    features matter over all orders, the cheapest way to an answer (with costs), the trees that are
    about as good, and how it was made.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    X : rows
        Complete, as the tree takes them.
    y : labels
    costs : dict or array, optional
        What each feature costs: the page then shows the cheapest way to an answer.
    title : str
    about : mapping of text, optional
        More lines for "How this was made": where the data came from, parameters.
    about_rows : str
        Which rows these are, in a sentence, such as whether the tree was fitted on them; it stands
        at the top, beside the share of right answers, and with the rules.
    random_state : int
        For the values that are taken away.
    held_out : mapping of text to Quality, optional
        How the tree does on rows that it was not fitted on (``judge``), by what these are called:
        ``{"test rows": ol.judge(tree, X_test, y_test)}``.

    Returns
    -------
    Report
        The same input gives the same bytes, as long as no section runs out of time; one that does
        says that it is left out.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.RandomState(0).randint(2, size=(50, 2))
    >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1,
    ...         "true": {"prediction": 1}, "false": {"prediction": 0}}}
    >>> page = report(tree, X, X.max(axis=1))
    >>> page.html.startswith("<!DOCTYPE html>")
    True
    """
    told = {printable(str(key)): printable(str(value)) for key, value in (about or {}).items()}
    subject = Subject(
        read_tree(tree), X, y, costs, told, printable(about_rows), random_state,
        dict(held_out or {}),
    )  # fmt: skip
    n_rows = subject.n_rows
    if n_rows == 0:
        raise InvalidData("there are no rows: a report needs the data that the tree is judged on")
    if len(y) != n_rows:
        raise InvalidData(f"X has {n_rows} rows and y has {len(y)} labels: give one label per row")
    if not known_rows(subject.tree.bins, subject.rows).all():
        raise InvalidData(
            "some rows have unknown values: a report judges the tree on complete rows; drop those "
            "with gaps first"
        )
    made: list[Section] = [make(subject) for make in _SECTIONS]
    page = fragment(
        "report/template.html",
        title=printable(title),
        lead=_lead(subject),
        facts=_facts(subject),
        sections=[section for section in made if section.parts or section.lead],
        version=version("orderless"),
        light=markup(page_colours()),
        dark=markup(page_colours(dark=True)),
    )
    return Report(shown(page))  # names in its tables and drawings too


_SECTIONS: tuple[Callable[[Subject], Section], ...] = (
    sections.as_it_came,
    quality,
    sections.rules,
    sections.reasons,
    sections.smallest,
    sections.missing,
    sections.importance,
    cheapest,
    near,
    sections.made,
)


def _lead(subject: Subject) -> str:
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


def _facts(subject: Subject) -> list[dict[str, str]]:
    tree = subject.tree
    facts = [
        (f"{tree.n_leaves}", "leaves"),
        (f"{tree.depth}", "questions at most"),
        (f"{subject.n_rules}", "rules"),
        (_right(subject.quality), "right on the data"),
    ]
    facts += [(_right(found), f"right on {name}") for name, found in subject.held_out.items()]
    if subject.redundant is not None:
        facts.insert(3, (f"{len(subject.redundant)}", "redundant splits"))
    return [{"number": number, "what": what} for number, what in facts]
