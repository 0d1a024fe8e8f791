"""How calls of the core end early, and how it was built."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

compiler: str  # "gcc 12.2.0"
registers: str  # the widest that are used here: "avx512", "avx2", "popcnt" or "portable"
stable_abi: bool  # whether one build serves every CPython from 3.12 on

class LimitReached(RuntimeError):
    met: int

class TimeUp(TimeoutError):
    met: int

class MemoryLimit(MemoryError):
    limit: int

class CountOverflow(OverflowError):
    bits: int

class CostOverflow(OverflowError): ...
class OutOfReach(ValueError): ...
class TooDeep(OutOfReach): ...
class TooManySets(OutOfReach): ...
class TooManyCells(OutOfReach): ...
class TooManyLeaves(OutOfReach): ...
class NotWritten(OutOfReach): ...

def zero_one(table: NDArray[Any]) -> NDArray[np.uint8] | None: ...
def two_labels(y: NDArray[Any]) -> tuple[int, NDArray[np.int32]] | None: ...
