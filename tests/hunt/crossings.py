"""Points scores where facts hold, of classes and of numbers: every row with gaps at once.

The worlds are so small that all rows are listed: whole numbers with bounds that are facts,
categories and booleans, and one or two facts more between them. A model adds up points of
conditions; its total is the number, is cut into verdicts, or each verdict has points of its own.
"""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import orderless as ol

from .grid import TooBig
from .running import Wrong, same

Row = dict[str, Any]
Test = tuple[str, str, Any]  # feature, relation, reference
SIGNS: dict[str, Callable[[Any, Any], bool]] = {
    "<=": lambda a, b: a <= b, "<": lambda a, b: a < b, ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b, "=": lambda a, b: a == b, "in": lambda a, b: a in b,
    "is": lambda a, b: a == b,
}  # fmt: skip
VERDICTS = ("low", "mid", "high")


@dataclass(frozen=True)
class Case:
    """Features and their values, facts, items with points, and how points become an answer."""

    values: dict[str, tuple[Any, ...]]
    facts: tuple[tuple[str, Callable[[Row], bool]], ...]
    items: tuple[tuple[tuple[Test, ...], Any], ...]
    way: str  # "total", "levels", "list"
    levels: tuple[int, ...] = ()
    seed: int = 0

    @cached_property
    def described(self) -> tuple[dict[str, Any], list[str]]:
        """What ``Space`` takes: kinds, and facts."""
        kinds: dict[str, Any] = {}
        bounds = []
        for name, values in self.values.items():
            if values == (False, True):
                kinds[name] = "boolean"
            elif isinstance(values[0], str):
                kinds[name] = list(values)
            else:
                kinds[name] = "integer"
                bounds.append(f"{values[0]} <= {name} <= {values[-1]}")
        return kinds, [*bounds, *(text for text, _ in self.facts)]

    @property
    def space(self) -> Any:
        kinds, facts = self.described
        return ol.Space(kinds, facts=facts)

    @cached_property
    def content(self) -> dict[str, Any]:
        items = []
        for tests, points in self.items:
            when = [
                {"feature": name, sign: list(value) if sign == "in" else value}
                for name, sign, value in tests
            ]
            items.append({"when": when, "points": points})
        content: dict[str, Any] = {"items": items}
        if self.way == "levels":
            named = zip(VERDICTS[1:], self.levels, strict=False)
            content["verdicts"] = {VERDICTS[0]: None, **dict(named)}
        elif self.way == "list":
            content["verdicts"] = list(VERDICTS)
        return content

    @cached_property
    def model(self) -> Any:
        return ol.Ensemble.from_points(self.content, space=self.space)

    def answer(self, row: Row) -> Any:
        held = [
            points
            for tests, points in self.items
            if all(SIGNS[sign](row[name], value) for name, sign, value in tests)
        ]
        if self.way == "list":
            return max(VERDICTS, key=lambda verdict: sum(p.get(verdict, 0) for p in held))
        total = sum(held)
        if self.way == "total":
            return float(total)
        return VERDICTS[sum(total >= level for level in self.levels)]

    @cached_property
    def possible(self) -> list[tuple[Row, Any]]:
        """Every possible row, and its answer."""
        rows = (
            dict(zip(self.values, values, strict=True))
            for values in itertools.product(*self.values.values())
        )
        return [
            (row, self.answer(row)) for row in rows if all(holds(row) for _, holds in self.facts)
        ]

    @cached_property
    def partial(self) -> list[tuple[Row, list[tuple[Row, Any]]]]:
        """Every row with gaps, and its possible completions."""
        choices = [(None, *values) for values in self.values.values()]
        out = []
        for values in itertools.product(*choices):
            row = {n: v for n, v in zip(self.values, values, strict=True) if v is not None}
            left = [one for one in self.possible if all(one[0][n] == v for n, v in row.items())]
            out.append((row, left))
        return out

    def some(self, most: int) -> list[tuple[Row, list[tuple[Row, Any]]]]:
        inside = [one for one in self.partial if one[1]]
        return Random(self.seed).sample(inside, min(most, len(inside)))


