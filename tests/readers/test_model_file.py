"""Files of models that are not there."""

from pathlib import Path

import pytest

import orderless as ol
from orderless.errors import InvalidData


@pytest.mark.parametrize("read", [ol.read, ol.read, ol.Ensemble.from_points])
def test_a_file_that_is_not_there(read, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file '.*nowhere.json': correct"):
        read(tmp_path / "nowhere.json")
    with pytest.raises(InvalidData, match="is a folder: give the name of a file in it"):
        read(Path(tmp_path))
