"""Points scores and weighted rules: an ensemble that people wrote themselves.

In:  items (conditions and points) and verdicts, as a dict, a list, or JSON.
Out: ``SumKernel`` of one tree per item. Points are whole numbers of a common unit, so that totals
     are exact: docs/decisions/0019. The fault of an item is named.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from ..errors import InvalidSpace, InvalidTree, UnreadableModel, a_kind, setting
from ..inputs import exact, near, read_file, some_names
from ..model import (
    Adding,
    Condition,
    Feature,
    FeatureSpec,
    Label,
    Rule,
    Space,
    SumKernel,
    TreeKernel,
    parse,
    plain_label,
)
from .intervals import Intervals, complement, union
from .preprocessing.conditions import Span, unfold

__all__ = [
    "Test",
    "codes_of",
    "inferred_feature",
    "intervals_of",
    "knows_score",
    "read_score",
]

MAX_UNITS = 2**52  # below it, totals and their quotients by the unit are told apart as float64
MAX_NODES = 100_000  # of one item
SCORE_FORMAT = "orderless-score"
VERSION = 1
KEYS = ("format", "version", "name", "features", "items", "base", "verdicts")
ITEM_KEYS = ("name", "feature", "when", "points")
# How a relation may be written; underscores count as spaces.
RELATIONS = {
    "at most": "<=", "<=": "<=", "below": "<", "<": "<", "above": ">", ">": ">",
    "at least": ">=", ">=": ">=", "between": "between", "is": "is", "==": "is", "=": "is",
    "is not": "is not", "!=": "is not", "among": "among", "in": "among",
    "not among": "not among", "not in": "not among",
}  # fmt: skip
MAX_TESTS = 64  # of one item

Points = Fraction | dict[Label, Fraction]  # of a total, or by verdict


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


# -- what people write ----------------------------------------------------------------------------


class Test(NamedTuple):
    """One condition: a feature, how it is compared (as the values of RELATIONS), with what."""

    feature: str
    relation: str
    value: Any


class Item(NamedTuple):
    """Conditions that must hold together, what they are worth, how a message names them."""

    tests: tuple[Test, ...]
    points: Points
    name: str


class Score(NamedTuple):
    """A score as it was written.

    ``verdicts`` gives for each the least total that it takes, None for the lowest; where points are
    by verdict, no totals; where there are none, the total itself is what is asked.
    """

    items: tuple[Item, ...]
    base: Points
    verdicts: dict[Label, Fraction | None] | None
    features: Mapping[str, FeatureSpec] | None


def from_json(text: str, verdicts: Any = None) -> Score:
    """Read JSON."""
    given = parse(text)
    if not isinstance(given, dict | list):
        raise InvalidTree(f"a score must be a JSON object or a list of items, got {a_kind(given)}")
    return from_items(given, verdicts)


def from_items(given: Mapping[str, Any] | Sequence[Any], verdicts: Any = None) -> Score:
    """Read a dict of items, verdicts and more, or a list of items alone."""
    content = given if isinstance(given, Mapping) else {"items": given}
    _refuse_keys(content, KEYS, "a score")
    if content.get("format", SCORE_FORMAT) != SCORE_FORMAT or content.get("version", 1) != VERSION:
        raise InvalidTree(
            f"expected the format {SCORE_FORMAT!r} of version {VERSION}, got "
            f"{content.get('format')!r:.80} of version {content.get('version')!r:.80}"
        )
    if verdicts is not None and content.get("verdicts") is not None:
        raise InvalidTree("the score has verdicts of its own: leave verdicts= out")
    items = content.get("items")
    if isinstance(items, str | Mapping) or not isinstance(items, Sequence) or not items:
        raise InvalidTree(f"a score must have a list of items, got {items!r:.80}")
    features = content.get("features")
    if features is not None and not isinstance(features, Mapping):
        raise InvalidTree(f"features must be a dict of name and kind, got {features!r:.80}")
    read = tuple(_item(item, i) for i, item in enumerate(items, start=1))
    base = _points(content.get("base", 0), "base")
    own = verdicts if verdicts is not None else content.get("verdicts")
    by_verdict = [item for item in read if isinstance(item.points, dict)]
    if not by_verdict and isinstance(base, dict):
        raise InvalidTree("base is by verdict, and the points of items are of one total")
    if not by_verdict:
        return Score(read, base, _levels(own), features)
    if len(by_verdict) < len(read):
        other = next(item for item in read if not isinstance(item.points, dict))
        raise InvalidTree(
            f"{other.name} has points of one total, {by_verdict[0].name} by verdict: write all "
            "items in one way"
        )
    if base == 0:
        base = {}
    return Score(read, base, _named_verdicts(own, [*read, Item((), base, "base")]), features)


# -- items -----------------------------------------------------------------------------------------


def _item(given: Any, number: int) -> Item:
    name = f"item {number}"
    if not isinstance(given, Mapping):
        raise InvalidTree(
            f"{name} must be a dict like {{'feature': 'age', 'above': 65, 'points': 2}}, got "
            f"{given!r:.80}"
        )
    if isinstance(given.get("name"), str):
        name = f"item {number} ({given['name']!r:.80})"
    elif isinstance(given.get("feature"), str):
        name = f"item {number} (on {given['feature']!r:.80})"
    if "points" not in given:
        raise InvalidTree(f"{name} has no points: there are {some_names(given)}")
    points = _points(given["points"], f"{name}: points")
    if "when" in given:
        if "feature" in given:
            raise InvalidTree(f"{name} has both 'feature' and 'when': put all conditions in 'when'")
        _refuse_keys(given, ITEM_KEYS, name)
        when = given["when"]
        if isinstance(when, str | Mapping) or not isinstance(when, Sequence) or not when:
            raise InvalidTree(f"{name}: 'when' must be a list of conditions, got {when!r:.80}")
        tests = [test for one in when for test in _tests(one, name, ())]
    else:
        tests = _tests(given, name, ("name", "points"))
    if len(tests) > MAX_TESTS:
        raise InvalidTree(f"{name} has {len(tests)} conditions: {MAX_TESTS} are the most")
    return Item(tuple(tests), points, name)


def _tests(given: Any, name: str, besides: Sequence[str]) -> list[Test]:
    """Read the conditions on one feature; several must hold together, none is "is true"."""
    if not isinstance(given, Mapping):
        raise InvalidTree(
            f"{name}: a condition must be a dict like {{'feature': 'age', 'above': 65}}, got "
            f"{given!r:.80}"
        )
    feature = given.get("feature")
    if not isinstance(feature, str) or not feature:
        raise InvalidTree(f"{name}: 'feature' must be the name of a feature, got {feature!r:.80}")
    out = []
    for key, value in given.items():
        if key == "feature" or key in besides:
            continue
        relation = RELATIONS.get(str(key).replace("_", " "))
        if relation is None:
            raise InvalidTree(
                f"{name}: {key!r:.80} is not a relation{near(key, RELATIONS)}: use one of "
                f"{some_names(RELATIONS, len(RELATIONS))}"
            )
        out.append(Test(feature, relation, _value(relation, value, name)))
    return out or [Test(feature, "is", True)]


def _value(relation: str, value: Any, name: str) -> Any:
    """Check that a value is of the kind that its relation needs."""
    if relation in ("among", "not among"):
        if isinstance(value, str | Mapping) or not isinstance(value, Sequence | set | frozenset):
            raise InvalidTree(f"{name}: {relation!r} needs a list of values, got {value!r:.80}")
        if not value:
            raise InvalidTree(f"{name}: {relation!r} needs at least one value")
        return [_label(one, name) for one in value]
    if relation == "between":
        two = list(value) if isinstance(value, Sequence) and not isinstance(value, str) else []
        if len(two) != 2 or not all(_is_number(end) for end in two) or two[0] > two[1]:
            raise InvalidTree(
                f"{name}: 'between' needs a list of two numbers, the smaller first, got "
                f"{value!r:.80}"
            )
        return two
    if relation in ("is", "is not"):
        return _label(value, name)
    if not _is_number(value):
        raise InvalidTree(f"{name}: {relation!r} needs a number, got {value!r:.80}")
    return value


def _label(value: Any, name: str) -> Label:
    try:
        return plain_label(value)
    except InvalidSpace as fault:
        raise InvalidTree(f"{name}: {fault}") from fault


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool | str) and hasattr(value, "__float__")


# -- points and verdicts ---------------------------------------------------------------------------


def _points(given: Any, what: str) -> Points:
    """Read points exactly, as they are written: 0.1 is a tenth."""
    if isinstance(given, Mapping):
        if not given:
            raise InvalidTree(f"{what} must be a number, or a dict of verdict and number, got {{}}")
        return {plain_label(one): _number(own, what) for one, own in given.items()}
    return _number(given, what)


def _number(given: Any, what: str) -> Fraction:
    try:
        return exact(given)
    except (TypeError, ValueError) as fault:
        raise InvalidTree(f"{what}: {fault}") from fault


def _levels(given: Any) -> dict[Label, Fraction | None] | None:
    """Read from which total on each verdict holds; the lowest has None."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise InvalidTree(
            "verdicts must be a dict of verdict and the least total that it takes, None (null) for "
            f"the lowest, got {given!r:.80}"
        )
    out: dict[Label, Fraction | None] = {}
    last: tuple[Label, Fraction] | None = None
    for label, least in given.items():
        verdict = plain_label(label)
        if (least is None) != (not out):
            raise InvalidTree(
                "the first verdict, and no other, must have None (null) for its least total: it "
                f"is for all below the next; got {least!r:.80} for {verdict!r:.80}"
            )
        level = None if least is None else _number(least, f"verdict {verdict!r:.80}")
        if level is not None:
            if last is not None and level <= last[1]:
                raise InvalidTree(
                    f"the least totals of verdicts must rise: {verdict!r:.80} has {level}, "
                    f"{last[0]!r:.80} before it {last[1]}"
                )
            last = verdict, level
        out[verdict] = level
    if len(out) < 2:
        raise InvalidTree(f"a score must have at least two verdicts, got {list(out)!r:.80}")
    return out


