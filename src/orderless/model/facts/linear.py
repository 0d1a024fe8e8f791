"""Linear facts, decided exactly: whether inequalities over numbers have a solution.

In:  linear atoms and the ends between which each number lies, all as fractions.
Out: a solution, or None; where a sum is smallest. No rounding: the simplex method of Dutertre and
     de Moura ("A fast linear-arithmetic solver for DPLL(T)", 2006) over fractions, with an
     infinitesimal for strict ends; whole numbers by branching, after ends were narrowed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from ...errors import TooLarge
from ..budget import look

__all__ = ["Ends", "Linear", "Point", "feasible", "least", "narrowed", "solution"]

MOST_BRANCHES = 2_000
PASSES = 8  # over all atoms, to narrow ends
ZERO, ONE = Fraction(0), Fraction(1)

Point = tuple[Fraction, Fraction]  # a number, and how many infinitesimals are added to it
Ends = tuple[Point | None, Point | None]  # None: no end


class Linear(NamedTuple):
    """A sum of features times numbers that is at most a bound, below it, or equal to it.

    Attributes
    ----------
    terms : tuple of (position of the feature, factor)
        Each feature once, in order; no factor is 0.
    relation : "<=", "<" or "="
    bound : Fraction
    """

    terms: tuple[tuple[int, Fraction], ...]
    relation: str
    bound: Fraction

    @property
    def ends(self) -> Ends:
        """The ends that it gives its sum."""
        upper = (self.bound, -ONE if self.relation == "<" else ZERO)
        return (upper if self.relation == "=" else None), upper


def solution(
    atoms: Sequence[Linear], ends: Mapping[int, Ends], whole: Collection[int]
) -> dict[int, Fraction] | None:
    """Give values for the features of some atoms, inside their ends; None if there are none.

    Parameters
    ----------
    atoms : sequence of Linear
    ends : dict of position -> ends
        For every feature of the atoms.
    whole : positions of the features whose values are whole numbers
        Their ends must be whole numbers.

    Raises
    ------
    TooLarge
        If the search for whole numbers takes too many branches.

    Notes
    -----
    Exact. Grows with the pivots of the simplex method: few, for the few features and facts that
    are connected; in the worst case exponential, as is the search for whole numbers.
    """
    todo = [dict(ends)]
    for _ in range(MOST_BRANCHES):
        if not todo:
            return None
        here = narrowed(atoms, todo.pop(), whole)
        found = None if here is None else _Tableau(atoms, here).solved()
        if here is None or found is None:
            continue
        broken = next((i for i in sorted(whole) if i in found and not _is_whole(found[i])), None)
        if broken is None:
            return _plain(found, atoms, here)
        todo += _branches(here, broken, found[broken])
    raise _too_many_branches()


def least(
    atoms: Sequence[Linear],
    ends: Mapping[int, Ends],
    whole: Collection[int],
    total: Mapping[int, Fraction],
) -> tuple[Point, dict[int, Fraction]] | None:
    """Find where a sum is smallest: the sum there, and the values; None if there is no solution.

    Where an end is not reached (a number above 3), the sum has infinitesimals and the values are
    those of the end.

    Parameters
    ----------
    atoms, ends, whole
        As of ``solution``.
    total : dict of position -> factor
        The sum. It must not fall without end.

    Raises
    ------
    TooLarge
        If the search for whole numbers takes too many branches.
    """
    best: tuple[Point, dict[int, Fraction]] | None = None
    todo = [dict(ends)]
    for _ in range(MOST_BRANCHES):
        if not todo:
            return best
        here = narrowed(atoms, todo.pop(), whole)
        if here is None:
            continue
        tableau = _Tableau(atoms, here)
        if tableau.solved() is None:
            continue
        lowest, found = tableau.minimized(total)
        if best is not None and lowest >= best[0]:
            continue
        broken = next((i for i in sorted(whole) if i in found and not _is_whole(found[i])), None)
        if broken is None:
            best = lowest, {i: number for i, (number, _) in found.items()}
            continue
        todo += _branches(here, broken, found[broken])
    raise _too_many_branches()


def feasible(atoms: Sequence[Linear], ends: Mapping[int, Ends]) -> bool:
    """Tell whether there is a solution, not only in whole numbers."""
    about = {i for atom in atoms for i, _ in atom.terms}
    return _Tableau(atoms, {i: ends[i] for i in about}).solved() is not None


def narrowed(
    atoms: Sequence[Linear], ends: Mapping[int, Ends], whole: Collection[int]
) -> dict[int, Ends] | None:
    """Move ends inwards as far as each atom by itself allows; None if nothing is left.

    No solution is lost. Whole numbers keep whole ends, so that a branch that is taken for one of
    them moves all that depend on it to whole numbers, too. A few passes over all atoms: without
    ends, numbers can chase each other for ever.
    """
    out = dict(ends)
    for _ in range(PASSES):
        look()
        changed = False
        for atom in atoms:
            low, high = atom.ends
            for sign, bound in ((1, high), (-1, None if low is None else (-low[0], -low[1]))):
                if bound is not None:
                    moved = _narrow(atom, sign, bound, out, whole)
                    if moved is None:
                        return None
                    changed |= moved
        if not changed:
            break
    return out


def _narrow(
    atom: Linear, sign: int, bound: Point, ends: dict[int, Ends], whole: Collection[int]
) -> bool | None:
    """Narrow the ends of an atom's features by ``sign`` times its sum being at most a bound."""
    least: dict[int, Point] = {}  # of each term
    endless = []
    for i, own in atom.terms:
        factor = sign * own
        end = ends[i][0 if factor > 0 else 1]
        if end is None:
            endless.append(i)
        else:
            least[i] = (factor * end[0], factor * end[1])
    if len(endless) > 1:
        return False
    number = sum((point[0] for point in least.values()), ZERO)
    small = sum((point[1] for point in least.values()), ZERO)
    changed = False
    for i, own in atom.terms:
        if endless and i not in endless:
            continue
        factor = sign * own
        gone = least.get(i, (ZERO, ZERO))
        end = (
            (bound[0] - number + gone[0]) / factor,
            (bound[1] - small + gone[1]) / factor,
        )
        low, high = ends[i]
        if factor > 0:
            end = (Fraction(_floor(end)), ZERO) if i in whole else end
            if high is not None and high <= end:
                continue
            high = end
        else:
            end = (Fraction(-_floor((-end[0], -end[1]))), ZERO) if i in whole else end
            if low is not None and low >= end:
                continue
            low = end
        if low is not None and high is not None and low > high:
            return None
        ends[i] = (low, high)
        changed = True
    return changed


