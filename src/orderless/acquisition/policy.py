"""Policies: which feature to find out next, what that costs, and why.

In:  ``Solved``.
Out: ``Policy``; ``Question`` is what it says in one situation.
Paper: Section 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..api import Tree
from ..inputs import column_like, exact_number, one_row, rows_for
from ..model import TreeKernel, refuse_contradiction, refuse_contradictions, row_bins, row_box
from ..output.certificates import Certificate, policy_certificate
from .costs import whole_number
from .nodes import Nodes
from .problem import Problem, SoFar
from .question import Question
from .solve import Solved, solve

if TYPE_CHECKING:
    import pandas as pd

    from .interview import Interview

__all__ = ["Policy"]

REMEMBERED = 256


@dataclass(frozen=True, eq=False, repr=False)
class Policy(Solved):
    """Which feature to find out next. Made by ``cheapest_policy``.

    Its own way is what it does with the training rows. An answer that no training row has there
    leads on as the tree asks, without questions that cannot matter any more, and always ends
    determined (unless a budget, or an unavailable feature, forbids it). With ``tolerance`` a row is
    determined where the numbers that are still possible are at most that far apart.

    Attributes
    ----------
    nodes : Nodes
        What it does, question by question.
    optimal : bool
        Whether it is proven that no policy is cheaper on the training rows.
    n_states : int
        How many states the search kept; 0 for the other methods.
    q_table : QTable or None
        The table of a Q-learner, None for the other methods.
    """

    _memory: dict[Any, Nodes] = field(default_factory=dict)  # what comes off its own way

    @property
    def _problem(self) -> Problem:
        return self.nodes.problem

    # -- what it is ----------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        """What it decides."""
        return Tree.of(self._kernel)

    @property
    def _kernel(self) -> TreeKernel:
        return self._problem.leaves.bins.tree

    @property
    def method(self) -> str:
        """How it was found."""
        return self.how.method

    @property
    def objective(self) -> str:
        """What was to be small: the expected cost, or the worst."""
        return "worst" if self._problem.worst else "expected"

    @property
    def tolerance(self) -> float | None:
        """How wide the interval of the numbers may be where it stops; None: one class is left."""
        return self._problem.leaves.tolerance

    @property
    def n_rows(self) -> int:
        """How many training rows there were, by weight."""
        return self.nodes.weight[0]

    @property
    def budget(self) -> float | None:
        """What may be spent on a row; None if nothing limits it."""
        return None if self._problem.budget is None else float(self._problem.budget)

    @property
    def max_questions(self) -> int | None:
        """How many purchases may be made for a row; None if nothing limits it."""
        return self._problem.max_questions

    # -- what it costs -------------------------------------------------------------------------

    def _money(self, units: int | Fraction) -> float:
        return float(units * self._problem.whole.unit)

    @property
    def expected_cost(self) -> float:
        """What it spends on average over the training rows.

        Exact, and rounded once: costs are read as decimals (0.1 is a tenth) and added as whole
        numbers.
        """
        return self._money(Fraction(self.nodes.cost[0], max(1, self.n_rows)))

    @property
    def worst_cost(self) -> float:
        """What it spends on the dearest of the training rows."""
        return self._money(self.nodes.worst[0])

    @property
    def bound(self) -> float:
        """No policy has a lower expected cost (worst cost, if that was the objective).

        Equal to it where the policy is ``optimal``. With a budget it holds for policies that
        determine as many rows.
        """
        if self.optimal:
            return self.worst_cost if self._problem.worst else self.expected_cost
        if self.nodes.missed[0] != self.least_missed:
            return 0.0
        rows = 1 if self._problem.worst else max(1, self.n_rows)
        return self._money(Fraction(self.least, rows))

    @property
    def share_determined(self) -> float:
        """The share of the training rows that it determines; 1 without a budget."""
        return 1 - self.nodes.missed[0] / max(1, self.n_rows)

    @property
    def share_bound(self) -> float:
        """No policy within the budget determines a larger share of the training rows."""
        missed = self.nodes.missed[0] if self.optimal else self.least_missed
        return 1 - missed / max(1, self.n_rows)

    @property
    def exact(self) -> bool:
        """Whether costs were added exactly; False if they had to be rounded to fit."""
        return self._problem.whole.exact

    @property
    def purchases(self) -> dict[str, float]:
        """What can be bought, and for how much: features and groups."""
        return {p.name: float(p.cost) for p in self._problem.purchases if not p.free}

    # -- what it does with rows ----------------------------------------------------------------

    def _ends(self, X: Any) -> tuple[list[int], NDArray[np.intp]]:
        """Give the node where each distinct row ends, and which of them each row is."""
        rows = rows_for(self._kernel, X)
        refuse_contradictions(self._kernel, rows)
        table = row_bins(self._kernel.bins, rows)
        if table.shape[1] == 0:
            return [0], np.zeros(len(table), dtype=np.intp)
        distinct, which = np.unique(table, axis=0, return_inverse=True)
        return [self.nodes.end(row) for row in distinct.tolist()], which.reshape(-1)

    def costs(self, X: Any) -> Any:
        """Give what it spends on each row.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Complete rows; for rows with unknowns ask ``next_feature``, or use ``interview``.

        Returns
        -------
        array of float, or a Series when a data frame came in

        Notes
        -----
        Cost: distinct rows x questions.
        """
        ends, which = self._ends(X)
        spent = np.array([float(self.nodes.paid(node)) for node in ends])
        return column_like(X, spent[which], "cost")

    def simulate(self, X: Any) -> pd.DataFrame:
        """Give what it does with each row; X as for ``costs``.

        Returns
        -------
        pandas.DataFrame
            ``purchases`` in their order, ``questions``, ``cost``, ``decision`` (missing where a
            budget leaves the row undetermined). With ``tolerance`` the decision is the midpoint of
            ``lower`` and ``upper``, the smallest and the largest number that is still possible.
        """
        import pandas as pd

        ends, which = self._ends(X)
        bought = [tuple(p.name for p in reversed(self.nodes.bought(node))) for node in ends]
        spent = np.array([float(self.nodes.paid(node)) for node in ends])
        made = [self.nodes.decision(node) for node in ends]
        at = which.tolist()
        index = X.index if isinstance(X, pd.DataFrame) else None
        decided = [None if (one := made[i]) is None else one.label for i in at]
        try:
            decision: Any = pd.array(decided)
        except UnicodeEncodeError:  # half of a surrogate pair, which pandas' texts cannot hold
            decision = pd.Series(decided, index=index, dtype=object)
        columns = {
            "purchases": [bought[i] for i in at],
            "questions": [len(bought[i]) for i in at],
            "cost": spent[which],
            "decision": decision,
        }
        if self.tolerance is not None:
            possible = np.array([self._problem.leaves.interval(self.nodes.leaves[n]) for n in ends])
            columns |= {"lower": possible[which, 0], "upper": possible[which, 1]}
        return pd.DataFrame(columns, index=index)

    # -- what to ask ---------------------------------------------------------------------------

    def next_feature(
        self,
        known: Any = None,
        *,
        unavailable: Iterable[str] = (),
        spent: float | None = None,
        asked: int | None = None,
    ) -> Question:
        """Say which feature to find out next.

        Parameters
        ----------
        known : dict, Series, one-row data frame, or values in the order of the space's columns
            What is known; missing, None or NaN is unknown.
        unavailable : iterable of str
            Features or groups that are unavailable.
        spent : float, optional
            What was spent so far, which a budget has to pay for. By default what is known was
            bought, each feature or group for its cost; ``spent=0`` if it was known for nothing.
            Features that were ``known`` to ``cheapest_policy`` cost nothing anyway.
        asked : int, optional
            Likewise for ``max_questions``: how many purchases were made so far.

        Returns
        -------
        Question
            With ``feature`` None where nothing is to be asked: the row is determined, cannot be,
            or the budget does not allow it (``stopped``).

        Notes
        -----
        On the policy's own way this is a walk. Off it (more is known than it would have bought,
        or something is unavailable) the rest is solved anew, by the same method, over the training
        rows that fit, with what is left of a budget. A learned policy has learned nothing about
        that and goes on as the optimal one; a path ends at a question that cannot be answered.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": "a", "true": {"feature": "b", "true": {"prediction": 1},
        ...     "false": {"prediction": 0}}, "false": {"prediction": 0}}, feature_names=["a", "b"])
        >>> policy = ol.cheapest_policy(tree, [[0, 0], [0, 1], [1, 0], [1, 1]], {"a": 5, "b": 1})
        >>> print(policy.next_feature())
        Ask b (cost 1): settles it in 50% of 4 rows; 3.5 to spend on average from here.
        >>> print(policy.next_feature({"b": 0}))
        Determined: 0.
        """
        sides = self._sides(known)
        paid, made = self._problem.spent(sides)
        paid = paid if spent is None else exact_number(spent, "spent")
        made = made if asked is None else whole_number(asked, "asked")
        return self._question(sides, tuple(unavailable), (paid, made))

    def next_beyond(self, known: Any = None, *, unavailable: Iterable[str] = ()) -> Question:
        """Say what would be next without a budget and a maximum of questions."""
        return self._question(self._sides(known), tuple(unavailable), None)

    def interview(self, known: Any = None, *, only_relevant: bool = False) -> Interview:
        """Begin to ask one person, or one machine; see ``Interview``.

        Parameters
        ----------
        known : dict, optional
            What is known already.
        only_relevant : bool
            Whether to pass over questions whose answer cannot change the decision any more; the
            rest is then as cheap as it can be without them.
        """
        from .interview import Interview

        start = dict(known) if known is not None else {}
        return Interview(self, start, only_relevant=only_relevant)

    def can_matter(self, known: Any, features: Iterable[str]) -> bool:
        """Whether one of these features can still change the decision, or settle the interval.

        Where it can not, the row is determined with it only if it is without it, whatever else is
        known.
        """
        sides = self._sides(known)
        leaves = self._problem.leaves
        at = leaves.inside(self._problem.start, sides)
        asked = {self.tree.space.index(name) for name in features}  # says which features there are
        places = [k for k, place in enumerate(leaves.bins.positions) if place in asked]
        return any(leaves.matters(at, k, sides) for k in places)

    def _sides(self, known: Any) -> list[int]:
        """Give the bins that each feature can be in, as bits."""
        if known is None or (isinstance(known, Mapping) and not known):
            return self._problem.leaves.whole
        tree = self._kernel
        rows = one_row(known, tree.space, tree.used, if_there=tree.connected)
        refuse_contradiction(tree, rows)
        return list(row_box(tree.bins, rows).bits)

    def _question(self, sides: list[int], unavailable: tuple[str, ...], so_far: SoFar) -> Question:
        """Give the next question after what was spent and asked so far."""
        gone = self._problem.purchases_named(unavailable)
        node = None if gone else self.nodes.at(sides)
        if node is not None and self.nodes.has_spent(node, so_far):
            return Question.at(self.nodes, node)
        problem = self._problem.after(so_far)
        key = (tuple(sides), gone, problem.budget, problem.max_questions)
        if key not in self._memory:
            if len(self._memory) >= REMEMBERED:
                self._memory.clear()
            self._memory[key] = self._rest(problem, sides, gone)
        return Question.at(self._memory[key], 0)

    def _rest(self, problem: Problem, sides: list[int], gone: tuple[str, ...]) -> Nodes:
        """Give what is asked off the policy's own way."""
        rest = problem.given(sides, gone)
        if rest is None:
            return Nodes.unseen(problem, sides, gone, self.method)
        how = self.how
        if how.method == "q-learning":  # it has learned nothing of this
            how = replace(how, method="optimal")
        return solve(rest, how).nodes

    # -- what it becomes -----------------------------------------------------------------------

    def to_tree(self) -> Tree:
        """Give the policy as a tree that asks in its order and decides the same.

        With ``tolerance`` it is a regression tree whose leaves say the midpoints of the intervals
        that the policy ends with: at most half of ``tolerance`` away from the number of its own
        tree, on every row.

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

        return Tree.of(to_tree(self.nodes))

    def to_json(self) -> str:
        """Write it as versioned JSON (docs/formats) that any language can walk.

        It has every answer, also those that no training row has, and not the training rows: off
        its own way a policy that was read goes on as the tree asks.
        """
        from .formats import to_json

        return to_json(self)

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
            If it ends with intervals (``tolerance``), has no training rows because it was read from
            a file, or has costs that had to be rounded.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": "a", "true": {"feature": "b", "true": {"prediction": 1},
        ...     "false": {"prediction": 0}}, "false": {"prediction": 0}}, feature_names=["a", "b"])
        >>> policy = ol.cheapest_policy(tree, [[0, 0], [0, 1], [1, 0], [1, 1]], {"a": 5, "b": 1})
        >>> for line in policy.certificate().check():
        ...     print(line)
        4 rows cost 14 x 1/1 together, the dearest 6 x 1/1.
        4 of them end with the tree's answer, none with another.
        Nothing that always ends with the answer costs less than 14 (expected).
        """
        return policy_certificate(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw it: questions with their costs, answers with their shares, decisions; give the Axes.

        Without ``ax`` a figure of its own, as large as it needs.
        """
        from ..output.plots import draw_policy

        return draw_policy(self, ax)

    @classmethod
    def from_json(cls, text: str | bytes, *, limit: int = 256 * 1024 * 1024) -> Policy:
        """Read what ``to_json`` wrote; anything else is an ``InvalidTree`` that says why."""
        from .formats import from_json

        return cls(**vars(from_json(text, limit)))

    def __repr__(self) -> str:
        proven = ", proven optimal" if self.optimal else f", bound {self.bound:g}"
        return f"Policy({self.method}, expected cost {self.expected_cost:g}{proven})"

    def __str__(self) -> str:
        from .text import policy_as_text

        return policy_as_text(self)

    def _repr_html_(self) -> str:
        from .text import policy_as_html

        return policy_as_html(self)
