"""The documentation says what is true: every example in it is run, and so is every lesson."""

import ast
import builtins
import doctest
import re
import runpy
from fnmatch import fnmatch
from pathlib import Path

import pytest

import orderless as ol

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(
    page
    for folder in (".", "guide", "coming-from")
    for page in (ROOT / "docs" / folder).glob("*.md")
)
LESSONS = sorted((ROOT / "examples").glob("[0-9]*.py"))
RECORDS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
NOTES = [*sorted((ROOT / "docs" / "contributing").glob("*.md")), ROOT / "CONTRIBUTING.md"]


# Stands before a block that needs a server or a JVM: tests/connect/test_engines.py runs those.
ENGINE = "<!-- engine -->"
# Stands before a block that reads the paper's data: tests/house/test_docs_data.py runs those.
DATA = "<!-- data -->"


def examples(text: str, engines: bool = True, data: bool = True) -> str:
    """Keep the lines of ``pycon`` blocks, in their places; blank out all others."""
    left_out = {mark for mark, kept in ((ENGINE, engines), (DATA, data)) if not kept}
    out, inside, before = [], False, ""
    for line in text.splitlines():
        if line.lstrip().startswith("```"):
            inside = not inside and line.strip() == "```pycon" and before not in left_out
            out.append("")
        else:
            out.append(line if inside else "")
        before = line.strip() or before
    return "\n".join(out) + "\n"


def run_examples(page: Path, engines: bool = False, data: bool = False, **names: object) -> str:
    """Run the examples of a page; give what went wrong."""
    text = examples(page.read_text(encoding="utf-8"), engines, data)
    test = doctest.DocTestParser().get_doctest(text, names, page.name, str(page), 0)
    said: list[str] = []
    doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append)
    return "".join(said)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if "```pycon" in page.read_text("utf-8")], ids=lambda p: p.stem
)
@pytest.mark.filterwarnings("ignore::orderless.errors.NeverOffered")  # pages say so in words
def test_examples_of_a_page_do_what_it_says(page, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)  # what an example writes does not stay
    said = run_examples(page)
    assert not said, said


# What an example may import only after its page said how to install it.
EXTRAS = {"dask": "dask", "distributed": "cluster", "duckdb": "duckdb", "polars": "polars",
          "pyspark": "spark"}  # fmt: skip


@pytest.mark.parametrize("page", ["scale", "databases"])
def test_a_page_can_be_pasted_from_the_top(page):
    """Every name is made before it is used, and every package is named before it is imported.

    Also in examples that need an engine, which are run elsewhere.
    """
    text = (ROOT / "docs" / "guide" / f"{page}.md").read_text(encoding="utf-8")
    known = set(vars(builtins))
    shown = doctest.DocTestParser().get_examples(examples(text))
    assert len(shown) > 10
    lines = text.splitlines()
    for example in shown:
        said = "\n".join(lines[: example.lineno])
        tree = ast.parse(example.source)
        for package in _imported(tree) & EXTRAS.keys():
            assert re.search(rf"orderless\[[\w,]*\b{EXTRAS[package]}\b", said), package
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        known |= {node.id for node in names if not isinstance(node.ctx, ast.Load)}
        known |= {node.name for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom):
                known |= {(name.asname or name.name).split(".")[0] for name in node.names}
        unknown = {node.id for node in names} - known
        assert not unknown, f"{page}.md, line {example.lineno + 1}: {unknown} is not made before"


def _imported(tree):
    """Packages that are not ours."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            return {name.name.split(".")[0] for name in node.names}
        if isinstance(node, ast.ImportFrom):
            return {str(node.module).split(".")[0]}
    return set()


def test_python_in_pages_is_run():
    """A block of Python that is not an example would go stale unseen."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"^\s*```(python|py)$", text, re.MULTILINE), page.name
        shown = text.count("\n>>> ") + text.count("\n    >>> ")
        run = len(doctest.DocTestParser().get_examples(examples(text)))
        assert run == shown, f"{page.name}: {shown} examples are shown and {run} run"


def test_pages_link_to_what_is_there():
    for page in [*PAGES, *RECORDS, *NOTES]:
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            if "://" not in target:
                assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_every_public_name_is_in_the_api_page():
    import orderless

    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    for name in orderless.__all__:
        assert re.search(rf"::\s+orderless\.{name}$", page, re.MULTILINE), name


@pytest.mark.parametrize("kind", [ol.Model, ol.Tree, ol.Ensemble])
def test_every_member_of_a_model_is_in_the_api_page(kind):
    page = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    listed = re.search(rf":: orderless\.{kind.__name__}\n +:members: ([^:.`]+)", page)[1]
    names = {name for name in vars(kind) if not name.startswith("_")}
    assert {name.strip() for name in listed.split(",")} == names - {"kernel"}


def test_figures_are_there_with_words():
    """Every figure that a page shows exists, and says in words what it shows."""
    shown = 0
    for page in PAGES:
        for words, target in re.findall(r"!\[([^\]]*)\]\(([^)]+)\)", page.read_text("utf-8")):
            assert len(words) > 40, f"{page.name}: {target} needs words"
            assert (page.parent / target).is_file()
            shown += 1
    assert shown >= 3


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.stem)
def test_lesson_runs(lesson, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(lesson), run_name="__main__")
    assert capsys.readouterr().out.count("\n") >= 5


def test_figures_are_small():
    """A page with its figures loads fast: none of them is larger than 200 kB."""
    figures = [
        path for path in (ROOT / "docs" / "figures").rglob("*") if path.suffix in (".svg", ".png")
    ]
    assert len(figures) > 20
    assert {path.name for path in figures if path.stat().st_size > 200_000} == set()


def test_files_that_pages_name_are_there():
    """`form/term.py`, `cpp/core/tree/*.cpp`: the end of the path of some file of the house."""
    folders = ("cpp", "tests", "docs", "examples", "benchmarks", "tools", ".ci")
    files = [
        f"/{folder.name}/{path.relative_to(folder).as_posix()}"
        for folder in (Path(ol.__file__).parent, *(ROOT / name for name in folders))
        for path in folder.rglob("*.*")
    ]
    gone = {}
    for page in [*PAGES, *RECORDS, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]:
        for name in re.findall(r"`([\w/*.-]+\.(?:py|pyi|[ch]pp))`", page.read_text("utf-8")):
            if not any(fnmatch(file, f"*/{name.removeprefix('src/orderless/')}") for file in files):
                gone.setdefault(page.name, []).append(name)
    assert gone == {}
