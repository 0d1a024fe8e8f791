"""PMML files that are damaged or made to harm: a clear refusal, bounded, and nothing is fetched."""

from __future__ import annotations

import codecs
from pathlib import Path

import pytest

import orderless as ol
from orderless.errors import InvalidData, InvalidTree, UnreadableModel
from orderless.readers.pmml import document

LEAF = '<Node score="{}">{}</Node>'
SMALL = (
    '<PMML version="4.4" xmlns="http://www.dmg.org/PMML-4_4"><DataDictionary>'
    '<DataField name="größe" dataType="double" optype="continuous"/>'
    '<DataField name="t" dataType="string" optype="categorical"/></DataDictionary>'
    '<TreeModel functionName="classification"><MiningSchema><MiningField name="größe"/>'
    '<MiningField name="t" usageType="target"/></MiningSchema><Node><True/>'
    '<Node score="small"><SimplePredicate field="größe" operator="lessOrEqual" value="3"/></Node>'
    '<Node score="large"><True/></Node></Node></TreeModel></PMML>'
)


def refused(text: str, match: str) -> None:
    with pytest.raises(UnreadableModel, match=match):
        ol.read(text)


def test_text_and_files_in_any_encoding(tmp_path: Path) -> None:
    tree = ol.read(SMALL)
    assert tree.predict([[3.0], [3.5]]).tolist() == ["small", "large"]
    path = tmp_path / "model.xml"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252", "ISO-8859-15",
                     "gb18030"):  # fmt: skip
        name = encoding.removesuffix("-sig")
        path.write_bytes(f'<?xml version="1.0" encoding="{name}"?>\n{SMALL}'.encode(encoding))
        assert ol.read(path) == tree
        assert ol.read(path).space.names == ("größe",)
    path.write_bytes(SMALL.encode())  # UTF-8 is what XML is in if it does not say
    assert ol.read(path) == tree
    assert ol.read("\ufeff \n" + SMALL) == tree


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "no-such-thing", "rot13", "hex", "zlib", "zlib_codec", "bz2", "base64", "uu",
     "quopri", "punycode", "idna", "unicode_escape", "raw_unicode_escape", "undefined", "mbcs",
     "utf-7"],
)  # fmt: skip
def test_files_in_another_encoding_than_they_say(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "model.xml"
    path.write_bytes(f'<?xml version="1.0" encoding="{encoding}"?>{SMALL}'.encode("iso-8859-1"))
    with pytest.raises(InvalidTree, match="encoding"):
        ol.read(path)


@pytest.mark.parametrize(
    "declaration",
    [
        '<!DOCTYPE a [<!ENTITY x "y">]>',
        '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE a SYSTEM "http://127.0.0.1:1/a.dtd">',
        '<!DOCTYPE a [<!ENTITY % x SYSTEM "http://127.0.0.1:1/a"> %x;]>',
        "<!DOCTYPE PMML>",
    ],
)
def test_declarations_are_refused(declaration: str) -> None:
    refused(declaration + SMALL, "declares document types or entities")


def test_a_billion_laughs() -> None:
    bomb = '<!DOCTYPE a [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY a{i} "{f"&a{i - 1 if i else str()};" * 10}">' for i in range(30)
    )
    refused(bomb + "]><PMML>&a29;</PMML>", "declares document types or entities")
    refused("<PMML>&a;</PMML>", "damaged.*undefined entity")


def test_elements_that_nest_or_multiply(monkeypatch: pytest.MonkeyPatch) -> None:
    refused("<a>" * 100_000, "nest deeper than 5,000")
    refused("<PMML><Extension>" + "<a>" * 100_000, "nest deeper than 5,000")
    monkeypatch.setattr(document, "MOST_ELEMENTS", 1000)
    refused("<a>" + "<b/>" * 2000, "more than 1,000 elements")


def test_files_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "large.pmml"
    with path.open("wb") as handle:
        handle.write(b"<PMML>")
        handle.truncate(document.MOST_BYTES + 1)  # a hole: it takes no room
    with pytest.raises(InvalidData, match="536,870,913 bytes"):
        ol.read(path)
    monkeypatch.setattr(document, "MOST_BYTES", 100)
    refused(SMALL, "at most 100 are read")


def test_a_deep_tree() -> None:
    """Without recursion: a tree as deep as the limit allows."""
    n = 4_000
    inner = LEAF.format("large", "<True/>")
    parts = SMALL.partition("<Node>")
    nodes = "".join(
        f'<Node><SimplePredicate field="größe" operator="greaterThan" value="{i}"/>'
        for i in range(n)
    )
    text = parts[0] + "<Node><True/>" + nodes + inner + "</Node>" * n
    text += LEAF.format("small", "<True/>") + "</Node></TreeModel></PMML>"
    with pytest.raises(UnreadableModel, match="no prediction"):  # between 1 and n
        ol.read(text)
    text = text.replace("<TreeModel ", '<TreeModel noTrueChildStrategy="returnLastPrediction" ')
    text = text.replace("<Node><Simple", '<Node score="small"><Simple')
    assert ol.read(text).predict([[1.0], [n + 1.0]]).tolist() == ["small", "large"]


def test_half_of_a_file(tmp_path: Path) -> None:
    for end in range(1, len(SMALL) - 1, 7):
        refused(SMALL[:end], "damaged|only a part")
    path = tmp_path / "empty.pmml"
    path.write_bytes(b"<")
    with pytest.raises(UnreadableModel, match="only a part"):
        ol.read(path)
    refused(SMALL.replace('name="t"', 'name="\ud800"'), "damaged")


def test_other_documents_and_versions() -> None:
    refused("<html/>", "root of this XML file is <html> and must be <PMML>")
    refused(SMALL.replace('version="4.4"', ""), "version ''")
    for version in ("3.2", "4.5", "5.0", "4.4x", "9" * 100):
        refused(SMALL.replace('"4.4"', f'"{version}"'), "and read are 4.0 to 4.4")
    for version in ("4.0", "4.1", "4.2", "4.2.1", "4.3", "4.4.1"):
        assert ol.read(SMALL.replace('"4.4"', f'"{version}"')).n_leaves == 2
    prefixed = SMALL.replace("<", "<p:").replace("<p:/", "</p:").replace("xmlns=", "xmlns:p=")
    assert ol.read(prefixed).n_leaves == 2


def test_what_is_xml() -> None:
    for head in (b"<", b" \n<?xml", codecs.BOM_UTF8 + b"<PMML", "<PMML".encode("utf-16")):
        assert document.is_xml(head)
    for head in (b"", b"{", b"tree\n", b"\x80\x04", codecs.BOM_UTF16_LE):
        assert not document.is_xml(head)
