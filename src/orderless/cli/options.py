"""Options that commands share, as groups; a command takes a group as one parameter.

In:  dataclasses whose fields are typer's options.
Out: ``ReadOptions`` and ``ModelOptions`` (a model that is there), ``RowsOptions`` (rows for it),
     ``TableOptions`` (a table to learn from), ``FileOptions``, ``LimitOptions``, ``OutputOptions``;
     ``finite``, ``given_table``, ``refuse_beside``. ``app.py`` shows typer the single options, in
     the panel of the help that is the ``PANEL`` of their class.

Annotations are not postponed here: typer would compile each of them again for every command.
"""

import math
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, ClassVar

import typer

from .facts_option import FactsFile
from .mistakes import Mistake

__all__ = [
    "AllowPickle",
    "FileOptions",
    "Format",
    "GivenTable",
    "LimitOptions",
    "MissingValues",
    "ModelOptions",
    "OutputOptions",
    "ReadOptions",
    "RowsOptions",
    "SafeCsv",
    "SpaceFile",
    "TableOptions",
    "TaskKind",
    "Unseen",
    "UnseenKind",
    "finite",
    "given_table",
    "refuse_beside",
]

TREE = "The model"
DECISION = "The decision that is taken"
DATA = "Data"
OUTPUT = "Output"
LIMITS = "Limits"


class Format(StrEnum):
    """How results are written."""

    text = "text"
    json = "json"
    csv = "csv"
    md = "md"


class UnseenKind(StrEnum):
    """What becomes of a category that the tree does not know."""

    unknown = "unknown"
    error = "error"


class TaskKind(StrEnum):
    """What a tree is fitted for."""

    classification = "classification"
    regression = "regression"


class MissingValues(StrEnum):
    """What becomes of rows with gaps."""

    drop = "drop"
    value = "value"


Unseen = Annotated[
    UnseenKind,
    typer.Option(
        help="What becomes of a category that the tree does not know: unknown (any category is "
        "possible; the number of rows is written to stderr), or an error.",
        rich_help_panel=DATA,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        "-q",
        help="Do not say on stderr how the data were read.",
        rich_help_panel=DATA,
    ),
]
SpaceFile = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="JSON that says what the columns of a model's table are: names and kinds, as "
        '{"age": "integer", "ward": ["east", "west"]}, or the "space" of a tree in JSON.',
        rich_help_panel=TREE,
    ),
]
AllowPickle = Annotated[
    bool,
    typer.Option(
        "--allow-pickle",
        help="Open pickle and joblib files too. Dangerous: such a file runs whatever code its "
        "author put into it, the moment it is opened. Only for files that you made yourself.",
        rich_help_panel=TREE,
    ),
]
At = Annotated[
    str | None,
    typer.Option(
        metavar="CLASS=PROBABILITY",
        help="Decide whether the risk of a class is at least this (--at malignant=0.2): its share "
        "of the training rows of a leaf. The answers are True and False.",
        rich_help_panel=DECISION,
    ),
]
Cut = Annotated[
    str | None,
    typer.Option(
        metavar="LEVEL,...",
        help="Decide into which interval a number falls (--cut 10,20: at most 10, above 10 to 20, "
        "above 20).",
        rich_help_panel=DECISION,
    ),
]
Decisions = Annotated[
    str | None,
    typer.Option(
        metavar="NAME,...",
        help="What the answers of --at or --cut are called, the lowest first: --decisions "
        "wait,biopsy; --decisions low,middle,high.",
        rich_help_panel=DECISION,
    ),
]


@dataclass(frozen=True, kw_only=True)
class ReadOptions:
    """How the files of models are read, and what is decided by what the models say."""

    PANEL: ClassVar = TREE
    allow_pickle: AllowPickle = False
    space: SpaceFile = None
    at: At = None
    cut: Cut = None
    decisions: Decisions = None


@dataclass(frozen=True, kw_only=True)
class ModelOptions(ReadOptions):
    """A model of a file, and what is decided by what it says."""

    PANEL: ClassVar = TREE
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="A model file: what orderless fit saves, JSON, skops, PMML, ONNX, or a model of "
            "XGBoost, LightGBM or CatBoost; - is standard input.",
        ),
    ]
    facts: FactsFile = None


@dataclass(frozen=True)
class FileOptions:
    """How table files are written."""

    PANEL: ClassVar = DATA
    delimiter: Annotated[
        str | None,
        typer.Option(
            help="What separates the cells of a CSV file; by default a tab in .tsv files, else a "
            "comma."
        ),
    ] = None
    encoding: Annotated[str, typer.Option(help="How a CSV file is encoded.")] = "utf-8"
    na: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[COLUMN=]TEXT,...",
            help="Texts of cells that mean missing, besides empty cells, NA, NaN, null, unknown "
            "and ?: in every column, or in one (--na bmi=-9,999). May be given several times; "
            "a text with a comma or = is put into double quotes.",
        ),
    ] = None
    decimal: Annotated[str, typer.Option(help="The decimal sign: . or a comma.")] = "."
    thousands: Annotated[
        str | None,
        typer.Option(
            help="What separates groups of three digits: a comma, a point, ' or space. By default "
            "nothing does."
        ),
    ] = None
    max_columns: Annotated[
        int, typer.Option(min=1, help="A file with more columns than this is refused.")
    ] = 1000


