"""``orderless fit``: a model of a table, its rules, how good it is, and a file of it.

In:  a table with a target; how to fit, or a model that is there already.
Out: the tree, its rules, and how it does on rows that it did not see; the model as JSON, which all
     other commands take.

Annotations are not postponed here: typer would compile each of them again for every command.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..errors import OutOfTime, TooLarge, TooManyReasons
from ..inputs import busy
from ..model import SumKernel, TreeKernel, printable
from .decision import Decision, decision_of
from .fact_file import with_known
from .facts_option import FactsFile
from .judging import AnyJudged, judged_markdown, judged_on, judged_text, pooled_folds
from .mistakes import Mistake, one_line
from .options import (
    DATA,
    OUTPUT,
    FileOptions,
    Format,
    LimitOptions,
    MissingValues,
    ReadOptions,
    RowsOptions,
    SafeCsv,
    TableOptions,
    TaskKind,
    finite,
)
from .sink import as_json, write

if TYPE_CHECKING:
    from .models import Source
    from .table import Labelled

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless fit patients.csv --target diagnosis --output model.json\n\n"
    "Example: orderless fit patients.csv --target diagnosis --max-depth 2 --test 0.3\n\n"
    "Example: orderless fit patients.csv --target diagnosis --model other.skops -o model.json"
)
FOLDS = 5
N_TREES = 100  # of a forest
GREEDY_DEPTH, OPTIMAL_DEPTH = 4, 3  # where --max-depth does not say it
Kernel = TreeKernel | SumKernel


@dataclass(frozen=True, kw_only=True)
class FitTable(TableOptions):
    """A table to fit a model on."""

    PANEL: ClassVar = DATA
    data: Annotated[
        str,
        typer.Argument(
            metavar="TABLE",
            help="CSV or Parquet file with a header, or the name of a data set (see orderless "
            "datasets).",
        ),
    ]
    task: Annotated[
        TaskKind | None,
        typer.Option(
            help="Whether the target holds classes, or numbers that a regression tree is fitted "
            "to. By default many different numbers are numbers, anything else is classes.",
        ),
    ] = None  # type: ignore[assignment]


@dataclass(frozen=True)
class FitOptions:
    """How a model is fitted."""

    PANEL: ClassVar = "How it is fitted"
    max_depth: Annotated[
        int | None,
        typer.Option(min=1, help="The most conditions on a path; 4, and 3 for --optimal."),
    ] = None
    min_leaf: Annotated[int, typer.Option(min=1, help="The fewest rows in a leaf.")] = 1
    forest: Annotated[
        bool, typer.Option("--forest", help=f"A random forest of {N_TREES} trees.")
    ] = False
    optimal: Annotated[
        bool,
        typer.Option(
            "--optimal",
            help="The best tree of its depth, by the share of wrong rows (of numbers: of squared "
            "error) and what each leaf costs, instead of one that is grown greedily.",
        ),
    ] = False
    regularization: Annotated[
        float, typer.Option(min=0, callback=finite, help="What a leaf costs, for --optimal.")
    ] = 0.01
    other: Annotated[
        bool,
        typer.Option(
            "--other",
            help="Give each text column one more value, for every text that it was not fitted on. "
            "Without it such a text is not known to the tree.",
        ),
    ] = False


@dataclass(frozen=True)
class HoldOutOptions:
    """Rows that a model does not see, to judge it on."""

    PANEL: ClassVar = "How it is judged"
    test: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Fit on the other rows, and judge the model on this share of the rows, chosen at "
            "random with the same share of every class.",
        ),
    ] = None
    test_rows: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the rows of --test as CSV too, for the other commands."
        ),
    ] = None
    folds: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Fit on all rows, and judge this way of fitting by cross-validation: each part of "
            f"the rows is predicted by a model that was fitted on the others. {FOLDS} where "
            "--test is not given; 0 judges on the rows of the fit alone.",
        ),
    ] = None
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=2**32 - 1, help="Seed of the random choice for --test, --folds and --forest."
        ),
    ] = 0


@dataclass(frozen=True, kw_only=True)
class StartOptions(ReadOptions):
    """A model that is there already, and what is known."""

    PANEL: ClassVar = "A model that is there already"
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Fit nothing: read this model, show what it decides on the table, and save it "
            "with its columns, facts and decision.",
        ),
    ] = None
    facts: FactsFile = None


@dataclass(frozen=True)
class SavedOptions:
    """Where the model goes, and how the rest is written."""

    PANEL: ClassVar = OUTPUT
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Save the model here as JSON, which all other commands take; - writes it, and "
            "nothing else, to standard output.",
        ),
    ] = None
    format: Annotated[
        Format,
        typer.Option("--format", "-f", help="How the tree, its rules and its quality are written."),
    ] = Format.text
    safe_csv: SafeCsv = False


def command(
    data: FitTable,
    files: FileOptions,
    how: FitOptions,
    hold_out: HoldOutOptions,
    start: StartOptions,
    limits: LimitOptions,
    saved: SavedOptions,
) -> None:
    """Fit a tree on a table, show its rules and how good it is, and save it.

    The tree is scikit-learn's, or with --optimal the best of its depth; --forest fits many. Rows
    with gaps are left out of fitting, and it is said how many; they are judged with their gaps.
    With --model nothing is fitted: a model of a file is shown on the table, and saved with what
    --space, --facts or --at say of it.
    """
    if start.model is None:
        source = _fitted_source(data, files, how, hold_out, start)
    else:
        _refuse_fitting(start.model, data, how, hold_out)
        source = _model_source(data, files, start)
    to_stdout = str(saved.output) == "-"
    content = _model_json(source.model)
    if to_stdout:
        write(content, None)
        return
    from .table import say

    text = _report(source, limits, saved.format, safe_csv=saved.safe_csv)
    if saved.output is not None:
        write(content, saved.output)
    write(text, None)
    where = f"saved in {saved.output}" if saved.output else "not saved: --output FILE keeps it"
    say([printable(where)], quiet=data.quiet, what="Model")


def _model_json(model: Kernel) -> str:
    from ..api import wrap

    return wrap(model).to_json()


def _report(source: "Source", limits: LimitOptions, form: Format, *, safe_csv: bool) -> str:
    """Write the tree, its rules and how good it is."""
    from .explain import RULES, terms_text
    from .models import form_of

    model = source.model
    if isinstance(model, SumKernel):
        return _about_sum(source, model, form)
    shown = "\n".join(printable(line) for line in str(model).splitlines())
    with busy("Finding rules"):
        try:
            rules = terms_text(
                form_of(model, limits), source, RULES, form, safe_csv=safe_csv, more={"tree": shown}
            )
        except (OutOfTime, TooLarge, TooManyReasons) as fault:
            if form in (Format.csv, Format.json):
                raise
            quality = judged_markdown if form == Format.md else judged_text
            rules = "\n\n".join([f"Rules: {one_line(fault)}.", quality(source.judged)])
    if form == Format.text:
        return f"{shown}\n\n{rules}"
    return f"```\n{shown}\n```\n\n{rules}" if form == Format.md else rules


def _about_sum(source: "Source", model: SumKernel, form: Format) -> str:
    """Write how good a sum of trees is: it has no short list of rules."""
    n_leaves = sum(tree.n_leaves for tree in model.trees)
    judged = source.judged
    content: dict[str, Any] = {"trees": len(model.trees), "leaves": n_leaves}
    if form == Format.json:
        return as_json(
            content | {"data": source.rows_record, "quality": [one.to_dict() for one in judged]}
        )
    if form == Format.csv:
        raise Mistake("a sum of trees has no rules, which CSV would hold: leave out --format csv")
    quality = judged_markdown if form == Format.md else judged_text
    head = f"A sum of {len(model.trees):,} trees with {n_leaves:,} leaves."
    return "\n\n".join([head, quality(judged)] if judged else [head])


# -- a model that is there already -----------------------------------------------------------------


def _model_source(data: FitTable, files: FileOptions, start: StartOptions) -> "Source":
    """Read a model, and the table as rows for it."""
    from .models import loader_of, one_tree, source_with_rows, with_inferred_kinds

    assert start.model is not None
    decision = decision_of(start.at, start.cut, start.decisions)
    if start.space is not None and data.infer_kinds:
        raise Mistake("give one of --space and --infer-kinds, not both")
    load = loader_of(start.model, start)
    model = with_inferred_kinds(load, data, files) if data.infer_kinds else load()
    model = with_known(model, start.model.name, start.facts)
    if decision:
        one_tree(model, start.model.name)  # a decision relabels leaves
    rows = RowsOptions(data.data, data.target, quiet=data.quiet)
    source = source_with_rows(model, start.model, rows, files, allow_pickle=start.allow_pickle)
    return source.decided(decision, quiet=data.quiet)


def _refuse_fitting(model: Path, *groups: Any) -> None:
    """Refuse options that would do nothing, since nothing is fitted."""
    for group in groups:
        for field in fields(group):
            if field.name in ("data", "target", "quiet", "infer_kinds"):
                continue
            if getattr(group, field.name) != field.default:
                option = "--" + field.name.replace("_", "-")
                raise Mistake(
                    f"{option} is for fitting a model, and this one comes from {model.name}: leave "
                    "out one of the two"
                )


# -- a model that is fitted ------------------------------------------------------------------------


def _fitted_source(
    data: FitTable,
    files: FileOptions,
    how: FitOptions,
    hold_out: HoldOutOptions,
    start: StartOptions,
) -> "Source":
    """Fit a model on a table, and judge this way of fitting on rows that it did not see.

    Text columns are encoded one-hot, and read back as categories. Rows with gaps are left out of
    fitting, unless a gap is a value; those that are held out are judged with their gaps, by the
    decision that is taken.
    """
    from .models import Source, one_tree
    from .table import labelled, split

    _check(data, how, hold_out, start)
    decision = decision_of(start.at, start.cut, start.decisions)
    given = labelled(data, files, values=True, keep_gaps=True)
    learn, held = given, None
    if hold_out.test is not None:
        learn, held = split(given, hold_out.test, hold_out.seed)
        _write_rows(held, hold_out.test_rows)
    rows = _rows_to_fit(learn, data)

    def fitted(part: "Labelled") -> Kernel:
        return _fitted(_rows_to_fit(part, data), data, how, hold_out.seed)

    with busy("Fitting"):
        model = _fitted(rows, data, how, hold_out.seed)
        if decision:
            one_tree(model, rows.name)
        judged = _held_out(fitted, model, given, held, hold_out, decision)
    notes = tuple(rows.summary.head())
    known = with_known(model, rows.name, start.facts)
    source = Source(known, rows.name, rows.X, rows.y, rows.name, True, judged, notes)
    return source.decided(decision, quiet=data.quiet)


def _check(data: FitTable, how: FitOptions, hold_out: HoldOutOptions, start: StartOptions) -> None:
    """Refuse options that contradict each other, before anything is read."""
    if hold_out.test is not None and hold_out.folds:
        raise Mistake("give one of --test and --folds, not both")
    if hold_out.folds == 1:
        raise Mistake("--folds must be 2 or more, or 0 for none, got 1")
    if hold_out.test_rows is not None and hold_out.test is None:
        raise Mistake("--test-rows writes the rows of --test, which is not given")
    if how.forest and how.optimal:
        raise Mistake("give one of --forest and --optimal, not both")
    if start.space is not None:
        raise Mistake("--space says what the columns of a model file are: add --model FILE")
    if start.allow_pickle:
        raise Mistake("--allow-pickle is for the file of --model, which is not given")
    as_values = data.missing_values == MissingValues.value
    if data.infer_kinds and as_values:
        raise Mistake(
            "--infer-kinds reads gaps as unknown, and --missing-values value takes them for "
            "values: leave out one of the two"
        )
    if how.optimal:
        for option, is_set in (
            ("--missing-values value", as_values),
            ("--min-leaf", how.min_leaf != FitOptions.min_leaf),
            ("--other", how.other),
        ):
            if is_set:
                raise Mistake(
                    f"{option} is for trees that are grown greedily, not for --optimal: leave out "
                    "one of the two"
                )


def _write_rows(held: "Labelled", path: Path | None) -> None:
    """Write rows that were held out, as a table with their target."""
    if path is not None:
        frame = held.X.assign(**{str(held.summary.table.target): held.y})
        write(frame.to_csv(index=False, lineterminator="\n"), path)


def _rows_to_fit(given: "Labelled", data: FitTable) -> "Labelled":
    rows = given if data.missing_values == MissingValues.value else given.complete()
    if not rows.y:
        raise Mistake(
            f"every row of {given.name} that the tree is fitted on has gaps "
            f"({given.summary.gaps()}): leave columns out with --ignore, or take gaps for values "
            "with --missing-values value"
        )
    return rows


def _fitted(given: "Labelled", data: FitTable, how: FitOptions, seed: int) -> Kernel:
    """Fit a model on rows that are complete, or in which a gap is a value."""
    from ..readers import read_model
    from .table import space_of

    if how.optimal:
        return _optimal(given, how)
    gaps = data.missing_values == MissingValues.value
    model = _estimator(given, how, seed, gaps=gaps, other=how.other)
    try:
        model.fit(given.X, given.y)
    except ValueError as fault:
        raise Mistake(f"scikit-learn cannot fit a tree on {given.name}: {fault}") from fault
    space = space_of(given.X, infer=data.infer_kinds, other=how.other, gaps=gaps)
    return read_model(model, space=space)


def _estimator(given: "Labelled", how: FitOptions, seed: int, *, gaps: bool, other: bool) -> Any:
    """Return scikit-learn's tree or forest, behind an encoder if there is text."""
    from sklearn.compose import make_column_transformer
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    shape = {"max_depth": how.max_depth or GREEDY_DEPTH, "min_samples_leaf": how.min_leaf}
    if how.forest:
        forest = RandomForestRegressor if given.numbers else RandomForestClassifier
        model = forest(N_TREES, **shape, random_state=seed)
    else:
        tree = DecisionTreeRegressor if given.numbers else DecisionTreeClassifier
        model = tree(**shape, random_state=0)
    if not given.text:
        return model
    encode = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore" if other else "error"), given.text),
        remainder="passthrough",
        sparse_threshold=0 if gaps else 0.3,  # scikit-learn's trees take NaN in dense arrays only
    )
    return make_pipeline(encode, model)


