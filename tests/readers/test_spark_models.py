"""Trees of Spark MLlib: what Spark itself predicts, live and from saved folders."""

import json
import os
from contextlib import suppress

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from neighbours import neighbours

import orderless as ol
from orderless.errors import InvalidData, InvalidTree, UnreadableModel

# -- folders by hand, without Java -----------------------------------------------------------------

TREE = "org.apache.spark.ml.classification.DecisionTreeClassificationModel"


def node(at, stats, left=-1, right=-1, feature=-1, values=(), size=-1, prediction=0.0):
    split = {"featureIndex": feature, "leftCategoriesOrThreshold": list(values),
             "numCategories": size}  # fmt: skip
    return {"id": at, "prediction": prediction, "impurity": float("nan"), "impurityStats": stats,
            "leftChild": left, "rightChild": right, "split": split}  # fmt: skip


NODES = [
    node(0, [3.0, 5.0], 1, 2, feature=0, values=[2.5]),
    node(1, [2.0, 2.0], prediction=1.0),  # equal counts: Spark takes the first
    node(2, [1.0, 3.0], 3, 4, feature=1, values=[0.0, 2.0], size=3),
    node(3, [0.0, 3.0]),
    node(4, [1.0, 0.0]),
]


def metadata(folder, **content):
    (folder / "metadata").mkdir(parents=True)
    base = {"sparkVersion": "3.5.1", "paramMap": {}, "defaultParamMap": {}}
    (folder / "metadata" / "part-00000").write_text(json.dumps({**base, **content}))


def save(folder, nodes=NODES, **content):
    own = {"class": TREE, "numFeatures": 2, "numClasses": 2}
    metadata(folder, **{**own, **content})
    (folder / "data").mkdir()
    pq.write_table(pa.Table.from_pylist(nodes), folder / "data" / "part-0.parquet")
    return folder


def save_pipeline(folder, indexer="keep", assembler="keep", size=3, more=(), inputs=("x", "wi")):
    uids = ["idx", "vec", *[f"s{i}" for i in range(len(more))], "tree"]
    metadata(folder, **{"class": "org.apache.spark.ml.PipelineModel",
                        "paramMap": {"stageUids": uids}})  # fmt: skip
    stages = folder / "stages"
    one = stages / "0_idx"
    params = {"inputCols": ["w", "c"], "outputCols": ["wi", "label"], "handleInvalid": indexer}
    kind = "org.apache.spark.ml.feature.StringIndexerModel"
    metadata(one, **{"class": kind, "paramMap": params})
    (one / "data").mkdir()
    labels = [["b", "a"] if indexer == "keep" else ["b", "a", "c"], ["no", "yes"]]
    pq.write_table(pa.table({"labelsArray": [labels]}), one / "data" / "part-0.parquet")
    metadata(stages / "1_vec", **{"class": "org.apache.spark.ml.feature.VectorAssembler",
        "paramMap": {"inputCols": list(inputs), "outputCol": "features",
                     "handleInvalid": assembler}})  # fmt: skip
    for i, kind in enumerate(more):
        metadata(stages / f"{i + 2}_s{i}", **{"class": kind})
    save(stages / f"{len(uids) - 1}_tree")
    return folder


def test_a_folder_is_read(tmp_path):
    tree = ol.read(save(tmp_path / "m"), feature_names=["x", "w"])
    assert tree.classes == (0, 1)
    assert tree.predict([[2.5, 0], [2.6, 0], [2.6, 1], [2.6, 2.0]]).tolist() == [0, 1, 0, 1]
    assert tree.predict([{"w": 1}]).tolist() == [0]
    assert tree.kernel.shares.tolist()[1] == [0.5, 0.5]
    value = ol.read(tmp_path / "m", feature_names=["x", "w"], nan="value")
    assert value.predict([[np.nan, 0], [np.nan, 1], [3, np.nan]]).tolist() == [1, 0, 1]


def test_a_pipeline_is_read_over_its_own_columns(tmp_path):
    tree = ol.read(save_pipeline(tmp_path / "m"))
    assert tree.space.names == ("x", "w")
    assert tree.classes == ("no", "yes")
    assert tree.space["w"].other
    rows = [{"x": 3, "w": "b"}, {"x": 3, "w": "a"}, {"x": 3, "w": "new"}, {"x": 3}]
    assert tree.predict(rows).tolist() == ["yes", "no", "yes", None]
    value = ol.read(tmp_path / "m", nan="value")
    assert value.predict([{"x": 3, "w": None}, {"x": None, "w": "a"}]).tolist() == ["yes", "no"]


