"""XGBoost's ensembles: margins equal to the last bit, and the same classes."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import orderless as ol
from orderless.errors import UnreadableModel
from tests.neighbours import EDGES
from tests.slow_sums import added, hard_rows, labels_of, read_sum, within_window

xgboost = pytest.importorskip("xgboost", reason="XGBoost comes with the extra orderless[sources]")


@pytest.fixture(autouse=True)
def one_thread():
    known = xgboost.get_config()  # before version 3 without a number of threads
    with xgboost.config_context(**({"nthread": 1} if "nthread" in known else {})):
        yield


ROWS = 100_000
NUMBERS = {  # objective -> what becomes of a margin
    "reg:squarederror": "identity",
    "reg:squaredlogerror": "identity",
    "reg:pseudohubererror": "identity",
    "reg:absoluteerror": "identity",
    "reg:quantileerror": "identity",
    "reg:gamma": "exp",
    "reg:tweedie": "exp",
    "count:poisson": "exp",
    "survival:cox": "exp",
    "survival:aft": "exp",
    "reg:logistic": "logistic",
    "rank:pairwise": "identity",
    "rank:ndcg": "identity",
    "binary:logitraw": "identity",
}


def data(seed, n=400, missing=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] *= 10.0 ** rng.integers(-42, 4, n)
    score = X[:, 0] + X[:, 1] ** 2 + (X[:, 2] > 0) - 1.3 + 0.3 * rng.normal(size=n)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, score


def finite(rows):
    """Leave out rows that a DMatrix does not take."""
    with np.errstate(over="ignore"):
        return rows[~np.isinf(rows.astype(np.float32)).any(axis=1)]


def margins(booster, rows):
    out = booster.predict(xgboost.DMatrix(rows), output_margin=True)
    return out.reshape(len(rows), -1)


def assert_classes(ensemble, total, theirs):
    sure = ~within_window(ensemble, total)
    assert sure.mean() > 0.99
    np.testing.assert_array_equal(labels_of(ensemble, total)[sure], theirs[sure])


@pytest.mark.parametrize("kind", ["gbtree", "dart", "forest", "forests"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_classes(kind, n_classes):
    options = {
        "gbtree": {},
        "dart": {"booster": "dart", "rate_drop": 0.3, "one_drop": 1},
        "forest": {"num_parallel_tree": 20, "subsample": 0.7, "learning_rate": 1.0},
        "forests": {"num_parallel_tree": 3, "subsample": 0.7},
    }[kind]
    for seed in range(2):
        X, score = data(seed)
        y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
        n_rounds = 1 if kind == "forest" else 25
        model = xgboost.XGBClassifier(
            n_estimators=n_rounds, max_depth=2 + 3 * seed, random_state=seed, **options
        ).fit(X, y)
        ensemble = ol.read(model, nan="value")
        assert ensemble.classes == tuple(range(n_classes))
        assert len(ensemble.trees) == len(model.get_booster().get_dump())
        rows = hard_rows(ensemble, X, ROWS if n_classes == 3 else ROWS // 10, EDGES)
        total = added(ensemble, rows)
        theirs = model.predict(rows, output_margin=True).reshape(len(rows), -1)
        np.testing.assert_array_equal(total, theirs)
        assert_classes(ensemble, total, model.predict(rows))
        # A Booster adds up dart in another way, and has all the other last bits in common.
        booster = model.get_booster()
        own = ol.read(booster, nan="value")
        rows = finite(rows)
        total = added(own, rows)
        np.testing.assert_array_equal(total, margins(booster, rows))
        said = booster.predict(xgboost.DMatrix(rows))
        assert_classes(own, total, said > 0.5 if n_classes == 2 else said.argmax(axis=1))
        assert own.trees == ensemble.trees
        assert own.kernel.rule == ensemble.kernel.rule


def numbers_model(objective, X, score, **options):
    y = np.exp(0.3 * score) + 0.01
    options = {"objective": objective, "max_depth": 4, **options}
    if objective == "reg:quantileerror":
        options["quantile_alpha"] = 0.3
    table = xgboost.DMatrix(X, y)
    if objective in ("reg:logistic", "binary:logitraw"):
        table = xgboost.DMatrix(X, (score > 0).astype(float))
    if objective.startswith("rank"):
        table = xgboost.DMatrix(X, (score > 0).astype(int), group=[len(X) // 2] * 2)
    if objective == "survival:aft":
        table.set_float_info("label_lower_bound", y)
        table.set_float_info("label_upper_bound", 1.2 * y)
    return xgboost.train(options, table, 20)


def linked(link, margin):
    margin = margin.astype(np.float64)
    return {
        "identity": lambda x: x,
        "exp": np.exp,
        "logistic": lambda x: 1 / (1 + np.exp(-x)),
    }[link](margin)


@pytest.mark.parametrize("seed", range(16))
def test_random_parameters(seed):
    rng = np.random.default_rng(seed)
    X, score = data(seed, n=int(rng.integers(30, 500)), missing=bool(rng.integers(2)))
    n_classes = int(rng.integers(2, 5))
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    options = {
        "n_estimators": int(rng.integers(1, 40)),
        "max_depth": int(rng.integers(1, 8)),
        "learning_rate": float(rng.choice([0.03, 0.3, 1.0, 2.0])),
        "tree_method": str(rng.choice(["exact", "approx", "hist"])),
        "reg_lambda": float(rng.choice([0.0, 1.0, 30.0])),
        "gamma": float(rng.choice([0.0, 2.0])),
        "min_child_weight": float(rng.choice([0.0, 1.0, 20.0])),
        "subsample": float(rng.choice([0.5, 1.0])),
        "colsample_bytree": float(rng.choice([0.5, 1.0])),
        "max_delta_step": float(rng.choice([0.0, 0.7])),
        "base_score": [None, 0.5, 0.123][rng.integers(3)],
    }
    if rng.random() < 0.3:
        options |= {"booster": "dart", "rate_drop": 0.5}
    if options["tree_method"] != "exact" and rng.random() < 0.5:
        options |= {"grow_policy": "lossguide", "max_leaves": 12, "max_bin": 7}
    if rng.random() < 0.3:
        model = xgboost.XGBRegressor(**options).fit(X, 10.0 ** rng.integers(-3, 4) * score)
    else:
        model = xgboost.XGBClassifier(**options).fit(X, y)
    ensemble = read_sum(model, nan="value")
    rows = hard_rows(ensemble, X, 6000, EDGES)
    total = added(ensemble, rows)
    theirs = model.predict(rows, output_margin=True).reshape(len(rows), -1)
    np.testing.assert_array_equal(total, theirs)
    if ensemble.classes:
        assert_classes(ensemble, total, model.predict(rows))


@pytest.mark.parametrize("objective", NUMBERS)
def test_numbers(objective):
    X, score = data(1)
    booster = numbers_model(objective, X, score)
    text = bytes(booster.save_raw("json"))
    saved = json.loads(text)
    if objective == "reg:logistic":  # of which a Booster's file decides, and a regressor's says
        saved["learner"]["attributes"]["scikit_learn"] = '{"_estimator_type": "regressor"}'
        booster = xgboost.Booster(model_file=bytearray(json.dumps(saved).encode()))
    ensemble = ol.read(booster, nan="value")
    assert ensemble.task == "regression"
    assert (ensemble.kernel.rule.kind, ensemble.kernel.link) == ("number", NUMBERS[objective])
    rows = finite(hard_rows(ensemble, X, 20_000, EDGES))
    total = added(ensemble, rows)
    np.testing.assert_array_equal(total, margins(booster, rows))
    said = booster.predict(xgboost.DMatrix(rows))
    np.testing.assert_allclose(linked(ensemble.kernel.link, total[:, 0]), said, rtol=1e-6)


@pytest.mark.parametrize("base", [None, 0.5, 0.3, 0.9])
def test_two_classes_part_where_xgboost_says(base):
    """Leaves at the very margin at which its own probability passes one half, and beside it."""
    rng = np.random.default_rng(3)
    X = np.arange(64.0)[:, None]
    options = {} if base is None else {"base_score": base}
    model = xgboost.XGBClassifier(n_estimators=2, max_depth=6, min_child_weight=0, **options)
    model.fit(np.repeat(X, 4, axis=0), rng.integers(0, 2, 256))
    saved = json.loads(model.get_booster().save_raw("json").decode())
    start = ol.read(model.get_booster())
    cut, margin = np.float32(start.kernel.rule.cuts[0]), np.float32(start.kernel.adding.base[0])
    trees = saved["learner"]["gradient_booster"]["model"]["trees"]
    for at, tree in enumerate(trees):
        value = cut - margin
        step = max(abs(value) * np.float32(2.0**-23), np.float32(2.0**-27))
        leaves = [node for node, left in enumerate(tree["left_children"]) if left < 0]
        for place, node in enumerate(leaves):
            beside = float(value + step * (place - len(leaves) // 2))
            tree["split_conditions"][node] = 0.0 if at else beside
    text = json.dumps(saved)
    booster = xgboost.Booster(model_file=bytearray(text.encode()))
    ensemble = ol.read(text)
    total = added(ensemble, X)
    np.testing.assert_array_equal(total, margins(booster, X))
    said = booster.predict(xgboost.DMatrix(X)) > 0.5
    assert len(set(said)) == 2
    np.testing.assert_array_equal(labels_of(ensemble, total), said)


def test_probabilities_rise_with_the_margin():
    """What the cut rests on: XGBoost's sigmoid never falls, here beside one half."""
    booster = xgboost.train(
        {"max_depth": 1, "objective": "binary:logistic"},
        xgboost.DMatrix(np.zeros((4, 1)), [0, 1, 0, 1]),
        1,
    )
    cut = np.float32(read_sum(booster).kernel.rule.cuts[0])
    bits = cut.view(np.int32) + np.arange(-200_000, 200_000, dtype=np.int32)
    near = bits.view(np.float32)
    wide = np.linspace(-20, 20, 200_001, dtype=np.float32)
    for margin in (near, -near[::-1], wide):
        table = xgboost.DMatrix(np.zeros((len(margin), 1)), base_margin=margin)
        own = booster.predict(table, output_margin=True)
        said = booster.predict(table)
        assert (np.diff(said[np.argsort(own, kind="stable")]) >= 0).all()
        np.testing.assert_array_equal(said > 0.5, own > cut)


