"""The command explain: rules and reasons, one row, rows of a file."""

import json

import pytest
from commands import fine, mistake, patients, records
from showcase import check_golden, mixed, mixed_rows

import orderless as ol
from orderless.estimators import judge


@pytest.mark.parametrize("form", ["text", "json", "csv", "md"])
@pytest.mark.parametrize("what", ["rules", "reasons"])
def test_explain_writes_golden_rules_and_reasons(models, form, what):
    args = ["explain", models / "mixed.json", "--format", form]
    said = fine(*args, *["--reasons"] * (what == "reasons"))
    check_golden(f"cli_explain_{what}.{form}", said)
    assert fine("explain", models / "form.json", "--format", form) == fine(*args)


def test_explain_says_what_the_library_says(models):
    form = mixed()
    assert fine("explain", models / "mixed.json") == form.to_text() + "\n"
    assert fine("explain", models / "mixed.json", "-f", "md") == form.to_markdown() + "\n"
    content = json.loads(fine("explain", models / "mixed.json", "--reasons", "-f", "json"))
    assert content["fingerprint"] == form.fingerprint
    assert [(r["class"], r["text"]) for r in content["reasons"]] == [
        (label, str(term)) for label, terms in form.reasons.items() for term in terms
    ]


def test_explain_counts_over_data(models):
    form, (rows, labels) = mixed(), mixed_rows()
    args = ("explain", models / "mixed.json", "--data", models / "mixed.csv")
    about = (
        "The tree is from mixed.json, the rows are from mixed.csv: if it was fitted on them, it is "
        "usually right less often on new rows."
    )
    assert fine(*args) == form.to_text(rows, about_rows=about) + "\n"
    said = fine(*args, "--target", "risk")
    rules, _, quality = said.partition("\n\nHow well it predicts\n")
    assert rules == form.to_text(rows, labels, about_rows=about)
    found = judge(form, rows, labels)
    assert f"Rows of mixed.csv: {found.n_right} of {len(rows)} are right" in quality
    content = json.loads(fine(*args, "--target", "risk", "-f", "json"))
    assert content["quality"] == [{"of": "rows of mixed.csv", **found.to_dict()}]
    said = json.loads(fine(*args, "-f", "json"))["data"]
    assert said == {"from": "mixed.csv", "number": len(rows), "tree_fitted_on_them": None}
    table = records(fine(*args, "--target", "risk", "-f", "csv"))
    assert sum(int(r["rows"]) for r in table) >= sum(int(r["right"]) for r in table) > 0


def test_rows_that_the_tree_was_fitted_on_are_called_so(tmp_path):
    path = patients(tmp_path)
    fitted = ("fit", path, "--target", "diagnosis", "--ignore", "id")
    about = "The tree was fitted on these rows (patients.csv):"
    for form in ("text", "md"):
        said = fine(*fitted, "-f", form).replace("\\", "")
        assert f"{about} on new rows it is usually right less often." in said
    assert json.loads(fine(*fitted, "-f", "json"))["data"]["tree_fitted_on_them"] is True
    fine(*fitted, "-o", tmp_path / "model.json")
    data = (tmp_path / "model.json", "--data", path, "--target", "diagnosis")
    about = "The tree is from model.json, the rows are from patients.csv: if it was fitted"
    assert about in fine("importance", *data)
    assert json.loads(fine("importance", *data, "-f", "json"))["data"]["from"] == "patients.csv"
    assert fine("report", *data).count(about) == 3  # at the top, with the rules, with the reasons
    assert "fitted" not in fine("explain", tmp_path / "model.json")  # there are no rows
    assert "data" not in json.loads(fine("explain", tmp_path / "model.json", "-f", "json"))


def test_explain_one_row(models):
    row = ("--row", "age=20", "--row", "lab value=1", "--row", "smoker=yes")
    known = {"age": 20, "lab value": 1.0, "smoker": 1}
    form = mixed()
    assert fine("explain", models / "mixed.json", *row) == f"{form.tree.explain(known)}\n"
    said = json.loads(fine("explain", models / "mixed.json", *row, "-f", "json"))
    assert said["label"] == "high"
    assert said["settle"] == []
    said = fine("explain", models / "mixed.json", "--row", "age=20", "--row", "color=")
    assert said == f"{form.tree.explain({'age': 20})}\n"
    assert str(form.tree.needed({"age": 20})).split("\n", 1)[1] in said


@pytest.mark.parametrize("form", ["text", "json", "csv", "md"])
def test_explain_rows_of_a_file(models, tmp_path, form):
    path = tmp_path / "rows.csv"
    path.write_text("color,smoker,age,lab value,note\nred,0,20,1.5,x\n,,65,,y\npink,1,,0.05,z\n")
    said = fine("explain", models / "mixed.json", "--rows", path, "--format", form)
    check_golden(f"cli_explain_rows.{form}", said)
    if form == "json":
        labels = [record["label"] for record in json.loads(said)]
        rows = [{"color": "red", "smoker": 0, "age": 20, "lab value": 1.5}, {"age": 65},
                {"color": "pink", "smoker": 1, "lab value": 0.05}]  # fmt: skip
        assert labels == mixed().predict(rows).tolist()


def test_a_name_may_hold_an_equals_sign(tmp_path):
    tree = ol.read({"feature": "a=b", "true": {"prediction": 1}, "false": {"prediction": 0}},
                        feature_names=["a=b"])  # fmt: skip
    (tmp_path / "m.json").write_text(tree.to_json())
    assert fine("explain", tmp_path / "m.json", "--row", "a=b=1").startswith("1, because a=b")


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ("agee=4", "no feature 'agee' (did you mean 'age'?)"),
        ("age", "takes name=value, got 'age'"),
        ("age=old", "has 'old' in the column 'age', which must be a whole number"),
        ("smoker=perhaps", "must be true or false"),
        ("age=1,5", "If it is a number, add --decimal ,"),
        ("age=1_0", "has '1_0'"),
    ],
)
def test_a_row_that_is_not_legal(models, given, match):
    assert match in mistake("explain", models / "mixed.json", "--row", given)


def test_explain_takes_one_question_at_a_time(models):
    model = models / "mixed.json"
    assert "not several" in mistake("explain", model, "--row", "age=1", "--reasons")
    assert "twice" in mistake("explain", model, "--row", "age=1", "--row", "age=2")
    assert "Missing argument 'MODEL'" in mistake("explain")


def test_options_that_would_do_nothing_are_refused(models):
    model, data = models / "mixed.json", models / "mixed.csv"
    said = mistake("fit", data, "--model", model, "--max-depth", 2)
    assert "--max-depth is for fitting a model, and this one comes from mixed.json" in said
    said = mistake("importance", model, "--data", data, "--target", "risk", "--ignore", "age")
    assert "--ignore is for --rid, and the tree comes from mixed.json" in said
    assert "--target names a column of --data" in mistake("explain", model, "--target", "risk")


def test_limits_are_named_as_options(models):
    said = mistake("explain", models / "mixed.json", "--reasons", "--limit", 1)
    assert "more than --limit 1 reasons" in said
    assert "use --no-exact" in said
    assert "limit=" not in said
    assert fine("explain", models / "mixed.json", "--no-exact", "--limit", 1)
