"""The builder that every reader speaks to: what it takes, and what it refuses."""

from dataclasses import replace

import numpy as np
import pytest

from orderless.errors import InvalidTree, UnreadableModel
from orderless.inputs import predict
from orderless.model import Adding, Rule
from orderless.readers.builder import (
    NUMBER,
    ColumnModel,
    ColumnTree,
    ModelBuilder,
    Table,
    numbered_names,
)
from orderless.readers.preprocessing.columns import space_columns
from orderless.readers.preprocessing.conditions import over_features


def built(relation, threshold, table=None, nan_true=False):
    """A tree that says "yes" where a column stands in a relation to a number."""
    builder = ModelBuilder(table or Table(1))
    for node in builder.walk("root"):
        if node == "root":
            builder.numerical_test(0, relation, threshold, "yes", "no", nan_true)
        else:
            builder.leaf(node)
    return builder.finish().trees[0]


def over_own_columns(tree, nan="unknown"):
    space = tree.table.default_space(None, nan)
    return over_features(tree, space_columns(space), space)


@pytest.mark.parametrize("values", ["float64", "float32"])
@pytest.mark.parametrize("threshold", [0.0, 0.1, -3.5, 1e38, np.inf, -np.inf])
def test_relations(values, threshold):
    """Rows at the threshold and beside it, of both widths, as numpy compares them."""
    rounded = np.dtype(values)
    near = np.array([threshold], dtype=rounded)
    rows = [-np.inf, *np.nextafter(near, -np.inf), *near, *np.nextafter(near, np.inf), np.inf, 0.0]
    X = np.array(rows, dtype=rounded).astype(float)[:, None]
    if np.isneginf(threshold):  # a tree takes "at most -infinity" for a condition that never holds
        X = X[np.isfinite(X[:, 0])]
    table = Table(1, values=values)
    for relation, compare in (
        ("<=", np.less_equal),
        ("<", np.less),
        (">", np.greater),
        (">=", np.greater_equal),
    ):
        tree = over_own_columns(built(relation, threshold, table))
        expected = np.where(compare(X[:, 0], threshold), "yes", "no")
        assert predict(tree, X).tolist() == expected.tolist(), relation


@pytest.mark.parametrize("relation", ["<=", "<", ">", ">="])
@pytest.mark.parametrize("threshold", [0.5, -np.inf, np.inf])
@pytest.mark.parametrize("nan_true", [False, True])
def test_nan_goes_where_it_is_said_to(relation, threshold, nan_true):
    tree = built(relation, threshold, Table(1, learns_nan=True), nan_true)
    answer = predict(over_own_columns(tree, nan="value"), [[np.nan]]).item()
    assert answer == ("yes" if nan_true else "no")


@pytest.mark.parametrize("relation", ["in", "not in"])
def test_categories(relation):
    builder = ModelBuilder(Table(1, categories={0: ["a", "b", "c"]}))
    for node in builder.walk("root"):
        if node == "root":
            builder.categorical_test(0, relation, ["a", "c"], "yes", "no")
        else:
            builder.leaf(node)
    tree = over_own_columns(builder.finish().trees[0])
    answers = predict(tree, [["a"], ["b"], ["c"], ["other"]]).tolist()
    holds = ["yes", "no", "yes", "no"]
    assert answers == (holds if relation == "in" else ["no", "yes", "no", "yes"])


def test_nodes_are_met_true_branch_first_whatever_is_asked():
    order = []
    builder = ModelBuilder(Table(3))
    for node in builder.walk((">", ("<=", 1, 2), ("<", 3, 4))):
        order.append(node if isinstance(node, int) else node[0])
        if isinstance(node, int):
            builder.leaf_number(node)
        else:
            builder.numerical_test(0, node[0], 1.0, *node[1:])
    assert order == [">", "<=", 1, 2, "<", 3, 4]
    (tree,) = builder.finish().trees
    assert tree.when_false[0] == 1
    assert tree.classes == range(5)


def test_classes_and_rows_of_leaves():
    builder = ModelBuilder(Table(None, binary=True))
    for node in builder.walk(7):
        if node == 7:
            builder.bit_test(2, zero="b", one="a")
        else:
            builder.leaf(node, rows=[1, 2, 3])
    (tree,) = builder.finish(["a", "b", "c"]).trees
    assert tree.table.n_columns == 3
    assert tree.table.at_least
    assert tree.leaf_class.tolist() == [-1, 1, 0]
    assert tree.distribution.tolist() == [[0, 0, 0], [1, 2, 3], [1, 2, 3]]
    with pytest.raises(UnreadableModel, match=r"predicts 'b', which is not one of .* \['a'\]"):
        builder.finish(["a"])


@pytest.mark.parametrize("column", [-1, 2, 10**30, 1.0, "x", None])
def test_columns_that_do_not_exist(column):
    builder = ModelBuilder(Table(2))
    next(builder.walk("root"))
    with pytest.raises(InvalidTree, match=f"has the column {column!r}, and there are 2: the model"):
        builder.bit_test(column, 1, 2)


def test_thresholds_that_are_not_numbers():
    with pytest.raises(InvalidTree, match="a threshold is not a number"):
        built("<=", np.nan)


