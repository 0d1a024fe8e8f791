"""The data sets: equal to the published files whatever the source, and errors that help."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from orderless import datasets
from orderless.datasets import builtin
from orderless.datasets.catalog import CATALOG, Entry
from orderless.errors import InvalidData

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
PUBLISHED = [name for name, entry in CATALOG.items() if entry.sha256]
BUILT_IN = [name for name, e in CATALOG.items() if e.origin in ("scikit-learn", "generated")]
DOWNLOADED = [name for name, entry in CATALOG.items() if entry.origin == "download"]

needs_shared = pytest.mark.skipif(
    not SHARED.is_dir(), reason="the published files are not in ../shared/data"
)


def assert_published(dataset, name):
    expected = pd.read_csv(SHARED / CATALOG[name].file)
    pd.testing.assert_frame_equal(dataset.frame, expected, check_exact=True)
    pd.testing.assert_frame_equal(dataset.X, expected.iloc[:, :-1], check_exact=True)
    pd.testing.assert_series_equal(dataset.y, expected.iloc[:, -1], check_exact=True)


def small_entry(monkeypatch, name, rows):
    """Shrink a data set that is too large, or not at hand, to test its loader."""
    entry = CATALOG[name]
    small = Entry(name, entry.file, rows, entry.features, entry.origin)
    monkeypatch.setattr("orderless.datasets.catalog.CATALOG", {**CATALOG, name: small})
    rng = np.random.default_rng(0)
    columns = [f"f{j}" for j in range(entry.features)]
    frame = pd.DataFrame(rng.random((rows, entry.features)), columns=columns)
    frame["label"] = np.arange(rows) % 2
    return frame


def test_names_are_the_papers_and_one_more():
    assert datasets.names() == (
        *("compas", "wine_quality", "wisconsin", "coupon", "fico", "broward", "spiral"),
        *("tic_tac_toe", "iris_setosa", "iris_versicolor", "iris_virginica"),
        *("netherlands", "higgs", "fico_full"),
    )


@needs_shared
@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_equals_the_published_file(name):
    dataset = datasets.load(name)
    assert dataset.source == CATALOG[name].origin
    assert_published(dataset, name)


@needs_shared
@pytest.mark.parametrize("name", PUBLISHED)
def test_folder_gives_the_published_file(monkeypatch, name):
    monkeypatch.setenv("ORDERLESS_DATA", str(SHARED))
    dataset = datasets.load(name)
    assert dataset.source == f"folder {SHARED}"
    assert_published(dataset, name)


@needs_shared
@pytest.mark.parametrize("name", PUBLISHED)
def test_catalog_says_what_the_published_file_is(name):
    entry, path = CATALOG[name], SHARED / CATALOG[name].file
    frame = pd.read_csv(path)
    label = frame.iloc[:, -1]
    assert entry.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert frame.shape == (entry.rows, entry.features + 1)
    assert (entry.label, entry.positives) == (label.name, label.sum())


@needs_shared
def test_iris_differs_from_scikit_learn_in_three_cells():
    from sklearn.datasets import load_iris

    theirs, ours = load_iris().data, datasets.load("iris_setosa").X.to_numpy()
    assert np.argwhere(theirs != ours).tolist() == [[34, 3], [37, 1], [37, 2]]


@pytest.mark.parametrize("name", BUILT_IN)
def test_built_in_has_the_shape_and_label_of_the_catalog(name):
    X, y = datasets.load(name)
    entry = CATALOG[name]
    assert X.shape == (entry.rows, entry.features)
    assert (y.name, y.sum()) == (entry.label, entry.positives)


def test_final_boards_are_legal():
    boards = builtin.final_boards()
    outcomes = list(boards.values())
    assert [outcomes.count(winner) for winner in ("x", "o", "")] == [626, 316, 16]
    assert all(board.count("x") - board.count("o") in (0, 1) for board in boards)


def test_every_load_is_new_and_free_to_change():
    first = datasets.load("spiral")
    first.X.loc[0, "feat1"] = 7.0
    first.y.loc[0] = 7.0
    joined = first.frame
    joined.loc[1, "target"] = 7.0
    assert first.y.loc[1] == 0.0
    second = datasets.load("spiral")
    assert second.X.loc[0, "feat1"] == 0.5
    assert second.y.unique().tolist() == [0.0, 1.0]


def test_dataset_is_frozen_and_short_to_print():
    dataset = datasets.load("spiral")
    assert repr(dataset) == "Dataset('spiral': 100 rows x 2 features, label 'target')"
    with pytest.raises(AttributeError, match="cannot assign"):
        dataset.name = "other"


@needs_shared
def test_folder_comes_first_but_need_not_have_everything(folder):
    (folder / "spiral.csv").write_bytes((SHARED / "spiral.csv").read_bytes())
    assert datasets.load("spiral").source == f"folder {folder}"
    assert datasets.load("iris_setosa").source == "scikit-learn"


@needs_shared
def test_folder_in_the_home_directory(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.setenv("ORDERLESS_DATA", "~/orderless-data")
    (tmp_path / "orderless-data").mkdir()
    (tmp_path / "orderless-data/spiral.csv").write_bytes((SHARED / "spiral.csv").read_bytes())
    assert datasets.load("spiral").source == f"folder {tmp_path / 'orderless-data'}"


def test_empty_variable_is_no_folder(monkeypatch):
    monkeypatch.setenv("ORDERLESS_DATA", "")
    assert datasets.load("spiral").source == "generated"


@needs_shared
def test_line_ends_do_not_matter(folder):
    content = (SHARED / "compas_complete.csv").read_bytes()
    assert b"\r\n" in content
    (folder / "compas_complete.csv").write_bytes(content.replace(b"\r\n", b"\n"))
    assert_published(datasets.load("compas"), "compas")


@needs_shared
def test_partial_file_is_refused(folder):
    content = (SHARED / "compas_complete.csv").read_bytes()
    (folder / "compas_complete.csv").write_bytes(content[: len(content) // 2])
    with pytest.raises(InvalidData, match=r"it has \d+ rows x 7 features.*expected 6907 rows"):
        datasets.load("compas")


@needs_shared
def test_file_of_another_data_set_is_refused(folder):
    (folder / "fico_complete.csv").write_bytes((SHARED / "fico_full.csv").read_bytes())
    with pytest.raises(InvalidData, match="not the data set 'fico': it has 10459 rows x 23"):
        datasets.load("fico")


@needs_shared
def test_changed_cell_is_refused(folder):
    content = (SHARED / "spiral.csv").read_bytes()
    (folder / "spiral.csv").write_bytes(content.replace(b"0.481,", b"0.482,", 1))
    with pytest.raises(InvalidData, match=r"other content: its sha256 is .* Replace .* or remove"):
        datasets.load("spiral")


@needs_shared
def test_renamed_label_is_refused(folder):
    content = (SHARED / "spiral.csv").read_bytes()
    (folder / "spiral.csv").write_bytes(content.replace(b"target", b"label"))
    with pytest.raises(InvalidData, match=r"with label 'label'; expected .* with label 'target'"):
        datasets.load("spiral")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe\x00\x01", b'a,b\n1,2\n1,2,3,4\n"'])
def test_unreadable_file_is_refused(folder, content):
    for name in ("compas", "netherlands"):
        (folder / CATALOG[name].file).write_bytes(content)
        with pytest.raises(InvalidData, match=r"cannot be read as CSV \(.*\)\. Replace"):
            datasets.load(name)


def test_page_saved_in_place_of_the_file_is_refused(folder):
    (folder / "compas_complete.csv").write_bytes(b"404: Not Found")
    with pytest.raises(InvalidData, match="it has 0 rows x 0 features"):
        datasets.load("compas")


@pytest.mark.parametrize("name", ["netherlands", "higgs"])
def test_file_without_a_checksum_is_read_from_the_folder(monkeypatch, folder, name):
    frame = small_entry(monkeypatch, name, 20)
    frame.to_csv(folder / f"{name}.csv", index=False)
    dataset = datasets.load(name)
    assert dataset.source == f"folder {folder}"
    pd.testing.assert_frame_equal(dataset.frame, frame)


def test_file_without_a_checksum_has_its_shape_checked(monkeypatch, folder):
    frame = small_entry(monkeypatch, "netherlands", 20)
    frame[:19].to_csv(folder / "netherlands.csv", index=False)
    with pytest.raises(InvalidData, match=r"it has 19 rows x 9 features.*expected 20 rows"):
        datasets.load("netherlands")


def test_label_has_to_be_the_last_column(monkeypatch, folder):
    frame = small_entry(monkeypatch, "higgs", 20)
    frame[["label", *frame.columns[:-1]]].to_csv(folder / "higgs.csv", index=False)
    with pytest.raises(InvalidData, match=r"the last column of .*, 'f27', has 20 different values"):
        datasets.load("higgs")


@pytest.mark.parametrize(
    ("wrong", "closest"),
    [
        ("Compas", "compas"),
        ("tic-tac-toe", "tic_tac_toe"),
        ("wine", "wine_quality"),
        ("fico_complete.csv", "fico"),
        ("broward_general_2y", "broward"),
        ("iris setosa", "iris_setosa"),
    ],
)
def test_unknown_name_shows_the_closest_and_all(wrong, closest):
    with pytest.raises(InvalidData, match=f"did you mean '{closest}'") as caught:
        datasets.load(wrong)
    assert "it must be one of " + ", ".join(datasets.names()) in str(caught.value)


@pytest.mark.parametrize("wrong", [None, 3, ["compas"], ""])
def test_what_is_no_name_is_an_error_too(wrong):
    with pytest.raises(InvalidData, match="it must be one of"):
        datasets.load(wrong)


def test_describe_without_a_folder(no_network):
    table = datasets.describe().set_index("name")
    assert tuple(table.index) == datasets.names()
    assert list(table) == ["rows", "features", "positive_share", "label", "source", "note"]
    assert table.loc["compas", "positive_share"] == pytest.approx(3196 / 6907)
    assert table.index[table["positive_share"].isna()].tolist() == ["netherlands", "higgs"]
    assert table.index[table["label"].isna()].tolist() == ["netherlands", "higgs"]
    assert table["source"].to_dict() == {
        **dict.fromkeys(DOWNLOADED, "download"),
        **{name: CATALOG[name].origin for name in BUILT_IN},
        "higgs": "download",
        "netherlands": "none",
    }


def test_describe_sees_the_folder(folder):
    for file in ("netherlands.csv", "spiral.csv"):
        (folder / file).touch()
    source = datasets.describe().set_index("name")["source"]
    assert source[source == f"folder {folder}"].index.tolist() == ["spiral", "netherlands"]


def test_import_is_light():
    script = (
        "import sys, orderless; before = set(sys.modules); import orderless.datasets as d; "
        "d.names(); heavy = {'pandas', 'sklearn', 'pooch'} & (set(sys.modules) - before); "
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", script], check=True, env=os.environ, timeout=300)
