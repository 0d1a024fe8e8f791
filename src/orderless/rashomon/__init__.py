"""Rashomon sets: all near-optimal trees, and the functions among them."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
