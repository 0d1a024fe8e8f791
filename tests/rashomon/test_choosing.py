"""Choosing a function: conditions, order, fronts; functions by their fingerprint."""

import numpy as np
import pytest
from rashomon_cases import Case

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, TooLarge


@pytest.fixture(scope="module", params=range(6000, 6030))
def case(request):
    return Case(request.param)


def beats(a, b, lower):
    """Whether one line is as good in all measures, and better in one."""
    better = [(x < y if low else x > y) for x, y, low in zip(a, b, lower, strict=True)]
    equal = [x == y for x, y in zip(a, b, strict=True)]
    return any(better) and all(one or same for one, same in zip(better, equal, strict=True))


def test_fronts(case):
    found = case.fit()
    every = ol.choose(found).set_index("fingerprint")
    measures, lower = ["error", "leaves", "coverage"], [True, True, False]
    lines = every[measures].to_numpy().tolist()
    kept = [
        name
        for name, line in zip(every.index, lines, strict=True)
        if not any(beats(other, line, lower) for other in lines)
    ]
    front = ol.choose(found, front=measures).set_index("fingerprint")
    assert sorted(front.index) == sorted(kept)
    assert front.equals(ol.choose(found, front="error, leaves,coverage").set_index("fingerprint"))


def test_conditions_and_order(case):
    found = case.fit()
    every = ol.choose(found).set_index("fingerprint")
    assert every.objective.is_monotonic_increasing
    some = ol.choose(
        found, where=["leaves <= 3", "coverage > 0.85"], sort=["-leaves", "agreement"]
    ).set_index("fingerprint")
    expected = every[(every.leaves <= 3) & (every.coverage > 0.85)]
    assert sorted(some.index) == sorted(expected.index)
    keys = list(zip(-some.leaves, -some.agreement, strict=True))
    assert keys == sorted(keys)
    for name in some.index:
        assert some.loc[name].to_dict() == every.loc[name].to_dict()


def test_weights(case):
    found = case.fit()
    table = ol.choose(found, weights={"error": 2, "coverage": 0.5}).set_index("fingerprint")
    assert np.allclose(table.score, 2 * table.error - 0.5 * table.coverage)
    assert table.score.is_monotonic_increasing
    assert table.columns[0] == "score"


def test_functions_by_fingerprint(case):
    found = case.fit()
    functions = found.functions()
    for one in functions:
        assert found.functions()[one.fingerprint] == one
        assert functions[one.fingerprint] == one
    few = max(1, len(functions) // 3)  # so few at once that pieces are listed
    assert found.functions(limit=few)[functions[-1].fingerprint] == functions[-1]
    with pytest.raises(KeyError, match="no function of this set"):
        found.functions()["0" * 32]
    with pytest.raises(InvalidData, match="32 hexadecimal digits"):
        found.functions()["abc"]
    with pytest.raises(KeyError, match="no function of this set"):
        functions["0" * 32]
    with pytest.raises(KeyError, match="none of these functions"):
        functions[:3]["0" * 32]


def test_a_sample_is_named_as_one():
    random = np.random.default_rng(1)
    X = random.integers(0, 2, (60, 6))
    y = (X[:, 0] & X[:, 1]) ^ (random.random(60) < 0.2)
    found = ol.RashomonSet(3, 0.01, 0.1).fit(X, y).trees_
    with pytest.raises(TooLarge, match="or draw some: sample=20"):
        ol.choose(found, limit=20).set_index("fingerprint")
    table = ol.choose(found, sample=15, random_state=0).set_index("fingerprint")
    drawn = table[table.end == ""]
    assert table.attrs["functions"].endswith("functions, drawn uniformly from all functions")
    assert 1 < len(drawn) <= 15
    assert table.index.is_unique
    assert ol.choose(found).set_index("fingerprint").attrs["functions"] == "all"
    everything = ol.choose(found).set_index("fingerprint")
    assert table.error.to_dict().items() <= everything.error.to_dict().items()


def small():
    X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    return ol.RashomonSet(2, 0.05, 0.05).fit(X, [0, 0, 0, 1, 1]).trees_


def test_nothing_may_be_left():
    table = ol.choose(small(), where="leaves < 1").set_index("fingerprint")
    assert len(table) == 0
    assert "coverage" in table


def test_views_and_lists():
    found = small()
    alone = ol.choose(found.where(~member.uses("x2")))
    assert len(alone) == 1
    for where in (~member.uses("x2"), [~member.uses("x2")], ["leaves >= 1", ~member.uses("x2")]):
        assert ol.choose(found, where=where).equals(alone)
    assert len(ol.choose(found, where=["leaves < 1", ~member.uses("x2")])) == 0
    listed = ol.TreeSet.from_trees(
        list(found), [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]], [0, 0, 0, 1, 1],
        regularization=0.05,
    )  # fmt: skip
    assert sorted(ol.choose(listed).set_index("fingerprint").error) == sorted(
        ol.choose(found).set_index("fingerprint").error
    )


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"where": "leaves"}, ValueError, "where must be conditions such as 'leaves <= 6'"),
        ({"where": "leaves <= many"}, ValueError, "got 'leaves <= many'"),
        ({"where": "leaves <= nan"}, ValueError, "where must be conditions"),
        ({"where": "leafs <= 3"}, ValueError, "did you mean 'leaves'"),
        ({"where": [3]}, TypeError, "where must be text or a list of texts, got an int"),
        ({"sort": "cost"}, ValueError, "sort names 'cost', which is not known: give costs"),
        ({"sort": "held_out_error"}, ValueError, "give rows that were held out"),
        ({"front": ["questions"]}, ValueError, "give X, the rows"),
        ({"weights": {}}, TypeError, "weights must be a dict"),
        ({"weights": {"error": "1"}}, ValueError, "must be a finite number"),
        ({"weights": {"error": float("inf")}}, ValueError, "must be a finite number"),
        ({"sample": 0}, ValueError, "sample must be a whole number from 1"),
    ],
)
def test_bad_wishes(given, error, words):
    with pytest.raises(error, match=words):
        ol.choose(small(), **given).set_index("fingerprint")


