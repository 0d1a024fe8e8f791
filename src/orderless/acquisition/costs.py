"""Costs: what can be bought, and for how much.

In:  costs by feature or group, groups of features that are bought together, known features.
Out: ``Purchase``s; costs and weights as whole numbers, so that sums are exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from ..errors import InvalidData
from ..inputs import exact_number, frame_of, some_names, without_cost
from ..model import Bins, Space

__all__ = [
    "KNOWN", "Purchase", "WholeNumbers", "checked", "read_purchases", "total", "whole_number",
    "whole_numbers",
]  # fmt: skip

KNOWN = "(known)"
MOST_COST = 1e200


@dataclass(frozen=True, slots=True)
class Purchase:
    """Something that is bought at once: a feature, or a group of features.

    Attributes
    ----------
    name : str
        The feature's or the group's.
    features : tuple of int
        Positions of its features in ``Bins.features``.
    cost : Fraction
    free : bool
        Whether these are the features that are known at the start.
    """

    name: str
    features: tuple[int, ...]
    cost: Fraction
    free: bool = False


def total(purchases: Iterable[Purchase]) -> Fraction:
    """Give what purchases cost together."""
    return sum((purchase.cost for purchase in purchases), Fraction(0))


def checked(purchases: tuple[Purchase, ...]) -> tuple[Purchase, ...]:
    """Refuse costs that together, and times the rows, are beyond what a float holds."""
    if total(purchases) > MOST_COST:
        dearest = max(purchases, key=lambda purchase: purchase.cost)
        raise InvalidData(
            f"the costs add up to more than {MOST_COST:.0e}, the cost of {dearest.name!r:.80} is "
            f"{float(dearest.cost):g}: give them in a larger unit"
        )
    return purchases


def whole_number(value: Any, what: str) -> int:
    """Read how many there are: 0 or more."""
    given = exact_number(value, what)
    if given.denominator != 1:
        raise InvalidData(f"{what} is {value}: give a whole number, 0 or more")
    return int(given)


class WholeNumbers(NamedTuple):
    """Numbers as whole ones, what 1 of these is worth, and whether nothing was rounded."""

    numbers: list[int]
    unit: Fraction
    exact: bool


def whole_numbers(values: Sequence[Fraction], most: int) -> WholeNumbers:
    """Scale numbers to whole ones whose sum is at most ``most``."""
    scale = math.lcm(*(value.denominator for value in values)) if values else 1
    whole = [int(value * scale) for value in values]
    if common := math.gcd(*whole):
        whole = [value // common for value in whole]
    unit = Fraction(common or 1, scale)
    if sum(whole) <= most:
        return WholeNumbers(whole, unit, True)
    unit = sum(values, Fraction(0)) / max(1, most - len(values))
    return WholeNumbers([math.ceil(value / unit) for value in values], unit, False)


def read_purchases(
    bins: Bins, X: Any, costs: Any, groups: Any, known: Iterable[str]
) -> tuple[tuple[Purchase, ...], Fraction]:
    """Read what can be bought; features that the tree does not ask about are left out.

    Returns
    -------
    tuple of Purchase
        In the order of the space; the known features come last, as one.
    Fraction
        The sum of all costs, also of what the tree does not ask about (the paper's reward).
    """
    space = bins.tree.space
    members = _read_groups(groups, space)
    given = _read_costs(costs, space, X, set(members))
    free = _read_known(known, space)
    owner = {name: group for group, names in members.items() for name in names}
    position = {feature.name: k for k, feature in enumerate(bins.features)}
    absent = [n for n in position if n not in free and n not in owner and n not in given]
    if absent:
        raise without_cost(sorted(absent, key=space.index))
    sold: dict[str, Purchase] = {}
    for name in space.names:
        if name not in position or name in free:
            continue
        key = owner.get(name, name)
        if key in sold:
            continue
        names = members.get(key, (name,))
        own = tuple(position[n] for n in names if n in position and n not in free)
        sold[key] = Purchase(key, own, _cost_of(key, names, given, key in members))
    total = sum((given[name] for name in given if name in members), Fraction(0))
    for name in given:
        if name in members or owner.get(name) in given:
            continue
        if name in owner and members[owner[name]][0] != name:
            continue  # its group is paid once
        total += given[name]
    out = list(sold.values())
    if at_start := tuple(sorted(position[name] for name in free if name in position)):
        out.append(Purchase(KNOWN, at_start, Fraction(0), free=True))
    return checked(tuple(out)), total


def _cost_of(
    key: str, names: Sequence[str], given: Mapping[str, Fraction], is_group: bool
) -> Fraction:
    if not is_group:
        return given[key]
    each = {given[name] for name in names if name in given}
    if key in given:
        if each:
            first = next(name for name in names if name in given)
            raise InvalidData(
                f"the group {key!r} has a cost, and so does its feature {first!r}: "
                "a group is bought together, so give one of the two"
            )
        return given[key]
    if len(each) == 1:
        return each.pop()
    if each:
        raise InvalidData(
            f"the features of the group {key!r} have different costs: they are bought together "
            "for one cost, so name the group: groups={name: [...]}, costs={name: cost}"
        )
    raise InvalidData(f"there is no cost for the group {key!r}: give one, 0 if it costs nothing")


def _read_groups(groups: Any, space: Space) -> dict[str, tuple[str, ...]]:
    if groups is None:
        return {}
    if isinstance(groups, str) or not isinstance(groups, Iterable):
        raise InvalidData(
            "groups must be a dict of name -> features, or a list of lists of features, got "
            f"{groups!r:.80}"
        )
    named = isinstance(groups, Mapping)
    pairs = list(groups.items()) if isinstance(groups, Mapping) else [("", g) for g in groups]
    out: dict[str, tuple[str, ...]] = {}
    taken: dict[str, str] = {}
    for name, features in pairs:
        if isinstance(features, str) or not isinstance(features, Iterable):
            raise InvalidData(f"a group must be a list of features, got {features!r:.80}")
        own = tuple(features)
        if not own:
            raise InvalidData(f"the group {name!r} has no features: leave it out")
        for feature in own:
            _ = space.index(feature)  # says which features there are
            if feature in taken:
                raise InvalidData(
                    f"{feature!r} is in two groups, or twice in one: a feature is bought one way"
                )
            taken[feature] = name
        if not named:
            name = " + ".join(own)
        if not isinstance(name, str) or not name:
            raise InvalidData(f"a group's name must be text and not empty, got {name!r:.80}")
        if name == KNOWN or (name in space and own != (name,)):
            raise InvalidData(f"a group cannot be named {name!r}, which means something else")
        out[name] = own
    return out


def _read_known(known: Iterable[str], space: Space) -> set[str]:
    if isinstance(known, str):
        known = [known]
    out = set(known)
    for name in out:
        _ = space.index(name)  # says which features there are
    return out


def _read_costs(costs: Any, space: Space, X: Any, groups: set[str]) -> dict[str, Fraction]:
    if hasattr(costs, "items"):  # a dict, or a Series
        for name, _ in costs.items():
            if name not in groups:
                _ = space.index(name)  # says which features there are
        return {n: exact_number(c, f"the cost of {n!r}") for n, c in costs.items()}
    if isinstance(costs, str) or not isinstance(costs, Iterable):
        raise InvalidData(
            f"costs must be a dict of feature -> cost, or one cost per feature, got {costs!r:.80}"
        )
    array = list(costs)
    names = _order(space, X)
    if len(array) != len(names):
        raise InvalidData(
            f"got {len(array)} costs for {len(names)} features ({some_names(names)}): a dict of "
            "feature -> cost leaves no doubt"
        )
    return {n: exact_number(c, f"the cost of {n!r}") for n, c in zip(names, array, strict=True)}


def _order(space: Space, X: Any) -> Sequence[str]:
    """Give the features in the order of X's columns, where those are features."""
    frame = frame_of(X)
    if frame is not None and all(name in space for name in frame.columns):
        return list(frame.columns)
    return space.names
