"""XGBoost's numbers: what every objective makes of a leaf, to the last bit of XGBoost's own."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from neighbours import EDGES, many_rows

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel

xgboost = pytest.importorskip("xgboost", reason="XGBoost comes with the extra orderless[sources]")

NUMBERS = (
    "reg:squarederror", "reg:squaredlogerror", "reg:pseudohubererror", "reg:absoluteerror",
    "reg:quantileerror", "reg:gamma", "reg:tweedie", "count:poisson", "survival:cox",
)  # fmt: skip
SHARES = ("reg:logistic", "binary:logistic", "binary:logitraw")
OPTIONS = {
    "reg:quantileerror": {"quantile_alpha": 0.3},
    "reg:tweedie": {"tweedie_variance_power": 1.2},
    "reg:pseudohubererror": {"huber_slope": 0.4},
    "count:poisson": {"max_delta_step": 2.0},
}
KNOWN = [x for x in EDGES if not np.isnan(x)]


def data(seed=0, missing=0.0, n=400):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] *= 10.0 ** rng.integers(-42, 4, n)
    y = np.abs(X[:, 0] + X[:, 1] ** 2 + (X[:, 2] > 0)) + 0.1
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def fitted(X, y, objective="reg:squarederror", kind=xgboost.XGBRegressor, **options):
    settings = {"n_estimators": 1, "max_depth": 6, "learning_rate": 0.7, "n_jobs": 1}
    own = OPTIONS.get(objective, {})
    return kind(**{**settings, **own, **options}, objective=objective).fit(X, y)


def equals(tree, model, rows):
    ours = tree.predict(rows)
    assert not np.ma.is_masked(ours)
    np.testing.assert_array_equal(ours, model.predict(rows))


@pytest.mark.parametrize("objective", NUMBERS + SHARES)
def test_the_numbers_of_a_regressor(objective):
    X, y = data(missing=0.1)
    model = fitted(X, y > 1 if objective in SHARES else y, objective)
    tree = ol.read(model, nan="value")
    assert tree.task == "regression"
    assert len(tree.classes) > 10
    rows = many_rows(tree, X)
    equals(tree, model, rows)
    with np.errstate(over="ignore"):
        equals(tree, model, rows.astype(np.float32))


@pytest.mark.parametrize("objective", NUMBERS)
def test_boosters_and_files(objective, tmp_path):
    X, y = data(1)
    model = fitted(X, y, objective)
    tree = ol.read(model)
    model.save_model(tmp_path / "model.json")
    assert ol.read(model.get_booster()) == tree == ol.read(tmp_path / "model.json")
    assert ol.read(pickle.loads(pickle.dumps(model))) == tree
    equals(tree, model, many_rows(tree, X, n=3000, edges=KNOWN))


@pytest.mark.parametrize("objective", ["reg:logistic", "binary:logistic"])
def test_a_logistic_objective(objective, tmp_path):
    """A regressor says the probability, and its file says that it is one; a booster decides."""
    X, y = data(2)
    model = fitted(X, y > 1, objective)
    tree = ol.read(model)
    assert tree.task == "regression"
    assert 0 < tree.classes[0] < tree.classes[-1] < 1
    model.save_model(tmp_path / "model.json")
    assert ol.read(tmp_path / "model.json") == tree
    booster = ol.read(model.get_booster())
    assert (booster.task, booster.classes) == ("classification", (0, 1))
    np.testing.assert_array_equal(booster.predict(X), model.predict(X) > 0.5)
    classifier = fitted(X, y > 1, objective, xgboost.XGBClassifier)
    classifier.save_model(tmp_path / "model.json")
    assert ol.read(classifier).task == "classification"
    assert ol.read(tmp_path / "model.json").task == "classification"


@pytest.mark.parametrize("objective", ["rank:pairwise", "rank:ndcg", "rank:map"])
def test_the_scores_of_a_ranker(objective, tmp_path):
    X, y = data(3)
    model = xgboost.XGBRanker(n_estimators=1, max_depth=4, objective=objective, n_jobs=1)
    model.fit(X, (y > 1).astype(int), qid=np.repeat(np.arange(40), 10))
    tree = ol.read(model)
    assert tree.task == "regression"
    assert len(tree.classes) > 3
    equals(tree, model, many_rows(tree, X, edges=KNOWN))
    model.save_model(tmp_path / "model.json")
    assert ol.read(tmp_path / "model.json") == tree == ol.read(model.get_booster())


@pytest.mark.parametrize("distribution", ["normal", "logistic", "extreme"])
def test_times_until_an_event(distribution):
    X, y = data(4)
    table = xgboost.DMatrix(X)
    table.set_float_info("label_lower_bound", y)
    table.set_float_info("label_upper_bound", np.where(X[:, 0] > 1, np.inf, y))
    options = {
        "objective": "survival:aft", "aft_loss_distribution": distribution,
        "aft_loss_distribution_scale": 0.7, "max_depth": 5,
    }  # fmt: skip
    booster = xgboost.train(options, table, 1)
    tree = ol.read(booster)
    rows = many_rows(tree, X, edges=[0.0, -0.0, 1e-40, -3e38, 3e38])
    np.testing.assert_array_equal(tree.predict(rows), booster.predict(xgboost.DMatrix(rows)))


def test_a_forest_of_one_tree():
    X, y = data(5)
    model = xgboost.XGBRFRegressor(n_estimators=1, max_depth=6, random_state=0).fit(X, y)
    tree = ol.read(model)
    equals(tree, model, many_rows(tree, X, edges=KNOWN))


def test_an_objective_of_ones_own():
    """XGBoost then predicts the margin."""
    X, y = data(6)
    model = fitted(X, y, lambda true, margin: (margin - true, np.ones(len(true))))
    tree = ol.read(model)
    equals(tree, model, many_rows(tree, X, n=3000, edges=KNOWN))


@pytest.mark.parametrize("score", [0.0, -3.75, 1e-30, 12345.678])
def test_base_scores(score):
    X, y = data(7)
    model = fitted(X, y, base_score=score)
    equals(ol.read(model), model, X)


def test_constant_targets_and_names_with_categories():
    X, y = data(8)
    frame = pd.DataFrame({"größe (m)": X[:, 0], 'the "b"': pd.Categorical(np.arange(400) % 5)})
    model = fitted(frame, y + 3 * (np.arange(400) % 5 == 2), enable_categorical=True)
    tree = ol.read(model)
    assert tree.space.names == tuple(frame)
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(float), model.predict(frame))
    model = fitted(X, np.full(len(X), 2.5))
    tree = ol.read(model)
    assert tree.n_leaves == 1
    equals(tree, model, X)


def test_intervals_where_values_are_missing():
    X, y = data(9)
    model = fitted(X, y, max_depth=3)
    tree = ol.read(model)
    low, high, _ = tree.predict_interval([[np.nan] * 3])
    assert (low[0], high[0]) == (tree.classes[0], tree.classes[-1])
    assert set(np.unique(model.predict(X)).astype(float)) <= set(tree.classes)


def test_several_numbers_at_once():
    X, y = data(0)
    several = fitted(X, np.column_stack([y, y]))
    said = "predicts 2 numbers at once: only one can be read"
    with pytest.raises(UnreadableModel, match=said):
        ol.canonicalize(several)
    quantiles = xgboost.XGBRegressor(
        n_estimators=1, objective="reg:quantileerror", quantile_alpha=[0.2, 0.5]
    )
    with pytest.raises(UnreadableModel, match=said):
        ol.canonicalize(quantiles.fit(X, y))


def test_models_that_are_refused():
    X, y = data(0)
    with pytest.raises(UnreadableModel, match="XGBRegressor adds up 3 trees, and this needs one"):
        ol.read_many([fitted(X, y, n_estimators=3)])
    with pytest.raises(UnreadableModel, match="XGBRegressor is not fitted"):
        ol.read(xgboost.XGBRegressor())
    with pytest.raises(UnreadableModel, match="XGBRanker is not fitted"):
        ol.read(xgboost.XGBRanker())
    with pytest.raises(UnreadableModel, match="a booster 'gblinear' cannot be read"):
        ol.read(fitted(X, y, booster="gblinear", max_depth=None))
    hinge = fitted(X, y > 1, "binary:hinge")
    said = r"objective 'binary:hinge' cannot be read as one number: it must be one of 'reg:square"
    with pytest.raises(UnreadableModel, match=said):
        ol.canonicalize(hinge)
    assert ol.read(hinge.get_booster()).classes == (0, 1)
    with pytest.raises(UnreadableModel, match=r"treats 0.0 as missing: write NaN"):
        ol.read(fitted(X, y, missing=0.0))


def test_a_subclass_that_predicts_itself():
    class Doubled(xgboost.XGBRegressor):
        def predict(self, X, **options):
            return 2 * super().predict(X, **options)

    with pytest.raises(UnreadableModel, match=r"a Doubled has its own predict.*plain XGBRegressor"):
        ol.read(Doubled(n_estimators=1).fit(*data(0)))


def saved(objective="reg:squarederror"):
    model = fitted(*data(0), objective, max_depth=2)
    return json.loads(model.get_booster().save_raw("json"))


@pytest.mark.parametrize(
    ("objective", "leaf", "said"),
    [
        ("count:poisson", 1000.0, "a leaf predicts inf and must predict a finite number"),
        ("reg:squarederror", float("inf"), "a leaf predicts inf"),
        ("reg:squarederror", float("nan"), "is not a number"),
        ("reg:squarederror", "1e400", "a leaf predicts inf"),
    ],
)
def test_leaves_that_are_not_finite(objective, leaf, said):
    content = saved(objective)
    tree = content["learner"]["gradient_booster"]["model"]["trees"][0]
    tree["split_conditions"][tree["left_children"].index(-1)] = leaf
    with pytest.raises((InvalidTree, UnreadableModel), match=said):
        ol.read(json.dumps(content))


@pytest.mark.parametrize("score", ["nan", "inf", "[1,2]", "1e999", "", "x", "[]"])
def test_base_scores_of_a_file(score):
    content = saved()
    content["learner"]["learner_model_param"]["base_score"] = score
    with pytest.raises(UnreadableModel, match="is damaged"):
        ol.read(json.dumps(content))


def test_the_parameters_of_a_file_are_not_handed_on():
    """XGBoost gets its own defaults, so that a file cannot say what is loaded."""
    content = saved("reg:tweedie")
    before = ol.read(json.dumps(content))
    content["learner"]["objective"]["tweedie_regression_param"] = {"x": ["no such thing"] * 9}
    assert ol.read(json.dumps(content)) == before
