"""What a tree decides, free of the order in which it asks.

In:  a ``Tree``.
Out: equivalence and fingerprints, ``Form`` with rules, reasons and explanations, the
     smallest tree that decides the same.
Paper: Sections 3 and 4.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
