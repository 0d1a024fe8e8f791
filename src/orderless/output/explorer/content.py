"""What the explorer knows of a set: functions, measures, rules, columns, ends.

In:  a set of trees, the functions that are looked at, and the frame of their measures.
Out: plain data for the page's script; arrays of numbers as base64.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InvalidData, InvalidSpace
from ...form import canonical_form
from ...inputs import counted
from ...model import class_names, has_or, label_text, printable, short_number, side_text
from ..code.sql import certain_texts
from ..code.sql_words import Words
from ..page import page_pieces
from .beginnings import beginnings
from .numbers import as_base64
from .places import map_places
from .rows import training_content
from .taken import FORM_TITLE

if TYPE_CHECKING:
    import pandas as pd

    from ...model import Side
    from ...rashomon import FunctionTable, Judged, LookedAt, TreeSet

__all__ = ["set_content"]

DIALECT = "duckdb"
NOT_MEASURES = ("features", "n_trees", "end", "fingerprint")


def set_content(
    trees: TreeSet, frame: pd.DataFrame, judged: Judged, some: LookedAt
) -> dict[str, Any]:
    """Give what the page knows; ``frame`` has the functions that were judged, in their order."""
    table = judged.table
    columns = table.columns
    measures = {name: frame[name] for name in frame if name not in NOT_MEASURES}
    example = next(columns.trees(table.trees[:1], table.classes))
    places, kept = map_places(trees, table)
    return {
        "classes": class_names(example),
        "features": _features(columns),
        "columns": _columns(columns),
        "measures": [
            {"name": str(name), "better": judged.better(str(name)),
             "whole": bool(np.issubdtype(np.asarray(values).dtype, np.integer)),
             "values": as_base64(np.asarray(values, dtype=np.float64))}
            for name, values in measures.items()
        ],
        # As text: there may be more than a number of the browser can tell apart. 0: not known.
        "trees": [str(n) for n in table.n_trees.tolist()],
        "fingerprints": frame["fingerprint"].tolist(),
        "nodes": [as_base64(np.asarray(part, dtype=np.int32))
                  for part in (table.trees.offsets, table.trees.column, table.trees.label)],
        "rules": _rules(table),
        "rows": training_content(trees),
        "places": [as_base64(places[:, 0].copy()), as_base64(places[:, 1].copy())],
        "kept": kept,
        "first": beginnings(trees, some),
        "all": some.all,
        "drawn": int(some.drawn.sum()),
        "ends": _ends(some),
        "sql": _sql(columns, example),
        "form": _form(columns, example),
        "model": {"space": example.space.to_dict(), "classes": list(example.classes)},
    }  # fmt: skip


def _ends(some: LookedAt) -> list[dict[str, Any]]:
    """Give the exact ends of measures, each with the place of its function."""
    out: dict[str, dict[str, Any]] = {}
    for end, at in zip(some.ends, some.at, strict=True):
        row = out.setdefault(end.measure, {"measure": end.measure})
        exact = str(end.value)
        row["largest" if end.largest else "smallest"] = [float(end.value), exact, at]
    return list(out.values())


def _sql(columns: Any, example: Any) -> dict[str, Any] | None:
    """Give how SQL says that a column is certainly 1, and certainly 0; None where it cannot."""
    try:
        texts = [certain_texts(question, DIALECT) for question in columns.questions]
        labels = Words(DIALECT).labels(example.classes)
    except (InvalidSpace, InvalidData) as fault:  # names that the dialect does not allow
        return {"fault": printable(str(fault))}
    return {
        "dialect": DIALECT,
        "no": [text[0] for text in texts],
        "yes": [text[1] for text in texts],
        "labels": labels,
    }


def _form(columns: Any, example: Any) -> dict[str, Any]:
    """Give the page to fill in, in pieces; or why it cannot be written."""
    try:
        return page_pieces(columns, example, FORM_TITLE)
    except InvalidSpace as fault:  # facts about the values
        return {"fault": printable(str(fault))}


def _features(columns: Any) -> list[dict[str, Any]]:
    """Say of each feature which of its values the columns tell apart: its bins."""
    out = []
    for i, feature in enumerate(columns.space.features):
        own = np.flatnonzero(columns.feature == i).tolist()
        patterns = columns.patterns(own) if own else np.zeros((1, 0), dtype=np.uint8)
        entry: dict[str, Any] = {
            "name": printable(feature.name),
            "raw": feature.name,
            "kind": feature.kind,
            "columns": own,
            "bins": len(patterns),
            "patterns": patterns.tolist(),
        }
        if feature.ordered and feature.kind != "boolean":
            entry["values"] = feature.values
            entry["nan"] = bool(feature.nan)
            entry["cuts"] = sorted({short_number(float(columns.threshold[j])) for j in own},
                                   key=float)  # fmt: skip
        elif not feature.ordered:
            labels = [printable(label_text(feature.label(k))) for k in range(feature.n_values)]
            entry["labels"] = labels
            entry["bin_of"] = _bins_of_values(columns, own, patterns, len(labels))
        out.append(entry)
    return out


def _bins_of_values(columns: Any, own: list[int], patterns: Any, n_values: int) -> list[int]:
    """Give the bin of each value of a categorical feature."""
    if not own:
        return [0] * n_values
    bins = {tuple(pattern): k for k, pattern in enumerate(patterns.tolist())}
    out = []
    for value in range(n_values):
        holds = [value in columns.set_of(j) for j in own]
        bits = [int(h == bool(columns.one_is_true[j])) for h, j in zip(holds, own, strict=True)]
        out.append(bins[tuple(bits)])
    return out


def _columns(columns: Any) -> list[dict[str, Any]]:
    """Give each column's feature, its threshold, and what it says where it is 1 and where 0."""
    out = []
    for j, question in enumerate(columns.questions):
        no, yes = (rules[0].conditions[0] for rules in canonical_form(question).rules.values())
        out.append(
            {
                "name": columns.names[j],
                "feature": int(columns.feature[j]),
                "yes": printable(yes),
                "no": printable(no),
                "threshold": float(columns.threshold[j]),
                "one_is_true": int(columns.one_is_true[j]),
                "nan_true": int(columns.nan_true[j]),
                "set": columns.set_of(j).tolist(),
            }
        )
    return out


def _rules(table: FunctionTable) -> dict[str, Any]:
    """Write the minimal rules of each function, with every condition once."""
    texts: dict[str, int] = {}
    known: dict[tuple[Any, ...], int] = {}  # what a side says -> its text

    def place(side: Side, among: int) -> int:
        beside = among > 1 and has_or(side)  # an "or" beside an AND stands in parentheses
        key = (side.feature.name, side.lower, side.upper, side.nan, side.codes, beside)
        if key not in known:
            text = printable(side_text(side))
            known[key] = texts.setdefault(f"({text})" if beside else text, len(texts))
        return known[key]

    out = []
    with counted(f"rules of {len(table):,} functions", len(table)) as done:
        for tree in table.columns.trees(table.trees, table.classes):
            form = canonical_form(tree)
            own = []
            for label, terms in form.rules.items():
                label_at = table.classes.index(label)
                for term in terms:
                    sides = term.sides
                    own.append([label_at, *(place(side, len(sides)) for side in sides)])
            out.append(own)
            done()
    return {"conditions": list(texts), "of": out}
