"""orderless acquire: a conversation, on a terminal and in a pipe."""

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress

import pytest
from commands import fine, mistake, patients, run
from showcase import hostile, mixed

import orderless as ol

MODEL = ("acquire", "model.json", "--data", "patients.csv")
COSTS = ("--costs", "age=1,smoker=5")


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    patients(tmp_path)
    fine("fit", "patients.csv", "--target", "diagnosis", "--ignore", "id",
         "--max-depth", "2", "-o", "model.json")  # fmt: skip
    return tmp_path


def talk(*args, say):
    result = run(*args, stdin="".join(f"{line}\n" for line in say).encode())
    assert result.exit_code == 0, result.stderr
    return result.stdout, result.stderr


def test_a_conversation(here):
    said, asked = talk(*MODEL, *COSTS, say=["47", "yes"])
    assert said == (
        "ill, because smoker (whatever age is).\nIt would be well if smoker were false.\n"
        "Asked age and smoker; total cost 6.\n"
    )
    assert "Ask age (cost 1): settles it in 25% of 8 rows; 4.75 to spend on average" in asked
    assert "  age <= 58.5 (75%): ill or well, then 5 more on average\n" in asked
    assert "  age > 58.5 (25%): ill\n" in asked
    assert "age (a number; ? if unknown): 47\n" in asked
    assert "smoker (yes or no; ? if unknown): yes\n" in asked


def test_answers_are_written_as_in_the_files(here):
    (here / "commas.csv").write_text((here / "patients.csv").read_text().replace(",", ";"))
    files = ("--delimiter", ";", "--decimal", ",", "--na", "-9")
    commas = ("acquire", "model.json", "--data", "commas.csv", *files)
    said, asked = talk(*commas, "--costs", "age=1,smoker=5", say=["61,5"])
    assert said.startswith("ill, because age > 58.5")
    said, asked = talk(*commas, "--costs", "age=1,smoker=5", say=["61.5", "-9", "yes"])
    assert "  '61.5' is no value of age: it must be a number" in asked
    assert said.endswith("Asked age (unavailable) and smoker; total cost 5.\n")


def test_it_stops_when_it_is_certain(here):
    said, asked = talk(*MODEL, *COSTS, say=["61"])
    assert said.startswith("ill, because age > 58.5 (whatever smoker is).")
    assert "smoker (yes" not in asked


@pytest.mark.parametrize("word", ["?", "unknown", "Unknown", "", "NA"])
def test_what_cannot_be_had(here, word):
    said, _ = talk(*MODEL, *COSTS, say=[word, "no"])
    assert said.startswith("Not determined: ill or well are possible, because age is unknown.")
    assert said.endswith("Asked age (unavailable) and smoker; total cost 5.\n")
    said, _ = talk(*MODEL, *COSTS, say=[word, "yes"])
    assert said.startswith("ill, because smoker")


def test_a_wrong_answer_is_asked_again(here):
    said, asked = talk(*MODEL, *COSTS, say=["old", "4_7", "47", "perhaps", "0"])
    assert said.startswith("well, because")
    assert "'old' is no value of age: it must be a number, or empty if unknown" in asked
    assert "'4_7' is no value of age" in asked
    assert "'perhaps' is no value of smoker: it must be true or false" in asked
    assert asked.count("Ask age") == asked.count("Ask smoker") == 1


def test_back(here):
    said, asked = talk(*MODEL, *COSTS, say=["back", "47", "back", "61"])
    assert said.startswith("ill, because age > 58.5")
    assert said.endswith("Asked age; total cost 1.\n")
    assert "This is the first question." in asked


def test_what_is_known_is_not_asked(here):
    said, asked = talk(*MODEL, *COSTS, "--row", "age=47", say=["no"])
    assert said.endswith("Asked smoker; total cost 5.\n")
    assert "Ask age" not in asked
    said, _ = talk(*MODEL, "--row", "age=61", say=[])
    assert said.endswith("Nothing was asked.\n")


