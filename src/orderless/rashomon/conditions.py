"""Conditions on the trees of a set: values that are combined, written down and compared.

In:  comparisons, such as ``member.leaves <= 6`` or ``~member.uses("race")``.
Out: ``Condition``; ``read_conditions``, which flattens several; ``view_of``, which reads them over
     the columns of a set.

A condition is checked when it is made, as far as that goes without a set: what it compares, and
with what. Names of features are looked up when it is put to a set.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, cast

import numpy as np

from ..errors import InvalidData, InvalidSpace, a_kind, named
from ..inputs import exact, exact_number, near, read_costs, some_names
from .problem import LARGEST, Problem, decimal, share
from .view import Paid, Question, View

if TYPE_CHECKING:
    from .listed import Source

__all__ = [
    "Condition",
    "Member",
    "columns_named",
    "columns_of",
    "member",
    "read_conditions",
    "view_of",
]

KEYS = {"feature", "true", "false"}
EXAMPLES = "member.leaves <= 6, member.uses('age'), ~member.uses('age')"

# A first question, and what follows where it holds and where it does not (None: anything).
Beginning = tuple[str, "Beginning | None", "Beginning | None"]


class Condition:
    """What a tree of a set must be like. Made from ``orderless.member``.

    ``a & b`` is met where both are; ``~`` negates where that can be counted. Equal conditions are
    equal, and can be keys. ``str`` writes one as it was made; ``to_dict`` is its JSON form, which
    ``Condition.from_dict`` reads.
    """

    kind: ClassVar[str]

    def _key(self) -> tuple[Any, ...]:
        return type(self), *(getattr(self, field.name) for field in fields(cast("Any", self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Condition):
            raise TypeError(
                f"a condition cannot be compared with {a_kind(other)}: {self} is met by a tree or "
                "not, and is combined with others by &"
            )
        return self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __and__(self, other: Any) -> Condition:
        if not isinstance(other, Condition):
            raise TypeError(f"& takes two conditions, such as {EXAMPLES}; got {a_kind(other)}")
        conditions = read_conditions((self, other), "&")
        return All(conditions) if len(conditions) > 1 else conditions[0]

    __rand__ = __and__

    def __or__(self, other: Any) -> NoReturn:
        raise TypeError(
            "conditions cannot be combined by |: take a set for each, and unite their functions "
            "(trees.where(a).functions() | trees.where(b).functions())"
        )

    __ror__ = __or__

    def __invert__(self) -> Condition:
        raise TypeError(
            f"{self} cannot be negated: ~ is for member.uses(...) and for member.trivial"
        )

    def __bool__(self) -> NoReturn:
        raise TypeError(
            f"{self} is met by a tree or not, and is neither true nor false by itself: combine "
            "conditions by & or as several arguments, negate by ~. and, or, not and chains such as "
            "2 <= member.leaves <= 6 do not work"
        )

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text("member.")

    def text(self, prefix: str = "") -> str:
        """Write it as Python, with a prefix before each name, such as ``member.``."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON form."""
        return {"kind": self.kind} | {
            field.name: _plain(getattr(self, field.name)) for field in fields(cast("Any", self))
        }

    @staticmethod
    def from_dict(content: Mapping[str, Any]) -> Condition:
        """Read what ``to_dict`` gave."""
        kind = content.get("kind") if isinstance(content, Mapping) else None
        if not isinstance(kind, str) or kind not in READ:
            raise InvalidData(f"this is not the JSON form of a condition: {content!r:.80}")
        try:
            condition: Condition = READ[kind](content)
        except InvalidData:
            raise
        except (KeyError, TypeError, AttributeError, ValueError) as fault:
            raise InvalidData(f"this is not a condition: {content!r:.80} ({fault})") from None
        return condition

    def narrow(self, view: View, source: Source) -> View:
        """Return the view of the trees of a view that meet it."""
        raise NotImplementedError


def _plain(value: Any) -> Any:
    """Write the fields of a condition in JSON."""
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    return value


