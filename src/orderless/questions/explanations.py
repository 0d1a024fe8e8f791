"""Explanations: why rows get their class, and what would change it.

In:  a tree, or a sum of trees, and rows, complete or with unknowns.
Out: ``Explanation`` of a row: reasons, features that are necessary or relevant, and changes; as
     text, HTML and data. ``Explanations`` of many: labels and reasons by row.
Paper: Proposition 3.3: reasons are free of what a path asks without need, the redundancy that Izza
     et al. (2022) find in the paths of decision trees. Changes go beyond the paper.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidParameter, OutOfTime, TooManyReasons, Undecided, setting
from ..form import Form, Term
from ..inputs import is_unknown, labels_like, masked_like, read_costs, row_at, rows_for
from ..model import (
    TIME_LIMIT,
    Box,
    Budget,
    Fact,
    Label,
    PossibleRows,
    Rows,
    Space,
    SumKernel,
    TreeKernel,
    distinct_rows,
    read_seconds,
    short_number,
)
from .boxes import RowBoxes
from .changes import Change, Changes, read_limits, steps_to
from .needed import Needed, needed_for
from .sum_row import SumRow
from .tree_row import TreeRow

__all__ = ["Explanation", "Explanations", "explain", "explain_all"]

LIMIT = 10_000
NEEDED = 200_000  # steps of the search for what would settle a row
LISTED = 6  # names, or ways to change, that a text lists

Costs = Mapping[str, float]
Interval = tuple[float, float]
Kernel = TreeKernel | SumKernel
T = TypeVar("T")


class _Asked(NamedTuple):
    """What was asked, to be asked again."""

    kernel: Kernel
    row: Any
    costs: Costs | None
    tolerance: float
    limit: int
    time_limit: float | None

    def with_facts(self, facts: Iterable[Fact | str]) -> Explanation:
        """Explain the row where more facts hold."""
        return explain(
            self.kernel.with_facts(facts),
            self.row,
            costs=self.costs,
            tolerance=self.tolerance,
            limit=self.limit,
            time_limit=self.time_limit,
        )


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Why a row gets its class, and what would change it. Computed when asked for.

    Made by ``Model.explain``.

    Attributes
    ----------
    row : dict
        The row, as it came.
    label
        Its class; None if its unknown values leave several possible.
    possible : tuple of labels
        The classes it can get; one if it is certain.
    unknown : tuple of str
        Features whose value the row does not give, or not exactly, and that would lead to different
        leaves; if the row is not certain, these are why. Of a sum of trees all that trees ask
        about.
    interval : tuple of float, or None
        For a model of numbers the smallest and the largest number that the row can get. Reasons are
        then reasons to lie in this interval, and changes lead below or above it.
    status : "certain", "open" or "undecided"
        "undecided": the time did not suffice to tell whether a row of a sum of trees is certain.

    Notes
    -----
    A reason of a row is a sufficient reason of its class (a maximal box on which the class is
    certain) that holds for the row whatever its unknown values are. There may be exponentially
    many; they are found one at a time from the leaves, without the whole form, in a search whose
    every step costs O(features x leaves / 64). On trees from data a reason takes a few steps; no
    bound is known that holds for all trees (listing minimal hitting sets is as hard), so between
    two reasons ``time_limit`` is kept. A row that is not certain has no reasons.

    The boxes of a sum of trees cannot all be listed, so there

    - a reason is minimal by its features: no feature of it can be left out. Each then has its
      widest side, one feature after the other; other boxes about the same features may be as wide
      in other ways. ``reasons`` gives one for each minimal set of features;
    - ``reason`` is one of them, found in the least time, not the shortest;
    - ``shortest`` and ``cheapest`` count features, not conditions;
    - ``changes`` gives, for each set of features and each class that their change can give, one
      widest range, not all: around a change that crosses the fewest thresholds and, where there
      are costs, around one that costs least. Where facts connect a changed feature with one
      that is unknown, some values of a range have the effect, not all, and what has it may cost
      more than the least that the range costs.

    Every answer asks an exact search about many boxes. One reason takes at most two for each
    feature, and one more for each that stays; the smallest sets are NP-hard beyond that. Where
    a box is not decided in time, ``Undecided`` is raised; only ``reason`` is given all the same,
    and then perhaps with a feature too many, or narrower than it could be: the text says so.
    """

    row: Mapping[str, Any]
    label: Label | None
    possible: tuple[Label, ...]
    unknown: tuple[str, ...]
    interval: tuple[float, float] | None
    status: str
    _of: TreeRow | SumRow = field(repr=False)
    _asked: _Asked = field(repr=False)

    # -- reasons -------------------------------------------------------------------------------

    def reasons(self) -> Iterator[Term]:
        """Go through all reasons of the row, each once, in a fixed order, as they are found.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": 0, "true": {"feature": 1, "true": {"prediction": 1},
        ...                 "false": {"prediction": 0}}, "false": {"prediction": 0}})
        >>> why = tree.explain({"x0": 0, "x1": 0})
        >>> [str(reason) for reason in why.reasons()]
        ['not x1', 'not x0']
        """
        found = self._of.search.terms()
        while True:
            with self._budget():
                reason = next(found, None)
            if reason is None:
                return
            yield reason

    @cached_property
    def all_reasons(self) -> tuple[Term, ...]:
        """All reasons of the row.

        Fewest conditions first, then by how wide they are on the first feature by name, the second,
        and so on: the same order for all equivalent trees.

        Raises
        ------
        TooManyReasons
            If there are more than ``limit``.
        """
        limit = self._asked.limit
        with self._budget():
            found = self._of.search.all_terms(limit)
        if len(found) > limit:
            raise TooManyReasons(
                f"this row has more than limit={limit:,} reasons: go through reasons() one "
                "by one, take shortest or cheapest(costs), or raise explain(..., limit=)",
                len(found),
            )
        return found

    @cached_property
    def shortest(self) -> Term | None:
        """The reason with the fewest conditions, ties as in ``all_reasons``; None if there is none.

        Found by branch and bound, without listing all. NP-hard in general: ``time_limit`` is
        kept.
        """
        if not self._certain:
            return None
        search = self._of.search
        with self._budget():
            return search.best([0] * len(search.bins.features))

    @cached_property
    def reason(self) -> Term | None:
        """The reason that texts, letters and reports show; None if there is none.

        Of a tree the shortest. Of a sum of trees one minimal set of features, each with its widest
        side: growing one by a bin lets another answer in.

        Examples
        --------
        >>> import orderless as ol
        >>> items = [{"feature": "age", "above": 65, "points": 2}, {"feature": "rash", "points": 1}]
        >>> score = ol.Ensemble.from_points({"items": items, "verdicts": {"low": None, "high": 2}})
        >>> print(score.explain({"age": 70, "rash": True}).reason)
        age > 65
        """
        if not self._certain:
            return None
        with self._budget():
            return self._of.search.one()

    def cheapest(self, costs: Costs | None = None) -> Term | None:
        """Give the reason whose features cost least together; None if there is no reason.

        Parameters
        ----------
        costs : dict of feature -> cost, optional
            0 or more, for every feature that the tree asks about: one without a cost is an error.
            By default those that were given to ``explain``.

        Returns
        -------
        Term
            Among the cheapest the one with the fewest conditions, then ties as in ``all_reasons``.

        Notes
        -----
        Branch and bound, as for ``shortest``.
        """
        costs = self._asked.costs if costs is None else costs
        if costs is None:
            raise ValueError("the cheapest reason needs costs: cheapest({feature: cost})")
        search = self._of.search
        names = [feature.name for feature in search.bins.features]
        each = _integer_costs(costs, self._asked.kernel.space, names)
        if not self._certain:
            return None
        with self._budget():
            return search.best(each)

    @cached_property
    def witness(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Two completions of the row that get different answers; None where the row is certain.

        Where the space has facts, both satisfy them. Each has a value for every column; known
        values are as they came.

        Raises
        ------
        Undecided
            If it is not known whether a row of a sum of trees is certain.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": 0, "true": {"feature": 1, "true": {"prediction": "a"},
        ...                 "false": {"prediction": "b"}}, "false": {"prediction": "b"}})
        >>> tree.explain({"x0": True}).witness
        ({'x0': True, 'x1': True}, {'x0': True, 'x1': False})
        """
        with self._budget():
            return self._of.witness()

    @cached_property
    def needed(self) -> Needed:
        """Which unknown features would settle the row; see ``Model.needed``."""
        asked = self._asked
        limit = max(asked.limit, NEEDED)
        return needed_for(asked.kernel, asked.row, limit=limit, time_limit=asked.time_limit)

    # -- features ------------------------------------------------------------------------------

    @property
    def depends_on(self) -> tuple[str, ...]:
        """Names of the features on which the model's answers depend at all."""
        return self._of.asked

    def _names(self, features: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._of.search.bins.features[k].name for k in features)

    @cached_property
    def necessary(self) -> tuple[str, ...]:
        """Names of the features that are in all reasons.

        Exactly those whose value, were it unknown, would leave the row undetermined. Linear in the
        leaves.
        """
        with self._budget():
            return self._names(self._of.search.necessary)

    @cached_property
    def relevant(self) -> tuple[str, ...]:
        """Names of the features that are in some reason.

        O(features^2 x leaves^2 / 64) for numeric and boolean features, without listing any reason.
        """
        with self._budget():
            return self._names(self._of.search.relevant())

    def margins(self, reason: Term) -> dict[str, int]:
        """Count, by feature of a reason, the thresholds that the row is from leaving it.

        That is how many thresholds of the model the row's value would have to cross before it no
        longer meets what the reason says of the feature; 1 for a category.

        Examples
        --------
        >>> import orderless as ol
        >>> young, old = (
        ...     {"feature": "age", "relation": "<=", "reference": years,
        ...      "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}}
        ...     for years in (30, 60)
        ... )
        >>> tree = ol.read({"feature": "rash", "true": old, "false": young},
        ...                feature_names=["age", "rash"])
        >>> why = tree.explain({"age": 70, "rash": False})
        >>> print(why.reason, why.margins(why.reason))
        age > 60 {'age': 1}
        """
        search = self._of.search
        place = {feature.name: k for k, feature in enumerate(search.bins.features)}
        out = {}
        for side in reason.sides:
            k = place[side.feature.name]
            inside = search.bins.bits_of(k, side)
            outside = 0 if inside is None else search.bins.every_bin(k) & ~inside
            out[side.feature.name] = steps_to(search, k, outside) if outside else 1
        return out

    def changes(
        self,
        *,
        immutable: Iterable[str] | None = None,
        only_up: Iterable[str] | None = None,
        only_down: Iterable[str] | None = None,
        ranges: Mapping[str, Any] | None = None,
        costs: Costs | None = None,
        per_unit: Costs | None = None,
        to: Any = ...,
        facts: Iterable[Fact | str] | None = None,
    ) -> Changes:
        """Give the features whose change gives another class, with their new values.

        Parameters
        ----------
        immutable : names of features, optional
            They stay as they are.
        only_up, only_down : names of numeric or boolean features, optional
            They may only rise, or only fall. A value that is missing then stays so.
        ranges : dict of feature -> condition, optional
            What a feature may be changed to, as in ``orderless.prove``: a range ``(lower, upper)``,
            a value, or a set of categories.
        costs : dict of feature -> cost, optional
            What it costs to change a feature at all: 0 or more, for every feature that is not
            immutable.
        per_unit : dict of feature -> cost, optional
            What it costs in addition for each unit that a number moves.
        to : class label, optional
            The class that is wanted, by default any other. For a regression tree "below" or
            "above".
        facts : list of facts, optional
            More facts that hold for every row, beside those of the space: only possible rows are
            proposed. A range may then hold values that the facts exclude; what is inside and
            possible has the effect.

        Returns
        -------
        Changes
            A tuple of ``Change``; empty if there is no such change, which is then proven, or if the
            row is not determined. Without any parameter the fewest features: all smallest sets.
            With one (also an empty list), all minimal sets that are allowed: none of them could do
            without one of its features. For each set all widest ranges; cheapest first where there
            are costs. For a row with unknowns, a change that makes another class *possible*;
            ``Change.certain`` says whether it is certain.

        Notes
        -----
        Linear in the leaves to find the features (a leaf is reached by changing exactly the
        features on which the row misses it); the ranges take the square of their number. Costs are
        added exactly, as the decimals that they are written as.

        Examples
        --------
        >>> import orderless as ol
        >>> old = {"feature": "age", "relation": "<=", "reference": 25,
        ...        "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}}
        >>> tree = ol.read({"feature": "income", "relation": "<=", "reference": 20, "true": old,
        ...                 "false": {"prediction": "grant"}},
        ...                space=ol.Space({"age": int, "income": int}))
        >>> why = tree.explain({"age": 23, "income": 12})
        >>> print(why.changes(immutable=["age"]))
        It would be grant if income were > 20.
        >>> print(why.changes(immutable=["age"], ranges={"income": (None, 18)}))
        No change that is allowed gives another answer; this is proven.
        >>> print(why.changes(costs={"age": 2, "income": 0.5}).cheapest)
        income were > 20
        """
        asked = self._asked
        if facts is not None:
            return asked.with_facts(facts).changes(
                immutable=immutable,
                only_up=only_up,
                only_down=only_down,
                ranges=ranges,
                costs=costs,
                per_unit=per_unit,
                to=to,
            )
        limits = None
        options = (immutable, only_up, only_down, ranges, costs, per_unit)
        if to is not ... or any(option is not None for option in options):
            names = [feature.name for feature in self._of.search.bins.features]
            limits = read_limits(
                asked.kernel.space,
                names,
                immutable=immutable,
                only_up=only_up,
                only_down=only_down,
                ranges=ranges,
                costs=costs,
                per_unit=per_unit,
                to=to,
            )
        with self._budget():
            return self._of.changes(limits, max(asked.limit, LIMIT))

    def row_after(self, change: Change) -> dict[str, Any]:
        """Return the row as it would be after a change: its known values, with the new ones.

        What is unknown is completed so that the row gets the class of the change.
        """
        with self._budget():
            return self._of.row_after(change)

    # -- for people, and for files -------------------------------------------------------------

    def _budget(self) -> Budget:
        """Open the budget of one part, which is a call of its own."""
        return Budget(self._asked.time_limit)

    @property
    def _certain(self) -> bool:
        """Whether there are reasons: one class is possible, or there is an interval."""
        return self.label is not None or self.interval is not None

    @property
    def _outcome(self) -> str:
        if self.interval is None:
            return str(self.label)
        low, high = (short_number(end) for end in self.interval)
        return low if low == high else f"Between {low} and {high}"

    def _because(self) -> Term | None:
        return self.reason if self._asked.costs is None else self.cheapest()

    def _lines(self) -> list[str]:
        if self.status == "undecided":
            return [
                "Undecided: it was not found out whether every completion of the row gets one "
                f"class, because {self._gaps()}."
            ]
        if not self._certain:
            return [
                f"Not determined: {_some([str(c) for c in self.possible], 'or')} "
                f"{'is' if len(self.possible) == 1 else 'are'} possible, because {self._gaps()}.",
                *self._settled(),
            ]
        reason = self._because()
        assert reason is not None
        rest = [name for name in self.depends_on if name not in reason.features]
        free = f"whatever {_some(rest)} {'is' if len(rest) == 1 else 'are'}" if rest else ""
        if len(reason):
            lines = [f"{self._outcome}, because {reason}" + (f" ({free})." if free else ".")]
        else:
            lines = [f"{self._outcome}, {free or 'always'}."]
        if self._asked.costs is None and not self._of.search.is_widest:
            seconds = setting("time_limit", self._asked.time_limit)
            lines.append(f"Its ranges could be wider: {seconds} seconds were not enough.")
        if self.label is None:
            lines.append(f"Which number it is cannot be told, because {self._gaps()}.")
        try:
            changes = self.changes()
        except (Undecided, TooManyReasons) as stop:
            return [*lines, f"What would change it was not found out: {stop}."]
        return [*lines, *(str(changes).splitlines() if changes else [])]

    def _gaps(self) -> str:
        missing = " or not known exactly" if self._of.partly_known else ""
        return f"{_some(self.unknown)} {'is' if len(self.unknown) == 1 else 'are'} unknown{missing}"

    def _settled(self) -> list[str]:
        try:
            return str(self.needed).split("\n")[1:]
        except (Undecided, OutOfTime, TooManyReasons) as stop:
            return [f"What would settle it was not found out: {stop}."]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def __repr__(self) -> str:
        if not self._certain:
            return f"Explanation(not determined: {list(self.possible)})"
        return f"Explanation({self._outcome if self.label is None else repr(self.label)})"

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{html.escape(line)}</p>" for line in self._lines())
        return f'<div class="orderless-explanation">{lines}</div>'

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain data that JSON can hold, with the reason it shows."""
        reason = self._because()
        return {
            "row": {str(name): _plain(value) for name, value in self.row.items()},
            "label": self.label,
            "status": self.status,
            "possible": list(self.possible),
            **({} if self.interval is None else {"interval": list(self.interval)}),
            "unknown": list(self.unknown),
            "reason": None if reason is None else reason.to_dict(),
            "text": str(self),
            "necessary": list(self.necessary),
            "changes": [change.to_dict() for change in self.changes()],
        }


def _integer_costs(costs: Costs, space: Space, names: Sequence[str]) -> list[int]:
    """Check costs; give those of some features as integers of one unit, to add exactly."""
    exact = read_costs(costs, space, names)
    unit = math.lcm(*(cost.denominator for cost in exact.values()))
    return [int(exact[name] * unit) for name in names]


def _plain(value: Any) -> Any:
    """Give a row's value as JSON can hold it."""
    if isinstance(value, np.generic):
        value = value.item()
    if is_unknown(value):
        return None
    return value if isinstance(value, bool | int | float | str) else str(value)


