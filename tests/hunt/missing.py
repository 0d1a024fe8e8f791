"""Rows with unknown values: every answer is compared with all completions of the row."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol

from . import drawing
from .canonicity import n_conditions
from .grid import Grid, TooBig
from .model import Ask, Feat, Leaf, Node, Point, Split, asks, decide, from_json, to_json
from .running import Wrong, literal, same, without_one

Told = dict[int, Any]  # by feature what a row holds; a feature that is not there is unknown


@dataclass(frozen=True)
class Case:
    """A tree and rows, complete in part."""

    feats: tuple[Feat, ...]
    classes: list[Any]
    tree: Node
    rows: tuple[Told, ...]
    ranges: tuple[dict[int, tuple[Any, Any]], ...]

    def read(self) -> Any:
        return ol.Tree.from_json(to_json(self.feats, self.tree, self.classes))

    def grid(self) -> Grid:
        return Grid.of(self.feats, self.tree)

    def named(self, row: Told) -> dict[str, Any]:
        return {self.feats[at].name: value for at, value in row.items()}


def draw(rng: Random) -> Case:
    feats = drawing.features(rng, most=5)
    classes = rng.choice(drawing.CLASSES)
    tree = drawing.tree(rng, feats, classes, rng.randint(2, 9))
    Grid.of(feats, tree)
    rows = tuple(a_row(rng, feats, tree, rng.choice([0.0, 0.3, 0.6])) for _ in range(6))
    ranges = tuple(a_range(rng, feats, tree) for _ in range(4))
    return Case(feats, classes, tree, rows, ranges)


def a_row(rng: Random, feats: tuple[Feat, ...], tree: Node, unknown: float) -> Told:
    row = {}
    for at, feat in enumerate(feats):
        if rng.random() < unknown:
            continue
        row[at] = a_value(rng, at, feat, tree)
    return row


def a_value(rng: Random, at: int, feat: Feat, tree: Node) -> Any:
    if not feat.ordered:
        return feat.given(rng.choice(list(feat.codes)))
    if feat.nan and rng.random() < 0.2:
        return None
    cuts = [ask.at_most for ask in asks(tree) if ask.feature == at]
    value = rng.choice(drawing.near(feat, cuts))
    return bool(value) if feat.kind == "boolean" else value


def a_range(rng: Random, feats: tuple[Feat, ...], tree: Node) -> dict[int, tuple[Any, Any]]:
    """By feature the two ends of a range, or a set of values; some are not there."""
    found: dict[int, tuple[Any, Any]] = {}
    for at, feat in enumerate(feats):
        if rng.random() < 0.25:
            continue
        if not feat.ordered:
            chosen = rng.sample(range(len(feat.labels)), rng.randint(1, len(feat.labels)))
            found[at] = {feat.labels[code] for code in chosen}, None
            continue
        cuts = [ask.at_most for ask in asks(tree) if ask.feature == at]
        ends = sorted(rng.choice(drawing.near(feat, cuts)) for _ in range(2))
        if rng.random() < 0.3:
            ends[1] = ends[0]
        low = None if rng.random() < 0.15 else ends[0]
        high = None if rng.random() < 0.15 else ends[1]
        found[at] = low, high
    return found


def smaller(case: Case) -> Iterator[Case]:
    if len(case.rows) > 1:
        for at in range(len(case.rows)):
            yield replace(case, rows=(case.rows[at],))
    if len(case.ranges) > 1:
        for at in range(len(case.ranges)):
            yield replace(case, ranges=(case.ranges[at],))
    if len(case.rows) and len(case.ranges):
        yield replace(case, rows=())
        yield replace(case, ranges=())
    for tree in without_one(case.tree):
        yield replace(case, tree=tree)
    for at, row in enumerate(case.rows):
        for gone in row:
            less = {key: value for key, value in row.items() if key != gone}
            yield replace(case, rows=(*case.rows[:at], less, *case.rows[at + 1 :]))


def show(case: Case) -> str:
    text = to_json(case.feats, case.tree, case.classes)
    between = [
        [case.named({at: ends[which] for at, ends in row.items()}) for row in case.ranges]
        for which in (0, 1)
    ]
    return (
        "import orderless as ol\nfrom math import inf, nan\n"
        f"tree = ol.Tree.from_json({literal(text)})\n"
        f"rows = {[case.named(row) for row in case.rows]!r}\n"
        f"lower = {between[0]!r}\nupper = {between[1]!r}"
    )


def allowed(case: Case, grid: Grid, row: Told) -> list[list[Point]]:
    """By feature the points that a row leaves possible."""
    found: list[list[Point]] = []
    for at, feat in enumerate(case.feats):
        if at not in row or (row[at] is None and not feat.nan):
            found.append(grid.points[at])
        elif feat.ordered:
            found.append([drawing.point_of(feat, row[at])])
        else:
            found.append([code_of(feat, row[at])])
    return found


def code_of(feat: Feat, value: Any) -> int:
    return next(code for code in feat.codes if feat.given(code) == value)


def within(feat: Feat, points: list[Point], low: Any, high: Any) -> list[Point] | None:
    """One point of every bin that meets a range; None if the range has no value."""
    if isinstance(low, set):
        return [code_of(feat, value) for value in low]
    if low is None and high is None:
        return points
    low = -math.inf if low is None else feat.rounded(low)
    high = math.inf if high is None else feat.rounded(high)
    if feat.kind in ("integer", "boolean"):
        low = math.ceil(low) if math.isfinite(low) else low
        high = math.floor(high) if math.isfinite(high) else high
    if low > high:
        return None
    numbers = {point for point in points if point is not None and low <= point <= high}
    return list(numbers | ({low, high} - {math.inf, -math.inf} if low != high else {low}))


def labels_of(case: Case, points: list[list[Point]]) -> set[Any]:
    if math.prod(map(len, points)) > 3000:
        raise TooBig
    return {decide(case.tree, cell) for cell in itertools.product(*points)}


def certain(labels: set[Any]) -> Any:
    return next(iter(labels)) if len(labels) == 1 else None


def predicts(case: Case) -> None:
    tree, grid = case.read(), case.grid()
    possible = [labels_of(case, allowed(case, grid, row)) for row in case.rows]
    rows = [case.named(row) for row in case.rows]
    expected = [certain(labels) for labels in possible]
    form = ol.canonicalize(tree)
    same("predict of dicts", tree.predict(rows).tolist(), expected)
    same("predict of the form", form.predict(rows).tolist(), expected)
    in_order = [tuple(label for label in case.classes if label in labels) for labels in possible]
    same("possible", tree.possible(rows), in_order)
    if not any(feat.nan for feat in case.feats) and rows:
        names = [feat.name for feat in case.feats]
        table = pd.DataFrame(
            {name: pd.Series([row.get(name) for row in rows], dtype=object) for name in names}
        )
        answer = [None if pd.isna(one) else one for one in tree.predict(table).tolist()]
        same("predict of a data frame", answer, expected)
        if all(feat.ordered for feat in case.feats):
            array = table.astype(float).to_numpy()
            for order in "CF":
                same("predict of an array", tree.predict(np.asarray(array, order=order)).tolist(),
                     expected)  # fmt: skip


def predicts_between(case: Case) -> None:
    tree, grid = case.read(), case.grid()
    for row in case.ranges:
        points = []
        for at, feat in enumerate(case.feats):
            ends = row.get(at, (None, None))
            points.append(within(feat, grid.points[at], *ends))
        lower = case.named({at: ends[0] for at, ends in row.items()})
        upper = case.named({at: ends[1] for at, ends in row.items()})
        if any(some is None for some in points):
            continue
        expected = certain(labels_of(case, points))
        same("predict between", tree.predict(ol.Between([lower], [upper])).tolist(), [expected])


def walks(case: Case) -> None:
    tree, grid = case.read(), case.grid()
    _, root, _ = from_json(tree.to_json())
    for row in case.rows:
        points = allowed(case, grid, row)
        node = root
        while isinstance(node, Split):
            answers = {node.ask.holds(point) for point in points[node.ask.feature]}
            if len(answers) > 1:
                break
            node = node.yes if answers == {True} else node.no
        expected = node.label if isinstance(node, Leaf) else None
        same(
            "predict_path", ol.baselines.predict_path(tree, [case.named(row)]).tolist(), [expected]
        )
        sure = all(
            len({ask.holds(point) for point in points[ask.feature]}) == 1 for ask in asks(root)
        )
        expected = certain(labels_of(case, points)) if sure else None
        same(
            "predict_features",
            ol.baselines.predict_features(tree, [case.named(row)]).tolist(),
            [expected],
        )


def asks_next(case: Case) -> None:
    tree, grid = case.read(), case.grid()
    names = [feat.name for feat in case.feats]
    for row in case.rows:
        points = allowed(case, grid, row)
        got = tree.ask_next([case.named(row)]).tolist()[0]
        same("ask_next is silent if determined", got is None, len(labels_of(case, points)) == 1)
        if got is not None and not matters(case, points, names.index(got)):
            raise Wrong("ask_next asks what cannot matter", got)


def matters(case: Case, points: list[list[Point]], at: int) -> bool:
    """Whether, for some values of the other unknowns, this one changes the class."""
    others = [some if place != at else [None] for place, some in enumerate(points)]
    for cell in itertools.product(*others):
        filled = {decide(case.tree, (*cell[:at], point, *cell[at + 1 :])) for point in points[at]}
        if len(filled) > 1:
            return True
    return False


def needs(case: Case) -> None:
    tree, grid = case.read(), case.grid()
    for row in case.rows:
        points = allowed(case, grid, row)
        found = tree.needed(case.named(row))
        settle, could = least_sets(case, points)
        same("needed.settle", set(found.settle), settle)
        same("needed.could", set(found.could), could)
        same("no set twice", len(found.settle), len(settle))
        same("needed.label", found.label, certain(labels_of(case, points)))


def least_sets(case: Case, points: list[list[Point]]) -> tuple[Any, Any]:
    """The smallest sets of unknown features that settle a row: always, and for some values."""
    unknown = [at for at, some in enumerate(points) if len(some) > 1]
    always: set[Any] = set()
    sometimes: set[Any] = set()
    for size in range(len(unknown) + 1):
        if not always or not sometimes:
            more, maybe = set(), set()
            for chosen in itertools.combinations(unknown, size):
                names = tuple(case.feats[at].name for at in chosen)
                settled = [
                    len(labels_of(case, fixed(points, chosen, values))) == 1
                    for values in itertools.product(*(points[at] for at in chosen))
                ]
                if all(settled):
                    more.add(names)
                if any(settled):
                    maybe.add(names)
            always, sometimes = always or more, sometimes or maybe
    return always, sometimes


def fixed(points: list[list[Point]], chosen: Any, values: Any) -> list[list[Point]]:
    new = list(points)
    for at, value in zip(chosen, values, strict=True):
        new[at] = [value]
    return new


def fits_training(case: Case) -> None:
    """Odds from training rows: those in the same bins, as far as the row is known."""
    tree, grid = case.read(), case.grid()
    complete = [row for row in case.rows if len(row) == len(case.feats)]
    if not complete:
        return
    training = [case.named(row) for row in complete]
    got = tree.shares([case.named(row) for row in case.rows], training)
    _, root, _ = from_json(tree.to_json())
    for row, share in zip(case.rows, got, strict=True):
        fitting = [
            [points[0] for points in allowed(case, grid, one)]
            for one in complete
            if all(
                in_one_bin(root, at, a[0], b[0])
                for at, (a, b) in enumerate(
                    zip(allowed(case, grid, one), allowed(case, grid, row), strict=True)
                )
                if at in row
            )
        ]
        said = [decide(case.tree, cell) for cell in fitting]
        for label, number in zip(tree.classes, share, strict=True):
            expected = said.count(label) / len(said) if said else math.nan
            if not np.isclose(number, expected, equal_nan=True):
                raise Wrong("shares from training rows", list(share), (label, expected))


def in_one_bin(tree: Node, at: int, one: Point, other: Point) -> bool:
    """Whether no question tells two points apart; "missing" is a bin of its own where asked."""
    mine = [ask for ask in asks(tree) if ask.feature == at]
    if mine and (one is None) != (other is None):
        return False
    return all(ask.holds(one) == ask.holds(other) for ask in mine)


def explains(case: Case) -> None:
    tree, grid = case.read(), case.grid()
    form = ol.canonicalize(tree)
    cells = grid.by_label(grid.table(case.tree))
    for row in case.rows:
        points = allowed(case, grid, row)
        label = certain(labels_of(case, points))
        why = form.tree.explain(case.named(row))
        same("explain.label", why.label, label)
        if label is None:
            same("no reasons where it is open", why.all_reasons, ())
            continue
        box = tuple(
            frozenset([place_of(case.feats[at], grid.points[at], some[0])])
            if len(some) == 1
            else frozenset(range(len(some)))
            for at, some in enumerate(points)
        )
        mask = grid.box_mask(box)
        expected = {one for one in grid.reasons(cells[label]) if not mask & ~one}
        terms = [term.to_dict() for term in why.all_reasons]
        same("all_reasons", sorted(grid.term_mask(term) for term in terms), sorted(expected))
        counts = [n_conditions(term) for term in terms]
        same("fewest conditions first", counts, sorted(counts))
        same("shortest is the first", why.shortest.to_dict(), terms[0])
        listed = list(why.reasons())
        same("reasons()", sorted(map(str, listed)), sorted(map(str, why.all_reasons)))
        used = [{one["feature"] for one in term} for term in terms]
        same("necessary", set(why.necessary), set.intersection(*used))
        same("relevant", set(why.relevant), set.union(*used))


def place_of(feat: Feat, points: list[Point], point: Point) -> int:
    if not feat.ordered:
        return points.index(point)
    if point is None:
        return len(points) - 1
    numbers = [one for one in points if one is not None]
    return min(sum(one < point for one in numbers), len(numbers) - 1)


LOW = Split(Ask(0, -1e39), Leaf("a"), Leaf("b"))
GONE = Split(Ask(0, 25.0), Leaf("a"), Leaf("b"))
KEPT = (
    Case((Feat("x", "float32"),), ["a", "b"], LOW, ({0: -1e300}, {0: -math.inf}, {0: 0.0}), ()),
    Case((Feat("x", "float64", nan=True),), ["a", "b"], GONE, (), ({0: (-math.inf, -math.inf)},)),
)
CHECKS = (predicts, predicts_between, walks, asks_next, needs, fits_training, explains)
