"""A cache of finished pieces, by content: an interrupted run goes on where it was.

In:  a function's name, its parameters, the data's hash and the code's.
Out: what the piece gave, if exactly this was run before.

Entries are JSON, never pickle. One that is cut, foreign or edited does not match its own checksum
and is computed anew.
"""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import orderless as ol

from ..inputs import write_whole

__all__ = ["Cache", "code_version", "data_version"]

FORMAT = 1


@cache
def code_version() -> str:
    """Hash the installed package: its modules and its compiled core.

    Returns
    -------
    str
        16 hex digits; any change of the code changes them.
    """
    total = sha256()
    package = Path(ol.__file__).parent
    for path in sorted(package.rglob("*.py")):
        total.update(path.relative_to(package).as_posix().encode() + b"\0" + path.read_bytes())
    from orderless import _core

    total.update(Path(_core.__file__).read_bytes())
    return total.hexdigest()[:16]


@cache
def data_version(name: str) -> str:
    """Hash a data set.

    Parameters
    ----------
    name : str
        As ``orderless.datasets.load`` takes it.

    Returns
    -------
    str
        16 hex digits.
    """
    from pandas.util import hash_pandas_object

    frame = ol.datasets.load(name).frame
    total = sha256("\0".join(map(str, frame.columns)).encode())
    total.update(hash_pandas_object(frame, index=False).to_numpy().tobytes())
    return total.hexdigest()[:16]


class Cache:
    """Finished pieces in a folder.

    Parameters
    ----------
    folder : path or None
        None: nothing is kept.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def key(self, piece: str, parameters: dict[str, Any]) -> str:
        """Name a piece by its content.

        Parameters
        ----------
        piece : str
            The function.
        parameters : dict
            Of JSON values. The data set named by "dataset", if there is one, is hashed too.

        Returns
        -------
        str
            64 hex digits.
        """
        data = data_version(parameters["dataset"]) if "dataset" in parameters else ""
        text = json.dumps([FORMAT, piece, parameters, data, code_version()], sort_keys=True)
        return sha256(text.encode()).hexdigest()

    def get(self, key: str) -> Any:
        """Give what was kept under a key, or None."""
        if self.folder is None:
            return None
        try:
            entry = json.loads((self.folder / f"{key}.json").read_text(encoding="utf-8"))
            whole = entry["key"] == key and entry["sum"] == _checksum(entry["value"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return entry["value"] if whole else None

    def put(self, key: str, value: Any) -> None:
        """Keep a value: the entry is written whole or not at all."""
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        entry = {"key": key, "sum": _checksum(value), "value": value}
        write_whole(self.folder / f"{key}.json", json.dumps(entry))


def _checksum(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
