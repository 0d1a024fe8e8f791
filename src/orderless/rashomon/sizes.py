"""The study of sizes: how many near-optimal trees, and how many functions.

In:  data sets by name, the parameters of the sets; optionally published numbers to put beside.
Out: ``RashomonSizes``: a row per data set and fold, means with standard errors, a figure.
Paper: Section 4 and its appendix table.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..inputs import frame_of
from ..model import Space
from .rashomon_set import RashomonSet
from .table import read_table
from .target import read_labels
from .thresholds import binarizer_of, read_cutting
from .tree_set import TreeSet

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["RashomonSizes", "rashomon_sizes"]

SOURCES = ("exact", "treefarms")
COUNTS = ("trees", "nontrivial", "distinct_independent", "distinct_aware", "distinct_rows")


@dataclass(frozen=True, eq=False)
class RashomonSizes:
    """Sizes of Rashomon sets over data sets and folds. Made by ``rashomon_sizes``.

    Attributes
    ----------
    table : pandas.DataFrame
        One row per data set and fold: ``dataset``, ``fold``, ``rows``, ``columns`` (0/1 columns),
        ``objective`` (the smallest), ``trees``, ``nontrivial`` (no split of two leaves with equal
        label), ``distinct_independent`` (functions of unrelated columns: the paper's),
        ``distinct_aware`` (functions of the features), ``distinct_rows`` (ways to label the
        training rows), ``on_bound`` (trees exactly on the bound, which floats decide by chance; of
        TreeFARMS those without trivial splits that it kept).
    source : "exact" or "treefarms"
    published : pandas.DataFrame or None
        As it was given.
    """

    table: pd.DataFrame
    source: str
    published: pd.DataFrame | None = None

    def summary(self) -> pd.DataFrame:
        """Give, per data set, the mean over the folds and its standard error.

        Columns ``trees``, ``trees_se`` and so on; published numbers beside as
        ``published_<column>``.
        """
        groups = self.table.groupby("dataset", sort=False)[list(COUNTS)]
        mean, n = groups.mean(), groups.size()
        error = groups.std(ddof=1).div(np.sqrt(n), axis=0)
        out = mean.join(error.add_suffix("_se"))[
            [name for count in COUNTS for name in (count, f"{count}_se")]
        ]
        if self.published is not None:
            out = out.join(self.published.add_prefix("published_"))
        return out

    def plot(self, ax: Any = None) -> Any:
        """Draw the mean sizes of each data set, before and after."""
        from ..output.plots import draw_sizes

        mean = self.table.groupby("dataset", sort=False)[list(COUNTS)].mean()
        return draw_sizes(mean, ax)


def rashomon_sizes(
    data: Mapping[str, tuple[Any, Any]],
    *,
    max_depth: int = 3,
    regularization: Any = 0.01,
    epsilon: Any = 0.02,
    thresholds: Any = "guess",
    n_splits: int = 5,
    random_state: int = 42,
    source: str = "exact",
    published: pd.DataFrame | None = None,
) -> RashomonSizes:
    """Count the near-optimal trees and the functions among them, on every training fold.

    Parameters
    ----------
    data : dict of name -> (X, y)
    max_depth, regularization, epsilon
        As in ``RashomonSet``; the defaults are the paper's.
    thresholds
        As in ``RashomonSet``; found on every training fold. None takes 0/1 columns as they are.
    n_splits, random_state : int
        Of ``KFold(n_splits, shuffle=True, random_state=random_state)``.
    source : "exact" or "treefarms"
        Our sets, or those that the package treefarms finds (it must be installed; its floats drop
        or add trees that lie exactly on the bound). The published numbers are TreeFARMS'.
    published : pandas.DataFrame, optional
        Numbers to put beside, by data set.

    Returns
    -------
    RashomonSizes

    Notes
    -----
    Section 4 of the paper. "Without trivial" and the functions of TreeFARMS are those of its own
    filter (``rashomon_ignore_trivial_extensions``).

    Examples
    --------
    >>> from orderless import datasets
    >>> from orderless.rashomon import rashomon_sizes
    >>> sizes = rashomon_sizes({"iris": datasets.load("iris_virginica")}, n_splits=2)
    >>> sizes.table[["dataset", "fold", "columns", "trees", "distinct_aware"]]
      dataset  fold  columns  trees  distinct_aware
    0    iris     0        8   1132             118
    1    iris     1        3     25               6
    """
    import pandas as pd
    from sklearn.model_selection import KFold

    if source not in SOURCES:
        raise ValueError(f"source must be 'exact' or 'treefarms', got {source!r:.80}")
    if not isinstance(data, Mapping) or not data:
        raise InvalidData("data must be a dict of name -> (X, y), with at least one entry")
    # Cuts would leave 0/1 columns as they are; in this study they go through a binarizer, too.
    cutting = read_cutting(thresholds)
    binarizer = None if cutting is None else binarizer_of(cutting, None)
    folds = KFold(n_splits, shuffle=True, random_state=random_state)
    lines = []
    for name, (X, y) in data.items():
        classes, codes = read_labels(y, X)
        table = _as_frame(X)
        for fold, (rows, _) in enumerate(folds.split(codes)):
            labels = [classes[code] for code in codes[rows]]
            made = read_table(table.iloc[rows], *read_labels(labels), None, binarizer)
            space = made.binarizer.space_ if made.aware else None
            line = {"dataset": name, "fold": fold, "rows": len(rows), "columns": made.bits.shape[1]}
            if source == "exact":
                rset = RashomonSet(max_depth, regularization, epsilon, thresholds=None, space=space)
                trees = rset.fit(_named(made.bits, list(made.columns.names)), labels).trees_
                n_trees = trees.n_trees
            else:
                settings = (max_depth, regularization, epsilon)
                n_trees = _treefarms(made.bits, codes[rows], *settings, False).model_set.model_count
                trees = TreeSet.from_treefarms(
                    _treefarms(made.bits, codes[rows], *settings, True),
                    made.bits,
                    codes[rows],
                    regularization=regularization,
                    epsilon=epsilon,
                    space=Space.independent(made.columns.names) if space is None else space,
                )
            line |= {
                "objective": float(trees.objective),
                "trees": n_trees,
                "nontrivial": trees.n_nontrivial,
                "distinct_independent": len(trees.functions("columns")),
                "distinct_aware": len(trees.functions()),
                "distinct_rows": len(trees.functions("rows")),
                "on_bound": trees.on_bound,
            }
            lines.append(line)
    return RashomonSizes(pd.DataFrame(lines), source, published)


def _as_frame(X: Any) -> pd.DataFrame:
    frame = frame_of(X)
    return _named(np.asarray(X)) if frame is None else frame.to_pandas()


def _named(table: NDArray[Any], names: list[str] | None = None) -> pd.DataFrame:
    """Give a table as a data frame, whose columns are x0, x1, ... unless they have names."""
    import pandas as pd

    return pd.DataFrame(table, columns=names or [f"x{j}" for j in range(table.shape[1])])


def _treefarms(
    bits: NDArray[np.uint8],
    y: NDArray[np.int32],
    max_depth: int,
    regularization: Any,
    epsilon: Any,
    ignore_trivial: bool,
) -> Any:
    """Let TreeFARMS find its set. All of its settings are given: it keeps those of the last fit."""
    import pandas as pd
    from treefarms import TREEFARMS

    settings = {
        "regularization": float(regularization),
        "rashomon_bound_adder": float(epsilon),
        "rashomon_bound_multiplier": 0,
        "depth_budget": max_depth + 1,  # it counts the leaves' level
        "rashomon_ignore_trivial_extensions": ignore_trivial,
    }
    # It writes its table as text with commas: names of ours cannot hold one.
    with _silent():
        return TREEFARMS(settings).fit(_named(bits), pd.Series(y))


@contextmanager
def _silent() -> Iterator[None]:
    """Send what TreeFARMS prints, from Python and from C++, nowhere."""
    keep = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        with redirect_stdout(StringIO()):
            yield
    finally:
        os.dup2(keep, 1)
        os.close(keep)
        os.close(nowhere)
