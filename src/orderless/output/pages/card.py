"""``model_card``: what a model is, for what, how good, and what is proven of it, on one card.

In:  a model, labelled rows, and what only people know: the intended use.
Out: ``Card``: Markdown with the metadata that Hugging Face's hub reads, HTML, JSON. Numbers are
     those of the report.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from ...acquisition import money
from ...errors import (
    InvalidData,
    InvalidParameter,
    InvalidSpace,
    InvalidTree,
    OutOfMemory,
    OutOfTime,
    TooLarge,
    Undecided,
    setting,
)
from ...estimators import Deviation, Quality
from ...inputs import write_whole
from ...model import SumKernel, TreeKernel, label_text, printable, short_count, shown
from ...questions import Properties, prove
from ...readers import origin_of, read_model
from ..rules import escaped
from ..templates import markup, page, render
from .near import EPSILON, MOST_FUNCTIONS, around
from .sections import data_digest, one_column, which_model
from .subject import Subject, count

__all__ = [
    "Card",
    "CardSection",
    "Told",
    "card_of",
    "card_sections",
    "interval",
    "metadata_of",
    "model_card",
]

CONFIDENCE = 0.95
# Whether the model was fitted on the rows.
TRAINED_ON = {
    True: "yes: the model was fitted on these rows, and is usually right less often on others",
    False: "no: these rows were held out",
    None: "unknown: nobody has said whether the model was fitted on these rows",
}
LISTED = 30  # features of which monotonicity is said
TIME_LIMIT = 1.0  # seconds for each search about an ensemble
INTERVALS = (
    "In brackets: 95 % intervals of Clopper and Pearson, which hold if the rows were drawn "
    "independently of each other and of the model."
)


class Told(NamedTuple):
    """What only people know."""

    name: str
    intended_use: str
    limitations: str = ""
    authors: str = ""
    license: str = ""
    data: str = ""
    target: str = ""
    protected: tuple[str, ...] = ()
    order: tuple[Any, ...] | None = None


@dataclass(frozen=True)
class CardSection:
    """A part of the card: lines, and the same as data where a program needs numbers."""

    title: str
    lines: tuple[tuple[str, str], ...]
    note: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)


def interval(hits: int, n: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Give the interval of Clopper and Pearson for a share.

    Examples
    --------
    >>> low, high = interval(3, 10)
    >>> f"{low:.4f} {high:.4f}"
    '0.0667 0.6525'
    """
    from scipy.stats import beta

    tail = (1 - confidence) / 2
    low = 0.0 if hits == 0 else float(beta.ppf(tail, hits, n - hits + 1))
    high = 1.0 if hits == n else float(beta.ppf(1 - tail, hits + 1, n - hits))
    return low, high


def card_sections(subject: Subject, told: Told, version: str) -> tuple[CardSection, ...]:
    """Give all sections in their order."""
    made = [_description(subject, told), _use(told), _data(subject, told), _known(subject),
            _performance(subject),
            _proven(subject, told), _multiplicity(subject), _missing(subject), _cost(subject),
            _version(subject, version)]  # fmt: skip
    return tuple(section for section in made if section is not None)


def _description(subject: Subject, told: Told) -> CardSection:
    model = subject.tree
    if isinstance(model, SumKernel):
        kind = f"a sum of {count(len(model.trees), 'tree')}"
    else:
        kind = f"a decision tree with {count(model.n_leaves, 'leaf')}, of depth {model.depth}"
    lines = [("model", kind), ("made by", str(subject.origin)), ("answers", _answers(subject)),
             ("features", ", ".join(model.features) or "none")]  # fmt: skip
    if told.authors:
        lines.append(("authors", told.authors))
    if told.license:
        lines.append(("license", told.license))
    return CardSection("Model description", tuple(lines))


def _answers(subject: Subject) -> str:
    if subject.numbers:
        return "numbers"
    return ", ".join(label_text(label) for label in subject.tree.classes)


def _use(told: Told) -> CardSection:
    lines = [("intended use", told.intended_use),
             ("limitations", told.limitations or "not stated")]  # fmt: skip
    return CardSection("Intended uses & limitations", tuple(lines))


def _data(subject: Subject, told: Told) -> CardSection:
    lines = [("rows", f"{subject.n_rows:,}, sha256 {data_digest(subject)}")]
    if told.data:
        lines.append(("source", told.data))
    lines.append(("target", told.target or "not stated"))
    if not subject.numbers:
        shares = (f"{n:,} of {label_text(c)}" for c, n in subject.quality.rows_of.items())
        lines.append(("rows by class", ", ".join(shares)))
    lines.append(("training rows", TRAINED_ON[subject.trained_on]))
    if subject.about_rows:
        lines.append(("which rows", subject.about_rows))
    return CardSection("Data", tuple(lines))


