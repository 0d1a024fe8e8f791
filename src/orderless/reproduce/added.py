"""What is gained where thresholds and one-hot groups are understood: one table over the targets.

In:  outcomes of targets that were run.
Out: Markdown; ``run`` writes it as ``added.md``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from .page import table_text
from .protocol import APPENDIX, MAIN, published_name
from .target import Outcome

__all__ = ["added_text"]

TEXT = (
    "From the paper's semantics (every column unrelated to the others) to ours (thresholds and "
    "one-hot groups understood); means over the folds, or bootstraps. Distinct functions: exact "
    "counts in the Rashomon set. Rows answered: by one scikit-learn tree of depth 3 with half of "
    "the binary columns missing; by some tree of the Rashomon set with nine in ten missing, walked "
    "as in the paper's figure, against determined. Cost of an answer: from the paper's Q-learning "
    "to the exact optimum."
)


def added_text(outcomes: Mapping[str, Outcome]) -> str | None:
    """Give the table, with a column for each study that was run.

    Parameters
    ----------
    outcomes : mapping from the target's name to its outcome

    Returns
    -------
    str or None
        None if none of the studies was run.
    """
    columns = {
        "distinct functions": _sizes(_tables(outcomes, "table-rashomon-size")),
        "rows answered by a tree, p = 0.5": _shares(
            _tables(outcomes, "figure-missingness", "figure-missingness-datasets"),
            0.5,
            "determined",
        ),
        "rows answered by the set, p = 0.9": _shares(
            _tables(
                outcomes, "figure-missingness-rashomon", "figure-missingness-rashomon-datasets"
            ),
            0.9,
            "path",
        ),
        "cost of an answer": _costs(_tables(outcomes, "figure-cost", "figure-cost-greedy")),
    }
    there = {name: column for name, column in columns.items() if column is not None}
    if not there:
        return None
    table = pd.DataFrame(there).fillna("")
    table = table.loc[[name for name in (*MAIN, *APPENDIX) if name in table.index]]
    table.insert(0, "data set", [published_name(str(name)) for name in table.index])
    return f"{TEXT}\n\n{table_text(table)}\n"


def _tables(outcomes: Mapping[str, Outcome], *names: str) -> pd.DataFrame | None:
    found = [outcomes[name].tables[name] for name in names if name in outcomes]
    return pd.concat(found, ignore_index=True).drop_duplicates() if found else None


def _sizes(table: pd.DataFrame | None) -> Any:
    if table is None:
        return None
    mean = table[table["source"] == "exact"].groupby("dataset")
    columns = mean[["distinct_independent", "distinct_aware"]].mean()
    return _pairs(columns["distinct_independent"], columns["distinct_aware"], ",.1f")


def _shares(table: pd.DataFrame | None, rate: float, before: str) -> Any:
    if table is None:
        return None
    at = table[table["rate"] == rate].groupby(["way", "semantics", "dataset"])
    mean = at["answered"].mean()
    return _pairs(mean[before, "independent"], mean["determined", "aware"], ".3f")


def _costs(table: pd.DataFrame | None) -> Any:
    if table is None:
        return None
    mean = table[~table["release"]].groupby(["policy", "semantics", "dataset"])["cost"]
    costs = mean.mean()
    return _pairs(costs["q-learning", "independent"], costs["optimal", "aware"], ".2f")


def _pairs(before: Any, after: Any, digits: str) -> Any:
    return pd.Series(
        {name: f"{value:{digits}} → {after[name]:{digits}}" for name, value in before.items()}
    )
