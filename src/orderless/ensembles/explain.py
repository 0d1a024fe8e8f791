"""Explanations of one row of an ensemble: why it gets its class, and what would change it.

In:  an ``Ensemble`` and one row, complete or with unknowns.
Out: ``EnsembleExplanation``, which says what the ``Explanation`` of a tree says.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidParameter, TooManyReasons, Undecided, setting
from ..form import (
    Change,
    Changes,
    Effects,
    Explanation,
    Explanations,
    Found,
    Limits,
    OneRow,
    PossibleCosts,
    Term,
    allowed_bins,
    bin_costs,
    bins_meeting,
    box_cost,
    changes_of,
    completed,
    read_one,
    wanted_classes,
)
from ..inputs import exact, read_costs, row_at, rows_for
from ..model import (
    TIME_LIMIT,
    Budget,
    Side,
    SumKernel,
    distinct_rows,
    in_budget,
    read_tolerance,
    refuse_contradiction,
    row_values,
    short_number,
)
from ..questions import Needed
from ..questions.bounds import NumberVerdicts, number_verdicts
from ..questions.boxes import CERTAIN, OPEN, RowBoxes, possible_boxes, touched
from ..questions.needed import needed_for
from ..questions.regions import region_trees, with_trees
from ..questions.rows import refuse_numbers
from .possible_sufficient import PossibleSufficient, with_fact_bins
from .sufficient import Sufficient
from .ways import Measure
from .witness import cell_box, witness_rows

__all__ = ["EnsembleExplanation", "explain_ensemble_row", "explain_ensemble_rows"]

LIMIT = 10_000


@dataclass(frozen=True, eq=False, repr=False)
class EnsembleExplanation(Explanation):
    """Why a row gets its class from an ensemble, and what would change it.

    Made by ``Ensemble.explain``. Attributes and methods are those of ``orderless.form.Explanation``
    with these differences, because the boxes of a sum of trees cannot all be listed:

    - a reason is minimal by its features: no feature of it can be left out. Each then has its
      widest side, one feature after the other; other boxes about the same features may be as wide
      in other ways. ``reasons`` gives one for each minimal set of features;
    - ``reason`` is one of them, found in the least time, not the shortest;
    - ``shortest`` and ``cheapest`` count features, not conditions;
    - ``changes`` gives, for each set of features and each class that their change can give, one
      widest range, not all: around a change that crosses the fewest thresholds and, where there
      are costs, around one that costs least. Where facts connect a changed feature with one
      that is unknown, some values of a range have the effect, not all, and what has it may cost
      more than the least that the range costs;
    - ``unknown`` are the features that the row does not give exactly and that trees ask about.

    Attributes
    ----------
    status : "certain", "open" or "undecided"

    Notes
    -----
    Every answer asks the exact search about many boxes. One reason takes at most two for each
    feature, and one more for each that stays; the smallest sets are NP-hard beyond that. Where
    a box is not decided in time, ``Undecided`` is raised; only ``reason`` is given all the same,
    and then perhaps with a feature too many, or narrower than it could be: the text says so.
    """

    status: str = "certain"
    _ensemble: SumKernel | None = field(default=None, repr=False)
    _one_row: OneRow | None = field(default=None, repr=False)
    _time_limit: float | None = field(default=TIME_LIMIT, repr=False)

    @cached_property
    def reason(self) -> Term | None:
        """The reason that texts, letters and reports show; None if the row is not certain.

        One minimal set of features, each with its widest side: growing one by a bin lets another
        answer in.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": "age", "above": 65, "points": 2}, {"feature": "rash", "points": 1}]
        >>> score = ol.Ensemble.from_points({"items": items, "verdicts": {"low": None, "high": 2}})
        >>> print(score.explain({"age": 70, "rash": True}).reason)
        age > 65
        """
        return self._sufficient.term(self._sufficient.one()) if self._certain else None

    @cached_property
    def needed(self) -> Needed:
        """Which unknown features would settle the row; see ``Ensemble.missing_needed``."""
        assert self._ensemble is not None
        assert self._one_row is not None
        rows, limit = self._one_row.rows, max(self._limit, 200_000)
        return needed_for(self._ensemble, rows, limit=limit, time_limit=self._time_limit)

    @cached_property
    def witness(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Two completions of the row with different answers; see ``Explanation.witness``."""
        assert self._ensemble is not None
        with Budget(self._time_limit):
            return witness_rows(self._ensemble, self._one_row)

    def row_after(self, change: Change) -> dict[str, Any]:
        """Give the row as it would be after a change: its known values, with the new ones.

        What is unknown is completed so that the row gets the class of the change.
        """
        assert self._one_row is not None
        search = self._with_ends(change.ranges)
        bins = search.bins
        box = search.box.copy()
        for k, feature in enumerate(bins.features):
            if feature.name in change.ranges:
                bits = bins_meeting(bins, k, change.ranges[feature.name])
                flags = [bits >> b & 1 for b in range(bins.widths[k])]
                box[search.at[k]] = flags
        label = search.ensemble.classes.index(change.label)
        found = possible_boxes(search.ensemble, box[None], Budget(self._time_limit).share())
        changed = {self._space.index(name): side for name, side in change.ranges.items()}
        there = cell_box(search.ensemble, found.cells[0, label])
        return completed(search.ensemble, self._one_row, there, changed)

    def _restricted(self, limits: Limits, limit: int) -> Changes:
        """Give all minimal sets of features that can be changed as the limits allow, and how."""
        search = self._with_ends(limits.ranges)
        allowed, wanted = allowed_bins(search, limits), wanted_classes(search, limits)
        effects = plain = Effects(search, limits, self.row)
        knowledge = search.ensemble.space.domain
        if isinstance(search, PossibleSufficient):
            assert self._one_row is not None
            ensemble, rows = search.ensemble, self._one_row.rows
            known = row_values(ensemble.space, ensemble.connected, rows, 0)
            effects = PossibleCosts(search, limits, self.row, knowledge, known)
        measures = [Measure(search.steps)]
        if limits.costs is not None:
            new = [bits & ~own for bits, own in zip(allowed, search.row, strict=True)]
            by_bin = [bin_costs(plain, k, bits) for k, bits in enumerate(new)]
            compares = knowledge.linear and limits.per_unit
            of_box = partial(box_cost, effects) if compares and effects is not plain else None
            measures.append(Measure(by_bin, of_box))
        ways = search.allowed_changes(allowed, wanted, limit, measures)
        return changes_of(ways, effects)

    def _with_ends(self, ranges: Mapping[str, Side]) -> Sufficient:
        """Give the search where ranges of features that facts compare begin and end with bins."""
        search, knowledge = self._sufficient, self._space.domain
        if not knowledge.linear or not isinstance(search, PossibleSufficient):
            return search
        assert self._one_row is not None
        compared = {i for i in search.bins.positions if i in knowledge.group_of}
        sides = [side for name, side in ranges.items() if self._space.index(name) in compared]
        ensemble = with_trees(search.ensemble, region_trees(self._space, sides))
        if ensemble is search.ensemble:
            return search
        box = RowBoxes(ensemble, self._one_row.rows).boxes(np.zeros(1, dtype=np.intp))[0]
        return PossibleSufficient(ensemble, box, search.label, search.limit, search.time_limit)

    @property
    def _sufficient(self) -> Sufficient:
        assert isinstance(self._search, Sufficient)
        return self._search

    @property
    def _outcome(self) -> str:
        if self.interval is None:
            return super()._outcome
        low, high = (short_number(end) for end in self.interval)
        return low if low == high else f"Between {low} and {high}"

    def _lines(self) -> list[str]:
        if self.status == "undecided":
            return [
                "Undecided: it was not found out whether every completion of the row gets one "
                f"class, because {self._gaps()}."
            ]
        if self.status == "open" and self.interval is None:
            return [*super()._lines(), *self._settled()]
        try:
            lines = super()._lines()
        except (Undecided, TooManyReasons) as fault:
            lines = [*self._first_line(), f"What would change it was not found out: {fault}."]
        if self._costs is None and not self._sufficient.is_widest:
            seconds = setting("time_limit", self._time_limit)
            lines.insert(1, f"Its ranges could be wider: {seconds} seconds were not enough.")
        return lines

    def _first_line(self) -> list[str]:
        because = self._because()
        return [f"{self._outcome}, because {because}."] if because else []

    def _settled(self) -> list[str]:
        try:
            return str(self.needed).split("\n")[1:]
        except (Undecided, TooManyReasons) as fault:
            return [f"What would settle it was not found out: {fault}."]

    def to_dict(self) -> dict[str, Any]:
        """Give the explanation as plain data that JSON can hold, with one reason."""
        return {**super().to_dict(), "status": self.status}


