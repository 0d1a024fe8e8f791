"""What changed between two models: the regions in which they differ, as rules, and the rows.

In:  two models, each a tree or a sum of trees, and rows if there are some.
Out: ``Difference``: for every pair of answers the fewest rules of the rows that go from one to the
     other; its text, HTML and data.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import InvalidTree, OutOfTime, TooLarge, TooManyReasons, Undecided
from ..form import Term, meeting_boxes, product_tree, share_of_trees, shared_classes
from ..form.function_tree import canonical_tree, with_function_bins
from ..form.reasons import (
    Rules,
    Subject,
    all_reasons,
    irredundant_rules,
    leaf_rules,
    smallest_rules,
)
from ..model import (
    TIME_LIMIT,
    Budget,
    Label,
    LeafTable,
    Space,
    TreeKernel,
    in_budget,
    label_text,
    number_names,
    pieces,
    printable,
)
from ..output.templates import fragment
from ..readers import read_model
from .compare import ModelPair
from .proofs import plain_row, value_text
from .splitting import tree_of_ensemble

__all__ = ["Difference", "Shift", "difference"]

LISTED = 20  # rows that a text names
RULES_LIMIT = 1_000_000
LEAVES = 1_000
GROWTH = 4  # times the nodes of both trees together that the canonical tree may have

Answers = Sequence[tuple[Label | None, Label | None]]
Codes = tuple[int, int]


@in_budget
def difference(
    old: Any,
    new: Any,
    X: Any = None,
    *,
    exact: bool = True,
    limit: int = RULES_LIMIT,
    leaves: int = LEAVES,
    time_limit: float | None = TIME_LIMIT,
) -> Difference:
    """Account exactly for the change from one model to another: where they differ, and how.

    Parameters
    ----------
    old, new : Tree, CanonicalForm, Ensemble, or any model that a reader knows
        Features compare by name, answers by label, as for ``equivalent``: models over different
        spaces are compared on the values that each feature has in both.
    X : rows, optional
        Rows that both models can take; the account then also says which of them change.
    exact : bool
        Whether the rules are proven to be the fewest. Where that takes more than ``limit`` reasons
        or the time limit, they are not, and ``Difference.exact`` says so.
    limit : int
        How many reasons are listed to find the fewest rules.
    leaves : int
        How many leaves an ensemble may take as one tree. Where it takes more there are no rules;
        ``Difference.note`` says so, and there is still an example row.
    time_limit : float
        Seconds for the call. Finding the rules takes half of it for the fewest, the rest for any of
        which none can be left out.

    Returns
    -------
    Difference
        True if the models differ.

    Raises
    ------
    Undecided
        If an ensemble does not become one tree, and neither a row on which the two differ nor a
        proof that there is none was found.

    Notes
    -----
    Both trees are asked one after the other, and the pairs of answers are the classes of a tree
    whose rules are found as those of ``canonicalize``. So the rules of one change may overlap, and
    those of two changes never do. Cost: pairs of leaves that meet, and the rules.

    Examples
    --------
    >>> from orderless import Space, read
    >>> old = {"feature": "age", "relation": "<=", "reference": 25,
    ...        "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}}
    >>> space = Space({"age": int, "income": int})
    >>> new = {"feature": "income", "relation": "<=", "reference": 20, "true": old,
    ...        "false": {"prediction": "grant"}}
    >>> before, after = (read(tree, space=space) for tree in (old, new))
    >>> print(difference(before, after, [[23, 10], [23, 30], [40, 30]]))
    The models differ on 25 % of the space.
    Of the 3 rows 1 changes.
    <BLANKLINE>
    refuse -> grant:
      age <= 25 AND income > 20
      1 of the rows, counted from 0: 1
    """
    models = (read_model(old), read_model(new))
    if models[0].task != models[1].task:
        raise InvalidTree(
            "a model of classes and one of numbers cannot be compared: cut the numbers with "
            "discretize([level]) first"
        )
    pair = ModelPair(*models)
    answers = None if X is None else pair.answers(X)
    try:
        one, other = (
            model if isinstance(model, TreeKernel)
            else tree_of_ensemble(model, leaves, time_limit, "leaves")
            for model in models
        )  # fmt: skip
    except (TooLarge, OutOfTime, Undecided) as fault:
        return _with_rows(_without_rules(pair, answers, str(fault)), answers)
    of_trees = pair if pair.trees is not None else ModelPair(one, other)
    return _with_rows(_of_trees(of_trees, limit, time_limit, exact), answers)


def _without_rules(pair: ModelPair, answers: Answers | None, why: str) -> Difference:
    """Return whether two models that do not become trees differ, with a row if none is at hand."""
    shifts: tuple[Shift, ...] = ()
    if not any(_changes(*both) for both in answers or ()):
        box = pair.difference()
        if box is None:
            return Difference(True, task=pair.models[0].task)
        row, (before, after) = pair.row(box)
        shifts = (Shift(before, after, None, row),)
    note = f"There are no rules of the regions: {why}."
    return Difference(False, shifts, pair.models[0].task, note=note)


def _of_trees(pair: ModelPair, limit: int, time_limit: float | None, exact: bool) -> Difference:
    """Account for the change from one tree to another, without rows."""
    assert pair.trees is not None
    old, new = pair.models
    product, codes = product_tree(_with_all_features(pair))
    rules, proven, note = _rules(product, codes, limit, time_limit, exact)
    if not rules:
        return Difference(True, task=old.task, share_of_space=0.0)
    shifts = [
        Shift(old.classes[a], new.classes[b], rules[a, b], _example(pair, (a, b), rules[a, b]))
        for a, b in codes
        if (a, b) in rules
    ]
    if old.task == "regression":
        shifts.sort(key=lambda shift: -abs(shift.by or 0.0))
    return Difference(
        False,
        tuple(shifts),
        old.task,
        share_of_trees(*pair.trees),
        _training(pair),
        exact=proven,
        note=note,
    )


def _example(pair: ModelPair, codes: Codes, rules: Sequence[Term]) -> dict[str, Any]:
    """Return a possible row whose answer changes from one class to another."""
    assert pair.trees is not None
    box = {side.feature.name: side for side in rules[0].sides}
    if pair.space.domain.restricts:  # a rule may have rows that satisfy no fact
        one, other = pair.trees
        only = np.zeros((len(one.classes), len(other.classes)), dtype=bool)
        only[codes] = True
        box = next(meeting_boxes(one, other, only))
    return pair.row(box)[0]


def _with_all_features(pair: ModelPair) -> Sequence[TreeKernel]:
    """Return both trees over one space with the features that neither asks about, too.

    Rows that a model takes have them, and the rules are put to such rows.
    """
    assert pair.trees is not None
    space = pair.space
    more = {f.name: f for model in reversed(pair.models) for f in model.space.features
            if f.name not in space}  # fmt: skip
    if not more:
        return pair.trees
    wide = Space([*space.features, *more.values()], space.columns, facts=space.facts)
    return [tree.over(wide) for tree in pair.trees]


# -- rows ----------------------------------------------------------------------------------------


def _changes(before: Label | None, after: Label | None) -> bool:
    return before is not None and after is not None and before != after


def _with_rows(result: Difference, answers: Answers | None) -> Difference:
    """Add which rows of a table change, to the shifts that they belong to.

    Rows whose pair of answers no region has get a shift without rules: a float64 that only one of
    the models rounds is not a value that both have.
    """
    if answers is None:
        return result
    at: dict[tuple[Any, Any], list[int]] = {}
    for i, (before, after) in enumerate(answers):
        if _changes(before, after):
            at.setdefault((before, after), []).append(i)
    shifts = [replace(s, at=tuple(at.pop((s.before, s.after), ()))) for s in result.shifts]
    shifts += [Shift(a, b, at=tuple(rows)) for (a, b), rows in sorted(at.items(), key=str)]
    n_open = sum(None in both for both in answers)
    return replace(result, shifts=tuple(shifts), n_rows=len(answers), n_open=n_open)


def _training(pair: ModelPair) -> tuple[float, float] | None:
    """Return the bounds of the share of the old tree's training rows that change, by its leaves."""
    assert pair.trees is not None
    old, other = pair.models[0], pair.trees[1]
    assert isinstance(old, TreeKernel)
    if old.distribution is None:
        return None
    rows = old.distribution[old.feature < 0].sum(axis=1)
    if np.allclose(rows, 1.0) or not rows.sum() > 0:  # shares, which count no rows
        return None
    numbered = old.replace(classes=range(old.n_leaves), task="classification", distribution=None,
                           leaf_class=old.numbered_leaves.leaf_class)  # fmt: skip
    mine, theirs = LeafTable(numbered.over(pair.space), {}), LeafTable(other, {})
    answers = old.leaf_class[old.feature < 0]
    codes = shared_classes(pair.trees)
    some, every = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    all_pairs = np.ones((old.n_leaves, len(other.classes)), dtype=bool)
    try:
        for leaf, others in mine.pairs((), all_pairs, theirs):
            number = int(mine.label[leaf])
            differ = codes[1][theirs.label[others]] != codes[0][answers[number]]
            some[number], every[number] = bool(differ.any()), bool(differ.all())
    except Undecided:  # it is beside the rules, which are what was asked for
        return None
    total = float(rows.sum())
    return float(rows[every].sum()) / total, float(rows[some].sum()) / total


# -- rules ---------------------------------------------------------------------------------------


def _rules(
    product: TreeKernel, pairs: Sequence[Codes], limit: int, time_limit: float | None, exact: bool
) -> tuple[dict[Codes, tuple[Term, ...]], bool, str]:
    """Find the rules of every pair of answers, whether they are the fewest, and a note.

    All steps together take the time limit: half of it the fewest rules, a quarter of what is left
    the tree that depends on the function alone, and the rest any rules.
    """
    possible = product.possible
    labels = (product if possible is None else possible.tree).leaf_class
    there = set(labels.tolist()) - {-1, 0, len(pairs) + 1}
    if not there:
        return {}, True, ""
    budget = Budget(time_limit)
    subject = (
        Subject.of(with_function_bins(product).bins)
        if possible is None
        else Subject.of_possible(possible)
    )
    rules = _fewest(subject, there, limit, Budget(budget.left / 2)) if exact else None
    note = ""
    if rules is None:
        rules, note = _any_rules(product, subject, there, budget)
    return {pairs[k - 1]: rules[k].terms for k in sorted(there)}, not note, note


def _fewest(
    subject: Subject, there: set[int], limit: int, budget: Budget
) -> dict[int, Rules] | None:
    """Find the fewest rules of some classes; None where that takes too long."""
    try:
        with budget:
            reasons = all_reasons(subject, limit, there)
            return {k: smallest_rules(subject, k, reasons[k]) for k in sorted(there)}
    except (TooManyReasons, OutOfTime):
        return None  # which is said


def _any_rules(
    product: TreeKernel, subject: Subject, there: set[int], budget: Budget
) -> tuple[dict[int, Rules], str]:
    """Find rules that may not be the fewest, and say what they are."""
    note = "The rules are not proven to be the fewest; none can be left out."
    if product.possible is None:
        try:
            with Budget(budget.left / 4):
                function = canonical_tree(product, limit=GROWTH * product.n_nodes)
            subject = Subject.of(function.bins)
        except (OutOfTime, TooLarge):
            note += " Other trees that decide the same may give other rules."
    try:
        with budget:
            return {k: irredundant_rules(subject, k) for k in sorted(there)}, note
    except OutOfTime:
        note = "The rules are as the two trees ask, one after the other: fewer may be enough."
        subject = Subject.of(product.bins) if product.possible is None else subject
        return dict(enumerate(leaf_rules(subject))), note


# -- the account ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Shift:
    """Rows to which the old model says one thing, and the new model another.

    Attributes
    ----------
    before, after
        What the old model says, and what the new one does.
    rules : tuple of Term
        The fewest boxes that hold exactly these rows. None where only rows of a table are known.
    example : dict or None
        One of these rows, with a value for every feature.
    at : tuple of int
        Positions of the rows of the table that are among them.
    """

    before: Label
    after: Label
    rules: tuple[Term, ...] | None = None
    example: dict[str, Any] | None = None
    at: tuple[int, ...] = ()

    @property
    def by(self) -> float | None:
        """How much larger the new number is; None if the answers are not numbers."""
        if isinstance(self.before, str | bool) or isinstance(self.after, str | bool):
            return None
        return float(self.after) - float(self.before)

    @property
    def example_text(self) -> str:
        """The example in words; empty where there is none."""
        cells = (self.example or {}).items()
        return ", ".join(f"{printable(name)} = {value_text(value)}" for name, value in cells)

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold."""
        return {
            "before": self.before,
            "after": self.after,
            "by": self.by,
            "rules": None if self.rules is None else [term.to_dict() for term in self.rules],
            "texts": None if self.rules is None else [str(term) for term in self.rules],
            "example": None if self.example is None else plain_row(self.example),
            "at": list(self.at),
        }


@dataclass(frozen=True, eq=False, repr=False)
class Difference:
    """The exact account of a change from one model to another. It is true if they differ.

    Made by ``orderless.difference``.

    Attributes
    ----------
    same : bool
        Whether both models give every row the same answer; this is proven.
    shifts : tuple of Shift
        By pair of answers, the rows that change: no row is in two of them.
    task : str
        "classification" or "regression".
    share_of_space : float or None
        On which share of the space the models differ, as ``orderless.disagreement`` gives it.
    training : tuple of float, or None
        Between which shares the training rows of the old model that change lie, by the rows that
        its leaves know of; None if they know none.
    n_rows : int or None
        Rows of the table; None without one.
    n_open : int
        Rows of the table that are not compared: one of the models has no certain answer for them.
    exact : bool
        Whether the rules are proven to be the fewest.
    note : str
        What kind of rules they are where they are not the fewest, or why there are none.
    """

    same: bool
    shifts: tuple[Shift, ...] = ()
    task: str = "classification"
    share_of_space: float | None = None
    training: tuple[float, float] | None = None
    n_rows: int | None = None
    n_open: int = 0
    exact: bool = True
    note: str = ""

    def __bool__(self) -> bool:
        return not self.same

    @property
    def at(self) -> tuple[int, ...]:
        """Positions of the rows of the table that change."""
        return tuple(sorted(i for shift in self.shifts for i in shift.at))

    @property
    def names(self) -> dict[Label, str]:
        """How the answers are written: labels, and numbers with no more digits than needed."""
        answers = [answer for shift in self.shifts for answer in (shift.before, shift.after)]
        if self.task == "regression":
            return dict(number_names([float(answer) for answer in answers]).items())
        return {answer: label_text(answer) for answer in answers}

    def head(self) -> list[str]:
        """Say in a few lines how much changes."""
        if self.same:
            return ["Both models give every row the same answer; this is proven."]
        share = self.share_of_space
        on = "" if share is None else f" on {_percent(share)} of the space"
        lines = [f"The models differ{on}."]
        if self.training is not None:
            low, high = self.training
            ends = _percent(low) if low == high else f"between {_percent(low)} and {_percent(high)}"
            lines.append(f"Of the old model's training rows {ends} change.")
        if self.n_rows is not None:
            have = "has" if self.n_open == 1 else "have"
            open_ = f"; {self.n_open:,} {have} no certain answer" if self.n_open else ""
            n = len(self.at)
            lines.append(f"Of the {self.n_rows:,} rows {n:,} change{'s' * (n == 1)}{open_}.")
        if self.task == "regression" and self.shifts:
            most = max((shift.by or 0.0 for shift in self.shifts), key=abs)
            lines.append(f"The largest change that is listed is {'+' * (most > 0)}{_short(most)}.")
        return [*lines, *([self.note] if self.note else [])]

    def __str__(self) -> str:
        names, lines = self.names, self.head()
        for shift in self.shifts:
            lines += ["", f"{self.title(shift, names)}:"]
            for term in shift.rules or ():
                lines.append(f"  {term}")
            if shift.at:
                more = ", ..." if len(shift.at) > LISTED else ""
                some = ", ".join(f"{i:,}" for i in shift.at[:LISTED])
                lines.append(f"  {len(shift.at):,} of the rows, counted from 0: {some}{more}")
            elif shift.rules is None and shift.example is not None:
                lines.append(f"  for example {shift.example_text}")
        return "\n".join(lines)

    def title(self, shift: Shift, names: Mapping[Label, str]) -> str:
        """Say from what to what a shift goes."""
        by = ""
        if self.task == "regression" and shift.by is not None:
            by = f" ({'+' if shift.by > 0 else ''}{_short(shift.by)})"
        return f"{names[shift.before]} -> {names[shift.after]}{by}"

    def __repr__(self) -> str:
        if self.same:
            return "Difference(none)"
        return f"Difference({len(self.shifts)} kinds of change)"

    def to_html(self) -> str:
        """Write it as an HTML fragment, with every name and label escaped."""
        names = self.names
        shifts = [
            {
                "title": self.title(shift, names),
                "rules": [
                    [list(pieces(side, len(term))) for side in term.sides]
                    for term in shift.rules or ()
                ],
                "known": shift.rules is not None,
                "rows": len(shift.at),
                "example": "" if shift.rules is not None or shift.at else shift.example_text,
            }
            for shift in self.shifts
        ]
        counted = self.n_rows is not None
        return fragment("rules/difference.html", head=self.head(), shifts=shifts, counted=counted)

    def _repr_html_(self) -> str:
        return self.to_html()

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold."""
        return {
            "same": self.same,
            "share_of_space": self.share_of_space,
            "training": None if self.training is None else list(self.training),
            "rows": self.n_rows,
            "rows_changed": None if self.n_rows is None else len(self.at),
            "rows_not_compared": self.n_open,
            "exact": self.exact,
            "note": self.note,
            "shifts": [shift.to_dict() for shift in self.shifts],
        }

    def to_json(self) -> str:
        """Write it as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def _percent(share: float) -> str:
    text = f"{100 * share:.3g} %"
    return text if share in (0.0, 1.0) or text not in ("0 %", "100 %") else f"{100 * share:.9g} %"


def _short(number: float) -> str:
    return f"{number:.6g}"
