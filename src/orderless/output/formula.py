"""Formulas: what settles a row, said about the columns of a table.

In:  a ``Tree`` or ``CanonicalForm``.
Out: formulas out of comparisons, AND and OR (no NOT), which ``sql.py`` and ``polars.py`` write
     down. By three-valued logic a comparison with an unknown value is neither true nor false, so
     a formula is true exactly if it holds for every completion of the row.
Paper: Theorem 3.2 (reasons are complete); the formula from the tree is ours.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..asking import heights
from ..bins import Side
from ..canonical import CanonicalForm
from ..errors import InvalidSpace, InvalidTree
from ..numbers import row_boundary
from ..space import Column, Condition, Feature, Label
from ..term import Term, whole_side
from ..tree import Tree

__all__ = [
    "Absent", "Ask", "Every", "Flag", "Formula", "Member", "Number", "Some", "certain_by_reasons",
    "certain_by_tree", "question", "sources",
]  # fmt: skip

MOST_DEPTH = 150


@dataclass(frozen=True, slots=True)
class Number:
    """The column's number is at most ``at``, or above it. Neither holds for NULL and NaN."""

    column: str
    at: float
    above: bool


@dataclass(frozen=True, slots=True)
class Member:
    """The column has one of these labels, or none of them. Neither holds for NULL and NaN."""

    column: str
    labels: tuple[Label, ...]
    inside: bool


@dataclass(frozen=True, slots=True)
class Flag:
    """The column, which is boolean or 0 and 1, is this. Holds for neither if it is NULL or NaN."""

    column: str
    value: bool


@dataclass(frozen=True, slots=True)
class Absent:
    """The column is NULL (or NaN, if it holds numbers), or it is not."""

    column: str
    numeric: bool
    absent: bool


