"""Reasons, changes and other forms of an ensemble, beside all completions."""

from __future__ import annotations

import itertools
import json
import pickle
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np

import orderless as ol

from .certainty import TIME, plain
from .completions import Places, Truth, some_rows
from .model import Feat, accepts
from .running import Wrong, same


def certain_rows(truth: Truth, rng: Random, n: int) -> Iterator[tuple[Places, Any]]:
    for places in some_rows(truth, rng, 3 * n):
        labels = truth.labels_in(places)
        if len(labels) == 1 and not truth.close(truth.whole):
            yield places, labels[0]
            n -= 1
            if n <= 0:
                return


def inside(truth: Truth, conditions: list[dict[str, Any]]) -> Places:
    """The places that a term allows."""
    found = list(truth.whole)
    names = [feat.name for feat in truth.feats]
    for condition in conditions:
        at = names.index(condition["feature"])
        feat = truth.feats[at]
        found[at] = tuple(
            place for place in found[at]
            if accepts(feat, condition, rounded(feat, truth.points[at][place]))
        )  # fmt: skip
    return tuple(found)


def rounded(feat: Feat, point: Any) -> Any:
    return feat.rounded(point) if feat.ordered and point is not None else point


def freed(truth: Truth, places: Places, kept: tuple[int, ...]) -> Places:
    """The row when only some features are known."""
    return tuple(
        own if at in kept else whole
        for at, (own, whole) in enumerate(zip(places, truth.whole, strict=True))
    )


def enough(truth: Truth, places: Places, kept: tuple[int, ...]) -> bool:
    return len(truth.labels_in(freed(truth, places, kept))) == 1


def minimal_sets(truth: Truth, places: Places) -> list[frozenset[int]]:
    """All minimal sets of features whose values are enough for the class."""
    known = [at for at, own in enumerate(places) if own != truth.whole[at]]
    found: list[frozenset[int]] = []
    for size in range(len(known) + 1):
        for kept in itertools.combinations(known, size):
            if not any(one <= set(kept) for one in found) and enough(truth, places, kept):
                found.append(frozenset(kept))
    return found


def is_reason(truth: Truth, places: Places, term: Any, label: Any) -> frozenset[int]:
    """Raise if a term is no minimal, widest reason; give its features."""
    conditions = term.to_dict()
    names = [feat.name for feat in truth.feats]
    own = tuple(sorted(names.index(one["feature"]) for one in conditions))
    box = inside(truth, conditions)
    row = truth.row(places)
    for at in own:
        if not set(places[at]) <= set(box[at]):
            raise Wrong("a reason does not hold for its row", (row, str(term)), names[at])
    if truth.labels_in(box) != [label]:
        raise Wrong("a reason does not force its class", (row, str(term)), truth.labels_in(box))
    for at in own:
        if enough(truth, places, tuple(other for other in own if other != at)):
            raise Wrong("a feature of a reason can be left out", (row, str(term)), names[at])
        for place in wider(truth, at, box[at]):
            more = tuple(
                tuple(sorted({*side, *place})) if at == other else side
                for other, side in enumerate(box)
            )
            if truth.labels_in(more) == [label]:
                raise Wrong("a side of a reason can be wider", (row, str(term)),
                            (names[at], [truth.points[at][one] for one in place]))  # fmt: skip
    return frozenset(own)


