"""PMML's trees and rule sets are read as the standard says: against an evaluator of its own."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import oracle_pmml as oracle
import pytest
from oracle_pmml import tag

import orderless as ol
from orderless.errors import InvalidTree, UnreadableModel
from orderless.readers.pmml import unfold


@pytest.mark.parametrize("start", range(0, 120, 20))
def test_random_files(start: int) -> None:
    """Many-way trees, rules, compound predicates, derived fields; every strategy for missing."""
    read = valued = 0
    refusals: list[str] = []
    for seed in range(start, start + 20):
        files = oracle.Files(seed)
        text = files.rules() if seed % 4 == 0 else files.tree()
        kinds = {name: oracle.COLUMNS[name] for name in files.names}
        try:
            tree = ol.read(text)
        except UnreadableModel as refusal:
            found = "no prediction" in str(refusal)
            every = oracle.rows(kinds) if len(kinds) < 4 else oracle.rows(kinds, n=3000)
            assert found
            assert None in [oracle.evaluate(text, row) for row in every]
            continue
        read += 1
        full = oracle.rows(kinds, n=40, seed=seed)
        assert tree.predict(full).tolist() == [oracle.evaluate(text, row) for row in full]
        gaps = oracle.rows(kinds, missing=True, n=40, seed=seed)
        try:
            own = ol.read(text, nan="value")
        except UnreadableModel as refusal:
            refusals.append(str(refusal))
            continue
        valued += 1
        assert own.predict(gaps).tolist() == [oracle.evaluate(text, row) for row in gaps]
    assert all("cannot be read as a value" in refusal for refusal in refusals)
    assert read > 5
    assert valued > 3


def test_missing_is_unknown() -> None:
    """Certain is what all completions get, whatever the file says of missing values."""
    seen = set()
    for seed in range(200, 240):
        files = oracle.Files(seed)
        files.names = files.names[:2]
        files.types = {name: oracle.COLUMNS[name] for name in files.names}
        files.derived = ""
        text = files.tree()
        kinds = files.types
        try:
            tree = ol.read(text)
        except UnreadableModel:
            continue
        full = oracle.rows(kinds)
        said = {tuple(row.values()): oracle.evaluate(text, row) for row in full}
        for row in oracle.rows(kinds, missing=True, n=25, seed=seed):
            fits = {
                answer for values, answer in said.items()
                if all(v is None or v == w for v, w in zip(row.values(), values, strict=True))
            }  # fmt: skip
            expected = fits.pop() if len(fits) == 1 else None
            assert tree.predict([row]).tolist() == [expected]
            seen.add(expected)
    assert seen == {"no", "so", "yes", None}


def pmml(nodes: str, *, fields: str | None = None, schema: str | None = None, **more: Any) -> str:
    fields = fields or tag("DataField", name="x", dataType="double", optype="continuous")
    schema = schema or tag("MiningField", name="x")
    target = {"name": "t", "dataType": "string", "optype": "categorical"} | more.pop("target", {})
    model = {"functionName": "classification"} | more
    target_field = tag("DataField", **target)
    return tag(
        "PMML",
        tag("DataDictionary", fields + target_field)
        + tag("TreeModel", tag("MiningSchema", schema + tag("MiningField", name="t",
              usageType="target")) + model.pop("inner", "") + nodes, **model),
        version="4.2",
    )  # fmt: skip


def node(predicate: str, *children: str, **attributes: Any) -> str:
    return tag("Node", predicate + "".join(children), **attributes)


def ask(operator: str, value: Any = None, field: str = "x") -> str:
    return tag("SimplePredicate", field=field, operator=operator, value=value)


SPLIT = node("<True/>", node(ask("lessOrEqual", 3), score="a"), node("<True/>", score="b"))


def refused(text: str, match: str, **options: Any) -> None:
    with pytest.raises((UnreadableModel, InvalidTree), match=match):
        ol.read(text, **options)


# -- columns --------------------------------------------------------------------------------------


def test_float_columns_are_rounded_once() -> None:
    """The threshold is the nearest float32 of its decimals, and so is the row."""
    fields = tag("DataField", name="x", dataType="float", optype="continuous")
    middle = "1.000000059604644775390625000000000000000000001"  # just above a half: rounds up
    tree = ol.read(pmml(SPLIT.replace('"3"', f'"{middle}"'), fields=fields))
    up = float(np.nextafter(np.float32(1), np.float32(2)))
    assert tree.nodes.threshold[0] == up
    assert tree.space["x"].values == "float32"
    assert tree.predict([[up], [up + 2.0**-25], [up + 2.0**-24]]).tolist() == ["a", "a", "b"]
    wide = ol.read(
        pmml(SPLIT.replace('"3"', f'"{middle}"'), fields=fields), space=ol.Space({"x": "numeric"})
    )
    assert wide.predict([[up + 2.0**-25], [up + 2.0**-23]]).tolist() == ["a", "b"]


def test_integers_booleans_and_labels_that_are_numbers() -> None:
    fields = (
        tag("DataField", name="x", dataType="integer", optype="continuous")
        + tag("DataField", name="b", dataType="boolean", optype="categorical")
        + tag("DataField", tag("Value", value="1") + tag("Value", value="2"), name="c",
              dataType="integer", optype="categorical")
    )  # fmt: skip
    schema = "".join(tag("MiningField", name=name) for name in "xbc")
    nodes = node(
        "<True/>",
        node(ask("equal", "true", "b"), score="1"),
        node(ask("equal", "2", "c"), score="2"),
        node(ask("lessThan", 4), score="2"),
        node("<True/>", score="3"),
    )
    tree = ol.read(pmml(nodes, fields=fields, schema=schema, target={"dataType": "integer"}))
    kinds = {f.name: (f.kind, f.values) for f in tree.space.features}
    assert kinds == {"x": ("numeric", "integer"), "b": ("boolean", "float64"),
                     "c": ("categorical", "float64")}  # fmt: skip
    assert tree.classes == (1, 2, 3)
    rows = [
        {"x": x, "b": b, "c": c} for x, b, c in itertools.product((3, 4), (True, False), (1, 2))
    ]
    assert tree.predict(rows).tolist() == [1, 1, 2, 2, 1, 1, 3, 2]
    assert tree.predict([{"x": None, "b": False, "c": 2}]).tolist() == [2]
    known = ol.read(
        pmml(nodes, fields=fields, schema=schema, target={"dataType": "integer"}), nan="value"
    )
    assert known.predict([{"x": None, "b": None, "c": None}]).tolist() == [3]


def test_labels_that_are_not_listed() -> None:
    fields = tag("DataField", name="x", dataType="string", optype="categorical")
    nodes = node(
        "<True/>", node(ask("equal", "red"), score="a"), node(ask("notEqual", "red"), score="b")
    )
    tree = ol.read(pmml(nodes, fields=fields))
    assert tree.predict([["red"], ["blue"]]).tolist() == ["a", "b"]
    only = node(
        "<True/>", node(ask("equal", "red"), score="a"), node(ask("equal", "blue"), score="b")
    )
    tree = ol.read(pmml(only, fields=fields))  # others get no prediction, so they are refused
    assert not tree.space["x"].other
    listed = tag("DataField", tag("Value", value="red") + tag("Value", value="blue"), name="x",
                 dataType="string", optype="categorical")  # fmt: skip
    assert not ol.read(pmml(nodes, fields=listed)).space["x"].other
    free = tag("MiningField", name="x", invalidValueTreatment="asIs")
    assert ol.read(pmml(nodes, fields=listed, schema=free)).space["x"].other


def test_ordinal_labels() -> None:
    values = "".join(tag("Value", value=v) for v in ("low", "mid", "high"))
    fields = tag("DataField", values, name="x", dataType="string", optype="ordinal")
    tree = ol.read(pmml(SPLIT.replace('"3"', '"mid"'), fields=fields))
    assert tree.predict([["low"], ["mid"], ["high"]]).tolist() == ["a", "a", "b"]
    tree = ol.read(
        pmml(SPLIT.replace('"3"', '"mid"').replace("lessOrEqual", "lessThan"), fields=fields)
    )
    assert tree.predict([["low"], ["mid"], ["high"]]).tolist() == ["a", "b", "b"]
    refused(pmml(SPLIT.replace('"3"', '"mid"'), fields=fields.replace("ordinal", "categorical")),
            "only ordinal fields that list their values have an order")  # fmt: skip


@pytest.mark.parametrize(
    ("field", "schema", "said"),
    [
        ({"dataType": "dateTime"}, {}, "has the type 'dateTime', and read are integer"),
        ({}, {"outliers": "asExtremeValues"}, "outliers='asExtremeValues'"),
        ({}, {"invalidValueTreatment": "asValue"}, "invalidValueTreatment='asValue'"),
        ({}, {"name": "y"}, "which the data dictionary does not have"),
        ({"inner": tag("Value", value="-999", property="missing")}, {}, "'-999' for missing"),
        ({"inner": tag("Interval", closure="closedClosed", leftMargin=0)},
         {"invalidValueTreatment": "asMissing"}, "out of its range for missing"),
    ],
)  # fmt: skip
def test_columns_that_are_refused(field: Any, schema: Any, said: str) -> None:
    given = {"name": "x", "dataType": "double", "optype": "continuous"} | field
    inner = given.pop("inner", "")
    fields = tag("DataField", inner, **given)
    refused(pmml(SPLIT, fields=fields, schema=tag("MiningField", **({"name": "x"} | schema))), said)


def test_missing_as_a_value() -> None:
    for strategy, said in (("none", "b"), ("lastPrediction", "m"), ("defaultChild", "a")):
        nodes = node("<True/>", node(ask("lessOrEqual", 3), score="a", id="1"),
                     node("<True/>", score="b", id="2"), score="m", defaultChild="1")  # fmt: skip
        text = pmml(nodes, missingValueStrategy=strategy)
        assert ol.read(text, nan="value").predict([[None]]).tolist() == [said]
        assert ol.read(text).predict([[None]]).tolist() == [None]
    for strategy in ("nullPrediction", "weightedConfidence", "aggregateNodes"):
        text = pmml(SPLIT, missingValueStrategy=strategy)
        assert ol.read(text).predict([[3.0]]).tolist() == ["a"]
        refused(text, f"missingValueStrategy='{strategy}'.; leave nan='value' out", nan="value")
    replaced = tag("MiningField", name="x", missingValueReplacement="2")
    text = pmml(SPLIT, missingValueStrategy="nullPrediction", schema=replaced)
    assert ol.read(text, nan="value").predict([[None]]).tolist() == ["a"]
    text = pmml(SPLIT, schema=tag("MiningField", name="x", missingValueTreatment="returnInvalid"))
    refused(text, "field 'x' must not be missing", nan="value")
    refused(pmml(SPLIT, missingValueStrategy="guess"), "missingValueStrategy is 'guess'")
    text = pmml(SPLIT, missingValueStrategy="defaultChild")
    refused(text, "a node has no defaultChild")


def test_infinity_as_scikit_learn_s_converter_writes_it() -> None:
    nodes = node("<True/>", node(ask("lessOrEqual", "INF"), score="a"), node("<True/>", score="b"))
    tree = ol.read(pmml(nodes))
    assert tree.predict([[1e300], [np.inf]]).tolist() == ["a", "a"]
    refused(pmml(SPLIT.replace('"3"', '"-INF"')), "must be a finite number")


# -- predictions ----------------------------------------------------------------------------------


def test_numbers_and_targets() -> None:
    nodes = SPLIT.replace('"a"', '"1.5"').replace('"b"', '"-2"')
    regression: dict[str, Any] = {
        "functionName": "regression",
        "target": {"dataType": "double", "optype": "continuous"},
    }
    tree = ol.read(pmml(nodes, **regression))
    assert tree.task == "regression"
    assert tree.predict([[3.0], [4.0]]).tolist() == [1.5, -2.0]
    for attributes, expected in (
        ({"rescaleFactor": 0.1, "rescaleConstant": 7}, [0.1 * 1.5 + 7, 0.1 * -2 + 7]),
        ({"min": -1, "max": 1}, [1.0, -1.0]),
        ({"castInteger": "round"}, [2.0, -2.0]),
        ({"castInteger": "floor", "rescaleFactor": 3}, [4.0, -6.0]),
        ({"castInteger": "ceiling", "rescaleFactor": 3}, [5.0, -6.0]),
    ):
        inner = tag("Targets", tag("Target", **attributes))
        tree = ol.read(pmml(nodes, inner=inner, **regression))
        assert tree.predict([[3.0], [4.0]]).tolist() == expected
    inner = tag("Targets", tag("Target", castInteger="guess"))
    refused(pmml(nodes, inner=inner, **regression), "castInteger is 'guess'")
    refused(pmml(SPLIT, **regression), "a score is 'a' and must be a number")


def test_score_distributions() -> None:
    target = {"dataType": "string"}
    leaf = [tag("ScoreDistribution", value=v, recordCount=c) for v, c in (("a", 1), ("b", 3))]
    other = [tag("ScoreDistribution", value=v, recordCount=c) for v, c in (("b", 0), ("a", 9))]
    nodes = node("<True/>", node(ask("lessOrEqual", 3), *leaf), node("<True/>", *other))
    text = pmml(nodes, target=target)
    assert ol.read(text).predict([[1.0], [4.0]]).tolist() == ["b", "a"]  # the most records
    listed = text.replace('<DataField name="t" dataType="string" optype="categorical"/>', tag(
        "DataField", tag("Value", value="a") + tag("Value", value="b"), name="t",
        dataType="string", optype="categorical"))  # fmt: skip
    tree = ol.read(listed)
    assert tree.classes == ("a", "b")
    assert tree.kernel.shares[tree.nodes.feature < 0].tolist() == [[0.25, 0.75], [1.0, 0.0]]
    assert ol.read(listed).predict([[1.0], [4.0]]).tolist() == ["b", "a"]
    refused(listed.replace('value="b" recordCount="3"', 'value="c" recordCount="3"'), "not a class")
    refused(listed.replace('recordCount="3"', 'recordCount="-3"'), "must not be below 0")


def test_first_of_several_segments() -> None:
    text = pmml(SPLIT)
    before, _, rest = text.partition("<TreeModel")
    model = "<TreeModel" + rest.removesuffix("</PMML>")
    schema = model[model.index("<MiningSchema") : model.index("<Node")]
    other = model.replace('"a"', '"c"')
    segments = tag("Segment", ask("lessThan", 0) + other) + tag("Segment", "<True/>" + model)
    whole = before + tag(
        "MiningModel", schema + tag("Segmentation", segments, multipleModelMethod="selectFirst"),
        functionName="classification") + "</PMML>"  # fmt: skip
    tree = ol.read(whole)
    assert tree.predict([[-1.0], [1.0], [5.0]]).tolist() == ["c", "a", "b"]
    with pytest.raises(UnreadableModel, match="put together by 'sum', and of classes"):
        ol.canonicalize(whole.replace("selectFirst", "sum"))


# -- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('operator="lessOrEqual"', 'operator="isRed"', "has the operator 'isRed'"),
        ('field="x"', 'field="z"', "asks about 'z', which is not an active field"),
        (' value="3"', "", "has no value"),
        ('value="3"', 'value="three"', "'three' and must be a number"),
        ('value="3"', 'value="1e999"', "must be a finite number"),
        ('value="3"', 'value="1_0"', "must be a number"),
        ("<True/>", "", "a Node has no predicate"),
        ("TreeModel", "ClusteringModel", "holds a ClusteringModel, and read are TreeModel"),
        ('functionName="classification"', 'functionName="clustering"', "functionName is"),
        ('functionName="classification"', 'functionName="classification" isScorable="false"',
         "not to be used"),
        ('score="a"', "", "a leaf has no score"),
    ],
)  # fmt: skip
def test_files_that_are_refused(old: str, new: str, said: str) -> None:
    text = pmml(SPLIT)
    assert old in text
    refused(text.replace(old, new), said)


def test_rows_without_a_prediction_are_described() -> None:
    nodes = node(
        "<True/>", node(ask("lessThan", 3), score="a"), node(ask("greaterThan", 3), score="b")
    )
    refused(pmml(nodes), "no prediction: 'x' above 2.9999999999999996 and at most 3.0")
    refused(pmml(node("<False/>", score="a")), "no prediction: all rows")


def test_transformations_that_are_refused_only_if_they_are_asked() -> None:
    log = tag("Apply", tag("FieldRef", field="x"), function="log")
    derived = tag("DerivedField", log, name="d", dataType="double", optype="continuous")
    inner = tag("LocalTransformations", derived)
    assert ol.read(pmml(SPLIT, inner=inner)).n_leaves == 2
    refused(pmml(SPLIT.replace('field="x"', 'field="d"'), inner=inner),
            "a derived field is computed by 'log' of 1 arguments: read are")  # fmt: skip
    refused(pmml(SPLIT.replace('field="x"', 'field="d"'), inner=inner.replace("Apply", "Lag")),
            "the derived field 'd' is made by Lag, and read are FieldRef, Norm")  # fmt: skip
    cast = inner.replace(tag("Apply", tag("FieldRef", field="x"), function="log"),
                         tag("FieldRef", field="x")).replace("double", "integer")  # fmt: skip
    refused(
        pmml(SPLIT.replace('field="x"', 'field="d"'), inner=cast), "makes whole numbers of others"
    )


def test_files_that_unfold_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules over many columns, none of which excludes another."""
    names = [f"x{i}" for i in range(40)]
    fields = "".join(
        tag("DataField", name=n, dataType="double", optype="continuous") for n in names
    )
    schema = "".join(tag("MiningField", name=n) for n in names)
    pairs = [
        tag("CompoundPredicate", ask("lessThan", 0, a) + ask("lessThan", 0, b),
            booleanOperator="and")
        for a, b in zip(names[::2], names[1::2], strict=True)
    ]  # fmt: skip
    children = [*(node(pair, score="a") for pair in pairs), node("<True/>", score="b")]
    monkeypatch.setattr(unfold, "MAX_STEPS", 100_000)
    refused(pmml(node("<True/>", *children), fields=fields, schema=schema),
            "more than 100,000 steps to unfold")  # fmt: skip


def test_the_command_line_reads_it(tmp_path: Path) -> None:
    from commands import fine, mistake

    path = tmp_path / "model.pmml"
    path.write_text(pmml(SPLIT))
    assert "IF x <= 3" in fine("explain", path)
    path.write_text(pmml(SPLIT)[:300])
    assert "model.pmml: this XML file is damaged" in " ".join(mistake("explain", path).split())


def test_labels_that_are_not_listed_beside_missing_values() -> None:
    """No rule fires where another value is missing, which says nothing of the label."""
    number = {"feature": "a", "relation": "<=", "reference": 24.5, "false": {"prediction": "n"}}
    label = {"feature": "c", "relation": "in", "reference": ["only"], "true": {"prediction": "n"},
             "false": {"prediction": "x"}}  # fmt: skip
    space = ol.Space([ol.Feature("a"), ol.Feature("c", "categorical", categories=("only",),
                                                  other=True)])  # fmt: skip
    tree = ol.read({**number, "true": label}, space=space)
    read = ol.read(tree.to_pmml())
    assert read.space["c"].other
    assert read.predict([{"a": 1, "c": "another"}]).tolist() == ["x"]
    assert ol.check_export(tree, tree.to_pmml())
