"""scikit-learn's trees: our predict is theirs, on every row, to the last bit."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.ensemble import (
    ExtraTreesClassifier,
    GradientBoostingClassifier,
    RandomForestClassifier,
)
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.tree import (
    DecisionTreeClassifier,
    ExtraTreeClassifier,
)

import orderless as ol
from orderless.errors import InvalidData, InvalidSpace, UnreadableModel
from orderless.readers.builder import _first_largest

LABELS: dict[str, list[Any]] = {
    "two ints": [0, 1],
    "other ints": [-7, 3, 10**12],
    "text": ["no", "yes", "maybe", "größer ☃", "it's"],
    "bools": [False, True],
    "floats": [-1.0, 2.0, 7.0],  # scikit-learn wants whole ones
    "five": [5, 4, 3, 2, 1],
}
MODELS = {
    "tree": DecisionTreeClassifier(random_state=0),
    "shallow": DecisionTreeClassifier(max_depth=3, criterion="entropy", random_state=0),
    "random splits": DecisionTreeClassifier(splitter="random", random_state=1),
    "pruned": DecisionTreeClassifier(ccp_alpha=0.01, min_samples_leaf=3, random_state=0),
    "extra": ExtraTreeClassifier(random_state=0),
    "few leaves": DecisionTreeClassifier(max_leaf_nodes=7, random_state=0),
}


def data(seed: int, n: int = 80, n_columns: int = 4, n_classes: int = 2) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_columns)) * 10.0 ** rng.integers(-6, 6, n_columns)
    X[:, 0] = np.round(X[:, 0] / np.abs(X[:, 0]).max() * 3)  # many ties
    return X, rng.integers(0, n_classes, n)


def near(thresholds: Any) -> list[float]:
    """Thresholds, where rows begin to be rounded across them, and neighbours of both kinds."""
    out: list[float] = []
    for t in np.unique(np.asarray(thresholds, dtype=np.float64)):
        if not np.isfinite(t):
            continue
        centre = np.float32(t)
        around = [centre, *(np.nextafter(centre, np.float32(s)) for s in (-np.inf, np.inf))]
        singles = sorted(float(value) for value in around)
        middles = [(a + b) / 2 for a, b in pairwise(singles)]
        for value in [float(t), *singles, *middles]:
            out += [value, float(np.nextafter(value, -np.inf)), float(np.nextafter(value, np.inf))]
    return out


def hard_rows(X: Any, model: Any, seed: int = 0) -> Any:
    """Rows in which each column is put at, or beside, every threshold on it."""
    rng = np.random.default_rng(seed)
    parts = [X]
    inner = model.tree_.children_left >= 0
    for j in np.unique(model.tree_.feature[inner]):
        values = near(model.tree_.threshold[inner & (model.tree_.feature == j)])
        part = X[rng.integers(0, len(X), len(values))].copy()
        part[:, j] = values
        parts.append(part)
    return np.vstack(parts)


def same(tree: ol.Tree, model: Any, X: Any) -> None:
    ours = tree.predict(X)
    assert not np.ma.getmaskarray(ours).any()
    with np.errstate(over="ignore", invalid="ignore"):  # their check for finite numbers is a sum
        theirs = model.predict(X)
    assert ours.data.tolist() == theirs.tolist()


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("labels", LABELS)
def test_same_answers_everywhere(name: str, labels: str) -> None:
    legal = np.array(LABELS[labels])
    X, codes = data(1, n_classes=len(legal))
    model = MODELS[name].fit(X, legal[codes])
    tree = ol.read(model)
    rows = hard_rows(X, model)
    same(tree, model, rows)
    same(tree, model, rows.astype(np.float32))
    assert tree.classes == tuple(model.classes_.tolist())
    assert [type(c) for c in tree.classes] == [type(c) for c in model.classes_.tolist()]
    assert tree.space.names == ("x0", "x1", "x2", "x3")
    assert {feature.values for feature in tree.space.features} == {"float32"}
    # Leaves too, as long as none is dead.
    if not tree.kernel.n_dropped:
        assert tree.n_leaves == model.get_n_leaves()
        assert tree.depth == model.get_depth()
        leaves = list(zip(tree.apply(rows).tolist(), model.apply(rows).tolist(), strict=True))
        assert len(set(leaves)) == len({theirs for _, theirs in leaves})


@given(
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False, width=64, min_value=-1e38, max_value=1e38),
        min_size=2, max_size=10, unique=True,
    ),
    st.integers(0, 2**31 - 1),
)  # fmt: skip
@settings(max_examples=150)
def test_any_numbers(values: list[float], seed: int) -> None:
    """Also numbers that float32 cannot tell apart, subnormal ones and huge ones."""
    X = np.array(values)[:, None]
    y = np.random.default_rng(seed).integers(0, 2, len(values))
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    tree = ol.read(model)
    rows = hard_rows(X, model)
    rows = rows[np.abs(rows[:, 0]) < np.finfo(np.float32).max]
    same(tree, model, rows)


@pytest.mark.parametrize("forest", [RandomForestClassifier, ExtraTreesClassifier])
@pytest.mark.parametrize("labels", ["text", "two ints"])
def test_one_tree_of_a_forest(forest: Any, labels: str) -> None:
    """A forest's trees predict numbers of classes, as floats."""
    legal = np.array(LABELS[labels])
    X, codes = data(2, n_classes=len(legal))
    forest = forest(n_estimators=3, random_state=0).fit(X, legal[codes])
    for model in forest.estimators_:
        tree = ol.read(model)
        same(tree, model, hard_rows(X, model))
    trees = ol.read_many(forest.estimators_)
    assert len(trees) == 3
    assert all(tree.space is trees[0].space for tree in trees)


