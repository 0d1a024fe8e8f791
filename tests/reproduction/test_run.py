"""The reproduction: frame, cache, pages; every target runs small; known numbers come out."""

import json
import math

import numpy as np
import pandas as pd
import pytest

import orderless as ol
from orderless.errors import DataNotFound, InvalidData
from paper.missingness import _path_known, rashomon_rows
from paper.page import added_text, table_text
from paper.published import reference
from paper.run import ALIASES, TARGETS, run, targets
from paper.target import DIFFERS, EQUAL, NOTHING, WITHIN, Outcome, judge
from paper.work import Cache, Work, code_version, data_version

CALLS = []


def square(number):
    CALLS.append(number)
    return {"number": number, "square": number**2}


def fails(number):
    if number == 2:
        raise KeyboardInterrupt
    return square(number)


@pytest.fixture(autouse=True)
def no_calls():
    CALLS.clear()


def pieces(*numbers):
    return [{"number": number} for number in numbers]


# -- cache and work ------------------------------------------------------------------------------


def test_a_piece_is_run_once(tmp_path):
    work = Work(Cache(tmp_path))
    first = work.map(square, pieces(1, 2, 3), "squares")
    assert [each["square"] for each in first] == [1, 4, 9]
    assert work.map(square, pieces(3, 2, 4), "squares") == [first[2], first[1], square(4)]
    assert CALLS == [1, 2, 3, 4, 4]  # the last is the comparison's own


def test_without_a_cache_everything_is_run(tmp_path):
    work = Work(Cache(None))
    work.map(square, pieces(1), "squares")
    work.map(square, pieces(1), "squares")
    assert CALLS == [1, 1]
    assert not list(tmp_path.iterdir())


def test_an_interrupted_run_goes_on(tmp_path):
    work = Work(Cache(tmp_path))
    with pytest.raises(KeyboardInterrupt):
        work.map(fails, pieces(0, 1, 2, 3), "squares")
    assert CALLS == [0, 1]
    assert len(list(tmp_path.glob("*.json"))) == 2
    assert not list(tmp_path.glob("*.part"))


