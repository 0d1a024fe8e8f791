"""Figures with matplotlib: an object in, Axes out. Each takes ``ax=``."""

from .output.plots import (
    CoverageDisplay as CoverageDisplay,
    RashomonDisplay as RashomonDisplay,
    RulesDisplay as RulesDisplay,
    plot_map as plot_map,
    plot_objectives as plot_objectives,
    plot_rules as plot_rules,
    plot_sizes as plot_sizes,
    plot_tree as plot_tree,
)

__all__ = [
    "CoverageDisplay",
    "RashomonDisplay",
    "RulesDisplay",
    "plot_map",
    "plot_objectives",
    "plot_rules",
    "plot_sizes",
    "plot_tree",
]
