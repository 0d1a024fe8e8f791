"""Equivalent trees have one form; the form is what brute force over all boxes says."""

from __future__ import annotations

import contextlib
import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import orderless as ol

from . import drawing, rewriting
from .grid import Grid, TooBig, least_cover
from .model import (
    Ask,
    Feat,
    Leaf,
    Node,
    Split,
    asks,
    from_json,
    n_leaves,
    nested,
    space_of,
    to_json,
)
from .running import Wrong, literal, same, without_one


@dataclass(frozen=True)
class Case:
    """A tree, one that is meant to be the same function, and a third."""

    feats: tuple[Feat, ...]
    classes: list[Any]
    one: Node
    two: Node
    third: Node

    def read(self, tree: Node) -> Any:
        return ol.Tree.from_json(to_json(self.feats, tree, self.classes))

    def grid(self) -> Grid:
        return Grid.of(self.feats, self.one, self.two)


def draw(rng: Random) -> Case:
    feats = drawing.features(rng)
    classes = rng.choice(drawing.CLASSES)
    one = drawing.tree(rng, feats, classes, rng.randint(1, rng.choice([5, 8, 12])))
    two = rewriting.rewritten(rng, feats, one)
    grid = Grid.of(feats, one, two, most=400)
    if rng.random() < 0.6:
        pool = asks(two) + asks(one)
        if rng.random() < 0.5:
            pool.append(drawing.question(rng, feats, pool))
        grid = Grid(feats, pool, most=400)
        with contextlib.suppress(TooBig):
            two = rewriting.rebuilt(rng, grid, grid.table(one), pool, 24)
    third = drawing.tree(rng, feats, classes, rng.randint(1, 5))
    if rng.random() < 0.5:  # close to the first
        small = list(without_one(one))
        third = rng.choice(small) if small else third
    return Case(feats, classes, one, two, third)


def smaller(case: Case) -> Iterator[Case]:
    for which in ("one", "two", "third"):
        for tree in without_one(getattr(case, which)):
            yield replace(case, **{which: tree})
    asked = {ask.feature for tree in (case.one, case.two, case.third) for ask in asks(tree)}
    for gone in range(len(case.feats)):
        if gone not in asked and len(case.feats) > 1:
            feats = case.feats[:gone] + case.feats[gone + 1 :]
            trees = [shifted(tree, gone) for tree in (case.one, case.two, case.third)]
            yield Case(feats, case.classes, *trees)


def shifted(tree: Node, gone: int) -> Node:
    """The tree over a space from which a feature was taken."""
    if isinstance(tree, Leaf):
        return tree
    at = tree.ask.feature
    ask = tree.ask._replace(feature=at - (at > gone))
    return Split(ask, shifted(tree.yes, gone), shifted(tree.no, gone))


def show(case: Case) -> str:
    lines = ["import orderless as ol"]
    for name in ("one", "two", "third"):
        text = to_json(case.feats, getattr(case, name), case.classes)
        lines.append(f"{name} = ol.Tree.from_json({literal(text)})")
    return "\n".join(lines)


def equal(case: Case) -> bool:
    grid = case.grid()
    return grid.table(case.one) == grid.table(case.two)


def says_equivalent(case: Case) -> None:
    one, two, third = (case.read(tree) for tree in (case.one, case.two, case.third))
    yes = equal(case)
    grid = Grid.of(case.feats, case.one, case.third)
    close = grid.table(case.one) == grid.table(case.third)
    same("equivalent(one, two)", ol.equivalent(one, two), yes)
    same("equal fingerprints", one.fingerprint == two.fingerprint, yes)
    same("equivalent(one, third)", ol.equivalent(one, third), close)
    same("equal fingerprints, third", one.fingerprint == third.fingerprint, close)
    grid = Grid.of(case.feats, case.two, case.third)
    far = grid.table(case.two) == grid.table(case.third)
    links = {(0, 1): yes, (0, 2): close, (1, 2): far}
    groups: list[list[int]] = []
    for at in range(3):
        home = next((g for g in groups if links[g[0], at]), None)
        if home is None:
            groups.append([at])
        else:
            home.append(at)
    same("group_equivalent", ol.group_equivalent([one, two, third]), groups)


