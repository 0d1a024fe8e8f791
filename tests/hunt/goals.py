"""Measures of tiny sets (ranges, fronts, nearest trees, columns of choose), beside every tree."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

import pandas as pd

import orderless as ol
from orderless import member

from . import rashomon
from .grid import TooBig
from .rashomon import Brute, Shape, says, trivial
from .running import Wrong, same

Row = tuple[tuple[int, ...], Any, Fraction, Any]  # bits, label, weight, group
Predict = Callable[[tuple[int, ...]], Any]

# (label, prediction, positive class) -> whether a row counts, and among which rows it is a share.
COUNTS: dict[str, Callable[[Any, Any, Any], bool]] = {
    "errors": lambda y, s, p: y != s,
    "correct": lambda y, s, p: y == s,
    "false positives": lambda y, s, p: s == p and y != p,
    "false negatives": lambda y, s, p: y == p and s != p,
    "true positives": lambda y, s, p: y == p and s == p,
    "true negatives": lambda y, s, p: y != p and s != p,
    "positives": lambda y, s, p: s == p,
    "negatives": lambda y, s, p: s != p,
}
RATES: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "error rate": ("errors", lambda y, p: True),
    "accuracy": ("correct", lambda y, p: True),
    "positive rate": ("positives", lambda y, p: True),
    "fpr": ("false positives", lambda y, p: y != p),
    "fnr": ("false negatives", lambda y, p: y == p),
    "tpr": ("true positives", lambda y, p: y == p),
    "tnr": ("true negatives", lambda y, p: y != p),
}
RATIOS: dict[str, tuple[Callable[[Any, Any, Any], int], Callable[[Any, Any, Any], int]]] = {
    "precision": (lambda y, s, p: y == p == s, lambda y, s, p: s == p),
    "f1": (lambda y, s, p: 2 * (y == p == s), lambda y, s, p: (y == p) + (s == p)),
    "jaccard": (lambda y, s, p: y == p == s, lambda y, s, p: y == p or s == p),
    "negative predictive value": (
        lambda y, s, p: y != p and s != p,
        lambda y, s, p: s != p,
    ),
}
MORE_IS_BETTER = {
    "correct", "true positives", "true negatives", "accuracy", "tpr",
    "tnr", "precision", "f1", "jaccard", "negative predictive value", "balanced accuracy",
}  # fmt: skip
BETWEEN_GROUPS = {
    "demographic parity": "positive rate",
    "equal opportunity": "tpr",
    "predictive equality": "fpr",
    "equal error rates": "error rate",
}
COST = "a matrix of costs"
OF_GROUPS = (*COUNTS, *RATES, "balanced accuracy", COST, *BETWEEN_GROUPS)
OF_ALL = (*COUNTS, *RATES, *RATIOS, "balanced accuracy", COST)


@dataclass(frozen=True)
class Case:
    """A set, a view of it, the rows that are measured, and how."""

    set: rashomon.Case
    view: tuple[tuple[str, Any], ...]
    X: list[list[int]] | None  # None: the training rows
    y: list[Any]
    weights: list[float] | None
    mask: list[bool] | None
    groups: list[str]
    positive: Any
    costs: dict[tuple[Any, Any], float]
    listed: bool

    @property
    def arguments(self) -> dict[str, Any]:
        out: dict[str, Any] = {"positive": self.positive}
        if self.X is not None:
            out |= {"X": pd.DataFrame(self.X, columns=list(self.set.table)), "y": self.y}
        if self.weights is not None:
            out["sample_weight"] = self.weights
        if self.mask is not None:
            out["rows"] = self.mask
        return out

    @cached_property
    def rows(self) -> list[Row]:
        """The measured rows."""
        bits = self.X
        if bits is None:
            bits = [list(row) for row in zip(*self.set.table.values(), strict=True)]
        weights: Any = self.weights
        if weights is None:
            weights = self.set.weights if self.X is None else None
        if weights is None:
            weights = [1] * len(bits)
        mask = self.mask or [True] * len(bits)
        some = zip(bits, self.y, weights, self.groups, mask, strict=True)
        return [(tuple(b), y, Fraction(str(w)), g) for b, y, w, g, inside in some if inside]

    @cached_property
    def trees(self) -> dict[Shape, Fraction]:
        """Every tree of the view, with its objective."""
        training = list(zip(*self.set.table.values(), strict=True))
        brute = Brute(self.set, training)
        inside = brute.inside
        if len(inside) > 400:
            raise TooBig
        return {
            shape: objective
            for shape, leaves, _, objective in inside
            if all(keeps(self, brute, shape, leaves, objective, *each) for each in self.view)
        }

    @cached_property
    def found(self) -> Any:
        """The same, as the package has it."""
        found: Any = self.set.found
        if self.listed:
            weights = {} if self.set.weights is None else {"sample_weight": self.set.weights}
            found = ol.TreeSet.from_trees(
                list(found.trees()), pd.DataFrame(self.set.table), self.set.y,
                regularization=self.set.parameters["regularization"], **weights,
            )  # fmt: skip
        for name, value in self.view:
            found = found.where(condition(name, value))
        return found

    def measure(self, name: str) -> Any:
        return self.costs if name == COST else name


def condition(name: str, value: Any) -> Any:
    """What is asked of trees, as the package takes it."""
    return {
        "leaves": lambda: member.leaves <= value,
        "uses": lambda: member.uses(value),
        "does not use": lambda: ~member.uses(value),
        "nontrivial": lambda: ~member.trivial,
        "n_features": lambda: member.n_features <= value,
        "root": lambda: member.root == value,
        "epsilon": lambda: member.epsilon <= value,
        "min_leaf": lambda: member.min_leaf >= value,
        "path_cost": lambda: member.path_cost(value[1]) <= value[0],
        "monotone": lambda: member.monotone(value),
    }[name]()


def asked(shape: Shape) -> set[int]:
    return set() if not isinstance(shape, tuple) else {shape[0]} | asked(shape[1]) | asked(shape[2])


def paths(shape: Shape, path: tuple[tuple[int, int], ...] = ()) -> Iterator[Any]:
    """The questions and answers that lead to each leaf."""
    if not isinstance(shape, tuple):
        yield path
        return
    yield from paths(shape[1], (*path, (shape[0], 1)))
    yield from paths(shape[2], (*path, (shape[0], 0)))


def keeps(
    case: Case, brute: Brute, shape: Shape, leaves: int, objective: Fraction, name: str, value: Any
) -> bool:
    """Whether a tree is in a view."""
    names = list(case.set.table)
    if name == "leaves":
        return leaves <= value
    if name == "nontrivial":
        return not trivial(shape)
    if name in ("uses", "does not use"):
        return (names.index(value) in asked(shape)) == (name == "uses")
    if name == "n_features":
        return len(asked(shape)) <= value
    if name == "root":
        return isinstance(shape, tuple) and shape[0] == names.index(value)
    if name == "epsilon":
        relative = case.set.parameters["relative"]
        far = Fraction(str(value))
        return objective <= (brute.best * (1 + far) if relative else brute.best + far)
    if name == "min_leaf":
        weights = zip(brute.bits, brute.weights, strict=True)
        heavy = list(weights)
        return all(
            sum(w for row, w in heavy if all(row[c] == v for c, v in path)) >= value
            for path in paths(shape)
        )
    if name == "path_cost":
        most, costs = value
        return all(sum(costs[names[c]] for c, _ in set(path)) <= most for path in paths(shape))
    assert name == "monotone"
    ((feature, sign),) = value.items()
    at = names.index(feature)
    order = sorted(set(case.set.y))
    for row in itertools.product((0, 1), repeat=len(names)):
        if row[at] == 0:
            more = (*row[:at], 1, *row[at + 1 :])
            rise = order.index(says(shape, more)) - order.index(says(shape, row))
            if rise * sign < 0:
                return False
    return True


def draw_view(rng: Random, names: list[str], parameters: dict[str, Any]) -> Iterator[Any]:
    for _ in range(rng.choice([0, 0, 1, 1, 2, 3])):
        kind = rng.choice(
            ["leaves", "leaves", "uses", "does not use", "nontrivial", "n_features", "root",
             "epsilon", "min_leaf", "path_cost", "monotone"]
        )  # fmt: skip
        costs = {name: rng.choice([0, 1, 2]) for name in names}
        values = {
            "leaves": rng.randint(1, 6),
            "uses": rng.choice(names),
            "does not use": rng.choice(names),
            "nontrivial": None,
            "n_features": rng.randint(0, 3),
            "root": rng.choice(names),
            "epsilon": rng.choice([0, parameters["epsilon"] / 2, parameters["epsilon"]]),
            "min_leaf": rng.choice([1, 2, 3]),
            "path_cost": (rng.choice([1, 2, 3]), costs),
            "monotone": {rng.choice(names): rng.choice([1, -1])},
        }  # fmt: skip
        yield kind, values[kind]


def draw(rng: Random) -> Case:
    n = rng.randint(4, 12)
    names = [f"b{at}" for at in range(rng.randint(1, 4))]
    table = {name: [rng.randint(0, 1) for _ in range(n)] for name in names}
    classes: list[Any] = rng.choice([[0, 1], ["no", "yes"], ["a", "b", "c"], ["a", "b", "c"]])
    y = [rng.choice(classes) for _ in range(n)]
    if len(set(y)) < 2:
        y[:2] = classes[:2]
    weights = [rng.choice([1, 2, 0.5, 0.25]) for _ in range(n)] if rng.random() < 0.25 else None
    parameters = {
        "max_depth": rng.choice([1, 2, 2, 3]),
        "regularization": rng.choice([0.01, 0.05, 0.1, 0, 0.025]),
        "epsilon": rng.choice([0, 0.02, 0.1, 0.25, 0.3]),
        "relative": rng.choice([False, False, True]),
    }
    own = rashomon.Case(table, y, weights, parameters)
    X, labels, measured_weights, mask = None, y, None, None
    if rng.random() < 0.5:
        n = rng.randint(2, 9)
        X = [[rng.randint(0, 1) for _ in names] for _ in range(n)]
        unseen = ["another"] if rng.random() < 0.1 and isinstance(classes[0], str) else []
        labels = [rng.choice(classes + unseen) for _ in range(n)]
    if rng.random() < 0.3:
        measured_weights = [rng.choice([0, 1, 1, 2, 0.5, 1.25]) for _ in range(n)]
    if rng.random() < 0.2:
        mask = [rng.random() < 0.7 for _ in range(n)]
    groups = [rng.choice("gh") for _ in range(n)]
    costs = {(a, b): rng.choice([0, 1, 2.5, -1]) for a in {*y, *labels} for b in classes if a != b}
    view = tuple(draw_view(rng, names, parameters))
    positive = rng.choice([label for label in classes if label in y])
    listed = rng.random() < 0.1 and not any(name == "epsilon" for name, _ in view)
    return Case(own, view, X, labels, measured_weights, mask, groups, positive, costs, listed)


def smaller(case: Case) -> Iterator[Case]:
    for at in range(len(case.view)):
        yield replace(case, view=case.view[:at] + case.view[at + 1 :])
    if case.listed:
        yield replace(case, listed=False)
    if case.mask is not None:
        yield replace(case, mask=None)
    if case.weights is not None:
        yield replace(case, weights=None)
    if case.set.weights is not None:
        yield replace(case, set=replace(case.set, weights=None))
    if case.X is not None:
        for at in range(len(case.y)):
            kept = [i for i in range(len(case.y)) if i != at]
            yield replace(
                case, X=[case.X[i] for i in kept], y=[case.y[i] for i in kept],
                groups=[case.groups[i] for i in kept],
                weights=None if case.weights is None else [case.weights[i] for i in kept],
                mask=None if case.mask is None else [case.mask[i] for i in kept],
            )  # fmt: skip
    elif case.weights is None and case.mask is None and case.set.weights is None:
        for at in range(len(case.y)):
            kept = [i for i in range(len(case.y)) if i != at]
            y = [case.y[i] for i in kept]
            if len(set(y)) < 2 or case.positive not in y:
                continue
            table = {name: [some[i] for i in kept] for name, some in case.set.table.items()}
            yield replace(
                case, set=replace(case.set, table=table, y=y), y=y,
                groups=[case.groups[i] for i in kept],
            )  # fmt: skip


def show(case: Case) -> str:
    view = "".join(f".where({condition(name, value)!r})" for name, value in case.view)
    return (
        f"{rashomon.show(case.set)}\nX, y = {case.X!r}, {case.y!r}\n"
        f"groups, positive, costs = {case.groups!r}, {case.positive!r}, {case.costs!r}\n"
        f"rows, sample_weight = {case.mask!r}, {case.weights!r}\n"
        f"view = found{view}  # listed: {case.listed}"
    )


def value_of(case: Case, name: str, rows: list[Row], predict: Predict) -> Fraction | None:
    """A measure of a tree; None where there is none."""
    p = case.positive

    def weigh(counts: Callable[[Any, Any], Any]) -> Fraction:
        return sum((w * counts(y, predict(x)) for x, y, w, _ in rows), Fraction(0))

    if name == COST:
        costs = {pair: Fraction(str(cost)) for pair, cost in case.costs.items()}
        return weigh(lambda y, s: costs.get((y, s), 0))
    if name == "balanced accuracy":
        shares = []
        for label in {y for _, y, w, _ in rows if w}:
            total = weigh(lambda y, s, label=label: y == label)
            shares.append(weigh(lambda y, s, label=label: y == label == s) / total)
        return sum(shares, Fraction(0)) / len(shares) if shares else None
    if name in COUNTS:
        return weigh(lambda y, s: COUNTS[name](y, s, p))
    if name in RATES:
        count, among = RATES[name]
        above, below = weigh(lambda y, s: COUNTS[count](y, s, p)), weigh(lambda y, s: among(y, p))
    else:
        top, bottom = RATIOS[name]
        above, below = weigh(lambda y, s: top(y, s, p)), weigh(lambda y, s: bottom(y, s, p))
    return above / below if below else None


def gap_of(case: Case, name: str, predict: Predict) -> Fraction | None:
    """The measure in the second group less that in the first."""
    name = BETWEEN_GROUPS.get(name, name)
    ends = [
        value_of(case, name, [row for row in case.rows if row[3] == group], predict)
        for group in ("g", "h")
    ]
    return None if None in ends else ends[1] - ends[0]  # type: ignore[operator]


def check_tree(case: Case, what: str, tree: Any, of: Callable[[Predict], Any], value: Any) -> Any:
    """A tree is in the view and measures what was said; its objective comes back."""
    same(f"{what}: the tree is in the view", tree in case.found, True)
    names = list(case.set.table)
    every = list(itertools.product((0, 1), repeat=len(names)))
    labels = tree.predict(pd.DataFrame(every, columns=names)).tolist()
    answers = dict(zip(every, labels, strict=True))
    same(f"{what}: the tree measures that", of(answers.__getitem__), value)
    weights = case.set.weights or [1] * len(case.set.y)
    exact = [Fraction(str(weight)) for weight in weights]
    training = zip(*case.set.table.values(), strict=True)
    wrong = sum(
        (w for row, y, w in zip(training, case.set.y, exact, strict=True) if answers[row] != y),
        Fraction(0),
    )
    price = Fraction(str(case.set.parameters["regularization"]))
    return wrong / sum(exact) + price * tree.n_leaves


def refused(call: Callable[[], Any]) -> bool:
    try:
        call()
    except ol.errors.InvalidData:
        return True
    return False


def nearest(case: Case) -> None:
    groups = {row[3] for row in case.rows}
    for number, name in enumerate(OF_GROUPS):
        gaps = [
            gap_of(case, name, lambda bits, shape=shape: says(shape, bits)) for shape in case.trees
        ]
        options = {**case.arguments, "groups": case.groups}

        def ask(limit: int, name: str = name, options: Any = options) -> Any:
            return case.found.nearest(ol.Measure(case.measure(name), **options), limit=limit)

        if not gaps or len(groups) < 2 or None in gaps:
            if not refused(lambda ask=ask: ask(64)):
                raise Wrong(f"{name} has no gap here", "an answer", "InvalidData")
            continue
        least = min(map(abs, gaps))  # type: ignore[arg-type]
        limits = (1, 3, 64, 10_000)
        for limit in (limits[number % 2], limits[2 + number % 2]):
            fair = ask(limit)
            if not (fair.at_least <= least <= abs(fair.gap)):
                raise Wrong(f"nearest {name}", (fair.at_least, fair.gap, fair.proven), least)
            same(f"nearest {name}: proven", fair.proven, abs(fair.gap) == fair.at_least)
            if limit == 10_000:
                same(f"nearest {name}: all values fit", fair.proven, True)
            cost = check_tree(
                case, f"nearest {name}", fair.tree, lambda of, name=name: gap_of(case, name, of),
                fair.gap,
            )  # fmt: skip
            same(f"nearest {name}: objective", fair.objective, cost)


def pareto(points: list[tuple[Fraction, Fraction]], largest: bool) -> list[Any]:
    """The points of (objective, measure) that no other beats, by the definition."""
    sign = -1 if largest else 1

    def beaten(c: Fraction, v: Fraction) -> bool:
        return any(a <= c and sign * b <= sign * v and (a, b) != (c, v) for a, b in points)

    return sorted({(c, v) for c, v in points if not beaten(c, v)})


def ranges(case: Case) -> None:
    """Ranges and fronts, of all rows and as differences between groups."""
    groups = {row[3] for row in case.rows}
    asked_for = [(name, False) for name in OF_ALL] + [(name, True) for name in OF_GROUPS]
    for name, between in asked_for:

        def of(predict: Predict, name: str = name, between: bool = between) -> Any:
            if between:
                return gap_of(case, name, predict)
            return value_of(case, name, case.rows, predict)

        options = {**case.arguments, **({"groups": case.groups} if between else {})}
        values = {shape: of(lambda bits, s=shape: says(s, bits)) for shape in case.trees}
        points = [(case.trees[s], value) for s, value in values.items() if value is not None]
        undefined = None in values.values() and name not in RATIOS
        if not points or undefined or (between and len(groups) < 2):
            if not refused(
                lambda n=name, o=options: case.found.range(ol.Measure(case.measure(n), **o))
            ):
                raise Wrong(f"{name} is not there", "an answer", "InvalidData")
            continue
        got = case.found.range(ol.Measure(case.measure(name), **options))
        ends = min(v for _, v in points), max(v for _, v in points)
        same(f"range of {name}", (got.smallest, got.largest), ends)
        check_tree(case, f"smallest {name}", got.smallest_tree, of, got.smallest)
        check_tree(case, f"largest {name}", got.largest_tree, of, got.largest)
        front = case.found.pareto_front(ol.Measure(case.measure(name), **options))
        largest = name in MORE_IS_BETTER
        same(f"front of {name}: goal", front.goal, "largest" if largest else "smallest")
        same(f"front of {name}", [(p.objective, p.value) for p in front], pareto(points, largest))
        for point in front:
            cost = check_tree(case, f"front of {name}", point.tree, of, point.value)
            same(f"front of {name}: objective", cost, point.objective)


def choosing(case: Case) -> None:
    """Measures in ``choose``: each function's, the better end first."""
    groups = {row[3] for row in case.rows}
    options = case.arguments
    measures: dict[str, Any] = {}
    due: dict[str, Any] = {}
    for name, between in [(name, between) for name in OF_ALL for between in (False, True)]:

        def of(predict: Predict, name: str = name, between: bool = between) -> Any:
            if between:
                return gap_of(case, name, predict)
            return value_of(case, name, case.rows, predict)

        if between and (name in RATIOS or len(groups) < 2):
            continue
        values = {of(lambda bits, s=shape: says(s, bits)) for shape in case.trees}
        if None in values and name not in RATIOS:
            continue
        column = f"{name} between groups" if between else f"{name} of all"
        groups_of = {"groups": case.groups} if between or name in BETWEEN_GROUPS else {}
        measures[column] = ol.Measure(case.measure(name), **options, **groups_of)
        due[column] = {None if value is None else float(value) for value in values}
    if not case.trees or not measures:
        return
    for sort in Random(str(case.groups)).sample(sorted(measures), min(3, len(measures))):
        frame = ol.choose(case.found, measures=measures, sort=sort)
        for column, expected in due.items():
            listed = {None if value != value else value for value in frame[column].tolist()}
            same(f"values of {column}", listed, expected)
        sizes = frame[sort].abs() if sort.endswith("between groups") else frame[sort]
        there = [value for value in sizes.tolist() if value == value]
        larger = sort.removesuffix(" of all") in MORE_IS_BETTER
        same(f"the best {sort} first", there, sorted(there, reverse=larger))
        same("those that have none are last", sizes.isna().tolist(), sorted(sizes.isna().tolist()))


CHECKS = (nearest, ranges, choosing)
