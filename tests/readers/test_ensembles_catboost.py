"""CatBoost's ensembles: raw values equal to the last bit, and the same classes."""

import json

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel
from tests.neighbours import EDGES
from tests.slow_sums import added, hard_rows, labels_of, read_sum

catboost = pytest.importorskip(
    "catboost", reason="CatBoost comes with the extra orderless[sources]"
)

ROWS = 100_000
POLICIES = ("SymmetricTree", "Depthwise", "Lossguide")


def data(seed, n=500, missing=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] *= 10.0 ** rng.integers(-36, 4, n)
    score = X[:, 0] + X[:, 1] ** 2 + (X[:, 2] > 0) - 1.3 + 0.3 * rng.normal(size=n)
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, score


def classified(seed, n_classes):
    X, score = data(seed)
    return X, np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)


def options(**more):
    return {
        "iterations": 20, "depth": 4, "verbose": 0, "allow_writing_files": False,
        "random_seed": 0, "learning_rate": 0.4, "thread_count": 1, **more,
    }  # fmt: skip


def saved(model, tmp_path):
    path = tmp_path / "model.json"
    model.save_model(str(path), format="json")
    return path


def assert_same(ensemble, model, rows):
    total = added(ensemble, rows)
    theirs = np.reshape(model.predict(rows, prediction_type="RawFormulaVal"), total.shape)
    np.testing.assert_array_equal(total, theirs)
    if ensemble.classes:
        said = np.ravel(model.predict(rows, "Class"))
        np.testing.assert_array_equal(labels_of(ensemble, total), said)
    return total


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("loss", ["Logloss", "CrossEntropy", "MultiClass", "MultiClassOneVsAll"])
def test_classes(policy, loss):
    X, y = classified(1, 4 if loss.startswith("Multi") else 2)
    labels = np.array(["no", "yes", "peut-être", "nie"])[y] if loss != "CrossEntropy" else y
    model = catboost.CatBoostClassifier(
        loss_function=loss, grow_policy=policy, nan_mode="Max" if policy == "Depthwise" else "Min",
        **options(),
    ).fit(X, labels)  # fmt: skip
    ensemble = ol.read(model, nan="value")
    assert len(ensemble.trees) == 20
    assert ensemble.classes == tuple(model.classes_.tolist())
    full = policy == "SymmetricTree" and loss in ("Logloss", "MultiClass")
    assert_same(ensemble, model, hard_rows(ensemble, X, ROWS if full else ROWS // 10, EDGES))


@pytest.mark.parametrize("seed", range(12))
def test_random_parameters(seed):
    rng = np.random.default_rng(seed)
    X, score = data(seed, n=int(rng.integers(60, 600)), missing=bool(rng.integers(2)))
    n_classes = int(rng.integers(2, 5))
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    policy = str(rng.choice(POLICIES))
    more = {
        "iterations": int(rng.integers(1, 40)),
        "depth": int(rng.integers(1, 7)),
        "learning_rate": float(rng.choice([0.03, 0.3, 1.0])),
        "border_count": int(rng.choice([1, 7, 254])),
        "l2_leaf_reg": float(rng.choice([0.1, 3.0])),
        "nan_mode": str(rng.choice(["Min", "Max"])),
        "bootstrap_type": str(rng.choice(["Bayesian", "Bernoulli", "No"])),
        "grow_policy": policy,
    }
    if policy == "SymmetricTree" and rng.random() < 0.3:
        more["boosting_type"] = "Ordered"
    if rng.random() < 0.3:
        target = 10.0 ** rng.integers(-3, 4) * score
        model = catboost.CatBoostRegressor(**options(**more)).fit(X, target)
    else:
        model = catboost.CatBoostClassifier(**options(**more)).fit(X, y)
    ensemble = read_sum(model, nan="value")
    rows = hard_rows(ensemble, X, 6000, EDGES) if ensemble.features else X
    assert_same(ensemble, model, rows)


@pytest.mark.parametrize("policy", POLICIES[:2])
@pytest.mark.parametrize(
    "loss", ["RMSE", "MAE", "Quantile:alpha=0.3", "Poisson", "Tweedie:variance_power=1.5"]
)
def test_numbers(policy, loss, tmp_path):
    X, score = data(2)
    model = catboost.CatBoostRegressor(loss_function=loss, grow_policy=policy, **options())
    model.fit(X, np.exp(0.3 * score))
    ensemble = ol.read(model, nan="value")
    assert ensemble.kernel.rule.kind == "number"
    rows = hard_rows(ensemble, X, 10_000, EDGES)
    total = assert_same(ensemble, model, rows)[:, 0]
    if ensemble.kernel.link == "exp":
        np.testing.assert_allclose(np.exp(total), model.predict(rows), rtol=1e-14)
        plain = catboost.CatBoost().load_model(str(saved(model, tmp_path)), format="json")
        assert ol.read(plain).kernel.link == "identity"
    else:
        np.testing.assert_array_equal(total, model.predict(rows))
    read = ol.read(saved(model, tmp_path), nan="value")
    np.testing.assert_array_equal(added(read, rows)[:, 0], total)
    assert read.kernel.link == ensemble.kernel.link


@pytest.mark.parametrize("n_trees", [1, 2, 3, 5, 333])
@pytest.mark.parametrize("n_rows", [1, 3, 17, 500])
def test_the_order_does_not_depend_on_the_number_of_rows(n_trees, n_rows):
    """CatBoost takes rows in blocks and trees by four, which is the same order for each row."""
    X, score = data(n_trees)
    for depth in (3, 9):
        model = catboost.CatBoostRegressor(**options(iterations=n_trees, depth=depth))
        model.fit(X, score + 100)
        assert_same(read_sum(model, nan="value"), model, X[:n_rows])


@pytest.mark.parametrize("threshold", [0.2, 0.7])
def test_a_threshold_of_the_probability(threshold):
    X, y = classified(3, 2)
    model = catboost.CatBoostClassifier(**options()).fit(X, y)
    model.set_probability_threshold(threshold)
    ensemble = ol.read(model, nan="value")
    assert_same(ensemble, model, hard_rows(ensemble, X, 20_000, EDGES))


@pytest.mark.parametrize("scale", [2.0, 0.25, -1.0])
def test_scales_that_do_not_round(scale):
    X, y = classified(3, 2)
    model = catboost.CatBoostClassifier(**options()).fit(X, y)
    model.set_scale_and_bias(scale, 0.3)
    assert_same(ol.read(model, nan="value"), model, X)


def test_best_model():
    X, y = classified(4, 3)
    model = catboost.CatBoostClassifier(**options(iterations=100, use_best_model=True))
    model.fit(X[:250], y[:250], eval_set=(X[250:], y[250:]))
    assert model.tree_count_ < 100
    ensemble = ol.read(model, nan="value")
    assert len(ensemble.trees) == model.tree_count_
    assert_same(ensemble, model, X)


def test_categories_by_their_labels():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, 400),
            "colour": rng.choice(["red", "green", "bleu clair"], 400),
            "size": rng.choice(["s", "m"], 400),
        }
    )
    y = ((frame["colour"] == "red") ^ (frame["age"] > 45)).astype(int)
    model = catboost.CatBoostClassifier(
        cat_features=["colour", "size"], one_hot_max_size=5, **options()
    ).fit(frame, y)
    space = ol.Space(
        {"age": "numeric", "colour": ["red", "green", "bleu clair"], "size": ["s", "m"]}
    )
    ensemble = ol.read(model, space=space)
    assert_same(ensemble, model, frame)
    with pytest.raises(UnreadableModel, match="CatBoost keeps only hashes"):
        ol.read(model)


