"""The benchmarks' own machinery, so that it does not rot; what they measure is never a test."""

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
if not (ROOT / "benchmarks").is_dir():
    pytest.skip("benchmarks are not part of this distribution", allow_module_level=True)
sys.path.insert(0, str(ROOT))
KEPT = os.environ.get("ORDERLESS_DATA")

from benchmarks import __main__ as bench  # noqa: E402
from benchmarks.data import decisions, random_boolean  # noqa: E402
from benchmarks.figures import OURS, Figure, Panel  # noqa: E402
from benchmarks.timing import Failed, Peer, Table, Unfinished, ratio, span  # noqa: E402

if KEPT is None:
    os.environ.pop("ORDERLESS_DATA", None)  # the benchmarks look for data sets, other tests do not


def test_figure_says_and_draws_what_was_measured(tmp_path):
    figure = Figure("some", "time")
    panel = figure.panel("rows", "Some rows")
    for n in (10, 100, 1000):
        panel.add(OURS, n, n * 1e-6)
    panel.add("slow", 10, (2.0, "answer"))
    panel.add("slow", 100, Unfinished(10))
    panel.add("absent", 10, Failed("not installed"))
    depth = figure.panel("depth", "Levels")
    depth.add(OURS, 2, 1e-3)
    depth.add(OURS, 4, 9e-3)
    words = str(figure)
    assert "orderless 10 µs at 10, 1 ms at 1,000" in words
    assert "power 1 from 100 to 1,000" in words
    assert "slow at 100: did not finish in 10 s" in words
    assert "absent at 10: not installed" in words
    assert "3x per level at the end" in words
    figure.draw(tmp_path / "some.svg")
    drawn = (tmp_path / "some.svg").read_text(encoding="utf-8")
    assert all(said in drawn for said in (OURS, "not in 10 s", "not installed", "Levels"))
    assert "<image" not in drawn
    assert len(drawn) < 150_000


def test_a_section_that_fails_keeps_what_it_has(monkeypatch, capsys):
    class Module:
        @staticmethod
        def run(quick):
            yield Table("First", ["a"], rows=[["1"]])
            raise AssertionError("answers differ")

    monkeypatch.setattr(bench, "import_module", lambda name: Module)
    parts, fault = bench.section("equivalence", True, False)
    assert fault
    assert parts[0].startswith("### First")
    assert parts[1] == "**Broke off here**: AssertionError."
    assert "answers differ" in capsys.readouterr().err


def test_a_saved_section_replaces_its_own_and_targets_are_counted_anew():
    cell = "### One: of many\n\n| a | target |\n| - | - |\n| x | < 1 s: {} |"
    first = f"head\n{bench.MARK}\n\nmachine\n\nTargets: all 9 are met."
    old = f"{first}\n\n## Readers\n\nold\n\n## Import\n\nkept\n"
    new = bench.replaced(old, {"Readers": "## Readers\n\n" + cell.format("**missed**")})
    assert new.startswith(f"head\n{bench.MARK}\n\nmachine\n\nTargets: 0 met, 1 missed:")
    assert "- Readers: One: x, < 1 s: **missed**" in new
    assert "old" not in new
    assert new.endswith("## Import\n\nkept\n")
    again = bench.replaced(new, {"": "other", "Readers": "## Readers\n\n" + cell.format("met")})
    assert f"{bench.MARK}\n\nother\n\nTargets: all 1 are met.\n\n## Readers" in again


def test_a_peer_is_ended_at_its_limit_and_an_absent_one_reported():
    import numpy as np

    from orderless import Space

    space = Space.independent([f"x{i}" for i in range(12)])
    random = np.random.default_rng(0)
    trees = [decisions(random_boolean(random, space, 12)) for _ in range(300)]
    with Peer("pair_groups", "numpy") as peer:
        passed, groups = peer([trees[0], trees[1], trees[0]], limit=60)
        assert (passed > 0, groups) == (True, [[0, 2], [1]])
        assert peer(trees, limit=0.0) == Unfinished(0.0)
    assert Peer("dd_groups", "no_such_package")(trees, limit=1) == Failed("not installed")


