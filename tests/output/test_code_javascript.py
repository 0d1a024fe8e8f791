import itertools
import json
import math
import re
import subprocess
from pathlib import Path

import javascript
import numpy as np
import oracle
import pytest
import showcase
from hypothesis import assume, given, settings, strategies as st
from javascript import needs_node, run
from neighbours import neighbours
from strategies import partial_rows, problems, tree_of

import orderless as ol
from orderless.errors import InvalidData
from tests.form.test_canonical_limits import many_reasons
from tests.output.test_code_python import NAN_VALUES, chain, nan_trees, probes


@pytest.fixture(scope="module", autouse=True)
def _node_ends():
    yield
    javascript.stop()


def script(tree):
    return tree.to_javascript(module=False)


@pytest.mark.parametrize("name", ["mixed", "hostile"])
def test_golden(name):
    """Only what differs from tree to tree; the rest is the file of the package."""
    source = showcase.FORMS[name]().tree.to_javascript()
    showcase.check_golden(f"{name}.javascript.txt", source[: source.index("// A side says")])


def test_form_and_tree_write_the_same():
    form = showcase.mixed()
    assert form.tree.to_javascript() == form.tree.to_javascript()
    assert form.tree.to_javascript(module=False) == form.tree.to_javascript(module=False)


# -- the same answers --------------------------------------------------------------------------


@needs_node
@given(problems(max_features=4), st.data())
@settings(max_examples=60)
def test_decides_as_predict_does(problem, data):
    """Theorem 3.2 in JavaScript: complete rows, rows with unknowns, rows at the thresholds."""
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    values = probes(kinds, spec)
    rows = list(itertools.islice(oracle.cells(kinds, spec), 50))
    rows += [data.draw(partial_rows(kinds, spec)) for _ in range(3)]
    row = data.draw(st.fixed_dictionaries({n: st.sampled_from(v) for n, v in values.items()}))
    for name, choices in values.items():  # one feature through all its values, the rest fixed
        rows += [{**row, name: value} for value in choices]
    rows += [{n: v for n, v in row.items() if v is not None}, {}]
    assert run(script(tree), rows) == tree.predict(rows).tolist()
    possible = [list(labels) for labels in tree.possible(rows)]
    assert run(script(tree), rows, "orderless.possibleClasses(row)") == possible
    for row, labels in list(zip(rows, possible, strict=True))[-10:]:
        assert set(labels) == oracle.possible_classes(kinds, row, spec)


@needs_node
@given(problems(max_features=4), st.data())
@settings(max_examples=40)
def test_ranges_and_sets_as_predict_between_does(problem, data):
    kinds, (spec,) = problem
    tree = tree_of(spec, kinds)
    values = oracle.values_by_feature(kinds, spec)
    rows, lower, upper = [], [], []
    for _ in range(12):
        row, low, high = {}, {}, {}
        for name, kind in kinds.items():
            what = data.draw(st.integers(0, 3))
            if isinstance(kind, tuple):
                some = data.draw(st.lists(st.sampled_from(kind), min_size=1, unique=True))
                if what:
                    row[name], low[name] = some, set(some)
                continue
            ends = sorted(data.draw(st.sampled_from(values[name])) for _ in range(2))
            if kind != "boolean" and data.draw(st.booleans()):
                ends = [ends[0] - 0.25, ends[1] + 0.25]
            row[name] = {}
            if what & 1:
                row[name]["from"] = low[name] = ends[0]
            if what & 2:
                row[name]["to"] = high[name] = ends[1]
        rows.append(row)
        lower.append(low)
        upper.append(high)
    assert run(script(tree), rows) == tree.predict(ol.Between(lower, upper)).tolist()


@needs_node
@given(problems(max_features=4), st.data())
@settings(max_examples=60)
def test_why_gives_a_reason_that_holds(problem, data):
    """It is one of the sufficient reasons, and none asks fewer features."""
    kinds, (spec,) = problem
    form = ol.canonicalize(tree_of(spec, kinds))
    assume(sum(len(terms) for terms in form.reasons.values()) < 200)
    rows = [data.draw(partial_rows(kinds, spec)) for _ in range(8)]
    labels = form.predict(rows).tolist()
    said = run(script(form.tree), rows, "orderless.why(row)")
    for row, label, words in zip(rows, labels, said, strict=True):
        if label is None:
            assert words is None
            continue
        holding = {str(t): len(t.features) for t in form.reasons[label] if t.covers([row])[0]}
        assert words in holding
        assert holding[words] == min(holding.values())


