"""Solving: a policy for a problem, by any of the methods.

In:  ``Problem``, and how to go about it.
Out: ``Solved``: what the policy does with the training rows, and what is proven of it.
Paper: Section 7 (Q-learning), its baselines, Algorithm 7; the exact optimum goes beyond it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..model import TreeKernel
from .leaves import Answer
from .nodes import Nodes
from .problem import Problem

if TYPE_CHECKING:
    from .._core.acquisition import Policy

__all__ = ["METHODS", "Method", "QTable", "Solved", "Solving", "solve"]

Method = Literal["optimal", "q-learning", "greedy", "path", "naive"]
METHODS = ("optimal", "q-learning", "greedy", "path", "naive")
FIXED = {"naive": (0, False), "path": (1, False), "greedy": (2, True)}  # kind, stops early


@dataclass(frozen=True)
class Solving:
    """How a policy is found.

    Attributes
    ----------
    method : str
    limit : int
        How many states the exact search may keep.
    time_limit : float
        Seconds for the exact search.
    episodes, alpha, gamma, exploration : int and floats
        Of the Q-learner; the paper's by default.
    reward : Fraction
        What is given when a row is determined.
    seed : int
    """

    method: Method = "optimal"
    limit: int = 5_000_000
    time_limit: float = 10.0
    episodes: int = 10_000
    alpha: float = 0.1
    gamma: float = 0.9
    exploration: float = 0.5
    reward: Fraction = Fraction(0)
    seed: int = 0

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise ValueError(f"limit must be at least 1 (state to keep), got {self.limit}")
        if self.episodes < 0:
            raise ValueError(f"n_episodes must be a whole number, 0 or more, got {self.episodes}")
        for name in ("alpha", "gamma", "exploration"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, got {getattr(self, name)}")


@dataclass(frozen=True, eq=False)
class QTable:
    """The Q-learner's table: per state that it met, the value of each purchase.

    Attributes
    ----------
    names : tuple of str
        The purchases.
    outcomes : sequence of sequences
        Per purchase its outcomes (bins).
    met : array, states x purchases
        Which outcome each purchase had, -1 where it is not bought.
    values : array, states x purchases
    """

    names: tuple[str, ...]
    outcomes: Sequence[Sequence[Answer]]
    met: NDArray[np.int32]
    values: NDArray[np.float64]

    @cached_property
    def states(self) -> dict[tuple[Answer | None, ...], int]:
        """Each state's position: a tuple, per purchase its outcome, or None if it is not bought."""
        return {
            tuple(
                None if which < 0 else outcomes[which]
                for which, outcomes in zip(state, self.outcomes, strict=True)
            ): i
            for i, state in enumerate(self.met.tolist())
        }

    def of(self, state: Sequence[Answer | None]) -> dict[str, float]:
        """Give the value of each purchase in a state; empty if it was never met."""
        at = self.states.get(tuple(state))
        if at is None:
            return {}
        return dict(zip(self.names, self.values[at].tolist(), strict=True))


@dataclass(frozen=True, eq=False)
class Solved:
    """A policy over the training rows, what it costs, and what is proven about it.

    Attributes
    ----------
    how : Solving
    least : int or Fraction
    least_missed : int
        No policy costs less (in units), nor leaves fewer rows undetermined.
    nodes, optimal, n_states, q_table
        As of ``Policy``.
    """

    nodes: Nodes
    how: Solving
    least: int | Fraction
    least_missed: int
    optimal: bool
    n_states: int = 0
    q_table: QTable | None = None

    @property
    def problem(self) -> Problem:
        """What was to be found out, and for how much."""
        return self.nodes.problem

    @property
    def kernel(self) -> TreeKernel:
        """The tree that it decides as."""
        return self.problem.leaves.bins.tree

    @property
    def method(self) -> str:
        """How it was found."""
        return self.how.method

    @property
    def objective(self) -> str:
        """What was to be small: the expected cost, or the worst."""
        return "worst" if self.problem.worst else "expected"

    @property
    def tolerance(self) -> float | None:
        """How wide the interval of the numbers may be where it stops; None: one class is left."""
        return self.problem.leaves.tolerance

    @property
    def n_rows(self) -> int:
        """How many training rows there were, by weight."""
        return self.nodes.weight[0]

    @property
    def budget(self) -> float | None:
        """What may be spent on a row; None if nothing limits it."""
        return None if self.problem.budget is None else float(self.problem.budget)

    @property
    def max_questions(self) -> int | None:
        """How many purchases may be made for a row; None if nothing limits it."""
        return self.problem.max_questions

    # -- what it costs -------------------------------------------------------------------------

    def _money(self, units: int | Fraction) -> float:
        return float(units * self.problem.whole.unit)

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
            return self.worst_cost if self.problem.worst else self.expected_cost
        if self.nodes.missed[0] != self.least_missed:
            return 0.0
        rows = 1 if self.problem.worst else max(1, self.n_rows)
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
        return self.problem.whole.exact

    @property
    def purchases(self) -> dict[str, float]:
        """What can be bought, and for how much: features and groups."""
        return {p.name: float(p.cost) for p in self.problem.purchases if not p.free}


def solve(problem: Problem, how: Solving) -> Solved:
    """Find a policy for the training rows.

    Notes
    -----
    What each method costs is said in the core's header, cpp/core/acquisition/problem.hpp.
    """
    arrays, rules = problem.arrays, problem.rules
    if how.method == "optimal":
        return _cheapest(problem, how)
    bound, missed = _core.acquisition.least_cost(arrays, rules)
    table = None
    if how.method == "q-learning":
        learned = _core.acquisition.learned_policy(
            arrays,
            rules,
            how.episodes,
            how.alpha,
            how.gamma,
            how.exploration,
            float(how.reward / problem.whole.unit),
            how.seed,
        )
        policy = learned.policy
        table = _q_table(problem, learned.states, learned.values)
    else:
        policy = _core.acquisition.fixed_policy(arrays, rules, *FIXED[how.method])
    out = _nodes(problem, how, policy)
    cost = (out.worst if problem.worst else out.cost)[0]
    proven = (out.missed[0], cost) == (missed, bound)
    return Solved(out, how, bound, missed, proven, q_table=table)


def _cheapest(problem: Problem, how: Solving) -> Solved:
    seconds = how.time_limit / 2 if problem.worst else how.time_limit
    cheapest = _core.acquisition.cheapest_policy(problem.arrays, problem.rules, how.limit, seconds)
    policy, n_states = cheapest.policy, cheapest.n_states
    if problem.worst:  # of all policies whose dearest row costs no more, the cheapest on average
        capped = replace(problem, worst=False, budget=int(policy.worst[0]) * problem.whole.unit)
        other = _core.acquisition.cheapest_policy(capped.arrays, capped.rules, how.limit, seconds)
        n_states = max(n_states, other.n_states)
        if other.policy.missed[0] == policy.missed[0] and capped.whole.unit == problem.whole.unit:
            policy = other.policy
    nodes = _nodes(problem, how, policy)
    return Solved(nodes, how, cheapest.bound, cheapest.bound_missed, cheapest.proven, n_states)


def _nodes(problem: Problem, how: Solving, policy: Policy) -> Nodes:
    return Nodes(problem, how.method, [array.tolist() for array in policy])


def _q_table(problem: Problem, states: NDArray[np.int32], values: NDArray[np.float64]) -> QTable:
    names = tuple(purchase.name for purchase in problem.purchases)
    n = max(1, len(names))
    unit = float(problem.whole.unit)
    return QTable(names, problem.outcomes, states.reshape(-1, n), values.reshape(-1, n) * unit)
