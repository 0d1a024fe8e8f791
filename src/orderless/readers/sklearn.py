"""scikit-learn's trees, forests, boosted trees, bagging and voting models.

In:  a fitted ``DecisionTree``, ``ExtraTree``, ``RandomForest``, ``ExtraTrees``, ``Bagging``,
     ``Voting``, ``GradientBoosting``, ``HistGradientBoosting`` or ``AdaBoostClassifier``.
Out: ``ColumnModel``. Rows of trees are rounded to float32, then compared with float64 thresholds;
     ``HistGradientBoosting`` compares float64. Sums are float64, in the order of the members. From
     version 1.10 on a split may ask for a set of categories, which is stored as bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidTree, UnreadableModel, a_kind
from ..inputs import is_unknown
from ..model import Adding, Floats, Label, Link, Rule, plain_label
from .builder import DAMAGED, NUMBER, ColumnModel, ColumnTree, ModelBuilder, Table, whole_number
from .checks import refuse_own_predict, unfitted

__all__ = ["from_sklearn", "knows"]

# The fields of a node; other versions of scikit-learn may have others, of other meaning.
FIELDS = frozenset(
    {
        "left_child", "right_child", "feature", "threshold", "impurity", "n_node_samples",
        "weighted_n_node_samples", "missing_go_to_left",
    }
)  # fmt: skip
CATEGORICAL_FIELDS = frozenset({"left_cat_bitset", "split_kind"})
HIST_FIELDS = {
    "value", "count", "feature_idx", "num_threshold", "missing_go_to_left", "left", "right", "gain",
    "depth", "is_leaf", "bin_threshold", "is_categorical", "bitset_idx",
}  # fmt: skip
HIST_ATTRIBUTES = (
    "_baseline_prediction", "_preprocessor", "is_categorical_", "_loss", "n_features_in_",
)  # fmt: skip
HIST_LINKS: dict[str, Link] = {
    "IdentityLink": "identity",
    "LogLink": "exp",
    "LogitLink": "logistic",
    "MultinomialLogit": "softmax",
}
NOT_BELOW_ZERO = -5e-324  # what is above the float before 0 is at least 0
ROWS = 64  # for which the initial prediction is asked
REASONS = {
    "AdaBoostRegressor": "predicts a weighted median of its trees, which is not a sum",
    "IsolationForest": "predicts by the lengths of paths, and not by what leaves add",
    "RandomTreesEmbedding": "makes columns, and predicts nothing",
    "StackingClassifier": "hands what its members predict to another model, and adds nothing up",
    "StackingRegressor": "hands what its members predict to another model, and adds nothing up",
}


def knows(model: Any) -> bool:
    """Whether it is a tree of scikit-learn, or a model that adds up trees; others are refused."""
    from sklearn.ensemble import BaseEnsemble

    for kind in type(model).__mro__:
        if kind.__module__.startswith("sklearn.") and kind.__name__ in REASONS:
            raise UnreadableModel(
                f"{a_kind(model)} {REASONS[kind.__name__]}: orderless.read reads sums of trees"
            )
    if _reader_of(model) is not None:
        return True
    if isinstance(model, BaseEnsemble):
        raise UnreadableModel(
            f"{a_kind(model)} is not known to be a sum of trees: give a forest, booster, bagging "
            "or voting model of scikit-learn"
        )
    return False


def from_sklearn(model: Any) -> ColumnModel:
    """Read a fitted model of one output, and any number of classes."""
    reader = _reader_of(model)
    if reader is None:
        raise UnreadableModel(f"{a_kind(model)} is not a sum of trees")
    kind, fitted, read = reader
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(kind, method):
            refuse_own_predict(model, kind, method=method)
    if not hasattr(model, fitted):
        raise unfitted(model)
    return read(model)


class _Reader(NamedTuple):
    """Who reads a class of scikit-learn, and what a model of it has once it is fitted."""

    kind: type
    fitted: str
    read: Callable[[Any], ColumnModel]


def _reader_of(model: Any) -> _Reader | None:
    from sklearn import ensemble, tree

    if isinstance(model, tree.BaseDecisionTree):
        return _Reader(tree.BaseDecisionTree, "tree_", _from_tree)
    for name, (fitted, read) in READERS.items():
        for task in ("Classifier", "Regressor"):
            kind = getattr(ensemble, name + task)
            if isinstance(model, kind):
                return _Reader(kind, fitted, read)
    return None


# -- trees -----------------------------------------------------------------------------------------


def _from_tree(model: Any) -> ColumnModel:
    """Read a tree: shares of classes, of which the first of the largest is predicted; numbers."""
    from sklearn.base import is_regressor
    from sklearn.tree import BaseDecisionTree

    refuse_own_predict(model, BaseDecisionTree)
    if not hasattr(model, "tree_"):
        raise unfitted(model)
    _refuse_outputs(model, "tree")
    value = np.asarray(model.tree_.value[:, 0, :], dtype=np.float64)
    if not np.isfinite(value).all():
        raise InvalidTree(
            f"a leaf holds a number that is not finite ({value[~np.isfinite(value)][0]}): check "
            "the targets and the weights, and fit again"
        )
    table, arrays = _arrays(model)
    builder = ModelBuilder(table)
    leaf = arrays["column"] < 0
    if is_regressor(model):
        builder.add_arrays(**arrays, values=value[leaf, :1])
        return builder.finish(rule=NUMBER)
    weight = np.asarray(model.tree_.weighted_n_node_samples)[:, None]
    rows = value * weight if _are_shares(value) else value
    builder.add_arrays(**arrays, values=value[leaf], distribution=rows)
    classes = _classes(model, value.shape[1])
    return builder.finish(classes, Adding(base=(0.0,) * len(classes)), Rule("largest"))


def _arrays(model: Any) -> tuple[Table, dict[str, Any]]:
    """Return the table of a fitted tree, and its nodes, which are arrays already."""
    tree = model.tree_
    left = tree.children_left  # every look makes an array
    leaf = left < 0
    column = np.where(leaf, -1, tree.feature)
    n_columns, names = _columns(model, tree.n_features)
    members, categories = _categorical(model, column)
    # Since 1.3 every split knows where NaN goes, also one that met none in training.
    nan_left = getattr(tree, "missing_go_to_left", None)
    table = Table(
        n_columns,
        names,
        values="float32",
        learns_nan=nan_left is not None,
        categories=categories,
        other_categories=False,  # what becomes of other codes is not promised
    )
    return table, {
        "column": column,
        "at_most": np.asarray(tree.threshold, dtype=np.float64),
        "when_true": left,
        "when_false": tree.children_right,
        "nan_true": np.zeros(len(leaf), bool) if nan_left is None else np.asarray(nan_left, bool),
        "members": members,
    }


def _columns(model: Any, n_tree: int) -> tuple[int, list[str] | None]:
    """Count and name the columns; what the model, its tree and its names say must be equal."""
    n_columns = whole_number(getattr(model, "n_features_in_", None), "n_features_in_", least=1)
    n_tree = int(n_tree)
    names = getattr(model, "feature_names_in_", None)
    counts = {n_columns, n_tree} if names is None else {n_columns, n_tree, np.size(names)}
    if len(counts) > 1:
        raise UnreadableModel(
            f"this {type(model).__qualname__} says that it was fitted on {n_columns:,} columns, "
            f"its tree on {n_tree:,}{'' if names is None else f', and it names {np.size(names):,}'}"
            ": it is damaged; fit or save it again"
        )
    return n_columns, None if names is None else [str(name) for name in names]


def _classes(model: Any, n_classes: int) -> NDArray[Any]:
    """Return the classes of a model, which must be as many as its leaves have."""
    classes = np.asarray(getattr(model, "classes_", None))
    if classes.shape != (n_classes,):
        raise UnreadableModel(
            f"this {type(model).__qualname__} has leaves of {n_classes} classes, and classes_ of "
            f"shape {classes.shape}: {DAMAGED}"
        )
    return classes


def _refuse_outputs(model: Any, what: str) -> None:
    n_outputs = whole_number(getattr(model, "n_outputs_", 1), "n_outputs_", least=1)
    if n_outputs != 1:
        raise UnreadableModel(
            f"this {type(model).__qualname__} predicts {n_outputs} outputs at once; fit one {what} "
            "per output and read each"
        )


def _are_shares(value: Floats) -> bool:
    """From version 1.3 on scikit-learn stores shares, before it stored weights."""
    sums = value @ np.ones(value.shape[1])  # quicker than sum, of short rows
    return bool((np.abs(sums - 1.0) <= 1.001e-5).all())  # as np.allclose


Sets = dict[int, list[int]]


def _categorical(model: Any, column: NDArray[Any]) -> tuple[Sets, Sets]:
    """Return the sets of the splits that ask for categories, and the codes of their columns.

    A category is a whole number from 0; the model's table holds the numbers themselves.
    """
    _, arguments, state = model.tree_.__reduce__()
    nodes = state["nodes"]
    fields = frozenset(nodes.dtype.names)
    if not FIELDS - {"missing_go_to_left"} <= fields <= FIELDS | CATEGORICAL_FIELDS:
        raise _unknown_version(f"nodes of the fields {sorted(fields ^ FIELDS)}")
    if fields <= FIELDS:
        return {}, {}
    if "left_cat_bitset" not in fields or len(arguments) != 4:
        raise _unknown_version(f"trees of {len(arguments)} arguments and {sorted(fields)}")
    n_codes = np.asarray(arguments[3])
    if n_codes.shape != (model.tree_.n_features,) or n_codes.dtype.kind not in "iu":
        raise _unknown_version(f"numbers of categories of shape {n_codes.shape}")
    encoders = [name for name in vars(model) if "preprocessor" in name or "encoder" in name]
    if any(getattr(model, name) is not None for name in encoders):
        raise _unknown_version(f"a tree that encodes categories itself ({encoders[0]})")
    return _sets(nodes, column, n_codes), {
        int(j): list(range(n_codes[j])) for j in np.flatnonzero(n_codes > 0)
    }


def _sets(nodes: Any, column: NDArray[Any], n_codes: NDArray[Any]) -> Sets:
    """Read the bits of every split on a categorical column: the categories that go left."""
    bits = nodes["left_cat_bitset"]
    words = bits.reshape(len(nodes), -1).astype("<u4").view(np.uint8)
    flags = np.unpackbits(words, axis=1, bitorder="little")
    if bits.dtype != np.uint32 or n_codes.max(initial=0) > flags.shape[1]:
        raise _unknown_version(f"sets of {bits.dtype} and {n_codes.max()} categories")
    out: Sets = {}
    for node in np.flatnonzero(column >= 0).tolist():
        n, codes = int(n_codes[column[node]]), np.flatnonzero(flags[node]).tolist()
        if n <= 0:
            if codes:
                raise _unknown_version("categories at a split on a number")
            continue
        # Version 1.10 has splits by a random hash too, which list no category.
        by_hash = "split_kind" in nodes.dtype.names and not codes
        if nodes["threshold"][node] != -np.inf or by_hash or max(codes, default=0) >= n:
            raise _unknown_version("a split on categories that does not list them")
        out[node] = codes
    return out


def _unknown_version(what: str) -> UnreadableModel:
    import sklearn

    return UnreadableModel(
        f"scikit-learn {sklearn.__version__} made {what}, which this version of orderless does not "
        "know: encode categories with OneHotEncoder or OrdinalEncoder and fit again, or use a "
        "newer orderless"
    )


# -- averages: forests, bagging, voting ------------------------------------------------------------


class _Member(NamedTuple):
    """A member of an average.

    ``positions`` are those of its classes among the model's, ``columns`` those of its columns;
    None: the same. Its numbers are multiplied by ``weight``, if it has one.
    """

    model: ColumnModel
    weight: float | None = None
    positions: Sequence[int] | None = None
    columns: Sequence[int] | None = None


def _from_forest(model: Any) -> ColumnModel:
    """Read a forest: the mean of what its trees say."""
    _refuse_outputs(model, "model")
    members = [_Member(_from_tree(tree)) for tree in model.estimators_]
    classes = getattr(model, "classes_", None)
    if members and classes is not None:
        classes = _classes(model, _n_scores(members[0].model))
    return _averaged(model, members, len(members), classes)


def _from_bagging(model: Any) -> ColumnModel:
    """Read a bagging model: the mean of what its members say, each of some columns."""
    n = len(model.estimators_)
    features = getattr(model, "estimators_features_", None)
    if features is None or len(features) != n or model.n_estimators != n:
        raise UnreadableModel(
            f"this {type(model).__qualname__} has {n} members, sets of columns for "
            f"{len(features or ())} and n_estimators={model.n_estimators!r:.20}: {DAMAGED}"
        )
    classes = getattr(model, "classes_", None)
    members = []
    for i, (one, columns) in enumerate(zip(model.estimators_, features, strict=True)):
        member = _read_member(model, f"member {i}", one)
        positions = None if classes is None else np.asarray(member.classes, dtype=np.int64).tolist()
        members.append(_Member(member, None, positions, np.asarray(columns).tolist()))
    return _averaged(model, members, n, classes)


def _from_voting(model: Any) -> ColumnModel:
    """Read a voting model: the weighted mean of what its members say, or the count of votes."""
    names = [name for name, one in model.estimators if not _is_dropped(one)]
    weights = model.weights
    if weights is not None:
        pairs = zip(model.estimators, weights, strict=True)
        weights = np.array([w for (_, one), w in pairs if not _is_dropped(one)], dtype=np.float64)
    of_member: Sequence[float | None] = [None] * len(names) if weights is None else weights.tolist()
    members = []
    for name, one, weight in zip(names, model.estimators_, of_member, strict=True):
        member = _read_member(model, f"member {name!r:.80}", one)
        positions = None if member.classes is None else np.asarray(member.classes).tolist()
        members.append(_Member(member, weight, positions))
    if not hasattr(model, "classes_"):
        return _averaged(model, members, _total(weights, len(members), axis=1), None)
    if model.voting == "hard":
        return _averaged(model, [_votes(model, one) for one in members], 1.0, model.classes_)
    return _averaged(model, members, _total(weights, len(members), axis=0), model.classes_)


def _is_dropped(member: Any) -> bool:
    return isinstance(member, str) and member == "drop"


def _total(weights: Floats | None, n: int, axis: int) -> float:
    """Return what numpy's average divides by, added up as it does."""
    if weights is None:
        return float(n)
    if not weights.sum() > 0:
        raise UnreadableModel(f"weights must have a sum above 0, got {weights.tolist()!r:.80}")
    zeros = np.zeros((n, 1, 1) if axis == 0 else (1, n))
    return float(np.average(zeros, axis=axis, weights=weights, returned=True)[1].ravel()[0])


