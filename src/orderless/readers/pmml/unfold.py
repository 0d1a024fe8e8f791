"""Many-way trees with any predicates become binary trees of one test each.

In:  ``Node``: children that are tried in order, with predicates in three-valued logic.
Out: the same function, described to a ``ModelBuilder``: wherever the way down is not the same for
     all values that are left, what is left is cut in two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf
from typing import Any, Literal, NamedTuple

from ...errors import UnreadableModel
from ..builder import ModelBuilder
from .columns import Column
from .predicates import JOINED, Compound, Predicate
from .regions import FALSE, TRUE, UNKNOWN, Atom, Side

__all__ = ["Node", "Strategy", "Unfolding"]

MAX_STEPS = 2**25  # tests that are looked at, in all
MISSING = ("none", "nullPrediction", "lastPrediction", "defaultChild")

Box = Mapping[int, Side]


class Strategy(NamedTuple):
    """What becomes of a row where a predicate is unknown, and where no child fits."""

    missing: str = "none"
    last_if_none: bool = False

    @property
    def sends_missing(self) -> bool:
        """Whether a row with a missing value has a way on."""
        return self.missing in ("none", "lastPrediction", "defaultChild")


class Node:
    """A node of a many-way tree; ``score`` is what it predicts."""

    __slots__ = ("children", "default", "predicate", "score", "strategy")

    def __init__(self, predicate: Predicate, score: Any, strategy: Strategy) -> None:
        self.predicate, self.score, self.strategy = predicate, score, strategy
        self.children: list[Node] = []
        self.default: Node | None = None


class _State(NamedTuple):
    """A node whose children from ``at`` on are still to be tried, and what is left of columns."""

    node: Node
    at: int
    box: Box


class _Way(NamedTuple):
    """Where a state leads: into a node, to what a node says (None: to nothing), or to a test."""

    kind: Literal["enter", "stop", "test"]
    node: Node | None
    at: int = 0
    atom: Atom | None = None


class Unfolding:
    """Unfolds the trees of one file.

    Attributes
    ----------
    nan_refused : why missing cannot be a value; empty: it can
    without_other : columns of which a label that is not listed gets no prediction
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = columns
        self.nan_refused = ""
        self.without_other: set[int] = set()
        self._work = 0
        self._all = [Side(codes=column.codes) for column in columns]

    def leaves(
        self, builder: ModelBuilder, root: Node, score: int | None = None
    ) -> Iterator[Node | None]:
        """Describe the tests of a tree; the caller describes each leaf.

        None is a leaf that only rows with missing values, or with labels that are not listed, can
        reach, and at which nothing is predicted.
        """
        top = Node(True, None, Strategy())
        top.children.append(root)
        for state in builder.walk(_State(top, 0, {}), score=score):
            way, state = self._follow(state)
            if way.kind == "test":
                assert way.atom is not None
                self._test(builder, state._replace(at=way.at), way.atom)
                continue
            if way.node is None:
                self._check_nothing(state)
            yield way.node

    def _follow(self, state: _State) -> tuple[_Way, _State]:
        """Go down as far as the way is the same for all that is left."""
        while True:
            way = self._way(state)
            if way.kind != "enter" or way.node is None:
                return way, state
            if not way.node.children:
                return _Way("stop", way.node), state
            state = _State(way.node, 0, state.box)

    def _way(self, state: _State) -> _Way:
        """Try children in order; the first whose predicate is true is taken."""
        node, strategy = state.node, state.node.strategy
        for at in range(state.at, len(node.children)):
            child = node.children[at]
            possible, atom = self._possible(child.predicate, state.box, strategy)
            if possible == TRUE:
                return _Way("enter", child)
            if possible == FALSE or (strategy.missing == "none" and not possible & TRUE):
                continue
            if possible == UNKNOWN:
                return self._unknown(node)
            by_default = strategy.missing == "defaultChild" and node.default is child
            if possible == TRUE | UNKNOWN and by_default:
                return _Way("enter", child)
            return _Way("test", None, at, atom)
        return _Way("stop", node if strategy.last_if_none and node.score is not None else None)

    def _unknown(self, node: Node) -> _Way:
        missing = node.strategy.missing
        if missing == "defaultChild":
            if node.default is None:
                raise UnreadableModel(
                    "a node has no defaultChild, which missingValueStrategy='defaultChild' needs"
                )
            return _Way("enter", node.default)
        if missing == "lastPrediction" and node.score is not None:
            return _Way("stop", node)
        return _Way("stop", None)

    def _possible(
        self, predicate: Predicate, box: Box, strategy: Strategy
    ) -> tuple[int, Atom | None]:
        """Give what a predicate can be on a box, and the first test in it that is not settled."""
        self._work += 1
        if self._work > MAX_STEPS:
            raise UnreadableModel(
                f"this file takes more than {MAX_STEPS:,} steps to unfold into trees of one test "
                "each: its predicates are too many, or too entangled; save a smaller model"
            )
        if isinstance(predicate, bool):
            return (TRUE if predicate else FALSE), None
        if isinstance(predicate, Atom):
            side = self._side(box, predicate.column, strategy)
            if side.codes is not None:
                self._work += len(side.codes) // 32
            possible = predicate.possible(side)
            return possible, (predicate if possible & (possible - 1) else None)
        return self._compound(predicate, box, strategy)

    def _compound(
        self, predicate: Compound, box: Box, strategy: Strategy
    ) -> tuple[int, Atom | None]:
        operator = predicate.operator
        out, open_test = self._possible(predicate.parts[0], box, strategy)
        for part in predicate.parts[1:]:
            if operator == "surrogate" and not out & UNKNOWN:
                break
            if (operator == "and" and out == FALSE) or (operator == "or" and out == TRUE):
                break
            possible, test = self._possible(part, box, strategy)
            out = JOINED[operator, out, possible]
            open_test = open_test or test
        return out, open_test

    def _side(self, box: Box, column: int, strategy: Strategy) -> Side:
        """Give what is left of a column."""
        side = box.get(column)
        if side is not None:
            return side
        own = self.columns[column]
        if own.replaced is None and (own.refuses_missing or not strategy.sends_missing):
            self.nan_refused = (
                self.nan_refused
                or own.refuses_missing
                or (
                    f"where {own.what} is missing the file gives no prediction, or one of several "
                    f"leaves together (missingValueStrategy={strategy.missing!r})"
                )
            )
            return self._all[column].only_values()
        return self._all[column]

    def _test(self, builder: ModelBuilder, state: _State, atom: Atom) -> None:
        """Cut what is left of a column in two; missing goes where its way is shorter."""
        column = atom.column
        side = self._side(state.box, column, state.node.strategy)
        parts = atom.split(side)
        both = side.missing and side.has_values
        if parts is None:  # it is known, or it is not
            self._ask_known(builder, state, column, side)
            return
        nan_true = False
        if both:
            ways = [self._entered(state, column, one) for one in (side.only_missing(), parts[0])]
            nan_true = ways[0] == ways[1]
            parts = tuple(
                part._replace(missing=nan_true == (k == 0)) for k, part in enumerate(parts)
            )  # type: ignore[assignment]
        yes, no = (self._with(state, column, part) for part in parts)
        if side.codes is None:
            builder.numerical_test(column, "<=", parts[0].high, yes, no, nan_true)
            return
        labels = self.columns[column].labels
        assert labels is not None
        assert parts[0].codes is not None
        assert parts[1].codes is not None
        relation: Literal["in", "not in"] = "in"
        codes = parts[0].codes
        if len(labels) in codes:  # a label that is not listed is none of these
            relation, codes = "not in", parts[1].codes
        self._work += 4 * len(codes)
        builder.categorical_test(
            column, relation, [labels[code] for code in sorted(codes)], yes, no, nan_true
        )

    def _ask_known(self, builder: ModelBuilder, state: _State, column: int, side: Side) -> None:
        """Ask whether a column is missing; not at all where both ways are one."""
        known, missing = (
            self._with(state, column, one) for one in (side.only_values(), side.only_missing())
        )
        if side.codes is None:
            builder.numerical_test(column, "<=", inf, known, missing, False)
        else:
            builder.categorical_test(column, "in", [], missing, known, True)

    def _with(self, state: _State, column: int, side: Side) -> _State:
        return state._replace(box={**state.box, column: side})

    def _entered(self, state: _State, column: int, side: Side) -> tuple[str, int]:
        """Say into which node a part leads; a part that needs a test leads nowhere yet."""
        way = self._way(self._with(state, column, side))
        return (way.kind, id(way.node)) if way.kind != "test" else ("test", id(side))

    def _check_nothing(self, state: _State) -> None:
        """Refuse rows without a prediction, unless they lack a value, or have one not listed."""
        lacking = ""
        unlisted = []
        for column, side in state.box.items():
            own = self.columns[column]
            if side.missing and not side.has_values:
                lacking = own.what
            elif own.other and side.codes == frozenset((len(own.labels or ()),)):
                unlisted.append(column)
        if lacking:  # whatever else there is: with all values known it may have a prediction
            self.nan_refused = self.nan_refused or (
                f"for some rows in which {lacking} is missing the file gives no prediction"
            )
        elif unlisted:
            self.without_other.add(unlisted[0])
        else:
            raise UnreadableModel(
                "for some rows without missing values the file gives no prediction: "
                f"{self._words(state.box)}. Give its tree a child, or its rules a default, for "
                "them"
            )

    def _words(self, box: Box) -> str:
        """Describe rows by the columns that have been asked."""
        parts = []
        for column, side in list(box.items())[:8]:
            own = self.columns[column]
            if side.codes is None:
                parts.append(f"{own.name!r:.40} above {side.low!r} and at most {side.high!r}")
            else:
                labels = [*(own.labels or ()), "(other)"]
                some = [labels[code] for code in sorted(side.codes)[:4]]
                parts.append(f"{own.name!r:.40} among {some!r:.80}")
        return "; ".join(parts) or "all rows"
