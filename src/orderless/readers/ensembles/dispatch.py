"""Ensembles in: one file per library, one way out.

In:  a trained model that adds up trees, or its file.
Out: ``SumKernel``. A library is imported only by its reader, and only if the model comes from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import InvalidTree, UnreadableModel, a_kind
from ...model import Adding, Rule, Space, SumKernel, TreeKernel
from ..builder import ColumnModel, ColumnTree, Nan
from ..dispatch import check_arguments, library_of, opened, read_tree, reader_of_text
from ..forgotten import given_names, in_given_order, with_given_labels
from ..preprocessing.columns import source_columns
from ..preprocessing.conditions import all_over_features
from ..sparse import gives_sparse, with_zero_as_missing
from ..wrapped import Wrapped, unwrapped
from .score import knows_score, read_score

__all__ = ["is_known", "read_ensemble"]

KNOWN = (
    "scikit-learn's RandomForest, ExtraTrees, GradientBoosting, HistGradientBoosting, AdaBoost, "
    "Bagging and Voting of trees, XGBoost, LightGBM and CatBoost (their model files too), "
    "ONNX, PMML, "
    "Spark MLlib's RandomForest and GBT (saved folders too), "
    "forests of R (ranger; see orderless.readers.r_script()), and "
    "one tree of any source with numbers or shares in its leaves"
)


def read_ensemble(
    model: Any,
    *,
    preprocessing: Any = None,
    space: Space | None = None,
    feature_names: Sequence[str] | None = None,
    nan: Nan = "unknown",
) -> SumKernel:
    """Read a trained model that adds up trees; see ``orderless.read``.

    One tree is a sum, too, if its leaves have numbers or shares of classes. Adding up what the
    leaves say, in the order and precision of the ``SumKernel``, gives the model's own scores to the
    last bit, and its rule the model's own class.

    Notes
    -----
    A forest adds its trees in order with one thread. With ``n_jobs`` of 2 or more scikit-learn
    adds them in whatever order its threads end, so that its own sums differ in the last bits from
    run to run; what is read here is the order of one thread. Bagging adds as many partial sums as
    it has jobs; the order here is that of one. A VotingRegressor adds one row alone in another
    order than several. Linear in the nodes.

    XGBoost, LightGBM and CatBoost add each row's trees in order, whatever the number of threads or
    rows, on a processor; a graphics card may add in another order. Not visible in a model, and so
    not read: a ``base_margin`` that is given with the rows, and the objective of your own that a
    ``Booster`` of XGBoost was trained with. A file that XGBoost's scikit-learn interface wrote is
    read as its estimator predicts (up to the best round), and that of a ``Booster`` as a
    ``Booster`` does (all rounds).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(n_estimators=5, max_depth=2, random_state=0).fit(X, y)
    >>> ensemble = read_ensemble(forest)
    >>> len(ensemble.trees), ensemble.classes, ensemble.adding.divisor
    (5, (0, 1, 2), 5.0)
    """
    check_arguments(space, feature_names, nan)
    given, model = model, opened(model)
    if isinstance(model, SumKernel):
        return model if space is None else _over(model, space)
    if isinstance(model, TreeKernel):
        return _of_one_tree(model if space is None else model.over(space))
    if knows_score(model):
        if preprocessing is not None or feature_names is not None:
            raise UnreadableModel(
                "a score names its features itself: leave preprocessing= and feature_names= out"
            )
        return read_score(model, space=space)
    wrapped = unwrapped(model, preprocessing)
    parts = _column_ensemble(wrapped.model)
    if parts is None:
        _refuse_unknown(wrapped.model)
    if parts is None or (wrapped.targets and len(parts.trees) == 1):
        tree = read_tree(
            given, preprocessing=preprocessing, space=space, feature_names=feature_names, nan=nan
        )
        return _of_one_tree(tree)
    if wrapped.targets:
        raise UnreadableModel(
            f"a TransformedTargetRegressor around {a_kind(wrapped.model)} predicts a function of a "
            "sum, and not a sum: read its regressor_, whose numbers are those before the target is "
            "transformed back"
        )
    return _over_features(parts, wrapped, space, feature_names, nan)


def is_known(model: Any) -> bool:
    """Whether a reader knows a model, once what is around it is taken off."""
    model = unwrapped(model, None).model
    if isinstance(model, str):
        return reader_of_text(model) is not None
    return not isinstance(model, Mapping) and library_of(model) is not None


def _column_ensemble(model: Any) -> ColumnModel | None:
    """Let the reader that knows a model read it; None if none does, or where leaves add nothing."""
    if isinstance(model, Mapping):
        return None
    if isinstance(model, str):
        reader = reader_of_text(model)
        read = None if reader is None else reader.from_text(model)
    else:
        reader = library_of(model)
        name = "" if reader is None else reader.__name__.rpartition(".")[2]
        read = None if reader is None else getattr(reader, f"from_{name}")(model)
    return read if isinstance(read, ColumnModel) and read.values is not None else None


def _refuse_unknown(model: Any) -> None:
    """Refuse what is not a single tree either."""
    if isinstance(model, str | Mapping) or library_of(model) is not None:
        return
    if isinstance(model, type):
        raise UnreadableModel(f"got the class {model.__qualname__}: give a fitted model of it")
    raise UnreadableModel(f"cannot read {a_kind(model)} as a sum of trees: known are {KNOWN}")


def _over_features(
    parts: ColumnModel,
    wrapped: Wrapped,
    space: Space | None,
    feature_names: Sequence[str] | None,
    nan: Nan,
) -> SumKernel:
    """State all trees over the features that their columns arise from."""
    preprocessing = wrapped.preprocessing
    table = parts.table
    if not table.ordered:
        names = given_names(preprocessing, space, feature_names)
        parts = _each(parts, lambda tree: in_given_order(tree, names))
    if table.garbled:
        own = space if preprocessing is None else None
        parts = _each(parts, lambda tree: with_given_labels(tree, own))
    if table.absent_is_nan and gives_sparse(preprocessing):
        parts = _each(parts, lambda tree: with_zero_as_missing(tree, sure=wrapped.sparse))
    columns, space = source_columns(parts.table, preprocessing, space, feature_names, nan)
    assert parts.values is not None
    return SumKernel(
        all_over_features(
            [replace(tree, distribution=None) for tree in parts.trees], columns, space
        ),
        parts.values,
        scores=parts.scores,
        classes=parts.classes,
        adding=parts.adding,
        rule=parts.rule,
        link=parts.link,
        factor=parts.factor,
    )


def _each(parts: ColumnModel, change: Callable[[ColumnTree], ColumnTree]) -> ColumnModel:
    """Change all trees, which still have one table then."""
    trees = [change(tree) for tree in parts.trees]
    return replace(parts, trees=[replace(tree, table=trees[0].table) for tree in trees])


def _over(ensemble: SumKernel, space: Space) -> SumKernel:
    """State an ensemble over another space."""
    return SumKernel(
        [tree.over(space) for tree in ensemble.trees],
        ensemble.values,
        scores=ensemble.scores.tolist(),
        classes=ensemble.classes or None,
        adding=ensemble.adding,
        rule=ensemble.rule,
        link=ensemble.link,
        factor=ensemble.factor,
    )


def _of_one_tree(tree: TreeKernel) -> SumKernel:
    """Make an ensemble of one tree, by the numbers or the shares of its leaves."""
    leaves = np.flatnonzero(tree.feature < 0)
    which = tree.leaf_class[leaves]
    number = np.full(tree.n_nodes, -1)
    number[leaves] = np.arange(len(leaves))
    plain = tree.replace(
        classes=range(len(leaves)), leaf_class=number, distribution=None, task="classification"
    )
    if tree.task == "regression":
        return SumKernel([plain], [tree.numbers[which]], adding=Adding(), rule=Rule("number"))
    shares = tree.shares[leaves]
    if not np.array_equal(shares.argmax(axis=1), which):
        at = int(np.flatnonzero(shares.argmax(axis=1) != which)[0])
        raise InvalidTree(
            f"leaf {at} predicts {tree.classes[which[at]]!r}, which is not the first class of the "
            f"largest share among its training rows ({shares[at].tolist()}), so that the tree does "
            "not decide by its shares: use the tree itself"
        )
    base = (0.0,) * len(tree.classes)
    return SumKernel(
        [plain], [shares], classes=tree.classes, adding=Adding(base=base), rule=Rule("largest")
    )
