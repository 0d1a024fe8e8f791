"""Numbers that PMML computes from one column, at every boundary and on the floats beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from neighbours import EDGES, neighbours
from pmml_engines import run_jpmml

import orderless as ol
from orderless.errors import UnreadableModel

X = '<FieldRef field="x"/>'


def constant(number: float, kind: str = ' dataType="double"') -> str:
    return f"<Constant{kind}>{number!r}</Constant>"


def apply(sign: str, first: str, second: str, more: str = "") -> str:
    return f'<Apply function="{sign}"{more}>{first}{second}</Apply>'


def norm(points: list[tuple[float, float]], more: str = "") -> str:
    lines = "".join(f'<LinearNorm orig="{a!r}" norm="{b!r}"/>' for a, b in points)
    return f'<NormContinuous field="x"{more}>{lines}</NormContinuous>'


def document(how: str, kind: str = "double", declared: str = "double", more: str = "") -> str:
    """A tree that asks a derived field everything that one can ask of a number."""
    tests = [("lessThan", "-1.7"), ("equal", "0.3"), ("lessOrEqual", "0.31"),
             ("greaterThan", "2.125"), ("greaterOrEqual", "1.1")]  # fmt: skip
    nodes = "".join(
        f'<Node score="{at}"><SimplePredicate field="d" operator="{sign}" value="{value}"/></Node>'
        for at, (sign, value) in enumerate(tests)
    )
    return f"""<PMML xmlns="http://www.dmg.org/PMML-4_4" version="4.4"><Header/>
<DataDictionary><DataField name="x" optype="continuous" dataType="{kind}"/>
<DataField name="prediction" optype="categorical" dataType="string"/></DataDictionary>
<TreeModel functionName="classification" noTrueChildStrategy="returnLastPrediction"
 missingValueStrategy="lastPrediction">
<MiningSchema><MiningField name="x" invalidValueTreatment="asIs"/>
<MiningField name="prediction" usageType="target"/></MiningSchema>
<LocalTransformations><DerivedField name="{"e" if more else "d"}" optype="continuous"
 dataType="{"double" if more else declared}">{how}</DerivedField>{more}</LocalTransformations>