def test_weights_and_distributions() -> None:
    X, y = data(3, n_classes=3)
    weight = np.random.default_rng(0).random(len(X))
    model = DecisionTreeClassifier(
        max_depth=3, class_weight={0: 5.0, 1: 1.0, 2: 0.1}, random_state=0
    ).fit(X, y, sample_weight=weight)
    tree = ol.read(model)
    same(tree, model, hard_rows(X, model))
    assert tree.distribution is not None
    leaf = tree.apply(X).data
    counts = np.zeros((tree.n_nodes, 3))
    np.add.at(counts, (leaf, y), weight * np.array([5.0, 1.0, 0.1])[y])
    leaves = tree.nodes.feature < 0
    assert np.allclose(tree.distribution[leaves], counts[leaves])
    plain = ol.read(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y))
    assert plain.distribution is not None
    assert plain.distribution[plain.nodes.feature < 0].sum() == pytest.approx(len(X))


def test_ties_go_to_the_first_class() -> None:
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = DecisionTreeClassifier().fit(X, ["b", "a", "c", "b"])
    same(ol.read(model), model, X)


def test_constant_trees() -> None:
    X, _ = data(4)
    for y in (np.zeros(len(X), dtype=int), np.full(len(X), "only")):
        model = DecisionTreeClassifier().fit(X, y)
        tree = ol.read(model)
        assert (tree.n_leaves, tree.depth, tree.features) == (1, 0, ())
        same(tree, model, X)
    model = DecisionTreeClassifier(min_samples_leaf=len(X)).fit(X, np.arange(len(X)) % 3)
    same(ol.read(model), model, X)


# -- names and kinds -------------------------------------------------------------------------------


def test_names_of_a_data_frame() -> None:
    X, y = data(5)
    names = ["age", "blood pressure (mm)", 'a "quoted" one', "größe"]
    frame = pd.DataFrame(X, columns=names)
    model = DecisionTreeClassifier(random_state=0).fit(frame, y)
    tree = ol.read(model)
    assert tree.space.names == tuple(names)
    ours = tree.predict(frame[names[::-1]])  # by name, in any order
    assert ours.tolist() == model.predict(frame).tolist()
    assert ours.index.equals(frame.index)
    with pytest.raises(InvalidData, match="lacks the column"):
        tree.predict(frame.rename(columns={tree.features[0]: "else"}))


def test_names_that_are_given() -> None:
    X, y = data(6)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    names = ["a", "b", "c", "d"]
    tree = ol.read(model, feature_names=names)
    assert tree.space.names == tuple(names)
    same(tree, model, X)
    for wrong in (["a", "b"], [*names, "e"]):
        with pytest.raises(UnreadableModel, match=f"fitted on 4 columns and {len(wrong)} are"):
            ol.read(model, feature_names=wrong)
    with pytest.raises(UnreadableModel, match="fitted on 4 columns and 1 are described"):
        ol.read(model, space=ol.Space({"a": "numeric"}))
    with pytest.raises(InvalidSpace, match="named 'a'"):
        ol.read(model, feature_names=["a", "a", "b", "c"])
    with pytest.raises(InvalidSpace, match="leave feature_names out, or make them equal"):
        ol.read(model, feature_names=names, space=ol.Space.numeric(list("wxyz")))
    with pytest.raises(ValueError, match="nan must be one of 'unknown', 'value', got 'maybe'"):
        ol.read(model, nan="maybe")  # type: ignore[arg-type]


def test_thresholds_between_the_same_integers_are_one_condition() -> None:
    trees = []
    for low, high in ((24.0, 24.6), (24.4, 25.0)):  # thresholds 24.3 and 24.7
        model = DecisionTreeClassifier().fit([[low], [high]], [0, 1])
        trees.append(ol.read(model, space=ol.Space({"age": "integer"})))
        plain = ol.read(model, feature_names=["age"])
        assert plain.nodes.threshold[0] == pytest.approx((low + high) / 2)
    assert [tree.nodes.threshold[0] for tree in trees] == [24.0, 24.0]
    assert trees[0] == trees[1]
    assert str(trees[0]).startswith("age <= 24?")
    with pytest.raises(InvalidData, match=r"24\.5 in row 0 and is declared integer"):
        trees[0].predict([[24.5]])


