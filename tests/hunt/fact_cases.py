"""Trees over spaces with facts, drawn at random; a fact is text and the function it means."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import orderless as ol

from .grid import TooBig

Row = dict[str, Any]


NAMES = ("age", "first charge", "low", "high", "Größe")


CLASSES = ("no", "yes", "may be")


MOST = 3000  # rows


OWN = tuple(at / 2 for at in range(-1, 6))  # the real numbers in rows; two more are between them


@dataclass(frozen=True)
class Feat:
    """A feature, and points that stand for all of its values."""

    name: str
    kind: Any
    points: tuple[Any, ...]


@dataclass(frozen=True)
class Fact:
    """A fact as text, and what it means."""

    text: str
    holds: Callable[[Row], bool]


@dataclass(frozen=True)
class Case:
    """Two trees over one space with facts, and rows with gaps."""

    feats: tuple[Feat, ...]
    facts: tuple[Fact, ...]
    one: Any
    two: Any
    rows: tuple[Row, ...]

    def space(self) -> Any:
        kinds = {feat.name: feat.kind for feat in self.feats}
        return ol.Space(kinds, facts=[fact.text for fact in self.facts])

    def read(self, tree: Any) -> Any:
        return ol.read(tree, space=self.space())

    def possible(self) -> list[Row]:
        names = [feat.name for feat in self.feats]
        every = (
            dict(zip(names, values, strict=True))
            for values in itertools.product(*(feat.points for feat in self.feats))
        )
        return [row for row in every if all(fact.holds(row) for fact in self.facts)]


def quoted(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z]\w*", name, re.ASCII) else f"`{name}`"


# -- drawing -------------------------------------------------------------------------------------


def draw(rng: Random) -> Case:
    feats, facts = numbers(rng) if rng.random() < 0.7 else reals(rng)
    if rng.random() < 0.6:
        feats.append(Feat("pregnant", bool, (False, True)))
    if rng.random() < 0.6:
        feats.append(Feat("site", ["a", "b", "c d"], ("a", "b", "c d")))
    size = 1
    for feat in feats:
        size *= len(feat.points)
    if size > MOST:
        raise TooBig
    facts += [a_fact(rng, feats) for _ in range(rng.randint(1, 3))]
    case = Case(tuple(feats), tuple(facts), None, None, ())
    possible = case.possible()
    if not possible:
        raise TooBig
    one = a_tree(rng, feats, rng.randint(2, 7))
    two = a_tree(rng, feats, rng.randint(2, 7)) if rng.random() < 0.4 else changed(rng, one)
    rows = tuple(a_row(rng, possible, feats) for _ in range(8))
    return replace(case, one=one, two=two, rows=rows)


def numbers(rng: Random) -> tuple[list[Feat], list[Fact]]:
    """Whole numbers between bounds that are facts."""
    feats, facts = [], []
    for name in rng.sample(NAMES, rng.randint(2, 3)):
        top = rng.randint(1, 4)
        feats.append(Feat(name, int, tuple(range(top + 1))))
        facts.append(
            Fact(f"0 <= {quoted(name)} <= {top}", lambda row, n=name, t=top: 0 <= row[n] <= t)
        )
    return feats, facts


def reals(rng: Random) -> tuple[list[Feat], list[Fact]]:
    """Real numbers, which only orders are about; thresholds are 0, 1 and 2."""
    names = rng.sample(NAMES, 2)
    points = (-0.75, -0.625, *(own + more for own in OWN for more in (0, 0.125, 0.25)))
    feats = [Feat(name, float, points) for name in names]
    facts = []
    for _ in range(rng.randint(1, 2)):
        a, b = rng.sample(names, 2)
        sign = rng.choice(["<=", "<"])
        facts.append(
            Fact(f"{quoted(a)} {sign} {quoted(b)}",
                 lambda row, a=a, b=b, s=sign: row[a] <= row[b] if s == "<=" else row[a] < row[b])
        )  # fmt: skip
    return feats, facts


def a_condition(rng: Random, feats: list[Feat]) -> Fact:
    """A condition on one feature."""
    feat = rng.choice(feats)
    name, words = feat.name, quoted(feat.name)
    if feat.kind is bool:
        if rng.random() < 0.5:
            return Fact(words, lambda row: row[name])
        return Fact(f"not {words}", lambda row: not row[name])
    if feat.kind in (int, float):
        cut = rng.randint(0, 2)
        sign = rng.choice(["<=", ">", "<", ">="])
        test = {
            "<=": lambda row: row[name] <= cut,
            ">": lambda row: row[name] > cut,
            "<": lambda row: row[name] < cut,
            ">=": lambda row: row[name] >= cut,
        }[sign]
        return Fact(f"{words} {sign} {cut}", test)
    some = rng.sample(feat.points, rng.randint(1, 2))
    inside = ", ".join(f'"{label}"' for label in some)
    if rng.random() < 0.5:
        return Fact(f"{words} in {{{inside}}}", lambda row: row[name] in some)
    return Fact(f'{words} != "{some[0]}"', lambda row: row[name] != some[0])


def a_fact(rng: Random, feats: list[Feat]) -> Fact:
    whole = [feat.name for feat in feats if feat.kind is int]
    kind = rng.choice(["if", "if", "or", "order", "sum", "table", "group"])
    if kind == "order" and len(whole) > 1:
        a, b = rng.sample(whole, 2)
        return Fact(f"{quoted(a)} <= {quoted(b)}", lambda row: row[a] <= row[b])
    if kind == "sum" and len(whole) > 1:
        a, b = rng.sample(whole, 2)
        n, m = rng.randint(1, 2), rng.randint(2, 6)
        return Fact(f"{n}*{quoted(a)} + {quoted(b)} <= {m}", lambda row: n * row[a] + row[b] <= m)
    labelled = [feat for feat in feats if feat.kind not in (int, float)]
    if kind == "table" and len(labelled) > 1:
        one, two = rng.sample(labelled, 2)
        pairs = list(itertools.product(one.points, two.points))
        legal = rng.sample(pairs, rng.randint(2, len(pairs)))
        texts = ", ".join(f"({said(x)}, {said(y)})" for x, y in legal)
        return Fact(
            f"({quoted(one.name)}, {quoted(two.name)}) in {{{texts}}}",
            lambda row: (row[one.name], row[two.name]) in legal,
        )
    a, b = a_condition(rng, feats), a_condition(rng, feats)
    if kind == "if":
        return Fact(f"if {a.text} then {b.text}", lambda row: b.holds(row) or not a.holds(row))
    return Fact(f"({a.text}) or ({b.text})", lambda row: a.holds(row) or b.holds(row))


def said(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else f'"{value}"'


def a_tree(rng: Random, feats: list[Feat], leaves: int) -> Any:
    if leaves == 1:
        return {"prediction": rng.choice(CLASSES)}
    feat = rng.choice(feats)
    left = rng.randint(1, leaves - 1)
    sides = {"true": a_tree(rng, feats, left), "false": a_tree(rng, feats, leaves - left)}
    if feat.kind in (int, float):
        asked = {"relation": "<=", "reference": rng.choice([0, 1, 2])}
    elif feat.kind is bool:
        asked = {"relation": "<=", "reference": 0.5}
    else:
        asked = {"relation": "in", "reference": rng.sample(feat.points, rng.randint(1, 2))}
    return {"feature": feat.name, **asked, **sides}


def changed(rng: Random, tree: Any) -> Any:
    """The tree with another label at one leaf."""
    if "prediction" in tree:
        return {"prediction": rng.choice(CLASSES)}
    side = rng.choice(["true", "false"])
    return {**tree, side: changed(rng, tree[side])}


def a_row(rng: Random, possible: list[Row], feats: list[Feat]) -> Row:
    real = [feat.name for feat in feats if feat.kind is float]
    own = [row for row in possible if all(row[name] in OWN for name in real)]
    if not own:
        raise TooBig
    row = dict(rng.choice(own))
    if rng.random() < 0.15:  # perhaps an impossible one
        row = {feat.name: rng.choice(OWN if feat.kind is float else feat.points) for feat in feats}
    unknown = rng.choice([0.0, 0.4, 0.7])
    return {name: value for name, value in row.items() if rng.random() >= unknown}


def smaller(case: Case) -> Iterator[Case]:
    if len(case.rows) > 1:
        for row in case.rows:
            yield replace(case, rows=(row,))
    for at in range(len(case.facts)):
        yield replace(case, facts=case.facts[:at] + case.facts[at + 1 :])
    for which in ("one", "two"):
        for less in pruned(getattr(case, which)):
            yield replace(case, **{which: less})
    for at, row in enumerate(case.rows):
        for gone in row:
            less = {name: value for name, value in row.items() if name != gone}
            yield replace(case, rows=(*case.rows[:at], less, *case.rows[at + 1 :]))


def pruned(tree: Any) -> Iterator[Any]:
    if "prediction" in tree:
        return
    for side in ("true", "false"):
        yield tree[side]
        for less in pruned(tree[side]):
            yield {**tree, side: less}


def show(case: Case) -> str:
    kinds = ", ".join(
        f"{feat.name!r}: {getattr(feat.kind, '__name__', repr(feat.kind))}" for feat in case.feats
    )
    return (
        "import orderless as ol\n"
        f"space = ol.Space({{{kinds}}}, facts={[fact.text for fact in case.facts]!r})\n"
        f"one = ol.read({case.one!r}, space=space)\n"
        f"two = ol.read({case.two!r}, space=space)\n"
        f"rows = {list(case.rows)!r}"
    )
