"""Python: an order-free form as the source of a module that needs nothing else.

In:  a ``CanonicalForm``.
Out: Python source with two functions, ``decide(row)`` and ``why(row)``. It is made of the tree,
     not of the rules: linear in its size, also where there are too many reasons to count.

The tree is written as a table and walked by a loop, so no depth is too deep for Python. Numbers
are the largest that a row may hold on the lower side, with every bit.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import math
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...model import Feature, short_end
from ..rules.text import WIDTH
from .python_parts import BODY, DECIDE, HEAD, NAN, WHY

if TYPE_CHECKING:
    from ...form import CanonicalForm
    from ...model import Tree
from ...model import label_text, printable

__all__ = ["form_as_python"]


def form_as_python(form: CanonicalForm, function_name: str = "decide") -> str:
    """Write a Python module that decides as ``predict`` does, also with unknown values.

    Examples
    --------
    >>> from orderless import canonicalize, read_tree
    >>> leaf = {"true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> source = form_as_python(canonicalize(
    ...     read_tree({"feature": "snores", **leaf}, feature_names=["snores"])))
    >>> names = {}
    >>> exec(source, names)
    >>> names["decide"]({"snores": 1}), names["decide"]({}), names["why"]({"snores": 0})
    ('yes', None, 'not snores')
    """
    tree = form.tree
    order = sorted(tree.used, key=lambda i: tree.space.features[i].name)
    nan = any(tree.space.features[i].nan for i in order)
    name = _checked(function_name)
    parts = [
        HEAD.format(name=name, nan=NAN if nan else "", fingerprint=form.fingerprint),
        DECIDE.format(name=name),
        WHY.format(name=name),
        "\n".join(_features(tree, order)),
        "\n".join(_nodes(tree, order)),
        BODY,
    ]
    return "\n".join(parts)


def _checked(name: Any) -> str:
    """Refuse a name that is none, or that would take another's place in the module."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(
            f"function_name={name!r}: a function is named by an identifier that is not a keyword, "
            "such as 'decide'"
        )
    plain = unicodedata.normalize("NFKC", name)  # as Python reads it
    if keyword.iskeyword(plain) or hasattr(builtins, plain) or plain in _own_names():
        raise ValueError(
            f"function_name={name!r} has a meaning already in Python or in the module that is "
            "written: choose another, such as 'decide'"
        )
    return plain


def _own_names() -> set[str]:
    source = HEAD.format(name="", nan="", fingerprint="") + WHY.format(name="why") + BODY
    nodes = list(ast.walk(ast.parse(source)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return names | {alias.name for node in nodes if isinstance(node, ast.ImportFrom)
                    for alias in node.names} | {"FEATURES", "NAMES", "NODES"}  # fmt: skip


# -- tables ------------------------------------------------------------------------------------


def _features(tree: Tree, order: list[int]) -> Iterator[str]:
    yield "# The features that are asked about."
    yield "FEATURES = ("
    for i in order:
        yield "    {"
        for key, value in _feature(tree, i):
            yield from _entry(f'        "{key}": ', value)
        yield "    },"
    yield ")"
    yield ""
    yield "# All features that a row may have."
    yield "NAMES = frozenset(["
    yield from (f"    {name!r}," for name in tree.space.names)
    yield "])"
    yield ""


def _feature(tree: Tree, i: int) -> Iterator[tuple[str, list[str] | str]]:
    """Give what the module must know of a feature: key and literal, or literals of a tuple."""
    feature: Feature = tree.space.features[i]
    yield "name", repr(feature.name)
    yield "shown", repr(printable(feature.name))
    kind = "integer" if feature.values == "integer" else feature.kind
    yield "kind", f'"{kind}"'
    yield "nan", repr(feature.nan)
    if not feature.ordered:
        yield "values", [repr(label) for label in feature.categories]
        yield "labels", [repr(label_text(label)) for label in feature.categories]
        yield "other", repr(feature.other)
        return
    nodes = np.flatnonzero(tree.feature == i)
    nodes = nodes[np.isfinite(tree.threshold[nodes])]
    _, first = np.unique(tree.threshold[nodes], return_index=True)
    nodes = nodes[first]
    yield "cuts", [_number(cut) for cut in tree.row_threshold[nodes].tolist()]
    yield "words", [repr(short_end(cut, feature.values)) for cut in tree.threshold[nodes].tolist()]


def _entry(start: str, value: list[str] | str) -> Iterator[str]:
    if isinstance(value, str):
        yield f"{start}{value},"
        return
    line = f"{start}{_tuple(value)},"
    if len(line) <= WIDTH:
        yield line
        return
    yield f"{start}("
    indent = " " * 11
    line = indent
    for part in value:
        if len(line) + len(part) + 2 > WIDTH and line != indent:
            yield line
            line = indent
        line += f" {part},"
    yield line
    yield "        ),"


def _nodes(tree: Tree, order: list[int]) -> Iterator[str]:
    place = {feature: k for k, feature in enumerate(order)}
    yield "# A leaf is (class,). Any other node is (feature, test, where NaN goes, next node if the"
    yield "# test holds, next node if not); a test is the largest number, or the numbers of values."
    yield "NODES = ("
    for node in range(tree.n_nodes):
        i = int(tree.feature[node])
        if i < 0:
            yield f"    ({tree.classes[tree.leaf_class[node]]!r},),"
            continue
        if tree.space.features[i].ordered:
            test = _number(float(tree.row_threshold[node]))
        else:
            test = _tuple([str(code) for code in tree.set_of(node).tolist()])
        way = f"{int(tree.when_true[node])}, {int(tree.when_false[node])}"
        yield f"    ({place[i]}, {test}, {bool(tree.nan_true[node])}, {way}),"
    yield ")"


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def _number(number: float) -> str:
    if math.isfinite(number):
        return repr(number)
    return "INF" if number > 0 else "-INF"
