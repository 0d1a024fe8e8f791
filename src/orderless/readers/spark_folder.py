"""Saved models of Spark MLlib: folders of JSON and Parquet, read without Java.

In:  the folder that ``model.save(path)`` writes, of a tree, a forest, boosted trees, or a
     ``PipelineModel`` that ends in one.
Out: the same as one JSON text, which ``spark`` reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import InvalidData, UnreadableModel
from ..inputs import MOST_BYTES, read_file, some_names
from ..model import parse
from .builder import MAX_NODES
from .checks import damaged
from .parquet import read_parquet

__all__ = ["SAVE", "SPARK_FORMAT", "is_spark_folder", "spark_text"]

SPARK_FORMAT = "orderless-spark"
SAVE = "model.save(path)"
MODELS = {
    f"org.apache.spark.ml.{task}.{kind}{name}Model": (kind, task)
    for task, name in (("classification", "Classification"), ("regression", "Regression"))
    for kind in ("DecisionTree", "RandomForest", "GBT")
}
INDEXER = "org.apache.spark.ml.feature.StringIndexerModel"
BUCKETIZER = "org.apache.spark.ml.feature.Bucketizer"
VECTOR_INDEXER = "org.apache.spark.ml.feature.VectorIndexerModel"
ASSEMBLER = "org.apache.spark.ml.feature.VectorAssembler"
PIPELINE = "org.apache.spark.ml.PipelineModel"
IDLE = ("org.apache.spark.ml.feature.IndexToString",)  # after the model: it only renames
KEPT = ("id", "prediction", "impurityStats", "leftChild", "rightChild", "split")
MOST_METADATA = 2**24
VERSIONS = ("2", "3", "4")


def is_spark_folder(path: Path) -> bool:
    """Whether a folder looks like a saved model of Spark."""
    return path.is_dir() and (path / "metadata").is_dir()


def spark_text(path: Path) -> str:
    """Read a saved model into one JSON text."""
    with damaged("Spark", save=SAVE):
        head = _metadata(path)
        stages = [(path, head)]
        if head["class"] == PIPELINE:
            stages = [(one, _metadata(one)) for one in _stages(path, head)]
        content: dict[str, Any] = {"format": SPARK_FORMAT, "version": 1}
        columns: dict[str, dict[str, Any]] = {}  # what indexers and assemblers put out
        for folder, metadata in stages:
            kind = metadata["class"]
            if kind in IDLE and "trees" in content:
                continue
            if "trees" in content:
                raise _refused(kind, "after the model")
            if kind in MODELS:
                content |= _model(folder, metadata, columns)
            elif kind == INDEXER:
                columns |= _indexed(folder, metadata)
            elif kind == BUCKETIZER:
                columns |= _bucketed(metadata)
            elif kind == VECTOR_INDEXER:
                columns[_param(metadata, "outputCol")] = _vector_indexed(folder, metadata)
            elif kind == ASSEMBLER:
                made = _param(metadata, "outputCol")
                columns[made] = {"inputs": list(_param(metadata, "inputCols")),
                                 "invalid": _param(metadata, "handleInvalid", "error")}  # fmt: skip
            else:
                raise _refused(kind, "before the model")
        if "trees" not in content:
            raise UnreadableModel("the pipeline does not end in a tree, a forest or boosted trees")
        return json.dumps(content)


def _refused(kind: str, where: str) -> UnreadableModel:
    return UnreadableModel(
        f"Spark's {kind.rpartition('.')[2]:.80} {where} is not read: known are trees, RandomForest "
        "and GBT, alone or after StringIndexer, Bucketizer, VectorAssembler and VectorIndexer; "
        "read the model itself, and give feature_names="
    )


def _metadata(folder: Path) -> dict[str, Any]:
    files = sorted((folder / "metadata").glob("part-*"))
    if not files:
        raise ValueError(f"{folder.name!r:.80} has no metadata")
    text = b"".join(_contents(files, MOST_METADATA))
    content = parse(text.decode("utf-8"))
    version = str(content["sparkVersion"]).partition(".")[0]
    if version not in VERSIONS:
        raise UnreadableModel(
            f"the model was saved by Spark {content['sparkVersion']!r:.40}: versions "
            f"{', '.join(VERSIONS)} are read"
        )
    if not isinstance(content["class"], str):
        raise ValueError("it does not say of which class it is")
    return dict(content)


def _param(metadata: dict[str, Any], name: str, default: Any = ...) -> Any:
    for where in ("paramMap", "defaultParamMap"):
        if name in metadata.get(where, {}):
            return metadata[where][name]
    if default is ...:
        raise ValueError(f"the parameter {name} is missing")
    return default


def _stages(path: Path, head: dict[str, Any]) -> Iterator[Path]:
    names = _param(head, "stageUids")
    width = len(str(len(names)))
    for position, uid in enumerate(names):
        folder = path / "stages" / f"{position:0{width}d}_{uid}"
        if folder.parent != path / "stages" or not folder.is_dir():
            raise ValueError(f"stage {position} is missing")
        yield folder


def _rows(folder: Path, name: str, *columns: str) -> list[dict[str, Any]]:
    """Read columns of a small Parquet table, all parts of it."""
    files = sorted((folder / name).glob("*.parquet"))
    if not files:
        raise ValueError(f"the folder {name!r} has no Parquet file")
    rows = read_parquet(_contents(files, MOST_BYTES), columns)
    if len(rows) > MAX_NODES:
        raise UnreadableModel(f"the model has {len(rows):,} nodes: {MAX_NODES:,} are the most")
    return rows


def _contents(files: Sequence[Path], most: int) -> list[bytes]:
    """Read files that have so many bytes together, at most."""
    out = []
    for file in files:
        try:
            out.append(read_file(file, most))
        except InvalidData as error:  # no file at all, or too large
            raise UnreadableModel(f"this is no model that Spark saved: {error}") from error
        most -= len(out[-1])
    return out


def _indexed(folder: Path, metadata: dict[str, Any]) -> dict[str, dict[str, Any]]:
    (row,) = _rows(folder, "data", "labelsArray", "labels")
    every = row["labelsArray"] if "labelsArray" in row else [row["labels"]]
    outputs = _param(metadata, "outputCols", None) or [_param(metadata, "outputCol")]
    inputs = _param(metadata, "inputCols", None) or [_param(metadata, "inputCol")]
    invalid = _param(metadata, "handleInvalid", "error")
    return {
        made: {"labels": list(labels), "input": source, "invalid": invalid}
        for made, source, labels in zip(outputs, inputs, every, strict=True)
    }


def _bucketed(metadata: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return where buckets begin and end; Spark writes infinity as text."""
    every = _param(metadata, "splitsArray", None) or [_param(metadata, "splits")]
    outputs = _param(metadata, "outputCols", None) or [_param(metadata, "outputCol")]
    inputs = _param(metadata, "inputCols", None) or [_param(metadata, "inputCol")]
    invalid = _param(metadata, "handleInvalid", "error")
    return {
        made: {"splits": [str(split) for split in splits], "input": source, "invalid": invalid}
        for made, source, splits in zip(outputs, inputs, every, strict=True)
    }