def _branches(ends: Mapping[int, Ends], broken: int, value: Point) -> Iterator[dict[int, Ends]]:
    """Give the ends above and below a number that should be whole."""
    below = Fraction(_floor(value))
    low, high = ends[broken]
    yield {**ends, broken: ((below + 1, ZERO), high)}
    yield {**ends, broken: (low, (below, ZERO))}


def _too_many_branches() -> TooLarge:
    return TooLarge(
        f"whether facts have a solution in whole numbers was not found in {MOST_BRANCHES:,} steps: "
        "give the features of linear facts bounds (like 'age <= 150'), or make them numeric",
        MOST_BRANCHES,
    )


def _is_whole(point: Point) -> bool:
    return point[1] == 0 and point[0].denominator == 1


def _floor(point: Point) -> int:
    number, small = point
    whole = number.numerator // number.denominator
    return whole - 1 if number == whole and small < 0 else whole


def _plain(
    found: Mapping[int, Point], atoms: Sequence[Linear], ends: Mapping[int, Ends]
) -> dict[int, Fraction]:
    """Choose a number for the infinitesimal that keeps every end."""
    checks = [(found[i], ends[i]) for i in found]
    for atom in atoms:
        total = (
            sum((f * found[i][0] for i, f in atom.terms), ZERO),
            sum((f * found[i][1] for i, f in atom.terms), ZERO),
        )
        checks.append((total, atom.ends))
    small = ONE
    for (number, more), (low, high) in checks:
        if low is not None and low[0] < number and low[1] > more:
            small = min(small, (number - low[0]) / (low[1] - more))
        if high is not None and number < high[0] and more > high[1]:
            small = min(small, (high[0] - number) / (more - high[1]))
    return {i: number + more * small / 2 for i, (number, more) in found.items()}


