"""The problem: what can be bought, and what that shows of the training rows.

In:  ``Leaves``, ``Purchase``s, rows over bins.
Out: ``Problem``: the arrays that the core takes, and the problem that is left when more is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .costs import Purchase, WholeNumbers, total, whole_numbers
from .leaves import Answer, Leaves

__all__ = ["MOST", "Problem", "SoFar"]

MOST = 2**62  # of a budget, or of questions, that the core counts
SoFar = tuple[Fraction, int] | None  # what was spent, and the purchases made; None lifts all limits


class CoreArrays(NamedTuple):
    """What the core reads of a problem: rows, purchases, leaves as bits, the tree over purchases.

    By row the outcome of each purchase and its weight; by purchase its cost and where the masks of
    its outcomes begin; by outcome the leaves that it leaves; the leaves at the start, and by what
    can be decided (these may overlap); by node its purchase, and by outcome of that the next node.
    """

    outcome: NDArray[np.int32]
    weight: NDArray[np.int64]
    cost: NDArray[np.int64]
    outcome_start: NDArray[np.int64]
    masks: NDArray[np.uint64]
    start: NDArray[np.uint64]
    classes: NDArray[np.uint64]
    node_purchase: NDArray[np.int32]
    next_start: NDArray[np.int64]
    next: NDArray[np.int32]


class CoreRules(NamedTuple):
    """What is allowed: None is no limit; ``free`` is a purchase made before any question, or -1."""

    free: int
    budget: int | None
    questions: int | None
    may_stop: bool
    worst: bool


@dataclass(frozen=True)
class Problem:
    """Purchases, and the distinct training rows with weights.

    Attributes
    ----------
    leaves : Leaves
    purchases : tuple of Purchase
    rows : array of int, rows x features
        Bins; no row is there twice.
    weight : array of int, by row
    start : int
        The leaves that can be reached at the start.
    known : tuple of int, by feature
        The bin that is known at the start, -1 where it is not.
    budget : Fraction or None
    max_questions : int or None
    barred : bool
        Whether something cannot be bought, so that rows may stay undetermined.
    worst : bool
        Whether the dearest row counts.
    """

    leaves: Leaves
    purchases: tuple[Purchase, ...]
    rows: NDArray[np.int32]
    weight: NDArray[np.int64]
    start: int
    known: tuple[int, ...]
    budget: Fraction | None = None
    max_questions: int | None = None
    barred: bool = False
    worst: bool = False

    @property
    def may_stop(self) -> bool:
        """Whether rows may stay undetermined."""
        return self.barred or self.budget is not None or self.max_questions is not None

    @cached_property
    def whole(self) -> WholeNumbers:
        """By purchase its cost, as the core adds them up."""
        rows = max(1, int(self.weight.sum()))
        most = 2**59 // (rows * (rows if self.may_stop else 1))
        return whole_numbers([p.cost for p in self.purchases], max(most, len(self.purchases)))

    @cached_property
    def outcomes(self) -> list[list[Answer]]:
        """By purchase: the outcomes that training rows have, as the core numbers them."""
        return [table for table, _ in self._outcomes]

    @cached_property
    def _outcomes(self) -> list[tuple[list[Answer], NDArray[np.int32]]]:
        out = []
        for purchase in self.purchases:
            columns = self.rows[:, list(purchase.features)]
            distinct, which = np.unique(columns, axis=0, return_inverse=True)
            table = [tuple(one) for one in distinct.tolist()]
            out.append((table, which.reshape(-1).astype(np.int32)))
        return out

    @cached_property
    def arrays(self) -> CoreArrays:
        """What the core takes."""
        n_words = (self.leaves.n_leaves + 63) // 64
        table = [which for _, which in self._outcomes]
        outcome = np.stack(table, axis=1) if table else np.zeros((len(self.rows), 0))
        masks = [
            self.leaves.after(self.leaves.all, purchase, one)
            for purchase, outcomes in zip(self.purchases, self.outcomes, strict=True)
            for one in outcomes
        ]
        sizes = [0, *(len(one) for one in self.outcomes)]
        return CoreArrays(
            np.ascontiguousarray(outcome, dtype=np.int32).reshape(-1),
            self.weight,
            np.array(self.whole.numbers, dtype=np.int64),
            np.cumsum(sizes, dtype=np.int64),
            _words(masks, n_words),
            _words([self.start], n_words),
            _words(self.leaves.windows, n_words),
            *self._walk,
        )

    @cached_property
    def _walk(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]:
        """Give the tree over purchases: per node its purchase, per outcome the next node."""
        feature = self.leaves.bins.nodes.feature.tolist()
        owner = {k: p for p, one in enumerate(self.purchases) for k in one.features}
        known = {k: b for k, b in enumerate(self.known) if b >= 0}
        child, past = self.leaves.child, self.leaves.past
        purchase, first, following = [], [0], []
        for node in (past(known), *range(1, len(feature))):
            k = feature[node]
            if k in owner:
                place = self.purchases[owner[k]].features.index(k)
                following += [
                    past(known, child(node, outcome[place])) for outcome in self.outcomes[owner[k]]
                ]
            purchase.append(owner.get(k, -1))
            first.append(len(following))
        return (
            np.array(purchase, dtype=np.int32),
            np.array(first, dtype=np.int64),
            np.array(following, dtype=np.int32),
        )

    @property
    def rules(self) -> CoreRules:
        """What the core takes besides: free purchase, budget, questions, may stop, worst."""
        free = next((i for i, p in enumerate(self.purchases) if p.free), -1)
        budget = None if self.budget is None else int(self.budget // self.whole.unit)
        budget, questions = (
            None if most is None else min(most, MOST) for most in (budget, self.max_questions)
        )
        return CoreRules(free, budget, questions, self.may_stop, self.worst)

    def purchases_named(self, names: Iterable[str]) -> tuple[str, ...]:
        """Give the names that are purchases, sorted; a feature that no purchase shows is fine."""
        known = {purchase.name for purchase in self.purchases}
        for name in names:
            if name not in known:
                _ = self.leaves.bins.tree.space.index(name)  # says which features there are
        return tuple(sorted(known.intersection(names)))

    def spent(self, sides: Sequence[int]) -> tuple[Fraction, int]:
        """Give the cost and number of the purchases of which some feature is known."""
        known = [side.bit_count() == 1 for side in sides]
        made = [p for p in self.purchases if not p.free and any(known[k] for k in p.features)]
        return total(made), len(made)

    def after(self, so_far: SoFar) -> Problem:
        """Give the problem with what is left of budget and questions; None lifts both."""
        if so_far is None:
            return replace(self, budget=None, max_questions=None)
        spent, asked = so_far
        budget = None if self.budget is None else max(Fraction(0), self.budget - spent)
        questions = None if self.max_questions is None else max(0, self.max_questions - asked)
        return replace(self, budget=budget, max_questions=questions)

    def given(self, sides: Sequence[int], unavailable: Iterable[str] = ()) -> Problem | None:
        """Give the problem that is left when some is known; None if no training row fits.

        Parameters
        ----------
        sides : sequence of int
            Per feature its possible bins, as bits.
        unavailable : iterable of str
            Purchases that cannot be made.
        """
        fits = np.ones(len(self.rows), dtype=bool)
        for k, (side, masks) in enumerate(zip(sides, self.leaves.masks, strict=True)):
            inside = [b for b in range(len(masks)) if side >> b & 1]
            if len(inside) < len(masks):
                fits &= np.isin(self.rows[:, k], inside)
        if not fits.any():
            return None
        left = self.open_to(sides, unavailable)
        return replace(left, rows=self.rows[fits], weight=self.weight[fits])

    def open_to(self, sides: Sequence[int], unavailable: Iterable[str]) -> Problem:
        """Give the problem that is left when some is known, without training rows."""
        gone = set(unavailable)
        open_ = [any(sides[k].bit_count() > 1 for k in p.features) for p in self.purchases]
        left = [
            purchase
            for purchase, more in zip(self.purchases, open_, strict=True)
            if more and purchase.name not in gone and not purchase.free
        ]
        # What was to be known at the start and is not cannot be bought, as it has no cost.
        lacking = any(more and p.free for p, more in zip(self.purchases, open_, strict=True))
        return replace(
            self,
            purchases=tuple(left),
            rows=self.rows[:0],
            weight=self.weight[:0],
            start=self.leaves.inside(self.start, sides),
            known=tuple(side.bit_length() - 1 if side.bit_count() == 1 else -1 for side in sides),
            barred=self.barred or lacking or bool(gone),
        )


def _words(sets: Sequence[int], n_words: int) -> NDArray[np.uint64]:
    text = b"".join(one.to_bytes(8 * n_words, "little") for one in sets)
    return np.frombuffer(text, dtype="<u8").astype(np.uint64)
