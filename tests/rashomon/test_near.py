"""Functions of numbers that are nearly one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import orderless as ol
from orderless.errors import InvalidData


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_functions_that_are_kept_are_apart(seed, loss):
    """One by one, by what the trees themselves predict, in fractions."""
    random = np.random.default_rng(seed)
    X = random.integers(0, 2, (30, 5))
    y = (X[:, 0] * 3 + X[:, 1] * random.integers(0, 3, 30) + random.integers(0, 4, 30)) / 4
    found = ol.RashomonSet(2, 0.01, 0.2, loss=loss).fit(X, y).trees_
    functions = found.functions()
    for within in (0, 0.05, 0.25, Fraction(1, 3), 100):
        kept: list[list[Fraction]] = []
        names = []
        for f in functions:
            said = [Fraction(repr(number)) for number in f.predict(X).tolist()]
            far = Fraction(str(within))
            if any(max(abs(a - b) for a, b in zip(said, one, strict=True)) <= far for one in kept):
                continue
            kept.append(said)
            names.append(f.fingerprint)
        near = found.functions(tolerance=within)
        assert [f.fingerprint for f in near] == names
        assert near[0] == functions[0]
    assert len(found.functions(tolerance=100)) == 1
    assert len(found.functions(tolerance=0)) == len(found.functions("rows"))


def test_distances_that_are_refused():
    X, y = [[0], [1], [1]], [0, 1, 1]
    numbers = ol.RashomonSet(1, loss="squared").fit(X, y).trees_
    with pytest.raises(ValueError, match=r"tolerance must be a number from 0 on.*got -1"):
        numbers.functions(tolerance=-1)
    with pytest.raises(ValueError, match=r"tolerance must be a number from 0 on.*got 'wide'"):
        numbers.functions(tolerance="wide")
    classes = ol.RashomonSet(1).fit(X, y).trees_
    with pytest.raises(InvalidData, match=r"tolerance is a distance .*classification"):
        classes.functions(tolerance=1)
