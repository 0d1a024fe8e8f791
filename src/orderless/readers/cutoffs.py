"""What makes one of two classes of what a model predicts: a cut-off, or a calibrator.

In:  scikit-learn's ``FixedThresholdClassifier``, ``TunedThresholdClassifierCV`` and
     ``CalibratedClassifierCV``; the ``ColumnModel`` of what stands in them.
Out: ``Decision``; the ``ColumnModel`` that decides as they do: its sum is cut somewhere else.

A calibrator is a monotone function of the score, so that its class, too, is a cut of the sum.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableModel, a_kind
from ..model import Flags, Floats, Rule, Space, SumKernel, TreeKernel, last_before_change
from .builder import ColumnModel, ColumnTree, ModelBuilder, largest_sums
from .checks import refuse_own_predict, unfitted

__all__ = ["Decision", "decided", "of_calibrator", "of_threshold"]

Method = Literal["predict_proba", "decision_function"]


class Decision(NamedTuple):
    """Which of two classes is chosen, given what a method of the model in the wrapper gives.

    Attributes
    ----------
    method : "predict_proba" or "decision_function"
    column : the class whose probability is looked at; 1 for the decision function
    is_second : whether the second class is chosen, of each of these numbers
    calibrated : the probability of the second class, of each of these numbers; None: the model's
    """

    method: Method
    column: int
    is_second: Callable[[NDArray[Any]], Flags]
    calibrated: Callable[[NDArray[Any]], Floats] | None = None


# -- wrappers --------------------------------------------------------------------------------------


def of_threshold(model: Any, kind: type) -> tuple[Any, Decision]:
    """Return the model in a wrapper with a threshold, and what is decided by it."""
    refuse_own_predict(model, kind)
    inner = getattr(model, "estimator_", model.estimator)
    tuned = hasattr(model, "store_cv_results")
    if not hasattr(inner, "classes_") or (tuned and not hasattr(model, "best_threshold_")):
        raise unfitted(model)
    first, second = _two_classes(model)
    label = model._curve_scorer._get_pos_label() if tuned else model.pos_label
    positive = 0 if label is not None and label == first and label != second else 1
    method = _method(inner, model.response_method, "predict_proba", "decision_function")
    threshold = model.best_threshold_ if tuned else model.threshold
    if isinstance(threshold, str):  # "auto"
        threshold = 0.5 if method == "predict_proba" else 0.0
    if positive:
        return inner, Decision(method, 1, lambda y: np.asarray(y >= threshold))
    if method == "predict_proba":
        return inner, Decision(method, 0, lambda y: np.asarray(~(y >= threshold)))
    return inner, Decision(method, 1, lambda y: np.asarray(~(-1 * y >= threshold)))


def of_calibrator(model: Any, kind: type, decision: Decision | None) -> tuple[Any, Decision]:
    """Return the model in a calibrator; ``decision`` is what is made of its probabilities."""
    refuse_own_predict(model, kind)
    if not hasattr(model, "calibrated_classifiers_"):
        raise unfitted(model)
    name = type(model).__qualname__
    _two_classes(model)
    pairs = model.calibrated_classifiers_
    if len(pairs) != 1:
        raise UnreadableModel(
            f"this {name} averages the probabilities of {len(pairs)} models, each behind a "
            "calibrator of its own, which is not a sum of trees: fit it with ensemble=False, or "
            "read one of them, calibrated_classifiers_[i].estimator"
        )
    (pair,) = pairs
    calibrators = pair.calibrators
    if pair.method not in ("sigmoid", "isotonic") or len(calibrators) != 1:
        raise UnreadableModel(
            f"this {name} calibrates by method={pair.method!r:.40}: 'sigmoid' and 'isotonic' can "
            "be read"
        )
    (calibrator,) = calibrators
    method = _method(pair.estimator, "auto", "decision_function", "predict_proba")

    def calibrated(y: NDArray[Any]) -> Floats:
        second = np.asarray(calibrator.predict(y), dtype=np.float64)
        second[(second > 1.0) & (second <= 1.0 + 1e-5)] = 1.0  # as scikit-learn does
        return second

    def is_second(y: NDArray[Any]) -> Flags:
        second = calibrated(y)
        if decision is None:
            return second > 1.0 - second
        return decision.is_second(second if decision.column else 1.0 - second)

    return pair.estimator, Decision(method, 1, is_second, calibrated)


def _two_classes(model: Any) -> NDArray[Any]:
    classes = np.asarray(model.classes_)
    if len(classes) != 2:
        raise UnreadableModel(
            f"this {type(model).__qualname__} is about {len(classes)} classes, and can be read "
            "where there are two: read the model in it, without thresholds and calibrators"
        )
    return classes


def _method(inner: Any, requested: str, *auto: Method) -> Method:
    """Return the method that scikit-learn asks: the first that there is."""
    allowed = auto if requested == "auto" else (requested,)
    for method in auto:
        if method in allowed and hasattr(inner, method):
            return method
    raise UnreadableModel(f"{a_kind(inner)} has no {' and no '.join(allowed)}: fit it again")


# -- what they decide ------------------------------------------------------------------------------


def decided(model: ColumnModel, decision: Decision) -> ColumnModel:
    """Let a model of two classes decide as what was around it.

    The last sum of one class is searched with the library's own arithmetic, and that of the
    calibrator. So classes are equal to the last bit. Probabilities remain where the sums remain
    those of the model, and one tree gets those that the calibrator makes.
    """
    if model.values is None or model.classes is None or len(model.classes) != 2:
        raise UnreadableModel(
            "a threshold or calibrator is read around a model of two classes that adds up numbers, "
            "and this one does not: read it without"
        )
    cuts, column = model.rule.kind == "cuts", decision.column
    scores = slice(0, 1) if cuts else slice(column, column + 1)
    values = [added[:, scores] for added in model.values]
    adding = model.adding._replace(base=model.adding.base[scores])
    (largest,) = largest_sums(values, adding)
    arithmetic = _of_one_leaf(model)

    def response(sums: Floats) -> NDArray[Any]:
        sums = np.clip(sums, -largest, largest)
        if decision.method == "decision_function":
            numbers = arithmetic.divided(sums)
        elif model.outputs is not None:
            numbers = np.asarray(model.outputs(arithmetic.divided(sums)))[:, column]
        else:
            both = sums[:, None] if cuts else np.column_stack([sums, sums])
            numbers = arithmetic.probabilities(both)[:, column]
        return numbers.astype(adding.precision)

    (last,), (at_low,), (always,) = last_before_change(
        lambda sums, _: decision.is_second(response(sums)), 1
    )
    if always:
        return _constant(model, int(at_low))
    if at_low:  # the second class is that of the smaller sums: turn them round
        last = np.nextafter(-last, -np.inf)
        values = [-added for added in values]
        adding = adding._replace(base=(-adding.base[0],))
    trees = model.trees
    if len(trees) == 1 and decision.calibrated is not None:
        sums = np.array(model.adding.base[scores]) + model.values[0][:, scores]
        sums = sums.astype(adding.precision).astype(np.float64)
        trees = [_with_shares(trees[0], decision.calibrated(response(sums[:, 0])))]
    keeps_link = cuts and not at_low and decision.calibrated is None
    return replace(
        model,
        trees=trees,
        values=values,
        adding=adding,
        rule=Rule("cuts", (float(last),), window=model.rule.window),
        link=model.link if keeps_link else "identity",
        factor=model.factor if keeps_link else 1.0,
        scores=None,
    )


def _of_one_leaf(model: ColumnModel) -> SumKernel:
    """Return a sum of one leaf, which makes of sums what the model makes of them."""
    leaf = TreeKernel(
        Space.independent(["x"]),
        [0],
        feature=np.array([-1], dtype=np.int32),
        threshold=np.zeros(1),
        when_true=np.array([-1], dtype=np.int32),
        when_false=np.array([-1], dtype=np.int32),
        leaf_class=np.zeros(1, dtype=np.int32),
    )
    return SumKernel(
        [leaf],
        [np.zeros((1, len(model.adding.base)))],
        classes=model.classes,
        adding=model.adding,
        rule=model.rule,
        link=model.link,
        factor=model.factor,
    )


def _constant(model: ColumnModel, position: int) -> ColumnModel:
    """Return the model that always chooses the class of this position."""
    builder = ModelBuilder(model.table)
    for _ in builder.walk("leaf"):
        builder.leaf_number(position)
    return builder.finish(model.classes)


def _with_shares(tree: ColumnTree, second: Floats) -> ColumnTree:
    """Let leaves state probabilities, in the place of what they hold of training rows."""
    leaf = tree.column < 0
    shares = np.zeros((len(leaf), 2))
    shares[leaf] = np.column_stack([1.0 - second, second])[tree.leaf_class[leaf]]
    return replace(tree, distribution=shares)
