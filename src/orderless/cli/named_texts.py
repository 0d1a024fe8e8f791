"""Texts by name, as people give them: ``--labels``, ``--units`` and ``--class-names``.

In:  ``NAME=TEXT``, once per name, or a JSON file ``{name: text}``.
Out: a dict of name -> text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from ..inputs import some_names
from .mistakes import Mistake

__all__ = ["read_named_texts"]


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
        try:
            content = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as fault:
            raise Mistake(f"{path.name} is not JSON: {fault}") from None
        if not isinstance(content, dict) or not all(isinstance(t, str) for t in content.values()):
            raise Mistake(f"{path.name} must be a JSON object {{name: text}}")
        return list(content.items())
    if "=" not in one:
        raise Mistake(f"{option} {one!r:.80} is neither NAME=TEXT nor a JSON file {{name: text}}")
    ends = [i for i, sign in enumerate(one) if sign == "="]
    end = next((i for i in ends if one[:i] in known), ends[0])  # a name may have = in it
    return [(one[:end], one[end + 1 :])]
