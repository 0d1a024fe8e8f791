"""Checkpoints: the samples that are done, in a file that is whole at any moment.

In:  what the samples depend on (parameters, data, seed), and the tallies one by one.
Out: a file of JSON lines; from it the tallies of a run that was interrupted.

The first line says what the samples depend on; each other line is a sample. Every line ends with a
checksum over itself and the first line, so that a line of another run, a changed or a cut one is
found. The file is only ever replaced as a whole.
"""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

from ...errors import InvalidData
from ...inputs import read_file, write_whole
from .bootstrap import Tally

__all__ = ["Checkpoint"]

FORMAT, VERSION = "orderless.rashomon-importance", 1
EVERY = 1.0  # seconds between two writings, at least

Json = dict[str, Any]


class Checkpoint:
    """The file of a run: opened and checked at the start, written as samples come in.

    Parameters
    ----------
    path : path
    about : dict
        All that the samples depend on, but the seed.
    seed : int, optional
        What the samples are drawn from; None for any, so that of the file where there is one.
    n_features : int
    """

    def __init__(self, path: Any, about: Json, seed: int | None, n_features: int) -> None:
        self.path = Path(path)
        self._about = about
        self._n_features = n_features
        self._lines: list[str] = []
        self._head = ""
        self._written = time.monotonic()
        self.seed = seed
        self.tallies: dict[int, Tally] = {}
        if self.path.exists():
            self._read()

    def start(self, seed: int) -> None:
        """Write the first line, unless it is there: a path that cannot be written is found now."""
        if not self._head:
            self.seed = seed
            header = {"format": FORMAT, "version": VERSION, **self._about, "seed": str(seed)}
            self._head = _sealed(header, "")
            self.save()

    def add(self, number: int, tally: Tally) -> None:
        """Keep a sample, and write the file if that is some time ago."""
        self.tallies[number] = tally
        line = _sealed({"bootstrap": number, **tally.to_dict()}, self._head)
        self._lines.append(line)
        if time.monotonic() - self._written > EVERY:
            self.save()

    def save(self) -> None:
        """Write the file, whole or not at all."""
        write_whole(self.path, "\n".join([self._head, *self._lines]) + "\n")
        self._written = time.monotonic()

    # -- reading -------------------------------------------------------------------------------

    def _read(self) -> None:
        name = f"the checkpoint {str(self.path)!r}"
        other = "give another path, or delete the file"
        try:
            text = read_file(self.path).decode("utf-8")
        except UnicodeDecodeError:
            raise InvalidData(f"{name} is not text, so it is not a checkpoint: {other}") from None
        head, *lines = text.split("\n")
        try:
            about = json.loads(head)
            known = about.pop("format", None) == FORMAT
        except (ValueError, AttributeError, TypeError):
            known = False
        if not known:
            raise InvalidData(
                f"{name} does not begin as a checkpoint of RashomonImportance does: {other}"
            )
        if about.pop("version", None) != VERSION:
            raise InvalidData(
                f"{name} has another version than {VERSION}, the only one known: {other}"
            )
        if not _whole(head, "") or not text.endswith("\n"):
            raise self._broken(name, lines, head)
        seed = int(about.pop("seed"))
        about.pop("check")
        keys = {*self._about, *about}
        differ = sorted(key for key in keys if about.get(key) != self._about.get(key))
        if self.seed is not None and self.seed != seed:
            differ.append("random_state")
        if differ:
            raise InvalidData(
                f"{name} belongs to a run with different {', '.join(differ)}: give the same data "
                f"and parameters, {other}"
            )
        for line in lines[:-1]:
            if not _whole(line, head):
                raise self._broken(name, lines, head)
            body = json.loads(line)
            self.tallies[int(body["bootstrap"])] = Tally.from_dict(body, self._n_features)
        self._head, self._lines, self.seed = head, lines[:-1], seed

    def _broken(self, name: str, lines: list[str], head: str) -> InvalidData:
        """Say which line is not whole, and what can be kept."""
        if not _whole(head, ""):
            return InvalidData(f"{name} is damaged in its first line: delete it to begin anew")
        good = 0
        while good < len(lines) and _whole(lines[good], head):
            good += 1
        return InvalidData(
            f"{name} is cut or changed at line {good + 2}: nothing of it is used. Lines 1 to "
            f"{good + 1} are whole ({good} samples): keep only those, each with its end of line "
            f"(head -n {good + 1}), to go on from there, or delete the file"
        )


def _check(body: str, head: str) -> str:
    return hashlib.sha256(f"{head}\n{body}".encode()).hexdigest()


def _sealed(content: Json, head: str) -> str:
    """Write a line, with a checksum of it and of the first line at its end."""
    body = json.dumps(content, separators=(",", ":"), allow_nan=False)
    return f'{body[:-1]},"check":"{_check(body, head)}"}}'


def _whole(line: str, head: str) -> bool:
    """Tell whether a line is as it was written."""
    body, mark, check = line.rpartition(',"check":"')
    return bool(mark) and check == f'{_check(body + "}", head)}"}}'