class _Tableau:
    """Basic variables as sums of the others; variable -1 - r is the sum of atom r."""

    def __init__(self, atoms: Sequence[Linear], ends: Mapping[int, Ends]) -> None:
        self.ends: dict[int, Ends] = dict(ends)
        self.rows: dict[int, dict[int, Fraction]] = {}
        for r, atom in enumerate(atoms):
            self.rows[-1 - r] = dict(atom.terms)
            self.ends[-1 - r] = atom.ends
        self.value: dict[int, Point] = {i: _inside(self.ends[i]) for i in ends}
        for basic, row in self.rows.items():
            self.value[basic] = self._sum(row)

    def _sum(self, row: Mapping[int, Fraction]) -> Point:
        value = self.value
        return (
            sum((f * value[i][0] for i, f in row.items()), ZERO),
            sum((f * value[i][1] for i, f in row.items()), ZERO),
        )

    def solved(self) -> dict[int, Point] | None:
        """Move basic variables between their ends, by Bland's rule, which ends."""
        for low, high in self.ends.values():
            if low is not None and high is not None and low > high:
                return None
        while True:
            look()
            broken = min((b for b in self.rows if self._side(b)), default=None)
            if broken is None:
                return {i: v for i, v in self.value.items() if i >= 0}
            side = self._side(broken)
            row = self.rows[broken]
            entering = min((i for i, f in row.items() if self._free(i, f * side)), default=None)
            if entering is None:
                return None
            target = self.ends[broken][0 if side > 0 else 1]
            assert target is not None
            self._pivot(broken, entering, target)

    def minimized(self, total: Mapping[int, Fraction]) -> tuple[Point, dict[int, Point]]:
        """Move on from a solution until a sum is smallest, by Bland's rule."""
        while True:
            look()
            slopes = self._slopes(total)
            entering = min(
                (i for i, slope in slopes.items() if self._free(i, -slope)), default=None
            )
            if entering is None:
                found = {i: v for i, v in self.value.items() if i >= 0}
                return self._sum({i: f for i, f in total.items() if f}), found
            self._move(entering, -1 if slopes[entering] > 0 else 1)

    def _slopes(self, total: Mapping[int, Fraction]) -> dict[int, Fraction]:
        """Write a sum over the variables that are not basic."""
        out: dict[int, Fraction] = {}
        for i, factor in total.items():
            for j, f in self.rows.get(i, {i: ONE}).items():
                out[j] = out.get(j, ZERO) + factor * f
        return {j: f for j, f in out.items() if f}

    def _move(self, entering: int, way: int) -> None:
        """Move a variable up (1) or down (-1) until it, or a basic one, is at its end."""
        own = self.ends[entering][1 if way > 0 else 0]
        best = None if own is None else (_far(own, self.value[entering], way * ONE), entering)
        for basic, row in self.rows.items():
            slope = way * row.get(entering, ZERO)
            end = self.ends[basic][1 if slope > 0 else 0] if slope else None
            if end is not None:
                step = (_far(end, self.value[basic], slope), basic)
                best = step if best is None else min(best, step)
        assert best is not None, "a sum that falls without end"
        leaving = best[1]
        if leaving != entering:
            end = self.ends[leaving][1 if way * self.rows[leaving][entering] > 0 else 0]
            assert end is not None
            self._pivot(leaving, entering, end)
            return
        assert own is not None
        self.value[entering] = own
        for basic, row in self.rows.items():
            self.value[basic] = self._sum(row)

    def _side(self, variable: int) -> int:
        """Give 1 where a variable must rise to its lower end, -1 where it must fall, else 0."""
        low, high = self.ends[variable]
        value = self.value[variable]
        if low is not None and value < low:
            return 1
        return -1 if high is not None and value > high else 0

    def _free(self, variable: int, way: Fraction) -> bool:
        end = self.ends[variable][1 if way > 0 else 0]
        return end is None or end != self.value[variable]

    def _pivot(self, leaving: int, entering: int, target: Point) -> None:
        row = self.rows.pop(leaving)
        factor = row.pop(entering)
        new = {i: -f / factor for i, f in row.items()}
        new[leaving] = 1 / factor
        self.value[leaving] = target
        self.rows[entering] = new
        for basic, other in self.rows.items():
            share = None if basic == entering else other.pop(entering, None)
            if share is not None:
                for i, f in new.items():
                    total = other.get(i, ZERO) + share * f
                    if total:
                        other[i] = total
                    else:
                        other.pop(i, None)
        self.value[entering] = self._sum(new)
        for basic, other in self.rows.items():
            self.value[basic] = self._sum(other)


def _far(end: Point, value: Point, slope: Fraction) -> Point:
    """Give how far to go until a value that changes with this slope is at its end."""
    return (end[0] - value[0]) / slope, (end[1] - value[1]) / slope


def _inside(ends: Ends) -> Point:
    low, high = ends
    if low is not None:
        return low
    return high if high is not None else (ZERO, ZERO)
