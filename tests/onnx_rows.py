"""Rows as models of ONNX take them, and onnxruntime, which runs these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import orderless as ol


def session(content: bytes) -> Any:
    """Open a model for one thread, in which sums have one order."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(content, options)


def run(content: bytes, space: ol.Space, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Put rows, dicts by feature, through a model that we wrote; None is unknown."""
    open_model = session(content)
    kinds = {one.name: one.type for one in open_model.get_inputs()}
    if list(kinds) == ["X"] and "X" not in space.names:
        X = np.array([[_number(row[name]) for name in space.names] for row in rows])
        given = {"X": X.astype(np.float32 if "float" in kinds["X"] else np.float64)}
    else:
        given = {name: _column(space[name], kinds[name], rows) for name in space.names}
    names = [one.name for one in open_model.get_outputs()]
    return dict(zip(names, open_model.run(None, given), strict=True))


def _number(value: Any) -> float:
    return np.nan if value is None else float(value)


def _column(feature: ol.Feature, kind: str, rows: Sequence[Mapping[str, Any]]) -> np.ndarray:
    values = [row[feature.name] for row in rows]
    if kind == "tensor(string)":
        unknown = "(unknown)" if "" in feature.categories else ""
        texts = [unknown if v is None or v != v else str(v) for v in values]
        return np.array(texts, dtype=object)[:, None]
    own = np.float32 if kind == "tensor(float)" else np.float64
    return np.array([_number(v) for v in values]).astype(own)[:, None]
