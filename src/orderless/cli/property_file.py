"""Property files: what ``orderless prove`` asks of a model, as TOML.

In:  a TOML file with a table for each property (docs/guide/proofs).
Out: ``Asked``: a name, where it stands, and the question, to be put to a model.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..inputs import near, read_file, some_names
from ..model import printable
from .mistakes import Mistake, cut

if TYPE_CHECKING:
    from ..questions import Proof, Properties

__all__ = ["Asked", "read_properties"]

ENDS = ("above", "at_least", "at_most", "below")
# By property what its table must have, and what it may have.
KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "monotone": (("feature", "sign"), ("order", "where")),
    "ignores": ((), ("feature", "features", "given")),
    "constant_in": (("ranges",), ("where",)),
    "never": ((), ("answer", *ENDS, "where")),
    "always": ((), ("answer", *ENDS, "where")),
    "stable": (("feature", "by"), ("where",)),
    "same_as": (("model",), ("where",)),
}
MOST = 1_000_000  # bytes of a file


@dataclass(frozen=True)
class Asked:
    """One property of a file: what it is called, where it stands, and what it asks."""

    name: str
    kind: str
    line: int | None
    file: str
    options: Mapping[str, Any]

    @property
    def place(self) -> str:
        """Where it stands, for messages."""
        line = "" if self.line is None else f", line {self.line}"
        return f"{self.file}{line}, [{cut(printable(self.name))}]"

    def put(self, asked: Properties, load: Callable[[Path], Any], folder: Path) -> Proof:
        """Ask a model; ``load`` reads the file of another one, relative to the folder."""
        own = dict(self.options)
        if self.kind == "monotone":
            return asked.monotone(own.pop("feature"), own.pop("sign"), **own)
        if self.kind == "ignores":
            names = own.pop("features" if "features" in own else "feature")
            return asked.ignores(names, **own)
        if self.kind == "constant_in":
            return asked.constant_in(own.pop("ranges"), **own)
        if self.kind == "stable":
            return asked.stable(own.pop("feature"), own.pop("by"), **own)
        if self.kind == "same_as":
            return asked.same_as(load(folder / own.pop("model")), **own)
        ask = asked.never if self.kind == "never" else asked.always
        return ask(own.pop("answer", ...), **own)


def read_properties(path: Path) -> list[Asked]:
    """Read all properties of a file; what is wrong is said with its table and line."""
    try:
        text = read_file(path, MOST).removeprefix(b"\xef\xbb\xbf").decode("utf-8")
    except UnicodeDecodeError as fault:
        raise Mistake(f"{path.name} is not UTF-8 text: {fault}") from None
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError) as fault:  # a whole number of thousands of digits, too
        raise Mistake(f"{path.name} is not TOML: {fault!s:.200}") from None
    if not tables:
        raise Mistake(
            f'{path.name} has no property: write a table such as [race] with property = "ignores" '
            'and feature = "race"'
        )
    lines = _lines(text)
    return [_asked(name, table, lines.get(name), path.name) for name, table in tables.items()]


def _asked(name: str, table: Any, line: int | None, file: str) -> Asked:
    place = Asked(name, "", line, file, {}).place
    if not isinstance(table, dict):
        raise Mistake(
            f"{file}: {cut(printable(name))!r} stands outside of a table: every property is a "
            "table, [name]"
        )
    own = dict(table)
    kind = own.pop("property", None)
    if not isinstance(kind, str) or kind not in KEYS:
        wrong = f"property must be one of {some_names(KEYS)}"
        close = near(kind, KEYS) if isinstance(kind, str) else ""
        got = "it is not given" if kind is None else f"got {kind!r:.80}{close}"
        raise Mistake(f"{place}: {wrong}; {got}")
    needed, more = KEYS[kind]
    for key in own:
        if key not in (*needed, *more):
            known = ("property", *needed, *more)
            raise Mistake(
                f"{place}: {kind} has no key {key!r:.80}{near(key, known)}; its keys are "
                f"{some_names(known)}"
            )
    absent = [key for key in needed if key not in own]
    if kind == "ignores" and ("feature" in own) == ("features" in own):
        raise Mistake(f"{place}: ignores needs feature, or features, a list of names")
    if absent:
        raise Mistake(f"{place}: {kind} needs {some_names(absent)}")
    _check_types(place, own)
    return Asked(name, kind, line, file, own)


def _check_types(place: str, own: Mapping[str, Any]) -> None:
    for key in ("feature", "model"):
        if key in own and not isinstance(own[key], str):
            raise Mistake(f"{place}: {key} must be text, got {own[key]!r:.80}")
    for key in ("features", "order"):
        if key in own and not isinstance(own[key], list):
            raise Mistake(f"{place}: {key} must be a list, got {own[key]!r:.80}")
    if not all(isinstance(name, str) for name in own.get("features", [])):
        raise Mistake(f"{place}: features must be a list of names")
    for key in ("where", "given", "ranges"):
        if key in own and not isinstance(own[key], dict):
            raise Mistake(
                f"{place}: {key} must be a table such as {{ age = [18, 25] }}, got {own[key]!r:.80}"
            )


def _lines(text: str) -> dict[str, int]:
    """Give the line of each table's head, counted from 1."""
    out: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.lstrip().startswith("["):
            continue
        try:
            head = tomllib.loads(line)
        except tomllib.TOMLDecodeError:
            continue  # a line of a list
        for name in head:
            out.setdefault(name, number)
    return out
