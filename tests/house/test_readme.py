"""The README's example prints what it says; its commands, its links and the demo work."""

import doctest
import re
import runpy
from pathlib import Path

import pytest
from commands import fine, patients

import orderless as ol

ROOT = Path(__file__).resolve().parents[2]


def test_the_first_example_prints_what_the_readme_says():
    results = doctest.testfile(
        str(ROOT / "README.md"),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE,
        encoding="utf-8",
    )
    assert results.attempted > 8
    assert results.failed == 0


def test_the_demo_prints_rules_and_writes_two_pages(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["demo.py", str(tmp_path / "pages")])
    runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="__main__")
    said = capsys.readouterr().out
    assert "8 rules, proven minimal" in said
    for name in ("report.html", "page.html"):
        assert str(tmp_path / "pages" / name) in said
        page = (tmp_path / "pages" / name).read_text(encoding="utf-8")
        assert page.lower().startswith("<!doctype html>")


def test_the_command_lines_of_the_readme_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients(tmp_path)
    (tmp_path / "new.csv").write_text("age,bmi,smoker,ward\n65,,,\n,30,,east\n")
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = re.search(r"## Without Python\n.*?```\n(.*?)```", text, re.DOTALL)[1]
    lines = [line.partition("  #")[0].split() for line in block.splitlines()]
    assert len(lines) >= 5
    for name, *args in lines:
        assert name == "orderless"
        fine(*args)
    assert {"report.html", "page.html"} <= {path.name for path in tmp_path.iterdir()}


def test_every_name_of_the_readme_is_public():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    names = set(re.findall(r"\bol\.([A-Za-z_]+)", text))
    assert len(names) > 20
    assert names <= set(ol.__all__)


def slug(heading):
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w -]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_and_pictures_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)|(?:src|srcset|href)=\"([^\"]+)\"", text)
    links = [one or other for one, other in links if "://" not in one + other]
    assert len(links) > 2
    for link in links:
        file, _, anchor = link.partition("#")
        assert (ROOT / file).exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", (ROOT / file).read_text("utf-8"), re.MULTILINE)
            assert anchor in map(slug, headings), link


def test_pictures_say_in_words_what_they_show():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    badges = re.findall(r"!\[([^\]]*)\]\((docs/figures/badge-[^)]*)\)", text)
    assert len(badges) == len(list((ROOT / "docs" / "figures").glob("badge-*.svg")))
    for words, path in badges:
        assert f"<title>{words}</title>" in (ROOT / path).read_text(encoding="utf-8")
    pictures = re.findall(r"!\[([^\]]*)\](?!\(docs/figures/badge)|<img [^>]*alt=\"([^\"]*)\"", text)
    assert len(pictures) == 5
    assert all(len(one + other) > 40 for one, other in pictures)


@pytest.mark.parametrize(
    ("page", "numbers"),
    [
        ("docs/reproduction.md", "| wine_quality | 0.8345 | 0.4574 | 0.1168 |"),
        ("docs/reproduction.md", "| Wine Quality: answered at p = 0.5, path | 0.1168 | 0.003703 "
         "| 0.1168 | 0.4708 |"),
        ("docs/reproduction.md", "| COMPAS | 12,837 ± 2,823 | 3,914 ± 837 | 2,136 ± 448 | 639 ±"),
        ("docs/reproduction.md", "| COMPAS: distinct | 2135 |"),
        ("benchmarks/README.md", "419,606,873,268,808,831"),
        ("benchmarks/README.md", "Geometric mean of the ratios to TreeFARMS over 11 data sets: "
         "**123x**"),
    ],
)  # fmt: skip
def test_numbers_of_the_readme_stand_where_it_says(page, numbers):
    """Measured anew, they may change: then the README changes, too."""
    assert numbers in (ROOT / page).read_text(encoding="utf-8")


@pytest.mark.parametrize("target", ["demo", "test", "test-engines", "lint", "bench", "docs"])
def test_every_command_of_the_readme_is_in_the_makefile(target):
    assert f"\n{target}:" in (ROOT / "Makefile").read_text()