def draw(rng: Random) -> Case:
    values: dict[str, tuple[Any, ...]] = {}
    for name in ("a", "b", "c", "d")[: rng.choice([2, 3, 3, 4])]:
        kind = rng.choice(["whole", "whole", "category", "boolean"])
        low = rng.choice([0, -1])
        values[name] = {
            "whole": tuple(range(low, low + rng.randint(2, 4))),
            "category": ("r", "g", "b"),
            "boolean": (False, True),
        }[kind]
    facts = tuple(a_fact(rng, values) for _ in range(rng.choice([0, 1, 1, 2])))
    way = rng.choice(["total", "levels", "list"])
    items = tuple(
        (tuple(a_test(rng, values, name)
               for name in rng.sample(sorted(values), min(len(values), rng.choice([1, 1, 2])))),
         some_points(rng, way))
        for _ in range(rng.randint(1, 5))
    )  # fmt: skip
    levels = tuple(sorted(rng.sample([-1, 0, 1, 2, 3], rng.randint(1, 2))))
    case = Case(values, facts, items, way, levels if way == "levels" else (), rng.randint(0, 10**6))
    return readable(case)


def readable(case: Case) -> Case:
    """The case, unless it cannot be one: no possible row, an item that always or never holds."""
    if not case.possible:
        raise TooBig
    try:
        case.model  # noqa: B018
    except ol.errors.InvalidTree:
        raise TooBig from None
    return case


def a_test(rng: Random, values: dict[str, tuple[Any, ...]], name: str) -> Test:
    some = values[name]
    if some == (False, True):
        return name, "is", rng.random() < 0.5
    if isinstance(some[0], str):
        return name, "in", tuple(rng.sample(some, rng.randint(1, 2)))
    sign = rng.choice(["<=", "<", ">", ">="])
    return name, sign, rng.choice(some[:-1] if sign in ("<=", ">") else some[1:])


def some_points(rng: Random, way: str) -> Any:
    if way != "list":
        return rng.choice([1, 2, -1, 3])
    return {verdict: rng.choice([1, 2, -1]) for verdict in rng.sample(VERDICTS, rng.randint(1, 2))}


def in_words(test: Test) -> str:
    name, sign, value = test
    if sign == "is":
        return name if value else f"not {name}"
    return f"{name} in {{{', '.join(value)}}}" if sign == "in" else f"{name} {sign} {value}"


def a_fact(rng: Random, values: dict[str, tuple[Any, ...]]) -> tuple[str, Callable[[Row], bool]]:
    numbers = [name for name, some in values.items() if not isinstance(some[0], str)]
    if len(numbers) > 1 and rng.random() < 0.5:
        one, other = rng.sample(numbers, 2)
        sign, more = rng.choice(["<=", "<", "=", ">="]), rng.choice([0, 0, 1])
        return (
            f"{one} {sign} {other} + {more}",
            lambda row: SIGNS[sign](int(row[one]), int(row[other]) + more),
        )
    a, b = (a_test(rng, values, rng.choice(sorted(values))) for _ in range(2))

    def holds(row: Row) -> bool:
        return SIGNS[b[1]](row[b[0]], b[2]) or not SIGNS[a[1]](row[a[0]], a[2])

    return f"if {in_words(a)} then {in_words(b)}", holds


def smaller(case: Case) -> Iterator[Case]:
    for at in range(len(case.facts)):
        yield replace(case, facts=case.facts[:at] + case.facts[at + 1 :])
    for at in range(len(case.items)):
        if len(case.items) > 1:
            yield replace(case, items=case.items[:at] + case.items[at + 1 :])


def show(case: Case) -> str:
    kinds, facts = case.described
    return (
        f"import orderless as ol\nspace = ol.Space({kinds!r}, facts={facts!r})\n"
        f"model = ol.Ensemble.from_points({case.content!r}, space=space)"
    )


# -- checks --------------------------------------------------------------------------------------


def rows_at_once(case: Case) -> None:
    rows = [row for row, _ in case.partial]
    answers = [[answer for _, answer in left] for _, left in case.partial]
    inside = [at for at, some in enumerate(answers) if some]
    status = case.model.status(rows).tolist()
    for at, some in enumerate(answers):
        due = "impossible" if not some else "certain" if len(set(some)) == 1 else "open"
        same(f"status of {rows[at]}", status[at], due)
    said = case.model.predict(rows).tolist()
    for at, some in enumerate(answers):
        same(f"predict {rows[at]}", said[at], some[0] if len(set(some)) == 1 else None)
    if case.way == "total":
        lower, upper, exact = case.model.predict_interval(rows)
        for at in inside:
            ends = (min(answers[at]), max(answers[at]), True)
            same(f"interval of {rows[at]}", (lower[at], upper[at], bool(exact[at])), ends)
        for width in (0.5, 1, 3):
            said = case.model.predict(rows, tolerance=width).tolist()
            for at in inside:
                low, high = min(answers[at]), max(answers[at])
                due = (low + high) / 2 if high - low <= width else None
                same(f"predict {rows[at]} to {width}", said[at], due)
        return
    found = case.model.possible(rows)
    for at in inside:
        same(f"possible {rows[at]}", set(found[at]), set(answers[at]))


