"""What is wrong with a table of rules: rules that contradict each other, rows that none covers.

In:  a ``Diagram``.
Out: ``RuleCheck``, with an example row for each finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ...model import (
    Label,
    Side,
    Space,
    any_value,
    label_text,
    printable,
    short_number,
    sides_text,
    value_in,
)
from .boxes import Boxes
from .diagram import Diagram, Leaf
from .table import Hit

__all__ = ["Gap", "Overlap", "RuleCheck", "gaps_of", "overlaps_of", "unused_of"]

Path = tuple[tuple[int, Any], ...]  # features, and their values on the way to a leaf
COUNTED = 10**15  # beyond it, regions are no longer counted


@dataclass(frozen=True)
class Gap:
    """Rows that no rule covers.

    Attributes
    ----------
    region : str
        In words; all rows of it are gaps.
    row : dict
        One of them: a value for every feature.
    """

    region: str
    row: dict[str, Any]

    def __str__(self) -> str:
        return f"no rule covers {self.region}, for example {_row_text(self.row)}"


@dataclass(frozen=True)
class Overlap:
    """Two rules that hold for the same rows.

    Attributes
    ----------
    lines : tuple of int
        Where the two begin in the file; the header is line 1.
    outputs : tuple of labels
        What they say.
    region : str
        Rows for which both hold, in words; there may be more.
    row : dict
        One of them: a value for every feature.
    """

    lines: tuple[int, int]
    outputs: tuple[Label, Label]
    region: str
    row: dict[str, Any]

    @property
    def contradicts(self) -> bool:
        """Whether the two say different things."""
        return self.outputs[0] != self.outputs[1]

    def __str__(self) -> str:
        a, b = (label_text(output) for output in self.outputs)
        said = f"say {a} and {b}" if self.contradicts else f"both say {a}"
        return (
            f"lines {self.lines[0]} and {self.lines[1]} {said} where {self.region}, for example "
            f"{_row_text(self.row)}"
        )


@dataclass(frozen=True)
class RuleCheck:
    """What ``check_rules`` found.

    Attributes
    ----------
    n_rules : int
    hit : "unique", "first" or "any"
    output : str
        The column of the outputs.
    space : Space
        The features, with the kinds that were given or inferred.
    overlaps : tuple of Overlap
        Pairs of rules that hold for the same row, against the hit policy: with "unique" any, with
        "any" those that say different things, with "first" none.
    gaps : tuple of Gap
        Regions that no rule covers; they do not meet.
    n_gaps : int
        How many regions there are in all; ``gaps`` has at most ``most`` of them.
    more_overlaps : bool
        Whether there are more pairs than ``overlaps`` has.
    unused : tuple of int
        With "first": the lines of rules that never decide, because earlier ones cover all of their
        rows.
    default : label or None
        What is said of gaps.
    """

    n_rules: int
    hit: Hit
    output: str
    space: Space
    overlaps: tuple[Overlap, ...]
    gaps: tuple[Gap, ...]
    n_gaps: int
    more_overlaps: bool
    unused: tuple[int, ...]
    default: Label | None

    def __bool__(self) -> bool:
        """Whether the rules are a function: each row has one output, or the default."""
        return not self.overlaps and (not self.gaps or self.default is not None)

    def lines(self) -> list[str]:
        """Write each finding in a line."""
        out = [str(overlap) for overlap in self.overlaps]
        if self.more_overlaps:
            out.append(f"more pairs of rules overlap than these {len(self.overlaps)}")
        out += [str(gap) for gap in self.gaps]
        if self.n_gaps > len(self.gaps):
            count = f"{self.n_gaps:,}" if self.n_gaps < COUNTED else "very many"
            out.append(f"there are {count} such gaps; these are {len(self.gaps)} of them")
        out += [f"line {line} never decides: earlier rules cover its rows" for line in self.unused]
        return out

    def __str__(self) -> str:
        head = f"{self.n_rules:,} rules over {', '.join(map(printable, self.space.names))}"
        head += f", hit policy {self.hit}"
        if self.gaps and self.default is not None:
            head += f"; what no rule covers is {label_text(self.default)}"
        found = self.lines()
        verdict = "Each row has one output." if self else "Not every row has one output."
        return "\n".join([f"{head}.", verdict, *(f"- {line}" for line in found)])


def overlaps_of(diagram: Diagram, most: int, hit: Hit) -> tuple[tuple[Overlap, ...], bool]:
    """Return one example for each pair of rules that hold together, against the hit policy."""
    rules = diagram.rules
    found: dict[tuple[int, int], Overlap] = {}
    if hit == "first":
        return (), False
    for leaf, path in _first_paths(diagram):
        for i, j in _pairs(leaf.rules, rules, hit):
            if (i, j) in found:
                continue
            if len(found) == most:
                return tuple(found.values()), True
            region, row = _shown(path, rules.space, diagram)
            lines = rules.lines[i], rules.lines[j]
            outputs = rules.outputs[i], rules.outputs[j]
            found[i, j] = Overlap(lines, outputs, region, row)
    return tuple(sorted(found.values(), key=lambda one: one.lines)), False


def _pairs(held: tuple[int, ...], rules: Boxes, hit: Hit) -> Iterator[tuple[int, int]]:
    for place, i in enumerate(held):
        for j in held[place + 1 :]:
            if hit == "unique" or rules.outputs[i] != rules.outputs[j]:
                yield i, j


def gaps_of(diagram: Diagram, most: int) -> tuple[tuple[Gap, ...], int]:
    """Return regions that no rule covers, and how many there are."""
    nodes = diagram.nodes
    count: list[int] = []
    for node in nodes:  # children stand before their parents
        if isinstance(node, Leaf):
            count.append(int(not node.rules))
        else:
            count.append(min(COUNTED, sum(count[branch.node] for branch in node.branches)))
    out: list[Gap] = []
    todo: list[tuple[int, Path]] = [(diagram.root, ())] if count[diagram.root] else []
    while todo and len(out) < most:
        at, path = todo.pop()
        node = nodes[at]
        if isinstance(node, Leaf):
            out.append(Gap(*_shown(path, diagram.rules.space, diagram)))
            continue
        todo += [
            (branch.node, (*path, (node.feature, branch.values)))
            for branch in reversed(node.branches)
            if count[branch.node]
        ]
    return tuple(out), count[diagram.root]


def unused_of(diagram: Diagram) -> tuple[int, ...]:
    """Return the lines of rules that hold nowhere."""
    held = {rule for node in diagram.nodes if isinstance(node, Leaf) for rule in node.rules}
    return tuple(line for i, line in enumerate(diagram.rules.lines) if i not in held)


def _first_paths(diagram: Diagram) -> Iterator[tuple[Leaf, Path]]:
    """Go through the leaves, each once, with one way to it."""
    seen: set[int] = set()
    todo: list[tuple[int, Path]] = [(diagram.root, ())]
    while todo:
        at, path = todo.pop()
        if at in seen:
            continue
        seen.add(at)
        node = diagram.nodes[at]
        if isinstance(node, Leaf):
            yield node, path
        else:
            todo += [
                (branch.node, (*path, (node.feature, branch.values)))
                for branch in reversed(node.branches)
            ]


# -- words and rows --------------------------------------------------------------------------------


def _shown(path: Path, space: Space, diagram: Diagram) -> tuple[str, dict[str, Any]]:
    """Write a region in words, and give a row of it."""
    by_feature = dict(path)
    sides: list[Side] = []
    row: dict[str, Any] = {}
    for at, feature in enumerate(space.features):
        if at not in by_feature:
            row[feature.name] = any_value(feature)
            continue
        values = by_feature[at]
        if feature.ordered:
            low, high = values
            sides.append(Side(feature, low, high))
            row[feature.name] = value_in(feature, _cuts(diagram, at), low, high, False, [])
        else:
            sides.append(Side(feature, codes=values))
            row[feature.name] = value_in(feature, [], 0.0, 0.0, False, list(values))
    return (sides_text(sides) if sides else "any row"), row


def _cuts(diagram: Diagram, at: int) -> list[float]:
    """Return the finite ends that rules have on a feature, in order: where usual values are."""
    low, high = diagram.rules.space.features[at].bounds
    ends: set[float] = {
        end
        for box in diagram.rules.boxes
        for interval in box.sides.get(at, ())
        if isinstance(interval, tuple)
        for end in interval
        if low < end < high
    }
    return sorted(ends)


def _row_text(row: dict[str, Any]) -> str:
    def text(value: Any) -> str:
        return short_number(value) if type(value) in (int, float) else label_text(value)

    return ", ".join(f"{printable(name)} = {text(value)}" for name, value in row.items())
