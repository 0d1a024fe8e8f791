"""SQL: what a tree decides, as an expression that any engine evaluates where the data is.

In:  a tree, or a sum of trees.
Out: SQL text. Where the class is certain it gives the class, elsewhere NULL; NULL (and NaN) in a
     column is unknown, by SQL's own three-valued logic.
Paper: Theorem 3.2: a row is determined iff it meets a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import TooManyReasons
from ...form import Form
from ...model import Label, SumKernel, TreeKernel
from .certain import Ask, asks_next, certain_by_reasons, certain_by_tree, question
from .formula import Bound, Every, Formula, Number, Some, Source, Threshold, sources
from .plain import plain
from .sql_words import Words
from .sums import LIMIT as BOUNDS_LIMIT, Scaled, certain_by_bounds, check_of, score_bound

__all__ = ["certain_classes", "certain_texts", "sum_as_sql", "tree_as_sql"]

SHAPES = ("auto", "reasons", "tree")
LIMIT = 1_000_000  # reasons that are written where they are asked for
FEW = 50  # reasons that "auto" writes down
SMALL = 300  # leaves of trees whose reasons "auto" counts
MANY = 64  # parts that are joined without parentheses


def tree_as_sql(
    tree: TreeKernel,
    *,
    dialect: str = "duckdb",
    columns: Mapping[str, str] | None = None,
    table: str | Sequence[str] | None = None,
    shape: str = "auto",
    needed: str | None = None,
    limit: int = LIMIT,
) -> str:
    """Write an expression, or a query if a table is given; see ``Tree.to_sql``."""
    words, asks = Words(dialect), asks_next(needed)
    tree = plain(tree, "to_sql")
    known = sources(tree, columns)
    certain = certain_classes(tree, known, shape, limit)
    if table is None:
        return _needed(words, tree, known, certain) if asks else _class(words, certain)
    more = {"prediction": _class(words, certain)}
    if asks:
        more["needed"] = _needed(words, tree, known, certain)
    return _query(words, table, more)


def _query(words: Words, table: str | Sequence[str], more: Mapping[str, str]) -> str:
    """Write a query that gives a table more columns."""
    alias = words.name("t")
    columns = [f"{expression} AS {words.name(name)}" for name, expression in more.items()]
    listed = ",\n".join([f"{alias}.*", *columns])
    return f"SELECT {listed}\nFROM {words.path(table)} {alias}"


def sum_as_sql(
    model: SumKernel,
    *,
    dialect: str = "duckdb",
    columns: Mapping[str, str] | None = None,
    table: str | Sequence[str] | None = None,
    of: str = "answer",
    limit: int = BOUNDS_LIMIT,
) -> str:
    """Write an expression, or a query if a table is given; see ``Ensemble.to_sql``."""
    words = Words(dialect)
    model = plain(model, "to_sql")
    known = sources(model, columns)
    check_of(model, of)
    if of == "answer":
        written = _class(words, certain_by_bounds(model, known, limit))
    else:
        written = _scaled(words, score_bound(model, known, upper=of == "upper", limit=limit))
    if table is None:
        return written
    return _query(words, table, {"prediction" if of == "answer" else of: written})


def _scaled(words: Words, scaled: Scaled) -> str:
    number = f"{words.double(f'({_bound(words, scaled.bound)})')} * {words.number(scaled.unit)}"
    if scaled.divisor != 1:
        number = f"{number} / {words.double(words.number(scaled.divisor))}"
    if scaled.widened:
        number = f"{number} + ABS({number}) * {words.double(words.number(scaled.widened))}"
    return number


def _bound(words: Words, bound: Bound) -> str:
    trees = [_tree_bound(words, leaves) for leaves in bound.trees]
    return _joined([words.integer(bound.base), *trees], " + ")


def _tree_bound(words: Words, leaves: Sequence[tuple[Formula, int]]) -> str:
    """Write what one tree adds: the first leaf that is not excluded."""
    cases = [
        f"WHEN NOT COALESCE({_written(words, excluded)}, 1 = 0) THEN {words.integer(value)}"
        for excluded, value in leaves[:-1]
    ]
    return f"CASE {' '.join(cases)} ELSE {words.integer(leaves[-1][1])} END"


def certain_texts(tree: TreeKernel, dialect: str) -> list[str]:
    """Write, per class, the condition that is true iff the class is certain; never wrongly so."""
    words, certain = Words(dialect), dict(certain_classes(tree, sources(tree), "reasons"))
    return [_written(words, certain.get(label, False), "every") for label in tree.classes]


def certain_classes(
    tree: TreeKernel, known: Mapping[int, Source], shape: str, limit: int = LIMIT
) -> list[tuple[Label, Formula]]:
    """Give, per class that occurs, the formula that holds iff the class is certain."""
    if shape not in SHAPES:
        raise ValueError(f"shape must be one of {', '.join(map(repr, SHAPES))}, got {shape!r:.80}")
    form = Form(tree, limit=FEW if shape == "auto" else limit)
    if shape == "reasons" or (shape == "auto" and _few_reasons(form)):
        return certain_by_reasons(form, known)
    return certain_by_tree(tree, known)


def _few_reasons(form: Form) -> bool:
    if form.tree.n_leaves > SMALL:
        return False
    try:
        return sum(len(terms) for terms in form.reasons.values()) <= FEW
    except TooManyReasons:
        return False


# -- putting it together --------------------------------------------------------------------------


def _class(words: Words, certain: list[tuple[Label, Formula]]) -> str:
    labels = words.labels(tuple(label for label, _ in certain))
    if len(labels) == 1:
        return labels[0]
    lines = ["CASE"]
    for label, (_, formula) in zip(labels, certain, strict=True):
        parts = formula.parts if isinstance(formula, Some) else (formula,)
        if len(parts) > MANY:
            lines.append(f"  WHEN {_written(words, formula)} THEN {label}")
            continue
        written = [_written(words, part, inside="some") for part in parts]
        lines += [f"  WHEN {written[0]}", *(f"    OR {part}" for part in written[1:])]
        lines[-1] += f" THEN {label}"
    return "\n".join([*lines, "END"])


def _written(words: Words, formula: Formula, inside: str = "") -> str:
    """Write a formula; ``inside`` says what it is a part of, for parentheses."""
    if isinstance(formula, Some):
        written = _joined([_written(words, part, "some") for part in formula.parts], " OR ")
        return f"({written})" if inside else written
    parts = formula.parts if isinstance(formula, Every) else (formula,)
    capped = {p.column for p in parts if isinstance(p, Number) and not words.guard(p)}
    conditions: dict[str, None] = {}
    for part in parts:
        if isinstance(part, Every | Some):
            conditions[_written(words, part, "every")] = None
            continue
        if isinstance(part, Threshold):
            sign = ">" if part.above else "<="
            conditions[f"({_bound(words, part.bound)}) {sign} {words.integer(part.at)}"] = None
            continue
        conditions[words.comparison(part)] = None
        guard = words.guard(part)
        if guard and not (isinstance(part, Number) and part.column in capped):
            conditions[guard] = None
    written = _joined(list(conditions), " AND ")
    return f"({written})" if inside and len(conditions) > 1 else written


def _joined(parts: list[str], word: str) -> str:
    """Join in a balanced way: engines limit how deep an expression nests."""
    if len(parts) <= MANY:
        return word.join(parts)
    middle = len(parts) // 2
    return f"({_joined(parts[:middle], word)}){word}({_joined(parts[middle:], word)})"


def _needed(
    words: Words,
    tree: TreeKernel,
    known: Mapping[int, Source],
    certain: list[tuple[Label, Formula]],
) -> str:
    ask = question(tree, known)
    if ask is None or len(certain) == 1:
        return words.nothing()
    lines = ["CASE"]
    for _, formula in certain:
        lines.append(f"  WHEN {_written(words, formula)} THEN NULL")
    return "\n".join([*lines, f"  ELSE {_asked(words, ask)}", "END"])


def _asked(words: Words, ask: Ask) -> str:
    """Write a question as nested choices."""
    name = words.text(ask.feature)
    if ask.otherwise is not None:
        gone = f"WHEN {_written(words, ask.kept)} THEN 0 "
        settled = f"CASE {gone}WHEN {_written(words, ask.settled)} THEN 1 ELSE 0 END = 1"
        name = f"CASE WHEN {settled} THEN {name} ELSE {_asked(words, ask.otherwise)} END"
    if ask.then is None:
        return name
    return f"CASE WHEN {_written(words, ask.gone)} THEN {_asked(words, ask.then)} ELSE {name} END"
