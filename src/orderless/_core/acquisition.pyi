from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..acquisition.problem import CoreArrays, CoreRules

class Policy(NamedTuple):
    purchase: NDArray[np.int32]
    label: NDArray[np.int32]
    parent: NDArray[np.int32]
    outcome: NDArray[np.int32]
    weight: NDArray[np.int64]
    cost: NDArray[np.int64]
    worst: NDArray[np.int64]
    missed: NDArray[np.int64]

class Cheapest(NamedTuple):
    policy: Policy
    bound: int
    bound_missed: int
    proven: bool
    n_states: int

class LeastCost(NamedTuple):
    bound: int
    bound_missed: int

class Learned(NamedTuple):
    policy: Policy
    states: NDArray[np.int32]
    values: NDArray[np.float64]

def fixed_policy(arrays: CoreArrays, rules: CoreRules, kind: int, stop: bool) -> Policy: ...
def cheapest_policy(
    arrays: CoreArrays, rules: CoreRules, limit: int, time_limit: float
) -> Cheapest: ...
def least_cost(arrays: CoreArrays, rules: CoreRules) -> LeastCost: ...
def learned_policy(
    arrays: CoreArrays,
    rules: CoreRules,
    episodes: int,
    alpha: float,
    gamma: float,
    exploration: float,
    reward: float,
    seed: int,
) -> Learned: ...