@dataclass(frozen=True)
class TableOptions:
    """A table with a column of classes."""

    PANEL: ClassVar = DATA
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|NAME",
            help="CSV or Parquet file with a header, or the name of a data set (orderless "
            "data lists them).",
        ),
    ] = None
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column with the classes, or with the numbers of --task regression; known for "
            "data sets.",
        ),
    ] = None
    task: Annotated[
        TaskKind,
        typer.Option(
            help="Whether the target holds classes, or numbers that a regression tree is fitted to."
        ),
    ] = TaskKind.classification
    ignore: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="A column to leave out of fitting; may be given several times."
        ),
    ] = None
    use: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column to learn from, although it looks like an identifier; may be given "
            "several times.",
        ),
    ] = None
    text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="A column that is text, although it looks like numbers; for the target: numbers "
            "that are names of classes. May be given several times.",
        ),
    ] = None
    missing_values: Annotated[
        MissingValues,
        typer.Option(
            help="What becomes of rows with gaps where complete rows are needed, as for fitting: "
            "drop leaves them out and says how many; value (for a fitted tree) takes a gap for one "
            "more value, which the tree learns to handle."
        ),
    ] = MissingValues.drop
    infer_kinds: Annotated[
        bool,
        typer.Option(
            "--infer-kinds",
            help="Judge by the data which columns are whole numbers, which are true or false, and "
            "which 0/1 columns are the values of one feature. Other values are refused later. Also "
            "for the columns of a model file.",
        ),
    ] = False
    quiet: Quiet = False


GivenTable = Annotated[
    str | None,
    typer.Argument(metavar="[FILE|NAME]", help="The same as --data.", rich_help_panel=DATA),
]


def given_table(data: TableOptions, table: str | None) -> TableOptions:
    """Take a table that was written without --data."""
    if table is not None and data.data is not None:
        raise Mistake(f"there are two tables, {table!r:.80} and --data {data.data!r:.80}: give one")
    return data if table is None else replace(data, data=table)


@dataclass(frozen=True)
class RowsOptions:
    """Rows for a model that is there already."""

    PANEL: ClassVar = DATA
    data: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|NAME",
            help="CSV or Parquet file with a header, or the name of a data set (orderless "
            "data lists them).",
        ),
    ] = None
    target: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column with the true classes, or numbers; known for data sets.",
        ),
    ] = None
    unseen: Unseen = UnseenKind.unknown
    quiet: Quiet = False


@dataclass(frozen=True)
class LimitOptions:
    """How long to try."""

    PANEL: ClassVar = LIMITS
    exact: Annotated[
        bool,
        typer.Option(
            help="Whether rules are proven minimal; --no-exact is quick for trees of any size."
        ),
    ] = True
    limit: Annotated[int, typer.Option(min=1, help="The most reasons that a class may have.")] = (
        1_000_000
    )
    time_limit: Annotated[
        float,
        typer.Option(
            min=0.001, help="Seconds allowed for all reasons, or for the rules of a class."
        ),
    ] = 60.0


def _file(words: str) -> Any:
    return typer.Option("--output", "-o", metavar="FILE", help=words, rich_help_panel=OUTPUT)


OutputFile = Annotated[Path | None, _file("Write here, all or nothing, instead of to the screen.")]
HtmlFile = Annotated[Path | None, _file("The HTML file to write, all or nothing.")]


SafeCsv = Annotated[
    bool,
    typer.Option(
        "--safe-csv",
        help="For CSV that a spreadsheet opens: cells that it would take for a formula (= + - @, a "
        "tab or a line break first, but not plain numbers) get an apostrophe before them. Without "
        "it every cell is exact.",
        rich_help_panel=OUTPUT,
    ),
]


@dataclass(frozen=True)
class OutputOptions:
    """Where the result goes, and how it is written."""

    PANEL: ClassVar = OUTPUT
    output: OutputFile = None
    format: Annotated[Format, typer.Option("--format", "-f", help="How it is written.")] = (
        Format.text
    )
    safe_csv: SafeCsv = False

    def __post_init__(self) -> None:
        if self.safe_csv and self.format != Format.csv:
            raise typer.BadParameter(
                f"--safe-csv is for --format csv, and this writes {self.format}"
            )


def refuse_beside(mode: str, *groups: Any) -> None:
    """Refuse options that do nothing beside the one that says what is done."""
    for group in groups:
        for field in fields(group):
            if getattr(group, field.name) != field.default:
                option = field.name.replace("_", "-")
                raise Mistake(f"--{option} does nothing beside {mode}: leave out one of the two")


def finite(number: float | None) -> float | None:
    """Refuse NaN and infinity, which are numbers to Python; the ``callback`` of an option."""
    if number is not None and not math.isfinite(number):
        raise typer.BadParameter(f"{number} is not a finite number")
    return number
