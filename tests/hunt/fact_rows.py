"""One row where facts hold: every question about it, beside all possible rows, one by one.

Features are whole numbers, booleans, categories, float64 and float32 numbers; NaN may be a value.
Whole numbers have bounds that are facts. Numbers with a point are compared with each other and with
constants; the points stand for all of them: at every constant, threshold and value of the row, at
the floats beside these, and three in every gap. Rows are possible if they satisfy every fact, by
functions drawn together with the facts' texts.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

import orderless as ol

from .grid import TooBig
from .running import Wrong, same

__all__ = ["CHECKS", "draw", "show", "smaller"]

Row = dict[str, Any]
NAMES = ("a", "b", "c", "d e")
CLASSES = ("no", "yes", "may be")
NUMBERS = (-1.5, 0.0, 2.25)
CUTS = (0.5, 1.15)  # thresholds of numbers with a point
VALUES = (0.0, 0.6, 1.15)  # of rows
MOST = 20_000  # rows
GONE = "missing"  # NaN as a value, in the oracle's rows


@dataclass(frozen=True)
class Feat:
    """A feature: "whole", "boolean", "category", "float64" or "float32", and whether NaN counts."""

    name: str
    kind: str
    top: int = 0  # of whole numbers
    nan: bool = False

    def feature(self) -> Any:
        if self.kind == "boolean":
            return ol.Feature(self.name, "boolean")
        if self.kind == "category":
            return ol.Feature(self.name, "categorical", categories=("r", "g", "b"), nan=self.nan)
        values = "integer" if self.kind == "whole" else self.kind
        return ol.Feature(self.name, values=values, nan=self.nan)

    @property
    def number(self) -> bool:
        return self.kind in ("whole", "float64", "float32")

    def points(self) -> list[Any]:
        gone = [GONE] * self.nan
        if self.kind == "boolean":
            return [False, True]
        if self.kind == "category":
            return ["r", "g", "b", *gone]
        if self.kind == "whole":
            return [*range(self.top + 1), *gone]
        return [*POINTS, *gone]


def float_points() -> list[float]:
    marks = {*CUTS, *VALUES}
    for cut in CUTS:
        marks |= {math.nextafter(cut, -9), math.nextafter(cut, 9)}
        # The last float64 that is rounded to the float32 below, and the next.
        last = float(np.float32(cut))
        last = last if last <= cut else float(np.nextafter(np.float32(cut), np.float32(-9)))
        after = float(np.nextafter(np.float32(last), np.float32(9)))
        middle = (last + after) / 2
        marks |= {last, middle, math.nextafter(middle, -9), math.nextafter(middle, 9), after}
    found = sorted(marks)
    between = [
        low + (high - low) * part
        for low, high in itertools.pairwise([-1.0, *found, 4.0])
        for part in (0.3, 0.7)
        if high - low > 1e-6
    ]
    return sorted({*found, *between})


POINTS = float_points()


@dataclass(frozen=True)
class Fact:
    """A fact as text, and what it means."""

    text: str
    holds: Callable[[Row], bool]
    about: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """A tree over a space with facts, rows with gaps, and what may be changed."""

    feats: tuple[Feat, ...]
    facts: tuple[Fact, ...]
    tree: Any
    rows: tuple[Row, ...]
    limits: Row

    def names(self) -> list[str]:
        return [feat.name for feat in self.feats]

    def read(self) -> Any:
        space = ol.Space([f.feature() for f in self.feats], facts=[f.text for f in self.facts])
        return built(space, self.tree)

    def possible(self) -> list[Row]:
        names = self.names()
        points = [feat.points() for feat in self.feats]
        if math.prod(map(len, points)) > MOST:
            raise TooBig
        every = (dict(zip(names, row, strict=True)) for row in itertools.product(*points))
        return [row for row in every if all(applies(fact, row) for fact in self.facts)]

    def says(self, row: Row) -> Any:
        tree, kinds = self.tree, {feat.name: feat.kind for feat in self.feats}
        while "prediction" not in tree:
            value, reference = row[tree["feature"]], tree["reference"]
            if value == GONE:
                yes = bool(tree.get("missing"))
            elif tree["relation"] == "in":
                yes = value in reference
            elif kinds[tree["feature"]] == "float32":
                yes = float(np.float32(value)) <= reference
            else:
                yes = value <= reference
            tree = tree["true" if yes else "false"]
        return tree["prediction"]


def built(space: Any, nested: Any) -> Any:
    """The tree that nested dicts describe; ``missing`` says where NaN goes."""
    classes = sorted(set(labels_of(nested)))
    task = nested.get("task", "classification")
    columns: dict[str, list[Any]] = {
        name: []
        for name in ("feature", "threshold", "nan_true", "when_true", "when_false", "leaf_class")
    }
    sets: dict[int, list[int]] = {}

    def add(own: Any) -> int:
        node = len(columns["feature"])
        leaf = "prediction" in own
        values = (-1, 0.0, False, -1, -1, classes.index(own["prediction"]) if leaf else -1)
        for column, value in zip(columns.values(), values, strict=True):
            column.append(value)
        if leaf:
            return node
        feature = space[own["feature"]]
        columns["feature"][node] = space.index(own["feature"])
        if feature.ordered:
            columns["threshold"][node] = own["reference"]
            columns["nan_true"][node] = bool(own.get("missing"))
        else:
            codes = [feature.code(label) for label in own["reference"]]
            sets[node] = codes + [feature.n_values - 1] * bool(own.get("missing"))
        columns["when_true"][node] = add(own["true"])
        columns["when_false"][node] = add(own["false"])
        return node

    add(nested)
    return ol.Tree(space, classes, **columns, sets=sets, task=task)


def labels_of(nested: Any) -> Iterator[Any]:
    if "prediction" in nested:
        yield nested["prediction"]
    else:
        for side in ("true", "false"):
            yield from labels_of(nested[side])


def applies(fact: Fact, row: Row) -> bool:
    """A fact says nothing of a row without a number that it is about."""
    return any(row[name] == GONE and name in fact.about for name in fact.about) or fact.holds(row)


# -- drawing -------------------------------------------------------------------------------------


def quoted(name: str) -> str:
    return f"`{name}`" if " " in name else name


def draw(rng: Random) -> Case:
    feats = tuple(a_feat(rng, name) for name in NAMES[: rng.choice([2, 3, 3, 4])])
    facts = []
    for feat in feats:
        if feat.kind == "whole":
            facts.append(
                Fact(f"0 <= {quoted(feat.name)} <= {feat.top}",
                     lambda row, n=feat.name, t=feat.top: 0 <= row[n] <= t, (feat.name,))
            )  # fmt: skip
    facts += [a_fact(rng, feats) for _ in range(rng.randint(1, 3))]
    numbers = rng.random() < 0.2
    labels = NUMBERS if numbers else CLASSES[: rng.choice([2, 3])]
    tree = a_tree(rng, feats, rng.randint(2, 7), labels)
    if numbers:
        tree = {**tree, "task": "regression"}
    case = Case(feats, tuple(facts), tree, (), {})
    possible = case.possible()
    if not possible:
        raise TooBig
    rows = tuple(a_row(rng, feats, possible) for _ in range(4))
    return replace(case, rows=rows, limits=some_limits(rng, feats))


def a_feat(rng: Random, name: str) -> Feat:
    kind = rng.choice(["whole", "whole", "boolean", "category", "float64", "float32", "float32"])
    nan = kind != "boolean" and rng.random() < 0.15
    return Feat(name, kind, rng.randint(1, 4), nan)


def a_condition(rng: Random, feats: tuple[Feat, ...]) -> Fact:
    feat = rng.choice(feats)
    name, words = feat.name, quoted(feat.name)
    if feat.kind == "boolean":
        wanted = rng.random() < 0.5
        return Fact(words if wanted else f"not {words}", lambda row: row[name] == wanted, (name,))
    if feat.kind == "category":
        some = rng.sample(["r", "g", "b"], rng.randint(1, 2))
        return Fact(f"{words} in {{{', '.join(some)}}}", lambda row: row[name] in some, ())
    sign = rng.choice(["<=", "<", ">=", ">"])
    bound = rng.randint(0, feat.top) if feat.kind == "whole" else rng.choice([*CUTS, 0.6])
    return Fact(f"{words} {sign} {bound}",
                lambda row: compared(row[name], sign, bound), (name,))  # fmt: skip


def compared(a: Any, sign: str, b: Any) -> bool:
    return {"<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b, "=": a == b}[sign]


def a_fact(rng: Random, feats: tuple[Feat, ...]) -> Fact:
    floats = [f.name for f in feats if f.kind.startswith("float")]
    whole = [f.name for f in feats if f.kind in ("whole", "boolean")]
    which = rng.random()
    if which < 0.45 and len(floats) > 1:
        return an_order(rng, floats, strict=False)  # between two floats are real numbers
    if which < 0.45 and len(whole) > 1:
        return a_sum(rng, whole) if rng.random() < 0.5 else an_order(rng, whole)
    if which < 0.55 and len(feats) > 2:
        some, most = [a_condition(rng, feats) for _ in range(3)], rng.randint(1, 2)
        about = tuple(name for one in some for name in one.about)
        return Fact(f"at most {most} of {', '.join(one.text for one in some)}",
                    lambda row: sum(one.holds(row) for one in some) <= most, about)  # fmt: skip
    a, b = a_condition(rng, feats), a_condition(rng, feats)
    if which < 0.8:
        return Fact(f"if {a.text} then {b.text}", lambda row: b.holds(row) or not a.holds(row),
                    (*a.about, *b.about))  # fmt: skip
    return Fact(f"({a.text}) or ({b.text})", lambda row: a.holds(row) or b.holds(row),
                (*a.about, *b.about))  # fmt: skip


def an_order(rng: Random, names: list[str], strict: bool = True) -> Fact:
    a, b = rng.sample(names, 2)
    sign = rng.choice(["<=", "<=", "<", "="] if strict else ["<=", "<=", "="])
    return Fact(f"{quoted(a)} {sign} {quoted(b)}",
                lambda row: compared(row[a], sign, row[b]), (a, b))  # fmt: skip


def a_sum(rng: Random, names: list[str]) -> Fact:
    a, b = rng.sample(names, 2)
    n, m = rng.choice([1, -1, 2]), rng.choice([1, 1, -1])
    bound, sign = rng.randint(-1, 4), rng.choice(["<=", ">=", "="])
    text = f"{n}*{quoted(a)} + {m}*{quoted(b)} {sign} {bound}".replace("+ -", "- ")
    return Fact(text, lambda row: compared(n * row[a] + m * row[b], sign, bound), (a, b))


def a_tree(rng: Random, feats: tuple[Feat, ...], leaves: int, labels: tuple[Any, ...]) -> Any:
    if leaves == 1:
        return {"prediction": rng.choice(labels)}
    feat = rng.choice(feats)
    left = rng.randint(1, leaves - 1)
    out = {
        "feature": feat.name,
        "relation": "<=",
        "true": a_tree(rng, feats, left, labels),
        "false": a_tree(rng, feats, leaves - left, labels),
    }
    if feat.nan:
        out["missing"] = rng.random() < 0.5
    if feat.kind == "category":
        some = rng.sample(["r", "g", "b"], rng.randint(1, 2))
        return {**out, "relation": "in", "reference": some}
    if feat.kind == "boolean":
        return {**out, "reference": 0.5}
    if feat.kind == "whole":
        return {**out, "reference": rng.randint(0, feat.top)}
    return {**out, "reference": rng.choice(CUTS)}


def a_row(rng: Random, feats: tuple[Feat, ...], possible: list[Row]) -> Row:
    floats = [feat.name for feat in feats if feat.kind.startswith("float")]
    own = [row for row in possible if all(row[n] in (*VALUES, GONE) for n in floats)]
    row = dict(rng.choice(own or possible))
    unknown = rng.choice([0.0, 0.3, 0.6])
    return {name: value for name, value in row.items() if rng.random() >= unknown}


def some_limits(rng: Random, feats: tuple[Feat, ...]) -> Row:
    """What may be changed; costs only where every number is whole."""
    numbers = [feat.name for feat in feats if feat.number or feat.kind == "boolean"]
    out: Row = {"immutable": [feat.name for feat in feats if rng.random() < 0.15]}
    free = [name for name in numbers if name not in out["immutable"]]
    up = [name for name in free if rng.random() < 0.15]
    out["only_up"] = up
    out["only_down"] = [name for name in free if name not in up and rng.random() < 0.15]
    whole = [feat for feat in feats if feat.kind == "whole"]
    if whole and rng.random() < 0.3:
        feat = rng.choice(whole)
        low = rng.randint(0, feat.top)
        out["ranges"] = {feat.name: (low, rng.randint(low, feat.top))}
    if rng.random() < 0.6 and not any(feat.kind.startswith("float") for feat in feats):
        out["costs"] = {feat.name: rng.randint(0, 3) for feat in feats}
        out["per_unit"] = {
            feat.name: rng.randint(0, 4) for feat in whole if not feat.nan and rng.random() < 0.7
        }
    return out


def smaller(case: Case) -> Iterator[Case]:
    if len(case.rows) > 1:
        for row in case.rows:
            yield replace(case, rows=(row,))
    bounds = {f"0 <= {quoted(feat.name)} <= {feat.top}" for feat in case.feats}
    for at, fact in enumerate(case.facts):
        if fact.text not in bounds:
            yield replace(case, facts=case.facts[:at] + case.facts[at + 1 :])
    for less in pruned(case.tree):
        task = {"task": case.tree["task"]} if "task" in case.tree else {}
        yield replace(case, tree={**less, **task})
    for at, row in enumerate(case.rows):
        for gone in row:
            less = {name: value for name, value in row.items() if name != gone}
            yield replace(case, rows=(*case.rows[:at], less, *case.rows[at + 1 :]))
    for name, value in case.limits.items():
        if value:
            yield replace(case, limits={**case.limits, name: type(value)()})
    asked = str(case.tree) + "".join(fact.text for fact in case.facts if fact.text not in bounds)
    for feat in case.feats:
        if feat.name not in asked:
            yield without(case, feat)


def without(case: Case, feat: Feat) -> Case:
    limits = {
        name: {k: v for k, v in value.items() if k != feat.name}
        if isinstance(value, dict)
        else [k for k in value if k != feat.name]
        for name, value in case.limits.items()
    }
    return Case(
        tuple(other for other in case.feats if other is not feat),
        tuple(fact for fact in case.facts if quoted(feat.name) not in fact.text.split()),
        case.tree,
        tuple({k: v for k, v in row.items() if k != feat.name} for row in case.rows),
        limits,
    )


def pruned(tree: Any) -> Iterator[Any]:
    if "prediction" in tree:
        return
    for side in ("true", "false"):
        yield tree[side]
        for less in pruned(tree[side]):
            yield {**tree, side: less}


def show(case: Case) -> str:
    features = ", ".join(map(feature_code, case.feats))
    return (
        "import orderless as ol\n"
        f"space = ol.Space([{features}], facts={[fact.text for fact in case.facts]!r})\n"
        f"from tests.hunt.fact_rows import built\ntree = built(space, {case.tree!r})\n"
        f"rows = {[given(row) for row in case.rows]!r}  # float('nan') for nan\n"
        f"limits = {case.limits!r}"
    )


def feature_code(feat: Feat) -> str:
    own = feat.feature()
    more = f", categories={own.categories!r}" if own.categories else ""
    more += f", values={own.values!r}" if own.kind == "numeric" else ""
    return f"ol.Feature({own.name!r}, {own.kind!r}{more}{', nan=True' * own.nan})"


def given(row: Row) -> Row:
    """The row as the package takes it."""
    return {name: math.nan if value == GONE else value for name, value in row.items()}


# -- checks --------------------------------------------------------------------------------------


def agrees(row: Row, part: Row) -> bool:
    return all(row[name] == value for name, value in part.items())


def has(side: Any, value: Any) -> bool:
    if value == GONE:
        return side.nan if side.feature.ordered else side.feature.n_values - 1 in side.codes
    if not side.feature.ordered:
        return value in side.labels
    if not side.lower < side.upper:
        return False
    number = float(value)
    if side.feature.values == "float32":
        number = float(np.float32(number))
    return side.lower < number <= side.upper


def meets(sides: Any, row: Row) -> bool:
    return all(has(side, row[side.feature.name]) for side in sides)


def known_rows(case: Case, possible: list[Row]) -> Iterator[tuple[Row, list[Row]]]:
    """The rows of the case whose features that NaN is a value of are given, with completions."""
    gone = {feat.name for feat in case.feats if feat.nan}
    for part in case.rows:
        if gone <= part.keys() or not gone:
            yield part, [row for row in possible if agrees(row, part)]


def minimal(sets: set[frozenset[str]]) -> set[frozenset[str]]:
    return {one for one in sets if not any(other < one for other in sets)}


def answers(case: Case) -> None:
    tree, possible = case.read(), case.possible()
    for part, left in known_rows(case, possible):
        labels = sorted({case.says(row) for row in left})
        if not left:
            continue
        row = [given(part)]
        same("possible", sorted(tree.possible(row)[0]), labels)
        same("predict", tree.predict(row).tolist(), [labels[0] if len(labels) == 1 else None])
        asked = tree.ask_next(row).tolist()[0]
        if len(labels) == 1:
            same("nothing to ask", asked, None)
        elif asked in part or not any(
            a[asked] != b[asked] and case.says(a) != case.says(b) for a in left for b in left
        ):
            raise Wrong("asks what decides nothing", asked, part)


def reasons(case: Case) -> None:
    form, possible = ol.canonicalize(case.read()), case.possible()
    for part, left in known_rows(case, possible):
        if not left:
            continue
        labels = {case.says(row) for row in left}
        why = form.tree.explain(given(part))
        low, high = (min(labels), max(labels)) if case.tree.get("task") else ("", "")
        if case.tree.get("task"):
            same("the interval", why.interval, (low, high))
        elif len(labels) > 1:
            same("no label", (why.label, list(why.reasons())), (None, []))
            continue
        else:
            same("the label", why.label, next(iter(labels)))

        def right(row: Row, labels: set[Any] = labels, low: Any = low, high: Any = high) -> bool:
            said = case.says(row)
            return low <= said <= high if case.tree.get("task") else said in labels

        found = why.all_reasons
        for term in found:
            if not all(meets(term.sides, row) for row in left):
                raise Wrong("a reason that the row does not meet", str(term), part)
            wrong = [row for row in possible if meets(term.sides, row) and not right(row)]
            if wrong:
                raise Wrong("a reason with a row of another class", str(term), wrong[0])
        wanted = minimal({
            frozenset(some)
            for size in range(len(part) + 1)
            for some in itertools.combinations(part, size)
            if all(right(row) for row in possible if agrees(row, {n: part[n] for n in some}))
        })  # fmt: skip
        got = {frozenset(term.features) for term in found}
        same(
            "the features of reasons",
            sorted(map(sorted, minimal(got))),
            sorted(map(sorted, wanted)),
        )
        necessary = set.intersection(*map(set, wanted)) if wanted else set()
        same("necessary", sorted(why.necessary), sorted(necessary))
        same("relevant", sorted(why.relevant), sorted({n for one in got for n in one}))
        same("the shortest", why.shortest.n_conditions, min(t.n_conditions for t in found))
        same("found one by one", sorted(map(str, why.reasons())), sorted(map(str, found)))
        if not compares(case):
            widest(case, part, left, found, right)


def compares(case: Case) -> bool:
    return any(f.holds.__qualname__.startswith(("an_order", "a_sum")) for f in case.facts)


def widest(
    case: Case, part: Row, left: list[Row], found: Any, right: Callable[[Row], bool]
) -> None:
    """Where no fact compares features: exactly the largest boxes, of all whole numbers."""
    if any(feat.kind.startswith("float") for feat in case.feats):
        return
    wrong = [row for row in case.possible() if not right(row)]
    choices = []
    for feat in case.feats:
        here = {row[feat.name] for row in left} if feat.name not in part else {part[feat.name]}
        if feat.name not in part:
            here = set(every_value(feat))
        choices.append([some for some in subsets(feat) if here <= some])
    if math.prod(map(len, choices)) > 3_000:
        raise TooBig
    names = case.names()
    boxes = [
        box
        for box in itertools.product(*choices)
        if not any(all(row[n] in s for n, s in zip(names, box, strict=True)) for row in wrong)
    ]
    largest = {
        box for box in boxes
        if not any(box != more and all(a <= b for a, b in zip(box, more, strict=True))
                   for more in boxes)
    }  # fmt: skip
    got = set()
    for term in found:
        sides = {side.feature.name: side for side in term.sides}
        got.add(tuple(
            frozenset(p for p in every_value(feat) if feat.name not in sides
                      or has(sides[feat.name], p)) for feat in case.feats
        ))  # fmt: skip
    if got != largest:
        raise Wrong("the largest boxes", got, largest)


def every_value(feat: Feat) -> list[Any]:
    """All values, and of whole numbers one beyond each end, which no possible row has."""
    points = feat.points()
    return [-1, feat.top + 1, *points] if feat.kind == "whole" else points


def subsets(feat: Feat) -> list[frozenset[Any]]:
    points = every_value(feat)
    if feat.kind == "category":
        return [frozenset(some) for size in range(1, len(points) + 1)
                for some in itertools.combinations(points, size)]  # fmt: skip
    gone = [p for p in points if p == GONE]
    numbers = sorted(p for p in points if p != GONE)
    runs = [numbers[i:j] for i in range(len(numbers)) for j in range(i + 1, len(numbers) + 1)]
    out = [frozenset(run) for run in runs]
    if gone:
        out += [frozenset({*run, GONE}) for run in runs] + [frozenset({GONE})]
    return out


def allowed(case: Case, part: Row, row: Row) -> bool:
    """Whether a row differs from another only as the limits allow."""
    limits = case.limits
    for name, value in part.items():
        new = row[name]
        if new == value:
            continue
        if name in limits.get("immutable", ()):
            return False
        if name in limits.get("only_up", ()) and (GONE in (new, value) or new < value):
            return False
        if name in limits.get("only_down", ()) and (GONE in (new, value) or new > value):
            return False
        if name in limits.get("ranges", {}):
            low, high = limits["ranges"][name]
            if new == GONE or not low <= new <= high:
                return False
    return True


def changes(case: Case) -> None:
    if case.tree.get("task"):
        return
    form, possible = ol.canonicalize(case.read()), case.possible()
    for part, left in known_rows(case, possible):
        labels = {case.says(row) for row in left}
        if len(labels) != 1:
            continue
        why = form.tree.explain(given(part))
        differ = {
            frozenset(n for n in part if row[n] != part[n])
            for row in possible
            if case.says(row) not in labels
        }
        found = why.changes()
        fewest = min(map(len, differ), default=0)
        same("the fewest features", sorted({tuple(sorted(c.features)) for c in found}),
             sorted(tuple(sorted(one)) for one in differ if len(one) == fewest))  # fmt: skip
        for change in found:
            effect(case, part, possible, change)
        differ = {
            frozenset(n for n in part if row[n] != part[n])
            for row in possible
            if case.says(row) not in labels and allowed(case, part, row)
        }
        limits = case.limits
        if "per_unit" in limits:
            known = {n: u for n, u in limits["per_unit"].items() if n in part}
            limits = {**limits, "per_unit": known}
        found = why.changes(**limits)
        same("all minimal sets", sorted({tuple(sorted(c.features)) for c in found}),
             sorted(tuple(sorted(one)) for one in minimal(differ)))  # fmt: skip
        for change in found:
            effect(case, part, possible, change)
            priced(case, part, possible, change, limits)


def reached(case: Case, part: Row, possible: list[Row], change: Any) -> dict[Any, list[Row]]:
    """By new values of the changed features the possible rows that they leave."""
    rest = {name: value for name, value in part.items() if name not in change.features}
    out: dict[Any, list[Row]] = {}
    for row in possible:
        if agrees(row, rest) and meets(change.ranges.values(), row):
            out.setdefault(tuple(row[name] for name in change.features), []).append(row)
    return out


def one_float(side: Any) -> bool:
    return side.feature.ordered and side.upper == math.nextafter(side.lower, math.inf)


def effect(case: Case, part: Row, possible: list[Row], change: Any) -> None:
    found = reached(case, part, possible, change)
    if not found and any(one_float(side) for side in change.ranges.values()):
        raise TooBig  # a single row, beside the points
    if not found:
        raise Wrong("a change to no possible row", str(change), part)
    every = True
    for values, rows in found.items():
        labels = {case.says(row) for row in rows}
        if change.label not in labels:
            raise Wrong("a change without the effect", (str(change), change.label), (values, part))
        every &= labels == {change.label}
    same("certain", change.certain, every)


def priced(case: Case, part: Row, possible: list[Row], change: Any, limits: Row) -> None:
    for row in (row for rows in reached(case, part, possible, change).values() for row in rows):
        shown = {n: row[n] if n in change.features else part[n] for n in part}
        if not allowed(case, part, shown):
            raise Wrong("a change that is not allowed", str(change), shown)
    if "costs" not in limits:
        return
    units = limits["per_unit"]
    fixed = sum(limits["costs"][name] for name in change.features)
    moved = min(
        sum(units[n] * abs(v - part[n]) for n, v in zip(change.features, values, strict=True)
            if n in units)
        for values in reached(case, part, possible, change)
    )  # fmt: skip
    same(f"the cost of {change}", change.cost, Fraction(fixed + moved))


def needed(case: Case) -> None:
    tree, possible = case.read(), case.possible()
    for part, left in known_rows(case, possible):
        labels = {case.says(row) for row in left}
        if len(labels) < 2:
            continue
        found = tree.needed(given(part))
        unknown = [name for name in case.names() if name not in part]
        same("settle", set(found.settle), smallest_sets(case, left, unknown, all))
        same("could", set(found.could), smallest_sets(case, left, unknown, any))


def smallest_sets(
    case: Case, left: list[Row], unknown: list[str], which: Callable[[Any], bool]
) -> set[tuple[str, ...]]:
    for size in range(1, len(unknown) + 1):
        out = set()
        for some in itertools.combinations(unknown, size):
            by_value: dict[Any, set[Any]] = {}
            for row in left:
                by_value.setdefault(tuple(row[n] for n in some), set()).add(case.says(row))
            if which(len(labels) == 1 for labels in by_value.values()):
                out.add(some)
        if out:
            return out
    return set()


def proofs(case: Case) -> None:
    tree, possible = case.read(), case.possible()
    prove = ol.prove(tree)
    for label in tree.classes:
        if not case.tree.get("task"):
            holds = all(case.says(row) != label for row in possible)
            same(f"never {label}", bool(prove.never(label)), holds)
    order = {label: at for at, label in enumerate(tree.classes)}
    for feat in case.feats:
        by_rest: dict[Any, list[tuple[Any, Any]]] = {}
        for row in possible:
            key = tuple(value for name, value in row.items() if name != feat.name)
            by_rest.setdefault(key, []).append((row[feat.name], case.says(row)))
        ignored = all(len({said for _, said in own}) == 1 for own in by_rest.values())
        same(f"ignores {feat.name}", bool(prove.ignores(feat.name)), ignored)
        if feat.kind in ("whole", "boolean", "float64") and not feat.nan:
            rises = all(
                order[a] <= order[b]
                for own in by_rest.values()
                for (_, a), (_, b) in itertools.pairwise(sorted(own, key=lambda pair: pair[0]))
            )
            up = prove.monotone(feat.name, 1) if case.tree.get("task") else prove.monotone(
                feat.name, 1, order=tree.classes)  # fmt: skip
            same(f"monotone in {feat.name}", bool(up), rises)


CHECKS = (answers, reasons, changes, needed, proofs)
