"""Costs of features, as people give them.

In:  ``--costs``: ``name=cost`` with commas between, or a CSV or JSON file.
Out: a dict of feature -> cost for every feature that a tree asks about.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..inputs import some_names
from .mistakes import Mistake
from .options import DATA, FileOptions, finite

if TYPE_CHECKING:
    from ..inputs import CellStyle
    from ..model import Tree

__all__ = ["Costs", "OtherCosts", "read_costs"]

Costs = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|NAME=COST,...",
        help="What it costs to find out each feature: name=cost with commas between, a CSV file "
        "with the columns feature and cost, or a JSON file {feature: cost}.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]


OtherCosts = Annotated[
    float | None,
    typer.Option(
        min=0,
        callback=finite,
        metavar="COST",
        help="What every feature costs that --costs does not name; by default that is an error.",
        rich_help_panel=DATA,
        show_default=False,
    ),
]


def read_costs(
    given: str | None, tree: Tree, files: FileOptions, others: float | None = None
) -> dict[str, float]:
    """Read what each feature costs; every feature that the tree asks about must have a cost.

    ``others`` is what features cost that are not named.

    Examples
    --------
    >>> from orderless import read_tree
    >>> leaves = {"true": {"prediction": 1}, "false": {"prediction": 0}}
    >>> tree = read_tree({"feature": "a", **leaves}, feature_names=["a", "b"])
    >>> read_costs("a=2.5,b=0", tree, FileOptions())
    {'a': 2.5, 'b': 0.0}
    """
    from .files import missing_column, style_of

    if given is None:
        pairs = []
    else:
        pairs = _from_file(Path(given), files) if _is_file(given) else _from_text(given, tree)
    out: dict[str, float] = {}
    style = style_of(files)
    for name, cell in pairs:
        if name not in tree.space:
            raise missing_column(
                name, "the tree", tuple(tree.space.names), "Correct --costs", "feature"
            )
        if name in out:
            raise Mistake(f"--costs gives {name!r:.80} twice")
        out[name] = _cost(name, cell, style)
    absent = [name for name in tree.features if name not in out]
    if absent and others is None:
        raise Mistake(
            f"--costs has no cost for {some_names(absent, most=8)}, which the tree asks about: "
            "name every feature, with 0 if it costs nothing, or say what all others cost with "
            "--other-costs 1"
        )
    return out | dict.fromkeys(absent, others or 0.0)


def _is_file(given: str) -> bool:
    if "=" not in given or Path(given).is_file():
        if not Path(given).is_file():
            raise Mistake(
                f"--costs {given!r:.80} is neither a file nor name=cost with commas between"
            )
        return True
    return False


def _from_text(given: str, tree: Tree) -> list[tuple[str, Any]]:
    """Split at the commas after which a feature's name and ``=`` stand: names may have commas."""
    parts: list[str] = []
    for piece in given.split(","):
        whole = f"{parts[-1]},{piece}" if parts else piece
        if parts and "=" not in parts[-1] and "=" in piece and _named(whole, tree) is not None:
            parts[-1] = whole
        else:
            parts.append(piece)
    out = []
    for part in parts:
        end = _named(part, tree)
        if end is None and "=" not in part:
            raise Mistake(f"--costs takes name=cost with commas between, got {part!r:.80}")
        end = part.index("=") if end is None else end
        out.append((part[:end].strip() if part[:end] not in tree.space else part[:end],
                    part[end + 1 :]))  # fmt: skip
    return out


def _named(part: str, tree: Tree) -> int | None:
    """Give the place of the ``=`` after a feature's name."""
    ends = [i for i, sign in enumerate(part) if sign == "="]
    return next((i for i in ends if part[:i].strip() in tree.space or part[:i] in tree.space), None)


def _from_file(path: Path, files: FileOptions) -> list[tuple[str, Any]]:
    if path.suffix.lower() == ".json":
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as fault:
            raise Mistake(f"{path.name} is not JSON: {fault}") from None
        if not isinstance(content, dict):
            raise Mistake(f"{path.name} should be a JSON object {{feature: cost}}")
        return list(content.items())
    from .files import missing_column, open_table

    with open_table(path, files) as table:
        for name in ("feature", "cost"):
            if name not in table.columns:
                raise missing_column(
                    name, table.name, table.columns, "Name the columns feature and cost"
                )
        part = table.whole()
    return list(zip(map(str, part.columns["feature"]), part.columns["cost"], strict=True))


def _cost(name: str, cell: Any, style: CellStyle) -> float:
    try:
        if isinstance(cell, bool):
            raise TypeError
        cost = float(style.number(cell))
    except (TypeError, ValueError):
        cost = math.nan
    if not (math.isfinite(cost) and cost >= 0):
        raise Mistake(f"the cost of {name!r:.80} is {cell!r:.80}: give a number, 0 or more")
    return cost