def test_without_costs_few_are_asked(here):
    policy = ol.cheapest_policy(
        ol.read((here / "model.json").read_text()),
        [{"age": 61, "smoker": 1}, {"age": 25, "smoker": 0}, {"age": 47, "smoker": 0},
         {"age": 70, "smoker": 0}, {"age": 33, "smoker": 1}, {"age": 29, "smoker": 0},
         {"age": 55, "smoker": 1}, {"age": 41, "smoker": 0}],
        {"age": 1, "smoker": 1},
    )  # fmt: skip
    first = policy.next_feature()
    _, asked = talk(*MODEL, say=["no", "61"] if first.feature == "smoker" else ["61"])
    assert f"Ask {first.feature} (cost 1)" in asked


def test_a_budget(here):
    said, _ = talk(*MODEL, *COSTS, "--budget", 1, say=["47"])
    assert said.startswith("Not determined: ill or well are possible")
    assert said.endswith(
        "Asked age; total cost 1.\nStopped by the budget of 1, of which 0 is left.\n"
        "Next would be smoker (cost 5), 5 to spend on average from here.\n"
    )
    content = json.loads(talk(*MODEL, *COSTS, "--budget", 1, "-f", "json", say=["47"])[0])
    assert (content["stopped"], content["budget"], content["spent"]) == ("budget", 1, 1)
    assert content["next"] == {"feature": "smoker", "cost": 5, "expected_cost": 5}
    assert content["possible"] == ["ill", "well"]


def test_a_budget_is_not_counted_afresh_when_something_cannot_be_had(here):
    said, asked = talk(*MODEL, "--costs", "age=5,smoker=1", "--budget", 5, say=["?", "61", "47"])
    assert asked.count("Ask ") == 2  # smoker is not to be had and costs nothing, age costs 5
    assert "total cost 5." in said


def test_what_is_known_is_not_charged_to_the_budget(here):
    age = ("--row", "age=47")
    said, _ = talk(*MODEL, *COSTS, *age, "--budget", 5, say=["no"])
    free, _ = talk(*MODEL, *COSTS, *age, say=["no"])
    assert said == free
    assert said.endswith("total cost 5.\n")
    short, _ = talk(*MODEL, *COSTS, *age, "--budget", 4, say=["no"])
    assert short.startswith("Not determined")
    assert "Nothing was asked.\nStopped by the budget of 4, of which 4 is left.\nNext" in short


def test_json(here):
    said, _ = talk(*MODEL, *COSTS, "-f", "json", say=["47", "no"])
    content = json.loads(said)
    assert content["decision"] == "well"
    assert content["known"] == {"age": 47.0, "smoker": False}
    assert content["asked"] == ["age", "smoker"]
    assert content["spent"] == 6
    said, _ = talk(*MODEL, *COSTS, "-f", "json", "-o", "end.json", say=["?", "?"])
    assert said == ""
    content = json.loads((here / "end.json").read_text())
    assert content["decision"] is None
    assert content["possible"] == ["ill", "well"]
    assert content["unavailable"] == ["age", "smoker"]


def test_the_end_of_the_input_stops_it(here):
    result = run(*MODEL, *COSTS, stdin=b"47\n")
    assert result.exit_code == 3
    assert result.stdout == (
        "Not determined: ill or well are possible, because smoker is unknown.\n"
        "Settled, whatever the values, by smoker.\n"
        "Asked age; total cost 1.\n"
    )
    assert "The answers ended before the decision: ill or well are possible, and smoker" in (
        result.stderr
    )
    assert "by you" not in result.stderr
    result = run(*MODEL, *COSTS, "-f", "json", stdin=b"")
    assert result.exit_code == 3
    content = json.loads(result.stdout)
    assert (content["decision"], content["stopped"]) == (None, "answers")
    assert content["next"] == {"feature": "age", "cost": 1, "expected_cost": 4.75}
    done = json.loads(talk(*MODEL, *COSTS, "-f", "json", say=["61"])[0])
    assert (done["stopped"], done["next"]) == (None, None)


def test_mistakes(here):
    assert "add --data" in mistake("acquire", "model.json")
    assert "as text or json" in mistake(*MODEL, "-f", "csv")
    assert "no cost for 'smoker'" in mistake(*MODEL, "--costs", "age=1")
    assert "no feature 'agee'" in mistake(*MODEL, "--row", "agee=1")


