"""The page to fill in for any tree of a set, in pieces that a script puts together.

In:  the columns that the trees of a set ask about, and a tree of it.
Out: plain data. What depends on the tree is left open: a hole is its name between two NULs,
     which no text of ours has. The pieces are written by what writes a page, so that a page that
     is put together from them has the bytes of ``write_page``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...model import class_names, printable, refuse_facts
from ..code.javascript import literal, model_text
from ..code.tables import feature_table
from ..templates import hash_of
from .app import field_of, page_of
from .tree_content import LIMIT, written_tree

if TYPE_CHECKING:
    from ...model import TreeKernel

__all__ = ["page_pieces"]


def page_pieces(columns: Any, example: TreeKernel, title: str) -> dict[str, Any]:
    """Give the page of trees over some columns, in pieces; ``example`` has their space and classes.

    Only for classes, and for trees that do not count their training rows.
    """
    refuse_facts(example.space, "the page", why="what it runs in the browser does not know them")
    written = written_tree(example, None, None, None)
    model = model_text(example, [_hole("features")], [_hole("nodes")])  # type: ignore[list-item]
    for name in ("features", "nodes"):
        model = model.replace(f"    {literal(_hole(name))},\n", _hole(name))
    known = {
        "names": _hole("names"),
        "units": _hole("units"),
        "classes": class_names(example),
        "costs": None,
        "order": _hole("order"),
        **{**written.own, "weights": _hole("weights")},
        "examples": [],
    }
    written = written._replace(model=model, fingerprint=("the function", _hole("fingerprint")))
    page = page_of(written, known, _hole("fields"), [], title=title,
                   description=_hole("description"), target_name="")  # fmt: skip
    script = page[page.index("<script>") + len("<script>") : page.rindex("</script>")]
    page = page.replace(hash_of(script).strip("'"), _hole("hash")).replace(script, _hole("script"))
    for name in ("names", "units", "order", "weights"):
        script = script.replace(literal(_hole(name)), _hole(name))
    features = example.space.features
    order = sorted(range(len(features)), key=lambda i: features[i].name)
    return {
        "page": page,
        "script": script,
        "limit": LIMIT,
        "nothing": field_of(None),
        "rank": [order.index(i) for i in range(len(features))],
        "features": [_feature(feature) for feature in features],
        "cuts": [_cut(columns, j) for j in range(len(columns))],
    }


def _hole(name: str) -> str:
    return f"\0{name}\0"


def _feature(feature: Any) -> dict[str, Any]:
    """Write a feature as the model has it, and as the form asks about it."""
    table = feature_table(feature, np.zeros(0))
    label = printable(feature.name)
    holes = {key: _hole(key) for key in ("cuts", "words") if key in table}
    text = literal(table | holes)
    for hole in holes.values():
        text = text.replace(literal(hole), hole)
    field = field_of({**table, "at": _hole("at"), "label": label, "unit": "", "cost": ""})
    return {"model": text, "field": field, "name": literal(label)}


def _cut(columns: Any, j: int) -> list[str] | None:
    """Write a column's threshold as the model has it, and in words; None where it has none."""
    feature = columns.space.features[columns.feature[j]]
    threshold = float(columns.threshold[j])
    if not feature.ordered or not np.isfinite(threshold):
        return None
    table = feature_table(feature, np.array([threshold]))
    return [literal(table["cuts"][0]), literal(table["words"][0])]
