"""Random sums of trees, and what each completion gets: by hand, one addition after the other.

A tree is a nested tuple over features by number: a leaf is (number of its values,), a split is
(feature, test, where NaN goes, yes, no); a test is a number (at most it) or a frozenset.
"""

import itertools
import math

import numpy as np

import orderless as ol
from orderless import Ensemble
from orderless.api import wrap
from orderless.model import Adding, Rule, as_sum


def as_ensemble(model):
    """The same tree as a sum of one."""
    return wrap(as_sum(ol.read(model).kernel))


FEATURES = (
    ol.Feature("größe"),
    ol.Feature('a "quoted" name', values="float32"),
    ol.Feature("count", values="integer"),
    ol.Feature("</script>", "boolean"),
    ol.Feature("color", "categorical", categories=("red", "green", "it's"), other=True),
    ol.Feature("lab value", nan=True),
    ol.Feature("code", "categorical", categories=(1, 2, 3, 4), nan=True),
)
CUTS = {"float64": (0.0, 0.1, 0.3, 1.0), "float32": (0.1, 0.5, -2.0), "integer": (0.0, 1.0, 2.5)}
PARTS = (0.1, 0.2, 0.3, -0.3, 0.7, -0.1, 0.5, -0.5, 1.0, 0.0, 1e-9, 0.6000000000000001)
LABELS = (("no", "yes"), (0, 1, 2), ("a", "b", "c", "d"))


def values_of(feature):
    """One value for each bin that the cuts can make, those at and just beyond the cuts."""
    if feature.kind == "boolean":
        return [0, 1]
    if feature.kind == "categorical":
        return [*feature.categories, *["never seen"] * feature.other, *[math.nan] * feature.nan]
    out = {-9.0}
    for cut in CUTS[feature.values]:
        if feature.values == "integer":
            out |= {math.floor(cut), math.floor(cut) + 1}
        elif feature.values == "float32":
            near = np.float32(cut)
            out |= {float(near), float(np.nextafter(near, np.float32(9)))}
            out.add(float(np.nextafter(near, np.float32(-9))))
        else:
            out |= {cut, math.nextafter(cut, 9)}
    return [*sorted(out), *[math.nan] * feature.nan]


def holds(feature, test, missing, value):
    if isinstance(test, frozenset):
        return ("other" if value == "never seen" else value) in test or (value != value and missing)
    if value != value:
        return missing
    return (float(np.float32(value)) if feature.values == "float32" else value) <= test


def leaf_of(tree, features, row):
    while len(tree) > 1:
        i, test, missing, yes, no = tree
        tree = yes if holds(features[i], test, missing, row[i]) else no
    return tree[0]


def draw_tree(rng, features, depth, count):
    if depth == 0 or rng.random() < 0.15:
        return (next(count),)
    i = int(rng.integers(len(features)))
    feature = features[i]
    if feature.kind == "boolean":
        test = 0.5
    elif feature.kind == "categorical":
        every = [*feature.categories, *["other"] * feature.other]
        test = frozenset(value for value in every if rng.random() < 0.5)
    else:
        test = float(rng.choice(CUTS[feature.values]))
    missing = bool(rng.random() < 0.5)
    yes = draw_tree(rng, features, depth - 1, count)
    return (i, test, missing, yes, draw_tree(rng, features, depth - 1, count))


def as_tree(tree, space, n_leaves):
    nodes = {"feature": [], "threshold": [], "nan_true": [], "when_true": [], "when_false": [],
             "leaf_class": []}  # fmt: skip
    sets = {}

    def add(one):
        at = len(nodes["feature"])
        split = len(one) > 1
        i, test, missing = one[:3] if split else (-1, 0.0, False)
        codes = isinstance(test, frozenset)
        for name, value in zip(nodes, (i, 0.0 if codes else test, missing and not codes, -1, -1,
                                       -1 if split else one[0]), strict=True):  # fmt: skip
            nodes[name].append(value)
        if codes:
            own = space.features[i]
            every = [*own.categories, *["other"] * own.other]
            sets[at] = [code for code, value in enumerate(every) if value in test]
            sets[at] += [own.n_values - 1] if own.nan and missing else []
        if split:
            nodes["when_true"][at] = add(one[3])
            nodes["when_false"][at] = add(one[4])
        return at

    add(tree)
    return ol.Tree(space, list(range(n_leaves)), sets=sets, **nodes)


