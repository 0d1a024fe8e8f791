"""``orderless compare --export`` and ``orderless export --format onnx``: files and exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from commands import run
from sklearn.tree import DecisionTreeClassifier

import orderless as ol

pytest.importorskip("onnx", reason="comes with the extra orderless[onnx]")
pytest.importorskip("onnxruntime", reason="the engine that is asked")

RNG = np.random.default_rng(4)
X = RNG.normal(size=(200, 2))
TREE = ol.read(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, X[:, 0] > X[:, 1]))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(TREE.to_json(), encoding="utf-8")
    return path


def test_an_export_is_written_and_proven(model: Path, tmp_path: Path) -> None:
    artifact = tmp_path / "model.onnx"
    assert run("export", model, "--output", artifact).exit_code == 0
    done = run("compare", "--export", model, artifact)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("Proven: ")
    assert ol.equivalent(ol.read(artifact), TREE)


def test_a_difference_has_code_4(model: Path, tmp_path: Path) -> None:
    artifact = tmp_path / "model.onnx"
    other = ol.read(DecisionTreeClassifier(max_depth=2).fit(X, X[:, 0] > X[:, 1]))
    artifact.write_bytes(other.to_onnx())
    done = run("compare", "--export", model, artifact, "--format", "json")
    assert done.exit_code == 4
    found = json.loads(done.stdout)
    assert found["engine_answer"] == found["artifact"] != found["source"]


def test_what_is_no_text_needs_a_file(model: Path) -> None:
    done = run("export", model, "--format", "onnx")
    assert done.exit_code == 2
    assert "give a file to write it to" in done.stderr