def test_categories_and_a_class_of_each_kind(tmp_path):
    """Every leaf of a mixed tree is reached by its answers, whatever the order of asking."""
    tree = mixed().tree
    (tmp_path / "m.json").write_text(tree.to_json(), encoding="utf-8")
    rows = [
        {"age": age, "lab value": lab, "smoker": smoker, "color": color}
        for age in (20, 40, 70)
        for lab in (0.05, 1.0, 3.0)
        for smoker in (0, 1)
        for color in ("red", "green", "grey")
    ]
    table = ["age,lab value,smoker,color"]
    table += [",".join(str(value) for value in row.values()) for row in rows]
    (tmp_path / "r.csv").write_text("\n".join(table) + "\n")
    policy = ol.cheapest_policy(tree, rows, dict.fromkeys(tree.features, 1))
    for row in rows[::5]:
        order = policy.simulate([row])["purchases"][0]
        say = [str(row[name]) for name in order]
        said, asked = talk("acquire", tmp_path / "m.json", "--data", tmp_path / "r.csv", say=say)
        assert said.split(",")[0] == tree.predict([row])[0]
    assert "color (red, green, blue, grey; ? if unknown):" in asked or "color" not in order


def test_hostile_names_do_nothing_to_a_terminal(tmp_path):
    tree = hostile().tree
    (tmp_path / "m.json").write_text(tree.to_json(), encoding="utf-8")
    import pandas as pd

    rows = pd.DataFrame({f.name: [0, 1] if f.kind == "boolean" else list(f.categories[:2])
                         for f in tree.space.features})  # fmt: skip
    rows.to_csv(tmp_path / "r.csv", index=False)
    result = run("acquire", tmp_path / "m.json", "--data", tmp_path / "r.csv", stdin=b"1\n" * 9)
    assert result.exit_code == 0, result.stderr
    assert "\x1b" not in result.stderr + result.stdout
    assert "\u202e" not in result.stderr + result.stdout


def test_on_a_terminal(here):
    """A person types; the answer is not shown twice, the decision comes out of stdout."""
    screen, end = pty.openpty()
    command = [sys.executable, "-m", "orderless", *MODEL, *COSTS]
    environment = {**os.environ, "TERM": "dumb"}
    with subprocess.Popen(command, stdin=end, stderr=end, stdout=subprocess.PIPE,
                          env=environment) as running:  # fmt: skip
        os.close(end)
        shown = b""
        todo = [(b"? if unknown): ", b"47\n"), (b"yes or no; ? if unknown): ", b"no\n")]
        with suppress(OSError):  # how Linux says that the other end is closed
            while part := os.read(screen, 65536):
                shown += part
                if todo and shown.endswith(todo[0][0]):
                    os.write(screen, todo.pop(0)[1])
        said = running.stdout.read().decode()
        assert running.wait(timeout=120) == 0
    os.close(screen)
    assert said.startswith("well, because age <= 58.5 AND not smoker.")
    assert shown.count(b"47") == 1


def test_nothing_is_asked_that_cannot_change_the_decision(here):
    """Where q is 0, p says which of a and b to ask, and cannot change the class."""
    both = {"feature": "a", "true": {"feature": "b", "true": {"prediction": 1},
            "false": {"prediction": 0}}, "false": {"prediction": 0}}  # fmt: skip
    by_p = {"feature": "p", "true": {"prediction": 1}, "false": {"prediction": 0}}
    tree = ol.read({"feature": "q", "true": by_p, "false": both}, feature_names=list("abpq"))
    (here / "tree.json").write_text(tree.to_json())
    (here / "rows.csv").write_text("q,p,a,b\n0,0,0,1\n0,1,1,0\n")
    policy = ol.cheapest_policy(tree, [{"q": 0, "p": p, "a": p, "b": 1 - p} for p in (0, 1)],
                                {"a": 10, "b": 10, "p": 1, "q": 0})  # fmt: skip
    assert policy.interview().answer(0).question.feature == "p"  # what is cheapest on average
    args = ("acquire", "tree.json", "--data", "rows.csv", "--costs", "a=10,b=10,p=1,q=0")
    said, asked = talk(*args, "-f", "json", say=["0", "1", "0"])
    assert "Ask p" not in asked
    content = json.loads(said)
    assert content["asked"][0] == "q"
    assert sorted(content["asked"][1:]) == ["a", "b"]  # which cost the same
    assert content["unavailable"] == []
    assert content["decision"] == 0
