"""Versioned JSON: the envelope of every file that we write.

In:  plain dicts and lists.
Out: text, and dicts again. What is inside is checked by whoever asked (docs/formats).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .errors import InvalidTree

__all__ = ["dump", "load", "parse", "take"]

LIMIT = 256 * 1024 * 1024


def dump(form: str, version: int, content: Mapping[str, Any]) -> str:
    """Write the content as JSON with its format and version first. Floats keep every bit."""
    content = {"format": form, "version": version, **content}
    text = json.dumps(content, ensure_ascii=False, allow_nan=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half of a surrogate pair: legal in Python's text, not in a file
        text = json.dumps(content, allow_nan=False)
    return text


def load(
    text: str | bytes, form: str, version: int | tuple[int, ...], *, limit: int = LIMIT
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
        raise InvalidTree(f"expected JSON text, got {type(text).__qualname__}")
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


def take(content: Mapping[str, Any], key: str, kind: type) -> Any:
    """Get an entry of a given type; anything else is an error that names the entry."""
    if key not in content:
        raise InvalidTree(f"the entry {key!r} is missing; there are {sorted(content)}")
    value = content[key]
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise InvalidTree(
            f"the entry {key!r} is a {type(value).__name__}, expected a {kind.__name__}"
        )
    return value


def _too_long(length: int, limit: int) -> InvalidTree:
    return InvalidTree(
        f"this text has {length:,} characters, more than the limit of {limit:,}: "
        "raise limit= if you trust it"
    )


def _no_constant(name: str) -> float:
    raise InvalidTree(f"{name} is not JSON: only finite numbers are legal")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    out = dict(pairs)
    if len(out) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidTree(f"the entry {twice!r} is there twice")
    return out
