"""What a decision tree decides, free of the order in which it asks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import datasets
from .asking import ask_next
from .canonical import CanonicalForm, canonicalize
from .equivalence import (
    counterexample,
    disagreement,
    equivalent,
    fingerprint,
    group_equivalent,
)
from .imputation import imputation_dependence
from .many import determined_by_any
from .missing import odds, possible_classes, predict_between, predict_features, predict_path
from .needed import missing_needed
from .readers import read_tree, read_trees
from .smallest import smallest_tree
from .space import Condition, Feature, Space
from .study import coverage
from .term import Term
from .tree import Tree

if TYPE_CHECKING:
    from .binarize import QuantileBinarizer, ThresholdGuessBinarizer
    from .bounds import forest_bounds, probability_bounds, regression_bounds
    from .estimator import OrderlessClassifier
    from .files import predict_file

__all__ = [
    "CanonicalForm",
    "Condition",
    "Feature",
    "OrderlessClassifier",
    "QuantileBinarizer",
    "Space",
    "Term",
    "ThresholdGuessBinarizer",
    "Tree",
    "ask_next",
    "canonicalize",
    "counterexample",
    "coverage",
    "datasets",
    "determined_by_any",
    "disagreement",
    "equivalent",
    "fingerprint",
    "forest_bounds",
    "group_equivalent",
    "imputation_dependence",
    "missing_needed",
    "odds",
    "possible_classes",
    "predict_between",
    "predict_features",
    "predict_file",
    "predict_path",
    "probability_bounds",
    "read_tree",
    "read_trees",
    "regression_bounds",
    "smallest_tree",
]

# Names whose modules need scikit-learn, which is slow to import: fetched when first asked for.
_LATER = {
    "OrderlessClassifier": "estimator",
    "QuantileBinarizer": "binarize",
    "ThresholdGuessBinarizer": "binarize",
    "forest_bounds": "bounds",
    "predict_file": "files",
    "probability_bounds": "bounds",
    "regression_bounds": "bounds",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