def asked(case: Case) -> None:
    """What is asked can matter; nothing is asked of certain rows."""
    inside = [(row, left) for row, left in case.partial if left]
    said = case.model.ask_next([row for row, _ in inside]).tolist()
    for (row, left), name in zip(inside, said, strict=True):
        if len({answer for _, answer in left}) == 1:
            same(f"asked of {row}", name, None)
        elif name in row or not any(
            one[name] != two[name] and a != b
            for (one, a), (two, b) in itertools.combinations(left, 2)
        ):
            raise Wrong("what is asked cannot matter", name, row)
        else:
            same("a question", isinstance(name, str), True)


def needed(case: Case) -> None:
    for row, left in case.some(8):
        for width in (0, 1) if case.way == "total" else (None,):
            due = [settling(case, row, left, width, which) for which in (all, any)]
            found = case.model.needed(row) if not width else case.model.needed(row, tolerance=width)
            same(f"what settles {row}, {width}", [set(found.settle), set(found.could)], due)


def settling(
    case: Case, row: Row, left: list[tuple[Row, Any]], width: Any, which: Callable[[Any], bool]
) -> set[tuple[str, ...]]:
    free = [name for name in case.values if name not in row]
    for size in range(len(free) + 1):
        good = set()
        for some in itertools.combinations(free, size):
            groups: dict[Any, set[Any]] = {}
            for one, answer in left:
                groups.setdefault(tuple(one[n] for n in some), set()).add(answer)
            near = (len(g) == 1 or (width and max(g) - min(g) <= width) for g in groups.values())
            if which(near):
                good.add(some)
        if good:
            return good
    raise AssertionError("all features settle a row")


def reasons(case: Case) -> None:
    """A reason holds of the row, every possible row in it has the answer, and none is smaller."""
    for row, left in case.some(6):
        answers = {answer for _, answer in left}
        if len(answers) > 1:
            continue
        (answer,) = answers
        why = case.model.explain(row)
        same(f"the answer of {row}", why.interval[0] if case.way == "total" else why.label, answer)
        for term in (why.reason, why.shortest):
            inside = [one for one in case.possible if meets(term.sides, one[0])]
            same(f"answers in {term}", {a for _, a in inside}, answers)
            same(f"the row is in {term}", all(meets(term.sides, one) for one, _ in left), True)
        enough = [
            set(some)
            for size in range(len(row) + 1)
            for some in itertools.combinations(row, size)
            if all(a == answer for one, a in case.possible if all(one[n] == row[n] for n in some))
        ]
        same(f"features of the shortest, {row}", len(why.shortest.features), min(map(len, enough)))
        same(f"necessary, {row}", set(why.necessary), set.intersection(*enough))


def meets(sides: Any, row: Row) -> bool:
    for side in sides:
        value = row[side.feature.name]
        if side.feature.ordered:
            if not side.lower < float(value) <= side.upper:
                return False
        elif value not in side.labels:
            return False
    return True


def changes(case: Case) -> None:
    """With restrictions: the sets of features that may change, and what the change costs."""
    if case.way == "total":
        return
    rng = Random(case.seed)
    for row, left in case.some(6):
        answers = {answer for _, answer in left}
        if len(answers) > 1:
            continue
        names = list(row)
        kept = [name for name in names if rng.random() < 0.2]
        numbers = [n for n in names if n not in kept and isinstance(row[n], int)
                   and not isinstance(row[n], bool)]  # fmt: skip
        up = [name for name in numbers if rng.random() < 0.3]
        costs = {name: rng.randint(0, 3) for name in case.values}
        unit = {name: rng.randint(1, 3) for name in numbers if rng.random() < 0.7}
        found = case.model.explain(row).changes(
            immutable=kept, only_up=up, costs=costs, per_unit=unit
        )
        best: dict[frozenset[str], int] = {}
        for one, answer in case.possible:
            some = frozenset(n for n in names if one[n] != row[n])
            fine = not some & set(kept) and all(one[n] >= row[n] for n in up)
            if answer in answers or not fine:
                continue
            price = sum(costs[n] for n in some)
            price += sum(unit[n] * abs(one[n] - row[n]) for n in some if n in unit)
            best[some] = min(price, best.get(some, price))
        least = {some for some in best if not any(other < some for other in best)}
        same(f"changes of {row}, {kept}, {up}", {frozenset(c.features) for c in found}, least)
        cheapest = {}
        for change in found:
            takes_effect(case, row, change)
            key = frozenset(change.features)
            cheapest[key] = min(change.cost, cheapest.get(key, change.cost))
        due = {some: best[some] for some in least}
        same(f"costs of changes of {row}, {kept}, {up}, {costs}, {unit}", cheapest, due)


