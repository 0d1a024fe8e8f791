"""Model files that are damaged, or made to harm: a clear error, no crash, no memory by a number."""

from __future__ import annotations

import io
import json
import struct
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import mutations
import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.cli.mistakes import Mistake
from orderless.cli.models import load_model
from orderless.errors import InvalidTree, UnreadableModel

skops_io = pytest.importorskip("skops.io", reason="skops comes with the extra orderless[skops]")


@pytest.mark.parametrize("kind", [*mutations.FILES, *mutations.SUMS])
def test_damaged_files_are_read_or_refused(kind: str) -> None:
    """In a process of its own, with a limit on its memory: nothing else ends it."""
    library = "xgboost" if kind == "numbers" else kind.removesuffix(" sum")
    if library in ("xgboost", "lightgbm", "catboost", "onnx"):
        pytest.importorskip(library)
    if kind.startswith("onnx"):
        pytest.importorskip("skl2onnx" if kind in ("onnx sum", "onnx prepared") else "onnx")
    program = [sys.executable, mutations.__file__, kind, "150", "7"]
    done = subprocess.run(program, capture_output=True, text=True)
    last = done.stderr.split()[-1:]
    assert done.returncode == 0, (last, done.stderr[-2000:])
    *odd, counts = [json.loads(line) for line in done.stdout.splitlines()]
    assert not odd
    assert counts["read"] + counts["refused"] == 150
    assert min(counts.values()) > 10


def tree_file(folder: Path, change: Any = None, model: Any = None) -> Path:
    """Write a skops file, after a change to its schema and its arrays."""
    if model is None:
        model = DecisionTreeClassifier(random_state=0).fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    with zipfile.ZipFile(io.BytesIO(skops_io.dumps(model))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    schema = json.loads(members.pop("schema.json"))
    if change is not None:
        change(schema, members)
    path = folder / "model.skops"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("schema.json", json.dumps(schema))
        for name, content in members.items():
            archive.writestr(name, content)
    return path


def attribute(schema: Any, name: str) -> Any:
    return schema["content"]["content"][name]


def put(name: str, value: Any) -> Any:
    def change(schema: Any, members: Any) -> None:
        attribute(schema, name).update(content=json.dumps(value), __id__=1)

    return change


def test_a_file_that_is_whole(tmp_path: Path) -> None:
    assert load_model(tree_file(tmp_path)).n_leaves == 3


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (10**9, "fitted on 1,000,000,000 columns, its tree on 1: it is damaged"),
        (0, "n_features_in_ must be a whole number of at least 1, got 0"),
        (-1, "n_features_in_ must be a whole number of at least 1, got -1"),
        ("x", "must be a whole number of at least 1, got 'x'"),
        (None, "must be a whole number of at least 1, got None"),
        (1.0, "must be a whole number of at least 1, got 1.0"),
        (True, "must be a whole number of at least 1, got True"),
    ],
)
def test_the_number_of_columns(tmp_path: Path, value: Any, said: str) -> None:
    path = tree_file(tmp_path, put("n_features_in_", value))
    with pytest.raises(Mistake, match=f"^model.skops: .*{said}"):
        load_model(path)


def test_the_number_of_columns_everywhere(tmp_path: Path) -> None:
    """All counts agree, and no name bears them out."""

    def change(schema: Any, members: Any) -> None:
        put("n_features_in_", 10**9)(schema, members)
        tree = attribute(schema, "tree_")
        tree["__reduce__"]["args"]["content"][0].update(content=str(10**9), __id__=2)

    with pytest.raises(Mistake, match="1,000,000,000 columns, without their names: more than 1,04"):
        load_model(tree_file(tmp_path, change))


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (0, -1, "a count of its tree is '-1'"),
        (0, 0, "its tree has 1 outputs and 0 columns"),
        (2, 10**6, "its tree has 1000000 outputs"),
        (2, "x", "a count of its tree is"),
        ("node_count", 10**9, "its tree says that it has 1,000,000,000 nodes"),
        ("node_count", 3, "its tree says that it has 3 nodes"),
        ("nodes", None, "its tree lacks an array"),
        ("values", None, "its tree lacks an array"),
    ],
)
def test_counts_of_the_tree(tmp_path: Path, place: Any, value: Any, said: str) -> None:
    """scikit-learn reads memory by them, and ends the process."""

    def change(schema: Any, members: Any) -> None:
        tree = attribute(schema, "tree_")
        if isinstance(place, int):
            node = tree["__reduce__"]["args"]["content"][place]
        else:
            node = tree["content"]["content"][place]
        node.pop("file", None)
        node.update(content=json.dumps(value), __id__=3)

    with pytest.raises(Mistake, match=f"is not a complete skops file: {said}"):
        load_model(tree_file(tmp_path, change))


