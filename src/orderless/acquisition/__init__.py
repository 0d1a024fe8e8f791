"""The cheapest way to an answer: which feature to find out next.

In:  a ``Tree``, complete rows, and what each feature costs.
Out: ``Policy``, and ``Interview`` that goes through it with one person.
Paper: Section 7 and Algorithm 7; the exact optimum goes beyond it.
"""

from .ask import Interview
from .build import cheapest_policy
from .policy import Outcome, Policy, Question

__all__ = ["Interview", "Outcome", "Policy", "Question", "cheapest_policy"]
