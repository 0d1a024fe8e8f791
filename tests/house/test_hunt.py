"""The random search of ``tests/hunt``: so many cases of each area, the same in every run."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.hunt import AREAS, areas
from tests.hunt.__main__ import main
from tests.hunt.running import Tally, Wrong, run, run_case, same

CASES = {
    "canonicity": 120, "smallest": 80, "missing": 60, "partial": 40, "rashomon": 50,
    "goals": 40, "importance": 120, "policies": 60, "interviews": 60, "outputs": 30, "readers": 100,
    "boosters": 50, "pipelines": 50, "solvers": 60, "numbers": 60,
    "sums": 40, "ensembles": 25, "scores": 50, "facts": 40, "fact_rows": 40, "forest_facts": 20,
    "crossings": 30, "formats": 30, "tables": 60,
}  # fmt: skip


def test_every_area_has_its_cases():
    assert set(CASES) == set(AREAS)


@pytest.mark.parametrize("area", CASES)
def test_nothing_is_found(area):
    if not getattr(areas()[area], "HERE", True):
        pytest.skip("none of the libraries that it asks is installed")
    tally = run(areas()[area], cases=CASES[area], seed=0)
    assert tally.cases == CASES[area]
    assert tally.skipped < tally.cases / 2, "brute force handles too few of the cases"
    for check, times in tally.too_big.items():
        assert times < 0.9 * tally.cases, f"brute force of {check} handles too few of the cases"
    text = "\n\n".join(finding.text for finding in tally.findings.values())
    assert not tally.findings, f"\n{text}"


def planted(wrong=lambda case: case > 3):
    """An area with one fault: numbers above three."""

    def check(case):
        if wrong(case):
            raise Wrong("too large", case, 3)

    def breaks(case):
        if case == 17:
            raise KeyError(case)

    return SimpleNamespace(
        __name__="hunt.planted",
        draw=lambda rng: rng.randint(0, 20),
        CHECKS=(check, breaks),
        smaller=lambda case: iter([case - 1] if case else []),
        show=lambda case: f"print({case})",
        KEPT=(2, 19, 17),
    )


def test_a_planted_fault_is_found_and_made_smaller(tmp_path: Path):
    tally = run(planted(), cases=40, seed=1, folder=tmp_path)
    found = tally.findings["check: too large"]
    assert (found.code, found.number) == ("print(4)", 1)
    assert found.times > 10
    assert "got:      4" in found.message
    assert "--area planted --seed 1 --case 1" in found.text
    files = sorted(path.name for path in tmp_path.glob("planted-*.py"))
    assert len(files) == len(tally.findings) == 2
    assert (tmp_path / files[0]).read_text(encoding="utf-8").endswith("print(17)\n")


def test_an_exception_is_a_finding():
    tally = Tally(cases=2)
    (found,) = run_case(planted(wrong=lambda case: False), 1, 2, tally)
    assert found.message.startswith("KeyError: 17")


def test_the_same_seed_draws_the_same_cases():
    area = planted()
    drawn = [area.show(case) for case in cases_of(area, 1)]
    assert drawn == [area.show(case) for case in cases_of(area, 1)]
    assert drawn != [area.show(case) for case in cases_of(area, 2)]


def cases_of(area, seed):
    seen = []
    area.CHECKS = (seen.append,)
    run(area, cases=30, seed=seed)
    return seen


def test_what_is_equal_passes():
    same("one", 1, 1)
    with pytest.raises(Wrong, match="got:      1\n  expected: 2"):
        same("one", 1, 2)


def test_the_command_ends_with_0_where_nothing_was_found(tmp_path: Path, capsys):
    given = ["--area", "solvers", "--seed", "1", "--case", "0", "--folder", str(tmp_path)]
    assert main(given) == 0
    assert "1 cases, 0 of them too large, " in (output := capsys.readouterr().out)
    assert ", 0 findings" in output


def test_the_command_ends_with_1_where_something_was_found(tmp_path: Path, capsys, monkeypatch):
    monkeypatch.setattr("tests.hunt.__main__.areas", lambda: {"planted": planted()})
    given = ["--seed", "1", "--case", "1", "--folder", str(tmp_path)]
    assert main(given) == 1
    assert "print(4)" in capsys.readouterr().out


def test_the_command_runs_by_itself(tmp_path: Path):
    root = Path(__file__).parents[2]
    options = ["--area", "policies", "--area", "numbers", "--case", "0", "--folder", str(tmp_path)]
    subprocess.run([sys.executable, "-m", "tests.hunt", *options], cwd=root, check=True)
