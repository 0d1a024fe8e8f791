"""The report's sections, each a function of what is known about the tree.

In:  ``Subject``.
Out: ``Section``: a title, a sentence, and parts; what stands at the top of the page.
Paper: Sections 5 to 7.
"""

from __future__ import annotations

import platform
import warnings
from collections import Counter
from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import version
from typing import Any

import numpy as np

from ...acquisition import money, percent as whole_percent
from ...api import Policy
from ...errors import InvalidTree, OutOfTime, TooManyBoxes, TooManyReasons
from ...estimators import Deviation, Quality, coverage
from ...importance import (
    ImportanceRange,
    importance_range,
    impurity_importance,
    permutation_importance,
)
from ...model import TreeKernel, amount, class_names, label_text, short_count
from ..plots.drawing import DRAWN_LEAVES
from ..plots.measures import draw_coverage, draw_importance, draw_widths
from ..rules.html import form_as_html
from .quality import HEAD, Judged, matrix, percent, summary as sentence
from .subject import (
    WAYS,
    Details,
    Facts,
    Heading,
    Html,
    Paragraph,
    Part,
    Section,
    Subject,
    Table,
    count,
    drawn,
    picture,
)

__all__ = [
    "as_it_came",
    "cheapest",
    "data_digest",
    "facts",
    "how_good",
    "importance",
    "known",
    "made",
    "missing",
    "off_by",
    "one_column",
    "quality",
    "reasons",
    "right",
    "rules",
    "smallest",
    "summary",
    "which_model",
]

MANY_REASONS = 400  # more are counted, not listed


def summary(subject: Subject) -> str:
    """Say in a few sentences what the tree is, and how often it is right."""
    tree = subject.tree
    used = len(tree.features)
    return (
        f"A tree with {count(tree.n_leaves, 'leaf')} that asks about {count(used, 'feature')}. "
        f"Without the order of its questions, it comes down to {count(subject.n_rules, 'rule')}. "
        f"{how_good(subject)} {subject.about_rows}"
    ).rstrip()


def how_good(subject: Subject) -> str:
    """Say in a sentence how often the model is right, or how far it is off."""
    if subject.numbers:
        found = subject.deviation
        mean = found.absolute_of_mean
        usual = f"; always saying their mean would be off by {amount(mean or 0.0)}"
        return (
            f"Its numbers are off by {off_by(found)} on average over the "
            f"{subject.n_rows:,} {subject.which_rows}{usual}.{one_column(subject)}"
        )
    most = subject.quality.majority
    usual = "" if most is None else (
        f"; always saying {label_text(most)} would be right for "
        f"{subject.quality.majority_share:.1%}"
    )  # fmt: skip
    return (
        f"It gives the right class for {right(subject.quality)} of the {subject.n_rows:,} "
        f"{subject.which_rows}{usual}.{one_column(subject)}"
    )


def one_column(subject: Subject) -> str:
    """Say if one column alone tells the answer, as columns do that were made from it."""
    if subject.alone is None:
        return ""
    return f" {subject.alone} Make sure that it is known before the answer is."


def right(found: Quality) -> str:
    """Write the share of rows that get their right class."""
    return percent(found.n_right, found.n_rows)


def facts(subject: Subject) -> list[dict[str, str]]:
    """Give the numbers at the top of the page."""
    tree = subject.tree
    out = [
        (f"{tree.n_leaves}", "leaves"),
        (f"{tree.depth}", "questions at most"),
        (f"{subject.n_rules}", "rules"),
    ]
    if subject.numbers:
        judged = {f"the {subject.which_rows}": subject.deviation, **subject.held_out_numbers}
        for name, found in judged.items():
            out += [(explained(found), f"R² on {name}"),
                    (off_by(found), f"off on {name}, on average")]  # fmt: skip
    else:
        classes = {f"the {subject.which_rows}": subject.quality, **subject.held_out_classes}
        out += [(right(found), f"right on {name}") for name, found in classes.items()]
    if subject.redundant is not None:
        out.insert(3, (f"{len(subject.redundant)}", "redundant splits"))
    return [{"number": number, "what": what} for number, what in out]


