"""How small a difference between two groups can be at all: whole numbers seldom meet.

In:  what a form counts, over all trees of a view.
Out: ``least_gap``: no tree is nearer to 0, proven.

A difference of two rates is p a - q b + c for whole numbers a and b, what is counted in each group.
Each of the two lies between its smallest and its largest value over all trees, which are known
exactly; of all pairs between these ends, the one nearest to 0 is found.
"""

from __future__ import annotations

import numpy as np

from .goal_trees import GoalTrees, ListedGoalTrees
from .quantity import Form

__all__ = ["least_gap"]

MOST_VALUES = 5_000_000  # of one count, that are gone through
LARGEST = 2**62


def least_gap(goals: GoalTrees | ListedGoalTrees, form: Form) -> int:
    """Give a number of the form's units that no tree's distance from 0 is below; 0 proves nothing.

    Cost: four smallest or largest measures, and the values that one of the counts can have.
    """
    factors = [v for v in np.unique(form.factors).tolist() if v]
    if len(factors) != 2:
        return 0
    ends = []
    for value in factors:
        counted = (form.factors == value).astype(np.int64)
        low, high = (goals.stairs(counted, largest).measure[-1] for largest in (False, True))
        ends.append((int(low), int(high)))
    (p, q), ((low, high), (least, most)) = factors, ends
    if high - low > most - least:
        (q, p), ((least, most), (low, high)) = (p, q), ((low, high), (least, most))
    reach = abs(form.constant) + abs(p) * max(abs(low), abs(high))
    if high - low >= MOST_VALUES or reach + abs(q) * (max(abs(least), abs(most)) + 1) >= LARGEST:
        return 0
    a = np.arange(low, high + 1, dtype=np.int64)
    rest = form.constant + p * a
    below = -rest // q
    gaps = [np.abs(rest + q * np.clip(below + more, least, most)).min() for more in (0, 1)]
    return int(min(gaps))
