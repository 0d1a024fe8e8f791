"""scikit-learn's models that hold others, decide in their own way, or come from version 1.10."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import GridSearchCV, HalvingGridSearchCV, RandomizedSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import orderless as ol
from orderless.errors import InvalidSpace, UnreadableModel
from orderless.output.code import sklearn as writer


def data(seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 3))
    return X, np.where((X[:, 0] > 0) ^ (X[:, 1] > 0.5), "yes", "no")


# -- models that hold others -----------------------------------------------------------------------

SEARCHES = {
    "grid": lambda model, grid: GridSearchCV(model, grid, cv=2),
    "random": lambda model, grid: RandomizedSearchCV(model, grid, n_iter=2, cv=2, random_state=0),
    "halving": lambda model, grid: HalvingGridSearchCV(model, grid, cv=2, random_state=0),
}


@pytest.mark.parametrize("search", SEARCHES)
def test_the_best_estimator_of_a_search_is_read(search: str) -> None:
    X, y = data()
    grid = {"max_depth": [2, 3]}
    found = SEARCHES[search](DecisionTreeClassifier(random_state=0), grid).fit(X, y)
    assert ol.read(found) == ol.read(found.best_estimator_)
    assert ol.read(pickle.loads(pickle.dumps(found))).predict(X).tolist() == (
        found.predict(X).tolist()
    )


def test_searches_and_pipelines_in_each_other() -> None:
    X, y = data()
    inner = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [2, 3]}, cv=2)
    outer = make_pipeline(StandardScaler(), inner).fit(X, y)
    assert ol.read(outer).predict(X).tolist() == outer.predict(X).tolist()
    tuned = GridSearchCV(
        make_pipeline(StandardScaler(), DecisionTreeClassifier(random_state=0)),
        {"decisiontreeclassifier__max_depth": [2, 3]},
        cv=2,
    ).fit(X, y)
    assert ol.read(tuned).predict(X).tolist() == tuned.predict(X).tolist()


def test_a_search_without_a_best_estimator() -> None:
    X, y = data()
    search = GridSearchCV(DecisionTreeClassifier(), {"max_depth": [1]}, cv=2, refit=False)
    for model in (search, search.fit(X, y)):
        with pytest.raises(UnreadableModel, match=r"GridSearchCV holds no best.*refit=True"):
            ol.read(model)


# -- models that decide in their own way -----------------------------------------------------------


class Cautious(DecisionTreeClassifier):
    def predict(self, X: Any, check_input: bool = True) -> Any:
        return np.where(self.predict_proba(X)[:, 1] > 0.9, "yes", "no")


class Renamed(DecisionTreeClassifier):
    """Changes nothing about deciding."""


class Shy(DecisionTreeRegressor):
    def predict(self, X: Any, check_input: bool = True) -> Any:
        return super().predict(X) / 2


class Upside(Pipeline):
    def predict(self, X: Any, **params: Any) -> Any:
        return super().predict(X)[::-1]


def test_a_predict_of_its_own_is_refused() -> None:
    X, y = data()
    said = (
        "a Cautious has its own predict.*give a plain DecisionTreeClassifier, or build orderless.T"
    )
    with pytest.raises(UnreadableModel, match=said):
        ol.read(Cautious(max_depth=2).fit(X, y))
    with pytest.raises(UnreadableModel, match=said):
        ol.read(make_pipeline(StandardScaler(), Cautious(max_depth=2)).fit(X, y))
    with pytest.raises(UnreadableModel, match=r"an Upside has its own predict.*a plain Pipeline"):
        ol.read(Upside([("tree", DecisionTreeClassifier())]).fit(X, y))
    with pytest.raises(UnreadableModel, match="a Shy has its own predict"):
        ol.read(Shy(max_depth=2).fit(X, X[:, 0]))
    renamed = Renamed(max_depth=2, random_state=0).fit(X, y)
    assert ol.read(renamed).predict(X).tolist() == renamed.predict(X).tolist()


def test_articles() -> None:
    X, y = data()
    with pytest.raises(UnreadableModel, match=r"^an AdaBoostClassifier adds up \d trees"):
        ol.read_many([AdaBoostClassifier(n_estimators=2).fit(X, y)])
    with pytest.raises(UnreadableModel, match=r"^cannot read an int: "):
        ol.read(3)
    tree = DecisionTreeClassifier().fit([[0], [1]], [0, 1])
    with pytest.raises(UnreadableModel, match=r"^a OneHotEncoder does not say how many"):
        ol.read(tree, preprocessing=OneHotEncoder())


# -- missing as a value ----------------------------------------------------------------------------


def test_every_way_to_write_missing_is_the_missing_value() -> None:
    """With nan="value"; only what a dict does not mention is unknown."""
    X = np.array([[1.0, 0], [2, 0], [np.nan, 1], [np.nan, 0], [5, 1], [6, 1]])
    model = DecisionTreeClassifier(random_state=0).fit(X, ["low"] * 4 + ["high"] * 2)
    tree = ol.read(model, feature_names=["dose", "b"], nan="value")
    polars = pytest.importorskip("polars")
    nothing = [None, np.nan, pd.NA, pd.NaT, np.float32("nan")]
    tables = [
        *([[nil, 0.0]] for nil in nothing),
        *(np.array([[nil, 0.0]], dtype=object) for nil in nothing),
        *([{"dose": nil, "b": 0.0}] for nil in nothing),
        *(pd.DataFrame({"dose": pd.Series([nil], dtype=object), "b": [0.0]}) for nil in nothing),
        *(
            pd.DataFrame({"dose": pd.array([None], dtype=dtype), "b": [0.0]})
            for dtype in ("Int64", "Float64", "float64", "boolean")
        ),
        *(
            polars.DataFrame({"dose": [None], "b": [0.0]}, schema_overrides={"dose": dtype})
            for dtype in (polars.Float64, polars.Int64, polars.Null)
        ),
        np.array([[np.nan, 0.0]]),
        np.array([[np.nan, 0.0]], dtype=np.float32),
        np.ma.array([[7.0, 0.0]], mask=[[True, False]]),
    ]
    for table in tables:
        assert list(tree.predict(table)) == ["low"], repr(table)
    assert np.ma.is_masked(tree.predict([{"b": 0.0}]))
    form = ol.canonicalize(tree)
    for nil in nothing:
        assert form.tree.explain({"dose": nil}).label == "low"
        assert form.tree.needed({"dose": nil}).label == "low"


# -- version 1.10 ----------------------------------------------------------------------------------

OLD = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]).tree_.__reduce__()[2]["nodes"].dtype


def new_dtype(kinds: bool) -> np.dtype[Any]:
    fields = [(name, OLD[name]) for name in OLD.names or ()]
    fields.append(("left_cat_bitset", np.dtype((np.uint32, (8,)))))
    return np.dtype([*fields, ("split_kind", np.int8)] if kinds else fields)


class NewTree:
    """What scikit-learn 1.10 calls a Tree, as far as we touch it: nodes with sets of bits.

    A category is a whole number; its bit says that it goes left; NaN goes where the node says.
    """

    def __init__(self, n_features: int, n_classes: Any, n_outputs: int, n_categories: Any) -> None:
        self.n_features, self.n_outputs = n_features, n_outputs
        self.arguments = (n_features, n_classes, n_outputs, np.asarray(n_categories))

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.state = state
        nodes = state["nodes"]
        self.children_left, self.children_right = nodes["left_child"], nodes["right_child"]
        self.feature, self.threshold = nodes["feature"], nodes["threshold"]
        self.missing_go_to_left = nodes["missing_go_to_left"]
        self.weighted_n_node_samples = nodes["weighted_n_node_samples"]
        self.value = state["values"]

    def __reduce__(self) -> Any:
        return NewTree, self.arguments, self.state

    def leaf(self, row: Any) -> int:
        nodes, at = self.state["nodes"], 0
        while nodes["left_child"][at] >= 0:
            x = np.float32(row[nodes["feature"][at]])
            if np.isnan(x):
                left = bool(nodes["missing_go_to_left"][at])
            elif self.arguments[3][nodes["feature"][at]] > 0:
                left = bool(nodes["left_cat_bitset"][at, int(x) // 32] >> (int(x) % 32) & 1)
            else:
                left = x <= nodes["threshold"][at]
            at = nodes["left_child"][at] if left else nodes["right_child"][at]
        return int(at)

    def predict(self, X: Any) -> Any:
        return np.array([self.value[self.leaf(row), 0].argmax() for row in X])


def new_model(kinds: bool = False, **change: Any) -> Any:
    """A tree of 1.10: is x0 in {0, 2, 40}, else is x1 at most 0.5?"""
    nodes = np.zeros(5, dtype=new_dtype(kinds))
    nodes["left_child"], nodes["right_child"] = [1, -1, 3, -1, -1], [2, -1, 4, -1, -1]
    nodes["feature"], nodes["threshold"] = [0, -2, 1, -2, -2], [-np.inf, -2, 0.5, -2, -2]
    nodes["weighted_n_node_samples"] = nodes["n_node_samples"] = [9, 3, 6, 2, 4]
    nodes["missing_go_to_left"][0] = 1
    nodes["left_cat_bitset"][0, :2] = [0b101, 1 << 8]
    if kinds:
        nodes["split_kind"] = [1, -1, 0, -1, -1]
    for name, value in change.get("nodes", {}).items():
        nodes[name][0] = value
    tree = NewTree(2, np.array([2]), 1, change.get("n_categories", np.array([41, -1])))
    shares = np.zeros((5, 1, 2))
    shares[np.arange(5), 0, [0, 0, 1, 0, 1]] = 1.0
    tree.__setstate__({"max_depth": 2, "node_count": 5, "nodes": nodes, "values": shares})
    model = DecisionTreeClassifier()
    model.classes_ = np.array(["left", "right"])
    model.n_classes_, model.n_outputs_, model.n_features_in_ = np.int64(2), 1, 2
    model.tree_ = tree
    return model


ROWS = [[float(code), x] for code in range(41) for x in (0.0, 0.5, np.nextafter(0.5, 1), 0.6)]


@pytest.mark.parametrize("kinds", [False, True])
def test_sets_of_categories_are_read(kinds: bool) -> None:
    model = new_model(kinds)
    tree = ol.read(model)
    assert tree.space["x0"].categories == tuple(range(41))
    assert tree.kernel.condition(0) == "x0 in {0, 2, 40}"
    theirs = model.classes_[model.tree_.predict(ROWS)]
    assert tree.predict(ROWS).tolist() == theirs.tolist()
    missing = [[np.nan, 0.9], [1.0, np.nan]]
    learned = ol.read(model, nan="value")
    assert learned.predict(missing).tolist() == (
        model.classes_[model.tree_.predict(missing)].tolist()
    )
    with pytest.raises(ValueError, match="'x0' has the value 41"):
        tree.predict([[41.0, 0.0]])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"nodes": {"threshold": 3.0}}, "does not list them"),
        ({"n_categories": np.array([40, -1])}, "does not list them"),
        ({"n_categories": np.array([-1, -1])}, "categories at a split on a number"),
        ({"n_categories": np.array([300, -1])}, "300 categories"),
        ({"n_categories": np.array([41])}, r"categories of shape \(1,\)"),
        ({"n_categories": np.array([41.0, -1.0])}, "numbers of categories"),
    ],
)
def test_what_is_not_understood_is_refused(change: Any, said: str) -> None:
    with pytest.raises(UnreadableModel, match=f"{said}.*does not know: encode categories"):
        ol.read(new_model(**change))


def test_splits_by_a_hash_are_refused() -> None:
    empty = {"nodes": {"left_cat_bitset": np.zeros(8, dtype=np.uint32)}}
    assert ol.read(new_model(**empty)).n_leaves == 2  # nothing but missing goes left
    with pytest.raises(UnreadableModel, match="does not list them"):
        ol.read(new_model(kinds=True, **empty))


def test_other_fields_and_encoders_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    model = new_model()
    model._preprocessor = StandardScaler()
    with pytest.raises(UnreadableModel, match=r"encodes categories itself \(_preprocessor\)"):
        ol.read(model)
    model = new_model()
    nodes = model.tree_.state["nodes"]
    wider = np.dtype([*((n, nodes.dtype[n]) for n in nodes.dtype.names), ("weights", np.float64)])
    model.tree_.state["nodes"] = np.zeros(5, dtype=wider)
    with pytest.raises(UnreadableModel, match=r"nodes of the fields .*'weights'"):
        ol.read(model)


def be_version_1_10(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let scikit-learn be as we know 1.10 to be."""
    monkeypatch.setattr("sklearn.tree._tree.NODE_DTYPE", new_dtype(kinds=False))
    monkeypatch.setattr("sklearn.tree._tree.Tree", NewTree)
    monkeypatch.setattr(writer, "_version", lambda: writer._Version(-1, None, 0))


def test_sets_of_categories_are_written(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = ol.read(new_model(), nan="value")
    be_version_1_10(monkeypatch)
    model = tree.to_sklearn()
    assert model.tree_.arguments[3].tolist() == [41, -1]
    rows = [*ROWS, [np.nan, 0.9], [1.0, np.nan]]
    assert model.tree_.predict(rows).tolist() == new_model().tree_.predict(rows).tolist()
    assert ol.equivalent(ol.read(model, nan="value"), tree)


def test_trees_of_numbers_have_the_fourth_argument(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = data()
    fitted = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    tree, theirs = ol.read(fitted), fitted.predict(X).tolist()
    be_version_1_10(monkeypatch)
    model = tree.to_sklearn()
    assert model.tree_.arguments[3].tolist() == [-1, -1, -1]
    assert not model.tree_.state["nodes"]["left_cat_bitset"].any()
    assert model.classes_[model.tree_.predict(X)].tolist() == theirs


def test_without_sets_one_hot_columns_are_needed() -> None:
    with pytest.raises(InvalidSpace, match="no column says whether x0 in"):
        ol.read(new_model()).to_sklearn()