def known(subject: Subject) -> Section:
    """List the facts that hold for every possible row."""
    title = "What is known of every row"
    if not subject.known:
        return Section("known", title, "")
    lead = (
        "These facts hold for every possible row, and all rows of this report satisfy them. What "
        "is said below to be certain, to be a rule or a reason, or to be redundant is so for every "
        "row that satisfies them."
    )
    lines = [(text,) for text in subject.known]
    return Section("known", title, lead, [Table(("fact",), lines)])


def as_it_came(subject: Subject) -> Section:
    """Draw the tree; redundant splits are dashed."""
    tree = subject.tree
    gone = subject.redundant or ()
    lead = "Read from left to right: a row answers one question after another until it has a "
    lead += f"{subject.noun}."
    if len(gone) == 1:
        lead += " The question in a dashed box could be left out without changing any answer."
    elif gone:
        lead += f" Of the {len(gone)} questions in dashed boxes, any one could be left out without "
        lead += "changing any answer."
    return Section("tree", "The tree as it was given", lead, drawn(subject, tree, gone))


def quality(subject: Subject) -> Section:
    """Show, class by class, how often the tree is right; or how far its numbers are off."""
    if subject.numbers:
        return _number_quality(subject)
    judged = [Judged(f"{subject.which_rows} (those of this report)", subject.quality)]
    judged += [Judged(name, found) for name, found in subject.held_out_classes.items()]
    lead = (
        "Each line is a true class: it shows for how many of its rows the tree predicts each "
        "class. Sensitivity is the share of the class's rows for which the tree predicts this "
        "class; specificity is the share of all other rows for which it predicts another one."
    )
    parts: list[Part] = []
    for one in judged:
        parts += [Paragraph(sentence(one)), Table(*matrix(one.quality))]
    return Section("quality", HEAD, lead, parts)


def rules(subject: Subject) -> Section:
    """List the fewest rules per class, with coverage and accuracy on the data."""
    return Section(
        "rules",
        "What it decides: the shortest rules",
        "What the tree decides, without the order of its questions: as few rules as possible for "
        f"each {subject.noun}. Several rules may apply to one row; they never contradict each "
        "other.",
        [_listed(subject, "rules")],
    )


def _listed(subject: Subject, terms: str) -> Html:
    listing = form_as_html(
        subject.form, subject.rows, subject.y, terms=terms, about_rows=subject.about_rows
    )
    return Html(listing)


def reasons(subject: Subject) -> Section:
    """Count the sufficient reasons, and list them where that can be read."""
    title = "Every sufficient reason"
    lead = (
        f"A sufficient reason is a set of conditions that settles the {subject.noun}, whatever all "
        "other "
        "values are; none of its conditions can be left out. The rules above are chosen from the "
        "reasons."
    )
    try:
        found = subject.form.reasons
    except (OutOfTime, TooManyReasons):
        left_out = "There are too many reasons to list in the time that a report may take."
        return Section("reasons", title, lead, [Paragraph(left_out)])
    names = class_names(subject.form.tree)
    counts = Table(
        (subject.noun, "reasons", "conditions in the shortest"),
        [
            (name, len(terms), min((t.n_conditions for t in terms), default=0))
            for name, terms in zip(names, found.values(), strict=True)
        ],
    )
    total = sum(map(len, found.values()))
    rest: Part = Paragraph(
        f"The {total:,} reasons are too many to read; ",
        command="orderless explain --reasons",
        then=" lists them.",
    )
    if total <= MANY_REASONS:
        rest = Details(f"All {total:,} reasons", [_listed(subject, "reasons")])
    return Section("reasons", title, lead, [counts, rest])


def smallest(subject: Subject) -> Section:
    """Draw the smallest equivalent tree."""
    title = "The smallest tree that decides the same"
    tree, best = subject.tree, subject.smallest
    if best is None:
        return Section("smallest", title, "Left out: finding it would take too long.")
    more = ""
    if subject.known:
        more = (
            " The facts are left out here: on the rows that satisfy them, a smaller tree may decide"
            " the same."
        )
    if best.n_leaves == tree.n_leaves:
        lead = f"No tree with fewer than {count(tree.n_leaves, 'leaf')} decides the same."
        return Section("smallest", title, lead + more)
    lead = (
        f"{count(best.n_leaves, 'leaf')} instead of {tree.n_leaves}, and the same {subject.noun} "
        f"for every possible row.{more}"
    )
    return Section("smallest", title, lead, drawn(subject, best))


