"""Fitting: a model of a table, and how good it is on rows that it did not see.

In:  the options of ``orderless fit``.
Out: ``Source``: the model, the rows that it was fitted on, and how it does on others.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..inputs import busy
from ..model import SumKernel, TreeKernel
from ..readers import read_model
from .decision import Decision, decision_of
from .fact_file import with_known
from .judging import AnyJudged, judged_on, pooled_folds
from .mistakes import Mistake
from .models import Source, loader_of, one_tree, source_with_rows, with_inferred_kinds
from .options import FileOptions, MissingValues, RowsOptions
from .sink import write
from .table import Labelled, labelled, say, space_of, split

if TYPE_CHECKING:
    from .fit import FitOptions, FitTable, HoldOutOptions, StartOptions

__all__ = ["fitted_source", "model_source", "refuse_fitting"]

FOLDS = 5
N_TREES = 100  # of a forest
GREEDY_DEPTH, OPTIMAL_DEPTH = 4, 3  # where --max-depth does not say it
Kernel = TreeKernel | SumKernel


# -- a model that is there already -----------------------------------------------------------------


def model_source(data: FitTable, files: FileOptions, start: StartOptions) -> Source:
    """Read a model, and the table as rows for it."""
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


def refuse_fitting(model: Path, *groups: Any) -> None:
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


def fitted_source(
    data: FitTable,
    files: FileOptions,
    how: FitOptions,
    hold_out: HoldOutOptions,
    start: StartOptions,
) -> Source:
    """Fit a model on a table, and judge this way of fitting on rows that it did not see.

    Text columns are encoded one-hot, and read back as categories. Rows with gaps are left out of
    fitting, unless a gap is a value; those that are held out are judged with their gaps, by the
    decision that is taken.
    """
    _check(data, how, hold_out, start)
    decision = decision_of(start.at, start.cut, start.decisions)
    given = labelled(data, files, values=True, keep_gaps=True)
    learn, held = given, None
    if hold_out.test is not None:
        learn, held = split(given, hold_out.test, hold_out.seed)
        _write_rows(held, hold_out.test_rows, files, quiet=data.quiet)
    rows = _rows_to_fit(learn, data)

    def fitted(part: Labelled) -> Kernel:
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
            ("--min-leaf", how.min_leaf != 1),
            ("--other", how.other),
        ):
            if is_set:
                raise Mistake(
                    f"{option} is for trees that are grown greedily, not for --optimal: leave out "
                    "one of the two"
                )


def _write_rows(held: Labelled, path: Path | None, files: FileOptions, *, quiet: bool) -> None:
    """Write rows that were held out, as a table with their target."""
    if path is None:
        return
    frame = held.X.assign(**{str(held.summary.table.target): held.y})
    write(frame.to_csv(index=False, lineterminator="\n"), path)
    used = {
        "--delimiter": files.delimiter is not None,
        "--decimal": files.decimal != ".",
        "--thousands": files.thousands is not None,
        "--na": bool(files.na),
    }
    options = [name for name, is_used in used.items() if is_used]
    if options:
        line = (
            f"{path.name} has commas between cells, points for decimals, and empty cells for what "
            f"is missing: read it without {', '.join(options)}"
        )
        say([line], quiet=quiet, what="Test rows")


def _rows_to_fit(given: Labelled, data: FitTable) -> Labelled:
    rows = given if data.missing_values == MissingValues.value else given.complete()
    if not rows.y:
        raise Mistake(
            f"every row of {given.name} that the tree is fitted on has gaps "
            f"({given.summary.gaps()}): leave columns out with --ignore, or take gaps for values "
            "with --missing-values value"
        )
    return rows


def _fitted(given: Labelled, data: FitTable, how: FitOptions, seed: int) -> Kernel:
    """Fit a model on rows that are complete, or in which a gap is a value."""
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


def _estimator(given: Labelled, how: FitOptions, seed: int, *, gaps: bool, other: bool) -> Any:
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


def _optimal(given: Labelled, how: FitOptions) -> TreeKernel:
    """Return the best tree of a depth: the first of all that are as good as the best."""
    from ..rashomon import RashomonSet

    trees = RashomonSet(
        how.max_depth or OPTIMAL_DEPTH, how.regularization, 0.0,
        loss="squared" if given.numbers else "errors",
        space=given.space if given.infer else None,
    ).fit(given.typed, given.y).trees_  # fmt: skip
    return trees.best_tree.kernel


# -- rows that the model does not see --------------------------------------------------------------


def _held_out(
    fitted: Callable[[Labelled], Kernel],
    model: Kernel,
    given: Labelled,
    held: Labelled | None,
    hold_out: HoldOutOptions,
    decision: Decision,
) -> tuple[AnyJudged, ...]:
    """Judge on rows that were held out, or by cross-validation; ``model`` is the one to save."""
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


def _folds(given: Labelled, folds: int, seed: int) -> list[tuple[Any, Any]]:
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


def _on_unseen(what: str, model: Kernel, held: Labelled) -> AnyJudged:
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
