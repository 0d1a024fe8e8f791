"""Questions about one model or two, each written once for a tree and for a sum of trees.

In:  a kernel, rows with unknown values, regions, costs.
Out: what is certain, possible, needed, and why; what would change it; what to ask next; proofs and
     comparisons.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
