"""What cannot take facts into account says so: facts are never left out silently."""

import pytest
from sums import as_ensemble

import orderless as ol
from orderless.errors import InvalidSpace
from orderless.output.certificates import equivalence_certificate

SPACE = ol.Space({"low": int, "high": int}, facts=["low <= high"])
TREE = ol.read(
    {"feature": "low", "relation": "<=", "reference": 3, "true": {"prediction": "a"},
     "false": {"feature": "high", "relation": "<=", "reference": 1, "true": {"prediction": "a"},
               "false": {"prediction": "b"}}},
    space=SPACE,
)  # fmt: skip
ROWS = [{"low": 5, "high": 7}, {"low": 1, "high": 2}]
ASKED = {
    "form.certificate": lambda tree: ol.canonicalize(tree).certificate(),
    "equivalence_certificate": lambda tree: equivalence_certificate(tree, tree),
    "minimize": lambda tree: tree.minimize(),
    "write_page": lambda tree: ol.write_page(tree, "never-written.html"),
}


EXPORTS = {
    "to_pmml": lambda tree: tree.to_pmml(),
    "to_onnx": lambda tree: tree.to_onnx(),
    "to_sql": lambda tree: tree.to_sql(),
    "to_python": lambda tree: tree.to_python(),
    "to_javascript": lambda tree: tree.to_javascript(),
    "to_expression": lambda tree: tree.to_expression(),
}
MANY = as_ensemble(TREE)
OF_ENSEMBLES = {
    "the page": lambda many: ol.write_page(many, "never-written.html"),
}
PACKAGES = {"to_onnx": "onnx"}


@pytest.mark.parametrize("name", ASKED)
def test_it_refuses_facts(name):
    with pytest.raises(InvalidSpace, match=r"does not work with facts between features \(\w"):
        ASKED[name](TREE)


@pytest.mark.parametrize("name", ASKED)
def test_it_works_without_them(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ASKED[name](TREE.with_space(TREE.space.without_facts()))


@pytest.mark.parametrize("name", OF_ENSEMBLES)
def test_ensembles_refuse_what_they_cannot_answer(name):
    with pytest.raises(InvalidSpace, match=f"{name} does not work with facts"):
        OF_ENSEMBLES[name](MANY)


@pytest.mark.parametrize("name", EXPORTS)
def test_exports_say_that_they_know_no_facts(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name], reason=f"{PACKAGES[name]} is not installed")
    with pytest.warns(UserWarning, match=f"{name} writes nothing of the facts"):
        EXPORTS[name](TREE)
    EXPORTS[name](TREE.with_space(TREE.space.without_facts()))  # without a warning


@pytest.mark.parametrize("name", ["to_pmml", "to_onnx"])
def test_exports_of_ensembles_say_it_too(name):
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name], reason=f"{PACKAGES[name]} is not installed")
    with pytest.warns(UserWarning, match=f"{name} writes nothing of the facts"):
        getattr(MANY, name)()


def test_what_is_exported_is_certain_with_facts_too():
    with pytest.warns(UserWarning, match="to_python writes nothing"):
        source = TREE.to_python()
    names = {}
    exec(source, names)
    for low in (None, *range(0, 7)):
        for high in (None, *range(0, 7)):
            row = {name: v for name, v in (("low", low), ("high", high)) if v is not None}
            if None in (low, high) or low <= high:
                said = names["decide"](row)
                assert said is None or said == TREE.predict(row), row
                assert said is not None or None in (low, high)


def test_one_row_heeds_them():
    # Above 3 is low, so high is above 1 as well: certain without it, but only with the facts.
    plain = TREE.with_space(TREE.space.without_facts())
    row = {"low": 5}
    assert TREE.predict([row]).tolist() == ["b"]
    assert TREE.predict(row) == TREE.predictor()(row) == "b"
    assert plain.predict(row) is None
    assert TREE.explain(row).label == "b"
    assert plain.explain(row).label is None
