"""SQL: what a tree decides, as an expression that any engine evaluates where the data is.

In:  a ``CanonicalForm`` or ``Tree``.
Out: SQL text. Where the class is certain it gives the class, elsewhere NULL; NULL (and NaN) in a
     column is unknown, by SQL's own three-valued logic.
Paper: Theorem 3.2: a row is determined iff it meets a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import TooManyReasons
from ...form import CanonicalForm
from ...model import Label, Tree
from .certain import Ask, asks_next, certain_by_reasons, certain_by_tree, question
from .formula import Every, Formula, Number, Some, Source, sources
from .sql_words import Words

__all__ = ["as_sql", "certain_classes"]

SHAPES = ("auto", "reasons", "tree")
FEW = 50  # reasons that "auto" writes down
SMALL = 300  # leaves of trees whose reasons "auto" counts
MANY = 64  # parts that are joined without parentheses


def as_sql(
    source: Tree | CanonicalForm,
    *,
    dialect: str = "duckdb",
    columns: Mapping[str, str] | None = None,
    table: str | Sequence[str] | None = None,
    shape: str = "auto",
    needed: str | None = None,
) -> str:
    """Write an expression, or a query if a table is given; see ``CanonicalForm.to_sql``.

    Examples
    --------
    >>> from orderless import canonicalize, read_tree
    >>> young = {"feature": "age", "relation": "<=", "reference": 24.5,
    ...          "true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> form = canonicalize(read_tree(young, feature_names=["age"]))
    >>> print(as_sql(form, dialect="sqlite"))
    CASE
      WHEN (`age` > CAST(24.5E0 AS REAL) AND `age` <= CAST(9e999 AS REAL)) THEN 'no'
      WHEN `age` <= CAST(24.5E0 AS REAL) THEN 'yes'
    END
    """
    words, asks = Words(dialect), asks_next(needed)
    tree = source.tree if isinstance(source, CanonicalForm) else source
    known = sources(tree, columns)
    certain = certain_classes(source, known, shape)
    if table is None:
        return _needed(words, tree, known, certain) if asks else _class(words, certain)
    more = [f"{_class(words, certain)} AS {words.name('prediction')}"]
    if asks:
        more.append(f"{_needed(words, tree, known, certain)} AS {words.name('needed')}")
    alias = words.name("t")
    listed = ",\n".join([f"{alias}.*", *more])
    return f"SELECT {listed}\nFROM {words.path(table)} {alias}"


def certain_classes(
    source: Tree | CanonicalForm, known: Mapping[int, Source], shape: str
) -> list[tuple[Label, Formula]]:
    """Give, per class that occurs, the formula that holds iff the class is certain."""
    if shape not in SHAPES:
        raise ValueError(f"shape must be one of {', '.join(map(repr, SHAPES))}, got {shape!r:.80}")
    form = source if isinstance(source, CanonicalForm) else CanonicalForm(source)
    if shape == "auto":
        form = CanonicalForm(form.tree, limit=FEW)
        shape = "reasons" if _few_reasons(form) else "tree"
    if shape == "reasons":
        return certain_by_reasons(form, known)
    return certain_by_tree(form.tree, known)


def _few_reasons(form: CanonicalForm) -> bool:
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
            lines.append(f"  WHEN {_said(words, formula)} THEN {label}")
            continue
        said = [_said(words, part, inside="some") for part in parts]
        lines += [f"  WHEN {said[0]}", *(f"    OR {part}" for part in said[1:])]
        lines[-1] += f" THEN {label}"
    return "\n".join([*lines, "END"])


def _said(words: Words, formula: Formula, inside: str = "") -> str:
    """Write a formula; ``inside`` says what it is a part of, for parentheses."""
    if isinstance(formula, Some):
        said = _joined([_said(words, part, "some") for part in formula.parts], " OR ")
        return f"({said})" if inside else said
    parts = formula.parts if isinstance(formula, Every) else (formula,)
    capped = {p.column for p in parts if isinstance(p, Number) and not words.guard(p)}
    all_said: dict[str, None] = {}
    for part in parts:
        if isinstance(part, Every | Some):
            all_said[_said(words, part, "every")] = None
            continue
        all_said[words.said(part)] = None
        guard = words.guard(part)
        if guard and not (isinstance(part, Number) and part.column in capped):
            all_said[guard] = None
    said = _joined(list(all_said), " AND ")
    return f"({said})" if inside and len(all_said) > 1 else said


def _joined(parts: list[str], word: str) -> str:
    """Join in a balanced way: engines limit how deep an expression nests."""
    if len(parts) <= MANY:
        return word.join(parts)
    middle = len(parts) // 2
    return f"({_joined(parts[:middle], word)}){word}({_joined(parts[middle:], word)})"


def _needed(
    words: Words,
    tree: Tree,
    known: Mapping[int, Source],
    certain: list[tuple[Label, Formula]],
) -> str:
    ask = question(tree, known)
    if ask is None or len(certain) == 1:
        return words.nothing()
    lines = ["CASE"]
    for _, formula in certain:
        lines.append(f"  WHEN {_said(words, formula)} THEN NULL")
    return "\n".join([*lines, f"  ELSE {_asked(words, ask)}", "END"])


def _asked(words: Words, ask: Ask) -> str:
    """Write a question as nested choices."""
    name = words.text(ask.feature)
    if ask.otherwise is not None:
        gone = f"WHEN {_said(words, ask.kept)} THEN 0 "
        settled = f"CASE {gone}WHEN {_said(words, ask.settled)} THEN 1 ELSE 0 END = 1"
        name = f"CASE WHEN {settled} THEN {name} ELSE {_asked(words, ask.otherwise)} END"
    if ask.then is None:
        return name
    return f"CASE WHEN {_said(words, ask.gone)} THEN {_asked(words, ask.then)} ELSE {name} END"
