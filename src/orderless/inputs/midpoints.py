"""All thresholds: cut features between every two neighbouring values.

In:  a table of numbers.
Out: 0/1 columns, and ``space_``: the ``Space`` that says what each of them means.
"""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from sklearn.utils.validation import validate_data

from ..model import Space
from .binarize import Binarizer, Floats, as_declared

__all__ = ["MidpointBinarizer"]


class MidpointBinarizer(Binarizer):
    """Cut every feature between each two neighbouring values that it has.

    No other threshold divides the rows in another way, so trees over these columns are all trees
    over the features, as far as the rows can tell.

    Parameters
    ----------
    space : Space, optional
        What the columns that come in mean, where they are not just numbers. It goes into
        ``space_``; cuts that are then one condition are merged.

    Attributes
    ----------
    thresholds_ : list of (int, float)
        Feature index and threshold of each column that comes out, sorted.
    space_ : Space
        The features that came in, and the columns that come out as conditions on them. The way
        back: ``read_tree(model, space=binarizer.space_)`` for a model fitted on the columns.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    The threshold between a and b is a / 2 + b / 2, or a where that rounds to b: as scikit-learn's
    trees compute it. Those round the values to float32 before; here they are compared as they came,
    in float64, and only those of a feature that ``space`` declares float32 are rounded. A constant
    feature has no columns. When no column at all is left, ``fit`` raises ``InvalidData``.

    Cost: O(n_rows * log(n_rows) * n_features), and one column for every distinct value but one.

    Examples
    --------
    >>> binarizer = MidpointBinarizer().fit([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0], [2.0, 5.0]])
    >>> binarizer.get_feature_names_out().tolist()
    ['x0 <= 1.5', 'x0 <= 3']
    >>> binarizer.transform([[2.0, 5.0]]).tolist()
    [[0, 1]]
    """

    def __init__(self, *, space: Space | None = None) -> None:
        self.space = space

    def fit(self, X: Any, y: object = None) -> Self:
        """Find the cuts.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Finite numbers.
        y : ignored

        Returns
        -------
        self
        """
        rows = cast(Floats, validate_data(self, X, dtype=np.float64, ensure_min_samples=2))
        names, features = self._declared(X)
        rows = as_declared(rows, names, features)
        cuts = [(j, t) for j in range(len(names)) for t in _between(rows[:, j]).tolist()]
        return self._learn(names, features, cuts)


def _between(values: Floats) -> Floats:
    """Give a threshold between each two neighbouring values."""
    distinct = np.unique(values + 0.0)  # -0.0 is 0.0
    low, high = distinct[:-1], distinct[1:]
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)