@in_budget
def explain_ensemble_row(
    ensemble: SumKernel,
    row: Any,
    costs: Any,
    tolerance: float,
    limit: int,
    time_limit: float | None,
) -> EnsembleExplanation:
    """Explain one row; see ``Model.explain``."""
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise InvalidParameter(
            f"{setting('limit', limit)}: at least one reason must be allowed", "limit"
        )
    given, one = ensemble, read_one(ensemble, row)
    if costs is not None:
        read_costs(costs, ensemble.space, ensemble.features)
    refuse_contradiction(ensemble, one.rows)
    boxes = RowBoxes(ensemble, one.rows)
    make: type[Sufficient] = Sufficient
    if touched(ensemble):
        make, ensemble = PossibleSufficient, with_fact_bins(ensemble, one.rows)
    box = RowBoxes(ensemble, one.rows).boxes(np.zeros(1, dtype=np.intp))[0]
    interval = None
    if ensemble.task == "regression":
        numbers = number_verdicts(boxes.ensemble, boxes, 1)
        interval, status = _interval(numbers, tolerance), int(numbers.status[0])
        search = make(ensemble.around(*interval), box, 1, limit, time_limit)
        possible = tuple(dict.fromkeys((float(numbers.lower[0]), float(numbers.upper[0]))))
        label: Any = float(numbers.number[0]) if status == CERTAIN else None
        if status == CERTAIN and not tolerance:
            interval = (label, label)
    else:
        found = boxes.verdicts(1)
        status, code = int(found.status[0]), int(found.label[0])
        label = ensemble.classes[code] if status == CERTAIN else None
        search = make(ensemble, box, code, limit, time_limit)
        possible = _possible(boxes, label)
    if status == CERTAIN and isinstance(search, PossibleSufficient) and search.opens():
        exact = given.over(given.space.unrounded)  # exact values decide, which features round
        return explain_ensemble_row(exact, row, costs, tolerance, limit, time_limit)
    bins = ensemble.bins
    unknown = [k for k, own in enumerate(search.row) if own.bit_count() > 1]
    return EnsembleExplanation(
        row=one.given,
        label=label,
        possible=possible,
        unknown=tuple(bins.features[k].name for k in unknown),
        _space=ensemble.space,
        _search=search,  # type: ignore[arg-type]  # it answers the same questions
        _costs=costs,
        _limit=limit,
        _partly_known=any(search.row[k] != search.full[k] for k in unknown),
        _asked=tuple(feature.name for feature in bins.features),
        interval=interval,
        status=("certain", "open")[status] if status <= OPEN else "undecided",
        _ensemble=ensemble,
        _one_row=one,
        _time_limit=time_limit,
    )


