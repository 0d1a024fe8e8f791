"""Exports that are proven, and exports that are not: the row, and what the engine says of it."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import orderless as ol
from orderless.connect import ExportCheck
from orderless.connect.exported.jpmml import ask_jpmml
from orderless.errors import InvalidParameter

pytest.importorskip("onnx", reason="comes with the extra orderless[onnx]")
pytest.importorskip("onnxruntime", reason="the engine that is asked")
skl2onnx = pytest.importorskip("skl2onnx", reason="converts scikit-learn's models")

RNG = np.random.default_rng(3)
X = RNG.normal(size=(300, 3))
GAPS = np.where(RNG.random(X.shape) < 0.15, np.nan, X)
y = (X[:, 0] * X[:, 1] > 0).astype(int)


def converted(model: Any) -> bytes:
    content: bytes = skl2onnx.to_onnx(model, X[:1].astype(np.float32)).SerializeToString()
    return content


def confirmed(found: ExportCheck, model: Any) -> None:
    """The row separates the two, and both engines say what was read."""
    assert not found
    assert found.row is not None
    assert found.source != found.artifact
    assert found.engine.startswith("onnxruntime ")
    assert found.engine_answer == found.artifact
    assert found.source_answer == found.source
    values = np.array([[np.nan if v is None else v for v in found.row.values()]])
    assert model.predict(values)[0] == found.source
    assert "report this" not in str(found)
    assert "differently from its source" in str(found)


def test_skl2onnx_loses_where_missing_values_go() -> None:
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(GAPS, y)
    found = ol.check_export(model, converted(model))
    confirmed(found, model)
    assert found.missing
    assert any(isinstance(v, float) and math.isnan(v) for v in found.row.values())
    complete = ol.check_export(model, converted(model), missing=False)
    assert complete
    assert not complete.missing
    assert str(complete).startswith("Proven: the artifact decides every row as its source (compl")
    assert ol.check_export(model, ol.read(model, nan="value").to_onnx())


def test_numbers_are_float32_and_by_how_much() -> None:
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, X[:, 0] * 100)
    found = ol.check_export(model, converted(model), missing=False)
    confirmed(found, model)
    largest = found.largest_difference
    own = np.unique(model.tree_.value[model.tree_.feature < 0].ravel())
    worst = np.abs(own.astype(np.float32).astype(np.float64) - own).max()
    assert largest is not None
    assert worst <= largest < worst * 4 + 1e-6
    near = ol.check_export(model, converted(model), missing=False, tolerance=1e-4)
    assert near
    assert "no number differs by more than" in str(near)
    assert ol.check_export(model, ol.read(model).to_onnx(), missing=False)


def test_float64_rows_against_float32_artifacts() -> None:
    """A model of float64 and an artifact that rounds rows: equal on float32 and not beyond."""
    split = {"feature": "a", "relation": "<=", "reference": 0.1, "true": {"prediction": 1},
             "false": {"prediction": 0}}  # fmt: skip
    tree = ol.read(split, feature_names=["a"])
    single = tree.to_onnx(floats="float32")
    assert ol.check_export(tree, single, floats="float32")
    found = ol.check_export(tree, single)
    assert not found
    assert found.row is not None
    value = found.row["a"]
    assert value != float(np.float32(value))
    assert (value <= 0.1) != (np.float32(value) <= np.nextafter(np.float32(0.1), np.float32(0)))
    assert found.engine_answer == found.artifact
    assert ol.check_export(tree, tree.to_onnx())


def test_a_forest_is_compared_by_its_sums() -> None:
    model = RandomForestClassifier(4, max_depth=3, random_state=0).fit(X, y)
    found = ol.check_export(model, converted(model), missing=False, time_limit=20)
    assert found
    assert "Sums are compared without rounding" in str(found)
    numbers = RandomForestRegressor(2, max_depth=2, random_state=0).fit(X, X[:, 0])
    confirmed(ol.check_export(numbers, converted(numbers), missing=False), numbers)


def test_labels_that_catboost_and_onnxruntime_lose(tmp_path: Path) -> None:
    catboost = pytest.importorskip("catboost")
    model = catboost.CatBoostClassifier(iterations=3, depth=2, verbose=0, allow_writing_files=False)
    model.fit(X, y + 1)
    model.save_model(str(tmp_path / "m.onnx"), format="onnx")
    found = ol.check_export(model, tmp_path / "m.onnx")
    assert not found
    assert found.engine_answer == found.artifact
    assert found.source_answer == found.source
    assert {found.source, found.artifact} <= {0, 1, 2}


def test_the_result_prints_and_becomes_data() -> None:
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(GAPS, y)
    found = ol.check_export(model, converted(model))
    content = found.to_dict()
    assert content["proven"] is False
    assert content["engine_answer"] == content["artifact"]
    assert None in content["row"].values()
    assert "<p>Different" in found._repr_html_()
    assert repr(found) == "ExportCheck(different)"


def test_bad_parameters() -> None:
    tree = ol.read({"prediction": 1}, feature_names=["a"])
    with pytest.raises(InvalidParameter, match="floats must be 'float64' or 'float32'"):
        ol.check_export(tree, tree, floats="half")  # type: ignore[arg-type]
    with pytest.raises(InvalidParameter, match="tolerance must be a number of at least 0"):
        ol.check_export(tree, tree, tolerance=-1)


def test_pmml_that_leaves_rows_with_gaps_open_is_compared_on_complete_rows():
    split = {"feature": "age", "relation": "<=", "reference": 40, "true": {"prediction": "no"},
             "false": {"prediction": "yes"}}  # fmt: skip
    tree = ol.read({"feature": "ill", "true": split, "false": {"prediction": "no"}},
                        space=ol.Space({"age": float, "ill": bool}))  # fmt: skip
    for text in (tree.to_pmml(), tree.to_pmml(complete=True)):
        found = ol.check_export(tree, text)
        assert found
        assert not found.missing
        assert "complete rows were compared" in " ".join(found.notes)


SPLIT = {"feature": "age", "relation": "<=", "reference": 40, "true": {"prediction": "no"},
         "false": {"prediction": "yes"}}  # fmt: skip


def test_pmml_whose_engine_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    tree = ol.read(SPLIT, feature_names=["age"])
    other = ol.read({**SPLIT, "reference": 41}, feature_names=["age"]).to_pmml()
    monkeypatch.setattr("shutil.which", lambda _: None)
    found = ol.check_export(tree, other)
    assert not found
    assert found.engine_answer is None
    assert "was not asked (not run: Java is not installed)" in str(found)


@pytest.mark.engine
def test_jpmml_is_asked_about_the_row(tmp_path: Path) -> None:
    pytest.importorskip("jpmml_evaluator", reason="JPMML's evaluator is not installed")
    tree = ol.read(SPLIT, feature_names=["age"])
    path = tmp_path / "model.pmml"
    path.write_text(ol.read({**SPLIT, "reference": 41}, feature_names=["age"]).to_pmml())
    found = ol.check_export(tree, path)
    assert found.engine.startswith("jpmml_evaluator ")
    assert found.engine_answer == found.artifact == "no"
    assert "the artifact decides this row differently" in str(found)
    with pytest.raises(RuntimeError, match="defaultScore"):  # no rule fires
        ask_jpmml(path.read_text(), {"age": None})


def test_extra_results_of_onnx_are_compared_and_named() -> None:
    tree = ol.read(SPLIT, feature_names=["age"])
    assert "'certain' and 'possible' were compared, too" in str(
        ol.check_export(tree, tree.to_onnx())
    )
    plain = ol.check_export(tree, tree.to_onnx(unknowns=False))
    assert "'certain'" not in str(plain)
