"""Facts in words: "if pregnant then sex = female", "total = a + b", "at most 1 of a, b".

In:  texts, or the words from which facts are written; the features of a space.
Out: ``Fact``; its ``Formula``, or an error that says where it stops being readable.

    fact       = "if" condition "then" condition | condition
    condition  = both {"or" both};  both = part {"and" part}
    part       = "not" part | "(" condition ")" | count | table | comparison
    count      = ("at most" | "at least" | "exactly") number "of" part {"," part}
    table      = "(" name {"," name} ")" "in" "{" combination {"," combination} "}"
    comparison = sum {relation sum} ["within" number] | name ["not"] "in" "{" label {"," label} "}"
               | name "=" label | name "is" ["not"] "missing" | name
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from ...errors import InvalidSpace, a_kind
from ..feature import Feature, Label, plain_label
from .linear import Linear
from .solver import (
    ALWAYS,
    NEVER,
    Among,
    Formula,
    HowMany,
    Missing,
    both,
    compared,
    either,
    opposite,
)

__all__ = ["Fact", "parse_fact", "quoted", "quoted_label", "read_facts"]

LONGEST = 20_000  # characters of one fact
PATTERN = re.compile(
    r"""\s*(?:
    (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.]))
  | (?P<name>`(?:[^`]|``)*`)
  | (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
  | (?P<sign><=|>=|!=|==|=|<|>|≤|≥|≠|\+|-|\*|\(|\)|\{|\}|,)
  | (?P<word>[^\W\d][\w.]*)
  )""",
    re.VERBOSE,
)
PLAIN = re.compile(r"[^\W\d][\w.]*")
SAME = {"≤": "<=", "≥": ">=", "≠": "!=", "==": "="}
RESERVED = {
    "if", "then", "and", "or", "not", "in", "is", "at", "most", "least", "exactly", "of", "within",
    "missing", "true", "false", "yes", "no",
}  # fmt: skip


class Word(NamedTuple):
    """A piece of a fact.

    Attributes
    ----------
    kind : "number", "name" (in backticks), "text" (in quotes), "sign", "word", or "end"
    text : str
        Without its quotes.
    start : int
        Where it begins, from 0.
    """

    kind: str
    text: str
    start: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else repr(self.text)

    def is_(self, *texts: str) -> bool:
        """Whether it is one of some signs or key words."""
        return self.kind in ("sign", "word") and self.text in texts


def words_of(text: str) -> list[Word]:
    """Cut a fact into its words; the last one is its end."""
    if len(text) > LONGEST:
        raise InvalidSpace(f"a fact has {len(text):,} characters, and at most {LONGEST:,} are read")
    out: list[Word] = []
    place, end = 0, len(text.rstrip())
    while place < end:
        found = PATTERN.match(text, place)
        if found is None:
            start = place + len(text[place:]) - len(text[place:].lstrip())
            raise at(text, start, f"{text[start]!r} cannot be read: names with spaces or signs are "
                     "written in backticks, `like this`")  # fmt: skip
        kind = str(found.lastgroup)
        own = found.group(kind)
        if kind == "name":
            own = own[1:-1].replace("``", "`")
        elif kind == "text":
            own = re.sub(r"\\(.)", r"\1", own[1:-1], flags=re.DOTALL)
        out.append(Word(kind, SAME.get(own, own) if kind == "sign" else own, found.start(kind)))
        place = found.end()
    out.append(Word("end", "", end))
    return out


def at(text: str, start: int, message: str) -> InvalidSpace:
    """Give the error that a fact cannot be read, and where."""
    shown = text if len(text) <= 120 else f"{text[:120]}..."
    return InvalidSpace(f"the fact {shown!r} cannot be read at character {start + 1}: {message}")


def quoted(name: str) -> str:
    """Write the name of a feature as facts do: in backticks where it is not one plain word.

    Examples
    --------
    >>> quoted("age"), quoted("blood pressure")
    ('age', '`blood pressure`')
    """
    if PLAIN.fullmatch(name) and name not in RESERVED:
        return name
    return "`" + name.replace("`", "``") + "`"


def quoted_label(label: object) -> str:
    """Write a category as facts do: text in quotes where it is not one plain word."""
    if not isinstance(label, str):
        return repr(label)
    if PLAIN.fullmatch(label) and label not in RESERVED:
        return label
    return '"' + label.replace("\\", "\\\\").replace('"', '\\"') + '"'


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


