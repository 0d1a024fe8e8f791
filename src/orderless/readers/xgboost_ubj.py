"""XGBoost's binary model files: the same as its JSON, as UBJSON.

In:  the bytes that ``save_model("model.ubj")`` writes, and ``save_raw()``.
Out: the text that ``save_model("model.json")`` would have written.

Read without XGBoost's loader, which believes the counts that it finds there.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from .checks import damaged

__all__ = ["as_json", "knows_ubj"]

# The types of numbers, all big-endian.
NUMBERS = {
    b"i": ">i1", b"U": ">u1", b"I": ">i2", b"l": ">i4", b"L": ">i8", b"d": ">f4", b"D": ">f8",
}  # fmt: skip
WORDS = {b"T": True, b"F": False, b"Z": None}
MOST_DEPTH = 200


def knows_ubj(content: bytes) -> bool:
    """Whether bytes are a binary model file of XGBoost."""
    return content[:1] == b"{" and content[1:2] in NUMBERS and b"learner" in content[:64]


def as_json(content: bytes) -> str:
    """Write a binary model file as JSON."""
    with damaged("XGBoost", save="booster.save_model('model.json')"):
        return json.dumps(_Reader(content).value(0))


class _Reader:
    """Goes through the bytes once; a count is believed only as far as there are bytes."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def value(self, depth: int) -> Any:
        return self._of_kind(self._take(1), depth)

    def _of_kind(self, kind: bytes, depth: int) -> Any:
        if depth > MOST_DEPTH:
            raise ValueError(f"values are nested more than {MOST_DEPTH} deep")
        if kind in NUMBERS:
            return self._numbers(kind, 1)[0]
        if kind in WORDS:
            return WORDS[kind]
        if kind == b"S":
            return self._text()
        if kind == b"[":
            return self._list(depth)
        if kind == b"{":
            return self._object(depth)
        raise ValueError(f"a value has the type {kind!r}")

    def _object(self, depth: int) -> dict[str, Any]:
        out = {}
        while self._next() != b"}":
            key = self._text()
            out[key] = self.value(depth + 1)
        self._at += 1
        return out

    def _list(self, depth: int) -> list[Any]:
        kind = b""
        if self._next() == b"$":
            self._at += 1
            kind = self._take(1)
        if self._next() == b"#":
            self._at += 1
            count = self._count()
            if kind in NUMBERS:
                return self._numbers(kind, count)
            if kind:
                raise ValueError(f"a list has elements of the type {kind!r}")
            return [self.value(depth + 1) for _ in range(count)]
        out = []
        while self._next() != b"]":
            out.append(self.value(depth + 1))
        self._at += 1
        return out

    def _text(self) -> str:
        return self._take(self._count()).decode("utf-8")

    def _count(self) -> int:
        count = self._of_kind(self._take(1), 0)
        if type(count) is not int or count < 0:
            raise ValueError(f"a count is {count!r:.40}")
        return count

    def _numbers(self, kind: bytes, count: int) -> list[Any]:
        numbers = np.dtype(NUMBERS[kind])
        part = self._take(count * numbers.itemsize)
        out: list[Any] = np.frombuffer(part, dtype=numbers).tolist()
        return out

    def _next(self) -> bytes:
        if self._at >= len(self._content):
            raise ValueError("the file ends too early")
        return self._content[self._at : self._at + 1]

    def _take(self, count: int) -> bytes:
        end = self._at + count
        if end > len(self._content):
            raise ValueError(f"the file ends {end - len(self._content)} bytes too early")
        part = self._content[self._at : end]
        self._at = end
        return part
