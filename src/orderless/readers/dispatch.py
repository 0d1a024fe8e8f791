"""Trees in: one file per library, one way out.

In:  a trained model, or nested dicts, or JSON.
Out: ``TreeKernel``. A library is imported only by its reader, and only if the model comes from it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from ..errors import InvalidSpace, InvalidTree, UnreadableModel, a_kind
from ..inputs import read_file
from ..model import ENSEMBLE_FORMAT, TREE_FORMAT, Space, SumKernel, TreeKernel
from .binary import BitTrees
from .builder import ColumnModel, ColumnTree, Nan
from .bulk import build_all
from .forgotten import given_names, in_given_order, with_given_labels
from .nested import from_nested
from .onnx_model import knows_onnx, parsed
from .pmml.document import is_xml, xml_text
from .preprocessing.columns import source_columns
from .preprocessing.conditions import over_features
from .spark_folder import is_spark_folder, spark_text
from .sparse import gives_sparse, with_zero_as_missing
from .wrapped import through_targets, unwrapped
from .xgboost import as_json, knows_ubj

__all__ = ["check_arguments", "library_of", "opened", "read_tree", "read_trees", "reader_of_text"]

# A reader is the file <library>.py with ``knows(model)`` and ``from_<library>(model)``. It is asked
# only if its library is imported.
READERS = (
    "sklearn", "gosdt", "treefarms", "pydl85", "pystreed", "praxis", "xgboost", "lightgbm",
    "catboost", "onnx", "pyspark",
)  # fmt: skip
SETS = ("treefarms", "praxis")  # also have ``knows_set(model)`` and ``trees_of(model)``
FILES = (
    "pmml.read",
    "lightgbm",
    "xgboost",
    "catboost",
    "r.read",
    "spark",
)  # also have ``knows_text(text)`` and ``from_text(text)``
LONGEST_PATH = 4096  # characters; a longer string is a text
KNOWN = (
    "scikit-learn's trees, GOSDT, TreeFARMS, DL8.5, STreeD, PRAXIS, XGBoost, LightGBM and "
    "CatBoost (one tree each; their model files too), "
    "ONNX, PMML, "
    "Spark MLlib's trees (saved folders too), "
    "trees of R (rpart, partykit, ranger; see orderless.readers.r_script()), "
    "nested dicts, our JSON"
)


def read_tree(
    model: Any,
    *,
    preprocessing: Any = None,
    space: Space | None = None,
    feature_names: Sequence[str] | None = None,
    nan: Nan = "unknown",
) -> TreeKernel:
    """Read one trained tree; what adds up several is refused. See ``orderless.read``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(read_tree(DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)))
    petal width (cm) <= 0.8?
      yes: 0
      no:  petal width (cm) <= 1.75?
        yes: 1
        no:  2

    >>> print(read_tree({"feature": "wet", "true": {"prediction": "stay"},
    ...                  "false": {"prediction": "go"}}, feature_names=["cold", "wet"]))
    not wet?
      yes: go
      no:  stay
    """
    if type(model) is TreeKernel and space is None and feature_names is None and nan == "unknown":
        return model
    check_arguments(space, feature_names, nan)
    model = opened(model)
    if isinstance(model, TreeKernel):
        return model if space is None else model.over(space)
    if isinstance(model, SumKernel):
        raise UnreadableModel(
            f"this is a sum of {len(model.trees):,} trees: ask it itself, or make one tree of a "
            "small one with ensemble.to_tree()"
        )
    model, preprocessing, targets, sparse = unwrapped(model, preprocessing)
    tree = _column_tree(model, preprocessing, space, feature_names)
    if tree.table.absent_is_nan and gives_sparse(preprocessing):
        tree = with_zero_as_missing(tree, sure=sparse)
    tree = through_targets(tree, targets)
    columns, own = source_columns(tree.table, preprocessing, space, feature_names, nan)
    return over_features(tree, columns, _with_facts(own, space))


def _with_facts(own: Space, given: Space | None) -> Space:
    """Give the space of a tree the facts of the space that a person gave."""
    if given is None or frozenset(own.facts) == frozenset(given.facts):
        return own
    return own.with_facts(given.facts)


def read_trees(
    models: Any,
    *,
    preprocessing: Any = None,
    space: Space | None = None,
    feature_names: Sequence[str] | None = None,
    nan: Nan = "unknown",
) -> list[TreeKernel]:
    """Read many trees: a set of TreeFARMS or PRAXIS, or any iterable of trees.

    All of them share one space, so that comparing them is quick. Parameters are those of
    ``orderless.read``.

    Examples
    --------
    >>> leaf = {"prediction": 0}
    >>> split = {"feature": 1, "true": {"prediction": 1}, "false": leaf}
    >>> [tree.n_leaves for tree in read_trees([leaf, split], feature_names=["a", "b"])]
    [1, 2]
    """
    bits = _set_of(models)
    if bits is not None:
        columns, own = source_columns(bits.table, preprocessing, space, feature_names, nan)
        return list(build_all(bits, columns, _with_facts(own, space)))
    if isinstance(models, Mapping | str) or not isinstance(models, Iterable):
        raise UnreadableModel(
            "expected a TreeFARMS or PRAXIS model set or an iterable of trees, got "
            f"{a_kind(models)}: read one tree with orderless.read"
        )
    trees: list[TreeKernel] = []
    for model in models:
        tree = read_tree(
            model, preprocessing=preprocessing, space=space, feature_names=feature_names, nan=nan
        )
        if trees and tree.space == trees[0].space:
            tree.space = trees[0].space
        trees.append(tree)
    return trees


def check_arguments(space: Space | None, feature_names: Sequence[str] | None, nan: Nan) -> None:
    """Refuse what no reader takes."""
    if nan not in get_args(Nan):
        raise ValueError(f"nan must be one of {str(get_args(Nan))[1:-1]}, got {nan!r}")
    if space is not None and not isinstance(space, Space):
        raise InvalidSpace(
            f"space must be a Space, got {a_kind(space)}: write "
            "orderless.Space({name: kind, ...}), or propose one with orderless.Space.infer(X)"
        )
    if isinstance(feature_names, str):
        raise InvalidSpace(f"feature_names must be a list of names, got the text {feature_names!r}")


def opened(model: Any) -> Any:
    """Read a file, and give the tree of what has one: our JSON, a form, a function of a set."""
    if isinstance(model, str) and not _is_model_text(model):
        model = _of_path(model)
    elif isinstance(model, Path):
        model = _of_file(model)
    elif isinstance(model, bytes | bytearray):
        if not knows_onnx(bytes(model)):
            raise UnreadableModel(
                "these bytes are not an ONNX model: give the path of a file of any other kind"
            )
        return parsed(bytes(model))
    if not isinstance(model, str):
        return _held(model)
    if f'"{TREE_FORMAT}"' in model[:200]:
        return TreeKernel.from_json(model)
    if f'"{ENSEMBLE_FORMAT}"' in model[:200]:
        return SumKernel.from_json(model)
    return model


def _held(model: Any) -> Any:
    """Give the kernel of a model that was read, or of what has a tree: a form, a function."""
    for holder in (model, getattr(model, "tree", None)):
        kernel = getattr(holder, "kernel", holder)
        if isinstance(kernel, TreeKernel | SumKernel):
            return kernel
    return model


def _is_model_text(text: str) -> bool:
    """Whether a string is the text of a model, complete or not; anything else is a path."""
    if "\n" in text or text.lstrip("\ufeff \t\r")[:1] in ("", "{", "[", "<"):
        return True
    try:
        json.loads(text[:LONGEST_PATH])
    except ValueError:
        return len(text) > LONGEST_PATH
    return True  # a number, or a word in quotes: no path, and no tree either


def _of_path(path: str) -> Any:
    """Read the file that a string names."""
    try:
        return _of_file(Path(path))
    except FileNotFoundError:
        raise FileNotFoundError(
            f"there is no file {path!r:.400}: correct the name, or give the text of a model "
            "(JSON begins with {, PMML with <)"
        ) from None


def _of_file(path: Path) -> Any:
    """Read a file: give the text of the model in it, or what a library makes of it."""
    if is_spark_folder(path):
        return spark_text(path)
    if is_xml(read_file(path, first=256)):
        return xml_text(path)
    content = read_file(path)
    if knows_onnx(content):
        return parsed(content)
    if content.startswith(b"CBM1"):
        raise UnreadableModel(
            f"the file {path.name!r} has CatBoost's binary format: save the model with "
            "model.save_model(file, format='json')"
        )
    try:
        text = as_json(content) if knows_ubj(content) else content.decode("utf-8")
    except UnicodeDecodeError as fault:
        raise InvalidTree(f"the file {path.name!r} is not UTF-8 text: {fault}") from fault
    if not _is_model_text(text):  # which would be taken for another path
        raise InvalidTree(
            f"the file {path.name!r:.80} holds no model: it must be JSON, PMML, a model file of "
            "LightGBM or XGBoost, or ONNX"
        )
    return text


def _column_tree(
    model: Any, preprocessing: Any, space: Space | None, feature_names: Sequence[str] | None
) -> ColumnTree:
    """Let the reader that knows a model read it; what its library forgot comes from the caller."""
    if isinstance(model, str):
        reader = reader_of_text(model)
        if reader is None:
            return from_nested(model, given_names(preprocessing, space, feature_names))
        tree = _only_tree(reader.from_text(model), "this model")
    elif isinstance(model, Mapping):
        return from_nested(model, given_names(preprocessing, space, feature_names))
    else:
        tree = _from_library(model)
    if not tree.table.ordered:
        tree = in_given_order(tree, given_names(preprocessing, space, feature_names))
    if tree.table.garbled:
        tree = with_given_labels(tree, space if preprocessing is None else None)
    return tree


def _only_tree(read: ColumnTree | ColumnModel, name: str) -> ColumnTree:
    """Return the tree of a model of one tree; what adds up several is refused."""
    if isinstance(read, ColumnTree):
        return read
    tree = read.one_tree()
    if tree is None:
        raise UnreadableModel(
            f"{name} adds up {len(read.trees):,} trees, and this needs one: read one of them, or "
            "make one tree of a small ensemble with orderless.read(...).to_tree()"
        )
    return tree


def library_of(model: Any) -> Any:
    """Return the module of the reader that knows a model; None if none does."""
    for library in READERS:
        if library in sys.modules:
            reader = import_module(f".{library}", __package__)
            if reader.knows(model):
                return reader
    return None


def reader_of_text(text: str) -> Any:
    """Return the module of the reader that knows the text of a file; None if none does."""
    readers = (import_module(f".{library}", __package__) for library in FILES)
    return next((reader for reader in readers if reader.knows_text(text)), None)


def _from_library(model: Any) -> ColumnTree:
    reader = library_of(model)
    if reader is not None:
        library = reader.__name__.rpartition(".")[2]
        return _only_tree(getattr(reader, f"from_{library}")(model), a_kind(model))
    if isinstance(model, type):
        raise UnreadableModel(f"got the class {model.__qualname__}: give a fitted model of it")
    raise UnreadableModel(
        f"cannot read {a_kind(model)}: known sources are {KNOWN}; "
        "build orderless.Tree(...) by hand for anything else"
    )


def _set_of(models: Any) -> BitTrees | None:
    """Open a model set of a library; None if it is something else."""
    for library in SETS:
        if library in sys.modules:
            reader = import_module(f".{library}", __package__)
            if reader.knows_set(models):
                bits: BitTrees = reader.trees_of(models)
                return bits
    return None