def test_a_broken_or_foreign_entry_is_not_trusted(tmp_path):
    cache = Cache(tmp_path)
    key = cache.key("piece", {"a": 1})
    cache.put(key, [1, 2])
    assert cache.get(key) == [1, 2]
    file = tmp_path / f"{key}.json"
    whole = file.read_text()
    for broken in (whole[: len(whole) // 2], whole.replace("[1, 2]", "[1, 3]"), "[]", "{}", ""):
        file.write_text(broken)
        assert cache.get(key) is None
    other = cache.key("piece", {"a": 2})
    (tmp_path / f"{other}.json").write_text(whole)  # an entry under another's name
    assert cache.get(other) is None


def test_the_key_knows_parameters_data_and_code(tmp_path, monkeypatch):
    cache = Cache(tmp_path)
    key = cache.key("piece", {"dataset": "spiral", "fold": 0})
    assert key == cache.key("piece", {"fold": 0, "dataset": "spiral"})
    assert key != cache.key("piece", {"dataset": "spiral", "fold": 1})
    assert key != cache.key("other", {"dataset": "spiral", "fold": 0})
    assert data_version("spiral") != data_version("iris_setosa")
    monkeypatch.setattr("paper.work.code_version", lambda: "0" * 16)
    assert key != cache.key("piece", {"dataset": "spiral", "fold": 0})
    assert len(code_version()) == 16


def test_parallel_gives_the_same(tmp_path):
    serial = Work(Cache(None)).map(math_piece, pieces(1, 2, 3), "x")
    assert Work(Cache(None), n_jobs=2).map(math_piece, pieces(1, 2, 3), "x") == serial
    threads = Work(Cache(None), n_jobs=2, backend="threading")
    assert threads.map(math_piece, pieces(1, 2, 3), "x") == serial


def math_piece(number):
    return math.sqrt(number)


# -- judging and pages ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("published", "error", "ours", "verdict"),
    [
        ([10.0, 20], [1.0, 1], [10.4, 19.6], EQUAL),
        ([10.0, 20], [1.0, 1], [10.9, 20], WITHIN),
        ([10.0, 20], [1.0, 1], [11.1, 20], DIFFERS),
        ([10.0, 20], [math.nan, 1], [10.6, 20], DIFFERS),
        ([10.0, math.nan], [1.0, 1], [10, 99], EQUAL),
        ([10.0], [1.0], [math.nan], NOTHING),
    ],
)
def test_verdicts(published, error, ours, verdict):
    table = pd.DataFrame({"published": published, "error": error, "ours": ours})
    assert judge(table, 0.5) == verdict


def test_a_line_may_have_a_rounding_of_its_own():
    table = pd.DataFrame(
        {
            "published": [1.0, 100.0],
            "error": math.nan,
            "ours": [1.04, 100.4],
            "rounding": [0.05, 0.5],
        }
    )
    assert judge(table, 0.0) == EQUAL
    assert judge(table.assign(rounding=[0.03, 0.5]), 0.5) == DIFFERS


def test_tables_are_markdown():
    table = pd.DataFrame({"a|b": ["x|y\nz"], "n": [1234.0], "f": [0.12345], "none": [math.nan]})
    assert table_text(table).splitlines()[-1] == "| x\\|y z | 1,234 | 0.1235 |  |"


def test_unknown_targets_are_refused(tmp_path):
    with pytest.raises(
        InvalidData, match="there is no target 'table-9': it must be all, or one of figure-and"
    ):
        run("table-9", tmp_path)
    assert not list(tmp_path.iterdir())


def test_names_are_unique_and_aliases_lead_somewhere():
    assert len({target.name for target in targets()}) == len(targets()) == len(TARGETS)
    assert set(ALIASES.values()) <= set(TARGETS)


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_runs_small(name, tmp_path):
    lines = []
    ((target, outcome, seconds),) = run(name, tmp_path, quick=True, announce=lines.append)
    (line,) = lines
    assert line.startswith(f"{name}: {outcome.verdict}")
    assert line.endswith(f"({seconds:.1f} s), see {tmp_path / name}.md")
    assert (" because " in line) == (outcome.verdict == DIFFERS)
    assert len(line) < 200 + len(str(tmp_path))
    page = (tmp_path / f"{name}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {target.title}\n")
    assert "--quick" in page
    for table in outcome.tables:
        assert len(pd.read_csv(tmp_path / f"{table}.csv")) == len(outcome.tables[table]) > 0
    for figure in outcome.figures:
        assert (tmp_path / f"{figure}.svg").read_text(encoding="utf-8").startswith("<?xml")
        assert (tmp_path / f"{figure}.png").read_bytes().startswith(b"\x89PNG")
    if outcome.verdict == DIFFERS:
        assert outcome.reason
    assert not list(tmp_path.glob(".*"))


def test_a_package_that_is_not_installed(tmp_path, monkeypatch):
    monkeypatch.setattr("paper.cost.find_spec", lambda name: None)
    run(["figure-and", "figure-cost-streed"], tmp_path, quick=True)
    index = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "| not run: pystreed is not installed |" in index
    page = (tmp_path / "figure-cost-streed.md").read_text(encoding="utf-8")
    assert "`pip install pystreed` first" in page
    assert "All numbers" not in page


def test_data_that_came_later_is_found(shared, tmp_path, monkeypatch):
    """Each run looks anew: a notebook may set ORDERLESS_DATA after a first try."""

    def none(name):
        raise DataNotFound(f"{name} is not here")

    with monkeypatch.context() as before:
        before.setattr(ol.datasets, "load", none)
        ((_, outcome, _),) = run("figure-rid-compas", tmp_path, quick=True)
    assert outcome.absent == ("compas",)
    assert "Not at hand, so not run: compas" in (tmp_path / "figure-rid-compas.md").read_text()
    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    ((_, outcome, _),) = run("figure-rid-compas", tmp_path, quick=True)
    assert outcome.absent == ()
    assert len(outcome.comparison) == 3
    assert "COMPAS, 4 of 7 ('sex=female', 'juv_fel_count'," in outcome.text


def test_several_targets_get_an_index(tmp_path):
    run(["figure-and", "figure-dnf-bcf"], tmp_path, quick=True)
    index = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert "[figure-and](figure-and.md)" in index
    assert "`--jobs 1`; 0 pieces of work were run, 0 taken from the cache." in index
    assert not (tmp_path / "added.md").exists()  # neither study was run
    assert "| 0 | equal |" in index


def test_what_is_added_comes_from_the_results(tmp_path):
    lines = run(["figure-missingness-datasets", "figure-and"], tmp_path, quick=True)
    shares = lines[0][1].tables["figure-missingness-datasets"]
    half = shares[(shares["rate"] == 0.5) & (shares["way"] == "determined")]
    mean = half[half["dataset"] == "spiral"].groupby("semantics")["answered"].mean()
    share = f"{mean['independent']:.3f} → {mean['aware']:.3f}"
    text = (tmp_path / "added.md").read_text(encoding="utf-8")
    assert "| data set | rows answered by a tree, p = 0.5 |" in text
    assert f"| Spiral | {share} |" in text
    sizes = pd.DataFrame(
        {
            "dataset": ["spiral", "spiral", "spiral", "fico"],
            "source": ["exact", "exact", "treefarms", "exact"],
            "distinct_independent": [1000, 1003, 7, 4],
            "distinct_aware": [10, 13, 7, 2],
        }
    )
    outcomes = {target.name: outcome for target, outcome, _ in lines}
    outcomes["table-rashomon-size"] = Outcome({"table-rashomon-size": sizes})
    text = added_text(outcomes)
    assert "| data set | distinct functions | rows answered by a tree, p = 0.5 |" in text
    assert f"| FICO | 4.0 → 2.0 |  |\n| Spiral | 1,001.5 → 11.5 | {share} |" in text
    assert added_text({}) is None


def test_a_second_run_takes_the_cache_and_gives_the_same(tmp_path):
    run("figure-missingness-datasets", tmp_path, quick=True)
    first = (tmp_path / "figure-missingness-datasets.csv").read_bytes()
    entries = sorted((tmp_path / "cache").iterdir())
    for entry in entries:
        json.loads(entry.read_text())
    run("figure-missingness-datasets", tmp_path, quick=True)
    assert (tmp_path / "figure-missingness-datasets.csv").read_bytes() == first
    assert sorted((tmp_path / "cache").iterdir()) == entries


# -- the paper's numbers -------------------------------------------------------------------------


def test_missing_value_shares_are_the_published(shared, monkeypatch, tmp_path):
    """All four data sets, five folds: shares at p = 0.5, and the printed ratios."""
    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    ((_, outcome, _),) = run("figure-missingness", tmp_path)
    assert outcome.verdict == EQUAL
    assert len(outcome.comparison) == 20
    aware = outcome.comparison.set_index("what")["aware"]
    assert aware["COMPAS: answered at p = 0.5, determined"] > 0.66
    assert aware["Wine Quality: answered at p = 0.5, determined"] > 0.83


def test_rows_whose_path_is_known_in_some_tree():
    random = np.random.RandomState(0)
    X = random.randint(0, 2, (60, 4))
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & (random.rand(60) < 0.8))
    trees = (
        ol.RashomonSet(max_depth=2, regularization=0.02, epsilon=0.1, thresholds=None)
        .fit(X, y)
        .trees_
    )
    rows = np.where(random.rand(81, 4) < 0.6, np.nan, random.randint(0, 2, (81, 4)))
    each = [~np.ma.getmaskarray(ol.baselines.predict_path(tree, rows)) for tree in trees]
    assert len(each) > 5
    assert _path_known(trees, rows).tolist() == np.any(each, axis=0).tolist()
    assert 0 < np.any(each, axis=0).sum() < 81


def test_the_published_rashomon_curve_is_that_of_known_paths(shared, monkeypatch):
    """Spiral, 100 rows: to the row, but at p = 0.4, where bars overlap in the figure."""
    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    ours = pd.DataFrame(
        [row for fold in range(5) for row in rashomon_rows("spiral", fold, "column")]
    )
    mean = ours[ours["semantics"] == "independent"].groupby(["way", "rate"])["answered"].mean()
    known = reference("rset_missingness_digitized.csv")
    known = known[(known["dataset"] == "Spiral") & known["figure"].str.startswith("postbin")]
    apart = (mean["path"].to_numpy() - known["prop_robust"].to_numpy()).round(4)
    assert abs(apart[4]) <= 0.0112
    assert np.abs(np.delete(apart, 4)).max() <= 0.0025
    assert np.abs(mean["determined"].to_numpy() - known["prop_robust"].to_numpy()).max() > 0.02
