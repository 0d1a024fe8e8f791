"""Checkpoints of treelite, read without its loader, which believes the counts that it finds.

In:  the bytes that ``treelite.Model.serialize`` writes (version 4).
Out: ``Checkpoint``, which ``parts`` takes apart: a header, and trees as arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableModel

__all__ = ["Checkpoint", "Header", "StoredTree", "knows_checkpoint"]

FLOATS: dict[int, np.dtype[Any]] = {2: np.dtype("<f4"), 3: np.dtype("<f8")}
TASKS = ("kBinaryClf", "kRegressor", "kMultiClf", "kLearningToRank", "kIsolationForest")
VERSION = 4


def knows_checkpoint(content: bytes) -> bool:
    """Whether bytes begin as a checkpoint of treelite 4 does: with its version, and two types.

    Examples
    --------
    >>> import struct
    >>> knows_checkpoint(struct.pack("<iiibbQ", 4, 4, 0, 2, 2, 1)), knows_checkpoint(b"{}")
    (True, False)
    """
    if len(content) < 22:
        return False
    major, minor, patch = np.frombuffer(content[:12], "<i4").tolist()
    return major == VERSION and 0 <= minor < 1000 and 0 <= patch < 1000 and content[12] in FLOATS


@dataclass(frozen=True)
class Header:
    """What a checkpoint says of the model."""

    thresholds: np.dtype[Any]
    leaves: np.dtype[Any]
    n_features: int
    task: str
    average: bool
    n_targets: int
    n_classes: list[int]
    shape: list[int]
    target_id: list[int]
    class_id: list[int]
    postprocessor: str
    sigmoid_alpha: float
    base_scores: NDArray[np.float64]


@dataclass(frozen=True)
class StoredTree:
    """The nodes of a tree; a leaf has -1 for its children."""

    kind: list[int]  # 0: leaf, 1: number, 2: category
    left: list[int]
    right: list[int]
    column: list[int]
    default_left: list[bool]
    leaf: NDArray[np.float64]
    threshold: NDArray[np.float64]
    relation: list[int]
    listed_right: list[bool]
    vectors: list[NDArray[np.float64]]
    categories: list[list[int]]


@dataclass
class Checkpoint:
    """The bytes of a checkpoint, and how far they were read."""

    content: bytes = field(repr=False)
    at: int = 0

    def parts(self) -> tuple[Header, list[StoredTree]]:
        """Take it apart; every count is believed only as far as there are bytes."""
        self.at = 0
        major, minor, _ = (self.number("<i4") for _ in range(3))
        types = [self.number("u1") for _ in range(2)]
        if major != VERSION or not set(types) <= set(FLOATS):
            raise UnreadableModel(
                f"this is a checkpoint of treelite {major}.{minor} with types that are not read: "
                f"version {VERSION} with numbers at its leaves is; write it again"
            )
        n_trees = self.number("<u8")
        header = self._header(FLOATS[types[0]], FLOATS[types[1]])
        if n_trees != len(header.target_id) or n_trees != len(header.class_id):
            raise ValueError(f"{n_trees} trees, with targets for {len(header.target_id)}")
        trees = [self._tree(header) for _ in range(n_trees)]
        if self.at != len(self.content):
            raise ValueError(f"{len(self.content) - self.at:,} bytes are left")
        return header, trees

    def number(self, kind: str) -> Any:
        """Read one number."""
        return self._raw(np.dtype(kind), 1)[0].item()

    def array(self, kind: Any) -> NDArray[Any]:
        """Read an array: how long it is, and what it holds."""
        return self._raw(np.dtype(kind), self.number("<u8"))

    def _raw(self, kind: np.dtype[Any], count: int) -> NDArray[Any]:
        end = self.at + kind.itemsize * count
        if end > len(self.content):
            raise ValueError(f"{count:,} values where the file ends")
        out = np.frombuffer(self.content, kind, count, self.at)
        self.at = end
        return out

    def _skip_extensions(self) -> None:
        if self.number("<i4"):
            raise UnreadableModel("this checkpoint of treelite has fields that are not known here")

    def _header(self, thresholds: np.dtype[Any], leaves: np.dtype[Any]) -> Header:
        n_features = self.number("<i4")
        task, average = TASKS[self.number("u1")], bool(self.number("u1"))
        n_targets = self.number("<i4")
        classes, shape, target_id, class_id = (self.array("<i4").tolist() for _ in range(4))
        postprocessor = self.array("u1").tobytes().decode("utf-8")
        alpha, _ = self.number("<f4"), self.number("<f4")
        base = self.array("<f8").astype(np.float64)
        self.array("u1")  # attributes
        self._skip_extensions()
        return Header(
            thresholds, leaves, n_features, task, average, n_targets, classes, shape, target_id,
            class_id, postprocessor, alpha, base,
        )  # fmt: skip

    def _tree(self, header: Header) -> StoredTree:
        n = self.number("<i4")
        self.number("u1")  # whether there are categories
        kind, left, right, column = (self.array(t).tolist() for t in ("i1", "<i4", "<i4", "<i4"))
        default_left = self.array("u1").astype(bool).tolist()
        leaf = self.array(header.leaves).astype(np.float64)
        threshold = self.array(header.thresholds).astype(np.float64)
        relation, listed_right = self.array("i1").tolist(), self.array("u1").astype(bool).tolist()
        vectors = self._parts(header.leaves, n)
        categories = [own.tolist() for own in self._parts("<u4", n)]
        for kind_of in ("<u8", "u1", "<f8", "u1", "<f8", "u1"):  # counts, hessians and gains
            self.array(kind_of)
        for _ in range(2):
            self._skip_extensions()
        lists = (kind, left, right, column, default_left, leaf, threshold, relation, listed_right)
        if any(len(own) != n for own in lists) or n < 1:
            raise ValueError(f"{n} nodes, and other counts of what they hold")
        vectors = [own.astype(np.float64) for own in vectors]
        return StoredTree(
            kind, left, right, column, default_left, leaf, threshold, relation, listed_right,
            vectors, categories,
        )  # fmt: skip

    def _parts(self, kind: Any, n: int) -> list[NDArray[Any]]:
        """Read an array that is cut into one piece for each node."""
        every, begin, end = self.array(kind), self.array("<u8"), self.array("<u8")
        if not len(begin) and not len(end):
            return [every[:0]] * n
        if len(begin) != n or len(end) != n or (end > len(every)).any() or (begin > end).any():
            raise ValueError("pieces of an array that are not there")
        if int((end - begin).sum()) > len(every):
            raise ValueError("pieces of an array that overlap")
        return [every[a:b] for a, b in zip(begin.tolist(), end.tolist(), strict=True)]
