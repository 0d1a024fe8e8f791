"""``orderless export``: folders; what it writes is in test_app.py."""

import pytest
from commands import mistake


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_folder_of_spark_is_a_model(folder):
    (folder / "saved" / "metadata").mkdir(parents=True)
    assert "saved" in mistake("export", "saved")
    (folder / "other").mkdir()
    assert "is a folder" in mistake("export", "other")
