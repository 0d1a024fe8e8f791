"""What ``orderless explain`` writes of single rows: why each gets its class.

In:  an order-free form, and ``--row`` or the file of ``--rows``.
Out: text, Markdown, JSON or CSV.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ..form import CanonicalForm
from ..inputs import NOT_GIVEN
from ..model import Tree, printable
from ..output.rules import escaped
from .cells import row_from
from .files import open_table, style_of
from .options import DataOptions, FileOptions, Format, OutputOptions
from .sink import records_as
from .training import frame_with_unseen

__all__ = ["explained", "rows_of"]


def rows_of(
    tree: Tree, row: list[str] | None, rows: Path | None, data: DataOptions, files: FileOptions
) -> list[dict[str, Any]]:
    """Read the rows to explain."""
    if row:
        return [row_from(row, tree, style_of(files))]
    assert rows is not None
    with open_table(rows, files) as table:
        table.check_missing(tree.space.column_names)
        frame = frame_with_unseen(tree, table.whole(), table.name, table.style, data)
    records = frame.to_dict("records")
    return [{str(name): value for name, value in one.items() if value is not NOT_GIVEN}
            for one in records]  # fmt: skip


def explained(form: CanonicalForm, rows: list[dict[str, Any]], output: OutputOptions) -> str:
    """Say why each row gets its class, or what it depends on."""
    records, texts = [], []
    for one in rows:
        why, needed = form.explain(one), form.missing_needed(one)
        settle = [list(names) for names in needed.settle] if needed.label is None else []
        records.append({**why.to_dict(), "settle": settle})
        lines = str(why).splitlines()
        if needed.label is None:
            lines += str(needed).splitlines()[1:]
        texts.append([printable(line) for line in lines])
    if output.format == Format.json:
        content: Any = records if len(records) != 1 else records[0]
        return json.dumps(content, ensure_ascii=False, indent=1)
    if output.format == Format.csv:
        flat = [_flat(i, record) for i, record in enumerate(records, 1)]
        return records_as(flat, Format.csv, safe_csv=output.safe_csv)
    if output.format == Format.md:
        return _markdown([[escaped(line) for line in lines] for lines in texts])
    if len(texts) == 1:
        return "\n".join(texts[0])
    return "\n".join(
        "\n".join([f"Row {i:,}: {lines[0]}", *(f"  {line}" for line in lines[1:])])
        for i, lines in enumerate(texts, 1)
    )


def _flat(number: int, record: dict[str, Any]) -> dict[str, Any]:
    return {
        "row": number,
        "prediction": record["label"],
        "possible": record["possible"],
        "necessary": record["necessary"],
        "needed": record["settle"][0] if record["settle"] else [],
        "text": record["text"].replace("\n", " "),
    }


def _markdown(texts: list[list[str]]) -> str:
    if len(texts) == 1:
        return "\n\n".join(texts[0])
    return "\n".join(f"{i}. {'  '.join(['', *lines]).strip()}" for i, lines in enumerate(texts, 1))
