"""Changes: new values for a few features that give a row another class.

In:  one row among the leaves of a tree, or the cells of a sum of trees; what a person can change,
     in which direction, how far, and what it costs.
Out: ``Change``, ``Changes``: all minimal sets of changes, the cheapest, the nearest. Where facts
     hold, the row that it becomes must be possible: what changes cost, and how many thresholds
     they cross, is that of a possible row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData, TooLarge
from ..inputs import exact, is_unknown, near, read_costs, read_region, some_names
from ..model import (
    Bins,
    Feature,
    Formula,
    Label,
    LeafTable,
    Linear,
    Missing,
    Side,
    Space,
    ValueSet,
    both,
    common_side,
    either,
    has_or,
    meet,
    one_value,
    ones,
    opposite,
    row_boundary,
    row_values,
    short_end,
    side_text,
    values_in,
    were,
)

if TYPE_CHECKING:
    from .tree_row import LeafRow, TreeRow

__all__ = [
    "Change",
    "Changes",
    "Distances",
    "Effect",
    "Effects",
    "FactChanges",
    "Limits",
    "RowAmongBins",
    "Way",
    "allowed_bins",
    "bin_costs",
    "bin_steps",
    "bins_meeting",
    "box_cost",
    "changes_of",
    "read_limits",
    "steps_to",
    "wanted_classes",
]

LISTED = 6
ZERO, ONE = Fraction(0), Fraction(1)

Values = dict[int, ValueSet]


@dataclass(frozen=True)
class Change:
    """New values for a few features that give the row another class.

    Attributes
    ----------
    features : tuple of str
        The features to change; all others stay as they are.
    label
        The class that the row then gets.
    ranges : dict of feature -> Side
        For each of the features its new values. Whatever is chosen inside, feature by feature, has
        the effect; none of the ranges can be made wider.
    certain : bool
        Whether the class is certain then. For a complete row it is; for a row with unknowns it may
        be only possible.
    cost : Fraction or None
        What the change costs at least, exactly, where costs were given.
    steps : int or None
        How many thresholds of the tree the row has to cross, one for a category; of changes with
        restrictions.
    """

    features: tuple[str, ...]
    label: Label
    ranges: Mapping[str, Side]
    certain: bool = True
    cost: Fraction | None = None
    steps: int | None = None

    def __str__(self) -> str:
        sides = tuple(self.ranges.values())
        texts = (f"({were(s)})" if len(sides) > 1 and has_or(s) else were(s) for s in sides)
        return " and ".join(texts)

    def __hash__(self) -> int:
        return hash((self.label, self.certain, tuple(self.ranges.items())))

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data, each range as text."""
        ranges = {name: side_text(side) for name, side in self.ranges.items()}
        out = {"label": self.label, "certain": self.certain, "ranges": ranges}
        return out if self.cost is None else {**out, "cost": decimal_text(self.cost)}


class Changes(tuple[Change, ...]):
    """All minimal sets of changes of a row; a tuple of ``Change``. Empty: it is proven, none exist.

    Made by ``Explanation.changes``.
    """

    __slots__ = ()

    @property
    def nearest(self) -> Change | None:
        """The change that crosses the fewest thresholds, then changes the fewest features.

        None if there is no change.
        """
        return min(self, key=lambda c: (c.steps or 0, len(c.features)), default=None)

    @property
    def cheapest(self) -> Change | None:
        """The change that costs least, then changes the fewest features; None if there is none."""
        if any(change.cost is None for change in self):
            raise InvalidData("the cheapest change needs costs: changes(costs={feature: cost})")
        return min(self, key=lambda c: (c.cost or 0, len(c.features)), default=None)

    def __str__(self) -> str:
        """Say, class by class, what would change the answer, or that nothing that is allowed does.

        Examples
        --------
        >>> print(Changes())
        No change that is allowed gives another answer; this is proven.
        """
        if not self:
            return "No change that is allowed gives another answer; this is proven."
        lines = []
        for label, certain in dict.fromkeys((c.label, c.certain) for c in self):
            ways = [_priced(c) for c in self if (c.label, c.certain) == (label, certain)]
            more = f", or in {len(ways) - LISTED} more ways" if len(ways) > LISTED else ""
            listed = ", or if ".join(ways[:LISTED])
            lines.append(f"It {'would' if certain else 'could'} be {label} if {listed}{more}.")
        return "\n".join(lines)

    def to_dict(self) -> list[dict[str, Any]]:
        """Give all changes as plain data, in their order."""
        return [change.to_dict() for change in self]


