"""Folders for commands to work in."""

import pytest
from commands import patients
from showcase import hostile, iris, mixed, mixed_rows

import orderless as ol


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def here(folder):
    patients(folder)
    return folder


@pytest.fixture(scope="module")
def wisconsin():
    return ol.datasets.load("wisconsin")


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    (folder / "mixed.json").write_text(mixed().tree.to_json(), encoding="utf-8")
    (folder / "smallest.json").write_text(mixed().tree.minimize().to_json(), encoding="utf-8")
    (folder / "form.json").write_text(mixed().to_json(), encoding="utf-8")
    (folder / "hostile.json").write_text(hostile().tree.to_json(), encoding="utf-8")
    form, X, y = iris()
    (folder / "iris.json").write_text(form.tree.to_json(), encoding="utf-8")
    X.assign(species=y).to_csv(folder / "iris.csv", index=False)
    rows, labels = mixed_rows()
    lines = ["age,lab value,smoker,color,risk"]
    for row, label in zip(rows, labels, strict=True):
        lines.append(",".join("" if v is None else str(v) for v in [*row.values(), label]))
    (folder / "mixed.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    other = ol.read(
        {"feature": "age", "relation": "<=", "reference": 30, "true": {"prediction": "low"},
         "false": {"prediction": "high"}}, space=mixed().space)  # fmt: skip
    (folder / "other.json").write_text(other.to_json(), encoding="utf-8")
    return folder
