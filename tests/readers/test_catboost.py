"""CatBoost's trees: ours predicts what theirs does, to the last bit."""

import pickle

import numpy as np
import pandas as pd
import pytest
from neighbours import EDGES, many_rows
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import orderless as ol
from orderless.cli.mistakes import Mistake
from orderless.cli.models import load_model
from orderless.errors import UnreadableModel

catboost = pytest.importorskip(
    "catboost", reason="CatBoost comes with the extra orderless[sources]"
)

SHAPES = ("SymmetricTree", "Depthwise", "Lossguide")
LOSSES = (
    "RMSE", "MAE", "Quantile:alpha=0.3", "LogLinQuantile", "MAPE", "Poisson", "Huber:delta=1",
    "Tweedie:variance_power=1.5", "Expectile:alpha=0.3", "Lq:q=3", "LogCosh", "Cox",
)  # fmt: skip


def data(seed=0, missing=0.0, n=600):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] *= 10.0 ** rng.integers(-30, 4, n)
    y = np.abs(X[:, 0] + X[:, 1] ** 2 + (X[:, 2] > 0)) + 0.1
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


def fitted(X, y, kind=catboost.CatBoostRegressor, fit=None, **options):
    settings = {
        "iterations": 1, "depth": 5, "verbose": 0, "thread_count": 1, "random_seed": 0,
        "allow_writing_files": False,
    }  # fmt: skip
    return kind(**{**settings, **options}).fit(X, y, **(fit or {}))


def equals(tree, model, rows):
    ours = tree.predict(rows)
    assert not np.ma.is_masked(ours)
    np.testing.assert_array_equal(np.asarray(ours), model.predict(rows).ravel())


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("nan_mode", ["Min", "Max"])
def test_the_numbers_of_a_regressor(loss, nan_mode):
    X, y = data(missing=0.1)
    model = fitted(X, y, loss_function=loss, nan_mode=nan_mode)
    tree = ol.read(model, nan="value")
    assert tree.task == "regression"
    assert len(tree.classes) > 5
    equals(tree, model, many_rows(tree, X))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_every_shape_of_tree(shape, seed, tmp_path):
    X, y = data(seed, missing=0.1)
    loss = ["RMSE", "Poisson", "MAE"][seed]
    model = fitted(
        X, y, grow_policy=shape, loss_function=loss, nan_mode=["Max", "Min", "Max"][seed]
    )
    tree = ol.read(model, nan="value")
    equals(tree, model, many_rows(tree, X))
    path = tmp_path / "model.json"
    model.save_model(path, format="json")
    assert ol.read(path, nan="value") == tree == ol.read(path.read_text(), nan="value")
    assert ol.read(pickle.loads(pickle.dumps(model)), nan="value") == tree


@pytest.mark.parametrize("depth", [1, 9, 16])
def test_depths(depth):
    """A symmetric tree has 2 ** depth leaves; those that no row reaches are left out."""
    X, y = data(1, n=300)
    model = fitted(X, y, depth=depth)
    tree = ol.read(model)
    assert tree.kernel.n_dropped == 0
    assert tree.depth <= depth
    equals(tree, model, many_rows(tree, X, n=3000, edges=[x for x in EDGES if not np.isnan(x)]))


def test_missing_values_that_training_did_not_have():
    """They then go where the answer is no, in every mode."""
    X, y = data(2)
    rows = X.copy()
    rows[::3, 0] = rows[::4, 1] = np.nan
    for mode in ("Min", "Max", "Forbidden"):
        model = fitted(X, y, nan_mode=mode)
        equals(ol.read(model, nan="value"), model, rows)
        unknown = ol.read(model).predict(rows)
        known = ~np.ma.getmaskarray(unknown)
        assert 0 < known.sum() < len(rows)
        np.testing.assert_array_equal(unknown[known], model.predict(rows)[known])


def test_whether_a_value_is_known():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 1))
    X[rng.random(400) < 0.3] = np.nan
    model = fitted(X, np.isnan(X[:, 0]) * 5.0, depth=1)
    tree = ol.read(model, nan="value")
    assert tree.n_leaves == 2
    equals(tree, model, np.array(EDGES)[:, None])


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "labels",
    [[0, 1], [3, 7], ["no", "yes"], [False, True], [0.5, 1.5], [1.0, 2.0],
     [0, 1, 2], ["x", "ö'", "日本"], [0.5, 1.0, 2.0]],
    ids=str,
)  # fmt: skip
def test_classes(labels, shape, tmp_path):
    X, y = data(3)
    levels = [1.2] if len(labels) == 2 else [0.7, 1.6]
    model = fitted(
        X, np.array(labels)[np.digitize(y, levels)], catboost.CatBoostClassifier, grow_policy=shape
    )
    tree = ol.read(model)
    assert tree.task == "classification"
    assert list(tree.classes) == sorted(labels)
    assert {type(label) for label in tree.classes} == {type(labels[0])}
    assert len(set(tree.predict(X))) == len(labels)
    equals(tree, model, many_rows(tree, X, n=5000, edges=[0.0, -0.0, 1e300, -np.inf, np.inf]))
    model.save_model(tmp_path / "model.json", format="json")
    assert ol.read(tmp_path / "model.json") == tree


