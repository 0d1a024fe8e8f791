"""Trees in: one file per library, one way out.

In:  a trained model, or nested dicts, or JSON.
Out: ``Tree``. A library is imported only by its reader, and only if the model comes from it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import Any, get_args

import numpy as np

from ..errors import InvalidSpace, InvalidTree, UnreadableModel, a_kind
from ..model import TREE_FORMAT, Space, Tree
from .bulk import Builder
from .checks import numbered_names, refuse_own_predict
from .nested import from_nested
from .source import Nan, SourceTree, default_space, space_columns

__all__ = ["read_tree", "read_trees"]

# Library, reader. A reader has ``knows(model)`` and ``from_<library>(model)``.
READERS = (
    "sklearn", "gosdt", "treefarms", "pydl85", "pystreed", "praxis", "xgboost", "lightgbm",
)  # fmt: skip
KNOWN = (
    "scikit-learn's tree classifiers, GOSDT, TreeFARMS, DL8.5, STreeD, PRAXIS, XGBoost and "
    "LightGBM (one tree each; their model files too), nested dicts, our JSON"
)


def read_tree(
    model: Any,
    *,
    through: Any = None,
    space: Space | None = None,
    feature_names: Sequence[str] | None = None,
    nan: Nan = "unknown",
) -> Tree:
    """Read a trained tree, whatever made it.

    Parameters
    ----------
    model : object
        A fitted scikit-learn tree classifier, a ``Pipeline`` that ends in one, or a search for the
        best of these (``GridSearchCV`` and its kin, of which the best estimator is read); a fitted
        tree of GOSDT, TreeFARMS, DL8.5, STreeD or PRAXIS; an XGBoost or LightGBM classifier of one
        tree, or the model file that either writes (XGBoost's as JSON); nested dicts (``feature``,
        ``true``, ``false``, ``prediction``) or their JSON; our own JSON. Files are given as text or
        as a ``Path``. A ``Tree`` is returned as it is. A subclass that has a ``predict`` of its own
        is refused, because its tree does not say what it decides.
    through : fitted transformer, optional
        What the model's table went through before: a binarizer, an encoder, a scaler, a
        ``ColumnTransformer`` or ``Pipeline`` of these. The conditions come out on the features
        that went in, in their own units, exactly.
    space : Space, optional
        What the columns of the table mean: of the model's table, or with ``through`` (or a
        ``Pipeline``) of the table that went in. Without it every column is a feature of its own:
        numeric, or boolean for the libraries that take 0/1 columns.
    feature_names : sequence of str, optional
        Names of the columns, where neither the model nor the space has them.
    nan : "unknown" or "value"
        Whether a missing value is unknown, and may be anything; or a value that the tree has
        learned to send one way. Then None, NaN, NA, NaT, null and masked cells all are that value,
        in arrays, data frames and dicts alike; only what a dict does not mention stays unknown.

    Returns
    -------
    Tree
        Its ``predict`` equals the model's on every complete row.

    Raises
    ------
    UnreadableModel, InvalidTree
        For a model that no reader knows, and for one that is damaged: what it says of itself is
        checked before memory is taken for it.

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
    if nan not in get_args(Nan):
        raise ValueError(f"nan must be one of {str(get_args(Nan))[1:-1]}, got {nan!r}")
    if space is not None and not isinstance(space, Space):
        raise InvalidSpace(
            f"space= is {a_kind(space)}, expected a Space: write "
            "orderless.Space({name: kind, ...}), or propose one with orderless.Space.infer(X)"
        )
    if isinstance(feature_names, str):
        raise InvalidSpace(
            f"feature_names= is the text {feature_names!r}, expected a list of names"
        )
    if isinstance(model, Path):
        model = _text_of(model)
    if isinstance(model, str) and "{" not in model and model.lower().endswith(".json"):
        raise InvalidTree(
            f"{model!r:.80} is not JSON: to read a file give a path, pathlib.Path({model!r:.80})"
        )
    if isinstance(model, str) and f'"{TREE_FORMAT}"' in model[:200]:
        model = Tree.from_json(model)
    model = _own_tree(model)
    if isinstance(model, Tree):
        return model if space is None else model.over(space)
    model, through = unwrap(model, through)
    if isinstance(model, Mapping | str):
        source = _from_text(model) if isinstance(model, str) else None
        if source is None:
            source = from_nested(model, _names_for_nested(through, space, feature_names))
    else:
        source = _in_order(_reader(model)(model), through, space, feature_names)
    if source.unsure:
        source = _with_labels(source, space if through is None else None)
    return interpreter(source, through, space, feature_names, nan)(source)


