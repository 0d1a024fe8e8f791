"""Mistakes: invalid input, said in one line; and what to report of an internal error.

In:  exceptions.
Out: ``Mistake``, and what people see instead of a traceback.
"""

from __future__ import annotations

import platform
import re
import sys
import traceback
from pathlib import Path

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
from ..model import cut as cut_middle, printable

__all__ = ["MISTAKES", "Mistake", "cut", "for_report", "line_of", "one_line", "some"]


class Mistake(ValueError):
    """Invalid input: arguments or files; the message says how to correct them."""


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
    text = line_of(text)
    for option, written in OPTIONS:
        text = option.sub(written, text)
    return text or type(fault).__name__


def cut(text: str, most: int = 80) -> str:
    """Shorten a name that a file may have made very long.

    Examples
    --------
    >>> cut("abcdefgh", most=6)
    'abc...'
    """
    return text if len(text) <= most else text[: most - 3] + "..."


def line_of(text: str) -> str:
    r"""Write a message in one line that is short enough to read, and that a terminal only shows.

    Examples
    --------
    >>> line_of("no such\ncolumn: \x1b[2J")
    'no such column: \\x1b[2J'
    """
    return printable(" ".join(cut_middle(text).split()))


def for_report(fault: BaseException, command: str) -> list[str]:
    """Say what to report of an internal error: versions and places, nothing that a file said."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        own = version("orderless")
    except PackageNotFoundError:  # run from its folder, not installed
        own = "(not installed)"
    python = ".".join(map(str, sys.version_info[:3]))
    package = Path(__file__).parents[1]
    places = [
        f"{path.relative_to(package).as_posix()}:{frame.lineno}"
        for frame in reversed(traceback.extract_tb(fault.__traceback__))
        if (path := Path(frame.filename)).is_relative_to(package)
    ]
    return [
        f"orderless {own}, Python {python}, {platform.system()} {platform.machine()}, {command}",
        f"{type(fault).__name__} in {', '.join(places[:8]) or 'no module of orderless'}",
    ]


def some(names: list[str] | tuple[str, ...], most: int = 8) -> str:
    """List a few names for a message.

    Examples
    --------
    >>> some(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(repr(cut(name)) for name in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "")
