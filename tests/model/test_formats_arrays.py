"""Trees in JSON: the text that Python's own encoder writes, and an equal tree from it."""

import json

import numpy as np
import pytest

import orderless as ol
from orderless.errors import InvalidTree
from orderless.model import TreeKernel, formats
from tests.equivalents import equivalent_pair


def test_infinity_is_text():
    assert formats._plain(np.array([np.inf, -np.inf])) == ["inf", "-inf"]
    assert formats._plain(np.array([[1.5, np.inf]])) == [[1.5, "inf"]]
    assert formats._plain(np.array([True, False])) == [True, False]
    with pytest.raises(TypeError, match="cannot write"):
        formats.dump("some", 1, {"a": object()})
    with pytest.raises(ValueError, match="JSON compliant"):
        formats.dump("some", 1, {"a": np.array([np.nan])})


@pytest.mark.parametrize(
    "text", ['{"a": [NaN]}', '{"a": [Infinity]}', '{"a', '{"a\\', '["\\"', '{"a": [1, 2}']
)
def test_what_is_no_json(text):
    with pytest.raises(InvalidTree):
        formats.parse(text)


def test_an_entry_twice_is_still_refused():
    with pytest.raises(InvalidTree, match="duplicate entry 'a'"):
        formats.parse('{"a": [1], "a": [2]}')


@pytest.mark.parametrize("seed", range(60))
def test_trees_as_before(seed):
    tree, _ = equivalent_pair(seed)
    if seed % 2:
        tree = tree.replace(distribution=np.ones((tree.n_nodes, len(tree.classes))) / 3)
    written = tree.to_json()
    content = {"format": "orderless-tree", "version": 1, **tree.kernel.to_dict()}
    assert written == json.dumps(content, ensure_ascii=False, allow_nan=False)
    assert ol.Tree.from_json(written) == tree
    assert TreeKernel.from_dict(json.loads(written)) == tree.kernel


def test_infinite_thresholds_and_half_a_surrogate_pair():
    space = ol.Space([ol.Feature("\ud800", nan=True)])
    tree = ol.Tree(
        space,
        [0, 1],
        feature=[0, -1, -1],
        threshold=[np.inf, 0, 0],
        when_true=[1, -1, -1],
        when_false=[2, -1, -1],
        leaf_class=[-1, 0, 1],
    )
    assert '"inf"' in tree.to_json()
    assert ol.Tree.from_json(tree.to_json()) == tree