def _priced(change: Change) -> str:
    return str(change) + ("" if change.cost is None else f" (cost {decimal_text(change.cost)})")


def decimal_text(number: Fraction) -> str:
    """Write a number exactly: as a decimal, or as a fraction where no decimal is exact.

    Examples
    --------
    >>> decimal_text(Fraction(3, 10)), decimal_text(Fraction(7)), decimal_text(Fraction(1, 3))
    ('0.3', '7', '1/3')
    """
    rest = number.denominator
    places = 0
    for factor in (2, 5):
        power = 0
        while rest % factor == 0:
            rest //= factor
            power += 1
        places = max(places, power)
    if rest != 1:
        return str(number)
    digits = f"{abs(number.numerator) * 10**places // number.denominator:0{places + 1}d}"
    whole, decimals = (digits[:-places], digits[-places:]) if places else (digits, "")
    return ("-" if number < 0 else "") + whole + (f".{decimals}" if decimals else "")


class Limits(NamedTuple):
    """What may be changed, and at what cost.

    Attributes
    ----------
    fixed : names of features that stay as they are
    up, down : names of features that may only rise, or only fall
    ranges : by feature the values that it may get
    to : the class that is wanted; ... for any other
    costs : by feature what it costs to change it; None without costs
    per_unit : by feature what each unit costs that its number moves
    """

    fixed: frozenset[str]
    up: frozenset[str]
    down: frozenset[str]
    ranges: Mapping[str, Side]
    to: Any
    costs: Mapping[str, Fraction] | None
    per_unit: Mapping[str, Fraction]


def read_limits(
    space: Space,
    asked: Sequence[str],
    *,
    immutable: Iterable[str] | None,
    only_up: Iterable[str] | None,
    only_down: Iterable[str] | None,
    ranges: Mapping[str, Any] | None,
    costs: Any,
    per_unit: Any,
    to: Any,
) -> Limits:
    """Check what a person can change; ``asked`` are the features that the function depends on."""
    fixed = _names(space, immutable, "immutable")
    up, down = _names(space, only_up, "only_up"), _names(space, only_down, "only_down")
    for name in (*up, *down):
        if not space[name].ordered:
            what = "only_up" if name in up else "only_down"
            raise InvalidData(
                f"{what} is about numbers, and {name!r} is categorical: give the categories that "
                f"it may get in ranges={{{name!r}: {{...}}}}"
            )
    both = sorted((up & down) | (fixed & (up | down)))
    if both:
        raise InvalidData(
            f"{some_names(both)} is restricted twice: a feature is immutable, only_up or only_down"
        )
    inside = read_region(ranges, space, "ranges")
    free = [name for name in asked if name not in fixed]
    exact_costs = None if costs is None else read_costs(costs, space, free)
    steps: dict[str, Fraction] = {}
    if per_unit is not None:
        steps = read_costs(per_unit, space, ())
        for name in steps:
            if not space[name].ordered:
                raise InvalidData(
                    f"per_unit is about numbers, and {name!r} is categorical: give it a cost in "
                    "costs="
                )
        exact_costs = dict.fromkeys(free, Fraction(0)) if exact_costs is None else exact_costs
    return Limits(fixed, up, down, inside, to, exact_costs, steps)


def _names(space: Space, given: Iterable[str] | None, what: str) -> frozenset[str]:
    if given is None:
        return frozenset()
    if isinstance(given, str):
        raise InvalidData(f"{what} must be a list of features, got the text {given!r:.80}")
    names = frozenset(given)
    for name in names:
        space.index(name)
    return names


# -- the search ----------------------------------------------------------------------------------

Sides = tuple[int, ...]
Way = tuple[tuple[int, ...], int, Sides, bool]  # features, class, bins of each, certain
Effect = Callable[[tuple[int, ...], int, Sides], bool]
Distances = Sequence[Sequence[int | Fraction]]  # by feature and bin, from the row


class RowAmongBins(Protocol):
    """One row, over the bins of a tree or an ensemble."""

    @property
    def bins(self) -> Bins:
        """The bins."""

    @property
    def row(self) -> tuple[int, ...]:
        """By feature the bins that the row can be in."""

    @property
    def possible(self) -> list[int]:
        """The classes that it can get, by number."""


