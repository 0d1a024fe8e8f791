"""The words of facts: text is cut into names, numbers, labels and signs.

In:  the text of a fact.
Out: ``Word``, each with its place in the text; an error that says where it stops being readable.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from ...errors import InvalidSpace

__all__ = ["Word", "at", "quoted", "words_of"]

LONGEST = 20_000  # characters of one fact
PATTERN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
  | (?P<name>`(?:[^`]|``)*`)
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<sign><=|>=|!=|==|=|<|>|≤|≥|≠|\+|-|\*|\(|\)|\{|\}|,)
  | (?P<word>[^\W\d][\w.]*)
  )""",
    re.VERBOSE,
)
PLAIN = re.compile(r"[^\W\d][\w.]*")
SAME = {"≤": "<=", "≥": ">=", "≠": "!=", "==": "="}
RESERVED = {
    "if", "then", "and", "or", "not", "in", "is", "at", "most", "least", "exactly", "of", "within",
    "missing", "true", "false", "yes", "no",
}  # fmt: skip


class Word(NamedTuple):
    """A piece of a fact.

    Attributes
    ----------
    kind : "number", "name" (in backticks), "text" (in quotes), "sign", "word", or "end"
    text : str
        Without its quotes.
    start : int
        Where it begins, from 0.
    """

    kind: str
    text: str
    start: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.text)

    def is_(self, *texts: str) -> bool:
        """Whether it is one of some signs or key words."""
        return self.kind in ("sign", "word") and self.text in texts


def words_of(text: str) -> list[Word]:
    """Cut a fact into its words; the last one is its end."""
    if len(text) > LONGEST:
        raise InvalidSpace(f"a fact has {len(text):,} characters, and at most {LONGEST:,} are read")
    out: list[Word] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        found = PATTERN.match(text, place)
        if found is None:
            start = place + len(text[place:]) - len(text[place:].lstrip())
            raise at(text, start, f"{text[start]!r} cannot be read: names with spaces or signs are "
                     "written in backticks, `like this`")  # fmt: skip
        kind = str(found.lastgroup)
        own = found.group(kind)
        if kind == "name":
            own = own[1:-1].replace("``", "`")
        elif kind == "text":
            own = re.sub(r"\\(.)", r"\1", own[1:-1], flags=re.DOTALL)
        out.append(Word(kind, SAME.get(own, own) if kind == "sign" else own, found.start(kind)))
        place = found.end()
    out.append(Word("end", "", end))
    return out


def at(text: str, start: int, message: str) -> InvalidSpace:
    """Give the error that a fact cannot be read, and where."""
    shown = text if len(text) <= 120 else f"{text[:120]}..."
    return InvalidSpace(f"the fact {shown!r} cannot be read at character {start + 1}: {message}")


def quoted(name: str) -> str:
    """Write the name of a feature as facts do: in backticks where it is not one plain word.

    Examples
    --------
    >>> quoted("age"), quoted("blood pressure")
    ('age', '`blood pressure`')
    """
    if PLAIN.fullmatch(name) and name not in RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def quoted_label(label: object) -> str:
    """Write a category as facts do: text in quotes where it is not one plain word."""
    if not isinstance(label, str):
        return repr(label)
    if PLAIN.fullmatch(label) and label not in RESERVED:
        return label
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'