def test_through_a_pipeline():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"colour": rng.choice(list("rgbk"), 400), "age": rng.normal(40, 10, 400)})
    y = (frame["colour"].isin(["r", "k"]) ^ (frame["age"] > 45)).astype(int)
    prepare = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["colour"]), (StandardScaler(), ["age"])
    )
    model = make_pipeline(prepare, catboost.CatBoostClassifier(**options())).fit(frame, y)
    ensemble = ol.read(model)
    assert ensemble.features == ("colour", "age")
    total = added(ensemble, frame)
    theirs = model[-1].predict(model[:-1].transform(frame), prediction_type="RawFormulaVal")
    np.testing.assert_array_equal(total[:, 0], theirs)


def test_refusals(tmp_path):
    X, y = classified(0, 3)
    with pytest.raises(UnreadableModel, match="is not fitted"):
        ol.read(catboost.CatBoostClassifier())
    model = catboost.CatBoostRegressor(**options()).fit(X, y)
    model.set_scale_and_bias(0.3, 0.0)
    with pytest.raises(UnreadableModel, match=r"multiplies its sum by 0\.3"):
        ol.read(model)
    several = catboost.CatBoostRegressor(loss_function="MultiRMSE", **options())
    with pytest.raises(UnreadableModel, match="predicts 2 numbers at once"):
        ol.read(several.fit(X, np.stack([y, 2 * y], axis=1)))
    frame = pd.DataFrame({"city": [f"c{i % 40}" for i in range(500)], "x": X[:, 0]})
    counted = catboost.CatBoostClassifier(cat_features=["city"], **options()).fit(frame, y > 1)
    with pytest.raises(UnreadableModel):
        ol.read(counted)
    path = tmp_path / "model.cbm"
    model.save_model(str(path))
    with pytest.raises(UnreadableModel, match="CatBoost's binary format"):
        ol.read(path)


def test_damaged_files(tmp_path):
    X, y = classified(0, 3)
    text = saved(catboost.CatBoostClassifier(**options(iterations=3)).fit(X, y), tmp_path)
    text = text.read_text(encoding="utf-8")

    def changed(change):
        content = json.loads(text)
        change(content)
        return json.dumps(content)

    def tree(content):
        return content["oblivious_trees"][1]

    for change in [
        lambda content: content.update(oblivious_trees=[]),
        lambda content: content.update(scale_and_bias=[1, [0]]),
        lambda content: content.update(scale_and_bias=[0, [0, 0, 0]]),
        lambda content: content.update(scale_and_bias=["x", [0, 0, 0]]),
        lambda content: tree(content).pop("leaf_values"),
        lambda content: tree(content).update(leaf_values=[1e309]),
        lambda content: tree(content)["leaf_values"].pop(),
        lambda content: tree(content)["splits"].pop(),
        lambda content: tree(content)["splits"][0].update(float_feature_index=9),
        lambda content: tree(content)["splits"][0].update(border="x"),
        lambda content: tree(content).update(splits=tree(content)["splits"] * 20),
    ]:
        with pytest.raises((UnreadableModel, InvalidTree)):
            ol.read(changed(change))
