"""The builder that every reader speaks to: what it takes, and what it refuses."""

import numpy as np
import pytest

from orderless.errors import InvalidTree, UnreadableModel
from orderless.inputs import predict
from orderless.readers.build import ColumnTree, Table, TreeBuilder, numbered_names
from orderless.readers.preprocessing.columns import space_columns
from orderless.readers.preprocessing.conditions import over_features


def built(relation, threshold, table=None, nan_true=False):
    """A tree that says "yes" where a column stands in a relation to a number."""
    builder = TreeBuilder(table or Table(1))
    for node in builder.walk("root"):
        if node == "root":
            builder.numerical_test(0, relation, threshold, "yes", "no", nan_true)
        else:
            builder.leaf(node)
    return builder.finish()


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
    builder = TreeBuilder(Table(1, categories={0: ["a", "b", "c"]}))
    for node in builder.walk("root"):
        if node == "root":
            builder.categorical_test(0, relation, ["a", "c"], "yes", "no")
        else:
            builder.leaf(node)
    tree = over_own_columns(builder.finish())
    answers = predict(tree, [["a"], ["b"], ["c"], ["other"]]).tolist()
    holds = ["yes", "no", "yes", "no"]
    assert answers == (holds if relation == "in" else ["no", "yes", "no", "yes"])


def test_nodes_are_met_true_branch_first_whatever_is_asked():
    order = []
    builder = TreeBuilder(Table(3))
    for node in builder.walk((">", ("<=", 1, 2), ("<", 3, 4))):
        order.append(node if isinstance(node, int) else node[0])
        if isinstance(node, int):
            builder.leaf_number(node)
        else:
            builder.numerical_test(0, node[0], 1.0, *node[1:])
    assert order == [">", "<=", 1, 2, "<", 3, 4]
    tree = builder.finish()
    assert tree.when_false[0] == 1
    assert tree.classes == range(5)


def test_classes_and_rows_of_leaves():
    builder = TreeBuilder(Table(None, binary=True))
    for node in builder.walk(7):
        if node == 7:
            builder.bit_test(2, zero="b", one="a")
        else:
            builder.leaf(node, rows=[1, 2, 3])
    tree = builder.finish(["a", "b", "c"])
    assert tree.table.n_columns == 3
    assert tree.table.at_least
    assert tree.leaf_class.tolist() == [-1, 1, 0]
    assert tree.distribution.tolist() == [[0, 0, 0], [1, 2, 3], [1, 2, 3]]
    with pytest.raises(UnreadableModel, match=r"predicts 'b', which is not one of .* \['a'\]"):
        builder.finish(["a"])


@pytest.mark.parametrize("column", [-1, 2, 10**30, 1.0, "x", None])
def test_columns_that_do_not_exist(column):
    builder = TreeBuilder(Table(2))
    next(builder.walk("root"))
    with pytest.raises(InvalidTree, match=f"has the column {column!r}, and there are 2: the model"):
        builder.bit_test(column, 1, 2)


def test_thresholds_that_are_not_numbers():
    with pytest.raises(InvalidTree, match="a threshold is not a number"):
        built("<=", np.nan)


def test_a_reader_that_does_not_describe_its_nodes():
    builder = TreeBuilder(Table(1))
    with pytest.raises(RuntimeError, match="describe each node once, got 0"):
        list(builder.walk("root"))
    builder = TreeBuilder(Table(1))
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
