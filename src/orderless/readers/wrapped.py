"""What scikit-learn wraps around a model: pipelines, searches, transformed targets.

In:  any model.
Out: ``Wrapped``: the model that decides, what its table went through before, and what its numbers
     go through after. ``renumbered`` takes the numbers of a tree through such a function.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidTree, UnreadableModel
from .build import ColumnTree
from .checks import refuse_own_predict, unfitted
from .sparse import gives_sparse

__all__ = ["Wrapped", "renumbered", "through_targets", "unwrap", "unwrapped"]

MOST_ALONE = 64  # numbers that are also transformed one by one


class Wrapped(NamedTuple):
    """A model; what its table went through; transformers of its target, the innermost first.

    ``sparse`` says whether a pipeline hands a sparse table to the model.
    """

    model: Any
    preprocessing: Any
    targets: tuple[Any, ...] = ()
    sparse: bool = False


def unwrap(model: Any, preprocessing: Any) -> tuple[Any, Any]:
    """Split a pipeline, or a search for the best one, into what transforms and what decides."""
    wrapped = unwrapped(model, preprocessing)
    if wrapped.targets:
        raise UnreadableModel(
            "a TransformedTargetRegressor can be read around one tree: orderless.read(model)"
        )
    return wrapped.model, wrapped.preprocessing


def unwrapped(model: Any, preprocessing: Any) -> Wrapped:
    """Take off pipelines, searches and transformers of the target, however they are nested."""
    targets: tuple[Any, ...] = ()
    sparse = False
    if "sklearn" not in sys.modules:
        return Wrapped(model, preprocessing)
    from sklearn.pipeline import Pipeline

    while True:
        if _is_search(model):
            model = _best(model)
        elif _transforms_target(model):
            targets = (model.transformer_, *targets)
            model = model.regressor_
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
            return Wrapped(model, preprocessing, targets, sparse)


def _is_search(model: Any) -> bool:
    """Whether it is a GridSearchCV, RandomizedSearchCV, HalvingGridSearchCV or the like."""
    search = sys.modules.get("sklearn.model_selection._search")
    return search is not None and isinstance(model, search.BaseSearchCV)


def _best(search: Any) -> Any:
    from sklearn.model_selection._search import BaseSearchCV

    refuse_own_predict(search, BaseSearchCV)
    if not hasattr(search, "best_estimator_"):
        raise UnreadableModel(
            f"this {type(search).__qualname__} holds no best estimator: call fit(X, y) first, with "
            "refit=True"
        )
    return search.best_estimator_


# -- targets -------------------------------------------------------------------------------------


def _transforms_target(model: Any) -> bool:
    compose = sys.modules.get("sklearn.compose")
    if compose is None or not isinstance(model, compose.TransformedTargetRegressor):
        return False
    refuse_own_predict(model, compose.TransformedTargetRegressor)
    if not hasattr(model, "regressor_") or not hasattr(model, "transformer_"):
        raise unfitted(model)
    return True


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
            some = np.unique(np.linspace(0, len(numbers) - 1, MOST_ALONE).astype(int))
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


def renumbered(tree: ColumnTree, numbers: ArrayLike, when: str) -> ColumnTree:
    """Put other numbers in the place of those of a regression tree; equal ones become one."""
    new = np.asarray(numbers, dtype=np.float64).ravel() + 0.0
    wrong = ~np.isfinite(new)
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise InvalidTree(
            f"a leaf predicts {new[at]} {when} (of {float(tree.classes[at])!r}) and must predict a "
            "finite number: check the targets and the transformer, and fit again"
        )
    rising, place = np.unique(new, return_inverse=True)
    leaf_class = np.where(tree.column < 0, place.ravel()[tree.leaf_class], -1)
    return replace(tree, classes=rising, leaf_class=leaf_class)
