"""Variable importance: what depends on the order of asking, how far, and what does not.

In:  a ``Tree``, complete rows and their labels.
Out: importances by feature; ``ImportanceRange``.
Paper: Section 5 (Case Study 1).
"""

from .impurity import impurity_importance
from .orders import ImportanceRange, importance_range
from .permutation import permutation_importance
from .reliance import conditional_model_reliance

__all__ = [
    "ImportanceRange",
    "conditional_model_reliance",
    "importance_range",
    "impurity_importance",
    "permutation_importance",
]