def test_declared_kinds() -> None:
    rng = np.random.default_rng(7)
    color = rng.integers(0, 3, 120)
    frame = pd.DataFrame({
        "n": rng.integers(0, 50, 120), "bit": rng.integers(0, 2, 120),
        "red": (color == 0) * 1, "blue": (color == 1) * 1, "level": rng.integers(0, 4, 120),
    })  # fmt: skip
    y = (frame["n"] > 20) ^ (frame["bit"] == 1) ^ (color == 1) ^ (frame["level"] > 1)
    model = DecisionTreeClassifier(random_state=0).fit(frame, y)
    space = ol.Space(
        [
            ol.Feature("n", values="integer"),
            ol.Feature("bit", "boolean"),
            ol.Feature("color", "categorical", categories=("red", "blue"), other=True),
            ol.Feature("level", "categorical", categories=(0, 1, 2, 3)),
        ],
        columns={
            "n": "n",
            "bit": "bit",
            "red": ol.Condition("color", among=("red",)),
            "blue": ol.Condition("color", among=("blue",)),
            "level": "level",
        },
    )
    tree = ol.read(model, space=space)
    assert tree.predict(frame).tolist() == model.predict(frame).tolist()
    assert set(tree.features) <= {"n", "bit", "color", "level"}
    with pytest.raises(UnreadableModel, match="declare it numeric, or say how it was encoded"):
        ol.read(model, space=ol.Space({
            "n": ["a", "b"], "bit": "boolean", "red": "boolean", "blue": "boolean",
            "level": "integer"}))  # fmt: skip


# -- errors ----------------------------------------------------------------------------------------


def test_what_is_refused() -> None:
    X, y = data(9)
    with pytest.raises(
        UnreadableModel, match="a RandomForestClassifier adds up 2 trees, and this needs one"
    ):
        ol.read_many([RandomForestClassifier(2).fit(X, y)])
    with pytest.raises(UnreadableModel, match="2 outputs at once; fit one tree per output"):
        ol.read(DecisionTreeClassifier().fit(X, np.column_stack([y, 1 - y])))
    with pytest.raises(UnreadableModel, match="not fitted: call fit"):
        ol.read(DecisionTreeClassifier())
    for unknown in (LogisticRegression(), object(), 3):
        with pytest.raises(UnreadableModel, match=r"cannot read an? .*known sources are"):
            ol.read(unknown)
    with pytest.raises(UnreadableModel, match="iterable of trees, got a DecisionTreeClassifier"):
        ol.read_many(DecisionTreeClassifier().fit(X, y))


def test_models_that_hold_other_models_say_what_to_do():
    from sklearn.ensemble import HistGradientBoostingClassifier

    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.repeat([0, 1], 30)
    for boosted in (GradientBoostingClassifier(n_estimators=2), HistGradientBoostingClassifier()):
        with pytest.raises(UnreadableModel, match=r"adds up \d+ trees, and this needs one"):
            ol.read_many([boosted.fit(X, y)])
    with pytest.raises(UnreadableModel, match="scikit-learn's trees"):
        ol.read(LogisticRegression().fit(X, y))
    with pytest.raises(UnreadableModel, match="got the class DecisionTreeClassifier"):
        ol.read(DecisionTreeClassifier)


def test_arguments_of_the_wrong_kind(tmp_path):
    tree = DecisionTreeClassifier(max_depth=1).fit([[0], [1]], [0, 1])
    for space in ({"x0": "numeric"}, ["x0"]):
        with pytest.raises(ValueError, match=r"space must be a Space, got a (dict|list): write"):
            ol.read(tree, space=space)
    with pytest.raises(ValueError, match="feature_names must be a list of names, got the text 'a'"):
        ol.read(tree, feature_names="a")
    bad = tmp_path / "bad.json"
    bad.write_bytes(b"\xff\xfe{")
    with pytest.raises(ValueError, match=r"'bad.json' is not UTF-8"):
        ol.read(bad)
    with pytest.raises(UnreadableModel, match=r"StandardScaler does not say .* is it fitted"):
        ol.read(tree, preprocessing=StandardScaler())
    with pytest.raises(UnreadableModel, match="has no transform"):
        ol.read(tree, preprocessing="scaler")


@pytest.mark.parametrize("n_classes", range(1, 8))
def test_the_first_of_equal_classes_is_taken(n_classes):
    value = np.random.default_rng(n_classes).integers(0, 3, (500, n_classes)).astype(float)
    assert np.array_equal(_first_largest(value), np.argmax(value, axis=1))
