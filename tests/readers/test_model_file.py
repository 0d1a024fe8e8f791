"""Files of models: by path, as text; not there, not files, without end."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, InvalidTree

NESTED = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
RULES = "x,out\n<= 5,a\n> 5,b\n"
SCORE = {"items": [{"feature": "age", "above": 65, "points": 2}]}
READ = [ol.read, ol.read, ol.Ensemble.from_points, ol.rules.read]


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_that_is_not_there(read, kind, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file '.*nowhere.json': correct"):
        read(kind(tmp_path / "nowhere.json"))
    with pytest.raises(InvalidData, match="is a folder: give the name of a file in it"):
        read(kind(tmp_path))


@pytest.mark.parametrize("name", ["tree.json", "model", "a b.txt", "age <= 5", "größe"])
def test_a_string_that_is_no_model_is_a_path(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for read in READ:
        with pytest.raises(FileNotFoundError, match=f"'{name}'"):
            read(name)
    Path(name).write_text(json.dumps(NESTED))
    assert ol.read(name).predict([[1], [0]]).tolist() == [1, 0]
    assert ol.read(name) == ol.read(json.dumps(NESTED))
    assert [tree.n_leaves for tree in ol.read_many([name, Path(name)])] == [2, 2]
    Path(name).write_text(RULES)
    assert ol.rules.read(name) == ol.rules.read(RULES)
    Path(name).write_text(json.dumps(SCORE))
    assert ol.Ensemble.from_points(name).predict([{"age": 66}]).tolist() == [2.0]


def test_other_formats_by_the_name_of_their_file(tmp_path):
    tree = ol.read(NESTED, feature_names=["a"])
    for name, text in (("own.json", tree.to_json()), ("tree.pmml", tree.to_pmml())):
        (tmp_path / name).write_text(text)
        assert ol.read(str(tmp_path / name)) == ol.read(text)
    assert ol.prove(tree).same_as(str(tmp_path / "own.json"))


def test_what_a_file_holds_is_no_path(tmp_path):
    (tmp_path / "tree.json").write_text(json.dumps(NESTED))
    (tmp_path / "other").write_text(str(tmp_path / "tree.json"))
    for read in (ol.read, ol.read):
        with pytest.raises(InvalidTree, match="'other' holds no model"):
            read(str(tmp_path / "other"))


@pytest.mark.parametrize(
    "text", ["", " ", "3", "null", '"word"', "[1, 2]", "{", "a\nb", "x" * 5000]
)
def test_text_that_is_no_path_is_read_as_json(text):
    with pytest.raises(InvalidTree, match="JSON"):
        ol.read(text)


@pytest.mark.parametrize("read", READ)
@pytest.mark.parametrize("kind", [str, Path])
def test_a_path_with_a_nul(read, kind):
    with pytest.raises(InvalidData, match="name of a file"):
        read(kind("tree\0.json"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("read", READ)
def test_what_is_no_file_is_not_opened(read, tmp_path):
    """A pipe that nobody writes to would wait for ever, /dev/zero has no end."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "zero").symlink_to("/dev/zero")
    for name in ("pipe", "zero"):
        with pytest.raises(InvalidData, match="a pipe"):
            read(tmp_path / name)


def test_a_file_without_end(tmp_path):
    path = tmp_path / "hole.json"
    with path.open("wb") as handle:
        handle.write(b"{")
        handle.truncate(2**40)  # it takes no room
    for read in (*READ, ol.check_certificate):
        with pytest.raises(InvalidData, match=r"1,099,511,627,776 bytes"):
            read(path)


def test_numbers_of_threads_and_bytes_beyond_what_a_machine_has():
    X = np.array([[0, 1], [1, 0], [1, 1], [0, 0]])
    few = ol.RashomonSet(1, 0.1, 0.3).fit(X, [0, 1, 1, 0]).trees_
    many = ol.RashomonSet(1, 0.1, 0.3, memory_limit=2**70, n_jobs=2**70).fit(X, [0, 1, 1, 0]).trees_
    assert many.n_trees == few.n_trees
    endless = ol.RashomonSet(1, 0.1, 0.3, memory_limit=float("inf")).fit(X, [0, 1, 1, 0]).trees_
    assert endless.n_trees == few.n_trees
    for view in (
        few.where(member.leaves <= 2**70),
        few.where(member.n_features <= 2**70),
        few.where(member.leaves <= 2**31),
    ):
        assert view.n_trees == few.n_trees
    assert few.where(member.min_leaf >= 2**70).n_trees == 0