def _some(names: Iterable[str], joined: str = "and") -> str:
    """List names in a sentence, not too many."""
    shown = list(names)
    if len(shown) > LISTED:
        shown = [*shown[: LISTED - 1], f"{len(shown) - LISTED + 1} more"]
    return f" {joined} ".join([", ".join(shown[:-1]), shown[-1]] if shown[1:] else shown)


def explain(
    model: Kernel | Form,
    row: Any,
    *,
    costs: Costs | None = None,
    tolerance: float = 0.0,
    limit: int = LIMIT,
    time_limit: float | None = TIME_LIMIT,
) -> Explanation:
    """Explain one row; see ``Model.explain``. A ``Form`` is a tree, whose bins are kept."""
    kernel = model.tree if isinstance(model, Form) else model
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise InvalidParameter(
            f"{setting('limit', limit)}: at least one reason must be allowed", "limit"
        )
    if costs is not None:
        read_costs(costs, kernel.space, kernel.features)
    with Budget(time_limit):
        of: TreeRow | SumRow
        if isinstance(kernel, SumKernel):
            of = SumRow(kernel, row, tolerance, limit)
        else:
            form = model if isinstance(model, Form) else Form(kernel, time_limit=time_limit)
            of = TreeRow(form, row, tolerance)
    return Explanation(
        of.given,
        of.label,
        of.possible,
        of.unknown,
        of.interval,
        of.status,
        of,
        _Asked(kernel, row, costs, tolerance, limit, time_limit),
    )