def _own_tree(model: Any) -> Any:
    """Give the tree of ours that has one: a form, a function of a Rashomon set."""
    ours = type(model).__module__.startswith("orderless.")
    tree = getattr(model, "tree", None) if ours else None
    return tree if isinstance(tree, Tree) else model


def read_trees(
    models: Any,
    *,
    through: Any = None,
    space: Space | None = None,
    feature_names: Sequence[str] | None = None,
    nan: Nan = "unknown",
) -> list[Tree]:
    """Read many trees: a set of TreeFARMS or PRAXIS, or any iterable of what ``read_tree`` knows.

    All of them share one space, so that comparing them is quick. Parameters are ``read_tree``'s.

    Examples
    --------
    >>> leaf = {"prediction": 0}
    >>> split = {"feature": 1, "true": {"prediction": 1}, "false": leaf}
    >>> [tree.n_leaves for tree in read_trees([leaf, split], feature_names=["a", "b"])]
    [1, 2]
    """
    members = iter(_members(models))
    head = list(islice(members, 1))
    if head and isinstance(head[0], SourceTree):
        builder = interpreter(head[0], through, space, feature_names, nan)
        return list(builder.build_all(chain(head, members)))
    trees: list[Tree] = []
    for member in chain(head, members):
        tree = read_tree(member, through=through, space=space, feature_names=feature_names, nan=nan)
        if trees and tree.space == trees[0].space:
            tree.space = trees[0].space
        trees.append(tree)
    return trees


def _from_text(text: str) -> SourceTree | None:
    """Read a model file of a library; None if it is something else."""
    from .lightgbm import from_text, is_text

    if is_text(text):
        return from_text(text)
    if '"learner"' in text and '"gradient_booster"' in text:
        from .xgboost import from_json

        return from_json(text)
    return None


