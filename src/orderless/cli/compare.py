"""``orderless compare``: which models are the same function, and where the others differ.

In:  models; or an old and a new one; or a model and an export of it.
Out: groups of equal functions; the account of a change; whether the export decides as the model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, NamedTuple

import typer

from ..errors import Undecided
from ..inputs import busy, write_whole
from ..model import printable
from .facts_option import FactsFile
from .mistakes import Mistake, one_line
from .options import (
    DATA,
    LIMITS,
    FileOptions,
    Format,
    OutputOptions,
    ReadOptions,
    Unseen,
    UnseenKind,
    finite,
    refuse_beside,
)
from .prove import REFUTED, UNDECIDED
from .sink import as_json, records_as, write, write_result

if TYPE_CHECKING:
    from ..model import SumKernel, TreeKernel
    from ..questions import Difference

    Model = TreeKernel | SumKernel

__all__ = ["EXAMPLE", "command"]

LISTED = 6  # features that are named
EXAMPLE = (
    "Example: orderless compare old.json new.json other.skops --data patients.csv\n\n"
    "Example: orderless compare old.json new.json --changes --data patients.csv --html review.html"
    "\n\nExample: orderless compare model.json model.onnx --export"
)


class Floats(StrEnum):
    """Which numbers rows hold."""

    float64 = "float64"
    float32 = "float32"


@dataclass(frozen=True)
class ChangeOptions:
    """How the change from one model to another is accounted for."""

    PANEL: ClassVar = "What changed"
    changes: Annotated[
        bool,
        typer.Option(
            "--changes",
            help="Of an old and a new model: for every pair of answers, old and new, the fewest "
            "rules of the rows that change so, and with --data how many rows do.",
        ),
    ] = False
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the account as an HTML page too.")
    ] = None
    exact: Annotated[
        bool,
        typer.Option(
            help="Whether rules are proven minimal; --no-exact is quick for trees of any size."
        ),
    ] = True
    leaves: Annotated[
        int,
        typer.Option(
            min=1,
            help="Leaves that an ensemble may take as one tree; with more there are no rules.",
        ),
    ] = 1_000


@dataclass(frozen=True)
class ExportOptions:
    """How an export is compared with its model."""

    PANEL: ClassVar = "An export and its model"
    export: Annotated[
        bool,
        typer.Option(
            "--export",
            help="Of a model and an export of it (ONNX, PMML, ...): prove that both decide every "
            "row alike, missing values included where both have learned what to do with them.",
        ),
    ] = False
    floats: Annotated[
        Floats, typer.Option(help="Which numbers rows hold: any, or float32 only.")
    ] = Floats.float64
    gaps: Annotated[
        bool, typer.Option(help="Whether rows with missing values are compared, too.")
    ] = True
    tolerance: Annotated[
        float, typer.Option(min=0.0, callback=finite, help="By how much numbers may differ.")
    ] = 0.0


TimeLimit = Annotated[
    float | None,
    typer.Option(
        min=0.001,
        callback=finite,
        help="Seconds for finding the rules of --changes, and for all searches of ensembles; 10 "
        "where it is not said.",
        rich_help_panel=LIMITS,
    ),
]
SECONDS = 10.0


def command(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help="Two models or more: JSON, skops, ...")
    ],
    read: ReadOptions,
    files: FileOptions,
    output: OutputOptions,
    changes: ChangeOptions,
    export: ExportOptions,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV or Parquet file; on how many of its rows do the models differ?",
            rich_help_panel=DATA,
        ),
    ] = None,
    facts: FactsFile = None,
    time_limit: TimeLimit = None,
    unseen: Unseen = UnseenKind.unknown,
) -> None:
    """Group models that decide the same; show where others differ.

    A tree that differs is shown with a row that tells the two apart, the share of the space on
    which they differ (every interval between thresholds, and every category, equally likely), and
    with --data the number of rows. The row is the first of the data on which the two differ;
    without such a row it is made up. Features compare by name: trees that have none in common are
    named first. With --at or --cut it is the decisions that are compared. Forests and boosted trees
    are searched for some seconds: what is not proven by then is said to be undecided.

    --changes accounts exactly for the change from one model to another, and --export compares a
    file with the model that it was made from. Their exit code is 0 if both models give every row
    the same answer, 4 if they differ, and 5 if that is undecided.
    """
    if changes.changes and export.export:
        raise Mistake("give one of --changes and --export, not both")
    if changes.changes or export.export:
        mode = "--changes" if changes.changes else "--export"
        refuse_beside(mode, export if changes.changes else changes)
        if len(models) != 2:
            raise Mistake(f"{mode} compares two models, got {len(models):,}")
        seconds = SECONDS if time_limit is None else time_limit
        if changes.changes:
            _account(models, read, files, output, changes, (data, facts, seconds, unseen))
        else:
            _check_export(models, read, output, export, (data, facts, seconds))
        return
    if time_limit is not None:
        raise Mistake("--time-limit is for --changes and --export: leave it out")
    refuse_beside("several models without --changes or --export", changes, export)
    if len(models) < 2:
        raise Mistake("comparing takes two trees or more, or sums of trees: orderless compare A B")
    _group(models, read, files, output, data, facts, unseen)


# -- groups of models that decide the same ---------------------------------------------------------


def _group(
    models: list[Path],
    read: ReadOptions,
    files: FileOptions,
    output: OutputOptions,
    data: Path | None,
    facts: Path | None,
    unseen: UnseenKind,
) -> None:
    from .decision import decision_of
    from .models import loader
    from .table import say

    load = loader(read, facts)
    trees = [load(path) for path in models]
    names = [str(path) for path in models]
    decision = decision_of(read.at, read.cut, read.decisions)
    if decision:
        say([decision.words(trees[0])], quiet=False, what="Decision")  # type: ignore[arg-type]
    strangers = _strangers(names, trees)
    with busy("Comparing"):
        records = _records(names, trees, _predictions(trees, data, files, unseen))
    if output.format == Format.text:
        write("\n".join([*strangers, _text(records)]), output.output)
        return
    for line in strangers:
        typer.echo(line, err=True)
    if output.format == Format.json:
        write(as_json(records, allow_nan=False), output.output)
    else:
        flat = [{**record, "example": _example(record["example"])} for record in records]
        write(records_as(flat, output.format, safe_csv=output.safe_csv), output.output)


def _strangers(names: list[str], trees: list[Model]) -> list[str]:
    """Say which trees have no feature in common with the first, so that comparing tells little."""

    def asked(tree: Model) -> str:
        shown = [printable(name) for name in tree.features]
        return ", ".join(shown[:LISTED]) + (", ..." if len(shown) > LISTED else "")

    first = trees[0]
    return [
        f"The trees have no feature in common: {printable(names[0])} asks about {asked(first)}, "
        f"{printable(name)} about {asked(tree)}. Features compare by name."
        for name, tree in zip(names[1:], trees[1:], strict=True)
        if first.features and tree.features and not set(first.features) & set(tree.features)
    ]


def _records(
    names: list[str], trees: list[Model], predictions: _Predictions | None
) -> list[dict[str, Any]]:
    """Say of each model which group it is in, and how it differs from the first."""
    from ..form import fingerprint
    from ..model import TreeKernel

    group_of, unknown = _groups(trees)
    sums = not all(isinstance(tree, TreeKernel) for tree in trees)
    out: list[dict[str, Any]] = []
    for i, (name, tree) in enumerate(zip(names, trees, strict=True)):
        same = group_of[i] == group_of[0]
        parts = [tree] if isinstance(tree, TreeKernel) else tree.trees
        record = {
            "tree": name,
            "group": group_of[i],
            "fingerprint": fingerprint(tree) if isinstance(tree, TreeKernel) else None,
            "leaves": sum(part.n_leaves for part in parts),
            "depth": max(part.depth for part in parts),
        }
        if sums:
            record |= {"trees": len(parts), "undecided": i in unknown}
        record |= _shares(trees[0], tree, same, sums)
        if predictions is not None:
            pairs = list(zip(predictions.answers[0], predictions.answers[i], strict=True))
            record["rows"] = len(pairs)
            record["rows_differ"] = sum(_differ(a, b) for a, b in pairs)
            record["rows_undetermined"] = sum(a is None or b is None for a, b in pairs)
        record |= {"example": None, "example_row": None, "first_says": None, "says": None}
        if predictions is not None and i in predictions.first:
            at, record["example"] = predictions.first[i]
            says = [predictions.answers[k][at] for k in (0, i)]
            record |= {"example_row": at + 1, "first_says": says[0], "says": says[1]}
        elif (row := None if same else _made_up(trees[0], tree)) is not None:
            record["example"] = _plain_cells(row, {*trees[0].features, *tree.features})
            record |= {"first_says": _answer(trees[0], row), "says": _answer(tree, row)}
        out.append(record)
    return out


def _groups(trees: list[Model]) -> tuple[dict[int, int], set[int]]:
    """Give the group of each model, and the models of which it is not known whether one fits."""
    from ..model import TreeKernel
    from ..questions import equivalent, group_equivalent

    single = [tree for tree in trees if isinstance(tree, TreeKernel)]
    if len(single) == len(trees):
        found = group_equivalent(single)
        return {i: k for k, group in enumerate(found, 1) for i in group}, set()
    heads: list[int] = []  # the first of each group
    group_of: dict[int, int] = {}
    unknown: set[int] = set()
    for i, tree in enumerate(trees):
        for k, head in enumerate(heads, 1):
            try:
                if not equivalent(trees[head], tree):
                    continue
            except Undecided:
                unknown.add(i)
                continue
            group_of[i] = k
            unknown.discard(i)
            break
        else:
            heads.append(i)
            group_of[i] = len(heads)
    return group_of, unknown


def _shares(first: Model, other: Model, same: bool, sums: bool) -> dict[str, Any]:
    """Say on which share of the space two models differ, or between which two it lies."""
    from ..questions import disagreement

    share: float | None = 0.0
    ends: list[float] | None = None
    if not same:
        try:
            share = disagreement(first, other)
        except Undecided as fault:
            share = None
            ends = [fault.proven.get("lower", 0.0), fault.proven.get("upper", 1.0)]
    record = {"differs_on_space": share}
    return record | {"differs_between": ends} if sums else record


def _made_up(first: Model, other: Model) -> dict[str, Any] | None:
    """Give a row on which two models differ, if one is found."""
    from ..questions import counterexample

    try:
        return counterexample(first, other)
    except Undecided:
        return None


class _Predictions(NamedTuple):
    """What each tree says of each row, and where each differs first from the first tree.

    That is the number of the row, from 0, and what the two trees ask about in it.
    """

    answers: list[list[Any]]
    first: dict[int, tuple[int, dict[str, Any]]]


def _predictions(
    trees: list[Model], data: Path | None, files: FileOptions, unseen: UnseenKind
) -> _Predictions | None:
    """Ask every tree about every row, if there are rows."""
    if data is None:
        return None
    from ..connect import unseen_notes
    from .files import open_table
    from .rows import frame_for
    from .table import say

    strange: list[Any] = [{} if unseen == UnseenKind.unknown else None for _ in trees]
    answers: list[list[Any]] = [[] for _ in trees]
    first: dict[int, tuple[int, dict[str, Any]]] = {}
    with open_table(data, files) as table:
        table.check_missing(name for tree in trees for name in tree.space.column_names)
        for part in table.parts:
            frames = [frame_for(tree, part, table.name, style=table.style, unseen=own)
                      for tree, own in zip(trees, strange, strict=True)]  # fmt: skip
            done = len(answers[0])
            for i, (own, tree) in enumerate(zip(answers, trees, strict=True)):
                own += _answers(tree, frames[i])
                differ = (k for k in range(part.n_rows)
                          if _differ(answers[0][done + k], own[done + k]))  # fmt: skip
                if i not in first and (k := next(differ, None)) is not None:
                    pair = ((trees[0], frames[0]), (tree, frames[i]))
                    first[i] = done + k, _cells_of(pair, k)
    notes = dict.fromkeys(printable(n) for own in strange for n in unseen_notes(own or {}))
    say(list(notes), quiet=False)
    return _Predictions(answers, first)


def _answers(model: Model, rows: Any) -> list[Any]:
    """Give the class, or number, of each row where it is certain, and None elsewhere."""
    import numpy as np

    from ..inputs import codes_for, rows_for
    from ..model import TreeKernel
    from ..questions import predict

    if isinstance(model, TreeKernel):
        return [None if k < 0 else model.classes[k] for k in codes_for(model, rows).tolist()]
    answers = predict(model, rows_for(model, rows))
    return [None if hidden else answer for hidden, answer in
            zip(np.ma.getmaskarray(answers), answers.tolist(), strict=True)]  # fmt: skip


def _cells_of(pair: tuple[tuple[Model, Any], ...], row: int) -> dict[str, Any]:
    """Give what trees ask about in one of the rows that were read for them."""
    cells = {
        str(name): _cell(tree, str(name), frame[name].tolist()[row])
        for tree, frame in pair
        for name in frame
    }
    return _plain_cells(cells, set(cells))


def _cell(tree: Model, name: str, value: Any) -> Any:
    """Give a cell as the feature's own value: 0.0 is False, 47.0 is 47."""
    if name not in tree.space or not isinstance(value, float) or math.isnan(value):
        return value
    feature = tree.space[name]
    if feature.kind == "boolean":
        return bool(value)
    return int(value) if feature.whole else value


