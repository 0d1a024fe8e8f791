"""Constraints of a fitted set: parameters of the estimator, and views under the same names.

In:  the parameters of a ``RashomonSet``.
Out: ``constrain``, which applies them.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..errors import InvalidData, named
from .views import CONSTRAINTS

if TYPE_CHECKING:
    from .tree_set import TreeSet

__all__ = ["constrain", "is_constrained"]

_given = itemgetter(*CONSTRAINTS, "costs")


def is_constrained(given: Mapping[str, Any]) -> bool:
    """Whether there is a constraint among the parameters of a set."""
    for value in _given(given):  # noqa: SIM110 (a generator takes longer than the rest)
        if value is not None:
            return True
    return False


def constrain(found: TreeSet, given: Mapping[str, Any]) -> TreeSet:
    """Look at the trees that meet all constraints that were given, and refuse contradictions."""
    if (given["max_cost"] is None) != (given["costs"] is None):
        raise InvalidData(
            f"{named('max_cost')} and {named('costs')} belong together: the most that a path may "
            "cost, and what every feature costs"
        )
    _no_contradiction(given)
    for name in CONSTRAINTS:
        value = given[name]
        if value is None:
            continue
        more = {"costs": given["costs"]} if name == "max_cost" else {}
        found = getattr(found, name)(value, **more)
    return found


def _no_contradiction(given: Mapping[str, Any]) -> None:
    used, unused = (_listed(given[name]) for name in ("must_use", "must_not_use"))
    both = [name for name in used if name in unused]
    if both:
        raise InvalidData(
            f"{both[0]!r:.80} is in {named('must_use')} and in {named('must_not_use')}: take it "
            "out of one"
        )
    n, most, leaves = len(set(used)), given["at_most_features"], given["max_leaves"]
    if isinstance(most, int) and n > most:
        raise InvalidData(
            f"{named('must_use')} names {n} features, and {named('at_most_features')} is {most}: "
            "no tree can meet both"
        )
    if isinstance(leaves, int) and n >= leaves > 0:
        raise InvalidData(
            f"{named('must_use')} names {n} feature{'s' if n > 1 else ''}, and "
            f"{named('max_leaves')} is {leaves}: a tree that asks {n} question"
            f"{'s' if n > 1 else ''} has {n + 1} leaves or more"
        )


def _listed(names: Any) -> list[Any]:
    if names is None:
        return []
    return [names] if isinstance(names, str) else list(names)
