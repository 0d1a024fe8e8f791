"""What a decision tree decides, free of the order in which it asks."""

from lazy_loader import attach_stub

# The names are in __init__.pyi, here and in every room; a room is imported when first asked for.
__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
