"""LightGBM's ensembles: scores equal to the last bit, and the same classes."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel
from tests.neighbours import EDGES
from tests.slow_sums import added, hard_rows, labels_of, read_sum, within_window

lightgbm = pytest.importorskip(
    "lightgbm", reason="LightGBM comes with the extra orderless[sources]"
)

ROWS = 100_000
KINDS = {
    "gbdt": {},
    "goss": {"data_sample_strategy": "goss"},
    "dart": {"boosting_type": "dart", "drop_rate": 0.3},
    "rf": {"boosting_type": "rf", "subsample": 0.6, "subsample_freq": 1},
}
NUMBERS = {  # objective -> what becomes of a score
    "regression": "identity",
    "regression_l1": "identity",
    "huber": "identity",
    "fair": "identity",
    "quantile": "identity",
    "mape": "identity",
    "poisson": "exp",
    "gamma": "exp",
    "tweedie": "exp",
    "cross_entropy": "logistic",
}


def data(seed, n=500, missing=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    X[:, 1] = np.round(X[:, 1], 1)
    X[:, 2] *= 10.0 ** rng.integers(-40, 4, n)
    score = np.nan_to_num(X[:, 0] + X[:, 1] ** 2 + (X[:, 2] > 0) - 1.3 + 0.3 * rng.normal(size=n))
    if missing:
        X[rng.random(X.shape) < 0.1] = np.nan
    return X, score


def options(kind, **more):
    return {
        "n_estimators": 20, "num_leaves": 9, "min_child_samples": 5, "verbose": -1,
        "random_state": 0, "n_jobs": 1, **KINDS[kind], **more,
    }  # fmt: skip


def classified(seed, n_classes):
    X, score = data(seed)
    return X, np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)


def assert_same(ensemble, model, rows, least_sure=0.99):
    total = added(ensemble, rows)
    theirs = model.predict(rows, raw_score=True).reshape(len(rows), -1)
    np.testing.assert_array_equal(total, theirs)
    if ensemble.task == "regression":
        return total
    said = model.predict(rows)
    if isinstance(model, lightgbm.Booster):
        said = said > 0.5 if said.ndim == 1 else said.argmax(axis=1)
    sure = ~within_window(ensemble, total)
    assert sure.mean() >= least_sure
    np.testing.assert_array_equal(labels_of(ensemble, total)[sure], said[sure])
    return total


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("objective", ["binary", "multiclass", "multiclassova"])
def test_classes(kind, objective):
    X, y = classified(len(kind), 2 if objective == "binary" else 4)
    names = np.array(["no", "yes", "peut-être", "nie"])
    model = lightgbm.LGBMClassifier(objective=objective, **options(kind)).fit(X, names[y])
    ensemble = ol.read(model, nan="value")
    assert ensemble.classes == tuple(sorted(set(names[y])))
    assert (ensemble.kernel.adding.divisor == 20) == (kind == "rf")
    rows = hard_rows(ensemble, X, ROWS if kind in ("gbdt", "rf") else ROWS // 10, EDGES)
    assert_same(ensemble, model, rows)
    booster = ol.read(model.booster_, nan="value")
    assert booster.classes == tuple(range(len(ensemble.classes)))
    assert booster.trees == ensemble.trees
    assert_same(booster, model.booster_, rows[:5000])


@pytest.mark.parametrize("seed", range(16))
def test_random_parameters(seed):
    rng = np.random.default_rng(seed)
    X, score = data(seed, n=int(rng.integers(60, 600)), missing=bool(rng.integers(2)))
    n_classes = int(rng.integers(2, 5))
    y = np.searchsorted(np.quantile(score, np.arange(1, n_classes) / n_classes), score)
    several = str(rng.choice(["multiclass", "multiclassova"]))
    more = {
        "n_estimators": int(rng.integers(1, 40)),
        "num_leaves": int(rng.integers(2, 30)),
        "learning_rate": float(rng.choice([0.03, 0.3, 1.0])),
        "min_child_samples": int(rng.choice([1, 5, 20])),
        "min_sum_hessian_in_leaf": float(rng.choice([0.0, 1e-3])),
        "max_bin": int(rng.choice([3, 16, 255])),
        "min_data_in_bin": int(rng.choice([1, 3])),
        "feature_fraction": float(rng.choice([0.5, 1.0])),
        "extra_trees": bool(rng.integers(2)),
        "path_smooth": float(rng.choice([0.0, 2.0])),
        "use_missing": bool(rng.integers(4)),
        "zero_as_missing": bool(rng.random() < 0.2),
        "boost_from_average": bool(rng.integers(2)),
    }
    chosen = options(str(rng.choice(list(KINDS))), **more)
    if rng.random() < 0.3:
        model = lightgbm.LGBMRegressor(**chosen).fit(X, 10.0 ** rng.integers(-3, 4) * score)
    else:
        objective = "binary" if n_classes == 2 else several
        model = lightgbm.LGBMClassifier(objective=objective, **chosen).fit(X, y)
    ensemble = read_sum(model, nan="value")
    # One against all has a wide window where its scores can be large.
    least_sure = 0.0 if ensemble.kernel.link == "logistic" and n_classes > 2 else 0.99
    rows = hard_rows(ensemble, X, 6000, EDGES) if ensemble.features else X
    assert_same(ensemble, model, rows, least_sure)


@pytest.mark.parametrize("kind", ["gbdt", "rf"])
@pytest.mark.parametrize("objective", NUMBERS)
def test_numbers(kind, objective):
    X, score = data(3)
    y = 1 / (1 + np.exp(-score)) if objective == "cross_entropy" else np.exp(0.3 * score)
    model = lightgbm.LGBMRegressor(objective=objective, **options(kind)).fit(X, y)
    ensemble = ol.read(model, nan="value")
    assert (ensemble.kernel.rule.kind, ensemble.kernel.link) == ("number", NUMBERS[objective])
    rows = hard_rows(ensemble, X, 10_000, EDGES)
    score = assert_same(ensemble, model, rows)[:, 0] / ensemble.kernel.adding.divisor
    if ensemble.kernel.link == "identity":
        np.testing.assert_array_equal(score, model.predict(rows))
    else:
        linked = np.exp(score) if ensemble.kernel.link == "exp" else 1 / (1 + np.exp(-score))
        np.testing.assert_allclose(linked, model.predict(rows), rtol=1e-14)


def test_ranking():
    X, y = classified(5, 4)
    for objective in ("lambdarank", "rank_xendcg"):
        model = lightgbm.LGBMRanker(objective=objective, **options("gbdt"))
        model.fit(X, y, group=[100] * 5)
        ensemble = ol.read(model, nan="value")
        rows = hard_rows(ensemble, X, 5000, EDGES)
        total = assert_same(ensemble, model, rows)
        np.testing.assert_array_equal(total[:, 0], model.predict(rows))


@pytest.mark.parametrize("sigmoid", [0.3, 1.0, 7.0])
@pytest.mark.parametrize("kind", ["gbdt", "rf"])
def test_two_classes_part_where_lightgbm_says(sigmoid, kind):
    """Leaves that add up to the very cut, and to the floats beside it."""
    X, y = classified(1, 2)
    model = lightgbm.LGBMClassifier(sigmoid=sigmoid, **options(kind, n_estimators=3)).fit(X, y)
    assert_same(ol.read(model, nan="value"), model, X)
    cut = ol.read(model).kernel.rule.cuts[0]
    text = model.booster_.model_to_string()
    assert text.count("\nleaf_value=") == 3
    at = cut
    lines, first = [], True
    for line in text.split("\n"):
        if line.startswith("leaf_value="):
            values = ["0"] * len(line.split(" "))
            if first:
                for i in range(len(values)):
                    values[i] = repr(float(at))
                    at = np.nextafter(at, np.inf if i % 2 else -np.inf) + (i % 3 - 1) * 5e-17
            first, line = False, "leaf_value=" + " ".join(values)
        lines.append(line)
    changed = "\n".join(line for line in lines if not line.startswith("tree_sizes="))
    booster = lightgbm.Booster(model_str=changed)
    ensemble = ol.read(changed, nan="value")
    total = assert_same(ensemble, booster, X)
    assert len(np.unique(total)) > 3


def test_categories_and_names():
    rng = np.random.default_rng(0)
    n = 600
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "colour": pd.Categorical(rng.choice(list("rgbkyäö"), n)),
            "size": pd.Categorical(rng.integers(10, 30, n)),
        }
    )
    y = (frame["colour"].isin(["r", "ä"]) ^ (frame["size"].astype(int) % 3 == 0)).astype(int)
    frame = frame.mask(rng.random(frame.shape) < 0.05)
    model = lightgbm.LGBMClassifier(**options("gbdt", max_cat_to_onehot=2)).fit(frame, y)
    ensemble = ol.read(model, nan="value")
    assert ensemble.space.names == ("age", "colour", "size")
    assert_same(ensemble, model, frame)


@pytest.mark.parametrize("missing", [True, False])
def test_zero_as_missing(missing):
    X, score = data(2, missing=missing)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = 0.0
    model = lightgbm.LGBMClassifier(zero_as_missing=True, **options("gbdt", num_leaves=6))
    model.fit(X, score > 0)
    ensemble = ol.read(model, nan="value")
    assert_same(ensemble, model, hard_rows(ensemble, X, 10_000, EDGES))


@pytest.mark.filterwarnings("ignore:The argument 'eval_set' is deprecated")
def test_early_stopping_and_files(tmp_path):
    X, y = classified(4, 3)
    model = lightgbm.LGBMClassifier(**options("gbdt", n_estimators=100, learning_rate=0.5))
    stop = lightgbm.early_stopping(5, verbose=False)
    model.fit(X[:250], y[:250], eval_set=[(X[250:], y[250:])], callbacks=[stop])
    assert model.best_iteration_ < 50
    ensemble = ol.read(model, nan="value")
    assert len(ensemble.trees) == 3 * model.best_iteration_
    rows = hard_rows(ensemble, X, 10_000, EDGES)
    assert_same(ensemble, model, rows)
    path = tmp_path / "model.txt"
    model.booster_.save_model(path)
    read = ol.read(path, nan="value")
    assert_same(read, lightgbm.Booster(model_file=path), rows)
    assert read.trees == ensemble.trees
    halves = [lightgbm.Dataset(X[part], y[part]) for part in (slice(250), slice(250, None))]
    booster = lightgbm.train(
        {"objective": "multiclass", "num_class": 3, "learning_rate": 0.5, "verbose": -1},
        halves[0], 50, [halves[1]], callbacks=[stop], keep_training_booster=True,
    )  # fmt: skip
    assert booster.best_iteration < booster.current_iteration()
    assert_same(ol.read(booster, nan="value"), booster, rows)


def test_sigmoids_that_are_all_one():
    """One against all, of which the probabilities are so close to 1 that they are equal."""
    X, y = classified(0, 3)
    model = lightgbm.LGBMClassifier(
        objective="multiclassova", **options("gbdt", n_estimators=60, learning_rate=1.5)
    ).fit(np.nan_to_num(X), y)
    ensemble = ol.read(model, nan="value")
    text = model.booster_.model_to_string()
    rows = hard_rows(ensemble, np.nan_to_num(X), 20_000, EDGES)
    total = added(ensemble, rows)
    sure = ~within_window(ensemble, total)
    assert (labels_of(ensemble, total)[sure] == model.predict(rows)[sure]).all()
    # The same with scores a hundred times as large.
    lines = []
    for line in text.split("\n"):
        if line.startswith("leaf_value="):
            numbers = [float(word) for word in line.partition("=")[2].split(" ")]
            line = "leaf_value=" + " ".join(repr(100 * abs(number)) for number in numbers)
        if not line.startswith("tree_sizes="):
            lines.append(line)
    booster = lightgbm.Booster(model_str="\n".join(lines))
    ensemble = ol.read("\n".join(lines), nan="value")
    total = added(ensemble, rows)
    said = booster.predict(rows).argmax(axis=1)
    assert (said != total.argmax(axis=1)).any()
    sure = ~within_window(ensemble, total)
    assert (labels_of(ensemble, total)[sure] == said[sure]).all()


def test_through_a_pipeline():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"colour": rng.choice(list("rgbk"), 400), "age": rng.normal(40, 10, 400)})
    y = (frame["colour"].isin(["r", "k"]) ^ (frame["age"] > 45)).astype(int)
    prepare = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["colour"]), (StandardScaler(), ["age"])
    ).set_output(transform="pandas")
    model = make_pipeline(prepare, lightgbm.LGBMClassifier(**options("gbdt"))).fit(frame, y)
    ensemble = ol.read(model)
    assert ensemble.features == ("colour", "age")
    total = added(ensemble, frame)
    theirs = model[-1].predict(model[:-1].transform(frame), raw_score=True)
    np.testing.assert_array_equal(total[:, 0], theirs)


def squared(y, score):
    return score - y, np.ones_like(y)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"linear_tree": True}, "linear_tree=False"),
        ({"objective": squared}, "an objective of your own"),
        ({"reg_sqrt": True}, "the signed square of a sum"),
        ({"objective": "cross_entropy_lambda"}, r"log\(1 \+ exp\) of a sum"),
        ({"pred_early_stop": True}, "does not ask all trees"),
    ],
)
def test_refusals(more, message):
    X, score = data(0, missing=False)
    model = lightgbm.LGBMRegressor(**options("gbdt", **more)).fit(X, 1 / (1 + np.exp(-score)))
    with pytest.raises(UnreadableModel, match=message):
        ol.read(model)


def test_refusals_of_classifiers():
    X, y = classified(0, 2)
    with pytest.raises(UnreadableModel, match="is not fitted"):
        ol.read(lightgbm.LGBMClassifier())
    two = lightgbm.LGBMClassifier(objective="multiclass", num_class=2, **options("gbdt"))
    with pytest.raises(UnreadableModel, match="does not make one class per row"):
        ol.read(two.fit(X, y))
    own = lightgbm.train(
        {"objective": lambda score, table: squared(table.get_label(), score), "verbose": -1},
        lightgbm.Dataset(X, y), 3,
    )  # fmt: skip
    with pytest.raises(UnreadableModel, match="an objective of your own"):
        ol.read(own)


def test_damaged_files():
    X, y = classified(0, 3)
    text = lightgbm.LGBMClassifier(**options("gbdt", n_estimators=2)).fit(X, y).booster_
    text = text.model_to_string()
    for old, new in [
        ("version=v4", "version=v9"),
        ("version=v4", "version="),
        ("num_tree_per_iteration=3", "num_tree_per_iteration=4"),
        ("num_tree_per_iteration=3", "num_tree_per_iteration=1"),
        ("num_tree_per_iteration=3", "num_tree_per_iteration=0"),
        ("num_tree_per_iteration=3", "num_tree_per_iteration=1000000000"),
        ("num_leaves=9", "num_leaves=1000000000"),
        ("\nTree=1\n", "\nTree 1\n"),
        ("\nend of trees", "\nTree=6\nend of trees"),
        ("objective=multiclass num_class:3", "objective=regression"),
        ("objective=multiclass num_class:3", "objective=multiclassova num_class:3"),
        ("objective=multiclass num_class:3", "objective=something new"),
    ]:
        assert old in text
        with pytest.raises((UnreadableModel, InvalidTree)):
            ol.read(text.replace(old, new, 1))
    huge = text.replace("leaf_value=", "leaf_value=1e308 ", 6)
    with pytest.raises((UnreadableModel, InvalidTree)):
        ol.read(huge)


def test_counts_of_classes_that_contradict_each_other_are_refused():
    X = np.arange(30.0)[:, None]
    model = lightgbm.LGBMClassifier(n_estimators=2, min_child_samples=1, verbose=-1)
    text = model.fit(X, np.arange(30) % 3).booster_.model_to_string()
    assert ol.read(text).classes == (0, 1, 2)
    for old, new in (("\nnum_class=3", "\nnum_class=x"), ("\nnum_class=3", "\nnum_class=2"),
                     ("multiclass num_class:3", "multiclass num_class:4"),
                     ("multiclass num_class:3", "multiclass")):  # fmt: skip
        assert old in text
        with pytest.raises(UnreadableModel, match=r"num_class|'x'"):
            ol.read(text.replace(old, new, 1))