def test_softmax_ties_are_within_the_window():
    """Margins so close that XGBoost's probabilities are equal: never further than the window."""
    rng = np.random.default_rng(0)
    X, score = data(0)
    y = np.searchsorted(np.quantile(score, [0.3, 0.6]), score)
    booster = xgboost.train(
        {"objective": "multi:softprob", "num_class": 3, "max_depth": 1}, xgboost.DMatrix(X, y), 1
    )
    ensemble = ol.read(booster, nan="value")
    n = 200_000
    row = np.zeros((n, 4))
    base = added(ensemble, row[:1])[0] - np.float32(ensemble.kernel.adding.base)
    margin = rng.normal(size=(n, 3)).astype(np.float32) * np.float32(3)
    margin[:, 1] = margin[:, 0] + rng.integers(-6, 7, n) * np.float32(2.0**-24)
    margin[:, 2] = np.minimum(margin[:, 2], margin[:, 0])
    table = xgboost.DMatrix(row, base_margin=margin - base)
    own = booster.predict(table, output_margin=True)
    said = booster.predict(table).argmax(axis=1)
    sure = ~within_window(ensemble, own)
    odd = said != own.argmax(axis=1)
    assert odd.sum() > 100
    assert not sure[odd].any()
    assert (labels_of(ensemble, own)[sure] == said[sure]).all()


