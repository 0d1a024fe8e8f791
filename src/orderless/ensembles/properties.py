"""Properties of trees and ensembles: proven, refuted with rows, or undecided.

In:  a model.
Out: ``prove``; ``EnsembleProperties``, by exact searches for one row, or for two at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidData
from ..form import (
    SAME,
    Falling,
    Near,
    Outcome,
    PossiblePairs,
    Proof,
    Properties,
    Region,
    Row,
    TreeProperties,
    Unequal,
    adjusted_row,
    claim_in,
    gap_above,
    models_differ,
    region_of_two,
    two_steps,
)
from ..model import (
    TIME_LIMIT,
    Bins,
    Budget,
    Fact,
    Feature,
    Side,
    SumKernel,
    TreeKernel,
    any_value,
    as_sum,
    value_in,
)
from ..questions.boxes import (
    IMPOSSIBLE,
    OPEN,
    Boxes,
    Cells,
    PossibleCells,
    possible_boxes,
    slices,
    undecided,
)
from ..questions.regions import box_in, within
from ..questions.rows import answer_of, verdicts_of
from ..readers import read_model
from .compare import Compared
from .rising import any_tree_changes, cuts_against
from .twin_rows import TwinRows, connected

if TYPE_CHECKING:
    from ..model import Rows

__all__ = ["EnsembleProperties", "prove"]


def prove(
    model: Any, *, time_limit: float | None = TIME_LIMIT, facts: Iterable[Fact | str] | None = None
) -> Properties:
    """Ask what holds for every row: each answer is a proof, or rows that refute it.

    Parameters
    ----------
    model : Tree, CanonicalForm, Ensemble, or any model that a reader knows
        Also a tree of decisions (``tree.discretize``, ``tree.decide_at``).
    time_limit : float
        Seconds for each property, where it is an ensemble or has facts.
    facts : list of facts, optional
        Facts that hold for every row, beside those of the model's space: properties are then of
        possible rows, and rows that refute them are possible.

    Returns
    -------
    Properties
        With the methods ``monotone``, ``ignores``, ``constant_in``, ``never``, ``always``,
        ``stable`` and ``same_as``, each of which gives a ``Proof``: true if it holds for every
        possible row, and else with a counterexample. For an ensemble they may raise ``Undecided``.

    Examples
    --------
    >>> from orderless import Space, read
    >>> young = {"feature": "age", "relation": "<=", "reference": 25,
    ...          "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}}
    >>> tree = read({"feature": "income", "relation": "<=", "reference": 20, "true": young,
    ...                   "false": {"prediction": "grant"}},
    ...                  space=Space({"age": int, "income": int, "race": ["a", "b"]}))
    >>> bool(prove(tree).ignores("race"))
    True
    >>> print(prove(tree).monotone("age", -1, order=["refuse", "grant"]))
    increasing age can raise the answer (refuse < grant), as for these two rows:
      age = 22, income = 20, race = a: refuse
      age = 30, income = 20, race = a: grant
    """
    read = read_model(model)
    Budget(time_limit)  # refuses what is no limit
    if facts is not None:
        read = read.with_facts(facts)
    if isinstance(read, TreeKernel):
        return _OfTree(read, time_limit)
    return EnsembleProperties(read, time_limit)


class _OfTree(TreeProperties):
    """Properties of a tree, which can be compared with an ensemble too."""

    def __init__(self, tree: TreeKernel, time_limit: float | None) -> None:
        super().__init__(tree)
        self.time_limit = time_limit

    def _compared(self, other: Any, where: Mapping[str, Any] | None) -> Proof:
        read = read_model(other)
        if isinstance(read, TreeKernel):
            return self.compared_with(read, where)
        return compare_in(as_sum(self.tree), read, where, self.time_limit)


class EnsembleProperties(Properties):
    """What can be proven of an ensemble, or refuted by a row, within a time limit."""

    def __init__(self, ensemble: SumKernel, time_limit: float | None) -> None:
        super().__init__(ensemble)
        self.ensemble, self.time_limit = ensemble, time_limit

    @property
    def left(self) -> float:
        """Seconds that are left for the property at hand, and a little for every search."""
        return Budget.current().share()

    def cuts_of(self, feature: str) -> list[float]:
        """Give all thresholds of the trees on a feature."""
        bins = self.ensemble.bins
        names = [own.name for own in bins.features]
        return bins.cuts[names.index(feature)].tolist() if feature in names else []

    def says(self, row: Row) -> Any:
        """Give what the model says of one row; None where it is not certain."""
        return answer_of(self.ensemble, row)

    def status_of(self, rows: Rows) -> NDArray[Any]:
        """Give by row whether its answer is certain: 0 yes, 1 no."""
        status = verdicts_of(self.ensemble, rows).status
        status = np.where(status == IMPOSSIBLE, OPEN, status)  # no possible row, and no answer
        unknown = np.flatnonzero(status > 1)
        if len(unknown):
            at = int(unknown[0])
            raise undecided(
                int(status[at]), f"row {at}: it is not known whether its answer changes",
                Budget.current(), row=at,
            )  # fmt: skip
        return status

    # -- single rows -----------------------------------------------------------------------------

    def find_row(self, outcome: Outcome, region: Region) -> Row | None:
        """Give a row inside a region that gets one of some answers."""
        codes, asked = outcome.codes, self.ensemble
        if self.ensemble.task == "regression":
            cut = self.ensemble.between(outcome.lower, outcome.upper)
            if cut is None:
                return None  # no sum makes a number between the ends
            asked, codes = cut, frozenset([1])
        inside = within(asked, region)
        box, cells = box_in(inside, region), PossibleCells(inside.bins)
        if not cells.any_in(box):
            return None  # no possible row is in the region
        found = possible_boxes(cells.over(inside), box[None], self.left)
        for code in sorted(codes):
            if found.possible[0, code] == 1:
                row = self._row(inside, found.cells[0, code], region)
                if not self._gets(row, outcome):
                    raise AssertionError(f"the row {row} does not get the answer that was found")
                return row
        if any(found.possible[0, code] == 2 for code in codes):
            raise undecided(2, "it is not known whether a row gets this answer", Budget.current())
        return None

    def _gets(self, row: Row, outcome: Outcome) -> bool:
        """Whether a row, put through the model, gets one of some answers."""
        said = self.says(row)
        if self.ensemble.task == "regression":
            return bool(outcome.lower < said <= outcome.upper)
        return said in [self.ensemble.classes[code] for code in outcome.codes]

    def _row(self, inside: SumKernel, cell: Cells, region: Region) -> Row:
        """Give a row in a cell, with a value for every feature."""
        bins = inside.bins
        place = {feature.name: k for k, feature in enumerate(bins.features)}
        row = {}
        for feature in self.space.features:
            k = place.get(feature.name)
            if k is not None:
                side = bins.side(k, 1 << int(cell[k]))
                row[feature.name] = value_of(
                    feature, side, bins.cuts[k].tolist(), rounded=feature.name not in region
                )
            elif feature.name in region:
                row[feature.name] = value_of(feature, region[feature.name], [])
            else:
                row[feature.name] = any_value(feature)
        return dict(adjusted_row(self.space.domain, row, _sides(bins, cell)))

    # -- two rows --------------------------------------------------------------------------------

    def find_pair(
        self, apart: Sequence[str], region: Region, wanted: Unequal | Falling | Near
    ) -> tuple[Row, Row] | None:
        """Give two rows inside a region that differ only in some features."""
        if not any(name in self.ensemble.features for name in apart):
            return None
        if isinstance(wanted, Unequal) and not any_tree_changes(self.ensemble, apart, region):
            return None
        inside = within(self.ensemble, region)
        twins = TwinRows(inside, apart, wanted)
        box = box_in(inside, region)
        steps = self._steps(inside, region, wanted, box)
        pairs = [(box, box)] if steps is None else list(steps.values())
        # One search where that the second number is larger is among the facts of the two.
        at_once = not isinstance(wanted, Unequal) and connected(self.space, apart[0])
        cells = twins.find_in_any(pairs, at_once=at_once)
        if cells is not None and self.space.domain.restricts:
            return self._possible_rows(inside, cells, apart, region, wanted)
        if cells is not None:
            return self._two_rows(inside, cells, apart, region, wanted)
        if twins.missed:
            raise undecided(
                twins.missed, "it is not known whether there are two such rows", Budget.current()
            )
        return None

    def _steps(
        self, inside: SumKernel, region: Region, wanted: Unequal | Falling | Near, box: Boxes
    ) -> dict[float, tuple[Boxes, Boxes]] | None:
        """Give the thresholds that are stepped over, each with the boxes below and above it.

        None if any two values are compared. Bins next to each other are enough: what holds for
        every step up holds for all. Where facts may leave no row between, all above are looked at.
        """
        if isinstance(wanted, Unequal):
            return None
        bins, against = inside.bins, cuts_against(self.ensemble, wanted, region)
        skipping = bool(against) and connected(self.space, wanted.feature.name)
        k = [feature.name for feature in bins.features].index(wanted.feature.name)
        at = slices(bins)[k]
        out = {}
        for b, cut in enumerate(bins.cuts[k].tolist()):
            far = isinstance(wanted, Near) and gap_above(wanted.feature, cut) > wanted.by
            here, end = at.start + b, at.start + (len(bins.cuts[k]) + 1 if skipping else b + 2)
            if far or (cut not in against and not skipping):
                continue
            if not (box[here] and box[here + 1 : end].any()):
                continue
            pair = box.copy(), box.copy()
            for own in pair:
                own[at] = 0
            pair[0][here], pair[1][here + 1 : end] = 1, box[here + 1 : end]
            out[cut] = pair
        return out

    def _two_rows(
        self,
        inside: SumKernel,
        cells: tuple[Cells, Cells],
        apart: Sequence[str],
        region: Region,
        wanted: Unequal | Falling | Near,
    ) -> tuple[Row, Row]:
        first, second = (self._row(inside, cell, region) for cell in cells)
        if isinstance(wanted, Near):
            bins = inside.bins
            k = [feature.name for feature in bins.features].index(apart[0])
            low, high = (bins.side(k, 1 << int(cell[k])) for cell in cells)
            cuts, plain = bins.cuts[k].tolist(), apart[0] not in region
            ends = two_steps(wanted, low, high, cuts, rounded=plain)
            first, second = ({**first, apart[0]: end} for end in ends)
        second = {name: second[name] if name in apart else first[name] for name in first}
        if self.says(first) == self.says(second):
            raise AssertionError(f"the rows {first} and {second} get the same answer")
        return first, second

    def _possible_rows(
        self,
        inside: SumKernel,
        cells: tuple[Cells, Cells],
        apart: Sequence[str],
        region: Region,
        wanted: Unequal | Falling | Near,
    ) -> tuple[Row, Row]:
        """Give two possible rows out of two cells."""
        bins = inside.bins
        one, two = (_sides(bins, cell) for cell in cells)
        cuts = {f.name: own.tolist() for f, own in zip(bins.features, bins.cuts, strict=True)}
        alike = [name for name in self.space.names if name not in region]
        rows = PossiblePairs(self.space, apart, wanted).rows(one, two, cuts, alike)
        if rows is None or self.says(rows[0]) == self.says(rows[1]):
            raise AssertionError(f"the rows {rows} do not get different answers")
        return rows

    def thresholds(self, feature: str, region: Region, by: Fraction) -> tuple[float, ...]:
        """Give where a step of at most so much across the feature changes answers of random rows.

        Each of them is right; there may be more, which only a search for each would tell.
        """
        wanted = Near(self.space[feature], by)
        inside = within(self.ensemble, region)
        twins = TwinRows(inside, (feature,), wanted)
        box = box_in(inside, region)
        steps = self._steps(inside, region, wanted, box) or {}
        return tuple(cut for cut, pair in steps.items() if twins.tried(pair) is not None)

    # -- two models ------------------------------------------------------------------------------

    def _compared(self, other: Any, where: Mapping[str, Any] | None) -> Proof:
        return compare_in(self.ensemble, read_model(other), where, self.time_limit)


def _sides(bins: Bins, cell: Cells) -> dict[str, Side]:
    return {f.name: bins.side(k, 1 << int(cell[k])) for k, f in enumerate(bins.features)}


def value_of(feature: Feature, side: Side, cuts: list[float], *, rounded: bool = False) -> Any:
    """Choose a plain value in a side of a box; a number, if there is one.

    ``rounded``: it may lie outside, and be rounded to what is inside.
    """
    nan = side.nan and not side.lower < side.upper
    codes = list(side.codes)
    return value_in(feature, cuts, side.lower, side.upper, nan, codes, rounded=rounded)


def compare_in(
    one: SumKernel, other: Any, where: Mapping[str, Any] | None, time_limit: float | None
) -> Proof:
    """Compare two models, one of which is an ensemble, inside a region."""
    given = (one, as_sum(read_model(other)))
    shared = Compared(*given, time_limit).joint.one.space
    region = region_of_two(where, shared, [model.space for model in given])
    known = {name: side for name, side in region.items() if name in shared}
    compared = Compared(*given, time_limit, known)
    cell = compared.difference()
    if cell is None:
        return Proof(True, claim_in(region, SAME))
    row = compared.row_in(cell)
    # What no tree asks about is not in the cells, but may be in the region.
    for name, side in region.items():
        if name not in {f.name for f in compared.joint.one.bins.features}:
            row[name] = value_of(side.feature, side, [])
    answers = tuple(answer_of(model, row) for model in given)
    if answers[0] == answers[1]:
        raise InvalidData(f"the row {row} does not separate the two models")
    used = {*one.features, *given[1].features, *region}
    return Proof(False, claim_in(region, SAME), (row,), answers, _instead=models_differ(region),
                 _shown=tuple(n for n in row if n in used))  # fmt: skip