@dataclass(frozen=True, slots=True)
class Every:
    """All parts hold."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Some:
    """At least one part holds."""

    parts: tuple[Formula, ...]


Formula = bool | Number | Member | Flag | Absent | Every | Some


def every(parts: Iterable[Formula]) -> Formula:
    """Join by AND, in short: constants and repetitions are left out."""
    flat: dict[Formula, None] = {}
    for part in parts:
        if part is False:
            return False
        if part is not True:
            flat.update(dict.fromkeys(part.parts if isinstance(part, Every) else (part,)))
    return Every(tuple(flat)) if len(flat) > 1 else next(iter(flat), True)


def some(parts: Iterable[Formula]) -> Formula:
    """Join by OR, in short: constants and repetitions are left out."""
    flat: dict[Formula, None] = {}
    for part in parts:
        if part is True:
            return True
        if part is not False:
            flat.update(dict.fromkeys(part.parts if isinstance(part, Some) else (part,)))
    return Some(tuple(flat)) if len(flat) > 1 else next(iter(flat), False)


# -- what the columns tell of a feature -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Source:
    """The columns of a table that speak about one feature.

    Attributes
    ----------
    value : str or None
        The column that holds its value.
    told : tuple of (Condition, str)
        Columns that tell, by 0 and 1, whether a condition holds.
    """

    feature: Feature
    value: str | None
    told: tuple[tuple[Condition, str], ...]

    def certainly(self, side: Side) -> Formula:
        """Give the formula that holds iff the row's value certainly lies in the side."""
        if side.is_whole:
            return True
        return self._ordered(side) if self.feature.ordered else self._among(side.codes)

    # Ordered features: at most this, above that, and NaN where it is a value.

    def _ordered(self, side: Side) -> Formula:
        absent: Formula = False
        if self.feature.nan and self.value is not None:
            absent = Absent(self.value, True, True)
        if not side.lower < side.upper:
            return absent
        low, high = self.feature.bounds
        ends = [self._above(side.lower)] if side.lower > low else []
        ends += [self._below(side.upper)] if side.upper < high else []
        if not self.feature.nan:
            return every(ends)
        if side.nan:
            return some([every(ends), absent])
        if ends and not self.told:  # a number that lies there is not NaN
            return every(ends)
        return every([*(some([end, absent]) for end in ends), self._is_number()])

    def _is_number(self) -> Formula:
        """Where NaN is a value: give what says that the value is another. It meets a condition."""
        known = [Flag(name, True) for c, name in self.told if c.at_most is not None]
        value = [Absent(self.value, True, False)] if self.value is not None else []
        return some([*value, *known])

    def excludes(self, side: Side) -> Formula:
        """Give the formula that holds iff the row's value certainly lies outside of a side.

        Only for ordered features where NaN is a value and conditions are told: others follow a
        path end by end.
        """
        out: list[Formula] = [self._is_number()] if side.nan else []
        if side.lower < side.upper:
            absent = [Absent(self.value, True, True)] if self.value is not None else []
            ends: list[Formula] = [self._below(side.lower)] if side.lower > -math.inf else []
            ends += [self._above(side.upper)] if side.upper < math.inf else []
            out.append(some([*absent, *ends]))
        return every(out)

    def _below(self, end: float) -> Formula:
        out: list[Formula] = []
        if self.value is not None:
            out.append(Flag(self.value, False) if self.feature.kind == "boolean"
                       else Number(self.value, self._in_rows(end), False))  # fmt: skip
        for condition, name in self.told:
            if condition.at_most is not None:
                if float(self.feature.at_most(condition.at_most)) <= end:
                    out.append(Flag(name, True))
            elif condition.among is not None and len(condition.among) == 1:
                out.append(Flag(name, not condition.among[0]))
        return some(out)

    def _above(self, end: float) -> Formula:
        out: list[Formula] = []
        if self.value is not None:
            out.append(Flag(self.value, True) if self.feature.kind == "boolean"
                       else Number(self.value, self._in_rows(end), True))  # fmt: skip
        for condition, name in self.told:
            if condition.at_most is not None:
                if float(self.feature.at_most(condition.at_most)) >= end:
                    out.append(Flag(name, False))
            elif condition.among is not None and len(condition.among) == 1:
                out.append(Flag(name, bool(condition.among[0])))
        return some(out)

    def _in_rows(self, end: float) -> float:
        """Give the largest double that falls below an end, also where rows are rounded first."""
        return float(row_boundary(np.asarray(end), self.feature.values))

    # Categorical features: sets of values.

    def _among(self, codes: Iterable[int]) -> Formula:
        inside = set(codes)
        if not self.told:
            return self._value_among(inside)
        among = [
            ({self.feature.categories.index(v) for v in condition.among or ()}, name)
            for condition, name in self.told
        ]
        # A column that is 1 and whose values are all inside says it at once.
        at_once: list[Formula] = [Flag(name, True) for own, name in among if own <= inside]
        if self.value is not None:
            at_once.append(self._value_among(inside))
        out = []
        for code in range(self.feature.n_values):
            if code in inside:
                continue
            excluded: list[Formula] = [Flag(name, False) for own, name in among if code in own]
            excluded += [
                Flag(name, True)
                for own, name in among
                if code not in own and own & inside and not own <= inside
            ]
            if self.value is not None:
                excluded.append(self._value_among(set(range(self.feature.n_values)) - {code}))
            out.append(some(excluded))
        return some([*at_once, every(out)])

    def _value_among(self, inside: set[int]) -> Formula:
        assert self.value is not None
        feature, n = self.feature, len(self.feature.categories)
        numeric = not any(isinstance(label, str) for label in feature.categories)
        parts: list[Formula] = []
        if feature.nan and feature.n_values - 1 in inside:
            parts.append(Absent(self.value, numeric, True))
        listed = [feature.categories[code] for code in sorted(inside) if code < n]
        if feature.other and n in inside:
            out = [label for code, label in enumerate(feature.categories) if code not in inside]
            parts.append(Member(self.value, tuple(out), False) if out
                         else Absent(self.value, numeric, False))  # fmt: skip
        elif all(isinstance(label, bool) for label in feature.categories):
            parts += [Flag(self.value, bool(label)) for label in listed]
        elif listed:
            parts.append(Member(self.value, tuple(listed), True))
        return some(parts)


