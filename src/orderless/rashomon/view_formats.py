"""Views in files: what is asked of the trees of a set, as JSON.

In:  a ``View``; or what is under "view" in a file, and the set that it is about.
Out: plain dicts and lists; a checked ``View``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..errors import InvalidTree
from ..model import formats as serial
from .listed import Source
from .problem import LARGEST, decimal
from .view import MOST, MOST_GROUPS, Paid, Question, View

__all__ = ["is_whole", "view_in", "view_out"]


def view_out(view: View) -> dict[str, Any]:
    """Write a view down; constraints that it does not have are left out."""
    out: dict[str, Any] = {
        "epsilon": str(view.epsilon),
        "bound": view.bound,
        "max_leaves": view.max_leaves,
        "forbidden": sorted(view.forbidden),
        "required": [list(group) for group in view.required],
        "trivial": view.trivial,
    }
    if view.least_weight:
        out["least_weight"] = view.least_weight
    if view.most_features is not None:
        out["most_features"] = view.most_features
    if view.first:
        out["first"] = [
            [
                {"columns": list(q.columns), "when_true": q.when_true, "when_false": q.when_false}
                for q in questions
            ]
            for questions in view.first
        ]
    if view.paid:
        out["paid"] = [{"prices": list(paid.prices), "most": paid.most} for paid in view.paid]
    if view.monotone:
        out["monotone"] = [{"feature": f, "rises": rises} for f, rises in view.monotone]
    return out


def view_in(given: Mapping[str, Any], source: Source) -> View:
    """Read what ``view_out`` wrote."""
    columns = source.problem.columns
    epsilon = decimal(serial.take(given, "epsilon", str), "epsilon")
    bound: int = serial.take(given, "bound", int)
    leaves: int = serial.take(given, "max_leaves", int)
    if not is_whole(bound, 0, source.bound) or not is_whole(leaves, 0, MOST):
        raise InvalidTree(
            f"a view has the bound {bound!r:.40} and at most {leaves!r:.40} leaves: these must be "
            f"whole numbers, the bound at most {source.bound}"
        )
    groups = [_columns(group, len(columns)) for group in serial.take(given, "required", list)]
    if len(groups) > MOST_GROUPS:
        raise InvalidTree(f"a view requires {len(groups)} groups of columns, at most {MOST_GROUPS}")
    return View(
        epsilon,
        bound,
        leaves,
        frozenset(_columns(serial.take(given, "forbidden", list), len(columns))),
        tuple(groups),
        serial.take(given, "trivial", bool),
        _number(given, "least_weight", 0, LARGEST),
        _number(given, "most_features", 0, MOST) if "most_features" in given else None,
        tuple(_questions(each, len(columns)) for each in _list(given, "first")),
        tuple(_paid(each, len(columns.space)) for each in _list(given, "paid")),
        tuple(_direction(each, source) for each in _list(given, "monotone")),
    )


def _list(given: Mapping[str, Any], name: str) -> list[Any]:
    return serial.take(given, name, list) if name in given else []


def _number(given: Mapping[str, Any], name: str, least: int, most: int) -> int:
    number = given.get(name, least)
    if not is_whole(number, least, most):
        raise InvalidTree(f"a view has {name} = {number!r:.40}: it must be {least} to {most}")
    return int(number)


def _columns(given: Any, n: int) -> tuple[int, ...]:
    if not isinstance(given, list) or any(not is_whole(column, 0, n - 1) for column in given):
        raise InvalidTree(f"a view names a column that is not there: {given!r:.80}")
    return tuple(given)


def _questions(given: Any, n_columns: int) -> tuple[Question, ...]:
    out = []
    for i, each in enumerate(given):
        sides = [_number(each, name, -1, len(given) - 1) for name in ("when_true", "when_false")]
        if any(side not in (-1, *range(i + 1, len(given))) for side in sides):
            raise InvalidTree(f"the questions of a view do not follow each other: {given!r:.80}")
        out.append(Question(_columns(serial.take(each, "columns", list), n_columns), *sides))
    if not out:
        raise InvalidTree("a view begins with no question")
    return tuple(out)


def _paid(given: Any, n_features: int) -> Paid:
    prices = serial.take(given, "prices", list)
    good = len(prices) == n_features and all(is_whole(price, 0, LARGEST) for price in prices)
    if not good or sum(prices) >= LARGEST:
        raise InvalidTree(f"the prices of a view are not one per feature: {prices!r:.80}")
    return Paid(tuple(prices), _number(given, "most", 0, LARGEST))


def _direction(given: Any, source: Source) -> tuple[int, bool]:
    space = source.problem.columns.space
    feature = _number(given, "feature", 0, len(space) - 1)
    if not space.features[feature].ordered:
        raise InvalidTree(f"a view is monotone in {space.names[feature]!r:.80}, which has no order")
    return feature, serial.take(given, "rises", bool)


def is_whole(value: Any, low: int, high: int) -> bool:
    """Whether a value is a whole number between two others."""
    return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
