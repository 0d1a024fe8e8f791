"""JPMML, which needs a JVM: rows through a PMML file as others run it.

The JVM is a process of its own. In ours, it crashed beside other engines.
"""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

__all__ = ["run_jpmml"]


@cache
def _backend() -> Any:
    """Start a JVM that ends with us."""
    from jpmml_evaluator import _classpath
    from jpmml_evaluator.py4j import JavaGateway, Py4JBackend

    jars = os.pathsep.join(_classpath([]))
    return Py4JBackend(JavaGateway.launch_gateway(classpath=jars, die_on_exit=True))


def run_jpmml(text: str, rows: Any, target: str = "prediction") -> list[Any]:
    """Give what JPMML says of each row, None where it says nothing or reports an error."""
    jpmml = pytest.importorskip("jpmml_evaluator", reason="JPMML's evaluator is not installed")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pmml"
        path.write_text(text, encoding="utf-8")
        evaluator = jpmml.make_evaluator(str(path), backend=_backend())
    evaluator.verify()
    frame = rows if isinstance(rows, pd.DataFrame) else pd.DataFrame(rows).astype(object)
    out = evaluator.evaluateAll(frame.where(frame.notna(), None))
    said = out[target].tolist() if target in out else [None] * len(frame)
    return [None if isinstance(s, float) and np.isnan(s) else s for s in said]
