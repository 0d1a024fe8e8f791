"""Expressions: what a tree decides, for every data frame and database that narwhals speaks to.

In:  a tree, or a sum of trees.
Out: a narwhals expression, for polars (eager, lazy), pandas, pyarrow, DuckDB, Dask and Spark. Null
     and NaN are unknown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import narwhals as nw

from ...errors import InvalidSpace
from ...model import Label, SumKernel, TreeKernel
from .certain import Ask, asks_next, certain_by_tree, question
from .formula import (
    Absent,
    Bound,
    Every,
    Flag,
    Formula,
    Member,
    Number,
    Some,
    Threshold,
    sources,
)
from .plain import plain
from .sums import LIMIT, certain_by_bounds, check_of, score_bound

if TYPE_CHECKING:
    from narwhals.typing import IntoDType

__all__ = ["sum_as_expression", "tree_as_expression"]


def tree_as_expression(
    tree: TreeKernel, *, columns: Mapping[str, str] | None = None, needed: str | None = None
) -> nw.Expr:
    """Return the class, or the feature to ask; see ``Tree.to_expression``."""
    tree = plain(tree, "to_expression")
    by_feature = sources(tree, columns)
    certain = certain_by_tree(tree, by_feature)
    if asks_next(needed):
        ask = question(tree, by_feature)
        if ask is None or len(certain) == 1:
            return nw.lit(None, dtype=nw.String).alias("needed")
        settled = _condition(Some(tuple(formula for _, formula in certain)))
        return nw.when(~settled).then(_question(ask)).alias("needed")
    return _class(tree.classes, certain)


def sum_as_expression(
    model: SumKernel,
    *,
    columns: Mapping[str, str] | None = None,
    of: str = "answer",
    limit: int = LIMIT,
) -> nw.Expr:
    """Return the class where it is certain by bounds, or a bound of the score."""
    model = plain(model, "to_expression")
    by_feature = sources(model, columns)
    check_of(model, of)
    if of == "answer":
        return _class(model.classes, certain_by_bounds(model, by_feature, limit))
    scaled = score_bound(model, by_feature, upper=of == "upper", limit=limit)
    number = _bound(scaled.bound).cast(nw.Float64) * scaled.unit / scaled.divisor
    if scaled.widened:
        number = number + number.abs() * scaled.widened
    return number.alias(of)


def _class(classes: tuple[Label, ...], certain: list[tuple[Label, Formula]]) -> nw.Expr:
    dtype = _dtype(classes)
    expression: nw.Expr | None = None
    for label, formula in reversed(certain):
        if isinstance(label, str):
            _check_text(label, "the label")
        literal = nw.lit(label, dtype=dtype)
        if formula is True:
            return literal.alias("prediction")
        case = nw.when(_condition(formula)).then(literal)
        expression = case if expression is None else case.otherwise(expression)
    assert expression is not None
    return expression.alias("prediction")


def _dtype(labels: tuple[Label, ...]) -> IntoDType:
    """Return the type of the column that a data frame gets from ``predict``."""
    if isinstance(labels[0], bool | str):
        return nw.Boolean if isinstance(labels[0], bool) else nw.String
    if any(isinstance(label, float) for label in labels):
        return nw.Float64
    if all(-(2**63) <= label < 2**63 for label in labels if isinstance(label, int)):
        return nw.Int64
    if all(0 <= label < 2**64 for label in labels if isinstance(label, int)):
        return nw.UInt64
    raise InvalidSpace(
        f"the classes {labels!r:.80} do not fit into a column of 64-bit integers: give them other "
        "labels with tree.replace(classes=...)"
    )


def _condition(formula: Formula) -> nw.Expr:
    """Write a formula that is true or false of every row: what is not certain is false."""
    if isinstance(formula, bool):
        return nw.lit(formula)
    if isinstance(formula, Every):
        return _joined([_condition(part) for part in formula.parts], lambda a, b: a & b)
    if isinstance(formula, Some):
        return _joined([_condition(part) for part in formula.parts], lambda a, b: a | b)
    if isinstance(formula, Threshold):
        bound = _bound(formula.bound)
        return bound > formula.at if formula.above else bound <= formula.at
    column = _column(formula.column)
    if isinstance(formula, Member) and any(isinstance(label, str) for label in formula.labels):
        condition, observed = _text_member(formula, column), ~column.is_null()
    elif isinstance(formula, Absent) and not formula.numeric:
        return column.is_null() if formula.absent else ~column.is_null()
    else:
        number = column.cast(nw.Float64)
        observed = ~(number.is_null() | number.is_nan())
        if isinstance(formula, Absent):
            return ~observed if formula.absent else observed
        if isinstance(formula, Number):
            condition = number > formula.at if formula.above else number <= formula.at
        elif isinstance(formula, Flag):
            condition = number == float(formula.value)
        else:
            condition = _number_member(formula, column, number)
    return (condition & observed).fill_null(False)


def _bound(bound: Bound) -> nw.Expr:
    base = nw.lit(bound.base, dtype=nw.Int64)
    return _joined([base, *map(_tree_bound, bound.trees)], lambda a, b: a + b)


def _tree_bound(leaves: Sequence[tuple[Formula, int]]) -> nw.Expr:
    """Write what one tree adds: the first leaf that is not excluded."""
    expression = nw.lit(leaves[-1][1], dtype=nw.Int64)
    for excluded, value in reversed(leaves[:-1]):
        literal = nw.lit(value, dtype=nw.Int64)
        expression = nw.when(_condition(excluded)).then(expression).otherwise(literal)
    return expression


def _column(name: str) -> nw.Expr:
    _check_text(name, "the column")
    if name == "*" or (name.startswith("^") and name.endswith("$")):
        raise InvalidSpace(
            f"polars takes the name {name!r:.80} for a pattern of names: rename the column, and "
            "give its new name in columns="
        )
    return nw.col(name)


def _check_text(text: str, what: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise InvalidSpace(
            f"{what} {text!r:.80} holds half of a surrogate pair, which data frames cannot hold: "
            "rename it"
        ) from None


def _text_member(formula: Member, column: nw.Expr) -> nw.Expr:
    texts = [label for label in formula.labels if isinstance(label, str)]
    if len(texts) < len(formula.labels):
        raise InvalidSpace(
            f"the feature in column {formula.column!r} has both texts and numbers as categories, "
            "but a column of a data frame holds only one of the two"
        )
    for text in texts:
        _check_text(text, "the category")
    inside = column.cast(nw.String).is_in(texts)
    return inside if formula.inside else ~inside


def _number_member(formula: Member, column: nw.Expr, number: nw.Expr) -> nw.Expr:
    if any(abs(float(label)) >= 2**53 for label in formula.labels):  # floats would round them
        inside = column.is_in(list(formula.labels))
    else:
        inside = number.is_in([float(label) for label in formula.labels])
    return inside if formula.inside else ~inside


def _joined(parts: list[nw.Expr], join: Callable[[nw.Expr, nw.Expr], nw.Expr]) -> nw.Expr:
    """Join in a balanced way: engines go through expressions by recursion."""
    while len(parts) > 1:
        pairs = [join(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + ([parts[-1]] if len(parts) % 2 else [])
    return parts[0]


def _question(ask: Ask) -> nw.Expr:
    question = nw.lit(ask.feature, dtype=nw.String)
    if ask.otherwise is not None:
        asked = ~_condition(ask.kept) & _condition(ask.settled)
        question = nw.when(asked).then(question).otherwise(_question(ask.otherwise))
    if ask.then is None:
        return question
    return nw.when(_condition(ask.gone)).then(_question(ask.then)).otherwise(question)
