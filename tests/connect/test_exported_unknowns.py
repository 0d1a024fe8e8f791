"""What our ONNX models say of rows with unknown values: proven, or a row that onnxruntime confirms.

Damaged graphs are compared with all rows of a grid that has every cell, run by onnxruntime.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from sums import as_ensemble
from tables import random_space, random_tree

import orderless as ol
from orderless.connect.exported import unknowns

onnx = pytest.importorskip("onnx", reason="comes with the extra orderless[onnx]")
pytest.importorskip("onnxruntime", reason="what is written is run by onnxruntime")
from onnx_rows import run  # noqa: E402

CUTS = (0.5, 1.5, 2.5)
MOVED = (-1.0, 1.0, 2.0, np.inf, np.nan, 0.5, 1.5)
# One number of each cell, those that float32 rounds to a threshold among them, and unknown.
NUMBERS = (-2.0, 0.0, 0.50000001, 0.75, 1.25, 1.50000003, 1.75, 2.25, 2.50000006, 3.0, None)
TEXTS = ("a", "b", "c", "another", None)
RIGHT = "are right for every row with unknown values"


def small_tree(rng: np.random.Generator, *, text: bool, classes: Sequence[Any]) -> ol.Tree:
    """A tree of two numbers, and of text where that is asked for, with thresholds in CUTS."""
    features = [ol.Feature("x"), ol.Feature("y", values="float32" if rng.integers(2) else "float64",
                                            nan=bool(rng.integers(2)))]  # fmt: skip
    if text:
        features.append(ol.Feature("t", "categorical", categories=("a", "b", "c"), other=True))

    def grow(depth: int) -> dict[str, Any]:
        if not depth or rng.random() < 0.15:
            return {"prediction": classes[rng.integers(len(classes))]}
        name = features[rng.integers(len(features))].name
        ask: dict[str, Any] = {"feature": name, "relation": "<=", "reference": rng.choice(CUTS)}
        if name == "t":
            some = [label for label in "abc" if rng.integers(2)] or ["b"]
            ask = {"feature": name, "relation": "in", "reference": some}
        return {**ask, "true": grow(depth - 1), "false": grow(depth - 1)}

    return ol.read(grow(4), space=ol.Space(features))


def grid(tree: ol.Tree) -> list[dict[str, Any]]:
    own = [NUMBERS if feature.ordered else TEXTS for feature in tree.space.features]
    return [dict(zip(tree.space.names, row, strict=True)) for row in itertools.product(*own)]


def wanted(tree: ol.Tree, rows: Sequence[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What the tree itself says; NaN in place of None, where that is a value."""
    nan = {f.name for f in tree.space.features if f.nan}
    rows = [{k: np.nan if v is None and k in nan else v for k, v in row.items()} for row in rows]
    if tree.task == "regression":
        return [*zip(*(ends.tolist() for ends in tree.predict_interval(rows)[:2]), strict=True)]
    return [tuple(sorted(own)) for own in tree.possible(rows)]


def engine_says(tree: ol.Tree, content: bytes, rows: Sequence[dict[str, Any]]) -> list[Any]:
    said = run(content, tree.space, rows)
    if tree.task == "regression":
        certain = (said["lower"] == said["upper"]).tolist()
        assert said["certain"].tolist() == certain
        ends = zip(said["lower"].tolist(), said["upper"].tolist(), strict=True)
        return [own if own[0] <= own[1] else () for own in ends]
    assert said["certain"].tolist() == (said["possible"].sum(axis=1) == 1).tolist()
    return [tuple(sorted(tree.classes[k] for k in np.flatnonzero(row))) for row in said["possible"]]


def places(model: Any) -> list[tuple[str, Any]]:
    """The constants of the part that is about unknown values, by the operator that takes them."""
    own = {one.name: one for one in model.graph.initializer}
    out = []
    for node in model.graph.node:
        for name in node.input:
            if name not in own:
                continue
            array = onnx.numpy_helper.to_array(own[name])
            if (node.op_type in ("Gather", "MatMul", "Greater") and array.ndim == 2) or (
                node.op_type == "Where" and array.dtype == np.int64
            ):
                out.append((node.op_type, own[name]))
    return out


