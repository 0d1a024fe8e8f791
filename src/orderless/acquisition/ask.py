"""Asking one person, question by question, without input or output of its own.

In:  a ``Policy``, and answers one after the other.
Out: ``Interview``: the next question, what is still possible, and at the end the decision with its
     reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..canonical import canonicalize
from ..errors import InvalidData
from ..rows import is_unknown
from ..space import Label
from .costs import exact_number
from .question import Question, money

if TYPE_CHECKING:
    from ..explain import Explanation
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
        Features or groups that were asked for and could not be had.
    asked : tuple of str
        What was asked, in order.
    spent : float
        What the answers cost; what could not be had costs nothing. A budget pays for this, and
        not for what was known before.
    answered : int
        How many questions had an answer.

    Examples
    --------
    >>> import orderless as ol
    >>> tree = ol.read_tree({"feature": "a", "true": {"feature": "b", "true": {"prediction": 1},
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
    Asked b and a, for 6.
    >>> print(talk.skip())
    Not determined: 0 or 1 are possible, because a is unknown.
    Asked b and a (not to be had), for 1.
    """

    policy: Policy
    known: Mapping[str, Any] = field(default_factory=dict)
    unavailable: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    spent: float = 0.0
    answered: int = 0

    @cached_property
    def question(self) -> Question:
        """What to ask now; its ``feature`` is None when nothing is left to ask."""
        return self.policy.next_feature(
            self.known, unavailable=self.unavailable, spent=self.spent, asked=self.answered
        )

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
        """The class, None while it is not determined."""
        return self.question.decision

    @property
    def possible(self) -> tuple[Label, ...]:
        """The classes that are still possible."""
        return self.question.possible

    @property
    def explanation(self) -> Explanation:
        """Why, from what is known: the reason of the decision, or what keeps it open."""
        return canonicalize(self.policy.tree).explain(dict(self.known))

    def answer(self, value: Any) -> Interview:
        """Give the answer to the question.

        Parameters
        ----------
        value
            The feature's value; for a group a dict of feature -> value. None, NaN: not to be had.

        Raises
        ------
        InvalidData
            If there is no question, or the value is not one of the feature's; the interview stays
            as it is, so one can ask again.
        """
        question = self.question
        if question.feature is None:
            raise InvalidData("there is no question left: the interview is done")
        given = value if isinstance(value, Mapping) else self._single(value)
        wrong = [name for name in given if name not in question.features]
        if wrong:
            raise InvalidData(
                f"{wrong[0]!r} was not asked: the question is about {list(question.features)}"
            )
        got = {name: one for name, one in given.items() if not is_unknown(one)}
        if not got:
            return self.skip()
        known = {**self.known, **got}
        lacking = len(got) < len(question.features)
        then = replace(
            self,
            known=known,
            unavailable=(*self.unavailable, question.feature) if lacking else self.unavailable,
            asked=(*self.asked, question.feature),
            spent=float(exact_number(self.spent, "spent") + exact_number(question.cost, "cost")),
            answered=self.answered + 1,
        )
        _ = then.question  # refuses values that are not the feature's
        return then

    def skip(self) -> Interview:
        """Say that the answer cannot be had; what is left is asked without it."""
        name = self.question.feature
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
        asked = [name + " (not to be had)" * (name in gone) for name in self.asked]
        said = f"Asked {_and(asked)}, for {money(self.spent)}." if asked else "Nothing was asked."
        return "\n".join([str(self.explanation), said, *self._stop()])

    def _stop(self) -> list[str]:
        """Say what ended it too early, and what would be next."""
        question, policy = self.question, self.policy
        if question.stopped is None:
            return []
        if question.stopped == "budget":
            left, whole = money(question.budget_left or 0), money(policy.budget or 0)
            said = f"Stopped by the budget of {whole}, of which {left} is left."
        else:
            said = f"Stopped after {self.answered} of {policy.max_questions} questions."
        then = self.beyond
        if then is None or then.feature is None:
            return [said]
        more = f", {money(then.expected_cost)} to spend on average from here" if then.rows else ""
        return [said, f"Next would be {then.feature} (cost {money(then.cost)}){more}."]

    def __repr__(self) -> str:
        return f"Interview(known {dict(self.known)!r:.80}, {len(self.asked)} asked)"


def _and(names: list[str]) -> str:
    return " and ".join([*[", ".join(names[:-1])] * (len(names) > 1), names[-1]])