@needs_node
@given(nan_trees(), st.data())
@settings(max_examples=40)
def test_where_nan_is_a_value(tree, data):
    """Null and NaN are that value; a feature that is left out is unknown."""
    form = ol.canonicalize(tree)
    one = st.fixed_dictionaries({}, optional={n: st.sampled_from(v) for n, v in NAN_VALUES.items()})
    rows = data.draw(st.lists(one, min_size=8, max_size=8))
    labels = [tree.predict([row]).tolist()[0] for row in rows]
    assert run(script(tree), rows) == labels
    if sum(len(terms) for terms in form.reasons.values()) < 500:
        said = run(script(tree), rows, "orderless.why(row)")
        for row, label, words in zip(rows, labels, said, strict=True):
            if label is not None:
                assert words in [str(t) for t in form.reasons[label] if t.covers([row])[0]]


@needs_node
@given(nan_trees(), st.data())
@settings(max_examples=40)
def test_ranges_where_nan_is_a_value(tree, data):
    """A bound excludes NaN; a range without bounds is any value, NaN too."""
    numbers = st.sampled_from([-math.inf, 0, 1, 2, 3, math.inf])
    rows, lower, upper = [], [], []
    for _ in range(8):
        row, low, high = {}, {}, {}
        for name in "abn":
            ends = sorted([data.draw(numbers), data.draw(numbers)])
            if name == "n" and math.inf in (ends[0], -ends[1]):
                ends = [0, 1]
            row[name] = {}
            if data.draw(st.booleans()):
                row[name]["from"] = low[name] = ends[0]
            if data.draw(st.booleans()):
                row[name]["to"] = high[name] = ends[1]
        some = data.draw(st.lists(st.sampled_from(["r", "g", 3, "else", None]), min_size=1))
        row["c"], low["c"] = some, some
        rows.append(row)
        lower.append(low)
        upper.append(high)
    assert run(script(tree), rows) == tree.predict(ol.Between(lower, upper)).tolist()


@needs_node
def test_scikit_learn_at_every_threshold():
    form, X, _ = showcase.iris()
    tree = form.tree
    cuts = sorted(
        {float(t) for t, f in zip(tree.nodes.threshold, tree.nodes.feature, strict=True) if f >= 0}
    )
    rows = [
        {"sepal length (cm)": 5.0, "petal width (cm)": value}
        for cut in cuts
        for value in [*neighbours(cut), *neighbours(float(np.nextafter(np.float32(cut), 9)))]
    ]
    rows += X.to_dict("records")
    assert run(script(tree), rows) == tree.predict(rows).tolist()


@needs_node
def test_thousands_of_random_rows():
    form, (rows, _) = showcase.mixed(), showcase.mixed_rows()
    rng = np.random.default_rng(0)
    rows = [
        {name: value for name, value in zip(form.space.names, values, strict=True) if value != "-"}
        for values in zip(
            rng.choice([*range(10, 80), "-"], 4000).tolist(),
            rng.choice([*rng.normal(1, 2, 200), "-"], 4000).tolist(),
            rng.choice(["0", "1", "-"], 4000).tolist(),
            rng.choice(["red", "green", "blue", "grey", "pink", "-"], 4000).tolist(),
            strict=True,
        )
    ]
    for row in rows:
        for name in ("age", "lab value", "smoker"):
            if name in row:
                row[name] = float(row[name])
    said = form.predict(rows).tolist()
    assert run(script(form.tree), rows) == said
    assert 500 < said.count(None) < 3500


# -- values of all kinds -----------------------------------------------------------------------

UNKNOWN = ["null", "undefined", "NaN", '""']


@needs_node
@pytest.mark.parametrize("unknown", UNKNOWN)
def test_what_is_unknown(unknown):
    source = script(showcase.mixed().tree)
    row = f"{{age: 70, color: 'red', smoker: {unknown}, 'lab value': {unknown}}}"
    assert run(source, [0], f"orderless.decide({row})") == ["high"]
    row = f"{{age: {unknown}, color: 'red', smoker: true, 'lab value': 1}}"
    assert run(source, [0], f"orderless.possibleClasses({row})") == [["high", "middle"]]