def _known(subject: Subject) -> CardSection | None:
    if not subject.known:
        return None
    lines = tuple((f"fact {i}", text) for i, text in enumerate(subject.known, 1))
    note = (
        "They hold for every possible row; somebody has stated them, and these rows satisfy them."
    )
    return CardSection("What is known of every row", lines, note, {"facts": list(subject.known)})


# -- performance -----------------------------------------------------------------------------------


def _performance(subject: Subject) -> CardSection:
    if subject.numbers:
        lines = _one_column(subject)
        for name, off in {
            f"the {subject.which_rows}": subject.deviation,
            **subject.held_out_numbers,
        }.items():
            text = f"{off.absolute or 0.0:.6g} (always saying the mean: "
            lines.append((f"mean absolute error on {name}",
                          f"{text}{off.absolute_of_mean or 0.0:.6g})"))  # fmt: skip
        return CardSection(
            "Evaluation results", tuple(lines), "No intervals: these are not shares."
        )
    lines, data = _one_column(subject), []
    for name, found in {
        f"the {subject.which_rows}": subject.quality,
        **subject.held_out_classes,
    }.items():
        for what, hits, n in _shares(found):
            if n == 0:
                continue
            low, high = interval(hits, n)
            text = f"{hits / n:.1%} [{low:.1%}, {high:.1%}], {hits:,} of {n:,}"
            lines.append((f"{what} on {name}", text))
            data.append({"measure": what, "rows": name, "hits": hits, "n": n, "share": hits / n,
                         "interval": [low, high]})  # fmt: skip
    return CardSection(
        "Evaluation results", tuple(lines), INTERVALS,
        {"intervals": "Clopper-Pearson, 95 %", "results": data},
    )  # fmt: skip


def _one_column(subject: Subject) -> list[tuple[str, str]]:
    return [("beware", one_column(subject).strip())] if subject.alone is not None else []


def _shares(found: Quality) -> Iterator[tuple[str, int, int]]:
    """Go through the shares: what, how many, of how many."""
    yield "accuracy", found.n_right, found.n_rows
    matrix, rows = found.confusion, found.rows_of
    for i, label in enumerate(found.classes):
        yield f"sensitivity for {label_text(label)}", int(matrix[i, i]), rows[label]
    for i, label in enumerate(found.classes):
        others = np.delete(np.delete(matrix, i, axis=0), i, axis=1)
        yield f"specificity for {label_text(label)}", int(others.sum()), found.n_rows - rows[label]


# -- what is proven --------------------------------------------------------------------------------


def _proven(subject: Subject, told: Told) -> CardSection:
    model = subject.tree
    asked = prove(model, time_limit=TIME_LIMIT)
    idle = [name for name in model.space.names if name not in subject_features(subject)]
    lines = [("ignores", ", ".join(idle) or "none of its features")]
    for name in told.protected:
        if name not in model.space:
            lines.append((f"protected: {name}", "not an input of the model"))
            continue
        lines.append((f"protected: {name}", _said(lambda name=name: asked.ignores(name))))
    lines += [(f"monotone in {name}", text) for name, text in _rising(subject, told, asked)]
    note = "Proven, or refuted with two rows, for every possible row; not only for these rows."
    if subject.known:
        note += " A row is possible if it satisfies the facts."
    return CardSection("What is proven", tuple(lines), note, {"ignores": idle})


def subject_features(subject: Subject) -> set[str]:
    """Give the features on which the answers depend; of a sum, those that a tree asks about."""
    if isinstance(subject.tree, SumKernel):
        return set(subject.tree.features)
    return {feature.name for feature in subject.form.bins.features}


def _said(ask: Any) -> str:
    try:
        first, *rows = str(ask()).splitlines()
        return " ".join([first, "; ".join(map(str.strip, rows))]).rstrip()
    except Undecided:
        return "Undecided: neither proven nor refuted in the time that a card takes."