def _vector_indexed(folder: Path, metadata: dict[str, Any]) -> dict[str, Any]:
    """Return which positions of a vector have categories: pairs of a value and its index."""
    (row,) = _rows(folder, "data", "categoryMaps")
    maps = {str(int(position)): [[float(v), int(i)] for v, i in _pairs(mapping)]
            for position, mapping in _pairs(row["categoryMaps"])}  # fmt: skip
    invalid = _param(metadata, "handleInvalid", "error")
    return {"vector": _param(metadata, "inputCol"), "maps": maps, "invalid": invalid}


def _pairs(entries: Any) -> list[tuple[Any, Any]]:
    return list(entries.items()) if isinstance(entries, dict) else [tuple(e) for e in entries]


def _model(folder: Path, metadata: dict[str, Any], columns: dict[str, Any]) -> dict[str, Any]:
    kind, task = MODELS[metadata["class"]]
    if _param(metadata, "thresholds", None) is not None:
        raise UnreadableModel("a model with thresholds is not read: leave them out")
    label = columns.get(_param(metadata, "labelCol", "label"), {})
    labels = label.get("labels") if task == "classification" else None
    if labels is not None and label["invalid"] == "keep":
        labels = [*labels, "__unknown"]  # as Spark calls the class of labels that it kept
    nodes = KEPT if kind == "DecisionTree" else ("treeID", *(f"nodeData.{key}" for key in KEPT))
    rows = _rows(folder, "data", *nodes)
    weights = [1.0]
    if kind != "DecisionTree":
        weights = [row["_3"] for row in sorted(_rows(folder, "treesMetadata", "_1", "_3"),
                                               key=lambda row: row["_1"])]  # fmt: skip
    by_tree: list[list[dict[str, Any]]] = [[] for _ in weights]
    for row in rows:
        tree = 0 if kind == "DecisionTree" else row["treeID"]
        node = row if kind == "DecisionTree" else row["nodeData"]
        by_tree[tree].append({key: node[key] for key in KEPT})
    n_classes = metadata.get("numClasses", 2 if task == "classification" else None)
    return {
        "kind": kind,
        "task": task,
        "n_features": metadata["numFeatures"],
        "n_classes": n_classes,
        "labels": labels,
        "features": _features(_param(metadata, "featuresCol", "features"), columns),
        "weights": weights,
        "trees": [sorted(nodes, key=lambda node: int(node["id"])) for nodes in by_tree],
    }


def _features(vector: str, columns: dict[str, Any]) -> dict[str, Any] | None:
    """Return what the vector is made of; None if nothing is known of it."""
    made = columns.get(vector)
    if made is None:
        return None
    maps: dict[str, Any] = {}
    if "maps" in made:
        maps = {"maps": made["maps"], "unseen": made["invalid"]}
        made = columns.get(made["vector"], {})
    if "inputs" not in made or any("inputs" in columns.get(name, {}) for name in made["inputs"]):
        raise UnreadableModel(
            f"the column {vector!r:.80} is not made by one VectorAssembler of "
            f"{some_names(columns)}: read the model itself, and give feature_names="
        )
    return {
        **maps,
        "invalid": made["invalid"],
        "columns": [{"name": name, **columns.get(name, {})} for name in made["inputs"]],
    }
