"""Costs of features: how they are read, and the one rule for features that have none.

In:  numbers, as people give them.
Out: fractions, so that sums are exact; an error that names the features without a cost.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from ..errors import InvalidData, a_kind
from ..model import Space
from .decimals import exact_number
from .names import some_names

__all__ = ["read_costs", "without_cost"]


def read_costs(costs: Any, space: Space, asked: Iterable[str]) -> dict[str, Fraction]:
    """Read costs by feature; every feature that a tree ``asked`` about must have one.

    Examples
    --------
    >>> read_costs({"age": 0.5}, Space({"age": "integer", "sex": "boolean"}), ["age"])
    {'age': Fraction(1, 2)}
    """
    if not isinstance(costs, Mapping):
        raise InvalidData(
            f"costs must be a dict {{feature: cost}}, got {a_kind(costs)}: features "
            f"are {some_names(space.names)}"
        )
    for name in costs:
        _ = space.index(name)  # says which features there are
    out = {name: exact_number(cost, f"the cost of {name!r}") for name, cost in costs.items()}
    absent = [name for name in asked if name not in out]
    if absent:
        raise without_cost(absent)
    return out


def without_cost(names: Sequence[str]) -> InvalidData:
    """Say which features have no cost, and how to give one to all of them."""
    return InvalidData(
        f"there is no cost for {some_names(names)}, which the tree asks about: name every feature, "
        "with 0 if it costs nothing; if all others cost the same, for example 1, write "
        "costs={**dict.fromkeys(tree.features, 1), **costs}"
    )
