"""Trees as ONNX: onnxruntime says what ``predict`` says, and what is certain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from showcase import hostile, mixed
from tables import random_space, random_table, random_tree

import orderless as ol
from orderless.errors import InvalidParameter, InvalidSpace, TooLarge
from orderless.output.code import onnx as written

onnx = pytest.importorskip("onnx", reason="comes with the extra orderless[onnx]")
pytest.importorskip("onnxruntime", reason="what is written is run by onnxruntime")
from onnx_rows import run  # noqa: E402

CLASSES = (("no", "yes"), (0, 1, 2), (False, True), ("only",), (0.5, 1.5, 2.5), (7, 3))


def compare(tree: ol.Tree, rows: list[dict[str, Any]], **options: Any) -> None:
    """Every result of the model that is written is ours, and so is what is read back."""
    content = tree.to_onnx(**options)
    onnx.checker.check_model(onnx.load_from_string(content))
    if any(one.type.tensor_type.elem_type == 1 for one in
           onnx.load_from_string(content).graph.input):  # fmt: skip
        rows = [{k: _single(v) for k, v in row.items()} for row in rows]
    said = run(content, tree.space, rows)
    want = tree.predict(rows)
    certain = ~np.ma.getmaskarray(want)
    assert said["certain"].tolist() == certain.tolist()
    answer = np.asarray(said["number" if tree.task == "regression" else "label"])
    assert answer[certain].tolist() == np.asarray(want.data)[certain].tolist()
    if tree.task == "regression":
        lower, upper, _ = tree.predict_interval(rows)
        assert said["lower"].tolist() == lower.tolist()
        assert said["upper"].tolist() == upper.tolist()
    else:
        possible = [{tree.classes[k] for k in np.flatnonzero(row)} for row in said["possible"]]
        assert possible == [set(own) for own in tree.possible(rows)]
    assert content == tree.to_onnx(**options)


def _single(value: Any) -> Any:
    with np.errstate(over="ignore"):
        return float(np.float32(value)) if type(value) in (int, float) else value


@pytest.mark.parametrize("seed", range(24))
def test_random_trees(seed: int) -> None:
    rng = np.random.default_rng(seed)
    space = random_space(rng, int(rng.integers(1, 7)), nan=bool(rng.integers(2)))
    if seed % 3 == 0:
        space = ol.Space([f for f in space.features if f.ordered])
    classes = CLASSES[seed % len(CLASSES)]
    tree = random_tree(rng, space, depth=int(rng.integers(0, 6)), classes=classes)
    if classes[0] == 0.5 and seed % 2:
        tree = tree.replace(task="regression", distribution=None)
    rows = random_table(rng, space, 150).to_pylist()
    ordered = all(feature.ordered for feature in space.features)
    compare(tree, rows, floats=[None, "float64", "float32"][seed % 3] if ordered else None)


def test_hostile_names_and_categories() -> None:
    tree = hostile().tree
    names = tree.space.names
    rng = np.random.default_rng(0)
    text = [*tree.space.features[-1].categories, None]
    rows = [{**{n: rng.choice([0, 1, None]) for n in names[:-1]}, names[-1]: text[i % len(text)]}
            for i in range(60)]  # fmt: skip
    compare(tree, rows)
    assert ol.equivalent(ol.read(tree.to_onnx()), tree)


def test_what_is_read_back_is_the_same_function() -> None:
    tree = mixed().tree
    assert ol.equivalent(ol.read(tree.to_onnx()), tree)
    stump = {"feature": "a", "relation": "<=", "reference": 0.1, "true": {"prediction": 1.25},
             "false": {"prediction": 2.5}, "task": "regression"}  # fmt: skip
    numbers = ol.read(stump, feature_names=["a"])
    back = ol.read(numbers.to_onnx())
    assert back.task == "regression"
    assert ol.equivalent(back, numbers)
    assert ol.check_export(numbers, numbers.to_onnx())


@pytest.mark.parametrize("categories", [("red", "blue", "green"), (1, 2, 3)], ids=["text", "whole"])
def test_missing_values_where_sets_follow_each_other(categories: tuple[Any, ...]) -> None:
    """onnxruntime makes one test of two sets whose true sides look equal, and one way for NaN."""
    one, two, three = categories
    space = ol.Space([
        ol.Feature(name, "categorical", categories=categories, nan=True) for name in "ab"
    ])  # fmt: skip
    nan = space["a"].n_values - 1
    leaves = ol.Tree(
        space, ["no", "yes"], feature=[0, -1, 0, -1, -1], threshold=[0.0] * 5,
        when_true=[1, -1, 3, -1, -1], when_false=[2, -1, 4, -1, -1], leaf_class=[-1, 1, -1, 1, 0],
        sets={0: [0], 2: [1, nan]},
    )  # fmt: skip
    below = ol.Tree(
        space, ["no", "yes"], feature=[0, 1, -1, -1, 0, 1, -1, -1, -1], threshold=[0.0] * 9,
        when_true=[1, 2, -1, -1, 5, 6, -1, -1, -1], when_false=[4, 3, -1, -1, 8, 7, -1, -1, -1],
        leaf_class=[-1, -1, 1, 0, -1, -1, 1, 0, 0], sets={0: [0], 1: [1], 4: [1], 5: [1, nan]},
    )  # fmt: skip
    rows = [{"a": a, "b": b} for a in (*categories, None) for b in (*categories, None)]
    for tree, says_yes in (
        (leaves, lambda a, b: a != three),
        (below, lambda a, b: (a == one and b == two) or (a == two and b in (two, None))),
    ):
        content = tree.to_onnx()
        said = run(content, space, rows)["label"].tolist()
        assert said == ["yes" if says_yes(**row) else "no" for row in rows]
        compare(tree, rows)
        assert ol.read(content).space["a"].kind == "categorical"
        assert ol.check_export(tree, content)


@pytest.mark.parametrize("relation", ["<=", ">"])
def test_a_threshold_below_every_float32(relation: str) -> None:
    """-inf alone is at it: rows of float32 may hold that."""
    space = ol.Space([ol.Feature("x", values="float32")])
    root = {"feature": "x", "relation": relation, "reference": -1e300, "true": {"prediction": "a"},
            "false": {"prediction": "b"}}  # fmt: skip
    tree = ol.read(root, space=space)
    rows = [{"x": x} for x in (-np.inf, -3e38, 0.0, np.inf)]
    want = ["a", "b", "b", "b"] if relation == "<=" else ["b", "a", "a", "a"]
    content = tree.to_onnx()
    assert run(content, space, rows)["label"].tolist() == want
    assert ol.read(content).predict(rows).tolist() == want
    assert ol.check_export(tree, content)


def test_complete_rows_only() -> None:
    tree = mixed().tree
    rows = [{"age": 20, "lab value": None, "smoker": 1, "color": "red"},
            {"age": 20, "lab value": 0.5, "smoker": 1, "color": "red"}]  # fmt: skip
    said = run(tree.to_onnx(unknowns=False), tree.space, rows)
    assert sorted(said) == ["complete", "label"]
    assert said["complete"].tolist() == [False, True]
    assert said["label"][1] == tree.predict(rows)[1]


def test_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = mixed().tree
    with pytest.raises(InvalidParameter, match="floats must be 'float32', 'float64' or None"):
        tree.to_onnx(floats="half")  # type: ignore[arg-type]
    monkeypatch.setattr(written, "MOST_CELLS", 10)
    with pytest.raises(TooLarge, match="unknowns=False"):
        tree.to_onnx()
    halves = ol.Space([ol.Feature("a", "categorical", categories=(0.5, 1.5))])
    split = {"feature": "a", "relation": "in", "reference": [0.5], "true": {"prediction": 1},
             "false": {"prediction": 0}}  # fmt: skip
    with pytest.raises(InvalidSpace, match="all be text, or all whole numbers"):
        ol.read(split, space=halves).to_onnx()
    large = {"feature": "a", "true": {"prediction": 2**70}, "false": {"prediction": 1}}
    with pytest.raises(InvalidSpace, match="int64 cannot hold"):
        ol.read(large, feature_names=["a"]).to_onnx(unknowns=False)
