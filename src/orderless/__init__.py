"""What a decision tree decides, free of the order in which it asks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import datasets
from .acquisition import Interview, Policy, cheapest_policy
from .asking import ask_next
from .canonical import CanonicalForm, canonicalize
from .equivalence import (
    counterexample,
    disagreement,
    equivalent,
    fingerprint,
    group_equivalent,
)
from .importance import (
    ImportanceRange,
    conditional_model_reliance,
    importance_range,
    impurity_importance,
    permutation_importance,
)
from .imputation import imputation_dependence
from .many import determined_by_any
from .missing import odds, possible_classes, predict_between, predict_features, predict_path
from .needed import missing_needed
from .quality import Quality, judge
from .readers import read_tree, read_trees
from .redundant import redundant_splits
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
    from .importance.rid import RashomonImportance
    from .output.app import write_page
    from .output.plots import plot_rules, plot_tree
    from .output.report.page import report
    from .output.serve import serve_page
    from .rashomon import RashomonSet, rashomon_sizes

__all__ = [
    "CanonicalForm",
    "Condition",
    "Feature",
    "ImportanceRange",
    "Interview",
    "OrderlessClassifier",
    "Policy",
    "Quality",
    "QuantileBinarizer",
    "RashomonImportance",
    "RashomonSet",
    "Space",
    "Term",
    "ThresholdGuessBinarizer",
    "Tree",
    "ask_next",
    "canonicalize",
    "cheapest_policy",
    "conditional_model_reliance",
    "counterexample",
    "coverage",
    "datasets",
    "determined_by_any",
    "disagreement",
    "equivalent",
    "fingerprint",
    "forest_bounds",
    "group_equivalent",
    "importance_range",
    "impurity_importance",
    "imputation_dependence",
    "judge",
    "missing_needed",
    "odds",
    "permutation_importance",
    "plot_rules",
    "plot_tree",
    "possible_classes",
    "predict_between",
    "predict_features",
    "predict_file",
    "predict_path",
    "probability_bounds",
    "rashomon_sizes",
    "read_tree",
    "read_trees",
    "redundant_splits",
    "regression_bounds",
    "report",
    "serve_page",
    "smallest_tree",
    "write_page",
]

# Names whose modules need what is slow to import (scikit-learn, a server): fetched when first
# asked for.
_LATER = {
    "OrderlessClassifier": "estimator",
    "QuantileBinarizer": "binarize",
    "RashomonImportance": "importance.rid",
    "RashomonSet": "rashomon",
    "ThresholdGuessBinarizer": "binarize",
    "forest_bounds": "bounds",
    "plot_rules": "output.plots",
    "plot_tree": "output.plots",
    "predict_file": "files",
    "probability_bounds": "bounds",
    "rashomon_sizes": "rashomon",
    "regression_bounds": "bounds",
    "report": "output.report.page",
    "serve_page": "output.serve",
    "write_page": "output.app",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