@pytest.mark.parametrize("loss", ["MultiClassOneVsAll", "CrossEntropy"])
def test_other_losses_of_classifiers(loss):
    X, y = data(4)
    target = np.digitize(y, [0.7, 1.6]) if loss != "CrossEntropy" else np.clip(y / 3, 0, 1)
    model = fitted(X, target, catboost.CatBoostClassifier, loss_function=loss)
    equals(ol.read(model), model, X)


def test_classes_that_are_named_and_classes_that_are_not_there():
    X, y = data(5)
    target = np.array(["x", "y", "z"])[np.digitize(y, [0.7, 1.6])]
    model = fitted(X, target, catboost.CatBoostClassifier, class_names=["z", "x", "y"])
    tree = ol.read(model)
    assert tree.classes == ("z", "x", "y")
    equals(tree, model, X)
    model = fitted(X, target, catboost.CatBoostClassifier, class_names=["w", "x", "y", "z"])
    assert ol.read(model).classes == ("x", "y", "z")
    equals(ol.read(model), model, X)
    codes = np.digitize(y, [0.7, 1.6]) * 2
    model = fitted(X, codes, catboost.CatBoostClassifier, classes_count=6)
    assert ol.read(model).classes == (0, 2, 4)
    equals(ol.read(model), model, X)


@pytest.mark.parametrize("threshold", [0.5, 0.3, 1 / 3, 0.9, 1e-9, 1 - 1e-9])
def test_probability_thresholds_and_leaves_beside_them(threshold):
    X, y = data(6)
    model = fitted(X, y > 1, catboost.CatBoostClassifier, depth=2)
    model.set_probability_threshold(threshold)
    n = len(model.get_leaf_values())
    border = -np.log(1 / threshold - 1)
    near = [border, np.nextafter(border, 99), np.nextafter(border, -99), border + 1e-15]
    model.set_leaf_values(np.resize(near, n))
    equals(ol.read(model), model, X)


def test_equal_outputs_go_to_the_first_class():
    X, y = data(7)
    model = fitted(X, np.digitize(y, [0.7, 1.6]), catboost.CatBoostClassifier, depth=2)
    n = len(model.get_leaf_values()) // 3
    ties = [[1, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1], [1, 0, 1]]
    model.set_leaf_values(np.resize(np.array(ties, dtype=float), 3 * n))
    equals(ol.read(model), model, X)


@pytest.mark.parametrize("scale", [0.3, -2.0, 1e-9])
def test_scale_and_bias(scale):
    X, y = data(8)
    model = fitted(X, y)
    model.set_scale_and_bias(scale, 0.7)
    equals(ol.read(model), model, X)


def test_rankers_and_plain_models():
    X, y = data(9)
    ranker = fitted(X, np.digitize(y, [1, 2]), catboost.CatBoostRanker, depth=4,
                    fit={"group_id": np.repeat(np.arange(60), 10)})  # fmt: skip
    equals(ol.read(ranker), ranker, X)
    # A plain CatBoost gives the raw number, whatever its loss is for.
    for loss, target in (("Poisson", y), ("Logloss", y > 1)):
        plain = catboost.CatBoost(
            {"iterations": 1, "verbose": 0, "loss_function": loss, "allow_writing_files": False}
        )
        plain.fit(X, target.astype(float))
        tree = ol.read(plain)
        assert tree.task == "regression"
        equals(tree, plain, X)


def wards(seed=0, n=800):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "ward": rng.choice(["Süd", "日本", "north 'A'", "b c"], n),
            "age (years)": rng.integers(18, 90, n).astype(float),
            "code": rng.integers(5, 9, n),
            "unused": rng.choice(list("pq"), n),
        }
    )
    stay = 2.0 * (frame["ward"] == "日本") + (frame["code"] == 6) + frame["age (years)"] / 50
    return frame, stay.to_numpy()


