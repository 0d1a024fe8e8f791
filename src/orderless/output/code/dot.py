"""Graphviz: a tree as DOT text.

In:  a ``Tree``.
Out: text that ``dot -Tsvg`` draws; every name and label is escaped.
"""

from __future__ import annotations

from ...model import TreeKernel, class_names, printable
from ..plots.drawing import number_part
from ..plots.look import WHITE, pale, shade

__all__ = ["tree_as_dot"]

FILL = 0.3  # share of a class's colour behind its name: black text on it can be read


def tree_as_dot(tree: TreeKernel) -> str:
    r"""Write a tree in Graphviz' language: conditions in boxes, classes coloured.

    Linear in the nodes. Names are drawn as they are, whatever characters they have.

    Examples
    --------
    >>> from orderless.readers import read_tree
    >>> print(tree_as_dot(read_tree({"feature": 0, "true": {"prediction": "yes"},
    ...                              "false": {"prediction": "no"}})))
    digraph tree {
      node [shape=box, style="rounded,filled", fillcolor="#ffffff", fontname="Helvetica"];
      edge [fontname="Helvetica"];
      graph [ordering=out];
      n0 [label="not x0?"];
      n1 [label="yes", fillcolor="#f2cfb2"];
      n2 [label="no", fillcolor="#b2d5e8"];
      n0 -> n2 [label="yes"];
      n0 -> n1 [label="no"];
    }
    """
    lines = [
        "digraph tree {",
        f'  node [shape=box, style="rounded,filled", fillcolor="{WHITE}", fontname="Helvetica"];',
        '  edge [fontname="Helvetica"];',
        "  graph [ordering=out];",  # yes to the left
    ]
    edges, names = [], class_names(tree)
    for node in range(tree.n_nodes):
        if tree.feature[node] < 0:
            c = int(tree.leaf_class[node])
            ground = shade(number_part(tree, c)) if tree.task == "regression" else pale(c, FILL)
            lines.append(f'  n{node} [label={_quoted(names[c])}, fillcolor="{ground}"];')
        else:
            lines.append(f"  n{node} [label={_quoted(tree.condition(node) + '?')}];")
            edges.append(f'  n{node} -> n{tree.when_true[node]} [label="yes"];')
            edges.append(f'  n{node} -> n{tree.when_false[node]} [label="no"];')
    return "\n".join([*lines, *edges, "}"])


def _quoted(text: str) -> str:
    r"""Write text as a DOT string: backslashes begin escapes there, and & an HTML entity."""
    text = printable(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{text}"'
