"""Trees of ONNX: what onnxruntime says is what is read, and what is not known is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from neighbours import neighbours

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel

onnx = pytest.importorskip("onnx", reason="comes with the extra orderless[onnx]")
pytest.importorskip("onnxruntime", reason="what is read is compared with onnxruntime")
from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx_rows import session  # noqa: E402

ML = "ai.onnx.ml"


def model(nodes: Any, *, kind: Any = TensorProto.FLOAT, wide: Any = 2, label: Any = "Y",
          constants: Any = (), newer: bool = False) -> bytes:  # fmt: skip
    X = helper.make_tensor_value_info("X", kind, [None, wide])
    Y = helper.make_empty_tensor_value_info(label)
    graph = helper.make_graph(nodes, "g", [X], [Y], list(constants))
    opsets = [helper.make_opsetid("", 21 if newer else 17),
              helper.make_opsetid(ML, 5 if newer else 3)]  # fmt: skip
    made = helper.make_model(graph, opset_imports=opsets, ir_version=10 if newer else 8)
    return made.SerializeToString()


def stump(labels: Any, weights: Any, *, mode: str = "BRANCH_LEQ", nan: int = 0, cut: float = 0.1,
          **more: Any) -> Any:  # fmt: skip
    """A classifier of one split; weights: for each leaf a dict of class: weight."""
    leaves = [(k + 1, c, float(w)) for k, own in enumerate(weights) for c, w in own.items()]
    text = isinstance(labels[0], str)
    return helper.make_node(
        "TreeEnsembleClassifier", ["X"], ["Y", "Z"], domain=ML,
        nodes_treeids=[0, 0, 0], nodes_nodeids=[0, 1, 2], nodes_featureids=[1, 0, 0],
        nodes_modes=[mode, "LEAF", "LEAF"], nodes_values=[cut, 0.0, 0.0],
        nodes_truenodeids=[1, 0, 0], nodes_falsenodeids=[2, 0, 0],
        nodes_missing_value_tracks_true=[nan, 0, 0],
        class_treeids=[0] * len(leaves), class_nodeids=[one[0] for one in leaves],
        class_ids=[one[1] for one in leaves], class_weights=[one[2] for one in leaves],
        **{"classlabels_strings" if text else "classlabels_int64s": labels}, **more,
    )  # fmt: skip


def rows(cut: float = 0.1) -> np.ndarray:
    values = [*neighbours(cut), -np.inf, np.inf, 0.0, -0.0, 1.0, 3.0, np.nan]
    return np.array([[0.0, v] for v in values], dtype=np.float32)


def check(content: bytes, X: np.ndarray) -> ol.Tree:
    """Both as a tree and as an ensemble, what is read says what onnxruntime says."""
    own = session(content)
    said = own.run([own.get_outputs()[0].name], {"X": X})[0].ravel().tolist()
    tree = ol.read(content, nan="value")
    assert tree.predict(X).tolist() == said
    assert ol.read(content, nan="value").predict(X).tolist() == said
    return tree


@pytest.mark.parametrize("mode", ["LEQ", "LT", "GTE", "GT", "EQ", "NEQ"])
@pytest.mark.parametrize("nan", [0, 1])
def test_every_comparison_and_side_of_nan(mode: str, nan: int) -> None:
    node = stump(["a", "b", "c"], [{0: 1, 1: 0, 2: 0}, {0: 0, 1: 0, 2: 1}], cut=3.0,
                 mode=f"BRANCH_{mode}", nan=nan)  # fmt: skip
    X = rows(3.0)
    if mode in ("EQ", "NEQ"):  # a column of categories, which are whole numbers
        X = np.array([[0, v] for v in (0, 1, 3, 4, np.nan)], dtype=np.float32)
    check(model([node]), X)


def test_equal_and_at_most_on_one_column() -> None:
    """A column that is compared in both ways stays a column of numbers."""
    node = stump(["a", "b", "c"], [{0: 1, 1: 0, 2: 0}, {0: 0, 1: 0, 2: 1}], mode="BRANCH_EQ", nan=1)
    more = {"nodes_treeids": [0] * 5, "nodes_nodeids": [0, 1, 2, 3, 4],
            "nodes_featureids": [1, 1, 0, 0, 0], "nodes_values": [0.1, 0.3, 0.0, 0.0, 0.0],
            "nodes_modes": ["BRANCH_EQ", "BRANCH_LEQ", "LEAF", "LEAF", "LEAF"],
            "nodes_truenodeids": [2, 3, 0, 0, 0], "nodes_falsenodeids": [1, 4, 0, 0, 0],
            "nodes_missing_value_tracks_true": [1, 0, 0, 0, 0], "class_treeids": [0] * 9,
            "class_nodeids": [2, 2, 2, 3, 3, 3, 4, 4, 4], "class_ids": [0, 1, 2] * 3,
            "class_weights": [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]}  # fmt: skip
    for one in list(node.attribute):
        if one.name in more:
            node.attribute.remove(one)
    node.attribute.extend(helper.make_attribute(k, v) for k, v in more.items())
    check(model([node]), np.vstack([rows(), rows(0.3)]))


@pytest.mark.parametrize(
    ("labels", "weights", "more"),
    [
        ([0, 1], [{0: 0.2}, {0: 0.8}], {}),  # above one half: no weight is below 0
        ([7, 3], [{0: 0.5}, {0: 0.500001}], {}),
        (["no", "yes"], [{0: -0.2}, {0: 0.2}], {}),  # above 0
        (["no", "yes"], [{1: 0.2}, {1: 0.8}], {}),
        (["no", "yes"], [{0: 0.2}, {0: 0.8}], {"base_values": [0.31]}),
        (["no", "yes"], [{0: -1}, {0: 1}], {"base_values": [1.0]}),
        (["no", "yes"], [{0: 0.7, 1: 0.3}, {0: 0.9, 1: -0.1}], {}),  # the second score only
        ([0, 1], [{0: 0.7, 1: 0.0}, {0: 0.0, 1: 0.2}], {}),
        (["a", "b", "c"], [{0: -1}, {1: -1, 2: -3}], {}),  # classes without a score do not count
        (["a", "b", "c"], [{0: -1}, {1: -1, 2: -3}], {"base_values": [0.0, 0.0, 0.0]}),
        (["a", "b", "c"], [{0: 1, 1: 1, 2: 1}, {0: 0, 1: 1, 2: 1}], {"post_transform": "SOFTMAX"}),
    ],
)
def test_classes_are_those_of_onnxruntime(labels: Any, weights: Any, more: Any) -> None:
    content = model([stump(labels, weights, **more)])
    own = session(content)
    X = rows()
    said = own.run(["Y"], {"X": X})[0].tolist()
    assert ol.read(content, nan="value").predict(X).tolist() == said


def test_two_classes_of_both_weights_lose_their_numbers() -> None:
    """onnxruntime answers 0 and 1, whatever the labels: CatBoost's files are of this kind."""
    content = model([stump([5, 6], [{0: 0.7, 1: -0.3}, {0: -0.2, 1: 0.8}])])
    assert check(content, rows()).classes == (0, 1)


