"""The report's sections, each a function of what is known of the tree.

In:  ``Subject``.
Out: ``Section``: a title, a sentence, and HTML in which every name is escaped.
"""

from __future__ import annotations

import platform
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from importlib.metadata import version
from typing import Any

import numpy as np

from ...errors import InvalidTree, OutOfTime, TooManyBoxes, TooManyReasons
from ...form import redundant_splits
from ...importance import importance_range, impurity_importance, permutation_importance
from ...missing import coverage
from ...model import label_text, short_count
from ..plots.drawing import DRAWN_LEAVES
from ..rules.html import form_as_html
from .figure import figure_as_svg
from .subject import Section, Subject, count, drawn, scroll, table

__all__ = [
    "as_it_came",
    "importance",
    "made",
    "missing",
    "reasons",
    "rules",
    "smallest",
]

MANY_REASONS = 400  # more are counted, not listed
MANY_BOXES = 25_000  # that the range over all orders may look at: about a second


def as_it_came(subject: Subject) -> Section:
    """Draw the tree; redundant splits are dashed."""
    tree = subject.tree
    gone = redundant_splits(tree) if tree.n_leaves <= DRAWN_LEAVES else ()
    lead = "Each row answers the questions from left to right until it reaches a class."
    if gone:
        lead += f" The {count(len(gone), 'question')} with a dashed frame could be left out."
    return Section("tree", "The tree as it came", lead, drawn(subject, tree, gone))


def rules(subject: Subject) -> Section:
    """List the fewest rules per class, with coverage and accuracy on the data."""
    return Section(
        "rules",
        "What it decides: the shortest rules",
        "The same function without an order: the fewest rules that cover each class. A row may "
        "meet several of them; they never contradict each other.",
        scroll(form_as_html(subject.form, subject.X, subject.y, about_rows=subject.about_rows)),
    )


def reasons(subject: Subject) -> Section:
    """Count the sufficient reasons, and list them where that can be read."""
    lead = (
        "A reason is a set of conditions that settles the class whatever everything else is, and "
        "from which nothing can be left out. Rules are chosen among them."
    )
    try:
        found = subject.form.reasons
    except (OutOfTime, TooManyReasons):
        left_out = "<p>There are too many reasons to list them within the time of a report.</p>"
        return Section("reasons", "Every sufficient reason", lead, left_out)
    counts = table(
        ("class", "reasons", "conditions of the shortest"),
        (
            (label_text(label), len(terms), min((t.n_conditions for t in terms), default=0))
            for label, terms in found.items()
        ),
    )
    total = sum(map(len, found.values()))
    if total > MANY_REASONS:
        return Section(
            "reasons", "Every sufficient reason", lead,
            f"{counts}<p>The {total:,} reasons are too many to read; "
            "<code>orderless explain --reasons</code> lists them.</p>",
        )  # fmt: skip
    listed = form_as_html(
        subject.form, subject.X, subject.y, terms="reasons", about_rows=subject.about_rows
    )
    return Section(
        "reasons", "Every sufficient reason", lead,
        f"{counts}<details><summary>All {total:,} reasons</summary>"
        f'<div class="scroll" tabindex="0">{listed}</div></details>',
    )  # fmt: skip


def smallest(subject: Subject) -> Section:
    """Draw the smallest equivalent tree."""
    title = "The smallest tree that decides the same"
    tree, best = subject.tree, subject.smallest
    if best is None:
        return Section("smallest", title, "Left out: finding it would take too long.", "")
    if best.n_leaves == tree.n_leaves:
        lead = f"No tree with fewer than {count(tree.n_leaves, 'leaf')} decides the same."
        return Section("smallest", title, lead, "")
    lead = (
        f"{count(best.n_leaves, 'leaf')} instead of {tree.n_leaves}, the same class for every row "
        "there could be."
    )
    return Section("smallest", title, lead, drawn(subject, best))


