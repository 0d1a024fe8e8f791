"""Binarizers: numbers become 0/1 columns ``feature <= threshold``, and the way back is kept.

In:  a table of numbers (and class labels, for threshold guessing).
Out: 0/1 columns, and ``space_``: the ``Space`` that says what each of them means.
Paper: Sections 4 and 6 guess thresholds, Section 7 cuts at quantiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from numbers import Real
from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from ..errors import InvalidData, InvalidSpace, a_kind
from ..model import Column, Condition, Feature, Space, short_number

__all__ = ["QuantileBinarizer", "ThresholdGuessBinarizer"]

Cut = tuple[int, float]
Floats = NDArray[np.float64]


class NoCut(InvalidData):
    """No threshold divides any of the columns."""


class _Binarizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """What the binarizers share: from cuts to columns and to the space."""

    space: Space | None
    thresholds_: list[Cut]
    space_: Space
    n_features_in_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # int8 comes out, whatever goes in
        return tags

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
                f"no column is left: no cut divides the values of any of the {len(names)} "
                "feature(s) in these rows; give features that vary"
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
                f"space is {a_kind(self.space)}: give an orderless.Space of the "
                "columns that come in, or None"
            )
        by_name = dict(zip(self.space.column_names, self.space.columns, strict=True))
        names = [str(name) for name in (by_name if named is None else named)]
        absent = [name for name in names if name not in by_name]
        if absent or len(names) != self.n_features_in_:
            raise InvalidSpace(
                f"X has {self.n_features_in_} columns, the space describes {len(by_name)}"
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
        spoken_of = set(names)
        if self.space is not None:
            spoken_of = {c.feature for c in self.space.columns if c.name in spoken_of}
        return Space([f for f in declared.features if f.name in spoken_of], columns)

    def _condition(self, declared: Space, name: str, threshold: float) -> Condition:
        """Say on the feature what "this column is at most the threshold" means."""
        column = Column(name, name)
        if self.space is not None:
            column = next(c for c in self.space.columns if c.name == name)
        feature, told = declared[column.feature], column.condition
        if told is None and feature.kind == "numeric":
            return Condition(feature.name, at_most=threshold)
        if told is None and feature.kind == "boolean":
            return Condition(feature.name, among=(False,))
        if told is not None and told.among is not None and not feature.other and not feature.nan:
            # A 0/1 column of a one-hot group: at most a half is "none of these".
            every = (False, True) if feature.kind == "boolean" else feature.categories
            return Condition(feature.name, among=tuple(v for v in every if v not in told.among))
        raise InvalidSpace(
            f"{_column_name(name, threshold)!r} cannot be said as a condition on {feature!r}: "
            "legal are columns with numbers, booleans, and one-hot columns of a feature without "
            "'other'. Leave space out here and give it to read_tree(..., through=binarizer, "
            "space=...)"
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
        rows = _as_declared(rows, *self._declared(X))
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


def _as_declared(X: Floats, names: Sequence[str], features: Sequence[Feature]) -> Floats:
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


class ThresholdGuessBinarizer(_Binarizer):
    r"""Cut features where a boosted ensemble of small trees cuts them.

    A gradient-boosted ensemble is fitted on ``X``; the thresholds of its trees are the candidates,
    each a column :math:`[x_j \le t]`. Backward selection then drops the least important column,
    refits the ensemble on the columns left, and goes on for as long as its training accuracy
    stays at or above that of the ensemble on *all* candidate columns. The column whose removal
    ended the search returns, as the last one. The defaults are the paper's.

    Parameters
    ----------
    n_estimators, max_depth, learning_rate
        Of the ``GradientBoostingClassifier``.
    backward_select : bool
        False keeps all candidates.
    random_state : int, RandomState or None
        Settles which of several equally good splits a tree takes; the same for every refit.
    space : Space, optional
        What the columns that come in mean (``Space({"age": "integer"})``), where they are not just
        numbers. It goes into ``space_``; cuts that are then one condition are merged.

    Attributes
    ----------
    thresholds_ : list of (int, float)
        Feature index and threshold of each column that comes out: by feature, then by threshold,
        but for the last one after a backward selection, which was put back.
    space_ : Space
        The features that came in, and the columns that come out as conditions on them. The way
        back: ``read_tree(model, space=binarizer.space_)`` for a model fitted on the columns.
    n_features_in_, feature_names_in_
        As everywhere in scikit-learn.

    Notes
    -----
    0/1 columns are cut at 0.5 like any other, so the column that comes out is their opposite.

    scikit-learn grows trees on float32 values, so thresholds are those between float32 values; the
    columns themselves compare float64 values.

    With two candidates or more at least two columns are kept: the one put back returns even where
    its removal did no harm. With more than two classes the trees of all classes contribute (the
    gosdt package 1.0.4 looks at the first class only).

    Cost: one fit on ``X``, O(n_estimators * max_depth * n_rows * log(n_rows) * n_features), times
    the classes when there are more than two. The refits of the selection, at most one per
    candidate, are on *distinct* rows of 0/1 columns, weighted: quick, however many rows there are.

    References
    ----------
    McTavish et al., "Fast Sparse Decision Tree Optimization via Reference Ensembles", AAAI 2022.

    Examples
    --------
    >>> import pandas as pd
    >>> X = pd.DataFrame({"age": [19, 24, 31, 45, 52, 60], "visits": [0, 3, 1, 0, 2, 1]})
    >>> binarizer = ThresholdGuessBinarizer().fit(X, ["no", "no", "yes", "yes", "yes", "no"])
    >>> binarizer.thresholds_
    [(0, 27.5), (0, 56.0)]
    >>> binarizer.transform(X[:3])
    array([[1, 1],
           [1, 1],
           [0, 1]], dtype=int8)
    >>> binarizer.space_
    Space(Feature('age', numeric), Feature('visits', numeric); 2 columns tell conditions)
    """

    def __init__(
        self,
        *,
        n_estimators: int = 40,
        max_depth: int = 1,
        learning_rate: float = 0.1,
        backward_select: bool = True,
        random_state: Any = 42,
        space: Space | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.max_depth = max_depth
        self.learning_rate = learning_rate
        self.backward_select = backward_select
        self.random_state = random_state
        self.space = space

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Guess the thresholds.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Finite numbers.
        y : array-like of shape (n_rows,)
            Class labels of any type, two classes or more.

        Returns
        -------
        self
        """
        rows, labels = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2)
        names, features = self._declared(X)
        rows = _as_declared(rows, names, features)
        codes = _class_codes(labels)
        seed = self.random_state
        if not isinstance(seed, int | np.integer):
            seed = check_random_state(seed).randint(2**31 - 1)
        booster = GradientBoostingClassifier(
            n_estimators=self.n_estimators,
            max_depth=self.max_depth,
            learning_rate=self.learning_rate,
            random_state=seed,
        )
        cuts = _candidates(booster.fit(rows, codes))
        if self.backward_select and len(cuts) > 1:
            bits = np.empty((len(rows), len(cuts)), dtype=bool)
            for k, (j, threshold) in enumerate(cuts):
                bits[:, k] = rows[:, j] <= threshold
            cuts = [cuts[k] for k in _backward_selection(booster, bits, codes)]
        return self._learn(names, features, cuts)


