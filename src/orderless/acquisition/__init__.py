"""The cheapest way to an answer: which feature to find out next.

In:  a ``Tree``, complete rows, and what each feature costs.
Out: ``Policy``, and ``Interview`` that goes through it with one person.
Paper: Section 7 and Algorithm 7; the exact optimum goes beyond it.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