def changes_of(ways: Iterable[Way], effects: Effects) -> Changes:
    """Give ways to change a row as changes with their ranges and cost, the cheapest first."""
    bins, limits = effects.search.bins, effects.limits
    out = []
    for chosen, label, box, certain in ways:
        bits_of = dict(zip(chosen, box, strict=True))
        ranges = {k: _range(bins, k, bits, limits) for k, bits in bits_of.items()}
        out.append(effects.change(label, ranges, certain, bits_of))
    out += effects.single_rows(out)
    if limits is not None and limits.costs is not None:
        out.sort(key=lambda change: (change.cost, len(change.features)))
    return Changes(out)


def _range(bins: Bins, k: int, bits: int, limits: Limits | None) -> Side:
    """Give what bins of a feature allow, as far as the limits do."""
    side = bins.side(k, bits)
    inside = None if limits is None else limits.ranges.get(bins.features[k].name)
    return side if inside is None else common_side(side, inside)


def bin_steps(search: RowAmongBins, k: int) -> list[int]:
    """Give for each bin of a feature how many thresholds the row has to cross to reach it."""
    return [steps_to(search, k, 1 << b) for b in range(search.bins.widths[k])]


def bin_costs(effects: Effects, k: int, allowed: int) -> list[Fraction]:
    """Give for each bin of a feature what a change to it costs; 0 where that is not allowed."""
    bins = effects.search.bins
    return [
        box_cost(effects, {k: 1 << b}) if allowed >> b & 1 else ZERO for b in range(bins.widths[k])
    ]


def box_cost(effects: Effects, box: Mapping[int, int]) -> Fraction:
    """Give the least that a change to some bins of each changed feature costs."""
    limits = effects.limits
    assert limits is not None
    ranges = {k: _range(effects.search.bins, k, bits, limits) for k, bits in box.items()}
    return effects.cost(limits, ranges)


