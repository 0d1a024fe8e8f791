"""Facts in words, read: "if pregnant then sex = female", "total = a + b", "at most 1 of a, b".

In:  the text of a fact, and the features.
Out: its ``Formula``.

    fact       = "if" condition "then" condition | condition
    condition  = both {"or" both};  both = part {"and" part}
    part       = "not" part | "(" condition ")" | count | table | comparison
    count      = ("at most" | "at least" | "exactly") number "of" part {"," part}
    table      = "(" name {"," name} ")" "in" "{" combination {"," combination} "}"
    comparison = sum {relation sum} ["within" number] | name ["not"] "in" "{" label {"," label} "}"
               | name "=" label | name "is" ["not"] "missing" | name
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from ...errors import InvalidSpace
from ..feature import Feature, Label
from .formula import (
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
from .linear import Linear
from .words import Word, at, words_of

__all__ = ["parse_fact"]

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
