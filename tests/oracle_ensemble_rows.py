"""Brute force for ensembles by rows: every completion of a row, walked down tree by tree.

It shares nothing with the package but the trees' thresholds: no bins, no boxes, no whole numbers.

    Leaf  = ("leaf", number)
    Split = ("split", feature, test, whether NaN goes there, yes, no)
    test  = a number (value at most it) or a frozenset (value in it)
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import orderless as ol
from orderless import Ensemble
from orderless.model import Adding, Rule

from .oracle import as_float32, float32_neighbours

NAMES = ("age", "blood pressure", 'a "quoted" name', "größe")
CATEGORIES = (("red", "green", "blue"), (1, 2, 3, 4), ("one", "two"))


@dataclass
class Case:
    """A small ensemble as nested tuples, and the same as an ``Ensemble``."""

    kinds: dict[str, Any]
    nan: set[str]
    trees: list[Any]
    values: list[Any]
    scores: list[int]
    classes: tuple[Any, ...] | None
    adding: Adding
    rule: Rule
    link: str = "identity"
    every: dict[str, list[Any]] = field(default_factory=dict)

    def __post_init__(self):
        self.every = self.values_by_feature()

    # -- by hand ---------------------------------------------------------------------------------

    def leaf(self, tree, row):
        while tree[0] == "split":
            _, name, test, nan_true, yes, no = tree
            value = row[name]
            if isinstance(value, float) and math.isnan(value):
                holds = nan_true
            elif isinstance(test, frozenset):
                holds = value in test
            else:
                holds = (as_float32(value) if self.kinds[name] == "float32" else value) <= test
            tree = yes if holds else no
        return tree[1]

    def sums(self, row):
        kind = np.float32 if self.adding.precision == "float32" else np.float64
        out = [kind(0.0 if self.adding.base_last else b) for b in self.adding.base]
        for tree, values, only in zip(self.trees, self.values, self.scores, strict=True):
            own = values[self.leaf(tree, row)]
            for s in range(len(out)):
                if only in (-1, s):
                    out[s] = kind(out[s] + kind(own[s]))
        if self.adding.base_last:
            out = [kind(a + kind(b)) for a, b in zip(out, self.adding.base, strict=True)]
        return out

    def says(self, row):
        """Give the class, or the number, of a complete row."""
        sums = self.sums(row)
        kind = type(sums[0])
        if self.rule.kind == "largest":
            means = [s / kind(self.adding.divisor) for s in sums]
            return self.classes[means.index(max(means))]
        if self.rule.kind == "cuts":
            return self.classes[sum(float(sums[0]) > cut for cut in self.rule.cuts)]
        number = float(sums[0] / kind(self.adding.divisor))
        return float(np.exp(number)) if self.link == "exp" else number

    def scores_of(self, row):
        sums = self.sums(row)
        return [float(s / type(s)(self.adding.divisor)) for s in sums]

    def shares(self, row):
        scores = self.scores_of(row)
        if self.link == "logistic":
            share = 1 / (1 + math.exp(-scores[0]))
            return [1 - share, share]
        if self.link == "softmax":
            powers = [math.exp(s) for s in scores]
            return [p / sum(powers) for p in powers]
        return scores

    def tests_of(self, tree):
        if tree[0] == "split":
            yield tree[1], tree[2]
            yield from self.tests_of(tree[4])
            yield from self.tests_of(tree[5])

    def values_by_feature(self):
        """Give for each feature enough values: at least one in every bin, and next to its ends."""
        out = {}
        for name, kind in self.kinds.items():
            if kind == "boolean":
                values = [False, True]
            elif isinstance(kind, tuple):
                values = list(kind)
            else:
                numbers = {0.0}
                for tree in self.trees:
                    for tested, cut in self.tests_of(tree):
                        if tested != name:
                            continue
                        if kind == "integer":
                            numbers |= {float(math.floor(cut)), math.floor(cut) + 1.0}
                        elif kind == "float64":
                            numbers |= {cut, math.nextafter(cut, math.inf)}
                        else:
                            near = as_float32(cut)
                            numbers |= {near, *float32_neighbours(near)}
                values = sorted(numbers)
            out[name] = values + ([math.nan] if name in self.nan else [])
        return out

    def completions(self, row):
        """Give every completion of a row: what it has, and all values of what it has not."""
        sides = [[row[name]] if name in row else self.every[name] for name in self.kinds]
        return [dict(zip(self.kinds, values, strict=True)) for values in itertools.product(*sides)]

    # -- as the package has it -------------------------------------------------------------------

    @property
    def space(self):
        features = []
        for name, kind in self.kinds.items():
            nan = name in self.nan
            if isinstance(kind, tuple):
                features.append(ol.Feature(name, "categorical", categories=kind, nan=nan))
            elif kind == "boolean":
                features.append(ol.Feature(name, "boolean"))
            else:
                features.append(ol.Feature(name, values=kind, nan=nan))
        return ol.Space(features)

    def ensemble(self, space=None):
        space = self.space if space is None else space
        trees = [self._tree(tree, values, space) for tree, values in
                 zip(self.trees, self.values, strict=True)]  # fmt: skip
        return Ensemble(trees, self.values, scores=self.scores, classes=self.classes,
                        adding=self.adding, rule=self.rule, link=self.link)  # fmt: skip

    def _tree(self, tree, values, space):
        arrays = {name: [] for name in ("feature", "threshold", "when_true", "when_false",
                                        "leaf_class", "nan_true")}  # fmt: skip
        sets = {}

        def write(node):
            at = len(arrays["feature"])
            for name, own in arrays.items():
                own.append(0 if name in ("threshold", "nan_true") else -1)
            if node[0] == "leaf":
                arrays["leaf_class"][at] = node[1]
                return at
            _, name, test, nan_true, yes, no = node
            feature = space[name]
            arrays["feature"][at] = space.index(name)
            arrays["nan_true"][at] = int(nan_true)
            if isinstance(test, frozenset) and feature.kind == "boolean":
                # "at most 0" is "false": the condition is turned round
                arrays["threshold"][at] = 0.5
                yes, no = (no, yes) if test == frozenset([True]) else (yes, no)
            elif isinstance(test, frozenset):
                codes = [feature.categories.index(label) for label in test]
                sets[at] = sorted(codes + ([feature.n_values - 1] if nan_true else []))
            else:
                arrays["threshold"][at] = float(test)
            arrays["when_true"][at] = write(yes)
            arrays["when_false"][at] = write(no)
            return at

        write(tree)
        return ol.Tree(space, range(len(values)), sets=sets, **arrays)


def draw(seed, *, rule=None, features=4, trees=5, depth=3, kind=None, nan=True):
    """Draw a small case with all that can be in one."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, features + 1))
    names = random.permutation(NAMES)[:n].tolist()
    kinds: dict[str, Any] = {}
    for name in names:
        which = int(random.integers(5))
        kinds[name] = (
            CATEGORIES[int(random.integers(len(CATEGORIES)))]
            if which == 4
            else ("float64", "float32", "integer", "boolean")[which]
        )
    unknown = {name for name in names if nan and kinds[name] != "boolean" and random.random() < 0.3}
    rule_kind = rule or str(random.choice(["largest", "largest", "cuts", "number"]))
    n_scores = int(random.integers(2, 5)) if rule_kind == "largest" else 1
    kind = kind or str(random.choice(["points", "shares", "floats", "single"]))
    single = kind == "single"

    def value():
        if kind == "points":
            return float(random.integers(-2, 3))
        number = random.integers(0, 4) / 3 if kind == "shares" else random.normal()
        return float(np.float32(number)) if single else float(number)

    def grow(levels, count):
        if levels == 0 or random.random() < 0.15:
            count.append(len(count))
            return ("leaf", count[-1])
        name = names[int(random.integers(n))]
        own = kinds[name]
        if own == "boolean":
            test = frozenset([True])
        elif isinstance(own, tuple):
            test = frozenset(c for c in own if random.random() < 0.5)
        else:
            test = float(random.choice([0.1, 0.5, 1.0, 2.0, 2.5, -3.0, 1e-30]))
        nan_true = bool(name in unknown and random.random() < 0.5)
        return ("split", name, test, nan_true, grow(levels - 1, count), grow(levels - 1, count))

    drawn, values, scores = [], [], []
    one_each = random.random() < 0.3
    for _ in range(int(random.integers(1, trees + 1))):
        count: list[int] = []
        drawn.append(grow(int(random.integers(1, depth + 1)), count))
        only = int(random.integers(n_scores)) if one_each else -1
        scores.append(only)
        values.append(
            [[value() if only in (-1, s) else 0.0 for s in range(n_scores)] for _ in count]
        )
    base = tuple(value() if random.random() < 0.4 else 0.0 for _ in range(n_scores))
    adding = Adding("float32" if single else "float64", base, bool(random.random() < 0.3),
                    float(len(drawn)) if random.random() < 0.4 else 1.0)  # fmt: skip
    labels: Any = [("no", "yes", "maybe", "other"), (0, 1, 2, 3), (0.5, 1.5, 2.5, 7.0)]
    classes: Any = labels[int(random.integers(3))][: max(2, n_scores)]
    case = Case(kinds, unknown, drawn, values, scores, classes, adding, Rule("largest"))
    return with_rule(case, rule_kind, random)


def with_rule(case, kind, random):
    """Give a case its rule, and a link."""
    if kind == "cuts":
        case.rule = Rule("cuts", (0.0,))
        rows = case.completions({})
        sums = sorted({float(case.sums(rows[int(random.integers(len(rows)))])[0])
                       for _ in range(5)})  # fmt: skip
        case.rule = Rule("cuts", tuple(sums[: len(case.classes) - 1] or [0.0]))
        case.link = "logistic"
    elif kind == "number":
        case.rule, case.classes = Rule("number"), None
        case.link = str(random.choice(["identity", "exp"]))
    elif random.random() < 0.5:
        case.link = "softmax"
    return case


def partial_row(case, random):
    """Give a row in which some features are not mentioned, and so unknown."""
    row = {}
    for name, values in case.every.items():
        if random.random() < 0.5:
            row[name] = values[int(random.integers(len(values)))]
    return row
