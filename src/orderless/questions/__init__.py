"""Questions about one model: why a row gets its answer, and what would change it.

In:  a tree, or a sum of trees, and rows.
Out: ``Explanation``, ``Changes``.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
