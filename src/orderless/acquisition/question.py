"""Questions: what a policy says in one situation.

In:  ``Nodes``, and one of them.
Out: ``Question``, with its ``Outcome``s and the reason in words; ``branches``, the different ways
     to go on, each with the answers that lead there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..model import Bins, Label, label_text, printable, short_number, side_text, sides_text
from .leaves import Answer, between
from .nodes import Nodes

__all__ = ["Branch", "Outcome", "Question", "branches", "money", "percent"]

MOST = 200  # nodes of a part of a policy that is compared with others


@dataclass(frozen=True, slots=True)
class Outcome:
    """One answer to a question.

    Attributes
    ----------
    values : str
        The answer, in words.
    chance : float
        Its share among the training rows that fit what is known.
    settled : bool
        Whether the row is determined then.
    decision
        The class then, None if it is not determined; with ``tolerance`` the midpoint of
        ``interval``.
    possible : tuple of labels
        The classes that are possible then.
    expected_cost : float
        What is still to be spent then, on average.
    interval : tuple of float, or None
        With ``tolerance`` the smallest and the largest number that is possible then.
    """

    values: str
    chance: float
    settled: bool
    decision: Label | None
    possible: tuple[Label, ...]
    expected_cost: float
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What a policy says in one situation. Made by ``Policy.next_feature``.

    Attributes
    ----------
    feature : str or None
        What to find out: a feature, or the name of a group; None where nothing is to be asked.
    features : tuple of str
        The features that this shows.
    cost : float
        What it costs.
    expected_cost : float
        What is still to be spent on average, with this.
    determined : bool
        Whether nothing more is to be known: one class is left, or with ``tolerance`` an interval
        that is narrow enough.
    decision
        The class, None if it is not determined; with ``tolerance`` the midpoint of ``interval``.
    possible : tuple of labels
        The classes that are still possible.
    outcomes : tuple of Outcome
        The answers; those that settle it with the same class are one. Of a group only those that
        training rows have.
    rows : int
        Training rows (by weight) that fit what is known; 0 if none has been here.
    stopped : "budget", "questions" or None
        What ends the questions although there are some that could matter.
    budget_left : float or None
        What is left of the budget before this question; None without one.
    interval : tuple of float, or None
        With ``tolerance`` the smallest and the largest number that is still possible.
    """

    feature: str | None
    features: tuple[str, ...]
    cost: float
    expected_cost: float
    determined: bool
    decision: Label | None
    possible: tuple[Label, ...]
    outcomes: tuple[Outcome, ...]
    rows: int
    stopped: Literal["budget", "questions"] | None = None
    budget_left: float | None = None
    interval: tuple[float, float] | None = None

    @classmethod
    def at(cls, nodes: Nodes, node: int) -> Question:
        """Give what a policy says at one of its nodes."""
        problem = nodes.problem
        p = nodes.purchase[node]
        decided = nodes.decision(node)
        outcomes: tuple[Outcome, ...] = ()
        if p >= 0:
            outcomes = tuple(_outcome(nodes, node, one) for one in branches(nodes, (node,), most=1))
        budget, questions = nodes.left(node)
        stopped: Literal["budget", "questions"] | None = None
        if p < 0 and decided is None and nodes.could_tell(node):
            if questions == 0:
                stopped = "questions"
            elif budget is not None:
                stopped = "budget"
        return cls(
            feature=None if p < 0 else problem.purchases[p].name,
            features=() if p < 0 else names_of(nodes, p),
            cost=0.0 if p < 0 else float(problem.purchases[p].cost),
            expected_cost=nodes.mean_cost(node),
            determined=decided is not None,
            decision=None if decided is None else decided.label,
            possible=nodes.possible(node),
            outcomes=outcomes,
            rows=nodes.weight[node],
            stopped=stopped,
            budget_left=None
            if problem.budget is None
            else float(problem.budget - nodes.paid(node)),
            interval=problem.leaves.interval(nodes.leaves[node]),
        )

    @property
    def chance_settled(self) -> float:
        """The chance that the answer settles it."""
        return sum(one.chance for one in self.outcomes if one.settled)

    @property
    def reason(self) -> str:
        """Why this is asked, in words."""
        if self.feature is None:
            if self.determined:
                several = len(self.possible) > 1
                return f"{'Settled' if several else 'Determined'}: {self._possible}."
            why = {
                None: "none of the available features can settle it.",
                "questions": "no more questions are allowed.",
                "budget": f"stopped by the budget, {money(self.budget_left or 0)} of it is left.",
            }[self.stopped]
            return f"Not determined, {self._possible}: {why}"
        what = printable(self.feature)
        if not self.rows:
            return (
                f"Ask {what} (cost {money(self.cost)}): no training row is like this, so this is "
                "what the tree asks next."
            )
        return (
            f"Ask {what} (cost {money(self.cost)}): settles it in {percent(self.chance_settled)} "
            f"of {self.rows:,} rows; {money(self.expected_cost)} to spend on average from here."
        )

    @property
    def _possible(self) -> str:
        """What is possible, in words."""
        if self.interval is not None:
            return between(*self.interval)
        classes = [label_text(label) for label in self.possible]
        return " or ".join([*[", ".join(classes[:-1])] * (len(classes) > 1), classes[-1]])

    def __str__(self) -> str:
        return self.reason


