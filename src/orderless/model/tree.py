"""Tree: the one internal form of every tree that comes in.

In:  arrays of nodes over a ``Space``, from a reader or by hand.
Out: ``Tree``: immutable, checked once, without dead branches.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidSpace, InvalidTree, a_kind
from . import formats as serial
from .arrays import Nodes
from .box import Side
from .escapes import printable
from .numbers import row_boundary
from .space import Feature, Label, Space, plain_label
from .words import side_text

if TYPE_CHECKING:
    from .._core.rows import Reached
    from ..inputs import Rows
    from .bins import Bins

__all__ = ["Tree"]

TREE_FORMAT = "orderless-tree"
VERSION = 1
DRAWN = 100  # conditions on a path that are drawn as text
LONG = 1_000  # characters: numpy would make every label of a result as long as the longest

Ints = NDArray[np.int32]


class Tree:
    """A decision tree over a space, whatever made it.

    Node 0 is the root. An inner node asks one condition: a numeric or boolean feature is at most
    the node's threshold, or a categorical feature has one of the node's values. A leaf has
    feature -1 and a class.

    Parameters
    ----------
    space : Space
    classes : sequence of labels
        Class labels; bool, int, float or str, all of one type.
    feature : array of int
        Per node the position of its feature in the space, -1 for a leaf.
    threshold : array of float
        Per node its threshold, ignored where there is none. "At most infinity" always holds, so
        its branch is dropped; where NaN is a value it asks whether the value is known.
    when_true, when_false : array of int
        Per node the child where the condition holds, and where it does not.
    leaf_class : array of int
        Per leaf the position of its class in ``classes``.
    nan_true : array of bool, optional
        Where NaN is a value of the feature: whether NaN counts as "condition holds".
    sets : dict of node -> sequence of int, optional
        For nodes on categorical features, the numbers of the values for which the condition holds.
    distribution : array of shape (nodes, classes), optional
        Training rows (or weights, or shares) by class, kept for leaves.

    Attributes
    ----------
    n_dropped : int
        Nodes that were dropped because no row can reach them, or always answers them the same way.

    Notes
    -----
    Checking and dropping dead branches is linear in the nodes.

    Examples
    --------
    >>> from orderless import Space, Tree
    >>> tree = Tree(Space({"age": "integer"}), ["no", "yes"], feature=[0, -1, -1],
    ...             threshold=[24.5, 0, 0], when_true=[1, -1, -1], when_false=[2, -1, -1],
    ...             leaf_class=[-1, 0, 1])
    >>> print(tree)
    age <= 24?
      yes: no
      no:  yes
    >>> tree.predict([[24], [25]]).tolist()
    ['no', 'yes']
    """

    space: Space
    classes: tuple[Label, ...]
    n_dropped: int

    def __init__(
        self,
        space: Space,
        classes: Sequence[Any] | NDArray[Any],
        *,
        feature: ArrayLike,
        threshold: ArrayLike,
        when_true: ArrayLike,
        when_false: ArrayLike,
        leaf_class: ArrayLike,
        nan_true: ArrayLike | None = None,
        sets: Mapping[int, Sequence[int]] | None = None,
        distribution: ArrayLike | None = None,
    ) -> None:
        if not isinstance(space, Space):
            raise InvalidTree(f"space must be a Space, got {a_kind(space)}")
        self.space = space
        self.classes = _read_classes(classes)
        arrays = {
            "feature": _array(feature, np.int32, "feature"),
            "threshold": _array(threshold, np.float64, "threshold"),
            "when_true": _array(when_true, np.int32, "when_true"),
            "when_false": _array(when_false, np.int32, "when_false"),
            "leaf_class": _array(leaf_class, np.int32, "leaf_class"),
        }
        n = len(arrays["feature"])
        arrays["nan_true"] = (
            np.zeros(n, dtype=np.uint8)
            if nan_true is None
            else _array(nan_true, np.uint8, "nan_true")
        )
        shares = None
        if distribution is not None:
            shares = _array(distribution, np.float64, "distribution")
        start, values = _flatten(sets or {}, n)
        self._check_arrays(arrays, shares, start, values)
        self._normalise(arrays)
        self._keep(arrays, shares, start, values)

    @classmethod
    def of_normal(
        cls,
        space: Space,
        classes: tuple[Label, ...],
        arrays: dict[str, NDArray[Any]],
        start: NDArray[np.int64],
        values: Ints,
    ) -> Tree:
        """Make a tree out of arrays that are good and in normal form (readers of many trees)."""
        tree = cls.__new__(cls)
        tree.space = space
        tree.classes = classes
        tree._keep(arrays, None, start, values)
        return tree

    # -- checks, once --------------------------------------------------------------------------

    def _check_arrays(
        self,
        arrays: dict[str, NDArray[Any]],
        shares: NDArray[np.float64] | None,
        start: NDArray[np.int64],
        values: Ints,
    ) -> None:
        n = len(arrays["feature"])
        if n == 0:
            raise InvalidTree("a tree has at least one node, got none")
        for name, array in arrays.items():
            if array.shape != (n,):
                raise InvalidTree(f"{name} has shape {array.shape}, feature has ({n},)")
        if shares is not None and shares.shape != (n, len(self.classes)):
            raise InvalidTree(
                f"distribution has shape {shares.shape}, expected ({n}, {len(self.classes)})"
            )
        if shares is not None and not np.isfinite(shares).all():
            raise InvalidTree("distribution holds a number that is not finite")
        feature = arrays["feature"]
        inner = feature >= 0
        _refuse("feature", feature, (feature < -1) | (feature >= len(self.space)), "-1 (a leaf) to "
                f"{len(self.space) - 1}")  # fmt: skip
        for name in ("when_true", "when_false"):
            child = arrays[name]
            _refuse(name, child, inner & ((child < 0) | (child >= n)), f"0 to {n - 1}")
        label = arrays["leaf_class"]
        _refuse("leaf_class", label, ~inner & ((label < 0) | (label >= len(self.classes))),
                f"0 to {len(self.classes) - 1}")  # fmt: skip
        if inner.any():
            ordered = self.space.domains.ordered[feature] == 1
            threshold = arrays["threshold"]
            _refuse("threshold", threshold, inner & ordered & np.isnan(threshold), "a number")
        sizes = np.array([*(f.n_values for f in self.space.features), 0], dtype=np.int64)
        owner = np.repeat(feature, np.diff(start))  # a leaf's -1 has no values
        _refuse("set value", values, (values < 0) | (values >= sizes[owner]),
                "the number of one of the feature's values")  # fmt: skip
        links = _core.tree.check_links(self._core_nodes(arrays, start, values))
        if links.fault:
            twice = links.fault == 1
            what = "hangs on two parents, or on itself" if twice else "cannot be reached"
            raise InvalidTree(f"node {links.node} {what}: every node but the root has one parent")

    def _keep(
        self,
        arrays: dict[str, NDArray[Any]],
        shares: NDArray[np.float64] | None,
        start: NDArray[np.int64],
        values: Ints,
    ) -> None:
        """Drop dead branches, and freeze."""
        nodes = self._core_nodes(arrays, start, values)
        pruned = _core.tree.prune(nodes, self.space.domains)
        n = len(arrays["feature"])
        self.n_dropped = n - pruned.n_kept
        if self.n_dropped:
            index = pruned.new_index
            kept = np.flatnonzero(index >= 0)
            kept = kept[np.argsort(index[kept])]
            arrays["when_true"], arrays["when_false"] = pruned.when_true, pruned.when_false
            arrays = {name: array[kept] for name, array in arrays.items()}
            inner = arrays["feature"] >= 0
            for name in ("when_true", "when_false"):
                arrays[name] = np.where(inner, index[arrays[name]], -1).astype(np.int32)
            shares = None if shares is None else shares[kept]
            old = {new: values[start[i] : start[i + 1]].tolist() for new, i in enumerate(kept)}
            start, values = _flatten({i: v for i, v in old.items() if len(v)}, len(kept))
        self.feature: Ints = arrays["feature"]
        self.threshold: NDArray[np.float64] = arrays["threshold"]
        self.when_true: Ints = arrays["when_true"]
        self.when_false: Ints = arrays["when_false"]
        self.leaf_class: Ints = arrays["leaf_class"]
        self.nan_true: NDArray[np.uint8] = arrays["nan_true"]
        self.set_start, self.set_values = start, values
        self.distribution = shares
        inner = self.feature >= 0
        self.when_true[~inner] = self.when_false[~inner] = -1
        self.leaf_class[inner] = -1
        self.nodes = self._core_nodes(arrays, start, values)
        self._freeze()

    @property
    def _arrays(self) -> list[NDArray[Any]]:
        return [*self.nodes]

    def _freeze(self) -> None:
        shares = [] if self.distribution is None else [self.distribution]
        for array in (*self._arrays, *shares):
            array.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        derived = ("bins", "labels", "row_threshold", "numbered_leaves")  # made again when needed
        return {name: value for name, value in vars(self).items() if name not in derived}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # copied and unpickled arrays can be written to
        self._freeze()

    def _normalise(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Move every threshold to the boundary that it really draws, so that equal is equal."""
        feature, threshold = arrays["feature"], arrays["threshold"]
        threshold[feature < 0] = 0.0
        arrays["nan_true"][feature < 0] = 0
        for i in np.unique(feature[feature >= 0]):
            at = feature == i
            if self.space.features[i].ordered:
                threshold[at] = self.space.features[i].at_most(threshold[at])
                if not self.space.features[i].nan:
                    arrays["nan_true"][at] = 0
                # No value is at most -inf, so this asks "is it missing?": written one way only,
                # as "is it known?", which also holds for a row's own -inf.
                swap = at & np.isneginf(threshold) & (arrays["nan_true"] == 1)
                threshold[swap] = np.inf
                arrays["nan_true"][swap] = 0
                yes, no = arrays["when_true"], arrays["when_false"]
                yes[swap], no[swap] = no[swap], yes[swap]
            else:
                threshold[at] = 0.0
                arrays["nan_true"][at] = 0

    @staticmethod
    def _core_nodes(
        arrays: dict[str, NDArray[Any]], start: NDArray[np.int64], values: Ints
    ) -> Nodes:
        return Nodes(**arrays, set_start=start, set_values=values)

    # -- what it is ----------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int:
        """Number of nodes."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int((self.feature < 0).sum())

    @cached_property
    def depth(self) -> int:
        """Conditions on the longest path; 0 for a single leaf."""
        return int(_core.tree.check_links(self.nodes).depth)

    @cached_property
    def used(self) -> tuple[int, ...]:
        """Positions of the features that it asks about."""
        return tuple(int(i) for i in np.unique(self.feature[self.feature >= 0]))

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features that it asks about, in the order of the space."""
        return tuple(self.space.features[i].name for i in self.used)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Give the classes as an array, for results."""
        long = any(isinstance(c, str) and len(c) > LONG for c in self.classes)
        out = np.array(self.classes, dtype=object if long else None)
        # numpy drops final NULs of text, and rounds whole numbers of different signs.
        if not long and out.tolist() != list(self.classes):
            out = np.array(self.classes, dtype=object)
        out.setflags(write=False)
        return out

    @cached_property
    def row_threshold(self) -> NDArray[np.float64]:
        """Give, per node, the largest float64 in a row for which its condition holds."""
        out = self.threshold.copy()
        for i in self.used:
            feature = self.space.features[i]
            if feature.kind == "numeric":
                at = self.feature == i
                out[at] = row_boundary(self.threshold[at], feature.values)
        out.setflags(write=False)
        return out

    @cached_property
    def bins(self) -> Bins:
        """The same tree over the bins into which its conditions cut each feature."""
        from .bins import Bins

        return Bins(self)

    def relabelled(self, leaf_class: Ints) -> Nodes:
        """Give its nodes, for the core, with other classes at the leaves (by node)."""
        return self.nodes._replace(leaf_class=leaf_class)

    @cached_property
    def numbered_leaves(self) -> Nodes:
        """Its nodes, for the core, with every leaf as a class of its own, in their order."""
        leaves = self.feature < 0
        number = np.where(leaves, np.cumsum(leaves) - 1, -1).astype(np.int32)
        return self.relabelled(number)

    def __repr__(self) -> str:
        dropped = f", {self.n_dropped} dead nodes dropped" if self.n_dropped else ""
        return (
            f"Tree({self.n_leaves} leaves, depth {self.depth}, features {list(self.features)}, "
            f"classes {list(self.classes)}{dropped})"
        )

    def __eq__(self, other: object) -> bool:
        """Whether it is the same tree, node by node (``equivalent`` compares functions)."""
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            self.space == other.space
            and self.classes == other.classes
            and [type(c) for c in self.classes] == [type(c) for c in other.classes]
            and all(map(np.array_equal, self._arrays, other._arrays))
            and _same(self.distribution, other.distribution)
        )

    def __hash__(self) -> int:
        return hash((self.space, self.classes, *(array.tobytes() for array in self._arrays)))

    def condition(self, node: int) -> str:
        """Write the condition of an inner node in words."""
        feature = self.space.features[self.feature[node]]
        if not feature.ordered:
            return side_text(Side(feature, codes=tuple(self.set_of(node).tolist())))
        cut = float(self.threshold[node])
        return side_text(Side(feature, upper=cut, nan=bool(self.nan_true[node])))

    def set_of(self, node: int) -> Ints:
        """Give the numbers of the values for which a categorical condition holds."""
        return self.set_values[self.set_start[node] : self.set_start[node + 1]]

    def __str__(self) -> str:
        """Draw it as indented text."""
        lines: list[str] = []
        todo: list[tuple[int, str, str]] = [(0, "", "")]
        while todo:
            node, lead, indent = todo.pop()
            if len(indent) > 2 * DRAWN:  # the indents alone would be quadratic
                lines.append(f"{lead}... (deeper than {DRAWN} conditions, not drawn)")
                continue
            if self.feature[node] < 0:
                lines.append(lead + printable(str(self.classes[self.leaf_class[node]])))
                continue
            lines.append(f"{lead}{printable(self.condition(node))}?")
            inside = indent + "  "
            todo.append((int(self.when_false[node]), f"{inside}no:  ", inside))
            todo.append((int(self.when_true[node]), f"{inside}yes: ", inside))
        return "\n".join(lines)

    # -- what it says --------------------------------------------------------------------------

    def read(self, X: Any) -> Rows:
        """Read what it asks of rows of any usual kind; rows that were read stay as they are."""
        from ..inputs import Rows, read_rows

        return X if isinstance(X, Rows) else read_rows(X, self.space, self.used)

    def reach(self, X: Any, all_classes: bool = False) -> Reached:
        """Give by row the leaf, the class (-1: several), and on request all possible classes."""
        rows = self.read(X)
        return _core.rows.reach(
            self.nodes,
            self.space.domains,
            self.row_threshold,
            rows.columns,
            rows.n_rows,
            len(self.classes),
            all_classes,
        )

    def reached_leaves(self, X: Any) -> NDArray[np.uint8]:
        """Give rows x leaves: 1 where a row can reach a leaf. Leaves are in their order."""
        rows = self.read(X)
        reached = _core.rows.reach(
            self.numbered_leaves,
            self.space.domains,
            self.row_threshold,
            rows.columns,
            rows.n_rows,
            self.n_leaves,
            True,
        )
        return reached.possible.reshape(rows.n_rows, self.n_leaves)

    def decide(self, X: Any, n_jobs: int | None = None) -> NDArray[np.int32]:
        """Give by row the position of its class in ``classes``, -1 where it is not determined."""
        rows = self.read(X)
        return _core.rows.decide(
            self.nodes,
            self.space.domains,
            self.row_threshold,
            rows.columns,
            rows.n_rows,
            _n_threads(n_jobs),
        )

    def predict(self, X: Any, *, n_jobs: int | None = None) -> Any:
        """Give each row's class where it is certain.

        A row with unknowns (NaN, None, NA) has a class if every completion of it gets that class;
        otherwise it is masked.

        Parameters
        ----------
        X : array, data frame, or list of dicts
            Arrays go by position, the others by name.
        n_jobs : int, optional
            Threads to use, by default one; -1 is all cores. The result is the same.

        Returns
        -------
        numpy.ma.MaskedArray, or a nullable Series when a data frame came in

        Notes
        -----
        The paper's Theorem 3.2, read off the tree. Cost per row: features x leaves / 64 for trees
        of up to 512 leaves, else the nodes that it can reach. Beyond rows and result, memory does
        not grow with the rows, if these are numbers in an array.
        """
        from ..inputs import is_frame, labels_like

        if self.labels.dtype == object or is_frame(X):
            return labels_like(X, self.labels, self.decide(X, n_jobs))
        rows = self.read(X)
        data = np.empty(rows.n_rows, dtype=self.labels.dtype)
        hidden = np.empty(rows.n_rows, dtype=bool)
        _core.rows.label(
            self.nodes,
            self.space.domains,
            self.row_threshold,
            rows.columns,
            rows.n_rows,
            _n_threads(n_jobs),
            self.labels.view(np.uint8),
            self.labels.itemsize,
            data.view(np.uint8),
            hidden.view(np.uint8),
        )
        return np.ma.MaskedArray(data, mask=hidden)

    def predict_between(self, lower: Any, upper: Any) -> Any:
        """Give each row's class where it is certain, for values known only to lie in a range.

        See ``orderless.predict_between``.
        """
        from ..missing import predict_between

        return predict_between(self, lower, upper)

    def possible_classes(self, X: Any) -> list[tuple[Label, ...]]:
        """Give, for each row, every class that some completion of it gets, in their order."""
        from ..missing import possible_classes

        return possible_classes(self, X)

    def missing_needed(self, row: Any, *, limit: int = 200_000, time_limit: float = 60.0) -> Any:
        """Tell which unknown features would settle a row; see ``orderless.missing_needed``."""
        from ..missing import missing_needed

        return missing_needed(self, row, limit=limit, time_limit=time_limit)

    def odds(self, X: Any, weights: Any = "leaves", y: ArrayLike | None = None) -> Any:
        """Give the share of each class among training rows that fit; see ``orderless.odds``."""
        from ..missing import odds

        return odds(self, X, weights, y)

    def apply(self, X: Any) -> Any:
        """Give each row's leaf, masked where unknowns leave several."""
        leaf = self.reach(X).leaf
        return np.ma.MaskedArray(np.where(leaf < 0, 0, leaf), mask=leaf < 0)

    def over(self, space: Space) -> Tree:
        """State the same tree over another space that has its features, by name.

        A feature may become narrower there: declared integer, or boolean, or with fewer
        categories. Conditions that then always or never hold are dropped.
        """
        if space == self.space:
            return self
        at = np.array([space.index(name) for name in self.features], dtype=np.int32)
        feature = self.feature.copy()
        threshold = self.row_threshold.copy()
        sets: dict[int, list[int]] = {}
        for old, new in zip(self.used, at, strict=True):
            nodes = self.feature == old
            feature[nodes] = new
            here, there = self.space.features[old], space.features[new]
            if not _fits(here, there):
                raise InvalidSpace(
                    f"a tree over {here!r} cannot be stated over {there!r}: their values differ"
                )
            if not there.ordered:
                for node in np.flatnonzero(nodes).tolist():
                    sets[node] = self._set_over(node, here, there)
        return Tree(
            space,
            self.classes,
            feature=feature,
            threshold=threshold,
            when_true=self.when_true,
            when_false=self.when_false,
            leaf_class=self.leaf_class,
            nan_true=self.nan_true,
            sets=sets,
            distribution=self.distribution,
        )

    def _set_over(self, node: int, here: Feature, there: Feature) -> list[int]:
        """State a condition as a set of another feature's values."""
        if here.ordered:
            inside = [float(c) <= self.row_threshold[node] for c in there.categories]
            codes = [code for code, flag in enumerate(inside) if flag]
        else:
            own = set(self.set_of(node).tolist())
            codes = [i for i, label in enumerate(there.categories) if here.code(label) in own]
            if there.other and len(here.categories) in own:
                codes.append(len(there.categories))
        if there.nan and (
            self.nan_true[node] if here.ordered else here.n_values - 1 in self.set_of(node)
        ):
            codes.append(there.n_values - 1)
        return codes

    def to_sklearn(self) -> Any:
        """Give a fitted ``DecisionTreeClassifier`` that predicts the same.

        See ``orderless.output.code.to_sklearn`` for which columns it takes, and for rows that
        are not float32.
        """
        from ..output.code import to_sklearn

        return to_sklearn(self)

    def to_javascript(self, *, module: bool = True) -> str:
        """Write JavaScript that decides as ``predict`` does, without dependencies.

        It has three functions. ``decide(row)`` takes an object of feature: value and gives the
        class, or null where that depends on unknown values; ``possibleClasses(row)`` gives all
        classes that are left; ``why(row)`` gives one of the reasons that hold, in words. A value
        may also be a range, ``{from: 20, to: 30}``, or one of several categories,
        ``["red", "blue"]``.

        Parameters
        ----------
        module : bool
            Whether to write an ES module that exports the functions, or a script that puts them
            into the global object ``orderless``.

        Notes
        -----
        Linear in the tree. A value is unknown if it is left out, undefined, null, NaN or ``""``;
        where NaN is a value of the feature, null and NaN are that value.
        """
        from ..output.code import tree_as_javascript

        return tree_as_javascript(self, module=module)

    def _repr_html_(self) -> str:
        from ..output.rules import tree_as_html

        return tree_as_html(self)

    def to_sql(
        self,
        *,
        dialect: str = "duckdb",
        columns: Mapping[str, str] | None = None,
        table: str | Sequence[str] | None = None,
        shape: str = "auto",
        needed: bool = False,
    ) -> str:
        """Write what ``predict`` gives as an SQL expression; see ``CanonicalForm.to_sql``."""
        from ..output.code import as_sql

        return as_sql(self, dialect=dialect, columns=columns, table=table, shape=shape,
                      needed=needed)  # fmt: skip

    def to_polars(
        self,
        *,
        columns: Mapping[str, str] | None = None,
        shape: str = "auto",
        needed: bool = False,
    ) -> Any:
        """Give a polars expression for what ``predict`` gives; see ``CanonicalForm.to_polars``."""
        from ..output.code import as_polars

        return as_polars(self, columns=columns, shape=shape, needed=needed)

    # -- files ---------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Give what JSON needs to write it down (docs/formats)."""
        content: dict[str, Any] = {
            "space": self.space.to_dict(),
            "classes": list(self.classes),
            "feature": self.feature.tolist(),
            "threshold": [_number_out(t) for t in self.threshold.tolist()],
            "when_true": self.when_true.tolist(),
            "when_false": self.when_false.tolist(),
            "leaf_class": self.leaf_class.tolist(),
        }
        if self.nan_true.any():
            content["nan_true"] = [bool(flag) for flag in self.nan_true]
        sets = {str(i): s for i in range(self.n_nodes) if (s := self.set_of(i).tolist())}
        if sets:
            content["sets"] = sets
        if self.distribution is not None:
            content["distribution"] = self.distribution.tolist()
        return content

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Tree:
        """Read what ``to_dict`` gave. Anything else is an ``InvalidTree`` that says why."""
        with serial.Reading("a tree"):
            limits = [_number_in(t) for t in serial.take(content, "threshold", list)]
            nodes = {**content, "threshold": limits}
            names = ("feature", "threshold", "when_true", "when_false", "leaf_class")
            flags, shares = content.get("nan_true"), content.get("distribution")
            sets = serial.take({"sets": {}, **content}, "sets", dict)
            named = {f"set of {node}": values for node, values in sets.items()}
            return cls(
                Space.from_dict(serial.take(content, "space", dict)),
                serial.take(content, "classes", list),
                **{name: serial.numbers(nodes, name) for name in names},
                nan_true=None if flags is None else serial.numbers(content, "nan_true"),
                sets={_node_in(node): serial.numbers(named, f"set of {node}") for node in sets},
                distribution=None if shares is None else serial.numbers(content, "distribution", 2),
            )

    def to_json(self) -> str:
        """Write it as versioned JSON (docs/formats); ``from_json`` gives back an equal tree."""
        return serial.dump(TREE_FORMAT, VERSION, self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes, *, limit: int = serial.LIMIT) -> Tree:
        """Read what ``to_json`` wrote. Anything else is an ``InvalidTree`` that says why.

        Parameters
        ----------
        limit : int
            Longest text, in characters, that is looked at.
        """
        return cls.from_dict(serial.load(text, TREE_FORMAT, VERSION, limit=limit))

    def leaves(self) -> Iterator[int]:
        """Go through the leaves, in order of their numbers."""
        return iter(np.flatnonzero(self.feature < 0).tolist())


