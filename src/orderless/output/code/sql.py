"""SQL: what a tree decides, as an expression that any engine evaluates where the data is.

In:  a tree.
Out: SQL text. Where the class is certain it gives the class, elsewhere NULL; NULL (and NaN) in a
     column is unknown, by SQL's own three-valued logic.
Paper: Theorem 3.2: a row is determined iff it meets a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ...errors import InvalidData, TooManyReasons
from ...form import Form
from ...model import Label, TreeKernel
from ...readers import read_tree
from .certain import Ask, asks_next, certain_by_reasons, certain_by_tree, question
from .formula import Every, Formula, Number, Some, Source, sources
from .plain import plain
from .sql_words import Words

__all__ = ["NAMES", "as_sql", "certain_classes", "certain_texts", "new_columns", "new_names"]

NAMES = ("prediction", "needed")
SHAPES = ("auto", "reasons", "tree")
LIMIT = 1_000_000  # reasons that are written where they are asked for
FEW = 50  # reasons that "auto" writes down
SMALL = 300  # leaves of trees whose reasons "auto" counts
MANY = 64  # parts that are joined without parentheses


def as_sql(
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
    more = [f"{_class(words, certain)} AS {words.name('prediction')}"]
    if asks:
        more.append(f"{_needed(words, tree, known, certain)} AS {words.name('needed')}")
    alias = words.name("t")
    listed = ",\n".join([f"{alias}.*", *more])
    return f"SELECT {listed}\nFROM {words.path(table)} {alias}"


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


# -- new columns of a table -----------------------------------------------------------------------


def new_names(
    there: Iterable[str],
    names: Sequence[str],
    needed: str | None,
    same: Callable[[str], str] = str.casefold,
) -> list[str]:
    """Check the names of the new columns: of predictions, and of features to ask if wanted.

    ``same`` gives what is equal for names that a table takes for the same.
    """
    wanted = 2 if asks_next(needed) else 1
    if isinstance(names, str) or not wanted <= len(names) <= 2:
        raise ValueError(
            "names must be the names of two columns, for predictions and for the features to ask, "
            f"got {names!r:.80}"
        )
    taken = {same(name) for name in there}
    for name in names[:wanted]:
        if not isinstance(name, str) or same(name) in taken:
            raise InvalidData(
                f"the table has a column {name!r:.80} already, or that is no name: choose another "
                "with names="
            )
        taken.add(same(name))
    return list(names[:wanted])


def new_columns(
    tree: Any,
    there: Iterable[str],
    *,
    dialect: str,
    columns: Mapping[str, str] | None,
    shape: str,
    needed: str | None,
    names: Sequence[str],
) -> list[tuple[str, str]]:
    """Give the column of predictions, and of features to ask next if they are wanted.

    Examples
    --------
    >>> tree = {"feature": 0, "true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> [name for name, _ in new_columns(tree, ["x0"], dialect="duckdb", columns=None,
    ...                                  shape="auto", needed="next", names=("class", "ask"))]
    ['class', 'ask']
    """
    tree = read_tree(tree)
    modes = (None, "next")
    return [
        (name, as_sql(tree, dialect=dialect, columns=columns, shape=shape, needed=mode))
        for name, mode in zip(new_names(there, names, needed), modes, strict=False)
    ]
