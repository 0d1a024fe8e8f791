"""Forests and boosted trees: what is certain of a sum of trees, and why.

In:  an ``Ensemble``, and rows with gaps.
Out: classes and numbers where they are certain, two completions where they are not; bounds,
     reasons, what would settle a row; whether two ensembles are the same.
Paper: Theorem 3.2 for any function, here for a sum of trees.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