def missing(subject: Subject) -> Section:
    """Draw how many rows are still answered when values are missing."""
    title = "With missing values"
    if subject.numbers:
        return _number_missing(subject)
    if not subject.tree.features:
        return Section("missing", title, "The tree has no splits: every answer is certain.")
    found = subject.coverage
    mean = found.table.groupby(["way", "rate"])["answered"].mean()
    shown = [0.1, 0.3, 0.5]
    parts: list[Part] = []
    alt = (
        "Share of rows answered against the share of features missing, for three ways to "
        "answer; determined is always the highest."
    )
    with picture(alt, parts) as ax:
        draw_coverage(found, ax)
    shares = Table(
        ("share of features missing", *(f"{rate:.0%}" for rate in shown)),
        [
            (name, *(f"{mean[way, rate]:.1%}" for rate in shown))
            for way, name in (
                ("determined", "the answer is certain"),
                ("path", "every value on the tree's path is known"),
                ("features", "every value that the tree uses is known"),
            )
        ],
    )
    return Section(
        "missing",
        title,
        "Where values are missing, the answer is still certain if every way to fill them in gives "
        "the same class. Here, values were removed at random from the rows of this report.",
        [*parts, shares],
    )


def cheapest(subject: Subject) -> Section:
    """Show the cheapest policy beside simpler ones, what it buys, and in which order."""
    title = "The cheapest way to an answer"
    if subject.costs is None:
        return Section("costs", title, "")
    if not subject.tree.features:
        return Section("costs", title, "The tree has no splits: every answer is free.")
    found = subject.policies
    best = found["optimal"]
    lead = "Each value has its cost. "
    if "path" in found:
        lead += f"Asking in the tree's own order costs {money(found['path'].expected_cost)} on "
        lead += f"average over the {subject.n_rows:,} rows. "
    lead += (
        f"The cheapest way to the same decisions costs {money(best.expected_cost)} on average, and "
        f"at most {money(best.worst_cost)} for one row"
    )
    if best.optimal:
        lead += "; it is proven that no other way is cheaper on these rows."
    else:
        lead += (
            "; it was not proven in the time that a report may take that no other way is cheaper, "
            f"but none costs less than {money(best.bound)}."
        )
    ways = Table(
        ("what is asked", "average cost", "most for one row"),
        [
            (words, _aligned(found[way].expected_cost), _aligned(found[way].worst_cost))
            for way, words in WAYS.items()
            if way in found
        ],
    )
    order = [Heading("In which order to ask"), *drawn(subject, best.to_tree().kernel)]
    return Section("costs", title, lead, [ways, _bought(subject, best), *order])


def _aligned(amount: float) -> str:
    """Write an amount so that columns of amounts line up; a tiny one as it is."""
    return f"{amount:,.2f}" if amount == 0 or amount >= 0.05 else money(amount)


def _bought(subject: Subject, policy: Policy) -> Table:
    """Say how often each feature is asked for, and what that costs."""
    times = Counter(
        name for bought in policy.simulate(subject.rows)["purchases"].tolist() for name in bought
    )
    rows = sorted(policy.purchases.items(), key=lambda one: (-times[one[0]], one[0]))
    return Table(
        ("feature", "cost", "asked for", "spent on average"),
        [
            (name, money(cost), f"{whole_percent(times[name] / subject.n_rows)} of rows",
             _aligned(times[name] * cost / subject.n_rows))
            for name, cost in rows
        ],
    )  # fmt: skip


def made(subject: Subject) -> Section:
    """Say how the report was made, so that it can be made again."""
    lines = {
        **which_model(subject),
        "data": f"{subject.n_rows:,} rows, sha256 {data_digest(subject)}",
        **subject.about,
        "random numbers": f"seed {subject.random_state}",
        "versions": f"orderless {version('orderless')}, numpy {np.__version__}, "
        f"Python {platform.python_version()}",
    }
    return Section("made", "How this was made", "", [Facts(lines)])


def data_digest(subject: Subject) -> str:
    """Give a number that tells these rows and labels from others."""
    content = sha256()
    for column in _columns(subject.X):
        content.update("\0".join(map(str, column)).encode("utf-8", "surrogatepass"))
    content.update("\0".join(map(str, subject.y)).encode("utf-8", "surrogatepass"))
    return content.hexdigest()[:32]


