import itertools
import re
import unicodedata

import pytest
import showcase
from hypothesis import given, strategies as st

import orderless as ol
from orderless.model.escapes import printable
from orderless.output.rules import latex, text
from tests.output.test_rules_html import NAMES


@pytest.mark.parametrize("name", showcase.FORMS)
def test_golden(name):
    form = showcase.FORMS[name]()
    showcase.check_golden(f"{name}.md", form.to_markdown())
    showcase.check_golden(f"{name}.tex", form.to_latex())


def test_golden_with_data():
    form, rows = showcase.mixed(), showcase.mixed_rows()
    showcase.check_golden("mixed_data.md", form.to_markdown(*rows))
    showcase.check_golden("mixed_data.tex", form.to_latex(*rows))
    assert form.to_markdown(rows[0], terms="reasons").startswith("14 reasons")
    assert r"\item age $> 60$ $\land$ color $\neq$ green (18 rows)" in form.to_latex(rows[0])


def test_what_the_rows_are_is_written_below_the_counts_and_escaped():
    form, (rows, y) = showcase.mixed(), showcase.mixed_rows()
    about = "Rows of <new>_50%.csv."
    assert form.to_text(rows, y, about_rows=about).splitlines()[2] == about
    assert form.to_markdown(rows, about_rows=about).split("\n\n")[2] == text.escaped(about)
    assert latex.escaped(about) in form.to_latex(rows, about_rows=about)
    assert "Rows of &lt;new&gt;_50%.csv." in form.to_html(rows, about_rows=about)


# -- Markdown ----------------------------------------------------------------------------------


def rendered_cells(text):
    """Let a parser of CommonMark with tables read it; give the text of its cells."""
    parser = pytest.importorskip("markdown_it").MarkdownIt("commonmark", {"html": True})
    tokens = parser.enable(["table", "strikethrough"]).parse(text)
    cells = []
    for before, token in itertools.pairwise(tokens):
        if before.type in ("td_open", "th_open"):
            assert {child.type for child in token.children} <= {"text", "text_special"}
            cells.append("".join(child.content for child in token.children))
    return cells


@given(NAMES)
def test_markdown_shows_every_name_as_it_is(name):
    name = printable(name)
    cells = rendered_cells(f"| a |\n| --- |\n| {text.escaped(name)} |")
    assert cells[1:] == [name.strip()]


def test_markdown_tables_read_as_the_rules():
    form, (rows, y) = showcase.mixed(), showcase.mixed_rows()
    cells = rendered_cells(form.to_markdown(rows, y))
    for terms in form.rules.values():
        for term in terms:
            said = str(term).replace("<=", "≤").replace(">=", "≥").replace("!=", "≠")
            at = cells.index(said)
            assert cells[at + 1] == str(int(term.covers(rows).sum()))
    cells = rendered_cells(showcase.hostile().to_markdown())
    assert len(cells) == 2 + 8


# -- LaTeX -------------------------------------------------------------------------------------

COMMANDS = {value: key for key, value in latex.SPECIAL.items()}
COMMANDS |= {rf"$\{name}$": letter for letter, name in latex.GREEK.items()}
TOKEN = re.compile(
    r"\\orderlesschar\{(?P<any>[^{}])\}\{(?P<number>[0-9A-F]+)\}"
    rf"|(?P<known>{'|'.join(sorted(map(re.escape, COMMANDS), key=len, reverse=True))})"
    r"|\\(?P<accent>[`'^~=.\"]|[urHvc](?=\{))\{(?P<letter>\\?[A-Za-z])\}"
    r"|(?P<space>\\ )|(?P<nothing>\{\})|(?P<plain>[ -~])"
)
MARKS = {command: mark for mark, command in latex.ACCENTS.items()}


