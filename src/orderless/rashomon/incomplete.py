"""Sets that are not whole: a proven part of what was asked for, and what is known of the rest.

In:  a ``Problem`` whose set passes a limit.
Out: an ``Engine`` for a smaller question, all of whose trees are in the set that was asked for,
     with ``Incomplete``, which says what was asked; bounds on the set's counts and objectives.
     docs/decisions/0022 says which questions are smaller, and why their answers are a part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from time import monotonic
from typing import Any, Literal, NamedTuple

import numpy as np

from ..errors import InvalidData, InvalidTree, OutOfMemory, OutOfTime, TooLarge, setting
from ..model import formats as serial
from .engine import Engine, View
from .flat import distinct
from .listed import Source
from .problem import KINDS, MOST_DEPTH, Problem, Rules, decimal, share

__all__ = ["Incomplete", "incomplete_in", "incomplete_out", "part_of"]

Limit = Literal["memory_limit", "time_limit", "n_trees"]
LIMITS: tuple[Limit, ...] = ("memory_limit", "time_limit", "n_trees")
STEPS = 16  # in which smaller epsilons are tried
CHEAPER = (2, 4, 16)  # by what the cost of a leaf is divided to learn how much trees err at least
MOST_DIGITS = 4000  # of an upper bound that is worth being said
MOST_LEAVES = 256  # up to which trees are counted by their leaves


class LeastErrors(NamedTuple):
    """The smallest objective of the whole depth where a leaf costs less than it was asked for.

    So a tree of l leaves errs on at least ``objective`` - l x ``regularization`` of the rows.
    """

    regularization: Fraction
    objective: Fraction


@dataclass(frozen=True)
class Incomplete:
    """What was asked for, and what of it there is.

    Attributes
    ----------
    asked : Rules
        What the whole set is made by.
    limit : "memory_limit", "time_limit" or "n_trees"
        What did not suffice; "n_trees" where they cannot be counted: more than 2^128, for example.
    amount : number, or None
        Its value.
    problem : Problem
        What the part is made by: ``problem.rules`` are the smaller question's.
    optimum : int
        The smallest objective in the part, in whole numbers.
    least_errors : tuple of LeastErrors
        What is proven of every tree of the whole depth: it limits how many leaves one can have.
    """

    asked: Rules
    limit: Limit
    amount: float | None
    problem: Problem
    optimum: int
    least_errors: tuple[LeastErrors, ...] = ()

    @cached_property
    def least(self) -> int:
        """A whole number that no objective of the whole set is below.

        The part's own optimum where it is as deep; else a deeper tree might be better, but such a
        tree has two leaves more than the part's depth, and errs on rows that no tree tells apart.
        """
        rules = self.problem.rules
        if rules.max_depth >= min(self.asked.max_depth, len(self.problem.columns)):
            return self.optimum
        return min(self.optimum, least_beyond(self.problem, rules.max_depth))

    @property
    def optimum_is_proven(self) -> bool:
        """Whether the part's smallest objective is that of the whole set."""
        return self.least == self.optimum

    def holds(self, bound: int) -> bool:
        """Whether all trees of the smaller question up to a bound are proven to be in the set."""
        deep = self.problem.rules.max_depth <= self.asked.max_depth
        return deep and bound <= _bound(self.asked, self.least, self.problem.unit)

    @cached_property
    def most_trees(self) -> int | None:
        """A number that the whole set's trees are proven not to pass; None if it is too long."""
        problem, asked = self.problem, self.asked
        bound = _bound(asked, self.optimum, problem.unit)
        tolerance = problem.objective(bound)
        leaves = [
            (tolerance - each.objective) // (asked.regularization - each.regularization)
            for each in self.least_errors
        ]
        return most_trees(problem, asked.max_depth, bound, min(leaves, default=None))

    def limit_text(self) -> str:
        """Say which limit was met, as whoever reads it would set it."""
        if self.limit == "n_trees":
            return "the trees are too many, or too large, to be counted"
        return f"{setting(self.limit, self.amount)} did not suffice"

    def text(self, bound: Fraction) -> str:
        """Say what the part is."""
        rules = self.problem.rules
        depth = f"every tree of depth at most {rules.max_depth}"
        if self.optimum_is_proven and rules.kind == self.asked.kind:
            kind = "" if rules.kind == "additive" else " (relative)"
            inside = f"{depth} within {float(rules.epsilon):.4g}{kind} of the smallest objective"
        else:
            inside = f"{depth} with an objective of at most {float(bound):.4g}"
        asked = f"depth {self.asked.max_depth}, epsilon {float(self.asked.epsilon):g}"
        return f"{self.limit_text()} for {asked}; this part holds {inside}"