@dataclass(frozen=True, eq=False, repr=False)
class All(Condition):
    """Several conditions at once."""

    kind = "all"
    conditions: tuple[Condition, ...]

    def text(self, prefix: str = "") -> str:
        return " & ".join(
            each.text(prefix)
            if isinstance(each, Uses | Nontrivial | Monotone)
            else f"({each.text(prefix)})"
            for each in self.conditions
        )

    def to_dict(self) -> dict[str, Any]:
        return {"kind": "all", "conditions": [each.to_dict() for each in self.conditions]}

    def narrow(self, view: View, source: Source) -> View:
        for each in self.conditions:
            view = each.narrow(view, source)
        return view


@dataclass(frozen=True, eq=False, repr=False)
class AtMost(Condition):
    """A number of a tree that is not larger than another: leaves, features."""

    kind = "at most"
    quantity: str
    most: int

    def text(self, prefix: str = "") -> str:
        return f"{prefix}{self.quantity} <= {self.most}"

    def narrow(self, view: View, source: Source) -> View:
        return (
            view.at_most(self.most) if self.quantity == "leaves" else view.with_features(self.most)
        )


@dataclass(frozen=True, eq=False, repr=False)
class Near(Condition):
    """An objective that is not larger than a number, or not further than that from the smallest."""

    kind = "near"
    quantity: str
    most: Fraction

    def text(self, prefix: str = "") -> str:
        return f"{prefix}{self.quantity} <= {_number(self.most)}"

    def narrow(self, view: View, source: Source) -> View:
        problem, limit = source.problem, self.most
        if self.quantity == "epsilon":
            limit = problem.exact_bound(source.optimum, self.most)
        bound = min(view.bound, share(limit, problem.unit))
        return view._replace(
            bound=bound, limit=limit if view.limit is None else min(limit, view.limit)
        )


@dataclass(frozen=True, eq=False, repr=False)
class MinLeaf(Condition):
    """So many training rows in every leaf, or such a share of them."""

    kind = "min_leaf"
    rows: Fraction

    def text(self, prefix: str = "") -> str:
        return f"{prefix}min_leaf >= {_number(self.rows)}"

    def narrow(self, view: View, source: Source) -> View:
        problem = source.problem
        unit = problem.total_weight if self.rows < 1 else problem.weight_scale
        return view.heavier(math.ceil(self.rows * unit))


@dataclass(frozen=True, eq=False, repr=False)
class Uses(Condition):
    """A feature that is asked about, or not."""

    kind = "uses"
    feature: str
    used: bool = True

    def __invert__(self) -> Condition:
        return Uses(self.feature, not self.used)

    def text(self, prefix: str = "") -> str:
        return f"{'' if self.used else '~'}{prefix}uses({self.feature!r})"

    def narrow(self, view: View, source: Source) -> View:
        columns = columns_of(source.problem, self.feature)
        return view.using(columns) if self.used else view.without(columns)


@dataclass(frozen=True, eq=False, repr=False)
class Nontrivial(Condition):
    """No split of two leaves with equal label."""

    kind = "nontrivial"

    def text(self, prefix: str = "") -> str:
        return f"~{prefix}trivial"

    def __invert__(self) -> NoReturn:
        raise TypeError(Trivial.REFUSED)

    def narrow(self, view: View, source: Source) -> View:
        return view._replace(trivial=False)


@dataclass(frozen=True, eq=False, repr=False)
class Root(Condition):
    """What is asked first, and perhaps after that."""

    kind = "root"
    beginning: Beginning

    def text(self, prefix: str = "") -> str:
        return f"{prefix}root == {_written(self.beginning)!r}"

    def narrow(self, view: View, source: Source) -> View:
        questions: list[Question] = []
        _ask(source.problem, self.beginning, questions)
        return view.beginning(tuple(questions))


