"""Facts that hold in all rows of a table, for a person to look at.

In:  rows, and the space that says what they mean.
Out: ``Proposal``s, the most surprising first. Nothing here is assumed: that something held in these
     rows does not make it a fact.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..model import CODE, Fact, Flags, Floats, Space, quoted as name_of, quoted_label
from .infer import infer_space
from .rows import read_rows

__all__ = ["Proposal", "discover"]

MOST_NUMBERS = 60  # columns whose pairs, and sums, are looked at
MOST_CONDITIONS = 400
CHANCE = 0.01  # that any of the proposals held by accident, if columns had nothing in common
OFTEN = 0.05  # of the rows, in which a number must be 0 to be a condition of its own

Kind = Literal["order", "sum", "exclusive", "implication"]


@dataclass(frozen=True)
class Proposal:
    """Something that holds in all rows of a table. Made by ``discover``.

    Attributes
    ----------
    fact : Fact
    kind : "order", "sum", "exclusive" or "implication"
    rows : int
        The rows that support it: in which it could have been wrong, and was not.
    surprise : float
        How unlikely that is if the columns had nothing in common: the negative logarithm, base 10,
        of the chance.
    """

    fact: Fact
    kind: Kind
    rows: int
    surprise: float

    def __str__(self) -> str:
        return f"{self.fact}  ({self.kind}; {self.rows:,} rows)"


class _Condition(NamedTuple):
    text: str
    feature: int
    holds: Flags
    known: Flags
    flag: bool = False  # that something is the case, of a feature that says so or not


def discover(
    X: Any, *, space: Space | None = None, min_rows: int = 10, most: int = 100
) -> list[Proposal]:
    """Propose facts between features that hold in all rows of a table.

    Parameters
    ----------
    X : array, data frame, or list of dicts
        NaN, None, NA and null are unknown: such a row says nothing of a fact about the value.
    space : Space, optional
        What the columns are; by default ``Space.infer(X)``.
    min_rows : int
        How many rows must support a fact.
    most : int
        How many facts are given; a warning says if there are more.

    Returns
    -------
    list of Proposal
        The most surprising first. A person decides which of them are facts, and gives these to
        ``Space(..., facts=[...])``: what held in these rows need not hold in the next.

    Notes
    -----
    Looked for are orders (``a <= b``, where the ranges overlap), sums of two numbers, booleans that
    exclude each other, and implications between values of categories, booleans, and numbers that
    are often 0. A fact is proposed where it would have held by chance, columns being independent,
    in at most one of a hundred tables, given how many were tried. Cost: rows x (pairs of conditions
    + triples of numeric columns); at most 400 conditions and 60 numeric columns are looked at, and
    a warning says if there are more.

    Examples
    --------
    >>> rows = [{"low": i % 7, "high": i % 7 + i % 5, "sex": "male" if i % 2 else "female",
    ...          "pregnant": i % 4 == 0} for i in range(60)]
    >>> for found in discover(rows, space=Space({"low": int, "high": int,
    ...                                          "sex": ["female", "male"], "pregnant": bool})):
    ...     print(found)
    low <= high  (order; 60 rows)
    if pregnant then sex = female  (implication; 15 rows)
    """
    for name, value in (("min_rows", min_rows), ("most", most)):
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise InvalidData(f"{name} must be a whole number from 1, got {value!r:.80}")
    space = infer_space(X) if space is None else space
    rows = read_rows(X, space, range(len(space.features)))
    if rows.n_rows == 0:
        raise InvalidData("there are no rows to look at")
    numbers: dict[int, Floats] = {}
    conditions: list[_Condition] = []
    for i, feature in enumerate(space.features):
        kind, first, second = rows.columns[i]
        if first is None or second is not None or first.ndim != 1:
            continue  # known only in part: it says nothing for certain
        if kind == CODE:
            conditions += _values(space, i, first)
            continue
        values = first.astype(np.float64)
        known, name = ~np.isnan(values), name_of(feature.name)
        if feature.kind == "boolean":
            conditions += [
                _Condition(name, i, values == 1, known, flag=True),
                _Condition(f"not {name}", i, values == 0, known),
            ]
        elif np.isin(values[known], (0, 1)).all():
            conditions += [
                _Condition(f"{name} = 1", i, values == 1, known, flag=True),
                _Condition(f"{name} = 0", i, values == 0, known),
            ]
        else:
            numbers[i] = values
            conditions += _zeros(feature.name, i, values, min_rows)
    numbers, conditions = _limited(numbers, conditions)
    found = [*_orders(space, numbers, min_rows), *_sums(space, numbers, min_rows)]
    exclusive = list(_exclusive(conditions, min_rows))
    found += [proposal for proposal, _ in exclusive]
    found += _implications(conditions, min_rows, [names for _, names in exclusive])
    tried = len(numbers) ** 3 / 2 + len(conditions) ** 2 + 1
    found = [one for one in found if one.surprise >= math.log10(tried / CHANCE)]
    found.sort(key=lambda one: (-one.surprise, one.fact.text))
    if len(found) > most:
        warnings.warn(
            f"{len(found):,} facts hold in all rows, of which the {most:,} most surprising are "
            "given: raise most= for more",
            UserWarning,
            stacklevel=2,
        )
    return found[:most]


def _limited(
    numbers: dict[int, Floats], conditions: list[_Condition]
) -> tuple[dict[int, Floats], list[_Condition]]:
    """Look at the first columns only where there are too many, and say so."""
    for n, limit, what in ((len(numbers), MOST_NUMBERS, "numeric columns"),
                           (len(conditions), MOST_CONDITIONS, "conditions")):  # fmt: skip
        if n > limit:
            warnings.warn(
                f"there are {n:,} {what}, of which the first {limit:,} are looked at: give fewer "
                "columns",
                UserWarning,
                stacklevel=3,
            )
    return dict(list(numbers.items())[:MOST_NUMBERS]), conditions[:MOST_CONDITIONS]


# -- conditions ----------------------------------------------------------------------------------


def _values(space: Space, i: int, codes: NDArray[Any]) -> Iterator[_Condition]:
    feature = space.features[i]
    known = codes >= 0
    for code, label in enumerate(feature.categories):
        if (codes == code).any():
            text = f"{name_of(feature.name)} = {quoted_label(label)}"
            yield _Condition(text, i, codes == code, known)


def _zeros(name: str, i: int, values: Floats, min_rows: int) -> Iterator[_Condition]:
    known = ~np.isnan(values)
    zero = values == 0
    n = int(zero.sum())
    if min(n, int(known.sum()) - n) >= max(min_rows, OFTEN * int(known.sum())):
        yield _Condition(f"{name_of(name)} = 0", i, zero, known)
        if not (values < 0).any():
            yield _Condition(f"{name_of(name)} != 0", i, known & ~zero, known)


def _implications(
    conditions: Sequence[_Condition], min_rows: int, exclusive: Sequence[frozenset[int]]
) -> Iterator[Proposal]:
    """Give pairs of conditions of which the first never holds without the second."""
    told: dict[frozenset[tuple[int, bytes]], tuple[tuple[int, int], Proposal]] = {}
    for a, b in itertools.permutations(conditions, 2):
        if a.feature == b.feature or any({a.feature, b.feature} <= group for group in exclusive):
            continue
        known = a.known & b.known
        premise = a.holds & known
        n = int(premise.sum())
        if n < min_rows or (premise & ~b.holds).any():
            continue
        share = float((b.holds & known).sum() / known.sum())
        if share == 1.0 or n == int(known.sum()):
            continue  # it holds in all rows anyway, or is about all
        # "if a then b" is "if not b then not a": the plainer one is told.
        key = frozenset([(a.feature, (a.holds & known).tobytes()),
                         (b.feature, (~b.holds & known).tobytes())])  # fmt: skip
        text = f"{a.text} {b.text}"
        plain = (text.count("not ") + text.count("!="), len(text))
        found = Proposal(Fact.implies(a.text, b.text), "implication", n, -n * math.log10(share))
        if key not in told or plain < told[key][0]:
            told[key] = plain, found
    for _, proposal in told.values():
        yield proposal


def _exclusive(
    conditions: Sequence[_Condition], min_rows: int
) -> Iterator[tuple[Proposal, frozenset[int]]]:
    """Give groups of three or more booleans of which at most one is true in any row."""
    left = [c for c in conditions if c.flag and int(c.holds.sum()) >= min_rows]
    while left:
        group = [left.pop(0)]
        for other in list(left):
            if not any((other.holds & one.holds).any() for one in group):
                group.append(other)
                left.remove(other)
        if len(group) < 3:
            continue
        known = np.logical_and.reduce([one.known for one in group])
        total = np.sum([one.holds for one in group], axis=0)[known]
        if not len(total):
            continue
        shares = [float(one.holds[known].mean()) for one in group]
        chance = _at_most_one(shares)
        which = "exactly" if (total == 1).all() else "at most"
        fact = Fact(f"{which} 1 of {', '.join(one.text for one in group)}")
        surprise = -len(total) * math.log10(chance) if chance < 1 else 0.0
        yield (Proposal(fact, "exclusive", int((total == 1).sum()), surprise),
               frozenset(one.feature for one in group))  # fmt: skip


def _at_most_one(shares: Sequence[float]) -> float:
    none = math.prod(1 - share for share in shares)
    one = sum(
        share * math.prod(1 - other for j, other in enumerate(shares) if j != k)
        for k, share in enumerate(shares)
    )
    return max(none + one, 1e-300)


# -- numbers -------------------------------------------------------------------------------------


def _orders(space: Space, numbers: dict[int, Floats], min_rows: int) -> Iterator[Proposal]:
    below: dict[tuple[int, int], Proposal] = {}
    for (i, a), (j, b) in itertools.permutations(numbers.items(), 2):
        known = ~np.isnan(a) & ~np.isnan(b)
        n = int(known.sum())
        x, y = a[known], b[known]
        if n < min_rows or (x > y).any() or x.max() <= y.min():
            continue  # where ranges do not overlap, the order says nothing of rows
        ranks = np.searchsorted(np.sort(y), x)  # how many of the others' numbers are below
        wrong = float(ranks.mean()) / n
        if wrong > 0:
            fact = Fact.order(space.names[i], space.names[j])
            below[i, j] = Proposal(fact, "order", n, -n * math.log10(max(1 - wrong, 1e-300)))
    for (i, j), proposal in below.items():
        between = any((i, k) in below and (k, j) in below and (k, i) not in below
                      and (j, k) not in below for k in numbers)  # fmt: skip
        if not between:  # it does not follow from two others
            yield proposal


def _sums(space: Space, numbers: dict[int, Floats], min_rows: int) -> Iterator[Proposal]:
    varied = {i: v for i, v in numbers.items() if len(np.unique(v[~np.isnan(v)])) > 2}
    for i, j in itertools.combinations(varied, 2):
        total = varied[i] + varied[j]
        for k, values in varied.items():
            if k in (i, j):
                continue
            known = ~np.isnan(total) & ~np.isnan(values)
            n = int(known.sum())
            if n < min_rows:
                continue
            off = np.abs(total[known] - values[known])
            most = float(off.max())
            scale = float(np.abs(values[known]).max())
            if most > 1e-9 * scale or not values[known].any():
                continue
            if not (varied[i][known].any() and varied[j][known].any()):
                continue
            # Floats rarely add up exactly: then the fact is about how far they are off.
            tolerance = 0.0 if most == 0 else float(f"{2 * most:.1g}")
            fact = Fact.total(space.names[k], [space.names[i], space.names[j]], tolerance)
            distinct = len(np.unique(values[known]))
            yield Proposal(fact, "sum", n, n * math.log10(distinct))
