"""What policies say that stop when the number is known well enough: words, figures, files."""

import json
import pickle

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from oracle import values_by_feature

import orderless as ol
from orderless.errors import InvalidTree
from tests.acquisition.test_build import METHODS
from tests.acquisition.test_build_numbers import number_cases, solved
from tests.acquisition.test_policy_file import walk

mpl.use("agg")

COSTS = {"größe (cm)": 1, "dose": 3, "ward": 2}
GROUP = {"both": ["größe (cm)", "dose"]}


def stays():
    """Lengths of stay by a number, a number that may be missing, and a category."""
    dose = ol.Feature("dose", values="float32", nan=True)
    space = ol.Space({"größe (cm)": "integer", "dose": dose, "ward": ["east", "north", "süd"]})
    low = {"feature": "dose", "relation": "<=", "reference": 0.1,
           "true": {"prediction": 10.0}, "false": {"prediction": 10.4}}  # fmt: skip
    tall = {"feature": "größe (cm)", "relation": "<=", "reference": 170,
            "true": low, "false": {"prediction": 14.0}}  # fmt: skip
    tree = {"feature": "ward", "relation": "in", "reference": ["east", "north"],
            "true": tall, "false": {"prediction": 3.0}, "task": "regression"}  # fmt: skip
    rows = [
        {"größe (cm)": size, "dose": dose, "ward": ward}
        for size in (150, 170, 171)
        for dose in (0.1, 0.2, float("nan"))
        for ward in ("east", "north", "süd")
    ]
    return ol.read(tree, space=space), rows


def near(**options):
    tree, rows = stays()
    return ol.cheapest_policy(tree, rows, COSTS, **{"tolerance": 0.5, **options})


# -- words and figures -----------------------------------------------------------------------------


def test_a_policy_says_where_it_settles():
    assert str(near()).splitlines() == [
        "optimal policy within 0.5: 2.667 on average, 3 at most, over 27 rows; proven cheapest.",
        "ward? (cost 2)",
        "  ward != süd (67%): größe (cm)? (cost 1)",
        "    größe (cm) <= 170 (67%): between 10 and 10.4",
        "    größe (cm) > 170 (33%): 14",
        "  ward = süd (33%): 3",
    ]
    assert "within 0.5" in near()._repr_html_()
    assert "within" not in str(near(tolerance=None)).splitlines()[0]


def test_a_figure_says_where_it_settles():
    words = {text.get_text() for text in near().plot().texts}
    assert {"between 10\nand 10.4", "14", "3"} <= words


def test_ends_that_six_digits_do_not_tell_apart_are_written_out():
    leaf = {"feature": "a", "true": {"prediction": 1.00000001}, "false": {"prediction": 1.00000002}}
    tree = ol.read({"task": "regression", **leaf}, feature_names=["a"])
    policy = ol.cheapest_policy(tree, [[0]], [1], tolerance=1)
    words = {text.get_text() for text in policy.plot().texts}
    assert "between 1.00000001 and 1.00000002" in words


def test_questions_say_between_which_numbers_it_is():
    policy = near()
    first = policy.next_feature()
    assert (first.interval, first.decision, first.determined) == ((3, 14), None, False)
    assert [(one.values, one.interval, one.decision) for one in first.outcomes] == [
        ("ward != süd", (10, 14), None),
        ("ward = süd", (3, 3), 3.0),
    ]
    last = policy.next_feature({"ward": "east", "größe (cm)": 160})
    assert str(last) == "Settled: between 10 and 10.4."
    assert (last.interval, last.decision, last.determined) == ((10, 10.4), 10.2, True)
    assert str(policy.next_feature({"ward": "süd"})) == "Determined: 3.0."
    more = policy.next_feature({"ward": "east", "größe (cm)": 160, "dose": 0.2})  # more than asked
    assert (more.interval, more.decision, str(more)) == ((10.4, 10.4), 10.4, "Determined: 10.4.")


def test_an_interview_ends_with_an_interval():
    talk = near().interview().answer("east").answer(160)
    assert talk.done
    assert (talk.interval, talk.decision, talk.possible) == ((10, 10.4), 10.2, (10, 10.4))
    assert str(talk).splitlines() == [
        "Settled: between 10 and 10.4, because größe (cm) <= 170 AND ward != süd "
        "(whatever dose is).",
        "Which number it is cannot be told, because dose is unknown.",
        "It would be above 10.4 if größe (cm) were > 170.",
        "It would be below 10 if ward were süd.",
        "Asked ward and größe (cm); total cost 3.",
    ]
    skipped = near().interview().answer("east").skip()
    assert str(skipped).splitlines()[0].startswith("Between 10 and 14, because")
    assert skipped.done  # the dose tells nothing that is near enough
    assert str(skipped.question) == (
        "Not determined, between 10 and 14: none of the available features can settle it."
    )