def test_float64_columns_are_compared_as_they_are() -> None:
    node = stump(["a", "b"], [{0: 0.0}, {0: 1.0}])
    for attribute in list(node.attribute):
        if attribute.name == "nodes_values":
            node.attribute.remove(attribute)
    values = numpy_helper.from_array(np.array([0.1, 0.0, 0.0]), "v")
    node.attribute.append(helper.make_attribute("nodes_values_as_tensor", values))
    X = np.array([[0.0, v] for v in neighbours(0.1)])
    tree = check(model([node], kind=TensorProto.DOUBLE), X)
    assert tree.space["x1"].values == "float64"


def test_columns_are_picked_and_joined() -> None:
    which = numpy_helper.from_array(np.array([1, 0]), "which")
    pick = helper.make_node("ArrayFeatureExtractor", ["X", "which"], ["P"], domain=ML)
    same = helper.make_node("Identity", ["P"], ["Q"])
    join = helper.make_node("Concat", ["Q", "X"], ["R"], axis=1)
    node = stump(["a", "b"], [{0: 0}, {0: 1}])
    node.input[0] = "R"
    tree = ol.read(model([pick, same, join, node], constants=[which]))
    assert len(tree.space) == 4


def test_members_of_sets() -> None:
    arrays = {name: numpy_helper.from_array(np.array(values, dtype=kind), name)
              for name, values, kind in (("m", [6, 0], np.uint8), ("s", [0, 0.5], np.float32),
                                         ("w", [1, 0, 5], np.float32),
                                         ("l", [1, 4, np.nan], np.float32))}  # fmt: skip
    node = helper.make_node(
        "TreeEnsemble", ["X"], ["Y"], domain=ML, n_targets=1, tree_roots=[0],
        nodes_modes=arrays["m"], nodes_splits=arrays["s"], leaf_weights=arrays["w"],
        membership_values=arrays["l"], nodes_featureids=[0, 1], nodes_truenodeids=[1, 0],
        nodes_trueleafs=[0, 1], nodes_falsenodeids=[2, 1], nodes_falseleafs=[1, 1],
        leaf_targetids=[0, 0, 0], nodes_missing_value_tracks_true=[1, 0],
    )  # fmt: skip
    X = np.array([[a, b] for a in (0, 1, 2, 4, 7, np.nan) for b in (0, 1)], dtype=np.float32)
    tree = check(model([node], newer=True), X)
    assert tree.space["x0"].categories == (1, 4)


