"""Facts: what holds for every row, in words.

In:  the text of a fact, or the parts from which it is written.
Out: ``Fact``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...errors import InvalidSpace, a_kind
from ..feature import Label, plain_label
from .words import quoted, quoted_label

__all__ = ["Fact", "read_facts"]


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that holds for every row, between features.

    Parameters
    ----------
    text : str
        ``"age_at_first_charge <= age"``, ``"if pregnant then sex = female"``,
        ``"total = a + b"``, ``"at most 1 of a, b, c"``; names with spaces or signs in backticks
        (docs/guide/knowledge.md has all of the grammar).

    Examples
    --------
    >>> print(Fact.implies("pregnant", "sex = female"))
    if pregnant then sex = female
    >>> print(Fact.at_most(1, ["metal roof", "tile roof"]))
    at most 1 of `metal roof`, `tile roof`
    >>> print(Fact.table(["sex", "pregnant"], [("female", True), ("female", False),
    ...                                        ("male", False)]))
    (sex, pregnant) in {(female, true), (female, false), (male, false)}
    """

    text: str

    def __post_init__(self) -> None:
        if not isinstance(self.text, str) or not self.text.strip():
            raise InvalidSpace(
                f"a fact must be text, like 'age_at_first_charge <= age', got {a_kind(self.text)}"
            )
        object.__setattr__(self, "text", self.text.strip())

    def __str__(self) -> str:
        return self.text

    @classmethod
    def implies(cls, premise: str, conclusion: str) -> Fact:
        """Say that where one condition holds, another does."""
        return cls(f"if {premise} then {conclusion}")

    @classmethod
    def order(cls, *names: str) -> Fact:
        """Say that each feature is at most the next one."""
        return cls(" <= ".join(map(quoted, names)))

    @classmethod
    def total(cls, name: str, parts: Iterable[str], within: float = 0.0) -> Fact:
        """Say that a feature is the sum of others, exactly or up to a difference."""
        more = f" within {within!r}" if within else ""
        return cls(f"{quoted(name)} = {' + '.join(map(quoted, parts))}{more}")

    @classmethod
    def at_most(cls, n: int, names: Iterable[str]) -> Fact:
        """Say that at most so many of some booleans are true; 1: they exclude each other."""
        return cls(f"at most {n} of {', '.join(map(quoted, names))}")

    @classmethod
    def table(cls, names: Sequence[str], rows: Iterable[Sequence[Label]]) -> Fact:
        """List all legal combinations of values of some features."""
        written = [f"({', '.join(map(_value, row))})" for row in rows]
        return cls(f"({', '.join(map(quoted, names))}) in {{{', '.join(written)}}}")


def _value(label: Label) -> str:
    label = plain_label(label)
    return str(label).lower() if isinstance(label, bool) else quoted_label(label)


def read_facts(given: object) -> tuple[Fact, ...]:
    """Read facts as people give them: texts or ``Fact``; each once, in their order."""
    if given is None:
        return ()
    if isinstance(given, str | Fact) or not isinstance(given, Iterable):
        raise InvalidSpace(
            f"facts must be a list of facts, like ['low <= high'], got {given!r:.80}"
        )
    return tuple(dict.fromkeys(fact if isinstance(fact, Fact) else Fact(fact) for fact in given))
