"""Asking one person, question by question; input and output are left to the caller.

In:  a ``Policy``, and answers one after the other.
Out: ``Interview``: the next question, what is still possible, and at the end the decision with its
     reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..acquisition import Question, money
from ..errors import InvalidData
from ..inputs import exact_number, is_unknown
from ..model import Label
from ..questions import Explanation

if TYPE_CHECKING:
    from .policy import Policy

__all__ = ["Interview"]


@dataclass(frozen=True, eq=False, repr=False)
class Interview:
    """One row that is asked for, question by question. Each answer gives a new interview.

    Made by ``Policy.interview``.

    Attributes
    ----------
    policy : Policy
    known : dict of feature -> value
    unavailable : tuple of str
        Features or groups that were asked for and were unavailable.
    asked : tuple of str
        What was asked, in order.
    spent : float
        What the answers cost; what was unavailable costs nothing. A budget pays for this, and
        not for what was known before.
    answered : int
        How many questions had an answer.
    not_needed : tuple of str
        Features whose values were given although the tree does not ask about them, or that were
        known already: these values are not used.
    only_relevant : bool
        Whether a question is passed over if its answer cannot change the decision any more. The
        cheapest policy may ask such a question where the answer says which other one to ask.

    Examples
    --------
    >>> import orderless as ol
    >>> tree = ol.read({"feature": "a", "true": {"feature": "b", "true": {"prediction": 1},
    ...     "false": {"prediction": 0}}, "false": {"prediction": 0}}, feature_names=["a", "b"])
    >>> policy = ol.cheapest_policy(tree, [[0, 0], [0, 1], [1, 0], [1, 1]], {"a": 5, "b": 1})
    >>> talk = policy.interview()
    >>> talk.question.feature
    'b'
    >>> talk = talk.answer(1)
    >>> talk.question.feature, talk.possible
    ('a', (0, 1))
    >>> print(talk.answer(0))
    0, because not a (whatever b is).
    It would be 1 if a were true.
    Asked b and a; total cost 6.
    >>> print(talk.skip())
    Not determined: 0 or 1 are possible, because a is unknown.
    Settled, whatever the values, by a.
    Asked b and a (unavailable); total cost 1.
    """

    policy: Policy
    known: Mapping[str, Any] = field(default_factory=dict)
    unavailable: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    spent: float = 0.0
    answered: int = 0
    not_needed: tuple[str, ...] = ()
    only_relevant: bool = False

    @cached_property
    def question(self) -> Question:
        """What to ask now; its ``feature`` is None when nothing is left to ask."""
        gone = self.unavailable
        while True:
            question = self.policy.next_feature(
                self.known, unavailable=gone, spent=self.spent, asked=self.answered
            )
            name, features = question.feature, question.features
            if name is None or not self.only_relevant or self._matters(features):
                return question
            gone = (*gone, name)

    def _matters(self, features: tuple[str, ...]) -> bool:
        """Whether one of these can still change the decision."""
        return self.policy.can_matter(self.known, features)

    @cached_property
    def beyond(self) -> Question | None:
        """What would be next without the budget, or the maximum, that ended it; None otherwise."""
        if self.question.stopped is None:
            return None
        return self.policy.next_beyond(self.known, unavailable=self.unavailable)

    @property
    def done(self) -> bool:
        """Whether nothing is left to ask."""
        return self.question.feature is None

    @property
    def decision(self) -> Label | None:
        """The class (with ``tolerance`` the interval's midpoint), None while not determined."""
        return self.question.decision

    @property
    def possible(self) -> tuple[Label, ...]:
        """The classes that are still possible."""
        return self.question.possible

    @property
    def interval(self) -> tuple[float, float] | None:
        """With ``tolerance`` the smallest and the largest number that is still possible."""
        return self.question.interval

    @cached_property
    def explanation(self) -> Explanation:
        """Why, from what is known: the reason of the decision, or what keeps it open."""
        return self.policy.tree.explain(dict(self.known))

    def answer(self, value: Any) -> Interview:
        """Return the answer to the question.

        Parameters
        ----------
        value
            The feature's value, or a dict of feature -> value (for a group always). None, NaN: it
            is unavailable. A dict may have more than was asked: values of features that the tree
            asks about count as known, at no cost; others are not used (``not_needed``).

        Raises
        ------
        InvalidData
            If there is no question, or the value is not one of the feature's; the interview stays
            as it is, so one can ask again.
        InvalidSpace
            If a dict names a feature that there is not.
        """
        question = self.question
        if question.feature is None and not isinstance(value, Mapping):
            raise InvalidData("there is no question left: the interview is done")
        given = value if isinstance(value, Mapping) else self._single(value)
        talk = self._with_more({n: v for n, v in given.items() if n not in question.features})
        own = {name: one for name, one in given.items() if name in question.features}
        got = {name: one for name, one in own.items() if not is_unknown(one)}
        if not got:
            return talk if talk is not self and not own else talk._skipped(question)
        lacking = len(got) < len(question.features)
        name = str(question.feature)
        then = replace(
            talk,
            known={**talk.known, **got},
            unavailable=(*self.unavailable, name) if lacking else self.unavailable,
            asked=(*self.asked, name),
            spent=float(exact_number(self.spent, "spent") + exact_number(question.cost, "cost")),
            answered=self.answered + 1,
        )
        _ = then.question  # refuses values that are not the feature's
        return then

    def _with_more(self, given: Mapping[str, Any]) -> Interview:
        """Take values that were not asked for, where the tree asks about them."""
        space, used = self.policy.tree.space, self.policy.tree.features
        fresh: dict[str, Any] = {}
        spare: list[str] = []
        for name, value in given.items():
            _ = space.index(name)  # says which features there are
            if is_unknown(value):
                continue
            if name in used and is_unknown(self.known.get(name)):
                fresh[name] = value
            elif name not in self.not_needed:
                spare.append(name)
        if not given:
            return self
        then = replace(self, known={**self.known, **fresh}, not_needed=(*self.not_needed, *spare))
        _ = then.question  # refuses values that are not the feature's
        return then

    def skip(self) -> Interview:
        """Say that the answer is unavailable; what is left is asked without it."""
        return self._skipped(self.question)

    def _skipped(self, question: Question) -> Interview:
        name = question.feature
        if name is None:
            raise InvalidData("there is no question left: the interview is done")
        return replace(self, unavailable=(*self.unavailable, name), asked=(*self.asked, name))

    def _single(self, value: Any) -> dict[str, Any]:
        features = self.question.features
        if is_unknown(value):
            return {}
        if len(features) > 1:
            raise InvalidData(
                f"the question is about {list(features)}: answer with a dict of feature -> value"
            )
        return {features[0]: value}

    def __str__(self) -> str:
        return self.summary if self.done else str(self.question)

    @property
    def summary(self) -> str:
        """What is known by now in words: the decision and why, or what keeps it open; the cost."""
        gone = set(self.unavailable)
        asked = [name + " (unavailable)" * (name in gone) for name in self.asked]
        cost = f"total cost {money(self.spent)}"
        lines = [f"Asked {_and(asked)}; {cost}." if asked else "Nothing was asked."]
        if self.not_needed:
            lines.append(f"Not needed: {_and(list(self.not_needed))}.")
        why = str(self.explanation)
        if self.question.determined and len(self.possible) > 1:
            why = f"Settled: {why[0].lower()}{why[1:]}"
        return "\n".join([why, *lines, *self._stop()])

    def _stop(self) -> list[str]:
        """Say what ended it too early, and what would be next."""
        question, policy = self.question, self.policy
        if question.stopped is None:
            return []
        if question.stopped == "budget":
            left, whole = money(question.budget_left or 0), money(policy.budget or 0)
            why = f"Stopped by the budget of {whole}, of which {left} is left."
        else:
            why = f"Stopped after {self.answered} of {policy.max_questions} questions."
        then = self.beyond
        if then is None or then.feature is None:
            return [why]
        more = f", {money(then.expected_cost)} to spend on average from here" if then.rows else ""
        return [why, f"Next would be {then.feature} (cost {money(then.cost)}){more}."]

    def __repr__(self) -> str:
        return f"Interview(known {dict(self.known)!r:.80}, {len(self.asked)} asked)"


def _and(names: list[str]) -> str:
    return " and ".join([*[", ".join(names[:-1])] * (len(names) > 1), names[-1]])
