from typing import NamedTuple

from ..acquisition.problem import CoreArrays, CoreRules
from ..model.arrays import Floats, Ints, Longs

class Policy(NamedTuple):
    purchase: Ints
    label: Ints
    parent: Ints
    outcome: Ints
    weight: Longs
    cost: Longs
    worst: Longs
    missed: Longs

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
    states: Ints
    values: Floats

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