def shows_where(case: Case) -> None:
    one, third = case.read(case.one), case.read(case.third)
    grid = Grid.of(case.feats, case.one, case.third)
    tables = grid.table(case.one), grid.table(case.third)
    differ = [a != b for a, b in zip(*tables, strict=True)]
    row = ol.counterexample(one, third)
    same("a counterexample is there", row is not None, any(differ))
    if row is not None:
        same("its features", sorted(row), sorted(feat.name for feat in case.feats))
        first, other = one.predict([row]).tolist(), third.predict([row]).tolist()
        if first == other or None in (*first, *other):
            raise Wrong("the counterexample is one", (row, first, other), "two classes")


def weighs(case: Case) -> None:
    one, third = case.read(case.one), case.read(case.third)
    rows = Grid.of(case.feats, case.one, case.third)
    first, other = rows.table(case.one), rows.table(case.third)
    X = [row_of(case.feats, cell) for cell in rows.cells]
    share = sum(a != b for a, b in zip(first, other, strict=True)) / len(X)
    same("disagreement over all cells", abs(ol.disagreement(one, third, X) - share) < 1e-12, True)


def weighs_the_space(case: Case) -> None:
    """Every interval between thresholds is as likely as the others, and so is every category."""
    if any(feat.nan for feat in case.feats):
        return
    one, third = case.read(case.one), case.read(case.third)
    trees = [from_json(tree.to_json())[1] for tree in (one, third)]
    asked = {ask.feature for tree in trees for ask in asks(tree)}
    grid = Grid.of(case.feats, *trees)
    cells = [at for at, where in enumerate(grid.places)
             if all(not place for n, place in enumerate(where) if n not in asked)]  # fmt: skip
    first, other = (grid.table(tree) for tree in trees)
    share = sum(first[at] != other[at] for at in cells) / len(cells)
    got = ol.disagreement(one, third)
    if abs(got - share) > 1e-12:
        raise Wrong("disagreement over the space", got, share)


def across_kinds(case: Case) -> None:
    """Trees over other kinds of values are compared on the values that both have."""
    wide = tuple(
        replace(feat, kind="float64") if feat.kind in ("float32", "integer") else feat
        for feat in case.feats
    )
    one = case.read(case.one)
    for tree in (case.two, case.third):
        other = ol.Tree.from_json(to_json(wide, tree, case.classes))
        grid = Grid.of(case.feats, case.one, tree)
        yes = grid.table(case.one) == grid.table(tree)
        same("equivalent over other kinds", ol.equivalent(one, other), yes)
        same("grouped over other kinds", len(ol.group_equivalent([one, other])), 2 - yes)
        row = ol.counterexample(one, other)
        same("a counterexample over other kinds", row is None, yes)
        if row is not None and one.predict([row]).tolist() == other.predict([row]).tolist():
            raise Wrong("the counterexample over other kinds is one", row)
        share = ol.disagreement(one, other)
        same("disagreement over other kinds is 0", share == 0, yes)


def row_of(feats: tuple[Feat, ...], cell: Any) -> dict[str, Any]:
    return {feat.name: feat.given(point) for feat, point in zip(feats, cell, strict=True)}


def one_form(case: Case) -> None:
    if not equal(case):
        return
    forms = [ol.canonicalize(case.read(tree)) for tree in (case.one, case.two)]
    rules = [written(form.rules) for form in forms]
    same("equal rules", rules[1], rules[0])
    reasons = [written(form.reasons) for form in forms]
    same("equal reasons in equal order", reasons[1], reasons[0])
    same("equal forms", forms[0] == forms[1], True)
    same("equal hashes", hash(forms[0]) == hash(forms[1]), True)
    texts = [form.to_json() for form in forms]
    same("equal bytes", texts[1], texts[0])
    again = ol.CanonicalForm.from_json(texts[0])
    same("from_json(to_json())", again == forms[0], True)
    same("its bytes", again.to_json(), texts[0])
    same("printed alike", str(forms[1]), str(forms[0]))


def written(terms: dict[Any, Any]) -> dict[Any, Any]:
    return {label: [term.to_dict() for term in some] for label, some in terms.items()}


def all_boxes(case: Case) -> None:
    form = ol.canonicalize(case.read(case.one))
    grid = Grid.of(case.feats, case.one)
    cells = grid.by_label(grid.table(case.one))
    for label in form.classes:
        target = cells.get(label, 0)
        expected = grid.reasons(target) if target else set()
        masks = [grid.term_mask(term.to_dict()) for term in form.reasons[label]]
        same("no reason twice", len(set(masks)), len(masks))
        same("the reasons are the maximal boxes", sorted(masks), sorted(expected))
        for term in form.reasons[label]:
            same("n_conditions", term.n_conditions, n_conditions(term.to_dict()))
        check_rules(grid, target, expected, form.rules[label])


