"""Questions about models, each written once for a tree and for a sum of trees.

In:  kernels, conditions, rows.
Out: proofs with counterexamples; equivalence and differences of two models; what can be left out.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
