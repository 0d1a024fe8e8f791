"""``orderless prove``: properties of a model, the rules of a decision table, certificates.

In:  a model and a file of properties; a decision table; or a certificate.
Out: what is proven, what is refuted by which row, and what is undecided.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..errors import InvalidData, InvalidSpace, InvalidTree, Undecided
from ..inputs import busy, read_file, write_whole
from ..model import printable
from .facts_option import FactsFile
from .mistakes import Mistake, one_line
from .options import (
    LIMITS,
    Format,
    OutputOptions,
    ReadOptions,
    finite,
    refuse_beside,
)
from .sink import records_as, write_result

if TYPE_CHECKING:
    from ..questions import Properties
    from ..readers import RuleCheck
    from .property_file import Asked

__all__ = ["EXAMPLE", "REFUTED", "UNDECIDED", "command"]

REFUTED, UNDECIDED = 4, 5
REGIONS, STEPS = 100_000, 20_000_000  # what --limit is by default, of rules and of a certificate
EXAMPLE = (
    "Example: orderless prove model.json --file properties.toml --junit results.xml\n\n"
    "Example: orderless prove --rules rules.csv --hit first --default refer --tree tree.json\n\n"
    "Example: orderless prove model.json --certificate certificate.json"
)
# What XML 1.0 cannot hold, even escaped.
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class PropertyOptions:
    """Which properties of a model are proven."""

    PANEL: ClassVar = "Properties of a model"
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="TOML file with a table for each property (see the guide)."
        ),
    ] = None
    junit: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the results as JUnit XML too, which build servers show.",
        ),
    ] = None
    time_limit: Annotated[
        float,
        typer.Option(
            min=0.0,
            callback=finite,
            help="Seconds for each property, where the model is an ensemble.",
        ),
    ] = 10.0


@dataclass(frozen=True)
class RuleOptions:
    """Rules that people wrote, and how they are read."""

    PANEL: ClassVar = "Rules of a decision table"
    rules: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Instead of a model: CSV file of rules, with a header and a rule per line; the "
            "cells of features (<= 30, [18..25), a, b, not a, -) and the output, or a column 'if' "
            "(age <= 30 and ward is a) and the output.",
        ),
    ] = None
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
    most: Annotated[
        int, typer.Option(min=1, help="The most overlaps, and the most gaps, to show.")
    ] = 20
    tree: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the tree here as JSON, which all other commands take; only if each row has "
            "one output.",
        ),
    ] = None

    def for_reader(self, kinds: Any, limit: int) -> dict[str, Any]:
        """Give the parameters of ``read_rules``."""
        from ..readers import value_of

        return {
            "hit": self.hit,
            "output": self.verdict,
            "default": None if self.default is None else value_of(self.default, "--default"),
            "space": kinds,
            "ignore": self.ignore or (),
            "delimiter": "\t" if self.delimiter == "tab" else self.delimiter,
            "limit": limit,
        }


@dataclass(frozen=True)
class CertificateOptions:
    """A certificate, and its independent checker."""

    PANEL: ClassVar = "Certificates"
    certificate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Check what a certificate (JSON) states, of MODEL if one is given, with a program "
            "that shares nothing with the rest of orderless.",
        ),
    ] = None
    write_checker: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the independent checker, a Python program without dependencies.",
        ),
    ] = None


Limit = Annotated[
    int | None,
    typer.Option(
        min=1,
        help="The most regions into which --rules may cut the space (100,000), or steps that "
        "checking a --certificate may take (20,000,000).",
        rich_help_panel=LIMITS,
    ),
]


def command(
    read: ReadOptions,
    output: OutputOptions,
    properties: PropertyOptions,
    rules: RuleOptions,
    certificates: CertificateOptions,
    model: Annotated[
        Path | None,
        typer.Argument(metavar="[MODEL]", help="A tree or an ensemble: JSON, skops, ..."),
    ] = None,
    facts: FactsFile = None,
    limit: Limit = None,
) -> None:
    """Prove properties of a model, or refute them with rows.

    --file: every property of the file is proven, refuted with a counterexample, or (of an ensemble)
    undecided. --rules: which rules of a decision table contradict each other, and which rows none
    covers, each with an example row; with --tree the table is written as a tree. --certificate:
    whether everything holds that a certificate (export --format certificate) states.

    The exit code is 0 if all is proven, 4 if something is refuted, and 5 if nothing is refuted but
    something is undecided.
    """
    chosen = [
        option
        for option, value in (
            ("--file", properties.file),
            ("--rules", rules.rules),
            ("--certificate", certificates.certificate or certificates.write_checker),
        )
        if value is not None
    ]
    if len(chosen) != 1:
        raise Mistake(
            "what is to be proven? Give one of --file PROPERTIES with a MODEL, --rules TABLE and "
            "--certificate FILE"
        )
    mode = chosen[0]
    groups = {"--file": properties, "--rules": rules, "--certificate": certificates}
    refuse_beside(mode, *(group for option, group in groups.items() if option != mode))
    if mode == "--file":
        if model is None or limit is not None:
            wrong = "--limit does nothing" if model is not None else "a MODEL is needed"
            raise Mistake(f"{wrong} beside --file: orderless prove MODEL --file PROPERTIES")
        _prove_properties(model, read, output, properties, facts)
        return
    if facts is not None:
        raise Mistake(f"--facts does nothing beside {mode}: leave out one of the two")
    if mode == "--rules":
        if model is not None:
            raise Mistake("--rules is about a decision table: leave out the MODEL")
        _check_rules(rules.rules, rules, read, output, limit or REGIONS)
    else:
        _check_certificate(certificates, model, read, output, limit or STEPS)


# -- properties ------------------------------------------------------------------------------------


def _prove_properties(
    model: Path,
    read: ReadOptions,
    output: OutputOptions,
    options: PropertyOptions,
    facts: Path | None,
) -> None:
    from ..questions import prove
    from .models import loader
    from .property_file import read_properties

    assert options.file is not None
    asked = read_properties(options.file)
    load = loader(read, facts)
    properties = prove(load(model), time_limit=options.time_limit)
    with busy("Proving"):
        records = [_record(one, properties, load, options.file.parent) for one in asked]
    if options.junit is not None:
        write_whole(options.junit, _junit(str(model), records))
    names = ("name", "property", "result", "text")
    flat = [{key: record[key] for key in names} for record in records]

    def text() -> str:
        if output.format == Format.md:
            return records_as(flat, Format.md)
        return _text(records)

    write_result(output, records, flat, text)
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


# -- the rules of a decision table -----------------------------------------------------------------


def _check_rules(
    table: Path | None, rules: RuleOptions, read: ReadOptions, output: OutputOptions, limit: int
) -> None:
    from ..readers import check_rules, read_rules
    from .models import read_space

    assert table is not None
    if read != ReadOptions(space=read.space):
        raise Mistake(
            "--at, --cut, --decisions and --allow-pickle are about a model, and --rules about a "
            "decision table: leave them out"
        )
    kinds = None if read.space is None else {f.name: f for f in read_space(read.space).features}
    options = rules.for_reader(kinds, limit)
    check = check_rules(table, **options, most=rules.most)
    write_result(
        output,
        _findings_record(check),
        _findings(check),
        lambda: _findings_text(check, output.format),
    )
    if not check:
        raise typer.Exit(REFUTED)
    if rules.tree is not None:
        write_whole(rules.tree, read_rules(table, **options).to_json() + "\n")


def _findings(check: RuleCheck) -> list[dict[str, Any]]:
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


def _findings_text(check: RuleCheck, form: Format) -> str:
    if form != Format.md:
        return str(check)
    from ..output.rules import escaped

    return "\n".join(escaped(line) if line[:2] != "- " else f"- {escaped(line[2:])}"
                     for line in str(check).splitlines())  # fmt: skip


def _findings_record(check: RuleCheck) -> dict[str, Any]:
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


# -- certificates ----------------------------------------------------------------------------------


def _check_certificate(
    options: CertificateOptions,
    model: Path | None,
    read: ReadOptions,
    output: OutputOptions,
    limit: int,
) -> None:
    from ..output.certificates import check_certificate, checker
    from .models import loader, one_tree

    if output.format not in (Format.text, Format.json):
        raise Mistake(f"what holds of a certificate is text or json, not {output.format}")
    if options.write_checker is not None:
        write_whole(options.write_checker, checker())
        if options.certificate is None:
            return
    assert options.certificate is not None
    known = None if model is None else one_tree(loader(read)(model), model.name)
    content = read_file(options.certificate)
    result, status = "valid", 0
    try:
        with busy("Checking"):
            lines = [*check_certificate(content, model=known, limit=limit), "Valid."]
    except (InvalidData, Undecided) as fault:
        undecided = isinstance(fault, Undecided)
        result, status = ("undecided", UNDECIDED) if undecided else ("not valid", REFUTED)
        text = one_line(fault)
        lines = [f"{text[:1].upper()}{text[1:]}."]
    write_result(output, {"result": result, "lines": lines}, [], lambda: "\n".join(lines))
    if status:
        raise typer.Exit(status)
