"""``orderless prove``: which properties of a file hold for every row of a model."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import InvalidData, InvalidSpace, InvalidTree, Undecided
from ..inputs import busy, write_whole
from ..model import printable
from .facts_option import FactsFile
from .mistakes import Mistake, one_line
from .options import (
    LIMITS,
    OUTPUT,
    Format,
    OutputOptions,
    ReadOptions,
    finite,
)
from .sink import as_json, records_as, write

if TYPE_CHECKING:
    from ..questions import Properties
    from .property_file import Asked

__all__ = ["EXAMPLE", "REFUTED", "UNDECIDED", "command"]

REFUTED, UNDECIDED = 4, 5
EXAMPLE = (
    "Example: orderless prove model.json --file properties.toml\n\n"
    "Example: orderless prove model.json --file properties.toml --junit results.xml"
)
# What XML 1.0 cannot hold, even escaped.
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def command(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A tree or an ensemble: JSON, skops, ...")
    ],
    read: ReadOptions,
    output: OutputOptions,
    file: Annotated[
        Path,
        typer.Option(
            "--file",
            metavar="FILE",
            help="TOML file with a table for each property (see the guide).",
        ),
    ],
    junit: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the results as JUnit XML too, which build servers show.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    time_limit: Annotated[
        float,
        typer.Option(
            min=0.0,
            callback=finite,
            help="Seconds for each property, where the model is an ensemble.",
            rich_help_panel=LIMITS,
        ),
    ] = 10.0,
    facts: FactsFile = None,
) -> None:
    """Prove properties of a model for every possible row, or refute them with rows.

    Every property of the file is proven, refuted with a counterexample, or (of an ensemble)
    undecided. The exit code is 0 if all are proven, 4 if one is refuted, and 5 if none is refuted
    but one is undecided.
    """
    from ..questions import prove
    from .models import loader
    from .property_file import read_properties

    asked = read_properties(file)
    load = loader(read, facts)
    properties = prove(load(model), time_limit=time_limit)
    with busy("Proving"):
        records = [_record(one, properties, load, file.parent) for one in asked]
    if junit is not None:
        write_whole(junit, _junit(str(model), records))
    if output.format == Format.json:
        write(as_json(records, allow_nan=False), output.output)
    elif output.format == Format.text:
        write(_text(records), output.output)
    else:
        flat = [{key: record[key] for key in ("name", "property", "result", "text")}
                for record in records]  # fmt: skip
        write(records_as(flat, output.format, safe_csv=output.safe_csv), output.output)
    results = {record["result"] for record in records}
    if "refuted" in results:
        raise typer.Exit(REFUTED)
    if "undecided" in results:
        raise typer.Exit(UNDECIDED)


def _record(one: Asked, asked: Properties, load: Any, folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = {"name": one.name, "property": one.kind, "line": one.line}
    try:
        proof = one.put(asked, load, folder)
    except Undecided as fault:
        return {**record, "result": "undecided", "text": one_line(fault), "why": fault.why}
    except (InvalidData, InvalidSpace, InvalidTree, OSError, Mistake) as fault:
        raise Mistake(f"{one.place}: {one_line(fault)}") from fault
    result = "proven" if proof else "refuted"
    return {**record, "result": result, "text": str(proof), **proof.to_dict()}


def _text(records: list[dict[str, Any]]) -> str:
    """Write a table of results, and below it what was refuted, and how."""
    table = records_as(
        [{key: record[key] for key in ("name", "property", "result")} for record in records],
        Format.text,
    )
    lines = [table]
    for record in records:
        if record["result"] != "proven":
            text = record["text"].replace("\n", "\n  ")
            lines += ["", f"{printable(record['name'])}", f"  {text}"]
    proven = sum(record["result"] == "proven" for record in records)
    noun = "property is" if len(records) == 1 else "properties are"
    return "\n".join([*lines, "", f"{proven:,} of {len(records):,} {noun} proven."])


def _junit(model: str, records: list[dict[str, Any]]) -> str:
    """Write results as build servers read them: refuted is a failure, undecided an error."""
    from xml.etree import ElementTree

    counts = {kind: str(sum(record["result"] == kind for record in records))
              for kind in ("refuted", "undecided")}  # fmt: skip
    suite = ElementTree.Element("testsuite", {
        "name": f"orderless prove {_xml(model)}", "tests": str(len(records)),
        "failures": counts["refuted"], "errors": counts["undecided"],
    })  # fmt: skip
    for record in records:
        case = ElementTree.SubElement(
            suite, "testcase", {"name": _xml(record["name"]), "classname": record["property"]}
        )
        if record["result"] != "proven":
            kind = "failure" if record["result"] == "refuted" else "error"
            text = _xml(record["text"])
            said = ElementTree.SubElement(
                case, kind, {"message": text.splitlines()[0], "type": record["result"]}
            )
            said.text = text
    ElementTree.indent(suite)
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return head + ElementTree.tostring(suite, encoding="unicode") + "\n"


def _xml(text: str) -> str:
    """Write characters that XML cannot hold as escapes."""
    return NO_XML.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
