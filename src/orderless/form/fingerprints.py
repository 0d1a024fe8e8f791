"""Fingerprints: 32 hex digits that name the function of a tree, the same on every machine.

In:  trees.
Out: two field elements for each: equal for equal functions only (docs/decisions/0002). With facts
     that do not compare features with each other, of the function on possible rows
     (docs/decisions/0030).
"""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..errors import InvalidData
from ..model import Feature, Label, PossibleTree, Space, TreeKernel
from ..readers import read_tree
from .flat_trees import flat_nodes

__all__ = [
    "class_weights", "equal_prints", "fingerprint", "fingerprint_points", "hex_digits", "read_hex",
    "space_weights",
]  # fmt: skip

PRIME = 2**61 - 1


def fingerprint(tree: Any) -> str:
    """Give 32 hex digits that name the function of a tree; see ``Model.fingerprint``.

    Where the space has facts, functions are the same if they are on possible rows. If a fact
    compares features with each other (``low <= high``), the fingerprint is that of the function on
    all rows, which is said by a warning: equal ones are the same function, and different ones may
    still be the same on possible rows, which ``equivalent`` and ``group_equivalent`` decide.

    Each (feature, threshold) stands for a pseudo-random element F of the field modulo 2^61 - 1,
    with F(-inf) = 0 and F(inf) = 1; the interval (a, b] weighs F(b) - F(a), a box the product of
    its intervals, and the tree is the sum over its leaves of value(class) x weight(box): a
    polynomial that is equal for equal functions only, evaluated at two random points.
    Cost: leaves x features of the tree.
    """
    own = read_tree(tree)
    knowledge = own.space.domain
    if knowledge.linear:
        warnings.warn(
            "the space has facts that compare features with each other: the fingerprint is that of "
            "the function on all rows, so that different ones may be the same on possible rows. "
            "Ask equivalent or group_equivalent",
            UserWarning,
            stacklevel=2,
        )
    return hex_digits(fingerprint_points([own])[0])


def fingerprint_points(trees: Sequence[TreeKernel]) -> NDArray[np.uint64]:
    """Give the two field elements of each tree; trees over one space are done in one go."""
    alike = _alike(trees)
    if alike is not None:
        prints, held = alike
        return prints.points(held).reshape(-1, 2)
    trees = [tree if not tree.space.domain.restricts else _extended(tree) for tree in trees]
    if trees and all(tree.space is trees[0].space for tree in trees):
        return _points(trees, trees[0].space)
    out = np.zeros((len(trees), 2), dtype=np.uint64)
    by_space: dict[Space, list[int]] = {}
    by_identity: dict[int, list[int]] = {}
    for i, tree in enumerate(trees):
        known = by_identity.get(id(tree.space))
        if known is None:
            known = by_identity[id(tree.space)] = by_space.setdefault(tree.space, [])
        known.append(i)
    for space, members in by_space.items():
        out[members] = _points([trees[i] for i in members], space)
    return out


def _extended(tree: TreeKernel) -> TreeKernel:
    """Give a tree whose function on all rows stands for the one on possible rows.

    What facts exclude is a class of its own. That needs facts whose rows fill boxes; others, which
    compare features, are left out of account.
    """
    knowledge = tree.space.domain
    if not knowledge.restricts or knowledge.linear:
        return tree
    known = PossibleTree(tree, knowledge.own_sides()).tree
    names = [_canonical_label(label) for label in tree.classes]
    return known.replace(classes=[*names, "impossible"])


def _points(trees: Sequence[TreeKernel], space: Space) -> NDArray[np.uint64]:
    nodes, start, labels = flat_nodes(trees)
    keys, weights = space_weights(space)
    values = class_weights(labels)
    return _core.same.fingerprints(nodes, start, space.arrays, keys, weights, values).reshape(-1, 2)


def equal_prints(trees: Sequence[TreeKernel]) -> list[list[int]] | None:
    """Give the positions of trees with the same fingerprint; None if spaces or classes differ."""
    alike = _alike(trees)
    if alike is None:
        return None
    prints, held = alike
    return prints.groups(held)


def _alike(
    trees: Sequence[TreeKernel],
) -> tuple[_core.same.Prints, list[_core.tree.HeldTree]] | None:
    """Give what the core needs for trees with the same space and classes; None for others."""
    if not trees or trees[0].space.domain.restricts:
        return None
    held = _core.tree.held_alike(list(trees))
    return None if held is None else (_prints(trees[0].space, trees[0].classes), held)


@lru_cache(maxsize=32)
def _prints(space: Space, classes: tuple[Label, ...]) -> _core.same.Prints:
    """Give what fingerprints rest on; labels that are equal, as 1 and True are, stand for one."""
    return _core.same.Prints(space.held, *space_weights(space), class_weights(classes))


def class_weights(labels: Sequence[Label]) -> NDArray[np.uint64]:
    """Give the values of classes in fingerprints, two field elements each."""
    return np.array([_class_value(label) for label in labels], dtype=np.uint64).ravel()


@lru_cache(maxsize=64)
def space_weights(space: Space) -> tuple[NDArray[np.uint64], list[NDArray[np.uint64]]]:
    """Give the keys of a space's features, and the weights of categorical values."""
    keys = np.array([_hash(b"feature", f.name) for f in space.features], dtype=np.uint64).ravel()
    return keys, [np.array(_value_weights(f), dtype=np.uint64).ravel() for f in space.features]


@lru_cache(maxsize=65536)
def _hash(kind: bytes, text: str) -> tuple[int, int]:
    """Hash a name or a label to 128 bits, by a published function and a fixed key."""
    digest = hashlib.blake2b(
        text.encode("utf-8", "surrogatepass"), digest_size=16, key=b"orderless 1", person=kind
    ).digest()
    return int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")


def _canonical_label(label: Label) -> str:
    """Write equal labels equally: True, 1 and 1.0 are one, "1" is another."""
    if isinstance(label, str):
        return "s" + label
    return f"n{int(label)}" if label == int(label) else f"n{float(label)!r}"


def _class_value(label: Label) -> list[int]:
    return [part % PRIME for part in _hash(b"class", _canonical_label(label))]


def _value_weights(feature: Feature) -> list[list[int]]:
    """Give each value of a categorical feature its weight; they sum to 1."""
    if feature.ordered:
        return []
    names = [_canonical_label(label) for label in feature.categories]
    names += ["other"] * feature.other + ["nan"] * feature.nan
    raw = [_hash(b"value", f"{feature.name}\0{name}") for name in names]
    scale = [pow(sum(pair[k] for pair in raw) % PRIME, -1, PRIME) for k in (0, 1)]
    return [[pair[k] * scale[k] % PRIME for k in (0, 1)] for pair in raw]


def hex_digits(point: NDArray[np.uint64]) -> str:
    """Write the two field elements of a function as its fingerprint."""
    return "".join(f"{int(part):016x}" for part in point)


def read_hex(name: str) -> NDArray[np.uint64]:
    """Read the two field elements of a fingerprint."""
    if len(name) != 32 or set(name) - set("0123456789abcdef"):
        raise InvalidData(f"a fingerprint is 32 hexadecimal digits, got {name!r:.80}")
    return np.array([int(name[:16], 16), int(name[16:], 16)], dtype=np.uint64)