@needs_node
def test_an_empty_text_is_a_category_where_it_is_one():
    tree = showcase.ask("c", "in", [""], showcase.leaf(1), showcase.leaf(0))
    for other, answer in ((False, None), (True, 0)):
        listed = ol.Feature("c", "categorical", categories=("", "b"))
        own = ol.read(tree, space=ol.Space([listed]))
        assert run(script(own), [{"c": ""}, {"c": "b"}]) == [1, 0]
        tree_b = showcase.ask("c", "in", ["b"], showcase.leaf(1), showcase.leaf(0))
        rest = ol.Feature("c", "categorical", categories=("b", "d"), other=other)
        assert run(script(ol.read(tree_b, space=ol.Space([rest]))), [{"c": ""}]) == [answer]


@needs_node
def test_labels_keep_their_kind_and_every_digit():
    for labels in [(False, True), (0, 2**60 + 1), (0.1, 1.5), ("0", "1"), (-(2**53), 2**53 - 1)]:
        leaves = {"true": {"prediction": labels[1]}, "false": {"prediction": labels[0]}}
        tree = ol.read({"feature": 0, **leaves})
        said = run(script(tree), [{"x0": True}, {"x0": 0}, {}])
        assert said == [labels[1], labels[0], None]
        assert [type(label) for label in said[:2]] == [type(label) for label in labels]


@needs_node
def test_numbers_as_categories():
    big = 2**60 + 1
    space = ol.Space({"c": [1, 2.5, big, "1"]})
    tree = ol.read(
        showcase.ask("c", "in", [1, big], showcase.leaf("a"), showcase.leaf("b")), space=space
    )
    rows = [{"c": value} for value in (1, True, 1.0, 2.5, big, "1", [1, big], [1, "1"])]
    expected = [*tree.predict(rows[:6]).tolist(), "a", None]
    assert run(script(tree), rows) == expected == ["a", "a", "a", "b", "a", "b", "a", None]


UNKNOWN = "or null or NaN if it is unknown"


@needs_node
@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"age": 0.5}, f'"age" must be a whole number, {UNKNOWN}; got 0.5'),
        ({"age": math.inf}, f'"age" must be a whole number, {UNKNOWN}; got Infinity'),
        ({"age": "20"}, f'"age" must be a whole number, {UNKNOWN}; got "20"'),
        ({"age": 10**400}, f'"age" must be a whole number, {UNKNOWN}; got 1000'),
        ({"age": [1]}, f'"age" must be a whole number, {UNKNOWN}; got [object Array]'),
        ({"lab value": "high"}, f'"lab value" must be a number, {UNKNOWN}; got "high"'),
        ({"smoker": 2}, f'"smoker" must be 0, 1, false or true, {UNKNOWN}; got 2'),
        ({"color": {"a": 1}}, '"color" must be one of "red", "green"'),
        ({"colour": "red"}, 'unknown feature "colour"; features are "age", "lab value"'),
    ],
)
def test_wrong_values_are_refused_as_predict_does(row, said):
    form = showcase.mixed()
    with pytest.raises(InvalidData):
        form.predict([row])
    for name in ("decide", "possibleClasses", "why"):
        (answer,) = run(script(form.tree), [row], f"orderless.{name}(row)")
        assert said in answer["fault"]


@needs_node
@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        ({"age": 3}, {"age": 2}, '"age" has no value from 3 to 2'),
        ({"age": 2.2}, {"age": 2.8}, '"age" has no value from 2.2 to 2.8'),
        ({"age": math.inf}, {"age": math.inf}, '"age" has no value'),
        ({"smoker": 0.2}, {"smoker": 0.8}, '"smoker" has no value'),
        ({"smoker": 2}, {}, '"smoker" has no value'),
        ({"lab value": 2}, {"lab value": 1}, '"lab value" has no value'),
        ({"lab value": "a"}, {}, f'"lab value" must be a number, {UNKNOWN}; got "a"'),
        ({"color": []}, {}, f'"blue", "grey", {UNKNOWN}; got [object Array]'),
    ],
)
def test_ranges_that_are_none(low, high, said):
    form = showcase.mixed()
    with pytest.raises(InvalidData):
        form.tree.predict(ol.Between([low], [high]))
    row = {name: {"from": value, "to": high.get(name)} for name, value in low.items()}
    row = {name: low[name] if isinstance(low[name], list) else value for name, value in row.items()}
    assert said in run(script(form.tree), [row])[0]["fault"]
    assert "must be" in run(script(form.tree), [{"age": {"form": 1}}])[0]["fault"]