def test_an_empty_view():
    with pytest.raises(InvalidData, match="no tree in this view"):
        ol.choose(small().where(~member.uses("x0"), ~member.uses("x1"))).set_index("fingerprint")


# What people want much of, and little of.
MUCH = (
    "correct", "true positives", "true negatives", "accuracy", "tpr", "tnr",
    "precision", "f1", "jaccard",
    "negative predictive value", "balanced accuracy",
)  # fmt: skip
LITTLE = (
    "errors", "false positives", "false negatives", "error rate", "fpr", "fnr",
)  # fmt: skip


@pytest.mark.parametrize("measure", [*MUCH, *LITTLE])
def test_the_better_end_of_a_measure_is_first_under_any_name(measure):
    found = (
        ol.RashomonSet(2, 0.01, 0.3)
        .fit([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0, 0, 0]], [0, 0, 0, 1, 1, 1])
        .trees_
    )
    for name, measures in ((measure, [measure]), ("mine", {"mine": ol.Measure(measure)})):
        values = (
            ol.choose(found, measures=measures, sort=name)
            .set_index("fingerprint")[name]
            .dropna()
            .tolist()
        )
        assert len(set(values)) > 1
        assert values == sorted(values, reverse=measure in MUCH)
        best = (
            ol.choose(found, measures=measures, front=name)
            .set_index("fingerprint")[name]
            .unique()
            .tolist()
        )
        assert best == values[:1]
        score = ol.choose(found, measures=measures, weights={name: 1}).set_index("fingerprint")
        assert score[name].iloc[0] == values[0]
    assert (found.pareto_front(ol.Measure(measure)).goal == "largest") == (measure in MUCH)


def test_a_matrix_of_costs_is_a_measure():
    found = ol.RashomonSet(2, 0.01, 0.3).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 0]).trees_
    costs = {(0, 1): 5, (1, 0): 1}
    table = ol.choose(found, measures={"dear": ol.Measure(costs)}, sort="dear").set_index(
        "fingerprint"
    )
    assert table["dear"].iloc[0] == found.range(ol.Measure(costs)).smallest
    assert table["dear"].iloc[-1] == found.range(ol.Measure(costs)).largest
    assert (
        found.ends(measures={"dear": ol.Measure(costs)}).loc["dear", "largest"]
        == found.range(ol.Measure(costs)).largest
    )