def test_what_the_pipeline_refuses_is_no_value(tmp_path):
    tree = ol.read(save_pipeline(tmp_path / "m", indexer="error", assembler="error"))
    assert not tree.space["w"].other
    with pytest.raises(InvalidData, match="new"):
        tree.predict([{"x": 3, "w": "new"}])
    assert not ol.read(tmp_path / "m", nan="value").space["x"].nan


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sparkVersion": "1.6.0"}, r"saved by Spark '1.6.0': versions 2, 3, 4 are read"),
        ({"class": "org.apache.spark.ml.feature.PCAModel"}, "Spark's PCAModel before the model"),
        ({"numFeatures": 1}, "has the feature 1, of 1"),
        ({"numFeatures": -1}, "numFeatures must be a whole number"),
        ({"numClasses": 3}, "a leaf has the counts"),
        ({"paramMap": {"thresholds": [0.5, 0.5]}}, "a model with thresholds is not read"),
        ({"nodes": NODES[:4]}, "of 4 nodes"),
        ({"nodes": [*NODES[:3], NODES[4]]}, "nodes are missing|of 4 nodes"),
        ({"nodes": [node(0, [1.0, 1.0], 1, 1, 0, [2.0]), node(1, [1.0, 0.0])]}, "child of two"),
        ({"nodes": [node(0, [1.0, 1.0], 1, 2, 1, [7.0], 3), *NODES[1:2],
                    node(2, [1.0, 1.0])]}, "has the categories"),
        ({"nodes": [node(0, [1.0, 1.0], 1, 2, 0, [1.0, 2.0]), *NODES[1:2],
                    node(2, [1.0, 1.0])]}, "damaged"),
    ],
)  # fmt: skip
def test_damaged_folders_are_refused(tmp_path, change, message):
    change = dict(change)
    save(tmp_path / "m", change.pop("nodes", NODES), **change)
    with pytest.raises((UnreadableModel, ValueError), match=message):
        ol.read(tmp_path / "m")


def test_half_folders_are_refused(tmp_path):
    folder = save(tmp_path / "m")
    data = folder / "data" / "part-0.parquet"
    data.write_bytes(data.read_bytes()[:200])
    with pytest.raises(UnreadableModel, match="this Spark model is damaged"):
        ol.read(folder)
    data.unlink()
    with pytest.raises(UnreadableModel, match="has no Parquet file"):
        ol.read(folder)
    (folder / "metadata" / "part-00000").write_text("{")
    with pytest.raises((UnreadableModel, ValueError), match="JSON"):
        ol.read(folder)
    (folder / "metadata" / "part-00000").unlink()
    with pytest.raises(UnreadableModel, match="has no metadata"):
        ol.read(folder)


def test_pipelines_that_are_not_read(tmp_path):
    scaler = "org.apache.spark.ml.feature.StandardScalerModel"
    with pytest.raises(UnreadableModel, match="StandardScalerModel before the model is not read"):
        ol.read(save_pipeline(tmp_path / "a", more=[scaler]))
    with pytest.raises(UnreadableModel, match="some of them are vectors"):
        ol.read(save_pipeline(tmp_path / "b", inputs=("x", "wi", "z")))
    folder = save_pipeline(tmp_path / "c")
    (folder / "stages" / "0_idx").rename(folder / "stages" / "gone")
    with pytest.raises(UnreadableModel, match="stage 0 is missing"):
        ol.read(folder)


def test_a_forest_is_not_a_tree(tmp_path):
    folder = tmp_path / "m"
    metadata(folder, **{"class": TREE.replace("DecisionTree", "RandomForest"), "numFeatures": 2,
                        "numClasses": 2})  # fmt: skip
    for name, rows in (
        ("data", [{"treeID": t, "nodeData": n} for t in (1, 0) for n in NODES]),
        ("treesMetadata", [{"_1": t, "_2": "{}", "_3": 1.0} for t in (1, 0)]),
    ):
        (folder / name).mkdir()
        pq.write_table(pa.Table.from_pylist(rows), folder / name / "part-0.parquet")
    with pytest.raises(UnreadableModel, match="adds up 2 trees"):
        ol.read_many([folder])
    assert ol.read(folder).predict([[3, 1]]).tolist() == [0]


# -- Spark itself ----------------------------------------------------------------------------------


def training(n=250):
    rng = np.random.default_rng(5)
    d = pd.DataFrame({"x": rng.normal(size=n).round(2), "y y": rng.exponential(size=n),
                      "w": rng.choice(list("abcde"), n)})  # fmt: skip
    d["c"] = np.where(d.w.isin(["a", "c"]) ^ (d.x > 0.2), "p", np.where(d["y y"] > 1, "q", "ä r"))
    d["two"] = (d.c == "p") * 1.0
    d["number"] = d.x * 2 + (d.w == "b") + rng.normal(size=n) / 3
    return d


