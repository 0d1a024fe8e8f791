"""Whether formulas have a row inside some domains, exactly.

In:  ``Formula``, and a ``Domain`` for each feature: ends of numbers, or numbers of values.
Out: a row (a value for each feature, as fractions and codes), or None.

Formulas that a domain decides are left out; where one leaves a choice, each choice is followed;
what is left are linear atoms, which ``linear`` decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from ..budget import Budget, look
from .formula import Among, Formula, HowMany, Missing, opposite
from .linear import Ends, Linear, Point, feasible, least, narrowed, solution

__all__ = ["Domain", "Domains", "cases", "holds", "meet", "smallest", "solve"]

ZERO, ONE = Fraction(0), Fraction(1)


class Domain(NamedTuple):
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

    def between(self, low: Point | None, high: Point | None) -> Domain:
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


def meet(a: Domain, b: Domain) -> Domain:
    """Give what two domains of one feature have in common."""
    if a.codes is not None:
        return a._replace(codes=a.codes & (b.codes or frozenset()))
    nan = a.nan and b.nan
    if b.ends is None:
        return a._replace(ends=None, nan=nan)
    return a.between(*b.ends)._replace(nan=nan)


Domains = dict[int, Domain]


def solve(
    formulas: Iterable[Formula], domains: Mapping[int, Domain]
) -> dict[int, Fraction | int | None] | None:
    """Give a row inside the domains for which all formulas hold; None if there is none.

    A number is a ``Fraction``, or None where it is missing; a category is its number.

    Notes
    -----
    Exact. In the worst case exponential in the choices that formulas leave.
    """
    with Budget.of_row():
        for own, atoms in cases(formulas, domains, prune=True):
            found = _numbers(own, atoms)
            if found is not None:
                return found
    return None


def smallest(
    formulas: Iterable[Formula], domains: Mapping[int, Domain], total: Mapping[int, Fraction]
) -> tuple[Point, dict[int, Fraction]] | None:
    """Find where a sum of numbers is smallest among the rows of ``solve``.

    Give the sum there, which must not fall without end, and the numbers of that row; None if there
    is no row. What is missing in a row adds nothing.
    """
    best: tuple[Point, dict[int, Fraction]] | None = None
    with Budget.of_row():
        for own, atoms in cases(formulas, domains, prune=True):
            ends = {i: domain.ends for i, domain in own.items() if domain.ends is not None}
            whole = {i for i in ends if own[i].whole}
            some = {i: factor for i, factor in total.items() if i in ends}
            found = least(atoms, ends, whole, some)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
    return best


def cases(
    formulas: Iterable[Formula], domains: Mapping[int, Domain], *, prune: bool = False
) -> Iterator[tuple[Domains, list[Linear]]]:
    """Go through the cases that formulas leave: domains and linear atoms, which hold together.

    A row inside the domains satisfies the formulas iff it satisfies all of some case. ``prune``:
    domains are narrowed by the linear atoms, and of cases whose atoms have no solution not all
    choices are followed.
    """
    todo: list[tuple[Domains, list[Formula], list[Linear]]] = [(dict(domains), list(formulas), [])]
    failed = False  # some case had no solution
    while todo:
        look()
        own, left, atoms = todo.pop()
        if any(domain.empty for domain in own.values()):
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


def _settled(own: Domains, left: list[Formula], atoms: list[Linear]) -> list[Formula] | None:
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
    own: Domains, choice: list[Formula], atoms: list[Linear], ask: bool
) -> list[Formula] | None:
    """Narrow domains by linear atoms, in place, before a choice; None for a contradiction.

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
        every = {i: domain.ends for i, domain in own.items() if domain.ends is not None}
        return left if feasible(atoms, every) else None
    return left


def _asserted(atom: Linear | Among | Missing, own: Domains, atoms: list[Linear]) -> bool:
    """Take an atom for granted: narrow the domain of its feature, or keep it for the end."""
    if isinstance(atom, Among):
        domain = own[atom.feature]
        own[atom.feature] = domain._replace(codes=(domain.codes or frozenset()) & atom.codes)
        return not own[atom.feature].empty
    if isinstance(atom, Missing):
        domain = own[atom.feature]
        own[atom.feature] = (
            domain._replace(ends=None) if atom.is_missing else domain._replace(nan=False)
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


def _forced(formula: HowMany, own: Domains) -> list[Formula] | None:
    """Give the parts, or their opposites, that must hold; None where there is a choice."""
    states = [holds(part, own) for part in formula.parts]
    open_parts = [p for p, state in zip(formula.parts, states, strict=True) if state is None]
    n_true = states.count(True)
    if n_true + len(open_parts) == formula.low:
        return open_parts
    if n_true == formula.high:
        return [opposite(part) for part in open_parts]
    return None


def _ways(choice: Formula, own: Domains) -> list[tuple[list[Formula], list[Formula]]]:
    """Take the first open part of a choice for true, or for false; both keep the choice."""
    assert isinstance(choice, HowMany)
    part = next(p for p in choice.parts if holds(p, own) is None)
    others = list(choice.parts)
    others.remove(part)
    rest = tuple(others)
    yes = HowMany(rest, max(0, choice.low - 1), choice.high - 1)
    no = HowMany(rest, choice.low, min(choice.high, len(rest)))
    return [([opposite(part)], [no]), ([part], [yes])]


def holds(formula: Formula, own: Mapping[int, Domain]) -> bool | None:
    """Tell whether a formula holds for all rows of the domains, for none, or neither is certain."""
    if isinstance(formula, Among):
        codes = own[formula.feature].codes or frozenset()
        return True if codes <= formula.codes else None if codes & formula.codes else False
    if isinstance(formula, Missing):
        domain = own[formula.feature]
        if domain.nan and domain.ends is not None:
            return None
        return domain.nan == formula.is_missing
    if isinstance(formula, Linear):
        return _linear_holds(formula, own)
    states = [holds(part, own) for part in formula.parts]
    n_true, n_open = states.count(True), states.count(None)
    if n_true > formula.high or n_true + n_open < formula.low:
        return False
    return True if n_true >= formula.low and n_true + n_open <= formula.high else None


def _linear_holds(atom: Linear, own: Mapping[int, Domain]) -> bool | None:
    low: Point | None = (ZERO, ZERO)
    high: Point | None = (ZERO, ZERO)
    some_nan = False
    for i, factor in atom.terms:
        domain = own[i]
        if domain.ends is None:
            return False
        some_nan |= domain.nan
        ends = domain.ends if factor > 0 else domain.ends[::-1]
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


def _numbers(own: Domains, atoms: list[Linear]) -> dict[int, Fraction | int | None] | None:
    """Find numbers for what linear atoms are about; every other feature has any of its values."""
    about = {i for atom in atoms for i, _ in atom.terms}
    ends: dict[int, Ends] = {}
    whole = set()
    out: dict[int, Fraction | int | None] = {}
    for i, domain in own.items():
        if domain.codes is not None:
            out[i] = min(domain.codes)
        elif domain.ends is None:
            out[i] = None
        else:
            ends[i] = domain.ends
            if domain.whole:
                whole.add(i)
    free = {i: own_ends for i, own_ends in ends.items() if i not in about}
    for part, some in ((atoms, {i: e for i, e in ends.items() if i in about}), ([], free)):
        found = solution(part, some, whole)
        if found is None:
            return None
        out |= found
    return out
