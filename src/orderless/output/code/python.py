"""Python: a tree as the source of a module that needs nothing else.

In:  a tree.
Out: Python source with two functions, ``decide(row)`` and ``why(row)``, and for a regression tree
     ``interval(row)``. It is made of the tree, not of the rules: linear in its size, also where
     there are too many reasons to count.

The tree is written as a table and walked by a loop, so no depth is too deep for Python.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ...form import fingerprint
from ..rules.text import WIDTH
from .plain import plain
from .python_parts import BODY, DECIDE, HEAD, INTERVAL, INTERVAL_WORDS, NAN, WHY
from .tables import tree_tables

if TYPE_CHECKING:
    from ...model import Label, TreeKernel

__all__ = ["tree_as_python"]


def tree_as_python(tree: TreeKernel, function_name: str = "decide") -> str:
    """Write a Python module that decides as ``predict`` does, also with unknown values.

    Examples
    --------
    >>> from orderless.readers import read_tree
    >>> leaf = {"true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> source = tree_as_python(
    ...     read_tree({"feature": "snores", **leaf}, feature_names=["snores"]))
    >>> names = {}
    >>> exec(source, names)
    >>> names["decide"]({"snores": 1}), names["decide"]({}), names["why"]({"snores": 0})
    ('yes', None, 'not snores')
    """
    tree = plain(tree, "to_python")
    features, (nodes,) = tree_tables(tree)
    nan = any(feature["nan"] for feature in features)
    numbers = tree.task == "regression"
    name, noun = _checked(function_name, numbers), "number" if numbers else "class"
    parts = [
        HEAD.format(
            name=name,
            nan=NAN if nan else "",
            fingerprint=fingerprint(tree),
            noun=noun,
            interval=INTERVAL_WORDS * numbers,
        ),
        DECIDE.format(name=name, noun=noun),
        INTERVAL * numbers + WHY.format(name=name, noun=noun),
        "\n".join(_features(features, tree.space.names)),
        "\n".join(_nodes(nodes, features, tree.classes)),
        BODY,
    ]
    return "\n".join(parts)


def _checked(name: Any, numbers: bool) -> str:
    """Refuse a name that is none, or that would take another's place in the module."""
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(
            f"function_name={name!r}: a function is named by an identifier that is not a keyword, "
            "such as 'decide'"
        )
    plain = unicodedata.normalize("NFKC", name)  # as Python reads it
    if keyword.iskeyword(plain) or hasattr(builtins, plain) or plain in _own_names(numbers):
        raise ValueError(
            f"function_name={name!r} has a meaning already in Python or in the module that is "
            "written: choose another, such as 'decide'"
        )
    return plain


def _own_names(numbers: bool) -> set[str]:
    source = HEAD.format(name="", nan="", fingerprint="", noun="", interval="")
    source += INTERVAL * numbers + WHY.format(name="why", noun="") + BODY
    nodes = list(ast.walk(ast.parse(source)))
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    names |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return names | {alias.name for node in nodes if isinstance(node, ast.ImportFrom)
                    for alias in node.names} | {"FEATURES", "NAMES", "NODES"}  # fmt: skip


# -- tables ------------------------------------------------------------------------------------


def _features(features: list[dict[str, Any]], names: Iterable[str]) -> Iterator[str]:
    yield "# The features that are asked about."
    yield "FEATURES = ("
    for feature in features:
        yield "    {"
        for key, value in _literals(feature):
            yield from _entry(f'        "{key}": ', value)
        yield "    },"
    yield ")"
    yield ""
    yield "# All features that a row may have."
    yield "NAMES = frozenset(["
    yield from (f"    {name!r}," for name in names)
    yield "])"
    yield ""


def _literals(feature: Mapping[str, Any]) -> Iterator[tuple[str, list[str] | str]]:
    """Give what the module must know of a feature: key and literal, or literals of a tuple."""
    for key, value in feature.items():
        if key == "kind":
            yield key, f'"{value}"'
        elif key == "labels":  # the module has its own words for other and missing
            yield key, [repr(label) for label in value[: len(feature["values"])]]
        else:
            yield key, [*map(repr, value)] if isinstance(value, list) else repr(value)


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


def _nodes(
    nodes: list[list[Any]], features: list[dict[str, Any]], classes: tuple[Label, ...]
) -> Iterator[str]:
    yield "# A leaf is (class,). Any other node is (feature, test, where NaN goes, next node if the"
    yield "# test holds, next node if not); a test is the largest number, or the numbers of values."
    yield "NODES = ("
    # A bin lies before the first cut, at one, or beyond the last.
    bins = [["-INF", *map(repr, feature.get("cuts", ())), "INF"] for feature in features]
    for node in nodes:
        if len(node) == 1:
            yield f"    ({classes[node[0]]!r},),"
            continue
        feature, test, missing, yes, no = node
        codes = isinstance(test, list)
        written = _tuple([*map(str, test)]) if codes else bins[feature][test + 1]
        yield f"    ({feature}, {written}, {missing}, {yes}, {no}),"
    yield ")"


def _tuple(parts: list[str]) -> str:
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"
