"""The engines that run artifacts, asked about one row.

In:  an artifact, and a row by column.
Out: ``Run``: the engine's name and what it answers, or why it was not asked.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple

import numpy as np

from ...model import Label
from ...readers import is_xml
from .jpmml import ask_jpmml

__all__ = ["Run", "run_artifact", "run_results", "run_source"]

Columns = Mapping[str, Any]


class Run(NamedTuple):
    """What an engine answered."""

    engine: str
    answer: Label | tuple[Label, ...] | None
    why: str = ""  # it has no answer


def run_artifact(artifact: Any, row: Columns) -> Run:
    """Run an artifact in its own engine on one row; ``row`` has its columns, in order."""
    kind = type(artifact)
    name = f"{kind.__module__}.{kind.__name__}"
    if name.startswith("onnx.") and kind.__name__ == "ModelProto":
        return _asked("onnxruntime", lambda: _onnx(artifact, row)[0])
    if isinstance(artifact, str) and is_xml(artifact[:200].encode("utf-8", "replace")):
        if shutil.which("java") is None:
            return Run("JPMML", None, "not run: Java is not installed")
        return _asked("jpmml_evaluator", lambda: ask_jpmml(artifact, row))
    return run_source(artifact, row)


def run_results(artifact: Any, row: Columns, result: str, classes: tuple[Label, ...]) -> Run:
    """Let onnxruntime say which answers a row with gaps can get: classes, or the two ends."""
    names = ["possible"] if result == "possible" else ["lower", "upper"]

    def ask() -> tuple[Label, ...]:
        said = [np.asarray(one).ravel().tolist() for one in _onnx(artifact, row, names)]
        if result == "possible":
            return tuple(label for label, yes in zip(classes, said[0], strict=True) if yes)
        ends = tuple(one[0] for one in said)
        return ends if ends[0] <= ends[1] else ()

    return _asked("onnxruntime", ask)


def run_source(model: Any, row: Columns) -> Run:
    """Let a live model say what it makes of a row, if it has a ``predict``."""
    library = type(model).__module__.partition(".")[0]
    if library == "orderless" or library not in sys.modules or not hasattr(model, "predict"):
        return Run(library, None, "it is not a live model of a library")
    if library in ("xgboost", "lightgbm") and type(model).__name__ == "Booster":
        return Run(library, None, "a Booster gives no class")
    return _asked(library, lambda: _predicted(model, row))


def _asked(library: str, ask: Callable[[], Any]) -> Run:
    """Ask, and say why not if that fails: an engine may not be installed, or refuse the row."""
    try:
        import_module(library)
    except ModuleNotFoundError:
        return Run(library, None, f"not run: {library} is not installed")
    try:
        name = f"{library} {version({'sklearn': 'scikit-learn'}.get(library, library))}"
    except PackageNotFoundError:
        name = library
    try:
        said = ask()
        if isinstance(said, tuple):
            return Run(name, said)
        answer = np.asarray(said).ravel()[0]
    except Exception as fault:  # whatever a foreign engine raises
        return Run(name, None, f"{type(fault).__name__}: {fault!s:.120}")
    plain = answer.item() if isinstance(answer, np.generic) else answer
    return Run(name, plain.decode() if isinstance(plain, bytes) else plain)


def _predicted(model: Any, row: Columns) -> Any:
    names = getattr(model, "feature_names_in_", None)
    values = [np.nan if value is None else value for value in row.values()]
    if names is not None or any(isinstance(value, str) for value in values):
        import pandas as pd

        return model.predict(pd.DataFrame([values], columns=list(row)))
    return model.predict(np.array([values], dtype=np.float64))


TYPES = {
    "tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64,
    "tensor(int32)": np.int32, "tensor(bool)": np.bool_,
}  # fmt: skip


def _onnx(model: Any, row: Columns, names: list[str] | None = None) -> list[Any]:
    """Run one row, with one thread; without names the first output, which is the one we read."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    inputs = session.get_inputs()
    if len(inputs) == 1 and inputs[0].type in TYPES:
        values = [[np.nan if v is None else float(v) for v in row.values()]]
        given: dict[str, Any] = {inputs[0].name: np.array(values).astype(TYPES[inputs[0].type])}
    else:
        given = {one.name: _cell(one.type, row[one.name]) for one in inputs}
    out: list[Any] = session.run(names or [session.get_outputs()[0].name], given)
    return out


def _cell(kind: str, value: Any) -> Any:
    if kind == "tensor(string)":
        return np.array([["" if value is None or value != value else str(value)]], dtype=object)
    return np.array([[np.nan if value is None else float(value)]]).astype(TYPES[kind])