class Effects:
    """What changes of a row do and cost.

    Parameters
    ----------
    search : RowAmongBins
    limits : Limits, or None
    row : dict
        The row, as it came.
    known : dict of position -> ValueSet, optional
        What the row says of the features that facts connect: costs are then those of the cheapest
        possible rows.

    Attributes
    ----------
    has_effect
        Whether a box of changed features has the effect; None where every box has.
    """

    has_effect: Effect | None = None

    def __init__(
        self,
        search: RowAmongBins,
        limits: Limits | None = None,
        row: Mapping[str, Any] | None = None,
        known: Mapping[int, ValueSet] | None = None,
    ) -> None:
        self.search, self.limits, self.row = search, limits, row or {}
        self.known: Mapping[int, ValueSet] | None = known
        self.domain = search.bins.tree.space.domain

    def change(
        self, label: int, ranges: Mapping[int, Side], certain: bool, box: Mapping[int, int]
    ) -> Change:
        """Give the change of some features to some ranges, which lie in some bins."""
        bins = self.search.bins
        shown = {bins.features[k].name: bins.shown(side) for k, side in ranges.items()}
        cost = steps = None
        if self.limits is not None:
            cost = None if self.limits.costs is None else self.cost(self.limits, ranges)
            steps = self.steps(box)
        return Change(tuple(shown), bins.tree.classes[label], shown, certain, cost, steps)

    def single_rows(self, changes: Sequence[Change]) -> list[Change]:
        """Give changes to single rows, for sets of features that have an effect only there."""
        return []

    def steps(self, box: Mapping[int, int]) -> int:
        """Count the thresholds that the row crosses to the nearest of some bins, by feature."""
        return sum(steps_to(self.search, k, bits) for k, bits in box.items())

    def cost(self, limits: Limits, ranges: Mapping[int, Side]) -> Fraction:
        """Give the least that a change costs: for each feature, and for how far it moves."""
        assert limits.costs is not None
        fixed = (limits.costs.get(side.feature.name, ZERO) for side in ranges.values())
        moved = (
            limits.per_unit[ranges[k].feature.name] * distance
            for k, distance in self.distances(limits, ranges).items()
        )
        return sum(fixed, ZERO) + sum(moved, ZERO)

    def distances(self, limits: Limits, ranges: Mapping[int, Side]) -> dict[int, Fraction]:
        """Return how far each number with a price per unit moves, in the cheapest possible row."""
        bins = self.search.bins
        out = {
            k: _distance(bins.shown(side), self.number(side.feature.name))
            for k, side in ranges.items()
            if side.feature.name in limits.per_unit
        }
        if self.known is None:
            return out
        positions, group_of = self.search.bins.positions, self.domain.group_of
        changed = {positions[k]: side for k, side in ranges.items()}
        by_group: dict[int, dict[int, int]] = {}
        for k in out:
            if positions[k] in group_of:
                by_group.setdefault(group_of[positions[k]], {})[positions[k]] = k
        for g, priced in by_group.items():
            row = self._cheapest(limits, self.domain.groups[g], changed, priced)
            out |= {k: self._moved(changed[i], row.get(i)) for i, k in priced.items()}
        return out

    def _cheapest(
        self, limits: Limits, group: Sequence[int], changed: Mapping[int, Side],
        priced: Iterable[int],
    ) -> dict[int, Fraction]:  # fmt: skip
        """Give the numbers of the possible row for which the moves of some features cost least."""
        known = self.known or {}
        domains = {i: known[i] for i in group if i in known}
        domains |= {i: values_in(changed[i]) for i in group if i in changed}
        more: list[Formula] = []
        total: dict[int, Fraction] = {}
        for far, i in enumerate(priced, start=len(self.domain.features)):
            name = changed[i].feature.name
            here = Fraction(float(self.row[name]))
            moves: Formula = both([
                Linear(((i, ONE), (far, -ONE)), "<=", here),
                Linear(((i, -ONE), (far, -ONE)), "<=", -here),
            ])  # fmt: skip
            more.append(either([Missing(i, True), moves]) if domains[i].nan else moves)
            domains[far] = ValueSet(((ZERO, ZERO), None))
            total[far] = limits.per_unit[name]
        row = self.domain.smallest(domains, more, total)
        assert row is not None, "a change leads to a possible row"
        return row

    def _moved(self, side: Side, to: Fraction | None) -> Fraction:
        """Give how far the row's number is from another, by the decimals that people see."""
        if to is None:
            return ZERO  # it becomes missing
        ends = values_in(side).ends
        assert ends is not None
        shown = exact(float(to))
        for end, written in zip(ends, side_ends(self.search.bins.shown(side)), strict=True):
            if end is not None and written is not None and to == end[0]:
                shown = written
        return abs(shown - self.number(side.feature.name))

    def number(self, name: str) -> Fraction:
        """Give the row's number, by the decimals that people see."""
        value = self.row.get(name)
        if is_unknown(value) or isinstance(value, str | bytes):
            raise InvalidData(
                f"per_unit needs the number of {name!r}, which the row does not have: leave it out "
                "of per_unit"
            )
        return exact(int(value) if isinstance(value, bool | np.bool_) else value)


def wanted_classes(search: RowAmongBins, limits: Limits) -> frozenset[int]:
    """Give the classes that a change may lead to."""
    classes = list(search.bins.tree.classes)
    others = frozenset(range(len(classes))) - frozenset(search.possible)
    if limits.to is ...:
        return others
    there = [
        code
        for code, label in enumerate(classes)
        if label == limits.to or (limits.to in ("below", "above") and _is_side(label, limits.to))
    ]
    if not there:
        raise InvalidData(
            f"there is no class {limits.to!r:.80}{near(limits.to, classes)}: the classes are "
            f"{some_names(classes)}"
        )
    if not others.intersection(there):
        raise InvalidData(f"the row gets {limits.to!r:.80} as it is: name another class in to=")
    return others.intersection(there)


def _is_side(label: Label, to: str) -> bool:
    """Whether a class of a regression tree's explanation lies below, or above, the interval."""
    return isinstance(label, str) and label.startswith(f"{to} ")


def allowed_bins(search: RowAmongBins, limits: Limits) -> list[int]:
    """Give, by feature, the bins that it may be changed to."""
    return [_allowed(search, k, limits) for k in range(len(search.bins.features))]


def _allowed(search: RowAmongBins, k: int, limits: Limits) -> int:
    bins = search.bins
    bits, nan, name = bins.every_bin(k), bins.nan_bit(k), bins.features[k].name
    if name in limits.fixed:
        return 0
    numbers = search.row[k] & ~nan
    if name in limits.up:  # from a missing value nothing is up
        n_bins = int(bins.layout.n_bins[k])
        bits = ones(numbers.bit_length(), n_bins - 1) if numbers else 0
    if name in limits.down:
        bits = ones(0, (numbers & -numbers).bit_length() - 2) if numbers else 0
    inside = limits.ranges.get(name)
    if inside is not None:
        bits &= bins_meeting(bins, k, inside)
    return bits


