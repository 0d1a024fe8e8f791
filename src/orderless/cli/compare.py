"""``orderless compare``: which models are the same function, and where the others differ."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from ..errors import Undecided
from ..inputs import busy
from ..model import printable
from .mistakes import Mistake
from .options import (
    DATA,
    FileOptions,
    Format,
    OutputOptions,
    ReadOptions,
    Unseen,
    UnseenKind,
)
from .sink import as_json, records_as, write

if TYPE_CHECKING:
    from ..model import SumKernel, TreeKernel

    Model = TreeKernel | SumKernel

__all__ = ["EXAMPLE", "command"]

LISTED = 6  # features that are named
EXAMPLE = "Example: orderless compare old.json new.json other.skops --data patients.csv"


def command(
    models: Annotated[
        list[Path], typer.Argument(metavar="MODEL...", help="Two models or more: JSON or skops.")
    ],
    read: ReadOptions,
    files: FileOptions,
    output: OutputOptions,
    data: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="CSV or Parquet file; on how many of its rows do the models differ?",
            rich_help_panel=DATA,
        ),
    ] = None,
    unseen: Unseen = UnseenKind.unknown,
) -> None:
    """Group models that decide the same, and show where others differ from the first.

    A tree that differs is shown with a row that tells the two apart, the share of the space on
    which they differ (every interval between thresholds, and every category, equally likely), and
    with --data the number of rows. The row is the first of the data on which the two differ;
    without such a row it is made up. Features compare by name: trees that have none in common are
    named first. With --at or --cut it is the decisions that are compared. Forests and boosted trees
    are searched for some seconds: what is not proven by then is said to be undecided.
    """
    if len(models) < 2:
        raise Mistake("comparing takes two trees or more, or sums of trees: orderless compare A B")
    from .decision import decision_of
    from .models import load_model, one_tree, read_space
    from .table import say

    decision = decision_of(read.at, read.cut, read.decisions)
    known = None if read.space is None else read_space(read.space)
    found = [load_model(path, allow_pickle=read.allow_pickle, space=known) for path in models]
    names = [str(path) for path in models]
    trees = found
    if decision:  # which relabels leaves
        decided = [decision.of(one_tree(model, path.name), path.name)
                   for model, path in zip(found, models, strict=True)]  # fmt: skip
        say([decision.words(decided[0])], quiet=False, what="Decision")
        trees = [*decided]
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