def _class_codes(labels: NDArray[Any]) -> NDArray[np.intp]:
    """Give every label the number of its class."""
    if labels.dtype == object and len({type(label) for label in labels}) == 1:
        labels = np.array(labels.tolist())  # plain bools or ints in a column of objects
    check_classification_targets(labels)
    classes, codes = np.unique(labels, return_inverse=True)
    if len(classes) < 2:
        raise InvalidData(
            f"y has 1 class, {classes.tolist()[0]!r}: guessing thresholds needs at least two"
        )
    return codes


def _candidates(booster: GradientBoostingClassifier) -> list[Cut]:
    """Give all distinct cuts of all trees of a fitted booster, sorted."""
    cuts: set[Cut] = set()
    for estimator in booster.estimators_.ravel():
        tree = estimator.tree_
        inner = tree.children_left >= 0  # a leaf has no children
        cuts.update(zip(tree.feature[inner].tolist(), tree.threshold[inner].tolist(), strict=True))
    return sorted(cuts)


def _backward_selection(
    booster: GradientBoostingClassifier, bits: NDArray[np.bool_], codes: NDArray[np.intp]
) -> list[int]:
    """Give the positions of the columns to keep: ascending, then the one that was put back."""
    columns, codes, weights = _distinct(bits, codes)

    def n_correct(kept: list[int]) -> int:
        part = columns[:, kept]
        right = booster.fit(part, codes, sample_weight=weights).predict(part) == codes
        return int(weights[right].sum())

    kept = list(range(columns.shape[1]))
    floor = n_correct(kept)
    dropped = kept[0]
    while len(kept) > 1:
        # The first of several least important ones, as numpy's argmin has it.
        dropped = kept.pop(int(np.argmin(booster.feature_importances_)))
        if n_correct(kept) < floor:
            break
    return [*kept, dropped]


