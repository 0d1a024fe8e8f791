"""Interviews: they ask until the row is determined, keep to their caps, and ask nothing in vain."""

from __future__ import annotations

import itertools
from fractions import Fraction

from .model import decide
from .policies import KEPT, Brute, Case, Known, draw, show, smaller
from .running import Wrong, same

__all__ = ["CHECKS", "KEPT", "draw", "show", "smaller"]


def talks(case: Case) -> None:
    """An interview asks until it is determined, and nothing else; caps are kept."""
    if case.groups or case.known:
        return
    brute = Brute(case)
    names = [feat.name for feat in case.feats]
    prices = {name: price for name, _, price in brute.buys}
    policy = case.solve(**case.caps)
    for cell, skipping in itertools.product(
        (*case.cells[:2], *brute.grid.cells[:4], *brute.grid.cells[-4:]), (False, True)
    ):
        if any(feat.given(point) is None for feat, point in zip(case.feats, cell, strict=True)):
            continue  # None means "not to be had" here
        places = brute.places_of(cell)
        talk, known, spent = policy.interview(), [None] * len(names), Fraction(0)
        skipped: set[str] = set()
        while talk.question.feature is not None:
            name = talk.question.feature
            at = names.index(name)
            if brute.determined(tuple(known)) or known[at] is not None or name in skipped:
                raise Wrong("the interview asks in vain", (name, known, skipped))
            if not talk.question.rows and not can_matter(brute, tuple(known), at):
                raise Wrong("off its way it asks what cannot matter", (name, known))
            if skipping and not skipped:
                talk, skipped = talk.skip(), {name}
                continue
            talk = talk.answer(case.feats[at].given(cell[at]))
            known[at] = places[at]
            spent += prices[name]
        same("the interview's cost", talk.spent, float(spent))
        if case.budget is not None and spent > Fraction(str(case.budget)):
            raise Wrong("the interview passes the budget", talk.spent, case.budget)
        labels = brute.labels(tuple(known))
        expected = labels.pop() if len(labels) == 1 else None
        same("the interview's decision", talk.decision, expected)
        if expected is None and not skipped and not case.caps:
            raise Wrong("the interview ends open", (cell, talk.known))


def can_matter(brute: Brute, known: Known, at: int) -> bool:
    points = [
        some if place is None else [some[place]]
        for some, place in zip(brute.grid.points, known, strict=True)
    ]
    mine, points[at] = points[at], [None]
    return any(
        len({decide(brute.root, (*cell[:at], one, *cell[at + 1 :])) for one in mine}) > 1
        for cell in itertools.product(*points)
    )


CHECKS = (talks,)
