"""Coverage: how many rows are answered when values go missing.

In:  a tree, complete rows, and how values go missing.
Out: ``Coverage``: a tidy table, and the paper's figure.
Paper: Section 6 and its figures (binary columns; the appendix: source features), Corollary 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidData
from ..inputs import (
    NOT_GIVEN,
    Rows,
    class_codes,
    known_rows,
    number_array,
    open_rows,
    read_codes,
    read_columns,
    read_numbers,
    some_names,
)
from ..model import Column, Feature, Space, Tree
from ..readers import read_tree
from .interval_widths import IntervalWidths

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Coverage", "coverage"]

RATES = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
LEVELS = ("feature", "column")
By = Literal["rate", "width"]
BY = ("rate", "width")
MECHANISMS = ("mcar", "mar", "mnar")
SHOWN = 6  # lines of the table that are printed

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, repr=False)
class Coverage:
    """How many rows are answered when values go missing. Made by ``coverage``.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per rate, repeat and way, with the columns ``rate``, ``repeat``, ``way``
        ("determined", "path" or "features"), ``answered`` (share of rows), ``agreement`` (share of
        those on which the answer is that of the complete row; by Corollary 4.2 always 1) and, if
        labels were given, ``accuracy`` (share of those whose answer is the label); of a regression
        tree, if numbers were given, ``absolute_error`` (its mean over those). The last two are NaN
        where no row is answered.
    level, mechanism : str
        As they were asked for.
    widths : IntervalWidths or None
        Of a regression tree: how wide the intervals of the rows are. ``widths.within(w)`` is the
        share of rows with an interval at most w wide, by rate; ``widths.table`` has it for every w.
    """

    table: pd.DataFrame
    level: str
    mechanism: str
    widths: IntervalWidths | None = None

    def __repr__(self) -> str:
        n_rates, n_repeats = self.table["rate"].nunique(), self.table["repeat"].nunique()
        head = (
            f"Coverage: {self.mechanism}, by {self.level}; {n_rates} "
            f"rate{'s' * (n_rates != 1)}, {n_repeats} repeat{'s' * (n_repeats != 1)}"
        )
        shown = self.table.head(SHOWN).round(4).to_string(index=False)
        more = len(self.table) - SHOWN
        return f"{head}\n{shown}" + (f"\n... and {more:,} more rows in .table" if more > 0 else "")

    def plot(self, ax: Any = None, *, by: By | None = None) -> Any:
        """Draw the share of rows answered; give the Axes. Without ``ax`` a new figure.

        By "rate", against the share of values missing, for each way to answer; error bars are one
        standard error, where there are repeats. By "width", for a regression tree and its default:
        the share of rows with an interval at most w wide against w, a line for each rate; the
        marks at 0 are the rows that are certain.
        """
        from ..output.plots import draw_coverage, draw_widths

        by = by or ("rate" if self.widths is None else "width")
        if by not in BY or (by == "width" and self.widths is None):
            allowed = "'rate'" if self.widths is None else "'rate' or 'width'"
            raise ValueError(f"by must be {allowed} for this tree, got {by!r:.80}")
        return draw_coverage(self, ax) if by == "rate" else draw_widths(self, ax)


def coverage(
    tree: Any,
    X: Any,
    missing_rates: Sequence[float] = RATES,
    *,
    y: ArrayLike | None = None,
    level: str = "feature",
    mechanism: str = "mcar",
    n_repeats: int = 1,
    random_state: int = 0,
    space: Space | None = None,
) -> Coverage:
    """Let values go missing, and count the rows that are still answered.

    Three ways to answer are compared: determined (``Tree.predict``), path (``predict_path``) and
    features (``predict_features``). For a regression tree also how wide the intervals of the rows
    are (``Tree.predict_interval``).

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
    X : array or data frame
        Rows that are complete in what the tree asks about, with the columns of the tree's space.
        For a tree over the space of a binarizer these are the binarized columns.
    missing_rates : sequence of float
        Shares of the values that go missing, from 0 to 1.
    y : labels, or numbers for a regression tree, optional
        For the accuracy, or the absolute error, on the rows that are answered.
    level : "feature" or "column"
        What goes missing: a feature, with all columns that describe it (the paper's appendix),
        or each column by itself (the paper's Section 6). It makes a difference where several
        columns describe one feature.
    mechanism : "mcar", "mar" or "mnar"
        Why it goes missing; see Notes.
    n_repeats : int
        How often each rate is tried.
    random_state : int
        Repeat r of every rate starts numpy's generator anew with ``random_state + r``, as the
        paper's program does with 0.
    space : Space, optional
        What the columns of X mean, where the tree itself takes them as unrelated: level "feature"
        then goes by the features of this space. It has the columns of the tree's, in their order.

    Returns
    -------
    Coverage

    Notes
    -----
    With the rate p:

    mcar
        Missing completely at random: every value with probability p.
    mar
        Missing at random: one feature is always there (the first complete one that the tree does
        not ask about, if there is one, else the first that it asks about), and the larger it is,
        the likelier the others are missing.
    mnar
        Missing not at random: the larger a value, the likelier it is itself missing.

    With r in (0, 1) the rank of the value that matters (the middle rank of equal values; a
    category by its number; a feature given by several columns by the sum of their positions where
    they hold), the probability is 2pr for p up to 1/2 and 1 - 2(1 - p)(1 - r) above, on average p.

    The answers on determined rows are those of the complete rows whatever the mechanism
    (Corollary 4.2), because every completion has that answer, the true one among them. How many
    rows are determined does depend on it. Cost: rates x repeats x rows x (columns + nodes that a
    row can reach).

    Examples
    --------
    >>> import numpy as np
    >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1,
    ...         "true": {"prediction": 1}, "false": {"prediction": 0}}}
    >>> X = np.random.RandomState(0).randint(2, size=(1000, 2))
    >>> found = coverage(tree, X, [0.5])
    >>> found.table[["rate", "way", "answered", "agreement"]]
       rate         way  answered  agreement
    0   0.5  determined     0.516        1.0
    1   0.5        path     0.389        1.0
    2   0.5    features     0.260        1.0
    """
    import pandas as pd

    tree = read_tree(tree)
    rates = _check(missing_rates, level, mechanism, n_repeats, random_state)
    table = _Table(tree, X, tree.space if space is None else space)
    whole = tree.decide(table.rows(np.zeros((table.n_rows, table.n_columns), dtype=bool)))
    judge = _judge(tree, y, table.n_rows)
    bins = tree.bins
    out, widths = [], {rate: list[Floats]() for rate in rates}
    for rate in rates:
        for repeat in range(n_repeats):
            random = np.random.RandomState(random_state + repeat)
            rows = table.rows(table.mask(rate, level, mechanism, random))
            codes = tree.decide(rows)
            answered = {
                "determined": codes >= 0,
                "path": tree.reach(rows).leaf >= 0,
                "features": known_rows(bins, rows),
            }
            for way, there in answered.items():
                line = {"rate": rate, "repeat": repeat, "way": way, "answered": there.mean()}
                line["agreement"] = _mean((codes == whole)[there])
                out.append({**line, **judge(codes, there)})
            if tree.task == "regression":
                widths[rate].append(_widths(tree, rows))
    found = None
    if tree.task == "regression":
        found = IntervalWidths({rate: np.concatenate(own) for rate, own in widths.items()})
    return Coverage(pd.DataFrame(out), level, mechanism, found)


def _judge(
    tree: Tree, y: ArrayLike | None, n_rows: int
) -> Callable[[NDArray[np.int32], Mask], dict[str, float]]:
    """Give what judges answers against the truth: classes by accuracy, numbers by their error."""
    if y is None:
        return lambda codes, there: {}
    if tree.task == "regression":
        numbers = number_array(y, n_rows)
        return lambda codes, there: {
            "absolute_error": _mean(np.abs(tree.numbers[codes[there]] - numbers[there]))
        }
    truth = class_codes(tree, y, n_rows)
    return lambda codes, there: {"accuracy": _mean((codes == truth)[there])}


def _widths(tree: Tree, rows: Rows) -> Floats:
    lower, upper = tree.predict_interval(rows)
    with np.errstate(over="ignore"):  # wider than any float
        return np.asarray(upper - lower)


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else float("nan")


def _check(
    rates: Sequence[float], level: str, mechanism: str, n_repeats: int, random_state: int
) -> list[float]:
    if level not in LEVELS:
        raise ValueError(f"level must be one of {LEVELS}, got {level!r}")
    if mechanism not in MECHANISMS:
        raise ValueError(f"mechanism must be one of {MECHANISMS}, got {mechanism!r}")
    for name, number, least in (("n_repeats", n_repeats, 1), ("random_state", random_state, 0)):
        if not isinstance(number, int | np.integer) or number < least:
            raise ValueError(f"{name} must be a whole number from {least}, got {number!r}")
    try:
        out = [float(rate) for rate in rates]
    except (TypeError, ValueError):
        raise ValueError(
            f"missing_rates must be shares from 0 to 1, got {rates!r:.80}; labels go in y="
        ) from None
    if not out:
        raise ValueError("missing_rates must be shares from 0 to 1, got none of them")
    for rate in out:
        if not 0 <= rate <= 1:
            raise ValueError(f"missing_rates must be shares from 0 to 1, got {rate}")
    return out


class _Table:
    """Complete rows, and the same rows with values gone."""

    def __init__(self, tree: Tree, X: Any, space: Space) -> None:
        self.tree = tree
        if space.column_names != tree.space.column_names:
            raise InvalidData(
                f"space has the columns {some_names(space.column_names)}, the tree's has "
                f"{some_names(tree.space.column_names)}: they must be the same, in the same order"
            )
        self.space = space
        self.n_rows, lookup, _ = open_rows(X, tree.space)
        if self.n_rows == 0:
            raise InvalidData("there are no rows")
        self.n_columns = len(space.columns)
        self.columns = dict(zip(space.column_names, map(lookup, space.column_names), strict=True))
        # As for predict, only what the tree asks about has to be there.
        numbers = [
            self._numbers(i, column.name)
            if column.feature in tree.features
            else self._numbers_if_any(i, column.name)
            for i, column in enumerate(tree.space.columns)
        ]
        self.there = np.array([one is not None for one in numbers], dtype=bool)
        blank = np.zeros(self.n_rows)
        self.values = np.stack([blank if one is None else one for one in numbers], axis=1)
        self.feature_of = np.array([space.index(column.feature) for column in space.columns])

    def _numbers(self, i: int, name: str) -> Floats:
        """Give the numbers of a column, categories by their codes, and refuse unknown values."""
        values = self.columns[name]
        if values is None:
            raise InvalidData(
                f"the rows have no column {name!r}, which the tree asks about: give the columns of "
                "the tree's space, for a binarizer binarizer.transform(X)"
            )
        column = self.tree.space.columns[i]
        feature = self.tree.space[column.feature]
        numeric = feature.ordered or column.condition is not None
        if numeric:
            numbers = np.asarray(read_numbers(Feature(name), values)[1], dtype=float)
            unknown = np.isnan(numbers) & (column.condition is not None or not feature.nan)
        else:
            numbers = read_codes(feature, values).astype(float)
            unknown = numbers < 0
        if unknown.any():
            raise InvalidData(
                f"row {int(np.argmax(unknown))} has no value in {name!r}: give complete rows"
            )
        return numbers

    def _numbers_if_any(self, i: int, name: str) -> Floats | None:
        with suppress(InvalidData):
            return self._numbers(i, name)
        return None

    def rows(self, mask: Mask) -> Rows:
        """Read the rows with the values under the mask gone."""
        asked = {
            column.name: self._without(i, column, mask[:, i])
            for i, column in enumerate(self.tree.space.columns)
            if column.feature in self.tree.features
        }
        return read_columns(asked.get, self.n_rows, self.tree.space, self.tree.used)

    def _without(self, i: int, column: Column, gone: Mask) -> NDArray[Any]:
        """Give a column without some of its values."""
        feature = self.tree.space[column.feature]
        if column.condition is None and (feature.nan or not feature.ordered):
            values = np.array(self.columns[column.name], dtype=object)
            values[gone] = NOT_GIVEN
            return values
        return np.where(gone, np.nan, self.values[:, i])

    # -- what goes missing ---------------------------------------------------------------------

    def mask(self, rate: float, level: str, mechanism: str, random: np.random.RandomState) -> Mask:
        """Draw which values go missing, by column."""
        n_units = len(self.space) if level == "feature" else self.n_columns
        if mechanism == "mcar":
            gone = random.choice([True, False], size=(self.n_rows, n_units), p=[rate, 1 - rate])
        else:
            ranks = self._ranks(level)
            if mechanism == "mar":
                seen = self._always_there(level)
                ranks = np.repeat(ranks[:, [seen]], n_units, axis=1)
            chance = 2 * rate * ranks if rate <= 0.5 else 1 - 2 * (1 - rate) * (1 - ranks)
            gone = random.random_sample((self.n_rows, n_units)) < chance
            if mechanism == "mar":
                gone[:, seen] = False
        return gone[:, self.feature_of] if level == "feature" else gone

    def _always_there(self, level: str) -> int:
        used = set(self.tree.features)
        asked = [column.feature in used for column in self.tree.space.columns]
        units = self.feature_of if level == "feature" else np.arange(self.n_columns)
        of_tree = {int(unit) for unit, flag in zip(units, asked, strict=True) if flag}
        gone = {int(unit) for unit, there in zip(units, self.there, strict=True) if not there}
        free = sorted({int(unit) for unit in units} - of_tree - gone)
        return free[0] if free else min(of_tree, default=int(units.min()))

    def _ranks(self, level: str) -> Floats:
        """Give each unit's rank among the rows, from 0 to 1; equal values share the middle."""
        values = self.values
        if level == "feature":
            values = np.zeros((self.n_rows, len(self.space)))
            for feature in range(len(self.space)):
                own = np.flatnonzero(self.feature_of == feature)
                weight = np.arange(1, len(own) + 1)
                values[:, feature] = self.values[:, own] @ weight
        return np.stack([_middle_ranks(column) for column in values.T], axis=1)


def _middle_ranks(values: Floats) -> Floats:
    _, which, count = np.unique(values, return_inverse=True, return_counts=True)
    middle = (np.cumsum(count) - count / 2) / len(values)
    return np.asarray(middle[which])
