"""Brute force for sums of trees: every cell of a box, added up by numpy as a library adds."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from orderless._core import ensembles as core
from orderless.model import BinNodes, Layout
from orderless.model.ensemble import Adding, whole_numbers

RULES = {"largest": 0, "cuts": 1, "number": 2}


@dataclass
class Drawn:
    """A sum of trees over bins: nested tuples, and how it is added up.

    A leaf is an array of values by score; an inner node is (feature, bins for which the condition
    holds, cut or None, whether NaN goes there, yes, no).
    """

    ordered: list[bool]
    nan: list[bool]
    n_bins: list[int]
    trees: list[Any]
    scores: list[int]
    adding: Adding
    rule: str
    cuts: tuple[float, ...]
    window: int
    n_classes: int
    either: bool = False

    @property
    def widths(self):
        return [n + (o and a) for n, o, a in zip(self.n_bins, self.ordered, self.nan, strict=True)]

    @property
    def whole(self):
        return whole_numbers([np.array(list(leaves(t))) for t in self.trees], self.adding)

    def sum(self):
        """Give the same as the core's."""
        lists: dict[str, list[Any]] = {name: [] for name in BinNodes._fields}
        lists["set_start"].append(0)
        values: list[Any] = []
        roots = [self._write(tree, lists, values) for tree in self.trees]
        kinds = dict.fromkeys(BinNodes._fields, np.int32) | {
            "nan_true": np.uint8,
            "set_start": np.int64,
        }
        nodes = BinNodes(**{name: np.array(lists[name], kinds[name]) for name in lists})
        layout = Layout(
            np.array(self.ordered, np.uint8),
            np.array(self.nan, np.uint8),
            np.array(self.n_bins, np.int32),
        )
        whole = self.whole
        unit = 2.0**whole.exponent
        return core.Sum(
            nodes,
            layout,
            np.array(roots, np.int32),
            np.array(self.scores, np.int32),
            np.array(values, np.float64),
            whole.values,
            np.array(self.adding.base, np.float64),
            whole.base,
            whole.slack,
            self.adding.precision == "float32",
            self.adding.base_last,
            self.adding.divisor,
            RULES[self.rule],
            np.array(self.cuts, np.float64),
            np.array([int(np.floor(cut / unit)) for cut in self.cuts], np.int64),
            self.window * unit,
            self.window,
            self.either,
            self.n_classes,
        )

    def _write(self, tree, lists, values):
        at = len(lists["feature"])
        inner = isinstance(tree, tuple)
        feature, bins, cut, nan_true, yes, no = tree if inner else (-1, (), None, False, None, None)
        lists["feature"].append(feature)
        lists["cut"].append(-1 if cut is None else cut)
        lists["nan_true"].append(nan_true)
        for name in ("when_true", "when_false"):
            lists[name].append(-1)
        lists["leaf_class"].append(-1 if inner else len(values))
        if inner and cut is None:
            lists["set_bins"].extend(bins)
        lists["set_start"].append(len(lists["set_bins"]))
        if not inner:
            values.append(tree)
            return at
        lists["when_true"][at] = self._write(yes, lists, values)
        lists["when_false"][at] = self._write(no, lists, values)
        return at

    # -- by brute force --------------------------------------------------------------------------

    def scores_of(self, cell):
        """Add up as the library does: one rounded addition after the other."""
        kind = np.float32 if self.adding.precision == "float32" else np.float64
        sums = [kind(0 if self.adding.base_last else base) for base in self.adding.base]
        for tree, only in zip(self.trees, self.scores, strict=True):
            leaf = reached(tree, cell)
            for s in range(len(sums)):
                if only in (-1, s):
                    sums[s] = kind(sums[s] + kind(leaf[s]))
        if self.adding.base_last:
            sums = [kind(a + kind(b)) for a, b in zip(sums, self.adding.base, strict=True)]
        return [float(a) for a in sums]

    def whole_of(self, cell):
        """Add up in whole numbers."""
        whole = self.whole
        first = 0
        sums = [int(base) for base in whole.base]
        for tree in self.trees:
            own = list(leaves(tree))
            leaf = reached(tree, cell)
            at = next(i for i, other in enumerate(own) if other is leaf)
            for s in range(len(sums)):
                sums[s] += int(whole.values[first + at, s])
            first += len(own)
        return sums

    def label_of(self, cell):
        """Give the class; -1 where the window leaves it open."""
        sums = self.scores_of(cell)
        whole, slack = self.whole_of(cell), self.whole.slack.tolist()
        unit = 2.0**self.whole.exponent
        if self.rule == "largest":
            kind = np.float32 if self.adding.precision == "float32" else np.float64
            shares = [kind(own) / kind(self.adding.divisor) for own in sums]
            best = shares.index(max(shares))
            near = [
                s
                for s in range(len(sums))
                if (s < best or (self.either and s > best))
                and sums[best] - sums[s] <= self.window * unit
            ]
            return -1 if self.window and near else best
        for cut in self.cuts:
            if self.window and not (
                whole[0] - slack[0] - self.window > cut / unit
                or whole[0] + slack[0] + self.window <= np.floor(cut / unit)
            ):
                return -1
        return sum(sums[0] > cut for cut in self.cuts)

    def cells(self, box):
        """Give every cell of a box: flags of all bins."""
        ends = np.cumsum([0, *self.widths])
        sides = [np.flatnonzero(box[a:b]).tolist() for a, b in itertools.pairwise(ends)]
        return list(itertools.product(*sides))


