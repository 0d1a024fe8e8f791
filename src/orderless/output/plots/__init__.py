"""Plots with matplotlib: an object in, Axes out. Each takes ``ax=``."""

from .regions import plot_rules
from .trees import plot_tree

__all__ = ["plot_rules", "plot_tree"]
