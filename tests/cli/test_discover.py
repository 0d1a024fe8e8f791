"""``orderless data --facts``, the file that it writes, and ``--facts``, which takes it."""

import json
import random

import pytest
from commands import fine, mistake, run

import orderless as ol


@pytest.fixture
def folder(tmp_path):
    r = random.Random(1)
    lines = ["low end,high,sex,pregnant,out"]
    for _ in range(150):
        low = r.randint(0, 20)
        high, sex = low + r.randint(0, 9), r.choice(["female", "male"])
        pregnant = int(sex == "female" and r.random() < 0.4)
        lines.append(f"{low},{high},{sex},{pregnant},{'ill' if high > 12 else 'well'}")
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    space = ol.Space({"low end": int, "high": int})
    well, ill = {"prediction": "well"}, {"prediction": "ill"}
    ask = {"feature": "high", "relation": "<="}
    tree = {**ask, "reference": 12, "true": well, "false": ill}
    (tmp_path / "tree.json").write_text(ol.read(tree, space=space).to_json())
    strange = {**ask, "reference": 30, "true": well, "false": ill}  # low end above 40: no row
    deep = {"feature": "low end", "relation": ">", "reference": 40, "true": strange, "false": ill}
    other = ol.read({**tree, "false": deep}, space=space)
    (tmp_path / "other.json").write_text(other.to_json())
    (tmp_path / "facts.toml").write_text('facts = ["`low end` <= high"]\n')
    (tmp_path / "rows.csv").write_text("low end,high\n15,\n3,\n")
    return tmp_path


def test_facts_are_proposed_written_confirmed_and_used(folder):
    proposed = folder / "proposed.toml"
    said = fine("data", folder / "table.csv", "--target", "out", "--facts", proposed)
    assert "none is assumed" in said
    assert "`low end` <= high" in said
    text = proposed.read_text()
    assert "confirmed = false" in text
    args = ("predict", folder / "tree.json", folder / "rows.csv", "--no-needed")
    assert "not confirmed, the first is" in mistake(*args, "--facts", proposed)
    head, *tables = text.split("[[fact]]")
    wanted = [one for one in tables if "low end" in one]
    proposed.write_text(head + "[[fact]]" + wanted[0].replace("= false", "= true"))
    assert fine(*args, "--facts", proposed).count("ill") == fine(*args).count("ill") + 1


def test_other_formats(folder):
    args = ("data", folder / "table.csv", "--target", "out", "--quiet", "--propose")
    records = json.loads(fine(*args, "--format", "json"))
    assert {"fact", "kind", "rows", "surprise"} == set(records[0])
    assert fine(*args, "--format", "csv").startswith("fact,kind,rows,surprise")


def test_prove_and_diff_take_facts(folder):
    (folder / "p.toml").write_text('[same]\nproperty = "same_as"\nmodel = "other.json"\n')
    prove = ("prove", folder / "tree.json", "--file", folder / "p.toml")
    diff = ("compare", "--changes", folder / "tree.json", folder / "other.json")
    assert run(*prove).exit_code == 4
    assert run(*diff).exit_code == 4
    assert run(*prove, "--facts", folder / "facts.toml").exit_code == 0
    assert run(*diff, "--facts", folder / "facts.toml").exit_code == 0


@pytest.mark.parametrize(("text", "message"), [
    ("facts = 3", "must be lists"), ("x = [", "cannot be read"), ("", "is no file of facts"),
    ("other = 3", "is no file of facts"), ('facts = ["a <="]', "cannot be read at character"),
    ("facts = [3]", "a fact must be text"), ("fact = [3]", "not confirmed"),
    ('facts = ["high < 3", "high > 4"]', "no row can satisfy these facts together"),
    ("[[fact]]\nconfirmed = true", "a fact must be text"),
])  # fmt: skip
def test_files_that_are_wrong(folder, text, message):
    (folder / "bad.toml").write_text(text)
    said = mistake("explain", folder / "tree.json", "--facts", folder / "bad.toml")
    assert message in said


@pytest.mark.filterwarnings("default:to_sql writes nothing")
def test_json_and_commands_that_cannot_use_facts(folder):
    (folder / "facts.json").write_text('["`low end` <= high"]')
    assert "ill" in fine("explain", folder / "tree.json", "--facts", folder / "facts.json")
    written = run("export", folder / "tree.json", "--facts", folder / "facts.json",
                  "--format", "sql")  # fmt: skip
    assert written.exit_code == 0
    assert "to_sql writes nothing of the facts" in written.stderr
    assert "CASE" in written.stdout
    said = mistake("report", "--as", "page", folder / "tree.json", "--facts", folder / "facts.json",
                   "--output", folder / "page.html")  # fmt: skip
    assert "does not leave them out" in said
