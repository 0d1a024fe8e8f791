"""Trees as Graphviz DOT: every node and edge is there, whatever the names are."""

import html
import re

import pytest
from showcase import FORMS

from orderless.model.escapes import printable
from orderless.model.words import label_text
from orderless.output.code.dot import tree_as_dot

STRING = r'"((?:[^"\\]|\\.)*)"'


def shown(quoted):
    """Undo what DOT undoes: backslash escapes, then HTML entities."""
    return html.unescape(re.sub(r"\\(.)", r"\1", quoted))


@pytest.mark.parametrize("name", FORMS)
def test_nodes_and_edges(name):
    tree = FORMS[name]().tree
    lines = tree_as_dot(tree.kernel).split("\n")
    assert lines[0] == "digraph tree {"
    assert lines[-1] == "}"
    labels, edges = {}, {}
    for line in lines[4:-1]:
        node = re.fullmatch(rf'  n(\d+) \[label={STRING}(?:, fillcolor="#[0-9a-f]{{6}}")?\];', line)
        edge = re.fullmatch(r'  n(\d+) -> n(\d+) \[label="(yes|no)"\];', line)
        assert bool(node) != bool(edge), line
        if node:
            labels[int(node[1])] = shown(node[2])
        else:
            edges[int(edge[1]), edge[3]] = int(edge[2])
    expected = {
        i: printable(tree.kernel.condition(i) + "?") if tree.nodes.feature[i] >= 0
        else printable(label_text(tree.classes[tree.nodes.leaf_class[i]]))
        for i in range(tree.n_nodes)
    }  # fmt: skip
    assert labels == expected
    assert edges == {
        (i, word): int(child[i])
        for i in range(tree.n_nodes)
        if tree.nodes.feature[i] >= 0
        for word, child in (("yes", tree.nodes.when_true), ("no", tree.nodes.when_false))
    }