def _votes(model: Any, member: _Member) -> _Member:
    """Let a tree have one vote for the class that it predicts."""
    if len(member.model.trees) != 1:
        raise UnreadableModel(
            f"hard voting of a {type(model).__qualname__} counts the classes that its members "
            "predict, and the class of a member of several trees is not a sum: use voting='soft', "
            "or single trees"
        )
    weight = member.weight
    if weight is not None and not weight >= 0:
        raise UnreadableModel(f"a vote of weight {weight!r} cannot be counted: use weights from 0")
    (shares,) = _values(member.model)
    votes = np.zeros_like(shares)
    votes[np.arange(len(votes)), shares.argmax(axis=1)] = 1.0
    return member._replace(model=replace(member.model, values=[votes]))


def _values(model: ColumnModel) -> Sequence[Floats]:
    assert model.values is not None  # of scikit-learn's models
    return model.values


def _n_scores(model: ColumnModel) -> int:
    return len(model.adding.base)


def _read_member(model: Any, name: str, member: Any) -> ColumnModel:
    """Read a member, whose probabilities, or numbers, must be sums."""
    from sklearn.tree import DecisionTreeClassifier

    kind = type(model).__qualname__
    if not knows(member):
        what = "put its transformers before the whole" if hasattr(member, "steps") else "use trees"
        raise UnreadableModel(
            f"{name} of the {kind} is {a_kind(member)}, whose predictions are not read as a sum "
            f"of trees: {what}"
        )
    out = from_sklearn(member)
    if isinstance(member, DecisionTreeClassifier):
        refuse_own_predict(member, DecisionTreeClassifier, method="predict_proba")
    if out.link != "identity" or out.rule.kind == "cuts":
        raise UnreadableModel(
            f"{name} of the {kind} is {a_kind(member)}, whose probabilities are a function of a "
            "sum, and not a sum, so that their average is none: read the member alone, or average "
            "trees, forests and bagging models"
        )
    if (out.classes is None) != (not hasattr(model, "classes_")):
        raise UnreadableModel(f"{name} of the {kind} is {a_kind(member)}: {DAMAGED}")
    return out