def _bound(rules: Rules, optimum: int, unit: int) -> int:
    """Give the largest whole number within the rules' epsilon of an optimum."""
    return optimum + share(rules.epsilon, unit if rules.kind == "additive" else optimum)


def least_beyond(problem: Problem, depth: int) -> int:
    """Give a whole number that no tree deeper than ``depth`` has an objective below."""
    return problem.leaf_cost * (depth + 2) + problem.error_cost * _unavoidable(problem)


def _unavoidable(problem: Problem) -> int:
    """Give wrong weight that no tree avoids: equal rows of different classes. Numbers: 0."""
    if problem.task == "regression":
        return 0
    first, which = distinct(problem.bits)
    weights = np.zeros((len(first), len(problem.classes)), dtype=np.int64)
    np.add.at(weights, (which, problem.y), problem.weights)
    return int((weights.sum(axis=1) - weights.max(axis=1)).sum())


def most_trees(
    problem: Problem, depth: int, bound: int, most_leaves: int | None = None
) -> int | None:
    """Give an upper bound on the trees of a depth that cost at most ``bound``.

    It counts every way to ask different columns on each path with so few leaves that the tree could
    be within the bound if it erred on no row but those that no tree gets right, and with at most
    ``most_leaves``; where there are many leaves, with any number of them. Cost: depth x leaves^2.
    """
    bits = problem.bits
    n_columns = int(((bits != bits[0]).any(axis=0)).sum()) if len(bits) else 0
    depth = min(depth, n_columns)
    spare = bound - problem.error_cost * _unavoidable(problem)
    leaves = min(2**depth, len(distinct(bits)[0]))
    if problem.leaf_cost:
        leaves = min(leaves, spare // problem.leaf_cost)
    if most_leaves is not None:
        leaves = min(leaves, most_leaves)
    if leaves < 1:
        return 0
    # By how many columns a path has not asked yet, from the last question upwards.
    columns = range(n_columns - depth + 1, n_columns + 1)
    if leaves <= MOST_LEAVES:
        by_leaves = [0, 1]  # the trees of depth 0
        for n in columns:
            by_leaves = _joined(by_leaves, n, leaves)
        return sum(by_leaves)
    if 2**depth * np.log10(4.0 * n_columns) > MOST_DIGITS:
        return None
    trees = 1
    for n in columns:
        trees = 1 + n * trees * trees
    return trees


def _joined(by_leaves: list[int], n_columns: int, most: int) -> list[int]:
    """Count trees that are one deeper: a leaf, or a column and two of the given trees."""
    out = [0] * (min(most, 2 * (len(by_leaves) - 1)) + 1)
    out[1] = 1
    for a, some in enumerate(by_leaves):
        for b, others in enumerate(by_leaves[: max(0, len(out) - a)]):
            out[a + b] += n_columns * some * others
    return out


def with_rules(problem: Problem, rules: Rules) -> Problem:
    """Ask the same rows for another set."""
    return type(problem)(problem.table, problem.amounts, problem.weight_scale, rules)


class _Attempts:
    """Smaller questions, asked one after the other in the time that there is."""

    def __init__(
        self, engine: Engine, limit: Limit, view_of: Callable[[Engine], View], end: float
    ) -> None:
        self.whole, self.limit, self.view_of = engine, limit, view_of
        self.asked = engine.problem.rules
        self.end = None if engine.time_limit is None else end
        self.optimum: int | None = None  # of the whole set, where it is proven

    def ask(self, rules: Rules) -> Engine | None:
        """Answer a smaller question in half of the time that is left; None if that fails."""
        whole, left = self.whole, None
        if self.end is not None:
            left = (self.end - monotonic()) / 2
            if left <= 0:
                return None
        problem = with_rules(whole.problem, rules)
        engine = Engine(problem, whole.memory_limit, left, whole.n_jobs)
        if rules.max_depth == self.asked.max_depth:
            engine.known_optimum = self.optimum
        try:
            engine.counts(self.view_of(engine))
        except (OutOfMemory, OutOfTime, TooLarge):
            return None
        engine.caps.time_limit = whole.time_limit
        amount = None if self.limit == "n_trees" else getattr(whole, self.limit)
        engine.incomplete = Incomplete(self.asked, self.limit, amount, problem, engine.optimum)
        return engine

    def with_bounds(self, part: Engine) -> Engine:
        """Learn how much every tree errs at least, in the time that is left."""
        about = part.incomplete
        assert about is not None
        if about.problem.rules.max_depth < self.asked.max_depth:
            return part  # the whole depth was out of reach
        left = None if self.end is None else max(0.0, self.end - monotonic())
        parts = [self.asked.regularization / k for k in CHEAPER if self.asked.regularization]
        proven = _least_errors(self.whole, self.asked, parts, left)
        part.incomplete = replace(about, least_errors=proven)
        return part

    def largest(self, rules: Callable[[int], Rules], found: Engine | None) -> Engine | None:
        """Find the largest of ``STEPS`` - 1 sizes within the limits, by halving; else ``found``."""
        low, high = 0, STEPS
        while high - low > 1:
            middle = (low + high) // 2
            engine = self.ask(rules(middle))
            if engine is None:
                high = middle
            else:
                low, found = middle, engine
        return found

    def smaller_epsilon(self, found: Engine | None) -> Engine | None:
        """Look for the largest epsilon at the whole depth."""
        asked = self.asked
        return self.largest(lambda k: replace(asked, epsilon=asked.epsilon * k / STEPS), found)

    def deepest(self) -> Engine | None:
        """Find the best trees of the largest depth at which they can be found, from 0 on."""
        found = None
        for depth in range(self.asked.max_depth):
            engine = self.ask(replace(self.asked, max_depth=depth, epsilon=Fraction(0)))
            if engine is None:
                break
            found = engine
        return found

    def less_deep(self, found: Engine) -> Engine | None:
        """Look for the largest set of a smaller depth that is proven to be a part."""
        about, unit = found.incomplete, found.problem.unit
        assert about is not None
        room = _bound(self.asked, about.least, unit) - about.optimum
        if room < 0:
            return None
        depth = found.problem.rules.max_depth

        def rules(k: int) -> Rules:
            epsilon = Fraction(room * k // STEPS, unit)
            return replace(self.asked, max_depth=depth, epsilon=epsilon, kind="additive")

        return self.ask(rules(STEPS)) or self.largest(rules, found)


def _least_errors(
    engine: Engine, asked: Rules, regularizations: Iterable[Fraction], seconds: float | None
) -> tuple[LeastErrors, ...]:
    """Find the smallest objective of the whole depth for smaller costs of a leaf.

    Each search has an equal part of the seconds; the first that fails is the last.
    """
    out = []
    each = list(regularizations)
    left = None if seconds is None else seconds / max(1, len(each))
    for regularization in each if left is None or left > 0 else ():
        rules = replace(asked, regularization=regularization, epsilon=Fraction(0))
        try:
            problem = with_rules(engine.problem, rules)
            best = Engine(problem, engine.memory_limit, left, engine.n_jobs).optimum
        except (InvalidData, OutOfMemory, OutOfTime, TooLarge):
            break  # too many digits, or beyond the limits: what was found before is proven
        out.append(LeastErrors(regularization, problem.objective(best)))
    return tuple(out)


def part_of(
    engine: Engine, fault: Exception, view_of: Callable[[Engine], View], end: float
) -> Engine:
    """Find a proven part of a set that passes a limit, or say that there is none.

    First the smallest objective at the whole depth, then the largest epsilon, in sixteenths of the
    one asked for, whose set is within the limits. If the smallest objective cannot be found: the
    largest depth at which it can, and all trees of that depth that are in the whole set whatever
    its smallest objective is. All of this together ends at ``end``. ``view_of`` gives the view of
    an engine's trees that has to be countable.
    """
    attempts = _Attempts(engine, _limit_of(fault), view_of, end)
    return attempts.with_bounds(_part(attempts, fault))


def _part(attempts: _Attempts, fault: Exception) -> Engine:
    found = attempts.ask(replace(attempts.asked, epsilon=Fraction(0)))
    if found is not None:
        attempts.optimum = found.optimum
        return _checked(attempts.smaller_epsilon(found), fault)
    shallow = attempts.deepest()
    if shallow is None:
        return _checked(None, fault)
    assert shallow.incomplete is not None
    if shallow.incomplete.optimum_is_proven:  # no deeper tree can be better
        attempts.optimum = shallow.optimum
        whole_depth = attempts.smaller_epsilon(None)
        if whole_depth is not None:
            return _checked(whole_depth, fault)
    return _checked(attempts.less_deep(shallow), fault)


def _checked(part: Engine | None, fault: Exception) -> Engine:
    if part is None:
        text = (
            f"{fault}. Nor can any tree be proven to be in the set within these limits: raise "
            "them, or take a larger epsilon"
        )
        if isinstance(fault, TooLarge):
            raise TooLarge(text, fault.met) from fault
        raise type(fault)(text) from fault
    if part.incomplete is None or not part.incomplete.holds(part.bound):
        raise AssertionError("a part holds trees that are not proven to be in the set")
    return part


def _limit_of(fault: Exception) -> Any:
    if isinstance(fault, OutOfMemory):
        return "memory_limit"
    return "time_limit" if isinstance(fault, OutOfTime) else "n_trees"


# -- files -----------------------------------------------------------------------------------------


def incomplete_out(about: Incomplete) -> dict[str, Any]:
    """Say in a file what was asked for; the file's own rules are those of the part."""
    return {
        "max_depth": about.asked.max_depth,
        "epsilon": str(about.asked.epsilon),
        "epsilon_kind": about.asked.kind,
        "limit": about.limit,
        "amount": about.amount,
        "smaller_regularizations": [str(each.regularization) for each in about.least_errors],
    }


def incomplete_in(given: Mapping[str, Any], source: Source) -> None:
    """Read what was asked for, and prove again that the source is a part of it."""
    rules = source.problem.rules
    depth = serial.take(given, "max_depth", int)
    epsilon = decimal(serial.take(given, "epsilon", str), "epsilon")
    kind, limit = serial.take(given, "epsilon_kind", str), serial.take(given, "limit", str)
    amount = given.get("amount")
    known = isinstance(amount, int | float) and not isinstance(amount, bool) and amount > 0
    good = 0 <= depth <= MOST_DEPTH and kind in KINDS and limit in LIMITS
    if not good or known == (limit == "n_trees") or not isinstance(source, Engine):
        raise InvalidTree("'incomplete' does not say which set was asked for")
    asked = Rules(depth, rules.regularization, epsilon, kind)
    name = "smaller_regularizations"
    listed = serial.take(given, name, list) if name in given else []
    cheaper = [decimal(each, name) for each in listed[: len(CHEAPER)]]
    if any(each >= asked.regularization for each in cheaper) or depth > rules.max_depth:
        cheaper = []
    left = None if source.time_limit is None else source.seconds
    proven = _least_errors(source, asked, cheaper, left)
    about = Incomplete(asked, limit, amount, source.problem, source.optimum, proven)
    if not about.holds(source.bound):
        raise InvalidTree(
            "the file says that its trees are a part of a larger set, but they are not: the file "
            "was changed, or written by another definition of the set"
        )
    source.incomplete = about