class _Distinct(NamedTuple):
    """The different rows, each explained once.

    Attributes
    ----------
    which : by row the number of the different row that it is
    labels : by different row its class or number, None where that is not certain
    terms : by different row its reason, None where there is none
    intervals : by different row between which numbers it lies, None of a model of classes
    """

    which: NDArray[np.signedinteger[Any]]
    labels: Sequence[Label | None]
    terms: Sequence[Term | None]
    intervals: Sequence[Interval | None]

    @property
    def n(self) -> int:
        """How many different rows there are."""
        return len(self.labels)


class Explanations(Sequence["Explanation"]):
    """Why each of many rows gets its class. Made by ``Model.explain_all``.

    A sequence: ``explanations[i]`` is what ``Model.explain`` gives for row i, made when it
    is asked for.

    Attributes
    ----------
    label : masked array, or a nullable Series when a data frame came in
        The class, or number, of each row, masked where it is not certain.
    reasons : sequence of Term or None
        The reason of each row that ``explain`` shows, None where it has none. Rows with the same
        reason share one ``Term``. A row of a model of numbers has a reason to lie in its interval,
        also where it is not certain which number it gets.
    intervals : sequence of (float, float) or None
        Of a model of numbers the smallest and the largest number that each row can get; else None.
    """

    def __init__(
        self,
        explain: Callable[[Any], Explanation],
        X: Any,
        kernel: Kernel,
        distinct: _Distinct,
    ) -> None:
        self._explain, self._X, self._distinct = explain, X, distinct
        self._space, self._numbers = kernel.space, kernel.task == "regression"
        self.label = _answers_like(X, kernel, distinct)
        self.reasons: Sequence[Term | None] = _ByRow(distinct.which, distinct.terms)
        self.intervals: Sequence[Interval | None] = _ByRow(distinct.which, distinct.intervals)

    def __len__(self) -> int:
        return len(self._distinct.which)

    @overload
    def __getitem__(self, row: int) -> Explanation: ...
    @overload
    def __getitem__(self, row: slice) -> list[Explanation]: ...
    def __getitem__(self, row: int | slice) -> Explanation | list[Explanation]:
        if isinstance(row, slice):
            return [self[i] for i in range(len(self))[row]]
        at = range(len(self))[row]
        return self._explain(row_at(self._X, self._space, at))

    def to_dict(self) -> dict[str, list[Any]]:
        """Return columns that any data frame takes: label, reason as text, n_conditions.

        Of a model of numbers also lower and upper. Where a row has no such thing, it is None.

        Examples
        --------
        >>> import orderless as ol
        >>> a, b = {"prediction": "a"}, {"prediction": "b"}
        >>> tree = ol.read({"feature": 0, "true": a, "false": b})
        >>> tree.explain_all([[1], [None]]).to_dict()
        {'label': ['a', None], 'reason': ['x0', None], 'n_conditions': [1, None]}
        """
        distinct = self._distinct
        lines: list[dict[str, Any]] = [
            {
                "label": label,
                "reason": None if term is None else str(term),
                "n_conditions": None if term is None else term.n_conditions,
            }
            for label, term in zip(distinct.labels, distinct.terms, strict=True)
        ]
        names = ["label", "reason", "n_conditions"]
        if self._numbers:
            names += ["lower", "upper"]
            for line, interval in zip(lines, distinct.intervals, strict=True):
                line["lower"], line["upper"] = interval or (None, None)
        rows = [lines[k] for k in distinct.which.tolist()]
        return {name: [row[name] for row in rows] for name in names}

    def __repr__(self) -> str:
        return f"Explanations({len(self):,} rows, in {self._distinct.n:,} different places)"