def _optimal(given: "Labelled", how: FitOptions) -> TreeKernel:
    """Return the best tree of a depth: the first of all that are as good as the best."""
    from ..rashomon import RashomonSet

    trees = RashomonSet(
        how.max_depth or OPTIMAL_DEPTH, how.regularization, 0.0,
        given.space if given.infer else None,
        task="regression" if given.numbers else "classification",
    ).fit(given.typed, given.y)  # fmt: skip
    return trees.best_tree.kernel


# -- rows that the model does not see --------------------------------------------------------------


def _held_out(
    fitted: Callable[["Labelled"], Kernel],
    model: Kernel,
    given: "Labelled",
    held: "Labelled | None",
    hold_out: HoldOutOptions,
    decision: Decision,
) -> tuple[AnyJudged, ...]:
    """Judge on rows that were held out, or by cross-validation; ``model`` is the one to save."""
    from .table import say

    decided = decision.of(model, given.name) if isinstance(model, TreeKernel) else None

    def of(part: Kernel) -> Kernel:
        if decided is None or not isinstance(part, TreeKernel):
            return part
        return decision.of_part(part, decided)

    def labels(y: list[Any]) -> list[Any]:
        return decision.labels(model, y) if isinstance(model, TreeKernel) else y

    if held is not None:
        return (_on_unseen("test rows", of(model), replace(held, y=labels(held.y))),)
    folds = FOLDS if hold_out.folds is None else hold_out.folds
    if hold_out.folds is None:  # as many as the rows allow
        counts = [given.y.count(label) for label in set(given.y)]
        folds = min(folds, len(given.y) if given.numbers else max(counts))
    if folds < 2:
        return ()
    parts = []
    for learn, rest in _folds(given, folds, hold_out.seed):
        part = given.take(rest)
        rows = given.take(learn)
        if hold_out.folds is None and (rows.gaps.all() or len(set(rows.complete().y)) < 2):
            say([f"too few complete rows to judge the fit by {folds} folds"], quiet=False)
            return ()
        parts.append(_on_unseen("fold", of(fitted(rows)), replace(part, y=labels(part.y))))
    note = (
        "Some have a category that their tree was not fitted on, which counts as unknown."
        if any(part.note for part in parts)
        else ""
    )
    return (pooled_folds(f"rows of {folds} folds", parts, note),)


