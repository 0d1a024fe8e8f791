"""Small model files of every format that is read, each with what can go wrong in it.

``FILES`` have one tree, ``SUMS`` add up several; ``mutations.py`` damages them.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import oracle_pmml
import pandas as pd
from through import QUANTILES

PMML_SEED = 45


def table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "age": rng.normal(40, 10, 300),
            "colour": pd.Categorical(rng.choice(list("rgbk"), 300)),
            "size": rng.integers(0, 9, 300).astype(float),
        }
    )
    X.loc[rng.random(300) < 0.1, "age"] = np.nan
    y = (X["colour"].isin(["r", "k"]) ^ (X["age"] > 45) ^ (X["size"] > 4)).astype(int).to_numpy()
    return X, y


def xgboost_file() -> bytes:
    import xgboost

    model = xgboost.XGBClassifier(
        n_estimators=1, max_depth=3, learning_rate=1.0, enable_categorical=True
    )
    return bytes(model.fit(*table()).get_booster().save_raw("json"))


def lightgbm_file() -> bytes:
    import lightgbm

    model = lightgbm.LGBMClassifier(
        n_estimators=1, num_leaves=8, min_child_samples=5, learning_rate=1.0, verbose=-1,
        max_cat_to_onehot=1,
    )  # fmt: skip
    return model.fit(*table()).booster_.model_to_string().encode()


def catboost_file() -> bytes:
    import catboost

    model = catboost.CatBoostRegressor(
        iterations=1, depth=3, verbose=0, allow_writing_files=False, loss_function="Poisson"
    )
    X, y = table()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.json"
        model.fit(X[["age", "size"]], y).save_model(path, format="json")
        content = json.loads(path.read_bytes())
    for entry in ("output_options", "catboost_version_info", "training"):  # nobody reads them
        del content["model_info"][entry]
    loss = content["model_info"]["params"]["loss_function"]
    content["model_info"]["params"] = {"loss_function": loss}
    return json.dumps(content).encode()


def numbers_file() -> bytes:
    """A regressor of XGBoost, whose objective makes something of the numbers at the leaves."""
    import xgboost

    X, y = table()
    model = xgboost.XGBRegressor(n_estimators=1, max_depth=3, objective="count:poisson")
    return bytes(model.fit(X[["age", "size"]], y).get_booster().save_raw("json"))


def skops_file() -> bytes:
    import skops.io
    from sklearn.compose import make_column_transformer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    X, y = table()
    X["age"] = X["age"].fillna(0)
    X["colour"] = X["colour"].astype(str).astype(object)
    prepare = make_column_transformer(
        (OneHotEncoder(), ["colour"]),
        (StandardScaler(), ["age"]),
        (KBinsDiscretizer(3, **QUANTILES), ["size"]),
    )
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    return skops.io.dumps(make_pipeline(prepare, tree).fit(X, y))


def target_file() -> bytes:
    """A regressor whose target is transformed, so that its numbers go back through scikit-learn."""
    import skops.io
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.preprocessing import QuantileTransformer
    from sklearn.tree import DecisionTreeRegressor

    X, y = table()
    tree = DecisionTreeRegressor(max_depth=3, random_state=0)
    model = TransformedTargetRegressor(tree, transformer=QuantileTransformer(n_quantiles=20))
    return skops.io.dumps(model.fit(X[["age", "size"]].to_numpy(), y + X["size"] / 7))


def tree_file() -> bytes:
    """A tree without names or a pipeline, so that its counts alone say how many columns it has."""
    import skops.io
    from sklearn.tree import DecisionTreeClassifier

    X, y = table()
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    return skops.io.dumps(tree.fit(X[["age", "size"]].to_numpy(), y))


def xgboost_sum_file() -> bytes:
    import xgboost

    X, y = table()
    model = xgboost.XGBClassifier(
        n_estimators=2, max_depth=2, booster="dart", rate_drop=0.5, enable_categorical=True
    )
    return bytes(model.fit(X, y + (X["size"] > 7)).get_booster().save_raw("json"))


def lightgbm_sum_file() -> bytes:
    import lightgbm

    X, y = table()
    model = lightgbm.LGBMClassifier(
        n_estimators=2, num_leaves=4, min_child_samples=5, boosting_type="rf", subsample=0.7,
        subsample_freq=1, verbose=-1, max_cat_to_onehot=1,
    )  # fmt: skip
    return model.fit(X, y + (X["size"] > 7)).booster_.model_to_string().encode()


def catboost_sum_file() -> bytes:
    content = json.loads(catboost_file())
    content["oblivious_trees"] *= 3
    return json.dumps(content).encode()


def onnx_file() -> bytes:
    """A tree of ours: masks, constants, text that is encoded, and a set of categories."""
    import orderless as ol

    space = ol.Space({"colour": list("rgbk"), "age": float})
    leaf = {"prediction": 0}
    split = {"feature": "age", "relation": "<=", "reference": 40, "true": leaf,
             "false": {"prediction": 1}}  # fmt: skip
    sets = {"feature": "colour", "relation": "in", "reference": ["r", "k"], "true": split,
            "false": leaf}  # fmt: skip
    return ol.read(sets, space=space).to_onnx()


def _boosted() -> Any:
    from sklearn.ensemble import GradientBoostingClassifier

    X, y = table()
    X = X[["age", "size"]].fillna(0).to_numpy(dtype=np.float32)
    return GradientBoostingClassifier(n_estimators=2, max_depth=2, random_state=0).fit(
        X, y + (X[:, 1] > 7)
    )


def onnx_sum_file() -> bytes:
    """As skl2onnx writes it: the older operators, labels and a ZipMap."""
    from skl2onnx import to_onnx

    return to_onnx(_boosted(), np.zeros((1, 2), dtype=np.float32)).SerializeToString()


def onnx_prepared_file() -> bytes:
    """A pipeline: filled and scaled numbers, text in columns of 0 and 1."""
    from skl2onnx import to_onnx
    from skl2onnx.common.data_types import FloatTensorType, StringTensorType
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    from sklearn.tree import DecisionTreeClassifier

    X, y = table()
    X["colour"] = X["colour"].astype(str).astype(object)
    prepare = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["age", "size"]),
        (OneHotEncoder(), ["colour"]),
    )
    model = make_pipeline(prepare, DecisionTreeClassifier(max_depth=3, random_state=0)).fit(X, y)
    numbers, text = FloatTensorType([None, 1]), StringTensorType([None, 1])
    types = [("age", numbers), ("colour", text), ("size", numbers)]
    return to_onnx(model, initial_types=types).SerializeToString()


def onnx_newer_sum_file() -> bytes:
    import orderless as ol

    return ol.read(_boosted()).to_onnx()


def pmml_file() -> bytes:
    """A many-way tree with all kinds of predicates and derived fields."""
    return oracle_pmml.Files(PMML_SEED).tree().encode()


def pmml_prepared_file() -> bytes:
    """Numbers that are computed: as scalers are written, and by a line."""
    minus = '<Apply function="-"><FieldRef field="a"/><Constant>1.5</Constant></Apply>'
    scaled = f'<Apply function="/">{minus}<Constant dataType="double">-2.5</Constant></Apply>'
    ends = '<LinearNorm orig="0" norm="1"/><LinearNorm orig="3" norm="-1.5"/>'
    line = f'<NormContinuous field="b" mapMissingTo="0.5">{ends}</NormContinuous>'
    kinds = 'optype="continuous" dataType='
    derived = (
        f'<DerivedField name="s" {kinds}"float">{scaled}</DerivedField>'
        f'<DerivedField name="l" {kinds}"double">{line}</DerivedField>'
    )
    ask = '<SimplePredicate field="{}" operator="{}" value="{}"/>'.format
    nodes = (
        f'<Node score="x">{ask("s", "lessOrEqual", 0.25)}</Node>'
        f'<Node score="y">{ask("l", "greaterThan", -0.75)}</Node>'
        f'<Node score="x">{ask("s", "equal", 1)}</Node>'
    )
    fields = "".join(f'<DataField name="{n}" {kinds}"double"/>' for n in "ab")
    mining = "".join(f'<MiningField name="{n}"/>' for n in "ab")
    return (
        f'<PMML version="4.4"><DataDictionary>{fields}'
        '<DataField name="t" optype="categorical" dataType="string"/></DataDictionary>'
        '<TreeModel functionName="classification" noTrueChildStrategy="returnLastPrediction">'
        f'<MiningSchema>{mining}<MiningField name="t" usageType="target"/></MiningSchema>'
        f"<LocalTransformations>{derived}</LocalTransformations>"
        f'<Node score="z"><True/>{nodes}</Node></TreeModel></PMML>'
    ).encode()


def pmml_sum_file() -> bytes:
    """Three sums that go into a regression, as boosted trees are written."""
    from sklearn.ensemble import GradientBoostingClassifier

    from orderless import read

    X, y = table()
    model = GradientBoostingClassifier(n_estimators=2, max_depth=2, random_state=0)
    X = X[["age", "size"]].fillna(0)
    return read(model.fit(X, y + (X["size"] > 7))).to_pmml().encode()


def r_file() -> bytes:
    """What our R script writes."""
    nodes = [
        {"feature": 0, "relation": "<", "value": 2.5, "yes": 1, "no": 2},
        {"class": 0, "shares": [0.75, 0.25]},
        {"feature": 1, "relation": "in", "levels": [0, 2], "yes": 3, "no": 4},
        {"class": 1, "shares": [0, 1]},
        {"class": 0, "shares": [1, 0]},
    ]
    features = [
        {"name": "x", "kind": "numeric"},
        {"name": "f", "kind": "factor", "levels": ["a", "b", "c"]},
        {"name": "l", "kind": "logical"},
    ]
    head = {"format": "orderless-r", "version": 1, "library": "rpart", "library_version": "4"}
    content = {"task": "classification", "features": features, "classes": ["no", "yes"]}
    return json.dumps({**head, **content, "trees": [nodes], "end": True}).encode()


def r_sum_file() -> bytes:
    content = json.loads(r_file())
    content["trees"] *= 3
    return json.dumps(content | {"library": "ranger", "forest": True, "votes": True}).encode()


def spark_file() -> bytes:
    """What ``spark_folder`` makes of a saved model of Spark."""
    nodes = [
        {"id": at, "prediction": 0.0, "impurityStats": [2.0, 1.0], "leftChild": left,
         "rightChild": right, "split": {"featureIndex": feature, "numCategories": size,
                                        "leftCategoriesOrThreshold": values}}
        for at, left, right, feature, size, values in (
            (0, 1, 2, 0, -1, [2.5]), (1, -1, -1, -1, -1, []), (2, 3, 4, 1, 3, [0.0, 2.0]),
            (3, -1, -1, -1, -1, []), (4, -1, -1, -1, -1, []))
    ]  # fmt: skip
    columns = [{"name": "x"}, {"name": "w", "labels": ["a", "b", "c"], "input": "v",
                               "invalid": "error"}]  # fmt: skip
    return json.dumps({
        "format": "orderless-spark", "version": 1, "kind": "DecisionTree", "task": "classification",
        "n_features": 2, "n_classes": 2, "labels": None, "weights": [1.0], "trees": [nodes],
        "features": {"invalid": "error", "columns": columns},
    }).encode()  # fmt: skip


FILES = {
    "onnx": onnx_file,
    "onnx prepared": onnx_prepared_file,
    "pmml": pmml_file,
    "pmml prepared": pmml_prepared_file,
    "r": r_file,
    "spark": spark_file,
    "xgboost": xgboost_file,
    "lightgbm": lightgbm_file,
    "catboost": catboost_file,
    "numbers": numbers_file,
    "skops": skops_file,
    "tree": tree_file,
    "target": target_file,
}


SUMS = {  # models that add up trees
    "pmml sum": pmml_sum_file,
    "r sum": r_sum_file,
    "xgboost sum": xgboost_sum_file,
    "lightgbm sum": lightgbm_sum_file,
    "catboost sum": catboost_sum_file,
    "onnx sum": onnx_sum_file,
    "onnx newer sum": onnx_newer_sum_file,
}