def bins_meeting(bins: Bins, k: int, inside: Side) -> int:
    """Give the bins that have some value of a side."""
    out = 0
    for b in range(bins.widths[k]):
        shared = common_side(bins.side(k, 1 << b), inside)
        if shared.codes or (shared.feature.ordered and (shared.lower < shared.upper or shared.nan)):
            out |= 1 << b
    return out


def steps_to(search: RowAmongBins, k: int, bits: int) -> int:
    """Count the thresholds between the row and the nearest of some bins; 1 if there are none."""
    nan = search.bins.nan_bit(k)
    here, there = search.row[k] & ~nan, bits & ~nan
    if not search.bins.features[k].ordered or not here or not there:
        return 1
    if here & there:
        return 0
    above = there >> here.bit_length()
    below = (here & -here).bit_length() - (there & (here & -here) - 1).bit_length()
    up = (above & -above).bit_length() if above else 0
    down = below if there & (here & -here) - 1 else 0
    return min(n for n in (up, down) if n)


def _distance(side: Side, number: Fraction) -> Fraction:
    """Give how far a number is from a range, by the decimals that people see."""
    if not side.lower < side.upper:
        return ZERO  # it becomes missing
    low, high = side_ends(side)
    if low is not None and number < low:
        return low - number
    if high is not None and number > high:
        return number - high
    return ZERO


def side_ends(side: Side) -> tuple[Fraction | None, Fraction | None]:
    """Give the ends of a range of numbers as people see them; None where it has none."""
    low, high = side.feature.bounds
    return (
        None if side.lower <= low else _end(side.feature, side.lower, True),
        None if side.upper >= high else _end(side.feature, side.upper, False),
    )


def _end(feature: Feature, end: float, lower: bool) -> Fraction:
    if feature.whole:
        return exact(float(feature.above(end)) if lower else end)
    return exact(short_end(end, feature.values)[0])


# -- the effects on possible rows of a tree ------------------------------------------------------


