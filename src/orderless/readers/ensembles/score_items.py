"""The items of a points score, as people write them down.

In:  a dict, a list of items, JSON or CSV.
Out: ``Score``: items of conditions and exact points, the verdicts; the fault of an item is named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from ...errors import InvalidSpace, InvalidTree, a_kind
from ...inputs import exact, near, some_names
from ...model import FeatureSpec, Label, parse, plain_label

__all__ = [
    "RELATIONS",
    "SCORE_FORMAT",
    "Item",
    "Points",
    "Score",
    "Test",
    "from_items",
    "from_json",
]

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
MOST_TESTS = 64  # of one item

Points = Fraction | dict[Label, Fraction]  # of a total, or by verdict


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
    if len(tests) > MOST_TESTS:
        raise InvalidTree(f"{name} has {len(tests)} conditions: {MOST_TESTS} are the most")
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