@pytest.mark.parametrize("objective", ["multi:softmax", "multi:softprob"])
def test_both_softmaxes_of_a_booster(objective):
    X, score = data(2)
    y = np.searchsorted(np.quantile(score, [0.2, 0.6]), score)
    options = {"objective": objective, "num_class": 3, "max_depth": 4}
    booster = xgboost.train(options, xgboost.DMatrix(X, y), 15)
    ensemble = ol.read(booster, nan="value")
    assert (ensemble.kernel.rule.window > 0) == (objective == "multi:softprob")
    rows = finite(hard_rows(ensemble, X, 20_000, EDGES))
    total = added(ensemble, rows)
    said = booster.predict(xgboost.DMatrix(rows))
    assert_classes(ensemble, total, said if said.ndim == 1 else said.argmax(axis=1))
    estimator = xgboost.XGBClassifier(n_estimators=15, objective=objective, max_depth=4).fit(X, y)
    ensemble = ol.read(estimator, nan="value")
    assert_classes(ensemble, added(ensemble, rows), estimator.predict(rows))


def test_hinge():
    X, score = data(2)
    model = xgboost.XGBClassifier(n_estimators=9, objective="binary:hinge").fit(X, score > 0)
    ensemble = ol.read(model, nan="value")
    assert ensemble.kernel.rule.cuts == (0.0,)
    rows = hard_rows(ensemble, X, 20_000, EDGES)
    assert_classes(ensemble, added(ensemble, rows), model.predict(rows))


