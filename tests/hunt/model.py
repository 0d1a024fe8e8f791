"""Features, questions and trees as plain values, read and written as docs/formats says.

A *point* is a value that a feature can have: a float for an ordered feature, the number of a value
for a categorical one, None for "missing" where that is a value of an ordered feature.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

import orderless as ol

Point = float | int | None
OTHER, OTHER_NUMBER = "a value that nobody has listed", 987654


@dataclass(frozen=True)
class Feat:
    """A feature; ``kind`` is float64, float32, integer, boolean or categorical."""

    name: str
    kind: str
    labels: tuple[Any, ...] = ()
    other: bool = False
    nan: bool = False

    @property
    def ordered(self) -> bool:
        return self.kind != "categorical"

    @property
    def codes(self) -> range:
        return range(len(self.labels) + self.other + self.nan)

    def floor(self, number: float) -> float:
        """The largest value that is at most this number."""
        if self.kind == "float64" or math.isinf(number):
            return number + 0.0
        if self.kind == "float32":
            with np.errstate(over="ignore"):
                near = np.float32(number)
            if float(near) > number:
                near = np.nextafter(near, np.float32(-np.inf))
            return float(near) + 0.0
        if self.kind == "integer":
            return float(math.floor(number))
        return 1.0 if number >= 1 else 0.0 if number >= 0 else -math.inf

    def after(self, value: float) -> float:
        """The smallest value above this one."""
        if self.kind == "float64":
            return math.nextafter(value, math.inf)
        if self.kind == "float32":
            return float(np.nextafter(np.float32(value), np.float32(np.inf)))
        return max(value + 1.0, math.nextafter(value, math.inf))

    def rounded(self, number: float) -> float:
        """What a row's number is before it is compared."""
        if self.kind != "float32":
            return number
        with np.errstate(over="ignore", under="ignore"):
            return float(np.float32(number))

    def given(self, point: Point) -> Any:
        """What a row holds for a point."""
        if self.ordered:
            if point is None:
                return None
            return bool(point) if self.kind == "boolean" else point
        assert isinstance(point, int)
        if point < len(self.labels):
            return self.labels[point]
        if not self.other or point > len(self.labels):
            return None
        return OTHER if any(isinstance(label, str) for label in self.labels) else OTHER_NUMBER


class Ask(NamedTuple):
    """A question: at most a number, or one of some values."""

    feature: int
    at_most: float = 0.0
    codes: frozenset[int] | None = None
    nan: bool = False

    def holds(self, point: Point) -> bool:
        if self.codes is not None:
            return point in self.codes
        return self.nan if point is None else point <= self.at_most


class Leaf(NamedTuple):
    label: Any


class Split(NamedTuple):
    ask: Ask
    yes: Node
    no: Node


Node = Leaf | Split


def decide(tree: Node, points: Any) -> Any:
    """The label of a complete row of points."""
    while isinstance(tree, Split):
        tree = tree.yes if tree.ask.holds(points[tree.ask.feature]) else tree.no
    return tree.label


def nodes(tree: Node) -> Iterator[Node]:
    yield tree
    if isinstance(tree, Split):
        yield from nodes(tree.yes)
        yield from nodes(tree.no)


def asks(tree: Node) -> list[Ask]:
    return [node.ask for node in nodes(tree) if isinstance(node, Split)]


def n_leaves(tree: Node) -> int:
    return sum(isinstance(node, Leaf) for node in nodes(tree))


def depth(tree: Node) -> int:
    return 1 + max(depth(tree.yes), depth(tree.no)) if isinstance(tree, Split) else 0


def labels(tree: Node) -> set[Any]:
    return {node.label for node in nodes(tree) if isinstance(node, Leaf)}


def kind_of(feat: Feat) -> dict[str, Any]:
    """A feature as docs/formats writes it."""
    if feat.kind == "categorical":
        told: dict[str, Any] = {"kind": "categorical", "categories": list(feat.labels)}
        told["other"] = feat.other
    elif feat.kind == "boolean":
        told = {"kind": "boolean"}
    else:
        told = {"kind": "numeric", "values": feat.kind}
    return {"name": feat.name, **told, **({"nan": True} if feat.nan else {})}