def test_a_budget_ends_it():
    policy = near(budget=2)
    assert policy.share_determined == pytest.approx(1 / 3)
    talk = policy.interview().answer("north")
    assert talk.question.stopped == "budget"
    assert str(talk.question) == (
        "Not determined, between 10 and 14: stopped by the budget, 0 of it is left."
    )
    assert str(talk).splitlines()[-1] == (
        "Next would be größe (cm) (cost 1), 1 to spend on average from here."
    )
    with pytest.raises(ValueError, match="leaves rows undetermined"):
        policy.to_tree()


def test_irrelevant_questions_are_passed_over():
    """The dose moves it by 0.4 only: of no use, however cheap, but to show which to buy."""
    tree, rows = stays()
    policy = ol.cheapest_policy(tree, rows, {**COSTS, "dose": 0}, tolerance=0.5)
    assert policy.interview().question.feature == "dose"  # it costs nothing
    assert policy.interview(only_relevant=True).question.feature == "ward"
    exact = ol.cheapest_policy(tree, rows, {**COSTS, "dose": 0}, tolerance=0)
    assert exact.interview(only_relevant=True).question.feature == "dose"


def test_groups_and_what_is_known():
    tree, rows = stays()
    policy = ol.cheapest_policy(tree, rows, {"both": 3, "ward": 2}, groups=GROUP, tolerance=0.5)
    assert policy.next_feature({"ward": "east"}).features == ("größe (cm)", "dose")
    told = policy.simulate(rows)
    assert (told["upper"] - told["lower"] == 0).all()  # the dose is there anyway
    known = near(known=["ward"])
    assert known.expected_cost == pytest.approx(2 / 3)
    assert known.to_tree().classes == (3.0, 10.2, 14.0)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, list])
def test_frames_give_frames(kind):
    _, rows = stays()
    X = kind(rows)
    spent = near().costs(X)
    assert type(spent).__module__.split(".")[0] == {list: "numpy"}.get(
        kind, kind.__module__.split(".")[0]
    )
    told = near().simulate(X)
    assert list(told.columns) == ["purchases", "questions", "cost", "decision", "lower", "upper"]
    assert set(told["decision"]) == {3.0, 10.2, 14.0}
    assert "lower" not in near(tolerance=None).simulate(X).columns


def test_it_can_be_pickled():
    policy = pickle.loads(pickle.dumps(near()))
    assert policy.tolerance == 0.5
    assert str(policy) == str(near())


def test_classes_that_are_whole_numbers_are_numbers():
    """A classifier of counts: the tree of the policy is one of numbers, and decides the same."""
    tree = {"feature": "a", "true": {"feature": "b", "true": {"prediction": 10},
            "false": {"prediction": 11}}, "false": {"prediction": 30}}  # fmt: skip
    tree = ol.read(tree, feature_names=["a", "b"])
    rows_of = {-1: [1, 1, 2], 0: [0, 1, 0], 1: [0, 0, 2], 2: [1, 0, 0]}
    leaf_class = tree.nodes.leaf_class.tolist()
    tree = tree.replace(
        classes=[30, 10, 11],
        leaf_class=[{0: 1, 1: 2, 2: 0}.get(c, -1) for c in leaf_class],
        distribution=[rows_of[c] for c in leaf_class],
    )
    rows = [[0, 0], [1, 0], [1, 1]]
    policy = ol.cheapest_policy(tree, rows, [1, 1], tolerance=1)
    assert policy.tree.task == "regression"
    assert policy.tree.classes == (10.0, 11.0, 30.0)
    assert ol.equivalent(policy.tree, tree)
    assert policy.tree.distribution.tolist()[0] == [1, 2, 1]
    assert policy.simulate(rows)["decision"].tolist() == [30.0, 10.5, 10.5]
    assert tree.predict([[None, None], [1, None]], tolerance=1).tolist() == [None, 10.5]
    assert policy.tree.kernel.as_regression() == policy.tree.kernel


# -- files -----------------------------------------------------------------------------------------


