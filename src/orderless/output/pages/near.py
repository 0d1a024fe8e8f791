"""The report's section on the trees around one tree: all that are about as good.

In:  ``Subject``: a tree, complete rows and their labels.
Out: ``Section``: how many trees are about as good, over the tree's own conditions and more, how
     many functions they are, and where this tree stands.
Paper: Section 4.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidData, InvalidSpace, OutOfMemory, OutOfTime, TooLarge
from ...importance import WeightedRows
from ...inputs import Binarizer
from ...model import (
    CODE,
    F32,
    F64,
    Column,
    Condition,
    Feature,
    Rows,
    Space,
    TreeKernel,
    short_count,
)
from ...rashomon import MOST_DEPTH, RashomonSet, TreeSet, member
from ..plots.look import INK_ON_PAGE
from ..plots.rashomon import plot_objectives
from .subject import Details, Part, Section, Subject, Table, count, drawn, picture

__all__ = ["EPSILON", "REGULARIZATION", "Around", "around", "near"]

TITLE = "Trees that are about as good"
MOST_FUNCTIONS = 1_000_000
MOST_DRAWN = 100_000  # trees of numbers, nearly every one of which has an objective of its own
REGULARIZATION = Fraction(1, 100)
EPSILON = Fraction(2, 100)
MOST_CELLS = 300_000  # of the table in which thresholds are guessed, by class: about a second
MOST_CATEGORIES = 20  # of one feature; with more, none is guessed
SECONDS = 1.5
BYTES = 1024**3

Bits = NDArray[np.bool_]


def near(subject: Subject) -> Section:
    """Count the near-optimal trees and functions, and place the tree among them."""
    try:
        found = around(subject)
    except (OutOfMemory, OutOfTime):
        lead = (
            f"Left out: there are too many trees of depth {subject.tree.depth} to look at within "
            "the time and memory of a report."
        )
        return Section("near", TITLE, lead)
    except (InvalidData, TooLarge) as fault:
        lead = f"Left out: {str(fault).split(': ')[0]}."
        return Section("near", TITLE, lead)
    trees = found.trees
    try:
        functions = short_count(len(trees.functions(limit=MOST_FUNCTIONS)))
    except (OutOfMemory, OutOfTime, TooLarge):
        functions = f"more than {MOST_FUNCTIONS:,}, not counted"
    sizes = Table(
        (f"with an objective of at most {float(trees.bound):.4f}", "how many"),
        [
            ("trees", short_count(trees.n_trees)),
            ("trees without trivial splits", short_count(trees.n_nontrivial)),
            ("different functions", functions),
        ],
    )
    best = trees.best_tree.with_space(subject.tree.space)
    compared = Table(
        ("tree", "leaves", "squared error left" if subject.numbers else "wrong rows", "objective"),
        [
            _line("this tree", subject.tree.n_leaves, found.objective, found),
            *_smaller(subject, found),
            _line("a best tree", best.n_leaves, trees.objective, found),
        ],
    )
    parts: list[Part] = [sizes]
    if not subject.numbers or trees.n_trees <= MOST_DRAWN:
        alt = "How many trees have which objective, by number of leaves"
        alt += found.inside * "; a line shows where this tree stands"
        with picture(f"{alt}.", parts) as ax:
            _draw(ax, found)
    shown = Details("A best tree", drawn(subject, best.kernel))
    return Section("near", TITLE, _lead(found), [*parts, compared, shown])


def _lead(found: Around) -> str:
    trees = found.trees
    guessed = len(trees.columns) - found.n_own
    wrong = "share of wrong rows"
    if trees.task == "regression":
        wrong = "squared error, as a share of that of always saying the mean,"
    out = (
        f"A tree's objective is its {wrong} plus {float(REGULARIZATION):g} for each "
        f"leaf; smaller is better. Counted here are all trees of depth {found.depth} or less "
        f"whose objective is within {float(EPSILON):g} of the best. They may ask the "
        f"{count(found.n_own, 'condition')} of this tree and {guessed:,} more, which threshold "
        f"guessing proposed{_from_rows(found)}. {_exactness(found)}"
    )
    if not found.inside:
        beyond = float(found.objective - trees.bound)
        return f"{out}This tree is not among them: its objective is {beyond:.4f} too large."
    better = found.n_better
    if better is None:
        return f"{out}This tree is among them; how many are better was not counted."
    if better == 0:
        return f"{out}This tree is among the best: none has a smaller objective."
    return (
        f"{out}This tree is among them: {short_count(better)} of the "
        f"{short_count(trees.n_trees)} have a smaller objective."
    )


def _from_rows(found: Around) -> str:
    if found.n_guessed_from in (0, found.n_rows):
        return ""
    return f" from {found.n_guessed_from:,} of the {found.n_rows:,} rows, drawn at random"


def _exactness(found: Around) -> str:
    """Say how exact numbers are; nothing of classes."""
    target = found.trees._problem.table.target
    if target is None:
        return ""
    n = target.decimals
    exact = f"{n} decimal{'' if n == 1 else 's'}" if n >= 0 else f"the nearest {10**-n:,}"
    both = "The numbers of rows and leaves are" if found.rounded else "Numbers of leaves are"
    return f"{both} rounded to {exact} here. "


def _line(name: str, leaves: int, objective: Fraction, found: Around) -> tuple[Any, ...]:
    wrong = objective - REGULARIZATION * leaves
    if found.trees.task == "regression":
        return name, leaves, f"{float(wrong):.2%}", f"{float(objective):.4f}"
    return name, leaves, int(wrong * found.n_rows), f"{float(objective):.4f}"


def _smaller(subject: Subject, found: Around) -> list[tuple[Any, ...]]:
    """Give the line of the smallest equivalent tree, where it is smaller."""
    best = subject.smallest
    if best is None or best.n_leaves == subject.tree.n_leaves:
        return []
    less = REGULARIZATION * (subject.tree.n_leaves - best.n_leaves)
    return [
        _line(
            "the smallest tree that decides the same", best.n_leaves, found.objective - less, found
        )
    ]


def _draw(ax: Any, found: Around) -> None:
    plot_objectives(found.trees, ax)
    ax.yaxis.set_major_formatter("{x:,.0f}")
    if found.inside:
        at = float(found.objective)
        ax.axvline(at, color=INK_ON_PAGE, linewidth=1.4)
        ax.annotate("this tree", (at, ax.get_ylim()[1]), xytext=(4, -4), va="top", fontsize=9,
                    textcoords="offset points")  # fmt: skip


# -- the trees ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Around:
    """Near-optimal trees, and one tree among them or beside them.

    Attributes
    ----------
    trees : TreeSet
    depth : int
        The most conditions on a path of theirs.
    n_own : int
        How many of its columns are conditions of the tree; the others were guessed.
    n_guessed_from : int
        How many rows the others were guessed from, drawn from all where those are too many.
    objective : Fraction
        The tree's own.
    n_rows : int
    rounded : bool
        Whether the numbers of the rows had more decimals than could be kept.
    """

    trees: TreeSet
    depth: int
    n_own: int
    n_guessed_from: int
    objective: Fraction
    n_rows: int
    rounded: bool = False

    @property
    def inside(self) -> bool:
        """Whether the tree is near-optimal itself."""
        return self.objective <= self.trees.bound

    @property
    def n_better(self) -> int | None:
        """How many trees of the set have a smaller objective; None if counting takes too long."""
        if self.trees.task == "regression":  # nearly every tree has an objective of its own
            try:
                view = self.trees.where(member.objective <= self.objective)
                return view.n_trees - view.on_bound
            except (OutOfMemory, OutOfTime):
                return None
        table = self.trees.counts()
        rows = zip(table["errors"], table["leaves"], table["trees"], strict=True)
        return sum(
            int(n)
            for errors, leaves, n in rows
            if Fraction(int(errors), self.n_rows) + REGULARIZATION * int(leaves) < self.objective
        )


def around(subject: Subject) -> Around:
    """Find all near-optimal trees of at most the tree's depth, over 0/1 columns, or fail, once.

    The columns are the tree's own conditions, so that it is one of the trees that are compared,
    and conditions on the features of X that threshold guessing finds. Without the guessed ones the
    tree would be compared with trees that know no other thresholds than its own.

    Raises
    ------
    InvalidData
        If there is nothing to compare with, or the tree has conditions that are no columns.
    OutOfTime, OutOfMemory, TooLarge
        If there are too many trees.
    """
    if not subject.near:
        try:
            subject.near.append(_around(subject))
        except (InvalidData, OutOfMemory, OutOfTime, TooLarge) as fault:
            subject.near.append(fault)
    found = subject.near[0]
    if isinstance(found, Exception):
        raise found
    return cast(Around, found)


def _around(subject: Subject) -> Around:
    tree, rows, y = subject.tree, subject.rows, subject.y
    if subject.known:
        raise InvalidData("near-optimal trees are counted on all rows, and facts exclude some")
    if any(tree.space.features[i].nan for i in tree.used):
        raise InvalidData("for this tree, missing is a value of its own, and near-optimal trees "
                          "are searched for on complete rows only")  # fmt: skip
    if tree.depth > MOST_DEPTH:
        raise TooLarge(f"the tree is {tree.depth} conditions deep", MOST_DEPTH)
    given = WeightedRows.read(tree, rows, None)
    columns = dict(_own(tree, given))
    n_own = len(columns)
    if not n_own:
        raise InvalidData("the tree has no splits, so there is nothing to compare")
    # If these are too many already, guessing more is pointless.
    trees, rounded = _trees(tree, columns, y)
    guessed, n_guessed_from = _guessed(tree, rows, y)
    for key, column in guessed:
        columns.setdefault(key, column)
    if len(columns) > n_own:
        trees, rounded = _trees(tree, columns, y)
    if subject.numbers:
        objective = trees.objective_of(tree)
    else:
        wrong = subject.quality.n_rows - subject.quality.n_right
        objective = Fraction(wrong, given.n_rows) + REGULARIZATION * tree.n_leaves
    return Around(trees, tree.depth, n_own, n_guessed_from, objective, given.n_rows, rounded)


Key = tuple[str, Any]
Cut = tuple[Key, tuple[Condition, Bits]]


def _trees(
    tree: TreeKernel, columns: dict[Key, tuple[Condition, Bits]], y: Any
) -> tuple[TreeSet, bool]:
    """Find the near-optimal trees over some conditions; also say whether y had to be rounded."""
    space = Space(
        tree.space.features,
        [Column(f"column {k}", c.feature, c) for k, (c, _) in enumerate(columns.values())],
    )
    bits = np.stack([bits for _, bits in columns.values()], axis=1).astype(np.int8)
    rset = RashomonSet(
        tree.depth, REGULARIZATION, EPSILON,
        loss="squared" if tree.task == "regression" else "errors", thresholds=None, space=space,
        memory_limit=BYTES, time_limit=SECONDS,
    )  # fmt: skip
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        rset.fit(bits, y)
    return rset.trees_, bool(said)


def _key(feature: Feature, condition: Condition) -> Key:
    """Name a condition: the same for one that divides the values alike."""
    if condition.at_most is not None:
        return feature.name, float(feature.at_most(condition.at_most))
    chosen = set(condition.among or ())
    if feature.kind == "boolean":
        return feature.name, 0.0
    rest = set(feature.categories) - chosen
    return feature.name, min(tuple(sorted(map(repr, part))) for part in (chosen, rest))


def _own(tree: TreeKernel, given: WeightedRows[TreeKernel]) -> list[Cut]:
    """Give the tree's own conditions."""
    out: list[Cut] = []
    everything = np.arange(given.n_rows)
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        feature = tree.space.features[tree.feature[node]]
        if feature.kind == "numeric":
            condition = Condition(feature.name, at_most=float(tree.threshold[node]))
        elif feature.kind == "boolean":
            condition = Condition(feature.name, among=(False,))
        else:
            codes = [int(code) for code in tree.set_of(node)]
            if feature.other:
                raise InvalidData(f"{feature.name!r} allows values that are not listed")
            condition = Condition(feature.name, among=tuple(feature.label(c) for c in codes))
        out.append((_key(feature, condition), (condition, given.holds(node, everything))))
    return out


