"""Nodes of a policy: what it asks, answer by answer; also where no training row has been.

In:  ``Problem``, and the nodes that the core gives.
Out: ``Nodes``, which grow when an answer leads where no training row has been.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from ..errors import InvalidTree
from ..model import Label
from .costs import Purchase, total
from .leaves import Answer, Decision
from .problem import Problem, SoFar

__all__ = ["Nodes"]

MOST = 1_000_000


class Nodes:
    """What a policy asks, by node; node 0 is the root.

    Attributes
    ----------
    purchase : list of int
        What is bought; -1 at an end.
    label : list of int
        Number of what is decided (``Leaves.decision``) where it is determined, -1 where it is not.
    weight : list of int
        Training rows.
    cost, worst : list of int
        What is spent from here on, in units: over all rows, and by the dearest.
    missed : list of int
        Rows that end undetermined.
    leaves : list of int
        Leaves of the tree that can be reached, as bits.
    price : list of int
        By purchase its cost, in units.
    """

    def __init__(self, problem: Problem, method: str, given: Sequence[Sequence[int]]) -> None:
        self.problem = problem
        self.method = method
        self.price = problem.whole.numbers
        # The core says the class at ends only; here every node has one, from its leaves.
        purchase, _, parent, outcome, weight, cost, worst, missed = map(list, given)
        self.purchase, self.weight = purchase, weight
        self.cost, self.worst, self.missed = cost, worst, missed
        self.leaves = [problem.start] * len(purchase)
        self._children: list[dict[Answer, int]] = [{} for _ in purchase]
        self._up: list[tuple[int, Answer]] = [(-1, ())] * len(purchase)
        self._spent = [0] * len(purchase)
        self._asked = [0] * len(purchase)
        for node in range(1, len(purchase)):
            up = parent[node]
            self._hang(node, up, problem.outcomes[purchase[up]][outcome[node]])
        self.label = [problem.leaves.end_of(at) for at in self.leaves]

    @classmethod
    def root(cls, problem: Problem, method: str, weight: int) -> Nodes:
        """Give one node that ends at once."""
        return cls(problem, method, [[-1], [-1], [-1], [-1], [weight], [0], [0], [0]])

    def _hang(self, node: int, up: int, outcome: Answer) -> None:
        p = self.purchase[up]
        bought = self.problem.purchases[p]
        self._children[up][outcome] = node
        self._up[node] = (up, outcome)
        self.leaves[node] = self.problem.leaves.after(self.leaves[up], bought, outcome)
        self._spent[node] = self._spent[up] + self.price[p]
        self._asked[node] = self._asked[up] + (not bought.free)

    @classmethod
    def unseen(
        cls, problem: Problem, sides: Sequence[int], gone: Sequence[str], method: str
    ) -> Nodes:
        """Give the policy for what no training row has."""
        out = cls.root(problem.open_to(sides, gone), method, 0)
        out.purchase[0] = out._go_on(0)
        return out

    def possible(self, node: int) -> tuple[Label, ...]:
        """Give the classes that are possible at a node."""
        leaves = self.problem.leaves
        classes = leaves.bins.tree.classes
        return tuple(classes[c] for c in leaves.possible(self.leaves[node]))

    def decision(self, node: int) -> Decision | None:
        """Give what is decided at a node; None where that is open."""
        label = self.label[node]
        return None if label < 0 else self.problem.leaves.decision(label)

    def mean_cost(self, *nodes: int) -> float:
        """Give what is spent from some nodes on, on average over their training rows."""
        cost, weight = sum(self.cost[i] for i in nodes), sum(self.weight[i] for i in nodes)
        return cost * float(self.problem.whole.unit) / max(1, weight)

    # -- going through it ----------------------------------------------------------------------

    def seen(self, node: int) -> dict[Answer, int]:
        """Give the answers that training rows have, with the nodes that they lead to."""
        return {one: to for one, to in self._children[node].items() if self.weight[to]}

    def child(self, node: int, outcome: Answer) -> int:
        """Give the node that an answer leads to; it is made if no training row has it."""
        if outcome not in self._children[node]:
            new = self.hang(node, outcome, 0)
            self.purchase[new] = self._go_on(new)
        return self._children[node][outcome]

    def hang(self, node: int, outcome: Answer, weight: int) -> int:
        """Make an end below a node."""
        new = len(self.purchase)
        self.purchase.append(-1)
        self.weight.append(weight)
        for column in (self.label, self.cost, self.worst, self.missed, self.leaves, self._spent,
                       self._asked):  # fmt: skip
            column.append(0)
        self._children.append({})
        self._up.append((-1, ()))
        self._hang(new, node, outcome)
        self.label[new] = self.problem.leaves.end_of(self.leaves[new])
        return new

    def answers(self, node: int) -> Iterator[tuple[Answer, int]]:
        """Go through all answers to a question, with the nodes that they lead to.

        Answers that facts exclude are left out.
        """
        bought = self.problem.purchases[self.purchase[node]]
        n = self.problem.leaves.n_outcomes(bought)
        if n > MOST:
            raise InvalidTree(
                f"the group {bought.name!r} has {n:,} combinations of answers, too many to write "
                "down: use smaller groups"
            )
        for outcome in self.possible_answers(node, bought):
            yield outcome, self.child(node, outcome)

    def possible_answers(self, node: int, bought: Purchase) -> Iterator[Answer]:
        """Go through the outcomes that a purchase can have at a node."""
        leaves, at = self.problem.leaves, self.leaves[node]
        for outcome in leaves.outcomes(bought):
            if not leaves.facts or leaves.after(at, bought, outcome):
                yield outcome

    def everything(self) -> Iterator[int]:
        """Go through all nodes, also those where no training row has been; parents first."""
        todo = [0]
        for node in todo:
            yield node
            if len(todo) > MOST:
                raise InvalidTree(f"this policy has more than {MOST:,} nodes to write down")
            if self.purchase[node] >= 0:
                todo += [child for _, child in self.answers(node)]

    def end(self, row: Sequence[int]) -> int:
        """Give the node where a row of bins ends."""
        node = 0
        while (p := self.purchase[node]) >= 0:
            features = self.problem.purchases[p].features
            node = self.child(node, tuple(row[k] for k in features))
        return node

    def at(self, sides: Sequence[int]) -> int | None:
        """Give the node where exactly this is known (bins as bits); None off the policy's way."""
        node, bought = 0, set()
        while (p := self.purchase[node]) >= 0:
            features = self.problem.purchases[p].features
            if any(sides[k].bit_count() > 1 for k in features):
                break
            bought |= set(features)
            node = self.child(node, tuple(sides[k].bit_length() - 1 for k in features))
        leaves = self.problem.leaves
        if self.purchase[node] < 0 and self.label[node] >= 0 and leaves.tolerance is None:
            return node  # what is known besides can narrow an interval, and changes no class
        whole = leaves.whole
        more = any(side != whole[k] for k, side in enumerate(sides) if k not in bought)
        return None if more else node

    def has_spent(self, node: int, so_far: SoFar) -> bool:
        """Whether just that was spent and asked on the way to a node, where a limit counts it."""
        budget, questions = self.problem.budget, self.problem.max_questions
        if self.label[node] >= 0 or (budget is None and questions is None):
            return True
        if so_far is None:
            return False
        spent, asked = so_far
        return (budget is None or self.paid(node) == spent) and (
            questions is None or len(self.bought(node)) == asked
        )

    def bought(self, node: int) -> list[Purchase]:
        """Give what was bought on the way to a node, the last first."""
        out = []
        while (node := self._up[node][0]) >= 0:
            out.append(self.problem.purchases[self.purchase[node]])
        return [one for one in out if not one.free]

    def paid(self, node: int) -> Fraction:
        """Give what was spent on the way to a node."""
        return total(self.bought(node))

    def left(self, node: int) -> tuple[int | None, int | None]:
        """Give what a node leaves of the budget, in units, and of the questions."""
        _, budget, questions, _, _ = self.problem.rules
        return (
            None if budget is None else max(0, budget - self._spent[node]),
            None if questions is None else max(0, questions - self._asked[node]),
        )

    def could_tell(self, node: int) -> list[int]:
        """Give the purchases that could still exclude something at a node."""
        problem, known, at = self.problem, self.known(node), self.leaves[node]
        return [
            p
            for p, one in enumerate(problem.purchases)
            if not set(one.features) <= set(known)
            and any(problem.leaves.separates(at, k) for k in one.features)
        ]

    def known(self, node: int) -> dict[int, int]:
        """Give the bin of each feature that is known at a node."""
        out = {k: b for k, b in enumerate(self.problem.known) if b >= 0}
        while (up := self._up[node])[0] >= 0:
            features = self.problem.purchases[self.purchase[up[0]]].features
            out |= zip(features, up[1], strict=True)
            node = up[0]
        return out

    def _go_on(self, node: int) -> int:
        """Give what is bought where no training row has been.

        naive, path and greedy go on as they are. The others ask as the tree does, without what
        cannot matter; where that is unavailable, the cheapest that could exclude something.
        """
        problem, known = self.problem, self.known(node)
        if self.label[node] >= 0 and self.method not in ("naive", "path"):
            return -1
        order = list(range(len(problem.purchases)))
        if self.method == "greedy":
            order.sort(key=lambda p: self.price[p])
        if self.method == "path":
            asked = problem.leaves.bins.nodes.feature[problem.leaves.past(known)]
            order = [p for p in order if asked in problem.purchases[p].features]
        order = [p for p in order if not set(problem.purchases[p].features) <= set(known)]
        if self.method in ("naive", "path", "greedy"):
            return order[0] if order and self._affordable(node, order[0]) else -1
        at = self.leaves[node]
        asked = problem.leaves.asked_next(at)
        sides = [1 << known[k] if k in known else w for k, w in enumerate(problem.leaves.whole)]
        telling = sorted(
            (p for p in self.could_tell(node) if self._affordable(node, p)),
            key=lambda p: (asked not in problem.purchases[p].features, self.price[p], p),
        )
        return next((p for p in telling if self._matters(at, p, sides)), -1)

    def _matters(self, leaves: int, p: int, sides: Sequence[int]) -> bool:
        """Whether a purchase can still settle it."""
        own = self.problem.purchases[p].features
        return any(self.problem.leaves.matters(leaves, k, sides) for k in own)

    def _affordable(self, node: int, p: int) -> bool:
        budget, questions = self.left(node)
        return self.problem.purchases[p].free or (
            (budget is None or self.price[p] <= budget) and (questions is None or questions > 0)
        )
