"""XGBoost's trees: ours predicts what theirs does, to the last float."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from neighbours import at_thresholds

import orderless as ol
from orderless.errors import InvalidData, InvalidTree, UnreadableModel

xgboost = pytest.importorskip("xgboost", reason="XGBoost comes with the extra orderless[sources]")


def data(seed, missing=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 3))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] *= 10.0 ** rng.integers(-42, 4, 300)
    y = (X[:, 0] + X[:, 1] ** 2 + (X[:, 2] > 0) - 1.3 > 0.3 * rng.normal(size=300)).astype(int)
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, y


def fitted(X, y, **options):
    return xgboost.XGBClassifier(**{"n_estimators": 1, "max_depth": 5, **options}).fit(X, y)


def rows_at_cuts(model, X):
    frame = model.get_booster().trees_to_dataframe()
    inner = frame[frame["Feature"] != "Leaf"]
    cuts = [
        (int(name[1:]), cut) for name, cut in zip(inner["Feature"], inner["Split"], strict=True)
    ]
    assert len(cuts) > 5
    assert 0.2 < model.predict(X).mean() < 0.8
    return at_thresholds(X, [*cuts, (2, 0.0)], random_state=0)


@pytest.mark.parametrize("seed", range(8))
def test_predicts_the_same_at_every_threshold(seed):
    X, y = data(seed)
    model = fitted(X, y, learning_rate=[0.3, 1.0, 3.0][seed % 3])
    tree = ol.read(model)
    rows = rows_at_cuts(model, X)
    for table in (rows, rows.astype(np.float32)):
        np.testing.assert_array_equal(tree.predict(table), model.predict(table))
    infinite = np.array([[np.inf, 0, -np.inf], [-np.inf, np.inf, 0]])
    np.testing.assert_array_equal(tree.predict(infinite), model.predict(infinite))
    assert tree.space == ol.Space.numeric(["x0", "x1", "x2"], values="float32")


@pytest.mark.parametrize("seed", range(4))
def test_missing_values_go_the_learned_way(seed):
    X, y = data(seed, missing=True)
    model = fitted(X, y)
    rows = rows_at_cuts(model, X)
    learned = ol.read(model, nan="value").predict(rows)
    assert not np.ma.is_masked(learned)
    np.testing.assert_array_equal(learned, model.predict(rows))
    unknown = ol.read(model).predict(rows)
    assert np.ma.is_masked(unknown)
    known = ~unknown.mask
    assert known[~np.isnan(rows).any(axis=1)].all()
    np.testing.assert_array_equal(unknown[known], model.predict(rows)[known])


@pytest.mark.parametrize("seed", range(12))
def test_leaves_beside_the_tie(seed):
    """A margin that nearly cancels: half of the rows of a leaf, and a base score to match."""
    rng = np.random.default_rng(seed)
    X = np.repeat(np.arange(8.0), 4)[:, None]
    y = rng.integers(0, 2, len(X))
    base = 0.5 if seed % 3 == 0 else float(rng.uniform(0.3, 0.7))
    model = fitted(X, y, base_score=base, reg_lambda=0.0, min_child_weight=0.0)
    # Move every leaf to the negative of the base margin, and a few float32 beside it.
    margin = np.float32(np.log(base / (1 - base)))
    saved = json.loads(model.get_booster().save_raw("json").decode())
    tree = saved["learner"]["gradient_booster"]["model"]["trees"][0]
    value = -margin
    for node, left in enumerate(tree["left_children"]):
        if left < 0:
            tree["split_conditions"][node] = float(value)
            value = np.nextafter(value, np.float32(np.inf)) if base != 0.5 else value + 3e-8
    booster = xgboost.Booster(model_file=bytearray(json.dumps(saved).encode()))
    probability = booster.predict(xgboost.DMatrix(X))
    np.testing.assert_array_equal(ol.read(booster).predict(X), probability > 0.5)


@pytest.mark.parametrize("dtype", [int, bool, float])
def test_labels(dtype):
    X, y = data(0)
    model = fitted(X, y.astype(dtype))
    np.testing.assert_array_equal(ol.read(model).predict(X), model.predict(X))


def test_one_class():
    X, _ = data(0)
    model = fitted(X, np.zeros(len(X), dtype=int))
    np.testing.assert_array_equal(ol.read(model).predict(X), model.predict(X))


def test_names_and_integers_of_a_data_frame():
    X, y = data(0)
    frame = pd.DataFrame({"age": np.arange(300) % 90, "size": X[:, 0], "flag": X[:, 1] > 0})
    model = fitted(frame, y)
    tree = ol.read(model)
    assert tree.space.names == ("age", "size", "flag")
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(int), model.predict(frame))


def test_boosters_forests_and_pickles():
    X, y = data(1)
    model = fitted(X, y)
    tree = ol.read(model)
    assert ol.read(pickle.loads(pickle.dumps(model))) == tree
    assert ol.read(model.get_booster()) == tree
    forest = xgboost.XGBRFClassifier(n_estimators=1, max_depth=4).fit(X, y)
    np.testing.assert_array_equal(ol.read(forest).predict(X), forest.predict(X))
    regression = fitted(X, y, objective="reg:logistic")
    np.testing.assert_array_equal(ol.read(regression).predict(X), regression.predict(X))


def test_early_stopping_leaves_one_round():
    rng = np.random.default_rng(0)
    X, y = data(0)
    model = xgboost.XGBClassifier(n_estimators=20, early_stopping_rounds=2, learning_rate=2.0)
    model.fit(X, y, eval_set=[(X, rng.integers(0, 2, 300))], verbose=False)
    assert model.best_iteration == 0
    assert len(model.get_booster().get_dump()) > 1
    np.testing.assert_array_equal(ol.read(model).predict(X), model.predict(X))


def categorical_data(seed=0, missing=False):
    rng = np.random.default_rng(seed)
    colour = rng.choice(list("rgbky"), 400)
    size = rng.integers(10, 17, 400)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, 400),
            "colour": pd.Categorical(colour, categories=list("ykbgr")),
            "size": pd.Categorical(size),
        }
    )
    y = (np.isin(colour, ["r", "k"]) ^ (size % 3 == 0) ^ (frame["age"] > 50)).astype(int)
    if missing:
        frame = frame.mask(rng.random(frame.shape) < 0.1)
        for name, kind in (("colour", list("ykbgr")), ("size", range(10, 17))):
            frame[name] = pd.Categorical(frame[name], categories=list(kind))
    return frame, y


@pytest.mark.parametrize("one_hot", [1, 100])
@pytest.mark.parametrize("missing", [False, True])
def test_categories_of_a_data_frame(one_hot, missing):
    frame, y = categorical_data(missing=missing)
    model = fitted(frame, y, max_depth=5, enable_categorical=True, max_cat_to_onehot=one_hot)
    tree = ol.read(model, nan="value")
    assert {"colour", "size"} <= set(tree.features)
    assert tree.space["colour"].categories == tuple("ykbgr")
    assert tree.space["size"].categories == tuple(range(10, 17))
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(int), model.predict(frame))
    unknown = ol.read(model).predict(frame)
    known = unknown.notna().to_numpy()
    assert known.all() != missing
    np.testing.assert_array_equal(unknown[known].to_numpy(int), model.predict(frame)[known])


def test_categories_that_are_numbers():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 9, 300), rng.normal(size=300)])
    y = np.isin(X[:, 0], [1, 4, 7]).astype(int)
    model = fitted(X, y, enable_categorical=True, feature_types=["c", "q"], max_cat_to_onehot=1)
    rows = np.column_stack([np.arange(40) % 20, np.zeros(40)])  # also categories never seen
    tree = ol.read(model)
    assert tree.space["x0"].kind == "categorical"
    np.testing.assert_array_equal(tree.predict(rows), model.predict(rows))


def test_categories_without_their_names():
    """Older versions do not keep them."""
    frame, y = categorical_data()
    options = {"enable_categorical": True, "feature_types": ["q", "c", "c"], "max_cat_to_onehot": 1}
    table = xgboost.DMatrix(
        np.column_stack([frame["age"], frame["colour"].cat.codes, frame["size"].cat.codes]),
        label=y,
        feature_names=list(frame),
        feature_types=options["feature_types"],
        enable_categorical=True,
    )
    booster = xgboost.train({"objective": "binary:logistic", "max_depth": 4}, table, 1)
    with pytest.raises(UnreadableModel, match=r"which category has which number.*XGBoost 3.1"):
        ol.read(booster)


NAMES = ["größe", "日本", "x", "éa", "b"]


def named(frames):
    rng = np.random.default_rng(0)
    label = rng.choice(NAMES, 300)
    number = rng.normal(size=300)
    y = np.isin(label, ["日本", "éa"]).astype(int)
    if frames == "pandas":
        frame = pd.DataFrame({"c": pd.Categorical(label), "n": number})
    else:
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame({"c": label.tolist(), "n": number})
        frame = frame.with_columns(polars.col("c").cast(polars.Categorical))
    plain = pd.DataFrame({"c": label, "n": number})
    return frame, plain, fitted(frame, y, enable_categorical=True, learning_rate=1.0)


@pytest.mark.parametrize("frames", ["pandas", "polars"])
def test_category_names_that_are_not_ascii(frames):
    """XGBoost cuts those of pandas at the wrong places; a space says what they are."""
    frame, plain, model = named(frames)
    with pytest.raises(UnreadableModel, match=r"not ASCII.* mix up .*rename.*space="):
        ol.read(model)
    tree = ol.read(model, space=ol.Space({"c": sorted(NAMES), "n": "float32"}))
    assert len(set(model.predict(frame))) == 2
    np.testing.assert_array_equal(tree.predict(plain).to_numpy(int), model.predict(frame))
    wrong = ol.Space({"c": ["größe", "日本", "x", "éa", "c"], "n": "float32"})
    with pytest.raises(UnreadableModel, match="list them in the order"):
        ol.read(model, space=wrong)


def test_ascii_names_need_no_space():
    frame, y = categorical_data()
    model = fitted(frame, y, enable_categorical=True)
    assert ol.read(model).space["colour"].categories == tuple("ykbgr")


def saved():
    X, y = data(0)
    return json.loads(fitted(X, y, max_depth=2).get_booster().save_raw("json"))


def test_model_files(tmp_path):
    X, y = data(0)
    model = fitted(X, y)
    path = tmp_path / "model.json"
    model.save_model(path)
    assert ol.read(path) == ol.read(model) == ol.read(path.read_text())


@pytest.mark.parametrize(
    ("where", "value", "said"),
    [
        (
            ("learner_model_param", "num_feature"),
            "-1",
            "number of at least 0, got -1",
        ),
        (("learner_model_param", "num_feature"), "1000000000", "1,000,000,000 columns, without"),
        (("learner_model_param", "base_score"), "x", "is damaged"),
        (("learner_model_param", "base_score"), "2", "base_score is '2'"),
        (("split_indices", 0), 7, "a node has the column 7, and there are 3"),
        (("split_indices", 0), -2, "a node has the column -2, and there are 3"),
        (("left_children", 0), 99, "has the child 99, of"),
        (("left_children", 1), 0, "has the child"),
        (("right_children", 0), 1, "child of two others"),
        (("split_conditions", 0), float("nan"), "is not a number"),
        (("split_conditions",), [], "split_conditions has 0 entries"),
        (("categories_nodes",), [0], "is damaged"),
        (("split_type", 0), 1, "asks for categories and lists none"),
        (("default_left",), None, "is damaged"),
    ],
)
def test_damaged_model_files(where, value, said):
    content = saved()
    node = content["learner"]
    if where[0] not in node:
        node = node["gradient_booster"]["model"]["trees"][0]
    for key in where[:-1]:
        node = node[key]
    node[where[-1]] = value
    with pytest.raises((UnreadableModel, InvalidTree), match=said):
        ol.read(json.dumps(content))


def test_codes_with_a_fraction_are_refused():
    """XGBoost cuts them to whole numbers; a row with such a code is a mistake."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 9, (300, 1)).astype(float)
    y = np.isin(X[:, 0], [1, 4, 7]).astype(int)
    model = fitted(X, y, enable_categorical=True, feature_types=["c"], learning_rate=1.0)
    assert model.predict([[7.9]]) == model.predict([[7.0]]) != model.predict([[8.0]])
    with pytest.raises(InvalidData, match=r"'x0' has the value 7.9 in row 0"):
        ol.read(model).predict([[7.9]])


