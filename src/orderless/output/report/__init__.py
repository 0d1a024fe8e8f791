"""The report: everything that can be said about one tree, as one page that needs nothing else."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