def _guessed(tree: TreeKernel, rows: Rows, y: Any) -> tuple[list[Cut], int]:
    """Give the conditions that threshold guessing finds in the features that X has.

    They are proposals: where rows x features x classes are many, a part of the rows is enough to
    make them. Also gives how many rows they were made from.
    """
    table: list[NDArray[np.float64]] = []
    columns: list[Column] = []
    features: list[Feature] = []
    for i, feature in enumerate(tree.space.features):
        kind, values, _ = rows.columns[i]
        if values is None or feature.nan or feature.other:
            continue  # None: X does not have it
        if kind in (F64, F32) and np.isfinite(values).all():
            table.append(values.astype(np.float64))
            columns.append(Column(feature.name, feature.name))
        elif kind == CODE and feature.n_values <= MOST_CATEGORIES and (values >= 0).all():
            for code, label in enumerate(feature.categories):
                table.append((values == code).astype(np.float64))
                name = f"{feature.name} = {label}"
                columns.append(Column(name, feature.name, Condition(feature.name, among=(label,))))
        else:
            continue  # known in part, or binarized before
        features.append(feature)
    if not table:
        return [], 0
    numbers, labels = np.stack(table, axis=1), np.asarray(y)
    several = tree.task == "classification" and len(tree.classes) > 2
    n_classes = len(tree.classes) if several else 1
    if tree.task == "regression":
        labels = labels.astype(np.float64)
    most = max(MOST_CELLS // (numbers.shape[1] * n_classes), 100)
    some = np.arange(len(numbers))
    if len(numbers) > most:
        some = np.sort(np.random.default_rng(0).choice(len(numbers), most, replace=False))
    try:
        binarizer = Binarizer(space=Space(features, columns), task=tree.task)
        fitted = binarizer.fit(numbers[some], labels[some])
    except (InvalidData, InvalidSpace):  # nothing varies, or names that clash
        return [], 0
    bits = np.asarray(fitted.transform(numbers), dtype=bool)
    out: list[Cut] = []
    for k, column in enumerate(fitted.space_.columns):
        assert column.condition is not None
        key = _key(tree.space[column.feature], column.condition)
        out.append((key, (column.condition, bits[:, k])))
    return out, len(some)
