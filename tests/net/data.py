"""Cases and answers on disk: a gzipped file of JSON lines per group."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
INPUTS, ANSWERS = FOLDER / "inputs", FOLDER / "answers"


def read(path: Path) -> list[Any]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write(path: Path, lines: list[Any]) -> None:
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))  # the same lines, the same bytes


def groups() -> list[str]:
    return sorted(path.name.removesuffix(".jsonl.gz") for path in INPUTS.glob("*.jsonl.gz"))


def cases(group: str) -> list[Any]:
    return read(INPUTS / f"{group}.jsonl.gz")


def answers(group: str) -> list[Any]:
    return read(ANSWERS / f"{group}.jsonl.gz")