@dataclass(frozen=True, eq=False, repr=False)
class PathCost(Condition):
    """What no path costs more than, each feature paid for once."""

    kind = "path_cost"
    costs: tuple[tuple[str, Fraction], ...]
    most: Fraction

    def text(self, prefix: str = "") -> str:
        costs = ", ".join(f"{name!r}: {_number(cost)}" for name, cost in self.costs)
        return f"{prefix}path_cost({{{costs}}}) <= {_number(self.most)}"

    def narrow(self, view: View, source: Source) -> View:
        columns = source.problem.columns
        space = columns.space
        names = [space.names[i] for i in np.unique(columns.feature).tolist()]
        costs = read_costs(dict(self.costs), space, names)
        scale = math.lcm(self.most.denominator, *(cost.denominator for cost in costs.values()))
        prices = tuple(int(costs.get(name, Fraction(0)) * scale) for name in space.names)
        most = int(self.most * scale)
        if sum(prices) >= LARGEST or most >= LARGEST:
            raise InvalidData(
                "the costs of path_cost and the most that a path may cost have too many digits "
                "together: their sum in whole numbers would pass 2^62; round them"
            )
        return view.paying(Paid(prices, most))


@dataclass(frozen=True, eq=False, repr=False)
class Monotone(Condition):
    """Labels that rise along features, or fall."""

    kind = "monotone"
    directions: tuple[tuple[str, int], ...]

    def text(self, prefix: str = "") -> str:
        directions = ", ".join(f"{name!r}: {sign:+d}" for name, sign in self.directions)
        return f"{prefix}monotone({{{directions}}})"

    def narrow(self, view: View, source: Source) -> View:
        space = source.problem.columns.space
        for name, sign in self.directions:
            feature = space[_feature(source.problem, name)]
            if not feature.ordered:
                raise InvalidData(
                    f"{named('monotone')} is about features whose values have an order, and "
                    f"{name!r:.80} is categorical"
                )
            view = view.rising(space.index(feature.name), sign == 1)
        return view


# -- what conditions are made from -----------------------------------------------------------------


class Quantity:
    """Something of a tree that is compared with a number, or a name, to make a condition."""

    def __init__(self, name: str, allowed: str) -> None:
        self._name, self._allowed = name, allowed

    def _refuse(self, operator: str, other: Any) -> NoReturn:
        raise TypeError(
            f"member.{self._name} {operator} {other!r:.80} is not a condition: {self._allowed}"
        )

    def __le__(self, other: Any) -> Condition:
        self._refuse("<=", other)

    def __lt__(self, other: Any) -> Condition:
        self._refuse("<", other)

    def __ge__(self, other: Any) -> Condition:
        self._refuse(">=", other)

    def __gt__(self, other: Any) -> Condition:
        self._refuse(">", other)

    def __eq__(self, other: object) -> Any:
        self._refuse("==", other)

    def __ne__(self, other: object) -> Any:
        self._refuse("!=", other)

    __hash__ = None  # type: ignore[assignment]

    def __bool__(self) -> NoReturn:
        raise TypeError(f"member.{self._name} is neither true nor false: {self._allowed}")

    def __invert__(self) -> Condition:
        raise TypeError(f"member.{self._name} cannot be negated: {self._allowed}")

    def __and__(self, other: Any) -> NoReturn:
        raise TypeError(f"member.{self._name} is not a condition: {self._allowed}")

    __rand__ = __or__ = __ror__ = __and__

    def __repr__(self) -> str:
        return f"member.{self._name}"


class Counted(Quantity):
    """A number of leaves, or of features."""

    def __init__(self, name: str, least: int) -> None:
        super().__init__(name, f"write member.{name} <= a whole number from {least}")
        self._least = least

    def __le__(self, other: Any) -> Condition:
        return AtMost(self._name, _whole(other, self._name, self._least))

    def __lt__(self, other: Any) -> Condition:
        return AtMost(self._name, _whole(other, self._name, self._least + 1) - 1)


class Objective(Quantity):
    """The objective, or how far it is from the smallest."""

    def __init__(self, name: str) -> None:
        super().__init__(name, f"write member.{name} <= a number from 0")

    def __le__(self, other: Any) -> Condition:
        return Near(self._name, decimal(other, self._name))


