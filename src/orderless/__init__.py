"""What a decision tree decides, free of the order in which it asks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import datasets
from .canonical import CanonicalForm, canonicalize
from .equivalence import (
    counterexample,
    disagreement,
    equivalent,
    fingerprint,
    group_equivalent,
)
from .readers import read_tree, read_trees
from .smallest import smallest_tree
from .space import Condition, Feature, Space
from .term import Term
from .tree import Tree

if TYPE_CHECKING:
    from .binarize import QuantileBinarizer, ThresholdGuessBinarizer

__all__ = [
    "CanonicalForm",
    "Condition",
    "Feature",
    "QuantileBinarizer",
    "Space",
    "Term",
    "ThresholdGuessBinarizer",
    "Tree",
    "canonicalize",
    "counterexample",
    "datasets",
    "disagreement",
    "equivalent",
    "fingerprint",
    "group_equivalent",
    "read_tree",
    "read_trees",
    "smallest_tree",
]

# Names whose modules need scikit-learn, which is slow to import: fetched when first asked for.
_LATER = {"QuantileBinarizer": "binarize", "ThresholdGuessBinarizer": "binarize"}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
