"""Estimators for scikit-learn, and how good their predictions are.

In:  rows and labels.
Out: ``OrderlessClassifier``; ``Quality``.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
