"""Policies: which feature to find out next, what that costs, and why.

In:  a model, complete rows, what each feature costs.
Out: ``cheapest_policy``; ``Policy``, and ``Question``, which is what it says in one situation.
Paper: Section 7; ``method="optimal"`` goes beyond it.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..acquisition import (
    Method,
    Nodes,
    Problem,
    Question,
    SoFar,
    Solved,
    Solving,
    policy_from_json,
    policy_to_json,
    policy_tree,
    read_problem,
    solve,
    whole_number,
)
from ..errors import setting
from ..inputs import column_like, exact_number, one_row, rows_for, whole_seed
from ..model import (
    in_budget,
    read_seconds,
    refuse_contradiction,
    refuse_contradictions,
    row_bins,
    row_box,
)
from ..output.certificates import Certificate, policy_certificate
from ..output.plots.policies import draw_policy
from ..output.rules import policy_as_html, policy_as_text
from .interview import Interview
from .model import LONGEST
from .tree import Tree

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Policy", "cheapest_policy"]

LIMIT = 5_000_000
TIME_LIMIT = 10.0
REMEMBERED = 256


@in_budget
def cheapest_policy(
    model: Any,
    X: Any,
    costs: Any,
    *,
    tolerance: float | None = None,
    method: Method = "optimal",
    groups: Any = None,
    known: Iterable[str] = (),
    budget: float | None = None,
    max_questions: int | None = None,
    objective: Literal["expected", "worst"] = "expected",
    sample_weight: ArrayLike | None = None,
    limit: int = LIMIT,
    time_limit: float | None = TIME_LIMIT,
    random_state: Any = 0,
    n_episodes: int = 10_000,
    alpha: float = 0.1,
    gamma: float = 0.9,
    exploration: float = 0.5,
    reward: float | None = None,
) -> Policy:
    r"""Find out which features to measure, in which order, to get a model's answer cheaply.

    A feature is bought once, and then all its conditions are known. A policy stops as soon as the
    row is determined (naive and path, the paper's baselines, do not).

    Parameters
    ----------
    model : Tree, Ensemble, CanonicalForm, or any model that ``read`` knows
        An ensemble is read as the one tree that decides the same, which small ensembles have
        (``Ensemble.to_tree``); ``TooLarge`` is raised of others. The methods "path" and "naive" are
        about the nodes of one trained tree, and refuse ensembles.
    X : array, data frame, or list of dicts
        Complete training rows, which say how likely each answer is.
    costs : dict of feature -> cost, or one cost per feature in the order of X's features
        0 or more, for every feature that the model asks about: one without a cost is an error,
        unless it is ``known``.
    tolerance : float, optional
        For a tree of numbers: a row is determined where the numbers that are still possible are at
        most this far apart, as for ``Tree.predict(tolerance=)``. By default one class must be left,
        as with 0. Classes that are whole numbers count as numbers, too; ``Policy.tree`` is then a
        regression tree. For a risk, ask with ``tree.decide_at(label, probability)`` until it is on
        one side.
    method : "optimal", "q-learning", "greedy", "path" or "naive"
        The exact optimum; the paper's Q-learner; the cheapest unknown feature first; as the tree
        asks; all features of the tree.
    groups : dict of name -> features, or list of lists of features, optional
        Features that are bought together, for the cost of ``costs[name]`` (or the cost that all of
        them have).
    known : iterable of str
        Features that are known at the start, and cost nothing.
    budget : float, optional
        What may be spent on a row. The policy then determines as large a share of the rows as
        possible, and of such policies is the cheapest; it stops where no training row can be
        determined with what is left.
    max_questions : int, optional
        How many purchases may be made for a row; otherwise as ``budget``.
    objective : "expected" or "worst"
        What to minimize: the average cost over the training rows, or the cost of the dearest row
        (and, of policies with the same dearest row, the average).
    sample_weight : array, optional
        How much each row counts; 0 or more.
    limit : int
        How many states the exact search may keep (about 50 bytes each).
    time_limit : float
        About how many seconds the exact search may take.
    random_state : int, RandomState, Generator or None
        For Q-learning.
    n_episodes, alpha, gamma, exploration : int and floats
        For Q-learning; the defaults are the paper's. ``gamma=1`` is not discounted.
    reward : float, optional
        For Q-learning: given when a row is determined; by default the sum of all costs.

    Returns
    -------
    Policy

    Warns
    -----
    UserWarning
        If ``limit`` or ``time_limit`` ended the exact search. The policy is then the best found,
        never worse than greedy and path, and ``bound`` says what may be left to gain.

    Notes
    -----
    The paper's Case Study 3. With V = 0 for a determined state, the optimum is

    .. math:: V(s) = \min_f \; c_f + \sum_b P(b \mid s) \, V(s, f = b)

    over the distinct rows. Any feature of the tree may be bought in any state, also one that can
    no longer change the decision but says which other to buy. The search is memoised on the rows
    that are left and the leaves that they can reach, with branch and bound: what a row must spend
    to exclude all leaves of other classes, by dual ascent. With ``tolerance`` the classes are
    the largest sets of numbers that are near enough, which overlap: a row may end in any of those
    that hold its number, and the least over them is its bound. The number of states can grow
    exponentially with the features. Costs and weights are read as decimals and added as whole
    numbers, so sums are exact (``Policy.exact`` says if that was not possible).

    With gamma 0.9 a further question costs a tenth of the reward that is still to come, so the
    paper's Q-learner asks few questions rather than cheap ones.

    Examples
    --------
    A cheap question first, although the tree asks it last:

    >>> import orderless as ol
    >>> tree = ol.read({"feature": "scan", "true": {"feature": "fever",
    ...     "true": {"prediction": "ill"}, "false": {"prediction": "well"}},
    ...     "false": {"prediction": "well"}}, feature_names=["fever", "scan"])
    >>> rows = [[0, 0], [0, 1], [0, 0], [1, 1]]
    >>> policy = cheapest_policy(tree, rows, {"fever": 1, "scan": 100})
    >>> print(policy)
    optimal policy: 26 on average, 101 at most, over 4 rows; proven cheapest.
    fever? (cost 1)
      not fever (75%): well
      fever (25%): scan? (cost 100)
        not scan (0%): well
        scan (100%): ill
    >>> cheapest_policy(tree, rows, {"fever": 1, "scan": 100}, method="path").expected_cost
    100.5

    Numbers that are known well enough:

    >>> stay = {"task": "regression", "feature": "fever", "true": {"prediction": 9},
    ...     "false": {"feature": "scan", "true": {"prediction": 3}, "false": {"prediction": 2.5}}}
    >>> tree = ol.read(stay, feature_names=["fever", "scan"])
    >>> print(cheapest_policy(tree, rows, {"fever": 1, "scan": 100}, tolerance=0.5))
    optimal policy within 0.5: 1 on average, 1 at most, over 4 rows; proven cheapest.
    fever? (cost 1)
      not fever (75%): between 2.5 and 3
      fever (25%): 9
    """
    problem, total = read_problem(
        model,
        X,
        costs,
        tolerance=tolerance,
        method=method,
        groups=groups,
        known=known,
        budget=budget,
        max_questions=max_questions,
        objective=objective,
        sample_weight=sample_weight,
    )
    how = Solving(
        method,
        limit,
        read_seconds(time_limit),
        int(n_episodes),
        alpha,
        gamma,
        exploration,
        reward=total if reward is None else exact_number(reward, "reward"),
        seed=whole_seed(random_state) % 2**64,
    )
    policy = Policy(**vars(solve(problem, how)))
    if method == "optimal" and not policy.optimal:
        warnings.warn(
            f"no policy was proven cheapest within {setting('time_limit', time_limit)} seconds and "
            f"{setting('limit', limit)} states; {policy!r} is the best found: raise them, or "
            "accept it",
            stacklevel=2,
        )
    return policy


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

    _memory: dict[Hashable, Nodes] = field(default_factory=dict)  # what comes off its own way

    # -- what it is ----------------------------------------------------------------------------

    @property
    def tree(self) -> Tree:
        """What it decides."""
        return Tree._of(self.kernel)

    # -- what it does with rows ----------------------------------------------------------------

    def _ends(self, X: Any) -> tuple[list[int], NDArray[np.intp]]:
        """Return the node where each distinct row ends, and which of them each row is."""
        rows = rows_for(self.kernel, X)
        refuse_contradictions(self.kernel, rows)
        table = row_bins(self.kernel.bins, rows)
        if table.shape[1] == 0:
            return [0], np.zeros(len(table), dtype=np.intp)
        distinct, which = np.unique(table, axis=0, return_inverse=True)
        return [self.nodes.end(row) for row in distinct.tolist()], which.reshape(-1)

    def costs(self, X: Any) -> Any:
        """Return what it spends on each row.

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
        """Return what it does with each row; X as for ``costs``.

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
            possible = np.array([self.problem.leaves.interval(self.nodes.leaves[n]) for n in ends])
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
        paid, made = self.problem.spent(sides)
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
        start = dict(known) if known is not None else {}
        return Interview(self, start, only_relevant=only_relevant)

    def can_matter(self, known: Any, features: Iterable[str]) -> bool:
        """Whether one of these features can still change the decision, or settle the interval.

        Where it can not, the row is determined with it only if it is without it, whatever else is
        known.
        """
        sides = self._sides(known)
        leaves = self.problem.leaves
        at = leaves.inside(self.problem.start, sides)
        asked = {self.tree.space.index(name) for name in features}  # says which features there are
        places = [k for k, place in enumerate(leaves.bins.positions) if place in asked]
        return any(leaves.matters(at, k, sides) for k in places)

    def _sides(self, known: Any) -> list[int]:
        """Return the bins that each feature can be in, as bits."""
        if known is None or (isinstance(known, Mapping) and not known):
            return self.problem.leaves.whole
        tree = self.kernel
        rows = one_row(known, tree.space, tree.used, if_there=tree.connected)
        refuse_contradiction(tree, rows)
        return list(row_box(tree.bins, rows).bits)

    def _question(self, sides: list[int], unavailable: tuple[str, ...], so_far: SoFar) -> Question:
        """Return the next question after what was spent and asked so far."""
        gone = self.problem.purchases_named(unavailable)
        node = None if gone else self.nodes.at(sides)
        if node is not None and self.nodes.has_spent(node, so_far):
            return Question.at(self.nodes, node)
        problem = self.problem.after(so_far)
        key = (tuple(sides), gone, problem.budget, problem.max_questions)
        if key not in self._memory:
            if len(self._memory) >= REMEMBERED:
                self._memory.clear()
            self._memory[key] = self._rest(problem, sides, gone)
        return Question.at(self._memory[key], 0)

    def _rest(self, problem: Problem, sides: list[int], gone: tuple[str, ...]) -> Nodes:
        """Return what is asked off the policy's own way."""
        rest = problem.given(sides, gone)
        if rest is None:
            return Nodes.unseen(problem, sides, gone, self.method)
        how = self.how
        if how.method == "q-learning":  # it has learned nothing of this
            how = replace(how, method="optimal")
        return solve(rest, how).nodes

    # -- what it becomes -----------------------------------------------------------------------

    def to_tree(self) -> Tree:
        """Return the policy as a tree that asks in its order and decides the same.

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
        return Tree._of(policy_tree(self.nodes))

    def to_json(self) -> str:
        """Write it as versioned JSON (docs/formats) that any language can walk.

        It has every answer, also those that no training row has, and not the training rows: off
        its own way a policy that was read goes on as the tree asks.
        """
        return policy_to_json(self)

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
        return draw_policy(self, ax)

    @classmethod
    def from_json(cls, text: str | bytes, *, limit: int = LONGEST) -> Policy:
        """Read what ``to_json`` wrote; anything else is an ``InvalidTree`` that says why."""
        return cls(**vars(policy_from_json(text, limit)))

    def __repr__(self) -> str:
        proven = ", proven optimal" if self.optimal else f", bound {self.bound:g}"
        return f"Policy({self.method}, expected cost {self.expected_cost:g}{proven})"

    def __str__(self) -> str:
        return policy_as_text(self)

    def _repr_html_(self) -> str:
        return policy_as_html(self)