<Node score="rest"><True/>{nodes}</Node></TreeModel></PMML>"""


def answer(number: float | None, single: bool) -> str:
    """What the tree says of the derived number; missing is unknown to its first question."""
    if number is None or number != number:
        return "rest"
    round_to: Callable[[float], float] = np.float32 if single else float  # type: ignore[assignment]
    with np.errstate(over="ignore"):
        d = float(round_to(number))
    limits = [float(round_to(v)) for v in (-1.7, 0.3, 0.31, 2.125, 1.1)]
    found = (d < limits[0], d == limits[1], d <= limits[2], d > limits[3], d >= limits[4])
    return str(found.index(True)) if any(found) else "rest"


CASES: dict[str, tuple[str, Callable[[float], float], float | None]] = {
    "scaled": (apply("/", apply("-", X, constant(-0.0358)), constant(1.0178)),
               lambda x: (x + 0.0358) / 1.0178, None),
    "falls": (apply("+", apply("*", X, constant(-0.37)), constant(0.11)),
              lambda x: x * -0.37 + 0.11, None),
    "from": (apply("-", constant(0.3), X), lambda x: 0.3 - x, None),
    "first": (apply("*", constant(0.1), X), lambda x: 0.1 * x, None),
    "filled": (apply("/", X, constant(3.0), ' mapMissingTo="1.5"'), lambda x: x / 3.0, 1.5),
    "line": (norm([(0.7, -0.21), (3.3, 5.0)]),
             lambda x: -0.21 + (x - 0.7) / (3.3 - 0.7) * (5.0 - -0.21), None),
    "falling line": (norm([(-0.1, 4.0), (2.9, -3.0)], ' outliers="asExtremeValues" '
                          'mapMissingTo="0.3"'),
                     lambda x: 4.0 if x < -0.1 else -3.0 if x > 2.9
                     else 4.0 + (x - -0.1) / (2.9 - -0.1) * (-3.0 - 4.0), 0.3),
}  # fmt: skip


def numbers_at(tree: ol.Tree, kind: str) -> list[Any]:
    cuts = tree.kernel.row_threshold[tree.nodes.feature >= 0]
    near = [number for cut in cuts[np.isfinite(cuts)] for number in neighbours(cut)]
    near += [number for number in EDGES if number == number]
    near += np.random.default_rng(0).normal(size=60).tolist()
    if kind == "integer":
        return [None, *(int(np.clip(np.floor(v), -(10**6), 10**6)) for v in near)]
    if kind == "float":
        with np.errstate(over="ignore"):
            near = [float(np.float32(v)) for v in near]
    return [None, *map(float, near)]


@pytest.mark.parametrize("declared", ["double", "float"])
@pytest.mark.parametrize("kind", ["double", "float", "integer"])
@pytest.mark.parametrize("name", CASES)
def test_a_computed_number(name: str, kind: str, declared: str) -> None:
    how, function, missing = CASES[name]
    tree = ol.read(document(how, kind, declared), nan="value")
    for x in numbers_at(tree, kind):
        expected = answer(missing if x is None else function(x), declared == "float")
        assert tree.predict([{"x": x}]).tolist() == [expected], x


def test_a_cast_and_intervals_of_a_computed_number() -> None:
    how, function, _ = CASES["falls"]
    cast = f'<DerivedField name="d" optype="continuous" dataType="float">{X.replace("x", "e")}'
    tree = ol.read(document(how, more=cast + "</DerivedField>"))
    for x in numbers_at(tree, "double")[1:]:
        assert tree.predict([{"x": x}]).tolist() == [answer(function(x), True)]
    bins = '<DiscretizeBin binValue="2"><Interval closure="openClosed" leftMargin="0.0" ' \
           'rightMargin="0.5"/></DiscretizeBin>'  # fmt: skip
    cast = '<DerivedField name="d" optype="continuous" dataType="double"><Discretize field="e" ' \
           f'defaultValue="-5">{bins}</Discretize></DerivedField>'  # fmt: skip
    tree = ol.read(document(how, more=cast))
    inside = numbers_at(tree, "double")[1:]
    for x in inside:
        assert tree.predict([{"x": x}]).tolist() == ["4" if 0.0 < function(x) <= 0.5 else "0"]
    assert 0 < sum(0.0 < function(x) <= 0.5 for x in inside) < len(inside)


@pytest.mark.engine
def test_jpmml_computes_the_same() -> None:
    for name, (how, _, _) in CASES.items():
        for kind, declared in (("double", "double"), ("float", "double"), ("integer", "float")):
            text = document(how, kind, declared)
            tree = ol.read(text, nan="value")
            given = numbers_at(tree, kind)
            said = run_jpmml(text, pd.DataFrame({"x": pd.Series(given, dtype=object)}))
            assert tree.predict([{"x": x} for x in given]).tolist() == said, (name, kind)


@pytest.mark.parametrize(
    ("how", "kind", "message"),
    [
        (apply("*", X, constant(0.0)), "double", "computed with . 0.0: no order is left"),
        (apply("/", constant(1.0), X), "double", "divides by a field"),
        (apply("+", X, X), "double", "from two fields, or from none"),
        (apply("+", constant(1.0), constant(1.0)), "double", "from two fields, or from none"),
        (f'<Apply function="abs">{X}</Apply>', "double", "computed by 'abs' of 1 arguments"),
        (apply("+", X, constant(1.0), ' defaultValue="0"'), "double", "has a defaultValue"),
        (apply("+", apply("+", X, constant(1.0), ' mapMissingTo="0"'), constant(1.0)), "double",
         "a mapMissingTo inside"),
        (apply("/", X, constant(2, "")), "integer", "whole numbers or float32"),
        (apply("/", X, constant(2.0, ' dataType="float"')), "double", "whole numbers or float32"),
        (apply("/", X, constant("x", "")), "double", "a Constant is .* and must be a number"),  # type: ignore[arg-type]
        (apply("+", '<FieldRef field="y"/>', constant(1.0)), "double", "made of 'y', which is not"),
        (norm([(0.0, 1.0)]), "double", "has 1 points and outliers='asIs'"),
        (norm([(0.0, 1.0), (1.0, 2.0)], ' outliers="asMissingValues"'), "double", "asMissingVal"),
        (norm([(1.0, 1.0), (0.0, 2.0)]), "double", "has no line"),
    ],
)  # fmt: skip
def test_what_is_refused(how: str, kind: str, message: str) -> None:
    with pytest.raises(UnreadableModel, match=message):
        ol.read(document(how, kind))
    with pytest.raises(UnreadableModel, match="makes 'integer' of a number that is computed"):
        ol.read(document(CASES["scaled"][0], declared="integer"))


def test_a_table_whose_cells_have_a_namespace_and_a_cast_to_float() -> None:
    """As sklearn2pmml writes an OrdinalEncoder."""
    row = "<row><data:input>{}</data:input><data:output>{}</data:output></row>".format
    table = "".join([row("0", "0.1"), row("1", "0.31"), row("2", "5.0")])
    first = '<Discretize field="x"><DiscretizeBin binValue="0"><Interval closure="openOpen" ' \
            'rightMargin="0"/></DiscretizeBin><DiscretizeBin binValue="1"><Interval ' \
            'closure="closedOpen" leftMargin="0" rightMargin="1"/></DiscretizeBin><DiscretizeBin ' \
            'binValue="2"><Interval closure="closedOpen" leftMargin="1"/></DiscretizeBin>' \
            "</Discretize>"  # fmt: skip
    more = (
        '<DerivedField name="m" optype="categorical" dataType="double"><MapValues '
        'outputColumn="data:output" xmlns:data="http://jpmml.org/jpmml-model/InlineTable">'
        '<FieldColumnPair field="e" column="data:input"/><InlineTable>'
        f"{table}</InlineTable></MapValues></DerivedField>"
        '<DerivedField name="d" optype="continuous" dataType="float"><FieldRef field="m"/>'
        "</DerivedField>"
    )
    tree = ol.read(document(first, more=more))
    said = tree.predict([{"x": -1.0}, {"x": 0.5}, {"x": 1.0}]).tolist()
    assert said == [answer(number, True) for number in (0.1, 0.31, 5.0)] == ["2", "2", "3"]


def test_a_field_that_cannot_be_read_says_so_to_whoever_asks():
    from orderless.errors import UnreadableModel
    from orderless.readers.pmml.fields import Refused

    with pytest.raises(UnreadableModel, match=r"^made by magic$"):
        Refused(UnreadableModel("made by magic")).atom("equal", ["1"])