def _n_threads(n_jobs: int | None) -> int:
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0 or n_jobs < -1:
        raise ValueError(f"n_jobs={n_jobs!r}: legal are None, 1, 2, ..., and -1 for all cores")
    return n_jobs if n_jobs > 0 else os.cpu_count() or 1


def _fits(here: Feature, there: Feature) -> bool:
    """Whether every value of ``there`` is one of ``here``."""
    if there.nan and not here.nan:
        return False
    if here.ordered and there.ordered:
        return there.kind == "boolean" or (
            here.kind == "numeric" and (there.whole or not here.whole)
        )
    if here.ordered:
        low, high = here.bounds
        return not there.other and all(
            not isinstance(c, str) and low < c <= high and (not here.whole or c == int(c))
            for c in there.categories
        )
    if there.ordered:
        return False
    return (here.other or not there.other) and all(
        here.code(label) is not None for label in there.categories
    )


def _read_classes(classes: Sequence[Any] | NDArray[Any]) -> tuple[Label, ...]:
    if isinstance(classes, str | bytes) or not isinstance(classes, Iterable):
        raise InvalidTree(f"classes is a sequence of labels, got {classes!r:.80}")
    labels = tuple(plain_label(label) for label in classes)
    if not labels:
        raise InvalidTree("a tree has at least one class, got none")
    if len(set(labels)) != len(labels):
        raise InvalidTree(f"a class is there twice: {labels}")
    kinds = {str if isinstance(label, str) else bool if isinstance(label, bool) else float
             for label in labels}  # fmt: skip
    if len(kinds) > 1:
        raise InvalidTree(f"class labels are of one type, got {labels}")
    return labels


