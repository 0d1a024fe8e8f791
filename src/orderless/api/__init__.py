"""What people hold in their hands: models that were read, and what they decide."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