class _ByRow(Sequence[T]):
    """What the different rows have, by row."""

    def __init__(self, which: NDArray[np.signedinteger[Any]], values: Sequence[T]) -> None:
        self._which, self._values = which, values

    def __len__(self) -> int:
        return len(self._which)

    @overload
    def __getitem__(self, row: int) -> T: ...
    @overload
    def __getitem__(self, row: slice) -> list[T]: ...
    def __getitem__(self, row: int | slice) -> T | list[T]:
        if isinstance(row, slice):
            return [self._values[k] for k in self._which[row].tolist()]
        return self._values[int(self._which[row])]


def _answers_like(X: Any, kernel: Kernel, distinct: _Distinct) -> Any:
    """Return the label of each row, in the kind in which the rows came."""
    if kernel.classes:
        code: dict[Label | None, int] = {label: c for c, label in enumerate(kernel.classes)}
        codes = np.array([code.get(label, -1) for label in distinct.labels], dtype=np.int32)
        return labels_like(X, kernel.labels, codes[distinct.which])
    numbers = np.array([np.nan if x is None else x for x in distinct.labels], dtype=np.float64)
    numbers = numbers[distinct.which]
    unknown = np.isnan(numbers)
    return masked_like(X, np.where(unknown, 0.0, numbers), unknown)


