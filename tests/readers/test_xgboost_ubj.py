"""XGBoost's binary files: the same as its JSON."""

import json

import numpy as np
import pandas as pd
import pytest

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel
from orderless.readers.xgboost import as_json, knows_ubj

xgboost = pytest.importorskip("xgboost", reason="XGBoost comes with the extra orderless[sources]")


def model(n_estimators=3, **options):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age at 'start'": rng.normal(40, 10, 300),
            "colour": pd.Categorical(rng.choice(list("rgbk"), 300)),
        }
    )
    y = frame["colour"].isin(["r", "k"]) ^ (frame["age at 'start'"] > 45)
    options = {"max_depth": 3, "n_jobs": 1, "enable_categorical": True, **options}
    return xgboost.XGBClassifier(n_estimators=n_estimators, **options).fit(frame, y), frame


@pytest.mark.parametrize("booster", ["gbtree", "dart"])
def test_the_same_as_json(booster, tmp_path):
    fitted, _ = model(booster=booster)
    for name in ("model.ubj", "model.json"):
        fitted.save_model(tmp_path / name)
    binary = (tmp_path / "model.ubj").read_bytes()
    assert knows_ubj(binary)
    text = (tmp_path / "model.json").read_text(encoding="utf-8")
    ours, theirs = json.loads(as_json(binary)), json.loads(text)
    assert ours.keys() == theirs.keys()
    trees = [
        one["learner"]["gradient_booster"].get("gbtree", one["learner"]["gradient_booster"])
        for one in (ours, theirs)
    ]
    for own, other in zip(*(one["model"]["trees"] for one in trees), strict=True):
        for key, value in other.items():
            if isinstance(value, list):
                same = np.array(own[key], dtype=np.float32) == np.array(value, dtype=np.float32)
                assert same.all()
            else:
                assert own[key] == value
    read = [ol.read(tmp_path / name) for name in ("model.ubj", "model.json")]
    assert read[0] == read[1]


def test_one_tree(tmp_path):
    fitted, frame = model(n_estimators=1)
    fitted.save_model(tmp_path / "model.ubj")
    tree = ol.read(tmp_path / "model.ubj")
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(int), fitted.predict(frame))


def test_every_cut_and_many_changes_are_refused_or_read(tmp_path):
    fitted, _ = model(n_estimators=1, max_depth=2)
    content = bytes(fitted.get_booster().save_raw("ubj"))
    path = tmp_path / "model.ubj"
    rng = np.random.default_rng(0)
    read = 0
    for number in range(600):
        changed = bytearray(content)
        at = int(rng.integers(len(content)))
        if number % 3:
            changed[at] = int(rng.integers(256))
        else:
            del changed[at:]
        path.write_bytes(changed)
        try:
            ol.read(path)
            read += 1
        except (UnreadableModel, InvalidTree):
            pass
    assert 50 < read < 550


@pytest.mark.parametrize(
    "content",
    [
        b"{L" + (2**62).to_bytes(8, "big") + b"learner",
        b"{L" + (7).to_bytes(8, "big") + b"learner[$d#L" + (2**62).to_bytes(8, "big"),
        b"{L" + (7).to_bytes(8, "big") + b"learner[$Z#L" + (2**40).to_bytes(8, "big"),
        b"{L" + (7).to_bytes(8, "big") + b"learner[#L" + (2**40).to_bytes(8, "big") + b"ZZ",
        b"{L" + (7).to_bytes(8, "big") + b"learner" + b"[" * 100_000,
        b"{L" + (7).to_bytes(8, "big") + b"learnerSi\xff",
    ],
)
def test_counts_are_not_believed(content, tmp_path):
    path = tmp_path / "model.ubj"
    path.write_bytes(content)
    with pytest.raises(UnreadableModel, match="this XGBoost model is damaged"):
        ol.read(path)
