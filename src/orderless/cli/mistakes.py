"""Mistakes: invalid input, said in one line; and what to report of an internal error.

In:  exceptions.
Out: ``Mistake``, and what people see instead of a traceback.
"""

from __future__ import annotations

import platform
import shlex
import sys
import traceback
from pathlib import Path

from .. import errors
from ..model import cut as cut_middle, printable

__all__ = [
    "MISTAKES",
    "Mistake",
    "as_option",
    "cut",
    "for_report",
    "is_mistake",
    "line_of",
    "one_line",
]


class Mistake(ValueError):
    """Invalid input: arguments or files; the message says how to correct them."""


# OSError: no such file, no permission, no space left.
MISTAKES = (Mistake, OSError, *(getattr(errors, name) for name in errors.__all__))


def is_mistake(fault: Exception) -> bool:
    """Whether a fault is invalid input or a package that is not installed: its message says so.

    Anything else is an internal error.
    """
    if isinstance(fault, ImportError):
        return not str(fault.name).startswith("orderless")
    return isinstance(fault, MISTAKES)


# What a parameter of the library is called here, where that is not its name with dashes.
OPTIONS = {
    "batch_size": "--chunk-rows", "feature_names": "--space", "missing": "--na",
    "n_jobs": "--jobs", "random_state": "--seed",
    "target": "--output",
}  # fmt: skip


def as_option(name: str, value: object) -> str:
    """Write a parameter as the option that sets it, for messages of the library.

    Examples
    --------
    >>> as_option("time_limit", ...), as_option("limit", 1000), as_option("exact", False)
    ('--time-limit', '--limit 1,000', '--no-exact')
    >>> as_option("delimiter", ";"), as_option("names", ["a", "b"]), as_option("safe_csv", True)
    ("--delimiter ';'", '--names a,b', '--safe-csv')
    """
    option = OPTIONS.get(name, f"--{name.replace('_', '-')}")
    if value is ... or value is True:
        return option
    if value is False:
        return option.replace("--", "--no-", 1)
    if value is None:
        return f"{option} none"
    if isinstance(value, int | float):
        return f"{option} {value:{',' if isinstance(value, int) else 'g'}}"
    if isinstance(value, list | tuple):
        value = ",".join(map(str, value))
    return f"{option} {'tab' if value == chr(9) else shlex.quote(cut(str(value)))}"


def one_line(fault: BaseException) -> str:
    r"""Write what is wrong in one line, without characters that a terminal would obey.

    Examples
    --------
    >>> one_line(Mistake("a name\nlike \x1b[31m"))
    'a name like \\x1b[31m'
    """
    text = str(fault)
    if isinstance(fault, OSError) and fault.strerror:
        name = fault.filename if fault.filename is not None else ""
        text = f"{name}: {fault.strerror}" if name else fault.strerror
    return line_of(text) or type(fault).__name__


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
