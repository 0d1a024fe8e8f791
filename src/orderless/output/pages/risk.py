"""Risk thresholds: how a decision changes with the share of a class from which on it is taken.

In:  a classifier that knows the training rows of its leaves, rows, and costs if there are some.
Out: ``RiskThresholds``: a tidy table by threshold, one figure; the report's section on it.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...acquisition import money
from ...api import cheapest_policy
from ...errors import InvalidData, InvalidTree, OutOfTime, TooManyReasons
from ...estimators import coverage
from ...form import canonical_form
from ...inputs import class_codes, rows_for
from ...model import Label, Rows, TreeKernel, label_text
from ...readers import read_tree
from ..plots.measures import draw_thresholds
from .subject import Part, Section, Subject, Table, pictures

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RiskThresholds", "risk_thresholds", "thresholds"]

TITLE = "The decision at every risk threshold"
MISSING = 0.3  # share of features that are removed, to see which rows stay certain
MOST = 60  # distinct shares that a report looks at
SECONDS = 1.0  # that a report searches for rules, or the cheapest way, at one threshold
ALL_SECONDS = 8.0  # at all of them


@dataclass(frozen=True, eq=False, repr=False)
class RiskThresholds:
    """What is decided at every risk threshold. Made by ``risk_thresholds``.

    Attributes
    ----------
    label : class label
        Whose risk it is.
    table : pandas.DataFrame
        One row for each distinct share of the label among the leaves, rising: from just above
        ``above`` up to ``probability`` the decision "the risk is at least the threshold" is the
        same. ``rules`` is how many rules it takes (``minimal``: proven to be the fewest),
        ``flagged`` the share of rows for which it is yes, ``certain`` the share of rows with gaps
        for which it is certain; with labels ``found`` (the share of the label's rows that are
        flagged) and ``false alarms`` (of the others); with costs ``cost`` (of an answer, on
        average) and ``proven`` (whether none is cheaper).
    missing_rate : float
        The share of features that the rows with gaps lack.
    """

    label: Label
    table: pd.DataFrame
    missing_rate: float

    def __repr__(self) -> str:
        n = len(self.table)
        head = f"RiskThresholds of {self.label!r}: {n} threshold{'s' * (n != 1)}"
        return f"{head}\n{self.table.round(3).to_string(index=False)}"

    def plot(self, axes: Any = None) -> Any:
        """Draw rules, certainty and cost against the threshold; give the Axes.

        ``axes`` are as many Axes as there are measures, two or (with costs) three; without, those
        of a new figure.
        """
        return draw_thresholds(self.table, str(self.label), self.missing_rate, axes)


def risk_thresholds(
    tree: Any,
    X: Any,
    y: ArrayLike | None = None,
    costs: Any = None,
    *,
    label: Any = None,
    missing_rate: float = MISSING,
    n_repeats: int = 5,
    random_state: int = 0,
    time_limit: float = 60.0,
) -> RiskThresholds:
    """Say how the decision "is the risk at least this?" changes with the threshold.

    The risk is the share of the label among the training rows of a leaf (``Tree.decide_at``), so
    the decision changes only at the distinct shares of the leaves: every threshold is looked at.

    Parameters
    ----------
    tree : Tree, or any classifier that ``orderless.read`` knows and that has training rows
    X : rows
        Complete, as the tree takes them.
    y : labels, optional
        To count which rows are flagged rightly.
    costs : dict or array, optional
        What each feature costs: the cheapest way to the decision is then sought.
    label : class label, optional
        Whose risk; by default the class with the fewest training rows.
    missing_rate : float
        The share of features that are removed at random, to see which rows stay certain.
    n_repeats, random_state : int
        As for ``coverage``.
    time_limit : float
        About how many seconds the rules, and the cheapest way, at one threshold may take; what was
        not proven by then says so.

    Returns
    -------
    RiskThresholds

    Notes
    -----
    Cost: thresholds x (rules, ``coverage`` and ``cheapest_policy`` of the tree).

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = [[1], [2], [3], [4], [5], [6]], ["ok", "ok", "ill", "ok", "ok", "ok"]
    >>> model = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    >>> found = risk_thresholds(model, X, y)
    >>> found.table[["above", "probability", "rules", "flagged", "found", "false alarms"]].round(2)
       above  probability  rules  flagged  found  false alarms
    0    0.0         0.00      1      1.0    1.0           1.0
    1    0.0         0.33      2      0.5    1.0           0.4
    """
    source = read_tree(tree)
    return _at_every(
        source, X, rows_for(source, X), y, costs, label, missing_rate, time_limit,
        {"n_repeats": n_repeats, "random_state": random_state},
    )  # fmt: skip


def _at_every(
    source: TreeKernel,
    X: Any,
    rows: Rows,
    y: ArrayLike | None,
    costs: Any,
    label: Any,
    missing_rate: float,
    time_limit: float,
    repeats: dict[str, Any],
) -> RiskThresholds:
    """``risk_thresholds`` for rows that have been read already, once for all thresholds."""
    import pandas as pd

    place = _rarest(source) if label is None else source.place_of(label)
    own = source.classes[place]
    shares = source.risks(place)
    truth = None if y is None else _truth(source, rows, y, place)
    lines = []
    for above, at in zip([0.0, *shares], shares, strict=False):
        decision = source.decide_at(own, at)
        yes = decision.decide(rows) == 1
        rules, minimal = _rules(decision, time_limit)
        line: dict[str, Any] = {"above": above, "probability": at, "rules": rules,
                                "minimal": minimal, "flagged": float(yes.mean())}  # fmt: skip
        gaps = coverage(decision, X, [missing_rate], **repeats).table
        line["certain"] = float(gaps.loc[gaps["way"] == "determined", "answered"].mean())
        if truth is not None:
            line["found"], line["false alarms"] = _share(yes[truth]), _share(yes[~truth])
        if costs is not None:
            line["cost"], line["proven"] = _cost(decision, rows, costs, time_limit)
        lines.append(line)
    return RiskThresholds(own, pd.DataFrame(lines), float(missing_rate))


def _rarest(tree: TreeKernel) -> int:
    """Give the class with the fewest training rows that some leaf has, the first of several."""
    _ = tree.shares  # says why there are none
    assert tree.distribution is not None
    rows = tree.distribution[tree.feature < 0].sum(axis=0)
    return int(np.argmin(np.where(rows > 0, rows, np.inf)))


def _truth(tree: TreeKernel, rows: Rows, y: ArrayLike, place: int) -> Any:
    codes = class_codes(tree, y, rows.n_rows, complete=True)
    if not (codes >= 0).any():
        raise InvalidData(
            f"y has none of the classes {str(list(tree.classes))[:200]}: give the labels that the "
            "tree was fitted on"
        )
    return codes == place


def _rules(tree: TreeKernel, time_limit: float) -> tuple[int, bool]:
    """Give how many rules there are, and whether it is proven that none are fewer."""
    form = canonical_form(tree, time_limit=time_limit)
    try:
        found = form.rules
    except (OutOfTime, TooManyReasons):
        form = canonical_form(tree, exact=False)
        found = form.rules
    minimal = all(form.bounds[label] == len(terms) for label, terms in found.items())
    return sum(map(len, found.values())), minimal


def _share(flags: Any) -> float:
    return float(flags.mean()) if len(flags) else float("nan")


def _cost(tree: TreeKernel, rows: Rows, costs: Any, time_limit: float) -> tuple[float, bool]:
    if len(np.unique(tree.leaf_class[tree.feature < 0])) == 1:
        return 0.0, True  # the answer is always the same
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ``proven`` says it
        policy = cheapest_policy(tree, rows, costs, time_limit=time_limit)
    return float(policy.expected_cost), bool(policy.optimal)


# -- the report's section -------------------------------------------------------------------------


def thresholds(subject: Subject) -> Section:
    """Draw how rules, certainty and cost change with the risk threshold."""
    tree = subject.tree
    if subject.numbers or tree.distribution is None or not tree.features:
        return Section("thresholds", TITLE, "")
    try:
        place = _rarest(tree) if subject.risk_of is None else None
    except InvalidTree as fault:
        return Section("thresholds", TITLE, f"Left out: {str(fault).split(': ')[0]}.")
    place = tree.place_of(subject.risk_of) if place is None else place
    label, n_shares = tree.classes[place], len(tree.risks(place))
    if n_shares > MOST:
        lead = f"Left out: the leaves have more than {MOST} different shares of {label}."
        return Section("thresholds", TITLE, lead)
    found = _at_every(
        tree, subject.X, subject.rows, subject.y, subject.costs, label, MISSING,
        min(SECONDS, ALL_SECONDS / n_shares),
        {"n_repeats": 5, "random_state": subject.random_state},
    )  # fmt: skip
    parts: list[Part] = []
    alt = (
        "Number of rules, share of rows with gaps that are certain"
        + (", and cost of an answer" if subject.costs is not None else "")
        + f", against the risk of {label_text(found.label)} from which on the decision is yes."
    )
    n = 2 + (subject.costs is not None)
    with pictures(alt, parts, n, height=0.9 + 1.55 * n) as axes:
        found.plot(axes)
    return Section("thresholds", TITLE, _lead(found), [*parts, _table(found)])


def _lead(found: RiskThresholds) -> str:
    name, last = label_text(found.label), float(found.table["probability"].iloc[-1])
    never = f", and above {last:.3g} it is always no" if last < 1 else ""
    certain = (
        f"for how many rows it stays certain if {found.missing_rate:.0%} of the features are "
        "missing"
    )
    cost = "cost" in found.table
    return (
        f"A leaf's risk is the share of {name} among its training rows. Where a lower risk is "
        "reason enough to act, or only a higher one is, the decision is another: is the risk of "
        f"{name} at least the threshold? It changes only at the {len(found.table)} different risks "
        f"of the leaves{never}. Shown is how many rules the decision takes,"
        f"{' ' if cost else ' and '}{certain}" + (", and what an answer costs." if cost else ".")
    )


def _table(found: RiskThresholds) -> Table:
    """Write the table; a threshold is named by the risks that it parts."""
    costs = "cost" in found.table
    head = ("threshold", "rules", "rows with yes", f"of {label_text(found.label)}", "of the others",
            "certain with gaps", *["average cost"] * costs)  # fmt: skip
    rows: list[tuple[Any, ...]] = []
    for line in found.table.to_dict("records"):
        low, high = line["above"], line["probability"]
        name = f"up to {high:.3g}" if not rows else f"above {low:.3g} to {high:.3g}"
        cost = [("" if line["proven"] else "at most ") + money(line["cost"])] if costs else []
        rules = line["rules"] if line["minimal"] else f"at most {line['rules']:,}"
        rows.append((name, rules, f"{line['flagged']:.1%}", _percent(line["found"]),
                     _percent(line["false alarms"]), f"{line['certain']:.1%}", *cost))  # fmt: skip
    return Table(head, rows)


def _percent(share: float) -> str:
    return "" if np.isnan(share) else f"{share:.1%}"