class Sum:
    """A random sum of trees, as we build it and as it is added up by hand."""

    def __init__(self, rng, n_features=3, n_trees=4, depth=3, window=0.0):
        picks = rng.permutation(len(FEATURES))[:n_features]
        self.features = [FEATURES[i] for i in picks]
        space = ol.Space(self.features)
        self.kind = str(rng.choice(["shares", "rounds", "cuts", "number"]))
        self.classes = LABELS[int(rng.integers(len(LABELS)))]
        n = len(self.classes) if self.kind in ("shares", "rounds") else 1
        self.single = bool(rng.random() < 0.4)
        self.trees, self.values = [], []
        self.scores = [t % n for t in range(n_trees)] if self.kind == "rounds" else None
        for t in range(n_trees):
            count = itertools.count()
            self.trees.append(draw_tree(rng, self.features, depth, count))
            own = rng.choice(PARTS, (next(count), n))
            if self.kind == "shares" and rng.random() < 0.5:
                own = np.eye(n)[rng.integers(n, size=len(own))] * 0.5  # ties
            if self.scores is not None:
                own = own * (np.arange(n) == self.scores[t])
            self.values.append(own.astype(np.float32).astype(float) if self.single else own)
        base = tuple(float(np.float32(x)) for x in rng.choice([0.0, 0.5, -0.25], n))
        cuts = tuple(sorted({0.0, *rng.choice(PARTS, len(self.classes) - 2)}))
        if self.kind == "cuts":
            self.classes = self.classes[: len(cuts) + 1]
        self.adding = Adding("float32" if self.single else "float64", base,
                             bool(rng.random() < 0.3),
                             float(n_trees) if self.kind == "shares" else 1.0)  # fmt: skip
        kinds = {"cuts": Rule("cuts", cuts, window), "number": Rule("number")}
        either = bool(window) and bool(rng.integers(2))
        self.rule = kinds.get(self.kind, Rule("largest", (), window, either))
        trees = [as_tree(tree, space, len(own))
                 for tree, own in zip(self.trees, self.values, strict=True)]  # fmt: skip
        self.ensemble = Ensemble(
            trees, self.values, scores=self.scores, adding=self.adding, rule=self.rule,
            classes=None if self.kind == "number" else self.classes,
        )  # fmt: skip

    def sums(self, row):
        """Add up as the library does."""
        kind = np.float32 if self.single else np.float64
        base = [kind(x) for x in self.adding.base]
        out = [kind(0)] * len(base) if self.adding.base_last else base
        for tree, values in zip(self.trees, self.values, strict=True):
            leaf = values[leaf_of(tree, self.features, row)]
            out = [a + kind(b) for a, b in zip(out, leaf, strict=True)]
        if self.adding.base_last:
            out = [a + b for a, b in zip(out, base, strict=True)]
        return out

    def label(self, row):
        """Give the class, -1 where the window hides it."""
        own = self.sums(row)
        if self.rule.kind == "cuts":
            if (
                self.rule.window
                and min(abs(float(own[0]) - c) for c in self.rule.cuts) <= self.rule.window
            ):
                return -1
            return sum(float(own[0]) > cut for cut in self.rule.cuts)
        divided = [x / type(x)(self.adding.divisor) for x in own]
        best = max(range(len(own)), key=lambda k: (divided[k], -k))
        if self.rule.window and any(abs(float(own[best]) - float(x)) <= self.rule.window
                                    for k, x in enumerate(own)
                                    if k < best or (self.rule.either and k > best)):  # fmt: skip
            return -1
        return best

    def partial(self, rng):
        """Give a row with gaps, ranges and sets, as a dict, and what is allowed, by feature."""
        row, allowed = {}, {}
        for i, feature in enumerate(self.features):
            values = values_of(feature)
            one = values[int(rng.integers(len(values)))]
            how = rng.random()
            if how < 0.35:
                row[feature.name], allowed[i] = one, [one]
            elif how < 0.45 and feature.kind == "numeric" and one == one:
                row[feature.name] = {"from": one}
                allowed[i] = [value for value in values if value >= one]
            elif how < 0.45 and feature.kind == "categorical":
                some = [*{*values[:2]}]
                row[feature.name], allowed[i] = some, some
        return row, allowed

    def completions(self, allowed):
        """Give the rows that are allowed."""
        every = (allowed.get(i, values_of(feature)) for i, feature in enumerate(self.features))
        return list(itertools.product(*every))
