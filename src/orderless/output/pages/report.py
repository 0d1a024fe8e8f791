"""``report``: one self-contained page about one tree.

In:  a tree, and labelled rows.
Out: ``Report``: HTML that loads nothing from anywhere, in light and dark, on screen and paper.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from ...errors import InvalidParameter, setting
from ...estimators import Deviation, Quality
from ...inputs import near as near_name, write_whole
from ...model import SumKernel, TreeKernel, printable, shown
from ...readers import origin_of, read_model
from ..templates import page
from . import many_trees, sections
from .card import Told, card_of
from .near import near
from .risk import thresholds
from .subject import Facts, Heading, Paragraph, Part, Section, Subject

__all__ = ["Report", "report"]

SECTIONS = (
    sections.known,
    sections.as_it_came,
    sections.quality,
    sections.rules,
    sections.reasons,
    sections.smallest,
    sections.missing,
    sections.importance,
    thresholds,
    sections.cheapest,
    near,
    sections.made,
)


TITLES = ("What this decision tree decides", "What this model decides")  # of one tree, of many
OF_MANY_TREES = (
    sections.known,
    sections.quality,
    many_trees.certain,
    many_trees.which_values,
    many_trees.reasons,
    sections.made,
)


@dataclass(frozen=True)
class Report:
    """A page about one tree. Made by ``report``.

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
    model: Any,
    X: Any,
    y: Any,
    costs: Any = None,
    *,
    title: str | None = None,
    about: Mapping[str, str] | None = None,
    about_rows: str = "",
    training_rows: bool | None = None,
    made_by: Any = None,
    random_state: int = 0,
    held_out: Mapping[str, Quality | Deviation] | None = None,
    risk_of: Any = None,
    card: Mapping[str, Any] | None = None,
) -> Report:
    """Write all that can be said about one tree on one page.

    The tree as it was given, how often it is right, its rules with coverage and accuracy, the
    reasons, redundant splits and the smallest equivalent tree, robustness to missing values, which
    features matter over all orders, the cheapest way to an answer (with costs), the trees that are
    about as good, and how it was made. For a regression tree: how far its numbers are off (R
    squared, mean absolute and squared error), and how wide intervals are with missing values.

    At the top it says whether these are training rows, held out, or of unknown origin, and if one
    column alone predicts the target.

    Where the space has facts, the page lists them, and speaks of the rows that satisfy them; what
    does not know facts (the smallest tree, importance over all orders, near-optimal trees) says so.
    Rows that contradict them are refused.

    For many trees that are added up: how often it is right, what is still certain with missing
    values, which single values matter, and why some rows get their class.

    Parameters
    ----------
    model : Tree, CanonicalForm, Ensemble, or any model that ``orderless.read`` knows
    X : rows
        Complete, as the tree takes them.
    y : labels, or numbers for a regression tree
    costs : dict or array, optional
        What each feature costs: the page then shows the cheapest way to an answer.
    title : str, optional
    about : mapping of text, optional
        More lines for "How this was made": where the data came from, parameters.
    about_rows : str
        A sentence on which rows these are, such as whether the tree was fitted on them; it is shown
        at the top, beside the share of right answers, and with the rules.
    training_rows : bool, optional
        Whether the model was fitted on these rows. If it is not given, the page says that it is
        not known, unless the tree knows the training rows of its leaves and these are they.
    made_by : optional
        The model as its library made it, where model is what was read of it: the card names the
        library.
    random_state : int
        For the values that are removed at random.
    held_out : mapping of text to Quality, optional
        How the tree does on rows that it was not fitted on (``judge``), by what these are called:
        ``{"test rows": ol.judge(tree, X_test, y_test)}``; of a regression tree a ``Deviation``.
    risk_of : class label, optional
        Whose risk the section on thresholds is about, where the tree knows the training rows of its
        leaves; by default that of the class with the fewest (``risk_thresholds``).
    card : mapping, optional
        If given, a model card is part of the page: ``intended_use``, and perhaps what else
        ``model_card`` takes (``limitations``, ``authors``, ``license``, ``data``, ``target``,
        ``protected``, ``order``, ``name``).

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
    >>> page.html.startswith("<!doctype html>")
    True
    """
    lines = {printable(str(key)): printable(str(value)) for key, value in (about or {}).items()}
    kernel = read_model(model)
    subject = Subject(
        cast(TreeKernel, kernel), X, y, costs, lines, printable(about_rows), random_state,
        dict(held_out or {}), risk_of, training_rows,
        origin_of(model if made_by is None else made_by),
    )  # fmt: skip
    many = isinstance(kernel, SumKernel)
    if many:
        _refuse_for_one_tree(costs=costs, risk_of=risk_of)
    subject.check()
    heading = printable(title or TITLES[many])
    made = [make(subject) for make in (OF_MANY_TREES if many else SECTIONS)]
    if card is not None:
        made.insert(-1, _card(subject, {"name": heading, **card}))
    top = many_trees if many else sections
    html = page(
        "pages/report.html",
        title=heading,
        lead=top.summary(subject),
        facts=top.facts(subject),
        sections=[section for section in made if section.parts or section.lead],
        version=version("orderless"),
    )
    return Report(shown(html))  # names in its tables and drawings too


def _card(subject: Subject, given: Mapping[str, Any]) -> Section:
    """Give the model card as a section."""
    known = Told._fields
    for name in given:
        if name not in known:
            raise InvalidParameter(
                f"{setting('card')} has {name!r:.80}{near_name(name, known)}: it takes "
                f"{', '.join(known)}",
                "card",
            )
    if "intended_use" not in given:
        raise InvalidParameter(f"{setting('card')} must say the intended_use", "card")
    told: dict[str, Any] = {
        name: tuple(v) if isinstance(v, list) else v for name, v in given.items()
    }
    parts: list[Part] = []
    for section in card_of(subject, Told(**told)).sections:
        parts.append(Heading(section.title))
        parts += [Paragraph(section.note)] if section.note else []
        parts.append(Facts(dict(section.lines), code=False))
    return Section("card", "Model card", "", parts)


def _refuse_for_one_tree(**given: Any) -> None:
    """Refuse what only the report of one tree uses."""
    for name, value in given.items():
        if value is not None:
            raise InvalidParameter(
                f"{setting(name)} is for the report of one tree, and this model adds up many: "
                "leave it out",
                name,
            )