def which_model(subject: Subject) -> dict[str, str]:
    """Say which model it is, by a number that tells it from others."""
    if isinstance(subject.tree, TreeKernel):
        same = "(fingerprint: equal for trees that decide the same)"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it is said here
            found = subject.form.fingerprint
        if subject.tree.space.domain.linear:
            same = "(fingerprint, with the rows that facts exclude: equal for trees that decide "
            same += "the same on all rows)"
        return {"tree": f"{found} {same}"}
    digest = sha256(subject.tree.to_json().encode()).hexdigest()[:32]
    return {"model": f"sha256 of its JSON {digest}"}


def _columns(X: Any) -> Iterable[Any]:
    import pandas as pd

    try:
        frame = pd.DataFrame(X)
    except UnicodeEncodeError:  # half of a surrogate pair, which pandas' texts cannot hold
        return (
            [row.get(name) for row in X] for name in sorted({name for row in X for name in row})
        )
    return (frame[name].to_list() for name in frame)


SHOWN = (0.1, 0.3, 0.5)  # shares of features missing, in tables
PARTS = (0.1, 0.25, 0.5)  # widths of intervals, of the range of the tree's numbers


def off_by(found: Deviation) -> str:
    """Write the mean absolute error."""
    return "" if found.absolute is None else amount(found.absolute)


def explained(found: Deviation) -> str:
    """Write R squared, the share of the variance of the true numbers that the tree explains."""
    share = _explained(found)
    return "" if share is None else f"{share:.3f}"


def _explained(found: Deviation) -> float | None:
    rest, whole = found.root_mean_square, found.root_mean_square_of_mean
    return None if rest is None or not whole else 1.0 - (rest / whole) ** 2


def _number_quality(subject: Subject) -> Section:
    """Say how far the tree's numbers are from the true ones."""
    judged = {
        f"{subject.which_rows} (those of this report)": subject.deviation,
        **subject.held_out_numbers,
    }
    lead = (
        "R² is the share of the variance of the true numbers that the tree explains: 1 if it is "
        "never off, 0 if it is no better than always saying their mean, below 0 if it is worse. "
        "The errors are also shown for always saying the mean."
    )
    head = ("rows", "how many", "R²", "mean absolute error", "mean squared error",
            "always the mean: absolute", "always the mean: squared")  # fmt: skip
    lines = [
        (name, found.n_rows, explained(found), off_by(found), _squared(found.root_mean_square),
         "" if found.absolute_of_mean is None else amount(found.absolute_of_mean),
         _squared(found.root_mean_square_of_mean))
        for name, found in judged.items()
    ]  # fmt: skip
    return Section("quality", HEAD, lead, [Table(head, lines)])


def _squared(root: float | None) -> str:
    return "" if root is None else amount(root * root)


def _number_missing(subject: Subject) -> Section:
    """Draw how wide the intervals of rows are when values are missing."""
    title = "With missing values"
    tree = subject.tree
    if not tree.features:
        return Section("missing", title, "The tree has no splits: every answer is certain.")
    found = coverage(tree, subject.X, y=subject.y, n_repeats=5, random_state=subject.random_state)
    assert found.widths is not None
    parts: list[Part] = []
    alt = (
        "Share of rows whose interval of possible numbers is at most so wide, for every width, a "
        "line for each share of features missing; the dots are the rows that are certain."
    )
    with picture(alt, parts) as ax:
        draw_widths(found, ax)
    wide = float(tree.numbers[-1]) - float(tree.numbers[0])
    tolerance = {part * wide: found.widths.within(part * wide) for part in PARTS}
    mean = found.table.groupby(["way", "rate"])["answered"].mean()
    lines: list[tuple[Any, ...]] = [_line("the number is certain", mean["determined"])]
    lines += [
        _line(f"the interval is at most {amount(width)} wide", shares)
        for width, shares in tolerance.items()
    ]
    lines += [
        _line("every value on the tree's path is known", mean["path"]),
        _line("every value that the tree uses is known", mean["features"]),
    ]
    shares = Table(("share of features missing", *(f"{rate:.0%}" for rate in SHOWN)), lines)
    ways: list[Part] = []
    alt = (
        "Share of rows whose number is certain against the share of features missing, beside "
        "those for which all values are known."
    )
    with picture(alt, ways) as ax:
        draw_coverage(found, ax)
    lead = (
        "Where values are missing, every way to fill them in gives some number: the smallest and "
        "the largest of them are the ends of the row's interval, and the number is certain where "
        f"they are equal. The tree's numbers are {amount(wide)} apart at most. Here, values were "
        "removed at random from the rows of this report."
    )
    return Section(
        "missing", title, lead, [*parts, shares, Heading("Rows whose number is certain"), *ways]
    )