def as_set(text):
    """Read escaped LaTeX: the text that it sets. Anything not known is an error."""
    out, at = [], 0
    while at < len(text):
        found = TOKEN.match(text, at)
        assert found, text[at:]
        at = found.end()
        if found["any"]:
            assert int(found["number"], 16) == ord(found["any"])
            out.append(found["any"])
        elif found["known"]:
            out.append(COMMANDS[found["known"]])
        elif found["accent"]:
            out.append(found["letter"].lstrip("\\") + MARKS[found["accent"]])
        elif found["plain"]:
            assert found["plain"] not in '\\{}$&#%_^~<>|"`[]'
            out.append(found["plain"])
        elif found["space"]:
            out.append(" ")
    return unicodedata.normalize("NFC", "".join(out))


@given(st.one_of(NAMES, st.text("éüÅñçőśıłøßæ αμΩ°²–--''``,,[]\\{}$%", max_size=15)))
def test_latex_sets_every_name_as_it_is(name):
    name = printable(name)
    written = latex.escaped(name)
    # The two kinds of mu are one glyph.
    same = str.maketrans({"µ": "μ"})
    assert as_set(written).translate(same) == unicodedata.normalize("NFC", name).translate(same)
    for pair in ("--", "''", ",,", "``", "  "):
        assert pair not in written
    assert re.sub(r"\\orderlesschar\{.\}", "", written).isascii()


def check_latex(text):
    """Braces and formulas close, environments nest, every item is in a list, no stray sign."""
    text = text.removeprefix(latex.ANY_CHARACTER + "\n")
    assert "\\orderlesschar" not in text or text.count("\\orderlesschar{")
    bare = re.sub(r"\\[\\{}$&#%_ ]|\\[`'^~=.\"]", "", text)
    depth = 0
    for c in bare:
        depth += (c == "{") - (c == "}")
        assert depth >= 0
    assert depth == 0
    assert all(line.count("$") % 2 == 0 for line in bare.splitlines())
    assert not set(bare) & set('&#%_~"`|')
    outside = "".join(bare.split("$")[::2])
    assert not set(outside) & set("<>^")
    open_lists = 0
    for command in re.findall(r"\\(?:begin|end)\{\w+\}|\\item", bare):
        open_lists += {"\\begin{itemize}": 1, "\\end{itemize}": -1}.get(command, 0)
        assert 0 <= open_lists <= 1
        assert command != "\\item" or open_lists
    assert open_lists == 0
    assert not re.search(r"\\begin\{itemize\}\s*\\end", bare)
    assert "\\item [" not in bare


@pytest.mark.parametrize("name", showcase.FORMS)
def test_latex_is_complete(name):
    form = showcase.FORMS[name]()
    check_latex(form.to_latex())
    check_latex(form.to_latex(terms="reasons"))


@given(NAMES, NAMES)
def test_latex_is_complete_whatever_the_names(name, label):
    leaves = {"true": {"prediction": label}, "false": {"prediction": "no" * len(label)}}
    if label == "no" * len(label):
        return
    tree = ol.read({"feature": name, **leaves}, space=ol.Space({name: "boolean"}))
    check_latex(ol.canonicalize(tree).to_latex([{name: 1}], [label]))


def test_characters_without_a_command_are_defined_once():
    text = showcase.hostile().to_latex()
    assert text.startswith(latex.ANY_CHARACTER + "\n")
    assert latex.ANY_CHARACTER not in showcase.mixed().to_latex()
    assert r"\orderlesschar{中}{4E2D}" in text


def test_numbers_in_latex():
    space = ol.Space({"x": "numeric"})
    above = showcase.ask("x", "<=", 1e30, showcase.leaf(1), showcase.leaf(2))
    tree = showcase.ask("x", "<=", -1e-30, showcase.leaf(0), above)
    text = ol.canonicalize(ol.read(tree, space=space)).to_latex()
    assert r"\item x $\leq -1 \times 10^{-30}$" in text
    assert r"\item $-1 \times 10^{-30} <$ x $\leq 1 \times 10^{30}$" in text
