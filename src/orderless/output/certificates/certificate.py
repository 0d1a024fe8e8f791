"""``Certificate``: a statement about a tree in a file, and whether it holds.

In:  what a certificate states, as plain data; or a file that somebody wrote.
Out: ``Certificate``; ``check_certificate`` gives what is proven by it. The format and the checkers:
     docs/certificates.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InvalidData, InvalidParameter, Undecided, a_kind, setting
from ...inputs import read_file, write_whole
from ...model import formats as serial
from .cells import Cells, names_of
from .small_checker import STEPS, check

__all__ = ["NO_FACTS", "Certificate", "check_certificate", "checker", "written"]

FORMAT = "orderless-certificate"
VERSION = 2
NO_FACTS = "its checker would have to decide them, too"
LIMIT = 256 * 1024 * 1024


@dataclass(frozen=True, eq=False, repr=False)
class Certificate:
    """A statement about a tree, with all that is needed to check it.

    Made by ``CanonicalForm.certificate``, ``Policy.certificate`` and
    ``equivalence_certificate``.

    Attributes
    ----------
    text : str
        The file, as JSON (docs/certificates).
    not_stated : tuple of str
        What could not be stated, and why, in sentences.
    """

    text: str
    not_stated: tuple[str, ...] = ()

    @property
    def content(self) -> dict[str, Any]:
        """The same as plain data."""
        content: dict[str, Any] = json.loads(self.text)
        return content

    def save(self, path: str | Path) -> Path:
        """Write it to a file, whole or not at all."""
        place = Path(path)
        write_whole(place, self.text + "\n")
        return place

    def check(self, *, limit: int = STEPS) -> tuple[str, ...]:
        """Check it; see ``check_certificate``."""
        return check_certificate(self.text, limit=limit)

    def __repr__(self) -> str:
        return f"Certificate({self.content['claim']}, {len(self.text):,} characters of JSON)"


def check_certificate(
    certificate: Any, *, model: Any = None, limit: int = STEPS
) -> tuple[str, ...]:
    """Check a certificate with the independent checker, and say what it proves.

    Parameters
    ----------
    certificate : Certificate, path, or text of JSON
    model : Tree, CanonicalForm, or any model that ``orderless.read`` knows, optional
        The tree that the certificate should be about: it must be the same, split by split.
    limit : int
        How many steps the checker may take: nodes and boxes that are looked at, about a million in
        a second.

    Returns
    -------
    tuple of str
        What is proven by it, and what it does not state, in sentences.

    Raises
    ------
    InvalidData
        If it is not valid: something that it states does not hold, it is not as docs/certificates
        says, or it is about another model.
    Undecided
        If checking takes more than ``limit`` steps.

    Notes
    -----
    The checker shares nothing with the rest of the package. Checking rules takes, per rule and
    feature, a walk through the tree; whether they cover a class is hard in general, and quick for
    trees that people read.

    Examples
    --------
    >>> import orderless as ol
    >>> tree = {"feature": 0, "true": {"prediction": 1}, "false": {"feature": 1,
    ...         "true": {"prediction": 1}, "false": {"prediction": 0}}}
    >>> for line in check_certificate(ol.canonicalize(tree).certificate()):
    ...     print(line)
    The rules decide as the tree on every row; none can be widened.
    Rules of class 0: 1; at least 1 needed. Reasons: 1; these are all.
    Rules of class 1: 2; at least 2 needed. Reasons: 2; these are all.
    """
    text = _text(certificate)
    verdict, lines = check(text, limit)
    if verdict == "invalid":
        raise InvalidData(f"the certificate is not valid: {lines[0]}")
    if verdict == "undecided":
        raise Undecided(
            f"it is not decided whether the certificate is valid: {lines[0]}; raise "
            f"{setting('limit', limit)}",
            "steps",
        )
    if model is not None:
        _compare(json.loads(text), model)
        lines.append("The tree is the one that was given, split by split.")
    return tuple(lines)


def _text(certificate: Any) -> str | bytes:
    if isinstance(certificate, Certificate):
        return certificate.text
    if isinstance(certificate, str) and certificate.lstrip().startswith("{"):
        return certificate
    if isinstance(certificate, bytes | bytearray):
        return bytes(certificate)
    if not isinstance(certificate, str | Path):
        raise InvalidData(
            f"expected a Certificate, a path, or JSON text, got {a_kind(certificate)}"
        )
    return read_file(certificate, LIMIT)


def _compare(content: Mapping[str, Any], model: Any) -> None:
    """Refuse a certificate about another tree."""
    from ...readers import read_tree

    tree = read_tree(model)
    if content["claim"] == "same":
        raise InvalidParameter(
            f"this certificate is about two trees: leave {setting('model')} out", "model"
        )
    cells, labels = Cells(tree.bins), names_of(tree.classes)
    own = {"classes": labels, "features": cells.features(), "trees": cells.tree(tree, labels)}
    if own != {**{name: content[name] for name in own}, "trees": content["trees"][0]}:
        raise InvalidData("the certificate is about another tree than the one that was given")


def written(claim: str, classes: list[str], cells: Cells, trees: list[Any], stated: Any) -> str:
    """Write a certificate."""
    about = {"claim": claim, "classes": classes, "features": cells.features()}
    return serial.dump(FORMAT, VERSION, {**about, "trees": trees, "stated": stated})


def checker() -> str:
    """Return the source of the independent checker, which needs nothing but Python.

    Examples
    --------
    >>> "import orderless" in checker()
    False
    """
    return Path(__file__).with_name("small_checker.py").read_text(encoding="utf-8")