def _averaged(model: Any, members: Sequence[_Member], divisor: float, classes: Any) -> ColumnModel:
    """Add up members and divide; exactly as scikit-learn does it where each is one tree.

    A member that is an average itself is rounded before it is added, which one sum over all trees
    does not repeat: then sums that are as close as that can differ are within rounding.
    """
    if not members:
        raise UnreadableModel(f"this {type(model).__qualname__} has no members: {DAMAGED}")
    n_scores = 1 if classes is None else len(classes)
    table = _common_table(model, members)
    trees: list[ColumnTree] = []
    values: list[Floats] = []
    for member in members:
        for tree, added in zip(member.model.trees, _values(member.model), strict=True):
            trees.append(_with_columns(tree, table, member))
            values.append(_spread(added, member, n_scores))
    flat = all(len(member.model.trees) == 1 for member in members)
    window = 0.0 if flat else _window(values)
    rule = Rule("number" if classes is None else "largest", window=window, either=not flat)
    adding = Adding(base=(0.0,) * n_scores, divisor=float(divisor))
    return ColumnModel(trees, values, classes, adding, rule)


def _window(values: Sequence[Floats]) -> float:
    """Bound by how much two sums can differ because members are rounded before they are added."""
    top = sum(float(np.abs(added).max(initial=0.0)) for added in values)
    return 4 * (len(values) + 8) * 2.0**-53 * top


