"""Pages, each one file that works offline: report, model card, letter, form, explorer."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