def _line(name: str, shares: Any) -> tuple[str, ...]:
    return (name, *(f"{shares[rate]:.1%}" for rate in SHOWN))


MANY_BOXES = 25_000  # that the range over all orders may look at: about a second


def importance(subject: Subject) -> Section:
    """Draw impurity importance with its range over all orders, and the order-free importances."""
    title = "Which features matter"
    tree, rows, y = subject.tree, subject.rows, subject.y
    if not tree.features:
        return Section("importance", title, "The tree has no splits, so no feature matters.")
    if subject.known:
        return _without_shuffling(subject)
    shuffled = dict(zip(tree.space.names, permutation_importance(tree, rows, y), strict=True))
    kind = "variance" if subject.numbers else "Gini"
    lost = "squared error added" if subject.numbers else "accuracy lost"
    try:
        if tree.n_leaves > DRAWN_LEAVES:
            raise TooManyBoxes
        found = importance_range(tree, rows, y, limit=MANY_BOXES)
    except (InvalidTree, TooManyBoxes):
        own = dict(zip(tree.space.names, impurity_importance(tree, rows, y), strict=True))
        order = sorted(tree.features, key=lambda name: -own[name])
        lines = [(name, f"{own[name]:.3f}", _lost(subject, shuffled[name])) for name in order]
        return Section(
            "importance",
            title,
            f"Impurity ({kind}) importance depends on the order in which a tree asks. Its range "
            "over all orders is left out here, because too many trees decide the same as this one. "
            f"Permutation importance (the {lost} when a feature's values are shuffled) "
            "depends only on what the tree decides.",
            [Table(("feature", f"{kind}, this order", "permutation"), lines)],
        )
    return Section(
        "importance",
        title,
        f"Impurity ({kind}) importance depends on the order in which a tree asks. The range is "
        f"over all trees that decide the same without redundant splits: "
        f"{short_count(found.n_trees)} of them. Their mean, and permutation importance (the "
        f"{lost} when a feature's values are shuffled), depend only on what the tree decides.",
        _ranges(subject, found, shuffled, kind),
    )


def _without_shuffling(subject: Subject) -> Section:
    """Show what is left where facts hold: the importance of this one order."""
    tree = subject.tree
    kind = "variance" if subject.numbers else "Gini"
    own = impurity_importance(tree, subject.rows, subject.y)
    found = dict(zip(tree.space.names, own, strict=True))
    order = sorted(tree.features, key=lambda name: -found[name])
    lead = (
        f"Impurity ({kind}) importance depends on the order in which a tree asks. Its range over "
        "all orders is left out, because the trees that decide the same on the rows that satisfy "
        "the facts are not counted; so is permutation importance, because shuffled values would "
        "make rows that contradict the facts."
    )
    lines = [(name, f"{found[name]:.3f}") for name in order]
    return Section("importance", "Which features matter", lead, [
        Table(("feature", f"{kind}, this order"), lines)
    ])  # fmt: skip


def _lost(subject: Subject, value: float) -> str:
    return amount(value) if subject.numbers else f"{value:.3f}"


def _ranges(
    subject: Subject, found: ImportanceRange, shuffled: dict[str, float], kind: str
) -> list[Part]:
    """Draw the range of each feature, and write it beside the order-free importances."""
    at = {name: i for i, name in enumerate(found.features)}
    order = sorted(subject.tree.features, key=lambda name: -found.mean[at[name]])
    lines = [
        (
            name,
            f"{found.importance[at[name]]:.3f}",
            f"{found.low[at[name]]:.3f} to {found.high[at[name]]:.3f}",
            f"{found.mean[at[name]]:.3f}",
            _lost(subject, shuffled[name]),
        )
        for name in order
    ]
    parts: list[Part] = []
    alt = (
        "Impurity importance of each feature in this tree, with its smallest and largest value "
        "over all equivalent trees."
    )
    with picture(alt, parts, height=1.4 + 0.3 * len(order)) as ax:
        draw_importance(found, ax)
    head = ("feature", f"{kind}, this order", f"{kind}, all orders", "mean", "permutation")
    return [*parts, Table(head, lines)]
