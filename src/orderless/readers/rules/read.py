"""Decision tables and rule lists in.

In:  CSV: a header, and a rule per line.
Out: ``TreeKernel``, or what is wrong with the rules.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import InvalidParameter, InvalidRules, InvalidTree, TooLarge, named, setting
from ...inputs import some_names
from ...model import FeatureSpec, Label, Space, Task, TreeKernel, plain_label
from ..builder import NUMBER, ModelBuilder, Table
from ..preprocessing.columns import source_columns
from ..preprocessing.conditions import over_features
from .boxes import Boxes, boxes_of, declared
from .check import RuleCheck, gaps_of, overlaps_of, unused_of
from .diagram import Branch, Diagram, Leaf, Split, merged
from .table import read_table

__all__ = ["check_rules", "read_rules"]

LIMIT = 100_000


def read_rules(
    source: str | Path,
    *,
    hit: str | None = None,
    output: str | None = None,
    default: Label | None = None,
    space: Space | Mapping[str, FeatureSpec] | None = None,
    ignore: Sequence[str] = (),
    delimiter: str = ",",
    task: Task = "classification",
    limit: int = LIMIT,
) -> TreeKernel:
    """Read a decision table, or a list of rules; see ``orderless.rules.read``."""
    if task not in ("classification", "regression"):
        raise InvalidParameter(
            f"task must be 'classification' or 'regression', got {task!r:.40}", "task"
        )
    looked = _looked_at(source, hit, output, default, space, ignore, delimiter, limit, 20)
    check = looked.check
    if not check:
        raise InvalidRules(_complaint(check), check)
    if check.unused:
        warnings.warn(
            f"the rules of {_lines(check.unused)} never decide: earlier rules cover their rows",
            stacklevel=2,
        )
    return _tree(looked.diagram, looked.default, task, limit)


def check_rules(
    source: str | Path,
    *,
    hit: str | None = None,
    output: str | None = None,
    default: Label | None = None,
    space: Space | Mapping[str, FeatureSpec] | None = None,
    ignore: Sequence[str] = (),
    delimiter: str = ",",
    limit: int = LIMIT,
    most: int = 100,
) -> RuleCheck:
    r"""Look for rules that contradict each other, and for rows that no rule covers.

    Parameters
    ----------
    source, hit, output, default, space, ignore, delimiter, limit
        As in ``read_rules``.
    most : int
        The most overlaps, and the most gaps, to give.

    Returns
    -------
    RuleCheck
        True if each row has one output; ``.overlaps``, ``.gaps``, ``.unused``.

    Examples
    --------
    >>> check = check_rules("age,smoker,risk\n<= 30,-,low\n> 50,true,high\n")
    >>> print(check)
    2 rules over age, smoker, hit policy unique.
    Not every row has one output.
    - no rule covers 30 < age <= 50, for example age = 40, smoker = True
    - no rule covers age > 50 AND not smoker, for example age = 60, smoker = False
    >>> check.gaps[1].row
    {'age': 60.0, 'smoker': False}
    """
    return _looked_at(source, hit, output, default, space, ignore, delimiter, limit, most).check


class _LookedAt(NamedTuple):
    check: RuleCheck
    diagram: Diagram
    default: Label | None


def _looked_at(
    source: str | Path,
    hit: str | None,
    output: str | None,
    default: Label | None,
    space: Space | Mapping[str, FeatureSpec] | None,
    ignore: Sequence[str],
    delimiter: str,
    limit: int,
    most: int,
) -> _LookedAt:
    for name, number in (("limit", limit), ("most", most)):
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise InvalidParameter(
                f"{named(name)} must be a whole number of 1 or more, got {number!r:.40}", name
            )
    known = declared(space)
    labels = {name: feature.categories for name, feature in known.items()}
    table = read_table(
        source, hit=hit, output=output, ignore=ignore, delimiter=delimiter, labels=labels
    )
    boxes = boxes_of(table, known, isinstance(space, Space))
    default = _default(default, boxes)
    diagram = Diagram(boxes, table.hit, limit)
    overlaps, more = overlaps_of(diagram, most, table.hit)
    gaps, n_gaps = gaps_of(diagram, most)
    unused = unused_of(diagram) if table.hit == "first" else ()
    check = RuleCheck(
        len(table.rules), table.hit, table.output, boxes.space, overlaps, gaps, n_gaps, more,
        unused, default,
    )  # fmt: skip
    return _LookedAt(check, diagram, default)


def _default(default: Label | None, boxes: Boxes) -> Label | None:
    """Check that the default is of the same kind as the outputs."""
    if default is None:
        return None
    label = plain_label(default)
    first = boxes.outputs[0]
    kinds = [str if isinstance(x, str) else bool if isinstance(x, bool) else float
             for x in (label, first)]  # fmt: skip
    if kinds[0] is not kinds[1]:
        raise InvalidTree(
            f"{setting('default', default)} is of another kind than the outputs, such as {first!r}"
        )
    return float(label) if isinstance(first, float) else label


def _complaint(check: RuleCheck) -> str:
    findings = check.lines()
    todo = []
    if check.overlaps:
        agree = not any(overlap.contradicts for overlap in check.overlaps)
        todo.append(setting("hit", "any" if agree else "first"))
    if check.gaps and check.default is None:
        todo.append(f"a {setting('default')} for gaps")
    return (
        f"these rules do not give every row one output: {'; '.join(findings)}; "
        f"correct them, or choose {' and '.join(todo)}"
    )


def _lines(lines: Sequence[int]) -> str:
    return f"line{'s' if len(lines) > 1 else ''} {some_names(lines)}"


# -- the tree --------------------------------------------------------------------------------------


def _tree(diagram: Diagram, default: Label | None, task: Task, limit: int) -> TreeKernel:
    """Unfold the diagram, with one leaf for neighbours that say the same."""
    space = diagram.rules.space
    nodes, root = _by_output(diagram, default)
    n_leaves: list[int] = []
    for node in nodes:
        is_split = isinstance(node, Split)
        n_leaves.append(sum(n_leaves[b.node] for b in node.branches) if is_split else 1)
    if 2 * n_leaves[root] - 1 > limit:
        raise TooLarge(
            f"the tree of these rules has {2 * n_leaves[root] - 1:,} nodes: raise "
            f"{setting('limit', limit)}, or split the table",
            2 * n_leaves[root] - 1,
        )
    table = Table(
        len(space.features),
        space.names,
        binary={at for at, feature in enumerate(space.features) if feature.kind == "boolean"},
        categories={at: f.categories for at, f in enumerate(space.features) if not f.ordered},
    )
    builder = ModelBuilder(table)
    for node in builder.walk(nodes[root]):
        if not isinstance(node, Split):
            (label,) = node
            if task == "regression":
                builder.leaf_adds(label)
            else:
                builder.leaf(label)
            continue
        _test(builder, node, nodes, space)
    columns = source_columns(table, None, space, None, "unknown")
    tree = builder.finish(rule=NUMBER if task == "regression" else None).one_tree()
    assert tree is not None
    return over_features(tree, *columns)


def _by_output(diagram: Diagram, default: Label | None) -> tuple[list[Any], int]:
    """Put leaves of the same output together, and splits that then decide nothing away."""
    outputs = diagram.rules.outputs
    nodes: list[Any] = []
    numbers: dict[Any, int] = {}
    moved: list[int] = []
    for node in diagram.nodes:
        new: Any
        if isinstance(node, Leaf):
            new = (outputs[node.rules[0]] if node.rules else default,)
        else:
            ordered = diagram.rules.space.features[node.feature].ordered
            branches = merged([Branch(b.values, moved[b.node]) for b in node.branches], ordered)
            if len(branches) == 1:
                moved.append(branches[0].node)
                continue
            new = Split(node.feature, branches)
        key = (type(new[0]), new)
        if key not in numbers:
            numbers[key] = len(nodes)
            nodes.append(new)
        moved.append(numbers[key])
    return nodes, moved[diagram.root]


def _test(builder: ModelBuilder, node: Split, nodes: Sequence[Any], space: Space) -> None:
    """Describe a split as a test with two outcomes."""
    at, branches = node
    feature = space.features[at]

    def below(some: tuple[Branch, ...]) -> Any:
        return nodes[some[0].node] if len(some) == 1 else Split(at, some)

    if feature.ordered:
        half = len(branches) // 2
        cut = branches[half].values[0]
        builder.numerical_test(at, "<=", cut, below(branches[:half]), below(branches[half:]))
        return
    # What is not listed goes to the last part, so that every test is about labels that are.
    n = len(feature.categories)
    order = sorted(branches, key=lambda b: (n in b.values, len(b.values), b.values))
    labels = [feature.categories[code] for code in order[0].values]
    builder.categorical_test(at, "in", labels, below((order[0],)), below(tuple(order[1:])))
