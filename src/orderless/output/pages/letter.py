"""``reason_letters``: the principal reasons of a decision, with codes, and what would change it.

In:  a model, one row or many, and codes: a CSV file with the columns feature, code, text, and
     perhaps direction; or the same as a dict.
Out: ``Letter``: text, a page, and plain data. All that it says is about the model, and proven. The
     rule is fixed (docs/decisions/0031): features that are in every sufficient reason first, then
     the others of the one that ``explain`` shows; each time those first on which the row is
     furthest from leaving the reason.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import (
    InvalidData,
    InvalidParameter,
    OutOfTime,
    TooManyReasons,
    Undecided,
    a_kind,
    setting,
)
from ...form import Form, Term, canonical_form
from ...inputs import as_values, is_unknown, near, read_file, row_at, rows_for, some_names
from ...model import (
    TIME_LIMIT,
    Feature,
    Label,
    Side,
    Space,
    SumKernel,
    TreeKernel,
    label_text,
    printable,
    short_end,
    short_number,
    side_text,
)
from ...questions import Change, Changes, Explanation, explain
from ...readers import read_model
from ..templates import fragment, markup, page

__all__ = ["Code", "Codes", "Letter", "Reason", "letters_as_page", "read_codes", "reason_letters"]

COLUMNS = ("feature", "code", "text")
DIRECTIONS = ("", "low", "high")
MOST = 10_000_000  # bytes of a file


class Code(NamedTuple):
    """What a letter says of a feature."""

    code: str
    text: str


@dataclass(frozen=True)
class Codes:
    """The codes of features, by feature and direction ("low", "high", or "" for any)."""

    entries: Mapping[tuple[str, str], Code]

    def of(self, side: Side) -> Code:
        """Give the code of what a reason says of a feature."""
        name, direction = side.feature.name, direction_of(side)
        found = self.entries.get((name, direction)) or self.entries.get((name, ""))
        if found is None:
            given = [d for f, d in self.entries if f == name]
            raise InvalidData(
                f"the codes have {name!r:.80} as {' and '.join(given)}, and a reason says neither: "
                f"add a line for {name!r:.80} with an empty direction"
                if given
                else f"the codes have no line for {name!r:.80}: add one"
            )
        return found

    def check(self, space: Space, needed: Iterable[str]) -> None:
        """Refuse codes that lack a feature that a letter may have to name, or name another."""
        there = {feature for feature, _ in self.entries}
        for name in sorted(there):
            if name not in space:
                raise InvalidData(
                    f"the codes name {name!r:.80}, which is not a feature of the model"
                    f"{near(name, space.names)}: the features are {some_names(space.names)}"
                )
        missing = [name for name in needed if name not in there]
        if missing:
            raise InvalidData(
                f"the codes have no line for {some_names(missing)}, on which the model's answers "
                "depend: every such feature needs a code"
            )
        for name in needed:
            given = {d for f, d in self.entries if f == name}
            if "" not in given and (given != {"low", "high"} or not space[name].ordered):
                raise InvalidData(
                    f"the codes have {name!r:.80} only as {' and '.join(sorted(given))}: add "
                    + ("the other direction, or one line" if space[name].ordered else "a line")
                    + " with an empty direction"
                )


def direction_of(side: Side) -> str:
    """Say whether a condition is about a number being low or high; "" if about neither."""
    if side.feature.kind != "numeric" or side.nan or not side.lower < side.upper:
        return ""
    low, high = side.feature.bounds
    ends = side.lower > low, side.upper < high
    return {(True, False): "high", (False, True): "low"}.get(ends, "")


def read_codes(given: Any) -> Codes:
    """Read the codes of features.

    Parameters
    ----------
    given : Codes, path of a CSV file, or dict of feature -> (code, text)

    Examples
    --------
    >>> read_codes({"income": ("R01", "Income")}).entries
    {('income', ''): Code(code='R01', text='Income')}
    """
    if isinstance(given, Codes):
        return given
    if isinstance(given, Mapping):
        rows = [_pair(feature, entry) for feature, entry in given.items()]
        return _checked(rows, "the codes")
    if not isinstance(given, str | Path):
        raise InvalidData(
            f"codes must be the path of a CSV file or a dict of feature -> (code, text), got "
            f"{a_kind(given)}"
        )
    name = Path(given).name
    try:
        text = read_file(given, MOST).decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise InvalidData(f"{name} is not UTF-8 text ({fault}): save it as CSV UTF-8") from None
    return _checked(_rows(text, name), name)


def _pair(feature: Any, entry: Any) -> tuple[str, ...]:
    two = isinstance(entry, Sequence) and not isinstance(entry, str | bytes) and len(entry) == 2
    if not two or not all(isinstance(part, str) for part in (feature, *entry)):
        raise InvalidData(
            f"the codes must give each feature a code and a text, got {entry!r:.80} for "
            f"{feature!r:.80}"
        )
    return "", feature, *entry, ""


def _rows(text: str, name: str) -> list[tuple[str, ...]]:
    try:
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as fault:
        raise InvalidData(f"{name} is not complete CSV: {fault}") from fault
    head = [cell.strip() for cell in lines[0]] if lines else []
    known = (*COLUMNS, "direction")
    if set(head) - set(known) or set(COLUMNS) - set(head) or len(set(head)) != len(head):
        raise InvalidData(
            f"{name} must have the columns {some_names(COLUMNS)} and perhaps 'direction', got "
            f"{some_names(head)}"
        )
    out = []
    for at, cells in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(head):
            raise InvalidData(f"{name}, line {at}: {len(cells)} cells, the first has {len(head)}")
        row = dict(zip(head, (cell.strip() for cell in cells), strict=True))
        out.append((f", line {at}", *(row.get(key, "") for key in known)))
    return out


def _checked(rows: Iterable[Sequence[str]], name: str) -> Codes:
    """Refuse what is empty or ambiguous."""
    entries: dict[tuple[str, str], Code] = {}
    texts: dict[str, str] = {}
    for at, feature, code, text, direction in rows:
        where = f"{name}{at}"
        for what, cell in (("feature", feature), ("code", code), ("text", text)):
            if not cell.strip():
                raise InvalidData(f"{where}: the {what} is empty")
        if direction not in DIRECTIONS:
            raise InvalidData(
                f"{where}: direction must be low, high or empty, got {direction!r:.80}"
            )
        if (feature, direction) in entries:
            raise InvalidData(f"{where}: {feature!r:.80} is there twice, so its code is ambiguous")
        if texts.setdefault(code, text) != text:
            raise InvalidData(f"{where}: the code {code!r:.80} has two texts, so it is ambiguous")
        entries[feature, direction] = Code(code, text)
    if not entries:
        raise InvalidData(f"{name} has no codes: give each feature a code and a text")
    return Codes(entries)


NOT_ADVICE = (
    "This letter says how a model came to its answer. Each statement about the model has been "
    "proven for every possible row. It is not legal advice, and it does not say whether the law "
    "asks for other or further reasons."
)


@dataclass(frozen=True)
class Reason:
    """One principal reason.

    Attributes
    ----------
    code, text : str
        As the codes have them.
    features : tuple of str
        The features that it stands for.
    conditions : tuple of str
        What holds for them, in words.
    values : tuple
        The values of the row; None where it has none under the feature's name.
    necessary : bool
        Whether every sufficient reason has one of its features.
    margin : int
        How many thresholds of the model the row is from leaving the conditions, on the feature on
        which it is furthest; 1 for a category.
    """

    code: str
    text: str
    features: tuple[str, ...]
    conditions: tuple[str, ...]
    values: tuple[Any, ...]
    necessary: bool
    margin: int = 1

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold."""
        return {
            "code": self.code,
            "text": self.text,
            "features": list(self.features),
            "conditions": list(self.conditions),
            "values": list(self.values),
            "necessary": self.necessary,
            "margin": self.margin,
        }


