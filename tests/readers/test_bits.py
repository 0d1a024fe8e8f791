"""Building many trees at once gives what building one at a time does."""

import numpy as np
import pytest

import orderless as ol
from orderless.errors import InvalidTree
from orderless.inputs import predict
from orderless.model import TreeKernel
from orderless.readers.bits import AT_ONCE, BitTrees, build_all, join, leaf
from orderless.readers.builder import Table
from orderless.readers.preprocessing.columns import space_columns
from orderless.readers.preprocessing.conditions import over_features
from orderless.readers.preprocessing.stage import SourceColumn

# Indicators of an ordered, a categorical and a boolean feature, in both directions.
AWARE = ol.Space(
    {"age": "integer", "colour": ["red", "blue", "green"], "wet": "boolean"},
    columns={
        "young": ol.Condition("age", at_most=20),
        "middle": ol.Condition("age", at_most=40),
        "red": ol.Condition("colour", among=("red",)),
        "blue or green": ol.Condition("colour", among=("blue", "green")),
        "dry": ol.Condition("wet", among=(False,)),
        "wet": "wet",
    },
)
CLASSES = ("no", "maybe", "yes")


def random_tree(rng, depth, n_columns):
    if depth == 0 or rng.random() < 0.2:
        return leaf(int(rng.integers(len(CLASSES))))
    column = int(rng.integers(n_columns))
    branches = [random_tree(rng, depth - 1, n_columns) for _ in range(2)]
    return join(column, *branches)


def random_trees(seed, n, n_columns):
    rng = np.random.default_rng(seed)
    return [random_tree(rng, 4, n_columns) for _ in range(n)]


def assert_same(columns, space, trees, classes=CLASSES):
    bits = BitTrees(Table(len(columns), binary=True), classes, trees)
    quick = list(build_all(bits, columns, space))
    slow = [over_features(bits.column_tree(flat), columns, space) for flat in trees]
    assert quick == slow
    for one, other in zip(quick, slow, strict=True):
        assert type(one) is TreeKernel
        assert vars(one).keys() == vars(other).keys()
        assert one.n_dropped == other.n_dropped
        assert [a.dtype for a in one.nodes] == [b.dtype for b in other.nodes]
        assert not any(array.flags.writeable for array in one.nodes)
    return quick


@pytest.mark.parametrize("space", [ol.Space.independent("abcdef"), AWARE], ids=["paper", "aware"])
@pytest.mark.parametrize("seed", range(3))
def test_as_one_at_a_time(space, seed):
    trees = assert_same(space_columns(space), space, random_trees(seed, 300, 6))
    assert any(tree.n_dropped for tree in trees)
    rows = np.array([[1, 1, 0, 1, 1, 0], [0, 1, 1, 0, 0, 1]])
    for tree in trees:
        assert not np.ma.is_masked(predict(tree, rows))


def test_more_than_are_worked_on_at_once():
    space = ol.Space.independent("ab")
    assert_same(space_columns(space), space, random_trees(0, AT_ONCE + 2, 2))


def test_a_constant_column():
    space = ol.Space.independent("ab")
    columns = [SourceColumn(0), SourceColumn(None, constant=1.0), SourceColumn(1)]
    assert_same(columns, space, random_trees(0, 50, 3))


def test_other_classes():
    space = ol.Space.independent("ab")
    trees = assert_same(space_columns(space), space, [join(0, leaf(0), leaf(1))] * 3, (False, True))
    assert {tree.classes for tree in trees} == {(False, True)}


@pytest.mark.parametrize("wrong", [join(7, leaf(0), leaf(1)), leaf(3)])
def test_columns_and_classes_that_do_not_exist(wrong):
    space = ol.Space.independent("ab")
    for trees in ([wrong], [leaf(0), wrong]):
        bits = BitTrees(Table(2, binary=True), CLASSES, trees)
        with pytest.raises(InvalidTree, match="the model is damaged"):
            list(build_all(bits, space_columns(space), space))


def test_numbers_below_0_are_refused_at_once():
    with pytest.raises(InvalidTree, match="class number -1, and they count from 0"):
        leaf(-1)
    with pytest.raises(InvalidTree, match="column -2: the model is damaged"):
        join(-2, leaf(0), leaf(1))


def test_leaves_only_and_nothing():
    space = ol.Space.independent("a")
    assert_same(space_columns(space), space, [leaf(1)] * 3)
    assert_same([], ol.Space([]), [leaf(1)] * 3)
    assert assert_same([], ol.Space([]), []) == []