def explain_all(
    model: Kernel | Form, X: Any, time_limit: float | None = TIME_LIMIT
) -> Explanations:
    """Explain many rows; see ``Model.explain_all``."""
    kernel = model.tree if isinstance(model, Form) else model
    one = partial(explain, model, time_limit=read_seconds(time_limit))
    with Budget(time_limit):
        rows = rows_for(kernel, X)
        if isinstance(kernel, SumKernel) or kernel.space.domain.restricts:
            distinct = _one_by_one(model, kernel, X, rows)
        else:
            form = model if isinstance(model, Form) else Form(kernel, time_limit=time_limit)
            distinct = _by_leaves(form, X, rows)
    return Explanations(one, X, kernel, distinct)


def _by_leaves(form: Form, X: Any, rows: Rows) -> _Distinct:
    """Explain the rows of a tree in the core: 20 times as quick as one by one.

    Of a tree of numbers, the core has no reasons of rows that are not certain.
    """
    budget, bins = Budget.current(), form.bins
    try:
        result = bins.explainer.explain(rows.columns, bins.places, rows.n_rows, budget.left)
    except _core.base.TimeUp as stop:
        raise _out_of_time(stop.met, rows.n_rows) from None
    codes, classes = result.label.tolist(), form.tree.classes
    boxes = Box.of_slots(bins, result.reasons)
    labels = [classes[c] if c >= 0 else None for c in codes]
    terms = [Term(box) if c >= 0 else None for c, box in zip(codes, boxes, strict=True)]
    intervals: list[Interval | None] = [None] * len(labels)
    if form.tree.task == "regression":
        intervals = [None if label is None else (float(label), float(label)) for label in labels]
        unsure = [k for k, label in enumerate(labels) if label is None]
        first = _first_rows(result.which, len(labels))
        for k in unsure:
            if budget.over:
                raise _out_of_time(int((result.which < k).sum()), rows.n_rows)
            why = explain(form, row_at(X, form.tree.space, first[k]), time_limit=budget.left)
            terms[k], intervals[k] = why.reason, why.interval
    return _Distinct(result.which, labels, terms, intervals)


