"""Plots show what the tree says: every box, name and point is where it belongs."""

import io
import itertools
import math
import re
from pathlib import Path
from xml.etree import ElementTree

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from showcase import FORMS, hostile, iris, mixed
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.api import wrap
from orderless.errors import InvalidData, InvalidSpace, InvalidTree, TooManyReasons
from orderless.model.escapes import drawn, printable
from orderless.model.words import label_text
from orderless.output.plots import look
from orderless.output.plots.look import colour, short_names
from orderless.output.plots.regions import slice_of
from orderless.rashomon import rashomon_sizes

mpl.use("agg")

from matplotlib import pyplot as plt


@pytest.fixture(autouse=True)
def no_figures():
    yield
    plt.close("all")


def shown(text):
    return "".join(text.replace(r"\$", "$").split())


# -- trees ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mixed", "constant", "iris"])
def test_a_tree_has_all_its_nodes_and_edges(name):
    tree = FORMS[name]().tree
    ax = ol.plot_tree(tree)
    boxes = [t for t in ax.texts if t.get_bbox_patch().get_boxstyle().__class__.__name__ == "Round"]
    expected = [
        tree.kernel.condition(i) + "?" if tree.nodes.feature[i] >= 0
        else label_text(tree.classes[tree.nodes.leaf_class[i]])
        for i in range(tree.n_nodes)
    ]  # fmt: skip
    assert [shown(box.get_text()) for box in boxes] == [shown(text) for text in expected]
    place = [box.get_position() for box in boxes]
    lines = {tuple(map(tuple, line.get_xydata())) for line in ax.lines}
    assert lines == {
        (place[i], place[int(child[i])])
        for i in range(tree.n_nodes)
        if tree.nodes.feature[i] >= 0
        for child in (tree.nodes.when_true, tree.nodes.when_false)
    }
    words = [t.get_text() for t in ax.texts if t not in boxes]
    assert words.count("yes") == words.count("no") == len(words) / 2 == tree.n_leaves - 1


def test_yes_is_left_of_no():
    tree = mixed().tree
    ax = ol.plot_tree(tree)
    for line, word in zip(ax.lines, itertools.cycle(["yes", "no"])):
        (x0, y0), (x1, y1) = line.get_xydata()
        assert y1 == y0 - 1
        assert (x1 < x0) == (word == "yes")


@pytest.mark.filterwarnings("ignore:Glyph")
@pytest.mark.parametrize("name", list(FORMS))
@pytest.mark.parametrize("size", [None, (6, 4), (4, 6)])
def test_boxes_do_not_touch(name, size):
    ax = ol.plot_tree(FORMS[name](), ax=None if size is None else plt.subplots(figsize=size)[1])
    ax.figure.canvas.draw()
    boxes = [t.get_bbox_patch().get_window_extent() for t in ax.texts if t.get_zorder() == 3]
    for a, b in itertools.combinations(boxes, 2):
        assert not (a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1)
    frame = ax.figure.bbox
    assert all(frame.x0 <= b.x0 and b.x1 <= frame.x1 for b in boxes)


def test_classes_have_their_colours():
    tree = iris()[0].tree
    ax = ol.plot_tree(tree)
    for text in ax.texts:
        if text.get_text() in tree.classes:
            edge = text.get_bbox_patch().get_edgecolor()
            c = tree.classes.index(text.get_text())
            assert mpl.colors.same_color(edge, colour(c))


@pytest.mark.filterwarnings("ignore:Glyph")
def test_names_are_no_formulas_and_break_no_lines():
    ax = ol.plot_tree(hostile())
    ax.figure.canvas.draw()
    said = "".join(shown(t.get_text()) for t in ax.texts)
    assert shown(printable("<script>alert(1)</script>")) in said
    assert "\x1b" not in said
    assert any(r"\$\alpha\$" in t.get_text().replace("\n", "") for t in ax.texts)


def test_a_tree_that_is_too_large_to_draw():
    with pytest.raises(InvalidTree, match=r"has 9 leaves, more than limit=8 that can be drawn"):
        ol.plot_tree(mixed(), limit=8)
    axes = plt.subplots()[1]
    assert ol.plot_tree(mixed(), ax=axes) is axes


# -- rules ---------------------------------------------------------------------------------------

VALUES = {
    "age": [0, 24, 25, 60, 61, 90],
    "lab value": [-1.0, 0.1, float(np.float32(0.1)), 2.5, 2.6],
    "smoker": [0, 1],
    "color": ["red", "green", "blue", "grey", "pink"],
}


