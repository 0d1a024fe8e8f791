"""Policies: which feature to find out next, what that costs, and why.

In:  ``Problem`` and ``Solved``.
Out: ``Policy``; ``Question`` is what it says in one situation.
Paper: Section 7.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..inputs import one_row, row_bins, row_box
from ..model import Tree
from .costs import exact_number, total, whole_number
from .nodes import Nodes
from .problem import Outcome as Bins, Problem
from .question import Outcome, Question
from .solve import QTable, Solved, Solving, solve

if TYPE_CHECKING:
    from .interview import Interview

__all__ = ["Outcome", "Policy", "Question"]

REMEMBERED = 256


@dataclass(frozen=True, eq=False, repr=False)
class Policy:
    """Which feature to find out next. Made by ``cheapest_policy``.

    Its own way is what it does with the training rows. An answer that no training row has there
    leads on as the tree asks, without questions that cannot matter any more, and always ends
    determined (unless a budget, or what cannot be had, forbids it).

    Attributes
    ----------
    tree : Tree
        What it decides.
    method : str
    optimal : bool
        Whether it is proven that no policy is cheaper on the training rows.
    n_states : int
        How many states the search kept; 0 for the other methods.
    """

    tree: Tree
    method: str
    optimal: bool
    n_states: int
    _problem: Problem = field(repr=False)
    _solved: Solved = field(repr=False)
    _how: Solving = field(repr=False)
    _nodes: Nodes = field(repr=False)
    _memory: dict[Any, Policy | None] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, problem: Problem, solved: Solved, how: Solving) -> Policy:
        """Make a policy out of what was solved."""
        return cls(
            tree=problem.bins.tree,
            method=how.method,
            optimal=solved.proven,
            n_states=solved.n_states,
            _problem=problem,
            _solved=solved,
            _how=how,
            _nodes=Nodes(problem, solved.nodes, how.method),
        )

    # -- what it costs -------------------------------------------------------------------------

    @property
    def _rows(self) -> int:
        return max(1, self._nodes.weight[0])

    def _money(self, units: int | Fraction) -> float:
        return float(units * self._problem.unit)

    @property
    def expected_cost(self) -> float:
        """What it spends on average over the training rows.

        Exact, and rounded once: costs are read as decimals (0.1 is a tenth) and added as whole
        numbers.
        """
        return self._money(Fraction(self._nodes.cost[0], self._rows))

    @property
    def worst_cost(self) -> float:
        """What it spends on the dearest of the training rows."""
        return self._money(self._nodes.worst[0])

    @property
    def bound(self) -> float:
        """No policy has a lower expected cost (worst cost, if that was the objective).

        Equal to it where the policy is ``optimal``. With a budget it holds for policies that
        determine as many rows.
        """
        if self.optimal:
            return self.worst_cost if self._problem.worst else self.expected_cost
        if self._nodes.missed[0] != self._solved.bound_missed:
            return 0.0
        rows = 1 if self._problem.worst else self._rows
        return self._money(Fraction(self._solved.bound, rows))

    @property
    def share_determined(self) -> float:
        """The share of the training rows that it determines; 1 without a budget."""
        return 1 - self._nodes.missed[0] / self._rows

    @property
    def share_bound(self) -> float:
        """No policy within the budget determines a larger share of the training rows."""
        missed = self._nodes.missed[0] if self.optimal else self._solved.bound_missed
        return 1 - missed / self._rows

    @property
    def exact(self) -> bool:
        """Whether costs were added as they are; False if they had to be rounded to fit."""
        return self._problem.exact

    @property
    def purchases(self) -> dict[str, float]:
        """What can be bought, and for how much: features and groups."""
        return {p.name: float(p.cost) for p in self._problem.purchases if not p.free}

    @property
    def q_table(self) -> QTable | None:
        """The table of a Q-learner, None for the other methods."""
        return self._solved.q_table

    # -- what it does with rows ----------------------------------------------------------------

    def _walks(self, X: Any) -> tuple[list[tuple[list[int], int]], NDArray[np.intp]]:
        """Give the purchases and the end for each distinct row, and which of them each row is."""
        table = row_bins(self._problem.bins, X)
        if table.shape[1] == 0:
            return [([], 0)], np.zeros(len(table), dtype=np.intp)
        distinct, which = np.unique(table, axis=0, return_inverse=True)
        out = []
        for row in distinct.tolist():
            node, bought = 0, []
            while (p := self._nodes.purchase[node]) >= 0:
                bought.append(p)
                node = self._nodes.child(node, self._outcome(p, row))
            out.append((bought, node))
        return out, which.reshape(-1)

    def _outcome(self, purchase: int, row: Sequence[int]) -> Bins:
        return tuple(row[k] for k in self._problem.purchases[purchase].features)

    def costs(self, X: Any) -> NDArray[np.float64]:
        """Give what it spends on each row.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Complete rows; for rows with unknowns ask ``next_feature``, or use ``interview``.

        Notes
        -----
        Cost: distinct rows x questions.
        """
        walks, which = self._walks(X)
        price = [p.cost for p in self._problem.purchases]
        spent = [float(sum((price[p] for p in bought), Fraction(0))) for bought, _ in walks]
        return np.array(spent, dtype=np.float64)[which]

    def simulate(self, X: Any) -> Any:
        """Give what it does with each row.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Complete rows.

        Returns
        -------
        pandas.DataFrame
            ``purchases`` in their order, ``questions``, ``cost``, ``decision`` (missing where a
            budget leaves the row undetermined).
        """
        import pandas as pd

        walks, which = self._walks(X)
        named = self._problem.purchases
        ends = [self._nodes.label[node] for _, node in walks]
        bought = [tuple(named[p].name for p in b if not named[p].free) for b, _ in walks]
        at = which.tolist()
        index = X.index if isinstance(X, pd.DataFrame) else None
        decided = [None if ends[i] < 0 else self.tree.classes[ends[i]] for i in at]
        try:
            decision: Any = pd.array(decided)
        except UnicodeEncodeError:  # half of a surrogate pair, which pandas' texts cannot hold
            decision = pd.Series(decided, index=index, dtype=object)
        return pd.DataFrame(
            {
                "purchases": [bought[i] for i in at],
                "questions": [len(bought[i]) for i in at],
                "cost": self.costs(X),
                "decision": decision,
            },
            index=index,
        )

    # -- what to ask ---------------------------------------------------------------------------

    def next_feature(
        self,
        known: Any = None,
        *,
        unavailable: Iterable[str] = (),
        spent: float | None = None,
        asked: int | None = None,
    ) -> Question:
        """Tell which feature to find out next.

        Parameters
        ----------
        known : dict, Series, one-row data frame, or values in the order of the space's columns
            What is known; missing, None or NaN is unknown.
        unavailable : iterable of str
            Features or groups that cannot be had.
        spent : float, optional
            What was spent so far, which a budget has to pay for. By default what is known was
            bought, each feature or group for its cost; ``spent=0`` if it was known for nothing.
            Features that ``cheapest_policy`` was told are ``known`` cost nothing anyway.
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
        or something cannot be had) the rest is solved anew, by the same method, over the training
        rows that fit, with what is left of a budget. A learned policy has
        learned nothing of that and goes on as the optimal one; a path ends at a question that
        cannot be answered.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read_tree({"feature": "a", "true": {"feature": "b", "true": {"prediction": 1},
        ...     "false": {"prediction": 0}}, "false": {"prediction": 0}}, feature_names=["a", "b"])
        >>> policy = ol.cheapest_policy(tree, [[0, 0], [0, 1], [1, 0], [1, 1]], {"a": 5, "b": 1})
        >>> print(policy.next_feature())
        Ask b (cost 1): settles it in 50 % of 4 rows; 3.5 to spend on average from here.
        >>> print(policy.next_feature({"b": 0}))
        Determined: 0.
        """
        sides = self._sides(known)
        bought = [
            purchase
            for purchase in self._problem.purchases
            if not purchase.free and any(sides[k].bit_count() == 1 for k in purchase.features)
        ]
        paid = total(bought) if spent is None else exact_number(spent, "spent")
        made = len(bought) if asked is None else whole_number(asked, "asked")
        return self._question(sides, tuple(unavailable), (paid, made))

    def next_beyond(self, known: Any = None, *, unavailable: Iterable[str] = ()) -> Question:
        """Tell what would be next without a budget and a maximum of questions."""
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

    def _sides(self, known: Any) -> list[int]:
        rows = one_row({} if known is None else known, self.tree.space, self.tree.used)
        return list(row_box(self._problem.bins, rows).bits)

    def _question(
        self,
        sides: list[int],
        unavailable: tuple[str, ...],
        so_far: tuple[Fraction, int] | None,
    ) -> Question:
        """Give the next question after what was spent and asked so far; None lifts all limits."""
        names = {purchase.name for purchase in self._problem.purchases}
        for name in unavailable:
            if name not in names:
                _ = self.tree.space.index(name)  # a feature that is not asked about is fine
        gone = tuple(sorted(name for name in unavailable if name in names))
        node = None if gone else self._on_the_way(sides)
        if node is not None and self._so_far_is(node, so_far):
            return Question.at(self._nodes, node)
        problem = self._problem.after(so_far)
        key = (tuple(sides), gone, problem.budget, problem.max_questions)
        if key not in self._memory:
            if len(self._memory) >= REMEMBERED:
                self._memory.clear()
            self._memory[key] = self._rest(problem, sides, gone)
        rest = self._memory[key]
        if rest is not None:
            return Question.at(rest._nodes, 0)
        return Question.at(Nodes.unseen(problem, sides, gone, self.method), 0)

    def _so_far_is(self, node: int, so_far: tuple[Fraction, int] | None) -> bool:
        """Whether the policy itself has spent and asked that much at a node, where it matters."""
        problem = self._problem
        if self._nodes.label[node] >= 0 or (
            problem.budget is None and problem.max_questions is None
        ):
            return True
        if so_far is None:
            return False
        return (problem.budget is None or self._nodes.paid(node) == so_far[0]) and (
            problem.max_questions is None or len(self._nodes.bought(node)) == so_far[1]
        )

    def _on_the_way(self, sides: list[int]) -> int | None:
        """Give the node where exactly this is known; None off the policy's own way."""
        node, bought = 0, set()
        while (p := self._nodes.purchase[node]) >= 0:
            features = self._problem.purchases[p].features
            if any(sides[k].bit_count() > 1 for k in features):
                break
            bought |= set(features)
            node = self._nodes.child(node, tuple(sides[k].bit_length() - 1 for k in features))
        full = [(1 << len(masks)) - 1 for masks in self._problem.leaves.masks]
        if self._nodes.purchase[node] < 0 and self._nodes.label[node] >= 0:
            return node
        more = any(side != full[k] for k, side in enumerate(sides) if k not in bought)
        return None if more else node

    def _rest(self, problem: Problem, sides: list[int], gone: tuple[str, ...]) -> Policy | None:
        rest = problem.given(sides, gone)
        if rest is None:
            return None
        how = self._how
        if how.method == "q-learning":  # it has learned nothing of this
            how = replace(how, method="optimal")
        return Policy.of(rest, solve(rest, how), how)

    # -- as a tree, as text, as a file ---------------------------------------------------------

    def to_tree(self) -> Tree:
        """Give the policy as a tree that asks in its order and decides the same.

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
        from .writing import to_tree

        return to_tree(self._nodes)

    def to_json(self) -> str:
        """Write it as versioned JSON (docs/formats) that any language can walk.

        It has every answer, also those that no training row has, and not the training rows: off
        its own way a policy that was read goes on as the tree asks.
        """
        from .writing import to_json

        return to_json(self)

    @classmethod
    def from_json(cls, text: str | bytes, *, limit: int = 256 * 1024 * 1024) -> Policy:
        """Read what ``to_json`` wrote; anything else is an ``InvalidTree`` that says why."""
        from .reading import from_json

        return from_json(text, limit=limit)

    def __str__(self) -> str:
        from ..output.rules import policy_as_text

        return policy_as_text(self)

    def _repr_html_(self) -> str:
        from ..output.rules import policy_as_html

        return policy_as_html(self)

    def __repr__(self) -> str:
        proven = ", proven optimal" if self.optimal else f", bound {self.bound:g}"
        return f"Policy({self.method}, expected cost {self.expected_cost:g}{proven})"

    def plot(self, ax: Any = None) -> Any:
        """Draw it: questions with their costs, answers with their shares, decisions.

        Parameters
        ----------
        ax : matplotlib axes, optional
            By default a figure of its own, as large as it needs.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from ..output.plots import draw_policy

        return draw_policy(self, ax)

    # -- for what writes it --------------------------------------------------------------------

    @property
    def nodes(self) -> Nodes:
        """What it does, question by question."""
        return self._nodes

    @property
    def objective(self) -> str:
        """What was to be small: the expected cost, or the worst."""
        return "worst" if self._problem.worst else "expected"

    @property
    def n_rows(self) -> int:
        """How many training rows there were, by weight."""
        return self._nodes.weight[0]

    @property
    def budget(self) -> float | None:
        """What may be spent on a row; None if nothing limits it."""
        return None if self._problem.budget is None else float(self._problem.budget)

    @property
    def max_questions(self) -> int | None:
        """How many purchases may be made for a row; None if nothing limits it."""
        return self._problem.max_questions
