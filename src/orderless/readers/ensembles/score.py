"""Points scores and weighted rules: an ensemble that people wrote themselves.

In:  items (conditions and points) and verdicts, as a dict, a list, or JSON.
Out: ``SumKernel`` of one tree per item. Points are whole numbers of a common unit, so that totals
     are exact: docs/decisions/0019.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import InvalidSpace, InvalidTree, a_kind, setting
from ...inputs import read_file
from ...model import Adding, Feature, Label, Rule, Space, SumKernel, TreeKernel
from .score_items import SCORE_FORMAT, Points, Score, Test, from_items, from_json
from .score_trees import tree_of_item, values_of

__all__ = ["inferred_feature", "knows_score", "read_score"]

MOST_UNITS = 2**52  # below it, totals and their quotients by the unit are told apart as float64


def read_score(
    score: Any,
    *,
    verdicts: Mapping[Any, Any] | Sequence[Any] | None = None,
    space: Space | None = None,
    decimals: int | None = None,
) -> SumKernel:
    """Read a points score, or weighted rules; see ``Ensemble.from_points``."""
    if space is not None and not isinstance(space, Space):
        raise InvalidSpace(f"space must be a Space, got {a_kind(space)}")
    if decimals is not None and (
        not isinstance(decimals, int) or isinstance(decimals, bool) or not 0 <= decimals <= 15
    ):
        raise ValueError(f"decimals must be a whole number from 0 to 15, got {decimals!r:.80}")
    read = _read(score, verdicts)
    if read.features is not None:
        if space is not None:
            raise InvalidSpace("the score has features of its own: leave space= out")
        space = Space(read.features)
    elif space is None:
        space = Space([inferred_feature(name, tests) for name, tests in _by_feature(read).items()])
    trees = [tree_of_item(item, space) for item in read.items]
    return _ensemble(read, trees, decimals)


def knows_score(model: Any) -> bool:
    """Whether it is a score: a dict of items, or JSON that says so first.

    Examples
    --------
    >>> knows_score({"items": []}), knows_score('{"format": "orderless-score", "items": []}')
    (True, True)
    >>> knows_score('{"feature": 0, "true": {}, "false": {}}')
    False
    """
    if isinstance(model, str):
        return f'"{SCORE_FORMAT}"' in model[:200]
    return isinstance(model, Mapping) and "items" in model


def _read(score: Any, verdicts: Any) -> Score:
    """Read JSON, of a text or a file, and items."""
    if isinstance(score, str) and score.lstrip()[:1] not in ("{", "[") and "\n" not in score:
        score = Path(score)
    if isinstance(score, Path):
        try:
            score = read_file(score).decode("utf-8-sig")
        except UnicodeDecodeError as fault:
            raise InvalidTree(f"the file is not UTF-8 text: {fault}") from fault
    if isinstance(score, str):
        return from_json(score, verdicts)
    if isinstance(score, Mapping | Sequence):
        return from_items(score, verdicts)
    raise InvalidTree(
        f"a score must be a dict, a list of items, JSON text, or a path, got {a_kind(score)}"
    )


# -- features --------------------------------------------------------------------------------------


def _by_feature(score: Score) -> dict[str, list[tuple[Test, str]]]:
    """Give the tests on each feature, with the names of their items."""
    out: dict[str, list[tuple[Test, str]]] = {}
    for item in score.items:
        for test in item.tests:
            out.setdefault(test.feature, []).append((test, item.name))
    return out


def inferred_feature(name: str, tests: Sequence[tuple[Test, str]]) -> Feature:
    """Say what kind of feature is compared like this."""
    kinds: dict[str, str] = {}
    labels: dict[Label, None] = {}
    for test, item in tests:
        for value in values_of(test):
            kind = "boolean" if isinstance(value, bool) else "numeric"
            if isinstance(value, str):
                kind = "categorical"
                labels[value] = None
            kinds.setdefault(kind, f"{item} with {value!r:.40}")
    if len(kinds) > 1:
        raise InvalidTree(
            f"feature {name!r} is compared by {' and by '.join(kinds.values())}: values of one "
            "feature must be all true or false, all text, or all numbers"
        )
    (kind,) = kinds
    if kind == "categorical":
        return Feature(name, "categorical", categories=tuple(labels), other=True)
    return Feature(name, "boolean" if kind == "boolean" else "numeric")


# -- totals ----------------------------------------------------------------------------------------


def _ensemble(score: Score, trees: Sequence[TreeKernel], decimals: int | None) -> SumKernel:
    """Write all points as whole numbers of their common unit."""
    by_verdict = isinstance(score.items[0].points, dict)
    labels: tuple[Any, ...] = tuple(score.verdicts or ()) if by_verdict else (None,)

    def numbers(points: Points) -> list[Fraction]:
        if isinstance(points, dict):
            own = [points.get(label, Fraction(0)) for label in labels]
        else:
            own = [points]
        return own if decimals is None else [round(number, decimals) for number in own]

    rows = [numbers(item.points) for item in score.items]
    base = numbers(score.base)
    unit = math.lcm(*(number.denominator for row in [*rows, base] for number in row))
    whole = [[int(number * unit) for number in row] for row in [*rows, base]]
    top = max(sum(abs(row[k]) for row in whole) for k in range(len(base)))
    if max(top, unit) >= MOST_UNITS:
        raise InvalidTree(
            f"the points have the common unit 1/{unit:,} and add up to as many as {top:,} of it: "
            f"fewer than {MOST_UNITS:,} can be told apart; round the points, "
            f"{setting('decimals', 6)}"
        )
    adding = Adding(base=tuple(float(number) for number in whole[-1]), divisor=float(unit))
    values = [np.array([[0.0] * len(base), row], dtype=np.float64) for row in whole[:-1]]
    if by_verdict:
        rule = Rule("largest")
    elif score.verdicts is None:
        rule = Rule("number")
    else:
        rule = Rule("cuts", cuts=_cuts(score.verdicts, unit))
    classes = None if score.verdicts is None else tuple(score.verdicts)
    return SumKernel(trees, values, classes=classes, adding=adding, rule=rule)


def _cuts(verdicts: Mapping[Label, Fraction | None], unit: int) -> tuple[float, ...]:
    """Give per verdict but the first the largest whole number of units that does not reach it."""
    out: dict[float, Label] = {}
    for label, level in verdicts.items():
        if level is None:
            continue
        below = math.ceil(level * unit) - 1
        cut = float(max(-MOST_UNITS, min(below, MOST_UNITS)))
        if cut in out:
            raise InvalidTree(
                f"no total reaches {out[cut]!r:.80} and not {label!r:.80}: totals are multiples of "
                f"1/{unit}; leave one of these verdicts out"
            )
        out[cut] = label
    return tuple(out)
