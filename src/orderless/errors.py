"""The few error classes of the package, each a child of a built-in.

In:  nothing; every room of the house stands on this one.
Out: classes to catch, when catching ``ValueError`` is too wide; ``a_kind``, ``named`` and
     ``setting``, for their messages; ``spelled``, for callers whose users know parameters by other
     names.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

__all__ = [
    "DataNotFound",
    "IncompleteSet",
    "InvalidData",
    "InvalidParameter",
    "InvalidRules",
    "InvalidSpace",
    "InvalidTree",
    "OutOfMemory",
    "OutOfTime",
    "TooLarge",
    "TooManyBoxes",
    "TooManyReasons",
    "Undecided",
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


Spelling = Callable[[str, object], str]  # of a name and a value, which is ... if there is none


def _in_python(name: str, value: object) -> str:
    if value is ...:
        return f"{name}="
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{name}={value:{',' if isinstance(value, int) else 'g'}}"
    return f"{name}={value!r:.80}"


_spelling: ContextVar[Spelling] = ContextVar("_spelling", default=_in_python)


def setting(name: str, value: object = ...) -> str:
    """Write a parameter, with a value or without, as whoever reads the message would set it.

    Every message that is about a parameter names it with this function, so that the command line
    can name its option instead (``spelled``).

    Examples
    --------
    >>> setting("limit"), setting("limit", 1000), setting("encoding", "utf-8")
    ('limit=', 'limit=1,000', "encoding='utf-8'")
    """
    return _spelling.get()(name, value)


def named(name: str) -> str:
    """Write a parameter where a sentence is about it: limit in Python, --limit in a shell.

    Examples
    --------
    >>> f"{named('limit')} must be 1 or more, got 0"
    'limit must be 1 or more, got 0'
    """
    return setting(name).removesuffix("=")


@contextmanager
def spelled(spelling: Spelling) -> Iterator[None]:
    """Let messages write parameters in another way, as long as this is open.

    Examples
    --------
    >>> with spelled(lambda name, value: f"--{name}"):
    ...     setting("limit", 7)
    '--limit'
    >>> setting("limit", 7)
    'limit=7'
    """
    before = _spelling.set(spelling)
    try:
        yield
    finally:
        _spelling.reset(before)


class InvalidParameter(ValueError):
    """A value that a parameter does not allow; ``parameter`` is its name."""

    def __init__(self, message: str, parameter: str) -> None:
        super().__init__(message)
        self.parameter = parameter

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker's error has to reach its pool.
        return type(self), (*self.args, self.parameter), vars(self)


class InvalidSpace(ValueError):
    """Features, conditions or columns that do not fit together."""


class InvalidTree(ValueError):
    """Arrays, nested dicts or JSON that do not describe a tree."""


class InvalidRules(InvalidTree):
    """Rules that contradict each other, or leave gaps; ``check`` has all of it."""

    def __init__(self, message: str, check: Any) -> None:
        super().__init__(message)
        self.check = check

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.check), vars(self)


class UnreadableModel(TypeError):
    """A model that no reader knows, or a transformer that cannot be undone."""


class InvalidData(ValueError):
    """Rows, or a data set, with values that the features do not allow.

    ``row`` is the row at fault where the message is about one, counted from 0 as in the message.
    """

    row: int | None = None


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
        return type(self), (*self.args, self.met), vars(self)


class IncompleteSet(UserWarning):
    """A set of trees is a proven part of what was asked for, or an answer is about such a part."""


class ContradictingRows(UserWarning):
    """Rows contradict the facts of their space, so that no class is possible for them."""


class UndecidedRows(UserWarning):
    """Time did not suffice to prove whether the answers of some rows are certain."""


class NeverOffered(UserWarning):
    """Features that no tree could ask about: nothing is known about their importance."""


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


class Undecided(RuntimeError):
    """Neither yes nor no was proven.

    ``why`` is "time", "rounding" (nearer to a tie than the library's own arithmetic can tell) or
    "room"; ``proven`` has what is known all the same, by name.
    """

    def __init__(self, message: str, why: str, proven: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.why = why
        self.proven = {} if proven is None else proven

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.why, self.proven), vars(self)
