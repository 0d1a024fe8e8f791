"""Mistakes: what a user can put right, said in one line.

In:  exceptions.
Out: ``Mistake``, and the line that people see instead of a traceback.
"""

from __future__ import annotations

import re

from ..errors import (
    DataNotFound,
    InvalidData,
    InvalidSpace,
    InvalidTree,
    OutOfMemory,
    OutOfTime,
    TooLarge,
    TooManyBoxes,
    TooManyReasons,
    UnreadableModel,
)
from ..words import printable

__all__ = ["MISTAKES", "Mistake", "cut", "one_line", "some"]

LONGEST = 2000  # letters of a message


class Mistake(ValueError):
    """Something that the user can put right; the message says how."""


MISTAKES = (
    Mistake,
    DataNotFound,
    InvalidData,
    InvalidSpace,
    InvalidTree,
    OutOfMemory,
    OutOfTime,
    TooLarge,
    TooManyBoxes,
    TooManyReasons,
    UnreadableModel,
    OSError,  # no such file, no permission, no space left
)

# The library's messages name parameters, people here have options.
OPTIONS = (
    (re.compile(r"\bexact=False\b"), "--no-exact"),
    (re.compile(r"\btime_limit=(?=\d)"), "--time-limit "),
    (re.compile(r"\btime_limit="), "--time-limit"),
    (re.compile(r"\bmemory_limit=(?=\d)"), "--memory-limit "),
    (re.compile(r"\blimit=(?=\d)"), "--limit "),
    (re.compile(r"\blimit="), "--limit"),
    (re.compile(r"\bmax_depth\b"), "--max-depth"),
    (re.compile(r"\bmax_columns=(?=\d)"), "--max-columns "),
    (re.compile(r"\bmax_columns="), "--max-columns"),
    (re.compile(r"\bdelimiter='\\t'"), "--delimiter tab"),
    (re.compile(r"\bdelimiter="), "--delimiter "),
    (re.compile(r"\bencoding='([\w-]+)'"), r"--encoding \1"),
    (re.compile(r"\bdecimal='([.,])'"), r"--decimal \1"),
    (re.compile(r"\bthousands='([.,])'"), r"--thousands \1"),
    (re.compile(r"\b(decimal|thousands|missing)=(?=['\"\[])"), r"--\1 "),
    (re.compile(r"\bmissing= "), "--missing "),
    (re.compile(r"\bneeded=['\"](\w+)['\"]"), r"--needed \1"),
    (re.compile(r"\bnames=$"), "--names"),
)


def one_line(fault: BaseException) -> str:
    r"""Write what is wrong in one line, without characters that a terminal would obey.

    Examples
    --------
    >>> one_line(Mistake("a name\nlike \x1b[31m, more than limit=7: raise limit="))
    'a name like \\x1b[31m, more than --limit 7: raise --limit'
    """
    text = str(fault)
    if isinstance(fault, OSError) and fault.strerror:
        name = fault.filename if fault.filename is not None else ""
        text = f"{name}: {fault.strerror}" if name else fault.strerror
    text = printable(" ".join(text.split()))
    for option, written in OPTIONS:
        text = option.sub(written, text)
    return cut(text, LONGEST) or type(fault).__name__


def cut(text: str, most: int = 80) -> str:
    """Shorten what a file may have made very long.

    Examples
    --------
    >>> cut("abcdefgh", most=6)
    'abc...'
    """
    return text if len(text) <= most else text[: most - 3] + "..."


def some(names: list[str] | tuple[str, ...], most: int = 8) -> str:
    """List a few names for a message.

    Examples
    --------
    >>> some(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(cut(name)) for name in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "")
