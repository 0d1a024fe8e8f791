"""The few error classes of the package, each a child of a built-in.

In:  nothing; this is the top room of the house.
Out: classes to catch, when catching ``ValueError`` is too wide; ``a_kind``, for their messages.
"""

import re
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


def a_kind(value: object) -> str:
    """Say what a value is, for a message: its type with the right article.

    Examples
    --------
    >>> a_kind(3), a_kind("x"), a_kind(None), a_kind(int)
    ('an int', 'a str', 'a NoneType', 'the class int')
    """
    return f"the class {value.__name__}" if isinstance(value, type) else an(type(value).__name__)


def an(name: str) -> str:
    """Put "a" or "an" before the name of a type, by how it sounds.

    Examples
    --------
    >>> an("AdaBoostClassifier"), an("DecisionTreeClassifier"), an("OneHotEncoder")
    ('an AdaBoostClassifier', 'a DecisionTreeClassifier', 'a OneHotEncoder')
    >>> an("XGBClassifier"), an("SVC"), an("STreeDClassifier"), an("ndarray")
    ('an XGBClassifier', 'an SVC', 'a STreeDClassifier', 'an ndarray')
    """
    if re.match(r"[A-Z]{2}(?![a-z])|nd", name):  # spelled letter by letter
        vowel = name[0] in "AEFHILMNORSXn"
    else:
        vowel = re.match(r"(?!One|Uni|Use)[AEIOUaeiou]", name) is not None
    return f"{'an' if vowel else 'a'} {name}"


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