def certain(tree, row):
    """Brute force: the class of all completions, or None."""
    free = [name for name in VALUES if name not in row]
    said = {
        tree.predict([{**row, **dict(zip(free, rest, strict=True))}])[0]
        for rest in itertools.product(*(VALUES[name] for name in free))
    }
    return said.pop() if len(said) == 1 else None


@pytest.mark.parametrize(
    ("names", "known"),
    [
        (("age", "color"), {}),
        (("color", "lab value"), {"age": 20}),
        (("smoker", "age"), {"color": "green", "lab value": 3.0}),
        (("age", "lab value"), {"smoker": 0, "color": "pink"}),
    ],
)
def test_boxes_are_where_the_class_is_certain(names, known):
    form = mixed()
    tree = form.tree
    cut = slice_of(tree.kernel, names, known, 1000)
    for terms in ("rules", "reasons"):
        ax = ol.plot_rules(form, names, known=known, terms=terms)
        assert (ax.get_xlabel(), ax.get_ylabel()) == names
        for a, b in itertools.product(VALUES[names[0]], VALUES[names[1]]):
            label = certain(tree, {**known, names[0]: a, names[1]: b})
            code = int(wrap(cut).predict([{names[0]: a, names[1]: b}])[0])
            assert (None if code == 3 else form.classes[code]) == label
            at = [_place(form.space[n], v) for n, v in zip(names, (a, b), strict=True)]
            if not (_inside(ax.get_xlim(), at[0]) and _inside(ax.get_ylim(), at[1])):
                continue
            here = {
                tuple(patch.get_edgecolor()[:3])
                for patch in ax.patches
                if _covers(patch, at)
            }  # fmt: skip
            colours = set() if label is None else {
                mpl.colors.to_rgb(colour(form.classes.index(label)))}  # fmt: skip
            assert here == colours, (a, b, label)


def _place(feature, value):
    return float(value) if feature.ordered else float(feature.code(value))


def _inside(ends, x):
    return ends[0] < x <= ends[1]


def _covers(patch, at):
    """A box holds its upper ends and not its lower ones, as "at most" and "above" do."""
    x, y, width, height = patch.get_bbox().bounds
    spans = zip(at, (x, y), (x + width, y + height), strict=True)
    return all(low < v <= high for v, low, high in spans)


def test_rules_over_two_features_are_the_forms_own():
    form, X, _ = iris()
    names = ("sepal length (cm)", "petal width (cm)")
    ax = ol.plot_rules(form, names, X=X)
    boxes = [patch for patch in ax.patches if patch.get_fill()]
    assert len(boxes) == sum(len(terms) for terms in form.rules.values())
    (dots,) = ax.collections
    assert np.allclose(dots.get_offsets(), X[list(names)])
    assert [t.get_text() for t in ax.get_legend().get_texts()] == list(form.classes)
    low, high = ax.get_xlim()
    assert low < X[names[0]].min() < X[names[0]].max() < high
    again = ol.plot_rules(form, names, X=X.to_numpy())
    assert np.allclose(again.collections[0].get_offsets(), X[list(names)])


def test_the_limits_of_a_form_hold():
    form = ol.canonicalize(mixed().tree, limit=1)
    with pytest.raises(TooManyReasons, match="limit=1"):
        ol.plot_rules(form, ["age", "lab value"], known={"smoker": 0}, terms="reasons")


def test_what_depends_on_others_is_said():
    ax = ol.plot_rules(mixed(), ("age", "color"), X=[{"age": 30, "color": "pink"}, {"age": None}])
    said = [t.get_text().replace("\n", " ") for t in ax.get_legend().get_texts()]
    assert said == ["high", "low", "middle", "depends on lab value, smoker"]
    places = np.ma.filled(ax.collections[0].get_offsets(), math.nan)
    assert places[0].tolist() == [30.0, 4.0]
    assert np.isnan(places[1]).all()
    assert [t.get_text() for t in ax.get_yticklabels()][:2] == ["red", "green"]


def test_constant_over_any_two():
    tree = ol.Tree(ol.Space({"a": "numeric", "b": "boolean"}), ["no", "yes"], feature=[-1],
                   threshold=[0], when_true=[-1], when_false=[-1], leaf_class=[1])  # fmt: skip
    ax = ol.plot_rules(tree, ("a", "b"))
    assert [patch.get_fill() for patch in ax.patches] == [True, False]  # ground, frame