class LightestLeaf(Quantity):
    """The training rows of the lightest leaf."""

    def __init__(self) -> None:
        super().__init__(
            "min_leaf", "write member.min_leaf >= a number of rows, or a share below 1"
        )

    def __ge__(self, other: Any) -> Condition:
        try:
            rows = exact(other)
        except (TypeError, ValueError):
            rows = Fraction(0)
        if rows <= 0:
            raise InvalidData(
                f"{named('min_leaf')} must be a number of rows from 1 on, or a share of the rows "
                f"between 0 and 1, got {other!r:.80}"
            )
        return MinLeaf(rows)


class First(Quantity):
    """What is asked first."""

    def __init__(self) -> None:
        super().__init__(
            "root",
            "write member.root == the name of a feature or column, or a nested dict "
            "{'feature': ..., 'true': ..., 'false': ...}",
        )

    def __eq__(self, other: object) -> Any:
        return Root(_beginning(other))

    __hash__ = None


class CostOfPaths(Quantity):
    """What the dearest path costs."""

    def __init__(self, costs: tuple[tuple[str, Fraction], ...]) -> None:
        super().__init__("path_cost(...)", "write member.path_cost(costs) <= a number from 0")
        self._costs = costs

    def __le__(self, other: Any) -> Condition:
        return PathCost(self._costs, exact_number(other, "the most that a path may cost"))


class Trivial(Quantity):
    """Whether a split has two leaves of equal label."""

    REFUSED = "trees with trivial splits alone cannot be counted: write ~member.trivial"

    def __init__(self) -> None:
        super().__init__("trivial", self.REFUSED)

    def __invert__(self) -> Condition:
        return Nontrivial()


class Member:
    """A tree of a set, about which conditions are made: ``orderless.member``.

    ``trees.where(member.leaves <= 6, ~member.uses("race"))`` is the set of the trees that meet
    both; ``RashomonSet(constraints=(member.leaves <= 6, ~member.uses("race")))`` finds the same.

    Attributes
    ----------
    leaves, n_features
        ``<=`` a whole number: how many leaves a tree has; how many features it asks about, however
        often.
    min_leaf
        ``>=`` a number: training rows in every leaf, or, below 1, that share of them. Rows count as
        much as they weigh.
    objective, epsilon
        ``<=`` a number: the objective; how far it is from the smallest, in the way in which the
        set's own ``epsilon`` is meant. Read as the decimal that is written.
    root
        ``==`` the name of a column (``columns`` has them; or as trees print it), or of a feature:
        any of its columns. Or a nested dict, as ``orderless.read`` takes it, that ends where
        anything may follow: ``{"feature": "age <= 30", "true": "smoker"}``; "true" is where the
        column is 1.
    trivial
        ``~``: no split has two leaves of equal label.

    Examples
    --------
    >>> from orderless import RashomonSet, member
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> trees = RashomonSet(2, 0.05, 0.2).fit(X, [0, 0, 0, 1, 1]).trees_
    >>> trees.n_trees, trees.where(member.leaves <= 3, ~member.uses("x2")).n_trees
    (15, 6)
    >>> print(member.min_leaf >= 2)
    min_leaf >= 2
    """

    @property
    def leaves(self) -> Quantity:
        """How many leaves a tree has."""
        return Counted("leaves", 1)

    @property
    def n_features(self) -> Quantity:
        """How many features a tree asks about, however often."""
        return Counted("n_features", 0)

    @property
    def min_leaf(self) -> Quantity:
        """The training rows in the lightest leaf; below 1, their share."""
        return LightestLeaf()

    @property
    def objective(self) -> Quantity:
        """The objective of a tree."""
        return Objective("objective")

    @property
    def epsilon(self) -> Quantity:
        """How far the objective is from the smallest, as the set's ``epsilon`` is meant."""
        return Objective("epsilon")

    @property
    def root(self) -> Quantity:
        """What a tree asks first."""
        return First()

    @property
    def trivial(self) -> Quantity:
        """Whether some split has two leaves of equal label."""
        return Trivial()

    def uses(self, feature: str) -> Condition:
        """Whether a tree asks about a feature."""
        if not isinstance(feature, str):
            raise InvalidData(
                f"member.uses takes the name of one feature, got {feature!r:.80}: combine several "
                "by &"
            )
        return Uses(feature)

    def path_cost(self, costs: Any) -> Quantity:
        """Compare what the dearest path of a tree costs, each feature paid for once.

        Parameters
        ----------
        costs : dict of feature -> cost
            Every feature that has a column needs a cost, 0 if it costs nothing. Read as the
            decimals that are written.
        """
        if not isinstance(costs, Mapping):
            raise InvalidData(f"costs must be a dict of feature -> cost, got {a_kind(costs)}")
        read = {name: exact_number(cost, f"the cost of {name!r}") for name, cost in costs.items()}
        return CostOfPaths(tuple(sorted((str(name), cost) for name, cost in read.items())))

    def monotone(self, directions: Any) -> Condition:
        """Whether a tree is monotone, as a function, in some features.

        Parameters
        ----------
        directions : dict of feature -> +1 or -1
            +1: a row with more of the feature, and all else equal, never gets a lower class, or a
            smaller number. -1: never a higher one. Classes are in their order, and false is less
            than true.

        Notes
        -----
        A property of the whole function, not of a split: every function is looked at, over all
        combinations of values that the space has, not just those of the training rows. So the
        functions have to be few enough to be listed (5 million); more are an error.
        """
        if not isinstance(directions, Mapping) or not directions:
            raise InvalidData(
                f"{named('monotone')} must be a dict of feature -> +1 or -1, such as "
                f"{{'age': +1}}, got {directions!r:.80}"
            )
        for name, sign in directions.items():
            if isinstance(sign, bool) or sign not in (1, -1):
                raise InvalidData(
                    f"{named('monotone')} must be +1 (rises) or -1 (falls), got {sign!r:.80} for "
                    f"{name!r:.80}"
                )
        return Monotone(tuple(sorted((str(name), int(sign)) for name, sign in directions.items())))

    def __repr__(self) -> str:
        return "member"