def leaves(tree):
    """Give the leaves of a tree in the order in which it is written."""
    if not isinstance(tree, tuple):
        yield tree
        return
    yield from leaves(tree[4])
    yield from leaves(tree[5])


def reached(tree, cell):
    """Walk a cell down to its leaf."""
    while isinstance(tree, tuple):
        feature, bins, _, _, yes, no = tree
        tree = yes if cell[feature] in bins else no
    return tree


def draw(random, *, rule=None, most_features=4, most_trees=6, depth=3):
    """Draw a small sum of trees with all that can be in one."""
    n = int(random.integers(1, most_features + 1))
    ordered = [bool(random.random() < 0.7) for _ in range(n)]
    nan = [bool(o and random.random() < 0.4) for o in ordered]
    n_bins = [int(random.integers(2, 6)) for _ in range(n)]
    rule = rule or str(random.choice(["largest", "cuts"]))
    n_scores = int(random.integers(2, 5)) if rule == "largest" else 1
    kind = str(random.choice(["points", "shares", "floats"]))
    single = bool(random.random() < 0.5)

    def value():
        if kind == "points":
            return float(random.integers(-3, 4))
        if kind == "shares":
            return float(random.integers(0, 4) / 3)
        return float(random.normal() * 10.0 ** random.integers(-2, 3))

    def rounded(number):
        return float(np.float32(number)) if single else float(number)

    def leaf(only):
        return np.array([rounded(value()) if only in (-1, s) else 0.0 for s in range(n_scores)])

    def grow(levels, only):
        if levels == 0 or random.random() < 0.15:
            return leaf(only)
        f = int(random.integers(n))
        nan_true = bool(nan[f] and random.random() < 0.5)
        cut = None
        if ordered[f]:
            cut = int(random.integers(-1, n_bins[f]))
            bins = {*range(cut + 1), *([n_bins[f]] if nan_true else [])}
        else:
            bins = {b for b in range(n_bins[f]) if random.random() < 0.5}
        yes = grow(levels - 1, only)
        return (
            f,
            bins,
            cut,
            nan_true,
            yes,
            yes if random.random() < 0.03 else grow(levels - 1, only),
        )

    n_trees = int(random.integers(1, most_trees + 1))
    one_each = bool(random.random() < 0.4)
    scores = [int(random.integers(n_scores)) if one_each else -1 for _ in range(n_trees)]
    trees = [copied(grow(depth, only)) for only in scores]
    base = tuple(rounded(value()) if random.random() < 0.5 else 0.0 for _ in range(n_scores))
    divisor = float(random.choice([1.0, n_trees, 3.0])) if rule == "largest" else 1.0
    adding = Adding("float32" if single else "float64", base, bool(random.random() < 0.5), divisor)
    drawn = Drawn(ordered, nan, n_bins, trees, scores, adding, rule, (), 0, n_scores)
    if rule != "largest":
        draw_cuts(random, drawn)
    if random.random() < 0.25:
        drawn.window = int(random.integers(1, 3)) * max(1, int(drawn.whole.slack.max()))
        drawn.either = bool(random.random() < 0.5)
    return drawn


