"""Linear facts: the simplex against Fourier-Motzkin elimination, and all whole numbers tried."""

import itertools
import random
from fractions import Fraction

import pytest

from orderless.errors import TooLarge
from orderless.model.facts.linear import Linear, solution

ZERO, ONE = Fraction(0), Fraction(1)


def eliminated(rows, n):
    """Fourier and Motzkin: rows are (factors, bound, strict) for sum <= bound."""
    for k in range(n):
        up = [r for r in rows if r[0][k] > 0]
        down = [r for r in rows if r[0][k] < 0]
        rest = [r for r in rows if r[0][k] == 0]
        for (a, c, s), (b, d, t) in itertools.product(up, down):
            p, q = a[k], -b[k]
            both = [q * x + p * y for x, y in zip(a, b, strict=True)]
            rest.append((both, q * c + p * d, s or t))
        rows = rest
    return all(bound > 0 or (bound == 0 and not strict) for _, bound, strict in rows)


def random_atoms(r, n):
    atoms = []
    for _ in range(r.randint(1, 4)):
        terms = tuple((i, Fraction(r.choice([-2, -1, 1, 1, 3]))) for i in range(n)
                      if r.random() < 0.7) or ((0, ONE),)  # fmt: skip
        atoms.append(Linear(terms, r.choice(["<=", "<", "="]), Fraction(r.randint(-4, 4), 2)))
    return atoms


def as_rows(atoms, ends, n):
    rows = []
    for atom in atoms:
        factors = [dict(atom.terms).get(i, ZERO) for i in range(n)]
        rows.append((factors, atom.bound, atom.relation == "<"))
        if atom.relation == "=":
            rows.append(([-f for f in factors], -atom.bound, False))
    for i, (low, high) in ends.items():
        unit = [ONE if j == i else ZERO for j in range(n)]
        if low is not None:
            rows.append(([-u for u in unit], -low[0], low[1] > 0))
        if high is not None:
            rows.append((unit, high[0], high[1] < 0))
    return rows


def satisfies(atom, row):
    total = sum((f * row[i] for i, f in atom.terms), ZERO)
    test = {"<=": total <= atom.bound, "<": total < atom.bound, "=": total == atom.bound}
    return test[atom.relation]


def test_real_numbers_as_by_elimination():
    answers = set()
    for seed in range(400):
        r = random.Random(seed)
        n = r.randint(1, 3)
        atoms, ends = random_atoms(r, n), {}
        for i in range(n):
            low, high = sorted([Fraction(r.randint(-3, 3)), Fraction(r.randint(-3, 3))])
            ends[i] = (
                (low, r.choice([ZERO, ONE])) if r.random() < 0.7 else None,
                (high, r.choice([ZERO, -ONE])) if r.random() < 0.7 else None,
            )
        found = solution(atoms, ends, ())
        wanted = eliminated(as_rows(atoms, ends, n), n)
        answers.add(wanted)
        assert (found is not None) == wanted, seed
        if found is not None:
            assert all(satisfies(atom, found) for atom in atoms)
            for i, (low, high) in ends.items():
                assert low is None or found[i] > low[0] or (found[i] == low[0] and not low[1])
                assert high is None or found[i] < high[0] or (found[i] == high[0] and not high[1])
    assert answers == {True, False}


def test_whole_numbers_as_by_trying_all():
    answers = set()
    for seed in range(300):
        r = random.Random(seed)
        n = r.randint(1, 3)
        atoms = random_atoms(r, n)
        ends = {i: ((Fraction(-2), ZERO), (Fraction(2), ZERO)) for i in range(n)}
        wanted = any(
            all(satisfies(atom, row) for atom in atoms)
            for row in itertools.product(range(-2, 3), repeat=n)
        )
        found = solution(atoms, ends, range(n))
        answers.add(wanted)
        assert (found is not None) == wanted, seed
        assert found is None or all(value.denominator == 1 for value in found.values())
    assert answers == {True, False}


def test_whole_numbers_without_end_are_refused():
    # 3x - 3y + z = 1 with z in {0}: no whole numbers, and no end to try.
    atoms = [Linear(((0, Fraction(3)), (1, Fraction(-3))), "=", ONE)]
    with pytest.raises(TooLarge, match="give the features of linear facts bounds"):
        solution(atoms, {0: (None, None), 1: (None, None)}, (0, 1))
