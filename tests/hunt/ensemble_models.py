"""Programs that fit small models of many trees, of every library, and the cuts that these make."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from random import Random
from typing import Any

import numpy as np

Options = dict[str, Any]
LIBRARIES = ["sklearn", *(name for name in ("xgboost", "lightgbm", "catboost") if find_spec(name))]
NUMBERS: list[list[float]] = [
    [0, 1], [0, 1, 2], [0.1, 0.2, 0.30000000000000004], [1.0, 1.0000001, 1.0000002],
    [16777216, 16777217, 16777219], [-1, 0, 1], [2.45, 2.4499998, 1.7], [1e-3, 2.5, 1e6],
    [-0.0, 1e-45, 1e-40], [1e30, -3e38, 1e-30], [5, 6, 7, 8],
]  # fmt: skip
WORDS: list[list[str]] = [["red", "blue", "green"], ["x", "y"], ["a b", "c,d", '"q"'], ["1", "2"]]
NAMES = ["a b", 'say "hi"', "it's", "naïve", "東京", "age", "x <= 5", "n", "E"]
LABELS: list[list[Any]] = [
    [0, 1], ["no", "yes"], ["a", "b", "c"], [3, 7], [0, 1, 2, 3], ["é", "b c", "'"], [False, True],
]  # fmt: skip


def program(name: str, module: str, given: Options) -> str:
    options = ", ".join(f"{key}={value!r}" for key, value in given.items())
    return f"from {module} import {name}\nmodel = {name}({options})"


def sklearn_model(rng: Random, number: bool) -> str:
    """Of scikit-learn; nested models are written out."""
    n, depth, seed = rng.randint(1, 5), rng.randint(1, 2), rng.randint(0, 99)
    common = f"max_depth={depth}, random_state={seed}"
    end = "Regressor" if number else "Classifier"
    forest = f"{rng.choice(['RandomForest', 'ExtraTrees'])}{end}({n}, {common})"
    rate = rng.choice([1.0, 0.5, 0.1])
    loss = rng.choice(["squared_error", "absolute_error", "huber"]) if number else "log_loss"
    boosted = (
        f"GradientBoosting{end}(n_estimators={n}, learning_rate={rate}, loss={loss!r}, {common})"
    )
    loss = rng.choice(["squared_error", "poisson", "gamma"]) if number else "log_loss"
    hist = (
        f"HistGradientBoosting{end}(max_iter={n}, learning_rate={rate}, min_samples_leaf=1, "
        f"loss={loss!r}, early_stopping=False, {common})"
    )
    one = f"DecisionTree{end}({common})"
    bagged = (
        f"Bagging{end}({rng.choice([one, one, forest])}, n_estimators={n}, random_state={seed}, "
        f"max_features={rng.choice([1.0, 0.6])}, bootstrap={rng.random() < 0.7})"
    )
    weights = rng.choice([None, None, [1, 2], [0.1, 0.7], [3, 3]])
    if number:
        voting = f"VotingRegressor([('a', {forest}), ('b', {one})], weights={weights!r})"
        return rng.choice([forest, forest, boosted, hist, bagged, voting, one])
    voting = rng.choice([
        f"VotingClassifier([('a', {forest}), ('b', {forest})], voting='soft', weights={weights!r})",
        f"VotingClassifier([('a', {one}), ('b', ExtraTreeClassifier(max_depth=1))], voting='hard', "
        f"weights={weights!r})",
    ])  # fmt: skip
    ada = f"AdaBoostClassifier({one}, n_estimators={n}, random_state={seed})"
    return rng.choice([forest, forest, boosted, hist, hist, bagged, voting, ada, one])


IMPORTS = (
    "from sklearn.ensemble import *\n"
    "from sklearn.tree import *\n"
    "from sklearn.pipeline import make_pipeline\n"
    "from sklearn.compose import make_column_transformer\n"
    "from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler\n"
)


def xgboost_model(rng: Random, number: bool, kinds: int) -> str:
    given: Options = {
        "n_estimators": rng.randint(1, 4), "max_depth": rng.randint(1, 2), "n_jobs": 1,
        "tree_method": rng.choice(["exact", "hist", "approx"]), "min_child_weight": 0,
        "learning_rate": rng.choice([1.0, 0.3]), "reg_lambda": rng.choice([0, 1]),
    }  # fmt: skip
    if rng.random() < 0.25:
        given |= {"booster": "dart", "rate_drop": 0.5, "random_state": rng.randint(0, 9)}
    if rng.random() < 0.15:
        given["num_parallel_tree"] = 2
        given["subsample"] = 0.8
    if rng.random() < 0.3:
        given["base_score"] = rng.choice([0.5, 0.3, 0.8])
    if number:
        given["objective"] = rng.choice(
            ["reg:squarederror", "reg:absoluteerror", "reg:gamma", "count:poisson", "reg:tweedie",
             "reg:squaredlogerror"])  # fmt: skip
        return program("XGBRegressor", "xgboost", given)
    if kinds > 2 and rng.random() < 0.5:
        given["objective"] = rng.choice(["multi:softprob", "multi:softmax"])
    if rng.random() < 0.1 and "booster" not in given:
        del given["learning_rate"]
        given["n_estimators"] = 3
        return program("XGBRFClassifier", "xgboost", given)
    return program("XGBClassifier", "xgboost", given)


def lightgbm_model(rng: Random, number: bool, kinds: int) -> str:
    given: Options = {
        "n_estimators": rng.randint(1, 4), "num_leaves": rng.randint(2, 4), "min_child_samples": 1,
        "min_data_in_bin": 1, "min_child_weight": 0.0, "min_data_per_group": 1, "cat_smooth": 0.0,
        "max_cat_to_onehot": rng.choice([1, 4]), "verbose": -1, "n_jobs": 1,
        "learning_rate": rng.choice([1.0, 0.3, 0.1]), "zero_as_missing": rng.random() < 0.1,
        "use_missing": rng.random() < 0.9, "random_state": rng.randint(0, 9),
    }  # fmt: skip
    kind = rng.choice(["gbdt", "gbdt", "dart", "rf", "goss"])
    given["boosting_type"] = kind
    if kind == "rf":
        given |= {"bagging_freq": 1, "bagging_fraction": 0.7}
    if number:
        given["objective"] = rng.choice(
            ["regression", "l1", "huber", "poisson", "gamma", "tweedie"]
        )
        return program("LGBMRegressor", "lightgbm", given)
    if kinds > 2 and rng.random() < 0.3:
        given["objective"] = "multiclassova"
    return program("LGBMClassifier", "lightgbm", given)


def catboost_model(rng: Random, number: bool, kinds: int) -> str:
    given: Options = {
        "iterations": rng.randint(1, 4), "depth": rng.randint(1, 2), "verbose": 0,
        "learning_rate": rng.choice([1.0, 0.3]), "allow_writing_files": False, "thread_count": 1,
        "random_seed": rng.randint(0, 9), "border_count": 4, "one_hot_max_size": 10,
    }  # fmt: skip
    policy = rng.choice(["SymmetricTree", "SymmetricTree", "Depthwise", "Lossguide"])
    given["grow_policy"] = policy
    if policy == "Lossguide":
        given["max_leaves"] = 4
    if number:
        given["loss_function"] = rng.choice(
            ["RMSE", "Poisson", "MAE", "Tweedie:variance_power=1.5"]
        )
        return program("CatBoostRegressor", "catboost", given)
    if kinds > 2 and rng.random() < 0.3:
        given["loss_function"] = "MultiClassOneVsAll"
    return program("CatBoostClassifier", "catboost", given)


MODELS: dict[str, Callable[[Random, bool, int], str]] = {
    "sklearn": lambda rng, number, kinds: f"{IMPORTS}model = {sklearn_model(rng, number)}",
    "xgboost": xgboost_model,
    "lightgbm": lightgbm_model,
    "catboost": catboost_model,
}


def cuts_of(model: Any) -> set[float]:
    """All numbers that a model compares with, whatever the feature."""
    return set(_cuts(model))


def _cuts(model: Any) -> Iterator[float]:
    kind = type(model).__module__.partition(".")[0]
    if hasattr(model, "steps"):
        yield from _cuts(model.steps[-1][1])
    elif kind == "xgboost":
        content = json.loads(model.get_booster().save_raw("json"))["learner"]["gradient_booster"]
        inner = content.get("gbtree", content)["model"]["trees"]
        for tree in inner:
            yield from (float(one) for one in tree["split_conditions"])
    elif kind == "lightgbm":
        table = model.booster_.trees_to_dataframe()["threshold"].dropna()
        yield from (float(one) for one in table if not isinstance(one, str) or number_like(one))
    elif kind == "catboost":
        for one in model.get_borders().values():
            yield from map(float, one)
    elif hasattr(model, "_predictors"):
        for stage in model._predictors:
            for tree in stage:
                yield from map(float, tree.nodes["num_threshold"])
    elif hasattr(model, "estimators_"):
        for one in np.array(model.estimators_, dtype=object).ravel():
            yield from _cuts(one)
    else:
        yield from map(float, model.tree_.threshold)


def number_like(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
