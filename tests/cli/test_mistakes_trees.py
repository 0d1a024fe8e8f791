"""Trees that cannot be read, and names that mean something elsewhere: never executed."""

import json

import pytest
from commands import PATIENTS, fine, mistake
from showcase import HOSTILE, hostile, mixed

import orderless as ol
from tests.cli.test_mistakes import put


def cyclic():
    content = json.loads(mixed().tree.to_json())
    inner = [i for i, f in enumerate(content["feature"]) if f >= 0]
    content["when_true"][inner[-1]] = inner[0]
    return json.dumps(content)


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (cyclic(), "bad.json: node 0 has two parents, or is its own"),
        ("", "bad.json is empty"),
        ("{", "bad.json: this is not complete JSON"),
        ("[1]", "neither JSON nor a skops file"),
        (PATIENTS, "orderless fit makes one of a table"),
        ('{"format": "orderless-tree", "version": 9}', "has version 9"),
        (
            '{"format": "orderless-form", "version": 1}',
            "reads versions 2 and 3",
        ),
        (b'{"format": "orderless-form", "x": "\xff"}', "not UTF-8 text"),
        (b'{"prediction": "\xff"}', "not UTF-8 text"),
        ('{"feature": 0, "true": {"prediction": 1}}', "bad.json: "),
        ("[" * 100_000, "neither JSON"),
        ('{"true":' * 100_000, "bad.json: "),
        (b"PK\x03\x04 no zip file", "is not a complete skops file"),
        (b"\x80\x04K\x01.", "is a pickle"),
    ],
)
def test_trees_that_cannot_be_read(folder, text, match):
    assert match in mistake("explain", put(folder, text, "bad.json"))


def test_a_folder_or_nothing_is_no_tree(folder):
    assert "is a folder" in mistake("explain", folder)
    assert "there is no file 'nothing.json'" in mistake("explain", "nothing.json")


class Harmful:
    def __reduce__(self):
        return (open, ("executed.txt", "w"))


def test_pickle_is_opened_only_on_request(folder):
    import joblib
    from sklearn.tree import DecisionTreeClassifier

    fitted = DecisionTreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    joblib.dump(fitted, "model.joblib")
    joblib.dump(fitted, "packed.joblib", compress=3)
    joblib.dump(Harmful(), "harm.pkl")
    for name in ("model.joblib", "packed.joblib", "harm.pkl"):
        said = mistake("explain", name)
        assert "runs whatever code its author put into it" in said
        assert "--allow-pickle" in said
    assert not (folder / "executed.txt").exists()
    assert "THEN b" in fine("explain", "model.joblib", "--allow-pickle")
    assert "THEN b" in fine("explain", "packed.joblib", "--allow-pickle")
    joblib.dump([1, 2], "list.pkl")
    assert "cannot read a list" in mistake("explain", "list.pkl", "--allow-pickle")
    put(folder, b"\x80\x04garbage", "broken.pkl")
    assert "cannot be opened" in mistake("explain", "broken.pkl", "--allow-pickle")


def test_skops_holds_trees_only(folder):
    import skops.io
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
    from sklearn.tree import DecisionTreeClassifier

    fitted = DecisionTreeClassifier().fit([[0.0], [1.0]], ["a", "b"])
    skops.io.dump(fitted, "model.skops")
    assert fine("explain", "model.skops") == ol.canonicalize(fitted).to_text() + "\n"
    X = [[0.0], [1.0], [2.0], [3.0]]
    binned = make_pipeline(ol.Binarizer((0.33, 0.66)), DecisionTreeClassifier()).fit(
        X, list("aabb")
    )
    skops.io.dump(binned, "binned.skops")
    assert fine("explain", "binned.skops") == ol.canonicalize(binned).to_text() + "\n"
    skops.io.dump(LogisticRegression().fit([[0.0], [1.0]], [0, 1]), "line.skops")
    assert "line.skops: cannot read a LogisticRegression" in mistake("explain", "line.skops")
    strange = make_pipeline(FunctionTransformer(json.dumps), DecisionTreeClassifier())
    skops.io.dump(strange, "strange.skops")
    said = mistake("explain", "strange.skops")
    assert "json.dumps" in said
    assert "is not loaded" in said


# -- names ---------------------------------------------------------------------------------------


NAMES = ("<script>alert(1)</script>", "'; DROP TABLE patients; --", '"quoted", and | more',
         "größe µ", "line\nbreak", "\x1b[31mred", " spaces ")  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names_are_data(folder, name):
    """They are legal, shown as text, and never change what a file means."""
    quoted = '"' + name.replace('"', '""') + '"'
    text = f"{quoted},diagnosis\n" + "".join(f"{i},{quoted if i < 5 else 'ok'}\n" for i in range(9))
    path = put(folder, text)
    args = (path, "--target", "diagnosis")
    fine("fit", *args, "-o", "own.json")
    tree = ol.Tree.from_json((folder / "own.json").read_text(encoding="utf-8"))
    assert tree.features == (name,)
    assert tree.classes == tuple(sorted([name, "ok"]))
    for form in ("text", "md"):
        said = fine("explain", "own.json", "--data", *args, "-f", form)
        assert "\x1b" not in fine("fit", *args, "-f", form)
        assert "<script>" not in said or form == "text"
        assert "\x1b" not in said
    html = fine("export", "own.json", "-f", "html")
    assert "<script>" not in html
    lines = fine("predict", "own.json", path, "-f", "json").splitlines()
    assert [json.loads(line)["prediction"] for line in lines] == [name] * 5 + ["ok"] * 4
    said = mistake("fit", path, "--target", name + "x")
    assert "Correct --target" in said
    assert "\x1b" not in said


def test_hostile_names_everywhere(folder):
    put(folder, hostile().tree.to_json(), "hostile.json")
    assert fine("explain", "hostile.json") == hostile().to_text() + "\n"
    assert fine("explain", "hostile.json", "--row", f"{HOSTILE[0]}=1")
    assert fine("compare", "hostile.json", "hostile.json")
    for form in ("text", "md"):
        said = fine("explain", "hostile.json", "--row", f"{HOSTILE[0]}=1", "-f", form)
        assert "\x1b" not in said


def test_data_sets_with_strange_names():
    assert "there is no data set" in mistake("data", "--example", "<script>")
    assert "there is no data set" in mistake("data", "--example", "'; DROP TABLE x")
