"""The cheapest way to an answer: which feature to find out next.

In:  a tree, complete rows, and what each feature costs.
Out: ``Problem``, which says what can be bought and what that shows; ``Solved``: what a policy does,
     what that costs, and what is proven of it; ``Question``: what it says in one situation.
Paper: Section 7 and Algorithm 7; the exact optimum goes beyond it.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
