"""The report's sections where a model adds up many trees.

In:  ``Subject`` of an ``Ensemble``.
Out: ``Section``: what is still certain with missing values, which values matter, and why some rows
     get their class; what stands at the top of the page.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from ...errors import OutOfTime, TooManyReasons, Undecided
from ...estimators import Coverage, coverage
from ...estimators.gapped import Gapped
from ...inputs import row_at, rows_at
from ...model import Budget, SumKernel, amount
from ...questions import explain, status as status_of, verdicts_of
from ..plots.look import BLUE, VERMILION
from ..plots.measures import draw_coverage, draw_widths
from .sections import how_good, right
from .subject import Heading, Paragraph, Part, Section, Subject, Table, count, picture

__all__ = ["certain", "facts", "reasons", "summary", "which_values"]

RATES = (0.1, 0.2, 0.3, 0.4, 0.5)
SHOWN = (0.1, 0.3, 0.5)
MOST_ROWS = 300  # of which values are removed: a report takes seconds, not hours
TIME_LIMIT = 20.0  # seconds for the rows of a section, which share them
TIME_TO_EXPLAIN = 2.0  # seconds for each part of an explanation
EXAMPLES = 2  # rows of each class that are explained
DRAWN = 15  # features in the picture


def model_of(subject: Subject) -> SumKernel:
    """Give the model; a subject calls it its tree."""
    return cast("SumKernel", subject.tree)


def summary(subject: Subject) -> str:
    """Say in a few sentences what the model is, and how often it is right."""
    model = model_of(subject)
    return (
        f"A sum of {count(len(model.trees), 'tree')} with {count(_leaves(model), 'leaf')} in all, "
        f"which asks about {count(len(model.features), 'feature')}. {how_good(subject)} "
        f"{subject.about_rows}"
    ).rstrip()


def _leaves(model: SumKernel) -> int:
    return sum(tree.n_leaves for tree in model.trees)


def facts(subject: Subject) -> list[dict[str, str]]:
    """Give the numbers at the top of the page."""
    model = model_of(subject)
    out = [(f"{len(model.trees):,}", "trees"), (f"{_leaves(model):,}", "leaves"),
           (f"{len(model.features)}", "features asked about")]  # fmt: skip
    if subject.numbers:
        judged = {f"the {subject.which_rows}": subject.deviation, **subject.held_out_numbers}
        out += [(amount(found.absolute or 0.0), f"off on {name}, on average")
                for name, found in judged.items()]  # fmt: skip
    else:
        judged_classes = {f"the {subject.which_rows}": subject.quality, **subject.held_out_classes}
        out += [(right(found), f"right on {name}") for name, found in judged_classes.items()]
    return [{"number": number, "what": what} for number, what in out]


# -- rows with values removed ----------------------------------------------------------------------


def _some(subject: Subject) -> Any:
    """Give rows from which values are removed."""
    n = subject.n_rows
    at = np.arange(n)
    if n > MOST_ROWS:
        at = np.sort(np.random.RandomState(subject.random_state).choice(n, MOST_ROWS, False))
    return rows_at(subject.X, at)


def _which_rows(subject: Subject) -> str:
    n = subject.n_rows
    return f"{MOST_ROWS} of the {n:,} rows, drawn at random" if n > MOST_ROWS else "the rows"


def certain(subject: Subject) -> Section:
    """Draw how many rows are still certain when values are missing."""
    title = "With missing values"
    model = model_of(subject)
    if not model.features:
        return Section("missing", title, "The model has no splits: every answer is certain.")
    X = _some(subject)
    found = coverage(model, X, RATES, random_state=subject.random_state, time_limit=TIME_LIMIT)
    parts: list[Part] = []
    alt = (
        "Share of rows whose answer is certain against the share of features missing, beside those "
        "for which all values are known."
    )
    with picture(alt, parts) as ax:
        draw_coverage(found, ax)
    parts.append(_shares(found, subject.noun))
    if found.widths is not None:
        alt = "Share of rows whose interval of possible numbers is at most so wide."
        with picture(alt, parts) as ax:
            draw_widths(found, ax)
    lead = (
        f"Where values are missing, the answer is still certain if every way to fill them in gives "
        f"the same {subject.noun}. For a sum of trees this is decided by an exact search, "
        f"{TIME_LIMIT:g} seconds at most for all rows together. Here, values were removed at "
        f"random from {_which_rows(subject)} of this report."
    )
    return Section("missing", title, lead, parts)


def _shares(found: Coverage, noun: str) -> Table:
    mean: Any = found.table.groupby(["way", "rate"])[["answered", "undecided"]].mean()
    lines = [
        (words, *(f"{float(mean[column][way, rate]):.1%}" for rate in SHOWN))
        for words, way, column in (
            (f"the {noun} is certain", "determined", "answered"),
            ("not decided in time", "determined", "undecided"),
            ("every value that the model asks about is known", "features", "answered"),
        )
    ]
    return Table(("share of features missing", *(f"{rate:.0%}" for rate in SHOWN)), lines)


def which_values(subject: Subject) -> Section:
    """Say, feature by feature, how often a row is open when just this value is missing."""
    title = "Which single values matter"
    from matplotlib.ticker import PercentFormatter

    model = model_of(subject)
    if not model.features:
        return Section("values", title, "")
    X = _some(subject)
    table = Gapped(model, X, model.space)
    lines, budget = [], Budget(TIME_LIMIT)
    for done, name in enumerate(model.features):
        gone = np.zeros((table.n_rows, table.n_columns), dtype=bool)
        gone[:, table.feature_of == model.space.index(name)] = True
        with Budget(budget.left / (len(model.features) - done)):
            status = status_of(model, table.rows(gone))
        lines.append((name, _share(status, "open"), _share(status, "undecided")))
    lines.sort(key=lambda line: -line[1])
    parts: list[Part] = []
    alt = "For each feature, the share of rows that are open when only its value is missing."
    matter = [line for line in lines if line[1] + line[2] > 0]
    some = (matter or lines)[:DRAWN][::-1]
    with picture(alt, parts, height=0.9 + 0.28 * len(some)) as ax:
        ax.barh([name for name, _, _ in some], [share for _, share, _ in some], color=BLUE)
        ax.barh([name for name, _, _ in some], [share for _, _, share in some], color=VERMILION,
                left=[share for _, share, _ in some])  # fmt: skip
        ax.set(xlabel=f"share of rows whose {subject.noun} is open without this value")
        ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    head = ("feature", "open without it", "not decided in time")
    parts.append(Table(head, [(name, f"{a:.1%}", f"{b:.1%}") for name, a, b in matter]))
    idle = len(lines) - len(matter)
    never = ""
    if idle:
        never = f" For none of these rows does one of the other {idle} features matter alone."
    lead = (
        f"One value at a time is removed from {_which_rows(subject)} of this report: how many rows "
        f"could then get another {subject.noun}, whatever else is known?{never}"
    )
    return Section("values", title, lead, parts)


def _share(status: Any, wanted: str) -> float:
    return float(np.mean(status == wanted))


def reasons(subject: Subject) -> Section:
    """Explain some rows: what settles their class, and what would change it."""
    title = "Why some rows get their class"
    model = model_of(subject)
    if subject.numbers or not model.features:
        return Section("reasons", title, "")
    label = verdicts_of(model, subject.rows).label
    chosen = [i for c in range(len(model.classes)) for i in np.flatnonzero(label == c)[:EXAMPLES]]
    parts: list[Part] = []
    for i in chosen:
        parts.append(Heading(f"Row {i + 1:,}"))
        parts += map(Paragraph, _why(model, row_at(subject.X, model.space, int(i))))
    lead = (
        f"For up to {EXAMPLES} rows of each class: conditions that settle the class whatever all "
        "other values are, of which no feature can be left out; and the smallest changes that lead "
        "to another class."
    )
    return Section("reasons", title, lead, parts)


def _why(model: SumKernel, row: dict[str, Any]) -> list[str]:
    """Give the lines of an explanation, as far as it is found in the time of a report."""
    why = explain(model, row, time_limit=TIME_TO_EXPLAIN)
    try:
        lines = str(why).splitlines()
        late = "What would change it takes too long to find for a report."
        return [late if "was not found out" in line else line for line in lines]
    except (Undecided, OutOfTime, TooManyReasons):
        return [f"{why.label}: its reason takes too long to find for a report."]
