"""Policies of tiny trees, beside every policy there is."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

import orderless as ol
from tests import decimal_numbers

from . import drawing
from .grid import Grid, TooBig
from .missing import place_of
from .model import Ask, Feat, Leaf, Node, Split, asks, decide, from_json, to_json
from .running import Wrong, literal, same, without_one

Known = tuple[int | None, ...]  # by feature the place of its value, None if it is unknown
METHODS = ("naive", "path", "greedy", "q-learning", "optimal")


@dataclass(frozen=True)
class Case:
    """A tree, training rows, and what things cost."""

    feats: tuple[Feat, ...]
    classes: list[Any]
    tree: Node
    cells: tuple[Any, ...]
    costs: dict[str, Any]
    groups: dict[str, list[str]] | None
    weights: tuple[int, ...] | None
    budget: float | None
    questions: int | None
    known: tuple[str, ...]

    def read(self) -> Any:
        return ol.Tree.from_json(to_json(self.feats, self.tree, self.classes))

    def row(self, cell: Any) -> dict[str, Any]:
        return {feat.name: feat.given(point) for feat, point in zip(self.feats, cell, strict=True)}

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [self.row(cell) for cell in self.cells]

    @property
    def options(self) -> dict[str, Any]:
        given = {"groups": self.groups, "known": self.known, "time_limit": 600.0}
        if self.weights is not None:
            given["sample_weight"] = list(self.weights)
        return given

    @property
    def counted(self) -> tuple[int, ...]:
        return (1,) * len(self.cells) if self.weights is None else self.weights

    @property
    def caps(self) -> dict[str, Any]:
        found = {"budget": self.budget, "max_questions": self.questions}
        return {key: value for key, value in found.items() if value is not None}

    def solve(self, **more: Any) -> Any:
        return ol.cheapest_policy(self.read(), self.rows, self.costs, **self.options, **more)


def draw(rng: Random) -> Case:
    feats = drawing.features(rng, most=5)
    classes = rng.choice(drawing.CLASSES)
    tree = drawing.tree(rng, feats, classes, rng.randint(2, 8))
    grid = Grid.of(feats, tree, most=250)
    n = rng.randint(1, 12)
    cells = tuple(rng.choice(grid.cells) for _ in range(n))
    read = ol.Tree.from_json(to_json(feats, tree, classes))
    names = list(read.features)
    prices = [0, 1, 1, 2, 3, 0.1, 0.5, 10, 7.25, 100]
    costs: dict[str, Any] = {name: rng.choice(prices) for name in names}
    groups = None
    if len(names) > 2 and rng.random() < 0.2:
        both = rng.sample(names, 2)
        groups = {"the group": both}
        costs = {name: cost for name, cost in costs.items() if name not in both}
        costs["the group"] = rng.choice(prices)
    weights = tuple(rng.randint(0, 3) for _ in range(n)) if rng.random() < 0.3 else None
    if weights and not sum(weights):
        weights = None
    budget = rng.choice([1, 2, 3.5, 0.1, 5, 12]) if rng.random() < 0.4 else None
    questions = rng.randint(1, 3) if rng.random() < 0.2 else None
    known = tuple(rng.sample(names, 1)) if names and not groups and rng.random() < 0.15 else ()
    return Case(feats, classes, tree, cells, costs, groups, weights, budget, questions, known)


def smaller(case: Case) -> Iterator[Case]:
    for less in ({"groups": None}, {"weights": None}, {"known": ()}, {"questions": None}):
        if any(getattr(case, key) != value for key, value in less.items()):
            costs = case.costs
            if less == {"groups": None} and case.groups:
                costs = {**costs, **{name: 1 for some in case.groups.values() for name in some}}
                del costs["the group"]
            yield replace(case, costs=costs, **less)
    for at in range(len(case.cells)):
        if len(case.cells) > 1 and case.weights is None:
            yield replace(case, cells=case.cells[:at] + case.cells[at + 1 :])
    if case.groups is None and not case.known:
        for tree in without_one(case.tree):
            read = ol.Tree.from_json(to_json(case.feats, tree, case.classes))
            costs = {name: case.costs[name] for name in read.features}
            yield replace(case, tree=tree, costs=costs)


def show(case: Case) -> str:
    text = to_json(case.feats, case.tree, case.classes)
    options = {**case.options, **case.caps}
    del options["time_limit"]
    return (
        "import orderless as ol\nfrom math import inf, nan\n"
        f"tree = ol.Tree.from_json({literal(text)})\n"
        f"X = {case.rows!r}\ncosts = {case.costs!r}\noptions = {options!r}\n"
        "print(ol.cheapest_policy(tree, X, costs, **options))"
    )


class Brute:
    """Every policy: what is known, what it costs to know more, what that settles."""

    def __init__(self, case: Case) -> None:
        self.case = case
        _, self.root, _ = from_json(case.read().to_json())
        self.grid = Grid.of(case.feats, self.root, most=250)
        names = [feat.name for feat in case.feats]
        asked = {ask.feature for ask in asks(self.root)}
        single = {at: names[at] for at in asked}
        self.buys: list[tuple[str, tuple[int, ...], Fraction]] = []
        for name, some in (case.groups or {}).items():
            at = tuple(names.index(one) for one in some)
            self.buys.append((name, at, Fraction(str(case.costs[name]))))
            for one in at:
                single.pop(one, None)
        for at, name in sorted(single.items()):
            price = Fraction(0) if name in case.known else Fraction(str(case.costs[name]))
            self.buys.append((name, (at,), price))
        self.places = [self.places_of(cell) for cell in case.cells]
        self.free = {names.index(name) for name in case.known}
        self.memory: dict[Any, Any] = {}

    def places_of(self, cell: Any) -> tuple[int, ...]:
        """By feature the bin that is shown: of values that no question tells apart the first."""
        found = []
        for at, feat in enumerate(self.case.feats):
            place = place_of(feat, self.grid.points[at], cell[at])
            if not feat.ordered:
                mine = [ask for ask in asks(self.root) if ask.feature == at]
                told = [ask.holds(place) for ask in mine]
                place = next(c for c in feat.codes if [ask.holds(c) for ask in mine] == told)
            found.append(place)
        return tuple(found)

    def labels(self, known: Known) -> set[Any]:
        points = [
            some if place is None else [some[place]]
            for some, place in zip(self.grid.points, known, strict=True)
        ]
        return {decide(self.root, cell) for cell in itertools.product(*points)}

    def determined(self, known: Known) -> bool:
        key = "determined", known
        if key not in self.memory:
            self.memory[key] = len(self.labels(known)) == 1
        return bool(self.memory[key])

    def outcomes(
        self, known: Known, rows: Sequence[int], features: tuple[int, ...]
    ) -> list[tuple[Known, tuple[int, ...]]]:
        found: dict[Any, list[int]] = {}
        for at in rows:
            found.setdefault(tuple(self.places[at][one] for one in features), []).append(at)
        parts = []
        for answer, some in sorted(found.items()):
            after = list(known)
            for feature, place in zip(features, answer, strict=True):
                after[feature] = place
            parts.append((tuple(after), tuple(some)))
        return parts

    def left(self, known: Known) -> Iterator[tuple[tuple[int, ...], Fraction]]:
        for _, features, price in self.buys:
            if any(known[at] is None for at in features):
                yield features, price

    def best(self, known: Known, rows: tuple[int, ...], money: Any, asked: Any) -> Any:
        """The least (weight that stays open, cost); ``money`` and ``asked`` are what is left."""
        if not rows or self.determined(known):
            return Fraction(0), Fraction(0)
        key = known, rows, money, asked
        if key in self.memory:
            return self.memory[key]
        if len(self.memory) > 8000:
            raise TooBig
        weight = Fraction(sum(self.case.counted[at] for at in rows))
        capped = money is not None or asked is not None
        found = [(weight, Fraction(0))] if capped else []
        for features, price in self.left(known):
            if (money is not None and price > money) or asked == 0:
                continue
            rest = None if money is None else money - price
            fewer = None if asked is None else asked - 1
            parts = [self.best(*part, rest, fewer)
                     for part in self.outcomes(known, rows, features)]  # fmt: skip
            cost = price * weight + sum(part[1] for part in parts)
            found.append((sum(part[0] for part in parts), cost))
        self.memory[key] = min(found)
        return self.memory[key]

    def worst(self, known: Known, rows: tuple[int, ...]) -> Fraction:
        """The least cost of the dearest row."""
        if not rows or self.determined(known):
            return Fraction(0)
        key = "worst", known, rows
        if key not in self.memory:
            if len(self.memory) > 8000:
                raise TooBig
            self.memory[key] = min(
                price + max(self.worst(*part) for part in self.outcomes(known, rows, features))
                for features, price in self.left(known)
            )
        return Fraction(self.memory[key])

    def starts(self) -> list[tuple[Known, tuple[int, ...]]]:
        """What is known for nothing parts the rows before anything is asked."""
        nothing: Known = (None,) * len(self.case.feats)
        rows = tuple(at for at, weight in enumerate(self.case.counted) if weight)
        return self.outcomes(nothing, rows, tuple(sorted(self.free)))


def optimum(case: Case) -> None:
    brute = Brute(case)
    total = sum(case.counted)
    least = sum(brute.best(*start, None, None)[1] for start in brute.starts())
    policy = case.solve()
    same("expected_cost of the optimum", policy.expected_cost, float(least / total))
    same("it is proven", (policy.optimal, policy.bound), (True, policy.expected_cost))
    same("all are determined", policy.share_determined, 1.0)
    worst = max(brute.worst(*start) for start in brute.starts())
    policy = case.solve(objective="worst")
    same("worst_cost", policy.worst_cost, float(worst))
    among = sum(brute.best(*start, worst, None)[1] for start in brute.starts())
    same("expected_cost among the least worst", policy.expected_cost, float(among / total))


def capped(case: Case) -> None:
    if not case.caps:
        return
    brute = Brute(case)
    total = sum(case.counted)
    money = None if case.budget is None else Fraction(str(case.budget))
    asked = case.questions
    found = [brute.best(*start, money, asked) for start in brute.starts()]
    open_weight, cost = (sum(one[at] for one in found) for at in (0, 1))
    policy = case.solve(**case.caps)
    share = float(1 - open_weight / total)
    if not math.isclose(policy.share_determined, share, rel_tol=1e-12):
        raise Wrong("share_determined", policy.share_determined, share)
    same("expected_cost within the cap", policy.expected_cost, float(cost / total))
    done = policy.simulate(case.rows)
    for spent, asked_for in zip(done["cost"], done["purchases"], strict=True):
        if case.budget is not None and spent > case.budget:
            raise Wrong("a row costs more than the budget", spent, case.budget)
        paid = [name for name in asked_for if name not in case.known]
        if case.questions is not None and len(paid) > case.questions:
            raise Wrong("a row is asked too often", asked_for, case.questions)


def valid(case: Case) -> None:
    """Every method decides as the tree does, and pays what it says."""
    brute = Brute(case)
    least = case.solve().expected_cost
    prices = {name: price for name, _, price in brute.buys}
    features = {name: some for name, some, _ in brute.buys}
    every = [*case.cells, *brute.grid.cells[:40]]
    rows = [case.row(cell) for cell in every]
    for method in METHODS:
        more = {"n_episodes": 200} if method == "q-learning" else {}
        policy = case.solve(method=method, **more)
        done = policy.simulate(rows)
        for at, cell in enumerate(every):
            bought = list(done["purchases"][at])
            same(f"{method}: decision", done["decision"][at], decide(brute.root, cell))
            same(f"{method}: nothing twice", len(set(bought)), len(bought))
            same(f"{method}: cost", done["cost"][at], float(sum(prices[name] for name in bought)))
            order_is_right(brute, method, [features[name] for name in bought], cell)
        costs = policy.costs(rows)
        same(f"{method}: costs(X)", costs.tolist(), done["cost"].tolist())
        paid = sum(
            weight * sum(prices[name] for name in bought)
            for weight, bought in zip(case.counted, done["purchases"], strict=False)
        )
        same(f"{method}: expected_cost", policy.expected_cost, float(paid / sum(case.counted)))
        if policy.expected_cost < least:
            raise Wrong(f"{method}: cheaper than the optimum", policy.expected_cost, least)
        same(f"{method}: to_tree", ol.equivalent(policy.to_tree(), case.read()), True)
        text = policy.to_json()
        same(f"{method}: JSON", ol.Policy.from_json(text).to_json(), text)


def order_is_right(brute: Brute, method: str, bought: list[tuple[int, ...]], cell: Any) -> None:
    """Stops at once when determined; naive buys all; greedy the cheapest; path as asked."""
    places = brute.places_of(cell)
    known: list[int | None] = [
        places[at] if at in brute.free else None for at in range(len(places))
    ]
    free = brute.free
    paid = [some for some in bought if not set(some) <= free]
    if method == "naive":
        everything = {some for _, some, _ in brute.buys if not set(some) <= free}
        same("naive buys everything", set(paid), everything)
        return
    prices = {some: price for _, some, price in brute.buys}
    for some in paid:
        if method != "path" and brute.determined(tuple(known)):
            raise Wrong(f"{method}: goes on although it is determined", bought)
        if method == "greedy":
            cheapest = min(price for _, price in brute.left(tuple(known)))
            same("greedy buys the cheapest", prices[some], cheapest)
        for at in some:
            known[at] = places[at]
    if not brute.determined(tuple(known)):
        raise Wrong(f"{method}: stops before it is determined", bought)
    if method == "path":
        node, asked = brute.root, []
        while isinstance(node, Split):
            asked.append(node.ask.feature)
            node = node.yes if node.ask.holds(cell[node.ask.feature]) else node.no
        same("path buys what the tree asks", {at for some in paid for at in some} >= set(asked)
             - free, True)  # fmt: skip


class Near(Brute):
    """Every policy that ends where the numbers that are possible are near enough."""

    def __init__(self, case: Case, within: float) -> None:
        super().__init__(case)
        self.within = within

    def determined(self, known: Known) -> bool:
        key = "determined", known
        if key not in self.memory:
            numbers = [float(label) for label in self.labels(known)]
            self.memory[key] = decimal_numbers.near(numbers, self.within)
        return bool(self.memory[key])


def near(case: Case) -> None:
    """For classes that are numbers: until they are known well enough, for every gap there is."""
    if any(isinstance(label, str | bool) for label in case.classes):
        return
    total = sum(case.counted)
    gaps = {abs(float(a) - float(b)) for a in case.classes for b in case.classes}
    for within in sorted(gaps)[:4]:
        brute = Near(case, within)
        least = sum(brute.best(*start, None, None)[1] for start in brute.starts())
        policy = case.solve(tolerance=within)
        same("expected_cost of the optimum", policy.expected_cost, float(least / total))
        same("it is proven", (policy.optimal, policy.bound), (True, policy.expected_cost))
        done = policy.simulate(case.rows)
        ends = zip(done["lower"], done["upper"], strict=True)
        if not all(decimal_numbers.near(pair, within) for pair in ends):
            raise Wrong("a row ends too wide", done["upper"] - done["lower"], within)
        worst = max(brute.worst(*start) for start in brute.starts())
        same("worst_cost", case.solve(tolerance=within, objective="worst").worst_cost, float(worst))
        text = policy.to_json()
        same("JSON", ol.Policy.from_json(text).to_json(), text)


NEVER = Split(Ask(2), Leaf(0), Leaf(0))
KEPT = (
    Case(
        tuple(Feat(name, "boolean") for name in "abc"),
        [0, 1],
        Split(Ask(1), Leaf(0), Split(Ask(0), NEVER, Leaf(1))),
        ((0.0, 0.0, 1.0),),
        {"a": 1, "b": 3, "c": 1},
        None, None, None, None, (),
    ),
)  # fmt: skip
CHECKS = (optimum, capped, valid, near)
