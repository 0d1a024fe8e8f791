"""Examples of the documentation that read the paper's data; they stand behind ``<!-- data -->``."""

import pytest

from tests.house.test_docs import DATA, PAGES, run_examples

WITH_DATA = [page for page in PAGES if DATA in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", WITH_DATA, ids=lambda page: page.stem)
def test_examples_on_data(page, shared, monkeypatch, tmp_path):
    monkeypatch.setenv("ORDERLESS_DATA", str(shared / "data"))
    monkeypatch.chdir(tmp_path)
    said = run_examples(page, data=True)
    assert not said, said