def _differ(a: Any, b: Any) -> bool:
    """Whether two answers are certain, and not the same."""
    return a is not None and b is not None and bool(a != b)


def _answer(tree: Model, row: dict[str, Any]) -> Any:
    return _answers(tree, [{n: value for n, value in row.items() if n in tree.space}])[0]


def _plain_cells(row: dict[str, Any], used: set[str]) -> dict[str, Any]:
    """Keep what one of the trees asks about, as JSON can hold it."""
    return {name: _plain(value) for name, value in row.items() if name in used}


def _plain(value: Any) -> Any:
    from ..inputs import NOT_GIVEN

    if value is NOT_GIVEN:
        return None
    if not isinstance(value, float) or math.isfinite(value):
        return value
    return None if math.isnan(value) else str(value)  # JSON has no infinity


def _example(row: dict[str, Any] | None) -> str:
    from ..model import label_text, short_number

    def shown(value: Any) -> str:
        if value is None:
            return "missing"
        return short_number(value) if isinstance(value, float) else label_text(value)

    return ", ".join(f"{printable(name)} = {shown(value)}" for name, value in (row or {}).items())


def _share_text(record: dict[str, Any]) -> str:
    if (share := record["differs_on_space"]) is not None:
        return f"{share:.2%}"
    low, high = record["differs_between"]
    return f"{low:.2%} to {high:.2%}"