def _distinct(
    bits: NDArray[np.bool_], codes: NDArray[np.intp]
) -> tuple[NDArray[np.float32], NDArray[np.intp], NDArray[np.int64]]:
    """Give the distinct rows with their class, and how often each is there.

    A tree cannot tell equal rows apart, so the ensembles are the same, and no longer depend on
    the order of the rows.
    """
    key = np.hstack([np.packbits(bits, axis=1), codes[:, None].astype(np.int64).view(np.uint8)])
    packed = np.ascontiguousarray(key).view(np.dtype((np.void, key.shape[1]))).ravel()
    _, first, counts = np.unique(packed, return_index=True, return_counts=True)
    # 0 and 1 are exact in float32, the type in which scikit-learn's trees read their rows.
    return bits[first].astype(np.float32), codes[first], counts.astype(np.int64)


class QuantileBinarizer(_Binarizer):
    """Cut every feature at the same quantiles of its values.

    Parameters
    ----------
    quantiles : sequence of float
        Between 0 and 1. The defaults are the paper's two cuts per feature.
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
    A quantile between two values is interpolated linearly (numpy's default). Equal cuts are
    merged, and a cut at the maximum is dropped, because no row lies above it: a constant feature
    has no columns. When no column at all is left, ``fit`` raises ``InvalidData``.

    Examples
    --------
    >>> binarizer = QuantileBinarizer().fit([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0], [4.0, 5.0]])
    >>> binarizer.get_feature_names_out().tolist()
    ['x0 <= 1.99', 'x0 <= 2.98']
    >>> binarizer.transform([[2.0, 5.0]]).tolist()
    [[0, 1]]
    """

    def __init__(
        self, *, quantiles: Sequence[float] = (0.33, 0.66), space: Space | None = None
    ) -> None:
        self.quantiles = quantiles
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
        rows = _as_declared(rows, names, features)
        cuts = _quantiles(rows, self._checked_quantiles())
        top = rows.max(axis=0)
        useful = [
            (j, float(t)) for j in range(len(names)) for t in np.unique(cuts[:, j]) if t < top[j]
        ]
        return self._learn(names, features, useful)

    def _checked_quantiles(self) -> list[float]:
        given = self.quantiles
        many = isinstance(given, Iterable) and not isinstance(given, str)
        quantiles = list(given) if many else []
        if not quantiles or not all(isinstance(q, Real) and 0 <= q <= 1 for q in quantiles):
            raise ValueError(
                f"quantiles={given!r}: legal is a sequence of numbers between 0 and 1, such as "
                "(0.33, 0.66)"
            )
        return [float(q) for q in quantiles]


def _quantiles(X: Floats, quantiles: list[float]) -> Floats:
    with np.errstate(over="ignore", invalid="ignore"):
        cuts = np.quantile(X, quantiles, axis=0)
        far = ~np.isfinite(cuts)
        if far.any():  # values so far apart that their difference is no longer a number
            cuts = np.where(far, 2 * np.quantile(X / 2, quantiles, axis=0), cuts)
    return cuts
