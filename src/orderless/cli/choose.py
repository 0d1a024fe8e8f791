"""``orderless choose``: the near-optimal functions of a table, with what people decide by."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..inputs import busy
from .costs import Costs, OtherCosts, read_costs
from .mistakes import Mistake
from .number_options import loss_of, refuse_numbers
from .options import (
    OUTPUT,
    FileOptions,
    Format,
    GivenTable,
    OutputOptions,
    TableOptions,
    given_table,
)
from .rashomon import SetOptions
from .second_goals import positive_class
from .set_limits import SetLimits, about_part, part_text, search_settings
from .sink import records_as, write, write_result

if TYPE_CHECKING:
    import pandas as pd

    from ..model import Space
    from ..rashomon import TreeSet
    from .table import Labelled

__all__ = ["EXAMPLE", "command"]

EXAMPLE = (
    "Example: orderless choose patients.csv --target diagnosis --ignore id --front error,coverage\n"
    "\nExample: orderless choose --data wisconsin --max-depth 2 --where leaves<=3 --save "
    "model.json"
)
CHOICE = "Which function"
SHOWN = 20


class Drawn(StrEnum):
    """What a sample is drawn from."""

    functions = "functions"
    trees = "trees"


@dataclass(frozen=True)
class ChoiceOptions:
    """Which functions are wanted."""

    PANEL: ClassVar = CHOICE
    where: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="What a function must meet, such as 'leaves <= 6' or 'sensitivity >= 0.8'; may be "
            "given several times.",
        ),
    ] = None
    using: Annotated[
        list[str] | None,
        typer.Option(metavar="FEATURE", help="A feature that it must ask about; may be repeated."),
    ] = None
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FEATURE", help="A feature that it must not ask about; may be repeated."
        ),
    ] = None
    first: Annotated[
        str | None,
        typer.Option(
            metavar="QUESTION",
            help="A feature or column that can be asked first: some tree of the set is the "
            "function and begins with it.",
        ),
    ] = None
    front: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE,...",
            help="Keep the functions that no other beats in all of these measures.",
        ),
    ] = None
    sort: Annotated[
        str | None,
        typer.Option(
            metavar="MEASURE,...",
            help="Order by these measures, the better end first; a - before one turns it round.",
        ),
    ] = None
    gap_rate: Annotated[
        float,
        typer.Option(
            min=0, max=1, help="The probability that a value is missing, for the coverage."
        ),
    ] = 0.1
    test: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            help="Find the set on the other rows, and judge its functions on this share of the "
            "rows, chosen at random with the same share of every class.",
        ),
    ] = None
    seed: Annotated[
        int,
        typer.Option(min=0, max=2**32 - 1, help="Seed of the random choices."),
    ] = 0
    positive: Annotated[
        str | None,
        typer.Option(metavar="CLASS", help="The class that sensitivity is about; by default the "
                     "last one."),
    ] = None  # fmt: skip
    measure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="A further measure, such as fpr, precision or 'false negatives'; may be "
            "given several times.",
        ),
    ] = None
    sample: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Look at so many functions, drawn uniformly, instead of all, and at the exact "
            "ends of measures over all trees.",
        ),
    ] = None
    draw: Annotated[
        Drawn,
        typer.Option(
            help="What --sample draws: functions, or trees, which works for sets of any size."
        ),
    ] = Drawn.functions


Taken = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write the first function as a model that all other commands read, in JSON.",
        rich_help_panel=OUTPUT,
    ),
]
Which = Annotated[
    str | None,
    typer.Option(
        "--function",
        metavar="FINGERPRINT",
        help="The function that --save writes instead of the first, by the beginning of its "
        "fingerprint.",
        rich_help_panel=OUTPUT,
    ),
]
Explorer = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.html",
        help="Write all functions as a page to walk in and to choose from; it works offline.",
        rich_help_panel=OUTPUT,
    ),
]
ShownRows = Annotated[
    bool,
    typer.Option(
        "--rows",
        help="Write the rows into the page of --explorer: those on which functions differ are "
        "shown there, and whoever has the file can read them.",
        rich_help_panel=OUTPUT,
    ),
]
Top = Annotated[
    int,
    typer.Option(min=1, help="Show so many functions; CSV and JSON have all.",
                 rich_help_panel=OUTPUT),
]  # fmt: skip


@dataclass(frozen=True)
class _Asked:
    """What a set can ask about."""

    space: Space
    features: tuple[str, ...]


def command(
    data: TableOptions,
    files: FileOptions,
    output: OutputOptions,
    which: SetOptions,
    choice: ChoiceOptions,
    limits: SetLimits,
    table: GivenTable = None,
    costs: Costs = None,
    other_costs: OtherCosts = None,
    top: Top = SHOWN,
    save: Taken = None,
    function: Which = None,
    explorer: Explorer = None,
    shown_rows: ShownRows = False,
) -> None:
    """Choose among the near-optimal functions of a table, each of which is there once.

    For every function: its objective and errors, leaves and features, how many trees it is, for two
    classes sensitivity and specificity, how often the other functions agree with it and overrule
    it, how many rows it answers for certain when values are missing (coverage), how many questions
    an answer takes, and with --costs what it costs. --where, --front and --sort say which are
    wanted; --save takes the first, or --function, along, and --explorer writes a page to choose on.
    """
    from .table import labelled, split

    if shown_rows and explorer is None:
        raise Mistake("--rows is for --explorer, which is not given")
    if function is not None and save is None:
        raise Mistake("--function is for --save, which is not given")
    if choice.draw != Drawn.functions and choice.sample is None:
        raise Mistake("--draw is for --sample, which is not given")
    data = given_table(data, table)
    refuse_numbers(data, loss=which.loss, decimals=which.decimals)
    given = labelled(data, files)
    learn, held = given, None
    if choice.test is not None:
        learn, held = split(given, choice.test, choice.seed)
    with busy("Finding all near-optimal trees"):
        found = _found(learn, data, which, limits)
    rows, labels = (learn, None) if held is None else (held, held.y)
    prices = None
    if costs is not None or other_costs is not None:
        space = found.best_tree.space
        asked = tuple(name for name in space.names if name not in found.left_out)
        prices = read_costs(costs, _Asked(space, asked), files, other_costs)
    judged: dict[str, Any] = {
        "missing": choice.gap_rate, "costs": prices, "measures": choice.measure or (),
        "positive": positive_class(choice.positive, found), "sample": choice.sample,
        "random_state": choice.seed, "draw": choice.draw.value,
    }  # fmt: skip
    from ..rashomon import choose

    frame = choose(
        found, rows.typed, labels, where=choice.where or (), sort=choice.sort or (),
        using=choice.using or (), without=choice.without or (), first=choice.first,
        front=choice.front or (), limit=limits.limit, **judged,
    )  # fmt: skip
    records = _records(frame)
    content = _content(found, which, given, held, choice, frame) | {"choice": records}
    content |= about_part(found, limits)
    written = [] if save is None else [_saved(found, records, function, save)]
    if explorer is not None:
        all_ = "All functions of the set are" if choice.sample is None else "They are"
        written.append(f"{all_} on the page {explorer}.")
        from ..output.explorer import write_explorer

        write_explorer(
            found, explorer, rows.typed, labels, title=given.name, rows=shown_rows, **judged
        )
    write_result(output, content, records, lambda: _text(content, top, output.format, written))


def _found(learn: Labelled, data: TableOptions, which: SetOptions, limits: SetLimits) -> TreeSet:
    from ..rashomon import RashomonSet

    return RashomonSet(
        which.max_depth, which.regularization, which.epsilon,
        loss=loss_of(data, which.loss), decimals=which.decimals,
        space=learn.space if data.infer_kinds else None,
        **asdict(limits, dict_factory=search_settings),
    ).fit(learn.typed, learn.y).trees_  # fmt: skip


def _saved(found: TreeSet, records: list[dict[str, Any]], function: str | None, save: Path) -> str:
    """Write the function that is wanted as a model; say which it is."""
    name = _named(records, function)
    write(found.functions()[name].tree.to_json(), save)
    return f"{'The first' if function is None else f'Function {name}'} is in {save}."


def _named(records: list[dict[str, Any]], beginning: str | None) -> str:
    """Give the fingerprint of the function that is saved."""
    if not records:
        raise Mistake("--save: no function meets the conditions of --where")
    names = [str(record["fingerprint"]) for record in records]
    if beginning is None:
        return names[0]
    alike = list(dict.fromkeys(name for name in names if name.startswith(beginning.lower())))
    if len(alike) != 1 or not beginning:
        many = f"{len(alike):,}" if alike else "none"
        do = "give more of its digits" if alike else "the column fingerprint has them"
        raise Mistake(
            f"--function: {many} of the {len(names):,} functions have a fingerprint that begins "
            f"with {beginning!r:.80}; {do}"
        )
    return alike[0]


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    plain = frame.astype(object).to_dict("records")
    return [{str(k): v.item() if hasattr(v, "item") else v for k, v in r.items()} for r in plain]


def _content(
    found: TreeSet,
    which: SetOptions,
    given: Labelled,
    held: Labelled | None,
    choice: ChoiceOptions,
    frame: Any,
) -> dict[str, Any]:
    return {
        "data": given.name,
        "rows": len(given.X) - (0 if held is None else len(held.X)),
        "held_out_rows": None if held is None else len(held.X),
        "left_out": list(found.left_out),
        "max_depth": which.max_depth,
        "regularization": which.regularization,
        "epsilon": which.epsilon,
        "trees": found.n_trees,
        "looked_at": frame.attrs["functions"],
        "gap_rate": choice.gap_rate,
        "notes": given.summary.head(),
    }


def _beginnings(names: list[str]) -> list[str]:
    """Shorten fingerprints to what tells them apart, which is all that --function needs."""
    digits = 8
    while len({name[:digits] for name in names}) < len(set(names)):
        digits += 1
    return [name[:digits] for name in names]


def _text(content: dict[str, Any], top: int, form: Format, written: list[str]) -> str:
    """Write what is in ``content`` for people."""
    from ..model import short_count

    choice = content["choice"]
    on = f"{content['rows']:,} rows of {content['data']}"
    if content["held_out_rows"] is not None:
        on += f", judged on {content['held_out_rows']:,} other rows"
    many = "1 function" if len(choice) == 1 else f"{len(choice):,} functions"
    if content["looked_at"] == "all":
        many += " of all functions of"
    else:
        many += f" ({content['looked_at']}; and the exact ends of measures over all trees) of"
    text = [
        f"{many} {short_count(content['trees'])} trees of depth "
        f"{content['max_depth']} or less, on {on}. Coverage: every value is missing with "
        f"probability {content['gap_rate']:g}.{part_text(content)}"
    ]
    if not choice:
        return f"{text[0]}\n\nNo function meets the conditions: ask for less."
    names = _beginnings([str(one["fingerprint"]) for one in choice])
    shown = [{**one, "fingerprint": name} for one, name in zip(choice, names, strict=True)]
    text.append(records_as(shown[:top], form, digits=4))
    if len(choice) > top:
        text.append(f"{len(choice) - top:,} more: --top {len(choice)}, or -f csv.")
    text += written
    return "\n\n".join(text)
