"""RashomonImportance once it is fitted: what it answers, draws and refuses."""

import io
import pickle
import sys
from itertools import pairwise

import numpy as np
import pytest
import scipy.stats
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import orderless as ol
from orderless.errors import InvalidData, OutOfMemory, TooLarge
from tests.importance.test_rid import SMALL, iris, same, small

# That some features are never offered is asked for in test_rid_never_offered.
pytestmark = pytest.mark.filterwarnings("ignore::orderless.errors.NeverOffered")

# -- questions ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fitted():
    X, y = iris()
    return ol.RashomonImportance(30, random_state=0, n_jobs=2).fit(X, y)


def test_cdf_and_quantiles(fitted):
    name = "petal width"
    values, weights = fitted.distribution(name)
    assert weights.sum() == pytest.approx(1)
    assert (np.diff(values) > 0).all()
    for k in (-1.0, values[0], values[1], (values[1] + values[2]) / 2, values[-1], 2.0):
        assert fitted.cdf(name, k) == pytest.approx(weights[values <= k].sum())
    assert fitted.cdf(name, values[-1]) == 1
    assert fitted.cdf(name, [-1.0, 2.0]).tolist() == [0, 1]
    for q in np.linspace(0, 1, 41):
        found = fitted.quantile(name, q)
        assert found in values
        assert fitted.cdf(name, found) >= q - 1e-9
        below = values[values < found]
        assert not len(below) or fitted.cdf(name, below[-1]) < q + 1e-9
    for value, share in zip(values, np.cumsum(weights), strict=True):  # a share that is hit exactly
        assert fitted.quantile(name, min(1.0, share)) == value
    assert fitted.quantile(name, [0, 1]).tolist() == [values[0], values[-1]]
    assert fitted.cdf(list(fitted.features_).index(name), 0.1) == fitted.cdf(name, 0.1)


def test_summary(fitted):
    table = fitted.summary()
    assert sorted(table["feature"]) == sorted(fitted.features_)
    assert (table["mean"].diff().dropna() <= 0).all()
    there = table[table["note"] == ""]
    assert 0 < len(there) < len(table)
    for line in there.itertuples():
        values, weights = fitted.distribution(line.feature)
        assert line.mean == pytest.approx((values * weights).sum())
        assert line.std == pytest.approx(np.sqrt((values**2 * weights).sum() - line.mean**2))
        assert line.positive == pytest.approx(weights[values > 0].sum())
        assert (line.min, line.max) == (values[0], values[-1])
        row = [line.min, line.q05, line.q25, line.median, line.q75, line.q95, line.max]
        assert row == sorted(row)
    other = fitted.summary(correct_equivalence=False, pooled=True)
    assert other["mean"].tolist() != table["mean"].tolist()


def test_shift_is_that_of_the_lists(fitted):
    """The lists of all importances are made here, and given to scipy."""
    table = fitted.shift(pooled=True).set_index("feature")
    averaged = fitted.shift().set_index("feature")
    assert list(table.index) == list(fitted.features_)
    some = 0
    for j, name in enumerate(fitted.features_):
        lists = []
        for kind in ("functions", "trees"):
            counts = [getattr(t, kind)[j] for t in fitted._tallies_]
            values = np.concatenate([t.values[j] for t in fitted._tallies_])
            lists.append(np.repeat(values, np.concatenate(counts).astype(int)))
        assert table.loc[name, ["n_functions", "n_trees"]].tolist() == [*map(len, lists)]
        if not fitted.offered_[j]:
            assert table.loc[name, ["ks", "p", "wasserstein"]].isna().all()
            continue
        told = scipy.stats.ks_2samp(*lists, method="asymp")
        assert table.loc[name, "ks"] == pytest.approx(told.statistic, abs=1e-12)
        assert table.loc[name, "p"] == pytest.approx(told.pvalue, rel=1e-6)
        assert table.loc[name, "wasserstein"] == pytest.approx(
            scipy.stats.wasserstein_distance(*lists), abs=1e-12
        )
        effective = table.loc[name, ["effective_functions", "effective_trees"]].tolist()
        assert effective == [*map(len, lists)]
        (a, u), (b, v) = (fitted.distribution(name, correct_equivalence=c) for c in (True, False))
        assert averaged.loc[name, "wasserstein"] == pytest.approx(
            scipy.stats.wasserstein_distance(a, b, u, v), abs=1e-12
        )
        some += table.loc[name, "ks"] > 0
    assert some
    n = len(fitted.n_trees_)
    assert averaged["effective_trees"].iloc[0] == pytest.approx(n**2 / (1 / fitted.n_trees_).sum())
    for counts in (table, averaged):
        assert counts[["n_functions", "n_trees"]].dtypes.tolist() == [np.int64, np.int64]
        assert (counts["n_functions"] == fitted.n_functions_.sum()).all()
        assert (counts["n_trees"] == fitted.n_trees_.sum()).all()


def test_what_was_asked_for_is_the_default(fitted):
    plain = ol.RashomonImportance(30, random_state=0, correct_equivalence=False, pooled=True)
    plain.fit(*iris())
    for name in plain.features_:
        expected = fitted.distribution(name, correct_equivalence=False, pooled=True)
        for a, b in zip(plain.distribution(name), expected, strict=True):
            assert a.tobytes() == b.tobytes()


def test_scikit_learn_conventions(fitted):
    model = ol.RashomonImportance(7, semantics="independent", checkpoint="x")
    assert clone(model).get_params() == model.get_params()
    assert model.set_params(by="column").by == "column"
    assert fitted.n_features_in_ == 4
    assert fitted.feature_names_in_.tolist() == list(fitted.features_)
    assert fitted.classes_.tolist() == [0, 1]
    same(fitted, pickle.loads(pickle.dumps(fitted)))
    for ask in (lambda: model.summary(), lambda: model.distribution("x"), lambda: model.shift(),
                lambda: model.plot()):  # fmt: skip
        with pytest.raises(NotFittedError, match="call fit"):
            ask()


