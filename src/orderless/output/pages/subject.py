"""What a report is about, and what it consists of: sections, and in them tables and drawings.

In:  a model, rows, labels, costs.
Out: ``Subject``, from which all sections are made, each thing read and computed once. Parts are
     values that ``report.html`` writes, ``kind`` says how; text is escaped there.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from io import StringIO
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...api import Policy, cheapest_policy
from ...errors import InvalidData, OutOfTime, TooManyReasons
from ...estimators import Coverage, Deviation, Quality, coverage, deviation, judge
from ...form import Form, canonical_form, smallest_tree
from ...inputs import class_codes, number_array, read_rows
from ...model import (
    CODE,
    F32,
    F64,
    Rows,
    Space,
    TreeKernel,
    known_rows,
    printable,
    refuse_contradictions,
)
from ...questions import redundant_splits
from ...readers import OURS, Origin
from ..plots.drawing import DRAWN_LEAVES, class_marks, tree_as_svg
from ..plots.look import INK_ON_PAGE, WHITE, short_names

__all__ = [
    "WAYS",
    "Alone",
    "Details",
    "Drawing",
    "Facts",
    "Heading",
    "Html",
    "Paragraph",
    "Part",
    "Section",
    "Subject",
    "Table",
    "TreeText",
    "alone",
    "count",
    "drawn",
    "picture",
    "pictures",
]

WRONG = 0.01  # of the rows
WRONG_OF_OTHERS = 0.05  # of the rows that do not have the most frequent class
MOST_LEARNED = 10_000  # rows from which the thresholds of a column are learned
LEAST_RANKS = 0.999  # correlation of ranks, for numbers


class Alone(NamedTuple):
    """A column that alone predicts the target, and the share of the rows that it gets right."""

    name: str
    right: float | None

    def __str__(self) -> str:
        if self.right is None:
            return (
                f"The column {printable(self.name)} alone predicts the target: the two rise, or "
                "fall, together."
            )
        share = "every row" if self.right == 1 else f"{self.right:.1%} of the rows"
        return f"The column {printable(self.name)} alone predicts the target of {share}."


def alone(rows: Rows, y: Any, space: Space, *, numbers: bool, seed: int) -> Alone | None:
    """Find the column that predicts the target best, if it does so almost everywhere.

    Of a numeric column as many intervals are taken as there are classes; of a categorical one each
    value, unless there are almost as many values as rows.
    """
    import pandas as pd

    codes, classes = pd.factorize(pd.Series(list(y), dtype=object))
    known = np.flatnonzero(codes >= 0)
    codes = codes[known]
    if len(classes) < 2:
        return None
    most = np.bincount(codes).max()
    best: Alone | None = None
    for feature, (kind, values, _) in zip(space.features, rows.columns, strict=True):
        if kind not in (F64, F32, CODE) or values is None:
            continue
        column = np.asarray(values)[known]
        if numbers:
            if kind != CODE and _ranks(column, np.asarray(y, dtype=float)[known]):
                return Alone(feature.name, None)
            continue
        if kind == CODE:
            wrong = _wrong_by_value(column, codes)
        else:
            wrong = _wrong_by_interval(column, codes, len(classes), seed)
        n = len(codes)
        if wrong <= WRONG * n and wrong <= WRONG_OF_OTHERS * (n - most):
            share = 1 - wrong / n
            if best is None or share > (best.right or 0):
                best = Alone(feature.name, share)
    return best


def _wrong_by_value(column: NDArray[Any], codes: NDArray[Any]) -> int:
    values, which = np.unique(column, return_inverse=True)
    if 5 * len(values) > len(codes):
        return len(codes)  # nearly a value per row: that says nothing about new rows
    counts = np.zeros((len(values), int(codes.max()) + 1), dtype=np.int64)
    np.add.at(counts, (which.ravel(), codes), 1)
    return len(codes) - int(counts.max(axis=1).sum())


def _wrong_by_interval(column: NDArray[Any], codes: NDArray[Any], n_classes: int, seed: int) -> int:
    from sklearn.tree import DecisionTreeClassifier

    X = np.where(np.isfinite(column), column, np.finfo(np.float32).max / 2)[:, None]
    X = X.clip(-1e38, 1e38)
    some = np.arange(len(codes))
    if len(codes) > MOST_LEARNED:
        some = np.random.RandomState(seed).choice(len(codes), MOST_LEARNED, replace=False)
    model = DecisionTreeClassifier(max_leaf_nodes=n_classes, random_state=0)
    return int((model.fit(X[some], codes[some]).predict(X) != codes).sum())


def _ranks(column: NDArray[Any], y: NDArray[Any]) -> bool:
    from scipy.stats import rankdata

    if len(y) < 3 or not np.isfinite(column).all() or not (np.ptp(column) and np.ptp(y)):
        return False
    correlation = np.corrcoef(rankdata(column), rankdata(y))[0, 1]
    return bool(abs(correlation) >= LEAST_RANKS)


WAYS = {
    "naive": "everything that the tree uses",
    "path": "what the tree asks, in its order",
    "greedy": "the cheapest first, until it is certain",
    "optimal": "the cheapest way",
}
# What is said of the rows where the model was fitted on them, was not, and may have been.
WHICH_ROWS = {True: "training rows", False: "held-out rows",
              None: "rows, which may be training rows"}  # fmt: skip
WITHOUT_FACTS = ("naive", "path")  # ask on where facts have settled the answer


@dataclass(frozen=True, eq=False)
class Subject:
    """What the report is about; X only as it came, for its hash."""

    tree: TreeKernel
    X: Any
    y: Any
    costs: Any = None
    about: dict[str, str] = field(default_factory=dict)
    about_rows: str = ""
    random_state: int = 0
    held_out: Mapping[str, Quality | Deviation] = field(default_factory=dict)
    risk_of: Any = None
    training_rows: bool | None = None
    origin: Origin = OURS
    near: list[Any] = field(default_factory=list, repr=False)  # what near.py found, or its fault

    @cached_property
    def rows(self) -> Rows:
        """The rows as the core reads them: what the tree asks about, and what else X has."""
        others = set(range(len(self.tree.space.features))) - set(self.tree.used)
        return read_rows(self.X, self.tree.space, self.tree.used, also=sorted(others))

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.rows.n_rows

    def check(self) -> None:
        """Refuse rows that are not complete, and labels that are not one per row."""
        if self.n_rows == 0:
            raise InvalidData(
                "there are no rows: a report needs the data that the tree is judged on"
            )
        if len(self.y) != self.n_rows:
            raise InvalidData(
                f"X has {self.n_rows} rows and y has {len(self.y)} labels: give one label per row"
            )
        for name, found in self.held_out.items():
            if isinstance(found, Deviation) != self.numbers:
                wanted = "deviation(tree, X, y)" if self.numbers else "judge(tree, X, y)"
                raise InvalidData(
                    f"held_out[{name!r}] is a {type(found).__name__}, which does not go with a "
                    f"tree for {self.tree.task}: give {wanted}"
                )
        if self.numbers:
            number_array(self.y, self.n_rows)
        if self.risk_of is not None:
            self.tree.decide_at(self.risk_of, 0.5)
        if not known_rows(self.tree.bins, self.rows).all():
            raise InvalidData(
                "some rows have unknown values: a report judges the tree on complete rows; drop "
                "those with gaps first"
            )
        refuse_contradictions(self.tree, self.rows)

    @cached_property
    def trained_on(self) -> bool | None:
        """Whether the model was fitted on the rows; None if that is not known.

        A tree that knows the training rows of its leaves is asked, where nobody says it: the same
        number of each class in each leaf is that of the same rows.
        """
        counts = self.tree.distribution if isinstance(self.tree, TreeKernel) else None
        if self.training_rows is not None or counts is None or self.numbers:
            return self.training_rows
        leaf = np.asarray(self.tree.reach(self.rows).leaf)
        code = class_codes(self.tree, self.y, self.n_rows)
        if (code < 0).any():
            return None
        here = np.zeros_like(counts)
        np.add.at(here, (leaf, code), 1)
        leaves = self.tree.feature < 0
        return True if np.allclose(here[leaves], counts[leaves], atol=1e-6) else None

    @property
    def which_rows(self) -> str:
        """What the rows are to the model: "training rows", for instance."""
        return WHICH_ROWS[self.trained_on]

    @cached_property
    def alone(self) -> Alone | None:
        """The column that alone predicts the target, if there is one."""
        return alone(self.rows, self.y, self.tree.space, numbers=self.numbers,
                     seed=self.random_state)  # fmt: skip

    @property
    def known(self) -> tuple[str, ...]:
        """What holds for every possible row: the facts of the model's space, as text."""
        return tuple(fact.text for fact in self.tree.space.facts)

    @property
    def numbers(self) -> bool:
        """Whether the tree says numbers."""
        return self.tree.task == "regression"

    @property
    def noun(self) -> str:
        """What the tree gives to a row, in a word."""
        return "number" if self.numbers else "class"

    @cached_property
    def form(self) -> Form:
        """The order-free form; not proven minimal where that would take long."""
        form = canonical_form(self.tree)
        try:
            _ = form.rules
        except (OutOfTime, TooManyReasons):
            form = canonical_form(self.tree, exact=False)
        return form

    @cached_property
    def n_rules(self) -> int:
        """How many rules the form has."""
        return sum(map(len, self.form.rules.values()))

    @cached_property
    def smallest(self) -> TreeKernel | None:
        """The smallest tree that is the same on all rows; None where that would take long."""
        try:
            return smallest_tree(self.tree.over(self.tree.space.without_facts()))
        except (OutOfTime, TooManyReasons):
            return None

    @cached_property
    def redundant(self) -> tuple[int, ...] | None:
        """The redundant splits; None for a tree that is too large to draw."""
        return redundant_splits(self.tree) if self.tree.n_leaves <= DRAWN_LEAVES else None

    @cached_property
    def quality(self) -> Quality:
        """How often the tree gives the label of the rows."""
        return judge(self.tree, self.rows, self.y)

    @cached_property
    def deviation(self) -> Deviation:
        """How far the numbers of a regression tree are from those of the rows."""
        return deviation(self.tree, self.rows, self.y)

    @cached_property
    def coverage(self) -> Coverage:
        """How many rows are still answered when values are removed at random."""
        return coverage(self.tree, self.X, y=self.y, n_repeats=5, random_state=self.random_state)

    @cached_property
    def policies(self) -> dict[str, Policy]:
        """By way to decide what to ask for, the policy."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is not proven is said where they are shown
            return {
                way: cheapest_policy(self.tree, self.rows, self.costs, method=way)  # type: ignore[arg-type]
                for way in WAYS
                if not (self.known and way in WITHOUT_FACTS)
            }

    @property
    def held_out_classes(self) -> dict[str, Quality]:
        """The same of rows that were held out."""
        return {k: found for k, found in self.held_out.items() if isinstance(found, Quality)}

    @property
    def held_out_numbers(self) -> dict[str, Deviation]:
        """Likewise of numbers."""
        return {k: found for k, found in self.held_out.items() if isinstance(found, Deviation)}


# -- parts of the page ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """One thing on the page."""

    kind: ClassVar[str]


@dataclass(frozen=True)
class Section:
    """A part of the page with a title; nothing of it is shown without a lead and parts."""

    id: str
    title: str
    lead: str
    parts: Sequence[Part] = ()


@dataclass(frozen=True)
class Paragraph(Part):
    """A sentence or two, and perhaps a command with what it does."""

    kind = "paragraph"
    text: str
    command: str = ""
    then: str = ""


@dataclass(frozen=True)
class Heading(Part):
    """The title of what follows."""

    kind = "heading"
    text: str


@dataclass(frozen=True)
class Table(Part):
    """A table; numbers get separators, and all columns but the first are set to the right."""

    kind = "table"
    head: Sequence[str]
    rows: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Facts(Part):
    """Names with what is said of them."""

    kind = "facts"
    facts: Mapping[str, str]
    code: bool = True  # what is said is for machines


@dataclass(frozen=True)
class Html(Part):
    """HTML that another part of the library has made: a figure, or a listing; it may be wide."""

    kind = "html"
    html: str


@dataclass(frozen=True)
class Drawing(Part):
    """A tree as SVG, with the marks of its classes; as text where it is too wide to be read."""

    kind = "drawing"
    classes: Sequence[tuple[str, str]]  # mark and label
    picture: str
    width: float
    text: str


@dataclass(frozen=True)
class TreeText(Part):
    """A tree as text."""

    kind = "text"
    text: str


@dataclass(frozen=True)
class Details(Part):
    """What is shown on request."""

    kind = "details"
    summary: str
    parts: Sequence[Part]


@contextmanager
def picture(alt: str, parts: list[Part], *, height: float = 3.6) -> Iterator[Any]:
    """Give Axes, and add what is drawn on them to the parts, as SVG inside the page.

    Its black is the page's text colour and its white the page's ground, so that it reads in light
    and dark. The same drawing gives the same bytes.

    Parameters
    ----------
    alt : str
        What the picture shows, in words.
    parts : list
    height : float
        In inches.
    """
    with pictures(alt, parts, 1, height=height) as axes:
        yield axes[0]


@contextmanager
def pictures(alt: str, parts: list[Part], n: int, *, height: float) -> Iterator[list[Any]]:
    """Give several Axes, one below the other, that share what is across; else as ``picture``."""
    import matplotlib
    from matplotlib.figure import Figure

    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": alt, "font.size": 10}
    out = StringIO()
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=(6.4, height), layout="constrained")
        axes = list(figure.subplots(n, sharex=True, squeeze=False)[:, 0])
        yield axes
        for ax in axes:
            short_names(ax)
            ax.spines[["top", "right"]].set_visible(False)
        figure.savefig(out, format="svg", transparent=True, metadata={"Date": None})
    text = out.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    for black in (INK_ON_PAGE, "black"):
        text = text.replace(black, "currentColor")
    # What hides something behind it, or keeps bars apart, has the colour of the page.
    text = text.replace(WHITE, "var(--card)")
    text = text.replace("<svg ", f'<svg role="img" aria-label="{escape(alt)}" class="figure" ', 1)
    # Text without a colour of its own would stay black on a dark page.
    text = text.replace("<defs>", "<style>text { fill: currentColor }</style><defs>", 1)
    parts.append(Html(text.strip()))


def drawn(subject: Subject, tree: TreeKernel, marked: Sequence[int] = ()) -> list[Part]:
    """Draw a tree with a legend of its classes; as text where it is too large."""
    text = str(tree)
    if tree.n_leaves > DRAWN_LEAVES:
        return [
            Paragraph(f"With {tree.n_leaves:,} leaves it is too large to draw."),
            Details("As text", [TreeText(text)]),
        ]
    picture = tree_as_svg(tree, subject.rows, subject.y, marked=marked)
    width = float(re.search(r' width="([0-9.]+)"', picture)[1])  # type: ignore[index]
    return [Drawing(class_marks(tree), picture, width, text)]


def count(n: int, noun: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> count(1, "leaf"), count(2_000, "leaf"), count(0, "question")
    ('1 leaf', '2,000 leaves', '0 questions')
    """
    plural = {"leaf": "leaves"}.get(noun, f"{noun}s")
    return f"{n:,} {noun if n == 1 else plural}"
