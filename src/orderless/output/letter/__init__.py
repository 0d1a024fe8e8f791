"""Letters of reasons: why a decision was made, with codes, and what would change it."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
