"""What a policy offers: a tree, text, files and drawings, which others write.

In:  a ``Policy``.
Out: what writes them is imported when it is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from ..model import Tree

if TYPE_CHECKING:
    from ..output.certificates import Certificate
    from .policy import Policy

__all__ = ["PolicyOffers"]


class PolicyOffers:
    """Methods of ``Policy`` that fetch their answer when they are asked."""

    @property
    def _policy(self) -> Policy:
        return cast("Policy", self)

    def to_tree(self) -> Tree:
        """Give the policy as a tree that asks in its order and decides the same.

        With ``within`` it is a regression tree whose leaves say the midpoints of the intervals that
        the policy ends with: at most half of ``within`` away from the number of its own tree, on
        every row.

        Raises
        ------
        ValueError
            If a budget, or a maximum of questions, leaves rows undetermined.

        Notes
        -----
        A purchase of several bins or features becomes several conditions; answers that lead to the
        same decision share one. Cost: the nodes of the policy, with those that no training row
        reaches.
        """
        from .formats import to_tree

        return to_tree(self._policy.nodes)

    def to_json(self) -> str:
        """Write it as versioned JSON (docs/formats) that any language can walk.

        It has every answer, also those that no training row has, and not the training rows: off
        its own way a policy that was read goes on as the tree asks.
        """
        from .formats import to_json

        return to_json(self._policy)

    def certificate(self) -> Certificate:
        """Certify what it costs: a file that a small independent program checks.

        It states what the training rows cost, and the dearest of them; that it never ends with
        another answer than the tree; and where the problem is small enough to be solved again by
        the checker, that nothing is cheaper (docs/certificates).

        Returns
        -------
        Certificate
            ``not_stated`` says what could not be stated, and why.

        Raises
        ------
        InvalidData
            If it ends with intervals (``within``), has no training rows because it was read from a
            file, or has costs that had to be rounded.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read_tree({"feature": "a", "true": {"feature": "b", "true": {"prediction": 1},
        ...     "false": {"prediction": 0}}, "false": {"prediction": 0}}, feature_names=["a", "b"])
        >>> policy = ol.cheapest_policy(tree, [[0, 0], [0, 1], [1, 0], [1, 1]], {"a": 5, "b": 1})
        >>> for line in policy.certificate().check():
        ...     print(line)
        4 rows cost 14 x 1/1 together, the dearest 6 x 1/1.
        4 of them end with the tree's answer, none with another.
        Nothing that always ends with the answer costs less than 14 (expected).
        """
        from ..output.certificates import policy_certificate

        return policy_certificate(self._policy)

    def __str__(self) -> str:
        from ..output.rules import policy_as_text

        return policy_as_text(self._policy)

    def _repr_html_(self) -> str:
        from ..output.rules import policy_as_html

        return policy_as_html(self._policy)

    def plot(self, ax: Any = None) -> Any:
        """Draw it: questions with their costs, answers with their shares, decisions; give the Axes.

        Without ``ax`` a figure of its own, as large as it needs.
        """
        from ..output.plots import draw_policy

        return draw_policy(self._policy, ax)
