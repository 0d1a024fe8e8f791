"""Pictures of the pages are current, questions are complete, and a broken build is noticed."""

import importlib
import importlib.util
import re
from pathlib import Path

import pytest

import orderless

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
FIGURES = DOCS / "figures"


# -- pictures --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "draw", "name"),
    [
        ("first", "first", "first"),
        ("clinic", "clinic", "clinic"),
        ("circles", "model", "circle-model"),
        ("circles", "models", "circle-models"),
        ("circles", "world", "circle-world"),
        ("badges", "python", "badge-python"),
        ("badges", "wheels", "badge-wheels"),
        ("badges", "license", "badge-license"),
    ],
)
def test_pictures_are_drawn_from_the_package_as_it_is(module, draw, name, monkeypatch):
    monkeypatch.syspath_prepend(FIGURES)
    drawn = getattr(importlib.import_module(module), draw)()
    kept = (FIGURES / f"{name}.svg").read_text(encoding="utf-8")
    assert kept == drawn, f"run `python docs/figures/{module}.py`"


def test_words_beside_the_circle_of_many_models_count_as_it_does():
    drawn = (FIGURES / "circle-models.svg").read_text(encoding="utf-8")
    trees, functions = re.search(r"<title>(\d+ trees), (\d+ functions)", drawn).groups()
    (words,) = re.findall(
        r"!\[([^]]*)\]\(figures/circle-models.svg", (DOCS / "index.md").read_text()
    )
    assert trees in words
    assert functions in words


# -- pages -----------------------------------------------------------------------------------------


def test_every_public_name_answers_a_question():
    page = (DOCS / "tasks.md").read_text(encoding="utf-8")
    named = set(re.findall(r"\(#orderless\.(\w+)", page))
    assert set(orderless.__all__) - named - {"datasets"} == set(), (
        "say in docs/tasks.md what it answers"
    )


@pytest.mark.parametrize(
    ("page", "numbers"),
    [
        ("guide/missing-values.md", "| Wisconsin | 0.3516 | **0.6312** | 0.1336 | 0.0123 |"),
        ("reproduction.md", "| Wisconsin: total | 24052 |"),
        ("reproduction.md", "| Wisconsin: distinct | 4657 |"),
    ],
)
def test_numbers_for_clinicians_stand_where_they_were_measured(page, numbers):
    """Measured anew, they may change: then docs/paper.md changes, too."""
    assert numbers in (DOCS / page).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "page", sorted((DOCS / "coming-from").glob("[!i]*.md")), ids=lambda p: p.stem
)
def test_a_page_for_newcomers_is_fair(page):
    """What is done there and here, code that is run, and what the other tool does better."""
    text = page.read_text(encoding="utf-8")
    assert re.search(r"^\|.*\bthere \| here \|$", text, re.MULTILINE)
    assert "```pycon" in text
    assert re.search(r"^## Where .* does more$", text, re.MULTILINE)
    assert f"({page.name})" in (page.parent / "index.md").read_text(encoding="utf-8")


# -- the check of a build --------------------------------------------------------------------------


@pytest.fixture
def check(monkeypatch):
    spec = importlib.util.spec_from_file_location("check_of_pages", DOCS / "check.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def built(tmp_path, check, monkeypatch):
    """A build of two pages and one example, in which all is well."""
    examples, pages = tmp_path / "examples", tmp_path / "pages"
    (pages / "gallery").mkdir(parents=True)
    examples.mkdir()
    (examples / "01_one.py").write_text("")
    (pages / "searchindex.js").write_text("")
    (pages / "a picture.svg").write_text("")
    (pages / "index.html").write_text(
        '<a href="other.html#part">x</a><a href="#top" id="top">y</a><img src="a%20picture.svg">'
        '<a href="https://example.org/gone">z</a><a href="gallery/01_one.html">w</a>'
    )
    (pages / "other.html").write_text('<h2 id="part">Part</h2>')
    (pages / "gallery" / "01_one.html").write_text(
        '<div class="sphx-glr-script-out"></div>'
        '<img class="sphx-glr-single-img" src="../a picture.svg">'
    )
    monkeypatch.setattr(check, "EXAMPLES", examples)
    return pages


def test_a_sound_build_has_no_faults(check, built):
    assert check.main(built) == []


@pytest.mark.parametrize(
    ("page", "old", "new", "fault"),
    [
        ("index.html", "other.html#part", "gone.html", "index.html: gone.html is not there"),
        ("index.html", "#part", "#whole", "index.html: other.html#whole has no such anchor"),
        ("index.html", "a%20picture", "picture", "index.html: picture.svg is not there"),
        ("index.html", 'id="top"', "", "index.html: #top has no such anchor"),
        ("gallery/01_one.html", "script-out", "", "01_one.py prints nothing"),
        ("gallery/01_one.html", "single-img", "", "01_one.py draws nothing"),
    ],
)
def test_faults_of_a_build_are_found(check, built, page, old, new, fault):
    path = built / page
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    assert check.main(built) == [fault]


def test_an_example_without_a_page_and_no_build_at_all(check, built, tmp_path):
    (check.EXAMPLES / "02_two.py").write_text("")
    assert check.main(built) == ["02_two.py has no page"]
    (said,) = check.main(tmp_path)
    assert "build it first" in said


def test_the_build_ends_with_the_check():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    docs = re.search(r"^docs: .*?\n\n", makefile, re.MULTILINE | re.DOTALL)[0]
    assert "sphinx-build -W" in docs
    assert "docs/check.py docs/_build/html" in docs