def _rising(subject: Subject, told: Told, asked: Properties) -> Iterator[tuple[str, str]]:
    """Go through the numeric features of a tree: rising, falling, or neither."""
    model = subject.tree
    if isinstance(model, SumKernel):
        return
    order: Any = told.order
    if order is None and not subject.numbers:
        if len(model.classes) != 2:
            yield (
                "its features",
                "not stated: three or more classes have no order of their own; name it",
            )
            return
        order = model.classes
    options: dict[str, Any] = {} if subject.numbers else {"order": list(order)}
    names = [n for n in sorted(subject_features(subject)) if model.space[n].kind == "numeric"]
    for name in names[:LISTED]:
        try:
            up, down = (bool(asked.monotone(name, sign, **options)) for sign in (1, -1))
        except (InvalidData, InvalidTree, InvalidSpace) as fault:
            raise InvalidData(f"order does not fit the model: {fault}") from fault
        ends = "" if subject.numbers else f" ({' < '.join(label_text(x) for x in order)})"
        which = "neither rising nor falling" if not up and not down else (
            "never lowers the answer" if up else "never raises the answer"
        )  # fmt: skip
        yield name, f"{which}{ends}" if up or down else which
    if len(names) > LISTED:
        yield "other features", f"not looked at: {len(names) - LISTED:,}"


# -- the rest --------------------------------------------------------------------------------------


def _multiplicity(subject: Subject) -> CardSection | None:
    title = "Models that are about as good"
    if isinstance(subject.tree, SumKernel):
        return None
    try:
        found = around(subject)
    except (OutOfMemory, OutOfTime, InvalidData, TooLarge) as fault:
        why = "too many trees" if not isinstance(fault, InvalidData) else str(fault).split(": ")[0]
        return CardSection(title, (("not counted", why),))
    trees = found.trees
    try:
        functions = short_count(len(trees.functions(limit=MOST_FUNCTIONS)))
    except (OutOfMemory, OutOfTime, TooLarge):
        functions = f"more than {MOST_FUNCTIONS:,}"
    tolerance = f"within {float(EPSILON):g} of the best objective, depth at most {found.depth}"
    place = "among them" if found.inside else "not among them"
    lines = (("trees", f"{short_count(trees.n_trees)} {tolerance}"),
             ("different functions", functions), ("this tree", place))  # fmt: skip
    return CardSection(title, lines)


def _missing(subject: Subject) -> CardSection | None:
    title = "Missing values"
    if isinstance(subject.tree, SumKernel) or subject.numbers:
        return None
    if not subject.tree.features:
        return CardSection(title, (("certain", "always: the tree has no splits"),))
    mean = subject.coverage.table.groupby(["way", "rate"])["answered"].mean()
    lines = tuple(
        (f"{rate:.0%} of the values missing", f"{mean['determined', rate]:.1%} of the rows still "
         "have a certain answer") for rate in (0.1, 0.3, 0.5)
    )  # fmt: skip
    return CardSection(title, lines, "Values were removed from these rows at random.")


def _cost(subject: Subject) -> CardSection | None:
    if subject.costs is None or not subject.tree.features:
        return None
    best = subject.policies["optimal"]
    proven = "proven cheapest" if best.optimal else f"none costs less than {money(best.bound)}"
    lines = (("on average", f"{money(best.expected_cost)} ({proven})"),
             ("at most", money(best.worst_cost)))  # fmt: skip
    return CardSection("What an answer costs", lines)


def _version(subject: Subject, version: str) -> CardSection:
    lines = (*which_model(subject).items(), ("numpy, Python",
             f"{np.__version__}, {platform.python_version()}"), ("orderless", version))  # fmt: skip
    return CardSection("Version", tuple(lines))


def metadata_of(subject: Subject, told: Told) -> dict[str, Any]:
    """Give what Hugging Face's hub reads at the top of a card, where it fits."""
    task = "tabular-regression" if subject.numbers else "tabular-classification"
    kind = subject.origin.kind(subject.tree)
    out: dict[str, Any] = {"library_name": subject.origin.library, "pipeline_tag": task,
                           "tags": [kind, task, "orderless"]}  # fmt: skip
    if told.license:
        out["license"] = told.license
    judged: dict[str, Quality] = {}
    if not subject.numbers:
        here = "rows of this card" if subject.trained_on is None else subject.which_rows
        judged = {here: subject.quality, **subject.held_out_classes}
    results = [
        {"task": {"type": task}, "dataset": {"name": told.data or name, "type": name},
         "metrics": [{"type": "accuracy", "value": found.accuracy}]}
        for name, found in judged.items()
    ]  # fmt: skip
    if results:
        out["metrics"] = ["accuracy"]
        out["model-index"] = [{"name": told.name, "results": results}]
    return out


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
        return shown(render("pages/card.html", sections=self.sections))

    def _repr_html_(self) -> str:
        return self._fragment()

    def to_html(self) -> str:
        """Write it as a page of its own, which loads nothing from elsewhere."""
        body = markup(self._fragment())
        return shown(
            page(
                "pages/card_page.html",
                title=printable(self.name),
                body=body,
                version=version("orderless"),
            )
        )

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
