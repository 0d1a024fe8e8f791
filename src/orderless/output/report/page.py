"""``report``: one self-contained page on one tree.

In:  a tree, and labelled rows.
Out: ``Report``: HTML that loads nothing from anywhere, in light and dark, on screen and paper.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

from ...errors import InvalidData
from ...estimators import Quality
from ...form import redundant_splits
from ...inputs import known_rows, write_whole
from ...model import Tree, label_text, printable, shown
from ...readers import read_tree
from ..plots.drawing import DRAWN_LEAVES
from ..plots.palette import page_colours
from ..rules.quality import percent
from . import sections
from .cheapest import cheapest
from .near import near
from .quality import quality
from .subject import Section, Subject

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
    """Write all that can be said of one tree on one page.

    The tree as it came, how often it is right, its rules with coverage and accuracy, the reasons,
    redundant splits and the smallest equivalent tree, robustness to missing values, which features
    matter over all orders, the cheapest way to an answer (with costs), the trees that are about as
    good, and how it was made.

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
    from jinja2 import Environment

    tree = read_tree(tree)
    n_rows = len(X)
    if n_rows == 0:
        raise InvalidData("there are no rows: a report needs the data that the tree is judged on")
    if len(y) != n_rows:
        raise InvalidData(f"X has {n_rows} rows and y {len(y)}: they must be as many")
    if _gaps(tree, X):
        raise InvalidData(
            "some rows have unknown values: a report judges the tree on complete rows; drop those "
            "with gaps first"
        )
    told = {printable(str(key)): printable(str(value)) for key, value in (about or {}).items()}
    subject = Subject(
        tree, X, y, costs, told, printable(about_rows), random_state, dict(held_out or {})
    )
    template = Environment(autoescape=True).from_string(
        files(__package__).joinpath("template.html").read_text(encoding="utf-8")
    )
    made: list[Section] = [make(subject) for make in _SECTIONS]
    page = template.render(
        title=printable(title),
        lead=_lead(subject),
        facts=_facts(subject),
        sections=[section for section in made if section.body or section.lead],
        version=version("orderless"),
        light=page_colours(),
        dark=page_colours(dark=True),
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


def _gaps(tree: Tree, X: Any) -> bool:
    bins = tree.bins
    return not bool(known_rows(bins, tree.read(X)).all())


def _lead(subject: Subject) -> str:
    tree = subject.tree
    n_rules = sum(map(len, subject.form.rules.values()))
    used = len(tree.features)
    most = subject.quality.majority
    usual = "" if most is None else (
        f"; always saying {label_text(most)} would be right for "
        f"{subject.quality.majority_share:.1%}"
    )  # fmt: skip
    return (
        f"A tree of {tree.n_leaves} leaves that asks about {used} "
        f"feature{'' if used == 1 else 's'}. "
        f"Free of the order in which it asks, it says {n_rules} rule{'' if n_rules == 1 else 's'}. "
        f"It gives the right class for {_right(subject.quality)} of the {subject.n_rows:,} rows"
        f"{usual}. {subject.about_rows}"
    ).rstrip()


def _right(found: Quality) -> str:
    return percent(found.n_right, found.n_rows)


def _facts(subject: Subject) -> list[dict[str, str]]:
    tree = subject.tree
    n_rules = sum(map(len, subject.form.rules.values()))
    gone = len(redundant_splits(tree)) if tree.n_leaves <= DRAWN_LEAVES else None
    facts = [
        (f"{tree.n_leaves}", "leaves"),
        (f"{tree.depth}", "questions at most"),
        (f"{n_rules}", "rules"),
        (_right(subject.quality), "right on the data"),
    ]
    facts += [(_right(found), f"right on {name}") for name, found in subject.held_out.items()]
    if gone is not None:
        facts.insert(3, (f"{gone}", "redundant splits"))
    return [{"number": number, "what": what} for number, what in facts]