class FactChanges(Effects):
    """Changes of one row among the possible rows of a tree, as the limits allow.

    Notes
    -----
    Where facts compare features and some values of the row are unknown, which values of a feature
    can have an effect follows from the facts: with ``low <= high``, high can be at most 10 if low
    is. For each feature by itself, and together with all others, these values are cells, found by
    eliminating the others. A box of several features is kept if each of its possible rows has the
    effect; where no box does, a single row is given.
    """

    search: LeafRow
    known: Mapping[int, ValueSet]

    def __init__(
        self, of: TreeRow, limits: Limits | None = None, row: Mapping[str, Any] | None = None
    ) -> None:
        self.tree = of.tree
        space = self.tree.space
        self.domain, self.known = space.domain, row_values(space, self.tree.connected, of.rows, 0)
        more: dict[int, list[Side]] = {}
        if limits is not None:
            ranges = {name: _unrounded(side, space[name]) for name, side in limits.ranges.items()}
            limits = limits._replace(ranges=ranges)
            more = {space.index(name): [side] for name, side in ranges.items()}
        if self._open():
            self.has_effect = self._has_effect
            for i, sides in self._effective_values():
                more.setdefault(i, []).extend(sides)
        more = {i: sides for i, sides in more.items() if sides and i in self.domain.group_of}
        self.cells, search = of.among(more)
        super().__init__(search, limits, row, self.known)
        self._without: dict[tuple[tuple[int, ...], int], Mapping[int, int]] = {}

    # -- the effect, where values are unknown ----------------------------------------------------

    def _groups(self) -> list[tuple[int, ...]]:
        """Give the features that facts connect with those of the tree."""
        group_of = self.domain.group_of
        which = sorted({group_of[i] for i in self.tree.used if i in group_of})
        return [self.domain.groups[g] for g in which]

    def _is_known(self, i: int) -> bool:
        return i in self.known and one_value(self.known[i])

    def _open(self) -> bool:
        """Whether the effect of a value may depend on what facts say of unknown ones."""
        return self.domain.linear and not all(
            self._is_known(i) for group in self._groups() for i in group
        )

    def _effective_values(self) -> Iterator[tuple[int, list[Side]]]:
        """Give, by known feature, the values between which its effect changes.

        Its effect by itself, and together with all others.
        """
        table = LeafTable(self.tree, {})
        leaves = [self._leaf_values(table, leaf) for leaf in range(len(table))]
        for i in (i for group in self._groups() for i in group if self._is_known(i)):
            others = {j: domain for j, domain in self.known.items() if j != i}
            formulas = []
            for leaf, rest in product(leaves, (others, {})):
                domains = _common(rest, leaf)
                try:
                    if self.domain.possible(domains):
                        formulas.append(self.domain.projected(domains, [i]))
                except TooLarge:
                    continue  # boxes with this feature are looked at one by one
            yield i, self.domain.own_sides(formulas)[i]

    def _leaf_values(self, table: LeafTable, leaf: int) -> Values:
        index = self.tree.space.index
        sides = {index(name): side for name, side in table.sides(leaf).items()}
        return {i: values_in(s) for i, s in sides.items() if i in self.domain.group_of}

    def _has_effect(self, features: tuple[int, ...], label: int, box: tuple[int, ...]) -> bool:
        """Tell whether each possible row in a box can get the class."""
        changed = dict(zip(features, box, strict=True))
        for sides in self._cells_apart(changed):
            if not self._each_has_effect(changed, sides, label):
                self._without.setdefault((features, label), changed)
                return False
        return True

    def _cells_apart(self, changed: Mapping[int, int]) -> Iterator[dict[str, Side]]:
        """Go through the bins of the features that no fact is about: of the change, and the row."""
        bins = self.search.bins
        free = [k for k, i in enumerate(bins.positions) if i not in self.domain.group_of]
        choices = []
        for k in free:
            some = [self.search.row[k]]
            if k in changed:
                some = [1 << b for b in range(bins.widths[k]) if changed[k] >> b & 1]
            choices.append([bins.side(k, bits) for bits in some])
        for sides in product(*choices):
            yield {side.feature.name: side for side in sides}

    def _box(self, changed: Mapping[int, int]) -> Values:
        """Give the values of the changed features that facts are about."""
        bins = self.search.bins
        sides = {bins.positions[k]: bins.side(k, bits) for k, bits in changed.items()}
        return {i: values_in(s) for i, s in sides.items() if i in self.domain.group_of}

    def _rest(self, box: Values) -> Values:
        return {i: domain for i, domain in self.known.items() if i not in box}

    def _each_has_effect(
        self, changed: Mapping[int, int], apart: Mapping[str, Side], label: int
    ) -> bool:
        box = self._box(changed)
        if not box:
            return True
        rest = self._rest(box)
        table = LeafTable(self.tree, apart)
        outside: list[Formula] = []
        try:
            for leaf in np.flatnonzero(table.label == label).tolist():
                domains = _common({**rest, **box}, self._leaf_values(table, leaf))
                if self.domain.possible(domains):
                    outside.append(opposite(self.domain.projected(domains, list(box))))
        except TooLarge:
            return False
        for i in box:
            outside += self.domain.in_bins(i, self._tree_bins(i))
        return not self.domain.satisfied({**rest, **box}, outside)

    def _tree_bins(self, i: int) -> list[Side]:
        bins = self.tree.bins
        if i not in bins.positions or not self.domain.features[i].ordered:
            return []
        k = bins.positions.index(i)
        return [bins.side(k, 1 << b) for b in range(int(bins.layout.n_bins[k]))]

    def single_rows(self, changes: Sequence[Change]) -> list[Change]:
        """Give changes to single rows, for sets of features none of whose boxes is all effect."""
        bins = self.search.bins
        kept = {(change.features, change.label) for change in changes}
        out = []
        for (features, label), changed in self._without.items():
            names = tuple(bins.features[k].name for k in features)
            if (names, bins.tree.classes[label]) not in kept:
                out.append(self._single_row(changed, label))
        return out

    def _single_row(self, changed: Mapping[int, int], label: int) -> Change:
        bins, box = self.search.bins, self._box(changed)
        for apart in self._cells_apart(changed):
            table = LeafTable(self.tree, apart)
            for leaf in np.flatnonzero(table.label == label).tolist():
                domains = _common({**self._rest(box), **box}, self._leaf_values(table, leaf))
                row = self.domain.row(domains) if self.domain.possible(domains) else None
                if row is None:
                    continue
                ranges = {
                    k: apart.get(bins.features[k].name) or _point(bins.features[k], row[i])
                    for k, i in ((k, bins.positions[k]) for k in changed)
                }
                return self.change(label, ranges, self._is_certain(ranges, label), changed)
        raise AssertionError("a change leads to a possible row")

    def _is_certain(self, ranges: Mapping[int, Side], label: int) -> bool:
        """Whether no possible row in some ranges gets another class."""
        bins, group_of = self.search.bins, self.domain.group_of
        sides = {
            k: ranges.get(k) or bins.side(k, self.search.row[k]) for k in range(len(bins.features))
        }
        free = {s.feature.name: s for k, s in sides.items() if bins.positions[k] not in group_of}
        box = {bins.positions[k]: values_in(s) for k, s in ranges.items()
               if bins.positions[k] in group_of}  # fmt: skip
        table = LeafTable(self.tree, free)
        return not any(
            self.domain.possible(
                _common({**self._rest(box), **box}, self._leaf_values(table, leaf))
            )
            for leaf in np.flatnonzero(table.label != label).tolist()
        )

    # -- thresholds ------------------------------------------------------------------------------

    def steps(self, box: Mapping[int, int]) -> int:
        """Count the thresholds of the tree that the row crosses to the nearest possible cell."""
        positions = self.search.bins.positions
        changed = {positions[k]: bits for k, bits in box.items()}
        place = {i: k for k, i in enumerate(positions)}
        total = 0
        for own, table in self.cells.grid.tables:
            if any(i in changed for i in own):
                total += self._nearest(own, table, changed, place)
        free = (k for k in box if positions[k] not in self.cells.grid.features)
        return total + sum(steps_to(self.search, k, box[k]) for k in free)

    def _nearest(
        self,
        own: tuple[int, ...],
        table: NDArray[np.bool_],
        changed: Mapping[int, int],
        place: Mapping[int, int],
    ) -> int:
        chosen, far = [], np.zeros((1,) * len(own), dtype=np.int64)
        for axis, i in enumerate(own):
            inside: Sequence[int] = range(len(self.cells.grid.bins[i]))
            if i in place:
                here = self._bins(i, place[i], self.search.row[place[i]])
                inside = self._bins(i, place[i], changed[i]) if i in changed else here
            if i in changed:
                steps = np.array([self._crossed(i, here, b) for b in inside])
                far = far + steps.reshape([-1 if a == axis else 1 for a in range(len(own))])
            chosen.append(inside)
        part = table[np.ix_(*chosen)]
        return int(np.broadcast_to(far, part.shape)[part].min())

    def _bins(self, i: int, k: int, bits: int) -> list[int]:
        return self.cells.grid.bins_in(i, self.search.bins.side(k, bits))

    def _crossed(self, i: int, here: Iterable[int], there: int) -> int:
        """Count the thresholds of the tree between bins of the grid; one for a category."""
        bins = self.cells.grid.bins[i]
        numbers = [b for b in here if not bins[b].nan]
        if not bins[there].feature.ordered or bins[there].nan or not numbers:
            return 1
        source = self.cells.source
        cuts = np.unique(source.threshold[source.feature == i])
        rank = [int(np.searchsorted(cuts, bins[b].upper)) for b in (*numbers, there)]
        return min(abs(rank[-1] - own) for own in rank[:-1])


def _common(known: Mapping[int, ValueSet], leaf: Mapping[int, ValueSet]) -> Values:
    """Give what is known of features, and what a leaf says of them."""
    out = {i: meet(own, leaf[i]) if i in leaf else own for i, own in known.items()}
    return {**leaf, **out}


def _point(feature: Feature, value: Fraction | int | None) -> Side:
    """Give one value as a side."""
    if not feature.ordered:
        assert isinstance(value, int)
        return Side(feature, codes=(value,))
    if value is None:
        return Side(feature, 0.0, 0.0, True)
    number = float(value)
    return Side(feature, float(feature.at_most(number, strict=True)), number)


def _unrounded(side: Side, feature: Feature) -> Side:
    """Give a side over the same feature without rounding to float32."""
    if side.feature == feature or not side.lower < side.upper:
        return Side(feature, side.lower, side.upper, side.nan, side.codes)
    low, high = row_boundary(np.array([side.lower, side.upper]), side.feature.values).tolist()
    return Side(feature, low, high, side.nan)
