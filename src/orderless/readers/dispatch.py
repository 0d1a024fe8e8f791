"""Models in: one file per library, one way out.

In:  a trained model, its file, nested dicts, or JSON.
Out: ``TreeKernel`` where there is one tree, else ``SumKernel``; ``Origin``, which library made it.
     A library is imported only by its reader, and only if the model comes from it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from ..errors import InvalidSpace, InvalidTree, UnreadableModel, a_kind
from ..inputs import read_file
from ..model import ENSEMBLE_FORMAT, TREE_FORMAT, Space, SumKernel, TreeKernel
from .bits import BitTrees, build_all
from .builder import ColumnModel, ColumnTree, Nan
from .cutoffs import decided
from .nested import from_nested
from .onnx_model import knows_onnx, parsed
from .pmml.document import is_xml, xml_text
from .points import knows_score, read_score
from .preprocessing.columns import source_columns
from .preprocessing.conditions import all_over_features, each_over_features
from .spark_folder import is_spark_folder, spark_text
from .wrappers import Wrapped, gives_sparse, through_targets, unwrap, zero_as_missing
from .xgboost import as_json, knows_ubj

__all__ = ["OURS", "Origin", "opened", "origin_of", "read_model", "read_tree", "read_trees"]

# A reader is the file <library>.py with ``knows(model)`` and ``from_<library>(model)``. It is asked
# only if its library is imported.
READERS = (
    "sklearn", "gosdt", "treefarms", "pydl85", "pystreed", "praxis", "xgboost", "lightgbm",
    "catboost", "onnx", "pyspark",
)  # fmt: skip
SETS = ("treefarms", "praxis")  # also have ``knows_set(model)`` and ``trees_of(model)``
# Of files; these have ``knows_text(text)`` and ``from_text(text)``.
FILES = ("pmml.read", "lightgbm", "xgboost", "catboost", "r.read", "spark")
MAX_PATH = 4096  # characters; a longer string is a text
AT_ONCE = 1024  # trees of one table that are stated over its features together
KNOWN = (
    "scikit-learn's trees, forests, GradientBoosting, HistGradientBoosting, AdaBoost, Bagging and "
    "Voting of trees, GOSDT, TreeFARMS, DL8.5, STreeD, PRAXIS, XGBoost, LightGBM and CatBoost "
    "(their model files too), ONNX, PMML, Spark MLlib's trees, RandomForest and GBT (saved folders "
    "too), trees and forests of R (rpart, partykit, ranger; see orderless.readers.r_script()), "
    "nested dicts, points scores, our JSON"
)

BOOSTED = ("lightgbm", "xgboost", "catboost")
# The beginning of a class's name, and the kind that it is.
KINDS = {"RandomForest": "random-forest", "XGBRF": "random-forest", "ExtraTrees": "extra-trees",
         "Bagging": "bagging", "AdaBoost": "boosting", "GradientBoosting": "gradient-boosting",
         "HistGradientBoosting": "gradient-boosting", "GBT": "gradient-boosting"}  # fmt: skip
DISTRIBUTIONS = {"sklearn": "scikit-learn"}


def read_model(
    model: Any,
    *,
    preprocessing: Any = None,
    space: Space | None = None,
    feature_names: Sequence[str] | None = None,
    nan: Nan = "unknown",
) -> TreeKernel | SumKernel:
    """Read one tree as a ``TreeKernel``, and what adds up several as a ``SumKernel``.

    Examples
    --------
    >>> from sklearn.ensemble import ExtraTreesRegressor
    >>> forest = ExtraTreesRegressor(2, random_state=0).fit([[1], [2]], [1.0, 3.0])
    >>> type(read_model(forest)).__name__, type(read_model(forest.estimators_[0])).__name__
    ('SumKernel', 'TreeKernel')
    """
    plain = space is None and feature_names is None and nan == "unknown"
    if plain and isinstance(model, TreeKernel | SumKernel):
        return model
    check_arguments(space, feature_names, nan)
    reading = _reading(model, preprocessing, space, feature_names)
    if not isinstance(reading, _Reading):
        return reading
    if reading.tree is not None:
        return _over_features([reading], space, feature_names, nan)[0]
    return sum_over_features(
        reading.model, reading.wrapped.preprocessing, space, feature_names, nan
    )


class _Reading(NamedTuple):
    """What a reader made of a model: over its columns, with what is around it."""

    model: ColumnModel
    wrapped: Wrapped
    tree: ColumnTree | None  # where there is one

    def joins(self, others: Sequence[_Reading]) -> bool:
        """Return whether all have one table, which went through the same before."""
        if not others:
            return True
        same = self.wrapped.preprocessing is others[0].wrapped.preprocessing
        return same and self.model.table == others[0].model.table


def _reading(
    model: Any,
    preprocessing: Any,
    space: Space | None,
    feature_names: Sequence[str] | None,
) -> _Reading | TreeKernel | SumKernel:
    """Let a reader read a model; what is a kernel already, or a score, is stated over the space."""
    model = opened(model)
    if isinstance(model, TreeKernel | SumKernel):
        return model if space is None else model.over(space)
    if knows_score(model):
        if preprocessing is not None or feature_names is not None:
            raise UnreadableModel(
                "a score names its features itself: leave preprocessing= and feature_names= out"
            )
        return read_score(model, space=space)
    wrapped = unwrap(model, preprocessing)
    read = column_model(wrapped, space, feature_names)
    if wrapped.decision is not None:
        read = decided(read, wrapped.decision)
    tree = read.one_tree()
    if tree is not None:
        tree = through_targets(tree, wrapped.targets)
    elif wrapped.targets:
        raise UnreadableModel(
            f"a TransformedTargetRegressor around {a_kind(wrapped.model)} predicts a function of a "
            "sum, and not a sum: read its regressor_, whose numbers are those before the target is "
            "transformed back"
        )
    return _Reading(read, wrapped, tree)


def column_model(
    wrapped: Wrapped, space: Space | None, feature_names: Sequence[str] | None
) -> ColumnModel:
    """Read a model over its columns; what its library forgot comes from the caller."""
    preprocessing = wrapped.preprocessing
    read = _by_reader(wrapped.model, preprocessing, space, feature_names)
    if not read.table.ordered:
        names = _given_names(preprocessing, space, feature_names)
        read = read.each(lambda tree: _in_given_order(tree, names))
    if read.table.garbled:
        described = space if preprocessing is None else None
        read = read.each(lambda tree: _with_given_labels(tree, described))
    if read.table.absent_is_nan and gives_sparse(preprocessing):
        read = zero_as_missing(read, sure=wrapped.sparse)
    return read


def _over_features(
    readings: Sequence[_Reading],
    space: Space | None,
    feature_names: Sequence[str] | None,
    nan: Nan,
) -> list[TreeKernel]:
    """State trees of one table over the features that its columns arise from."""
    preprocessing = readings[0].wrapped.preprocessing
    table = readings[0].model.table
    columns, features = source_columns(table, preprocessing, space, feature_names, nan)
    features = _with_facts(features, space)
    trees = [reading.tree for reading in readings if reading.tree is not None]
    return each_over_features(trees, columns, features)


def sum_over_features(
    model: ColumnModel,
    preprocessing: Any,
    space: Space | None,
    feature_names: Sequence[str] | None,
    nan: Nan,
) -> SumKernel:
    """State all trees of a sum over the features that their columns arise from."""
    assert model.values is not None
    columns, features = source_columns(model.table, preprocessing, space, feature_names, nan)
    trees = [replace(tree, distribution=None) for tree in model.trees]
    return SumKernel(
        all_over_features(trees, columns, features),
        model.values,
        scores=model.scores,
        classes=model.classes,
        adding=model.adding,
        rule=model.rule,
        link=model.link,
        factor=model.factor,
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
    kernel = read_model(
        model, preprocessing=preprocessing, space=space, feature_names=feature_names, nan=nan
    )
    if isinstance(kernel, SumKernel):
        raise _several(model, len(kernel.trees))
    return kernel


def _several(model: Any, n_trees: int) -> UnreadableModel:
    name = "this model" if isinstance(model, str | bytes | Path) else a_kind(model)
    return UnreadableModel(
        f"{name} adds up {n_trees:,} trees, and this needs one tree: ask the ensemble itself, read "
        "one of its trees, or make one tree of a small ensemble with orderless.read(...).to_tree()"
    )


def read_trees(
    models: Any,
    *,
    preprocessing: Any = None,
    space: Space | None = None,
    feature_names: Sequence[str] | None = None,
    nan: Nan = "unknown",
) -> list[TreeKernel]:
    """Read many trees: a set of TreeFARMS or PRAXIS, or any iterable of trees.

    All of them share one space, so that comparing them is quick; trees of one table are stated over
    its features together. Parameters are those of ``orderless.read``.

    Examples
    --------
    >>> leaf = {"prediction": 0}
    >>> split = {"feature": 1, "true": {"prediction": 1}, "false": leaf}
    >>> [tree.n_leaves for tree in read_trees([leaf, split], feature_names=["a", "b"])]
    [1, 2]
    """
    bits = _set_of(models)
    if bits is not None:
        columns, features = source_columns(bits.table, preprocessing, space, feature_names, nan)
        return list(build_all(bits, columns, _with_facts(features, space)))
    if isinstance(models, Mapping | str) or not isinstance(models, Iterable):
        raise UnreadableModel(
            "expected a TreeFARMS or PRAXIS model set or an iterable of trees, got "
            f"{a_kind(models)}: read one tree with orderless.read"
        )
    check_arguments(space, feature_names, nan)
    trees: list[TreeKernel] = []
    alike: list[_Reading] = []  # to be stated over features together
    for model in models:
        reading = _reading(model, preprocessing, space, feature_names)
        if isinstance(reading, SumKernel):
            raise _several(model, len(reading.trees))
        joins = isinstance(reading, _Reading) and len(alike) < AT_ONCE and reading.joins(alike)
        if not joins and alike:
            trees += _over_features(alike, space, feature_names, nan)
            alike = []
        if isinstance(reading, TreeKernel):
            trees.append(reading)
            continue
        if reading.tree is None:
            raise _several(model, len(reading.model.trees))
        alike.append(reading)
    if alike:
        trees += _over_features(alike, space, feature_names, nan)
    for tree in trees[1:]:
        if tree.space is not trees[0].space and tree.space == trees[0].space:
            tree.space = trees[0].space
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
        json.loads(text[:MAX_PATH])
    except ValueError:
        return len(text) > MAX_PATH
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


# -- which reader knows it -------------------------------------------------------------------------


def _by_reader(
    model: Any, preprocessing: Any, space: Space | None, feature_names: Sequence[str] | None
) -> ColumnModel:
    """Let the reader that knows a model read it."""
    if isinstance(model, str | Mapping):
        reader = reader_of_text(model) if isinstance(model, str) else None
        if reader is None:
            return from_nested(model, _given_names(preprocessing, space, feature_names))
        return _checked(reader.from_text(model))
    for library in READERS:
        if library in sys.modules:
            reader = import_module(f".{library}", __package__)
            if reader.knows(model):
                return _checked(getattr(reader, f"from_{library}")(model))
    if isinstance(model, type):
        raise UnreadableModel(f"got the class {model.__qualname__}: give a fitted model of it")
    raise UnreadableModel(
        f"cannot read {a_kind(model)}: known sources are {KNOWN}; "
        "build orderless.Tree(...) by hand for anything else"
    )


def _checked(model: Any) -> ColumnModel:
    if not isinstance(model, ColumnModel):
        raise TypeError(f"a reader must give a ColumnModel, got {a_kind(model)}")
    return model


def reader_of_text(text: str) -> Any:
    """Return the module that knows the text of a file; None if none does."""
    readers = (import_module(f".{name}", __package__) for name in FILES)
    return next((reader for reader in readers if reader.knows_text(text)), None)


def _set_of(models: Any) -> BitTrees | None:
    """Open a model set of a library; None if it is something else."""
    for library in SETS:
        if library in sys.modules:
            reader = import_module(f".{library}", __package__)
            if reader.knows_set(models):
                bits: BitTrees = reader.trees_of(models)
                return bits
    return None


def _with_facts(features: Space, space: Space | None) -> Space:
    """Give the space of a tree the facts of the space that a person described."""
    if space is None or frozenset(features.facts) == frozenset(space.facts):
        return features
    return features.with_facts(space.facts)


# -- what a library forgot about its columns -------------------------------------------------------


def _given_names(
    preprocessing: Any, space: Space | None, feature_names: Sequence[str] | None
) -> Sequence[str] | None:
    """Return the names that the caller has for the columns of the model's table."""
    if preprocessing is not None:
        own = getattr(preprocessing, "space_", None)
        return own.column_names if own is not None else list(preprocessing.get_feature_names_out())
    if space is not None:
        return space.column_names
    return feature_names


