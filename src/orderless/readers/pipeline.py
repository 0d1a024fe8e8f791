"""Pipelines and searches of scikit-learn: what transforms a table, and what decides.

In:  a model, perhaps at the end of a ``Pipeline``, perhaps found by a ``GridSearchCV``.
Out: the model alone, and the transformers that its table went through.
"""

from __future__ import annotations

import sys
from typing import Any

from ..errors import UnreadableModel
from .checks import refuse_own_predict

__all__ = ["unwrap"]


def unwrap(model: Any, through: Any) -> tuple[Any, Any]:
    """Split a pipeline, or a search for the best one, into what transforms and what decides."""
    if "sklearn" not in sys.modules:
        return model, through
    from sklearn.pipeline import Pipeline

    while True:
        if _is_search(model):
            model = _best(model)
        elif isinstance(model, Pipeline):
            refuse_own_predict(model, Pipeline)
            steps = [step for step in model.steps[:-1] if step[1] not in (None, "passthrough")]
            if steps:
                before = Pipeline(steps)
                both = [("first", through), ("then", before)]
                through = before if through is None else Pipeline(both)
            model = model.steps[-1][1]
        else:
            return model, through


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
