"""What a tree is: features, conditions and columns, trees, bins and boxes, and their words.

In:  names, kinds and arrays of nodes.
Out: ``Space``, ``Tree``, ``Bins``, ``Side``; how they are written down in words and in files.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
