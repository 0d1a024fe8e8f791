"""``reason_letters``: which reasons of a decision are the principal ones.

In:  a model, one row or many, and codes.
Out: ``Letter``. The rule is fixed (docs/decisions/0031): features that are in every sufficient
     reason first, then the others of the one that ``explain`` shows; each time those first on which
     the row is furthest from leaving the reason.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import partial
from typing import Any

import numpy as np

from ...errors import InvalidData, InvalidParameter, OutOfTime, TooManyReasons, Undecided, setting
from ...form import Form, Term, canonical_form
from ...inputs import as_values, is_unknown, near, row_at, rows_for, some_names
from ...model import (
    TIME_LIMIT,
    Feature,
    Label,
    Side,
    SumKernel,
    TreeKernel,
    short_end,
    short_number,
    side_text,
)
from ...questions import Change, Changes, Explanation, explain
from ...readers import read_model
from .codes import read_codes
from .letter import Letter, Reason

__all__ = ["reason_letters"]

AT_MOST = 4
WAYS = 3  # to change a decision that a letter lists
DIGITS = 6  # of a number in a letter, and all before the point
MOST_WHOLE = 16  # digits before the point; larger numbers have a power of ten


def reason_letters(
    model: Any,
    X: Any,
    codes: Any,
    *,
    at_most: int = AT_MOST,
    adverse: Any = None,
    immutable: Iterable[str] | None = None,
    ways: int = WAYS,
    names: Any = None,
    time_limit: float | None = TIME_LIMIT,
) -> Any:
    """Write the principal reasons of decisions, with codes, by a fixed rule.

    The reasons are the features of the sufficient reason that ``explain`` shows: the shortest, of
    an ensemble a minimal one. First come those that are in every sufficient reason of the row, then
    the others; each time that one first whose value would have to cross most thresholds of the
    model to leave the reason, then by name. Features with the same code are one reason. All of them
    together are enough for the decision. Where a letter explains fewer, it says so, and names the
    rest. It also says which features made no difference, and what would change the decision.
    Nothing in it is estimated: it is proven of the model, for every possible row.

    Ends of ranges that are not whole and have more than six digits are rounded towards the inside,
    so that what is said remains true: 665.0000000000001 is written "<= 665".

    Parameters
    ----------
    model : Tree, CanonicalForm, Ensemble, or any model that a reader knows
    X : dict, or array, data frame, list of dicts
        One row, or many. What is missing, None or NaN is unknown.
    codes : path of a CSV file, or dict of feature -> (code, text)
        The file has the columns feature, code and text, and perhaps direction: "low" or "high" for
        a line that is about numbers being low, or high. Every feature on which the model's answers
        depend needs a line; what is empty or ambiguous is refused.
    at_most : int
        How many reasons the letter explains; it names the others.
    adverse : label, or list of labels, optional
        The decisions that a letter is written for; by default all.
    immutable : names of features, optional
        What cannot be changed, and so is no part of what would change the decision.
    ways : int
        How many ways to change the decision the letter lists, at most.
    names : str, or one per row, optional
        What the rows are called.
    time_limit : float, optional
        Seconds for each part of a letter's explanation; see ``Model.explain``.

    Returns
    -------
    Letter, or an iterator of one per row
        Of one dict its letter. A letter is false, with ``why_not``, where there is no letter: the
        answer is not certain, is not adverse, or its reasons were not found in time.

    Notes
    -----
    It is not legal advice. It has the reason that ``explain(row)`` shows. Cost: that of this reason
    and of its changes.

    Examples
    --------
    >>> import orderless as ol
    >>> old = {"feature": "age", "relation": "<=", "reference": 25,
    ...        "true": {"prediction": "refuse"}, "false": {"prediction": "grant"}}
    >>> tree = {"feature": "income", "relation": "<=", "reference": 20, "true": old,
    ...         "false": {"prediction": "grant"}}
    >>> tree = ol.read(tree, space=ol.Space({"age": int, "income": int}))
    >>> codes = {"age": ("A1", "Length of history"), "income": ("I1", "Income")}
    >>> print(reason_letters(tree, {"age": 23, "income": 12}, codes, immutable=["age"]))
    Decision: refuse
    <BLANKLINE>
    These reasons are enough together for the decision, whatever the other values are:
      1. [A1] Length of history
         age <= 25 (here 23)
         No explanation of this decision can do without it.
      2. [I1] Income
         income <= 20 (here 12)
         No explanation of this decision can do without it.
    <BLANKLINE>
    What would change the decision:
      It would be grant if income were > 20.
    <BLANKLINE>
    This letter says how a model came to its answer. Each statement about the model has been proven
    for every possible row. It is not legal advice, and it does not say whether the law asks for
    other or further reasons.
    >>> rows = [{"age": 23, "income": 12}, {"age": 30, "income": 12}]
    >>> [letter.codes for letter in reason_letters(tree, rows, codes, adverse="refuse")]
    [('A1', 'I1'), ()]
    """
    writer = _Writer(model, codes, at_most, adverse, immutable, ways, time_limit)
    if isinstance(X, Mapping):
        return writer.letter(X, names if isinstance(names, str) else "")
    n = rows_for(writer.model, X).n_rows
    called = [""] * n if names is None else list(names)
    if isinstance(names, str) or len(called) != n:
        raise InvalidData(
            f"there are {n:,} rows and {1 if isinstance(names, str) else len(called):,} names: "
            "give one for each row"
        )
    return (writer.letter(row_at(X, writer.model.space, i), name) for i, name in enumerate(called))


class _Writer:
    """Writes letters about one model."""

    def __init__(
        self,
        model: Any,
        codes: Any,
        at_most: int,
        adverse: Any,
        immutable: Iterable[str] | None,
        ways: int,
        time_limit: float | None,
    ) -> None:
        for name, value, least in (("at_most", at_most, 1), ("ways", ways, 0)):
            if isinstance(value, bool) or not isinstance(value, int) or value < least:
                raise InvalidParameter(
                    f"{setting(name, value)}: give a whole number, {least} or more", name
                )
        self.model: TreeKernel | SumKernel = read_model(model)
        if self.model.task == "regression":
            raise InvalidData(
                "a letter is about a decision, and this model says numbers: make it one with "
                "discretize(levels) first"
            )
        self.codes, self.at_most, self.ways = read_codes(codes), at_most, ways
        self.immutable = None if immutable is None else list(immutable)
        self.adverse = self._labels(adverse)
        asked: SumKernel | Form
        if isinstance(self.model, SumKernel):
            asked = self.model
        else:  # whose bins are found once
            asked = canonical_form(self.model, time_limit=time_limit)
        self.explain: Callable[[Any], Explanation] = partial(explain, asked, time_limit=time_limit)
        self.codes.check(self.model.space, [own.name for own in asked.bins.features])

    def _labels(self, adverse: Any) -> list[Label] | None:
        """Read the decisions that letters are written for."""
        if adverse is None:
            return None
        given = list(adverse) if isinstance(adverse, list | tuple | set | frozenset) else [adverse]
        classes = list(self.model.classes or ())
        for label in given:
            if label not in classes:
                raise InvalidData(
                    f"adverse names {label!r:.80}, which is not a class{near(label, classes)}: the "
                    f"classes are {some_names(classes)}"
                )
        if not given:
            raise InvalidData("adverse is empty: name the decisions, or leave it out for all")
        return given

    def letter(self, row: Any, name: str) -> Letter:
        """Write one letter, or say why there is none."""
        why = self.explain(row)
        if why.label is None:
            return Letter(None, unknown=why.unknown, why_not=_not_certain(why), name=name)
        if self.adverse is not None and why.label not in self.adverse:
            return Letter(
                why.label, why_not=f"the decision, {why.label}, is not adverse.", name=name
            )
        try:
            reason = why.reason
            necessary = why.necessary
            changes = why.changes() if self.immutable is None else why.changes(
                immutable=self.immutable
            )  # fmt: skip
        except (Undecided, OutOfTime, TooManyReasons) as fault:
            return Letter(why.label, why_not=f"its reasons were not found: {fault}.", name=name)
        assert reason is not None
        reasons = self._reasons(why, reason, frozenset(necessary))
        unknown = tuple(n for n in why.unknown if n not in reason.features)
        rest = {*reason.features, *unknown}
        if not self.model.space.domain.restricts:  # else a narrower range may have no possible row
            changes = Changes(map(_rounded_change, changes))
        said = [_said(change.label, str(change), change.certain) for change in changes]
        return Letter(
            why.label,
            tuple(reasons[: self.at_most]),
            tuple(reasons[self.at_most :]),
            tuple(n for n in sorted(why.depends_on) if n not in rest),
            unknown,
            tuple(said[: self.ways]),
            len(said),
            name=name,
        )

    def _reasons(self, why: Explanation, reason: Term, necessary: frozenset[str]) -> list[Reason]:
        """Put the features of a sufficient reason into their order; those with one code are one."""
        margins = why.margins(reason)

        def place(side: Side) -> tuple[bool, int, str]:
            name = side.feature.name
            return name not in necessary, -margins[name], name

        out: dict[str, Reason] = {}
        for side in sorted(reason.sides, key=place):
            feature, code = side.feature.name, self.codes.of(side)
            value = _value(why.row.get(feature))
            own = Reason(code.code, code.text, (feature,), (side_text(rounded(side, value)),),
                         (value,), feature in necessary, margins[feature])  # fmt: skip
            if code.code in out:
                one = out[code.code]
                own = Reason(code.code, code.text, one.features + own.features,
                             one.conditions + own.conditions, one.values + own.values,
                             one.necessary, max(one.margin, own.margin))  # fmt: skip
            out[code.code] = own
        return list(out.values())


def rounded(side: Side, value: Any) -> Side:
    """Give what a person is to read of a range: its ends with few digits, moved inwards.

    So all that is said of the range holds of what comes out. It still has the value, if that is a
    number; a range that cannot be written with few digits stays as it is.

    Examples
    --------
    >>> from orderless import Feature
    >>> side_text(rounded(Side(Feature("area"), upper=665.0000000000001), 421.5))
    'area <= 665'
    """
    feature = side.feature
    if feature.kind != "numeric" or feature.whole or not side.lower < side.upper:
        return side
    known = isinstance(value, int | float) and not isinstance(value, bool)
    number = float(as_values(feature, np.asarray(value))) if known else None
    lower = _few_digits(feature, side.lower, ROUND_CEILING)
    upper = _few_digits(feature, side.upper, ROUND_FLOOR)
    if number is not None:
        lower = lower if lower < number else side.lower
        upper = upper if number <= upper else side.upper
    return replace(side, lower=lower, upper=upper) if lower < upper else side


def _few_digits(feature: Feature, end: float, way: str) -> float:
    """Round an end of a range up or down; give the end itself where it is short already."""
    low, high = feature.bounds
    if not low < end < high:
        return end
    number = Decimal(short_number(end, feature.values))
    whole = number.adjusted() + 1  # digits before the point
    digits = whole if DIGITS < whole <= MOST_WHOLE else DIGITS
    if len(Decimal(short_end(end, feature.values)[0]).normalize().as_tuple().digits) <= digits:
        return end
    near = float(Context(prec=digits, rounding=way).create_decimal(number))
    near = float(as_values(feature, np.asarray(near)))
    return near if (near >= end if way == ROUND_CEILING else near <= end) else end


def _rounded_change(change: Change) -> Change:
    ranges = {name: rounded(side, None) for name, side in change.ranges.items()}
    return replace(change, ranges=ranges)


def _not_certain(why: Explanation) -> str:
    """Say why there is no certain answer."""
    return str(why).splitlines()[0].replace("Not determined", "the answer is not certain", 1)


def _said(label: Label, change: str, certain: bool) -> str:
    return f"It {'would' if certain else 'could'} be {label} if {change}."


def _value(value: Any) -> Any:
    """Give a value of the row as JSON can hold it; None where there is none."""
    if isinstance(value, np.generic):
        value = value.item()
    if is_unknown(value) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)  # a frame with gaps has its whole numbers as floats
    return value if isinstance(value, bool | int | float | str) else str(value)
