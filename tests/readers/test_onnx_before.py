"""Pipelines in ONNX: scaled, filled and encoded columns, read as onnxruntime computes them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from neighbours import neighbours
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    MaxAbsScaler,
    MinMaxScaler,
    Normalizer,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.errors import InvalidSpace, UnreadableModel

onnx = pytest.importorskip("onnx", reason="comes with the extra orderless[onnx]")
runtime = pytest.importorskip("onnxruntime", reason="the engine that is asked")
skl2onnx = pytest.importorskip("skl2onnx", reason="converts scikit-learn's pipelines")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3)).astype(np.float32)
TABLE = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "w": RNG.choice(["x", "y y", "ä"], 200)})
TABLE["k"] = RNG.integers(0, 3, 200)
y = ((TABLE["w"] == "x") ^ (TABLE["k"] == 1) ^ (TABLE["a"] > 0)).astype(int).to_numpy()
TYPES = {"tensor(float)": np.float32, "tensor(double)": np.float64, "tensor(int64)": np.int64,
         "tensor(string)": object}  # fmt: skip


def tree() -> Any:
    return DecisionTreeClassifier(max_depth=5, random_state=0)


def converted(model: Any, rows: Any, kind: str = "Float") -> Any:
    """Fit and convert; of the answers only the label stays."""
    types = skl2onnx.common.data_types
    if isinstance(rows, pd.DataFrame):
        kinds = {"f": types.FloatTensorType, "i": types.Int64TensorType}
        given = [
            (c, kinds.get(rows[c].dtype.kind, types.StringTensorType)([None, 1])) for c in rows
        ]
    else:
        given = [("X", getattr(types, f"{kind}TensorType")([None, rows.shape[1]]))]
    proto = skl2onnx.to_onnx(model.fit(rows, y), initial_types=given)
    del proto.graph.output[1:]
    for node in [n for n in proto.graph.node if n.op_type == "ZipMap"]:
        proto.graph.node.remove(node)
    return proto


def rows_at(read: Any, rows: pd.DataFrame, *, unseen: bool = False) -> pd.DataFrame:
    """Rows at every threshold, on the floats beside it and at infinity, and with gaps."""
    rng = np.random.default_rng(1)
    parts = [rows]
    for one in getattr(read, "trees", [read]):
        for at, cut in {
            (int(f), float(t)) for f, t in zip(one.nodes.feature, one.nodes.threshold, strict=True)
        }:
            if at < 0 or not read.space.features[at].ordered or not np.isfinite(cut):
                continue
            feature = read.space.features[at]
            values = [*neighbours(cut), np.inf, -np.inf, *[np.nan] * feature.nan]
            if feature.values == "integer":
                values = [cut, cut + 1, cut - 1]
            more = rows.iloc[rng.integers(0, len(rows), len(values))].copy()
            more[feature.name] = values
            parts.append(more)
    out = pd.concat(parts, ignore_index=True)
    if unseen:
        out.loc[::7, "w"] = "never seen"
    return out


def said(proto: Any, rows: pd.DataFrame) -> list[Any]:
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    session = runtime.InferenceSession(proto.SerializeToString(), options)
    inputs = session.get_inputs()
    given = {i.name: (rows if len(inputs) == 1 else rows[[i.name]]).to_numpy().astype(TYPES[i.type])
             for i in inputs}  # fmt: skip
    answers: list[Any] = session.run(None, given)[0].ravel().tolist()
    return answers


NUMBERS = {
    "standard": StandardScaler(),
    "range": MinMaxScaler(),
    "two": make_pipeline(RobustScaler(), MaxAbsScaler()),
    "binary": Binarizer(threshold=0.25),
    "filled": SimpleImputer(),
    "filled and scaled": make_pipeline(SimpleImputer(strategy="median"), StandardScaler()),
}


@pytest.mark.parametrize("nan", ["unknown", "value"])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_scaled_and_filled_as_onnxruntime_does(name: str, nan: Any) -> None:
    proto = converted(make_pipeline(NUMBERS[name], tree()), X)
    read = ol.read(proto, nan=nan)
    assert read.space.names == ("x0", "x1", "x2")
    rows = rows_at(read, pd.DataFrame(X, columns=list(read.space.names)))
    # onnxruntime's Binarizer takes no NaN, so that missing is no value there.
    assert rows.isna().any(axis=None) == (nan == "value" and name != "binary")
    assert read.predict(rows).tolist() == said(proto, rows)


@pytest.mark.parametrize(
    ("scaler", "kind", "scale"),
    [(StandardScaler(), "Double", 1.0), (MinMaxScaler(), "Double", 1e5),
     (StandardScaler(), "Int64", 3e7)],
)  # fmt: skip
def test_other_types_of_numbers(scaler: Any, kind: str, scale: float) -> None:
    own = X.astype(np.float64) * scale
    own = own.astype(np.int64) if kind == "Int64" else own
    proto = converted(make_pipeline(scaler, tree()), own, kind)
    read = ol.read(proto)
    rows = rows_at(read, pd.DataFrame(own, columns=list(read.space.names)))
    assert read.predict(rows).tolist() == said(proto, rows)


MIXED = {
    "unknown is 0": ([(StandardScaler(), ["a", "b"]), (OrdinalEncoder(), ["k"]),
                      (OneHotEncoder(handle_unknown="ignore"), ["w"])], True),
    "unknown is refused": ([(make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b"]),
                            (OneHotEncoder(), ["w", "k"])], False),
    "text is numbered": ([(MinMaxScaler(), ["a", "k"]), ("passthrough", ["b"]),
                          (OrdinalEncoder(), ["w"])], True),
}  # fmt: skip


@pytest.mark.parametrize("name", MIXED)
def test_mixed_columns(name: str) -> None:
    steps, unseen = MIXED[name]
    for last, read_one in (
        (tree(), ol.read),
        (GradientBoostingClassifier(n_estimators=3, max_depth=3, random_state=0), ol.read),
    ):
        proto = converted(make_pipeline(make_column_transformer(*steps), last), TABLE)
        read: Any = read_one(proto)
        assert read.space.names == tuple(i.name for i in proto.graph.input)
        assert read.space["w"].categories == ("x", "y y", "ä")
        assert read.space["w"].other == unseen
        rows = rows_at(read, TABLE, unseen=unseen)
        assert read.predict(rows).tolist() == said(proto, rows)


def test_float32_scaling_is_another_function_than_float64() -> None:
    """scikit-learn scales float64 rows in float64: the difference is found, and both confirm it."""
    model = make_pipeline(StandardScaler(), tree())
    proto = converted(model, X.astype(np.float64), "Float")
    found = ol.check_export(model, proto)
    assert not found
    assert found.engine_answer == found.artifact != found.source
    assert found.source_answer == found.source


def test_features_get_other_names_and_kinds() -> None:
    proto = converted(make_pipeline(StandardScaler(), tree()), X)
    assert ol.read(proto, feature_names=["p", "q", "r"]).space.names == ("p", "q", "r")
    space = ol.Space({"p": float, "q": float, "r": "integer"})
    assert ol.read(proto, space=space).space == space
    with pytest.raises(InvalidSpace, match="feature_names has 2 names, but the model takes 3"):
        ol.read(proto, feature_names=["p", "q"])
    with pytest.raises(InvalidSpace, match="the model takes 3 columns and the space has 2"):
        ol.read(proto, space=ol.Space({"p": float, "q": float}))
    with pytest.raises(UnreadableModel, match="this model prepares its columns itself"):
        ol.read(proto, preprocessing=StandardScaler().fit(X))


def altered(change: Any, model: Any = None) -> Any:
    """A pipeline whose first operator was changed."""
    proto = converted(model or make_pipeline(StandardScaler(), tree()), X)
    change(proto, {a.name: a for a in proto.graph.node[0].attribute})
    return proto


def constant_first(proto: Any, _: Any) -> None:
    node = proto.graph.node[1]
    node.op_type = "Sub"
    node.input[:] = [node.input[1], node.input[0]]


def two_columns(proto: Any, _: Any) -> None:
    proto.graph.node[1].input[1] = proto.graph.node[1].input[0]


SCALES = make_pipeline(MinMaxScaler(), tree())
FILLS = make_pipeline(SimpleImputer(), tree())


@pytest.mark.parametrize(
    ("change", "model", "message"),
    [
        (lambda _, a: a["scale"].floats.__setitem__(1, 0.0), None, r"'Scaler' .*\(by 0, or by"),
        (lambda _, a: a["offset"].floats.__setitem__(1, np.inf), None, r"not finite\) before"),
        (lambda _, a: a["scale"].floats.append(1.0), None, "has 4 entries for 3 columns"),
        (lambda _, a: a["scale"].floats.__delitem__(slice(0, 3)), None, "has 0 entries for 3"),
        (lambda _, a: setattr(a["replaced_value_float"], "f", -1.0), FILLS, "takes -1.0 for miss"),
        (lambda _, a: a["imputed_value_floats"].floats.pop(), FILLS, "has 2 entries for 3"),
        (constant_first, SCALES, r"'Sub' .*\(from a number\) before"),
        (two_columns, SCALES, r"\(of two columns\) before"),
        (lambda p, _: p.graph.input[0].type.tensor_type.shape.dim[1].Clear(), None,
         "does not say how many columns its input 'X' has"),
        (lambda *_: None, make_pipeline(Normalizer(), tree()), "'Normalizer'"),
    ],
)  # fmt: skip
def test_what_is_refused(change: Any, model: Any, message: str) -> None:
    with pytest.raises(UnreadableModel, match=message):
        ol.read(altered(change, model))


def test_encoders_that_are_refused() -> None:
    steps, _ = MIXED["unknown is 0"]
    proto = converted(make_pipeline(make_column_transformer(*steps), tree()), TABLE)
    encoder = next(n for n in proto.graph.node if n.op_type == "OneHotEncoder")
    (cats,) = [a for a in encoder.attribute if a.name == "cats_strings"]
    cats.strings[0] = cats.strings[1]
    with pytest.raises(UnreadableModel, match="has no labels, or one twice"):
        ol.read(proto)
    encoder.input[0] = next(n for n in proto.graph.node if n.op_type == "Concat").output[0]
    with pytest.raises(UnreadableModel, match=r"'OneHotEncoder' .*not of its labels' type"):
        ol.read(proto)
