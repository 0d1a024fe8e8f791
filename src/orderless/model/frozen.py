"""Frozen values: arrays that are not written to, also after a copy or a pickle.

In:  an object that names its arrays.
Out: ``Frozen``, what ``Tree`` and ``Ensemble`` have in common.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

__all__ = ["Frozen", "freeze"]


def freeze(arrays: Iterable[NDArray[Any]]) -> None:
    """Let nobody write to arrays.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.zeros(1)
    >>> freeze([one])
    >>> one.flags.writeable
    False
    """
    for array in arrays:
        array.setflags(write=False)


class Frozen:
    """An object whose arrays cannot be written to; what it can compute again is not pickled."""

    @property
    @abstractmethod
    def _arrays(self) -> list[NDArray[Any]]:
        """Its arrays."""

    def __getstate__(self) -> dict[str, Any]:
        made_again = {name for kind in type(self).__mro__ for name, member in vars(kind).items()
                      if isinstance(member, cached_property)}  # fmt: skip
        return {name: value for name, value in vars(self).items() if name not in made_again}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)  # copied and unpickled arrays can be written to
        freeze(self._arrays)
