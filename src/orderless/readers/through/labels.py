"""Encoders: labels that become numbers.

In:  a fitted encoder of scikit-learn and the ``Block`` of columns that goes in.
Out: the ``Block`` that comes out. The encoder itself is asked what it makes of each label.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidSpace, UnreadableModel
from ...inputs import is_unknown
from ...model import Label, plain_label
from .stage import Block, Encode, Wire

__all__ = ["one_hot", "ordinal", "target"]

Floats = NDArray[np.float64]
NO_LABEL = "\0 a label that no encoder has seen"


def one_hot(encoder: Any, block: Block, step: str) -> Block:
    """Give a 0/1 column for each label that is kept."""
    rare = getattr(encoder, "infrequent_categories_", None) or [None] * len(encoder.categories_)
    dropped = [None] * len(rare) if encoder.drop_idx_ is None else encoder.drop_idx_
    widths = [
        len(labels) - (0 if few is None else len(few) - 1) - (drop is not None)
        for labels, few, drop in zip(encoder.categories_, rare, dropped, strict=True)
    ]
    unknown = encoder.handle_unknown != "error"
    return _encoded(encoder, block, step, widths, unknown, sparse=bool(encoder.sparse_output))


def ordinal(encoder: Any, block: Block, step: str) -> Block:
    """Give the number of the label."""
    unknown = encoder.handle_unknown == "use_encoded_value"
    return _encoded(encoder, block, step, [1] * len(block.wires), unknown)


def target(encoder: Any, block: Block, step: str) -> Block:
    """Give what training rows with the label have for a target, on average."""
    width = len(encoder.classes_) if encoder.target_type_ == "multiclass" else 1
    return _encoded(encoder, block, step, [width] * len(block.wires), True)


def _encoded(
    encoder: Any, block: Block, step: str, widths: list[int], unknown: bool, sparse: bool = False
) -> Block:
    """Ask the encoder itself what it makes of each of its labels, and of one it does not know."""
    seen, dtype = _asked(encoder, _seen_labels(encoder))
    unseen = None
    if unknown:
        import pandas as pd

        names = getattr(encoder, "feature_names_in_", range(len(widths)))
        row = pd.DataFrame([[NO_LABEL] * len(widths)], columns=list(names), dtype=object)
        unseen, _ = _asked(encoder, row)
    wires: list[Wire] = []
    at = 0
    for wire, labels, width in zip(block.wires, encoder.categories_, widths, strict=True):
        for j in range(at, at + width):
            other = None if unseen is None else float(unseen[0, j])
            stage = _encode(step, labels.tolist(), seen[: len(labels), j].tolist(), other)
            wires.append(wire.then(stage, dtype))
        at += width
    if at != seen.shape[1]:
        raise UnreadableModel(
            f"{step} makes {seen.shape[1]} columns where {at} were expected: this version of "
            "scikit-learn is not known; read the tree without through="
        )
    return Block(wires, sparse)


def _seen_labels(encoder: Any) -> Any:
    """Make a table in which every column runs through its labels."""
    import pandas as pd

    n_rows = max(len(labels) for labels in encoder.categories_)
    names = getattr(encoder, "feature_names_in_", range(len(encoder.categories_)))
    return pd.DataFrame(
        {
            name: pd.Series(
                np.resize(labels, n_rows), dtype=object if labels.dtype.kind in "OUS" else None
            )
            for name, labels in zip(names, encoder.categories_, strict=True)
        }
    )


def _asked(encoder: Any, table: Any) -> tuple[Floats, np.dtype[Any]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about labels that it does not know
        out = encoder.transform(table)
    out = out.toarray() if hasattr(out, "toarray") else np.asarray(out)
    return out.astype(np.float64), out.dtype


def _encode(step: str, labels: list[Any], numbers: list[float], unknown: float | None) -> Encode:
    table: dict[Label, float] = {}
    missing: set[float] = set()
    for label, number in zip(labels, numbers, strict=True):
        if is_unknown(label):
            missing.add(number)
            continue
        try:
            table[plain_label(label)] = number
        except InvalidSpace as fault:
            raise UnreadableModel(f"{step}: {fault}") from fault
    # None and NaN may be two labels; rows do not tell them apart, so then neither is known.
    at_missing = missing.pop() if len(missing) == 1 else None if missing else unknown
    return Encode(step, table, unknown, at_missing)
