"""Costs and texts by name, as people give them.

In:  ``--costs``: ``name=cost`` with commas between, or a CSV or JSON file. ``--labels``,
     ``--units`` and ``--class-names``: ``NAME=TEXT``, once per name, or a JSON file {name: text}.
Out: a dict of feature -> cost for every feature that a tree asks about; a dict of name -> text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import typer

from ..errors import InvalidData
from ..inputs import read_file, some_names
from .mistakes import Mistake
from .options import DATA, FileOptions, finite

if TYPE_CHECKING:
    from ..inputs import CellStyle
    from ..model import Space

__all__ = ["Costs", "OtherCosts", "name_end", "read_costs", "read_named_texts"]

Costs = Annotated[
    str | None,
    typer.Option(
        metavar="FILE|NAME=COST,...",
        help="What it costs to find out the value of each feature: name=cost with commas between, "
        "a CSV file with the columns feature and cost, or a JSON file {feature: cost}.",
        rich_help_panel=DATA,
    ),
]


OtherCosts = Annotated[
    float | None,
    typer.Option(
        min=0,
        callback=finite,
        metavar="COST",
        help="What each feature costs that --costs does not name; by default, leaving one out is "
        "an error.",
        rich_help_panel=DATA,
    ),
]


class Asking(Protocol):
    """What asks about features: a tree, an ensemble, a set of trees."""

    @property
    def space(self) -> Space:
        """What the columns mean."""

    @property
    def features(self) -> tuple[str, ...]:
        """The features that it asks about."""


def read_costs(
    given: str | None, tree: Asking, files: FileOptions, others: float | None = None
) -> dict[str, float]:
    """Read what each feature costs; every feature that the tree asks about must have a cost.

    ``others`` is what features cost that are not named.

    Examples
    --------
    >>> from orderless.readers import read_tree
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
    there = Path(given).is_file()
    if not there and "=" not in given:
        raise Mistake(f"--costs {given!r:.80} is neither a file nor name=cost with commas between")
    return there


def _from_text(given: str, tree: Asking) -> list[tuple[str, Any]]:
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


def _named(part: str, tree: Asking) -> int | None:
    """Give the place of the ``=`` after a feature's name, which may have spaces around it."""
    return name_end(part, lambda name: name in tree.space or name.strip() in tree.space)


def name_end(text: str, known: Callable[[str], bool]) -> int | None:
    """Give the place of the ``=`` after a known name, which may have = in it; None without one.

    Examples
    --------
    >>> name_end("a=b=c", {"a=b"}.__contains__), name_end("d=e", {"a"}.__contains__)
    (3, None)
    """
    return next((i for i, sign in enumerate(text) if sign == "=" and known(text[:i])), None)


def _from_file(path: Path, files: FileOptions) -> list[tuple[str, Any]]:
    if path.suffix.lower() == ".json":
        return _from_json(path, "{feature: cost}", object)
    from .files import missing_column, open_table

    with open_table(path, files) as table:
        for name in ("feature", "cost"):
            if name not in table.columns:
                raise missing_column(
                    name, table.name, table.columns, "Name the columns feature and cost"
                )
        part = table.whole()
    return list(zip(map(str, part.columns["feature"]), part.columns["cost"], strict=True))


def _from_json(path: Path, expected: str, kind: type) -> list[tuple[str, Any]]:
    """Read a JSON object whose values are all of one kind."""
    try:
        content = json.loads(read_file(path).decode("utf-8"))
    except InvalidData:
        raise
    except ValueError as fault:
        raise Mistake(f"{path.name} is not JSON: {fault}") from None
    if not isinstance(content, dict) or not all(isinstance(v, kind) for v in content.values()):
        raise Mistake(f"{path.name} must be a JSON object {expected}")
    return list(content.items())


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


# -- texts by name ---------------------------------------------------------------------------------


def read_named_texts(
    given: Sequence[str] | None, option: str, names: Iterable[Any], kind: str
) -> dict[Any, str] | None:
    """Read texts by name; None where none are given.

    Examples
    --------
    >>> read_named_texts(["age=Age at admission", "a=b=c"], "--labels", ["age", "a=b"], "feature")
    {'age': 'Age at admission', 'a=b': 'c'}
    """
    if not given:
        return None
    known = {str(name): name for name in names}
    out: dict[Any, str] = {}
    for one in given:
        for name, text in _pairs(one, option, known):
            if name not in known:
                raise Mistake(
                    f"{option}: there is no {kind} {name!r:.80}, only {some_names(known, most=8)}"
                )
            if known[name] in out:
                raise Mistake(f"{option} gives {name!r:.80} twice")
            out[known[name]] = text
    return out


def _pairs(one: str, option: str, known: dict[str, Any]) -> list[tuple[str, str]]:
    path = Path(one)
    if path.suffix.lower() == ".json" and path.is_file():
        return _from_json(path, "{name: text}", str)
    if "=" not in one:
        raise Mistake(f"{option} {one!r:.80} is neither NAME=TEXT nor a JSON file {{name: text}}")
    end = name_end(one, known.__contains__)
    end = one.index("=") if end is None else end
    return [(one[:end], one[end + 1 :])]