def _text(records: list[dict[str, Any]]) -> str:
    from ..model import label_text

    groups: dict[int, list[dict[str, Any]]] = {}
    for record in records:
        groups.setdefault(record["group"], []).append(record)
    n = len(groups)
    what = "models" if "trees" in records[0] else "trees"
    apart = any(record.get("undecided") for record in records)
    found = f"at most {n}" if apart else f"{n}"
    lines = [
        f"{len(records)} {what}, "
        + ("all the same function." if n == 1 else f"{found} different functions.")
    ]
    first = printable(records[0]["tree"])
    for k, members in groups.items():
        lines.append("")
        names = ", ".join(printable(member["tree"]) for member in members)
        own = members[0]
        print_ = f" ({own['fingerprint']})" if own["fingerprint"] else ""
        lines.append(f"Function {k}{print_}: {names}")
        if own.get("undecided"):
            lines.append("  it was not proven in time whether it is one of the functions above")
        if own["example"] is None:
            continue
        lines.append(f"  differs from {first} on {_share_text(own)} of the space")
        if "rows" in own:
            gaps = own["rows_undetermined"]
            more = f" ({gaps:,} rows are not determined)" if gaps else ""
            lines.append(f"  and on {own['rows_differ']:,} of {own['rows']:,} rows{more}")
        at = own["example_row"]
        where = "at" if at is None else f"in row {at:,},"
        made = " (a row made up)" if at is None and "rows" in own else ""
        lines.append(f"  for example {where} {_example(own['example'])}{made}:")
        says = [label_text(own["first_says"]), label_text(own["says"])]
        lines.append(f"  {first} says {says[0]}, {names.split(', ')[0]} says {says[1]}")
    return "\n".join(lines)


