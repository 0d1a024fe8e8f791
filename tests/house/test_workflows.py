"""The workflows call what there is: make targets, files, and the Pythons that we name."""

import importlib.util
import itertools
import re
import shutil
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))


def commands(workflow):
    """Give the targets that a workflow makes, with the values of its matrix put in."""
    text = workflow.read_text(encoding="utf-8")
    for target in re.findall(r"run: make ((?:\$\{\{[^}]*\}\}|[^\s$])+)", text):
        lists = []
        names = re.findall(r"\$\{\{ ?matrix\.(\w+) ?\}\}", target)
        for name in names:
            found = re.search(rf"^ +{name}: \[(.*)\]", text, re.M)
            lists.append([value.strip(' "') for value in found[1].split(",")])
        for values in itertools.product(*lists):
            made = target
            for name, value in zip(names, values, strict=True):
                made = re.sub(r"\$\{\{ ?matrix\." + name + r" ?\}\}", value, made)
            yield made


def test_there_are_workflows_for_tests_wheels_and_docs():
    assert {path.stem for path in WORKFLOWS} >= {"tests", "wheels", "docs"}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_workflows_make_targets_that_there_are(workflow):
    made = set(commands(workflow))
    assert made, "a workflow does what `make` does, so that everybody can do it"
    assert made <= TARGETS, made - TARGETS


def test_every_check_of_ci_is_in_a_workflow():
    wanted = set(re.findall(r"^make ([a-z-]+)$", (ROOT / ".ci" / "run").read_text(), re.M))
    assert wanted <= {target for path in WORKFLOWS for target in commands(path)}


def test_the_matrix_has_every_python_that_we_say():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ours = re.findall(r"Python :: (3\.\d+)", "\n".join(project["classifiers"]))
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert re.findall(r'"(3\.\d+)"', re.search(r"python: \[(.*)\]", text)[1]) == ours


def test_nobody_publishes_by_a_password():
    text = "\n".join(path.read_text(encoding="utf-8") for path in WORKFLOWS)
    assert "secrets." not in text
    assert "id-token: write" in text


@pytest.mark.parametrize("target", ["test-wheels", "test-portable", "test-oldest", "test-newest"])
def test_targets_run_scripts_that_there_are(target):
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipe = text.split(f"\n{target}:")[1].split("\n\n")[0]
    for script in re.findall(r"tools/\w+\.py", recipe):
        assert (ROOT / script).is_file()


ADDRESS = "https://example.org/somebody/orderless"
NAMES = ("pyproject.toml", "CITATION.cff", "README.md")


@pytest.fixture
def written(tmp_path):
    """A copy of the files that carry the address, and the script that writes it."""
    spec = importlib.util.spec_from_file_location("address", ROOT / "tools" / "address.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    for name in NAMES:
        shutil.copy(ROOT / name, tmp_path)
    return script.main, tmp_path


def test_what_a_workflow_builds_knows_its_repository(written):
    write, folder = written
    write(ADDRESS + "/", "v1", folder)
    project, citation, readme = ((folder / name).read_text(encoding="utf-8") for name in NAMES)
    before = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    after = tomllib.loads(project)
    urls = after["project"].pop("urls")
    assert after == before
    assert set(urls) == {"Homepage", "Documentation", "Source", "Issues", "Changelog"}
    assert all(url.startswith(ADDRESS) for url in urls.values())
    for url in urls.values():
        if "/v1/" in url:
            assert (ROOT / url.split("/v1/")[1]).is_file()
    assert f'repository-code: "{ADDRESS}"' in citation.splitlines()
    targets = re.findall(r'\]\(([^)\s]+)|(?:src|href|srcset)="([^"]+)"', readme)
    assert len(targets) > 50
    for one, other in targets:
        assert (one or other).startswith(("https://", "http://", "mailto:", "#")), (one, other)
    ours = re.findall(rf"{ADDRESS}/(raw|blob)/v1/([^)\"#\s]+)", readme)
    assert {kind for kind, _ in ours} == {"raw", "blob"}
    for kind, path in ours:
        assert (ROOT / path).exists(), path
        assert (kind == "raw") == path.endswith((".svg", ".png"))


@pytest.mark.parametrize(
    "wrong", ["", "somebody/orderless", "https://example.org/", "https://example.org/a/b c"]
)
def test_an_address_is_not_guessed(written, wrong):
    write, folder = written
    with pytest.raises(SystemExit, match="no repository's address"):
        write(wrong, "v1", folder)
    assert all((folder / name).read_bytes() == (ROOT / name).read_bytes() for name in NAMES)


def test_an_address_is_not_written_twice(written):
    write, folder = written
    write(ADDRESS, "v1", folder)
    with pytest.raises(SystemExit, match=r"has \[project.urls\] already"):
        write(ADDRESS, "v2", folder)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.stem)
def test_what_may_sign_for_us_is_pinned(workflow):
    """A job with an identity runs no code that somebody can change by moving a tag or a branch."""
    text = workflow.read_text(encoding="utf-8")
    for job in re.split(r"^  (?=\w[\w-]*:$)", text.split("\njobs:\n")[1], flags=re.M):
        if "id-token: write" in job:
            used = re.findall(r"uses: (\S+)", job)
            assert used
            assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one) for one in used), used


FLOORS = {
    "jinja2": (3, 1, 6),
    "skops": (0, 13),
    "lightgbm": (4, 6),
    "onnx": (1, 21),
    "ray": (2, 55),
}


def test_versions_with_known_holes_are_not_allowed():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *itertools.chain(*project["optional-dependencies"].values())]
    for path in sorted((ROOT / "requirements").glob("*.txt")):
        lines += path.read_text(encoding="utf-8").splitlines()
    for name, least in FLOORS.items():
        found = [re.match(rf"{name}[>=]=([0-9.]+)", line) for line in lines]
        given = [tuple(map(int, one[1].split("."))) for one in found if one]
        assert given
        assert min(given) >= least, (name, given)