def _spread(added: Floats, member: _Member, n_scores: int) -> Floats:
    """Multiply what leaves add, and put each number where its class is."""
    divisor = member.model.adding.divisor
    if divisor != 1:
        added = added * ((1.0 if member.weight is None else member.weight) / divisor)
    elif member.weight is not None:
        added = added * member.weight
    if member.positions is None:
        return added
    if added.shape[1] != len(member.positions) or max(member.positions) >= n_scores:
        raise UnreadableModel(f"a member has {added.shape[1]} classes: {DAMAGED}")
    out = np.zeros((len(added), n_scores))
    out[:, member.positions] = added
    return out


def _common_table(model: Any, members: Sequence[_Member]) -> Table:
    """Describe the columns that a model of members was fitted on."""
    first = members[0].model.table
    for member in members:
        table, n = member.model.table, member.model.table.n_columns
        if n != (first.n_columns if member.columns is None else len(member.columns)):
            raise UnreadableModel(f"a member was fitted on {n} columns: {DAMAGED}")
        if table.values != first.values or table.categories:
            raise UnreadableModel(
                f"the members of this {type(model).__qualname__} read their columns in different "
                "ways: encode categories with OneHotEncoder and fit again"
            )
    n_columns = first.n_columns if members[0].columns is None else model.n_features_in_
    n_columns, names = _columns(model, n_columns or 0)
    learns_nan = all(member.model.table.learns_nan for member in members)
    return replace(first, n_columns=n_columns, names=names, learns_nan=learns_nan)


