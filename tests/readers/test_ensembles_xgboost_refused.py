"""What is refused of XGBoost's ensembles: what is not a sum of trees, and damaged files."""

import json

import numpy as np
import pytest
from sklearn.compose import TransformedTargetRegressor

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel
from tests.readers.test_ensembles_xgboost import data, one_thread, xgboost  # noqa: F401


def saved_model(**options):
    X, score = data(0)
    y = np.searchsorted(np.quantile(score, [0.3, 0.6]), score)
    model = xgboost.XGBClassifier(n_estimators=2, max_depth=2, **options).fit(X, y)
    return json.loads(model.get_booster().save_raw("json").decode())


def changed(saved, *path, value):
    inside = saved
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = value
    return json.dumps(saved)


def test_refusals():
    X, score = data(0)
    linear = xgboost.XGBRegressor(booster="gblinear", n_estimators=2).fit(np.nan_to_num(X), score)
    with pytest.raises(UnreadableModel, match="a booster 'gblinear' cannot be read"):
        ol.read(linear)
    vector = xgboost.XGBClassifier(n_estimators=2, multi_strategy="multi_output_tree")
    vector.fit(X, np.searchsorted([-1, 1], score))
    with pytest.raises(UnreadableModel, match="one_output_per_tree"):
        ol.read(vector)
    several = xgboost.XGBRegressor(n_estimators=2).fit(X, np.stack([score, score**2], axis=1))
    with pytest.raises(UnreadableModel, match="predicts 2 numbers at once"):
        ol.read(several)

    def squared(y, margin):
        return margin - y, np.ones_like(y)

    own = xgboost.XGBRegressor(n_estimators=2, objective=squared).fit(X, score)
    with pytest.raises(UnreadableModel, match="an objective of your own"):
        ol.read(own)
    with pytest.raises(UnreadableModel, match="is not fitted"):
        ol.read(xgboost.XGBClassifier())
    two = xgboost.XGBClassifier(n_estimators=2, objective="multi:softprob", num_class=2)
    two.fit(X, score > 0)
    with pytest.raises(UnreadableModel, match="gives a table and not a class"):
        ol.read(two)
    assert len(ol.read(two.get_booster()).classes) == 2
    target = TransformedTargetRegressor(xgboost.XGBRegressor(n_estimators=2), func=np.log1p,
                                        inverse_func=np.expm1)  # fmt: skip
    with pytest.raises(UnreadableModel, match="a function of a sum"):
        ol.read(target.fit(X, np.abs(score)))
    zero = xgboost.XGBRegressor(n_estimators=2, missing=0.0).fit(X, score)
    with pytest.raises(UnreadableModel, match=r"treats 0\.0 as missing"):
        ol.read(zero)


def test_damaged_files():
    learner = ("learner", "learner_model_param")
    model = ("learner", "gradient_booster", "model")
    for path, value in [
        ((*learner, "num_class"), "1000000000"),
        ((*learner, "num_class"), "2"),
        ((*learner, "base_score"), "[0.5,0.5]"),
        ((*learner, "base_score"), "nan"),
        ((*model, "tree_info"), [0, 1, 2]),
        ((*model, "tree_info"), [0, 1, 2, 0, 1, 3]),
        ((*model, "tree_info"), [0, 1, 1, 0, 1, 1]),
        ((*model, "trees"), []),
        (("version",), "new"),
        (("version",), [4, 0, 0]),
        (("version",), [3]),
        (("learner", "attributes"), {"scikit_learn": "{}", "best_iteration": "7"}),
        (("learner", "attributes"), {"scikit_learn": "{}", "best_iteration": "-1"}),
        (("learner", "attributes"), {"scikit_learn": "{}", "best_iteration": "x"}),
    ]:
        with pytest.raises((UnreadableModel, InvalidTree)):
            ol.read(changed(saved_model(), *path, value=value))
    dart = saved_model(booster="dart")
    with pytest.raises(UnreadableModel, match="5 weights for 6 trees"):
        ol.read(changed(dart, "learner", "gradient_booster", "weight_drop", value=[1.0] * 5))
    huge = saved_model()
    for tree in huge["learner"]["gradient_booster"]["model"]["trees"]:
        tree["split_conditions"] = [3e38] * len(tree["split_conditions"])
    with pytest.raises(UnreadableModel, match="more than a float32 can hold"):
        ol.read(json.dumps(huge))