def rows_at(models, d):
    """Rows at every threshold of the models and beside it, and at strange numbers."""
    trees = [tree for model in models for tree in getattr(model, "trees", [model])]
    rng = np.random.default_rng(0)
    rows = d[["x", "y y", "w"]]
    for at, column in enumerate(("x", "y y")):
        cuts = {
            c for tree in trees for c in tree.nodes.threshold[tree.nodes.feature == at].tolist()
        }
        for cut in sorted(cuts):
            near = rows.iloc[rng.integers(0, len(rows), 6)].copy()
            near[column] = neighbours(cut)
            rows = pd.concat([rows, near], ignore_index=True)
    edge = rows.iloc[:6].copy()
    edge["x"] = [1e300, -1e300, 5e-324, -0.0, np.inf, 0.1]
    edge.loc[5, "w"] = "never seen"
    return pd.concat([rows, edge], ignore_index=True)


def assert_same(name, answers, read, rows):
    """Spark's answers are ours, and so are its probabilities."""
    if name.endswith("Classifier"):
        answers = answers.select("prediction", "probability").collect()
        probability = [row.probability.toArray() for row in answers]
        if name != "DecisionTreeClassifier":
            own = read.predict_proba(rows)
            assert np.allclose(np.asarray(own), probability, rtol=1e-13), name
    else:
        answers = answers.select("prediction").collect()
    said = [row.prediction for row in answers]
    found = read.predict(rows).tolist()
    if name == "GBTRegressor":  # its last bits are those of the BLAS that Spark finds
        assert np.allclose(found, said, rtol=1e-14, atol=1e-14)
    else:
        assert found == said, name


@pytest.mark.engine
@pytest.mark.filterwarnings("ignore")
def test_models_predict_what_spark_predicts(spark, tmp_path):
    from pyspark.ml import PipelineModel
    from pyspark.ml.classification import (
        DecisionTreeClassifier,
        GBTClassifier,
        RandomForestClassifier,
    )  # fmt: skip
    from pyspark.ml.feature import StringIndexer, VectorAssembler
    from pyspark.ml.regression import (
        DecisionTreeRegressor,
        GBTRegressor,
        RandomForestRegressor,
    )  # fmt: skip

    d = training()
    frame = spark.createDataFrame(d.to_dict("records")).coalesce(1).cache()
    index = StringIndexer(inputCols=["w", "c"], outputCols=["wi", "ci"], handleInvalid="keep")
    index = index.fit(frame)
    vector = VectorAssembler(inputCols=["x", "y y", "wi"], outputCol="features",
                             handleInvalid="keep")  # fmt: skip
    prepared = vector.transform(index.transform(frame)).cache()
    kinds = [
        DecisionTreeClassifier(labelCol="ci", maxDepth=4),
        RandomForestClassifier(labelCol="ci", numTrees=3, maxDepth=3, seed=1),
        GBTClassifier(labelCol="two", maxIter=2, maxDepth=2, seed=1),
        DecisionTreeRegressor(labelCol="number", maxDepth=3),
        RandomForestRegressor(labelCol="number", numTrees=3, maxDepth=3, seed=1),
        GBTRegressor(labelCol="number", maxIter=2, maxDepth=2, seed=1),
    ]
    fitted = [kind.fit(prepared) for kind in kinds]
    names = ["x", "y y", "wi"]
    ours = [ol.read(model, feature_names=names) for model in fitted]
    rows = rows_at(ours, d)
    given = spark.createDataFrame([{**r, "c": "p"} for r in rows.to_dict("records")]).coalesce(1)
    given = vector.transform(index.transform(given)).cache()
    codes = [row.wi for row in given.select("wi").collect()]
    for kind, model, read in zip(kinds, fitted, ours, strict=True):
        assert_same(type(kind).__name__, model.transform(given), read, rows.assign(wi=codes))
    pipeline = PipelineModel([index, vector, fitted[0]])
    whole = ol.read(pipeline)
    labels = list(whole.classes)
    said = [labels[int(row.prediction)] for row in
            fitted[0].transform(given).select("prediction").collect()]  # fmt: skip
    assert whole.predict(rows).tolist() == said
    value = ol.read(pipeline, nan="value")
    gaps = [{"x": None if i % 3 else 0.1, "y y": 0.7, "w": None if i % 2 else "a", "c": "p"}
            for i in range(12)]  # fmt: skip
    table = spark.createDataFrame(gaps, "x double, `y y` double, w string, c string").coalesce(1)
    said = [labels[int(row.prediction)] for row in pipeline.transform(table).collect()]
    assert value.predict([{k: g[k] for k in ("x", "y y", "w")} for g in gaps]).tolist() == said