def sources(tree: Tree, columns: Mapping[str, str] | None = None) -> dict[int, Source]:
    """Say which columns of a table speak about each feature that a tree asks about.

    ``columns`` renames: column or feature of the space -> column of the table. A feature that is
    given there itself is read from that column, whatever columns the space has for it.
    """
    space = tree.space
    columns = dict(columns or {})
    legal = (*space.column_names, *(name for name in space.names if name not in space.column_names))
    for name, new in columns.items():
        if name not in legal:
            raise InvalidSpace(
                f"columns= names {name!r}: legal are the space's columns and features, "
                f"{', '.join(repr(n) for n in legal[:20])}"
            )
        if not isinstance(new, str) or not new:
            raise InvalidSpace(f"columns= gives {name!r} the name {new!r:.80}: a name is text")
    out = {}
    for i in tree.used:
        feature = space.features[i]
        told: list[Column] = [space.columns[k] for k in space.columns_of[feature.name]]
        if feature.name in columns and feature.name not in space.column_names:
            told = [Column(feature.name, feature.name)]
        names = {column.name: columns.get(column.name, column.name) for column in told}
        values = [names[column.name] for column in told if column.condition is None]
        conditions = tuple((c.condition, names[c.name]) for c in told if c.condition is not None)
        if len(values) > 1 or not (values or conditions):
            state = "two columns hold" if values else "no column tells"
            raise InvalidSpace(
                f"{state} the value of {feature.name!r}: give columns={{{feature.name!r}: "
                "'the column that holds it'}"
            )
        out[i] = Source(feature, values[0] if values else None, conditions)
    return out


# -- when a class is certain ----------------------------------------------------------------------


def certain_by_reasons(
    form: CanonicalForm, known: Mapping[int, Source]
) -> list[tuple[Label, Formula]]:
    """Give, per class that occurs, the formula of all its reasons."""
    index = form.space.index

    def one(term: Term) -> Formula:
        return every(known[index(side.feature.name)].certainly(side) for side in term.sides)

    return [(label, some(one(term) for term in terms))
            for label, terms in form.reasons.items() if terms]  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Node:
    """What is known of a node: what excludes each side, and when each class is certain below."""

    without_yes: Formula
    without_no: Formula
    certain: dict[int, Formula]


def certain_by_tree(tree: Tree, known: Mapping[int, Source]) -> list[tuple[Label, Formula]]:
    """Give, per class that occurs, a formula that is linear in the nodes.

    All leaves that can be reached have the class: at each node, the "yes" side is excluded or all
    is well below it, and so is the "no" side.
    """
    root = _nodes(tree, known)[0]
    return [(tree.classes[c], formula) for c, formula in sorted(root.certain.items())]


