"""``model_card``: what a model is, for what, how good, and what is proven of it, on one card.

In:  a model, labelled rows, and what only people know: the intended use.
Out: ``Card``: Markdown with metadata, HTML, JSON. Numbers are those of the report.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from ...errors import InvalidData, InvalidParameter, setting
from ...estimators import Deviation, Quality
from ...inputs import write_whole
from ...model import SumKernel, TreeKernel, printable, shown
from ...readers import origin_of, read_model
from ..rules import escaped
from ..templates import markup, render
from .card_facts import CardSection, Told, card_sections, metadata_of
from .subject import Subject

__all__ = ["Card", "card_of", "model_card"]


@dataclass(frozen=True)
class Card:
    """A model card. Made by ``model_card``.

    Attributes
    ----------
    name : str
        Of the model.
    sections : tuple of CardSection
        Titles with lines: a name, and what is said of it.
    metadata : dict
        What Hugging Face's hub reads at the top of a card, where it fits.
    """

    name: str
    sections: tuple[CardSection, ...]
    metadata: Mapping[str, Any]

    def to_markdown(self) -> str:
        """Write it as Markdown with metadata at the top, as the README of a model's folder."""
        lines = ["---"]
        # What is JSON is YAML, too.
        lines += [f"{key}: {json.dumps(value)}" for key, value in self.metadata.items()]
        lines += ["---", "", f"# {escaped(printable(self.name))}"]
        for section in self.sections:
            lines += ["", f"## {section.title}", ""]
            lines += [f"{escaped(printable(section.note))}", ""] if section.note else []
            lines += [
                f"- **{escaped(printable(name))}:** {escaped(printable(text))}"
                for name, text in section.lines
            ]
        return "\n".join(lines).rstrip() + "\n"

    def __str__(self) -> str:
        return self.to_markdown()

    def _fragment(self) -> str:
        return shown(render("report/card.html", sections=self.sections))

    def _repr_html_(self) -> str:
        return self._fragment()

    def to_html(self) -> str:
        """Write it as a page of its own, which loads nothing from elsewhere."""
        body = markup(self._fragment())
        return shown(render("report/card_page.html", body=body, title=printable(self.name)))

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold."""
        return {
            "name": self.name,
            "metadata": dict(self.metadata),
            "sections": [
                {"title": s.title, "note": s.note, **dict(s.data), "lines": dict(s.lines)}
                for s in self.sections
            ],
        }

    def to_json(self) -> str:
        """Write it as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def save(self, path: str | Path) -> Path:
        """Write it to a file, by what its name ends in: .md, .html or .json."""
        place = Path(path)
        written = {".md": self.to_markdown, ".html": self.to_html, ".htm": self.to_html,
                   ".json": self.to_json}.get(place.suffix.lower())  # fmt: skip
        if written is None:
            raise InvalidParameter(
                f"{setting('path', str(place))} must end in .md, .html or .json, which says how to "
                "write it",
                "path",
            )
        write_whole(place, written())
        return place

    def __repr__(self) -> str:
        return f"Card({self.name!r}; save(path) writes it)"


def model_card(
    model: Any,
    X: Any,
    y: Any,
    costs: Any = None,
    *,
    name: str,
    intended_use: str,
    limitations: str = "",
    authors: str = "",
    license: str = "",  # noqa: A002
    data: str = "",
    target: str = "",
    protected: Iterable[str] = (),
    order: Iterable[Any] | None = None,
    about_rows: str = "",
    training_rows: bool | None = None,
    made_by: Any = None,
    held_out: Mapping[str, Quality | Deviation] | None = None,
    random_state: int = 0,
) -> Card:
    """Write a model card: data, target, intended use, performance, and what is proven.

    Parameters
    ----------
    model : Tree, CanonicalForm, Ensemble, or any model that a reader knows
    X : rows
        Complete, as the model takes them.
    y : labels, or numbers for a model of numbers
    costs : dict or array, optional
        What each feature costs: the card then says what an answer costs.
    name : str
        Of the model.
    intended_use : str
        For what, and by whom, the model is meant to be used; nobody else can say it.
    limitations, authors, license, data, target : str
        What is known of it: for what it must not be used; who made it; an identifier such as
        "apache-2.0"; where the rows came from; what the labels mean.
    protected : names of features
        Of each the card says whether it is proven that the model ignores it, or gives two rows
        that differ in it alone and get different answers.
    order : labels, the lowest first, optional
        For monotonicity where there are three or more classes.
    about_rows : str
        Which rows these are, such as whether the model was fitted on them.
    training_rows : bool, optional
        Whether the model was fitted on these rows; as for ``report``.
    held_out : mapping of text to Quality or Deviation, optional
        How the model does on rows that it was not fitted on, as for ``report``.
    made_by : optional
        The model as its library made it, where model is what was read of it: the card names the
        library.
    random_state : int
        For the values that are removed at random.

    Returns
    -------
    Card

    Notes
    -----
    Shares have 95 % intervals of Clopper and Pearson (1934), which hold for any number of rows if
    these were drawn independently; on rows that the model was fitted on they say too much.
    Everything under "What is proven" is proven for every possible row: where the space has facts,
    for every row that satisfies them; the card lists them.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.RandomState(0).randint(2, size=(50, 1))
    >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> card = model_card(tree, X, X[:, 0], name="First", intended_use="An example.")
    >>> card.to_markdown().splitlines()[-1].startswith("- **orderless:** ")
    True
    """
    read = read_model(model)
    subject = Subject(
        cast(TreeKernel, read), X, y, costs, {}, printable(about_rows), random_state,
        dict(held_out or {}), training_rows=training_rows,
        origin=origin_of(model if made_by is None else made_by),
    )  # fmt: skip
    if isinstance(read, SumKernel) and costs is not None:
        raise InvalidParameter(
            f"{setting('costs')} is for one tree, and this model adds up many: leave it out",
            "costs",
        )
    subject.check()
    told = Told(name, intended_use, limitations, authors, license, data, target,
                tuple(protected), None if order is None else tuple(order))  # fmt: skip
    return card_of(subject, told)


def card_of(subject: Subject, told: Told) -> Card:
    """Write the card of what a report is about."""
    for what, text in (("name", told.name), ("intended_use", told.intended_use)):
        if not isinstance(text, str) or not text.strip():
            raise InvalidData(f"{what} is empty: a model card needs it, and only you can say it")
    sections = card_sections(subject, told, version("orderless"))
    return Card(told.name, sections, metadata_of(subject, told))