def test_rules_that_cannot_be_drawn():
    form = mixed()
    with pytest.raises(InvalidData, match=r"two different names, .* got \('age', 'lab value'"):
        ol.plot_rules(form)
    with pytest.raises(InvalidData, match=r"two different names, .* got 'ab'"):
        ol.plot_rules(form, "ab")
    with pytest.raises(InvalidSpace, match="no feature 'agee'"):
        ol.plot_rules(form, ("agee", "color"))
    with pytest.raises(InvalidData, match="known= gives 'age'"):
        ol.plot_rules(form, ("age", "color"), known={"age": 3})
    with pytest.raises(InvalidData, match="unknown feature 'nothing'"):
        ol.plot_rules(form, ("age", "color"), known={"nothing": 3})
    with pytest.raises(InvalidData, match="more pairs than limit=10"):
        ol.plot_rules(form, ("age", "color"), limit=10)
    with pytest.raises(ValueError, match=r"terms must be one of .*, got 'all'"):
        ol.plot_rules(form, ("age", "color"), terms="all")
    with pytest.raises(InvalidData, match="lacks the column 'age'"):
        ol.plot_rules(form, ("age", "color"), X=iris()[1])


# -- every plot ----------------------------------------------------------------------------------

ROWS = [list(row) for row in itertools.product((0, 1), repeat=3)]
BOTH = [a & b for a, b, _ in ROWS]


def and_tree():
    second = {"feature": 1, "true": {"prediction": 1}, "false": {"prediction": 0}}
    return ol.read({"feature": 0, "true": second, "false": {"prediction": 0}})


def and_set():
    return ol.RashomonSet(max_depth=2, regularization=0.01, epsilon=0.1).fit(ROWS, BOTH).trees_


PLOTS = {
    "tree": lambda ax: ol.plot_tree(and_tree(), ax=ax),
    "rules": lambda ax: ol.plot_rules(and_tree(), ("x0", "x1"), ax=ax),
    "coverage": lambda ax: ol.coverage(and_tree(), [row[:2] for row in ROWS], [0.5]).plot(ax=ax),
    "importance": lambda ax: ol.importance_range(and_tree(), [r[:2] for r in ROWS], BOTH).plot(
        ax=ax
    ),
    "policy": lambda ax: ol.cheapest_policy(and_tree(), [row[:2] for row in ROWS], [1, 2]).plot(
        ax=ax
    ),
    "sizes": lambda ax: ol.plots.plot_sizes(and_set(), ax=ax),
    "objectives": lambda ax: ol.plots.plot_objectives(and_set(), ax=ax),
    "map": lambda ax: ol.plots.plot_map(and_set(), ax=ax),
    "front": lambda ax: (
        and_set().pareto_front(ol.Measure("false positives"), goal="largest").plot(ax=ax)
    ),
    "front of a difference": lambda ax: (
        and_set().pareto_front(ol.Measure("fpr", groups="x2")).plot(ax=ax)
    ),
    "all near-optimal functions": lambda ax: (
        ol.RashomonImportance(n_bootstraps=2, max_depth=2, random_state=0, n_jobs=1)
        .fit(ROWS * 5, BOTH * 5)
        .plot("cdf", ax=ax)
    ),
    "sizes of several": lambda ax: rashomon_sizes(
        {"and": (ROWS * 5, BOTH * 5)}, n_splits=2, thresholds=None
    ).plot(ax=ax),
}


@pytest.mark.parametrize("name", PLOTS)
def test_every_plot_draws_where_it_is_told_and_gives_the_axes(name):
    figure, (own, other) = plt.subplots(1, 2)
    assert PLOTS[name](own) is own
    drawn = [*own.lines, *own.patches, *own.collections, *own.texts]
    assert drawn
    assert not [*other.lines, *other.patches, *other.collections, *other.texts]
    assert plt.get_fignums() == [figure.number]
    new = PLOTS[name](None)
    assert isinstance(new, mpl.axes.Axes)
    assert new.figure is not figure


def test_the_legend_of_sizes_does_not_touch_the_label():
    for size in ((8, 3), (8, 4.4), (8, 9)):
        ax = plt.subplots(figsize=size, layout="constrained")[1]
        rashomon_sizes({"and": (ROWS * 5, BOTH * 5)}, n_splits=2, thresholds=None).plot(ax)
        ax.figure.canvas.draw()
        label, legend = ax.xaxis.label.get_window_extent(), ax.get_legend().get_window_extent()
        assert legend.y1 <= label.y0


