"""PMML's sums of trees: votes, averages, sums and chains, and files of sklearn2pmml."""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from neighbours import EDGES, neighbours
from oracle_pmml import tag
from pmml_engines import run_jpmml

import orderless as ol
from orderless.errors import UnreadableModel

NUMBERS = {"functionName": "regression"}
CLASSES = {"functionName": "classification"}


def tree(cut: float, low: Any, high: Any, field: str = "x", **more: Any) -> str:
    """A tree of two leaves; what they say is a score, or records by class."""

    def leaf(predicate: str, said: Any) -> str:
        if not isinstance(said, dict):
            return tag("Node", predicate, score=said)
        rows = "".join(tag("ScoreDistribution", value=k, recordCount=v) for k, v in said.items())
        return tag("Node", predicate + rows, score=max(said, key=said.__getitem__))

    less = tag("SimplePredicate", field=field, operator="lessOrEqual", value=cut)
    schema = tag("MiningSchema", tag("MiningField", name=field))
    nodes = tag("Node", "<True/>" + leaf(less, low) + leaf("<True/>", high))
    return tag("TreeModel", schema + nodes, **(NUMBERS | more))


def segmentation(method: str, *models: str, weights: Any = (), **more: Any) -> str:
    pairs = itertools.zip_longest(models, weights)
    parts = [tag("Segment", "<True/>" + model, weight=weight) for model, weight in pairs]
    return tag("Segmentation", "".join(parts), multipleModelMethod=method, **more)


def pmml(inner: str, kind: dict[str, Any] = NUMBERS, labels: str = "abc", **more: Any) -> str:
    fields = "".join(
        tag("DataField", name=name, dataType="double", optype="continuous") for name in "xy"
    )
    if kind is NUMBERS:
        fields += tag("DataField", name="t", dataType="double", optype="continuous")
    else:
        values = "".join(tag("Value", value=label) for label in labels)
        fields += tag("DataField", values, name="t", dataType="string", optype="categorical")
    schema = "".join(tag("MiningField", name=name) for name in "xy")
    schema += tag("MiningField", name="t", usageType="target")
    model = tag("MiningModel", tag("MiningSchema", schema) + inner, **kind, **more)
    return tag("PMML", tag("DataDictionary", fields) + model, version="4.4")


ROWS = [[x, y] for x in (0.0, 2.0) for y in (0.0, 2.0)]  # every pair of leaves of the two trees
ONE, TWO = tree(1, 0.5, 0.25), tree(1, 4, 8, field="y")


def refused(text: str, match: str) -> None:
    with pytest.raises(UnreadableModel, match=match):
        ol.read(text)


@pytest.mark.parametrize(
    ("method", "weights", "expected"),
    [
        ("sum", (), [4.5, 8.5, 4.25, 8.25]),
        ("average", (), [2.25, 4.25, 2.125, 4.125]),
        ("weightedAverage", (3, 1), [1.375, 2.375, 1.1875, 2.1875]),
        ("weightedSum", (2, 1), [5.0, 9.0, 4.5, 8.5]),
        ("x-weightedSum", (2, 1), [5.0, 9.0, 4.5, 8.5]),
    ],
)
def test_numbers(method: str, weights: Any, expected: list[float]) -> None:
    text = pmml(segmentation(method, ONE, TWO, weights=weights))
    assert ol.read(text).predict(ROWS).tolist() == expected
    with pytest.raises(UnreadableModel, match="adds up 2 trees"):
        ol.read_many([text])


def test_what_targets_do_to_a_sum() -> None:
    sums = segmentation("sum", ONE, TWO)
    for attributes, factor, constant in (
        ({"rescaleConstant": 1}, 1.0, 1.0), ({"rescaleFactor": 0.5}, 0.5, 0.0),
        ({"rescaleFactor": 0.1, "rescaleConstant": -3}, 0.1, -3.0),
    ):  # fmt: skip
        text = pmml(tag("Targets", tag("Target", **attributes)) + sums)
        expected = [constant + factor * s for s in (4.5, 8.5, 4.25, 8.25)]
        said = ol.read(text).predict(ROWS).tolist()
        assert np.allclose(said, expected, rtol=1e-15)
        assert factor == 0.1 or said == expected
    for attributes in ({"castInteger": "round"}, {"min": 0}, {"max": 1}):
        text = pmml(tag("Targets", tag("Target", **attributes)) + sums)
        refused(text, "a function of the sum, and not a sum")
    refused(pmml(tag("Targets", tag("Target", rescaleFactor=-1)) + sums), "must be above 0")