def _in_given_order(tree: ColumnTree, names: Sequence[str] | None) -> ColumnTree:
    """Bring columns whose order the library forgot into the order of the names that are given."""
    table = tree.table
    if names is None:
        return tree
    own = list(table.names or ())
    if sorted(names) != sorted(own):
        raise UnreadableModel(
            f"the model was fitted on the columns {own} and does not keep their order, so they go "
            f"by name; got {list(names)}: give the same names"
        )
    place = np.array([list(names).index(name) for name in own])
    binary = table.binary
    if not isinstance(binary, bool):
        binary = frozenset(place[list(binary)].tolist())
    ordered = replace(
        table,
        names=list(names),
        ordered=True,
        binary=binary,
        categories={int(place[i]): labels for i, labels in table.categories.items()},
    )
    return replace(tree, table=ordered, column=np.where(tree.column < 0, -1, place[tree.column]))


def _with_given_labels(tree: ColumnTree, space: Space | None) -> ColumnTree:
    """Take labels that the library garbled from the space; they must be the ones it garbled."""
    table = tree.table
    new: dict[Any, Any] = {}
    for column, resolve in table.garbled.items():
        listed: Sequence[Any] = ()
        if space is not None and column < len(space.columns):
            listed = space[space.columns[column].feature].categories
        for old, label in zip(table.categories[column], resolve(listed), strict=True):
            new[column, old] = label
    members = {
        node: [new.get((int(tree.column[node]), label), label) for label in labels]
        for node, labels in tree.members.items()
    }
    return replace(tree, members=members)


