"""What facts say of some features, whatever the others are: the others are eliminated.

In:  formulas, domains, the features that are kept.
Out: a formula over the kept features: it holds for values iff they are part of a possible row.

Real numbers by Fourier's and Motzkin's elimination, over fractions. It is exact for whole numbers
too where one of every two bounds that are joined has the factor 1 or -1; other whole numbers are
tried one by one, if they have few values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction

from ...errors import TooLarge
from .formula import ALWAYS, NEVER, Among, Formula, Missing, both, compared, either, tight
from .linear import Ends, Linear
from .solve import Domain, Domains, cases

__all__ = ["projected"]

MOST_CASES = 2_000
MOST_ATOMS = 2_000
MOST_VALUES = 64
ZERO, ONE = Fraction(0), Fraction(1)


def projected(
    formulas: Sequence[Formula],
    domains: Mapping[int, Domain],
    keep: Collection[int],
    whole: Sequence[Domain],
) -> Formula:
    """Give what the formulas say of the features to keep: a formula over these alone.

    Parameters
    ----------
    formulas : sequence of Formula
    domains : dict of position -> Domain
        Of every feature that the formulas are about.
    keep : positions
    whole : sequence of Domain
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
    for own, atoms in cases(formulas, domains):
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


def _kept(own: Domains, keep: Collection[int], whole: Sequence[Domain]) -> Iterator[Formula]:
    """Write the domains of the features to keep as formulas."""
    for i in sorted(keep):
        if i not in own:
            continue
        domain = own[i]
        if domain.codes is not None:
            yield Among(i, domain.codes, len(whole[i].codes or ()))
            continue
        if domain.ends is None:
            yield Missing(i, True)
            continue
        number = both([Missing(i, False), *_ends(i, domain.ends)])
        yield either([Missing(i, True), number]) if domain.nan else number


def _ends(i: int, ends: Ends) -> Iterator[Linear]:
    low, high = ends
    if low is not None:
        yield Linear(((i, -ONE),), "<" if low[1] > 0 else "<=", -low[0])
    if high is not None:
        yield Linear(((i, ONE),), "<" if high[1] < 0 else "<=", high[0])


def _without(
    own: Domains, atoms: Sequence[Linear], keep: Collection[int]
) -> Iterator[list[Formula]]:
    """Eliminate the numbers that are not kept from one case; give what is left, by part of it."""
    whole = [False] * (1 + max(own, default=0))
    for i, domain in own.items():
        whole[i] = domain.whole
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


def _values(domain: Domain) -> range:
    assert domain.ends is not None
    low, high = domain.ends
    if low is None or high is None:
        return range(MOST_VALUES + 1)  # too many
    return range(int(low[0]), int(high[0]) + 1)


def _factor(atom: Linear, i: int) -> Fraction:
    return next((f for j, f in atom.terms if j == i), ZERO)


def _bounds(i: int, domain: Domain, atoms: Sequence[Linear]) -> tuple[list[Linear], list[Linear]]:
    """Give the atoms that bound a number from below, and from above."""
    assert domain.ends is not None
    every = [*atoms, *_ends(i, domain.ends)]
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
