"""Properties of a model: what is asked, read and put into words; who answers is a subclass.

In:  a model of classes or numbers, features, conditions.
Out: ``Properties``, whose methods give a ``Proof``.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ..errors import InvalidData
from ..inputs import exact_number, read_region, some_names
from ..model import (
    Feature,
    Side,
    SumKernel,
    TreeKernel,
    in_budget,
    printable,
    sides_text,
)
from .outcomes import Falling, Near, Outcome, Unequal, class_ranks, read_outcome
from .proof import Proof, differing
from .small_changes import stable_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ..model import Rows

__all__ = ["SAME", "Properties", "Region", "Row", "claim_in", "models_differ"]

SAME = "both models say the same"

Region = Mapping[str, Side]
Row = dict[str, Any]


class Properties(ABC):
    """What can be proven of a model, or refuted by a row. Made by ``orderless.prove``.

    Every method gives a ``Proof``, which is true if the property holds for every possible row, and
    otherwise has rows that refute it. Possible rows are those of the model's ``Space``: there is no
    whole number between 2 and 3, and no row has two colors. Conditions (``where``, ``given``) are
    dicts of feature -> value, range ``(lower, upper)`` with both ends inside and None for no end,
    dict of ends (``above``, ``at_least``, ``at_most``, ``below``), or set of categories.

    For an ensemble every method may raise ``Undecided``; what is proven is about sums without
    rounding, as for ``orderless.equivalent``.
    """

    def __init__(self, model: TreeKernel | SumKernel) -> None:
        self.model = model
        self.space = model.space

    def __repr__(self) -> str:
        return f"prove({self.model!r})"

    # -- single rows -----------------------------------------------------------------------------

    @in_budget
    def never(
        self,
        label: Any = ...,
        *,
        above: float | None = None,
        at_least: float | None = None,
        at_most: float | None = None,
        below: float | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Proof:
        """Whether no row gets an answer.

        Parameters
        ----------
        label : class label or number, or a set or list of class labels
            The answer. A model of numbers can also be asked for the ends of an interval.
        above, at_least, at_most, below : float, optional
            For a model of numbers: which numbers are meant.
        where : dict of feature -> condition, optional
            Only rows inside count.

        Examples
        --------
        >>> import orderless as ol
        >>> stay = ol.read({"task": "regression", "feature": "age", "relation": "<=",
        ...                 "reference": 60, "true": {"prediction": 2.5},
        ...                 "false": {"prediction": 7.5}}, feature_names=["age"])
        >>> print(ol.prove(stay).never(above=5, where={"age": (None, 60)}))
        Proven: where age <= 60, the answer is never above 5.
        """
        outcome, words = read_outcome(self.model, label, above, at_least, at_most, below)
        region = read_region(where, self.space)
        claim = f"the answer is never {words}"
        return self._single(outcome, region, claim, f"the answer can be {words}, as for this row:")

    @in_budget
    def always(
        self,
        label: Any = ...,
        *,
        above: float | None = None,
        at_least: float | None = None,
        at_most: float | None = None,
        below: float | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Proof:
        """Whether every row gets an answer; parameters as for ``never``.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> print(ol.prove(tree).always(1, where={"x0": True}))
        Proven: where x0, the answer is always 1.
        """
        outcome, words = read_outcome(self.model, label, above, at_least, at_most, below)
        region = read_region(where, self.space)
        claim = f"the answer is always {words}"
        instead = f"the answer is not always {words}; this row gets another:"
        if self.model.task == "classification":
            others = frozenset(range(len(self.model.classes))) - outcome.codes
            return self._single(Outcome(others), region, claim, instead)
        parts = [Outcome(upper=outcome.lower), Outcome(lower=outcome.upper)]
        proofs = (
            self._single(part, region, claim, instead)
            for part, end in zip(parts, (outcome.lower, outcome.upper), strict=True)
            if math.isfinite(end)
        )
        found = next((proof for proof in proofs if not proof), None)
        return self._proof(region, claim) if found is None else found

    # -- two rows --------------------------------------------------------------------------------

    @in_budget
    def ignores(
        self, features: str | Iterable[str], *, given: Mapping[str, Any] | None = None
    ) -> Proof:
        """Whether features make no difference: rows that differ only in them get the same answer.

        Parameters
        ----------
        features : name of a feature, or several
            Several may change together.
        given : dict of feature -> condition, optional
            Both rows lie inside.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = {"feature": 0, "true": {"feature": 1, "true": {"prediction": 1},
        ...         "false": {"prediction": 0}}, "false": {"prediction": 0}}
        >>> print(ol.prove(tree).ignores("x1"))
        x1 is used: these two rows differ only in x1 and get different answers.
          x1 = False, x0 = True: 0
          x1 = True, x0 = True: 1
        >>> bool(ol.prove(tree).ignores("x1", given={"x0": False}))
        True
        """
        names = self._names(features)
        region = read_region(given, self.space, "given")
        verb = "makes" if len(names) == 1 else "make"
        claim = f"{_listed(names)} {verb} no difference"
        return self._pair(names, region, Unequal(), claim, used_by)

    @in_budget
    def constant_in(
        self, ranges: Mapping[str, Any], *, where: Mapping[str, Any] | None = None
    ) -> Proof:
        """Whether features make no difference as long as they stay inside some ranges.

        Two rows that agree on all other features, and have these inside their ranges, get the same
        answer. That all rows inside get one and the same answer is what ``always`` proves.

        Parameters
        ----------
        ranges : dict of feature -> condition
        where : dict of feature -> condition, optional
            On other features: only rows inside count.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": "age", "relation": "<=", "reference": 25,
        ...                 "true": {"prediction": 1}, "false": {"prediction": 0}},
        ...                feature_names=["age"])
        >>> print(ol.prove(tree).constant_in({"age": (18, 25)}))
        Proven: as long as 18 <= age <= 25, age makes no difference.
        """
        inside = read_region(ranges, self.space, "ranges")
        if not inside:
            raise InvalidData("ranges is empty: name features, as in {'age': (18, 25)}")
        region = read_region(where, self.space)
        twice = [name for name in inside if name in region]
        if twice:
            raise InvalidData(f"{some_names(twice)} is in ranges and in where: give it once")
        verb = "makes" if len(inside) == 1 else "make"
        tolerance = f"as long as {_words(inside)}, "
        claim = f"{tolerance}{_listed(inside)} {verb} no difference"
        both = {**region, **inside}
        return self._pair(
            tuple(inside), both, Unequal(), claim, lambda rows: tolerance + used_by(rows), region
        )

    @in_budget
    def monotone(
        self,
        feature: str,
        sign: int,
        *,
        order: Sequence[Any] | None = None,
        where: Mapping[str, Any] | None = None,
    ) -> Proof:
        """Whether more of a feature never lowers (+1), or never raises (-1), the answer.

        All other features stay as they are. A missing value, where that is a value, is neither more
        nor less than a number.

        Parameters
        ----------
        feature : name of a numeric or boolean feature
        sign : 1 or -1
        order : sequence of labels, optional
            All classes, the lowest first; needed where they are text. Numbers, and False and True,
            have their own.
        where : dict of feature -> condition, optional
            Both rows lie inside.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": "income", "relation": "<=", "reference": 20,
        ...                 "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}},
        ...                feature_names=["income"])
        >>> print(ol.prove(tree).monotone("income", +1, order=["refuse", "grant"]))
        Proven: increasing income never lowers the answer (refuse < grant).
        """
        own = self._ordered(feature, "monotone")
        if isinstance(sign, bool) or sign not in (1, -1):
            raise InvalidData(f"sign must be +1 or -1, got {sign!r:.80}")
        rank, words = class_ranks(self.model, order)
        region = read_region(where, self.space)
        verb = "lowers" if sign == 1 else "raises"
        claim = f"increasing {printable(feature)} never {verb} the answer{words}"
        verb = "lower" if sign == 1 else "raise"
        instead = (
            f"increasing {printable(feature)} can {verb} the answer{words}, as for these two rows:"
        )
        falling = Falling(own, int(sign), rank)
        return self._pair((feature,), region, falling, claim, lambda rows: instead)

    @in_budget
    def stable(
        self, feature: str, by: float, *, where: Mapping[str, Any] | None = None, X: Any = None
    ) -> Proof:
        """Whether no change of a number by at most so much changes the answer.

        Parameters
        ----------
        feature : name of a numeric feature
        by : float
            More than 0. Differences are those of the decimals as they are written: from 0.3 to 0.4
            it is 0.1.
        where : dict of feature -> condition, optional
            Both rows lie inside.
        X : rows, optional
            Only these rows count, with whatever they may be changed to; ``Proof.at`` has the
            positions of those whose answer changes. Rows that have no certain answer as they are
            do not count.

        Notes
        -----
        Without X, a number that matters at all is only stable away from the model's thresholds:
        ``Proof.near`` lists those that a row can be close to.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = ol.read({"feature": "age", "relation": "<=", "reference": 25,
        ...                 "true": {"prediction": 1}, "false": {"prediction": 0}},
        ...                feature_names=["age"])
        >>> print(ol.prove(tree).stable("age", by=2))
        a change of age by at most 2 can change the answer, as for these two rows:
          age = 25: 1
          age = 26: 0
        The answer changes at age <= 25.
        >>> bool(ol.prove(tree).stable("age", by=2, where={"age": (26, None)}))
        True
        >>> ol.prove(tree).stable("age", by=2, X=[[20], [24], [28]]).at
        (1,)
        """
        own = self._ordered(feature, "stable")
        step = exact_number(by, "by")
        if not step:
            raise InvalidData("by is 0: give a number above 0")
        region = read_region(where, self.space)
        number = f"{float(step):.12g}"
        change = f"a change of {printable(feature)} by at most {number}"
        claim = f"{change} never changes the answer"
        instead = f"{change} can change the answer, as for these two rows:"
        if X is None:
            return self._pair((feature,), region, Near(own, step), claim, lambda rows: instead)
        if where is not None:
            raise InvalidData("give where= or X=, not both: leave out rows that do not count")
        return stable_rows(self, own, step, X, claim, instead)

    # -- two models ------------------------------------------------------------------------------

    @in_budget
    def same_as(self, other: Any, *, where: Mapping[str, Any] | None = None) -> Proof:
        """Whether another model gives every row the same answer.

        Features compare by name, and only values that both models allow count, as for
        ``orderless.equivalent``.

        Parameters
        ----------
        other : Tree, CanonicalForm, Ensemble, or any model that ``orderless.read`` reads
        where : dict of feature -> condition, optional
            Only rows inside count; on features of either model.

        Examples
        --------
        >>> import orderless as ol
        >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
        >>> print(ol.prove(tree).same_as({"prediction": 1}, where={"x0": True}))
        Proven: where x0, both models say the same.
        """
        return self._compared(other, where)

    # -- who answers -----------------------------------------------------------------------------

    @abstractmethod
    def find_row(self, outcome: Outcome, region: Region) -> Row | None:
        """Give a row inside a region that gets one of some answers; None if there is none."""

    @abstractmethod
    def find_pair(
        self, apart: Sequence[str], region: Region, wanted: Unequal | Falling | Near
    ) -> tuple[Row, Row] | None:
        """Give two rows inside a region that differ only in some features; None if none do."""

    @abstractmethod
    def thresholds(self, feature: str, region: Region, by: Fraction) -> tuple[float, ...]:
        """Give where a step of at most so much across the feature can change the answer."""

    @abstractmethod
    def status_of(self, rows: Rows) -> NDArray[Any]:
        """Give by row whether its answer is certain: 0 yes, 1 no; anything else is not known."""

    @abstractmethod
    def cuts_of(self, feature: str) -> list[float]:
        """Give all thresholds of the model on a feature."""

    @abstractmethod
    def _compared(self, other: Any, where: Mapping[str, Any] | None) -> Proof:
        """Compare with another model."""

    @abstractmethod
    def says(self, row: Row) -> Any:
        """Give what the model says of one row; None where it is not certain."""

    # -- what is asked, and how it is put --------------------------------------------------------

    def _single(self, outcome: Outcome, region: Region, claim: str, instead: str) -> Proof:
        row = self.find_row(outcome, region)
        return self._proof(region, claim, instead, () if row is None else (row,))

    def _pair(
        self,
        apart: Sequence[str],
        region: Region,
        wanted: Unequal | Falling | Near,
        claim: str,
        instead: Callable[[Sequence[Row]], str],
        said: Region | None = None,
    ) -> Proof:
        """Look for two rows; ``instead`` says of them what is true where the claim is not."""
        rows = self.find_pair(apart, region, wanted) or ()
        close: tuple[str, ...] = ()
        if rows and isinstance(wanted, Near):
            ends = self.thresholds(wanted.feature.name, region, wanted.by)
            close = tuple(sides_text([Side(wanted.feature, upper=end)]) for end in ends)
        inside = region if said is None else said
        return self._proof(inside, claim, instead(rows) if rows else "", rows, close)

    def _proof(
        self,
        region: Region,
        claim: str,
        instead: str = "",
        rows: Sequence[Row] = (),
        close: tuple[str, ...] = (),
    ) -> Proof:
        answers = tuple(self.says(row) for row in rows)
        shown = tuple(n for n in self.space.names if n in self.model.features or n in region)
        return Proof(
            not rows, claim_in(region, claim), tuple(rows), answers, close, (), self.space, shown,
            claim_in(region, instead),
        )  # fmt: skip

    def _names(self, features: str | Iterable[str]) -> tuple[str, ...]:
        names = (features,) if isinstance(features, str) else tuple(features)
        if not names:
            raise InvalidData("features is empty: name one at least")
        for name in names:
            self.space.index(name)
        return tuple(dict.fromkeys(names))

    def _ordered(self, name: str, what: str) -> Feature:
        feature = self.space[name]
        if not feature.ordered:
            raise InvalidData(
                f"{what} is about numbers, and {name!r} is categorical: ask ignores({name!r}), or "
                "constant_in with a set of its categories"
            )
        return feature


def claim_in(region: Region, claim: str) -> str:
    """Say of which rows a claim is made."""
    inside = {name: side for name, side in region.items() if not side.is_whole}
    return f"where {_words(inside)}, {claim}" if inside else claim


def models_differ(region: Region) -> str:
    """Say that two models do not decide the same."""
    return claim_in(region, "the two models differ, as on this row:")


def used_by(rows: Sequence[Row]) -> str:
    """Say of two rows with different answers which features are used; of several, one at least."""
    names = differing(rows)
    return (
        f"{_listed(names, 'or')} is used: these two rows differ only in {_listed(names)} and get "
        "different answers."
    )


def _words(region: Region) -> str:
    return sides_text(region.values())


def _listed(names: Iterable[str], last: str = "and") -> str:
    shown = [printable(name) for name in names]
    return f" {last} ".join([", ".join(shown[:-1]), shown[-1]] if shown[1:] else shown)
