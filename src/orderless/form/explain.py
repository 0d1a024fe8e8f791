"""Explanations of one row: why it gets its class, and what would change it.

In:  a ``Form`` and one row, complete or with unknowns.
Out: ``Explanation``: reasons, features that are necessary or relevant, and changes; as text, HTML
     and data.
Paper: Proposition 3.3: reasons are free of what a path asks without need, the redundancy that Izza
     et al. (2022) find in the paths of decision trees. Changes go beyond the paper.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidSpace, TooManyReasons
from ..inputs import is_unknown, read_costs
from ..model import Budget, Fact, Label, Space, short_number
from .changes import (
    Changes,
    Effects,
    Limits,
    allowed_bins,
    changes_of,
    read_limits,
    steps_to,
    wanted_classes,
)
from .possible_changes import PossibleChanges
from .reasons import Term
from .row_search import RowSearch

if TYPE_CHECKING:
    from .explain_row import Asked
    from .possible_search import PossibleSearch

__all__ = ["Explanation"]

LIMIT = 10_000
LISTED = 6  # names, or ways to change, that a text lists

Costs = Mapping[str, float]


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
        The classes it can get; one if it is determined.
    unknown : tuple of str
        Features whose value the row does not give, or not exactly, and that would lead to different
        leaves; if the row is not determined, these are why.
    interval : tuple of float, or None
        For a regression tree the smallest and the largest number that the row can get. Reasons are
        then reasons to lie in this interval, and changes lead below or above it.

    Notes
    -----
    A reason of a row is a sufficient reason of its class (a maximal box on which the class is
    certain) that holds for the row whatever its unknown values are. There may be exponentially
    many; they are found one at a time from the leaves, without the whole form, in a search whose
    every step costs O(features x leaves / 64). On trees from data a reason takes a few steps; no
    bound is known that holds for all trees (listing minimal hitting sets is as hard), so between
    two reasons ``time_limit`` is kept. A row that is not determined has no reasons.
    """

    row: Mapping[str, Any]
    label: Label | None
    possible: tuple[Label, ...]
    unknown: tuple[str, ...]
    _space: Space = field(repr=False)
    _search: RowSearch = field(repr=False)
    _costs: Costs | None = field(repr=False)
    _limit: int = field(repr=False)
    _partly_known: bool = field(repr=False)
    _asked: tuple[str, ...] = field(repr=False)  # the features that the function depends on
    interval: tuple[float, float] | None = None
    _facts: PossibleSearch | None = field(default=None, repr=False)
    _asked_again: Asked | None = field(default=None, repr=False)

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
        return self._search.terms()

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
        found = self._search.all_terms(self._limit)
        if len(found) > self._limit:
            raise TooManyReasons(
                f"this row has more than limit={self._limit:,} reasons: go through reasons() one "
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
        return self._search.best([0] * len(self._search.bins.features))

    @property
    def reason(self) -> Term | None:
        """The reason that texts, letters and reports show: the shortest; None if there is none."""
        return self.shortest

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
        costs = self._costs if costs is None else costs
        if costs is None:
            raise ValueError("the cheapest reason needs costs: cheapest({feature: cost})")
        names = [feature.name for feature in self._search.bins.features]
        each = _whole_costs(costs, self._space, names)
        if not self._certain:
            return None
        return self._search.best(each)

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
        assert self._asked_again is not None
        return self._asked_again.witness()

    # -- features ------------------------------------------------------------------------------

    @property
    def depends_on(self) -> tuple[str, ...]:
        """Names of the features on which the model's answers depend at all."""
        return self._asked

    def _names(self, features: Iterable[int]) -> tuple[str, ...]:
        return tuple(self._search.bins.features[k].name for k in features)

    @cached_property
    def necessary(self) -> tuple[str, ...]:
        """Names of the features that are in all reasons.

        Exactly those whose value, were it unknown, would leave the row undetermined. Linear in the
        leaves.
        """
        return self._names(self._search.necessary)

    @cached_property
    def relevant(self) -> tuple[str, ...]:
        """Names of the features that are in some reason.

        O(features^2 x leaves^2 / 64) for numeric and boolean features, without listing any reason.
        """
        return self._names(self._search.relevant())

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
        search = self._search
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
        if facts is not None:
            if self._asked_again is None:
                raise InvalidSpace(
                    "give the facts to the ensemble: "
                    "ensemble.with_facts(facts).explain(row).changes()"
                )
            return self._asked_again.with_facts(facts).changes(
                immutable=immutable, only_up=only_up, only_down=only_down, ranges=ranges,
                costs=costs, per_unit=per_unit, to=to,
            )  # fmt: skip
        at_most, search = max(self._limit, LIMIT), self._search
        given = (immutable, only_up, only_down, ranges, costs, per_unit)
        if to is not ... or any(option is not None for option in given):
            asked = [feature.name for feature in search.bins.features]
            limits = read_limits(
                self._space, asked, immutable=immutable, only_up=only_up, only_down=only_down,
                ranges=ranges, costs=costs, per_unit=per_unit, to=to,
            )  # fmt: skip
            return self._restricted(limits, at_most)
        if self._facts is not None and self._facts.certain:
            with Budget(self._facts.time_limit):
                return PossibleChanges(self._facts).fewest(at_most)
        return changes_of(search.changes(at_most), Effects(search))

    def _restricted(self, limits: Limits, limit: int) -> Changes:
        """Give all minimal sets of features that can be changed as the limits allow, and how.

        A leaf is reached by changing exactly the features on which the row misses it. So the sets
        are those of the leaves that lie within the limits, without those that contain another one.
        Cost: leaves x features, the square of the number of sets, and widening their ranges.
        """
        if self._facts is not None and self._facts.certain:
            with Budget(self._facts.time_limit):
                return PossibleChanges(self._facts, limits, self.row).restricted(limit)
        search = self._search
        allowed, wanted = allowed_bins(search, limits), wanted_classes(search, limits)
        ways = search.allowed_changes(allowed, wanted, limit)
        return changes_of(ways, Effects(search, limits, self.row))

    # -- for people, and for files -------------------------------------------------------------

    @property
    def _certain(self) -> bool:
        """Whether there are reasons: one class is possible, or there is an interval."""
        return self.label is not None or self.interval is not None

    @property
    def _outcome(self) -> str:
        if self.interval is None or self.label is not None:
            return str(self.label)
        low, high = (short_number(end) for end in self.interval)
        return f"Between {low} and {high}"

    def _because(self) -> Term | None:
        return self.reason if self._costs is None else self.cheapest()

    def _lines(self) -> list[str]:
        if not self._certain:
            return [
                f"Not determined: {_some([str(c) for c in self.possible], 'or')} "
                f"{'is' if len(self.possible) == 1 else 'are'} possible, because {self._gaps()}."
            ]
        reason = self._because()
        assert reason is not None
        rest = [name for name in self._asked if name not in reason.features]
        free = f"whatever {_some(rest)} {'is' if len(rest) == 1 else 'are'}" if rest else ""
        if len(reason):
            lines = [f"{self._outcome}, because {reason}" + (f" ({free})." if free else ".")]
        else:
            lines = [f"{self._outcome}, {free or 'always'}."]
        if self.label is None:
            lines.append(f"Which number it is cannot be told, because {self._gaps()}.")
        changes = self.changes()
        return [*lines, *(str(changes).splitlines() if changes else [])]

    def _gaps(self) -> str:
        missing = " or not known exactly" if self._partly_known else ""
        return f"{_some(self.unknown)} {'is' if len(self.unknown) == 1 else 'are'} unknown{missing}"

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
        """Give the explanation as plain data that JSON can hold, with its shortest reason."""
        reason = self._because()
        return {
            "row": {str(name): _plain(value) for name, value in self.row.items()},
            "label": self.label,
            "possible": list(self.possible),
            **({} if self.interval is None else {"interval": list(self.interval)}),
            "unknown": list(self.unknown),
            "reason": None if reason is None else reason.to_dict(),
            "text": str(self),
            "necessary": list(self.necessary),
            "changes": [change.to_dict() for change in self.changes()],
        }


def _whole_costs(costs: Costs, space: Space, names: Sequence[str]) -> list[int]:
    """Check costs; give those of some features as whole numbers of one unit, to add exactly."""
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
