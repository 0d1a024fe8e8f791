"""Random pairs of trees that are the same function, made by rewriting one of them.

A tree is ("leaf", class) or (feature, test, yes, no); a test is (threshold, whether NaN holds) or
(frozenset of value numbers, False).
"""

from __future__ import annotations

import random
from typing import Any

import orderless as ol

Part = tuple[Any, ...]
CATEGORIES = (list("abcde"), [3, 1, 2], list("zyxwvut"), [str(i) for i in range(20)])
KINDS = ("categorical",) * 4 + ("boolean", "integer", "float64", "float32")


def random_space(rng: random.Random) -> ol.Space:
    features = []
    for i in range(rng.randint(2, 5)):
        name, kind = f"{rng.choice('uvwxyz')}{i}", rng.choice(KINDS)
        nan = kind != "boolean" and rng.random() < 0.3
        if kind == "categorical":
            given = {"categories": tuple(rng.choice(CATEGORIES)), "other": rng.random() < 0.2}
            features.append(ol.Feature(name, "categorical", nan=nan, **given))
        elif kind == "boolean":
            features.append(ol.Feature(name, "boolean"))
        else:
            features.append(ol.Feature(name, values=kind, nan=nan))
    return ol.Space(features)


def random_test(rng: random.Random, feature: ol.Feature) -> tuple[Any, bool]:
    if not feature.ordered:
        return frozenset(c for c in range(feature.n_values) if rng.random() < 0.5), False
    if feature.kind == "boolean":
        return 0.0, False
    cuts = [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, *([float("inf")] if feature.nan else [])]
    return rng.choice(cuts), feature.nan and rng.random() < 0.5


def random_part(rng: random.Random, space: ol.Space, depth: int, n_classes: int) -> Part:
    """A tree that tells few values of a feature apart: each has only a few tests."""
    tests = [[random_test(rng, feature) for _ in range(3)] for feature in space.features]

    def grow(depth: int) -> Part:
        if depth == 0 or rng.random() < 0.08:
            return ("leaf", rng.randrange(n_classes))
        i = rng.randrange(len(space))
        return (i, rng.choice(tests[i][: rng.randint(1, 3)]), grow(depth - 1), grow(depth - 1))

    return grow(depth)


def n_leaves(part: Part) -> int:
    return 1 if part[0] == "leaf" else n_leaves(part[2]) + n_leaves(part[3])


def rewritten(rng: random.Random, space: ol.Space, part: Part) -> Part:
    """The same function: sets asked in pieces or the other way round, questions in other orders."""
    if part[0] == "leaf":
        return part
    i, (what, nan), yes, no = part
    yes, no = (rewritten(rng, space, side) for side in (yes, no))
    luck = rng.random()
    if isinstance(what, frozenset) and luck < 0.4 and len(what) > 1:
        values = rng.sample(sorted(what), len(what))
        k = rng.randint(1, len(values) - 1)
        rest = (i, (frozenset(values[k:]), False), yes, no)
        return (i, (frozenset(values[:k]), False), yes, rest)
    if isinstance(what, frozenset) and luck < 0.6:
        return (i, (frozenset(range(space.features[i].n_values)) - what, False), no, yes)
    if luck < 0.3 and yes[0] != "leaf":  # the child's question first
        j, asked, first, second = yes
        return (j, asked, (i, (what, nan), first, no), (i, (what, nan), second, no))
    return (i, (what, nan), yes, no)


def with_idle_question(rng: random.Random, space: ol.Space, part: Part) -> Part:
    """The same function, asking somewhere what does not matter."""
    if part[0] == "leaf" or rng.random() < 0.3:
        sets = [i for i, feature in enumerate(space.features) if not feature.ordered]
        i = rng.choice(sets) if sets and rng.random() < 0.7 else rng.randrange(len(space))
        return (i, random_test(rng, space.features[i]), part, part)
    sides = [part[2], part[3]]
    which = rng.randrange(2)
    sides[which] = with_idle_question(rng, space, sides[which])
    return (part[0], part[1], *sides)


def tree_of(space: ol.Space, classes: list[Any], root: Part) -> ol.Tree:
    names = ("feature", "threshold", "when_true", "when_false", "leaf_class", "nan_true")
    arrays: dict[str, list[Any]] = {name: [] for name in names}
    sets: dict[int, list[int]] = {}

    def add(part: Part) -> int:
        node = len(arrays["feature"])
        for name in names:
            arrays[name].append(0 if name in ("threshold", "nan_true") else -1)
        if part[0] == "leaf":
            arrays["leaf_class"][node] = part[1]
            return node
        i, (what, nan), yes, no = part
        arrays["feature"][node] = i
        if isinstance(what, frozenset):
            sets[node] = sorted(what)
        else:
            arrays["threshold"][node], arrays["nan_true"][node] = what, int(nan)
        arrays["when_true"][node] = add(yes)
        arrays["when_false"][node] = add(no)
        return node

    add(root)
    return ol.Tree(space, classes, sets=sets, **arrays)


def equivalent_pair(seed: int, most_leaves: int = 80) -> tuple[ol.Tree, ol.Tree]:
    """Two trees of different shape that are the same function."""
    rng = random.Random(seed)
    space, n_classes = random_space(rng), rng.choice([2, 2, 3])
    one = random_part(rng, space, rng.randint(4, 6), n_classes)
    other = rewritten(rng, space, one)
    for _ in range(rng.randint(1, 6)):
        if n_leaves(other) <= most_leaves:
            other = with_idle_question(rng, space, other)
    classes = list(range(n_classes))
    return tree_of(space, classes, one), tree_of(space, classes, other)