LABELS = {
    "ward": ["Süd", "日本", "north 'A'", "b c"], "age (years)": "float32", "code": [5, 6, 7, 8],
    "unused": ["p", "q"],
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_categories_that_a_space_lists(shape, tmp_path):
    """CatBoost keeps a hash of a category, and says which label has it."""
    frame, stay = wards()
    fit = {"cat_features": ["ward", "code", "unused"]}
    model = fitted(frame, stay, grow_policy=shape, one_hot_max_size=10, fit=fit)
    with pytest.raises(UnreadableModel, match=r"'ward' is the category of hash .*space=Space\("):
        ol.read(model)
    tree = ol.read(model, space=ol.Space(LABELS))
    assert {"ward", "code"} <= set(tree.features)
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(float), model.predict(frame))
    model.save_model(tmp_path / "model.json", format="json")
    assert ol.read(tmp_path / "model.json", space=ol.Space(LABELS)) == tree
    floats = ol.Space({**LABELS, "code": [5.5, 6.5]})
    with pytest.raises(UnreadableModel, match=r"does not take \[5.5, 6.5\] for categories"):
        ol.read(model, space=floats)
    wrong = ol.Space({**LABELS, "ward": ["Süd", "Japan"]})
    with pytest.raises(UnreadableModel, match=r"0 of 2 listed categories have it"):
        ol.read(model, space=wrong)


def test_categories_that_no_split_asks_about():
    frame, _ = wards()
    fit = {"cat_features": ["ward", "code", "unused"]}
    model = fitted(frame, frame["age (years)"], fit=fit, one_hot_max_size=10, depth=1)
    tree = ol.read(model)
    assert tree.features == ("age (years)",)
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(float), model.predict(frame))


def test_statistics_of_categories_are_refused():
    frame, stay = wards()
    fit = {"cat_features": ["ward", "code", "unused"]}
    model = fitted(frame, stay, one_hot_max_size=2, fit=fit)
    with pytest.raises(UnreadableModel, match=r"statistic of the targets.*one_hot_max_size"):
        ol.read(model)


def test_names_and_pipelines():
    frame, stay = wards()
    prepare = make_column_transformer(
        (OneHotEncoder(), ["ward", "code", "unused"]), (StandardScaler(), ["age (years)"])
    )
    regressor = catboost.CatBoostRegressor(
        iterations=1, depth=4, verbose=0, allow_writing_files=False
    )
    model = make_pipeline(prepare, regressor).fit(frame, stay)
    tree = ol.read(model)
    assert set(tree.space.names) == set(frame)
    np.testing.assert_array_equal(tree.predict(frame).to_numpy(float), model.predict(frame))
    X, y = data(0)
    named = fitted(pd.DataFrame(X, columns=["größe", 'the "b"', "c"]), y)
    assert ol.read(named).space.names == ("größe", 'the "b"', "c")
    assert ol.read(fitted(X, y)).space == ol.Space.numeric(["x0", "x1", "x2"], values="float32")
    assert [tree.task for tree in ol.read_many([named, named])] == ["regression"] * 2


def test_models_that_are_refused():
    X, y = data(0)
    with pytest.raises(UnreadableModel, match="adds up 3 trees, and this needs one"):
        ol.read_many([fitted(X, y, iterations=3)])
    with pytest.raises(UnreadableModel, match="CatBoostRegressor is not fitted"):
        ol.read(catboost.CatBoostRegressor())
    two = fitted(X, np.column_stack([y, y]), loss_function="MultiRMSE")
    with pytest.raises(UnreadableModel, match=r"predicts 2 numbers at once \(loss 'MultiRMSE'\)"):
        ol.read(two)
    unsure = fitted(X, y, loss_function="RMSEWithUncertainty")
    with pytest.raises(UnreadableModel, match="predicts 2 numbers at once"):
        ol.read(unsure)
    labels = np.column_stack([y > 1, y > 2]).astype(int)
    several = fitted(X, labels, catboost.CatBoostClassifier, loss_function="MultiLogloss")
    with pytest.raises(UnreadableModel, match="'MultiLogloss' cannot be read as one class per row"):
        ol.read(several)

    class Doubled(catboost.CatBoostRegressor):
        def predict(self, data, *args, **options):
            return 2 * super().predict(data, *args, **options)

    with pytest.raises(UnreadableModel, match=r"a Doubled has its own predict.*CatBoostRegressor"):
        ol.read(fitted(X, y, Doubled))


def test_text_features_are_refused():
    frame = pd.DataFrame({"note": ["well", "ill and tired"] * 40, "age": np.arange(80.0)})
    model = fitted(frame, np.arange(80) % 2, catboost.CatBoostClassifier,
                   fit={"text_features": ["note"]})  # fmt: skip
    with pytest.raises(UnreadableModel, match=r"cannot write this model as JSON.*text features"):
        ol.read(model)


def test_files_of_the_command_line(tmp_path):
    X, y = data(0)
    model = fitted(X, y)
    path = tmp_path / "model.json"
    model.save_model(path, format="json")
    assert load_model(path) == ol.read(model).kernel
    path = tmp_path / "model.cbm"
    model.save_model(path)
    with pytest.raises(UnreadableModel, match=r"'model.cbm' has CatBoost's binary.*format='json'"):
        ol.read(path)
    with pytest.raises(Mistake, match="has CatBoost's binary format"):
        load_model(path)