# -- what changed between two models ---------------------------------------------------------------

LISTED_ROWS = 20


def _account(
    models: list[Path],
    read: ReadOptions,
    files: FileOptions,
    output: OutputOptions,
    options: ChangeOptions,
    rest: tuple[Path | None, Path | None, float, UnseenKind],
) -> None:
    from ..output.rules import difference_as_page
    from ..questions import difference
    from .models import loader

    data, facts, time_limit, unseen = rest
    load = loader(read, facts)
    old, new = (load(path) for path in models)
    rows = None if data is None else _rows_of_both((old, new), data, files, unseen)
    with busy("Comparing"):
        found = difference(
            old, new, rows, exact=options.exact, leaves=options.leaves, time_limit=time_limit
        )
    if options.html is not None:
        write_whole(options.html, difference_as_page(found, *map(str, models)))
    records = _change_records(found)

    def text() -> str:
        return records_as(records, Format.md) if output.format == Format.md else _change_text(found)

    write_result(output, _change_record(found), records, text)
    if found:
        raise typer.Exit(REFUTED)


def _rows_of_both(
    models: Sequence[TreeKernel | SumKernel], data: Path, files: FileOptions, unseen: UnseenKind
) -> Any:
    """Read the rows of a file for each of the models."""
    import pandas as pd

    from ..connect import unseen_notes
    from ..questions import RowsOfBoth
    from .files import open_table
    from .rows import frame_for
    from .table import say

    strange: list[Any] = [{} if unseen == UnseenKind.unknown else None for _ in models]
    parts: list[list[pd.DataFrame]] = [[] for _ in models]
    with open_table(data, files) as table:
        table.check_missing(name for model in models for name in model.space.column_names)
        for part in table.parts:
            for own, model, odd in zip(parts, models, strange, strict=True):
                own.append(frame_for(model, part, table.name, style=table.style, unseen=odd))
    notes = dict.fromkeys(printable(n) for own in strange for n in unseen_notes(own or {}))
    say(list(notes), quiet=False)
    return RowsOfBoth(pd.concat(own, ignore_index=True) for own in parts)