def to_json(feats: tuple[Feat, ...], tree: Node, classes: list[Any]) -> str:
    """The tree as docs/formats writes it, with thresholds and branches as they are here."""
    order = list(nodes(tree))
    place = {id(node): at for at, node in enumerate(order)}
    if len(place) < len(order):  # a node that is there twice: number by walk instead
        return to_json(feats, copied(tree), classes)
    content: dict[str, Any] = {"format": "orderless-tree", "version": 1}
    content["space"] = {"features": [kind_of(feat) for feat in feats]}
    content["classes"] = classes
    inner = [node if isinstance(node, Split) else None for node in order]
    content["feature"] = [node.ask.feature if node else -1 for node in inner]
    content["threshold"] = [
        number_text(node.ask.at_most) if node and node.ask.codes is None else 0 for node in inner
    ]
    content["when_true"] = [place[id(node.yes)] if node else -1 for node in inner]
    content["when_false"] = [place[id(node.no)] if node else -1 for node in inner]
    known = [json.dumps(label) for label in classes]
    content["leaf_class"] = [
        known.index(json.dumps(node.label)) if isinstance(node, Leaf) else -1 for node in order
    ]
    content["nan_true"] = [bool(node and node.ask.nan) for node in inner]
    content["sets"] = {
        str(at): sorted(node.ask.codes)
        for at, node in enumerate(inner)
        if node and node.ask.codes is not None
    }
    return json.dumps(content)


def copied(tree: Node) -> Node:
    """The same tree out of nodes that are all their own."""
    if isinstance(tree, Split):
        return Split(tree.ask, copied(tree.yes), copied(tree.no))
    return Leaf(*tree)


def number_text(number: float) -> float | str:
    return number if math.isfinite(number) else str(number)


def from_json(text: str) -> tuple[tuple[Feat, ...], Node, list[Node]]:
    """Read the format; also the nodes in the order of their numbers."""
    content = json.loads(text)
    feats = tuple(feature_of(told) for told in content["space"]["features"])
    sets = content.get("sets", {})
    built: dict[int, Node] = {}

    def build(at: int) -> Node:
        number = content["feature"][at]
        if number < 0:
            built[at] = Leaf(content["classes"][content["leaf_class"][at]])
        else:
            nan = bool(content["nan_true"][at]) if "nan_true" in content else False
            if feats[number].ordered:
                ask = Ask(number, float(content["threshold"][at]), None, nan)
            else:
                ask = Ask(number, 0.0, frozenset(sets.get(str(at), [])))
            sides = content["when_true"][at], content["when_false"][at]
            built[at] = Split(ask, build(sides[0]), build(sides[1]))
        return built[at]

    root = build(0)
    return feats, root, [built[at] for at in sorted(built)]


def feature_of(told: dict[str, Any]) -> Feat:
    if told["kind"] == "categorical":
        kind, listed = "categorical", tuple(told["categories"])
    else:
        kind = "boolean" if told["kind"] == "boolean" else told.get("values", "float64")
        listed = ()
    return Feat(told["name"], kind, listed, told.get("other", False), told.get("nan", False))


def accepts(feat: Feat, condition: dict[str, Any], point: Point) -> bool:
    """Whether a condition of a form (docs/formats) holds for a point."""
    missing = condition.get("missing", False)
    if not feat.ordered:
        assert isinstance(point, int)
        if point < len(feat.labels):
            return any(same_label(feat.labels[point], one) for one in condition["among"])
        if feat.other and point == len(feat.labels):
            return bool(condition.get("other", False))
        return bool(missing)
    if point is None:
        return bool(missing)
    if missing == "only":
        return False
    low, high = condition.get("above"), condition.get("at_most")
    return (low is None or point > low) and (high is None or point <= high)


def same_label(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)


def space_of(feats: tuple[Feat, ...]) -> ol.Space:
    """The space, by its public constructor."""
    made = []
    for feat in feats:
        if feat.kind == "categorical":
            made.append(
                ol.Feature(
                    feat.name, "categorical", categories=feat.labels, other=feat.other, nan=feat.nan
                )
            )
        elif feat.kind == "boolean":
            made.append(ol.Feature(feat.name, "boolean", nan=feat.nan))
        else:
            made.append(ol.Feature(feat.name, values=feat.kind, nan=feat.nan))
    return ol.Space(made)


def nested(feats: tuple[Feat, ...], tree: Node) -> dict[str, Any]:
    """The tree as nested dicts; only where "missing" is no value and nothing is unlisted."""
    if isinstance(tree, Leaf):
        return {"prediction": tree.label}
    ask, feat = tree.ask, feats[tree.ask.feature]
    told: dict[str, Any] = {"feature": feat.name}
    if ask.codes is not None:
        told |= {"relation": "in", "reference": [feat.labels[code] for code in sorted(ask.codes)]}
    elif feat.kind == "boolean" and 0 <= ask.at_most < 1:  # asks "is it 1?"
        return told | {"true": nested(feats, tree.no), "false": nested(feats, tree.yes)}
    else:
        told |= {"relation": "<=", "reference": ask.at_most}
    return told | {"true": nested(feats, tree.yes), "false": nested(feats, tree.no)}