def test_lists_and_text_labels():
    found = ol.RashomonImportance(4, 2, random_state=0).fit(
        [[0, 1], [1, 1], [1, 0], [0, 0]] * 5, ["no", "yes", "yes", "no"] * 5
    )
    assert found.features_ == ("x0", "x1")
    assert found.classes_.tolist() == ["no", "yes"]
    assert not hasattr(found, "feature_names_in_")
    assert found.summary()["feature"].tolist() == ["x0", "x1"]


# -- errors ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"n_bootstraps": 0}, "n_bootstraps must be a whole number from 1, got 0"),
        ({"n_bootstraps": True}, "n_bootstraps must be .* got True"),
        ({"n_repeats": 1.5}, r"n_repeats must be .* got 1\.5"),
        ({"limit": 0}, "limit must be .* got 0"),
        ({"memory_limit": -1}, "memory_limit must be a positive number, got -1"),
        ({"max_depth": -1}, "max_depth must be .* got -1"),
        ({"regularization": -1}, "regularization must be a number from 0 on.*got -1"),
        ({"epsilon": "much"}, "epsilon must be .* got 'much'"),
        ({"importance": "gini"}, "importance must be one of .*'conditional', got 'gini'"),
        ({"by": "row"}, "by must be one of .* got 'row'"),
        ({"semantics": "rows"}, "semantics must be one of .* got 'rows'"),
        ({"random_state": "chance"}, "random_state must be .* got 'chance'"),
        ({"thresholds": "some"}, "thresholds must be 'guess', 'all' .*, got 'some'"),
        ({"thresholds": ol.Binarizer}, "thresholds must be .* or a binarizer with a space_, got"),
        ({"by": "column", "semantics": "aware"}, "contradict themselves.*by='feature'"),
    ],
)
def test_what_is_not_legal_is_refused(given, says):
    with pytest.raises(ValueError, match=says):
        ol.RashomonImportance(**given).fit(*iris())


def test_hard_problems_are_refused():
    with pytest.raises(TooLarge, match="limit=2 functions"):
        ol.RashomonImportance(2, random_state=0, limit=2, **SMALL).fit(*small())
    with pytest.raises(OutOfMemory, match="memory_limit=10 bytes: raise it"):
        ol.RashomonImportance(2, random_state=0, memory_limit=10, **SMALL).fit(*small())


def test_wrong_questions_are_refused(fitted):
    with pytest.raises(ValueError, match=r"feature must be one of 'sepal length', .* got 'leaf'"):
        fitted.distribution("leaf")
    with pytest.raises(ValueError, match=r"feature must be .* got 4"):
        fitted.cdf(4, 0.0)
    with pytest.raises(ValueError, match="q must hold shares from 0 to 1"):
        fitted.quantile("petal width", 1.5)
    with pytest.raises(ValueError, match=r"must be one of \('box', 'cdf', 'violin'\), got 'pie'"):
        fitted.plot("pie")
    with pytest.raises(InvalidData, match="features is empty"):
        fitted.plot(features=[])


# -- pictures and progress ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["box", "cdf", "violin"])
def test_pictures(fitted, kind):
    from matplotlib import pyplot

    axes = fitted.plot(kind)
    shown = {text.get_text() for text in axes.get_legend().get_texts()}
    names = [label.get_text() for label in axes.get_yticklabels()]
    if kind == "cdf":
        assert {"petal width: each function once", "petal width: each tree once"} <= shown
        for line in axes.get_lines():
            feature, _, way = line.get_label().partition(": ")
            x, y = line.get_data()
            inside = (x[1:-1], y[1:-1])
            values, _ = fitted.distribution(feature, correct_equivalence=way.startswith("each f"))
            assert inside[0].tolist() == values.tolist()
            assert all(a <= b for a, b in pairwise(inside[1]))
    else:
        assert shown == {"each function once", "each tree once"}
        assert names == [line.feature for line in fitted.summary().itertuples() if line.max > 0]
    figure, given = pyplot.subplots()
    assert fitted.plot(kind, ["sepal width", 2], given) is given  # nothing but 0 can be drawn, too
    assert fitted.plot(kind, "petal width", pooled=True) is not given
    pyplot.close("all")
    assert figure is given.figure


def test_pictures_say_what_they_leave_out(fitted, monkeypatch):
    from matplotlib import pyplot

    from orderless.output.plots import measures

    monkeypatch.setitem(measures.MOST, "box", 1)
    assert "1 less important feature not shown" in fitted.plot().get_xlabel()
    pyplot.close("all")


def test_progress_is_for_terminals_only(monkeypatch, capsys):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    X, y = small()
    ol.RashomonImportance(3, random_state=0).fit(X, y)
    quiet = capsys.readouterr()
    assert quiet.out == quiet.err == ""
    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    ol.RashomonImportance(3, random_state=0).fit(X, y)
    assert "bootstraps" in screen.getvalue()
    assert "3/3" in screen.getvalue()
    assert capsys.readouterr().out == ""


def test_conditional_importances_of_many_columns():
    """More columns than fit into a byte."""
    X, y = ol.datasets.load("wisconsin")
    found = ol.RashomonImportance(
        1, 1, importance="conditional", thresholds=(0.33, 0.66), random_state=0
    ).fit(X, y)
    assert len(found.binarizer_.space_.columns) > 8
    assert found.summary()["max"].between(0, 1).all()