def test_one_id_for_two_objects(tmp_path: Path) -> None:
    """skops takes them for one object, so that a count that was checked is not the one it uses."""

    def change(schema: Any, members: Any) -> None:
        same = attribute(schema, "n_features_in_")
        same.update(content=str(10**6))
        attribute(schema, "tree_")["__reduce__"]["args"]["content"][2]["__id__"] = same["__id__"]

    with pytest.raises(Mistake, match="two different objects have one id"):
        load_model(tree_file(tmp_path, change))


def nodes_of(schema: Any) -> str:
    return attribute(schema, "tree_")["content"]["content"]["nodes"]["file"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (b"(5,)", b"(9,)", r"says that it holds \(9,\)"),
        (b"'<f8'", b"'<f4'", "says that it holds"),
        (b"'<f8'", b"'|O'", "is not an array|says that it holds"),
        (b"NUMPY", b"NAMPY", "is not an array"),
    ],
)
def test_arrays_that_are_not_what_they_say(
    tmp_path: Path, old: bytes, new: bytes, said: str
) -> None:
    def change(schema: Any, members: Any) -> None:
        name = nodes_of(schema)
        assert old in members[name]
        members[name] = members[name].replace(old, new, 1)

    with pytest.raises(Mistake, match=said):
        load_model(tree_file(tmp_path, change))


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("left_child", 99, "the child 99, and there are 5"),
        ("right_child", -5, "the child -5"),
        ("left_child", 0, "every node but the root has one parent"),
        ("feature", 7, "the column 7, and there are 1"),
        ("threshold", np.nan, "threshold"),
    ],
)
def test_nodes_that_do_not_make_a_tree(tmp_path: Path, field: str, value: float, said: str) -> None:
    def change(schema: Any, members: Any) -> None:
        name = nodes_of(schema)
        nodes = np.load(io.BytesIO(members[name]))
        nodes[field][0] = value
        out = io.BytesIO()
        np.save(out, nodes)
        members[name] = out.getvalue()

    with pytest.raises(Mistake, match=f"^model.skops: .*{said}"):
        load_model(tree_file(tmp_path, change))


def test_a_file_that_unpacks_to_a_thousand_times_its_size(tmp_path: Path) -> None:
    path = tmp_path / "bomb.skops"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("schema.json", "{}")
        archive.writestr("1.npy", bytes(50_000_000))
    assert path.stat().st_size < 100_000
    with pytest.raises(Mistake, match=r"unpacks to 50,000,002 bytes, more than 100 times its size"):
        load_model(path)
    # The zip says that the member is small.
    content = bytearray(path.read_bytes())
    struct.pack_into("<I", content, content.rfind(b"PK\x01\x02") + 24, 1000)
    path.write_bytes(content)
    with pytest.raises(Mistake, match="is not a complete skops file: Bad CRC-32"):
        load_model(path)


def test_an_array_that_is_used_again_and_again(tmp_path: Path) -> None:
    """skops reads it anew each time."""

    def change(schema: Any, members: Any) -> None:
        out = io.BytesIO()
        np.save(out, np.zeros(10**6))
        members["large.npy"] = out.getvalue()
        attribute(schema, "tree_")["more"] = [{"file": "large.npy"}] * 1000

    with pytest.raises(Mistake, match="used so often that they take over"):
        load_model(tree_file(tmp_path, change))


@pytest.mark.parametrize("name", ["more.npz", "run.py"])
def test_files_that_no_tree_has(tmp_path: Path, name: str) -> None:
    path = tree_file(tmp_path, lambda schema, members: members.update({name: b"x"}))
    with pytest.raises(Mistake, match=f"a file '{name}', which no decision tree has"):
        load_model(path)


def test_models_in_memory_are_checked_too() -> None:
    model = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1])
    for name, value, said in (
        ("n_features_in_", 10**9, "its tree on 1: it is damaged"),
        ("n_outputs_", None, "n_outputs_ must be a whole number of at least 1, got None"),
        ("classes_", np.arange(3), r"leaves of 2 classes, and classes_ of shape \(3,\)"),
        ("feature_names_in_", ["a", "b"], "and it names 2"),
    ):
        kept = getattr(model, name, None)
        setattr(model, name, value)
        with pytest.raises((UnreadableModel, InvalidTree), match=said):
            ol.read(model)
        if kept is None:
            delattr(model, name)
        else:
            setattr(model, name, kept)
    assert ol.read(model).n_leaves == 2
