"""Ensembles in files: what JSON needs to write one down, and the way back (docs/formats).

In:  an ``Ensemble``; or dicts and lists that somebody wrote.
Out: dicts and lists; or the ensemble, after everything was checked.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from ..errors import InvalidTree
from . import formats as serial
from .rule import Rule
from .tree import TreeKernel
from .whole_numbers import Adding

if TYPE_CHECKING:
    from .ensemble import SumKernel

__all__ = ["ENSEMBLE_FORMAT", "EnsembleFile"]

ENSEMBLE_FORMAT = "orderless-ensemble"
VERSION = 1
KNOWING = 2  # with facts, which an older version would leave out without a word


class EnsembleFile:
    """Methods of ``Ensemble`` that write it down and read it again."""

    def to_dict(self) -> dict[str, Any]:
        """Give what JSON needs to write it down (docs/formats)."""
        own = cast("SumKernel", self)
        trees = []
        for tree, values, score in zip(own.trees, own.values, own.scores.tolist(), strict=True):
            content = tree.to_dict()
            del content["space"], content["classes"]
            entry = {**content, "values": values.tolist()}
            trees.append(entry if score < 0 else {**entry, "score": score})
        adding, rule = own.adding, own.rule
        return {
            "space": own.space.to_dict(),
            "classes": list(own.classes) or None,
            "adding": {**adding._asdict(), "base": list(adding.base)},
            "rule": {**rule._asdict(), "cuts": list(rule.cuts)},
            "link": own.link,
            "factor": own.factor,
            "trees": trees,
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> SumKernel:
        """Read what ``to_dict`` gave. Anything else is an ``InvalidTree`` that says why."""
        with serial.Reading("an ensemble"):
            adding = dict(serial.take(content, "adding", dict))
            rule = dict(serial.take(content, "rule", dict))
            _only("adding", adding, Adding._fields)
            _only("rule", rule, Rule._fields)
            space = serial.take(content, "space", dict)
            entries = serial.take(content, "trees", list)
            trees = [_tree_in(entry, space) for entry in entries]
            classes = content.get("classes")
            last = serial.take({"base_last": False, **adding}, "base_last", bool)
            return cast("type[SumKernel]", cls)(
                trees,
                [serial.numbers(entry, "values", 2) for entry in entries],
                scores=[serial.take({"score": -1, **entry}, "score", int) for entry in entries],
                classes=None if classes is None else serial.take(content, "classes", list),
                adding=Adding(
                    **{**adding, "base": tuple(serial.numbers(adding, "base")), "base_last": last}
                ),
                rule=Rule(**{**rule, "cuts": tuple(serial.numbers({"cuts": [], **rule}, "cuts"))}),
                link=serial.take(content, "link", str),
                factor=content.get("factor", 1.0),
            )

    def to_json(self) -> str:
        """Write it as versioned JSON (docs/formats); ``from_json`` gives back an equal one."""
        version = KNOWING if cast("SumKernel", self).space.facts else VERSION
        return serial.dump(ENSEMBLE_FORMAT, version, self.to_dict())

    @classmethod
    def from_json(cls, text: str | bytes, *, limit: int = serial.LIMIT) -> SumKernel:
        """Read what ``to_json`` wrote. Anything else is an ``InvalidTree`` that says why.

        Parameters
        ----------
        limit : int
            Longest text, in characters, that is looked at.
        """
        return cls.from_dict(serial.load(text, ENSEMBLE_FORMAT, (VERSION, KNOWING), limit=limit))


def _tree_in(entry: Any, space: Any) -> TreeKernel:
    """Read a tree, whose classes are the numbers of its values."""
    if not isinstance(entry, Mapping):
        raise InvalidTree(f"'trees' must be a list of objects, got {entry!r:.80}")
    n_values = len(serial.take(entry, "values", list))
    return TreeKernel.from_dict({**entry, "space": space, "classes": list(range(n_values))})


def _only(what: str, entries: Mapping[str, Any], known: tuple[str, ...]) -> None:
    other = [name for name in entries if name not in known]
    if other:
        raise InvalidTree(f"{what!r} has the entry {other[0]!r:.80}; known are {list(known)}")