@pytest.mark.parametrize("booster", ["gbtree", "dart"])
def test_early_stopping_and_files(booster, tmp_path):
    X, score = data(4)
    rng = np.random.default_rng(0)
    options = {"booster": booster, "rate_drop": 0.2} if booster == "dart" else {}
    model = xgboost.XGBClassifier(
        n_estimators=60, early_stopping_rounds=8, max_depth=3, learning_rate=0.6, **options
    )
    y = np.searchsorted(np.quantile(score, [0.2, 0.6]), score)
    noisy = np.where(rng.random(len(y)) < 0.3, rng.integers(0, 3, len(y)), y)
    model.fit(X[:200], noisy[:200], eval_set=[(X[200:], noisy[200:])], verbose=False)
    best, n_rounds = model.best_iteration, model.get_booster().num_boosted_rounds()
    assert best + 1 < n_rounds
    ensemble = ol.read(model, nan="value")
    assert len(ensemble.trees) == 3 * (best + 1)
    rows = finite(hard_rows(ensemble, X, 20_000, EDGES))
    theirs = model.predict(rows, output_margin=True)
    np.testing.assert_array_equal(added(ensemble, rows), theirs)
    path = tmp_path / "model.json"
    model.save_model(path)
    np.testing.assert_array_equal(added(ol.read(path, nan="value"), rows), theirs)
    booster = model.get_booster()
    booster.save_model(path)
    for one in (booster, path):
        whole = ol.read(one, nan="value")
        assert len(whole.trees) == 3 * n_rounds
        np.testing.assert_array_equal(added(whole, rows), margins(booster, rows))


def test_categories_and_names():
    rng = np.random.default_rng(0)
    n = 500
    frame = pd.DataFrame(
        {
            "age at 'start'": rng.normal(40, 10, n),
            "colour": pd.Categorical(rng.choice(list("rgbky"), n), categories=list("ykbgr")),
            "größe": pd.Categorical(rng.integers(10, 17, n)),
        }
    )
    y = (frame["colour"].isin(["r", "k"]) ^ (frame["größe"].astype(int) % 3 == 0)).astype(int)
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    model = xgboost.XGBClassifier(
        n_estimators=20, max_depth=4, enable_categorical=True, max_cat_to_onehot=2
    ).fit(frame, y)
    ensemble = ol.read(model, nan="value")
    assert ensemble.space.names == tuple(frame.columns)
    total = added(ensemble, frame)
    np.testing.assert_array_equal(total[:, 0], model.predict(frame, output_margin=True))
    assert_classes(ensemble, total, model.predict(frame))


def test_categories_that_are_not_ascii():
    rng = np.random.default_rng(0)
    labels = ["blau", "grün", "weiß"]
    frame = pd.DataFrame(
        {"colour": pd.Categorical(rng.choice(labels, 300)), "age": rng.normal(40, 10, 300)}
    )
    y = (frame["colour"] == "grün") ^ (frame["age"] > 45)
    model = xgboost.XGBClassifier(n_estimators=9, max_depth=3, enable_categorical=True)
    model.fit(frame, y)
    with pytest.raises(UnreadableModel, match="have names that are not ASCII"):
        ol.read(model)
    ensemble = ol.read(model, space=ol.Space({"colour": labels, "age": "numeric"}))
    assert ensemble.features == ("colour", "age")
    codes = frame.assign(colour=frame["colour"].cat.codes)
    table = xgboost.DMatrix(codes, feature_types=["c", "float"])
    theirs = model.get_booster().predict(table, output_margin=True, validate_features=False)
    np.testing.assert_array_equal(added(ensemble, frame)[:, 0], theirs)


@pytest.mark.parametrize("sparse", [True, False])
def test_through_a_pipeline(sparse):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"colour": rng.choice(list("rgbk"), 400), "age": rng.normal(40, 10, 400)})
    y = (frame["colour"].isin(["r", "k"]) ^ (frame["age"] > 45)).astype(int)
    prepare = make_column_transformer(
        (OneHotEncoder(sparse_output=sparse), ["colour"]),
        (StandardScaler(), ["age"]),
        sparse_threshold=float(sparse),
    )
    model = make_pipeline(prepare, xgboost.XGBClassifier(n_estimators=15, max_depth=4))
    model.fit(frame, y)
    ensemble = ol.read(model)
    assert ensemble.features == ("colour", "age")
    total = added(ensemble, frame)
    theirs = model[-1].predict(model[:-1].transform(frame), output_margin=True)
    np.testing.assert_array_equal(total[:, 0], theirs)
    assert_classes(ensemble, total, model.predict(frame))


def test_one_tree_and_one_leaf():
    X, score = data(0, missing=False)
    stump = xgboost.XGBClassifier(n_estimators=1, max_depth=2).fit(X, score > 0)
    total = added(read_sum(stump), X)
    np.testing.assert_array_equal(total[:, 0], stump.predict(X, output_margin=True))
    flat = xgboost.XGBRegressor(n_estimators=3).fit(X, np.full(len(X), 1.5))
    ensemble = ol.read(flat)
    assert ensemble.features == ()
    np.testing.assert_array_equal(added(ensemble, X)[:, 0], flat.predict(X))
    forest = xgboost.XGBRFRegressor(n_estimators=7).fit(X, score)
    total = added(ol.read(forest), X)
    np.testing.assert_array_equal(total[:, 0], forest.predict(X))
