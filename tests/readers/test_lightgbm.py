"""LightGBM's trees: ours predicts what theirs does, to the last float, and around zero."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
from neighbours import EDGES, at_thresholds

import orderless as ol
from orderless.errors import InvalidData, InvalidTree, UnreadableModel
from orderless.readers import builder, lightgbm as reader

lightgbm = pytest.importorskip(
    "lightgbm", reason="LightGBM comes with the extra orderless[sources]"
)

WAYS = {"learned": {}, "as zero": {"use_missing": False}, "zero too": {"zero_as_missing": True}}


def data(seed, missing=0.0, zeros=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 3))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] *= 10.0 ** rng.integers(-40, 4, 400)
    y = (X[:, 0] + X[:, 1] ** 2 + (X[:, 2] > 0) - 1.3 > 0.3 * rng.normal(size=400)).astype(int)
    X[rng.random(X.shape) < zeros] = 0.0
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def fitted(X, y, fit=None, **options):
    settings = {
        "n_estimators": 1,
        "num_leaves": 12,
        "min_child_samples": 5,
        "learning_rate": 1.0,
        "verbose": -1,
        "n_jobs": 1,
        **options,
    }
    return lightgbm.LGBMClassifier(**settings).fit(X, y, **(fit or {}))


def splits(booster):
    todo = [booster.dump_model()["tree_info"][0]["tree_structure"]]
    while todo:
        node = todo.pop()
        if "split_feature" in node:
            yield node
            todo += [node["left_child"], node["right_child"]]


def rows_at_cuts(model, X):
    cuts = [(node["split_feature"], node["threshold"]) for node in splits(model.booster_)]
    assert len(cuts) > 5
    assert len(set(model.predict(X))) == 2
    tiny = [(j, x) for j in range(3) for x in (0.0, reader.ZERO, -reader.ZERO, 1e-36, -1e-36)]
    return at_thresholds(X, cuts + tiny, random_state=0)


@pytest.mark.parametrize("labels", [[0, 1], [-1, 1], ["no", "yes"], [False, True]], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_predicts_the_same_at_every_threshold(seed, labels):
    X, y = data(seed, zeros=0.1)
    model = fitted(X, np.array(labels)[y])
    tree = ol.read(model)
    rows = rows_at_cuts(model, X)
    for table in (rows, rows.astype(np.float32)):
        np.testing.assert_array_equal(tree.predict(table), model.predict(table))
    infinite = np.array([[np.inf, 0, -np.inf], [-np.inf, np.inf, 0]])
    np.testing.assert_array_equal(tree.predict(infinite), model.predict(infinite))
    assert tree.space == ol.Space.numeric(["x0", "x1", "x2"])
    assert [type(label) for label in tree.classes] == [type(label) for label in labels]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(6))
def test_missing_values_go_the_learned_way(seed, way):
    X, y = data(seed, missing=0.15, zeros=0.3)
    model = fitted(X, y, **WAYS[way])
    kind = {"learned": "NaN", "as zero": "None", "zero too": "Zero"}[way]
    assert {node["missing_type"] for node in splits(model.booster_)} == {kind}
    rows = rows_at_cuts(model, X)
    learned = ol.read(model, nan="value").predict(rows)
    assert not np.ma.is_masked(learned)
    np.testing.assert_array_equal(learned, model.predict(rows))
    unknown = ol.read(model).predict(rows)
    known = ~np.ma.getmaskarray(unknown)
    assert not known.all()
    assert known[~np.isnan(rows).any(axis=1)].all()
    np.testing.assert_array_equal(unknown[known], model.predict(rows)[known])


def known_or_missing(seed, extra=0):
    """A model that asks whether the first value is known; with ``extra`` more splits."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(400, 2))
    X[rng.random(400) < 0.3, 0] = np.nan
    y = np.isnan(X[:, 0]) ^ (extra and X[:, 1] > 1.5)
    return fitted(X, y.astype(int), num_leaves=2 + extra), X


