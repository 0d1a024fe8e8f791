"""Sums of trees in ONNX, as converters write them: every answer and number is onnxruntime's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import (
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

import orderless as ol
from orderless.errors import UnreadableModel

onnx = pytest.importorskip("onnx", reason="comes with the extra orderless[onnx]")
pytest.importorskip("onnxruntime", reason="what is read is compared with onnxruntime")
from onnx_rows import session  # noqa: E402

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4)).astype(np.float32)
X[:, 3] = np.round(X[:, 3] * 2) / 2
GAPS = np.where(RNG.random(X.shape) < 0.1, np.nan, X)
TWO = (X[:, 0] * X[:, 1] + X[:, 3] > 0).astype(int)
THREE = np.digitize(X[:, 0] + X[:, 2] * X[:, 1], [-0.5, 0.5])
NUMBERS = (X[:, 0] + X[:, 1] ** 2).astype(np.float64)


def rows_for(model: ol.Ensemble, n: int = 4000) -> np.ndarray:
    """Rows at the thresholds and beside them, infinite ones, and NaN."""
    out = X[RNG.integers(0, len(X), n)].copy()
    for j in range(X.shape[1]):
        cuts = np.concatenate(
            [tree.nodes.threshold[tree.nodes.feature == j] for tree in model.trees]
        )
        cuts = cuts[np.isfinite(cuts)].astype(np.float32)
        some = [cuts, np.nextafter(cuts, np.float32(9)), np.nextafter(cuts, np.float32(-9)),
                np.array([0, -0.0, np.inf, -np.inf, 1e38], dtype=np.float32)]  # fmt: skip
        at = RNG.random(n) < 0.5
        out[at, j] = RNG.choice(np.concatenate(some), at.sum())
    out[RNG.random(out.shape) < 0.08] = np.nan
    return out


def check(content: bytes) -> None:
    ensemble = ol.read(content, nan="value")
    rows = rows_for(ensemble)
    own = session(content)
    first = own.get_outputs()[0].name
    said = np.asarray(own.run([first], {own.get_inputs()[0].name: rows})[0]).ravel()
    mine = ensemble.predict(rows)
    assert not np.ma.getmaskarray(mine).any()
    assert np.array_equal(np.asarray(mine.data).astype(said.dtype), said)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(7, max_depth=4, random_state=0).fit(X, TWO),
        RandomForestClassifier(9, max_depth=4, random_state=0).fit(X, np.array(list("abc"))[THREE]),
        RandomForestRegressor(9, max_depth=4, random_state=0).fit(X, NUMBERS),
        GradientBoostingClassifier(n_estimators=9, random_state=0).fit(X, TWO),
        GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, THREE),
        GradientBoostingRegressor(n_estimators=9, random_state=0).fit(X, NUMBERS),
    ],
    ids=lambda model: type(model).__name__,
)
def test_skl2onnx(model: Any) -> None:
    converters = pytest.importorskip("skl2onnx", reason="converts scikit-learn's models")
    content = converters.to_onnx(model, X[:1])
    check(content.SerializeToString())


@pytest.mark.parametrize("kind", ["two", "three", "number"])
@pytest.mark.parametrize("library", ["xgboost", "lightgbm"])
def test_onnxmltools(library: str, kind: str) -> None:
    own = pytest.importorskip(library)
    tools = pytest.importorskip("onnxmltools", reason="converts boosted trees")
    types = pytest.importorskip("onnxmltools.convert.common.data_types")
    names = {"xgboost": ("XGBClassifier", "XGBRegressor"),
             "lightgbm": ("LGBMClassifier", "LGBMRegressor")}[library]  # fmt: skip
    quiet = {"verbose": -1} if library == "lightgbm" else {}
    model = getattr(own, names[kind == "number"])(n_estimators=8, max_depth=3, **quiet)
    model.fit(GAPS, {"two": TWO, "three": THREE, "number": NUMBERS}[kind])
    initial = [("X", types.FloatTensorType([None, 4]))]
    convert = getattr(tools, f"convert_{library}")
    check(convert(model, initial_types=initial).SerializeToString())


@pytest.mark.parametrize("kind", ["two", "three", "number"])
def test_catboost(kind: str, tmp_path: Any) -> None:
    catboost = pytest.importorskip("catboost")
    estimator = catboost.CatBoostRegressor if kind == "number" else catboost.CatBoostClassifier
    model = estimator(iterations=6, depth=3, verbose=0, allow_writing_files=False)
    model.fit(GAPS, {"two": TWO, "three": THREE, "number": NUMBERS}[kind])
    model.save_model(str(tmp_path / "m.onnx"), format="onnx")
    check((tmp_path / "m.onnx").read_bytes())


def test_one_tree_is_asked_for_and_several_are_there() -> None:
    converters = pytest.importorskip("skl2onnx", reason="converts scikit-learn's models")
    model = RandomForestClassifier(3, max_depth=2, random_state=0).fit(X, TWO)
    with pytest.raises(UnreadableModel, match="adds up 3 trees"):
        ol.read_many([converters.to_onnx(model, X[:1])])


def test_an_average_with_a_base_is_refused() -> None:
    made = onnx.load_from_string(ol.read({"prediction": 1}, feature_names=["a"]).to_onnx())
    node = made.graph.node[0]
    assert node.op_type == "TreeEnsembleRegressor"
    node.attribute.append(onnx.helper.make_attribute("aggregate_function", "MAX"))
    assert ol.read(made).classes == (1,)  # of one tree it is the same
    for attribute in list(node.attribute):
        if attribute.name == "n_targets":
            attribute.i = 2**40
    with pytest.raises(UnreadableModel, match="targets or classes"):
        ol.read(made)