@in_budget
def explain_ensemble_rows(ensemble: SumKernel, X: Any, time_limit: float | None) -> Explanations:
    """Explain many rows; see ``Model.explain_all``."""
    refuse_numbers(ensemble, "explain_all", "explain(row) one row at a time")
    budget, rows = Budget.current(), rows_for(ensemble, X)
    boxes = RowBoxes(ensemble, rows)
    if boxes.known is None:
        which, first = _different(boxes.boxes(np.arange(rows.n_rows)))
    else:
        which, first = boxes.known.different(tuple(sorted({*ensemble.used, *ensemble.connected})))
    label = np.full(len(first), -1, dtype=np.int32)
    terms: list[Term | None] = [None] * len(first)
    for k, at in enumerate(first.tolist()):
        if boxes.impossible[at]:
            continue
        one = explain_ensemble_row(
            ensemble,
            row_at(X, ensemble.space, at),
            None,
            0.0,
            LIMIT,
            budget.left / (len(first) - k),
        )
        if one.label is not None:
            label[k], terms[k] = ensemble.classes.index(one.label), one.reason
    explain = partial(
        explain_ensemble_row,
        ensemble,
        costs=None,
        tolerance=0.0,
        limit=LIMIT,
        time_limit=time_limit,
    )
    return Explanations(explain, X, ensemble, Found(which, label, terms))


def _different(boxes: NDArray[np.uint8]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Tell which rows are the same box, and where each box is first."""
    _, which = distinct_rows(boxes.view(np.bool_))
    _, first = np.unique(which, return_index=True)
    return which, first


def _interval(numbers: NumberVerdicts, tolerance: float) -> tuple[float, float]:
    """Give the numbers that a row can get, widened by what the asker allows."""
    more = exact(read_tolerance(tolerance))
    low, high = exact(float(numbers.lower[0])) - more, exact(float(numbers.upper[0])) + more
    return _float_from(low), -_float_from(-high)


def _float_from(number: Fraction) -> float:
    """Give the smallest float that is at least a number, as the decimal that it is written as."""
    try:
        near = float(number)
    except OverflowError:
        return math.copysign(math.inf, number)
    while exact(near) < number:
        near = math.nextafter(near, math.inf)
    return near


def _possible(rows: RowBoxes, label: Any) -> tuple[Any, ...]:
    """Give the classes that the row can get, as far as they were found."""
    if label is not None:
        return (label,)
    box, ensemble = rows.boxes(np.zeros(1, dtype=np.intp)), rows.ensemble
    for block in rows.blocks():
        box, ensemble = block.boxes, block.ensemble
    found = possible_boxes(ensemble, box, Budget.current().share())
    return tuple(ensemble.classes[c] for c in np.flatnonzero(found.possible[0] != 0))
