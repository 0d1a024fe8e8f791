"""A workbook to fill in: formulas only, no macros.

In:  a ``Tree``.
Out: an ``.xlsx`` file. A leaf is possible if no cell that is filled in contradicts its conditions;
     the answer is certain if all possible leaves say the same. That is what ``predict`` gives.
     Names and labels stand in cells of text and never in a formula.
"""

from __future__ import annotations

import io
import math
import os
import re
import zipfile
from collections.abc import Sequence
from typing import Any, NamedTuple

from ...errors import InvalidParameter, TooLarge
from ...inputs import import_optional, write_whole
from ...model import Feature, Side, Tree, label_text, short_end, sides_text
from .plain import plain

__all__ = ["excel_bytes", "tree_as_excel"]

FILL, RULES, LISTS = "Fill in", "Rules", "Lists"
FIRST = 6  # the row of the first feature
INPUT, CODE, FAULT = "B", "E", "F"
MOST_LEAVES = 5_000
MOST_FORMULA = 8_000  # Excel allows 8,192 characters
MOST_TEXT = 32_000
DATE = re.compile(rb"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}Z")
MISSING_TEXT = "(missing)"


class _Line(NamedTuple):
    """Where the input of a feature stands, and its list of choices, if it has one."""

    feature: Feature
    row: int
    choices: tuple[str, ...]
    where: str  # the cells of its choices


def tree_as_excel(
    tree: Tree, path: str | os.PathLike[str], *, units: dict[str, str] | None = None
) -> None:
    """Write a workbook to fill in; see ``Tree.to_excel``."""
    write_whole(path, excel_bytes(tree, units=units))


def excel_bytes(tree: Tree, *, units: dict[str, str] | None = None) -> bytes:
    """Give the workbook as bytes; the same tree gives the same cells.

    Notes
    -----
    Linear in the lengths of all paths.
    """
    tree = plain(tree, "to_excel")
    units = {} if units is None else units
    for name in units:
        if name not in tree.features:
            raise InvalidParameter(
                f"units has {name!r:.80}, which is not a feature that the tree asks about: "
                f"{list(tree.features)!r:.200}",
                "units",
            )
    if tree.n_leaves > MOST_LEAVES:
        raise TooLarge(
            f"the tree has {tree.n_leaves:,} leaves, and a workbook takes {MOST_LEAVES:,}: use "
            "smallest_tree, or write code instead (to_javascript, to_python)",
            tree.n_leaves,
        )
    openpyxl = import_optional("openpyxl", needed_for="writing Excel files")
    book = openpyxl.Workbook()
    fill = book.active
    fill.title = FILL
    rules, lists = book.create_sheet(RULES), book.create_sheet(LISTS)
    lines = _write_lists(lists, tree)
    n = _write_rules(rules, tree, lines)
    _write_classes(lists, tree, n)
    _write_fill(fill, tree, lines, units)
    out = io.BytesIO()
    book.save(out)
    return _without_dates(out.getvalue())