def _text_of(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as fault:
        raise InvalidTree(f"the file {path.name!r} is not UTF-8 text: {fault}") from fault


def _members(models: Any) -> Iterable[Any]:
    """Open a model set of a library; leave other iterables as they are."""
    for library in READERS:
        if library in sys.modules:
            reader = import_module(f".{library}", __package__)
            if hasattr(reader, "knows_set") and reader.knows_set(models):
                members: Iterable[Any] = reader.members(models)
                return members
    if isinstance(models, Mapping | str) or not isinstance(models, Iterable):
        raise UnreadableModel(
            "expected a TreeFARMS or PRAXIS model set or an iterable of trees, got "
            f"{a_kind(models)}: read one tree with read_tree"
        )
    return models


def unwrap(model: Any, through: Any) -> tuple[Any, Any]:
    """Split a pipeline, or a search for the best one, into what transforms and what decides."""
    if "sklearn" not in sys.modules:
        return model, through
    from sklearn.pipeline import Pipeline

    while True:
        if _is_search(model):
            model = _best(model)
        elif isinstance(model, Pipeline):
            refuse_own_predict(model, Pipeline)
            steps = [step for step in model.steps[:-1] if step[1] not in (None, "passthrough")]
            if steps:
                before = Pipeline(steps)
                both = [("first", through), ("then", before)]
                through = before if through is None else Pipeline(both)
            model = model.steps[-1][1]
        else:
            return model, through


def _is_search(model: Any) -> bool:
    """Whether it is a GridSearchCV, RandomizedSearchCV, HalvingGridSearchCV or the like."""
    search = sys.modules.get("sklearn.model_selection._search")
    return search is not None and isinstance(model, search.BaseSearchCV)


def _best(search: Any) -> Any:
    from sklearn.model_selection._search import BaseSearchCV

    refuse_own_predict(search, BaseSearchCV)
    if not hasattr(search, "best_estimator_"):
        raise UnreadableModel(
            f"this {type(search).__qualname__} holds no best estimator: call fit(X, y) first, with "
            "refit=True"
        )
    return search.best_estimator_


def _reader(model: Any) -> Callable[[Any], SourceTree]:
    for library in READERS:
        if library in sys.modules:
            reader = import_module(f".{library}", __package__)
            if reader.knows(model):
                read: Callable[[Any], SourceTree] = getattr(reader, f"from_{library}")
                return read
    if isinstance(model, type):
        raise UnreadableModel(f"got the class {model.__qualname__}: give a fitted model of it")
    raise UnreadableModel(
        f"cannot read {a_kind(model)}: known sources are {KNOWN}; "
        "build orderless.Tree(...) by hand for anything else"
    )


def _names_for_nested(
    through: Any, space: Space | None, feature_names: Sequence[str] | None
) -> Sequence[str] | None:
    """Nested dicts may name columns: of the binarized table, or of the space."""
    if through is not None:
        own = getattr(through, "space_", None)
        return own.column_names if own is not None else list(through.get_feature_names_out())
    if space is not None:
        return space.column_names
    return feature_names


def _in_order(
    source: SourceTree, through: Any, space: Space | None, feature_names: Sequence[str] | None
) -> SourceTree:
    """Bring columns whose order the library forgot into the order of the names that are given."""
    if not source.by_name:
        return source
    names = _names_for_nested(through, space, feature_names)
    if names is None:
        return source
    own = list(source.column_names or ())
    if sorted(names) != sorted(own):
        raise UnreadableModel(
            f"the model was fitted on the columns {own} and does not keep their order, so they go "
            f"by name; got {list(names)}: give the same names"
        )
    place = np.array([list(names).index(name) for name in own])
    bits = source.binary
    return replace(
        source,
        column=np.where(source.column < 0, -1, place[source.column]),
        column_names=list(names),
        binary=bits if isinstance(bits, bool) else frozenset(place[list(bits)].tolist()),
        categories={int(place[i]): labels for i, labels in source.categories.items()},
        by_name=False,
    )


def _with_labels(source: SourceTree, space: Space | None) -> SourceTree:
    """Take labels that the library garbled from the space; they must be the ones it garbled."""
    new: dict[Any, Any] = {}
    for column, resolve in source.unsure.items():
        listed: Sequence[Any] = ()
        if space is not None and column < len(space.columns):
            listed = space[space.columns[column].feature].categories
        if (known := resolve(listed)) is None:
            raise UnreadableModel(
                f"the categories of column {column} have names that are not ASCII, which XGBoost "
                "cuts at the wrong places if they come from pandas, and can mix up in its own "
                "predict: rename the categories and fit again; or, for the tree by the codes of "
                "the categories, list them in the order of the model's categories, with "
                "space=Space({name: [labels], ...}) for all columns"
            )
        new |= {
            (column, old): label
            for old, label in zip(source.categories[column], known, strict=True)
        }
    members = {
        node: [new.get((int(source.column[node]), label), label) for label in labels]
        for node, labels in source.members.items()
    }
    return replace(source, members=members, unsure={})


def interpreter(
    source: SourceTree,
    through: Any,
    space: Space | None,
    feature_names: Sequence[str] | None,
    nan: Nan,
) -> Builder:
    """Say what the columns of a source mean: over which space, and how they arise from it."""
    if through is not None:
        from .through.columns import columns_through

        # A library that has no way with NaN cannot have learned one.
        known = nan if source.nan_true is not None else "unknown"
        columns, space = columns_through(through, space, feature_names, known, source.values)
    elif space is not None:
        if feature_names is not None and tuple(feature_names) != space.column_names:
            raise InvalidSpace(
                "the space names its columns already: leave feature_names out, or make them equal"
            )
        columns = space_columns(space)
    else:
        names = feature_names if feature_names is not None else source.column_names
        if names is None:
            names = numbered_names(source.n_columns)
        space = default_space(source, [str(name) for name in names], nan)
        columns = space_columns(space)
    return Builder(columns, space)