def _with_columns(tree: ColumnTree, table: Table, member: _Member) -> ColumnTree:
    """State a tree over the columns of the model that it is a member of."""
    as_it_is = member.positions is None and member.weight is None
    rows = tree.distribution if as_it_is else None
    column = tree.column
    if member.columns is not None:
        position = np.array(member.columns, dtype=np.int64)
        column = np.where(column < 0, -1, position[column])
    return replace(tree, table=table, column=column, distribution=rows)


# -- boosting --------------------------------------------------------------------------------------


def _from_gradient_boosting(model: Any) -> ColumnModel:
    """Read gradient boosting: to a constant the trees are added, times the learning rate.

    scikit-learn multiplies and adds in one expression: where its compiler fuses the two (not on
    x86-64), its own last bit can differ.
    """
    from sklearn.base import is_classifier
    from sklearn.tree import DecisionTreeRegressor

    stages = np.asarray(model.estimators_)
    base = _initial(model)
    if stages.ndim != 2 or stages.shape[1] != len(base) or not stages.size:
        raise UnreadableModel(
            f"this {type(model).__qualname__} has stages of shape {stages.shape} and "
            f"{len(base)} scores: {DAMAGED}"
        )
    trees: list[ColumnTree] = []
    values, scores = [], []
    for one in stages.ravel().tolist():
        refuse_own_predict(one, DecisionTreeRegressor)
        member = _from_tree(one)
        score = len(trees) % len(base)
        spread = np.zeros((len(_values(member)[0]), len(base)))
        spread[:, score] = np.float64(model.learning_rate) * _values(member)[0][:, 0]
        trees.append(member.trees[0])
        values.append(spread)
        scores.append(score)
    sums = ColumnModel(
        _over_one_table(model, trees), values, None, Adding(base=tuple(base.tolist())), NUMBER,
        scores=scores,
    )  # fmt: skip
    if not is_classifier(model):
        return sums
    classes = np.asarray(model.classes_)
    if len(classes) != max(len(base), 2):
        raise UnreadableModel(
            f"this {type(model).__qualname__} has {len(base)} scores of {len(classes)} classes: "
            f"{DAMAGED}"
        )
    if len(base) > 1:
        return replace(sums, classes=classes, rule=Rule("largest"), link="softmax")
    factor = 2.0 if model.loss == "exponential" else 1.0
    rule = Rule("cuts", cuts=(NOT_BELOW_ZERO,))
    return replace(sums, classes=classes, rule=rule, link="logistic", factor=factor, scores=None)