def _change_record(found: Difference) -> dict[str, Any]:
    """Give the account as JSON; rows of a file are counted from 1."""
    content = found.to_dict()
    for shift in content["shifts"]:
        shift["rows"] = [i + 1 for i in shift.pop("at")]
    return content


def _change_records(found: Difference) -> list[dict[str, Any]]:
    names = found.names
    return [
        {
            "before": names[shift.before],
            "after": names[shift.after],
            "rule": "" if rule is None else str(rule),
            "rows": None if found.n_rows is None else len(shift.at),
        }
        for shift in found.shifts
        for rule in (shift.rules or (None,))
    ]


def _change_text(found: Difference) -> str:
    names, lines = found.names, found.head()
    for shift in found.shifts:
        lines += ["", f"{found.title(shift, names)}:"]
        lines += [f"  {printable(str(term))}" for term in shift.rules or ()]
        if shift.at:
            some = ", ".join(f"{i + 1:,}" for i in shift.at[:LISTED_ROWS])
            more = ", ..." if len(shift.at) > LISTED_ROWS else ""
            which = "row" if len(shift.at) == 1 else f"{len(shift.at):,} rows:"
            lines.append(f"  {which} {some}{more}")
        elif shift.rules is None and shift.example is not None:
            lines.append(f"  for example {shift.example_text}")
    return "\n".join(lines)


# -- an export and its model -----------------------------------------------------------------------


def _check_export(
    models: list[Path],
    read: ReadOptions,
    output: OutputOptions,
    options: ExportOptions,
    rest: tuple[Path | None, Path | None, float],
) -> None:
    from ..connect import check_export
    from .models import load_model, read_space

    data, facts, time_limit = rest
    if read != ReadOptions(allow_pickle=read.allow_pickle, space=read.space) or data or facts:
        raise Mistake(
            "--export compares two files for every row: leave out --at, --cut, --decisions, "
            "--data and --facts"
        )
    known = None if read.space is None else read_space(read.space)
    model = load_model(
        models[0],
        allow_pickle=read.allow_pickle,
        space=known,
        nan="value" if options.gaps else "unknown",
    )
    status = 0
    with busy("Comparing"):
        try:
            found = check_export(
                model,
                models[1],
                floats=options.floats.value,
                missing=options.gaps,
                tolerance=options.tolerance,
                time_limit=time_limit,
            )
            content, status = found.to_dict(), 0 if found else REFUTED
        except Undecided as fault:
            content = {"proven": None, "text": f"Undecided: {one_line(fault)}"}
            status = UNDECIDED
    flat = [{key: content.get(key) for key in ("proven", "text")}]

    def text() -> str:
        return records_as(flat, Format.md) if output.format == Format.md else content["text"]

    write_result(output, content, flat, text)
    if status:
        raise typer.Exit(status)
