"""Variable importance: what depends on the order of asking, how far, and what does not.

In:  a ``Tree``, complete rows and their labels.
Out: importances by feature; ``ImportanceRange``.
Paper: Section 5 (Case Study 1).
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
