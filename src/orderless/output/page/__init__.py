"""The page to fill in: one file that works offline, or served on this machine."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
