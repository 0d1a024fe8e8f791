"""Files that people name: read if they are not too large, and written completely or not at all.

In:  a path, and what is to be written.
Out: the bytes of a file, or an error that says what is there instead; or the file, complete. A path
     may come from somebody else (a property file names models), and what it names may have no end,
     or wait for ever: folders, devices, pipes and sockets are refused before they are opened. This
     is the only module of the package that creates files for its users.
Why: docs/decisions/0015.
"""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from ..errors import InvalidData

__all__ = ["MOST_BYTES", "read_file", "whole_file", "write_whole"]

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


DESCRIPTOR = re.compile(r"/(?:dev|proc/self)/fd/(\d{1,9})", re.ASCII)
STREAMS = {"/dev/stdout": 1, "/dev/stderr": 2}
NO_SYNC = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)  # a file system that cannot


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file at once, whole or not at all; text as UTF-8.

    Half of a surrogate pair, which no UTF-8 file can hold, is written as an escape.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> target = Path(mkdtemp()) / "page.html"
    >>> write_whole(target, "<p>x</p>")
    >>> target.read_text()
    '<p>x</p>'
    """
    if isinstance(content, str):
        content = content.encode("utf-8", "backslashreplace")
    with whole_file(path) as handle:
        handle.write(content)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes its place if all goes well; an older one stays if not.

    Bytes go into a new file with a random name in the same folder, which is moved to its place
    when all of them are on the disk, and deleted after any error. A file that is replaced passes
    its permissions on; a new one gets those that the umask leaves. A symbolic link is followed: it
    stays, and what it points at is replaced. What is not a regular file (a pipe, a device,
    ``/dev/stdout``) is written to as it is.

    Raises
    ------
    InvalidData
        If the path is a folder.
    OSError
        If it cannot be written: no such folder, no permission, no space left.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> target = Path(mkdtemp()) / "answers.csv"
    >>> with whole_file(target) as handle:
    ...     _ = handle.write(b"x")
    ...     target.exists()
    False
    >>> target.exists()
    True
    """
    own = _descriptor(path)
    if own is not None:
        for stream in filter(None, (sys.stdout, sys.stderr)):
            stream.flush()  # what was written before comes first
        with _named(path), os.fdopen(os.dup(own), "wb") as handle:
            yield handle
        return
    there = _status(path)
    if there is not None and not stat.S_ISREG(there.st_mode):
        with _named(path), open(path, "wb") as handle:
            yield handle
        return
    target = Path(os.path.realpath(path))
    part = target.with_name(f".orderless-{secrets.token_hex(8)}.part")
    try:  # from before it is there: a signal may come at any time
        with _named(path):
            with os.fdopen(_create(part, there), "wb") as handle:
                yield handle
                _to_disk(handle)
            os.replace(part, target)
    finally:
        part.unlink(missing_ok=True)


def _descriptor(path: str | os.PathLike[str]) -> int | None:
    """Give the open file that a path such as /dev/stdout stands for, whatever is behind it."""
    name = os.fspath(path)
    found = DESCRIPTOR.fullmatch(name)
    return int(found[1]) if found else STREAMS.get(name)


def _status(path: str | os.PathLike[str]) -> os.stat_result | None:
    """Look what is at a path, through links; None if nothing is. Refuse what cannot be written."""
    try:
        there = os.stat(path)
    except FileNotFoundError:
        folder = Path(os.path.realpath(path)).parent
        if not folder.is_dir():
            shown = str(folder if os.path.islink(path) else Path(path).parent)
            raise FileNotFoundError(
                f"there is no folder {shown!r}: make it, or correct the name"
            ) from None
        return None
    if stat.S_ISDIR(there.st_mode):
        raise InvalidData(f"{str(path)!r} is a folder: give the name of a file in it")
    if stat.S_ISREG(there.st_mode) and not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "the file is read-only", os.fspath(path))
    return there


def _create(part: Path, there: os.stat_result | None) -> int:
    """Open a file that was not there, with the owner and permissions of the one it replaces."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    mode = 0o666 if there is None else stat.S_IMODE(there.st_mode) & 0o777
    try:
        handle = os.open(part, flags, mode)  # less what the umask takes
    except OSError as fault:
        message = f"cannot create a file in the folder {str(part.parent)!r}: {fault.strerror}"
        raise OSError(fault.errno, message) from fault
    if there is not None:
        with suppress(OSError, AttributeError):  # not ours to give away, or no POSIX
            os.fchown(handle, there.st_uid, there.st_gid)
        with suppress(OSError, AttributeError):
            os.fchmod(handle, mode)
    return handle


def _to_disk(handle: IO[bytes]) -> None:
    handle.flush()
    try:
        os.fsync(handle.fileno())
    except OSError as fault:
        if fault.errno not in NO_SYNC:
            raise


@contextmanager
def _named(path: str | os.PathLike[str]) -> Iterator[None]:
    """Say which file was not written, where the system does not."""
    try:
        yield
    except OSError as fault:
        moved = fault.filename2 is not None  # from a name that means nothing to the user
        if fault.errno is not None and (fault.filename is None or moved):
            message = f"{fault.strerror}: {os.fspath(path)!r} was not written"
            raise OSError(fault.errno, message) from fault
        raise