def _initial(model: Any) -> Floats:
    """Return where the sums begin, which must not depend on the row."""
    from sklearn.dummy import DummyClassifier, DummyRegressor

    start = getattr(model, "init_", None)
    constant = isinstance(start, DummyRegressor) or (
        isinstance(start, DummyClassifier) and start.strategy not in ("stratified",)
    )
    if not constant and not (isinstance(start, str) and start == "zero"):
        raise UnreadableModel(
            f"this {type(model).__qualname__} begins with what {a_kind(start)} predicts, which is "
            "not the same for all rows, so that its score is not a sum of trees: leave init out, "
            "or use init='zero', and fit again"
        )
    if not hasattr(model, "_raw_predict_init"):
        raise UnreadableModel(
            f"this version of scikit-learn does not say where {a_kind(model)} begins: use a newer "
            "orderless"
        )
    rows = np.zeros((ROWS, model.n_features_in_), dtype=np.float32)
    starts = np.asarray(model._raw_predict_init(rows), dtype=np.float64)
    if starts.ndim != 2 or not (starts == starts[0]).all():
        raise UnreadableModel(
            f"this {type(model).__qualname__} does not begin with one number for all rows: fit it "
            "again without init"
        )
    first: Floats = starts[0]
    return first


def _from_adaboost(model: Any) -> ColumnModel:
    """Read AdaBoost (SAMME): each tree has a vote, for one class and against the others."""
    from sklearn.tree import BaseDecisionTree

    if getattr(model, "algorithm", "SAMME") not in ("SAMME", "deprecated"):
        raise UnreadableModel(
            f"this {type(model).__qualname__} adds logarithms of probabilities "
            f"(algorithm={model.algorithm!r:.20}): use algorithm='SAMME' and fit again"
        )
    weights = np.asarray(model.estimator_weights_, dtype=np.float64)
    total = float(weights.sum())
    if len(weights) < len(model.estimators_) or not 0 < total < np.inf:
        raise UnreadableModel(
            f"this {type(model).__qualname__} has {len(model.estimators_)} trees and weights with "
            f"the sum {total!r}: {DAMAGED}"
        )
    classes = np.asarray(model.classes_)
    trees, values = [], []
    for one, weight in zip(model.estimators_, weights.tolist(), strict=False):
        if not isinstance(one, BaseDecisionTree):
            raise UnreadableModel(
                f"this {type(model).__qualname__} adds up votes of {a_kind(one)}: AdaBoost is read "
                "if it is of trees"
            )
        member = _from_tree(one)
        shares = _values(member)[0]
        predicted = np.asarray(one.classes_)[shares.argmax(axis=1)]
        trees.append(replace(member.trees[0], distribution=None))
        values.append(_votes_for(predicted, classes, weight))
    trees = _over_one_table(model, trees)
    if len(classes) != 2:
        adding = Adding(base=(0.0,) * len(classes), divisor=total)
        factor = 1.0 / max(len(classes) - 1, 1)
        return ColumnModel(trees, values, classes, adding, Rule("largest"), "softmax", factor)
    # scikit-learn takes the second score minus the first, which is its opposite.
    adding = Adding(base=(0.0,), divisor=total / 2)
    second = [votes[:, 1:] for votes in values]

    def probabilities(scores: Floats) -> Floats:
        return np.asarray(model._compute_proba_from_decision(scores, 2))

    rule = Rule("cuts", cuts=(0.0,))
    return ColumnModel(trees, second, classes, adding, rule, "logistic", outputs=probabilities)