@given(number_cases(max_features=3), st.sampled_from(METHODS), st.data())
@settings(max_examples=40)
def test_files_are_read_again(problem, method, data):
    case, _, _ = problem
    policy = solved(problem, method=method, n_episodes=50)
    text = policy.to_json()
    read = ol.Policy.from_json(text)
    assert read.to_json() == text
    assert read.tolerance == case.tolerance
    assert str(read) == str(policy)
    values = values_by_feature(case.kinds, case.spec)
    row = {name: data.draw(st.sampled_from(v)) for name, v in sorted(values.items())}
    told, same = policy.simulate([*case.rows, row]), read.simulate([*case.rows, row])
    assert told.equals(same)
    assert ol.equivalent(read.to_tree(), policy.to_tree())


@pytest.mark.parametrize("method", METHODS)
def test_another_language_can_walk_the_file(method):
    _, rows = stays()
    policy = near(method=method)
    content = json.loads(policy.to_json())
    assert (content["version"], content["within"]) == (2, 0.5)
    rows = [{**row, "dose": float(np.float32(row["dose"]))} for row in rows]
    told = policy.simulate(rows)
    for i, row in enumerate(rows):
        node, spent = walk(content, row)
        lower, upper = (content["tree"]["classes"][c] for c in node["between"])
        assert (lower, upper) == (told["lower"][i], told["upper"][i])
        assert spent == told["cost"][i]


def test_files_without_intervals_stay_at_version_1():
    content = json.loads(near(tolerance=None).to_json())
    assert content["version"] == 1
    assert "within" not in content
    assert any("decision" in node for node in content["nodes"])


OLD = (  # as it was written before there were intervals
    '{"format": "orderless-policy", "version": 1, "method": "optimal", "objective": "expected", '
    '"optimal": true, "expected_cost": 1.0, "worst_cost": 1.0, "bound": 1.0, "share_bound": 1.0, '
    '"share_determined": 1.0, "bins": [{"feature": "a", "cuts": [0.0]}], '
    '"purchases": [{"name": "a", "features": [0], "cost": 1}], '
    '"nodes": [{"rows": 2, "ask": 0, "cost": 1.0, "answers": [[0, 1], [1, 2]]}, '
    '{"rows": 1, "decision": 0}, {"rows": 1, "decision": 1}], "tree": TREE}'
)


def test_old_files_are_read():
    leaf = {"feature": "a", "true": {"prediction": 2.5}, "false": {"prediction": 1.5}}
    tree = ol.read(leaf, feature_names=["a"])
    old = OLD.replace("TREE", tree.to_json())
    policy = ol.Policy.from_json(old)
    assert policy.tolerance is None
    assert policy.to_json() == old
    assert policy.to_json() == ol.cheapest_policy(tree, [[0], [1]], [1]).to_json()


@pytest.mark.parametrize(
    ("spoil", "match"),
    [
        (lambda c: c.update(version=3), "has version 3 and this orderless reads versions 1 and 2"),
        (lambda c: c.update(version=1), "node 2 does not end as the tree does"),
        (lambda c: c.pop("within"), "does not describe a policy: KeyError: 'within'"),
        (lambda c: c.update(within=-1), "tolerance must be a finite number of at least 0, got -1"),
        (lambda c: c.update(within="1"), "tolerance must be a number of at least 0, got '1'"),
        (lambda c: c.update(within=True), "tolerance must be a number of at least 0, got True"),
        (lambda c: c.update(within=10**400), "tolerance must be a finite number"),
        (lambda c: c.update(within=0.1), "node 3 does not end as the tree does"),
        (
            lambda c: c.update(tree=json.loads(stays()[0].discretize([10]).to_json())),
            "a regression tree",
        ),
        (lambda c: c["nodes"][2].update(between=[0, 1]), "node 2 does not end as the tree does"),
        (lambda c: c["nodes"][2].update(between=0), "node 2 does not end as the tree does"),
        (lambda c: c["nodes"][2].update(decision=0), "node 2 does not end as the tree does"),
        (lambda c: c["nodes"][2].update(possible=[0]), "node 2 does not end as the tree does"),
        (lambda c: c["nodes"][2].pop("between"), "node 2 does not end as the tree does"),
    ],
)
def test_a_broken_file_is_refused(spoil, match):
    content = json.loads(near().to_json())
    spoil(content)
    with pytest.raises(InvalidTree, match=match):
        ol.Policy.from_json(json.dumps(content))