@dataclass(frozen=True)
class Letter:
    """The principal reasons of one decision. It is false where there is no letter to be sent.

    Made by ``orderless.reason_letters``.

    Attributes
    ----------
    decision
        The class; None where it is not certain.
    reasons : tuple of Reason
        The principal reasons, in their order.
    left_out : tuple of Reason
        Further reasons, in the same order, that are named and not explained. All of them together
        with ``reasons`` are enough for the decision; ``reasons`` alone need not be.
    not_needed : tuple of str
        Features whose values made no difference: with the conditions of the reason, the decision is
        the same whatever they are.
    unknown : tuple of str
        Features whose value was not known; the decision is the same whatever they are.
    changes : tuple of str
        What would change the decision, in sentences.
    n_ways : int
        How many ways to change it there are; ``changes`` may have fewer.
    why_not : str
        Why there is no letter; empty where there is one.
    name : str
        What the row is called.
    """

    decision: Label | None
    reasons: tuple[Reason, ...] = ()
    left_out: tuple[Reason, ...] = ()
    not_needed: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    n_ways: int = 0
    why_not: str = ""
    name: str = ""

    def __bool__(self) -> bool:
        return not self.why_not

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the principal reasons, in their order."""
        return tuple(reason.code for reason in self.reasons)

    @property
    def n_more(self) -> int:
        """How many further reasons belong to the same sufficient reason and are left out."""
        return len(self.left_out)

    def _parts(self) -> list[tuple[str, list[str]]]:
        """Give what follows the reasons: headings with sentences."""
        out = []
        if self.left_out:
            named = "; ".join(f"[{reason.code}] {reason.text}" for reason in self.left_out)
            out.append(
                (f"The other {self.n_more:,}" if self.n_more > 1 else "The other one", [named])
            )
        if self.not_needed:
            out.append(("What made no difference", [", ".join(self.not_needed)]))
        if self.unknown:
            lead = "The decision is the same whatever they are: "
            out.append(("What was not known", [lead + ", ".join(self.unknown)]))
        if self.changes:
            more = self.n_ways - len(self.changes)
            lines = [*self.changes]
            if more:
                lines.append(f"There {'is' if more == 1 else 'are'} {more:,} more.")
            out.append(("What would change the decision", lines))
        elif self:
            none = "No change of the values that may change gives another decision."
            out.append(("What would change the decision", [none]))
        return out

    def _lead(self) -> str:
        if not self.reasons:
            return "The model gives this answer to every row; no value made a difference."
        if self.n_more:
            n = len(self.reasons)
            return (
                f"{n + self.n_more:,} reasons are enough together for the decision, whatever the "
                f"other values are. The {f'{n:,} that are' if n > 1 else 'one that is'} shown need "
                "not be enough without the others, which are named below:"
            )
        if len(self.reasons) == 1:
            return "This reason is enough for the decision, whatever the other values are:"
        return "These reasons are enough together for the decision, whatever the other values are:"

    def _items(self) -> list[tuple[Reason, list[str]]]:
        """Give each reason with what holds, in words."""
        out = []
        for reason in self.reasons:
            lines = []
            for condition, value in zip(reason.conditions, reason.values, strict=True):
                yours = "" if value is None else f" (here {label_text(value)})"
                lines.append(f"{condition}{yours}")
            if reason.necessary:
                lines.append("No explanation of this decision can do without it.")
            out.append((reason, lines))
        return out

    def to_text(self) -> str:
        """Write it as text."""
        head = [f"For: {self.name}"] if self.name else []
        if self.why_not:
            return "\n".join([*head, f"No letter: {self.why_not}"])
        lines = [*head, f"Decision: {label_text(_label(self.decision))}", "", self._lead()]
        for place, (reason, texts) in enumerate(self._items(), start=1):
            lines.append(f"  {place}. [{reason.code}] {reason.text}")
            lines += [f"     {text}" for text in texts]
        for title, texts in self._parts():
            lines += ["", f"{title}:", *(f"  {text}" for text in texts)]
        return "\n".join(printable(line) for line in [*lines, "", NOT_ADVICE])

    def __str__(self) -> str:
        return self.to_text()

    def _html(self) -> str:
        return fragment(
            "pages/letter.html", letter=self, decision=label_text(_label(self.decision)),
            lead=self._lead(), items=self._items(), parts=self._parts(), not_advice=NOT_ADVICE,
        )  # fmt: skip

    def _repr_html_(self) -> str:
        return self._html()

    def to_html(self) -> str:
        """Write it as a page of its own, which loads nothing from elsewhere."""
        return letters_as_page([self])

    def to_dict(self) -> dict[str, Any]:
        """Give it as plain data that JSON can hold."""
        return {
            "name": self.name,
            "decision": self.decision,
            "why_not": self.why_not,
            "reasons": [reason.to_dict() for reason in self.reasons],
            "left_out": [reason.to_dict() for reason in self.left_out],
            "not_needed": list(self.not_needed),
            "unknown": list(self.unknown),
            "changes": list(self.changes),
            "ways_to_change": self.n_ways,
            "note": NOT_ADVICE,
        }

    def to_json(self) -> str:
        """Write it as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)


def _label(decision: Label | None) -> Label:
    return "" if decision is None else decision


def letters_as_page(letters: Iterable[Letter], title: str = "Reasons for a decision") -> str:
    """Write letters as one page; printed, each begins on a new sheet.

    Examples
    --------
    >>> letters_as_page([Letter("refuse")]).startswith("<!doctype html>")
    True
    """
    bodies: Sequence[Any] = [markup(letter._html()) for letter in letters]
    return page("pages/letter_page.html", title=title, bodies=bodies)


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
