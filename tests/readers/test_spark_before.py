"""Spark pipelines that make indices of numbers: what Spark itself predicts, and what is refused."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from neighbours import neighbours

import orderless as ol
from orderless.errors import InvalidData, UnreadableModel

from .test_spark_models import metadata, node, save

FEATURE = "org.apache.spark.ml.feature."
NODES = [
    node(0, [4.0, 4.0], 1, 2, feature=0, values=[0.0, 2.0], size=3),  # buckets 0 and 2
    node(1, [4.0, 0.0], 3, 4, feature=1, values=[1.0], size=2),  # the second category
    node(2, [0.0, 4.0]),
    node(3, [0.0, 1.0]),
    node(4, [3.0, 0.0]),
]


def save_pipeline(folder, *, keep=False, splits=("-Inf", 0.5, 1.5, "Inf"), maps=None):
    """A Bucketizer of x, a VectorAssembler, a VectorIndexer of the second place, a tree."""
    invalid = "keep" if keep else "error"
    uids = ["cut", "vec", "idx", "tree"]
    metadata(folder, **{"class": "org.apache.spark.ml.PipelineModel",
                        "paramMap": {"stageUids": uids}})  # fmt: skip
    stages = folder / "stages"
    for place, (uid, kind, own) in enumerate([
        ("cut", "Bucketizer", {"splits": list(splits), "inputCol": "x", "outputCol": "b"}),
        ("vec", "VectorAssembler", {"inputCols": ["b", "k"], "outputCol": "raw"}),
        ("idx", "VectorIndexerModel", {"inputCol": "raw", "outputCol": "features"}),
    ]):  # fmt: skip
        params = {**own, "handleInvalid": invalid}
        metadata(stages / f"{place}_{uid}", **{"class": FEATURE + kind, "paramMap": params})
    (stages / "2_idx" / "data").mkdir()
    maps = {1: {-1.0: 0, 7.5: 1}} if maps is None else maps
    table = pa.table(
        {"numFeatures": [2], "categoryMaps": [[(k, list(v.items())) for k, v in maps.items()]]},
        schema=pa.schema([("numFeatures", pa.int32()), ("categoryMaps", pa.map_(
            pa.int32(), pa.map_(pa.float64(), pa.int32())))]),
    )  # fmt: skip
    pq.write_table(table, stages / "2_idx" / "data" / "part-0.parquet")
    save(stages / "3_tree", NODES)
    return folder


def expected(x, k):
    bucket = 0 if x < 0.5 else 1 if x < 1.5 else 2
    return 1 if bucket == 1 or k == 7.5 else 0


def test_a_saved_pipeline(tmp_path):
    tree = ol.read(save_pipeline(tmp_path / "m"))
    assert tree.space.names == ("x", "k")
    assert tree.space["k"].categories == (-1.0, 7.5)
    assert not tree.space["k"].other
    ends = [v for split in (0.5, 1.5) for v in neighbours(split)]
    for x in [*ends, -1e300, 1e300, np.inf, -np.inf]:
        for k in (-1.0, 7.5):
            assert tree.predict([{"x": x, "k": k}]).tolist() == [expected(x, k)]
    assert tree.predict([{"k": 7.5}, {"k": -1.0}]).tolist() == [1, None]
    with pytest.raises(InvalidData, match=r"2\.0"):
        tree.predict([{"x": 1, "k": 2.0}])
    assert not any(f.nan for f in ol.read(tmp_path / "m", nan="value").space.features)


def test_what_is_kept_is_a_value(tmp_path):
    """NaN is a bucket after the last, an unseen number a category after the last."""
    tree = ol.read(save_pipeline(tmp_path / "m", keep=True), nan="value")
    # Neither is in a set of the tree: they go the way of the larger set, which is the left one.
    rows = [
        {"x": None, "k": -1.0},
        {"x": None, "k": 7.5},
        {"x": 0.0, "k": 3.0},
        {"x": 0, "k": None},
    ]
    assert tree.predict(rows).tolist() == [0, 1, 0, 0]
    assert tree.space["k"].other


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"splits": [0.0, 1.0, "Inf"]}, "goes from 0.0 to inf, and Spark gives no answer beyond"),
        ({"splits": ["-Inf", 2.0, 1.0, "Inf"]}, "a Bucketizer has the splits"),
        ({"splits": ["-Inf", "Inf"]}, "a Bucketizer has the splits"),
        ({"splits": ["-Inf", "x", "Inf"]}, "damaged"),
        ({"maps": {1: {-1.0: 0, 7.5: 2}}}, "a VectorIndexer has the categories"),
    ],
)
def test_what_is_refused(tmp_path, change, message):
    with pytest.raises((UnreadableModel, ValueError), match=message):
        ol.read(save_pipeline(tmp_path / "m", **change))


def test_a_split_at_0_is_said(tmp_path):
    with pytest.warns(UserWarning, match="has a split at 0, and puts -0.0 into the bucket below"):
        ol.read(save_pipeline(tmp_path / "m", splits=["-Inf", 0.0, 1.5, "Inf"]))


@pytest.mark.engine
@pytest.mark.filterwarnings("ignore")
def test_pipelines_predict_what_spark_predicts(spark):
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import DecisionTreeClassifier
    from pyspark.ml.feature import Bucketizer, StringIndexerModel, VectorAssembler, VectorIndexer

    rng = np.random.default_rng(0)
    d = pd.DataFrame({"x": rng.normal(size=300).round(2), "z": rng.exponential(size=300)})
    d = d.assign(k=rng.choice([1.0, 2.5, 7.0], 300), w=rng.choice(list("abc"), 300))
    d["label"] = ((d.x > 0.3) ^ (d.k == 2.5) ^ (d.w == "a") ^ (d.z > 1)).astype(float)
    kept = {"handleInvalid": "keep"}
    stages = [
        # Not fitted: that is done, and compared, in test_spark_models.
        StringIndexerModel.from_labels(list("bca"), inputCol="w", outputCol="wi", **kept),
        Bucketizer(splits=[-np.inf, -0.5, 0.1, 0.3, np.inf], inputCol="x", outputCol="b", **kept),
        VectorAssembler(inputCols=["b", "z", "k", "wi"], outputCol="raw", **kept),
        VectorIndexer(inputCol="raw", outputCol="features", maxCategories=4, **kept),
        DecisionTreeClassifier(maxDepth=4),
    ]
    model = Pipeline(stages=stages).fit(spark.createDataFrame(d.to_dict("records")).coalesce(1))
    tree = ol.read(model, nan="value")
    assert [f.kind for f in tree.space.features] == ["numeric", "numeric", *["categorical"] * 2]
    rows = d.iloc[rng.integers(0, 300, 600)].reset_index(drop=True)
    cuts = tree.nodes.threshold[tree.nodes.feature == 1]
    for column, values in (("x", (-0.5, 0.1, 0.3)), ("z", cuts[np.isfinite(cuts)])):
        near = [number for value in values for number in neighbours(value)]
        rows.loc[: len(near) - 1, column] = near
    for column in ("x", "z", "k"):
        rows.loc[rng.random(600) < 0.1, column] = np.nan
    rows.loc[rng.random(600) < 0.1, "k"] = 99.0
    rows.loc[rng.random(600) < 0.1, "w"] = "new"
    given = spark.createDataFrame(json.loads(json.dumps(rows.to_dict("records")))).coalesce(1)
    said = [row.prediction for row in model.transform(given).select("prediction").collect()]
    assert tree.predict(rows[list(tree.space.names)]).tolist() == said