def _folds(given: "Labelled", folds: int, seed: int) -> list[tuple[Any, Any]]:
    """Return positions of rows to fit on and of rows to judge on, fold by fold."""
    import numpy as np
    from sklearn.model_selection import KFold, StratifiedKFold

    kind = KFold if given.numbers else StratifiedKFold
    ways = kind(folds, shuffle=True, random_state=seed)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a class with fewer rows than folds is in some of them
            return list(ways.split(np.zeros(len(given.y)), np.array(given.y)))
    except ValueError as fault:
        raise Mistake(f"--folds {folds} cannot split {given.name}: {fault}") from None


def _on_unseen(what: str, model: Kernel, held: "Labelled") -> AnyJudged:
    """Judge a model on rows that it was not fitted on.

    A category that none of its rows has is unknown: the row is a dict that does not have it.
    """
    categories = {
        name: {*feature.categories}
        for name, feature in zip(model.space.names, model.space.features, strict=True)
        if feature.kind == "categorical" and not feature.other
    }
    rows, n_unseen = [], 0
    for values in held.X.to_dict("records"):
        row = {str(name): value for name, value in values.items()}
        unseen = [
            name
            for name, value in row.items()
            if name in categories
            and value is not None
            and value == value
            and value not in categories[name]
        ]
        n_unseen += any(name in model.features for name in unseen)
        rows.append({name: value for name, value in row.items() if name not in unseen})
    note = ""
    if n_unseen:
        note = (
            f"{n_unseen:,} {'has' if n_unseen == 1 else 'have'} a category that the tree was not "
            "fitted on, which counts as unknown."
        )
    return judged_on(what, model, rows, held.y, note)
