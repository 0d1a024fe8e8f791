"""Rows with unknown values: what is certain, what is possible, what would settle it.

In:  a ``Tree``, and rows with gaps.
Out: classes where they are certain, odds, bounds, the features that are needed.
Paper: Section 6.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
