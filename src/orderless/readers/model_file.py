"""Files of models.

In:  a path.
Out: the bytes, or an error that says what is there instead.
"""

from __future__ import annotations

from pathlib import Path

from ..errors import InvalidData

__all__ = ["file_bytes", "file_head"]


def file_bytes(path: Path) -> bytes:
    """Read a file.

    Raises
    ------
    FileNotFoundError
        If there is none.
    InvalidData
        If it is a folder.

    Examples
    --------
    >>> file_bytes(Path("nowhere.json"))
    Traceback (most recent call last):
        ...
    FileNotFoundError: there is no file 'nowhere.json': correct the name
    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise FileNotFoundError(f"there is no file {str(path)!r}: correct the name") from None
    except IsADirectoryError:
        raise InvalidData(f"{str(path)!r} is a folder: give the name of a file in it") from None


def file_head(path: Path) -> bytes:
    """Read how a file begins."""
    with path.open("rb") as handle:
        return handle.read(256)
