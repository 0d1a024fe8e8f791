"""Forests where facts hold: what is proven, needed and asked, beside all possible rows, one by one.

A case is one of ``fact_cases``: its two trees vote, and of equal numbers of votes the first wins.
Where there are real numbers, the points do not stand for all pairs of rows: then what is refuted is
looked at by itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import orderless as ol
from orderless.model import Adding, Rule

from . import fact_cases
from .fact_cases import CLASSES, Case, Row, draw, smaller
from .facts import agrees, decide
from .running import Wrong, same

__all__ = ["CHECKS", "draw", "show", "smaller"]


def show(case: Case) -> str:
    return f"{fact_cases.show(case)}\n# the two vote, of equals the first of {CLASSES!r} wins"


def forest(case: Case) -> Any:
    trees = [case.read(spec) for spec in (case.one, case.two)]
    values = [[[float(label == own) for own in CLASSES] for label in t.classes] for t in trees]
    trees = [tree.replace(classes=range(len(tree.classes))) for tree in trees]
    return ol.Ensemble(trees, values, classes=CLASSES, adding=Adding(base=(0.0,) * len(CLASSES)),
                       rule=Rule("largest"))  # fmt: skip


def says(case: Case, row: Row) -> str:
    votes = [decide(case.one, row), decide(case.two, row)]
    return max(CLASSES, key=lambda label: (votes.count(label), -CLASSES.index(label)))


def exact(case: Case) -> bool:
    return all(feat.kind is not float for feat in case.feats)


def pairs(rows: list[Row], apart: str) -> Iterable[tuple[Row, Row]]:
    by_rest: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        key = tuple(value for name, value in row.items() if name != apart)
        by_rest.setdefault(key, []).append(row)
    for some in by_rest.values():
        yield from itertools.product(some, some)


def judged(
    what: str, case: Case, proof: Any, apart: str, against: Callable[[Row, Row], bool]
) -> None:
    if proof:
        for pair in pairs(case.possible(), apart):
            if against(*pair):
                raise Wrong(f"{what}: proven", pair)
        return
    one, two = proof.rows
    for row in (one, two):
        if not all(fact.holds(row) for fact in case.facts):
            raise Wrong(f"{what}: a row that is not possible", row)
    if any(one[name] != two[name] for name in one if name != apart) or not against(one, two):
        raise Wrong(f"{what}: no such pair", proof.rows)
    same(f"{what}: the answers", list(proof.answers), [says(case, one), says(case, two)])


def properties(case: Case) -> None:
    asked, rank = ol.prove(forest(case)), CLASSES.index
    for feat in case.feats:
        name = feat.name
        judged(f"ignores {name}", case, asked.ignores(name), name,
               lambda one, two: says(case, one) != says(case, two))  # fmt: skip
        if feat.kind not in (int, float, bool):
            continue

        def falls(one: Row, two: Row, name: str = name) -> bool:
            return one[name] < two[name] and rank(says(case, one)) > rank(says(case, two))

        def flips(one: Row, two: Row, name: str = name) -> bool:
            return 0 < two[name] - one[name] <= 1 and says(case, one) != says(case, two)

        judged(f"monotone {name}", case, asked.monotone(name, 1, order=CLASSES), name, falls)
        judged(f"stable {name}", case, asked.stable(name, 1), name, flips)


def single(case: Case) -> None:
    model, possible = forest(case), case.possible()
    seen = {says(case, row) for row in possible}
    for label in CLASSES:
        proof = ol.prove(model).never(label)
        same(f"never {label}", bool(proof), label not in seen)
        if not proof and says(case, proof.row) != label:
            raise Wrong("the row gets another answer", proof.row, label)
    proof = ol.prove(model).same_as(case.read(case.one))
    expected = all(says(case, row) == decide(case.one, row) for row in possible)
    same("same_as", bool(proof), expected)


def smallest(case: Case, rows: list[Row], told: Row, good: Callable[[Any], bool]) -> set[Any]:
    free = [feat.name for feat in case.feats if feat.name not in told]
    for size in range(len(free) + 1):
        sets = set()
        for some in itertools.combinations(free, size):
            left: dict[tuple[Any, ...], set[str]] = {}
            for row in rows:
                left.setdefault(tuple(row[n] for n in some), set()).add(says(case, row))
            if good(len(labels) == 1 for labels in left.values()):
                sets.add(some)
        if sets:
            return sets
    raise AssertionError("all features settle a row")


def needed(case: Case) -> None:
    model, possible = forest(case), case.possible()
    for told in case.rows:
        rows = [row for row in possible if agrees(row, told)]
        if not rows:
            continue
        labels = {says(case, row) for row in rows}
        asked = model.ask_next([told])
        same("ask_next of a certain row", bool(asked.mask[0]), len(labels) == 1)
        if len(labels) == 1:
            continue
        name = asked[0]
        if not any(one[name] != two[name] and says(case, one) != says(case, two)
                   for one in rows for two in rows):  # fmt: skip
            raise Wrong("what is asked cannot matter", name, told)
        if exact(case):
            found = model.needed(told)
            same("what settles it", {*found.settle}, smallest(case, rows, told, all))
            same("what could settle it", {*found.could}, smallest(case, rows, told, any))


CHECKS = (single, properties, needed)
