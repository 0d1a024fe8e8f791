"""What scikit-learn wraps around a model: pipelines, searches, transformed targets, thresholds.

In:  any model.
Out: ``Wrapped``: the model in them, what its table went through before, and what its numbers go
     through after.

An encoder gives a sparse table unless it is told not to. XGBoost alone takes what is not stored for
missing: behind an encoder, "not this category" is a missing value, and not a zero. What float32
rounds to 0 (below 1e-45) is stored, and then a zero to XGBoost; here it goes with 0.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableModel
from .builder import ColumnModel, ColumnTree, ModelBuilder, renumbered
from .checks import refuse_own_predict, unfitted
from .cutoffs import Decision, of_calibrator, of_threshold

__all__ = ["Wrapped", "gives_sparse", "through_targets", "unwrap", "zero_as_missing"]

MAX_ALONE = 64  # numbers that are also transformed one by one
ZERO = (-5e-324, 0.0)  # the last number below zero, and zero


class Wrapped(NamedTuple):
    """A model; what its table went through; transformers of its target, the innermost first.

    ``sparse`` is whether a pipeline hands a sparse table to the model. ``decision`` is what a
    threshold or a calibrator makes of what it predicts.
    """

    model: Any
    preprocessing: Any
    targets: tuple[Any, ...] = ()
    sparse: bool = False
    decision: Decision | None = None


def unwrap(model: Any, preprocessing: Any) -> Wrapped:
    """Take off pipelines, searches, thresholds, calibrators, transformers of the target.

    They may be nested in any way.
    """
    targets: tuple[Any, ...] = ()
    sparse = False
    decision: Decision | None = None
    if "sklearn" not in sys.modules:
        return Wrapped(model, preprocessing)
    from sklearn.pipeline import Pipeline

    search = _kind("sklearn.model_selection._search", "BaseSearchCV")
    target = _kind("sklearn.compose", "TransformedTargetRegressor")
    calibrator = _kind("sklearn.calibration", "CalibratedClassifierCV")
    frozen = _kind("sklearn.frozen", "FrozenEstimator")
    thresholds = [
        kind
        for name in ("FixedThresholdClassifier", "TunedThresholdClassifierCV")
        if (kind := _kind("sklearn.model_selection._classification_threshold", name))
    ]
    while True:
        if isinstance(model, search):
            refuse_own_predict(model, search)
            if not hasattr(model, "best_estimator_"):
                raise UnreadableModel(
                    f"this {type(model).__qualname__} holds no best estimator: call fit(X, y) "
                    "first, with refit=True"
                )
            model = model.best_estimator_
        elif isinstance(model, target):
            refuse_own_predict(model, target)
            if not hasattr(model, "regressor_") or not hasattr(model, "transformer_"):
                raise unfitted(model)
            targets = (model.transformer_, *targets)
            model = model.regressor_
        elif isinstance(model, frozen):
            model = model.estimator
        elif isinstance(model, tuple(thresholds)):
            kind = next(kind for kind in thresholds if isinstance(model, kind))
            model, outer = of_threshold(model, kind)
            decision = decision or outer  # in another, it only hands on what its model predicts
        elif isinstance(model, calibrator):
            model, decision = of_calibrator(model, calibrator, decision)
        elif isinstance(model, Pipeline):
            refuse_own_predict(model, Pipeline)
            steps = [step for step in model.steps[:-1] if step[1] not in (None, "passthrough")]
            if steps:
                before = Pipeline(steps)
                both = [("first", preprocessing), ("then", before)]
                preprocessing = before if preprocessing is None else Pipeline(both)
                sparse = gives_sparse(before, sparse)
            model = model.steps[-1][1]
        else:
            return Wrapped(model, preprocessing, targets, sparse, decision)


def _kind(module: str, name: str) -> Any:
    """Return a class of a module if it is imported; without, nothing is an instance."""
    return getattr(sys.modules.get(module), name, ())


# -- targets -------------------------------------------------------------------------------------


def through_targets(tree: ColumnTree, targets: Sequence[Any]) -> ColumnTree:
    """Take the numbers of a tree through what ``TransformedTargetRegressor.predict`` does.

    The transformer itself is asked, with a column of numbers of the type that the regressor gives.
    """
    if not targets:
        return tree
    if tree.task != "regression":
        raise UnreadableModel(
            "a TransformedTargetRegressor is read around a model that predicts numbers, and this "
            f"one predicts {list(tree.classes)[:6]!s:.80}: use a regressor"
        )
    numbers = np.array(tree.classes, dtype=tree.precision).reshape(-1, 1)
    for target in targets:
        numbers = _inverse(target, numbers)
    return renumbered(tree, numbers, f"after {type(targets[-1]).__qualname__}.inverse_transform")


def _inverse(target: Any, numbers: NDArray[Any]) -> NDArray[Any]:
    """Undo a transformer of the target, for each number alone."""
    name = type(target).__qualname__
    try:
        with np.errstate(all="ignore"):  # what is not finite is refused below
            out = np.asarray(target.inverse_transform(numbers.copy()))
            some = np.unique(np.linspace(0, len(numbers) - 1, MAX_ALONE).astype(int))
            alone = [np.asarray(target.inverse_transform(numbers[[i]])) for i in some]
    except Exception as fault:  # anything can happen in a function of the user's own
        raise UnreadableModel(
            f"the target cannot be transformed back: {name}.inverse_transform failed with "
            f"{type(fault).__name__}: {fault!s:.200}"
        ) from fault
    if out.size != len(numbers) or out.dtype.kind not in "fiu":
        raise UnreadableModel(
            f"{name}.inverse_transform makes an array of shape {out.shape} and type {out.dtype} of "
            f"{len(numbers)} numbers: only one number per row can be read; fit one model per output"
        )
    out = out.reshape(-1, 1)
    close = 1e-9 if out.dtype != np.float32 else 1e-4  # a library may round one or many otherwise
    if any(one.size != 1 for one in alone) or not np.allclose(
        out[some, 0], np.ravel(alone), rtol=close, atol=0.0, equal_nan=True
    ):
        raise UnreadableModel(
            f"{name}.inverse_transform gives one number alone another value than among others, so "
            "that a row has no prediction of its own: use a function of each number by itself"
        )
    return out


# -- sparse tables -------------------------------------------------------------------------------


def gives_sparse(transformer: Any, table_is_sparse: bool = False) -> bool:
    """Return whether a fitted transformer of scikit-learn makes a sparse table."""
    if transformer is None or transformer == "passthrough":
        return table_is_sparse
    if hasattr(transformer, "steps"):  # a pipeline
        for _, step in transformer.steps:
            table_is_sparse = gives_sparse(step, table_is_sparse)
        return table_is_sparse
    if hasattr(transformer, "transformer_list"):  # a union of features
        return any(gives_sparse(one, table_is_sparse) for _, one in transformer.transformer_list)
    # Of a ColumnTransformer, of encoders, of those of old versions.
    for name in ("sparse_output_", "sparse_output", "sparse"):
        if hasattr(transformer, name):
            return bool(getattr(transformer, name))
    if hasattr(transformer, "encode"):  # bins
        return bool(transformer.encode == "onehot")
    return table_is_sparse and not hasattr(transformer, "categories_")


def zero_as_missing(model: ColumnModel, sure: bool) -> ColumnModel:
    """Send 0 where missing values go, at every split on a number.

    If it is not sure that the model saw a sparse table, a tree that this changes is refused.
    """
    return model.each(lambda tree: _with_zero_as_missing(tree, sure))


def _with_zero_as_missing(tree: ColumnTree, sure: bool) -> ColumnTree:
    builder = ModelBuilder(tree.table)
    for node in builder.walk(0):
        column, cut = int(tree.column[node]), float(tree.at_most[node])
        true, false = int(tree.when_true[node]), int(tree.when_false[node])
        nan_true = bool(tree.nan_true[node])
        if column < 0:
            builder.leaf_number(int(tree.leaf_class[node]))
        elif node in tree.members:
            builder.categorical_test(column, "in", tree.members[node], true, false, nan_true)
        elif sure or nan_true == (cut >= 0):
            builder.numerical_test(column, "<=", cut, true, false, nan_true, zero_is_missing=ZERO)
        else:
            raise UnreadableModel(
                "it is not known whether the model saw the sparse table that the transformer "
                "makes, in which XGBoost takes every 0 for missing, or a dense one: read a "
                "Pipeline of both, or make the table dense (sparse_output=False, "
                "sparse_threshold=0) and fit again"
            )
    return builder.finish(tree.classes).trees[0]