@pytest.mark.parametrize("name", PLOTS)
def test_hatches_are_seen_in_svg(name):
    """SVG makes a hatch as transparent as its ground: then one colour lies on itself."""
    file = io.StringIO()
    PLOTS[name](None).figure.savefig(file, format="svg")
    hatched = re.findall(r'style="([^"]*fill: url[^"]*)"', file.getvalue())
    assert not [style for style in hatched if "fill-opacity" in style or " opacity" in style]
    assert bool(hatched) == (name in ("rules", "sizes", "sizes of several"))


# -- names that matplotlib would read --------------------------------------------------------------

NAMES = ["$income$", "a_b^c", "$", r"\$x", "_hidden", "50% $\\alpha$ & <b>"]


def texts_of(axes):
    """Give the texts that a reader of the figure sees, out of its SVG."""
    out = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none"}):
        axes.figure.savefig(out, format="svg")
    plt.close(axes.figure)
    texts = ElementTree.fromstring(out.getvalue()).iter("{http://www.w3.org/2000/svg}text")
    return ["".join(text.itertext()).strip() for text in texts]


@pytest.fixture(scope="module")
def odd():
    random = np.random.RandomState(0)
    X = pd.DataFrame(random.randint(2, size=(200, len(NAMES))), columns=NAMES)
    y = np.where(X.iloc[:, :3].sum(axis=1) + X.iloc[:, 3:].prod(axis=1) > 1, "$yes$", "_no")
    return DecisionTreeClassifier(random_state=0).fit(X, y), X, y


def test_names_are_drawn_as_they_are(odd):
    model, X, y = odd
    said = texts_of(ol.importance_range(model, X, y).plot())
    assert set(NAMES) <= set(said)
    said = texts_of(ol.plot_rules(model, tuple(NAMES[:2]), known=dict.fromkeys(NAMES[2:], 0)))
    assert {"$income$", "a_b^c", "$yes$", "_no"} <= set(said)
    small = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    said = " ".join(texts_of(ol.plot_tree(small)))
    used = ol.read(small).features
    assert used
    assert all(name in said for name in used)
    assert "$yes$" in said
    said = texts_of(ol.cheapest_policy(small, X, dict.fromkeys(NAMES, 1)).plot())
    assert set(used) <= set(said)
    assert "$yes$" in said


@pytest.mark.parametrize("kind", ["box", "violin", "cdf"])
def test_names_of_importance_distributions_are_drawn_as_they_are(odd, kind):
    _, X, y = odd
    found = ol.RashomonImportance(n_bootstraps=2, max_depth=2, random_state=0).fit(X, y)
    said = " ".join(texts_of(found.plot(kind, features=NAMES)))
    assert all(name in said for name in NAMES)


def test_names_that_are_cut_stay_names():
    ax = plt.subplots()[1]
    long = "$" * 40
    ax.set_yticks([0, 1], [drawn(long), drawn("$a$")])
    short_names(ax)
    said = texts_of(ax)
    assert "$" * 31 + "…" in said
    assert "$a$" in said


def test_features_that_decide_nothing_are_said_to():
    tree = {"feature": "a", "true": {"prediction": "yes"}, "false": {"prediction": "no"}}
    tree = ol.read(tree, feature_names=["a", "b", "c"])

    def words(**known):
        ax = ol.plot_rules(tree, ("b", "c"), known=known)
        return " ".join(" ".join(text.get_text() for text in ax.texts).split())

    assert words(a=1) == "always yes, whatever these two features are"
    assert words() == "these two features decide nothing by themselves: it depends on a"
    ax = ol.plot_rules(tree, ("a", "b"))
    assert not ax.texts


# -- colours -------------------------------------------------------------------------------------

COLOUR = re.compile(r"#(?:[0-9a-fA-F]{3,4}){1,2}\b|\brgba?\([^{)]*\d")


def test_no_other_file_names_a_colour():
    """Examples in docstrings may show one."""
    room = Path(look.__file__).parents[1]
    named = []
    for path in sorted(room.rglob("*.*")):
        if path.suffix not in (".py", ".html", ".css", ".js") or path == Path(look.__file__):
            continue
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            text = re.sub(r'"""(?s:.*?)"""', "", text)
        named += [f"{path.relative_to(room)}: {found[0]}" for found in COLOUR.finditer(text)]
    assert named == []