def _without_dates(content: bytes) -> bytes:
    """Write the archive again with one date everywhere: the same tree gives the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            part = old.read(name)
            if name == "docProps/core.xml":
                part = DATE.sub(b"2000-01-01T00:00:00Z", part)
            entry = zipfile.ZipInfo(name, date_time=(2000, 1, 1, 0, 0, 0))
            new.writestr(entry, part, compress_type=zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _text(sheet: Any, place: str, text: str) -> None:
    """Put text into a cell, which is never a formula, whatever it begins with."""
    cell = sheet[place]
    shown = (c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text[:MOST_TEXT])
    cell.value = "".join(shown)
    cell.data_type = "s"
    cell.quotePrefix = True


def _choices(feature: Feature) -> tuple[str, ...]:
    if feature.kind == "boolean":
        return ("no", "yes")
    if not feature.ordered:
        return tuple(label_text(feature.label(code)) for code in range(feature.n_values))
    return (MISSING_TEXT,) if feature.nan else ()


def _write_lists(sheet: Any, tree: Tree) -> list[_Line]:
    """Write the choices of each feature into a column of its own; the first column is for classes.

    Choices are told apart by upper and lower case, and must differ as text.
    """
    from openpyxl.utils import get_column_letter

    lines = []
    for k, at in enumerate(tree.used):
        feature = tree.space.features[at]
        choices = _choices(feature)
        if len(set(choices)) < len(choices):
            raise InvalidParameter(
                f"feature {feature.name!r:.80} has two categories that look the same as text",
                "tree",
            )
        column = get_column_letter(5 + k)
        _text(sheet, f"{column}1", feature.name)
        for i, choice in enumerate(choices):
            _text(sheet, f"{column}{i + 2}", choice)
        where = f"{LISTS}!${column}$2:${column}${len(choices) + 1}"
        lines.append(_Line(feature, FIRST + k, choices, where))
    return lines


# -- rules -----------------------------------------------------------------------------------------


def _write_rules(sheet: Any, tree: Tree, lines: Sequence[_Line]) -> int:
    """Write a row per leaf: its conditions in words, its answer, whether it is possible."""
    by_name = {line.feature.name: line for line in lines}
    for place, title in zip("ABCD", ("If", "then", "answer no.", "still possible"), strict=True):
        _text(sheet, f"{place}1", title)
    n = 0
    for leaf, box in _leaf_boxes(tree):
        n += 1
        row = n + 1
        c = int(tree.leaf_class[leaf])
        _text(sheet, f"A{row}", sides_text(box) if box else "always")
        _text(sheet, f"B{row}", label_text(tree.classes[c]))
        sheet[f"C{row}"] = c + 1
        parts = [_possible(side, by_name[side.feature.name]) for side in box]
        formula = f"=IF(AND({','.join(parts)}),1,0)" if parts else "=1"
        if len(formula) > MOST_FORMULA:
            raise TooLarge(
                f"a leaf has conditions of {len(formula):,} characters, and a cell takes "
                f"{MOST_FORMULA:,}: write code instead (to_javascript, to_python)",
                len(formula),
            )
        sheet[f"D{row}"] = formula
    sheet.column_dimensions["A"].width = 90
    sheet.freeze_panes = "A2"
    return n


def _leaf_boxes(tree: Tree) -> list[tuple[int, list[Side]]]:
    """Give each leaf with what the way to it says of every feature that it asks about."""
    out: list[tuple[int, list[Side]]] = []
    todo: list[tuple[int, dict[int, Side]]] = [(0, {})]
    while todo:
        node, box = todo.pop()
        at = int(tree.feature[node])
        if at < 0:
            out.append((node, [box[k] for k in sorted(box)]))
            continue
        whole = box.get(at) or Side.whole(tree.space.features[at])
        yes, no = _parts(whole, tree.side(node))
        todo.append((int(tree.when_false[node]), {**box, at: no}))
        todo.append((int(tree.when_true[node]), {**box, at: yes}))
    return out


def _parts(whole: Side, test: Side) -> tuple[Side, Side]:
    """Split a side by a condition."""
    feature = whole.feature
    if not feature.ordered:
        inside = set(test.codes)
        return (
            Side(feature, codes=tuple(c for c in whole.codes if c in inside)),
            Side(feature, codes=tuple(c for c in whole.codes if c not in inside)),
        )
    cut = test.upper
    return (
        Side(feature, whole.lower, min(whole.upper, cut), whole.nan and test.nan),
        Side(feature, max(whole.lower, cut), whole.upper, whole.nan and not test.nan),
    )


def _possible(side: Side, line: _Line) -> str:
    """Write that the input is empty, or inside."""
    cell = f"'{FILL}'!${INPUT}${line.row}"
    code = f"'{FILL}'!${CODE}${line.row}"
    feature = side.feature
    if feature.kind == "boolean":
        return f"OR(ISBLANK({cell}),{code}={2 if side.upper >= 1 else 1})"
    if not feature.ordered:
        return f"OR(ISBLANK({cell}),{_among(code, side.codes)})"
    ends = []
    if not side.lower < side.upper:
        ends = ["FALSE"]
    if math.isfinite(side.lower):
        number, beyond = short_end(side.lower, feature.values)
        ends.append(f"{cell}{'>=' if beyond else '>'}{number}")
    if math.isfinite(side.upper):
        number, beyond = short_end(side.upper, feature.values)
        ends.append(f"{cell}{'<' if beyond else '<='}{number}")
    inside = f"AND({','.join(ends)})" if ends else "TRUE"
    if feature.nan:
        inside = f"IF(ISTEXT({cell}),{str(side.nan).upper()},{inside})"
    return f"OR(ISBLANK({cell}),{inside})"


def _among(cell: str, codes: Sequence[int]) -> str:
    """Write that a code (counted from 1) is one of these, runs of neighbours as ranges."""
    starts = [c for k, c in enumerate(codes) if k == 0 or codes[k - 1] != c - 1]
    ends = [c for k, c in enumerate(codes) if k + 1 == len(codes) or codes[k + 1] != c + 1]
    runs = [
        f"{cell}={a + 1}" if a == b else f"AND({cell}>={a + 1},{cell}<={b + 1})"
        for a, b in zip(starts, ends, strict=True)
    ]
    return runs[0] if len(runs) == 1 else f"OR({','.join(runs)})"


# -- answers and inputs ----------------------------------------------------------------------------


def _write_classes(sheet: Any, tree: Tree, n_leaves: int) -> None:
    """Write the answers, and which of them are possible."""
    for place, title in zip("ABC", ("answer", "no.", "possible"), strict=True):
        _text(sheet, f"{place}1", title)
    for k, label in enumerate(tree.classes):
        row = k + 2
        if tree.task == "regression":
            sheet[f"A{row}"] = float(label)
        else:
            _text(sheet, f"A{row}", label_text(label))
        sheet[f"B{row}"] = k + 1
        last = n_leaves + 1
        sheet[f"C{row}"] = (
            f"=IF(COUNTIFS({RULES}!$C$2:$C${last},B{row},{RULES}!$D$2:$D${last},1)>0,1,0)"
        )


def _write_fill(sheet: Any, tree: Tree, lines: Sequence[_Line], units: dict[str, str]) -> None:
    """Write the inputs with what they take, and the answer above them."""
    from openpyxl.styles import Font, PatternFill

    last, end = FIRST + len(lines) - 1, len(tree.classes) + 1
    classes, number, flags = (f"{LISTS}!${c}$2:${c}${end}" for c in "ABC")
    faults = f"SUM({FAULT}{FIRST}:{FAULT}{max(last, FIRST)})"
    most = f"SUMPRODUCT(MAX({flags}*{number}))"
    least = f"({end}-SUMPRODUCT(MAX({flags}*({end}-{number}))))"
    _text(sheet, "A1", "Answer")
    _text(sheet, "A2", "State")
    numbers = tree.task == "regression"
    open_ = f'INDEX({classes},{least})&" to "&INDEX({classes},{most})' if numbers else '"open"'
    certain = f"SUM({flags})=1"
    sheet["B1"] = f'=IF({faults}>0,"",IF({certain},INDEX({classes},{most}),{open_}))'
    sheet["B2"] = f'=IF({faults}>0,"check the inputs",IF({certain},"certain","not certain yet"))'
    _text(sheet, "A3", "Leave empty what is not known. Possible answers are on the sheet Lists.")
    for place, title in zip("ABCDEF", ("Feature", "Value", "Unit", "Takes", "Code", "Wrong"),
                            strict=True):  # fmt: skip
        _text(sheet, f"{place}{FIRST - 1}", title)
    for line in lines:
        _text(sheet, f"A{line.row}", line.feature.name)
        _text(sheet, f"C{line.row}", units.get(line.feature.name, ""))
        _text(sheet, f"D{line.row}", _takes(line))
        cell = f"{INPUT}{line.row}"
        code = f'=SUMPRODUCT(EXACT({line.where},{cell}&"")*(ROW({line.where})-1))'
        sheet[f"{CODE}{line.row}"] = code if line.choices else "=0"
        sheet[f"{FAULT}{line.row}"] = f"=IF({_wrong(line, cell)},1,0)"
        sheet[cell].fill = PatternFill("solid", fgColor="FFF7D6")
        if not line.feature.nan or not line.feature.ordered:
            sheet.add_data_validation(_validation(line, cell))
    for place in ("A1", "B1", "B2"):
        sheet[place].font = Font(bold=True, size=14)
    for column, width in zip("ABCDEF", (32, 24, 12, 44, 8, 8), strict=True):
        sheet.column_dimensions[column].width = width


def _takes(line: _Line) -> str:
    if line.choices and line.feature.ordered and line.feature.kind == "numeric":
        return f"a number, or {MISSING_TEXT}"
    if line.choices:
        return ", ".join(line.choices)
    return "a whole number" if line.feature.whole else "a number"


def _wrong(line: _Line, cell: str) -> str:
    """Write that an input is filled in, and is not a value of its feature."""
    code = f"{CODE}{line.row}"
    if not line.feature.ordered or line.feature.kind == "boolean":
        return f"AND(NOT(ISBLANK({cell})),{code}=0)"
    number = f"ISNUMBER({cell})"
    if line.feature.whole:
        number = f"IF(ISNUMBER({cell}),INT({cell})={cell},FALSE)"
    known = f"OR(ISBLANK({cell}),{number}{f',{code}=1' if line.choices else ''})"
    return f"NOT({known})"


def _validation(line: _Line, cell: str) -> Any:
    from openpyxl.worksheet.datavalidation import DataValidation

    if line.choices:
        rule = DataValidation(type="list", formula1=line.where, allow_blank=True)
    else:
        kind = "whole" if line.feature.whole else "decimal"
        limits = ("-1000000000000", "1000000000000") if kind == "whole" else ("-1E+300", "1E+300")
        rule = DataValidation(
            type=kind, operator="between", formula1=limits[0], formula2=limits[1], allow_blank=True
        )
    rule.errorTitle, rule.error = "Not a value", "Choose or type a value that the sheet takes."
    rule.showErrorMessage = True
    rule.add(cell)
    return rule
