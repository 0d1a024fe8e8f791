"""Rules as boxes: for each feature the values that a rule allows.

In:  a ``RuleTable``, and perhaps kinds of features.
Out: ``Boxes``: the space, and per alternative of a rule the sides that it has.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ...errors import InvalidSpace, InvalidTree
from ...inputs import near, some_names
from ...model import Feature, FeatureSpec, Label, Space
from ..intervals import EVERY_NUMBER, Interval, Intervals, complement, meet, union
from ..points import Test, codes_of, inferred_feature, intervals_of
from .cells import Cell
from .table import RuleTable

__all__ = ["Box", "Boxes", "Values", "boxes_of", "declared"]

Values = Intervals | tuple[int, ...]  # rising intervals; or codes of categories


class Box(NamedTuple):
    """One alternative of a rule: its place in the table, and the values of the features it asks."""

    rule: int
    sides: Mapping[int, Values]


class Boxes(NamedTuple):
    """All rules over one space."""

    space: Space
    boxes: tuple[Box, ...]
    lines: tuple[int, ...]
    outputs: tuple[Label, ...]


def declared(space: Space | Mapping[str, FeatureSpec] | None) -> dict[str, Feature]:
    """Read which kinds of features are given, by name."""
    if space is None:
        return {}
    if isinstance(space, Mapping):
        space = Space(space)
    if not isinstance(space, Space):
        raise InvalidSpace(f"space must be a Space or a dict of kinds, got {space!r:.80}")
    if any(column.condition is not None for column in space.columns):
        raise InvalidSpace("the space of a table of rules has no indicator columns: name features")
    for feature in space.features:
        if feature.nan:
            raise InvalidSpace(
                f"feature {feature.name!r:.80} has NaN as a value, which a rule cannot ask for: "
                "make it categorical with a category for what is missing"
            )
    return {feature.name: feature for feature in space.features}


def boxes_of(table: RuleTable, known: Mapping[str, Feature], complete: bool) -> Boxes:
    """Return what each rule allows; kinds that are not known are inferred from what is compared.

    With ``complete`` the known features are all there are.
    """
    tests: dict[str, list[tuple[Test, str]]] = {}
    for rule in table.rules:
        for name, cell in (pair for both in rule.alternatives for pair in both):
            if complete and name not in known:
                raise InvalidTree(
                    f"line {rule.line}: there is no feature {name!r:.80}{near(name, known)}: the "
                    f"features are {some_names(known)}"
                )
            for test in (test for part in cell.parts for test in part):
                tests.setdefault(name, []).append((test, f"line {rule.line}"))
    idle = [name for name in table.features if name not in tests and name not in known]
    if idle:
        warnings.warn(
            f"no rule asks about {some_names(idle)}, so the tree does not have it as a feature",
            stacklevel=4,
        )
    space = _space(table, known, tests, complete)
    boxes = []
    for number, rule in enumerate(table.rules):
        for both in rule.alternatives:
            boxes.append(Box(number, _sides(both, space, f"line {rule.line}")))
    outputs = _outputs(table)
    return Boxes(space, tuple(boxes), tuple(rule.line for rule in table.rules), outputs)


def _space(
    table: RuleTable,
    known: Mapping[str, Feature],
    tests: Mapping[str, list[tuple[Test, str]]],
    complete: bool,
) -> Space:
    if complete:
        return Space(list(known.values()))
    strange = [name for name in known if name not in table.features]
    if strange:
        raise InvalidTree(
            f"the kind of {strange[0]!r:.80} is given{near(strange[0], table.features)}, and the "
            f"table has {some_names(table.features)}"
        )
    features = []
    for name in table.features:
        if name in known:
            features.append(known[name])
        elif name in tests:
            features.append(_plain(inferred_feature(name, tests[name])))
    if not features:
        raise InvalidTree("no rule asks about anything: there is nothing to decide by")
    return Space(features)


def _plain(feature: Feature) -> Feature:
    """List categories in one order, whatever the order of the rules is."""
    if feature.ordered:
        return feature
    return replace(feature, categories=tuple(sorted(feature.categories, key=str)))


def _outputs(table: RuleTable) -> tuple[Label, ...]:
    kinds: dict[str, str] = {}
    for rule in table.rules:
        kind = "text" if isinstance(rule.output, str) else "number"
        kind = "true or false" if isinstance(rule.output, bool) else kind
        kinds.setdefault(kind, f"line {rule.line} has {rule.output!r:.40}")
    if len(kinds) > 1:
        raise InvalidTree(
            f"outputs must be all text, all numbers, or all true or false: "
            f"{', '.join(kinds.values())}; put numbers that are names in quotes"
        )
    outputs = [rule.output for rule in table.rules]
    if any(isinstance(output, float) for output in outputs):
        return tuple(float(output) for output in outputs)
    return tuple(outputs)


# -- the values that conditions allow --------------------------------------------------------------


def _sides(conditions: Sequence[tuple[str, Cell]], space: Space, where: str) -> dict[int, Values]:
    """Return the sides of conditions that hold together, without those that allow everything."""
    out: dict[int, Values] = {}
    for name, cell in conditions:
        at = space.index(name)
        feature = space.features[at]
        values = _values(cell, feature, where)
        both = _meet(feature, out[at], values) if at in out else values
        if not both:
            raise InvalidTree(f"{where}: no value of {name!r:.80} fulfils its condition")
        out[at] = both
    return {i: side for i, side in out.items() if not _is_everything(space.features[i], side)}


def _values(cell: Cell, feature: Feature, where: str) -> Values:
    if not feature.ordered:
        codes: set[int] = set()
        for part in cell.parts:
            codes |= set.intersection(*(set(codes_of(test, feature, where)) for test in part))
        values: Values = tuple(sorted(codes))
    else:
        intervals: list[Interval] = []
        for part in cell.parts:
            both = EVERY_NUMBER
            for test in part:
                both = meet(both, tuple(intervals_of(_bit(test, feature), feature, where)))
            intervals += both
        values = union(intervals)
    return _complement(feature, values) if cell.negated else values


def _bit(test: Test, feature: Feature) -> Test:
    """Let 0 and 1 be false and true, where a feature is boolean."""
    if feature.kind != "boolean" or not isinstance(test.value, list):
        return test
    return test._replace(value=[bool(v) if v in (0, 1) else v for v in test.value])


def _meet(feature: Feature, a: Any, b: Any) -> Values:
    return meet(a, b) if feature.ordered else tuple(code for code in a if code in b)


def _complement(feature: Feature, values: Any) -> Values:
    if feature.ordered:
        return complement(values)
    return tuple(code for code in range(feature.n_values) if code not in values)


def _is_everything(feature: Feature, values: Any) -> bool:
    if not feature.ordered:
        return len(values) == feature.n_values
    low, high = feature.bounds
    return len(values) == 1 and values[0][0] <= low and values[0][1] >= high