def _named_verdicts(given: Any, items: Sequence[Item]) -> dict[Label, Fraction | None]:
    """Read the verdicts that points are given to, in the order in which equals are decided."""
    if isinstance(given, str | Mapping) or not isinstance(given, Sequence) or len(given) < 2:
        raise InvalidTree(
            "where points are given by verdict, verdicts must be a list of them, of which the "
            f"first wins where totals are equal, got {given!r:.80}"
        )
    out: dict[Label, Fraction | None] = dict.fromkeys(plain_label(label) for label in given)
    for item in items:
        if not isinstance(item.points, dict):
            raise InvalidTree(f"{item.name} must be by verdict, as the points of the items are")
        for label in item.points:
            if label not in out:
                raise InvalidTree(
                    f"{item.name} has points for {label!r:.80}{near(label, out)}: verdicts are "
                    f"{some_names(out)}"
                )
    return out


def _refuse_keys(given: Mapping[str, Any], known: Sequence[str], what: str) -> None:
    for key in given:
        if key not in known:
            raise InvalidTree(
                f"{what} has the entry {key!r:.80}{near(key, known)}: known are {some_names(known)}"
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


def _too_fine(what: str) -> InvalidTree:
    return InvalidTree(
        f"the points {what}: fewer than {MAX_UNITS:,} can be told apart; round the points, "
        f"{setting('decimals', 6)}"
    )


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
    unit = 1
    for number in (number for row in [*rows, base] for number in row):
        unit = math.lcm(unit, number.denominator)
        if unit >= MAX_UNITS:
            raise _too_fine(f"have a common unit finer than 1/{MAX_UNITS:,}")
    whole = [[int(number * unit) for number in row] for row in [*rows, base]]
    top = max(sum(abs(row[k]) for row in whole) for k in range(len(base)))
    if top >= MAX_UNITS:
        raise _too_fine(
            f"have the common unit 1/{unit:,} and add up to {MAX_UNITS:,} of it or more"
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
        cut = float(max(-MAX_UNITS, min(below, MAX_UNITS)))
        if cut in out:
            raise InvalidTree(
                f"no total reaches {out[cut]!r:.80} and not {label!r:.80}: totals are multiples of "
                f"1/{unit}; leave one of these verdicts out"
            )
        out[cut] = label
    return tuple(out)


# -- the tree of an item ---------------------------------------------------------------------------


def values_of(test: Test) -> Sequence[Any]:
    """Give the values that a test compares with."""
    return test.value if isinstance(test.value, list) else [test.value]


def tree_of_item(item: Item, space: Space) -> TreeKernel:
    """Make the tree of an item: leaf 1 where all conditions hold, else leaf 0."""
    for test in item.tests:
        if test.feature not in space:
            raise InvalidTree(
                f"{item.name}: there is no feature {test.feature!r:.80}"
                f"{near(test.feature, space.names)}: the features are {some_names(space.names)}"
            )
    n = len(item.tests)
    nodes = {
        "feature": np.array([*(space.index(test.feature) for test in item.tests), -1, -1]),
        "threshold": np.zeros(n + 2),
        "when_true": np.array([*range(1, n + 1), -1, -1]),
        "when_false": np.array([n + 1] * n + [-1, -1]),
        "leaf_class": np.array([-1] * n + [1, 0]),
        "nan_true": np.zeros(n + 2, dtype=bool),  # what is missing fulfils no condition
    }
    sets: dict[int, list[int]] = {}
    spans: dict[int, Span] = {}
    for at, test in enumerate(item.tests):
        feature = space[test.feature]
        if not feature.ordered:
            sets[at] = codes_of(test, feature, item.name)
            continue
        intervals = intervals_of(test, feature, item.name)
        ends = [end for pair in intervals for end in pair if math.isfinite(end)]
        inside = intervals[0][0] == -math.inf
        spans[at] = ends, [inside != bool(k % 2) for k in range(len(ends) + 1)]
    try:
        arrays = unfold(space, nodes, spans, sets=sets, distribution=None, limit=MAX_NODES)
    except UnreadableModel:
        raise InvalidTree(
            f"{item.name} has too many numbers to choose from: write ranges (between), or "
            "several items"
        ) from None
    tree = TreeKernel(space, (0, 1), **arrays)
    reached = set(tree.leaf_class[tree.feature < 0].tolist())
    if reached != {0, 1}:
        what = (
            "no row can fulfil its conditions"
            if reached == {0}
            else ("every row fulfils its conditions: give the points as base")
        )
        raise InvalidTree(f"{item.name} asks nothing: {what}")
    return tree


def intervals_of(test: Test, feature: Feature, item: str) -> Intervals:
    """Give the numbers for which a condition holds, as rising intervals apart from each other."""
    relation = test.relation
    if feature.kind == "boolean":
        return _of_boolean(test, item)
    for number in values_of(test):
        if isinstance(number, bool | str):
            raise InvalidTree(
                f"{item}: {feature.name!r} is numeric and is compared with {number!r:.80}: use a "
                "number, or declare the feature otherwise"
            )
    try:
        conditions = [Condition(feature.name, at_most=number) for number in values_of(test)]
    except InvalidSpace as fault:
        raise InvalidTree(f"{item}: {fault}") from fault
    cuts = [cast(float, condition.at_most) for condition in conditions]
    at = [float(feature.at_most(cut)) for cut in cuts]
    below = [float(feature.at_most(cut, strict=True)) for cut in cuts]
    if relation in ("<=", "<"):
        return ((-math.inf, (at if relation == "<=" else below)[0]),)
    if relation in (">", ">="):
        return (((at if relation == ">" else below)[0], math.inf),)
    if relation == "between":
        return ((below[0], at[1]),)
    never = [number for number, low, high in zip(values_of(test), below, at, strict=True)
             if low == high]  # fmt: skip
    if never:
        raise InvalidTree(f"{item}: {never[0]!r:.80} is not a value of {feature!r}")
    points = union(zip(below, at, strict=True))
    return points if relation in ("is", "among") else complement(points)


def _of_boolean(test: Test, item: str) -> Intervals:
    if test.relation not in ("is", "is not", "among", "not among") or not all(
        isinstance(value, bool) for value in values_of(test)
    ):
        raise InvalidTree(
            f"{item}: {test.feature!r} is boolean: write 'is': true or 'is': false, got "
            f"{test.relation!r} and {test.value!r:.80}"
        )
    inside = {value for value in (False, True) if value in values_of(test)}
    if test.relation.startswith(("is not", "not")):
        inside = {False, True} - inside
    low = -math.inf if False in inside else 0.0
    high = math.inf if True in inside else 0.0
    return ((low, high),) if inside else ((-math.inf, -1.0),)


def codes_of(test: Test, feature: Feature, item: str) -> list[int]:
    """Give the numbers of the categories for which a condition holds."""
    if test.relation not in ("is", "is not", "among", "not among"):
        raise InvalidTree(
            f"{item}: {feature.name!r} is categorical and has no order: use 'is' or 'among', got "
            f"{test.relation!r}"
        )
    codes = set()
    for value in values_of(test):
        if value not in feature.categories:
            raise InvalidTree(
                f"{item}: {value!r:.80} is not a value of {feature!r}"
                f"{near(value, feature.categories)}"
            )
        codes.add(feature.categories.index(value))
    if test.relation in ("is", "among"):
        return sorted(codes)
    return [code for code in range(len(feature.categories) + feature.other) if code not in codes]
