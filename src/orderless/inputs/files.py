"""Files that people name: read whole, if they are files and not too large.

In:  a path.
Out: its bytes, or an error that says what is there instead. A path may come from somebody else (a
     property file names models), and what it names may have no end, or wait for ever: folders,
     devices, pipes and sockets are refused before they are opened.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ..errors import InvalidData

__all__ = ["MOST_BYTES", "read_file"]

MOST_BYTES = 2**30
# A pipe that took the place of a file since it was looked at must not keep us waiting.
FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_NONBLOCK", 0)
)


def read_file(
    path: str | os.PathLike[str], most: int = MOST_BYTES, *, first: int | None = None
) -> bytes:
    """Read a regular file.

    Parameters
    ----------
    most : int
        Larger files are refused.
    first : int, optional
        Read only so many bytes, of a file of any size.

    Raises
    ------
    FileNotFoundError
        If there is none.
    InvalidData
        If it is a folder, a device, a pipe or a socket, or larger than ``most``.

    Examples
    --------
    >>> read_file("nowhere.json")
    Traceback (most recent call last):
        ...
    FileNotFoundError: there is no file 'nowhere.json': correct the name
    """
    shown = f"{os.fspath(path)!r:.400}"
    try:
        _check_regular(os.stat(path), shown)
        with os.fdopen(os.open(path, FLAGS), "rb") as handle:
            there = os.fstat(handle.fileno())
            _check_regular(there, shown)
            if first is not None:
                return handle.read(first)
            # Python takes memory for all that is asked for, however small the file is.
            content = b"" if there.st_size > most else handle.read(there.st_size + 1)
            if len(content) > there.st_size:  # it has grown, or does not say its size
                content += handle.read(most + 1 - len(content))
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {shown}: correct the name") from None
    except ValueError as fault:  # a NUL
        if isinstance(fault, InvalidData):
            raise
        raise InvalidData(f"{shown} cannot be the name of a file ({fault}): correct it") from None
    size = max(there.st_size, len(content))
    if size > most:
        raise InvalidData(
            f"the file {Path(path).name!r:.80} has {size:,} bytes, and at most {most:,} are read: "
            "give a smaller one"
        )
    return content


def _check_regular(there: os.stat_result, shown: str) -> None:
    if stat.S_ISDIR(there.st_mode):
        raise InvalidData(f"{shown} is a folder: give the name of a file in it")
    if not stat.S_ISREG(there.st_mode):
        raise InvalidData(
            f"{shown} is a device, a pipe or a socket: copy its content into a file, and give that"
        )
