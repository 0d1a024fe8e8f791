"""Proofs: properties of a model that hold for every possible row, or the rows that refute them.

In:  a kernel, features, conditions, answers.
Out: ``prove``; ``Properties``, whose methods give a ``Proof``: true or false, with the
     counterexample; as text, as columns and as data.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

from ..errors import InvalidData, InvalidTree, a_kind
from ..form import cuts_by_feature
from ..inputs import column_value, exact_number, near, read_region, some_names
from ..model import (
    TIME_LIMIT,
    Budget,
    Fact,
    Feature,
    Label,
    Side,
    Space,
    SumKernel,
    TreeKernel,
    adjusted_row,
    common_sides,
    example_row,
    in_budget,
    label_text,
    printable,
    short_number,
    sides_text,
)
from ..readers import read_model
from .compare import ModelPair
from .rows import answer_of
from .search import Falling, Near, Outcome, PossiblePairs, Relation, Unequal, search_of, two_steps
from .small_changes import stable_rows

__all__ = ["Proof", "Properties", "plain_row", "prove", "value_text"]

LISTED = 8  # thresholds and rows that a text lists
SAME = "both models say the same"
ENDS = ("above", "at_least", "at_most", "below")

Model = TreeKernel | SumKernel
Region = Mapping[str, Side]
Box = Mapping[str, Side]
Row = dict[str, Any]


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
    kernel = read_model(model)
    Budget(time_limit)  # refuses what is no limit
    return Properties(kernel if facts is None else kernel.with_facts(facts), time_limit)


# -- the answer ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Proof:
    """A property that is proven for all rows, or refuted by one or two of them.

    Made by the methods of ``orderless.prove(model)``. It is true if the property holds.

    Attributes
    ----------
    proven : bool
        Whether the property holds for every row; otherwise ``rows`` refutes it.
    claim : str
        The property in words.
    rows : tuple of dict
        The counterexample: none if the property is proven, one row, or two rows that differ only in
        the features that the property is about. Each has a value for every feature, and has been
        put through the model.
    answers : tuple
        What the model says of these rows; for ``same_as`` what each of the two models says of the
        row.
    near : tuple of str
        For ``stable``: every threshold at which a small change can change the answer; of an
        ensemble those that were found.
    at : tuple of int
        For ``stable`` with rows: the positions of the rows whose answer a small change can change.

    Examples
    --------
    >>> import orderless as ol
    >>> tree = ol.read({"feature": "age", "relation": "<=", "reference": 25,
    ...                 "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}},
    ...                feature_names=["age"])
    >>> found = ol.prove(tree).never("refuse", where={"age": (18, 30)})
    >>> bool(found), found.row, found.answers
    (False, {'age': 20.0}, ('refuse',))
    >>> print(found)
    where 18 <= age <= 30, the answer can be refuse, as for this row:
      age = 20: refuse
    >>> print(ol.prove(tree).never("refuse", where={"age": (26, None)}))
    Proven: where age >= 26, the answer is never refuse.
    """

    proven: bool
    claim: str
    rows: tuple[dict[str, Any], ...] = ()
    answers: tuple[Label, ...] = ()
    near: tuple[str, ...] = ()
    at: tuple[int, ...] = ()
    _space: Space | None = field(default=None, repr=False)
    _shown: tuple[str, ...] = field(default=(), repr=False)  # the features that matter
    _instead: str = field(default="", repr=False)  # a sentence: what is true where the claim is not

    def __bool__(self) -> bool:
        return self.proven

    @property
    def row(self) -> dict[str, Any] | None:
        """The first row of the counterexample; None if the property is proven."""
        return self.rows[0] if self.rows else None

    @property
    def columns(self) -> tuple[dict[str, Any], ...]:
        """The rows of the counterexample by column, as the model's own library takes them.

        They differ from ``rows`` where several columns describe one feature, as after one-hot
        encoding.
        """
        if self._space is None:
            return self.rows
        return tuple(
            {
                column.name: column_value(self._space, column, row[column.feature])
                for column in self._space.columns
            }
            for row in self.rows
        )

    def __str__(self) -> str:
        if self.proven:
            return f"Proven: {self.claim}."
        lines = [self._instead, *self._examples()]
        if self.near:
            more = f" and {len(self.near) - LISTED:,} more" if len(self.near) > LISTED else ""
            lines.append(f"The answer changes at {', '.join(self.near[:LISTED])}{more}.")
        if self.at:
            more = ", ..." if len(self.at) > LISTED else ""
            which = ", ".join(str(i) for i in self.at[:LISTED]) + more
            lines.append(f"It does so for {len(self.at):,} of the rows, counted from 0: {which}.")
        return "\n".join(lines)

    def _examples(self) -> list[str]:
        """Write the rows with all values: first those that differ, then those that matter."""
        if not self.rows:
            return []
        answers = [label_text(a) if isinstance(a, str) else f"{a}" for a in self.answers]
        if len(answers) > len(self.rows):
            answers = [f"this model says {answers[0]}, the other {answers[1]}"]
        changed = differing(self.rows)
        names = sorted(self.rows[-1], key=lambda n: (n not in changed, n not in self._shown))
        out = []
        for row, says in zip(self.rows, answers, strict=True):
            cells = (f"{printable(n)} = {value_text(row[n])}" for n in names if n in row)
            out.append(f"  {', '.join(cells)}: {says}")
        return out

    def __repr__(self) -> str:
        return (
            f"Proof(proven: {self.claim})"
            if self.proven
            else f"Proof(refuted: {self._instead[:-1]})"
        )

    def _repr_html_(self) -> str:
        lines = "".join(f"<p>{html.escape(line)}</p>" for line in str(self).splitlines())
        return f'<div class="orderless-proof">{lines}</div>'

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold."""
        out: dict[str, Any] = {"claim": self.claim, "proven": self.proven}
        if not self.proven:
            out["rows"] = [plain_row(row) for row in self.rows]
            out["answers"] = list(self.answers)
        if self.near:
            out["near"] = list(self.near)
        if self.at:
            out["at"] = list(self.at)
        return out


def differing(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Give the features in which a row differs from the one before it."""
    return [
        name for name in (rows[-1] if rows else ())
        if not all(_same(one.get(name), two.get(name)) for one, two in pairwise(rows))
    ]  # fmt: skip


def _same(a: Any, b: Any) -> bool:
    return bool(a == b) or (a != a and b != b)


def value_text(value: Any) -> str:
    """Write the value of a row."""
    if isinstance(value, float) and math.isnan(value):
        return "missing"
    return short_number(value) if type(value) is float else label_text(value)


def plain_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Give a row as JSON can hold it: what is missing as null, infinity as text."""
    out: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, float) and not math.isfinite(value):
            out[name] = None if math.isnan(value) else str(value)
        else:
            out[name] = value
    return out


# -- the questions -------------------------------------------------------------------------------


class Properties:
    """What can be proven of a model, or refuted by a row. Made by ``orderless.prove``.

    Every method gives a ``Proof``, which is true if the property holds for every possible row, and
    otherwise has rows that refute it. Possible rows are those of the model's ``Space``: there is no
    whole number between 2 and 3, and no row has two colors. Conditions (``where``, ``given``) are
    dicts of feature -> value, range ``(lower, upper)`` with both ends inside and None for no end,
    dict of ends (``above``, ``at_least``, ``at_most``, ``below``), or set of categories.

    For an ensemble every method may raise ``Undecided``; what is proven is about sums without
    rounding, as for ``orderless.equivalent``.
    """

    def __init__(self, model: Model, time_limit: float | None) -> None:
        self.model, self.time_limit = model, time_limit
        self.space = model.space
        self.search = search_of(model)

    @cached_property
    def _cuts(self) -> dict[str, list[float]]:
        """The thresholds of the model, by feature."""
        return cuts_by_feature(self.model.trees)

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
        pair, at = stable_rows(self.model, own, step, X)
        answers = tuple(self.says(row) for row in pair)
        return Proof(
            not at, claim, pair, answers, at=at, _space=None if at else self.space,
            _shown=self._shown({}), _instead=instead,
        )  # fmt: skip

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
        pair = ModelPair(self.model, read_model(other))
        region = pair.region(where)
        box = pair.difference(region)
        if box is None:
            return Proof(True, claim_in(region, SAME))
        row, answers = pair.row(box, region)
        used = {*pair.features, *region}
        return Proof(
            False, claim_in(region, SAME), (row,), answers,
            _shown=tuple(name for name in row if name in used),
            _instead=claim_in(region, "the two models differ, as on this row:"),
        )  # fmt: skip

    # -- what is asked, and how it is put --------------------------------------------------------

    def _single(self, outcome: Outcome, region: Region, claim: str, instead: str) -> Proof:
        box = self.search.box(outcome, region)
        proof = self._proof(
            region, claim, instead, () if box is None else (self._row(box, region),)
        )
        if not all(self._is_one_of(outcome, answer) for answer in proof.answers):
            raise AssertionError(f"the row {proof.row} does not get the answer that was searched")
        return proof

    def _is_one_of(self, outcome: Outcome, answer: Any) -> bool:
        if self.model.task == "regression":
            return bool(outcome.lower < answer <= outcome.upper)
        return answer in [self.model.classes[code] for code in outcome.codes]

    def _pair(
        self,
        differing: Sequence[str],
        region: Region,
        relation: Relation,
        claim: str,
        instead: Callable[[Sequence[Row]], str],
        said: Region | None = None,
    ) -> Proof:
        """Look for two rows; ``instead`` says of them what is true where the claim is not."""
        used = any(name in self.model.features for name in differing)
        pair = self.search.pair(differing, region, relation) if used else None
        rows = () if pair is None else self._two_rows(*pair, differing, region, relation)
        close: tuple[str, ...] = ()
        if rows and isinstance(relation, Near):
            ends = self.search.thresholds(region, relation)
            close = tuple(sides_text([Side(relation.feature, upper=end)]) for end in ends)
        inside = region if said is None else said
        proof = self._proof(inside, claim, instead(rows) if rows else "", rows, close)
        if rows and proof.answers[0] == proof.answers[1]:
            raise AssertionError(f"the rows {rows} do not get different answers")
        return proof

    def _proof(
        self,
        region: Region,
        claim: str,
        instead: str = "",
        rows: Sequence[Row] = (),
        close: tuple[str, ...] = (),
    ) -> Proof:
        answers = tuple(self.says(row) for row in rows)
        return Proof(
            not rows, claim_in(region, claim), tuple(rows), answers, close, (), self.space,
            self._shown(region), claim_in(region, instead),
        )  # fmt: skip

    def _shown(self, region: Region) -> tuple[str, ...]:
        """Return the features that a text shows first."""
        return tuple(n for n in self.space.names if n in self.model.features or n in region)

    # -- rows ------------------------------------------------------------------------------------

    def says(self, row: Row) -> Any:
        """Return the answer of one row; None where it is not certain."""
        return answer_of(self.model, row)

    def _row(self, box: Box, region: Region) -> Row:
        """Return a possible row in a box, with a value for every feature."""
        # Numbers that a condition is about are themselves inside, without rounding.
        rounded = [name for name in self.space.names if name not in region]
        row = example_row(self.space.features, box, self._cuts, rounded)
        return dict(adjusted_row(self.space.domain, row, box))

    def _two_rows(
        self, one: Box, two: Box, differing: Sequence[str], region: Region, relation: Relation
    ) -> tuple[Row, Row]:
        """Return two possible rows in two boxes that differ only in some features."""
        rounded = [name for name in self.space.names if name not in region]
        if self.space.domain.restricts:
            rows = PossiblePairs(self.space, differing, relation).rows(
                one, two, self._cuts, rounded
            )
            assert rows is not None, "two boxes that were found have two possible rows"
        else:
            common = common_sides(one, two)
            first = self._row({**common, **{n: one[n] for n in differing if n in one}}, region)
            others = [self.space[name] for name in differing]
            second = {**first, **example_row(others, two, self._cuts, rounded)}
            if isinstance(relation, Near):
                (name,) = differing
                first[name], second[name] = two_steps(
                    relation, one[name], two[name], self._cuts[name], rounded=name in rounded
                )
            rows = first, second
        return rows

    # -- what is read ----------------------------------------------------------------------------

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


# -- answers that are asked for ------------------------------------------------------------------


def class_ranks(model: Model, order: Sequence[Any] | None) -> tuple[tuple[int, ...], str]:
    """Give the place of each class in their order, and the order in words."""
    if model.task == "regression":
        if order is not None:
            raise InvalidData("order is about classes, and this model says numbers: leave it out")
        return (), ""
    classes = list(model.classes)
    if order is None:
        if any(isinstance(label, str) for label in classes):
            raise InvalidData(
                f"the classes {some_names(classes)} have no order of their own: give order=, "
                "the lowest first"
            )
        rising = sorted(classes, key=float)
        return tuple(rising.index(label) for label in classes), ""
    given = list(order) if isinstance(order, Iterable) and not isinstance(order, str) else [order]
    if len(given) != len(classes) or any(label not in given for label in classes):
        raise InvalidData(
            f"order must have each class once, the lowest first: {some_names(classes)}; got "
            f"{some_names(given)}"
        )
    words = " < ".join(label_text(label) for label in given)
    return tuple(given.index(label) for label in classes), f" ({words})"


def read_outcome(
    model: Model, label: Any, above: Any, at_least: Any, at_most: Any, below: Any
) -> tuple[Outcome, str]:
    """Read which answers are meant, and put them into words."""
    ends = {
        key: end
        for key, end in zip(ENDS, (above, at_least, at_most, below), strict=True)
        if end is not None
    }
    if (label is ...) == (not ends):
        raise InvalidData("give one answer, or for a model of numbers above=, at_least=, "
                          "at_most= or below=")  # fmt: skip
    if model.task == "classification":
        if ends:
            raise InvalidTree(
                f"{some_names(ends)} is about numbers, and this model says classes: name one "
                f"of {some_names(model.classes)}"
            )
        return _classes_named(model, label)
    if ends:
        return _interval(ends)
    number = _number(label, "the answer")
    words = f"{number:.12g}"
    return Outcome(lower=math.nextafter(number, -math.inf), upper=number), words


def _classes_named(model: Model, label: Any) -> tuple[Outcome, str]:
    many = list(label) if isinstance(label, set | frozenset | list | tuple) else [label]
    classes = list(model.classes)
    for one in many:
        if one not in classes:
            raise InvalidData(
                f"there is no class {one!r:.80}{near(one, classes)}: the classes are "
                f"{some_names(classes)}"
            )
    codes = frozenset(classes.index(one) for one in many)
    if not codes:
        raise InvalidData("the set of answers is empty: name one at least")
    return Outcome(codes), " or ".join(label_text(classes[code]) for code in sorted(codes))


def _number(given: Any, what: str) -> float:
    try:
        if isinstance(given, bool | str | bytes):
            raise TypeError
        number = float(given)
    except (TypeError, ValueError, OverflowError):
        raise InvalidData(f"{what} must be a number, got {a_kind(given)}") from None
    if not math.isfinite(number):
        raise InvalidData(f"{what} must be a finite number, got {number}")
    return number


def _interval(ends: Mapping[str, Any]) -> tuple[Outcome, str]:
    for pair in (("above", "at_least"), ("at_most", "below")):
        if all(key in ends for key in pair):
            raise InvalidData(f"give {pair[0]}= or {pair[1]}=, not both")
    lower, upper = -math.inf, math.inf
    for key, end in ends.items():
        number = _number(end, f"{key}=")
        beside = math.nextafter(number, -math.inf)
        if key in ("above", "at_least"):
            lower = number if key == "above" else beside
        else:
            upper = number if key == "at_most" else beside
    if not lower < upper:
        raise InvalidData(f"no number lies between the ends {dict(ends)!r:.120}")
    words = " and ".join(f"{key.replace('_', ' ')} {float(end):.12g}" for key, end in ends.items())
    return Outcome(lower=lower, upper=upper), words
