"""Forms in files: a canonical tree with its rules, as versioned JSON (docs/formats).

In:  a canonical ``Tree`` and the rules of each class; or text that somebody wrote.
Out: text; or the tree and whether the rules were proven minimal, after checking that they fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidTree
from ..model import Bins, Box, Space, Tree, formats as serial
from .equivalence import fingerprint
from .term import Term
from .tree_of_terms import read_sides, tree_of_terms

__all__ = ["FORM_FORMAT", "read_form", "write_form"]

FORM_FORMAT = "orderless-form"
VERSION = 2
CHECKED = 100  # times 10,000 boxes that are compared to see that rules leave nothing out


def write_form(tree: Tree, exact: bool, rules: Sequence[Sequence[Term]]) -> str:
    """Write a tree and the rules of its classes."""
    content = tree.to_dict()
    space, classes = content.pop("space"), content.pop("classes")
    return serial.dump(
        FORM_FORMAT,
        VERSION,
        {
            "space": space,
            "classes": classes,
            "fingerprint": fingerprint(tree),
            "exact": exact,
            "rules": [[term.to_dict() for term in terms] for terms in rules],
            "tree": content,
        },
    )


def read_form(text: str | bytes, *, limit: int, time_limit: float) -> tuple[Tree, bool]:
    """Give the tree of a form, and whether its rules are proven minimal. Refuse what does not fit.

    A file of version 1 has rules only, of which a tree is built again.
    """
    content = serial.load(text, FORM_FORMAT, (1, VERSION), limit=limit)
    with serial.Reading("a form"):
        tree, exact = _read(content, time_limit)
    if fingerprint(tree) != content.get("fingerprint"):
        raise InvalidTree("the file does not describe the function whose fingerprint it states")
    return tree, exact


def _read(content: dict[str, Any], time_limit: float) -> tuple[Tree, bool]:
    space = serial.take(content, "space", dict)
    classes = serial.take(content, "classes", list)
    exact: bool = serial.take(content, "exact", bool)
    rules = serial.take(content, "rules", list)
    if content["version"] == 1:
        terms = tree_of_terms(Space.from_dict(space), classes, rules, time_limit=time_limit)
        return terms, exact
    nodes = serial.take(content, "tree", dict)
    tree = Tree.from_dict({**nodes, "space": space, "classes": classes})
    _check_rules(tree, rules)
    return tree, exact


def _check_rules(tree: Tree, rules: list[Any]) -> None:
    """Refuse rules that the tree contradicts."""
    n_classes = len(tree.classes)
    if len(rules) != n_classes:
        raise InvalidTree(f"there are {n_classes} classes and rules for {len(rules)}")
    bins = tree.bins
    leaves, boxes = _core.bins.leaf_boxes(bins.nodes, bins.layout)
    labels = tree.leaf_class[leaves]
    for c, written in enumerate(rules):
        own = np.ascontiguousarray(boxes[labels == c])
        table = _table(bins, tree.space, written)
        try:
            fault = _core.reasons.cover_fault(
                bins.nodes, bins.layout, n_classes, c, own, table, CHECKED
            )
        except _core.base.TimeUp:
            continue  # too many boxes to check
        if fault:
            what = (
                "hold where the tree gives another class" if fault == 1 else "leave some rows out"
            )
            raise InvalidTree(f"the rules of class {tree.classes[c]!r:.80} {what}")


def _table(bins: Bins, space: Space, written: Any) -> NDArray[np.uint16]:
    """Give rules as boxes over the bins of the tree."""
    if not isinstance(written, list):
        raise InvalidTree(f"the rules of a class must be a list, got {written!r:.80}")
    table = np.zeros((len(written), bins.n_slots), dtype=np.uint16)
    for i, given in enumerate(written):
        table[i] = Box.of_sides(bins, read_sides(space, given)).slots
    return table
