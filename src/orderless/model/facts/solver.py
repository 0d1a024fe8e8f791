"""Formulas about rows, and whether a row satisfies them: exactly, with fractions.

In:  linear atoms, values of categories, how many of several formulas hold; a ``ValueSet`` for each
     feature.
Out: ``Formula``, its opposite; a row that satisfies formulas (a value for each feature, as
     fractions and codes), or None; what formulas mean for some features, whatever the others are.

Formulas that the value sets decide are left out; where one leaves a choice, each choice is
followed; what is left are linear atoms, which ``linear`` decides. Features are eliminated by
Fourier's and Motzkin's method. It is exact for whole numbers too where one of every two bounds that
are joined has the factor 1 or -1; other whole numbers are tried one by one, if they have few
values.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ...errors import TooLarge
from ..budget import Budget, look
from .linear import Ends, Linear, Point, feasible, least, narrowed, solution

__all__ = [
    "ALWAYS", "NEVER", "Among", "Formula", "HowMany", "Missing", "ValueSet", "both", "compared",
    "compared_in", "either", "features_of", "holds", "linear_in", "meet", "moved", "opposite",
    "projected", "smallest", "solve", "tight",
]  # fmt: skip

MOST_CASES = 2_000
MOST_ATOMS = 2_000
MOST_VALUES = 64
ZERO, ONE = Fraction(0), Fraction(1)


class Among(NamedTuple):
    """A categorical feature has one of some values, by their numbers."""

    feature: int
    codes: frozenset[int]
    n_values: int


class Missing(NamedTuple):
    """Whether the number of a feature is missing, where NaN is a value of it."""

    feature: int
    is_missing: bool


class HowMany(NamedTuple):
    """At least ``low`` and at most ``high`` of the parts hold."""

    parts: tuple[Formula, ...]
    low: int
    high: int


Formula = Linear | Among | Missing | HowMany
NEVER, ALWAYS = HowMany((), 1, 1), HowMany((), 0, 0)


def either(parts: Iterable[Formula]) -> Formula:
    """Give the formula that holds where at least one part does."""
    own = tuple(parts)
    return own[0] if len(own) == 1 else HowMany(own, 1, len(own))


def both(parts: Sequence[Formula]) -> Formula:
    """Give the formula that holds where all parts do."""
    return parts[0] if len(parts) == 1 else HowMany(tuple(parts), len(parts), len(parts))


def opposite(formula: Formula) -> Formula:
    """Give the formula that holds where this one does not.

    Numbers that are missing are no concern of it: facts about them are left out as a whole.
    """
    if isinstance(formula, Among):
        every = frozenset(range(formula.n_values))
        return formula._replace(codes=every - formula.codes)
    if isinstance(formula, Missing):
        return formula._replace(is_missing=not formula.is_missing)
    if isinstance(formula, Linear):
        turned = tuple((i, -f) for i, f in formula.terms)
        if formula.relation == "=":
            return either([formula._replace(relation="<"), Linear(turned, "<", -formula.bound)])
        return Linear(turned, "<" if formula.relation == "<=" else "<=", -formula.bound)
    parts, low, high = formula
    fewer = tuple(opposite(part) for part in parts)
    n = len(parts)
    ways: list[Formula] = []
    if low > 0:
        ways.append(HowMany(fewer, n - low + 1, n))
    if high < n:
        ways.append(HowMany(parts, high + 1, n))
    return either(ways) if ways else NEVER


def features_of(formula: Formula) -> frozenset[int]:
    """Give the positions of the features that a formula is about."""
    if isinstance(formula, Linear):
        return frozenset(i for i, _ in formula.terms)
    if isinstance(formula, HowMany):
        return frozenset(i for part in formula.parts for i in features_of(part))
    return frozenset([formula.feature])


def compared_in(formula: Formula) -> frozenset[int]:
    """Give the positions of the numbers that a formula compares with something."""
    if isinstance(formula, HowMany):
        return frozenset(i for part in formula.parts for i in compared_in(part))
    return features_of(formula) if isinstance(formula, Linear) else frozenset()


def moved(formula: Formula, place: Mapping[int, int]) -> Formula:
    """Give the same formula about other features."""
    if isinstance(formula, HowMany):
        return formula._replace(parts=tuple(moved(part, place) for part in formula.parts))
    if isinstance(formula, Linear):
        return formula._replace(terms=tuple((place.get(i, i), f) for i, f in formula.terms))
    return formula._replace(feature=place.get(formula.feature, formula.feature))


def linear_in(formula: Formula) -> bool:
    """Whether it compares features with each other, not only with numbers and values."""
    if isinstance(formula, HowMany):
        return any(linear_in(part) for part in formula.parts)
    return isinstance(formula, Linear) and len(formula.terms) > 1


def tight(formula: Formula, whole: Sequence[bool]) -> Formula:
    """Round the bounds of linear atoms over whole numbers alone to whole numbers."""
    if isinstance(formula, HowMany):
        return formula._replace(parts=tuple(tight(part, whole) for part in formula.parts))
    if not isinstance(formula, Linear) or not all(whole[i] for i, _ in formula.terms):
        return formula
    scale = 1
    for _, factor in formula.terms:
        scale = scale * factor.denominator // math.gcd(scale, factor.denominator)
    common = 0
    for _, factor in formula.terms:
        common = math.gcd(common, int(factor * scale))
    step = Fraction(scale, common or 1)
    terms = tuple((i, f * step) for i, f in formula.terms)
    bound = formula.bound * step
    below = Fraction(bound.numerator // bound.denominator)
    if formula.relation == "=":
        if below != bound:
            return NEVER  # no whole numbers do
        return Linear(terms, "=", bound)
    if formula.relation == "<" and below == bound:
        below -= 1
    return Linear(terms, "<=", below)


def compared(
    terms: dict[int, Fraction], relation: str, bound: Fraction, within: Fraction = Fraction(0)
) -> Formula:
    """Give the formula of a sum that is compared with a number."""
    own = tuple(sorted((i, f) for i, f in terms.items() if f))
    turned = tuple((i, -f) for i, f in own)
    if not own:  # numbers alone
        right = {"<=": bound >= 0, "<": bound > 0, ">=": bound <= 0, ">": bound < 0,
                 "=": abs(bound) <= within, "!=": bound != 0}  # fmt: skip
        return ALWAYS if right[relation] else NEVER
    if relation in ("<=", "<"):
        return Linear(own, relation, bound)
    if relation in (">=", ">"):
        return Linear(turned, "<=" if relation == ">=" else "<", -bound)
    if relation == "=" and within:
        return both([Linear(own, "<=", bound + within), Linear(turned, "<=", within - bound)])
    same = Linear(own, "=", bound)
    return same if relation == "=" else opposite(same)


class ValueSet(NamedTuple):
    """What is known of one feature.

    Attributes
    ----------
    ends : ends of the numbers, or None where it has none of them
    whole : bool
        Whether its numbers are whole numbers; the ends then are, too.
    nan : bool
        Whether it may be missing, where NaN is a value of numbers.
    codes : frozenset of int, or None
        Categorical features: the numbers of the values.
    """

    ends: Ends | None = (None, None)
    whole: bool = False
    nan: bool = False
    codes: frozenset[int] | None = None

    @property
    def empty(self) -> bool:
        """Whether no value is left."""
        if self.codes is not None:
            return not self.codes
        return self.ends is None and not self.nan

    def between(self, low: Point | None, high: Point | None) -> ValueSet:
        """Give the numbers of it between two ends, without NaN."""
        if self.ends is None:
            return self._replace(nan=False)
        own_low, own_high = self.ends
        if own_low is not None:
            low = own_low if low is None else max(low, own_low)
        if own_high is not None:
            high = own_high if high is None else min(high, own_high)
        if self.whole:
            low, high = _rounded(low, up=True), _rounded(high, up=False)
        gone = low is not None and high is not None and low > high
        return self._replace(ends=None if gone else (low, high), nan=False)


def _rounded(end: Point | None, *, up: bool) -> Point | None:
    """Move an end inwards to a whole number."""
    if end is None:
        return None
    number, small = end
    if up:
        whole = -(-number.numerator // number.denominator)
        return Fraction(whole + (number == whole and small > 0)), ZERO
    whole = number.numerator // number.denominator
    return Fraction(whole - (number == whole and small < 0)), ZERO


def meet(a: ValueSet, b: ValueSet) -> ValueSet:
    """Give what two values of one feature have in common."""
    if a.codes is not None:
        return a._replace(codes=a.codes & (b.codes or frozenset()))
    nan = a.nan and b.nan
    if b.ends is None:
        return a._replace(ends=None, nan=nan)
    return a.between(*b.ends)._replace(nan=nan)


ValueSets = dict[int, ValueSet]


def solve(
    formulas: Iterable[Formula], value_sets: Mapping[int, ValueSet]
) -> dict[int, Fraction | int | None] | None:
    """Give a row inside the values for which all formulas hold; None if there is none.

    A number is a ``Fraction``, or None where it is missing; a category is its number.

    Notes
    -----
    Exact. In the worst case exponential in the choices that formulas leave.
    """
    with Budget.of_row():
        for own, atoms in cases(formulas, value_sets, prune=True):
            found = _numbers(own, atoms)
            if found is not None:
                return found
    return None


def smallest(
    formulas: Iterable[Formula], value_sets: Mapping[int, ValueSet], total: Mapping[int, Fraction]
) -> tuple[Point, dict[int, Fraction]] | None:
    """Find where a sum of numbers is smallest among the rows of ``solve``.

    Give the sum there, which must not fall without end, and the numbers of that row; None if there
    is no row. What is missing in a row adds nothing.
    """
    best: tuple[Point, dict[int, Fraction]] | None = None
    with Budget.of_row():
        for own, atoms in cases(formulas, value_sets, prune=True):
            ends = {i: value_set.ends for i, value_set in own.items() if value_set.ends is not None}
            whole = {i for i in ends if own[i].whole}
            some = {i: factor for i, factor in total.items() if i in ends}
            found = least(atoms, ends, whole, some)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
    return best


def cases(
    formulas: Iterable[Formula], value_sets: Mapping[int, ValueSet], *, prune: bool = False
) -> Iterator[tuple[ValueSets, list[Linear]]]:
    """Go through the cases that formulas leave: values and linear atoms, which hold together.

    A row inside the values satisfies the formulas iff it satisfies all of some case. ``prune``:
    values are narrowed by the linear atoms, and of cases whose atoms have no solution not all
    choices are followed.
    """
    todo: list[tuple[ValueSets, list[Formula], list[Linear]]] = [
        (dict(value_sets), list(formulas), [])
    ]
    failed = False  # some case had no solution
    while todo:
        look()
        own, left, atoms = todo.pop()
        if any(value_set.empty for value_set in own.values()):
            continue
        choice = _settled(own, left, atoms)
        if prune and choice and atoms:
            choice = _pruned(own, choice, atoms, failed)
        if choice is None:
            continue
        if choice:
            for way, rest in _ways(choice[0], own):
                todo.append((dict(own), [*way, *choice[1:], *rest], list(atoms)))
            continue
        yield own, atoms
        failed = True


def _settled(own: ValueSets, left: list[Formula], atoms: list[Linear]) -> list[Formula] | None:
    """Assert all that leaves no choice, in place; give what does, or None for a contradiction."""
    while True:
        choices: list[Formula] = []
        changed = False
        while left:
            formula = left.pop()
            state = holds(formula, own)
            if state is False:
                return None
            if state is True:
                continue
            if isinstance(formula, HowMany):
                forced = _forced(formula, own)
                if forced is None:
                    choices.append(formula)
                else:
                    left += forced
                continue
            if not _asserted(formula, own, atoms):
                return None
            changed = True
        if not changed or not choices:
            choices.sort(key=lambda f: len(f.parts) if isinstance(f, HowMany) else 0)
            return choices
        left = choices


def _pruned(
    own: ValueSets, choice: list[Formula], atoms: list[Linear], ask: bool
) -> list[Formula] | None:
    """Narrow values by linear atoms, in place, before a choice; None for a contradiction.

    ``ask``: whether the atoms have a solution, which takes longer than following one choice.
    """
    left: list[Formula] | None = choice
    while left:
        ends = {i: own[i].ends for atom in atoms for i, _ in atom.terms}
        known = {i: some for i, some in ends.items() if some is not None}
        found = narrowed(atoms, known, {i for i in known if own[i].whole})
        if found is None:
            return None
        if found == known:
            break
        for i, some in found.items():
            own[i] = own[i]._replace(ends=some)
        left = _settled(own, left, atoms)
    if left and ask:
        every = {i: value_set.ends for i, value_set in own.items() if value_set.ends is not None}
        return left if feasible(atoms, every) else None
    return left


def _asserted(atom: Linear | Among | Missing, own: ValueSets, atoms: list[Linear]) -> bool:
    """Take an atom for granted: narrow the values of its feature, or keep it for the end."""
    if isinstance(atom, Among):
        value_set = own[atom.feature]
        own[atom.feature] = value_set._replace(codes=(value_set.codes or frozenset()) & atom.codes)
        return not own[atom.feature].empty
    if isinstance(atom, Missing):
        value_set = own[atom.feature]
        own[atom.feature] = (
            value_set._replace(ends=None) if atom.is_missing else value_set._replace(nan=False)
        )
        return not own[atom.feature].empty
    if len(atom.terms) > 1:
        atoms.append(atom)
        for i, _ in atom.terms:
            own[i] = own[i]._replace(nan=False)
            if own[i].empty:
                return False
        return True
    ((i, factor),) = atom.terms
    low, high = atom.ends
    ends = [None if end is None else (end[0] / factor, end[1] / factor) for end in (low, high)]
    ends = ends if factor > 0 else ends[::-1]
    own[i] = own[i].between(*ends)
    return not own[i].empty


def _forced(formula: HowMany, own: ValueSets) -> list[Formula] | None:
    """Give the parts, or their opposites, that must hold; None where there is a choice."""
    states = [holds(part, own) for part in formula.parts]
    open_parts = [p for p, state in zip(formula.parts, states, strict=True) if state is None]
    n_true = states.count(True)
    if n_true + len(open_parts) == formula.low:
        return open_parts
    if n_true == formula.high:
        return [opposite(part) for part in open_parts]
    return None


def _ways(choice: Formula, own: ValueSets) -> list[tuple[list[Formula], list[Formula]]]:
    """Take the first open part of a choice for true, or for false; both keep the choice."""
    assert isinstance(choice, HowMany)
    part = next(p for p in choice.parts if holds(p, own) is None)
    others = list(choice.parts)
    others.remove(part)
    rest = tuple(others)
    yes = HowMany(rest, max(0, choice.low - 1), choice.high - 1)
    no = HowMany(rest, choice.low, min(choice.high, len(rest)))
    return [([opposite(part)], [no]), ([part], [yes])]


def holds(formula: Formula, own: Mapping[int, ValueSet]) -> bool | None:
    """Tell whether a formula holds for all rows of the values, for none, or neither is certain."""
    if isinstance(formula, Among):
        codes = own[formula.feature].codes or frozenset()
        return True if codes <= formula.codes else None if codes & formula.codes else False
    if isinstance(formula, Missing):
        value_set = own[formula.feature]
        if value_set.nan and value_set.ends is not None:
            return None
        return value_set.nan == formula.is_missing
    if isinstance(formula, Linear):
        return _linear_holds(formula, own)
    states = [holds(part, own) for part in formula.parts]
    n_true, n_open = states.count(True), states.count(None)
    if n_true > formula.high or n_true + n_open < formula.low:
        return False
    return True if n_true >= formula.low and n_true + n_open <= formula.high else None


def _linear_holds(atom: Linear, own: Mapping[int, ValueSet]) -> bool | None:
    low: Point | None = (ZERO, ZERO)
    high: Point | None = (ZERO, ZERO)
    some_nan = False
    for i, factor in atom.terms:
        value_set = own[i]
        if value_set.ends is None:
            return False
        some_nan |= value_set.nan
        ends = value_set.ends if factor > 0 else value_set.ends[::-1]
        low, high = _plus(low, ends[0], factor), _plus(high, ends[1], factor)
    least, most = atom.ends
    if most is not None and low is not None and low > most:
        return False
    if least is not None and high is not None and high < least:
        return False
    inside = (least is None or (low is not None and low >= least)) and (
        most is None or (high is not None and high <= most)
    )
    return True if inside and not some_nan else None


def _plus(total: Point | None, end: Point | None, factor: Fraction) -> Point | None:
    if total is None or end is None:
        return None
    small = total[1] + factor * end[1] if end[1] else total[1]  # most ends have no infinitesimal
    return total[0] + factor * end[0], small


def _numbers(own: ValueSets, atoms: list[Linear]) -> dict[int, Fraction | int | None] | None:
    """Find numbers for what linear atoms are about; every other feature has any of its values."""
    about = {i for atom in atoms for i, _ in atom.terms}
    ends: dict[int, Ends] = {}
    whole = set()
    out: dict[int, Fraction | int | None] = {}
    for i, value_set in own.items():
        if value_set.codes is not None:
            out[i] = min(value_set.codes)
        elif value_set.ends is None:
            out[i] = None
        else:
            ends[i] = value_set.ends
            if value_set.whole:
                whole.add(i)
    free = {i: own_ends for i, own_ends in ends.items() if i not in about}
    for part, some in ((atoms, {i: e for i, e in ends.items() if i in about}), ([], free)):
        found = solution(part, some, whole)
        if found is None:
            return None
        out |= found
    return out


def projected(
    formulas: Sequence[Formula],
    value_sets: Mapping[int, ValueSet],
    keep: Collection[int],
    whole: Sequence[ValueSet],
) -> Formula:
    """Give what the formulas say of the features to keep: a formula over these alone.

    Parameters
    ----------
    formulas : sequence of Formula
    value_sets : dict of position -> ValueSet
        Of every feature that the formulas are about.
    keep : positions
    whole : sequence of ValueSet
        By feature all of its values.

    Raises
    ------
    TooLarge
        If there are too many cases, or if a whole number that is not kept has too many values and
        no exact elimination.

    Notes
    -----
    Cost: for each case that the formulas leave open, the atoms squared for each number that is
    eliminated; doubly exponential in the worst case, and limited.
    """
    found: list[Formula] = []
    for own, atoms in cases(formulas, value_sets):
        for rest in _without(own, atoms, keep):
            found.append(both([*_kept(own, keep, whole), *rest]))
            if len(found) > MOST_CASES:
                raise _too_large(f"more than {MOST_CASES:,} cases")
    return either(found) if found else NEVER


def _too_large(why: str) -> TooLarge:
    return TooLarge(
        f"what the facts say of some features, whatever the others are, takes {why}: use fewer "
        "facts, or give more values of the row",
        MOST_CASES,
    )


def _kept(own: ValueSets, keep: Collection[int], whole: Sequence[ValueSet]) -> Iterator[Formula]:
    """Write the values of the features to keep as formulas."""
    for i in sorted(keep):
        if i not in own:
            continue
        value_set = own[i]
        if value_set.codes is not None:
            yield Among(i, value_set.codes, len(whole[i].codes or ()))
            continue
        if value_set.ends is None:
            yield Missing(i, True)
            continue
        number = both([Missing(i, False), *_ends(i, value_set.ends)])
        yield either([Missing(i, True), number]) if value_set.nan else number


def _ends(i: int, ends: Ends) -> Iterator[Linear]:
    low, high = ends
    if low is not None:
        yield Linear(((i, -ONE),), "<" if low[1] > 0 else "<=", -low[0])
    if high is not None:
        yield Linear(((i, ONE),), "<" if high[1] < 0 else "<=", high[0])


def _without(
    own: ValueSets, atoms: Sequence[Linear], keep: Collection[int]
) -> Iterator[list[Formula]]:
    """Eliminate the numbers that are not kept from one case; give what is left, by part of it."""
    whole = [False] * (1 + max(own, default=0))
    for i, value_set in own.items():
        whole[i] = value_set.whole
    todo = [_unequal(atoms)]
    while todo:
        left = todo.pop()
        gone = sorted({i for atom in left for i, _ in atom.terms if i not in keep})
        if not gone:
            yield list(left)
            continue
        ways = {i: _bounds(i, own[i], left) for i in gone}
        exact = [i for i in gone if _is_exact(i, ways[i], whole)]
        if exact:
            i = min(exact, key=lambda i: len(ways[i][0]) * len(ways[i][1]))
            joined = _joined(i, *ways[i], left, whole)
            if joined is not None:
                todo.append(joined)
            continue
        sizes = {i: _values(own[i]) for i in gone if whole[i]}
        i = min(sizes, key=lambda i: sizes[i].stop - sizes[i].start)
        if len(sizes[i]) > MOST_VALUES:
            raise _too_large("whole numbers with more than 64 values, or without bounds")
        for value in sizes[i]:
            some = _at_value(i, value, left, whole)
            if some is not None:
                todo.append(some)
        if len(todo) > MOST_CASES:
            raise _too_large(f"more than {MOST_CASES:,} cases")


def _unequal(atoms: Sequence[Linear]) -> list[Linear]:
    """Write equations as two inequalities."""
    out = []
    for atom in atoms:
        out.append(atom._replace(relation="<=") if atom.relation == "=" else atom)
        if atom.relation == "=":
            out.append(Linear(tuple((i, -f) for i, f in atom.terms), "<=", -atom.bound))
    return out


def _values(value_set: ValueSet) -> range:
    assert value_set.ends is not None
    low, high = value_set.ends
    if low is None or high is None:
        return range(MOST_VALUES + 1)  # too many
    return range(int(low[0]), int(high[0]) + 1)


def _factor(atom: Linear, i: int) -> Fraction:
    return next((f for j, f in atom.terms if j == i), ZERO)


def _bounds(
    i: int, value_set: ValueSet, atoms: Sequence[Linear]
) -> tuple[list[Linear], list[Linear]]:
    """Give the atoms that bound a number from below, and from above."""
    assert value_set.ends is not None
    every = [*atoms, *_ends(i, value_set.ends)]
    below = [atom for atom in every if _factor(atom, i) < 0]
    return below, [atom for atom in every if _factor(atom, i) > 0]


def _is_exact(i: int, ways: tuple[list[Linear], list[Linear]], whole: Sequence[bool]) -> bool:
    """Whether joining bounds says all: of real numbers, or where one of each two has factor 1."""
    if not whole[i]:
        return True
    below, above = ways
    every = [*below, *above]
    if not all(whole[j] and f.denominator == 1 for atom in every for j, f in atom.terms):
        return False
    if any(atom.relation != "<=" or atom.bound.denominator != 1 for atom in every):
        return False
    return all(abs(_factor(a, i)) == 1 for a in below) or all(_factor(a, i) == 1 for a in above)


def _joined(
    i: int, below: list[Linear], above: list[Linear], atoms: list[Linear], whole: Sequence[bool]
) -> list[Linear] | None:
    """Join every lower with every upper bound of a number; None for a contradiction."""
    out = dict.fromkeys(atom for atom in atoms if not _factor(atom, i))
    for a in below:
        for b in above:
            one, other = -1 / _factor(a, i), 1 / _factor(b, i)
            if whole[i]:  # whole factors stay whole
                one, other = _factor(b, i), -_factor(a, i)
            terms: dict[int, Fraction] = {}
            for atom, scale in ((a, one), (b, other)):
                for j, f in atom.terms:
                    terms[j] = terms.get(j, ZERO) + scale * f
            relation = "<" if "<" in (a.relation, b.relation) else "<="
            made = compared(terms, relation, one * a.bound + other * b.bound)
            if not _add(out, tight(made, whole)):
                return None
    if len(out) > MOST_ATOMS:
        raise _too_large(f"more than {MOST_ATOMS:,} bounds")
    return list(out)


def _at_value(
    i: int, value: int, atoms: list[Linear], whole: Sequence[bool]
) -> list[Linear] | None:
    out: dict[Linear, None] = {}
    for atom in atoms:
        rest = {j: f for j, f in atom.terms if j != i}
        made = compared(rest, atom.relation, atom.bound - _factor(atom, i) * value)
        if not _add(out, tight(made, whole)):
            return None
    return list(out)


def _add(out: dict[Linear, None], made: Formula) -> bool:
    """Add what is no triviality; False for a contradiction."""
    if made == NEVER:
        return False
    if made != ALWAYS:
        assert isinstance(made, Linear)
        out[made] = None
    return True
