"""``Target`` and ``Outcome``: what a table or figure of the paper is, and what running it gives.

In:  functions of the target modules.
Out: values that ``page`` writes and ``run`` lists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from .work import Work

__all__ = [
    "DIFFERS", "DRAWN", "EQUAL", "NOTHING", "WITHIN", "Outcome", "Setting", "Target",
    "chance_outside", "judge",
]  # fmt: skip

EQUAL = "equal"
WITHIN = "within error"
DRAWN = "within the draws"
DIFFERS = "differs"
NOT_RUN = "not run"
NOTHING = "nothing published to compare"


@dataclass(frozen=True)
class Setting:
    """How a target is run.

    Attributes
    ----------
    quick : bool
        Seconds instead of the paper's size; the page then says so.
    work : Work
        Runs the pieces, in parallel and from the cache.
    """

    quick: bool
    work: Work


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a target gives.

    Attributes
    ----------
    tables : mapping from file name (without ending) to DataFrame
        Tidy, complete.
    comparison : DataFrame or None
        One line per published number: ``what``, ``published``, ``error`` (the published standard
        error, NaN where there is none), ``ours`` (the paper's semantics) and ``aware`` (thresholds
        and one-hot groups understood); perhaps ``rounding``, a tolerance of its own, and
        ``inside``, "yes" where the published number lies in the interval of 95 % of the repeats of
        the paper's protocol, where that draws at random.
    figures : mapping from file name (without ending) to Figure
    text : str
        Markdown: what was run, and what is to be seen.
    reason : str
        Why numbers differ, where they do: what was tried, and what explains it. Of draws, how many
        lie outside.
    tolerance : float
        Two numbers are equal up to this: the digits that the paper prints.
    absent : tuple of str
        Data sets of the paper that were not at hand.
    package : str
        What is not installed, so that nothing was run.
    legend : str
        What the columns of ``comparison`` are, where that is not said of all targets.
    """

    tables: Mapping[str, pd.DataFrame]
    comparison: pd.DataFrame | None = None
    figures: Mapping[str, Figure] = field(default_factory=dict)
    text: str = ""
    reason: str = ""
    tolerance: float = 0.5
    absent: tuple[str, ...] = ()
    package: str = ""
    legend: str = ""

    @property
    def largest_difference(self) -> float:
        """The largest distance between a published number and ours; NaN without any."""
        if self.comparison is None or self.comparison.empty:
            return math.nan
        return float((self.comparison["ours"] - self.comparison["published"]).abs().max())

    @property
    def verdict(self) -> str:
        """How all numbers together compare, see ``judge``; or ``not run``."""
        if self.package:
            return f"{NOT_RUN}: {self.package} is not installed"
        return NOTHING if self.comparison is None else judge(self.comparison, self.tolerance)


def judge(comparison: pd.DataFrame, tolerance: float) -> str:
    """Compare our numbers with the published ones.

    Parameters
    ----------
    comparison : DataFrame
        With ``published``, ``error`` and ``ours``; lines without a number of ours are left out.
    tolerance : float
        Numbers are equal up to this, or up to the line's ``rounding`` where there is one.

    Returns
    -------
    str
        "equal", "within error" (every difference is at most one published standard error, or the
        tolerance), "within the draws" (published numbers lie outside of the interval of 95 % of
        the repeats no more often than chance lets one in twenty), "differs", or that there is
        nothing to compare.
    """
    import pandas as pd

    both = comparison.dropna(subset=["published", "ours"])
    if both.empty:
        return NOTHING
    difference = (both["ours"] - both["published"]).abs()
    exact = both["rounding"] if "rounding" in both else pd.Series(tolerance, both.index)
    if bool((difference <= exact).all()):
        return EQUAL
    allowed = both["error"].fillna(0).clip(lower=exact)
    if bool((difference <= allowed).all()):
        return WITHIN
    if "inside" not in both:
        return DIFFERS
    outside = int((both["inside"] == "no").sum())
    return DRAWN if outside <= chance_outside(len(both)) else DIFFERS


def chance_outside(n: int) -> int:
    """Give how many of n draws may lie outside of an interval of 95 %, by a test at 5 %.

    >>> chance_outside(3), chance_outside(6), chance_outside(57)
    (1, 1, 6)
    """
    from scipy.stats import binom

    return int(binom.ppf(0.95, n, 0.05))


@dataclass(frozen=True)
class Target:
    """A table or figure of the paper.

    Attributes
    ----------
    name : str
        As the command line takes it.
    title : str
        One line.
    place : str
        Where it stands in the paper.
    make : function from Setting to Outcome
    """

    name: str
    title: str
    place: str
    make: Callable[[Setting], Outcome]

    def __call__(self, setting: Setting) -> Outcome:
        """Run it."""
        outcome: Any = self.make(setting)
        assert isinstance(outcome, Outcome)
        return outcome