def _votes_for(predicted: NDArray[Any], classes: NDArray[Any], weight: float) -> Floats:
    """Return what each leaf adds to the score of each class."""
    hits = predicted[:, None] == classes[None, :]
    if not hits.any(axis=1).all():
        raise UnreadableModel(f"a tree predicts a class that the model does not have: {DAMAGED}")
    if len(classes) == 1:
        return np.zeros(hits.shape)
    return np.where(hits, weight, -1 / (len(classes) - 1) * weight)


def _over_one_table(model: Any, trees: Sequence[ColumnTree]) -> list[ColumnTree]:
    """Let all trees have the table of the model, which takes no missing values."""
    first = trees[0].table
    n_columns, names = _columns(model, first.n_columns or 0)
    table = replace(first, n_columns=n_columns, names=names, learns_nan=False)
    for tree in trees:
        if tree.table.n_columns != n_columns or tree.table.categories != first.categories:
            raise UnreadableModel(
                f"a tree was fitted on {tree.table.n_columns} columns, the whole model on "
                f"{n_columns}: {DAMAGED}"
            )
    return [replace(tree, table=table) for tree in trees]


# -- histogram boosting ----------------------------------------------------------------------------


def _from_hist_gradient_boosting(model: Any) -> ColumnModel:
    """Read histogram gradient boosting; thresholds are those of real values, not of bins.

    To a baseline the trees are added. Missing values have a direction at every split, and a
    category that was not met in training goes the way of missing values.
    """
    from sklearn.base import is_classifier

    missing = [name for name in HIST_ATTRIBUTES if not hasattr(model, name)]
    if missing:
        raise _unknown_version(f"a model without {missing[0]}")
    base = np.asarray(model._baseline_prediction)
    n_scores = int(model.n_trees_per_iteration_)
    if base.dtype != np.float64 or base.size not in (1, n_scores):
        raise _unknown_version(f"a baseline of shape {base.shape} and type {base.dtype}")
    columns, labels = _hist_columns(model)
    n_columns, names = _columns(model, len(columns))
    builder = ModelBuilder(Table(n_columns, names, learns_nan=True, categories=labels))
    for stage in model._predictors:
        if len(stage) != n_scores:
            raise UnreadableModel(f"a stage has {len(stage)} trees, not {n_scores}: {DAMAGED}")
        for score, predictor in enumerate(stage):
            builder.add_arrays(**_hist_arrays(predictor, labels, columns), score=score)
    adding = Adding(base=tuple(np.broadcast_to(base.ravel(), n_scores).tolist()))
    link = HIST_LINKS.get(type(model._loss.link).__name__)
    if link is None:
        raise _unknown_version(f"the link {type(model._loss.link).__name__}")
    if not is_classifier(model):
        return builder.finish(None, adding, NUMBER, link, outputs=model._loss.link.inverse)
    classes = np.asarray(model.classes_)
    if n_scores == 1 and len(classes) != 2:
        raise UnreadableModel(f"the model has 1 score of {len(classes)} classes: {DAMAGED}")
    rule = Rule("largest") if n_scores > 1 else Rule("cuts", cuts=(0.0,))
    return builder.finish(classes, adding, rule, link)


