"""A tree as a fitted scikit-learn classifier, or regressor.

In:  a ``Tree``.
Out: a ``DecisionTreeClassifier``, or ``DecisionTreeRegressor``, that predicts the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import InvalidSpace
from ...model import Column, Feature, Space

if TYPE_CHECKING:
    from ...model import TreeKernel

__all__ = ["to_sklearn"]

MOST_NODES = 1_000_000
MOST_CODES = 256  # bits of a set in scikit-learn

Codes = frozenset[int]
Children = tuple[tuple[int, dict[int, Codes]], tuple[int, dict[int, Codes]]]


def to_sklearn(tree: TreeKernel) -> Any:
    """Give a fitted ``DecisionTreeClassifier`` that predicts what the tree predicts.

    A regression tree becomes a ``DecisionTreeRegressor``, with the same numbers to the last bit.

    Its columns are those of the tree's space: the value of a numeric or boolean feature, or whether
    a condition holds (one-hot and threshold columns). scikit-learn rounds rows to float32 before it
    compares them with a threshold, so the two agree on every row of float32 numbers; a float64 that
    rounds across a threshold of a float64 feature may fall on the other side. NaN goes where the
    tree sends it if NaN is a value of the feature; otherwise to the side with more training rows,
    as in scikit-learn (``Tree.predict`` keeps such rows unknown).

    A question about a set of categories that no single one-hot column answers becomes several
    questions. A column that holds the categories themselves is asked as it is where scikit-learn
    can (from version 1.10 on) and the categories are 0, 1, 2, ..., at most 256 of them.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or DecisionTreeRegressor
        Probabilities and weights of nodes come from the tree's distribution; without one, or where
        it does not fit a leaf's class, every leaf is sure of its class. Of a regressor every leaf
        weighs the same: a tree of numbers does not know its training rows.

    Notes
    -----
    Linear in the nodes, unless sets of categories have to be asked for one column at a time.

    Examples
    --------
    >>> from orderless.readers import read_tree
    >>> tree = read_tree({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
    >>> to_sklearn(tree).predict([[0], [1]])
    array([0, 1])
    """
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    nodes = _Nodes(tree)
    model: Any
    if tree.task == "regression":
        model = DecisionTreeRegressor()
        model.tree_ = _core_tree(nodes, _numbers(nodes), 1)
    else:
        labels = tree.labels
        order = np.argsort(labels, kind="stable")  # scikit-learn's classes are sorted
        model = DecisionTreeClassifier()
        model.classes_ = labels[order]
        model.n_classes_ = np.int64(len(labels))
        model.tree_ = _core_tree(nodes, _shares(nodes, order), len(order))
    model.n_outputs_ = 1
    model.n_features_in_ = len(tree.space.columns)
    model.max_features_ = len(tree.space.columns)
    names = tree.space.column_names
    if names != tuple(f"x{i}" for i in range(len(names))):
        model.feature_names_in_ = np.array(names, dtype=object)
    return model


class _Nodes:
    """The nodes of scikit-learn's tree, each before its children, left before right."""

    def __init__(self, tree: TreeKernel) -> None:
        self.tree = tree
        self.column: list[int] = []
        self.threshold: list[float] = []
        self.missing_left: list[bool | None] = []  # None: to the larger side
        self.children: list[list[int]] = []
        self.leaf: list[int] = []  # which leaf of the tree it is, or -1
        self.depth: list[int] = []
        self.codes: dict[int, Codes] = {}  # the set of a node that asks for one
        todo: list[tuple[int, dict[int, Codes], int, int]] = [(0, {}, -1, 0)]
        while todo:
            source, known, parent, which = todo.pop()
            node = self._add(source, parent, which)
            if tree.feature[source] < 0:
                self.leaf[node] = source
                continue
            left, right = self._ask(source, known, node)
            todo += [(*right, node, 1), (*left, node, 0)]

    @property
    def both_children(self) -> NDArray[np.int64]:
        """The left and the right child of each node, -1 for leaves."""
        return np.array(self.children, dtype=np.int64).reshape(-1, 2)

    def _add(self, source: int, parent: int, which: int) -> int:
        node = len(self.column)
        if node >= MOST_NODES:
            raise InvalidSpace(
                f"asking for sets of categories by single columns takes more than {MOST_NODES:,} "
                "nodes: give the space columns for larger sets"
            )
        self.column.append(-2)
        self.threshold.append(-2.0)
        self.missing_left.append(None)
        self.children.append([-1, -1])
        self.leaf.append(-1)
        self.depth.append(0 if parent < 0 else self.depth[parent] + 1)
        if parent >= 0:
            self.children[parent][which] = node
        return node

    def _ask(self, source: int, known: dict[int, Codes], node: int) -> Children:
        """Write the question of a node; give what comes on the left and on the right."""
        tree = self.tree
        i = int(tree.feature[source])
        feature = tree.space.features[i]
        yes = (int(tree.when_true[source]), known)
        no = (int(tree.when_false[source]), known)
        if not feature.ordered:
            return self._ask_set(source, known, node)
        cut = float(tree.threshold[source])
        nan_true = bool(tree.nan_true[source])
        for column in _columns(tree.space, feature, value=True):
            self.column[node] = column
            self.threshold[node] = 0.5 if feature.kind == "boolean" else cut
            self.missing_left[node] = nan_true if feature.nan else None
            return yes, no
        for column in _columns(tree.space, feature, value=False):
            holds = _holds_at_most(feature, tree.space.columns[column], cut)
            if holds is None or (feature.nan and nan_true):
                continue
            self.column[node], self.threshold[node] = column, 0.5
            return (no, yes) if holds else (yes, no)
        raise InvalidSpace(
            f"no column says whether {tree.condition(source)}: the space has "
            f"{[column.name for column in tree.space.columns]}; convert the tree to "
            f"a space with a column for {feature.name!r} itself: tree.with_space(Space(...))"
        )

    def _ask_set(self, source: int, known: dict[int, Codes], node: int) -> Children:
        """Ask for a set, or for a part of it: then the same question is asked again below."""
        tree = self.tree
        i = int(tree.feature[source])
        feature = tree.space.features[i]
        asked = frozenset(tree.set_of(source).tolist())
        for column in _columns(tree.space, feature, value=True):
            if not _are_codes(feature) or _version().set_kind is None:
                continue
            self.column[node], self.threshold[node] = column, -np.inf
            self.codes[node] = asked - {len(feature.categories)}
            self.missing_left[node] = len(feature.categories) in asked if feature.nan else None
            yes, no = int(tree.when_true[source]), int(tree.when_false[source])
            return (yes, known), (no, known)
        here = known.get(i, frozenset(range(feature.n_values)))
        inside = here & asked
        best: tuple[bool, int, Codes] | None = None
        for column in _columns(tree.space, feature, value=False):
            ones = here & _ones(feature, tree.space.columns[column])
            if not ones or ones == here:
                continue
            parts = (ones, here - ones)
            pure = [part <= inside or not part & inside for part in parts]
            if all(pure):
                best = (True, column, ones)
                break
            if best is None or (any(pure) and not best[0]):
                best = (any(pure), column, ones)
        if best is None:
            raise InvalidSpace(
                f"scikit-learn's trees ask about numbers, and no column says whether "
                f"{tree.condition(source)}: one-hot encode {feature.name!r} (convert the tree "
                f"to a space whose columns are Condition({feature.name!r}, among=...): tree.over)"
            )
        _, column, ones = best
        self.column[node], self.threshold[node] = column, 0.5

        def go(part: Codes) -> tuple[int, dict[int, Codes]]:
            narrow = {**known, i: part}
            if part <= inside:
                return int(tree.when_true[source]), narrow
            return (source if part & inside else int(tree.when_false[source])), narrow

        return go(here - ones), go(ones)


def _columns(space: Space, feature: Feature, value: bool) -> Iterator[int]:
    for column in space.columns_of[feature.name]:
        if (space.columns[column].condition is None) == value:
            yield column


def _ones(feature: Feature, column: Column) -> Codes:
    """Give the codes of the categories for which a column is 1."""
    among = column.condition.among if column.condition is not None else None
    return frozenset(feature.categories.index(label) for label in among or ())


def _holds_at_most(feature: Feature, column: Column, cut: float) -> bool | None:
    """Whether a column is 1 where an ordered feature is at most the cut, or where it is above.

    None if it says neither.
    """
    condition = column.condition
    assert condition is not None
    if condition.at_most is not None:
        return True if float(feature.at_most(condition.at_most)) == cut else None
    flags = {bool(label) for label in condition.among or ()}
    return None if len(flags) != 1 else flags == {False}


def _are_codes(feature: Feature) -> bool:
    """Whether the categories are what scikit-learn takes for categories: 0, 1, 2, ..."""
    n = len(feature.categories)
    whole = all(type(label) is int for label in feature.categories)
    return whole and feature.categories == tuple(range(n)) and n <= MOST_CODES and not feature.other


class _Version(NamedTuple):
    """What the installed scikit-learn stores beside thresholds, found by fitting stumps.

    ``no_categories`` is how it writes that a column is a number, None where trees do not say;
    ``kinds`` the kind of a split and of a leaf, if nodes have one; ``set_kind`` the kind of a split
    that asks for a set, None where there is no such split.
    """

    no_categories: int | None
    kinds: tuple[int, int] | None
    set_kind: int | None


@cache
def _version() -> _Version:
    from sklearn.tree import DecisionTreeClassifier

    _, arguments, state = DecisionTreeClassifier().fit([[0.0], [1.0]], [0, 1]).tree_.__reduce__()
    if len(arguments) < 4:
        return _Version(None, None, None)
    number = int(np.asarray(arguments[3])[0])
    nodes = state["nodes"]
    if "left_cat_bitset" not in nodes.dtype.names:
        return _Version(number, None, None)
    if "split_kind" not in nodes.dtype.names:
        return _Version(number, None, 0)
    kinds = (int(nodes["split_kind"][0]), int(nodes["split_kind"][1]))
    try:
        stump = DecisionTreeClassifier(categorical_features=[0]).fit([[0.0], [1.0]], [0, 1])
        kind = int(stump.tree_.__reduce__()[2]["nodes"]["split_kind"][0])
    except (TypeError, ValueError):  # it calls categorical columns something else
        return _Version(number, kinds, None)
    return _Version(number, kinds, kind)


class _Said(NamedTuple):
    """What nodes say: ``values`` for each output, their impurity, and the weight of their rows."""

    values: NDArray[np.float64]
    impurity: NDArray[np.float64]
    total: NDArray[np.float64]


def _shares(nodes: _Nodes, order: NDArray[Any]) -> _Said:
    weight = _weights(nodes, nodes.both_children)[:, order]
    total = weight.sum(axis=1)
    share = weight / total[:, None]
    return _Said(share, 1.0 - (share**2).sum(axis=1), total)


def _numbers(nodes: _Nodes) -> _Said:
    """Give the numbers of leaves as they are, and means and variances of leaves for the others."""
    tree, children = nodes.tree, nodes.both_children
    value, total, impurity = (np.zeros(len(children)) for _ in range(3))
    leaves = np.flatnonzero(children[:, 0] < 0)
    source = np.array(nodes.leaf, dtype=np.int64)[leaves]
    value[leaves] = tree.numbers[tree.leaf_class[source]]
    total[leaves] = 1.0 / np.bincount(source, minlength=tree.n_nodes)[source]
    with np.errstate(over="ignore"):  # of numbers that no float can hold the square of
        for node in range(len(children) - 1, -1, -1):
            left, right = children[node]
            if left < 0:
                continue
            total[node] = total[left] + total[right]
            part = total[right] / total[node]
            apart = value[right] / 2 - value[left] / 2
            value[node] = value[left] + 2 * part * apart
            impurity[node] = (1 - part) * impurity[left] + part * impurity[right]
            impurity[node] += (1 - part) * part * (2 * apart) ** 2
    return _Said(value[:, None], impurity, total)


def _core_tree(nodes: _Nodes, said: _Said, n_values: int) -> Any:
    from sklearn.tree._tree import NODE_DTYPE, Tree

    children, total = nodes.both_children, said.total
    array = np.zeros(len(children), dtype=NODE_DTYPE)
    array["left_child"], array["right_child"] = children[:, 0], children[:, 1]
    array["feature"] = nodes.column
    array["threshold"] = nodes.threshold
    array["impurity"] = said.impurity
    array["weighted_n_node_samples"] = total
    array["n_node_samples"] = np.maximum(np.rint(total), 1)
    inner = children[:, 0] >= 0
    larger = np.zeros(len(children), dtype=bool)
    larger[inner] = total[children[inner, 0]] > total[children[inner, 1]]
    array["missing_go_to_left"] = [
        default if flag is None else flag
        for flag, default in zip(nodes.missing_left, larger.tolist(), strict=True)
    ]
    n_columns = len(nodes.tree.space.columns)
    categories = _write_sets(nodes, array, inner)
    core = Tree(n_columns, np.array([n_values], dtype=np.intp), 1, *categories)
    core.__setstate__(
        {
            "max_depth": max(nodes.depth),
            "node_count": len(array),
            "nodes": array,
            "values": np.ascontiguousarray(said.values[:, None, :]),
        }
    )
    return core


def _write_sets(
    nodes: _Nodes, array: NDArray[Any], inner: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], ...]:
    """Write the sets of categories into the nodes; give how many each column has."""
    version = _version()
    if version.no_categories is None:
        return ()
    if version.kinds is not None:
        array["split_kind"] = np.where(inner, *version.kinds)
    space = nodes.tree.space
    n_codes = np.full(len(space.columns), version.no_categories, dtype=np.intp)
    for node, codes in nodes.codes.items():
        for code in codes:
            array["left_cat_bitset"][node, code // 32] |= np.uint32(1 << code % 32)
        if version.kinds is not None:
            array["split_kind"][node] = version.set_kind
        column = nodes.column[node]
        n_codes[column] = len(space[space.columns[column].feature].categories)
    return (n_codes,)


def _weights(nodes: _Nodes, children: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give training rows by node and class: of leaves as the tree has them, of others their sum."""
    tree = nodes.tree
    weight = np.zeros((len(children), len(tree.classes)))
    leaves = np.flatnonzero(children[:, 0] < 0)
    source = np.array(nodes.leaf, dtype=np.int64)[leaves]
    label = tree.leaf_class[source]
    copies = np.bincount(source, minlength=tree.n_nodes)[source]
    sure = np.zeros((len(leaves), len(tree.classes)))
    sure[np.arange(len(leaves)), label] = 1.0
    if tree.distribution is not None:
        own = tree.distribution[source]
        total = own.sum(axis=1)
        counts = (own >= 0).all(axis=1) & (total > 0)
        fits = counts & (own.argmax(axis=1) == label)
        sure *= np.where(counts, total, 1.0)[:, None]
        sure[fits] = own[fits]
    weight[leaves] = sure / copies[:, None]
    for node in range(len(children) - 1, -1, -1):
        left, right = children[node]
        if left >= 0:
            weight[node] = weight[left] + weight[right]
    return weight