def _array(given: ArrayLike, dtype: type, name: str) -> NDArray[Any]:
    """Copy to a fresh array; an int array must really hold ints."""
    try:
        wide = np.array(given)
        if dtype is np.uint8:
            if wide.dtype.kind not in "biu" or not np.isin(wide, (0, 1)).all():
                raise InvalidTree(f"{name} holds true or false, got {wide.dtype}")
        elif dtype is np.int32:
            if wide.size and wide.dtype.kind not in "iu":
                raise InvalidTree(f"{name} holds whole numbers, got {wide.dtype}")
            if wide.size and (wide.max() > 2**31 - 1 or wide.min() < -(2**31)):
                raise InvalidTree(f"{name} holds a number that is too large")
        elif wide.dtype.kind not in "iuf":
            raise InvalidTree(f"{name} holds numbers, got {wide.dtype}")
        elif wide.dtype.kind in "iu" or isinstance(given, list | tuple):
            _refuse_rounding(name, given if isinstance(given, list | tuple) else wide.ravel())
        return np.ascontiguousarray(wide.astype(dtype))
    except InvalidTree:
        raise
    except (TypeError, ValueError) as fault:
        raise InvalidTree(f"{name} is not an array of numbers: {fault}") from fault


def _refuse_rounding(name: str, numbers: Iterable[Any]) -> None:
    """Refuse whole numbers of which float64 holds only a neighbour."""
    for number in numbers:
        whole = int(number) if isinstance(number, int | np.integer) else 0
        if whole != float(whole):
            near = f"{float(whole):.0f}"
            raise InvalidTree(f"{name} holds {whole}, which float64 cannot hold: use {near}")


