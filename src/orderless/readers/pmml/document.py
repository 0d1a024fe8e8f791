"""PMML files as elements, taken in carefully: a file may come from anybody.

In:  text, or the name of a file.
Out: ``Element``: the root of the document, without what no reader of trees looks at.

Nothing is fetched and nothing is expanded: declarations of types and of entities are refused, and
so are files that are larger, have more elements or nest deeper than any model does.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from ...errors import InvalidTree, UnreadableModel
from ...inputs import read_file

__all__ = ["Element", "is_xml", "parsed", "xml_text"]

MOST_BYTES = 2**29
MOST_ELEMENTS = 2**22
MOST_DEPTH = 5_000  # a tree nests its nodes, so that this bounds its depth
CHUNK = 2**16
VERSION = re.compile(r"4\.[0-4](\.\d{1,3})?\Z")
# What says nothing about what a model decides.
SKIPPED = frozenset(
    ("Extension", "Header", "MiningBuildTask", "ModelExplanation", "ModelStats",
     "ModelVerification", "Statistics", "UnivariateStats", "Partition")
)  # fmt: skip
# By the name that an XML file may give: of texts only. Python has codecs that unpack, or that take
# quadratic time.
ENCODINGS = {
    "utf-8": "utf-8-sig",
    "utf8": "utf-8-sig",
    "utf-16": "utf-16",
    "us-ascii": "ascii",
    "ascii": "ascii",
    **{f"iso-8859-{n}": f"iso8859-{n}" for n in (*range(1, 12), *range(13, 17))},
    "latin1": "iso8859-1",
    **{f"windows-{n}": f"cp{n}" for n in (874, *range(1250, 1259))},
    **{f"cp{n}": f"cp{n}" for n in range(1250, 1259)},
    "koi8-r": "koi8-r",
    "koi8-u": "koi8-u",
    "shift-jis": "shift_jis",
    "windows-31j": "cp932",
    "euc-jp": "euc_jp",
    "euc-kr": "euc_kr",
    "gb2312": "gb2312",
    "gbk": "gbk",
    "gb18030": "gb18030",
    "big5": "big5",
}
SAVE = "save the model again as PMML 4.0 to 4.4"


class Element:
    """An element: its name without a namespace, attributes, children, and text if it is an array.

    Examples
    --------
    >>> root = parsed('<PMML version="4.4"><TreeModel functionName="regression"/></PMML>')
    >>> root.name, [child.name for child in root.children]
    ('PMML', ['TreeModel'])
    """

    __slots__ = ("attributes", "children", "name", "text")

    def __init__(self, name: str, attributes: Mapping[str, str]) -> None:
        self.name = name
        self.attributes = attributes
        self.children: list[Element] = []
        self.text = ""

    def get(self, attribute: str, default: str = "") -> str:
        """Return an attribute."""
        return self.attributes.get(attribute, default)

    def all(self, *names: str) -> Iterator[Element]:
        """Go through the children of these names."""
        return (child for child in self.children if child.name in names)

    def first(self, *names: str) -> Element | None:
        """Return the first child of one of these names; None if there is none."""
        return next(self.all(*names), None)


def is_xml(head: bytes) -> bool:
    """Whether a file that begins so is XML."""
    for mark in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        if head.startswith(mark):
            head = head[2:].replace(b"\0", b"")
    return head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"<")


def xml_text(path: Path) -> str:
    """Read a file in the encoding that it names, if it is not too large."""
    content = read_file(path, MOST_BYTES)
    if content[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        encoding = "utf-16"
    else:
        named = re.match(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([\w.-]{1,40})[\"']", content[:400])
        encoding = named[1].decode("ascii") if named else "utf-8"
    codec = ENCODINGS.get(encoding.lower().replace("_", "-"))
    if codec is None:
        raise InvalidTree(
            f"this XML file names the encoding {encoding!r}, which is not read: save it as UTF-8, "
            f"or in one of {', '.join(ENCODINGS)}"
        )
    try:
        return content.decode(codec)
    except UnicodeDecodeError as fault:
        raise InvalidTree(
            f"this XML file is not text in the encoding {encoding!r}: {fault!s:.120}"
        ) from None


def parsed(text: str) -> Element:
    """Parse a PMML document; what is not one, or could do harm, is an ``UnreadableModel``."""
    root = _Parser().run(text)
    if root.name != "PMML":
        raise UnreadableModel(
            f"the root of this XML file is <{root.name!s:.80}> and must be <PMML>: {SAVE}"
        )
    version = root.get("version")
    if not VERSION.match(version):
        raise UnreadableModel(
            f"this is PMML of version {version!r:.40}, and read are 4.0 to 4.4: {SAVE}"
        )
    return root


def _too_large(size: int) -> UnreadableModel:
    return UnreadableModel(
        f"this XML file has {size:,} bytes, and at most {MOST_BYTES:,} are read: save a smaller "
        "model"
    )


class _Parser:
    """Expat, with limits, and with every declaration refused."""

    def __init__(self) -> None:
        self.above: list[Element] = []
        self.root: Element | None = None
        self.skipped = 0  # how deep it is in what is not looked at
        self.n_elements = 0
        self.texts: list[str] | None = None

    def run(self, text: str) -> Element:
        if len(text) > MOST_BYTES:
            raise _too_large(len(text))
        parser = expat.ParserCreate("utf-8", " ")
        parser.buffer_text = True
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = _refuse_declaration
        parser.EntityDeclHandler = _refuse_declaration
        parser.ExternalEntityRefHandler = _refuse_declaration
        try:
            text = text.lstrip("\ufeff \t\r\n")
            for start in range(0, len(text), CHUNK):
                parser.Parse(text[start : start + CHUNK].encode("utf-8"), False)
            parser.Parse(b"", True)
        except (expat.ExpatError, UnicodeEncodeError) as fault:
            raise UnreadableModel(
                f"this XML file is damaged, or only a part of it is here ({fault!s:.120}): {SAVE}"
            ) from None
        if self.root is None:
            raise UnreadableModel(f"this XML file is empty: {SAVE}")
        return self.root

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self.n_elements += 1
        if self.n_elements > MOST_ELEMENTS:
            raise UnreadableModel(
                f"this XML file has more than {MOST_ELEMENTS:,} elements: save a smaller model"
            )
        if len(self.above) + self.skipped >= MOST_DEPTH:
            raise UnreadableModel(
                f"elements of this XML file nest deeper than {MOST_DEPTH:,}: save a smaller model"
            )
        name = name.rpartition(" ")[2]
        if self.skipped or name in SKIPPED:
            self.skipped += 1
            return
        element = Element(name, attributes)
        if self.above:
            self.above[-1].children.append(element)
        else:
            self.root = element
        self.above.append(element)
        in_row = len(self.above) > 1 and self.above[-2].name == "row"
        texted = in_row or name in ("Array", "Constant")
        self.texts = [] if texted else None

    def _end(self, name: str) -> None:
        if self.skipped:
            self.skipped -= 1
            return
        element = self.above.pop()
        if self.texts is not None:
            element.text = "".join(self.texts)
            self.texts = None

    def _characters(self, text: str) -> None:
        if self.texts is not None and not self.skipped:
            self.texts.append(text)


def _refuse_declaration(*_: Any) -> NoReturn:
    raise UnreadableModel(
        "this XML file declares document types or entities, which no PMML file needs and which can "
        "fetch other files or fill the memory: remove the declaration (<!DOCTYPE ...>)"
    )