def check_rules(grid: Grid, target: int, reasons: set[int], rules: Any) -> None:
    masks = [grid.term_mask(term.to_dict()) for term in rules]
    covered = 0
    for mask in masks:
        covered |= mask
    same("rules cover the class and no more", covered, target)
    same("rules are reasons", set(masks) <= reasons, True)
    if target:
        same("the fewest rules", len(masks), least_cover(target, sorted(reasons)))


def n_conditions(term: list[dict[str, Any]]) -> int:
    """Conditions of a term: an interval with two ends takes two."""
    return sum(max(1, ("above" in one) + ("at_most" in one)) for one in term)


def fewest_conditions(case: Case) -> None:
    form = ol.canonicalize(case.read(case.one))
    grid = Grid.of(case.feats, case.one)
    cells = grid.by_label(grid.table(case.one))
    for label, target in cells.items():
        reasons = form.reasons[label]
        if len(reasons) > 12:
            raise TooBig
        masks = [grid.term_mask(term.to_dict()) for term in reasons]
        counts = [n_conditions(term.to_dict()) for term in reasons]
        size = len(form.rules[label])
        best = min(
            (sum(counts[at] for at in chosen), chosen)
            for chosen in itertools.combinations(range(len(masks)), size)
            if not target & ~joined(masks, chosen)
        )
        got = tuple(sorted(reasons.index(term) for term in form.rules[label]))
        same("fewest conditions, then first", (sum(counts[at] for at in got), got), best)


def joined(masks: list[int], chosen: tuple[int, ...]) -> int:
    found = 0
    for at in chosen:
        found |= masks[at]
    return found


def same_tree(case: Case) -> None:
    """Reading changes nothing: JSON, the constructor and nested dicts give one function."""
    for tree in (case.one, case.two):
        read = case.read(tree)
        again = ol.Tree.from_json(read.to_json())
        same("Tree.from_json(to_json())", again == read and again.to_json(), read.to_json())
        _, root, _ = from_json(read.to_json())
        grid = Grid.of(case.feats, tree, root)
        same("read as it was written", grid.table(root), grid.table(tree))
        same("no dead branch", n_leaves(root), read.n_leaves)
        reached = {id(end(root, cell)) for cell in grid.cells}
        same("every leaf can be reached", len(reached), n_leaves(root))
        plain = all(not feat.nan and not feat.other for feat in case.feats)
        if plain and all(
            ask.codes != frozenset() and math.isfinite(ask.at_most) for ask in asks(tree)
        ):
            told = nested(case.feats, tree)
            for text in (told, json.dumps(told)):
                other = ol.read(text, space=space_of(case.feats))
                same("nested dicts", ol.equivalent(other, read), True)


def end(tree: Node, cell: Any) -> Node:
    while isinstance(tree, Split):
        tree = tree.yes if tree.ask.holds(cell[tree.ask.feature]) else tree.no
    return tree


def kept() -> tuple[Case, ...]:
    """What was found before."""
    feats = (
        Feat("c", "categorical", ("a", "b", "c", "d")), Feat("x", "boolean"), Feat("y", "boolean"),
    )  # fmt: skip
    x = Split(Ask(1), Leaf(1), Leaf(0))
    y = Split(Ask(2), Leaf(0), Leaf(1))
    one = Split(Ask(0, codes=frozenset([2])), y, x)
    redundant_set = Case(feats, [0, 1], one, Split(Ask(0, codes=frozenset([3])), x, one), Leaf(0))
    whole = (Feat("n", "integer"),)
    last = Split(Ask(0, 1.7976931348623157e308), Leaf(0), Leaf(1))
    single = (Feat("x", "float32"),)
    between = Split(Ask(0, 0.1), Leaf(0), Leaf(1))
    return (
        redundant_set,
        Case(whole, [0, 1], Leaf(0), last, last),
        Case(single, [0, 1], Leaf(0), between, between),
        Case(
            single, [0, 1], between, Split(Ask(0, 0.30000000000000004), between, Leaf(1)), Leaf(0)
        ),
    )


KEPT = kept()
CHECKS = (
    says_equivalent, shows_where, weighs, weighs_the_space, across_kinds, one_form, all_boxes,
    fewest_conditions, same_tree,
)  # fmt: skip