def names_of(nodes: Nodes, p: int) -> tuple[str, ...]:
    """Give the features of a purchase."""
    features = nodes.problem.leaves.bins.features
    return tuple(features[k].name for k in nodes.problem.purchases[p].features)


def _outcome(nodes: Nodes, node: int, branch: Branch) -> Outcome:
    first = branch.nodes[0]
    decided = nodes.decision(first)
    return Outcome(
        values=branch.text,
        chance=branch.weight / max(1, nodes.weight[node]),
        settled=decided is not None,
        decision=None if decided is None else decided.label,
        possible=nodes.possible(first),
        expected_cost=nodes.mean_cost(*branch.nodes),
        interval=nodes.problem.leaves.interval(nodes.leaves[first]),
    )


# -- answers that lead on in the same way ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Branch:
    """Answers in words, the nodes they lead to, which go on in the same way, and their weight."""

    text: str
    nodes: tuple[int, ...]
    weight: int


def branches(nodes: Nodes, at: Sequence[int], most: int = MOST) -> list[Branch]:
    """Give the different ways to go on from nodes that go on in the same way.

    Answers to a group that no training row has are left out. Parts of more than ``most`` nodes
    count as different; with ``most=1`` only decisions are put together.
    """
    problem = nodes.problem
    features = problem.purchases[nodes.purchase[at[0]]].features
    alike: dict[Any, dict[Answer, list[int]]] = {}
    for node in at:
        for answer, to in _listed(nodes, node):
            here = alike.setdefault(_shape(nodes, to, [most], most == 1) or answer, {})
            here.setdefault(answer, []).append(to)
    out = []
    for own in alike.values():
        members = tuple(to for several in own.values() for to in several)
        weight = sum(nodes.weight[to] for to in members)
        out.append(Branch(_words(problem.leaves.bins, features, sorted(own)), members, weight))
    return out


def _listed(nodes: Nodes, node: int) -> Iterator[tuple[Answer, int]]:
    single = len(nodes.problem.purchases[nodes.purchase[node]].features) == 1
    yield from nodes.answers(node) if single else sorted(nodes.seen(node).items())


def _shape(nodes: Nodes, node: int, left: list[int], settled: bool) -> tuple[Any, ...] | None:
    """Give what is asked and decided from a node on; None if that is too much to compare."""
    left[0] -= 1
    if left[0] < 0:
        return None
    p = nodes.purchase[node]
    if p < 0:
        return None if settled and nodes.label[node] < 0 else ("end", nodes.label[node])
    if left[0] == 0:
        return None
    below = []
    for answer, to in _listed(nodes, node):
        shape = _shape(nodes, to, left, settled)
        if shape is None:
            return None
        below.append((answer, shape))
    return ("ask", p, tuple(below))


def _words(bins: Bins, features: tuple[int, ...], answers: Sequence[Answer]) -> str:
    """Write several answers: of a category as one set, of a number as its ranges."""
    if len(features) > 1:
        texts = [
            sides_text([bins.side(k, 1 << b) for k, b in zip(features, a, strict=True)])
            for a in answers
        ]
        return " or ".join(texts)
    k = features[0]
    numbers = [b for (b,) in answers]
    runs: list[int] = []  # as bits
    for b, before in zip(numbers, [None, *numbers], strict=False):
        if before is not None and (not bins.layout.ordered[k] or b == before + 1):
            runs[-1] |= 1 << b
        else:
            runs.append(1 << b)
    ranges = [bins.side(k, run) for run in runs]
    return " or ".join("any answer" if side.is_whole else side_text(side) for side in ranges)


# -- numbers in words ------------------------------------------------------------------------------


def money(amount: float) -> str:
    """Write an amount: four digits, or two after the point."""
    return short_number(float(f"{amount:.4g}") if amount < 1000 else round(amount, 2))


def percent(share: float) -> str:
    """Write a share; only none is 0%, only all is 100%."""
    text = f"{share:.0%}"
    return text if share in (0, 1) else {"0%": "< 1%", "100%": "> 99%"}.get(text, text)