def damaged(content: bytes, rng: np.random.Generator) -> tuple[str, bytes]:
    """Change one entry of a mask, of the leaves' classes, a boundary, or the bin of NaN."""
    model = onnx.load_from_string(content)
    own = places(model)
    kinds = sorted({kind for kind, _ in own})
    kind = "Gather" if rng.random() < 0.5 else kinds[rng.integers(len(kinds))]
    some = [tensor for k, tensor in own if k == kind]
    tensor = some[rng.integers(len(some))]
    array = onnx.numpy_helper.to_array(tensor).copy()
    at = tuple(int(rng.integers(n)) for n in array.shape)
    if kind == "Where":
        array = np.array(rng.integers(array + 1))
    elif kind == "Greater":
        array[at] = rng.choice(MOVED)
    else:
        array[at] = 1 - array[at] if kind == "MatMul" else not array[at]
    tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    return kind, model.SerializeToString()


@pytest.mark.parametrize("seed", range(30))
def test_exports_are_proven(seed: int) -> None:
    rng = np.random.default_rng(seed)
    space = random_space(rng, int(rng.integers(1, 7)), nan=bool(rng.integers(2)))
    if seed % 3 == 0:
        space = ol.Space([feature for feature in space.features if feature.ordered])
    classes = (("no", "yes", "maybe"), (0, 1, 2), (0.5, 1.5, 2.5), (False, True))[seed % 4]
    tree = random_tree(rng, space, depth=int(rng.integers(0, 6)), classes=classes)
    if classes[0] == 0.5:
        tree = tree.replace(task="regression", distribution=None)
    found = ol.check_export(tree, tree.to_onnx())
    assert found
    assert RIGHT in str(found)
    assert found.result == "answer"
    if seed % 3 == 0:
        assert RIGHT in str(ol.check_export(tree, tree.to_onnx(floats="float32"), floats="float32"))


def test_damaged_graphs_are_found() -> None:
    """Each is found, with a row; or onnxruntime gives every row of the grid what the tree does."""
    count = {"found": 0, "same": 0}
    for seed in range(150):
        rng = np.random.default_rng(seed)
        classes = ("r", "s", "t") if seed % 3 else (0.25, 1.0, 2.0, 4.5)
        tree = small_tree(rng, text=seed % 2 == 0, classes=classes)
        if classes[0] == 0.25:
            tree = tree.replace(task="regression", distribution=None)
        _, content = damaged(tree.to_onnx(), rng)
        rows = grid(tree)
        want, said = wanted(tree, rows), engine_says(tree, content, rows)
        found = ol.check_export(tree, content)
        if want == said:
            assert found, (seed, str(found))
            assert RIGHT in str(found)
            count["same"] += 1
            continue
        count["found"] += 1
        assert not found, seed
        assert found.row is not None
        assert found.result in ("possible", "lower", "upper")
        assert wanted(tree, [found.row]) == [_ordered(tree, found.source)]
        assert engine_says(tree, content, [found.row]) == [_ordered(tree, found.artifact)]
        assert found.engine.startswith("onnxruntime ")
        assert found.engine_answer == found.artifact != found.source
        assert f"Different in the result '{found.result}': with " in str(found)
        assert "the artifact decides this row differently" in str(found)
        assert found.to_dict()["artifact"] == list(found.artifact)  # type: ignore[arg-type]
    assert min(count.values()) > 20, count


def _ordered(tree: ol.Tree, answers: Any) -> tuple[Any, ...]:
    return tuple(answers) if tree.task == "regression" else tuple(sorted(answers))


def pair() -> ol.Tree:
    inner = {"feature": "b", "relation": "<=", "reference": 20.0, "true": {"prediction": "no"},
             "false": {"prediction": "yes"}}  # fmt: skip
    return ol.read(
        {"feature": "a", "relation": "<=", "reference": 25.0, "true": {"prediction": "no"},
         "false": inner}, feature_names=["a", "b"],
    )  # fmt: skip


def test_one_bit_of_a_mask() -> None:
    """The unknown a no longer reaches the leaf "yes": complete rows do not show it."""
    tree = pair()
    model = onnx.load_from_string(tree.to_onnx())
    mask = next(tensor for kind, tensor in places(model) if kind == "Gather")  # of a
    array = onnx.numpy_helper.to_array(mask).copy()
    (leaf,) = np.flatnonzero(
        tree.nodes.leaf_class[tree.nodes.feature < 0] == tree.classes.index("yes")
    )
    assert array[-1, leaf]
    array[-1, leaf] = False
    mask.CopyFrom(onnx.numpy_helper.from_array(array, mask.name))
    found = ol.check_export(tree, model)
    assert found.row is not None
    assert found.row["a"] is None
    assert found.row["b"] > 20
    assert (found.source, found.artifact) == (("no", "yes"), ("no",))
    assert found.engine_answer == ("no",)
    complete = ol.check_export(tree, model, missing=False)
    assert complete
    assert "are right for complete rows" in str(complete)


