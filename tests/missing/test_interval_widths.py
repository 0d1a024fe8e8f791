"""Coverage of regression trees: how wide the intervals are, against all completions of each row."""

import matplotlib as mpl
import numpy as np
import oracle
import pandas as pd
import pytest
from decimal_numbers import decimal
from hypothesis import given, settings, strategies as st
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from strategies import kinds as some_kinds, specs, tree_of

import orderless as ol
from orderless.errors import InvalidData
from orderless.estimators.gapped import Gapped

mpl.use("agg")

NUMBERS = (-2.5, 0.25, 1.0, 7.5, 1e308, -1e308)


def diabetes():
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    model = DecisionTreeRegressor(max_depth=4, random_state=0).fit(X, y)
    return X, y, ol.read(model)


@given(st.data(), st.sampled_from(["mcar", "mar", "mnar"]), st.floats(0, 1), st.integers(0, 9))
@settings(max_examples=60)
def test_widths_are_those_of_all_completions(data, mechanism, rate, seed):
    kinds = data.draw(some_kinds())
    spec = data.draw(specs(kinds, NUMBERS))
    tree = tree_of(spec, kinds)
    order = np.argsort(tree.kernel.numbers)
    tree = tree.replace(
        task="regression", classes=tree.kernel.numbers[order].tolist(),
        leaf_class=np.where(tree.nodes.feature < 0, np.argsort(order)[tree.nodes.leaf_class], -1),
    )  # fmt: skip
    cells = list(oracle.cells(kinds, spec))[:100]
    X = pd.DataFrame(cells)
    found = ol.coverage(tree, X, [rate], mechanism=mechanism, random_state=seed)
    mask = Gapped(tree, X, tree.space).mask(rate, "feature", mechanism, np.random.RandomState(seed))
    widths = []
    for cell, gone in zip(cells, mask, strict=True):
        row = {n: None if m else v for (n, v), m in zip(cell.items(), gone, strict=True)}
        possible = oracle.possible_classes(kinds, row, spec)
        widths.append(decimal(max(possible)) - decimal(min(possible)))
    largest = decimal(np.finfo(float).max)
    floats = [float(w) if w <= largest else np.inf for w in widths]
    steps = [np.nextafter(w, end) for w in floats for end in (0, np.inf)]
    for width in {0.0, 0.1, 1.0, 10.0, *floats, *steps}:
        share = sum(np.isinf(width) or w <= decimal(width) for w in widths) / len(widths)
        assert found.widths.within(width) == {rate: share}
    assert found.widths.within(0)[rate] == found.table["answered"][0]
    for share in (0.0, 0.3, 0.5, 1.0):
        (least,) = found.widths.reaching(share).values()
        exact = min(w for w in widths if sum(v <= w for v in widths) / len(widths) >= share)
        assert np.isinf(least) if exact > largest else decimal(least) >= exact
        assert least in (0, np.inf) or decimal(np.nextafter(least, 0)) < exact
    table = found.widths.table
    assert table["width"].tolist() == sorted({0.0, *found.widths._sorted[rate].tolist()})
    assert table["share"].tolist() == [found.widths.within(width)[rate] for width in table["width"]]


def test_the_same_rows_are_answered_by_predict_within():
    X, _, tree = diabetes()
    found = ol.coverage(tree, X, [0.2, 0.4], n_repeats=2, random_state=3)
    for rate in (0.2, 0.4):
        for width in (0, 30, 100.5):
            shares = []
            for repeat in range(2):
                table = Gapped(tree, X, tree.space)
                gone = table.mask(rate, "feature", "mcar", np.random.RandomState(3 + repeat))
                given = tree.predict(X.mask(gone), tolerance=width)
                shares.append(given.notna().mean())
            assert found.widths.within(width)[rate] == pytest.approx(np.mean(shares))


def test_errors_instead_of_accuracy():
    X, y, tree = diabetes()
    found = ol.coverage(tree, X, [0, 0.3, 1], y=y)
    assert list(found.table) == ["rate", "repeat", "way", "answered", "agreement", "absolute_error"]
    assert (found.table["agreement"].dropna() == 1).all()
    whole = np.abs(tree.predict(X) - y).mean()
    assert found.table["absolute_error"][:3].tolist() == pytest.approx([whole] * 3)
    assert found.table["absolute_error"].isna().sum() == 3
    assert "absolute_error" not in ol.coverage(tree, X, [0.5]).table
    assert "0 certain" in repr(found.widths)
    for y_bad, message in ((["a"] * len(X), "the tree says numbers"), (y * np.nan, "y has nan")):
        with pytest.raises(InvalidData, match=message):
            ol.coverage(tree, X, y=y_bad)


def test_the_curve_over_widths():
    from matplotlib import pyplot

    X, y, tree = diabetes()
    found = ol.coverage(tree, X, [0.1, 0.5])
    axes = found.plot()
    assert axes.get_xlabel() == "width of the interval, at most"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["0.1", "0.5"]
    line, certain = axes.lines[:2]
    own = found.widths.table.query("rate == 0.1")
    assert line.get_ydata()[:-1].tolist() == own["share"].tolist()
    assert certain.get_ydata()[0] == found.table["answered"][0]
    assert found.plot(by="rate").get_xlabel() == "share of features missing"
    classes = ol.coverage(DecisionTreeClassifier(max_depth=2).fit(X, y > 100), X, [0.5])
    assert classes.widths is None
    with pytest.raises(ValueError, match="by must be 'rate' for this tree, got 'width'"):
        classes.plot(by="width")
    with pytest.raises(ValueError, match="by must be 'rate' or 'width' for this tree, got 'x'"):
        found.plot(by="x")
    pyplot.close("all")


def test_what_is_refused():
    X, _, tree = diabetes()
    widths = ol.coverage(tree, X, [0.5]).widths
    for bad in (-1, float("nan"), "1"):
        with pytest.raises(ValueError, match="width must be a number of at least 0"):
            widths.within(bad)
    for bad in (-0.1, 1.5, float("nan"), None):
        with pytest.raises(ValueError, match="share must be a number from 0 to 1"):
            widths.reaching(bad)