def changed(**attributes: Any) -> bytes:
    node = stump(["a", "b", "c"], [{0: 1, 1: 0, 2: 0}, {0: 0, 1: 0, 2: 1}])
    for one in list(node.attribute):
        if one.name in attributes:
            node.attribute.remove(one)
    node.attribute.extend(helper.make_attribute(k, v) for k, v in attributes.items())
    return model([node])


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda: model([stump(["a"], [{0: 1}, {0: 2}])]), "at least two that differ"),
        (lambda: model([stump(["a", "b"], [{0: 1, 1: 1}, {0: 2}])]), "leaves of one class only"),
        (lambda: model([stump(["a", "b"], [{1: 1}, {1: 2}], base_values=[0.1])]), "base_values"),
        (lambda: changed(nodes_truenodeids=[0, 0, 0]), "its own descendant"),
        (lambda: changed(nodes_truenodeids=[9, 0, 0]), "the child -1"),
        (lambda: changed(nodes_featureids=[5, 0, 0]), "the column 5"),
        (lambda: changed(nodes_values=[0.1]), "nodes_values has 1 entries"),
        (lambda: changed(nodes_modes=["BRANCH_X", "LEAF", "LEAF"]), "'X', which is not known"),
        (lambda: changed(class_ids=[0, 1, 9, 0, 1, 2]), "target 9, of 3"),
        (lambda: changed(class_nodeids=[1, 1, 1, 1, 1, 1]), "adds to it twice"),
        (lambda: model([helper.make_node("Relu", ["X"], ["Y"])]), "one operator of trees"),
        (lambda: model([helper.make_node("Scaler", ["X"], ["S"], domain=ML),
                        helper.make_node("TreeEnsembleClassifier", ["S"], ["Y", "Z"], domain=ML)]),
         "operator 'Scaler'"),
        (lambda: model([stump(["a", "b"], [{0: 0}, {0: 1}]),
                        helper.make_node("Upper", ["Y"], ["W"])], label="W"), "operator 'Upper'"),
        (lambda: model([stump(["a", "b"], [{0: 0}, {0: 1}])])[:60], "damaged"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_refused(content: Any, said: str) -> None:
    with pytest.raises((UnreadableModel, InvalidTree), match=said):
        ol.read(content())


def test_numbers_outside_of_the_file_are_refused() -> None:
    made = onnx.load_from_string(ol.read({"prediction": 1}, feature_names=["a"]).to_onnx())
    made.graph.initializer[0].data_location = TensorProto.EXTERNAL
    with pytest.raises(UnreadableModel, match="in a file beside it"):
        ol.read(made)


def test_other_bytes_are_refused() -> None:
    with pytest.raises(UnreadableModel, match="not an ONNX model"):
        ol.read(b"\x00\x01")