def test_float32_where_the_file_says_so() -> None:
    sums = segmentation("sum", tree(1, 0.1, 0.2, **{"x-mathContext": "float"}),
                        tree(1, 0.3, 0.7, field="y", **{"x-mathContext": "float"}))  # fmt: skip
    ensemble = ol.read(pmml(sums, **{"x-mathContext": "float"}))
    assert ensemble.kernel.adding.precision == "float32"
    expected = np.float32([0.1, 0.1, 0.2, 0.2]) + np.float32([0.3, 0.7, 0.3, 0.7])
    assert ensemble.predict(ROWS).tolist() == expected.astype(float).tolist()


def test_votes_and_probabilities() -> None:
    one = tree(1, {"a": 3, "b": 1}, {"b": 2, "c": 2.5}, **CLASSES)
    two = tree(1, {"a": 1, "c": 9}, {"b": 1}, field="y", **CLASSES)
    third = tree(5, {"b": 6, "c": 4}, {"b": 1}, **CLASSES)

    def said(method: str, weights: Any = ()) -> list[Any]:
        inner = segmentation(method, one, two, third, weights=weights)
        return ol.read(pmml(inner, CLASSES)).predict(ROWS).tolist()

    assert said("majorityVote") == ["a", "b", "c", "b"]  # of equals the first
    assert said("weightedMajorityVote", (1, 1, 5)) == ["b"] * 4
    assert said("average") == ["c", "b", "c", "b"]
    assert said("weightedAverage", (10, 1, 1)) == ["a", "a", "c", "b"]
    refused(pmml(segmentation("median", one), CLASSES), "put together by 'median', and of classes")
    refused(pmml(segmentation("average", one), CLASSES, labels=""), "does not list the classes")
    refused(pmml(segmentation("average", ONE), CLASSES), "read are trees of classes")
    refused(
        pmml(segmentation("weightedAverage", one, weights=(-1,)), CLASSES), "weights are from 0"
    )
    scored = tree(1, "a", "b", **CLASSES)
    refused(pmml(segmentation("average", scored), CLASSES), "has no ScoreDistribution")


def chain(last: str, *names: str, kind: dict[str, Any] = CLASSES) -> str:
    models = []
    for k, name in enumerate(names):
        output = tag("Output", tag("OutputField", name=name, feature="predictedValue"))
        schema = tag("MiningSchema", tag("MiningField", name="x") + tag("MiningField", name="y"))
        inner = (
            schema
            + output
            + segmentation("sum", tree(1, -1 - k, 2 + k), tree(1, 0.5, -3 + 2 * k, field="y"))
        )
        models.append(tag("MiningModel", inner, **NUMBERS))
    return pmml(segmentation("modelChain", *models, last), kind)


def regression(method: str, *tables: tuple[str | None, str | None], **more: Any) -> str:
    schema = tag("MiningSchema", tag("MiningField", name="s"))
    parts = [
        tag("RegressionTable", tag("NumericPredictor", name=name, coefficient=1) if name else "",
            intercept=0, targetCategory=label)
        for label, name in tables
    ]  # fmt: skip
    return tag("RegressionModel", schema + "".join(parts), normalizationMethod=method,
               **(CLASSES | more))  # fmt: skip


def test_chains() -> None:
    sums = [-0.5, -4.0, 2.5, -1.0]
    two = ol.read(chain(regression("logit", ("b", "s"), ("a", None)), "s"))
    assert two.predict(ROWS).tolist() == ["b" if s > 0 else "a" for s in sums]
    assert np.allclose(two.predict_proba(ROWS)[:, 1], 1 / (1 + np.exp(-np.array(sums))))
    for method in ("softmax", "none"):
        last = regression(method, ("c", "s"), ("a", "u"))
        some = ol.read(chain(last, "s", "u"))
        assert some.predict(ROWS).tolist() == ["c", "a", "a", "a"]
    number = regression("exp", (None, "s"), **NUMBERS)
    said = ol.read(chain(number, "s", kind=NUMBERS)).predict(ROWS)
    assert np.allclose(said.tolist(), np.exp(sums))


def test_a_chain_that_ends_in_a_tree() -> None:
    last = tree(0, "b", "a", field="s", **CLASSES)
    ensemble = ol.read(chain(last, "s"))
    assert ensemble.classes == ("b", "a")
    assert ensemble.predict(ROWS).tolist() == ["b", "b", "a", "b"]
    refused(chain(last, "s", "u"), "read is that of one sum")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (chain(regression("probit", ("b", "s"), ("a", None)), "s"), "normalizationMethod='probit'"),
        (chain(regression("softmax", ("b", "s"), ("a", "s")), "s"), "one sum of its own"),
        (chain(regression("softmax", ("b", "z"), ("a", "s")), "s"), "not an output of the chain"),
        (chain(tag("NeuralNetwork", "<MiningSchema/>", **CLASSES), "s"), "ends in a NeuralNetwork"),
        (pmml(segmentation("max", ONE, TWO)), "put together by 'max', and of numbers read are sum"),
        (pmml(segmentation("sum", ONE, tag("NeuralNetwork", "<MiningSchema/>", **NUMBERS))),
         "a sum has a NeuralNetwork among its segments"),
        (pmml(segmentation("sum", ONE, TWO)).replace("<Segment><True/>", "<Segment><False/>", 1),
         "a segment is asked only of some rows"),
        (pmml(segmentation("sum")), "has no trees"),
        (pmml(""), "no Segmentation|holds no model|has no trees|put together by ''"),
    ],
)  # fmt: skip
def test_what_is_not_a_sum(text: str, said: str) -> None:
    refused(text, said)


