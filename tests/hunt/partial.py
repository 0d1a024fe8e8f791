"""Rows that say a part: columns that tell conditions, estimators that meet gaps, what would change.

The rows of a *table* case hold thresholds and one-hot columns, some of them blank.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

from . import drawing, readers
from .grid import Grid, TooBig
from .missing import Case as Rows, Told, a_row, allowed, certain, labels_of, place_of
from .model import Feat, Node, Point, asks, decide, space_of, to_json
from .running import Wrong, literal, same, without_one


@dataclass(frozen=True)
class Case:
    """A tree over features, columns that tell conditions on them, and which cells are blank."""

    feats: tuple[Feat, ...]
    classes: list[Any]
    tree: Node
    rows: tuple[Told, ...]  # complete
    blanks: tuple[frozenset[int], ...]  # by row the columns that are blank
    seed: int

    def read(self) -> Any:
        return ol.Tree.from_json(to_json(self.feats, self.tree, self.classes))

    @property
    def columns(self) -> list[tuple[str, int, Any]]:
        """Name, feature, and the threshold or the set of values that the column asks about."""
        found: list[tuple[str, int, Any]] = []
        for at, feat in enumerate(self.feats):
            if feat.ordered and feat.kind != "boolean":
                cuts = {ask.at_most for ask in asks(self.tree) if ask.feature == at}
                fine = sorted(cut for cut in cuts if math.isfinite(cut))
                found += [(f"{feat.name} <= {cut!r}", at, cut) for cut in fine]
            elif feat.ordered:
                found.append((feat.name, at, None))
            else:
                found += [
                    (f"{feat.name} = {label!r}", at, frozenset([code]))
                    for code, label in enumerate(feat.labels)
                ]
        return found

    @property
    def space(self) -> Any:
        told: dict[str, Any] = {}
        for name, at, what in self.columns:
            feat = self.feats[at]
            if what is None:
                told[name] = feat.name
            elif isinstance(what, frozenset):
                told[name] = ol.Condition(feat.name, among=tuple(feat.labels[c] for c in what))
            else:
                told[name] = ol.Condition(feat.name, at_most=what)
        return ol.Space(space_of(self.feats).features, told)


def draw(rng: Random) -> Case:
    feats = drawing.features(rng, most=4, nan=0.0)
    classes = rng.choice(drawing.CLASSES)
    tree = drawing.tree(rng, feats, classes, rng.randint(2, 8))
    Grid.of(feats, tree, most=300)
    rows = tuple(a_row(rng, feats, tree, 0.0) for _ in range(6))
    case = Case(feats, classes, tree, rows, (), rng.randint(0, 10**6))
    width = range(len(case.columns))
    blanks = tuple(frozenset(at for at in width if rng.random() < 0.5) for _ in rows)
    return replace(case, blanks=blanks)


def smaller(case: Case) -> Iterator[Case]:
    if len(case.rows) > 1:
        for row, blank in zip(case.rows, case.blanks, strict=True):
            yield replace(case, rows=(row,), blanks=(blank,))
    for tree in without_one(case.tree):
        if len(replace(case, tree=tree).columns) == len(case.columns):
            yield replace(case, tree=tree)


def named(case: Case, row: Told) -> dict[str, Any]:
    return {case.feats[at].name: value for at, value in row.items()}


def show(case: Case) -> str:
    text = to_json(case.feats, case.tree, case.classes)
    X, y = readers.table(Random(case.seed), False)
    return (
        "import orderless as ol\nfrom math import inf, nan\n"
        f"tree = ol.Tree.from_json({literal(text)})\n"
        f"rows = {[named(case, row) for row in case.rows]!r}\n"
        f"# columns: {[name for name, _, _ in case.columns]!r}\n"
        f"# blank: {[sorted(one) for one in case.blanks]!r}\nX, y = {X!r}, {y!r}  # of estimates"
    )


def points_of(case: Case, row: Told) -> list[Point]:
    rows = Rows(case.feats, case.classes, case.tree, case.rows, ())
    return [some[0] for some in allowed(rows, Grid.of(case.feats, case.tree), row)]


def cell_holds(what: Any, point: Point) -> float:
    if what is None:
        return float(bool(point))
    if isinstance(what, frozenset):
        return float(point in what)
    assert point is not None
    return float(point <= what)


def by_columns(case: Case) -> None:
    """A row leaves the values that agree with all columns that are not blank."""
    space = case.space
    tree = case.read().with_space(space)
    grid = Grid.of(case.feats, case.tree)
    columns = case.columns
    for row, blank in zip(case.rows, case.blanks, strict=True):
        points = points_of(case, row)
        cells = [cell_holds(what, points[at]) for _, at, what in columns]
        told: list[float | None] = [None if n in blank else one for n, one in enumerate(cells)]
        left = []
        for at in range(len(case.feats)):
            mine = [n for n, column in enumerate(columns) if column[1] == at and n not in blank]
            agree = [(columns[n][2], cells[n]) for n in mine]
            left.append([
                point for point in grid.points[at]
                if all(cell_holds(what, point) == cell for what, cell in agree)
            ])  # fmt: skip
        labels = {decide(case.tree, cell) for cell in itertools.product(*left)}
        if columns:
            expected = [certain(labels)]
            same("predict by columns", tree.predict([told]).tolist(), expected)
            names = [name for name, _, _ in columns]
            frame = pd.DataFrame([[np.nan if one is None else one for one in told]], columns=names)
            got = [None if pd.isna(one) else one for one in tree.predict(frame).tolist()]
            same("predict of a frame of columns", got, expected)
            in_order = [tuple(one for one in case.classes if one in labels)]
            same("possible by columns", tree.possible([told]), in_order)


def changes(case: Case) -> None:
    """The fewest features whose change gives another class, with all widest ranges."""
    form = ol.canonicalize(case.read())
    grid = Grid.of(case.feats, case.tree)
    for row in case.rows:
        points = points_of(case, row)
        why = form.tree.explain(named(case, row))
        got = set()
        for change in why.changes():
            sides = []
            for name in change.features:
                at = [feat.name for feat in case.feats].index(name)
                sides.append((at, places(case.feats[at], grid.points[at], change.ranges[name])))
            same("a complete row's change is certain", change.certain, True)
            got.add((change.label, tuple(sorted(sides))))
        same("changes()", got, brute_changes(case, grid, points, why.label))


def places(feat: Feat, points: list[Point], side: Any) -> frozenset[int]:
    if not feat.ordered:
        return frozenset(side.codes)
    return frozenset(
        at
        for at, point in enumerate(points)
        if point is not None
        and (side.lower < point or side.lower == -math.inf)  # then it has no lower end
        and point <= side.upper
    )


def brute_changes(case: Case, grid: Grid, points: list[Point], label: Any) -> set[Any]:
    start = [place_of(feat, grid.points[at], points[at]) for at, feat in enumerate(case.feats)]
    for size in range(1, len(case.feats) + 1):
        found: set[Any] = set()
        for chosen in itertools.combinations(range(len(case.feats)), size):
            found |= widest(case, grid, start, chosen, label)
        if found:
            return found
    return set()


def widest(case: Case, grid: Grid, start: list[int], chosen: Any, label: Any) -> set[Any]:
    """All largest boxes over some features in which the row has one other class."""
    good = []
    for sides in itertools.product(*(grid.sides(at) for at in chosen)):
        if len(good) > 3000:
            raise TooBig
        box = [frozenset([place]) for place in start]
        for at, side in zip(chosen, sides, strict=True):
            box[at] = side
        cells = itertools.product(*([grid.points[at][p] for p in side]
                                    for at, side in enumerate(box)))  # fmt: skip
        labels = {decide(case.tree, cell) for cell in cells}
        if len(labels) == 1 and label not in labels:
            good.append((labels.pop(), sides))
    return {
        (one, tuple(zip(chosen, sides, strict=True)))
        for one, sides in good
        if not any(
            one == other and sides != wider
            and all(a <= b for a, b in zip(sides, wider, strict=True))
            for other, wider in good
        )
    }  # fmt: skip


def cheapest(case: Case) -> None:
    """The cheapest reason costs least of all reasons, then has the fewest conditions."""
    rng = Random(case.seed)
    costs = {feat.name: rng.choice([0, 1, 2, 5, 0.5]) for feat in case.feats}
    form = ol.canonicalize(case.read())
    for row in case.rows:
        why = form.tree.explain(named(case, row))
        keys = [(sum(costs[name] for name in term.features), term.n_conditions)
                for term in why.all_reasons]  # fmt: skip
        best = why.cheapest(costs)
        got = sum(costs[name] for name in best.features), best.n_conditions
        same("cheapest", got, min(keys))


def estimates(case: Case) -> None:
    """OrderlessClassifier says what every completion gets, and what it was told elsewhere."""
    rng = Random(case.seed)
    X, y = readers.table(rng, False)
    estimator = DecisionTreeClassifier(max_depth=3, random_state=0)
    model = ol.OrderlessClassifier(estimator).fit(X, y)
    own = DecisionTreeClassifier(max_depth=3, random_state=0).fit(np.array(X), y)
    pools: list[list[Point]] = []
    single = Feat("x", "float32")  # scikit-learn rounds rows to float32
    for at in range(len(X[0])):
        cuts = own.tree_.threshold[own.tree_.feature == at]
        low = sorted({single.floor(float(cut)) for cut in cuts})
        pools.append([*low, single.after(low[-1])] if low else [0.0])
    rows = [[math.nan if rng.random() < 0.4 else one for one in row] for row in X]
    expected = []
    for row in rows:
        ways = itertools.product(*([one] if one == one else pools[at]
                                   for at, one in enumerate(row)))  # fmt: skip
        expected.append(certain(set(own.predict(np.array(list(ways))).tolist())))
    same("OrderlessClassifier.predict", np.ma.asarray(model.predict(rows)).tolist(), expected)
    sure = [one is not None for one in expected]
    same("determined", model.determined(rows).tolist(), sure)
    same("coverage", model.coverage(rows), sum(sure) / len(sure))
    label = y[0]
    told = model.set_params(undetermined=(label,)).predict(rows)
    same("a label where it is open", np.asarray(told).tolist(),
         [label if one is None else one for one in expected])  # fmt: skip
    imputed = ol.OrderlessClassifier(estimator, undetermined=SimpleImputer()).fit(X, y)
    filled = own.predict(SimpleImputer().fit(X).transform(rows)).tolist()
    both = zip(expected, filled, strict=True)
    same("an imputer where it is open", np.asarray(imputed.predict(rows)).tolist(),
         [other if one is None else one for one, other in both])  # fmt: skip


def covers(case: Case) -> None:
    """Coverage: nothing is lost at rate 0, little is left at 1, and answers are never wrong."""
    rows = [named(case, row) for row in case.rows]
    frame = pd.DataFrame(rows)
    tree = case.read()
    table = ol.coverage(tree, frame, [0.0, 0.5, 1.0], n_repeats=2, random_state=case.seed).table
    constant = len(set(Grid.of(case.feats, case.tree).table(case.tree))) == 1
    for _, line in table.iterrows():
        if line["rate"] == 0 or (constant and line["way"] == "determined"):
            same("all are answered", line["answered"], 1.0)
        elif line["rate"] == 1 and not constant:
            same("none is answered", line["answered"], 0.0)
        if line["answered"] > 0:
            same("agreement", line["agreement"], 1.0)
    wide = table.pivot_table(index=["rate", "repeat"], columns="way", values="answered")
    if not ((wide["determined"] >= wide["path"]) & (wide["path"] >= wide["features"])).all():
        raise Wrong("determined, path, features: each answers more than the next", wide.to_dict())


def ranges_meet_rows(case: Case) -> None:
    """A range of one value is that value; an open range is unknown."""
    rows = Rows(case.feats, case.classes, case.tree, case.rows, ())
    tree = case.read()
    for row in case.rows:
        if any(not case.feats[at].ordered for at in row):
            continue
        told = named(case, row)
        expected = [certain(labels_of(rows, allowed(rows, rows.grid(), row)))]
        same("equal ends are a value", tree.predict(ol.Between([told], [told])).tolist(),
             expected)  # fmt: skip
        nothing = [certain(labels_of(rows, allowed(rows, rows.grid(), {})))]
        same("no ends are unknown", tree.predict(ol.Between([{}], [{}])).tolist(), nothing)


CHECKS = (by_columns, changes, cheapest, estimates, covers, ranges_meet_rows)
