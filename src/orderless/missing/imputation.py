"""Imputation: on which rows the answer depends on the values that are filled in.

In:  a tree, rows with unknown values, and training rows.
Out: a tidy table: rows that are determined, and how often imputers disagree on the others.
Paper: Section 6, Corollary 4.2: on a determined row every imputation gives the same answer.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..form import Form
from ..inputs import F64, CoreColumn, Rows, class_codes, read_rows
from ..model import Floats, TreeKernel
from ..readers import read_tree

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["imputation_dependence"]

IMPUTERS = ("mean", "median", "iterative", "routing")


def imputation_dependence(
    tree: Any, X: Any, X_train: Any, imputers: Sequence[str] = ("mean", "median", "iterative")
) -> pd.DataFrame:
    """Count the rows whose answer depends on how their unknown values are filled in.

    Parameters
    ----------
    tree : Tree, CanonicalForm, or any model that ``read_tree`` knows
        Over numeric and boolean features.
    X : array, data frame, or list of dicts
        Rows with unknown values.
    X_train : the same
        Rows that the imputers learn from; they may have unknown values, too.
    imputers : sequence of "mean", "median", "iterative", "routing"
        scikit-learn's ``SimpleImputer`` and ``IterativeImputer``; "routing" is no imputation but
        the way that a scikit-learn tree itself sends NaN, so it needs the fitted model.

    Returns
    -------
    pandas.DataFrame
        For the rows that are determined, those that are not, and all of them (``rows``), and for
        each pair of imputers and all together (``between``): how many rows there are (``n_rows``),
        on how many the answers differ (``n_differ``), and their share (``share``).

    Notes
    -----
    On determined rows nothing can differ (Theorem 3.2, Corollary 4.2): every completion has the
    same class. Filled-in values of whole-number features are rounded to one that the feature has.
    Cost: the imputers' own, and one walk per row and imputer.

    Examples
    --------
    >>> import numpy as np
    >>> tree = {"feature": "x", "relation": "<=", "reference": 2,
    ...         "true": {"prediction": 0}, "false": {"prediction": 1}}
    >>> from orderless import read_tree
    >>> tree = read_tree(tree, feature_names=["x"])
    >>> imputation_dependence(tree, [[1.0], [np.nan]], [[1.0], [1.0], [7.0]], ["mean", "median"])
                 rows       between  n_rows  n_differ  share
    0      determined  mean, median       1         0    0.0
    1  not determined  mean, median       1         1    1.0
    2             all  mean, median       2         1    0.5
    """
    import pandas as pd

    model, tree = tree, read_tree(tree)
    chosen = list(dict.fromkeys(imputers))
    if isinstance(imputers, str) or len(chosen) < 2 or not set(chosen) <= set(IMPUTERS):
        raise ValueError(f"imputers must be two or more of {IMPUTERS}, got {imputers!r:.80}")
    table, training = _table(tree, X), _table(tree, X_train)
    codes_of = {}
    for name in chosen:
        if name == "routing":
            codes_of[name] = _routed(model, tree, X, len(table))
        else:
            codes_of[name] = tree.decide(_filled(tree, name, table, training))
    known = tree.decide(tree.read(X)) >= 0
    groups = [("determined", known), ("not determined", ~known), ("all", np.ones_like(known))]
    pairs: list[tuple[str, ...]] = list(combinations(chosen, 2))
    out = []
    for rows, inside in groups:
        for names in [*pairs, *([tuple(chosen)] if len(chosen) > 2 else [])]:
            codes = np.stack([codes_of[name][inside] for name in names])
            differ = int((codes != codes[0]).any(axis=0).sum())
            n_rows = int(inside.sum())
            share = differ / n_rows if n_rows else float("nan")
            out.append((rows, ", ".join(names), n_rows, differ, share))
    return pd.DataFrame(out, columns=["rows", "between", "n_rows", "n_differ", "share"])


def _table(tree: TreeKernel, X: Any) -> Floats:
    """Give rows x features of the space as numbers, NaN for unknown."""
    space = tree.space
    for column in space.columns:
        if (
            not space[column.feature].ordered
            or column.condition is not None
            or len(space.columns_of[column.feature]) > 1
        ):
            raise InvalidData(
                f"column {column.name!r} is not a number by itself, so there is no mean of it: "
                "imputers are compared on numeric and boolean features, one column each. Read "
                "the tree through its binarizer, or over Space.independent(...)"
            )
        if space[column.feature].nan:
            raise InvalidData(f"NaN is a value of {column.feature!r} and must not be filled in")
    rows = read_rows(X, space, range(len(space)))
    out = np.full((rows.n_rows, len(space)), np.nan)
    for i, (_, values, _) in enumerate(rows.columns):
        if values is not None:
            out[:, i] = values
    return out


def _filled(tree: TreeKernel, name: str, table: Floats, training: Floats) -> Rows:
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.experimental import enable_iterative_imputer  # noqa: F401
    from sklearn.impute import IterativeImputer, SimpleImputer

    if name == "iterative":
        imputer = IterativeImputer(random_state=0, keep_empty_features=True)
    else:
        imputer = SimpleImputer(strategy=name, keep_empty_features=True)
    with warnings.catch_warnings():
        # People use what has come out after the usual ten rounds, and so do we.
        warnings.simplefilter("ignore", ConvergenceWarning)
        full = imputer.fit(training).transform(table)
    for i, feature in enumerate(tree.space.features):
        if feature.whole:
            low, high = (0, 1) if feature.kind == "boolean" else (-np.inf, np.inf)
            full[:, i] = np.clip(np.round(full[:, i]), low, high)
    return Rows(len(full), [CoreColumn(F64, full[:, i]) for i in range(full.shape[1])])


def _routed(model: Any, tree: TreeKernel, X: Any, n_rows: int) -> NDArray[np.int32]:
    if isinstance(model, TreeKernel | Form) or not hasattr(model, "predict"):
        raise InvalidData("'routing' asks the scikit-learn model itself: give it, not its tree")
    return class_codes(tree, model.predict(X), n_rows)