@needs_node
def test_a_row_is_an_object():
    for row in ([1, 2], "age", None, 3):
        assert "a row must be an object" in run(script(showcase.mixed().tree), [row])[0]["fault"]
    work = "orderless.decide(new Map(Object.entries(row)))"
    assert run(script(showcase.mixed().tree), [{"age": 70, "color": "red"}], work) == ["high"]


@needs_node
def test_names_are_only_text():
    form = showcase.hostile()
    names = showcase.HOSTILE
    source = script(form.tree)
    rows = [{name: True} for name in names[:-1]] + [{names[-1]: label} for label in (*names, "")]
    assert run(source, rows) == form.predict(rows).tolist()
    assert run(source, [{names[0]: True}], "orderless.why(row)") == [names[0]]
    assert "</script" not in source
    assert "<!--" not in source
    for name in ("__proto__", "constructor", "toString", "hasOwnProperty"):
        leaves = {"true": {"prediction": 1}, "false": {"prediction": 0}}
        tree = ol.read({"feature": name, **leaves}, space=ol.Space({name: "boolean"}))
        assert run(script(tree), [{name: True}, {name: False}, {}]) == [1, 0, None]


# -- size and surroundings ---------------------------------------------------------------------


@needs_node
def test_depth_is_no_problem_and_size_is_linear():
    tree = chain(3_000)
    rows = [{"x": x} for x in (-1, 0.5, 0.6, 2_000, 2_999.5, 2_999.6, None)]
    assert run(script(tree), rows) == tree.predict(rows).tolist()
    assert run(script(tree), [{"x": 2000}], "orderless.why(row)") == ["1999.5 < x <= 2000.5"]
    sizes = [len(script(chain(n))) for n in (1000, 2000)]
    assert sizes[1] < 2.2 * sizes[0]


@needs_node
def test_works_where_reasons_are_too_many():
    tree = ol.read(many_reasons(8))
    assert run(script(tree), [{f"x{i}": 1 for i in range(0, 16, 2)}]) == [1]
    (said,) = run(script(tree), [{f"x{i}": 1 for i in range(16)}], "orderless.why(row)")
    assert said.count(" AND ") == 7
    rows = [{"x0": 0, "x1": 0}]
    assert run(script(tree), rows, "orderless.why(row)") == ["not x0 AND not x1"]


@needs_node
def test_constant():
    source = script(showcase.constant().tree)
    assert run(source, [{}, {"a": True}]) == ["yes", "yes"]
    assert run(source, [{}], "orderless.why(row)") == ["always"]


@needs_node
def test_a_module_is_imported(tmp_path):
    """The module runs by itself, and its functions are what it exports."""
    (tmp_path / "risk.mjs").write_text(showcase.mixed().tree.to_javascript(), encoding="utf-8")
    code = (
        'import * as risk from "./risk.mjs";'
        'console.log(Object.keys(risk).join(), risk.decide({age: 70, color: "red"}),'
        ' risk.why({age: 70, color: "red"}));'
    )
    (tmp_path / "use.mjs").write_text(code, encoding="utf-8")
    command = [javascript.NODE, "use.mjs"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "decide,possibleClasses,why high age > 60 AND color != green"


@needs_node
def test_the_guide_says_what_it_gives():
    """Each line of the guide's JavaScript gives what the comment after it says."""
    guide = Path(__file__).parents[2] / "docs" / "guide" / "page.md"
    (block,) = re.findall(r"```js\n(.*?)```", guide.read_text(encoding="utf-8"), re.DOTALL)
    lines = re.findall(r"^((?:decide|possibleClasses|why)\(.*\));\s+// (.*)$", block, re.MULTILINE)
    assert len(lines) == block.count(");")
    oxygen = showcase.ask("oxygen", "<=", 91.5, showcase.leaf("intensive care"),
                          showcase.leaf("ward"))  # fmt: skip
    tree = showcase.ask("breathless", "==", 1, oxygen, showcase.leaf("home"))
    space = ol.Space({"oxygen": "numeric", "breathless": "boolean"})
    source = script(ol.read(tree, space=space))
    for call, said in lines:
        expected = json.loads(said.partition(": ")[0])
        assert run(source, [0], f"orderless.{call}") == [expected]
