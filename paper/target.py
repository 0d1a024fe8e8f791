"""``Target`` and ``Outcome``: what a table or figure of the paper is, and what running it gives.

In:  functions of the target modules.
Out: values that ``page`` writes and ``run`` lists.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

    from .work import Work

__all__ = [
    "DIFFERS", "DRAWN", "EQUAL", "NOTHING", "WITHIN", "Outcome", "Setting", "Target", "beside",
    "chance_outside", "judge", "variant",
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
        A small version that takes seconds, instead of the paper's size; the page says so.
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
        One line per published number, see ``beside``.
    figures : mapping from file name (without ending) to Figure
    text : str
        Markdown: what was run, and what it shows.
    reason : str
        Why numbers differ, where they do: what was tried, and what explains it. For random draws,
        how many published numbers lie outside the interval.
    tolerance : float
        Two numbers are equal up to this: the digits that the paper prints.
    absent : tuple of str
        Data sets of the paper that were not at hand.
    package : str
        What is not installed, so that nothing was run.
    legend : str
        What the columns of ``comparison`` are, if not the same as for other targets.
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


def beside(what: str, published: float, error: float = math.nan, **numbers: Any) -> dict[str, Any]:
    """Give a line of a comparison: a published number and its standard error, beside ours.

    Of our numbers, ``ours`` has the paper's semantics, and ``aware`` has thresholds and one-hot
    groups understood. A line may have a ``rounding``, a tolerance of its own. Where the paper's
    protocol draws at random, ``inside`` is "yes" if the published number lies in the interval of
    95 % of the repeats.
    """
    return {"what": what, "published": published, "error": error, **numbers}


def judge(comparison: pd.DataFrame, tolerance: float) -> str:
    """Compare our numbers with the published ones; lines without a number of ours are left out.

    Returns
    -------
    str
        "equal" (up to the tolerance, or the line's ``rounding`` where there is one), "within error"
        (every difference is at most one published standard error, or the tolerance), "within the
        draws" (no more published numbers lie outside the interval of 95 % of the repeats than
        chance allows), "differs", or that there is nothing to compare.
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
    """Give how many of n draws may lie outside an interval of 95 %, by a test at 5 %.

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


def variant(make: Callable[..., Outcome], name: str, title: str, place: str, **how: Any) -> Target:
    """Give a target that is one of several variants of a study; ``make`` gets its name as file."""
    return Target(name, title, place, partial(make, file=name, **how))