RELATIONS = ("<=", ">=", "<", ">", "=", "!=")
YES, NO = ("true", "yes"), ("false", "no")
DEEPEST = 50

Sum = tuple[dict[int, Fraction], Fraction]  # factors by feature, and what is added


def parse_fact(text: str, features: Sequence[Feature]) -> Formula:
    """Read a fact over some features; an ``InvalidSpace`` says where it cannot be read.

    A fact says nothing of rows in which a number that it compares is missing (where NaN is a value
    of that number); that it ``is missing`` is no comparison.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidSpace(f"a fact must be text, like 'age_at_first_charge <= age', got {text!r}")
    return _Reader(text, features).fact()


class _Reader:
    def __init__(self, text: str, features: Sequence[Feature]) -> None:
        self.text, self.features = text, features
        self.place = {feature.name: i for i, feature in enumerate(features)}
        self.words = words_of(text)
        self.i = 0
        self.depth = 0

    # -- words -----------------------------------------------------------------------------------

    @property
    def word(self) -> Word:
        return self.words[self.i]

    def take(self) -> Word:
        word = self.word
        self.i += word.kind != "end"
        return word

    def took(self, *texts: str) -> bool:
        """Take the next words if they are these."""
        there = self.words[self.i : self.i + len(texts)]
        if len(there) < len(texts) or not all(w.is_(t) for w, t in zip(there, texts, strict=True)):
            return False
        self.i += len(texts)
        return True

    def need(self, text: str) -> None:
        if not self.took(text):
            raise self.fault(f"expected {text!r}, got {self.word}")

    def fault(self, message: str, word: Word | None = None) -> InvalidSpace:
        return at(self.text, (word or self.word).start, message)

    # -- logic -----------------------------------------------------------------------------------

    def fact(self) -> Formula:
        if self.took("if"):
            premise = self.condition()
            self.need("then")
            formula = either([opposite(premise), self.condition()])
        else:
            formula = self.condition()
        if self.word.kind != "end":
            raise self.fault(f"expected 'and', 'or' or the end, got {self.word}")
        return formula

    def condition(self) -> Formula:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.fault("parentheses are nested too deeply")
        parts = [self.both()]
        while self.took("or"):
            parts.append(self.both())
        self.depth -= 1
        return either(parts)

    def both(self) -> Formula:
        parts = [self.part()]
        while self.took("and"):
            parts.append(self.part())
        return both(parts)

    def part(self) -> Formula:
        if self.took("not"):
            self.depth += 1
            if self.depth > DEEPEST:
                raise self.fault("'not' is repeated too often")
            formula = opposite(self.part())
            self.depth -= 1
            return formula
        for words in (("at", "most"), ("at", "least"), ("exactly",)):
            if self.took(*words):
                return self.count(words[-1])
        if self.word.is_("("):
            start = self.i
            table = self.table()
            if table is not None:
                return table
            self.i = start
            self.need("(")
            formula = self.condition()
            self.need(")")
            return formula
        return self.comparison()

    def count(self, which: str) -> Formula:
        word = self.take()
        if word.kind != "number" or not word.text.isdigit():
            raise self.fault(f"expected how many, like 1, got {word}", word)
        n = int(word.text)
        self.need("of")
        parts = [self.part()]
        while self.took(","):
            parts.append(self.part())
        if n > len(parts):
            raise self.fault(f"{n} of {len(parts)} is more than there are", word)
        low, high = {"most": (0, n), "least": (n, len(parts)), "exactly": (n, n)}[which]
        return HowMany(tuple(parts), low, high)

    # -- names and labels ------------------------------------------------------------------------

    def name(self) -> int | None:
        """Take the name of a feature, if that is what comes; else nothing is taken."""
        word = self.word
        if word.kind == "name" and word.text not in self.place:
            raise self.fault(f"there is no feature {word.text!r}{self.known()}", word)
        if word.kind in ("name", "text", "word") and word.text in self.place:
            self.i += 1
            return self.place[word.text]
        return None

    def needed_name(self) -> int:
        i = self.name()
        if i is None:
            word = self.word
            if word.kind in ("text", "word"):
                raise self.fault(f"there is no feature {word.text!r}{self.known()}", word)
            raise self.fault(f"expected the name of a feature, got {word}")
        return i

    def known(self) -> str:
        names = ", ".join(repr(feature.name) for feature in self.features[:8])
        more = f" and {len(self.features) - 8} more" if len(self.features) > 8 else ""
        return f": the features are {names}{more}"

    def label(self, i: int) -> Formula:
        """Take a value of a feature and give the condition that the feature has it."""
        feature, word = self.features[i], self.word
        minus = self.took("-")
        word = self.take()
        if feature.ordered:
            return self.number_label(i, word, minus)
        wanted: list[Label] = []
        if word.kind == "number":
            number = float(word.text) * (-1 if minus else 1)
            wanted = [c for c in feature.categories if not isinstance(c, str) and c == number]
        elif word.kind in ("word", "text", "name") and not minus:
            wanted = [c for c in feature.categories if c == word.text]
            flag = word.text.lower()
            if not wanted and word.kind == "word" and flag in ("true", "false"):
                wanted = [c for c in feature.categories if c is (flag == "true")]
        if not wanted and word.kind in ("word", "number"):  # a category that looks like a number
            wanted = [c for c in feature.categories if c == ("-" * minus) + word.text]
        codes = [c for c in range(feature.n_values) if feature.label(c) in wanted]
        if word.text in ("(other)", "(missing)") and not wanted:
            codes = [c for c in range(len(feature.categories), feature.n_values)
                     if feature.label(c) == word.text]  # fmt: skip
        if not codes:
            raise self.fault(f"{word} is not a value of {feature!r}", word)
        return Among(i, frozenset(codes), feature.n_values)

    def number_label(self, i: int, word: Word, minus: bool) -> Formula:
        feature = self.features[i]
        if word.kind == "number":
            number = self.number(word) * (-1 if minus else 1)
        elif feature.kind == "boolean" and not minus and word.text.lower() in (*YES, *NO):
            number = Fraction(word.text.lower() in YES)
        else:
            raise self.fault(f"{word} is not a value of {feature!r}", word)
        return Linear(((i, Fraction(1)),), "=", number)

    def number(self, word: Word) -> Fraction:
        number = float(word.text)
        if number in (float("inf"), float("-inf")):
            raise self.fault(f"{word} is too large", word)
        return Fraction(number)

    def labels(self, i: int) -> Formula:
        self.need("{")
        parts = [self.label(i)]
        while self.took(","):
            parts.append(self.label(i))
        self.need("}")
        return either(parts)

    def table(self) -> Formula | None:
        """Read "(a, b) in {(1, x), (2, y)}"; None where that is not what comes."""
        self.need("(")
        names = [self.name()]
        while names[-1] is not None and self.took(","):
            names.append(self.name())
        if None in names or not self.took(")", "in"):
            return None
        own = [i for i in names if i is not None]
        self.need("{")
        rows = [self.combination(own)]
        while self.took(","):
            rows.append(self.combination(own))
        self.need("}")
        return either(rows)

    def combination(self, names: Sequence[int]) -> Formula:
        self.need("(")
        parts = []
        for k, i in enumerate(names):
            if k:
                self.need(",")
            parts.append(self.label(i))
        self.need(")")
        return both(parts)

    # -- comparisons -----------------------------------------------------------------------------

    def comparison(self) -> Formula:
        start = self.i
        i = self.name()
        if i is not None:
            formula = self.of_one(i)
            if formula is not None:
                return formula
            self.i = start
        left = self.sum()
        parts: list[Formula] = []
        while self.word.is_(*RELATIONS):
            relation = self.take()
            right = self.sum()
            within = Fraction(0)
            if self.took("within"):
                word = self.take()
                if word.kind != "number" or relation.text != "=":
                    raise self.fault("'within' follows 'a = b' and has a number", word)
                within = self.number(word)
            parts.append(self.compared(left, relation.text, right, within))
            left = right
        if not parts:
            raise self.fault(f"expected a comparison, like 'a <= b', got {self.word}")
        return both(parts)

    def of_one(self, i: int) -> Formula | None:
        """Read what is said of one feature without sums; None where it is a comparison of sums."""
        feature = self.features[i]
        if self.took("is"):
            wrong = self.took("not")
            self.need("missing")
            return self.missing(i, not wrong)
        if self.took("in"):
            return self.labels(i)
        if self.took("not", "in"):
            return opposite(self.labels(i))
        if not feature.ordered:
            return self.of_category(i)
        if feature.kind == "boolean":
            if self.word.is_("=", "!=") and self.words[self.i + 1].text.lower() in (*YES, *NO):
                wrong = self.take().text == "!="
                return opposite(self.label(i)) if wrong else self.label(i)
            if not self.word.is_(*RELATIONS, "+", "-", "*"):
                return Linear(((i, Fraction(1)),), "=", Fraction(1))
        return None

    def missing(self, i: int, is_missing: bool) -> Formula:
        feature = self.features[i]
        if not feature.nan:
            return NEVER if is_missing else ALWAYS
        if feature.ordered:
            return Missing(i, is_missing)
        found = Among(i, frozenset([feature.n_values - 1]), feature.n_values)
        return found if is_missing else opposite(found)

    def of_category(self, i: int) -> Formula:
        feature, relation = self.features[i], self.take()
        if relation.is_("=", "!="):
            word, place = self.word, self.i
            other = self.name() if word.kind != "text" else None
            if other is not None and word.text not in feature.categories:
                found = self.same_label(i, other, word)
            else:
                self.i = place
                found = self.label(i)
            return found if relation.text == "=" else opposite(found)
        if relation.is_("<=", ">=", "<", ">"):
            minus = self.took("-")
            word = self.take()
            numbers = [c for c in feature.categories if not isinstance(c, str)]
            if word.kind != "number" or len(numbers) < len(feature.categories) or feature.other:
                raise self.fault(f"{feature!r} has no order: use '=' or 'in'", relation)
            bound = float(word.text) * (-1 if minus else 1)
            test = {"<=": bound.__ge__, ">=": bound.__le__, "<": bound.__gt__, ">": bound.__lt__}
            inside = [c for c, label in enumerate(numbers) if test[relation.text](float(label))]
            return Among(i, frozenset(inside), feature.n_values)
        raise self.fault(f"{feature!r} is compared by '=' or 'in', got {relation}", relation)

    def same_label(self, i: int, other: int, word: Word) -> Formula:
        a, b = self.features[i], self.features[other]
        if b.ordered or a.other or b.other:
            raise self.fault(f"{a!r} and {b!r} cannot be compared: both must list all their values",
                             word)  # fmt: skip
        pairs = [(a.code(label), b.code(label)) for label in a.categories if label in b.categories]
        if a.nan and b.nan:
            pairs.append((a.n_values - 1, b.n_values - 1))
        ways = [
            both([Among(i, frozenset([p]), a.n_values), Among(other, frozenset([q]), b.n_values)])
            for p, q in pairs
            if p is not None and q is not None
        ]
        return either(ways) if ways else NEVER

    def sum(self) -> Sum:
        terms: dict[int, Fraction] = {}
        total = Fraction(0)
        sign = -1 if self.took("-") else 1
        while True:
            i, number = self.term()
            if i is None:
                total += sign * number
            else:
                terms[i] = terms.get(i, Fraction(0)) + sign * number
            if not self.word.is_("+", "-"):
                return terms, total
            sign = -1 if self.take().text == "-" else 1

    def term(self) -> tuple[int | None, Fraction]:
        word = self.word
        number = Fraction(1)
        if word.kind == "number":
            number = self.number(self.take())
            follows = self.word.kind in ("name", "text", "word") and self.word.text in self.place
            if not self.took("*") and not follows:
                return None, number
        i = self.needed_name()
        if not self.features[i].ordered:
            raise self.fault(f"{self.features[i]!r} is no number, so it cannot be added", word)
        if word.kind != "number" and self.took("*"):
            factor = self.take()
            if factor.kind != "number":
                raise self.fault(f"expected a number, got {factor}", factor)
            number = self.number(factor)
        return i, number

    def compared(self, left: Sum, relation: str, right: Sum, within: Fraction) -> Formula:
        terms = dict(left[0])
        for i, factor in right[0].items():
            terms[i] = terms.get(i, Fraction(0)) - factor
        bound = right[1] - left[1]
        return compared(terms, relation, bound, within)
