"""Binarizers: numbers become 0/1 columns ``feature <= threshold``, and the way back is kept.

In:  a table of numbers.
Out: 0/1 columns, and ``space_``: the ``Space`` that says what each of them means.
Paper: Section 7 cuts at quantiles; Sections 4 and 6 guess thresholds (threshold_guess.py).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from ..errors import InvalidData, InvalidSpace, a_kind
from ..model import Column, Condition, Feature, Floats, Space, refuse_facts, short_number
from .rows import refuse_rounding

__all__ = ["Binarizer", "NoCut", "as_declared"]

Cut = tuple[int, float]


class NoCut(InvalidData):
    """No threshold divides any of the columns."""


class Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Turn numbers into 0/1 columns ``feature <= threshold``, and keep the way back.

    Parameters
    ----------
    thresholds : "guess", "all", int, or sequence of float
        Where each feature is cut. "guess": where a boosted ensemble of small trees cuts it (the
        paper's Sections 4 and 6), which needs y. "all": between each two neighbouring values; no
        other threshold divides the rows in another way. An int: at so many quantiles, evenly
        spaced. A sequence: at these quantiles, each from 0 to 1; the paper's Section 7 has
        ``(0.33, 0.66)``.
    space : Space, optional
        What the columns that come in mean (``Space({"age": "integer"})``), where they are not just
        numbers. It goes into ``space_``; cuts that are then one condition are merged.
    task : "classification" or "regression"
        For "guess": whether y holds class labels, or numbers.
    n_estimators, max_depth, learning_rate
        For "guess": of the ``GradientBoostingClassifier`` or ``GradientBoostingRegressor``. The
        defaults are the paper's.
    backward_select : bool
        For "guess": False keeps all candidates.
    random_state : int, RandomState or None
        For "guess": settles which of several equally good splits a tree takes; the same for every
        refit.

    Attributes
    ----------
    thresholds_ : list of (int, float)
        Feature index and threshold of each column that comes out: by feature, then by threshold,
        but for the last one after a backward selection, which was put back.
    space_ : Space
        The features that came in, and the columns that come out as conditions on them. The way
        back: ``orderless.read(model, space=binarizer.space_)`` for a model fitted on the columns.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    "guess": a gradient-boosted ensemble is fitted on ``X``; the thresholds of its trees are the
    candidates, each a column :math:`[x_j \le t]`. Backward selection then drops the least
    important column, refits the ensemble on the columns left, and goes on for as long as its
    training accuracy (for numbers: the share of the variance that it explains, in thousandths)
    stays at or above that of the ensemble on *all* candidate columns. The column whose removal
    ended the search returns, as the last one: with two candidates or more at least two are kept.
    scikit-learn grows trees on float32 values, so thresholds are those between float32 values; the
    columns themselves compare float64 values. With more than two classes the trees of all classes
    contribute (the gosdt package 1.0.4 looks at the first class only). Cost: one fit on ``X``; the
    refits, at most one per candidate, are on *distinct* rows of 0/1 columns, weighted.

    "all": the threshold between a and b is a / 2 + b / 2, or a where that rounds to b, as
    scikit-learn's trees compute it. Those round the values to float32 before; here only those of a
    feature that ``space`` declares float32 are rounded.

    Quantiles between two values are interpolated linearly (numpy's default); equal cuts are merged,
    and a cut at the maximum is dropped, because no row lies above it.

    A constant feature has no columns. When no column at all is left, ``fit`` raises
    ``InvalidData``. 0/1 columns are cut like any other, so the column that comes out is their
    opposite.

    References
    ----------
    McTavish et al., "Fast Sparse Decision Tree Optimization via Reference Ensembles", AAAI 2022.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [19, 24, 31, 45, 52, 60], "visits": [0, 3, 1, 0, 2, 1]})
    >>> binarizer = Binarizer().fit(X, ["no", "no", "yes", "yes", "yes", "no"])
    >>> binarizer.thresholds_
    [(0, 27.5), (0, 56.0)]
    >>> binarizer.transform(X[:3])
    array([[1, 1],
           [1, 1],
           [0, 1]], dtype=int8)
    >>> binarizer.space_
    Space(Feature('age', numeric), Feature('visits', numeric); 2 columns are indicators)
    >>> Binarizer("all").fit([[1.0, 5.0], [2.0, 5.0], [4.0, 5.0]]).get_feature_names_out().tolist()
    ['x0 <= 1.5', 'x0 <= 3']
    >>> Binarizer(1).fit([[1.0], [2.0], [4.0]]).get_feature_names_out().tolist()
    ['x0 <= 2']
    """

    thresholds_: list[Cut]
    space_: Space
    n_features_in_: int

    def __init__(
        self,
        thresholds: str | int | Sequence[float] = "guess",
        *,
        space: Space | None = None,
        task: str = "classification",
        n_estimators: int = 40,
        max_depth: int = 1,
        learning_rate: float = 0.1,
        backward_select: bool = True,
        random_state: Any = 42,
    ) -> None:
        self.thresholds = thresholds
        self.space = space
        self.task = task
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.backward_select = backward_select
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._guesses
        tags.transformer_tags.preserves_dtype = []  # int8 comes out, whatever goes in
        return tags

    @property
    def _guesses(self) -> bool:
        return isinstance(self.thresholds, str) and self.thresholds == "guess"

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the cuts.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Finite numbers.
        y : array-like of shape (n_rows,)
            For "guess": class labels of any type, two classes or more; finite numbers for
            regression. Otherwise ignored.

        Returns
        -------
        self
        """
        fitted = self.fit_until(math.inf, X, y)
        assert fitted is not None
        return fitted

    def fit_until(self, end: float, X: Any, y: Any = None) -> Self | None:
        """Find the cuts; None if that is not done at a time of ``time.monotonic``."""
        if self._guesses:
            rows, labels = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        else:
            rows, labels = validate_data(self, X, dtype=np.float64, ensure_min_samples=2), None
        names, features = self._declared(X)
        refuse_rounding(X, list(rows.T), features)
        rows = as_declared(rows, names, features)
        if self._guesses:
            from .threshold_guess import guess  # half a second: it imports scikit-learn's ensembles

            cuts = guess(rows, labels, self, end)
            if cuts is None:
                return None
        elif isinstance(self.thresholds, str) and self.thresholds == "all":
            cuts = [(j, t) for j in range(rows.shape[1]) for t in _between(rows[:, j]).tolist()]
        else:
            cuts = _at_quantiles(rows, _read_quantiles(self.thresholds))
        return self._learn(names, features, cuts)

    def _learn(self, names: Sequence[str], features: Sequence[Feature], cuts: list[Cut]) -> Self:
        """Keep the cuts that differ, and write down what their columns mean."""
        seen: set[Cut] = set()
        self.thresholds_ = []
        for j, threshold in cuts:
            boundary = float(features[j].at_most(threshold))
            if (j, boundary) not in seen:
                seen.add((j, boundary))
                self.thresholds_.append((j, threshold + 0.0))
        if not self.thresholds_:
            raise NoCut(
                f"no column is left: none of the cuts divides these rows, for any of the "
                f"{len(names)} feature(s); give features that vary more, or other cuts"
            )
        self.space_ = self._describe(names, features)
        return self

    def _declared(self, table: Any) -> tuple[list[str], list[Feature]]:
        """Give, for every column that came in, its name and the values that it holds."""
        named = getattr(self, "feature_names_in_", None)
        if named is None:
            # scikit-learn keeps no names that are not text, for example pandas' own 0, 1, 2.
            named = getattr(table, "columns", None)
        if self.space is None:
            if named is None:
                named = [f"x{j}" for j in range(self.n_features_in_)]
            names = [str(name) for name in named]
            return names, [Feature(name) for name in names]
        if not isinstance(self.space, Space):
            raise InvalidSpace(
                f"space must be a Space of the columns that come in, or None, got "
                f"{a_kind(self.space)}"
            )
        refuse_facts(self.space, "a binarizer", why="they do not say what is so of its 0/1 columns")
        by_name = dict(zip(self.space.column_names, self.space.columns, strict=True))
        names = [str(name) for name in (by_name if named is None else named)]
        absent = [name for name in names if name not in by_name]
        if absent or len(names) != self.n_features_in_:
            raise InvalidSpace(
                f"X has {self.n_features_in_} columns, but the space describes {len(by_name)}"
                + (f" and none named {absent[0]!r}" if absent else "")
                + ": give a space with a column for every column of X, or None"
            )
        features = []
        for name in names:
            column = by_name[name]
            feature = self.space[column.feature]
            features.append(feature if column.condition is None else Feature(name, "boolean"))
        return names, features

    def _describe(self, names: Sequence[str], features: Sequence[Feature]) -> Space:
        declared = Space(features if self.space is None else self.space.features)
        columns = []
        for j, threshold in self.thresholds_:
            name = _column_name(names[j], threshold)
            if name in names:
                raise InvalidSpace(
                    f"X has a column named {name!r}, which the cut of {names[j]!r} at {threshold} "
                    "would be called: rename it"
                )
            condition = self._condition(declared, names[j], threshold)
            columns.append(Column(name, condition.feature, condition))
        described = set(names)
        if self.space is not None:
            described = {c.feature for c in self.space.columns if c.name in described}
        return Space([f for f in declared.features if f.name in described], columns)

    def _condition(self, declared: Space, name: str, threshold: float) -> Condition:
        """Say on the feature what "this column is at most the threshold" means."""
        column = Column(name, name)
        if self.space is not None:
            column = next(c for c in self.space.columns if c.name == name)
        feature, own = declared[column.feature], column.condition
        if own is None and feature.kind == "numeric":
            return Condition(feature.name, at_most=threshold)
        if own is None and feature.kind == "boolean":
            return Condition(feature.name, among=(False,))
        if own is not None and own.among is not None and not feature.other and not feature.nan:
            # A 0/1 column of a one-hot group: at most a half is "none of these".
            every = (False, True) if feature.kind == "boolean" else feature.categories
            return Condition(feature.name, among=tuple(v for v in every if v not in own.among))
        raise InvalidSpace(
            f"{_column_name(name, threshold)!r} cannot be written as a condition on {feature!r}: "
            "columns must hold numbers or booleans, or be one-hot columns of a feature without "
            "'other'. Leave space out here and give it to orderless.read(..., "
            "preprocessing=binarizer, space=...)"
        )

    def transform(self, X: Any) -> Any:
        """Tell, for every row, which of the conditions hold.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Complete rows: a missing value is an error.

        Returns
        -------
        array of int8, shape (n_rows, n_columns)
            1 where ``feature <= threshold``, else 0, compared in float64 (a feature declared
            float32 is rounded first). A data frame after ``set_output(transform="pandas")`` or
            ``"polars"``.
        """
        check_is_fitted(self)
        rows = cast(Floats, validate_data(self, X, dtype=np.float64, reset=False))
        names, features = self._declared(X)
        refuse_rounding(X, list(rows.T), features)
        rows = as_declared(rows, names, features)
        out = np.empty((len(rows), len(self.thresholds_)), dtype=np.int8)
        for k, (j, threshold) in enumerate(self.thresholds_):
            out[:, k] = rows[:, j] <= threshold
        return out

    def get_feature_names_out(self, input_features: Sequence[str] | None = None) -> NDArray[Any]:
        """Name the columns that come out, such as ``"age <= 20.5"``.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the columns that go in, where ``fit`` saw none.

        Returns
        -------
        array of str
        """
        check_is_fitted(self)
        if input_features is None:
            return np.array(self.space_.column_names, dtype=object)
        names = [str(name) for name in input_features]
        known = getattr(self, "feature_names_in_", None)
        if known is not None and names != list(known):
            raise ValueError(
                f"input_features is not equal to feature_names_in_: got {names}, "
                f"fitted on {list(known)}; leave it out"
            )
        if len(names) != self.n_features_in_:
            raise ValueError(
                "input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(names)}"
            )
        return np.array([_column_name(names[j], t) for j, t in self.thresholds_], dtype=object)


def _column_name(name: str, threshold: float) -> str:
    return f"{name} <= {short_number(threshold)}"


def as_declared(X: Floats, names: Sequence[str], features: Sequence[Feature]) -> Floats:
    """Refuse values that a declared kind does not allow, and round those declared float32."""
    single = [j for j, feature in enumerate(features) if feature.values == "float32"]
    if single:
        X = X.copy()
        with np.errstate(over="ignore"):
            X[:, single] = X[:, single].astype(np.float32)
    for j, feature in enumerate(features):
        if not feature.whole:
            continue
        low, high = feature.bounds
        bad = (X[:, j] != np.floor(X[:, j])) | (X[:, j] <= low) | (X[:, j] > high)
        if bad.any():
            kind = "0/1" if feature.kind == "boolean" else "integer"
            raise InvalidData(
                f"column {names[j]!r} has the value {X[bad, j][0]:g} in row "
                f"{int(np.argmax(bad))} and is declared {kind}: correct the row or the space"
            )
    return X


def _read_quantiles(thresholds: Any) -> list[float]:
    """Read at which quantiles to cut: how many, or which."""
    if isinstance(thresholds, int | np.integer) and not isinstance(thresholds, bool):
        if thresholds >= 1:
            parts = int(thresholds) + 1
            return [i / parts for i in range(1, parts)]
    elif isinstance(thresholds, Iterable) and not isinstance(thresholds, str):
        quantiles = list(thresholds)
        if quantiles and all(isinstance(q, Real) and 0 <= float(q) <= 1 for q in quantiles):
            return [float(q) for q in quantiles]
    raise ValueError(
        "thresholds must be 'guess', 'all', how many quantiles (1 or more), or a sequence of "
        f"quantiles between 0 and 1, such as (0.33, 0.66), got {thresholds!r:.80}"
    )


def _at_quantiles(rows: Floats, quantiles: list[float]) -> list[Cut]:
    cuts, top = _quantiles(rows, quantiles), rows.max(axis=0)
    return [
        (j, float(t)) for j in range(rows.shape[1]) for t in np.unique(cuts[:, j]) if t < top[j]
    ]


def _quantiles(X: Floats, quantiles: list[float]) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        cuts = np.quantile(X, quantiles, axis=0)
        far = ~np.isfinite(cuts)
        if far.any():  # values so far apart that their difference is no longer a number
            cuts = np.where(far, 2 * np.quantile(X / 2, quantiles, axis=0), cuts)
    return cuts


def _between(values: Floats) -> Floats:
    """Give a threshold between each two neighbouring values."""
    distinct = np.unique(values + 0.0)  # -0.0 is 0.0
    low, high = distinct[:-1], distinct[1:]
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)
