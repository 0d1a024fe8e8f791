"""Plots with matplotlib: an object in, Axes out. Each takes ``ax=``."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