def test_a_source_with_other_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """The boxes are not the same ones, but cover the same rows."""
    inner = {"feature": "a", "relation": "<=", "reference": 25.0, "true": {"prediction": "no"},
             "false": {"prediction": "yes"}}  # fmt: skip
    mirror = ol.read(
        {"feature": "b", "relation": "<=", "reference": 20.0, "true": {"prediction": "no"},
         "false": inner}, feature_names=["a", "b"],
    )  # fmt: skip
    assert RIGHT in str(ol.check_export(mirror, pair().to_onnx()))
    assert RIGHT in str(ol.check_export(as_ensemble(mirror), pair().to_onnx()))
    monkeypatch.setattr(unknowns, "MOST_STEPS", 2)
    found = ol.check_export(mirror, pair().to_onnx())
    assert "were not compared: that would take too long" in str(found)


@pytest.mark.parametrize("labels", [("", "b"), ("", "(unknown)", "c"), (1, 2, 7)])
def test_categories_that_look_unknown(labels: tuple[Any, ...]) -> None:
    """Where "" is a category, "(unknown)" is unknown; where that is one as well, nothing is."""
    space = ol.Space([ol.Feature("t", "categorical", categories=labels), ol.Feature("x")])
    inner = {"feature": "x", "relation": "<=", "reference": 1.0, "true": {"prediction": 0},
             "false": {"prediction": 1}}  # fmt: skip
    tree = ol.read({"feature": "t", "relation": "in", "reference": [labels[0]], "true": inner,
                         "false": {"prediction": 2}}, space=space)  # fmt: skip
    assert RIGHT in str(ol.check_export(tree, tree.to_onnx()))
    model = onnx.load_from_string(tree.to_onnx())
    mask = next(tensor for kind, tensor in places(model) if kind == "Gather")
    array = onnx.numpy_helper.to_array(mask).copy()
    array[-1] = False
    mask.CopyFrom(onnx.numpy_helper.from_array(array, mask.name))
    found = ol.check_export(tree, model)
    if "(unknown)" in labels:
        assert found
        return
    assert found.row is not None
    assert found.row["t"] is None
    assert found.artifact == found.engine_answer == ()
    assert "the artifact nothing" in str(found)


def test_numbers_that_are_near_enough() -> None:
    """The numbers of the artifact stand for the source's, which they only come near."""
    tree = pair().replace(classes=(1.0, 2.0), task="regression", distribution=None)
    near = tree.replace(classes=(1.0, 2.0 + 1e-9))
    assert not ol.check_export(tree, near.to_onnx())
    found = ol.check_export(tree, near.to_onnx(), tolerance=5.0)
    assert found
    assert RIGHT in str(found)


@pytest.mark.parametrize("changed", ["keys_strings", "values_floats"])
def test_another_text_for_unknown_is_not_compared(changed: str) -> None:
    """Where another text, or a category as well, stands for unknown."""
    tree = small_tree(np.random.default_rng(2), text=True, classes=("r", "s", "t"))
    assert "t" in tree.features
    model = onnx.load_from_string(tree.to_onnx())
    (node,) = [node for node in model.graph.node if node.op_type == "LabelEncoder"]
    (own,) = [one for one in node.attribute if one.name == changed]
    if changed == "keys_strings":
        assert own.strings[3] == b""
        own.strings[3] = b"gone"
    else:
        own.floats[2] = np.nan
    assert RIGHT not in str(ol.check_export(tree, model))


def test_another_shape_is_not_compared() -> None:
    tree = pair()
    model = onnx.load_from_string(tree.to_onnx())
    (node,) = [node for node in model.graph.node if node.op_type == "MatMul"]
    node.op_type = "Gemm"
    found = ol.check_export(tree, model)
    assert found
    assert "'certain' and 'possible' were not compared: they are not made as" in str(found)


def test_a_bin_that_is_not_there_is_not_compared() -> None:
    """onnxruntime stops with an error at such a row."""
    tree = pair()
    model = onnx.load_from_string(tree.to_onnx())
    gap = next(tensor for kind, tensor in places(model) if kind == "Where")
    gap.CopyFrom(onnx.numpy_helper.from_array(np.array(99), gap.name))
    assert "were not compared" in str(ol.check_export(tree, model))


def test_facts_are_not_in_the_graph() -> None:
    tree = pair()
    known = tree.with_space(tree.space.with_facts(["a <= b"]))
    with pytest.warns(UserWarning, match="writes nothing of the facts"):
        content = known.to_onnx()
    assert "they know nothing of the facts of the source" in str(ol.check_export(known, content))