def _hist_columns(model: Any) -> tuple[NDArray[np.intp], dict[int, list[Label]]]:
    """Return the column of the table that each column of the trees is, and the labels of those.

    The model's encoder brings categorical columns to the front.
    """
    flags = model.is_categorical_
    if flags is None:
        if model._preprocessor is not None:
            raise _unknown_version("an encoder without categories")
        return np.arange(model.n_features_in_), {}
    flags = np.asarray(flags, dtype=bool)
    categorical = np.flatnonzero(flags)
    order = np.concatenate([categorical, np.flatnonzero(~flags)])
    front = np.asarray(model._is_categorical_remapped)
    known = model._preprocessor.named_transformers_["encoder"].categories_
    if not (front == (np.arange(len(flags)) < len(categorical))).all() or len(known) != len(
        categorical
    ):
        raise _unknown_version("an encoder that does not bring categories to the front")
    return order, {
        int(column): [plain_label(label) for label in labels if not is_unknown(label)]
        for column, labels in zip(categorical, known, strict=True)
    }


def _hist_arrays(
    predictor: Any, categories: Mapping[int, Sequence[Label]], columns: NDArray[np.intp]
) -> dict[str, Any]:
    """Return the nodes of one tree, and what its leaves add."""
    nodes = predictor.nodes
    if set(nodes.dtype.names or ()) != HIST_FIELDS:
        raise _unknown_version(f"nodes of the fields {sorted(nodes.dtype.names or ())}")
    leaf = nodes["is_leaf"].astype(bool)
    at = nodes["feature_idx"].astype(np.int64)
    if ((at < 0) | (at >= len(columns)))[~leaf].any():
        raise UnreadableModel(f"a node asks about column {at.max()}: {DAMAGED}")
    nan_left = nodes["missing_go_to_left"].astype(bool)
    left, right = (nodes[side].astype(np.int64) for side in ("left", "right"))
    column = np.where(leaf, -1, columns[np.where(leaf, 0, at)])
    members: dict[int, list[Label]] = {}
    for node in np.flatnonzero(~leaf & nodes["is_categorical"].astype(bool)).tolist():
        labels = categories.get(int(column[node]))
        if labels is None:
            raise UnreadableModel(f"column {column[node]} is not categorical: {DAMAGED}")
        words = predictor.raw_left_cat_bitsets[nodes["bitset_idx"][node]]
        flags = np.unpackbits(words.astype("<u4").view(np.uint8), bitorder="little")
        goes_left = flags[: len(labels)].astype(bool)
        # What is not listed goes with missing values, so these are where the set is not.
        if nan_left[node]:
            left[node], right[node] = right[node], left[node]
            goes_left = ~goes_left
        members[node] = [label for label, holds in zip(labels, goes_left, strict=True) if holds]
        nan_left[node] = False
    return {
        "column": column,
        "at_most": np.asarray(nodes["num_threshold"], dtype=np.float64),
        "when_true": np.where(leaf, -1, left),
        "when_false": np.where(leaf, -1, right),
        "nan_true": nan_left,
        "members": members,
        "values": nodes["value"][leaf].astype(np.float64),
    }


# The names of classes, what a fitted model has, and who reads it.
READERS: dict[str, tuple[str, Callable[[Any], ColumnModel]]] = {
    "RandomForest": ("estimators_", _from_forest),
    "ExtraTrees": ("estimators_", _from_forest),
    "Bagging": ("estimators_", _from_bagging),
    "Voting": ("estimators_", _from_voting),
    "GradientBoosting": ("estimators_", _from_gradient_boosting),
    "HistGradientBoosting": ("_predictors", _from_hist_gradient_boosting),
    "AdaBoost": ("estimators_", _from_adaboost),
}