def _first_rows(which: NDArray[np.signedinteger[Any]], n: int) -> list[int]:
    """Return the first row of each different row."""
    first = np.zeros(n, dtype=np.intp)
    first[which[::-1]] = np.arange(len(which))[::-1]
    rows: list[int] = first.tolist()
    return rows


def _one_by_one(model: Kernel | Form, kernel: Kernel, X: Any, rows: Rows) -> _Distinct:
    """Explain each different row, as ``explain`` does.

    A row that contradicts the facts has no class, and no reason; a warning says so.
    """
    budget = Budget.current()
    impossible = np.zeros(rows.n_rows, dtype=bool)
    if kernel.space.domain.restricts:
        known = PossibleRows(kernel, rows)
        impossible = known.contradicting
        which, first = known.different(tuple(sorted({*kernel.used, *kernel.connected})))
    else:
        assert isinstance(kernel, SumKernel)
        boxes = RowBoxes(kernel, rows).boxes(np.arange(rows.n_rows))
        _, which = distinct_rows(boxes.view(np.bool_))
        _, first = np.unique(which, return_index=True)
    labels: list[Label | None] = [None] * len(first)
    terms: list[Term | None] = [None] * len(first)
    intervals: list[Interval | None] = [None] * len(first)
    for k, at in enumerate(first.tolist()):
        if isinstance(kernel, TreeKernel) and budget.over:
            raise _out_of_time(int((which < k).sum()), rows.n_rows)
        if impossible[at]:
            continue
        searches = len(first) - k if isinstance(kernel, SumKernel) else 1
        try:
            row = row_at(X, kernel.space, at)
            why = explain(model, row, time_limit=budget.left / searches)
        except Undecided as stop:
            raise _out_of_time(int((which < k).sum()), rows.n_rows) from stop
        labels[k], intervals[k] = why.label, why.interval
        if why.label is not None or why.interval is not None:
            terms[k] = why.reason
    return _Distinct(which, labels, terms, intervals)


def _out_of_time(met: int, n_rows: int) -> OutOfTime:
    return OutOfTime(
        f"{met:,} of {n_rows:,} rows were explained in {Budget.current()}: raise "
        f"{setting('time_limit')}, or give fewer rows at a time"
    )
