"""Whole files: what stands under its own name is always complete.

In:  where a result should go.
Out: a handle for bytes; they get the name when all of them are written, else they go away.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ..errors import InvalidData

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file that takes its place if all goes well; an older one stays if not.

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
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InvalidData(f"{str(path)!r} is a folder: give the name of a file in it")
    if not target.parent.is_dir():
        folder = str(Path(path).parent)
        raise FileNotFoundError(f"there is no folder {folder!r}: make it, or correct the name")
    if target.exists() and not target.is_file():  # a pipe or a device keeps its name
        with _named(target), target.open("wb") as handle:
            yield handle
        return
    part = target.with_name(f".{target.name[:64]}.{os.getpid()}.{secrets.token_hex(4)}.part")
    try:  # from before it is there: a signal may come at any time
        with _named(target), part.open("xb") as handle:
            yield handle
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _named(target: Path) -> Iterator[None]:
    """Say which file was not written, where the system does not."""
    try:
        yield
    except OSError as fault:
        if fault.filename is None and fault.errno is not None:
            said = f"{os.strerror(fault.errno)}: {str(target)!r} was not written"
            raise OSError(fault.errno, said) from fault
        raise