def wider(truth: Truth, at: int, side: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """What can be added to a side: the next number on each end, or a value."""
    rest = [place for place in truth.whole[at] if place not in side]
    if not truth.feats[at].ordered:
        yield from ((place,) for place in rest)
        return
    numbers = [place for place in side if truth.points[at][place] is not None]
    for place in rest:
        if truth.points[at][place] is None or not numbers or {place - 1, place + 1} & {*numbers}:
            yield (place,)


def explains(truth: Truth, rng: Random) -> None:
    if truth.number:
        return
    names = [feat.name for feat in truth.feats]
    for places, label in certain_rows(truth, rng, 2):
        why = truth.ens.explain(truth.row(places), time_limit=TIME)
        same("explain: label", why.label, label)
        is_reason(truth, places, why.reason, label)
        sets = minimal_sets(truth, places)
        least = min(len(one) for one in sets)
        same("shortest", len(is_reason(truth, places, why.shortest, label)), least)
        necessary = frozenset.intersection(*sets)
        same("necessary", sorted(why.necessary), sorted(names[at] for at in necessary))
        same("relevant", sorted(why.relevant),
             sorted(names[at] for at in frozenset.union(*sets)))  # fmt: skip
        got = [is_reason(truth, places, one, label) for one in why.reasons()]
        same("reasons: one for each minimal set", sorted(map(sorted, got)),
             sorted(map(sorted, sets)))  # fmt: skip
        costs = {name: rng.choice([1, 2, 3, 7]) for name in names}
        cheapest = is_reason(truth, places, why.cheapest(costs), label)
        price = min(sum(costs[names[at]] for at in one) for one in sets)
        same("cheapest", sum(costs[names[at]] for at in cheapest), price)
        json.dumps(why.to_dict())
        str(why)


def changes(truth: Truth, rng: Random) -> None:
    if truth.number:
        return
    names = [feat.name for feat in truth.feats]
    for places, label in certain_rows(truth, rng, 3):
        why = truth.ens.explain(truth.row(places), time_limit=TIME)
        got = why.changes()
        known = [at for at, own in enumerate(places) if own != truth.whole[at]]
        expected: set[tuple[tuple[str, ...], Any]] = set()
        for size in range(1, len(known) + 1):
            for some in itertools.combinations(known, size):
                kept = tuple(at for at in known if at not in some)
                for other in truth.labels_in(freed(truth, places, kept)):
                    if other != label:
                        expected.add((tuple(sorted(names[at] for at in some)), other))
            if expected:
                break
        same("changes: which features, to which class",
             sorted({(tuple(sorted(one.features)), one.label) for one in got}),
             sorted(expected))  # fmt: skip
        for one in got:
            change_holds(truth, places, why, one)


def change_holds(truth: Truth, places: Places, why: Any, change: Any) -> None:
    names = [feat.name for feat in truth.feats]
    box = list(places)
    for name, side in change.ranges.items():
        at = names.index(name)
        own = tuple(
            place for place in truth.whole[at]
            if holds(truth.feats[at], side, truth.points[at][place])
        )  # fmt: skip
        if not own:
            raise Wrong("a change to no value", truth.row(places), change)
        box[at] = own
    for chosen in itertools.product(*(box[names.index(name)] for name in change.features)):
        new = list(places)
        for name, place in zip(change.features, chosen, strict=True):
            new[names.index(name)] = (place,)
        labels = truth.labels_in(tuple(new))
        if change.label not in labels or (change.certain and len(labels) > 1):
            raise Wrong("a change does not change", (truth.row(places), change), labels)
    after = why.row_after(change)
    if truth.replay([after]) != [change.label]:
        raise Wrong("row_after gets another class", (truth.row(places), change, after),
                    truth.replay([after]))  # fmt: skip


def holds(feat: Feat, side: Any, point: Any) -> bool:
    if not feat.ordered:
        return point in side.codes
    if point is None:
        return bool(side.nan)
    above = side.lower == -np.inf or side.lower < feat.rounded(point)
    return bool(above and feat.rounded(point) <= side.upper)


def one_tree(truth: Truth, rng: Random) -> None:
    """One tree that decides the same, and fewer trees that do."""
    expected = [truth.labels[code] for code in truth.said.ravel().tolist()]
    try:
        tree = truth.ens.to_tree(time_limit=TIME)
    except ol.Undecided:
        if not truth.number and not truth.close(truth.whole):
            raise Wrong("to_tree: undecided without need", truth.ens.kernel.rule) from None
    else:
        got = plain(tree.predict(truth.complete))
        if truth.number and tree.task != "regression":
            raise Wrong("to_tree of numbers", tree.task, "regression")
        for row, one, other in zip(truth.complete, got, expected, strict=True):
            if not truth.equal(one, other):
                raise Wrong("to_tree", (row, one), other)
    if truth.number or truth.close(truth.whole):
        return
    fewer = truth.ens.without_idle_trees(time_limit=TIME)
    got = plain(fewer.predict(truth.complete))
    for row, one, other in zip(truth.complete, got, expected, strict=True):
        if one != other:
            raise Wrong("without_idle_trees", (row, one, fewer.n_trees), other)


def written(truth: Truth, rng: Random) -> None:
    """JSON and pickle keep everything."""
    ens = truth.ens
    rows = [truth.row(one) for one in some_rows(truth, rng, 20)]
    for name, other in (
        ("JSON", ol.Ensemble.from_json(ens.to_json())),
        ("pickle", pickle.loads(pickle.dumps(ens))),
    ):
        same(f"{name}: equal", other == ens, True)
        same(f"{name}: the same bytes", other.to_json(), ens.to_json())
        same(f"{name}: predict", plain(other.predict(rows, time_limit=TIME)),
             plain(ens.predict(rows, time_limit=TIME)))  # fmt: skip


def compared(truth: Truth, rng: Random) -> None:
    """A copy with a changed leaf, or another threshold, beside the first."""
    ens = truth.ens
    content = json.loads(ens.to_json())
    changed(content, rng)
    try:
        other = ol.Ensemble.from_json(json.dumps(content))
    except ol.errors.InvalidTree:
        return
    rows = truth.complete
    one, two = plain(ens.predict(rows)), plain(other.predict(rows))
    apart = [at for at, (a, b) in enumerate(zip(one, two, strict=True))
             if a is not None and b is not None and a != b]  # fmt: skip
    try:
        equal = ol.equivalent(ens, other, time_limit=TIME)
        row = ol.counterexample(ens, other, time_limit=TIME)
    except ol.Undecided as fault:
        if ens.kernel.rule.window == 0 and ens.kernel.whole.slack.max() == 0:
            raise Wrong("equivalent: undecided without need", str(fault)) from fault
        return
    same("counterexample and equivalent", row is None, equal)
    if row is None:
        if apart and ens.kernel.whole.slack.max() == 0 and not truth.number:
            raise Wrong("equivalent, but this row differs", rows[apart[0]], one[apart[0]])
        return
    row = truth.as_row(row)
    first, second = plain(ens.predict([row]))[0], plain(other.predict([row]))[0]
    if first == second:
        raise Wrong("no counterexample", row, (first, second))
    if not truth.equal(truth.replay([row])[0], first):
        raise Wrong("a counterexample, through the library", row, (first, truth.replay([row])))
    if not apart:
        raise Wrong("counterexample, but no cell differs", row, (first, second))


def changed(content: dict[str, Any], rng: Random) -> None:
    """Change one leaf, or one threshold to another of its feature, or the order."""
    tree = rng.choice(content["trees"])
    way = rng.choice(["leaf", "leaf", "cut", "order", "twice"])
    if way == "leaf":
        leaf = rng.choice(tree["values"])
        at = tree.get("score", rng.randrange(len(leaf)))
        leaf[at] = float(np.float32(rng.choice([0.0, -leaf[at], leaf[at] * 2, leaf[at] + 0.25])))
    elif way == "cut":
        inner = [at for at, number in enumerate(tree["feature"]) if number >= 0]
        if inner:
            at = rng.choice(inner)
            cuts = [
                cut
                for every in content["trees"]
                for number, cut in zip(every["feature"], every["threshold"], strict=True)
                if number == tree["feature"][at]
            ]
            tree["threshold"][at] = rng.choice(cuts)
    elif way == "order":
        rng.shuffle(content["trees"])
    else:
        content["trees"].append(json.loads(json.dumps(tree)))


CHECKS = (explains, changes, one_tree, written, compared)
