"""A points score as a table: one condition per row.

In:  the text of a CSV file with the columns feature, relation, value, points, and perhaps item.
Out: the dict that JSON would give (``score_items``).
"""

from __future__ import annotations

import csv
import io
import re
from typing import Any

from ...errors import InvalidTree
from ...inputs import near, some_names
from ...model import parse
from .score_items import RELATIONS

__all__ = ["NUMBER", "items_of_csv", "literal"]

COLUMNS = ("item", "feature", "relation", "value", "points")
NEEDED = ("feature", "relation", "value", "points")
SETS = ("among", "not among", "between")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)


def items_of_csv(text: str) -> dict[str, Any]:
    r"""Read a table of conditions; rows that share a name in the column item are one item.

    Examples
    --------
    >>> items_of_csv("feature,relation,value,points\nage,above,65,2\n")
    {'items': [{'when': [{'feature': 'age', 'above': 65}], 'points': '2'}]}
    """
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as fault:
        raise InvalidTree(f"this is not complete CSV: {fault}") from fault
    head = [name.strip() for name in rows[0]] if rows else []
    missing = [name for name in NEEDED if name not in head]
    strange = [name for name in head if name not in COLUMNS]
    if missing or strange or len(set(head)) != len(head):
        raise InvalidTree(
            f"a score in CSV has the columns {some_names(NEEDED)} and perhaps 'item', got "
            f"{some_names(head)}"
        )
    content: dict[str, Any] = {"items": []}
    named: dict[str, dict[str, Any]] = {}
    for line, cells in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(head):
            raise InvalidTree(f"row {line} has {len(cells)} cells, the first {len(head)}")
        row = {name: cell.strip() for name, cell in zip(head, cells, strict=True)}
        _add(content, named, row, line)
    return content


def _add(
    content: dict[str, Any], named: dict[str, dict[str, Any]], row: dict[str, str], line: int
) -> None:
    """Add a row: a verdict, what everybody has, or a condition of an item."""
    relation, points = row["relation"], row["points"]
    if relation == "verdict":
        verdicts = content.setdefault("verdicts", {})
        label = literal(row["value"], line)
        if label in verdicts:
            raise InvalidTree(f"row {line}: the verdict {label!r:.80} is there twice")
        verdicts[label] = points or None
        return
    if relation == "base":
        content["base"] = points
        return
    if relation.replace("_", " ") not in RELATIONS:
        known = (*RELATIONS, "verdict", "base")
        raise InvalidTree(
            f"row {line}: {relation!r:.80} is not a relation{near(relation, known)}: use one of "
            f"{some_names(known, len(known))}"
        )
    value: Any = row["value"]
    many = RELATIONS[relation.replace("_", " ")] in SETS
    value = [literal(part, line) for part in value.split("|")] if many else literal(value, line)
    condition = {"feature": row["feature"], relation: value}
    name = row.get("item", "")
    if name and name in named:
        item = named[name]
        if points and points != item["points"]:
            raise InvalidTree(
                f"row {line}: item {name!r:.80} has the points {item['points']} and {points}: "
                "write them once"
            )
        item["when"].append(condition)
        return
    if not points:
        raise InvalidTree(f"row {line} has no points: write them in the first row of an item")
    item = {**({"name": name} if name else {}), "when": [condition], "points": points}
    named[name] = item
    content["items"].append(item)


def literal(text: str, line: int) -> Any:
    """Read true, false, a number, or text; text in quotes is text, whatever it looks like."""
    text = text.strip()
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if len(text) > 1 and text[0] == text[-1] == '"':
        return parse(text)
    if NUMBER.fullmatch(text):
        number = float(text)
        return int(number) if number.is_integer() and abs(number) < 2**53 else number
    if not text:
        raise InvalidTree(f"row {line} has no value")
    return text
