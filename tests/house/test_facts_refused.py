"""What cannot take facts into account says so: facts are never left out silently."""

import pytest

import orderless as ol
from orderless.errors import InvalidSpace

SPACE = ol.Space({"low": int, "high": int}, knowing=["low <= high"])
TREE = ol.read_tree(
    {"feature": "low", "relation": "<=", "reference": 3, "true": {"prediction": "a"},
     "false": {"feature": "high", "relation": "<=", "reference": 1, "true": {"prediction": "a"},
               "false": {"prediction": "b"}}},
    space=SPACE,
)  # fmt: skip
ROWS = [{"low": 5, "high": 7}, {"low": 1, "high": 2}]
ASKED = {
    "explain_all": lambda tree: ol.canonicalize(tree).explain_all(ROWS),
    "form.certificate": lambda tree: ol.canonicalize(tree).certificate(),
    "equivalence_certificate": lambda tree: ol.equivalence_certificate(tree, tree),
    "to_pmml": lambda tree: tree.to_pmml(),
    "to_onnx": lambda tree: tree.to_onnx(),
    "to_treelite": lambda tree: tree.to_treelite(),
    "to_excel": lambda tree: tree.to_excel("never-written.xlsx"),
    "to_sql": lambda tree: tree.to_sql(),
    "to_javascript": lambda tree: tree.to_javascript(),
    "to_polars": lambda tree: tree.to_polars(),
    "cheapest_policy": lambda tree: ol.cheapest_policy(tree, ROWS, {"low": 1, "high": 1}),
    "smallest_tree": ol.smallest_tree,
    "redundant_splits": ol.redundant_splits,
    "report": lambda tree: ol.report(tree, ROWS, ["b", "a"]),
    "model_card": lambda tree: ol.model_card(tree, ROWS, ["b", "a"], name="n", intended_use="u"),
    "write_page": lambda tree: ol.write_page(tree, "never-written.html"),
}


@pytest.mark.parametrize("name", ASKED)
def test_it_refuses_facts(name):
    with pytest.raises(InvalidSpace, match="does not work with facts"):
        ASKED[name](TREE)


@pytest.mark.parametrize("name", ASKED)
def test_it_works_without_them(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if name == "to_polars":
        pytest.importorskip("polars", reason="polars is not installed")
    if name in ("to_onnx", "to_treelite", "to_excel"):
        package = {"to_onnx": "onnx", "to_treelite": "treelite", "to_excel": "openpyxl"}[name]
        pytest.importorskip(package, reason=f"{package} is not installed")
    ASKED[name](TREE.over(TREE.space.without_facts()))


def test_one_row_heeds_them():
    # Above 3 is low, so high is above 1 as well: certain without it, but only with the facts.
    plain = TREE.over(TREE.space.without_facts())
    row = {"low": 5}
    assert TREE.predict([row]).tolist() == ["b"]
    assert TREE.predict(row) == TREE.predictor()(row) == "b"
    assert plain.predict(row) is None
    assert ol.canonicalize(TREE).explain(row).label == "b"
    assert ol.canonicalize(plain).explain(row).label is None
