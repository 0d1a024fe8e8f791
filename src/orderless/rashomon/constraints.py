"""Constraints of a fitted set: parameters of the estimator, and views under the same names.

In:  what ``RashomonSet`` was given.
Out: ``Constraint``, by which ``found.must_use`` is both; ``Constrained``, which keeps scikit-learn
     looking at the parameters; ``constrain``, which applies them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ..errors import InvalidData, named
from .views import CONSTRAINTS, Views

if TYPE_CHECKING:
    from .tree_set import TreeSet

__all__ = ["Constrained", "constrain", "is_constrained"]

_given = itemgetter(*CONSTRAINTS, "costs")


class BoundConstraint:
    """A constraint of one set: ``value`` is what it was fitted with; called, it gives a view."""

    def __init__(self, name: str, view: Callable[..., TreeSet], value: Any) -> None:
        self.value = value
        self._name, self._view = name, view
        self.__doc__ = view.__doc__

    def __call__(self, *given: Any, **named: Any) -> TreeSet:
        """Look at the trees that meet the constraint; see ``TreeSet``."""
        return self._view(*given, **named)

    def __repr__(self) -> str:
        return f"<{self._name}={self.value!r:.80}; call {self._name}(...) for a view>"


class Constraint:
    """A parameter of a set that is read as a view: ``found.must_use("age")``.

    The value stands in the object's own dict, where pickle, copy and ``get_params`` find it.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, found: Any, owner: type) -> Any:
        view = getattr(Views, self._name)
        if found is None:
            return view
        return BoundConstraint(self._name, view.__get__(found), found.__dict__.get(self._name))

    def __set__(self, found: Any, value: Any) -> None:
        found.__dict__[self._name] = value


class Constrained:
    """An estimator whose constraints are views, too; its parameters are what it was given."""

    min_leaf = Constraint()
    max_leaves = Constraint()
    must_use = Constraint()
    must_not_use = Constraint()
    at_most_features = Constraint()
    first = Constraint()
    max_cost = Constraint()
    monotone = Constraint()

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Get the parameters, as scikit-learn does; of constraints their values, not the views."""
        given: dict[str, Any] = super().get_params(deep)  # type: ignore[misc]
        return given | {name: self.__dict__[name] for name in CONSTRAINTS}


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
