"""Where data sets are looked for: nowhere, in a folder, not in the network."""

import pytest


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch):
    monkeypatch.delenv("ORDERLESS_DATA", raising=False)


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv("ORDERLESS_DATA", str(tmp_path))
    return tmp_path


@pytest.fixture
def no_network(monkeypatch):
    def fail(*args, **options):
        raise OSError("no route to host")

    monkeypatch.setattr("pooch.retrieve", fail)
    monkeypatch.setattr("sklearn.datasets.fetch_openml", fail)
