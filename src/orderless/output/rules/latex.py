r"""LaTeX: an order-free form as lists.

In:  a ``CanonicalForm``, and data if there is some.
Out: LaTeX that needs no package; every name and label is escaped. Letters with accents, Greek
     letters and some signs are written with commands that every engine knows. For the rest the
     text defines ``\orderlesschar``: LuaLaTeX and XeLaTeX show the character, pdfLaTeX, which has
     no glyph for it and would stop, shows its number.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, Unpack

from ...model import Piece, Side, pieces
from .listing import Block, Line, Listing, Shown, list_terms, sentence

if TYPE_CHECKING:
    from ...form import Form

__all__ = ["escaped", "form_as_latex"]

ANY_CHARACTER = r"\providecommand{\orderlesschar}[2]{\ifdefined\Umathcode#1\else U+#2\fi}"

# Brackets would be read as an option of \item; quotes and grave are active or ligatures somewhere.
SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "%": r"\%", "_": r"\_", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\char34{}",
    "`": r"\char96{}", "[": "{[}", "]": "{]}",
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "œ": r"\oe{}", "Œ": r"\OE{}", "ø": r"\o{}",
    "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}", "\u0131": r"\i{}", "§": r"\S{}", "£": r"\pounds{}",
    "\u2013": r"\textendash{}", "\u2014": r"\textemdash{}", "\u2019": r"\textquoteright{}",
    "…": r"\ldots{}", "°": r"$^{\circ}$", "µ": r"$\mu$",
    "²": "$^{2}$", "³": "$^{3}$", "¹": "$^{1}$", "±": r"$\pm$", "\u00d7": r"$\times$",
    "·": r"$\cdot$", "÷": r"$\div$", "≤": r"$\leq$", "≥": r"$\geq$", "≠": r"$\neq$",
    "≈": r"$\approx$", "→": r"$\rightarrow$", "∞": r"$\infty$", "√": r"$\surd$",
}  # fmt: skip
GREEK_NAMES = """
alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon
varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega
"""
GREEK = dict(zip("αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ", GREEK_NAMES.split(), strict=True))
ACCENTS = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0304": "=", "\u0306": "u",
    "\u0307": ".", "\u0308": '"', "\u030a": "r", "\u030b": "H", "\u030c": "v", "\u0327": "c",
}  # fmt: skip
LIGATURES = "-',"  # two of them in a row would become another sign
SIGNS = {
    " <= ": r"\leq", " >= ": r"\geq", " < ": "<", " > ": ">", " = ": "=", " != ": r"\neq",
    " in ": r"\in", " not in ": r"\notin", "not ": r"\lnot", "{": r"\{", "}": r"\}",
}  # fmt: skip


def form_as_latex(
    form: Form,
    X: Any = None,
    y: Any = None,
    **shown: Unpack[Shown],
) -> str:
    r"""Write rules or reasons as LaTeX: a list per class.

    Examples
    --------
    >>> from orderless.form import canonical_form
    >>> from orderless.readers import read_tree
    >>> leaf = {"true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    >>> print(form_as_latex(canonical_form(
    ...     read_tree({"feature": "snores", **leaf}, feature_names=["snores"]))))
    \noindent 2 rules, proven minimal: 1 for no, 1 for yes.
    <BLANKLINE>
    \noindent\textbf{no}: 1 rule
    \begin{itemize}
      \item $\lnot$ snores
    \end{itemize}
    <BLANKLINE>
    \noindent\textbf{yes}: 1 rule
    \begin{itemize}
      \item snores
    \end{itemize}
    """
    listing = list_terms(form, X, y, **shown)
    sentences = [listing.head(), *listing.legend()]
    parts = [rf"\noindent {sentence(words, escaped)}" for words in sentences]
    if listing.numbers:
        parts.append(_numbers(listing))
    else:
        parts += [_block(listing, block) for block in listing.blocks if block.lines]
    if listing.never:
        parts.append(rf"\noindent Never: {sentence(listing.no_row(), escaped)}.")
    text = "\n\n".join(parts)
    return f"{ANY_CHARACTER}\n{text}" if r"\orderlesschar{" in text else text


def escaped(text: str) -> str:
    r"""Escape a name or label, so that LaTeX sets what it says, letter by letter.

    Examples
    --------
    >>> print(escaped("50% of größe_1"), escaped("中"))
    50\% of gr\"{o}\ss{}e\_1 \orderlesschar{中}{4E2D}
    """
    out: list[str] = []
    before = " "
    for c in unicodedata.normalize("NFC", text):
        if c in LIGATURES and c == before:
            out.append("{}")
        out.append(r"\ " if c == before == " " else _character(c))
        before = c
    if text.endswith(" "):
        out[-1] = r"\ "
    return "".join(out)


def _character(c: str) -> str:
    if c in SPECIAL:
        return SPECIAL[c]
    if c.isascii():
        return c
    if c in GREEK:
        return rf"$\{GREEK[c]}$"
    base = unicodedata.normalize("NFD", c)
    if len(base) == 2 and base[0].isascii() and base[1] in ACCENTS:
        letter = rf"\{base[0]}" if base[0] in "ij" and base[1] != "\u0327" else base[0]
        return rf"\{ACCENTS[base[1]]}{{{letter}}}"
    return rf"\orderlesschar{{{c}}}{{{ord(c):04X}}}"


def _block(listing: Listing, block: Block) -> str:
    label = escaped(listing.name(block.label))
    items = "\n".join(rf"  \item {_item(line)}" for line in block.lines)
    return (
        rf"\noindent\textbf{{{label}}}: {listing.count(block.total)}" + "\n"
        r"\begin{itemize}" + f"\n{items}\n" + r"\end{itemize}"
    )


def _numbers(listing: Listing) -> str:
    """Write one list: each rule with its number."""
    items = []
    for block in listing.blocks:
        number = f"${_number(listing.name(block.label))}$"
        for line in block.lines:
            note = _item(replace(line, rows=None))
            if line.rows is not None:
                counts = [f"{line.rows:,} {'row' if line.rows == 1 else 'rows'}"]
                rest = zip(listing.counts[1:], listing.cells(line)[1:], strict=True)
                counts += [f"{name} ${_number(cell)}$" for name, cell in rest if cell]
                note += f" ({', '.join(counts)})"
            items.append(rf"  \item \textbf{{{number}}}: {note}")
    return "\n".join([r"\begin{itemize}", *items, r"\end{itemize}"])


def _item(line: Line) -> str:
    item = (
        r" $\land$ ".join(_condition(side, len(line.term)) for side in line.term.sides) or "always"
    )
    if line.rows is None:
        return item
    item += f" ({line.rows:,} {'row' if line.rows == 1 else 'rows'}"
    if line.right is not None:
        share = "".join(_character(c) for c in line.share)
        item += f", {line.right:,} right" + (f", {share}" if share else "")
    return f"{item})"


def _condition(side: Side, among: int) -> str:
    """Write signs and numbers that stand together as one formula, names and values as text."""
    out = []
    for formula, run in groupby(pieces(side, among), key=_is_formula):
        if formula:
            texts = [text for _, text in run]
            signs = " ".join(SIGNS[text] if text in SIGNS else _number(text) for text in texts)
            before, after = texts[0].startswith(" "), texts[-1].endswith(" ")
            out.append(f"{' ' * before}${signs}${' ' * after}")
        else:
            out += [text if kind == "sign" else escaped(text) for kind, text in run]
    return "".join(out)


def _is_formula(piece: Piece) -> bool:
    kind, text = piece
    return kind == "number" or (kind == "sign" and text in SIGNS)


def _number(text: str) -> str:
    digits, _, power = text.partition("e")
    return rf"{digits} \times 10^{{{int(power)}}}" if power else digits
