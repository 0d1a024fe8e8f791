"""Versioned JSON: the envelope of every file that we write.

In:  plain dicts and lists.
Out: text, and dicts again. What is inside is checked by whoever asked (docs/formats).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import InvalidTree, a_kind, an
from .escapes import cut
from .feature import first_repeated

__all__ = ["Reading", "dump", "load", "numbers", "parse", "take"]

LIMIT = 256 * 1024 * 1024
MESSAGE = 1_000  # characters of a message: a file may hold a name of any length
# What values of a wrong type or size raise where they are used.
FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError,
          ValueError)  # fmt: skip


def dump(form: str, version: int, content: Mapping[str, Any]) -> str:
    """Write the content as JSON with its format and version first. Floats keep every bit."""
    content = {"format": form, "version": version, **content}
    text = PLAIN.encode(content)
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair: legal in Python's text, not in a file
        text = ASCII.encode(content)
    return text


def _plain(array: Any) -> Any:
    """Return an array as lists, with infinity as text."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"cannot write {a_kind(array)} as JSON")
    if not np.isinf(array).any():
        return array.tolist()
    return np.where(
        np.isinf(array), np.where(array > 0, "inf", "-inf"), array.astype(object)
    ).tolist()


PLAIN = json.JSONEncoder(ensure_ascii=False, allow_nan=False, default=_plain)
ASCII = json.JSONEncoder(allow_nan=False, default=_plain)


def load(
    text: str | bytes,
    form: str,
    version: int | tuple[int, ...],
    *,
    limit: int = LIMIT,
) -> dict[str, Any]:
    """Read what ``dump`` wrote; refuse other formats, unknown versions, and anything broken.

    Parameters
    ----------
    version : int, or tuple of int
        The versions that are read.
    limit : int
        Longest text that is looked at; longer input is refused before it is parsed.
    """
    if isinstance(text, bytes | bytearray):
        if len(text) > limit:
            raise _too_long(len(text), limit)
        try:
            text = bytes(text).decode("utf-8")
        except UnicodeDecodeError as fault:
            raise InvalidTree(f"this is not UTF-8 text: {fault}") from fault
    if not isinstance(text, str):
        raise InvalidTree(f"expected JSON text, got {a_kind(text)}")
    if len(text) > limit:
        raise _too_long(len(text), limit)
    content = parse(text)
    if not isinstance(content, dict) or content.get("format") != form:
        came = content.get("format") if isinstance(content, dict) else type(content).__name__
        raise InvalidTree(f"expected the format {form!r}, got {came!r:.80}")
    known = (version,) if isinstance(version, int) else version
    came = content.get("version")
    if not isinstance(came, int) or isinstance(came, bool) or came not in known:
        read = "version " * (len(known) == 1) + "versions " * (len(known) > 1)
        raise InvalidTree(
            f"this {form} has version {came!r:.80} and this orderless reads "
            f"{read}{' and '.join(map(str, known))}: read it with the orderless that wrote it, or "
            "a newer one"
        )
    return content


def parse(text: str) -> Any:
    """Parse JSON, strictly: no NaN, no entry twice; anything wrong is an ``InvalidTree``."""
    try:
        return json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
    except RecursionError:
        raise InvalidTree(
            "this JSON is nested too deeply to read; our own format is flat: "
            "write it with Tree.to_json()"
        ) from None
    except json.JSONDecodeError as fault:
        raise InvalidTree(
            f"this is not complete JSON (line {fault.lineno}, column {fault.colno}): {fault.msg}"
        ) from fault
    except InvalidTree:
        raise
    except ValueError as fault:  # a whole number of thousands of digits
        raise InvalidTree(f"this JSON cannot be read: {fault}") from fault


class Reading:
    """While it is open, whatever the content of a file raises is the one error that is promised.

    Examples
    --------
    >>> with Reading("a tree"):
    ...     {}["nodes"]
    Traceback (most recent call last):
    orderless.errors.InvalidTree: this does not describe a tree: KeyError: 'nodes'
    """

    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        if isinstance(fault, InvalidTree):
            if len(str(fault)) > MESSAGE:
                raise InvalidTree(cut(str(fault), MESSAGE)) from None
        elif isinstance(fault, FAULTS):
            plain = type(fault).__module__.startswith("orderless")  # it says itself what is wrong
            message = str(fault) if plain else f"{type(fault).__name__}: {fault}"
            raise InvalidTree(
                cut(f"this does not describe {self.what}: {message}", MESSAGE)
            ) from fault


def take(content: Mapping[str, Any], key: str, kind: type) -> Any:
    """Get an entry of a given type; anything else is an error that names the entry."""
    if key not in content:
        there = f"{sorted(content)!r:.400}"
        raise InvalidTree(f"the entry {key!r} is missing; there are {there}")
    value = content[key]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InvalidTree(f"the entry {key!r} is {a_kind(value)}, expected {an(kind.__name__)}")
    return value


def numbers(content: Mapping[str, Any], key: str, depth: int = 1) -> Any:
    """Get a list of numbers, or with ``depth=2`` of lists of numbers.

    Text among them is refused before numpy makes all entries as long as the longest.
    """
    rows = take(content, key, list)
    for row in [rows] if depth == 1 else rows:
        if not isinstance(row, list) or not all(isinstance(n, int | float) for n in row):
            inside = "numbers" if depth == 1 else "lists of numbers"
            raise InvalidTree(f"the entry {key!r} must be a list of {inside}, got {row!r:.80}")
    return list(rows)


def _too_long(length: int, limit: int) -> InvalidTree:
    return InvalidTree(
        f"this text has {length:,} characters, more than the limit of {limit:,}: "
        "raise limit= if you trust it"
    )


def _no_constant(name: str) -> float:
    raise InvalidTree(f"{name} is not JSON: numbers must be finite")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        twice = first_repeated(name for name, _ in pairs)
        raise InvalidTree(f"duplicate entry {twice!r:.80}")
    return out