@pytest.mark.parametrize("extra", [0, 2])
@pytest.mark.parametrize("seed", range(3))
def test_a_split_on_whether_a_value_is_known(seed, extra):
    """Its threshold is infinite, which LightGBM's JSON writes as 1e300."""
    model, _ = known_or_missing(seed, extra)
    assert 1e300 in [node["threshold"] for node in splits(model.booster_)]
    rows = np.vstack([np.full((len(EDGES), 2), x) for x in (-2.0, 0.5, 2.0)])
    rows[:, 0] = EDGES * 3
    learned = ol.read(model, nan="value")
    np.testing.assert_array_equal(learned.predict(rows), model.predict(rows))
    # Unknown, it is some number, and every number goes one way.
    unknown = ol.read(model)
    assert "x0" not in unknown.features
    numbers = rows[~np.isnan(rows[:, 0])]
    np.testing.assert_array_equal(unknown.predict(numbers), model.predict(numbers))
    assert not np.ma.is_masked(unknown.predict(rows))


def test_rules_and_explanations_of_whether_a_value_is_known():
    model, _ = known_or_missing(0)
    names = ["lab", "other"]
    tree = ol.read(model, nan="value", feature_names=names)
    form = ol.canonicalize(tree)
    assert [str(term) for terms in form.rules.values() for term in terms] == [
        "lab is known", "lab is missing",
    ]  # fmt: skip
    assert tree.explain({"lab": 1e305}).label == 0
    assert tree.explain({"lab": None}).label == 1
    assert tree.needed({}).settle == (("lab",),)
    constant = ol.read(model, feature_names=names)
    assert constant.needed({}).label == 0
    assert "1e+300" not in f"{form}{ol.canonicalize(constant)}"


def test_a_threshold_that_is_really_so_large():
    rng = np.random.default_rng(0)
    X = 10.0 ** rng.uniform(290, 300, (400, 1))
    model = fitted(X, (X[:, 0] > 1e299).astype(int), num_leaves=2)
    tree = ol.read(model)
    assert 1e290 < tree.nodes.threshold[0] < 1e300
    rows = at_thresholds(X, [(0, tree.nodes.threshold[0]), (0, 1e300)], random_state=0)
    np.testing.assert_array_equal(tree.predict(rows), model.predict(rows))


def test_model_files(tmp_path):
    """Read without LightGBM's loader."""
    model, _ = known_or_missing(1, extra=2)
    path = tmp_path / "model.txt"
    model.booster_.save_model(path)
    assert ol.read(path) == ol.read(model.booster_) == ol.read(path.read_text())
    frame, y = categorical_data(missing=0.1)
    model = fitted(frame, y, max_cat_to_onehot=1)
    model.booster_.save_model(path)
    tree = ol.read(path, nan="value")
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(int), model.predict(frame))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "max_feature_idx=1",
            "max_feature_idx=1000000000",
            "max_feature_idx is 1000000000",
        ),
        (
            "num_leaves=2",
            "num_leaves=1000000000",
            "has 2 numbers, and 1000000000 are expected",
        ),
        ("left_child=-1", "left_child=5", "has the child 5"),
        ("right_child=-2", "right_child=-1", "child of two others"),
        ("left_child=-1", "left_child=0", "has the child 0"),
        ("split_feature=0", "split_feature=7", "a node has the column 7, and there are 2"),
        ("threshold=inf", "threshold=nan", "a threshold is not a number"),
        ("threshold=inf", "threshold=", "threshold has 0 numbers"),
        ("decision_type=8", "decision_type=9", "asks for the set inf, of 0"),
        ("sigmoid:1", "sigmoid:x", "could not convert"),
        ("num_cat=0", "num_cat=1", "list index out of range"),
        ("num_class=1", "num_class=x", "'x'"),
        ("num_class=1", "num_class=3", "num_class is 3"),
        ("num_class=1\n", "", "num_class"),
        ("decision_type=8", "decision_type=16", "decision_type"),
        ("num_leaves=2\n", "", "KeyError: 'num_leaves'"),
        ("feature_infos=", "feature_infos=0 ", "feature_infos has 3 entries"),
    ],
)
def test_damaged_model_files(old, new, said):
    model, _ = known_or_missing(0)
    text = model.booster_.model_to_string()
    assert text.count(old) == 1
    with pytest.raises((UnreadableModel, InvalidTree), match=re.escape(said)):
        ol.read(text.replace(old, new))