def _nodes(tree: Tree, known: Mapping[int, Source]) -> dict[int, _Node]:
    if tree.depth > MOST_DEPTH:
        raise InvalidTree(
            f"the tree has depth {tree.depth:,}; expressions that nest deeper than {MOST_DEPTH} "
            "are refused by most databases: make a flatter tree that decides the same with "
            "form.to_tree('depth'), or use predict"
        )
    left: dict[int, tuple[Formula, Formula]] = {}
    order: list[tuple[int, dict[int, Side]]] = [(0, {})]  # and what is left of features there
    for node, path in order:  # grows while it is gone through: parents before children
        i = int(tree.feature[node])
        if i < 0:
            continue
        yes, no = int(tree.when_true[node]), int(tree.when_false[node])
        feature, source = tree.space.features[i], known[i]
        here = path.get(i) or whole_side(feature)
        if feature.ordered:
            cut, nan = float(tree.threshold[node]), bool(tree.nan_true[node])
            below = replace(here, upper=min(cut, here.upper), nan=here.nan and nan)
            above = replace(here, lower=max(cut, here.lower), nan=here.nan and not nan)
            if feature.nan and source.told:  # it may be known to lie in a range, or not to be NaN
                left[node] = (source.excludes(below), source.excludes(above))
            else:
                left[node] = (
                    source.certainly(Side(feature, cut, math.inf, feature.nan and not nan)),
                    source.certainly(Side(feature, -math.inf, cut, feature.nan and nan)),
                )
            order += [(yes, {**path, i: below}), (no, {**path, i: above})]
            continue
        own = set(tree.set_of(node).tolist())
        inside = tuple(code for code in here.codes if code in own)
        outside = tuple(code for code in here.codes if code not in own)
        if source.told:  # some values may be excluded: say all that excludes a side
            sides = tuple(tuple(code for code in range(feature.n_values) if code not in part)
                          for part in (inside, outside))  # fmt: skip
        else:
            sides = (outside, inside)
        left[node] = (source.certainly(Side(feature, codes=sides[0])),
                      source.certainly(Side(feature, codes=sides[1])))  # fmt: skip
        order += [(yes, {**path, i: Side(feature, codes=inside)}),
                  (no, {**path, i: Side(feature, codes=outside)})]  # fmt: skip
    out: dict[int, _Node] = {}
    for node, _ in reversed(order):
        if tree.feature[node] < 0:
            out[node] = _Node(False, False, {int(tree.leaf_class[node]): True})
            continue
        without_yes, without_no = left[node]
        yes_side = out[int(tree.when_true[node])].certain
        no_side = out[int(tree.when_false[node])].certain
        certain = {}
        for c in {**yes_side, **no_side}:
            if c not in no_side:  # then that side must be excluded
                certain[c] = every([without_no, yes_side[c]])
            elif c not in yes_side:
                certain[c] = every([without_yes, no_side[c]])
            else:
                certain[c] = every([some([without_yes, yes_side[c]]),
                                    some([without_no, no_side[c]])])  # fmt: skip
        out[node] = _Node(without_yes, without_no, certain)
    return out


# -- what to ask ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Ask:
    """A question for rows that are not determined: ``orderless.asking`` as an expression.

    If ``gone`` holds: what ``then`` says. Otherwise, if ``kept`` does not hold and ``settled``
    does: the feature. Otherwise: what ``otherwise`` says.
    """

    feature: str
    gone: Formula = False
    then: Ask | None = None
    kept: Formula = False
    settled: Formula = True
    otherwise: Ask | None = None


def question(tree: Tree, known: Mapping[int, Source]) -> Ask | None:
    """Give the feature to ask next as nested choices, None for a tree that asks nothing."""
    nodes = _nodes(tree, known)
    height = heights(tree)
    asks: dict[int, Ask | None] = {}
    for node in sorted(nodes, key=lambda node: height[node]):  # children before parents
        if tree.feature[node] < 0:
            asks[node] = None
            continue
        name = tree.space.features[tree.feature[node]].name
        own = nodes[node]
        yes, no = int(tree.when_true[node]), int(tree.when_false[node])
        sides = [(yes, own.without_yes), (no, own.without_no)]
        if height[yes] > height[no]:
            sides.reverse()
        (first, without_first), (second, without_second) = sides
        if height[second] == 0:  # two leaves
            asks[node] = Ask(name)
        elif height[first] == 0:  # one leaf: not determined, so that the other side is possible
            asks[node] = Ask(name, without_first, asks[second])
        else:
            settled = some([*nodes[first].certain.values(), *nodes[second].certain.values()])
            asks[node] = Ask(name, without_first, asks[second], without_second, settled,
                             asks[first])  # fmt: skip
    return asks[0]