# -- sklearn2pmml ---------------------------------------------------------------------------------


def converted(folder: Path, steps: Any, X: Any, y: Any) -> str:
    """Let sklearn2pmml write a file; it takes scikit-learn up to the version that it knows."""
    sklearn2pmml = pytest.importorskip("sklearn2pmml", reason="sklearn2pmml is not installed")
    import sklearn.base

    model = sklearn2pmml.PMMLPipeline([("model", steps)]).fit(X, pd.Series(y, name="target"))
    newest, path = sklearn.base.__version__, folder / "model.pmml"
    try:
        # A patch release that it does not know yet: pickles have the same form.
        sklearn.base.__version__ = re.sub(r"\.\d+$", ".0", newest)
        sklearn2pmml.sklearn2pmml(model, str(path))
    except (RuntimeError, subprocess.CalledProcessError) as fault:
        pytest.skip(f"sklearn2pmml does not take this version of scikit-learn: {fault!s:.80}")
    finally:
        sklearn.base.__version__ = newest
    return path.read_text(encoding="utf-8")


def models() -> dict[str, Any]:
    from sklearn.ensemble import (
        GradientBoostingClassifier,
        HistGradientBoostingRegressor,
        RandomForestClassifier,
    )
    from sklearn.tree import DecisionTreeClassifier

    xgboost, lightgbm = pytest.importorskip("xgboost"), pytest.importorskip("lightgbm")
    return {
        "tree": DecisionTreeClassifier(max_depth=5, random_state=0),
        "forest": RandomForestClassifier(5, max_depth=4, random_state=0),
        "boosted": GradientBoostingClassifier(n_estimators=4, max_depth=3, random_state=0),
        "histograms": HistGradientBoostingRegressor(max_iter=4, max_depth=3),
        "xgboost": xgboost.XGBClassifier(n_estimators=4, max_depth=3),
        "lightgbm": lightgbm.LGBMClassifier(n_estimators=4, num_leaves=6, verbose=-1),
    }


@pytest.mark.engine
@pytest.mark.parametrize("name", ["tree", "forest", "boosted", "histograms", "xgboost", "lightgbm"])
@pytest.mark.filterwarnings("ignore")
def test_files_of_sklearn2pmml(name: str, tmp_path: Path) -> None:
    """We, JPMML and the library itself agree on rows at the thresholds, at edges and with gaps."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "c"])
    y = (X["a"] > 0).to_numpy().astype(int) + (X["b"] + X["c"] > 0).to_numpy()
    model = models()[name]
    text = converted(tmp_path, model, X, y)
    own = ol.read(text)
    R = X.sample(1000, replace=True, random_state=1).reset_index(drop=True)
    for i, column in enumerate(own.space.names):
        cuts = [
            t
            for tree in getattr(own, "trees", [own])
            for t in tree.kernel.row_threshold[tree.nodes.feature == i]
        ]
        near = [x for cut in cuts for x in neighbours(cut)] + [e for e in EDGES if abs(e) < 3e38]
        at = rng.random(1000) < 0.5
        R.loc[at, column] = rng.choice(near, int(at.sum()))
    mine, said = own.predict(R).tolist(), run_jpmml(text, R, "target")
    assert mine == said
    theirs = model.predict(R).tolist()
    if name == "histograms":  # it begins at the base, and the file adds it last
        assert np.allclose(theirs, mine, rtol=1e-14)
    elif name == "lightgbm":  # it takes numbers up to 1e-35 for 0, of which the file says nothing
        tiny = (R.abs() <= 1e-35).any(axis=1).tolist()
        assert [a for a, t in zip(theirs, tiny, strict=True) if not t] == [
            b for b, t in zip(mine, tiny, strict=True) if not t
        ]
    else:
        assert theirs == mine
    gaps = R.mask(rng.random(R.shape) < 0.2)
    said = run_jpmml(text, gaps, "target")
    if name in ("histograms", "xgboost", "lightgbm"):
        assert ol.read(text, nan="value").predict(gaps).tolist() == said
    else:
        certain = own.predict(gaps).to_numpy(dtype=object, na_value=None).tolist()
        assert all(b in (None, a) for a, b in zip(certain, said, strict=True))
        with pytest.raises(UnreadableModel, match="cannot be read as a value here"):
            ol.read(text, nan="value")
