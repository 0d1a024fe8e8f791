"""skops files: checked before skops opens them.

In:  the path of a file.
Out: the model in it. A skops file is a zip: ``schema.json`` says what the objects are, ``.npy``
     files hold the arrays. skops checks which types there are; what it does not check is how far
     the zip unpacks, and the counts by which scikit-learn then takes, or reads, memory.
"""

from __future__ import annotations

import io
import json
import math
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..inputs import (
    Binarizer,
    import_optional,
    some_names,
)
from ..model import Column, Condition, Feature, Space
from .mistakes import Mistake

__all__ = ["load_skops"]

SEARCHES = ("GridSearchCV", "RandomizedSearchCV", "HalvingGridSearchCV", "HalvingRandomSearchCV")
# Trees of millions of nodes shrink 20 times at most; a zip that is made to can do 1,000 times.
MOST_TIMES = 100
ALWAYS = 2**20  # bytes that any file may unpack to
CHUNK = 2**16

Members = dict[str, bytes]


class _Damaged(ValueError):
    """What is wrong with a file."""


def _trusted() -> set[str]:
    """Name what a file may hold beyond skops' own list of harmless types."""
    own = (Binarizer, Column, Condition, Feature, Space)
    foreign = {
        "numpy.dtype",  # encoders remember it
        "sklearn.tree._tree.Tree",
        "sklearn.ensemble._hist_gradient_boosting.predictor.TreePredictor",
        "sklearn.utils._bunch.Bunch",  # the members of a vote by name: a dict
    }
    return foreign | {f"{kind.__module__}.{kind.__qualname__}" for kind in own}


def load_skops(path: Path) -> Any:
    """Load a decision tree, an ensemble or a pipeline; of a search for the best of them, the best.

    Linear in the size of the file: what does not fit together is refused before memory is taken
    for it.
    """
    skops = import_optional("skops.io", needed_for=f"reading {path.name}, a skops file,")
    try:
        members = _unpacked(path)
        schema = _best(_parsed(members))
        _check(schema, members, MOST_TIMES * path.stat().st_size + ALWAYS)
        data = _packed(schema, members)
        strange = sorted(set(skops.get_untrusted_types(data=data)) - _trusted())
    except MemoryError:
        raise
    except Exception as fault:  # a zip file of another kind, or a broken one
        raise Mistake(f"{path.name} is not a complete skops file: {fault}") from fault
    if strange:
        raise Mistake(
            f"{path.name} holds {some_names(strange, most=8)}, which is not part of a decision "
            "tree of scikit-learn or of orderless, and is not loaded: save the tree alone, or its "
            "pipeline"
        )
    import sklearn.ensemble
    import sklearn.tree  # noqa: F401

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # another version of scikit-learn; the reader checks
            return skops.loads(data, trusted=sorted(_trusted()))
    except MemoryError:
        raise
    except Exception as fault:  # skops and scikit-learn build objects out of what a file says
        raise Mistake(
            f"{path.name} cannot be loaded ({type(fault).__name__}: {fault!s:.200}): save the "
            "model again with skops.io.dump"
        ) from fault


def _unpacked(path: Path) -> Members:
    """Read all members, as long as they are as small as the zip says, and that is not too much."""
    with zipfile.ZipFile(path) as archive:
        infos = archive.infolist()
        total, most = sum(info.file_size for info in infos), MOST_TIMES * path.stat().st_size
        if total > most + ALWAYS:
            raise _Damaged(
                f"it unpacks to {total:,} bytes, more than {MOST_TIMES} times its size; save the "
                "model again with skops.io.dump"
            )
        members: Members = {}
        for info in infos:
            if info.filename in members:
                raise _Damaged(f"it has {info.filename!r:.80} twice")
            if info.filename != "schema.json" and not info.filename.endswith(".npy"):
                raise _Damaged(f"it has a file {info.filename!r:.80}, which no decision tree has")
            try:
                with archive.open(info) as member:  # in chunks: a size in the zip may be wrong
                    parts = list(iter(lambda: member.read(CHUNK), b""))
            except (zlib.error, EOFError, RuntimeError, NotImplementedError) as fault:
                raise _Damaged(f"{info.filename!r:.80} cannot be unpacked: {fault}") from fault
            members[info.filename] = b"".join(parts)
    return members


def _parsed(members: Members) -> dict[str, Any]:
    if "schema.json" not in members:
        raise _Damaged("it has no schema.json")
    try:
        schema = json.loads(members["schema.json"])
    except (ValueError, RecursionError) as fault:
        raise _Damaged(f"its schema.json cannot be read: {fault}") from fault
    if not isinstance(schema, dict):
        raise _Damaged("its schema.json is not an object")
    return schema


def _best(schema: dict[str, Any]) -> dict[str, Any]:
    """Give the schema of the best estimator of a search, and of anything else its own.

    What else a search holds, such as its scores, is not loaded.
    """
    head: dict[str, Any] = {
        key: schema[key] for key in ("protocol", "_skops_version") if key in schema
    }
    while schema.get("__class__") in SEARCHES and _is_of(schema, "sklearn.model_selection"):
        found = _entry(schema, "best_estimator_")
        if not isinstance(found, dict):
            raise _Damaged("it holds a search without a best estimator: fit it with refit=True")
        schema = {**found, **head}
    return schema