def draw_cuts(random, drawn):
    """Cut at sums that there are, and between."""
    some = sorted({drawn.scores_of(random_cell(random, drawn))[0] for _ in range(6)})
    n_cuts = int(random.integers(1, min(3, len(some)) + 1))
    drawn.cuts = tuple(sorted(random.choice(some, n_cuts, replace=False).tolist()))
    if random.random() < 0.3:
        drawn.cuts = tuple(c + 0.1 for c in drawn.cuts)
    drawn.n_classes = n_cuts + 1


def copied(tree):
    """Give each leaf an array of its own, so that it can be told by identity."""
    if not isinstance(tree, tuple):
        return tree.copy()
    return (*tree[:4], copied(tree[4]), copied(tree[5]))


def random_cell(random, drawn):
    return [int(random.integers(width)) for width in drawn.widths]


def random_box(random, drawn):
    """Give flags of all bins, at least one of each feature."""
    parts = []
    for width in drawn.widths:
        kind = random.random()
        if kind < 0.3:
            own = np.arange(width) == random.integers(width)
        elif kind < 0.7:
            own = np.ones(width, dtype=bool)
        else:
            own = random.random(width) < 0.6
            own[random.integers(width)] = True
        parts.append(own)
    return np.concatenate(parts).astype(np.uint8)


# -- what the core says, against all cells -------------------------------------------------------


class Checked:
    """All cells of a sum of trees, looked at once, and the core's answers beside them."""

    def __init__(self, drawn):
        self.drawn = drawn
        self.sum = drawn.sum()
        whole_box = np.ones(sum(drawn.widths), dtype=np.uint8)
        self.labels = {cell: drawn.label_of(cell) for cell in drawn.cells(whole_box)}

    def evaluate(self):
        """Sums and classes of all cells are the library's own."""
        cells = np.array(list(self.labels), dtype=np.int32).reshape(len(self.labels), -1)
        sums, label = self.sum.evaluate(cells, 1)
        assert label.tolist() == list(self.labels.values())
        assert sums.tolist() == [self.drawn.scores_of(cell) for cell in self.labels]

    def decide(self, box):
        """Certain means all cells, open has two that differ, rounding has one that is not known."""
        cells = self.drawn.cells(box)
        labels = {self.labels[cell] for cell in cells}
        status, label, first, second = (a[0] for a in self.sum.decide(box[None], 1e9, 1))
        if len(labels) == 1 and -1 not in labels:
            assert status == 0
            assert labels == {int(label)}
        elif len(labels - {-1}) > 1:
            assert status == 1
            one, other = tuple(first.tolist()), tuple(second.tolist())
            assert {one, other} <= set(cells)
            assert -1 not in (self.labels[one], self.labels[other])
            assert self.labels[one] != self.labels[other]
        else:
            assert status == 3
        if status != 0:
            assert label == -1
        if status != 1:
            assert (first == -1).all()
            assert (second == -1).all()

    def possible(self, box):
        """Possible is what some cell has; not known only where a cell is not known."""
        cells = self.drawn.cells(box)
        labels = {self.labels[cell] for cell in cells}
        possible, own = (a[0] for a in self.sum.possible(box[None], 1e9, 1))
        for c in range(self.drawn.n_classes):
            if c in labels:
                assert possible[c] == 1
                cell = tuple(own[c].tolist())
                assert cell in cells
                assert self.labels[cell] == c
            else:
                assert possible[c] in ((0, 2) if -1 in labels else (0,))
                assert (own[c] == -1).all()

    def extremes(self, box, weights):
        """The ends, and cells that have them."""
        wholes = {
            cell: int(np.dot(weights, self.drawn.whole_of(cell))) for cell in self.drawn.cells(box)
        }
        found = self.sum.extremes(box[None], np.array(weights, np.int64), 1e9, 1)
        low, high, found_low, found_high, low_cell, high_cell = (a[0] for a in found)
        assert (low, high) == (min(wholes.values()), max(wholes.values()))
        assert (found_low, found_high) == (low, high)
        assert wholes[tuple(low_cell.tolist())] == low
        assert wholes[tuple(high_cell.tolist())] == high
