"""Coverage: how many rows are answered when values go missing.

In:  a tree, complete rows, and how values go missing.
Out: ``Coverage``: a tidy table, and the paper's figure.
Paper: Section 6 and its figures (binary columns; the appendix: source features), Corollary 4.2.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..inputs import class_codes, number_array
from ..model import (
    TIME_LIMIT,
    Budget,
    Flags,
    Floats,
    Rows,
    Space,
    SumKernel,
    TreeKernel,
    in_budget,
    interval_widths,
    known_rows,
)
from ..questions import (
    CERTAIN,
    IMPOSSIBLE,
    OPEN,
    number_bounds,
    predict,
    verdicts_of,
)
from ..readers import read_model
from .gapped import Gapped
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


@in_budget
def coverage(
    model: Any,
    X: Any,
    missing_rates: Sequence[float] = RATES,
    *,
    y: ArrayLike | None = None,
    level: str = "feature",
    mechanism: str = "mcar",
    n_repeats: int = 1,
    random_state: int = 0,
    space: Space | None = None,
    time_limit: float | None = TIME_LIMIT,
) -> Coverage:
    """Let values go missing, and count the rows that are still answered.

    Three ways to answer are compared: determined (``Tree.predict``), path (``predict_path``) and
    features (``predict_features``). For a regression tree also how wide the intervals of the rows
    are (``Tree.predict_interval``). Of many trees that are added up, determined
    (``Ensemble.predict``) and features are compared.

    Parameters
    ----------
    model : Tree, CanonicalForm, Ensemble, or any model that ``orderless.read`` reads
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
    time_limit : float, optional
        Of many trees: seconds for the call, which all rows share; None for no limit. The column
        ``undecided`` of the table says which share of the rows was neither proven certain nor shown
        to be open.

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

    kernel = read_model(model)
    rates = _check(missing_rates, level, mechanism, n_repeats, random_state)
    table = Gapped(kernel, X, kernel.space if space is None else space)
    everything = np.zeros((table.n_rows, table.n_columns), dtype=bool)
    whole = _said(kernel, table.rows(everything))[0]
    judge = _judge(kernel, y, table.n_rows)
    numbers = kernel.task == "regression"
    out, widths = [], {rate: list[Floats]() for rate in rates}
    tries = [(rate, repeat) for rate in rates for repeat in range(n_repeats)]
    for done, (rate, repeat) in enumerate(tries):
        with Budget(Budget.current().left / (len(tries) - done)):
            random = np.random.RandomState(random_state + repeat)
            rows = table.rows(table.mask(rate, level, mechanism, random))
            said, certain, undecided = _said(kernel, rows)
            answered = {"determined": certain}
            more = {"undecided": undecided.mean()} if isinstance(kernel, SumKernel) else {}
            if isinstance(kernel, TreeKernel):
                answered["path"] = kernel.reach(rows).leaf >= 0
            answered["features"] = known_rows(kernel.bins, rows)
            for way, there in answered.items():
                line = {"rate": rate, "repeat": repeat, "way": way, "answered": there.mean()}
                line["agreement"] = _mean((said == whole)[there])
                out.append({**line, **judge(said, there), **more})
            if numbers:
                widths[rate].append(_widths(kernel, rows))
    found = None
    if numbers:
        found = IntervalWidths({rate: np.concatenate(own) for rate, own in widths.items()})
    return Coverage(pd.DataFrame(out), level, mechanism, found)


def _said(model: TreeKernel | SumKernel, rows: Rows) -> tuple[NDArray[Any], Flags, Flags]:
    """Return by row the class's position, or the number; if it is certain; if it is undecided."""
    status, label = verdicts_of(model, rows)
    said = label
    if model.task == "regression":
        said = np.ma.getdata(predict(model, rows))
    return said, status == CERTAIN, (status > OPEN) & (status != IMPOSSIBLE)


def _judge(
    model: TreeKernel | SumKernel, y: ArrayLike | None, n_rows: int
) -> Callable[[NDArray[Any], Flags], dict[str, float]]:
    """Return what judges answers against the truth: classes by accuracy, numbers by their error."""
    if y is None:
        return lambda said, there: {}
    if model.task == "regression":
        numbers = number_array(y, n_rows)
        return lambda said, there: {"absolute_error": _mean(np.abs(said[there] - numbers[there]))}
    truth = class_codes(model, y, n_rows)
    return lambda said, there: {"accuracy": _mean((said == truth)[there])}


def _widths(model: TreeKernel | SumKernel, rows: Rows) -> Floats:
    lower, upper, _ = number_bounds(model, rows)
    return interval_widths(lower, upper)


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
