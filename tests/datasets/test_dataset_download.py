"""Data sets from the network: checked, kept, and what is said where there is none."""

import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pandas as pd
import pytest

from orderless import datasets
from orderless.datasets.catalog import CATALOG, Entry
from orderless.errors import DataNotFound, InvalidData
from tests.datasets.test_dataset import (
    DOWNLOADED,
    SHARED,
    assert_published,
    needs_shared,
    small_entry,
)


@pytest.mark.parametrize("name", DOWNLOADED)
def test_no_network_says_what_to_put_where(no_network, name):
    with pytest.raises(DataNotFound) as caught:
        datasets.load(name)
    message, file = str(caught.value), CATALOG[name].file
    assert "ORDERLESS_DATA is not set" in message
    assert f"/main/data/{file} could not be downloaded (OSError: no route to host)" in message
    assert f"put the file {file} (data/{file} of https://github.com/" in message
    assert "set the environment variable ORDERLESS_DATA=~/orderless-data" in message
    assert isinstance(caught.value, FileNotFoundError)


def test_no_network_with_a_folder_names_that_folder(no_network, folder):
    with pytest.raises(DataNotFound) as caught:
        datasets.load("coupon")
    assert f"{str(folder)!r}, which has no coupon_full.csv" in str(caught.value)
    assert str(caught.value).endswith(f"into the folder {folder}")


def test_folder_that_does_not_exist_is_said(no_network, monkeypatch, tmp_path):
    monkeypatch.setenv("ORDERLESS_DATA", str(tmp_path / "gone"))
    with pytest.raises(DataNotFound, match="which is not a folder"):
        datasets.load("coupon")


@pytest.fixture
def server(monkeypatch, tmp_path):
    """Serve a folder over HTTP in place of the authors' repository, with an empty cache."""
    served = tmp_path / "served"
    served.mkdir()

    class Quiet(SimpleHTTPRequestHandler):
        requests = 0

        def log_message(self, *args):
            Quiet.requests += 1

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=served)) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{http.server_port}/"
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setattr("pooch.os_cache", lambda project: tmp_path / "cache" / project)
        monkeypatch.setattr(Entry, "address", property(lambda entry: address + entry.file))
        yield served, Quiet
        http.shutdown()
        thread.join()


@needs_shared
@pytest.mark.parametrize("line_end", [b"\r\n", b"\n"])
def test_download_is_checked_and_kept(server, line_end):
    served, handler = server
    content = (SHARED / "wine_quality.csv").read_bytes().replace(b"\r\n", line_end)
    (served / "wine_quality.csv").write_bytes(content)
    for _ in range(2):
        dataset = datasets.load("wine_quality")
        assert dataset.source == "download"
        assert_published(dataset, "wine_quality")
    assert handler.requests == 1


def test_download_of_something_else_is_refused(server):
    served, _ = server
    (served / "wine_quality.csv").write_bytes(b"a,b\r\n1,2\r\n")
    with pytest.raises(DataNotFound, match=r"wine_quality.csv could not be downloaded .*hash"):
        datasets.load("wine_quality")


def test_download_that_is_not_there_is_said(server):
    with pytest.raises(DataNotFound, match="404"):
        datasets.load("broward")


def test_addresses_are_the_authors():
    assert CATALOG["tic_tac_toe"].address == (
        "https://raw.githubusercontent.com/HaydenMcT/predictive-equivalence/main/"
        "data/tic-tac-toe.csv"
    )


def test_netherlands_is_not_public():
    with pytest.raises(DataNotFound, match=r"not public.* put the file netherlands\.csv into"):
        datasets.load("netherlands")


@pytest.mark.parametrize("kind", ["category", "int64", "str"])
def test_higgs_from_openml(monkeypatch, kind):
    frame = small_entry(monkeypatch, "higgs", 20)
    y = frame["label"] if kind == "int64" else frame["label"].astype(str).astype(kind)

    def fetch(*, data_id, as_frame, return_X_y):
        assert (data_id, as_frame, return_X_y) == (42769, True, True)
        return frame.iloc[:, :-1], y

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    dataset = datasets.load("higgs")
    assert dataset.source == "download"
    pd.testing.assert_frame_equal(dataset.frame, frame)


@pytest.mark.parametrize("y", [None, pd.Series(["s", "b", "c"] * 7, name="label")])
def test_openml_of_another_shape_is_refused(monkeypatch, y):
    frame = small_entry(monkeypatch, "higgs", 21)
    answer = frame.iloc[:, :-1], y
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **options: answer)
    with pytest.raises(InvalidData, match="OpenML's data set 42769 is not the data set 'higgs'"):
        datasets.load("higgs")


def test_higgs_without_network(no_network):
    with pytest.raises(
        DataNotFound, match=r"42769 could not be fetched .* put the file higgs\.csv"
    ):
        datasets.load("higgs")