def _flatten(sets: Mapping[int, Sequence[int]], n: int) -> tuple[NDArray[np.int64], Ints]:
    """Write sets by node one after the other."""
    whole = isinstance(sets, Mapping) and all(
        isinstance(node, int | np.integer) and not isinstance(node, bool) for node in sets
    )
    if not whole:
        raise InvalidTree(f"sets is a dict of node number -> values, got {sets!r:.80}")
    sizes = np.zeros(n + 1, dtype=np.int64)
    parts = []
    for node in sorted(sets):
        if not 0 <= node < n:
            raise InvalidTree(f"a set is given for node {node}, there are nodes 0 to {n - 1}")
        part = _array(sets[node], np.int32, "set")
        if part.ndim != 1 or np.ndim(sets[node]) != 1:
            raise InvalidTree(
                f"the set of node {node} is a list of numbers, got {sets[node]!r:.80}"
            )
        part = np.unique(part)
        sizes[node + 1] = len(part)
        parts.append(part)
    flat = np.concatenate(parts) if parts else np.zeros(0)
    return np.cumsum(sizes), flat.astype(np.int32)


def _refuse(name: str, array: NDArray[Any], bad: NDArray[np.bool_], legal: str) -> None:
    if bad.any():
        at = int(np.argmax(bad))
        raise InvalidTree(f"{name} {array[at]} at {at} is not legal: legal is {legal}")


def _same(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    return a is b if a is None or b is None else np.array_equal(a, b)


def _number_out(number: float) -> float | str:
    return number if np.isfinite(number) else ("inf" if number > 0 else "-inf")


def _node_in(text: str) -> int:
    if not (text.isascii() and text.isdigit() and text == text.lstrip("0").rjust(1, "0")):
        raise InvalidTree(f"'sets' goes by the numbers of nodes, got {text!r:.80}")
    return int(text)


def _number_in(number: Any) -> Any:
    return {"inf": np.inf, "-inf": -np.inf}.get(number) if isinstance(number, str) else number