# -- where a model comes from ----------------------------------------------------------------------


class Origin(NamedTuple):
    """The library that made a model, the name of its class there, and what that stands in.

    ``library`` is what Hugging Face's hub calls it: "sklearn", "lightgbm".
    """

    library: str
    name: str = ""
    inside: str = ""

    def kind(self, model: TreeKernel | SumKernel) -> str:
        """Return what kind of model it is."""
        if isinstance(model, TreeKernel):
            return "decision-tree"
        named = (kind for start, kind in KINDS.items() if self.name.startswith(start))
        usual = "gradient-boosting" if self.library in BOOSTED else "tree-ensemble"
        return next(named, usual)

    def __str__(self) -> str:
        of = DISTRIBUTIONS.get(self.library, self.library)
        name = f"{self.name} of {of}" if self.name else f"a model of {of}"
        with suppress(PackageNotFoundError):
            name += f" {version(of)}" if self.name else ""
        return f"{name}, in a {self.inside}" if self.inside else name


OURS = Origin("orderless")


def origin_of(model: Any) -> Origin:
    """Return which library made a model; where only the tree itself is left, that is orderless.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> origin_of(RandomForestClassifier())[:2]
    ('sklearn', 'RandomForestClassifier')
    >>> origin_of({"prediction": 1}).library
    'orderless'
    """
    if isinstance(model, Origin):
        return model
    inner = opened(model)
    if isinstance(inner, str):
        reader = reader_of_text(inner)
        if reader is None:
            return OURS
        return Origin(reader.__name__.partition(".readers.")[2].partition(".")[0])
    if isinstance(inner, TreeKernel | SumKernel):
        return OURS
    wrapped = unwrap(inner, None).model
    library = type(wrapped).__module__.partition(".")[0]
    if library in ("builtins", "orderless"):
        return OURS
    if isinstance(model, Path | bytes):
        return Origin(library)  # the class of a file says nothing about the model
    inside = "" if wrapped is inner else type(inner).__qualname__
    return Origin(library, type(wrapped).__qualname__, inside)
