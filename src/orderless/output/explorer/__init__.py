"""The explorer: a set of near-optimal functions as a page to walk in and to choose from."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
