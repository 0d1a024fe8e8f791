"""What is written in another format is read back as the same function: PMML, ONNX."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import orderless as ol
from orderless.errors import (
    InvalidParameter,
    InvalidSpace,
    InvalidTree,
    TooLarge,
    UnreadableModel,
)

from .outputs import Case, draw, show, smaller
from .running import Wrong, same

__all__ = ["CHECKS", "draw", "show", "smaller"]

REFUSED = (InvalidSpace, InvalidTree, InvalidParameter, TooLarge, UnreadableModel)


def complete(case: Case) -> tuple[list[dict[str, Any]], list[Any]]:
    """The rows that have every value, and what they get."""
    found = [
        (case.named(row), label)
        for row, label in zip(case.rows, case.expected, strict=True)
        if len(row) == len(case.feats)
    ]
    return [row for row, _ in found], [label for _, label in found]


def written(write: Callable[[], Any]) -> Any:
    """What is written; None where the writer says why not."""
    try:
        return write()
    except REFUSED as fault:
        if len(str(fault)) < 30:
            raise Wrong("a refusal says why", str(fault)) from None
        return None


def read_back(case: Case, what: str, content: Any) -> None:
    """Read it, and compare with the tree as a function, and with brute force row by row."""
    tree = case.read()
    nan: Any = "value" if any(feat.nan for feat in case.feats) else "unknown"
    try:
        read = ol.read(content, nan=nan)
    except UnreadableModel as fault:
        raise Wrong(f"{what}: what we write is read", str(fault)) from None
    rows, expected = complete(case)
    used = [{name: row[name] for name in read.space.names if name in row} for row in rows]
    got = read.predict(used).tolist() if used else []
    same(f"{what}: rows", got, expected)
    if not any(feat.nan for feat in case.feats):
        check = ol.check_export(tree, content, missing=False)
        same(f"{what}: proven the same", str(check) if not check else "", "")


def as_pmml(case: Case) -> None:
    tree = case.read()
    for whole in (False, True):
        text = written(lambda whole=whole: tree.to_pmml(complete=whole))
        if text is not None and not any(feat.nan for feat in case.feats):
            read_back(case, f"to_pmml(complete={whole})", text)


def as_onnx(case: Case) -> None:
    if find_spec("onnx") is None:
        return
    content = written(case.read().to_onnx)
    if content is None:
        return
    read_back(case, "to_onnx", content)
    if find_spec("onnxruntime") is not None:
        in_onnxruntime(case, content)


def in_onnxruntime(case: Case, content: bytes) -> None:
    """Its own engine: the label of complete rows, and what is certain of all."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    types = {"tensor(float)": np.float32, "tensor(double)": np.float64}
    fine = [k for k, row in enumerate(case.rows)
            if all(at in row for at, feat in enumerate(case.feats) if feat.nan)]  # fmt: skip
    if not fine:
        return
    columns = {}
    for at, feat in enumerate(case.feats):
        cells = [case.rows[k].get(at) for k in fine]
        columns[feat.name] = cells
    inputs = session.get_inputs()
    given: dict[str, Any] = {}
    with np.errstate(over="ignore"):
        for one in inputs:
            if one.type == "tensor(string)":
                blank = "(unknown)" if "" in _feat(case, one.name).labels else ""
                cells = [blank if cell is None else cell for cell in columns[one.name]]
                given[one.name] = np.array(cells, dtype=object)[:, None]
            elif one.name == "X" and len(inputs) == 1 and one.shape[1] == len(case.feats):
                table = [[_number(cell) for cell in own] for own in columns.values()]
                given[one.name] = np.array(table).T.astype(types[one.type])
            else:
                cells = [_number(cell) for cell in columns[one.name]]
                given[one.name] = np.array(cells)[:, None].astype(types[one.type])
    label, certain = session.run(["label", "certain"], given)
    expected = [case.expected[k] for k in fine]
    same("onnxruntime: certain", certain.tolist(), [one is not None for one in expected])
    got = [one for one, sure in zip(label.tolist(), certain.tolist(), strict=True) if sure]
    same("onnxruntime: label", got, [one for one in expected if one is not None])


def _feat(case: Case, name: str) -> Any:
    return next(feat for feat in case.feats if feat.name == name)


def _number(cell: Any) -> float:
    return float("nan") if cell is None else float(cell)


CHECKS = (as_pmml, as_onnx)
