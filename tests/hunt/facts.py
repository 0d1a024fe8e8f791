"""Facts between features: every answer beside all possible rows, one by one.

Rows are possible if they satisfy every fact, by functions that were drawn together with the facts'
texts; nothing of the package reads a fact here. Whole numbers are bounded by facts of their own, so
that the possible rows can be listed. Real numbers are only compared with each other and with
numbers: then points at these numbers and at the rows' own values, and as many between two of them
as there are such features, are as good as all.
"""

from __future__ import annotations

import re
from typing import Any

import orderless as ol

from .fact_cases import Case, Row, draw, show, smaller
from .running import Wrong, same

__all__ = ["CHECKS", "draw", "show", "smaller"]


def decide(tree: Any, row: Row) -> str:
    while "prediction" not in tree:
        value, reference = row[tree["feature"]], tree["reference"]
        yes = value in reference if tree["relation"] == "in" else value <= reference
        tree = tree["true"] if yes else tree["false"]
    return tree["prediction"]


def agrees(row: Row, told: Row) -> bool:
    return all(row[name] == value for name, value in told.items())


def holds(condition: str, row: Row) -> bool:
    """A condition as it is printed; it is a feature's name, a sign, and values."""
    for name in sorted(row, key=len, reverse=True):
        if name in condition:
            break
    value, words = row[name], condition.replace(name, "@", 1)
    if words in ("@", "not @"):
        return bool(value) == (words == "@")
    inside = re.fullmatch(r"@ (not )?in \{(.*)\}", words, re.IGNORECASE)
    if inside:
        return (str(value) in inside[2].split(", ")) != bool(inside[1])
    equal = re.fullmatch(r"@ (!?=) (.*)", words)
    if equal:
        return (str(value).lower() == equal[2].lower()) == (equal[1] == "=")
    between = re.fullmatch(r"(\S+) (<=?) @ (<=?) (\S+)", words)
    if between:
        return compare(float(between[1]), between[2], value) and compare(
            value, between[3], float(between[4])
        )
    one = re.fullmatch(r"@ (<=|>=|<|>) (\S+)", words)
    if one is None:
        raise Wrong("a condition that the docs do not know", condition)
    return compare(value, one[1], float(one[2]))


def compare(a: float, sign: str, b: float) -> bool:
    return {"<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b}[sign]


def sound(what: str, conditions: tuple[str, ...], label: str, case: Case, rows: list[Row]) -> None:
    """Each possible row inside has the label, and no condition could be left out."""
    for row in rows:
        if all(holds(one, row) for one in conditions):
            same(f"{what}: the label inside of {conditions}", label, decide(case.one, row))
    for gone in range(len(conditions)):
        rest = conditions[:gone] + conditions[gone + 1 :]
        if all(
            decide(case.one, row) == label
            for row in rows
            if all(holds(one, row) for one in rest)
        ):  # fmt: skip
            raise Wrong(f"{what}: needs no {conditions[gone]}", conditions, rest)


def answers(case: Case) -> None:
    tree, possible = case.read(case.one), case.possible()
    labels = [
        sorted({decide(case.one, row) for row in possible if agrees(row, told)}, key=str)
        for told in case.rows
    ]
    got = [sorted(some, key=str) for some in tree.possible(list(case.rows))]
    same("possible", got, labels)
    certain = [some[0] if len(some) == 1 else None for some in labels]
    same("predict", tree.predict(list(case.rows)).tolist(), certain)


def rules(case: Case) -> None:
    form, possible = ol.canonicalize(case.read(case.one)), case.possible()
    for told in (form.rules, form.reasons):
        for label, terms in told.items():
            for term in terms:
                sound("a rule", term.conditions, label, case, possible)
    for row in possible:
        label = decide(case.one, row)
        if not any(all(holds(one, row) for one in term.conditions) for term in form.rules[label]):
            raise Wrong("a possible row has no rule", row, label)


def sameness(case: Case) -> None:
    one, two, possible = case.read(case.one), case.read(case.two), case.possible()
    differ = [row for row in possible if decide(case.one, row) != decide(case.two, row)]
    same("equivalent", ol.equivalent(one, two), not differ)
    row = ol.counterexample(one, two)
    same("a counterexample", row is not None, bool(differ))
    if row is not None and not any(agrees(some, dict(row)) for some in differ):
        whole = {name: value for name, value in dict(row).items() if value is not None}
        if all(feat.kind is not float for feat in case.feats):
            raise Wrong("the counterexample is none", whole)
    groups = ol.group_equivalent([one, two, one])
    same("groups", len(groups), 1 if not differ else 2)


def explains(case: Case) -> None:
    form, possible = ol.canonicalize(case.read(case.one)), case.possible()
    for told in case.rows:
        left = [row for row in possible if agrees(row, told)]
        if not left:
            try:
                form.tree.explain(told)
            except ol.errors.InvalidData:
                continue
            raise Wrong("an impossible row is explained", told)
        labels = {decide(case.one, row) for row in left}
        why = form.tree.explain(told)
        same("the label explained", why.label, labels.pop() if len(labels) == 1 else None)
        if why.label is None:
            continue
        if not why.all_reasons:
            raise Wrong("a certain row without a reason", told, why.label)
        for term in why.all_reasons:
            sound("a reason", term.conditions, why.label, case, possible)
            if not all(all(holds(one, row) for one in term.conditions) for row in left):
                raise Wrong("a reason that the row does not meet", term.conditions, told)


def changes(case: Case) -> None:
    """Of complete rows: the smallest sets of features whose change gives another class."""
    form, possible = ol.canonicalize(case.read(case.one)), case.possible()
    for told in case.rows:
        if len(told) < len(case.feats) or told not in possible:
            continue
        label = decide(case.one, told)
        sets = {
            frozenset(name for name in told if row[name] != told[name])
            for row in possible
            if decide(case.one, row) != label
        }
        minimal = {one for one in sets if not any(other < one for other in sets)}
        got = {
            frozenset(change.features) for change in form.tree.explain(told).changes(immutable=[])
        }
        same("changes", sorted(map(sorted, got)), sorted(map(sorted, minimal)))


def properties(case: Case) -> None:
    tree, possible = case.read(case.one), case.possible()
    for feat in case.feats:
        seen: dict[tuple[Any, ...], set[str]] = {}
        for row in possible:
            key = tuple(value for name, value in row.items() if name != feat.name)
            seen.setdefault(key, set()).add(decide(case.one, row))
        expected = all(len(labels) == 1 for labels in seen.values())
        same(f"ignores {feat.name}", bool(ol.prove(tree).ignores(feat.name)), expected)


CHECKS = (answers, rules, sameness, explains, changes, properties)
