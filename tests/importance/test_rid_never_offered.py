"""What RashomonImportance says of features that no tree could ask about: that it does not know."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

import orderless as ol

mpl.use("Agg")

RANDOM = np.random.default_rng(0)
BITS = pd.DataFrame(
    {
        "first": RANDOM.integers(0, 2, 60),
        "constant": np.ones(60, dtype=int),
        "second": RANDOM.integers(0, 2, 60),
        "noise": RANDOM.integers(0, 2, 60),
    }
)
LABELS = BITS["first"] & BITS["second"]


def fitted(**options):
    model = ol.RashomonImportance(5, max_depth=2, random_state=0, **options)
    with pytest.warns(ol.errors.NeverOffered, match=r"1 of 4 (features|columns) .*'constant'"):
        return model.fit(BITS, LABELS)


@pytest.mark.parametrize(
    "options",
    [{}, {"by": "column"}, {"importance": "conditional"}, {"importance": "permutation-per-tree"},
     {"importance": "permutation-sampled"}],
)  # fmt: skip
def test_every_answer_about_it_is_nan(options):
    found = fitted(**options)
    assert found.offered_.tolist() == [True, False, True, True]
    assert found.left_out_ == ("constant",)
    for corrected in (True, False):
        for pooled in (True, False):
            how = {"correct_equivalence": corrected, "pooled": pooled}
            values, weights = found.distribution("constant", **how)
            assert np.isnan(values).tolist() == [True]
            assert weights.tolist() == [1]
            assert np.isnan(found.cdf("constant", 0.0, **how))
            assert np.isnan(found.cdf("constant", [0.0, 1.0], **how)).all()
            assert np.isnan(found.quantile("constant", 0.5, **how))
            table = found.summary(**how)
            assert table["feature"].iloc[-1] == "constant"
            assert table.iloc[-1, 1:-1].isna().all()
            assert table["note"].tolist() == ["", "", "", "never offered"]
            assert not table.iloc[:-1, 1:-1].isna().any(axis=None)
    shift = found.take([0, 1]).shift().set_index("feature")
    assert shift.loc["constant", ["ks", "p", "wasserstein"]].isna().all()
    assert not shift.drop("constant").isna().any(axis=None)


def test_a_feature_that_was_offered_and_never_used_has_importance_0():
    table = fitted().summary().set_index("feature")
    assert table.loc["noise", ["mean", "min", "max", "positive"]].tolist() == [0, 0, 0, 0]


def test_numbers_without_a_threshold_are_offered_with_more_thresholds():
    X, y = ol.datasets.load("iris_versicolor")
    with pytest.warns(ol.errors.NeverOffered, match="2 of 4 features .*thresholds='all'") as seen:
        guessed = ol.RashomonImportance(3, random_state=0).fit(X, y)
    assert seen[0].filename == __file__
    unknown = ["sepal length", "sepal width"]
    asked = {
        name for tree in ol.RashomonSet(3, 0.02, 0.02).fit(X, y).trees_ for name in tree.features
    }
    assert not asked & set(unknown)
    table = guessed.summary().set_index("feature")
    assert table.index[table["mean"].isna()].tolist() == unknown
    offered = ol.RashomonImportance(3, random_state=0, thresholds=5).fit(X, y)  # warns of nothing
    assert offered.offered_.all()
    assert not offered.summary().isna().any(axis=None)


def test_printing_says_so():
    text = str(fitted())
    assert text.endswith("never offered to any tree, importance unknown: 'constant'")
    assert "first" in text
    assert "nan" not in text.lower()
    with_all = ol.RashomonImportance(2, max_depth=2, random_state=0)
    assert str(with_all) == repr(with_all)
    assert "offered" not in str(with_all.fit(BITS.drop(columns="constant"), LABELS))


@pytest.mark.parametrize("kind", ["box", "cdf", "violin"])
def test_plots_say_so_and_draw_nothing_for_it(kind):
    import matplotlib.pyplot as plt

    found = fitted()
    ax = found.plot(kind)
    assert ax.get_xlabel().endswith("\nnever offered to any tree: 'constant'")
    asked = found.plot(kind, features=["constant", "first"])
    alone = found.plot(kind, features=["constant"])
    for axes in (asked, alone):
        assert "never offered" in axes.get_xlabel()
        if kind != "cdf":
            assert axes.get_yticklabels()[0].get_text() == "constant (never offered)"
    drawn = [np.asarray(line.get_data(), dtype=float) for line in asked.lines]
    assert drawn
    assert not any(np.isnan(points).any() for points in drawn)
    plt.close("all")