def test_a_reader_that_does_not_describe_its_nodes():
    builder = ModelBuilder(Table(1))
    with pytest.raises(RuntimeError, match="describe each node once, got 0"):
        list(builder.walk("root"))
    builder = ModelBuilder(Table(1))
    nodes = builder.walk("root")
    next(nodes)
    builder.leaf(0)
    builder.leaf(1)
    with pytest.raises(RuntimeError, match="describe each node once, got 2"):
        next(nodes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"at_most": np.zeros(2)}, r"at_most has shape \(2,\)"),
        ({"when_true": np.array([3, -1, -1])}, "has the child 3, and there are 3"),
        ({"when_false": np.array([-7, -1, -1])}, "has the child -7, and there are 3"),
        ({"leaf_class": np.array([-1, 0, 2])}, "has the class 2, and there are 2"),
        ({"column": np.array([5, -1, -1])}, "has the column 5, and there are 1"),
    ],
)
def test_arrays_that_do_not_fit(change, message):
    arrays = {
        "column": np.array([0, -1, -1]),
        "at_most": np.array([0.5, 0.0, 0.0]),
        "when_true": np.array([1, -1, -1]),
        "when_false": np.array([2, -1, -1]),
        "leaf_class": np.array([-1, 0, 1]),
        "nan_true": np.zeros(3, dtype=bool),
    }
    ColumnTree(Table(1), [0, 1], **arrays)
    with pytest.raises(InvalidTree, match=f"{message}: the model is damaged"):
        ColumnTree(Table(1), [0, 1], **{**arrays, **change})


def test_tables():
    with pytest.raises(UnreadableModel, match=r"fitted on 3 columns and names 2: it is damaged"):
        Table(3, ["a", "b"])
    for number in (-1, 1.5, "2", True):
        with pytest.raises(UnreadableModel, match="number of columns must be a whole number"):
            Table(number)
    assert numbered_names(2) == ["x0", "x1"]
    with pytest.raises(UnreadableModel, match="2,000,000 columns, without their names: more than"):
        Table(2_000_000).default_space(None, "unknown")


def sums(table, *leaves, **how):
    """A model of stumps at 0.5 whose two leaves add numbers."""
    builder = ModelBuilder(table)
    for two in leaves:
        for node in builder.walk("root"):
            if node == "root":
                builder.numerical_test(0, "<=", 0.5, two[0], two[1])
            else:
                builder.leaf_adds(*np.atleast_1d(node).tolist())
    return builder.finish(**how)


def test_sums_of_one_tree_are_a_tree():
    """By number, by cuts and by the largest score, with the library's function of the sum."""
    model = sums(Table(1), (0.25, 2.0), adding=Adding(base=(1.0,), divisor=2.0), rule=NUMBER)
    assert model.one_tree().classes.tolist() == [0.625, 1.5]
    squared = replace(model, outputs=np.square)
    assert squared.one_tree().classes.tolist() == [0.625**2, 2.25]
    assert squared.one_tree().task == "regression"
    assert replace(model, link="exp").one_tree() is None  # of which the last bit is not known
    cuts = Rule("cuts", cuts=(0.5, 1.5))
    three = sums(Table(1), (0.5, 1.5000001), classes=list("abc"), rule=cuts)
    assert three.one_tree().leaf_class.tolist() == [-1, 0, 2]
    window = replace(three, rule=cuts._replace(window=0.01))
    assert window.one_tree() is None
    adding = Adding(base=(0.0, 0.0))
    largest = sums(Table(1), ((1, 1), (1, 2)), classes="ab", adding=adding, rule=Rule("largest"))
    assert largest.one_tree().leaf_class.tolist() == [-1, 0, 1]
    assert replace(largest, rule=Rule("largest", window=0.5)).one_tree() is None
    assert sums(Table(1), (1.0, 2.0), (1.0, 2.0), rule=NUMBER).one_tree() is None


def test_leaves_that_add_what_is_not_a_finite_number():
    with pytest.raises(InvalidTree, match="predicts '7' and must predict a finite number"):
        sums(Table(1), ("7", 1.0), rule=NUMBER)
    with pytest.raises(InvalidTree, match="predicts inf and must predict a finite number"):
        sums(Table(1), (np.inf, 1.0), rule=NUMBER).one_tree()
    with pytest.raises(UnreadableModel, match="add up to more than a float32 can hold"):
        sums(Table(1), (2e38, 1.0), (2e38, 1.0), adding=Adding("float32"), rule=NUMBER)


@pytest.mark.parametrize("cut", [-1.0, 0.0, 2.0])
@pytest.mark.parametrize("nan_true", [False, True])
def test_zero_goes_where_nan_goes(cut, nan_true):
    builder = ModelBuilder(Table(1, learns_nan=True))
    for node in builder.walk("root"):
        if node == "root":
            builder.numerical_test(
                0, "<=", cut, "yes", "no", nan_true, zero_is_missing=(-5e-324, 0.0)
            )
        else:
            builder.leaf(node)
    tree = over_own_columns(builder.finish().trees[0], nan="value")
    X = np.array([[-3.0], [-1.0], [-5e-324], [0.0], [-0.0], [5e-324], [2.0], [3.0], [np.nan]])
    x = X[:, 0]
    expected = np.where((x == 0) | np.isnan(x), nan_true, x <= cut)
    assert predict(tree, X).tolist() == np.where(expected, "yes", "no").tolist()


def test_a_model_without_trees_and_trees_of_several_tables():
    with pytest.raises(UnreadableModel, match="has no trees"):
        ModelBuilder(Table(1)).finish(rule=NUMBER)
    trees = [built("<=", 0.5), built("<=", 0.5)]
    with pytest.raises(RuntimeError, match="one and the same table"):
        ColumnModel(trees)
