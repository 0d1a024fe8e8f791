"""The reader in docs/contributing/a-new-reader.md, on a library that is made up here."""

from __future__ import annotations

import importlib.util
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd
import pytest

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel
from orderless.readers import dispatch

PAGE = Path(__file__).parents[2] / "docs" / "contributing" / "a-new-reader.md"
CITIES = ["Bonn", "Kyoto", "Lima"]


@dataclass
class Node:
    """A node of Oakwood's: a test, or the shares of classes at a leaf."""

    shares: list[float] | None = None
    column: int = -1
    threshold: float = 0.0
    labels: list[str] | None = None
    nan_left: bool = False
    left: Any = None
    right: Any = None

    def of(self, row: Any) -> list[float]:
        """What Oakwood itself says of a row."""
        if self.shares is not None:
            return self.shares
        value = row[self.column]
        missing = value is None or value != value
        holds = value in self.labels if self.labels is not None else value < self.threshold
        goes_left = self.nan_left if missing else holds
        return (self.left if goes_left else self.right).of(row)


class OakModel:
    """The base of Oakwood's models."""


class OakClassifier(OakModel):
    def predict(self, rows: Any) -> list[str]:
        sums = [np.sum([root.of(row) for root in self.roots_], axis=0) for row in rows]
        return [self.classes_[int(np.argmax(one / len(self.roots_)))] for one in sums]


def grown(rng: Any, depth: int) -> Node:
    if depth == 0 or rng.random() < 0.1:
        share = float(rng.integers(0, 9)) / 8
        return Node([share, 1 - share])
    below = {"left": grown(rng, depth - 1), "right": grown(rng, depth - 1)}
    column, nan_left = int(rng.integers(3)), bool(rng.integers(2))
    if column == 2:
        labels = [city for city in CITIES if rng.random() < 0.5]
        return Node(None, column, 0.0, labels, nan_left, **below)
    return Node(None, column, float(np.round(rng.normal(), 1)), None, nan_left, **below)


@pytest.fixture(autouse=True)
def oakwood(monkeypatch, tmp_path):
    library = ModuleType("oakwood")
    library.OakClassifier, library.OakModel = OakClassifier, OakModel
    monkeypatch.setitem(sys.modules, "oakwood", library)
    (code,) = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "oakwood.py").write_text(code, encoding="utf-8")
    name = "orderless.readers.oakwood"
    spec = importlib.util.spec_from_file_location(name, tmp_path / "oakwood.py")
    reader = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reader)
    monkeypatch.setitem(sys.modules, name, reader)
    monkeypatch.setattr(dispatch, "READERS", (*dispatch.READERS, "oakwood"))


def fitted(rng: Any, n_trees: int) -> OakClassifier:
    model = OakClassifier()
    model.n_columns_, model.names_, model.classes_ = 3, ["age", "dose", "city"], ["no", "yes"]
    model.categories_ = {2: CITIES}
    model.roots_ = [grown(rng, 4) for _ in range(n_trees)]
    return model


def rows_of(rng: Any, n: int) -> list[list[Any]]:
    """Numbers at thresholds and beside them, cities that are not listed, gaps."""
    numbers = np.round(rng.normal(size=(n, 2)), 1)
    moved = np.nextafter(numbers, rng.choice([-np.inf, np.inf], size=numbers.shape))
    numbers = np.where(rng.random(numbers.shape) < 0.5, numbers, moved)
    numbers[rng.random(numbers.shape) < 0.1] = np.nan
    cities = rng.choice([*CITIES, "Oslo", None], size=n)
    return [[*pair, city] for pair, city in zip(numbers.tolist(), cities, strict=True)]


@pytest.mark.parametrize("n_trees", [1, 3])
def test_the_reader_of_the_page_predicts_as_its_library(n_trees):
    rng = np.random.default_rng(n_trees)
    for _ in range(20):
        model = fitted(rng, n_trees)
        read = ol.read(model, nan="value")
        assert isinstance(read, ol.Tree if n_trees == 1 else ol.Ensemble)
        rows = rows_of(rng, 200)
        table = pd.DataFrame(rows, columns=model.names_)
        assert list(read.predict(table)) == model.predict(rows)


def test_the_builder_refuses_what_is_damaged():
    model = fitted(np.random.default_rng(0), 1)
    loop = Node(None, 0, 1.0, left=Node([0.0, 1.0]))
    loop.right = loop
    for root, message in (
        (loop, "cycle"),
        (Node(None, 7, 1.0, left=Node([0.0, 1.0]), right=Node([1.0, 0.0])), "column 7"),
        (Node(None, 0, np.nan, left=Node([0.0, 1.0]), right=Node([1.0, 0.0])), "not a number"),
    ):
        model.roots_ = [root]
        with pytest.raises(InvalidTree, match=message):
            ol.read(model)
    with pytest.raises(UnreadableModel, match="not fitted"):
        ol.read(OakClassifier())
    with pytest.raises(UnreadableModel, match="does not predict classes"):
        ol.read(OakModel())