def test_codes_with_a_fraction_are_refused():
    """LightGBM cuts them to whole numbers; a row with such a code is a mistake."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (400, 1)).astype(float)
    model = fitted(X, np.isin(X[:, 0], [1, 4]).astype(int), fit={"categorical_feature": [0]})
    assert model.predict([[1.5]]) == model.predict([[1.0]])
    tree = ol.read(model)
    with pytest.raises(InvalidData, match=r"'x0' has the value 1.5 in row 1"):
        tree.predict([[1.0], [1.5]])
    np.testing.assert_array_equal(tree.predict([[1.0], [99.0]]), model.predict([[1.0], [99.0]]))


def test_a_subclass_that_decides_itself():
    class Cautious(lightgbm.LGBMClassifier):
        def predict(self, X, **options):
            return np.zeros(len(X), dtype=int)

    X, y = data(0)
    with pytest.raises(UnreadableModel, match=r"a Cautious has its own predict.*LGBMClassifier"):
        ol.read(Cautious(n_estimators=1, verbose=-1).fit(X, y))


def test_missing_values_where_there_were_none_in_training():
    X, y = data(0)
    model = fitted(X, y)
    X[::3, 0] = X[::5, 1] = np.nan
    np.testing.assert_array_equal(ol.read(model, nan="value").predict(X), model.predict(X))


@pytest.mark.parametrize("raw", [0.0, 2.0**-53, 1.5 * 2.0**-53, 2.0**-52, -(2.0**-52)])
@pytest.mark.parametrize("sigmoid", [1.0, 2.0])
def test_leaves_beside_the_tie(raw, sigmoid):
    X, y = data(0)
    booster = fitted(X, y, sigmoid=sigmoid).booster_
    booster.set_leaf_output(0, 0, raw / sigmoid)
    booster.set_leaf_output(0, 1, np.nextafter(raw / sigmoid, 1.0))
    np.testing.assert_array_equal(ol.read(booster).predict(X), booster.predict(X) > 0.5)


@pytest.mark.parametrize("label", [0, 1, "only"])
def test_one_class(label):
    X, _ = data(0)
    model = fitted(X, np.full(len(X), label))
    tree = ol.read(model)
    assert tree.n_nodes == 1
    np.testing.assert_array_equal(tree.predict(X), model.predict(X))


def test_data_frames_boosters_and_pickles():
    X, y = data(1)
    frame = pd.DataFrame({"age": np.arange(400) % 90, "size": X[:, 0], "flag": X[:, 1] > 0})
    model = fitted(frame, y)
    tree = ol.read(model)
    assert tree.space.names == ("age", "size", "flag")
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(int), model.predict(frame))
    assert ol.read(pickle.loads(pickle.dumps(model))) == tree
    booster = ol.read(lightgbm.Booster(model_str=model.booster_.model_to_string()))
    np.testing.assert_array_equal(booster.predict(frame), tree.predict(frame))


@pytest.mark.parametrize("kind", ["dart", "rf"])
def test_other_ways_to_boost_are_one_tree_too(kind):
    X, y = data(1)
    model = fitted(X, y, boosting_type=kind, subsample=0.7, subsample_freq=1)
    np.testing.assert_array_equal(ol.read(model).predict(X), model.predict(X))


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_early_stopping_leaves_one_round():
    X, y = data(0)
    noise = np.random.default_rng(0).integers(0, 2, 400)
    stop = lightgbm.early_stopping(2, verbose=False)
    model = fitted(X, y, n_estimators=20, fit={"eval_set": [(X, noise)], "callbacks": [stop]})
    assert model.best_iteration_ == 1
    np.testing.assert_array_equal(ol.read(model).predict(X), model.predict(X))


def categorical_data(seed=0, missing=0.0):
    rng = np.random.default_rng(seed)
    colour = rng.choice(list("rgbkyw"), 500)
    size = rng.integers(10, 18, 500)
    frame = pd.DataFrame({"age": rng.normal(40, 10, 500)})
    y = (np.isin(colour, ["r", "k"]) ^ (size % 3 == 0) ^ (frame["age"] > 55)).astype(int)
    for name, values, legal in (
        ("colour", colour, list("wykbgr")),
        ("size", size, list(range(10, 18))),
    ):
        hidden = pd.Series(values).mask(rng.random(500) < missing)
        frame[name] = pd.Categorical(hidden, categories=legal)
    return frame, y


@pytest.mark.parametrize("one_hot", [1, 100])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_categories_of_a_data_frame(one_hot, missing):
    frame, y = categorical_data(missing=missing)
    model = fitted(frame, y, max_cat_to_onehot=one_hot, cat_smooth=0.1, cat_l2=0.0)
    tree = ol.read(model, nan="value")
    assert {"colour", "size"} <= set(tree.features)
    assert tree.space["colour"].categories == tuple("wykbgr")
    assert tree.space["size"].categories == tuple(range(10, 18))
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(int), model.predict(frame))
    unknown = ol.read(model).predict(frame)
    known = unknown.notna().to_numpy()
    assert known.all() == (missing == 0)
    np.testing.assert_array_equal(unknown[known].to_numpy(int), model.predict(frame)[known])


def test_a_category_that_was_not_there_is_another():
    frame, y = categorical_data()
    model = fitted(frame, y)
    new = frame.assign(colour=pd.Categorical(["violet"] * len(frame)))
    np.testing.assert_array_equal(
        ol.read(model).predict(new).to_numpy(int), model.predict(new)
    )  # fmt: skip


def test_categories_that_are_numbers():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 9, 400), rng.normal(size=400)]).astype(float)
    y = np.isin(X[:, 0], [1, 4, 7]).astype(int)
    model = fitted(X, y, fit={"categorical_feature": [0]}, max_cat_to_onehot=1)
    rows = np.column_stack([np.arange(-5, 35), np.zeros(40)]).astype(float)
    rows[::7, 0] = np.nan
    tree = ol.read(model, nan="value")
    assert tree.space["x0"].kind == "categorical"
    np.testing.assert_array_equal(tree.predict(rows), model.predict(rows))


def test_ordered_categories():
    frame, y = categorical_data()
    frame["size"] = frame["size"].cat.as_ordered()
    with pytest.raises(UnreadableModel, match="had 2 columns of categories and LightGBM treats 1"):
        ol.read(fitted(frame, y))


def test_several_trees():
    with pytest.raises(UnreadableModel, match="LGBMClassifier adds up 3 trees, and this needs"):
        ol.read_many([fitted(*data(0), n_estimators=3)])


def test_several_classes():
    X, _ = data(0)
    with pytest.raises(UnreadableModel, match="LGBMClassifier adds up 3 trees, and this needs"):
        ol.read_many([fitted(X, np.arange(400) % 3)])


def test_other_objectives():
    X, y = data(0)
    with pytest.raises(UnreadableModel, match=r"'cross_entropy'.*must be one of 'binary'"):
        ol.canonicalize(fitted(X, y, objective="cross_entropy"))
    own = fitted(X, y, objective=lambda true, raw: (raw - true, np.ones(len(raw))))
    with pytest.raises(UnreadableModel, match="it must be one of 'binary', 'multiclass'"):
        ol.canonicalize(own)


def test_linear_leaves():
    with pytest.raises(UnreadableModel, match="fit with linear_tree=False"):
        ol.read(fitted(*data(0), linear_tree=True))


def test_zero_as_missing_may_need_too_many_nodes(monkeypatch):
    monkeypatch.setattr(builder, "MAX_UNFOLDED", 30)
    with pytest.raises(UnreadableModel, match=r"more than 30 nodes.*without zero_as_missing"):
        ol.read(fitted(*data(0, zeros=0.3), zero_as_missing=True))


def test_a_model_that_is_not_fitted():
    with pytest.raises(UnreadableModel, match="LGBMClassifier is not fitted"):
        ol.read(lightgbm.LGBMClassifier())
