"""polars: what a tree decides, as an expression.

In:  a tree.
Out: a ``polars.Expr``, for eager, lazy and streaming frames. Null and NaN are unknown, by polars'
     own three-valued logic.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ...errors import InvalidSpace
from ...model import Label, TreeKernel
from .certain import Ask, asks_next, question
from .formula import Absent, Every, Flag, Formula, Member, Number, Some, sources
from .plain import plain
from .sql import LIMIT, certain_classes

if TYPE_CHECKING:
    import polars as pl

__all__ = ["as_polars"]


def as_polars(
    tree: TreeKernel,
    *,
    columns: Mapping[str, str] | None = None,
    shape: str = "auto",
    needed: str | None = None,
    limit: int = LIMIT,
) -> pl.Expr:
    """Give the class, or the feature to ask; see ``Tree.to_polars``."""
    try:
        return _expression(tree, columns, shape, needed, limit)
    except UnicodeEncodeError as fault:
        raise InvalidSpace(
            f"the name or label {fault.object!r:.80} holds half of a surrogate pair, which polars "
            "cannot hold: rename it"
        ) from None


def _expression(
    tree: TreeKernel,
    columns: Mapping[str, str] | None,
    shape: str,
    needed: str | None,
    limit: int,
) -> pl.Expr:
    import polars as pl

    tree = plain(tree, "to_polars")
    known = sources(tree, columns)
    certain = certain_classes(tree, known, shape, limit)
    if asks_next(needed):
        ask = question(tree, known)
        if ask is None or len(certain) == 1:
            return pl.repeat(None, pl.len(), dtype=pl.String).alias("needed")
        settled = _condition(Some(tuple(formula for _, formula in certain)))
        return pl.when(settled).then(None).otherwise(_asked(ask)).alias("needed")
    labels = [pl.lit(label, dtype=_type(tree.classes)) for label, _ in certain]
    if len(labels) == 1:  # a literal would give one row, whatever the frame has
        return pl.repeat(labels[0], pl.len(), dtype=_type(tree.classes)).alias("prediction")
    out: Any = pl
    for label, (_, formula) in zip(labels, certain, strict=True):
        out = out.when(_condition(formula)).then(label)
    expression: pl.Expr = out.otherwise(None).alias("prediction")
    return expression


def _type(labels: tuple[Label, ...]) -> Any:
    """Give the type of column that a data frame gets from ``predict``."""
    import polars as pl

    if isinstance(labels[0], bool | str):
        return pl.Boolean if isinstance(labels[0], bool) else pl.String
    if any(isinstance(label, float) for label in labels):
        return pl.Float64
    if all(-(2**63) <= label < 2**63 for label in labels if isinstance(label, int)):
        return pl.Int64
    if all(0 <= label < 2**64 for label in labels if isinstance(label, int)):
        return pl.UInt64
    raise InvalidSpace(f"polars has no column type for the classes {labels!r:.80}")


def _condition(formula: Formula) -> pl.Expr:
    import polars as pl

    if isinstance(formula, Every):
        return _joined([_condition(part) for part in formula.parts], lambda a, b: a & b)
    if isinstance(formula, Some):
        return _joined([_condition(part) for part in formula.parts], lambda a, b: a | b)
    if isinstance(formula, bool):
        return pl.lit(formula)
    column = _column(formula.column)
    number = column.cast(pl.Float64).fill_nan(None)
    if isinstance(formula, Number):
        return number > formula.at if formula.above else number <= formula.at
    if isinstance(formula, Flag):
        return number == float(formula.value)
    if isinstance(formula, Absent):
        known = number if formula.numeric else column
        return known.is_null() if formula.absent else known.is_not_null()
    inside = _member(formula, column, number)
    return inside if formula.inside else ~inside


def _column(name: str) -> pl.Expr:
    """Give a column by its name; ``pl.col`` takes some names for patterns."""
    import polars as pl
    from polars import selectors

    if name == "*" or (name.startswith("^") and name.endswith("$")):
        return selectors.by_name(name).as_expr()
    return pl.col(name)


def _member(formula: Member, column: pl.Expr, number: pl.Expr) -> pl.Expr:
    import polars as pl

    texts = [label for label in formula.labels if isinstance(label, str)]
    if not texts:
        if any(abs(float(label)) >= 2**53 for label in formula.labels):  # floats would round
            return column.is_in(list(formula.labels))
        return number.is_in([float(label) for label in formula.labels])
    if len(texts) < len(formula.labels):
        raise InvalidSpace(
            f"the feature in column {formula.column!r} has both texts and numbers as categories, "
            "but a column of polars holds only one of the two"
        )
    return column.cast(pl.String).is_in(texts)


def _joined(parts: list[pl.Expr], join: Callable[[pl.Expr, pl.Expr], pl.Expr]) -> pl.Expr:
    """Join in a balanced way: polars goes through expressions by recursion."""
    while len(parts) > 1:
        pairs = [join(a, b) for a, b in zip(parts[::2], parts[1::2], strict=False)]
        parts = pairs + ([parts[-1]] if len(parts) % 2 else [])
    return parts[0]


def _asked(ask: Ask) -> pl.Expr:
    import polars as pl

    asked: pl.Expr = pl.lit(ask.feature)
    if ask.otherwise is not None:
        kept, settled = (
            _condition(ask.kept).fill_null(False),
            _condition(ask.settled).fill_null(False),
        )
        asked = pl.when(~kept & settled).then(asked).otherwise(_asked(ask.otherwise))
    if ask.then is None:
        return asked
    return pl.when(_condition(ask.gone)).then(_asked(ask.then)).otherwise(asked)
