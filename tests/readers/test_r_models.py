"""Trees and forests of R: on thousands of rows, what R itself predicts.

``r_cases.R`` fits the models and writes R's own answers; ``make test-engines`` installs R.
"""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel
from orderless.readers import r_script
from tests.slow_sums import read_sum

HERE = Path(__file__).parent
TREES = ("rpart-class", "rpart-stops", "rpart-prior", "rpart-number", "rpart-unseen",
         "rpart-poisson", "rpart-constant", "partykit-class", "partykit-number", "partykit-rpart",
         "ranger-one")  # fmt: skip
FORESTS = ("ranger-votes", "ranger-number", "ranger-shares", "ranger-one", "rpart-number")
STUMP = {
    "format": "orderless-r", "version": 1, "library": "rpart", "library_version": "4.1",
    "task": "classification",
    "features": [{"name": "x", "kind": "numeric"},
                 {"name": "f", "kind": "factor", "levels": ["a", "ä b", "c"]},
                 {"name": "l", "kind": "logical"}],
    "classes": ["no", "yes"],
    "trees": [[{"feature": 0, "relation": "<", "value": 2.5, "yes": 1, "no": 2},
               {"class": 0, "shares": [0.75, 0.25]},
               {"feature": 1, "relation": "in", "levels": [0, 2], "yes": 3, "no": 4},
               {"class": 1, "shares": [0, 1]}, {"class": 0, "shares": [1, 0]}]],
    "end": True,
}  # fmt: skip


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    rscript = shutil.which("Rscript")
    assert rscript, "R is not installed: run make test-engines, or apt-get install r-base-core"
    folder = tmp_path_factory.mktemp("r")
    command = [rscript, "--vanilla", str(HERE / "r_cases.R"), str(r_script()), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def rows_and_answers(folder, name):
    table = pd.read_csv(folder / f"{name}.csv", dtype=str, keep_default_na=False)
    rows = pd.DataFrame({c: table[c].map(float) for c in ("x", "y y", "i")})
    rows = rows.assign(f=table["f"], o=table["o"], l=table["l"] == "TRUE")
    return rows, table[[c for c in table if c not in rows]]


@pytest.mark.engine
@pytest.mark.parametrize("name", TREES)
def test_a_tree_predicts_what_r_predicts(cases, name):
    tree = ol.read(cases / f"{name}.json")
    rows, said = rows_and_answers(cases, name)
    found = tree.predict(rows)
    if tree.task == "regression":
        assert found.tolist() == said["predicted"].map(float).tolist()
    else:
        assert found.tolist() == said["predicted"].tolist()
        assert (tree.distribution is None) == (name == "ranger-one")
    assert len(rows) > 3600


@pytest.mark.engine
@pytest.mark.parametrize("name", FORESTS)
def test_a_forest_predicts_what_r_predicts(cases, name):
    forest = read_sum(cases / f"{name}.json")
    rows, said = rows_and_answers(cases, name)
    if name == "ranger-shares":
        found = forest.predict_proba(rows)
        assert forest.classes == tuple(said) == ("p", "q", "r")
        assert np.array_equal(np.asarray(found), said.map(float).to_numpy())
        return
    decided = forest.status(rows)
    if forest.task == "regression":
        assert forest.predict(rows).tolist() == said["predicted"].map(float).tolist()
        return
    sums = forest.sums(rows)
    top = np.sort(np.asarray(sums), axis=1)
    ties = top[:, -1] == top[:, -2]
    # Equal votes are drawn by lot in R, and called undecided here; nothing else is.
    assert (np.asarray(decided) == "undecided").tolist() == ties.tolist()
    found = forest.predict(rows).tolist()
    pairs = zip(found, said["predicted"], ties, strict=True)
    assert all(mine == theirs for mine, theirs, tie in pairs if not tie)
    assert ties.any() == (name == "ranger-votes")


@pytest.mark.engine
def test_what_the_script_refuses(cases):
    said = (cases / "refused.txt").read_text(encoding="utf-8").splitlines()
    for message, expected in zip(
        said,
        ["cannot write a lm: known are", "the formula computes log(`y y`)", "has no forest",
         "leaves must be constant", "give the training data", "method exp is not read",
         "read by way of partykit"],
        strict=True,
    ):  # fmt: skip
        assert expected in message


@pytest.mark.engine
def test_missing_values_are_unknown(cases):
    """What is certain with a gap is what the complete row gets; surrogates are not asked."""
    tree = ol.read(cases / "rpart-class.json")
    rows, _ = rows_and_answers(cases, "rpart-class")
    with_gaps = rows.assign(x=np.where(np.arange(len(rows)) % 2 == 0, np.nan, rows["x"]))
    certain = tree.predict(with_gaps)
    full = tree.predict(rows)
    known = certain.notna().to_numpy()
    assert 0 < known.sum() < len(rows)
    assert certain[known].tolist() == full[known].tolist()


# -- files, without R ------------------------------------------------------------------------------


def test_a_file_is_read(tmp_path):
    path = tmp_path / "m.json"
    path.write_text(json.dumps(STUMP), encoding="utf-8")
    tree = ol.read(path)
    assert [f.kind for f in tree.space.features] == ["numeric", "categorical", "boolean"]
    assert not tree.space["f"].other
    rows = [{"x": np.nextafter(2.5, 0)}, {"x": 2.5, "f": "c"}, {"x": 3, "f": "ä b"}, {"f": "a"}]
    assert tree.predict(rows).tolist() == ["no", "yes", "no", None]
    assert tree.kernel.shares[1].tolist() == [0.75, 0.25]
    assert ol.read(path).predict(rows[:2]).tolist() == ["no", "yes"]
    space = ol.Space({"x": "integer", "f": ["a", "ä b", "c"], "l": "boolean"})
    assert ol.read(path, space=space).space == space


def changed(**changes):
    return json.dumps({**STUMP, **changes})


def with_node(at, **changes):
    nodes = [dict(node) for node in STUMP["trees"][0]]
    nodes[at].update(changes)
    return changed(trees=[nodes])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (changed(version=2), "has version 2 and this orderless reads version 1"),
        (changed(library="gbm"), "the model is of R's 'gbm'"),
        (changed(end=None), "the end of it is missing"),
        (changed(trees=[]), "it has no trees"),
        (changed(trees=[[]]), "it has no trees"),
        (changed(task="survival"), "the task is 'survival'"),
        (changed(classes=None), "the task is 'classification' with the classes None"),
        (changed(features=[{"name": "x", "kind": "date"}]), "a feature is"),
        (changed(features=[{"name": "x", "kind": "factor", "levels": [1]}]), "levels of 'x'"),
        (changed(votes=1), "must be true or false"),
        (with_node(0, feature=7), "has the feature 7"),
        (with_node(0, value="x"), "a split is"),
        (with_node(0, value=None), "a split is"),
        (with_node(0, relation="in", levels=[0]), "a split is"),
        (with_node(0, yes=0), "the child 0"),
        (with_node(0, yes=1.5), "not a whole number"),
        (with_node(0, yes=99), "the child 99"),
        (with_node(2, levels=[5]), "has the levels"),
        (with_node(1, **{"class": 9}), "has the class 9"),
        (with_node(1, shares=[0.5]), "has the shares"),
        (json.dumps(STUMP)[:-40], "JSON"),
    ],
)
def test_damaged_files_are_refused(text, message):
    with pytest.raises((UnreadableModel, InvalidTree), match=message):
        ol.read(text)


def test_forests_from_files():
    with pytest.raises(UnreadableModel, match="this model adds up 2 trees"):
        ol.read_many([changed(trees=STUMP["trees"] * 2)])
    votes = changed(trees=STUMP["trees"] * 2, forest=True, votes=True, library="ranger")
    assert ol.read(votes).predict([{"x": 1}]).tolist() == ["no"]
    bad = json.loads(votes)
    bad["trees"][0][1]["class"] = 1
    tie = ol.read(json.dumps(bad))
    assert tie.status([{"x": 1}]).tolist() == ["undecided"]
    with pytest.raises(InvalidTree, match="not the first class of the largest share"):
        read_sum(with_node(1, **{"class": 1}))
    with pytest.raises(UnreadableModel, match="has the shares"):
        read_sum(with_node(1, shares=[1.0, 0.0, 0.0]))
    with pytest.raises(UnreadableModel, match="damaged"):
        read_sum(with_node(1, shares=None))
