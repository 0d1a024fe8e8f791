"""OrderlessClassifier: a scikit-learn classifier that answers where the answer is certain.

In:  any classifier of trees that ``orderless.read`` reads, or a ``Pipeline`` that ends in one; a
     table.
Out: the class of each row with unknowns where all completions agree, and a choice of answers
     where they do not.
Paper: Theorem 3.2 and Case Study 2; what is done with the other rows is beyond it.
"""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_array, column_or_1d, get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, check_is_fitted, validate_data

from ..api import CanonicalForm, Ensemble, Tree, wrap
from ..errors import InvalidData, UnreadableModel, a_kind
from ..form import canonical_form
from ..inputs import frame_of, is_frame, labels_like, rows_at
from ..model import TIME_LIMIT, Budget, Space, TreeKernel
from ..readers import read_model
from .fitted import Fitted

__all__ = ["OrderlessClassifier"]

WORDS = ("na", "raise", "majority")
EXACT = 2**53  # whole numbers up to this are floats, too
TIE = 1e-9  # shares that differ by less are equal: they come from sums of rounded numbers

Codes = NDArray[np.int32]


class OrderlessClassifier(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier of trees that takes rows with unknown values, and says where it is certain.

    It fits a tree, a forest or a booster, reads it, and gives a row with unknowns (NaN, None, NA,
    null) the class that every completion of it gets. Where completions differ the row is not
    determined, and ``undetermined`` says what happens.

    Parameters
    ----------
    estimator : classifier of one tree or many, or Pipeline that ends in one, optional
        Any that ``orderless.read`` reads; a clone of it is fitted. By default
        ``DecisionTreeClassifier(max_depth=4, random_state=0)``.
    undetermined : "na", "raise", "majority", a class label, or an imputer
        What ``predict`` says of rows that are not determined.

        - ``"na"``: nothing; they are masked, or null.
        - ``"raise"``: an error names the first of them and the features that it lacks.
        - ``"majority"``: the most frequent label among the training rows of all leaves that the
          row can reach, the first class if several are; of many trees, on the average of their
          shares. It need not be the class of any of these leaves.
        - a class label: that class. The three words above come first; a class with the name of
          one of them is given as ``(label,)``.
        - an imputer, or any transformer that fills in values and keeps the columns: a clone of it
          is fitted on the training table, and fills in these rows only.
    space : Space, optional
        What the columns of the table mean, for example that one-hot columns exclude each other;
        see ``orderless.read``.
    time_limit : float, optional
        Of many trees: seconds that the rows with unknowns of one call share; None for no limit. A
        row that is not decided in that time is not determined.

    Attributes
    ----------
    estimator_ : the fitted clone
    tree_ : Tree
        What it learned, if it is one tree, with the training rows by class of its leaves.
    form_ : CanonicalForm
        Its rules and reasons, computed when they are first asked for; also of one tree only.
    ensemble_ : Ensemble
        What it learned, if these are many trees.
    imputer_ : the fitted clone of ``undetermined``, if that is an imputer
    classes_ : array of labels
    coverage_ : float
        Share of the training rows that are determined: 1 if they are complete.
    n_features_in_ : int
    feature_names_in_ : array of str, if the table had such names

    Notes
    -----
    Training rows are complete, unless the estimator takes unknowns itself: scikit-learn's trees
    learn where to send NaN. That is used for training only. In ``predict`` an unknown value may be
    anything, wherever the tree would have sent it.

    Cost: that of fitting the estimator; to predict, the nodes that a row can reach, and of many
    trees a search (``Ensemble.predict``).

    scikit-learn's metrics know nothing of masks. With ``"na"`` they refuse predictions of which
    some are masked, by an error; ``score`` counts these rows as wrong, and ``score_determined``
    leaves them out.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    >>> model = OrderlessClassifier(tree).fit(X, y)
    >>> model.predict([[None, None, 1.4, 0.2], [6.0, None, 4.5, None]]).tolist()
    [0.0, None]
    >>> model.predict_proba([[6.0, None, 4.5, None]]).round(2).tolist()
    [[0.33, 0.33, 0.33]]
    >>> model.set_params(undetermined=2).predict([[6.0, None, 4.5, None]]).tolist()
    [2]
    """

    estimator_: Any
    tree_: Tree
    form_: CanonicalForm
    ensemble_: Ensemble
    classes_: NDArray[Any]
    coverage_: float
    n_features_in_: int

    def __init__(
        self,
        estimator: Any = None,
        *,
        undetermined: Any = "na",
        space: Space | None = None,
        time_limit: float | None = TIME_LIMIT,
    ) -> None:
        self.estimator = estimator
        self.undetermined = undetermined
        self.space = space
        self.time_limit = time_limit

    def _inner(self) -> Any:
        if self.estimator is None:
            return DecisionTreeClassifier(max_depth=4, random_state=0)
        return self.estimator

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self._inner())
        tags.input_tags = inner.input_tags
        tags.input_tags.allow_nan = True
        tags.non_deterministic = inner.non_deterministic
        if inner.classifier_tags is not None:  # not a classifier: fit says so
            tags.classifier_tags.poor_score = inner.classifier_tags.poor_score
        return tags

    def get_metadata_routing(self) -> Any:
        """Say which metadata is handed on: that of ``fit``, to the estimator."""
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        handed = MethodMapping().add(caller="fit", callee="fit")
        return router.add(estimator=self._inner(), method_mapping=handed)

    def fit(self, X: Any, y: Any, **fit_params: Any) -> Self:
        """Fit the tree, and read it.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            Complete rows, unless the estimator takes unknowns.
        y : array of labels
        **fit_params
            Handed to the estimator's ``fit``, for example ``sample_weight``. With scikit-learn's
            metadata routing on, those that it requests (``set_fit_request``).

        Returns
        -------
        self
        """
        validate_data(self, X, y, skip_check_array=True)
        y = check_array(column_or_1d(y, warn=True), ensure_2d=False, dtype=None, input_name="y")
        check_classification_targets(y)
        X = _unmasked(X)
        if get_config()["enable_metadata_routing"]:
            fit_params = process_routing(self, "fit", **fit_params).estimator.fit
        estimator = clone(self._inner()).fit(X, y, **fit_params)
        named = getattr(self, "feature_names_in_", None)
        model = read_model(
            estimator,
            space=self.space,
            feature_names=None if named is None or self.space is not None else list(named),
        )
        if model.task == "regression":
            raise UnreadableModel(
                f"{a_kind(estimator)} predicts numbers, not classes: use a classifier"
            )
        table = self._readable(X)
        for name in ("tree_", "form_", "ensemble_", "imputer_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        self._fitted = Fitted(model, table, y)
        fitted = self._fitted.model
        if isinstance(fitted, TreeKernel):
            self.tree_ = wrap(fitted)
            self.form_ = CanonicalForm(canonical_form(fitted))
        else:
            self.ensemble_ = wrap(fitted)
        self.estimator_ = estimator
        labels = np.asarray(getattr(estimator, "classes_", ()))
        self.classes_ = labels if labels.tolist() == list(model.classes) else model.labels
        if self._way()[0] == "imputer":
            self.imputer_ = clone(self.undetermined).fit(X)
        self.coverage_ = float(np.mean(self._decide(table) >= 0))
        return self

    # -- rows ----------------------------------------------------------------------------------

    def _table(self, X: Any) -> Any:
        """Check rows as scikit-learn does, and give them as the tree reads them."""
        check_is_fitted(self)
        if getattr(X, "ndim", 2) == 1:
            raise InvalidData(
                "Expected rows and columns, got one dimension. Reshape your data: one row is "
                "X.reshape(1, -1), one column is X.reshape(-1, 1)"
            )
        validate_data(self, X, reset=False, skip_check_array=True)
        return self._readable(_unmasked(X))

    def _readable(self, X: Any) -> Any:
        """Return a data frame as an array, if the training table had no names."""
        if hasattr(X, "tocsc"):
            return X.tocsc()
        frame = None if hasattr(self, "feature_names_in_") else frame_of(X)
        return X if frame is None else frame.to_numpy()

    def _way(self) -> tuple[str, int]:
        """Read ``undetermined``: a word, and for a label its position in the classes."""
        given = self.undetermined
        if isinstance(given, str) and given in WORDS:
            return given, -1
        if hasattr(given, "fit") and hasattr(given, "transform"):
            return "imputer", -1
        label = given[0] if isinstance(given, tuple) and len(given) == 1 else given
        try:
            return "label", self._fitted.model.classes.index(label)
        except (TypeError, ValueError):  # an array, or pandas' NA, does not compare
            raise ValueError(
                f"undetermined must be 'na', 'raise', 'majority', one of the classes "
                f"{list(self._fitted.model.classes)[:12]} (or (label,)), or an imputer, got "
                f"{given!r:.80}"
            ) from None

    def _decide(self, table: Any) -> Codes:
        """Return by row the position of its class; -1 where it is not determined."""
        with Budget(self.time_limit):
            return self._fitted.decide(table)

    def _codes(self, table: Any) -> Codes:
        """Return by row the position of what ``predict`` says; -1 for nothing."""
        codes = self._decide(table)
        way, label = self._way()
        gaps = np.flatnonzero(codes < 0)
        if not len(gaps) or way == "na":
            return codes
        if way == "label":
            codes[gaps] = label
            return codes
        rows = rows_at(table, gaps)
        if way == "raise":
            raise self._lacking(rows, gaps)
        codes[gaps] = self._majority(rows) if way == "majority" else self._imputed(rows)
        return codes

    def _lacking(self, rows: Any, gaps: NDArray[np.intp]) -> InvalidData:
        with Budget(self.time_limit):
            why = self._fitted.why(rows)
        more = f" (and {len(gaps) - 1:,} more rows)" if len(gaps) > 1 else ""
        return InvalidData(
            f"row {gaps[0]}{more} is not determined: {why}. "
            "Give these values, or choose undetermined='na', 'majority', a class or an imputer"
        )

    def _majority(self, rows: Any) -> Codes:
        shares = self._fitted.shares(rows)
        most = shares.max(axis=1, keepdims=True)
        first: NDArray[np.intp] = np.argmax(shares >= most - TIE, axis=1)
        return first.astype(np.int32)

    def _imputed(self, rows: Any) -> Codes:
        if not hasattr(self, "imputer_"):
            raise InvalidData("undetermined became an imputer after fit: fit again")
        filled = self.imputer_.transform(rows)
        if np.shape(filled)[1] != self.n_features_in_:
            raise InvalidData(
                f"the imputer made {np.shape(filled)[1]} columns of {self.n_features_in_}: choose "
                "one that keeps all columns, for example SimpleImputer(keep_empty_features=True)"
            )
        codes = self._decide(filled)
        if (codes < 0).any():
            raise InvalidData(
                f"the imputer {self.imputer_!r:.80} left values unknown, so that rows are still "
                "not determined: choose one that fills in every value"
            )
        return codes

    # -- what it says --------------------------------------------------------------------------

    def predict(self, X: Any) -> Any:
        """Return each row's class; where it is not determined, what ``undetermined`` says.

        Parameters
        ----------
        X : array-like or data frame of shape (n_rows, n_features)
            NaN, None, NA and null are unknown.

        Returns
        -------
        array of labels
            With ``undetermined="na"``, if some row is not determined: a masked array (of floats for
            labels that are numbers, else of objects), or a nullable Series when a data frame came
            in.
        """
        codes = self._codes(self._table(X))
        gaps = codes < 0
        if not gaps.any():
            return self.classes_[codes]
        if is_frame(X):
            return labels_like(X, self._fitted.model.labels, codes)
        # numpy and scikit-learn like to lose masks. What is under it is no label then, but NaN or
        # None, which metrics refuse: an answer that was not given is never counted as one.
        number = self.classes_.dtype.kind in "iuf" and np.abs(self.classes_).max() <= EXACT
        labels = self.classes_[codes].astype(np.float64 if number else object)
        labels[gaps] = np.nan if number else None
        return np.ma.MaskedArray(labels, mask=gaps)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the shares of classes among the training rows of the leaves that rows can reach.

        Returns
        -------
        array of shape (n_rows, n_classes)
            In the order of ``classes_``. For a row that reaches one leaf (of each tree, if there
            are many) the estimator's own, up to rounding; for others an estimate, the average over
            the trees; ``Model.predict_interval(X, of="probability")`` says what is certain.
            ``undetermined`` has no say in it.
        """
        table = self._table(X)  # refuses what is not fitted
        return self._fitted.probabilities(table)

    def determined(self, X: Any) -> NDArray[np.bool_]:
        """Tell, for each row, whether every completion of it gets the same class."""
        table = self._table(X)
        return self._decide(table) >= 0

    def coverage(self, X: Any) -> float:
        """Return the share of the rows that are determined."""
        return float(np.mean(self.determined(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of all rows that get their right class, by weight if there are weights.

        With ``undetermined="na"`` a row that is not determined counts as wrong.
        """
        return float(np.average(self._right(self._codes(self._table(X)), y), weights=sample_weight))

    def score_determined(self, X: Any, y: Any) -> tuple[float, float]:
        """Return the share of the rows that are determined, and how many of these are right.

        Returns
        -------
        coverage, accuracy : float
            The accuracy is NaN if no row is determined.
        """
        table = self._table(X)
        codes = self._decide(table)
        right = self._right(codes, y)[codes >= 0]
        return float(np.mean(codes >= 0)), float(np.mean(right)) if len(right) else float("nan")

    def _right(self, codes: Codes, y: Any) -> NDArray[np.bool_]:
        truth = column_or_1d(y)
        check_consistent_length(codes, truth)
        return cast("NDArray[np.bool_]", (codes >= 0) & (self.classes_[codes] == truth))


def _unmasked(X: Any) -> Any:
    """Put NaN or None in the place of masked values: scikit-learn looks under masks."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    hidden = np.ma.getmaskarray(X)
    if X.dtype.kind in "biuf":
        return np.where(hidden, np.nan, X.data)
    return np.where(hidden, cast(Any, None), X.data.astype(object))
