"""Certificates: what is proven of a tree, in a file that a small independent program checks."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