def _is_of(node: dict[str, Any], module: str) -> bool:
    return str(node.get("__module__")).startswith(module)


def _entry(node: Any, key: str) -> Any:
    """Give an attribute of an object, or a value of a dict: None if it is not there."""
    content = node.get("content") if isinstance(node, dict) else None
    if isinstance(content, dict) and isinstance(content.get("content"), dict):
        content = content["content"]  # an object's attributes are a dict
    return content.get(key) if isinstance(content, dict) else None


def _check(schema: Any, members: Members, most: int) -> None:
    """Refuse arrays that are not as long as they say, and trees that do not fit their arrays."""
    shapes = {name: _shape(name, data) for name, data in members.items() if name != "schema.json"}
    seen: dict[Any, str] = {}
    total = 0
    for node in _nodes(schema):
        if "file" in node:
            name = node["file"]
            if not isinstance(name, str) or name not in shapes:
                raise _Damaged(f"its file {name!r:.80} is missing")
            total += len(members[name])
            if total > most:
                raise _Damaged(f"its arrays are used so often that they take over {most:,} bytes")
        if "__loader__" in node and "__id__" in node:  # skops takes equal ids for equal objects
            here = json.dumps({key: node[key] for key in ("__loader__", "content", "file")
                               if not isinstance(node.get(key, {}), dict | list)})  # fmt: skip
            if seen.setdefault(str(node["__id__"]), here) != here:
                raise _Damaged("two different objects have one id")
        if node.get("__class__") == "Tree" or node.get("__loader__") == "TreeNode":
            _check_tree(node, shapes)


def _nodes(schema: Any) -> Iterator[dict[str, Any]]:
    todo = [schema]
    while todo:
        node = todo.pop()
        if isinstance(node, dict):
            yield node
            todo += node.values()
        elif isinstance(node, list):
            todo += node


def _shape(name: str, data: bytes) -> tuple[int, ...]:
    """Give the shape of an array; it must be as long as that."""
    import numpy as np

    handle = io.BytesIO(data)
    try:
        version = np.lib.format.read_magic(handle)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, _, dtype = read(handle)
    except Exception as fault:  # numpy's parser of headers raises many kinds
        raise _Damaged(f"{name!r:.80} is not an array: {fault!s:.120}") from fault
    size = math.prod(shape) * dtype.itemsize
    if dtype.hasobject or min(shape, default=0) < 0 or size != len(data) - handle.tell():
        raise _Damaged(
            f"{name!r:.80} says that it holds {shape} of {dtype!s:.80}, which it does not"
        )
    return shape


def _check_tree(node: dict[str, Any], shapes: dict[str, tuple[int, ...]]) -> None:
    """Refuse counts of scikit-learn's tree by which it would read, or take, memory."""
    reduce = node.get("__reduce__")
    arguments = reduce.get("args") if isinstance(reduce, dict) else None
    given = arguments.get("content") if isinstance(arguments, dict) else None
    if not isinstance(given, list) or len(given) not in (3, 4):
        raise _Damaged("its tree is not as scikit-learn writes it")
    n_columns, n_outputs = _number(given[0]), _number(given[2])
    arrays = {name: _array(_entry(node, name), shapes) for name in ("nodes", "values")}
    count = _number(_entry(node, "node_count"))
    if n_outputs != 1 or _array(given[1], shapes) != (1,) or n_columns < 1:
        raise _Damaged(f"its tree has {n_outputs} outputs and {n_columns} columns")
    if len(given) == 4 and _array(given[3], shapes) != (n_columns,):
        raise _Damaged("its tree does not count the categories of each column")
    if count < 1 or arrays["nodes"] != (count,) or arrays["values"][:1] != (count,):
        raise _Damaged(
            f"its tree says that it has {count:,} nodes, its arrays are {arrays['nodes']} and "
            f"{arrays['values']}"
        )


def _number(node: Any) -> int:
    """Read a whole number of the schema."""
    content = node.get("content") if isinstance(node, dict) else None
    if not isinstance(content, str) or not content.isascii() or not content.isdigit():
        raise _Damaged(f"a count of its tree is {content!r:.40}")
    return int(content[:18])


def _array(node: Any, shapes: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Give the shape of an array of the schema."""
    name = node.get("file") if isinstance(node, dict) else None
    if not isinstance(name, str) or name not in shapes:
        raise _Damaged("its tree lacks an array")
    return shapes[name]


def _packed(schema: dict[str, Any], members: Members) -> bytes:
    """Put together what was checked, for skops to read."""
    used = {node["file"] for node in _nodes(schema) if "file" in node}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("schema.json", json.dumps(schema))
        for name in sorted(used):
            archive.writestr(name, members[name])
    return out.getvalue()
