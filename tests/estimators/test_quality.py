"""How often a tree is right: counted by hand on tiny cases, and as scikit-learn counts."""

import numpy as np
import pandas as pd
import pytest
from showcase import ask, leaf, mixed
from sklearn.metrics import accuracy_score, confusion_matrix, recall_score

import orderless as ol
from orderless.errors import InvalidData
from orderless.estimators import judge
from orderless.estimators.quality import Quality, pooled
from orderless.output.pages.quality import Judged, percent, quality_as_markdown, quality_as_text


def two() -> ol.Tree:
    tree = ask("x", "<=", 0, leaf("well"), ask("z", "<=", 0, leaf("ill"), leaf("well")))
    return ol.read(tree, space=ol.Space({"x": "integer", "z": "integer"}))


def test_by_hand():
    #      well     ill      well     open      open       well (z does not matter)
    rows = [[0, 0], [1, 0], [1, 1], [1, None], [None, 0], [0, None]]
    found = judge(two(), rows, ["well", "ill", "ill", "ill", "well", "well"])
    assert found.classes == ("ill", "well")
    assert found.counts == ((1, 1), (0, 2))
    assert found.undetermined == (1, 1)
    assert (found.n_rows, found.n_right, found.n_undetermined) == (6, 3, 2)
    assert found.accuracy == 0.5
    assert (found.majority, found.majority_share) == ("ill", 0.5)
    assert found.sensitivity == {"ill": 1 / 3, "well": 2 / 3}
    assert found.specificity == {"ill": 2 / 3, "well": 1 / 3}


def test_labels_that_the_tree_does_not_have_and_rows_without_one():
    found = judge(two(), [[0, 0], [1, 0], [0, 0], [0, 0]], ["well", "dead", None, np.nan])
    assert found.classes == ("ill", "well", "dead")
    assert found.counts == ((0, 0, 0), (0, 1, 0), (1, 0, 0))
    assert found.n_unlabelled == 2
    assert found.n_rows == 2
    assert found.sensitivity == {"ill": None, "well": 1.0, "dead": 0.0}
    assert found.specificity == {"ill": 0.5, "well": 1.0, "dead": 1.0}


def test_no_rows():
    found = judge(two(), [], [])
    assert found.n_rows == 0
    assert found.accuracy is None
    assert found.majority is None
    assert found.majority_share is None
    assert found.to_dict()["accuracy"] is None
    assert "none has a class" in quality_as_text([Judged("test rows", found)])


def test_as_many_labels_as_rows():
    with pytest.raises(InvalidData, match="X has 2 rows and y has 3 labels"):
        judge(two(), [[0, 0], [1, 0]], ["well"] * 3)


@pytest.mark.parametrize("gaps", [0.0, 0.3])
def test_as_scikit_learn_counts(gaps):
    """A row that is not determined is, for scikit-learn, one with a class of its own."""
    rng = np.random.default_rng(1)
    n = 400
    X = pd.DataFrame(
        {
            "age": rng.integers(0, 90, n).astype(float),
            "lab value": rng.random(n) * 4,
            "smoker": rng.integers(0, 2, n).astype(float),
            "color": rng.choice(["red", "green", "pink"], n),
        }
    )
    X = X.mask(rng.random(X.shape) < gaps)
    y = rng.choice(["low", "middle", "high"], n, p=[0.2, 0.3, 0.5])
    form = mixed()
    said = form.predict(X).fillna("open").to_numpy(dtype=object)
    found = judge(form, X, y)
    labels = list(found.classes)
    table = confusion_matrix(y, said, labels=[*labels, "open"])[:-1]
    assert (found.confusion == table[:, :-1]).all()
    assert list(found.undetermined) == table[:, -1].tolist()
    assert (found.n_undetermined > 0) == (gaps > 0)
    assert found.accuracy == accuracy_score(y, said)
    recall = recall_score(y, said, labels=labels, average=None)
    assert list(found.sensitivity.values()) == recall.tolist()
    for label in labels:  # against all others: the recall of "not this class", open is not right
        truth = np.where(y == label, 1, 0)
        answer = np.where(said == "open", -1, np.where(said == label, 1, 0))
        other = recall_score(truth, answer, labels=[0], average=None)[0]
        assert found.specificity[label] == pytest.approx(other, abs=0)
    if not gaps:
        assert judge(form, X.to_dict("records"), pd.Series(y)) == found


def test_folds_add_up():
    rng = np.random.default_rng(2)
    X, y = rng.integers(0, 2, (60, 2)), rng.choice(["ill", "well"], 60)
    parts = [judge(two(), X[i::3], y[i::3]) for i in range(3)]
    assert pooled(parts) == judge(two(), X, y)


def test_written():
    found = Quality(("a|b", "c"), ((9_999, 1), (0, 2)), (0, 1), 3)
    text = quality_as_text([Judged("test rows", found, "A note.", (0.5, 1.0))])
    assert "10,001 of 10,003 are right (>99.9%); always saying a|b would be right for" in text
    assert "1 is not determined, and not counted as right." in " ".join(text.split())
    assert "3 more without a class are left out." in " ".join(text.split())
    assert "By fold 50.0% to 100.0%. A note." in " ".join(text.split())
    assert "not determined" in text.splitlines()[-3]
    assert max(map(len, text.splitlines())) <= 100
    shown = quality_as_markdown([Judged("rows of <x>", found)])
    assert "a\\|b" in shown
    assert "<x>" not in shown
    many = Quality(tuple(range(13)), ((1,) * 13,) * 13, (0,) * 13)
    assert "predicted" not in quality_as_text([Judged("rows", many)])
    assert percent(0, 5) == "0.0%"
