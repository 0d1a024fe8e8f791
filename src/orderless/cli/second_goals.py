"""Second goals on the command line: ranges of measures, trade-offs, differences between groups.

In:  ``GoalOptions``; a ``TreeSet`` and the rows that it was found on.
Out: records of ranges and fronts, and the text that people read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from ..inputs import near, some_names
from .mistakes import Mistake
from .options import Format
from .sink import records_as

if TYPE_CHECKING:
    from ..rashomon import Front, Measure, TreeSet
    from .table import Labelled

__all__ = ["GoalOptions", "goal_records", "goal_rows", "goal_text", "positive_class"]

MEASURES = (
    "errors, false positives, false negatives, positives, fpr, fnr, tpr, error rate, balanced "
    "accuracy, precision, f1, brier score, ...; of numbers: squared error, absolute error, ..."
)


@dataclass(frozen=True)
class GoalOptions:
    """What else trees are measured by."""

    PANEL: ClassVar = "Second goals"
    range: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="The smallest and largest value over all trees, exactly; JSON and CSV have a tree "
            f"for each. May be given several times: {MEASURES}",
        ),
    ] = None
    front: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MEASURE",
            help="The best value for every objective; may be given several times.",
        ),
    ] = None
    group: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Measure the difference between the two groups of this column (the second less "
            "the first), and find the tree with the smallest; also for demographic parity, equal "
            "opportunity, predictive equality and equal error rates.",
        ),
    ] = None
    positive: Annotated[
        str | None,
        typer.Option(metavar="CLASS", help="Which class is positive; by default the last one."),
    ] = None

    @property
    def asked(self) -> bool:
        """Whether any goal was given."""
        return bool(self.range or self.front)


def positive_class(written: str | None, found: TreeSet) -> Any:
    """Find the class that was written."""
    if written is None:
        return None
    from .decision import label_of

    label = None if found.task == "regression" else label_of(written, found.classes)
    if label is None:
        known = "a tree of numbers has none" if found.task == "regression" else (
            f"there are {some_names(found.classes)}"
        )  # fmt: skip
        raise Mistake(f"--positive {written!r:.80} is no class: {known}")
    return label


def goal_records(
    found: TreeSet, given: Labelled, goals: GoalOptions
) -> tuple[dict[str, Any], list[Front]]:
    """Measure what was asked for: records, and the fronts themselves."""
    if not goals.asked:
        if goals.group is not None:
            raise Mistake("--group says whose difference is measured: add --range or --front")
        return {}, []
    from ..rashomon import Measure

    options: dict[str, Any] = {"positive": positive_class(goals.positive, found)}
    if goals.group is not None:
        if goals.group not in given.X:
            known = [str(name) for name in given.X]
            raise Mistake(
                f"--group {goals.group!r:.80} is no column of {given.name}"
                f"{near(goals.group, known)}: there are {some_names(known)}"
            )
        options["groups"] = given.X[goals.group]
    content: dict[str, Any] = {}
    if goals.range:
        content["ranges"] = [_range(found, Measure(name, **options)) for name in goals.range]
    fronts = [found.pareto_front(Measure(name, **options)) for name in goals.front or ()]
    if fronts:
        content["fronts"] = [_front(front) for front in fronts]
    return content, fronts


def _plain(value: Any) -> Any:
    return value if isinstance(value, int) else float(value)


def _range(found: TreeSet, measure: Measure) -> dict[str, Any]:
    got = found.range(measure)
    out: dict[str, Any] = {
        "measure": measure.title,
        "smallest": _plain(got.smallest),
        "largest": _plain(got.largest),
        "smallest_exact": str(got.smallest),
        "largest_exact": str(got.largest),
    }
    if got.groups:
        fair = found.nearest(measure)
        out |= {
            "groups": [str(name) for name in got.groups],
            "smallest_gap": abs(_plain(fair.gap)),
            "no_gap_below": _plain(fair.at_least),
            "nearest_tree": str(fair.tree),
        }
    return out | {
        "smallest_tree": str(got.smallest_tree),
        "largest_tree": str(got.largest_tree),
    }


def _front(front: Front) -> dict[str, Any]:
    return {
        "measure": front.measure,
        "goal": front.goal,
        "points": [
            {
                "objective": float(point.objective),
                "value": _plain(point.value),
                "leaves": point.tree.n_leaves,
                "tree": str(point.tree),
            }
            for point in front
        ],
    }


def goal_rows(content: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Give the one table of a CSV file: the ranges, or the points of the fronts."""
    if "fronts" in content:
        return [
            {"measure": front["measure"], **point}
            for front in content["fronts"]
            for point in front["points"]
        ]
    ranges: list[dict[str, Any]] | None = content.get("ranges")
    return ranges


def goal_text(content: dict[str, Any], form: Format) -> list[str]:
    """Write ranges and fronts for people."""
    title, break_ = ("## {}", "\n\n") if form == Format.md else ("{}", "\n")
    text = []
    if "ranges" in content:
        shown = ("measure", "smallest", "largest", "smallest_gap", "no_gap_below")
        rows = [
            {name.replace("_", " "): _number(one[name]) for name in shown if name in one}
            for one in content["ranges"]
        ]
        groups = content["ranges"][0].get("groups")
        head = "Ranges over all trees"
        if groups:
            head += f": {groups[1]} less {groups[0]}"
        text.append(title.format(head) + break_ + records_as(rows, form))
    for front in content.get("fronts", ()):
        head = f"The {front['goal']} {front['measure']} for every objective"
        rows = [
            {"objective": _number(one["objective"]), front["measure"]: _number(one["value"]),
             "leaves": one["leaves"]}
            for one in front["points"]
        ]  # fmt: skip
        text.append(title.format(head) + break_ + records_as(rows, form))
    return text


def _number(value: Any) -> Any:
    """Give a number with as many digits as people read."""
    return float(f"{value:.4g}") if isinstance(value, float) else value
