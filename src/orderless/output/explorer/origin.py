"""Where an explored set comes from, in words and as Python that makes it again.

In:  a set of trees, and what its functions are judged by.
Out: lines of Python; sentences for the page.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...inputs import is_frame
from ...model import printable, short_count

if TYPE_CHECKING:
    from ...rashomon import LookedAt, TreeSet

__all__ = ["about", "judged_by", "made_by", "notes"]


def made_by(trees: TreeSet) -> str:
    """Give the Python that makes the set, as far as the set knows."""
    problem = trees._problem
    rules = problem.rules
    numbers = [rules.max_depth, float(rules.regularization), float(rules.epsilon)]
    parts = [str(number) for number in numbers]
    if rules.kind != "additive":
        parts.append("relative=True")
    parts += problem.table.options
    made = f"ol.RashomonSet({', '.join(parts)}).fit(X, y).trees_"
    if trees.conditions:
        conditions = ", ".join(each.text("ol.member.") for each in trees.conditions)
        made += f".where({conditions})"
    return made


def judged_by(options: Mapping[str, Any], some: LookedAt, random_state: Any) -> str:
    """Give the arguments of ``choose`` that say what functions are judged by, as Python."""
    parts = [name for name in ("X_new", "y_new") if options[name[0]] is not None]
    missing = options["missing"]
    if isinstance(missing, int | float | dict):
        if missing != 0.1:
            parts.append(f"missing={missing!r}")
    else:
        parts.append("missing=gaps")
    if options["costs"] is not None:
        costs = options["costs"]
        parts.append(f"costs={costs!r}" if isinstance(costs, dict) else "costs=costs")
    if options["positive"] is not None:
        parts.append(f"positive={options['positive']!r}")
    measures = options["measures"]
    if measures:
        plain = isinstance(measures, str) or (
            isinstance(measures, list | tuple) and all(isinstance(one, str) for one in measures)
        )
        parts.append(f"measures={measures!r}" if plain else "measures=measures")
    if not some.all:
        parts += [some.call, f"random_state={random_state!r}"]
    return ", ".join(parts)


def about(trees: TreeSet, some: LookedAt) -> str:
    """Say in a sentence what the page shows of the set."""
    low, high = float(trees.objective), float(trees.bound)
    n, n_trees = int(some.drawn.sum()), short_count(trees.n_trees)
    n_trees = f"{n_trees[:1].upper()}{n_trees[1:]}"
    text = f"{n_trees} tree{'' if trees.n_trees == 1 else 's'} with an objective from {low:.4g} to "
    many = f"{n:,} function{'' if n == 1 else 's'}"
    if some.all:
        return f"{text}{high:.4g}; here are the {many} that they compute, each once."
    more = len(some.table) - n
    ends = f", and {more:,} that are the exact ends of measures over all trees" if more else ""
    return (
        f"{text}{high:.4g}. They are too many to show: here are {some.how}{ends}. All other "
        "functions are left out."
    )


def notes(trees: TreeSet, some: LookedAt, options: Mapping[str, Any]) -> list[str]:
    """Say what the measures mean."""
    missing, X = options["missing"], options["X"]
    if isinstance(missing, dict):
        each = ", ".join(f"{printable(str(name))} {chance:g}" for name, chance in missing.items())
        gaps = f"values are missing with these probabilities: {each}"
    elif is_frame(missing) or isinstance(missing, list | np.ndarray):
        gaps = "the gaps are those of a table"
    else:
        gaps = f"every value is missing with probability {missing:g}"
    rows = "the training rows" if X is None else "rows that were given"
    others = "all functions" if some.all else "the functions that were drawn"
    out = [
        "Training error: share of wrong training rows. Agreement: share of the other functions "
        "that decide alike, on average; overruled: share of rows on which more than half of "
        f"{others} decide otherwise, both on {rows}. Coverage: share of rows that are answered "
        f"for certain where {gaps}."
    ]
    if X is not None:
        out.append(
            "Questions: features that the cheapest way to an answer asks about, on average"
            + ("; cost: what it costs." if options["costs"] is not None else ".")
        )
    if not trees.complete:
        out.insert(0, f"Everything here is about a part of the set, which is {trees.incomplete}.")
    return out
