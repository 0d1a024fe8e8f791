"""``orderless rules``: what is wrong with a decision table, and the tree that it is."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..inputs import write_whole
from .options import LIMITS, OUTPUT, TREE, Format, OutputOptions, SpaceFile
from .sink import write_result

if TYPE_CHECKING:
    from ..readers import RuleCheck

__all__ = ["EXAMPLE", "FAULTY", "command"]

FAULTY = 4
EXAMPLE = (
    "Example: orderless rules rules.csv\n\n"
    "Example: orderless rules rules.csv --hit first --default refer --tree tree.json"
)


@dataclass(frozen=True)
class RuleOptions:
    """How the rules are read."""

    PANEL: ClassVar = TREE
    hit: Annotated[
        str | None,
        typer.Option(
            metavar="unique|first|any",
            help="Which rules may hold together: none, all (the first decides), or those that say "
            "the same. By default what the header says ('hit F'), else unique.",
        ),
    ] = None
    default: Annotated[str | None, typer.Option(help="What is decided where no rule holds.")] = None
    verdict: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column of outputs, by default the last."),
    ] = None
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column to leave out. May be given several times."),
    ] = None
    delimiter: Annotated[str, typer.Option(help="What separates the cells, or tab.")] = ","
    limit: Annotated[
        int,
        typer.Option(
            min=1,
            help="The most regions into which the rules may cut the space.",
            rich_help_panel=LIMITS,
        ),
    ] = 100_000

    def for_reader(self, kinds: Any) -> dict[str, Any]:
        """Give the parameters of ``read_rules``."""
        from ..readers import value_of

        return {
            "hit": self.hit,
            "output": self.verdict,
            "default": None if self.default is None else value_of(self.default, "--default"),
            "space": kinds,
            "ignore": self.ignore or (),
            "delimiter": "\t" if self.delimiter == "tab" else self.delimiter,
            "limit": self.limit,
        }


def command(
    table: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="CSV file: a header, and a rule per line; the cells of features (<= 30, [18..25), "
            "a, b, not a, -) and the output, or a column 'if' (age <= 30 and ward is a) and the "
            "output.",
        ),
    ],
    *,
    rules: RuleOptions,
    space: SpaceFile = None,
    most: Annotated[
        int,
        typer.Option(
            min=1, help="The most overlaps, and the most gaps, to show.", rich_help_panel=LIMITS
        ),
    ] = 20,
    tree: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the tree here as JSON, which all other commands take; only if each row has "
            "one output.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    output: OutputOptions,
) -> None:
    """Look for rules that contradict each other, and for rows that no rule covers.

    Each finding comes with an example row. The exit code is 0 if each row has exactly one output,
    and 4 otherwise. With --tree the table is written as a tree, for all other commands.
    """
    from ..readers import check_rules, read_rules
    from .models import read_space

    kinds = None if space is None else {f.name: f for f in read_space(space).features}
    options = rules.for_reader(kinds)
    check = check_rules(table, **options, most=most)
    write_result(output, _content(check), _records(check), lambda: _text(check, output.format))
    if not check:
        raise typer.Exit(FAULTY)
    if tree is not None:
        write_whole(tree, read_rules(table, **options).to_json() + "\n")


def _records(check: RuleCheck) -> list[dict[str, Any]]:
    """Give one record per finding."""
    out: list[dict[str, Any]] = [
        {
            "finding": "contradiction" if one.contradicts else "overlap",
            "lines": f"{one.lines[0]} and {one.lines[1]}",
            "where": one.region,
            **one.row,
        }
        for one in check.overlaps
    ]
    out += [{"finding": "gap", "lines": "", "where": one.region, **one.row} for one in check.gaps]
    empty = dict.fromkeys(check.space.names, "")
    out += [
        {"finding": "never decides", "lines": str(line), "where": "", **empty}
        for line in check.unused
    ]
    return out


def _text(check: RuleCheck, form: Format) -> str:
    if form != Format.md:
        return str(check)
    from ..output.rules import escaped

    return "\n".join(escaped(line) if line[:2] != "- " else f"- {escaped(line[2:])}"
                     for line in str(check).splitlines())  # fmt: skip


def _content(check: RuleCheck) -> dict[str, Any]:
    return {
        "rules": check.n_rules,
        "hit": check.hit,
        "output": check.output,
        "one_output_per_row": bool(check),
        "default": check.default,
        "overlaps": [
            {"lines": one.lines, "outputs": one.outputs, "contradicts": one.contradicts,
             "where": one.region, "row": one.row}
            for one in check.overlaps
        ],
        "more_overlaps": check.more_overlaps,
        "gaps": [{"where": one.region, "row": one.row} for one in check.gaps],
        "n_gaps": check.n_gaps,
        "never_decide": list(check.unused),
        "space": check.space.to_dict(),
    }  # fmt: skip