def test_words():
    assert span([3.21, 51.7]) == "3.2 to 52 times"
    assert span([2.0]) == "2.0 times"
    assert ratio(Unfinished(10), 0.01) == "> 1,000x"
    assert Panel("rows", "").pace == ""


@pytest.mark.parametrize("name", bench.CAPABILITIES)
def test_every_capability_has_a_benchmark(name):
    assert callable(bench.import_module(f"benchmarks.bench_{name}").run)


def test_some_of_each_kind_runs():
    from benchmarks import bench_acquisition, bench_canonical

    pytest.importorskip("sklearn")
    assert "iris_setosa" in str(bench_canonical.on_data("raw", ["iris_setosa"]))
    figure = bench_acquisition._figure(quick=True)
    assert [panel.x for panel in figure.panels] == ["depth", "features", "rows"]
    assert all(len(panel.lines["Q-learning"]) == 2 for panel in figure.panels)


def test_a_complete_run_drops_what_stands_for_single_ones(monkeypatch, tmp_path):
    broken = {"benchmarks.bench_rashomon"}

    class Module:
        def __init__(self, name):
            self.name = name

        def run(self, quick):
            yield Table(f"Of {self.name}", ["a"], rows=[["1"]])
            assert self.name not in broken
            yield "In short: one."

    readme = tmp_path / "README.md"
    readme.write_text(
        f"prose\n\n{bench.MARK}\n\nold machine\n\n## Readers\n\nold\n", encoding="utf-8"
    )
    monkeypatch.setattr(bench, "README", readme)
    monkeypatch.setattr(bench, "import_module", Module)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--save"])
    with pytest.raises(SystemExit, match="failed: rashomon; what was measured before is kept"):
        bench.main()
    saved = readme.read_text(encoding="utf-8")
    alone = "Each section says which run it is of."
    assert saved.startswith(f"prose\n\n{bench.MARK}\n\n{alone}\n\nTargets: ")
    assert saved.count("Of a run of its own: ") == len(bench.CAPABILITIES)
    assert saved.count("**Broke off here**: AssertionError.") == 1
    broken.clear()
    bench.main()
    saved = readme.read_text(encoding="utf-8")
    assert "One complete run, 0 minutes.\n\nNothing is stored to compare this run with." in saved
    assert not any(old in saved for old in ("old machine", "Of a run of its own", "Broke off"))
    assert saved.count("In short: one.\n\n### Of benchmarks.bench_") == len(bench.CAPABILITIES)
    monkeypatch.setattr(sys, "argv", ["benchmarks", "--save", "--quick"])
    with pytest.raises(SystemExit):
        bench.main()


def test_a_run_is_held_beside_the_stored_one():
    from benchmarks.stored import compare

    def tables(first, second, peer, wall="1 s"):
        return (
            "## Some\n\n### First: of many\n\n"
            "| data | time | dd | on the wall |\n| - | -: | -: | -: |\n"
            f"| a | {first} | {peer} | {wall} |\n| b | {first} | {peer} | {wall} |\n\n"
            "### Second\n\n| method | time |\n| - | - |\n"
            f"| orderless | {second} |\n| truth tables | {peer} |\n"
        )

    stored = tables("10 µs", "2 ms", "100 µs (10x)")
    assert compare("", stored) == "Nothing is stored to compare this run with."
    same = compare(stored, tables("11 µs", "2.2 ms", "110 µs (10x)", "9 s"))
    assert "peers take 1.10 times as long (the median of 3 times), ours 1.10 times (of 3)." in same
    assert same.endswith("by their median: 0 of 2.")
    slower = compare(stored, tables("10 µs", "1,200 ms", "100 µs"))
    assert "by their median: 1 of 2:\n\n- Some: Second: 600.00 times as long" in slower
    assert "First" not in slower