# -- files that are made to harm -------------------------------------------------------------------


def indexed(folder, labels):
    """Save a pipeline whose labels are a table of one row."""
    save_pipeline(folder)
    pq.write_table(pa.table({"labelsArray": labels}), folder / "stages" / "0_idx" / "data" /
                   "part-0.parquet", compression="zstd", data_page_size=2**30,
                   write_batch_size=2**24)  # fmt: skip
    return folder


def runs(n, label="a"):
    """One row of a list of n equal labels: some hundred bytes on the disk."""
    every = pa.DictionaryArray.from_arrays(np.zeros(n, dtype=np.int32), [label])
    inner = pa.ListArray.from_arrays(pa.array([0, n], pa.int32()), every)
    return pa.ListArray.from_arrays(pa.array([0, 1], pa.int32()), inner)


def varint(number, length=0):
    out = []
    while number > 127 or len(out) < length - 1:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


@pytest.mark.parametrize("lies", [False, True])
def test_a_row_of_very_many_labels_is_not_unpacked(tmp_path, lies):
    n = 3_000_000
    folder = indexed(tmp_path / "m", runs(n))
    path = folder / "stages" / "0_idx" / "data" / "part-0.parquet"
    content = path.read_bytes()
    assert len(content) < 5_000
    if lies:  # the footer says that there is one value
        size = int.from_bytes(content[-8:-4], "little") + 8
        said, new = varint(2 * n), varint(2, len(varint(2 * n)))
        assert said in content[-size:]
        path.write_bytes(content[:-size] + content[-size:].replace(said, new))
        assert pq.ParquetFile(path).metadata.row_group(0).column(0).num_values == 1
    with pytest.raises(UnreadableModel, match="3,000,001 values"):
        ol.read(folder)


def test_a_long_label_is_not_unpacked_very_often(tmp_path):
    folder = indexed(tmp_path / "m", runs(200_000, "a" * 100_000))
    with pytest.raises(UnreadableModel, match="20,000,000,000 bytes of text"):
        ol.read(folder)


def test_texts_that_share_their_beginnings_are_refused(tmp_path):
    folder = save_pipeline(tmp_path / "m")
    pq.write_table(pa.table({"labelsArray": [[["b", "a", "c"], ["no", "yes"]]]}),
                   folder / "stages" / "0_idx" / "data" / "part-0.parquet", use_dictionary=False,
                   column_encoding="DELTA_BYTE_ARRAY")  # fmt: skip
    with pytest.raises(UnreadableModel, match="a way that is not read"):
        ol.read(folder)


@pytest.mark.parametrize("version", ["1.0", "2.6"])
@pytest.mark.parametrize("page", ["1.0", "2.0"])
@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd"])
def test_tables_as_writers_write_them(tmp_path, version, page, compression):
    plain = ol.read(save(tmp_path / "plain"), feature_names=["x", "w"])
    folder = save(tmp_path / "m")
    for i, nodes in enumerate((NODES[:2], NODES[2:])):
        pq.write_table(pa.Table.from_pylist(nodes), folder / "data" / f"part-{i}.parquet",
                       version=version, data_page_version=page, compression=compression,
                       row_group_size=1, use_dictionary=bool(i))  # fmt: skip
    assert ol.read(folder, feature_names=["x", "w"]) == plain


def test_half_of_a_table(tmp_path):
    folder = save(tmp_path / "m")
    path = folder / "data" / "part-0.parquet"
    content = path.read_bytes()
    rng = np.random.default_rng(0)
    tree = ol.read(folder, feature_names=["x", "w"])
    for end in range(0, len(content), 97):
        path.write_bytes(content[:end])
        with pytest.raises(UnreadableModel):
            ol.read(folder, feature_names=["x", "w"])
        damaged = bytearray(content)
        damaged[int(rng.integers(len(content)))] = int(rng.integers(256))
        path.write_bytes(damaged)
        with suppress(UnreadableModel, InvalidTree):
            ol.read(folder, feature_names=["x", "w"])
    path.write_bytes(content)
    assert ol.read(folder, feature_names=["x", "w"]) == tree


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.parametrize("where", ["metadata/part-00000", "data/part-0.parquet"])
def test_parts_of_a_folder_that_are_no_files(tmp_path, where):
    for i, make in enumerate((
        lambda path: path.symlink_to("/dev/zero"),
        os.mkfifo,
        lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), 2**40),
    )):  # fmt: skip
        folder = save(tmp_path / str(i))
        (folder / where).unlink()
        make(folder / where)
        with pytest.raises(UnreadableModel, match=r"pipe|bytes"):
            ol.read(folder)
