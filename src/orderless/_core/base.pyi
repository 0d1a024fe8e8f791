"""How calls of the core end early."""

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
