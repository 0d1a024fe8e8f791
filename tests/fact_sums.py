"""Random ensembles over spaces with facts, and what they say of complete rows, in plain Python."""

import random

from fact_cases import case, decide, nested

import orderless as ol
from orderless.model.ensemble import Adding, Rule


def numbered(spec, count):
    """The same tree, with leaves numbered in the order of a walk."""
    if "prediction" in spec:
        count[0] += 1
        return {"prediction": count[0] - 1}
    return {**spec, "true": numbered(spec["true"], count), "false": numbered(spec["false"], count)}


class Drawn:
    """A random ensemble over a space with facts, and what it says of complete rows."""

    def __init__(self, seed, rule, *, rough=False, real=False):
        self.found = case(seed, real=real)
        r = random.Random(seed)
        n_scores = r.randint(2, 3) if rule == "largest" else 1
        self.specs, self.values = [], []
        for _ in range(r.randint(1, 4)):
            count = [0]
            spec = numbered(nested(r, self.found.kinds, [0], 3), count)
            self.specs.append(spec)
            self.values.append([[r.random() if rough else r.randint(-2, 2) / 4
                                 for _ in range(n_scores)] for _ in range(count[0])])  # fmt: skip
        self.rule, self.cuts = rule, (-0.25, 0.5) if rule == "cuts" else ()
        self.classes = {"largest": ["p", "q", "r"][:n_scores], "cuts": ["x", "y", "z"],
                        "number": None}[rule]  # fmt: skip
        self.n_scores = n_scores

    def model(self):
        space = self.found.space()
        trees = []
        for spec, own in zip(self.specs, self.values, strict=True):
            tree = ol.read(spec, space=space)
            trees.append(tree.replace(classes=range(len(own))))
        return ol.Ensemble(trees, self.values, classes=self.classes,
                           adding=Adding(base=(0.0,) * self.n_scores),
                           rule=Rule(self.rule, cuts=self.cuts))  # fmt: skip

    def sums(self, row):
        out = [0.0] * self.n_scores
        for spec, own in zip(self.specs, self.values, strict=True):
            for s, value in enumerate(own[decide(spec, row)]):
                out[s] += value
        return out

    def says(self, row):
        sums = self.sums(row)
        if self.rule == "largest":
            return self.classes[sums.index(max(sums))]
        if self.rule == "cuts":
            return self.classes[sum(sums[0] > cut for cut in self.cuts)]
        return sums[0]
