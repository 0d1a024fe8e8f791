"""JPMML, asked about one row of a PMML file, in processes of its own.

In:  on standard input, JSON with the path of a file (``path``) and a row by column (``row``).
Out: on standard output, JSON: ``answer``, None where JPMML gives none.

Run as a program, so that neither the JVM nor its bridge lives in the process of the person who
asks, and a limit on time ends both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["ask_jpmml"]

SECONDS = 120
MEMORY = "-Xmx1g"


def ask_jpmml(text: str, row: Mapping[str, Any]) -> Any:
    """Give what JPMML says of a row; RuntimeError if it says nothing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.pmml"
        path.write_text(text, encoding="utf-8")
        given = json.dumps({"path": str(path), "row": {k: _plain(v) for k, v in row.items()}})
        done = subprocess.run(
            [sys.executable, __file__], input=given, capture_output=True, encoding="utf-8",
            timeout=SECONDS, check=False,
        )  # fmt: skip
    if done.returncode:
        raise RuntimeError((done.stderr.strip().splitlines() or ["it ended without a word"])[-1])
    answer = json.loads(done.stdout)["answer"]
    if answer is None:
        raise RuntimeError("it gives this row no answer")
    return answer


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    return None if value != value else value


def _main() -> None:
    from jpmml_evaluator import _classpath, make_evaluator
    from jpmml_evaluator.py4j import JavaGateway, Py4JBackend

    given = json.loads(sys.stdin.read())
    jars = os.pathsep.join(_classpath([]))
    gateway = JavaGateway.launch_gateway(classpath=jars, javaopts=[MEMORY], die_on_exit=True)
    try:
        evaluator = make_evaluator(given["path"], backend=Py4JBackend(gateway))
        results = evaluator.evaluate(given["row"])
        targets = [field.getName() for field in evaluator.getTargetFields()]
        name = next((name for name in targets if name in results), next(iter(results), None))
        answer = results.get(name)
    finally:
        gateway.shutdown()
    answer = answer.item() if hasattr(answer, "item") else answer
    sys.stdout.write(json.dumps({"answer": answer}))


if __name__ == "__main__":
    _main()
