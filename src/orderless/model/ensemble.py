"""SumKernel: the one internal form of every model that adds up trees.

In:  trees over one space whose leaves are numbered, and what each leaf adds; from a reader or by
     hand.
Out: ``SumKernel``: immutable, checked once; what rooms compute with.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..errors import InvalidTree
from . import formats as serial
from .arrays import Floats, Nodes
from .bins import Bins
from .ensemble_checks import (
    check_adding,
    check_link,
    check_rule,
    check_scores,
    check_trees,
    check_values,
)
from .ensemble_file import ENSEMBLE_FORMAT, KNOWING, VERSION, refuse_more, tree_in
from .feature import Label
from .knowledge.fact import Fact
from .numbers import row_boundary
from .rule import Link, Rule
from .space import Space
from .tree import TreeKernel
from .tree_arrays import Task, read_classes
from .tree_rows import labels_array
from .whole_numbers import IN_PAGES, ROOM, WITH_FACTS, Adding, Whole, in_units, whole_numbers

if TYPE_CHECKING:
    from .._core.ensembles import RowBins, Sum
    from .knowledge.fact_trees import FactTrees

__all__ = ["SumKernel"]


class SumKernel:
    """Trees whose leaves are added up; parameters are those of ``orderless.Ensemble``."""

    excluded: FactTrees | None = None  # what facts exclude, in an ensemble made for possible rows

    def __init__(
        self,
        trees: Sequence[TreeKernel],
        values: Sequence[ArrayLike],
        *,
        scores: Sequence[int] | None = None,
        classes: Sequence[Any] | NDArray[Any] | None = None,
        adding: Adding,
        rule: Rule,
        link: Link = "identity",
        factor: float = 1.0,
    ) -> None:
        trees = tuple(trees)
        check_trees(trees)
        check_adding(adding)
        self.trees: tuple[TreeKernel, ...] = tuple(
            tree if tree.distribution is None else tree.replace(distribution=None) for tree in trees
        )
        self.space: Space = trees[0].space
        n_scores = len(adding.base)
        try:
            self.values: tuple[Floats, ...] = tuple(
                np.array(own, dtype=np.float64).reshape(-1, n_scores) for own in values
            )
        except (TypeError, ValueError) as fault:
            raise InvalidTree(
                f"values must be, for each tree, numbers of leaves x {n_scores} scores: {fault}"
            ) from fault
        check_values(trees, self.values, adding)
        self.scores = check_scores(scores, self.values)
        self.task: Task = "classification" if classes is not None else "regression"
        self.classes: tuple[Label, ...] = (
            () if classes is None else read_classes(classes, "classification")
        )
        check_rule(rule, n_scores, len(self.classes))
        check_link(link, factor)
        self.adding, self.rule, self.link, self.factor = adding, rule, link, float(factor)
        self._freeze()

    def replace(self, **changes: Any) -> SumKernel:
        """Make an ensemble that differs in some of the parameters that ``Ensemble`` takes."""
        own: dict[str, Any] = {
            "trees": self.trees,
            "values": self.values,
            "scores": self.scores,
            "classes": self.classes or None,
            "adding": self.adding,
            "rule": self.rule,
            "link": self.link,
            "factor": self.factor,
        }
        return SumKernel(**{**own, **changes})

    # -- the same names as a tree has, for all nodes one tree after the other --------------------

    @cached_property
    def starts(self) -> NDArray[np.int32]:
        """Where each tree begins among all nodes: its root."""
        return np.cumsum([0, *(tree.n_nodes for tree in self.trees)])[:-1].astype(np.int32)

    @cached_property
    def nodes(self) -> Nodes:
        """All nodes, one tree after the other; a leaf's class is its place among all values."""
        parts = [tree.nodes for tree in self.trees]
        first = np.cumsum([0, *(len(own) for own in self.values)])[:-1].tolist()

        def shifted(name: str, by: Sequence[int]) -> NDArray[Any]:
            arrays = (getattr(part, name) for part in parts)
            return np.concatenate(
                [np.where(a >= 0, a + b, -1) for a, b in zip(arrays, by, strict=True)]
            ).astype(np.int32)

        def joined(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(part, name) for part in parts])

        starts = self.starts.tolist()
        ends = np.cumsum([0, *(len(part.set_values) for part in parts)]).tolist()
        set_start = [part.set_start[:-1] + at for part, at in zip(parts, ends, strict=False)]
        return Nodes(
            joined("feature"),
            joined("threshold"),
            joined("nan_true"),
            shifted("when_true", starts),
            shifted("when_false", starts),
            shifted("leaf_class", first),
            np.concatenate([*set_start, [ends[-1]]]).astype(np.int64),
            joined("set_values"),
        )

    @cached_property
    def used(self) -> tuple[int, ...]:
        """Positions of the features that it asks about."""
        return tuple(sorted({i for tree in self.trees for i in tree.used}))

    @cached_property
    def features(self) -> tuple[str, ...]:
        """Their names, in the order of the space."""
        return tuple(self.space.features[i].name for i in self.used)

    @cached_property
    def labels(self) -> NDArray[Any]:
        """Give the classes as an array, for results."""
        return labels_array(self.classes)

    @cached_property
    def bins(self) -> Bins:
        """The conditions of all trees cut each feature into bins."""
        return Bins(self)

    @cached_property
    def connected(self) -> tuple[int, ...]:
        """Positions of the features that facts are about: rows are read with them."""
        knowledge = self.space.knowledge
        return () if knowledge is None else tuple(sorted(knowledge.group_of))

    @cached_property
    def whole(self) -> Whole:
        """What leaves add, in whole numbers of a common unit, and what rounding can hide."""
        # What facts exclude is worth less than all sums, which takes some more bits.
        return whole_numbers(self.values, self.adding, WITH_FACTS if self.connected else ROOM)

    def whole_within(self, bits: int) -> Whole:
        """Give the same in a unit so coarse that no sum takes more than so many bits."""
        return whole_numbers(self.values, self.adding, bits)

    @cached_property
    def summed(self) -> Sum:
        """The same over bins, for the core: made once, asked many times."""
        return self._summed(self.whole)

    @cached_property
    def summed_as_in_pages(self) -> Sum:
        """The same in the unit of the page's script, for what has to have the same numbers."""
        return self._summed(self.whole_within(IN_PAGES))

    def _summed(self, whole: Whole) -> Sum:
        adding, rule = self.adding, self.rule
        # Cuts round down: a whole sum is above a cut if it is above the whole number below it.
        cuts = [in_units(cut, whole.exponent) for cut in rule.cuts]
        return _core.ensembles.Sum(
            self.bins.nodes,
            self.bins.layout,
            self.starts,
            self.scores,
            np.concatenate(self.values),
            whole.values,
            np.array(adding.base, dtype=np.float64),
            whole.base,
            whole.slack,
            adding.precision == "float32",
            adding.base_last,
            float(adding.divisor),
            ("largest", "cuts", "number").index(rule.kind),
            np.array(rule.cuts, dtype=np.float64),
            np.array(cuts, dtype=np.int64),
            rule.window,
            rule.window_in_units(whole.exponent),
            rule.either,
            len(self.classes),
        )

    @cached_property
    def row_bins(self) -> RowBins:
        """How the values of rows fall into its bins, for the core."""
        bins, cuts, of_value = self.bins, [], []
        for feature, own, groups in zip(bins.features, bins.cuts, bins.groups, strict=True):
            codes = np.zeros(0 if feature.ordered else feature.n_values, dtype=np.int32)
            for b, group in enumerate(groups):
                codes[list(group)] = b
            cuts.append(np.ascontiguousarray(row_boundary(own, feature.values)))
            of_value.append(codes)
        positions = np.array(bins.positions, dtype=np.int32)
        return _core.ensembles.RowBins(self.summed, positions, cuts, of_value)

    # -- what it is ------------------------------------------------------------------------------

    def over(self, space: Space) -> SumKernel:
        """Convert to another space that has its features, by name; see ``Ensemble.with_space``."""
        if space == self.space:
            return self
        return self.replace(trees=[tree.over(space) for tree in self.trees])

    def with_facts(self, facts: Iterable[Fact | str]) -> SumKernel:
        """Return the same sum over its space with more facts."""
        return self.over(self.space.with_facts(facts))

    @property
    def n_trees(self) -> int:
        """How many trees it has."""
        return len(self.trees)

    @property
    def n_scores(self) -> int:
        """How many scores its leaves add to."""
        return len(self.adding.base)

    @property
    def _arrays(self) -> list[NDArray[Any]]:
        return [*self.values, self.scores]

    def _freeze(self) -> None:
        for array in self._arrays:
            array.setflags(write=False)

    def __getstate__(self) -> dict[str, Any]:
        """Give what it is made of; what it can compute again is not pickled."""
        made_again = {name for kind in type(self).__mro__ for name, member in vars(kind).items()
                      if isinstance(member, cached_property)}  # fmt: skip
        return {name: value for name, value in vars(self).items() if name not in made_again}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._freeze()  # copied and unpickled arrays can be written to

    def __eq__(self, other: object) -> bool:
        """Whether it is the same ensemble, tree by tree (``equivalent`` compares functions)."""
        if not isinstance(other, SumKernel):
            return NotImplemented
        return (
            self.trees == other.trees
            and self.classes == other.classes
            and [type(c) for c in self.classes] == [type(c) for c in other.classes]
            and (self.adding, self.rule, self.link, self.factor)
            == (other.adding, other.rule, other.link, other.factor)
            and all(map(np.array_equal, self._arrays, other._arrays))
        )

    def __hash__(self) -> int:
        return hash((self.trees, self.classes, self.rule, self.link))

    @property
    def _gives(self) -> str:
        return f"classes {list(self.classes)!s:.80}" if self.classes else "numbers"

    def __repr__(self) -> str:
        return (
            f"Ensemble({_counted(self.n_trees, 'tree')}, features {list(self.features)!s:.200}, "
            f"{self._gives})"
        )

    def __str__(self) -> str:
        """Say in a few lines what it consists of."""
        leaves = sum(tree.n_leaves for tree in self.trees)
        depth = max(tree.depth for tree in self.trees)
        how = {
            "largest": "the class of the largest score",
            "cuts": "the class of the interval that the score falls into",
            "number": "the score is the number",
        }[self.rule.kind]
        exact = "without rounding" if not self.whole.slack.any() else f"in {self.adding.precision}"
        return (
            f"{_counted(self.n_trees, 'tree')} with {_counted(leaves, 'leaf')}, at most {depth} "
            f"deep, over {_counted(len(self.used), 'feature')}: {list(self.features)!s:.200}\n"
            f"{self._gives}; {_counted(self.n_scores, 'score')}, added {exact}; {how}"
        )

    # -- files -----------------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Give what JSON needs to write it down (docs/formats)."""
        own = self
        trees = []
        for tree, values, score in zip(own.trees, own.values, own.scores.tolist(), strict=True):
            content = tree.to_dict()
            del content["space"], content["classes"]
            entry = {**content, "values": values.tolist()}
            trees.append(entry if score < 0 else {**entry, "score": score})
        adding, rule = own.adding, own.rule
        return {
            "space": own.space.to_dict(),
            "classes": list(own.classes) or None,
            "adding": {**adding._asdict(), "base": list(adding.base)},
            "rule": {**rule._asdict(), "cuts": list(rule.cuts)},
            "link": own.link,
            "factor": own.factor,
            "trees": trees,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> SumKernel:
        """Read what ``to_dict`` gave. Anything else is an ``InvalidTree`` that says why."""
        with serial.Reading("an ensemble"):
            adding = dict(serial.take(content, "adding", dict))
            rule = dict(serial.take(content, "rule", dict))
            refuse_more("adding", adding, Adding._fields)
            refuse_more("rule", rule, Rule._fields)
            space = serial.take(content, "space", dict)
            entries = serial.take(content, "trees", list)
            trees = [tree_in(entry, space) for entry in entries]
            classes = content.get("classes")
            last = serial.take({"base_last": False, **adding}, "base_last", bool)
            return cls(
                trees,
                [serial.numbers(entry, "values", 2) for entry in entries],
                scores=[serial.take({"score": -1, **entry}, "score", int) for entry in entries],
                classes=None if classes is None else serial.take(content, "classes", list),
                adding=Adding(
                    **{**adding, "base": tuple(serial.numbers(adding, "base")), "base_last": last}
                ),
                rule=Rule(**{**rule, "cuts": tuple(serial.numbers({"cuts": [], **rule}, "cuts"))}),
                link=serial.take(content, "link", str),
                factor=content.get("factor", 1.0),
            )

    def to_json(self) -> str:
        """Write it as versioned JSON (docs/formats); ``from_json`` gives back an equal one."""
        version = KNOWING if self.space.facts else VERSION
        return serial.dump(ENSEMBLE_FORMAT, version, self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes, *, limit: int = serial.LIMIT) -> SumKernel:
        """Read what ``to_json`` wrote. Anything else is an ``InvalidTree`` that says why.

        Parameters
        ----------
        limit : int
            Longest text, in characters, that is looked at.
        """
        return cls.from_dict(serial.load(text, ENSEMBLE_FORMAT, (VERSION, KNOWING), limit=limit))


def _counted(n: int, noun: str) -> str:
    many = {"leaf": "leaves"}.get(noun, f"{noun}s")
    return f"{n:,} {noun if n == 1 else many}"