def missing(subject: Subject) -> Section:
    """Draw how many rows are still answered when values are missing."""
    if not subject.tree.features:
        return Section(
            "missing", "With missing values", "The tree has no splits: every answer is certain.", ""
        )
    found = coverage(subject.tree, subject.X, y=subject.y, n_repeats=5,
                     random_state=subject.random_state)  # fmt: skip
    mean = found.table.groupby(["way", "rate"])["answered"].mean()
    shown = [0.1, 0.3, 0.5]
    body = figure_as_svg(
        found.plot,
        alt="Share of rows answered against the share of features missing, for three ways to "
        "answer; determined is always the highest.",
    ) + table(
        ("share of features missing", *(f"{rate:.0%}" for rate in shown)),
        (
            (name, *(f"{mean[way, rate]:.1%}" for rate in shown))
            for way, name in (
                ("determined", "answer is certain"),
                ("path", "tree can be walked"),
                ("features", "nothing is missing that the tree uses"),
            )
        ),
    )
    return Section(
        "missing",
        "With missing values",
        "A row with gaps still has a certain answer if every way to fill them gives the same "
        "class. Here features of the data above were taken away at random.",
        body,
    )


def importance(subject: Subject) -> Section:
    """Draw impurity importance with its range over all orders, and the order-free importances."""
    title = "Which features matter"
    if not subject.tree.features:
        return Section("importance", title, "The tree has no splits, so no feature matters.", "")
    used = subject.tree.features
    names = subject.tree.space.names
    shuffled = np.asarray(permutation_importance(subject.tree, subject.X, subject.y))
    try:
        if subject.tree.n_leaves > DRAWN_LEAVES:
            raise TooManyBoxes
        found = importance_range(subject.tree, subject.X, subject.y, limit=MANY_BOXES)
    except (InvalidTree, TooManyBoxes):
        gini = np.asarray(impurity_importance(subject.tree, subject.X, subject.y))
        order = sorted(used, key=lambda name: -gini[names.index(name)])
        rows = (
            (n, f"{gini[names.index(n)]:.3f}", f"{shuffled[names.index(n)]:.3f}") for n in order
        )
        return Section(
            "importance",
            title,
            "Impurity (Gini) importance depends on the order in which a tree asks. Its range over "
            "all orders is left out here, because too many trees decide the same as this one; "
            "permutation importance (loss of accuracy when a feature's values are shuffled) "
            "depends on the function only.",
            table(("feature", "Gini, this order", "permutation"), rows),
        )
    at = {name: i for i, name in enumerate(found.features)}
    order = sorted(used, key=lambda name: -found.mean[at[name]])
    lines = (
        (
            name,
            f"{found.importance[at[name]]:.3f}",
            f"{found.low[at[name]]:.3f} to {found.high[at[name]]:.3f}",
            f"{found.mean[at[name]]:.3f}",
            f"{shuffled[names.index(name)]:.3f}",
        )
        for name in order
    )
    body = figure_as_svg(
        found.plot,
        alt="Impurity importance of each feature in this tree, with its smallest and largest value "
        "over all equivalent trees.",
        height=1.4 + 0.3 * len(used),
    ) + table(("feature", "Gini, this order", "Gini, all orders", "mean", "permutation"), lines)
    return Section(
        "importance",
        title,
        f"Impurity (Gini) importance depends on the order in which a tree asks: "
        f"{short_count(found.n_trees)} "
        "trees without redundant splits decide the same, and the range is over all of them. Their "
        "mean and the permutation importance (loss of accuracy when a feature's values are "
        "shuffled) depend on the function only.",
        body,
    )


def made(subject: Subject) -> Section:
    """Say how the report was made, so that it can be made again."""
    content = sha256()
    for column in _columns(subject.X):
        content.update("\0".join(map(str, column)).encode("utf-8", "surrogatepass"))
    content.update("\0".join(map(str, subject.y)).encode("utf-8", "surrogatepass"))
    facts = {
        "tree": subject.form.fingerprint + " (fingerprint: equal for trees that decide the same)",
        "data": f"{subject.n_rows:,} rows, sha256 {content.hexdigest()[:32]}",
        **subject.about,
        "random numbers": f"seed {subject.random_state}",
        "versions": f"orderless {version('orderless')}, numpy {np.__version__}, "
        f"Python {platform.python_version()}",
    }
    body = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td><code>{escape(what)}</code></td></tr>'
        for name, what in facts.items()
    )
    return Section(
        "made", "How this was made", "", f'<table class="plain"><tbody>{body}</tbody></table>'
    )


def _columns(X: Any) -> Iterable[Any]:
    import pandas as pd

    try:
        frame = pd.DataFrame(X)
    except UnicodeEncodeError:  # half of a surrogate pair, which pandas' texts cannot hold
        return (
            [row.get(name) for row in X] for name in sorted({name for row in X for name in row})
        )
    return (frame[name].to_list() for name in frame)
