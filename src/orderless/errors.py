"""The few error classes of the package, each a child of a built-in.

In:  nothing; this is the top room of the house.
Out: classes to catch, when catching ``ValueError`` is too wide.
"""

from typing import Any

__all__ = [
    "DataNotFound",
    "InvalidData",
    "InvalidSpace",
    "InvalidTree",
    "OutOfMemory",
    "OutOfTime",
    "TooLarge",
    "TooManyBoxes",
    "TooManyReasons",
    "UnreadableModel",
]


class InvalidSpace(ValueError):
    """Features, conditions or columns that do not fit together."""


class InvalidTree(ValueError):
    """Arrays, nested dicts or JSON that do not describe a tree."""


class UnreadableModel(TypeError):
    """A model that no reader knows, or a transformer that cannot be undone."""


class InvalidData(ValueError):
    """Rows, or a data set, with values that the features do not allow."""


class DataNotFound(FileNotFoundError):
    """A data set that is neither built in, nor in the folder, nor downloadable."""


class TooManyBoxes(RuntimeError):
    """An exact answer needs more boxes than allowed."""


class TooManyReasons(RuntimeError):
    """There are more reasons than allowed; ``met`` of them were met before giving up."""

    def __init__(self, message: str, met: int) -> None:
        super().__init__(message)
        self.met = met

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker's error has to reach its pool.
        return type(self), (*self.args, self.met), vars(self)


class OutOfTime(TimeoutError):
    """An exact answer took longer than allowed."""


class OutOfMemory(MemoryError):
    """An exact answer needs more memory than allowed."""


class TooLarge(RuntimeError):
    """A set has more members than allowed; at least ``met`` of them were met."""

    def __init__(self, message: str, met: int) -> None:
        super().__init__(message)
        self.met = met

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.met), vars(self)