member = Member()


def _number(number: Fraction) -> str:
    """Write a number as Python that is read as the same number."""
    if number.denominator == 1:
        return str(number.numerator)
    text = repr(float(number))
    return text if Fraction(text) == number else repr(number)


def _whole(value: Any, name: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise InvalidData(f"{name} must be a whole number from {least}, got {value!r:.80}")
    return int(value)


def _beginning(value: Any) -> Beginning:
    """Read a first question, and what follows it."""
    question = value if isinstance(value, Mapping) else {"feature": value}
    name = question.get("feature")
    if set(question) - KEYS or not isinstance(name, str):
        raise InvalidData(
            "a first question must be the name of a column or feature, or a dict with the keys "
            f"'feature', 'true' and 'false' (these two may be left out), got {value!r:.80}"
        )
    yes, no = (question.get(side) for side in ("true", "false"))
    return (
        name,
        None if yes is None else _beginning(yes),
        None if no is None else _beginning(no),
    )


def _written(beginning: Beginning) -> Any:
    """Write a beginning as it is read: a name, or a nested dict."""
    name, *sides = beginning
    after = {
        word: _written(side)
        for word, side in zip(("true", "false"), sides, strict=True)
        if side is not None
    }
    return {"feature": name} | after if after else name


# -- over the columns of a set ---------------------------------------------------------------------


def _feature(problem: Problem, name: str) -> str:
    """Look up the name of a feature."""
    space = problem.columns.space
    if name not in space:
        raise InvalidSpace(
            f"there is no feature {name!r:.80}{near(name, space.names)}: the features are "
            f"{some_names(space.names)}"
        )
    return name


def columns_of(problem: Problem, name: str) -> list[int]:
    """Return the columns of a feature."""
    return problem.columns.of_feature(_feature(problem, name))


def _ask(problem: Problem, beginning: Beginning, questions: list[Question]) -> int:
    """Look up a question and what follows; return its index."""
    name, *sides = beginning
    index, columns = len(questions), columns_named(problem, name)
    questions.append(Question(columns))
    yes, no = (-1 if side is None else _ask(problem, side, questions) for side in sides)
    questions[index] = Question(columns, yes, no)
    return index


def columns_named(problem: Problem, name: str) -> tuple[int, ...]:
    """Return the column of a name, or the columns of a feature."""
    columns = problem.columns
    indices = [j for j, own in enumerate(columns.names) if own == name]
    if not indices and name in columns.space:
        indices = columns.of_feature(name)
    if not indices:  # thresholds as trees print them, with fewer digits
        printed = enumerate(columns.printed())
        indices = [j for j, own in printed if own == name and columns.one_is_true[j]]
    if not indices:
        names = dict.fromkeys((*columns.space.names, *columns.names))
        what = f"which is no column and no feature{near(name, names)}"
        if name in columns.space:
            what = "a feature that no column is about"
        raise InvalidData(
            f"the first question asks {name!r:.80}, {what}: the columns are "
            f"{some_names(columns.names)}"
        )
    return tuple(indices)


def read_conditions(conditions: Any, name: str = "where") -> tuple[Condition, ...]:
    """Read one or several conditions, each once, and refuse those that contradict each other."""
    if isinstance(conditions, tuple) and not conditions:
        return ()
    if isinstance(conditions, Condition):
        conditions = (conditions,)
    if not isinstance(conditions, Iterable) or isinstance(conditions, str | Mapping):
        raise TypeError(f"{name} takes conditions, such as {EXAMPLES}; got {conditions!r:.80}")
    out: list[Condition] = []
    for each in conditions:
        if not isinstance(each, Condition):
            raise TypeError(f"{name} takes conditions, such as {EXAMPLES}; got {each!r:.80}")
        out += each.conditions if isinstance(each, All) else [each]
    out = list(dict.fromkeys(out))
    _no_contradiction(out)
    return tuple(out)


def _no_contradiction(conditions: list[Condition]) -> None:
    """Refuse conditions that no tree can meet, whatever the set is."""
    used = [each for each in conditions if isinstance(each, Uses) and each.used]
    for each in used:
        if ~each in conditions:
            raise InvalidData(f"{each} and {~each} contradict each other: take one of them out")
    texts = " and ".join(map(str, used))
    for limit in conditions:
        if not isinstance(limit, AtMost):
            continue
        if limit.quantity == "n_features" and len(used) > limit.most:
            raise InvalidData(f"no tree can meet {limit} and {texts}")
        if limit.quantity == "leaves" and used and len(used) >= limit.most:
            raise InvalidData(
                f"no tree can meet {limit} and {texts}: a tree that asks about {len(used)} "
                f"feature{'s' if len(used) > 1 else ''} has {len(used) + 1} leaves or more"
            )


def view_of(source: Source, conditions: Iterable[Condition] = ()) -> View:
    """Return the view of the trees of a source that meet conditions."""
    view = View(source.bound)
    for each in conditions:
        view = each.narrow(view, source)
    return view


READ: dict[str, Any] = {
    "all": lambda c: All(read_conditions([Condition.from_dict(each) for each in c["conditions"]])),
    "at most": lambda c: (
        {"leaves": member.leaves, "n_features": member.n_features}[c["quantity"]] <= c["most"]
    ),
    "near": lambda c: (
        {"objective": member.objective, "epsilon": member.epsilon}[c["quantity"]] <= c["most"]
    ),
    "min_leaf": lambda c: member.min_leaf >= c["rows"],
    "uses": lambda c: member.uses(c["feature"]) if c["used"] else ~member.uses(c["feature"]),
    "nontrivial": lambda c: Nontrivial(),
    "root": lambda c: Root(_read_beginning(c["beginning"])),
    "path_cost": lambda c: (
        member.path_cost({name: Fraction(cost) for name, cost in c["costs"]}) <= Fraction(c["most"])
    ),
    "monotone": lambda c: member.monotone(dict(c["directions"])),
}


def _read_beginning(content: Any) -> Beginning:
    name, yes, no = content
    if not isinstance(name, str):
        raise TypeError(f"{name!r:.80} is not a name")
    return (
        name,
        None if yes is None else _read_beginning(yes),
        None if no is None else _read_beginning(no),
    )
