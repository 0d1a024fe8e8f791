"""Files of facts: what ``data`` proposes and a person confirms, and what ``--facts`` takes.

In:  a TOML or JSON file.
Out: facts; a model that knows them.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InvalidData, InvalidSpace
from ..inputs import read_file
from ..model import Fact, SumKernel, TreeKernel, parse
from .mistakes import Mistake

if TYPE_CHECKING:
    from ..inputs import Proposal

__all__ = ["as_fact_file", "read_fact_file", "with_known"]

LARGEST = 10_000_000
HEAD = """\
# Facts that hold in all {rows:,} rows of {name}, the most surprising first.
# That something held in these rows does not make it a fact: set confirmed = true where you know
# that it holds for every row, and delete the others. --facts takes confirmed facts only.
"""


def read_fact_file(path: Path) -> tuple[Fact, ...]:
    """Read facts: ``facts = ["low <= high", ...]``, or tables ``[[fact]]`` that are confirmed."""
    try:
        text = read_file(path, LARGEST).removeprefix(b"\xef\xbb\xbf").decode("utf-8")
        given: Any = parse(text) if path.suffix.lower() == ".json" else tomllib.loads(text)
    except InvalidData:
        raise
    except (ValueError, RecursionError) as fault:
        raise Mistake(f"{path.name} cannot be read: {fault}") from fault
    if isinstance(given, list):
        given = {"facts": given}
    if not isinstance(given, dict) or set(given) - {"facts", "fact"} or not given:
        raise Mistake(
            f'{path.name} is no file of facts: it must have facts = ["low <= high", ...], or '
            "tables [[fact]] with text and confirmed"
        )
    facts, tables = given.get("facts", []), given.get("fact", [])
    if not isinstance(facts, list) or not isinstance(tables, list):
        raise Mistake(f"{path.name}: 'facts' and 'fact' must be lists")
    open_facts = [t for t in tables if not isinstance(t, dict) or t.get("confirmed") is not True]
    if open_facts:
        first = open_facts[0]
        text = first.get("text", first) if isinstance(first, dict) else first
        raise Mistake(
            f"{path.name}: {len(open_facts):,} of {len(tables):,} facts are not confirmed, the "
            f"first is {text!r:.80}: set confirmed = true where you know that it holds for every "
            "row, and delete the others"
        )
    try:
        return tuple(Fact(text) for text in (*facts, *(table.get("text") for table in tables)))
    except InvalidSpace as fault:
        raise Mistake(f"{path.name}: {fault}") from fault


def with_known(
    model: TreeKernel | SumKernel, name: str, facts: Path | None
) -> TreeKernel | SumKernel:
    """Give a model that knows the facts of a file."""
    if facts is None:
        return model
    try:
        return model.with_facts(read_fact_file(facts))
    except InvalidSpace as fault:
        raise Mistake(f"{facts.name}: {fault}") from fault


def as_fact_file(proposals: Sequence[Proposal], name: str, rows: int) -> str:
    """Write proposals as TOML, none of them confirmed."""
    lines = [HEAD.format(rows=rows, name=json.dumps(name)[1:-1])]
    for one in proposals:
        lines.append(
            f"[[fact]]\ntext = {_toml(one.fact.text)}\nkind = {_toml(one.kind)}\n"
            f"rows = {one.rows}\nconfirmed = false\n"
        )
    return "\n".join(lines) if proposals else f"{lines[0]}facts = []\n"


def _toml(text: str) -> str:
    """Write a string of TOML; JSON's are, but for what neither may hold as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
