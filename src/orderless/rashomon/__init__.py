"""Rashomon sets: all near-optimal trees, and the functions among them."""

from .answers import Sampled
from .differences import Differences
from .flat import FlatTrees
from .functions import FunctionSet, FunctionTable, RashomonFunction
from .rashomonset import RashomonSet
from .sizes import RashomonSizes, rashomon_sizes
from .treeset import TreeSet

__all__ = [
    "Differences",
    "FlatTrees",
    "FunctionSet",
    "FunctionTable",
    "RashomonFunction",
    "RashomonSet",
    "RashomonSizes",
    "Sampled",
    "TreeSet",
    "rashomon_sizes",
]
