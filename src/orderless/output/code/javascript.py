"""JavaScript: a tree as a module, or a script, that needs nothing else.

In:  a ``Tree``.
Out: JavaScript with three functions, ``decide(row)``, ``possibleClasses(row)`` and ``why(row)``,
     and for a regression tree ``interval(row)``. It is made of the tree, not of the rules: linear
     in its size, also where there are too many reasons to count.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from ...form import fingerprint
from .plain import plain
from .tables import tree_tables

if TYPE_CHECKING:
    from ...model import TreeKernel

__all__ = ["engine", "literal", "model_text", "part", "script_of", "tree_as_javascript"]

SAFE = 2**53 - 1  # beyond it JavaScript's numbers skip whole numbers

HEAD = """\
/**
 * What a decision tree decides, as plain JavaScript; written by orderless.
 *
 * decide({{"feature": value, ...}}) gives the {noun}, or null where it depends on unknown values;
 * possibleClasses(row) gives every {noun} that the row can get;
{interval} * why(row) gives a reason for its {noun} in words, or null.
 *
 * A value is unknown if it is left out, undefined, null, NaN or "" (if that is no category){nan}.
 * {{from: 20, to: 30}} is a number known to lie in a range, both ends included, either may be left
 * out; ["red", "blue"] is one of several categories. Whole numbers beyond 2^53 are BigInt.
 *
 * The function's fingerprint: {fingerprint}
 */
"""
NAN = """;
 * where NaN is a value of its own, null and NaN are that value"""
INTERVAL = " * interval(row) gives the smallest and the largest of them;\n"
NAMES = "decide, possibleClasses, why"


def tree_as_javascript(tree: TreeKernel, *, module: bool = True) -> str:
    """Write JavaScript that decides as ``predict`` does, also with unknown values.

    Examples
    --------
    >>> from orderless.readers import read_tree
    >>> leaf = {"true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> source = tree_as_javascript(read_tree({"feature": "snores", **leaf},
    ...                                       feature_names=["snores"]))
    >>> print(source.splitlines()[-1])
    export { decide, possibleClasses, why };
    """
    tree = plain(tree, "to_javascript")
    features, (nodes,) = tree_tables(tree)
    body = f"{model_text(tree, features, nodes)}\n{engine()}"
    head, names = _head(tree), NAMES
    if tree.task == "regression":
        body += f"\n{part('interval.js')}"
        names = f"{NAMES}, interval"
    if module:
        return f"{head}\n{body}\nexport {{ {names} }};\n"
    return head + script_of(f"{body}\nglobalThis.orderless = Object.freeze({{ {names} }});\n")


def script_of(body: str) -> str:
    """Wrap JavaScript so that its names stay its own."""
    return f'(() => {{\n"use strict";\n\n{body}}})();\n'


def engine() -> str:
    """Give the part that is the same for every tree."""
    return f"{part('rows.js')}\n{part('engine.js')}"


def part(name: str, room: str = "page") -> str:
    """Give a file of JavaScript that is written as it is."""
    return files(f"orderless.output.{room}").joinpath(name).read_text(encoding="utf-8")


def _head(tree: TreeKernel) -> str:
    nan = any(tree.space.features[i].nan for i in tree.used)
    numbers = tree.task == "regression"
    return HEAD.format(
        nan=NAN if nan else "",
        fingerprint=fingerprint(tree),
        noun="number" if numbers else "class",
        interval=INTERVAL * numbers,
    )


def model_text(tree: TreeKernel, features: list[dict[str, Any]], nodes: list[list[Any]]) -> str:
    """Write the tables as the constant that the engine reads."""
    lines = [
        "// The features that are asked about, in the order of their names.",
        "const MODEL = {",
    ]
    lines += _listed("features", features)
    lines += [
        "  // All features that a row may have.",
        f"  names: {literal(list(tree.space.names))},",
        f"  classes: {literal(list(tree.classes))},",
        "  // A leaf is [class]. Any other node is [feature, test, where NaN goes, next node if",
        "  // the test holds, next node if not]; a test is the last bin that meets it, or the",
        "  // numbers of the categories.",
    ]
    lines += _listed("nodes", nodes)
    return "\n".join([*lines, "};", ""])


def _listed(key: str, values: list[Any]) -> list[str]:
    return [f"  {key}: [", *(f"    {literal(value)}," for value in values), "  ],"]


def literal(value: Any) -> str:
    r"""Write plain data as a JavaScript literal that is also safe inside an HTML page.

    Examples
    --------
    >>> literal({"name": "</script>", "cuts": [0.1, 2**60]})
    '{"name": "\\u003c/script>", "cuts": [0.1, 1152921504606846976n]}'
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(literal(part) for part in value) + "]"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > SAFE:
        return f"{value}n"
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c")