def test_a_subclass_that_decides_itself():
    class Cautious(xgboost.XGBClassifier):
        def predict(self, X, **options):
            return np.zeros(len(X), dtype=int)

    with pytest.raises(UnreadableModel, match=r"a Cautious has its own predict.*XGBClassifier"):
        ol.read(Cautious(n_estimators=1).fit(*data(0)))


def test_pruned_nodes_are_left_out():
    content = saved()
    tree = content["learner"]["gradient_booster"]["model"]["trees"][0]
    before = ol.read(json.dumps(content))
    for name, entry in tree.items():
        if isinstance(entry, list) and len(entry) == before.n_nodes:
            entry.append(2**31 - 1 if name in ("parents", "split_indices") else -1)
    assert ol.read(json.dumps(content)) == before


def test_several_trees():
    X, y = data(0)
    with pytest.raises(UnreadableModel, match="XGBClassifier adds up 3 trees, and this needs one"):
        ol.read_many([fitted(X, y, n_estimators=3)])


def test_several_classes():
    X, _ = data(0)
    with pytest.raises(UnreadableModel, match="XGBClassifier adds up 3 trees, and this needs one"):
        ol.read_many([fitted(X, np.arange(300) % 3)])


def test_other_boosters():
    X, y = data(0)
    model = xgboost.XGBClassifier(n_estimators=1, booster="gblinear").fit(X, y)
    with pytest.raises(UnreadableModel, match="a booster 'gblinear' cannot be read"):
        ol.canonicalize(model)
    dart = xgboost.XGBClassifier(n_estimators=1, booster="dart").fit(X, y)
    assert np.array_equal(ol.read(dart).predict(X), dart.predict(X))


def test_other_objectives():
    X, y = data(0)
    with pytest.raises(UnreadableModel, match=r"'binary:logitraw'.*must be one of 'binary:log"):
        ol.canonicalize(fitted(X, y, objective="binary:logitraw"))
    hinge = fitted(X, y, objective="binary:hinge")
    assert np.array_equal(ol.read(hinge).predict(X), hinge.predict(X))


def test_another_missing_value():
    with pytest.raises(UnreadableModel, match=r"treats -999.0 as missing: write NaN"):
        ol.read(fitted(*data(0), missing=-999.0))


def test_models_that_are_not_trained():
    with pytest.raises(UnreadableModel, match="XGBClassifier is not fitted"):
        ol.read(xgboost.XGBClassifier())
    with pytest.raises(UnreadableModel, match="is it trained"):
        ol.read(xgboost.Booster())