def takes_effect(case: Case, row: Row, change: Any) -> None:
    """Whatever values a change allows, its answer is possible, and certain if it says so."""
    kept = {name: value for name, value in row.items() if name not in change.features}
    by_values: dict[Any, set[Any]] = {}
    for one, answer in case.possible:
        inside = all(one[name] == value for name, value in kept.items())
        if inside and meets(change.ranges.values(), one):
            values = tuple(one[name] for name in change.features)
            by_values.setdefault(values, set()).add(answer)
    for values, answers in by_values.items():
        same(f"{change}: {values} has the effect, {row}", change.label in answers, True)
    sure = all(answers == {change.label} for answers in by_values.values())
    same(f"{change} is certain, {row}", (change.certain, bool(by_values)), (sure, True))


def exported(case: Case) -> None:
    """SQL and expressions know no facts: what they say is right for all rows that there are."""
    plain = replace(case, facts=())
    rows = [row for row, _ in plain.partial]
    frame = pd.DataFrame([{n: row.get(n) for n in case.values} for row in rows], dtype=object)
    base = sqlite3.connect(":memory:")
    for name, values in case.values.items():
        if values == (False, True):
            frame[name] = [None if v is None else int(v) for v in frame[name]]
    columns = ", ".join(f'"{name}"' for name in frame)
    base.execute(f"CREATE TABLE t ({columns})")
    cells = [[None if v is None or v != v else v for v in row] for row in frame.values.tolist()]
    base.executemany(f"INSERT INTO t VALUES ({', '.join('?' * len(frame.columns))})", cells)
    kinds = [*(["answer"] if case.way != "total" else []), *(["lower", "upper"]
             if case.way != "list" else [])]  # fmt: skip
    for of in kinds:
        query = case.model.to_sql(dialect="sqlite", of=of)
        said = [row[0] for row in base.execute(f"SELECT {query} FROM t")]
        for (row, left), got in zip(plain.partial, said, strict=True):
            if of == "answer":
                answers = {answer for _, answer in left}
                if got is not None or len(row) == len(case.values):
                    same(f"SQL of {row}", {got}, answers)
                continue
            totals = [totalled(plain, one) for one, _ in left]
            right = got <= min(totals) if of == "lower" else got >= max(totals)
            same(f"SQL, {of} of {row}: {got}, {totals}", right, True)
    base.close()


def totalled(case: Case, row: Row) -> int:
    return sum(points for tests, points in case.items
               if all(SIGNS[sign](row[name], value) for name, sign, value in tests))  # fmt: skip


def between(case: Case) -> None:
    """Whole numbers that are known as ranges."""
    names = [n for n, some in case.values.items()
             if not isinstance(some[0], str | bool)]  # fmt: skip
    if not names:
        return
    rng, low, high, due = Random(case.seed), [], [], []
    for row, _ in case.some(20):
        one, other = ({n: row.get(n) for n in case.values} for _ in range(2))
        for name in names:
            ends = sorted(rng.choices(case.values[name], k=2))
            one[name], other[name] = ends
        left = [
            answer for full, answer in case.possible
            if all(full[n] == v for n, v in row.items() if n not in names)
            and all(one[n] <= full[n] <= other[n] for n in names)
        ]  # fmt: skip
        low.append(one)
        high.append(other)
        due.append(left[0] if len(set(left)) == 1 else None)
    frames = [pd.DataFrame(some, dtype=object) for some in (low, high)]
    for frame in frames:
        for name in names:
            frame[name] = frame[name].astype(float)
    said = case.model.predict(ol.Between(*frames))
    got = [None if v is None or v is pd.NA or v != v else v for v in said.tolist()]
    same(f"between {low} and {high}", got, due)


def as_one_tree(case: Case) -> None:
    """The same function as one tree says the same, and is proven the same."""
    tree = case.model.to_tree()
    rows = [row for row, left in case.partial if left]
    expected = np.ma.asarray(case.model.predict(rows)).tolist()
    same("predict of one tree", np.ma.asarray(tree.predict(rows)).tolist(), expected)
    same("equivalent", ol.equivalent(tree, case.model), True)


CHECKS = (rows_at_once, asked, needed, reasons, changes, exported, between, as_one_tree)
