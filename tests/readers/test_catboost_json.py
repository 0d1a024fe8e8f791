"""CatBoost's model files, damaged or made to harm: a clear error, and no memory by a number."""

import json
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel

catboost = pytest.importorskip(
    "catboost", reason="CatBoost comes with the extra orderless[sources]"
)


@cache
def text_of(kind):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    y = X["a"] + X["b"] ** 2
    settings = {"iterations": 1, "depth": 2, "verbose": 0, "allow_writing_files": False}
    if kind == "classes":
        model = catboost.CatBoostClassifier(**settings).fit(X, np.digitize(y, [0, 1]))
    elif kind == "two":
        model = catboost.CatBoostClassifier(**settings).fit(X, y > 0)
    elif kind == "categories":
        X["c"] = rng.choice(list("xy"), 300)
        model = catboost.CatBoostRegressor(**settings, one_hot_max_size=5)
        model.fit(X, (X["c"] == "x") * 5.0, cat_features=["c"])
    else:
        policy = "Depthwise" if kind == "nested" else "SymmetricTree"
        model = catboost.CatBoostRegressor(**settings, grow_policy=policy).fit(X, y)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.save_model(path, format="json")
        return path.read_text()


def put(content, where, value):
    node = content
    for key in where[:-1]:
        node = node[key]
    node[where[-1]] = value
    return json.dumps(content)


TREE = ("oblivious_trees", 0)
FLOAT = ("features_info", "float_features")
CLASSES = ("model_info", "class_params")
LOSS = ("model_info", "params", "loss_function", "type")


@pytest.mark.parametrize(
    ("kind", "where", "value", "said"),
    [
        ("plain", ("oblivious_trees",), [], "the model has no trees"),
        ("plain", (*TREE, "leaf_values"), [1.0], "1 numbers at the leaves after 2 splits"),
        ("plain", (*TREE, "leaf_values", 0), float("nan"), "a leaf is nan, which is not finite"),
        ("plain", (*TREE, "leaf_values", 0), float("inf"), "a leaf is inf, which is not finite"),
        ("plain", (*TREE, "leaf_values", 0), "1", "a leaf is '1'"),
        ("plain", (*TREE, "leaf_values", 0), True, "a leaf is True"),
        ("plain", (*TREE, "leaf_values", 0), 10**400, "is damaged"),
        ("plain", (*TREE, "splits"), [{}] * 10**4, "after 10000 splits"),
        ("plain", (*TREE, "splits", 0, "float_feature_index"), 7, "there is no number 7 of 2"),
        ("plain", (*TREE, "splits", 0, "float_feature_index"), -1, "there is no number -1 of 2"),
        (
            "plain",
            (*TREE, "splits", 0, "border"),
            1e39,
            "a border is 1e.39, which is not a float32",
        ),
        ("plain", (*TREE, "splits", 0, "border"), None, "a border is None"),
        ("plain", (*TREE, "splits", 0, "split_type"), "OnlineCtr", "a statistic of the targets"),
        ("plain", (*TREE, "splits", 0, "split_type"), "OneHotFeature", "KeyError"),
        ("plain", (*FLOAT, 0, "flat_feature_index"), 1, "the columns are"),
        ("plain", (*FLOAT, 0, "flat_feature_index"), 10**9, "the columns are"),
        ("plain", (*FLOAT, 0, "flat_feature_index"), -1, "a whole number of at least 0, got -1"),
        ("plain", (*FLOAT, 0, "feature_id"), 3, "a column has the name 3"),
        ("plain", FLOAT, None, "there is no number"),
        ("plain", ("scale_and_bias",), [1], "is damaged"),
        ("plain", ("scale_and_bias", 0), float("inf"), "the scale is inf"),
        ("plain", ("scale_and_bias", 1), [0.0, 0.0], "predicts 2 numbers at once"),
        ("plain", ("scale_and_bias", 1, 0), "x", "the bias is 'x'"),
        ("plain", ("features_info", "text_features"), [{}], "has text features, which cannot"),
        ("plain", ("features_info", "embedding_features"), [{}], "has embedding features"),
        ("plain", ("model_info",), {}, "KeyError: 'params'"),
        ("nested", ("trees", 0, "left"), 3, "is damaged"),
        ("nested", ("trees", 0, "left"), {}, "KeyError"),
        ("nested", ("trees", 0, "left"), {"value": [1.0, 2.0]}, "a leaf has 2 numbers, and 1 are"),
        ("nested", ("trees", 0, "left"), {"value": None}, "a leaf is None"),
        ("nested", ("trees",), [1, 2], "is damaged"),
        ("two", (*CLASSES, "class_to_label"), [0], "1 outputs for 1 classes"),
        ("two", ("model_info", "binclass_probability_threshold"), "1.5", "threshold is 1.5"),
        ("classes", (*CLASSES, "class_to_label"), [0, 1, 9], "there is no number 9 of 3"),
        ("classes", (*CLASSES, "class_label_type"), "Complex", "KeyError: 'Complex'"),
        ("classes", (*CLASSES, "class_names"), ["a", "b", "c"], "the class 'a' is not of type int"),
        ("classes", (*CLASSES, "class_names"), [1, 1, 2], "duplicate class label"),
        ("classes", LOSS, "MultiLogloss", "cannot be read as one class per row"),
        ("categories", (*TREE, "splits", 0, "value"), 2**31, "a category has the hash 2147483648"),
        ("categories", (*TREE, "splits", 0, "cat_feature_index"), 1, "there is no number 1 of 1"),
    ],
)
def test_damaged_files(kind, where, value, said):
    text = put(json.loads(text_of(kind)), where, value)
    with pytest.raises((UnreadableModel, InvalidTree), match=said):
        ol.read(text)


def test_whole_files_are_read():
    for kind in ("plain", "nested", "classes", "two"):
        assert ol.read(text_of(kind)).n_leaves > 1
    space = ol.Space({"a": "float32", "b": "float32", "c": ["x", "y"]})
    assert ol.read(text_of("categories"), space=space).features[0] == "c"


def test_a_tree_too_deep_for_the_parser_and_an_exponential_that_is_infinite():
    nested = '{"left": ' * 10**5 + "1" + "}" * 10**5
    text = '{"features_info": {}, "trees": [' + nested + "]}"
    with pytest.raises((UnreadableModel, InvalidTree), match="is damaged"):
        ol.read(text)
    content = json.loads(put(json.loads(text_of("plain")), LOSS, "Poisson"))
    text = put(content, (*TREE, "leaf_values", 0), 1e6)
    with pytest.raises(InvalidTree, match="a leaf predicts inf and must predict a finite number"):
        ol.read(text)


def test_a_chain_of_nodes_is_read_without_recursion():
    content = json.loads(text_of("nested"))
    node = {"value": 0.5, "weight": 1}
    for i in reversed(range(300)):
        split = {"border": float(i), "float_feature_index": 0, "split_type": "FloatFeature"}
        node = {"left": {"value": float(i), "weight": 1}, "right": node, "split": split}
    content["trees"] = [node]
    tree = ol.read(json.dumps(content))
    assert (tree.depth, tree.n_leaves) == (300, 301)
    bias = content["scale_and_bias"][1][0]
    assert tree.predict([[250.5, 0.0], [999.0, 0.0]]).tolist() == [251.0 + bias, 0.5 + bias]
