"""Draw the figures of the documentation: `python docs/figures/draw.py [png]`.

Writes an SVG beside this file for each of them; with "png" a PNG as well, to look at. The colours
are those of Okabe and Ito, which colour-blind people can tell apart; everything that a colour says
is also said in words or by a hatch. The ground is white in the light and the dark theme.
"""

import itertools
import sys
from pathlib import Path

import matplotlib as mpl

mpl.use("agg")

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.patches import Rectangle
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.experimental import enable_iterative_imputer  # noqa: F401
from sklearn.impute import IterativeImputer, SimpleImputer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless import member
from orderless.output.plots import (
    BLUE,
    GREEN,
    GREY,
    INK,
    LINE,
    PALE_BLUE,
    PALE_VERMILION,
    VERMILION,
)
from orderless.rashomon import rashomon_sizes

HERE = Path(__file__).parent
PALE = {BLUE: PALE_BLUE, VERMILION: PALE_VERMILION}

plt.rcParams.update(
    {
        "svg.fonttype": "none",
        "svg.hashsalt": "orderless",
        "font.family": "DejaVu Sans",
        "font.size": 11,
        "text.color": INK,
        "axes.edgecolor": GREY,
        "axes.labelcolor": INK,
        "xtick.color": GREY,
        "ytick.color": GREY,
        "hatch.linewidth": 0.8,
    }
)


MANY = 100  # points and bars, from which on they become a picture inside the SVG; texts stay


def save(figure, name):
    look = {"facecolor": "white", "bbox_inches": "tight", "pad_inches": 0.15}
    for axes in figure.axes:
        points = sum(len(one.get_offsets()) for one in axes.collections)
        if points + len(axes.patches) > MANY:
            axes.set_rasterization_zorder(1.4)  # axes, lines and texts are above
    figure.savefig(HERE / f"{name}.svg", metadata={"Date": None}, dpi=96, **look)
    if "png" in sys.argv[1:]:
        figure.savefig(HERE / f"{name}.png", dpi=110, **look)
    plt.close(figure)


# -- trees -----------------------------------------------------------------------------------------


def draw_tree(axes, tree, x, y, width=1.0, drop=1.0):
    """Draw (question, tree when no, tree when yes), or a class, with its root at (x, y)."""
    if not isinstance(tree, tuple):
        colour = BLUE if tree == 1 else VERMILION
        box = {"boxstyle": "round,pad=0.45", "facecolor": PALE[colour], "edgecolor": colour,
               "linewidth": 1.6}  # fmt: skip
        axes.text(x, y, str(tree), ha="center", va="center", bbox=box, fontweight="bold", zorder=3)
        return
    question, no, yes = tree
    for child, side, word in ((no, -1, "no"), (yes, 1, "yes")):
        at = x + side * width, y - drop
        axes.plot([x, at[0]], [y, at[1]], color=GREY, linewidth=1.3, zorder=1)
        label = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        axes.text((x + at[0]) / 2, (y + at[1]) / 2, word, ha="center", va="center", color=GREY,
                  fontsize=9.5, bbox=label, zorder=2)  # fmt: skip
        draw_tree(axes, child, *at, width / 1.85, drop)
    box = {"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": INK, "linewidth": 1.2}
    axes.text(x, y, question, ha="center", va="center", bbox=box, zorder=3)


def bare(axes, left, right, bottom, top):
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.axis("off")


def two_orders():
    """The paper's Figure 1: two trees for "x1 and x2"."""
    figure, axes = plt.subplots(figsize=(7.2, 3.3))
    draw_tree(axes, ("x1", 0, ("x2", 0, 1)), 0, 2, 0.9)
    draw_tree(axes, ("x2", 0, ("x1", 0, 1)), 4, 2, 0.9)
    axes.text(2.2, 1.5, "=", ha="center", va="center", fontsize=30, color=GREY)
    axes.text(2.2, -0.85, "both say 1 exactly if x1 and x2", ha="center", va="center")
    bare(axes, -1.3, 5.9, -1.2, 2.4)
    save(figure, "two-orders")


def third_reason():
    """The paper's Figure 2: a tree with two rules and a third reason."""
    figure, axes = plt.subplots(figsize=(7.2, 3.6))
    draw_tree(axes, ("x1", ("x3", 0, 1), ("x2", 0, 1)), 0, 2, 1.15)
    bare(axes, -2.1, 6.4, -0.4, 2.5)
    x = 2.5
    axes.text(x, 2.0, "Class 1", fontweight="bold", color=BLUE)
    lines = [
        (1.55, "rules (fewest)", "x1 and x2", INK),
        (1.2, "", "(not x1) and x3", INK),
        (0.65, "one more reason", "x2 and x3", BLUE),
    ]
    for y, head, text, colour in lines:
        axes.text(x, y, head, color=GREY, fontsize=9.5)
        axes.text(x + 1.95, y, text, color=colour,
                  fontweight="bold" if colour == BLUE else "normal")  # fmt: skip
    axes.text(x, 0.12, "With x2 and x3 known, x1 does not matter:\n"
              "the third reason says so, the rules do not.", color=GREY, fontsize=9.5,
              va="center")  # fmt: skip
    save(figure, "third-reason")


# -- boxes -----------------------------------------------------------------------------------------

LENGTH, WIDTH = "petal length (cm)", "petal width (cm)"
EDGES = {LENGTH: (2.9, 7.0), WIDTH: (0.9, 2.6)}
COLOUR = {"versicolor": BLUE, "virginica": VERMILION}
HATCH = {"versicolor": "", "virginica": "////"}


def iris_tree():
    X, y = load_iris(return_X_y=True, as_frame=True)
    two = y > 0
    X, y = X.loc[two, [LENGTH, WIDTH]], y[two].map({1: "versicolor", 2: "virginica"})
    return X, y, ol.read(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y))


def leaf_boxes(tree):
    """Give every leaf's class and box, by walking the tree."""
    todo = [(0, dict(EDGES))]
    while todo:
        node, box = todo.pop()
        if tree.nodes.feature[node] < 0:
            yield tree.classes[tree.nodes.leaf_class[node]], box
            continue
        name = tree.space.names[tree.nodes.feature[node]]
        low, high = box[name]
        cut = float(tree.nodes.threshold[node])
        todo.append((int(tree.nodes.when_true[node]), {**box, name: (low, min(high, cut))}))
        todo.append((int(tree.nodes.when_false[node]), {**box, name: (max(low, cut), high)}))


def term_box(term):
    box = dict(EDGES)
    for side in term.sides:
        low, high = EDGES[side.feature.name]
        box[side.feature.name] = (max(low, side.lower), min(high, side.upper))
    return box


def overlap(a, b):
    return all(max(a[n][0], b[n][0]) < min(a[n][1], b[n][1]) for n in EDGES)


def draw_box(axes, label, box, inset=0.0, alpha=0.55, dashed=False):
    (left, right), (bottom, top) = box[LENGTH], box[WIDTH]
    dx, dy = inset * (7.0 - 2.9), inset * (2.6 - 0.9)
    place = (left + dx, bottom + dy), right - left - 2 * dx, top - bottom - 2 * dy
    colour = COLOUR[label]
    axes.add_patch(Rectangle(*place, facecolor=PALE[colour], alpha=alpha, linewidth=0, zorder=1))
    if HATCH[label]:
        axes.add_patch(Rectangle(*place, facecolor="none", edgecolor=colour, alpha=0.35,
                                 hatch=HATCH[label], linewidth=0, zorder=1.5))  # fmt: skip
    axes.add_patch(Rectangle(*place, facecolor="none", edgecolor=colour,
                             linewidth=2.4 if dashed else 1.6,
                             linestyle=(0, (4, 2)) if dashed else "-", zorder=3))  # fmt: skip


def boxes():
    """The leaves of a tree beside its rules and reasons."""
    X, y, tree = iris_tree()
    form = ol.canonicalize(tree)
    figure, panels = plt.subplots(1, 3, figsize=(9.6, 4.4), sharey=True, layout="constrained")
    n_rules = sum(map(len, form.rules.values()))
    n_reasons = sum(map(len, form.reasons.values()))
    titles = (
        f"the tree: {tree.n_leaves} leaves",
        f"rules: {n_rules}, the fewest",
        f"reasons: {n_reasons}, all there are",
    )
    for axes, title in zip(panels, titles, strict=True):
        axes.set_title(title, fontsize=11.5)
        axes.set_xlim(*EDGES[LENGTH])
        axes.set_ylim(*EDGES[WIDTH])
        axes.set_xlabel(LENGTH)
        for label, marker in (("versicolor", "o"), ("virginica", "^")):
            rows = X[y == label]
            axes.scatter(rows[LENGTH], rows[WIDTH], s=11, marker=marker, facecolor="white",
                         edgecolor=COLOUR[label], linewidth=0.8, zorder=2)  # fmt: skip
    panels[0].set_ylabel(WIDTH)
    for label, box in leaf_boxes(tree):
        draw_box(panels[0], label, box, inset=0.004)
    for panel, terms in ((panels[1], form.rules), (panels[2], form.reasons)):
        for label, own in terms.items():
            drawn = []
            for box, new in ((term_box(term), term not in form.rules[label]) for term in own):
                k = sum(overlap(box, other) for other in drawn)  # insets show what overlaps
                draw_box(panel, label, box, inset=0.004 + 0.007 * k, dashed=new)
                drawn.append(box)
    place = {"versicolor": (3.05, 1.42), "virginica": (5.5, 2.48)}
    for axes in panels:
        for label, at in place.items():
            ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5}
            axes.text(*at, label, color=COLOUR[label], fontweight="bold", zorder=4, bbox=ground)
    panels[2].annotate("not needed for a rule,\na reason all the same", (6.2, 1.6), (5.05, 1.1),
                       fontsize=9, color=INK, zorder=4,
                       bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.9, "pad": 2},
                       arrowprops={"arrowstyle": "->", "color": INK})  # fmt: skip
    save(figure, "boxes")


# -- missing values --------------------------------------------------------------------------------


def wisconsin():
    """The tree of the guides, its patients with their classes, and patients it has not seen."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    X_train, X_test, y_train, _ = train_test_split(X, y, test_size=0.5, random_state=0)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X_train, y_train)
    return ol.read(model), X_train, y_train, X_test


def missing_wisconsin():
    """How many patients are answered, and on how many the answer would depend on the imputer."""
    tree, X_train, _, X_test = wisconsin()
    figure, (left, right) = plt.subplots(1, 2, figsize=(10.4, 4.3), layout="constrained")
    ol.coverage(tree, X_test, n_repeats=10).plot(left)
    left.set_title("three ways to answer", fontsize=11.5)
    left.set_xlabel("share of measurements missing")
    left.set_ylabel("share of patients answered")
    rates = np.arange(1, 10) / 10
    parts = []
    imputers = [SimpleImputer(), SimpleImputer(strategy="median"), IterativeImputer(random_state=0)]
    for rate in rates:
        gone = np.random.RandomState(0).random_sample(X_test.shape) < rate
        partly = X_test.mask(gone)
        certain = tree.predict(partly).notna().to_numpy()
        filled = np.column_stack(
            [tree.predict(imputer.fit(X_train).transform(partly)) for imputer in imputers]
        )
        differ = (filled != filled[:, :1]).any(axis=1)
        assert not differ[certain].any()
        parts.append((certain.mean(), differ.mean()))
    determined, differ = np.array(parts).T
    agree = 1 - determined - differ
    look = {"width": 0.075, "edgecolor": "white", "linewidth": 0.6}
    right.bar(rates, determined, color=BLUE, label="determined", **look)
    right.bar(rates, agree, bottom=determined, color=LINE,
              label="not determined, the imputers agree", **look)  # fmt: skip
    right.bar(rates, differ, bottom=determined + agree, color=VERMILION, hatch="////",
              label="not determined, the imputers differ", **look)  # fmt: skip
    right.set_title("mean, median and iterative imputation", fontsize=11.5)
    right.set(xlabel="share of measurements missing", ylabel="share of patients", ylim=(0, 1.0))
    right.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), frameon=False, fontsize=9.5)
    for axes in (left, right):
        axes.set_xticks(rates)
        axes.spines[["top", "right"]].set_visible(False)
    save(figure, "missing-wisconsin")


# -- importance ------------------------------------------------------------------------------------


def importance_orders():
    """The paper's Figure on Gini importance, with the range of all orders; and a tree from data."""
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(11.4, 4.9), layout="constrained", gridspec_kw={"width_ratios": (1.35, 1)}
    )
    X = np.array(list(itertools.product((0, 1), repeat=12)))
    y = X[:, :10].all(axis=1).astype(int)
    models = [DecisionTreeClassifier(random_state=seed).fit(X, y) for seed in (0, 1, 2)]
    found = ol.importance_range(models[0], X, y)
    at = np.arange(12)
    left.bar(at, found.high - found.low, bottom=found.low, width=0.62, color=PALE[BLUE],
             edgecolor=BLUE, linewidth=1.0, label=f"all {found.n_trees:,} orders")  # fmt: skip
    left.plot(at, found.mean, linestyle="none", marker="_", markersize=17, markeredgewidth=2.5,
              color=BLUE, label="their mean")  # fmt: skip
    looks = (("D", VERMILION), ("o", INK), ("^", GREEN))
    for k, (model, (marker, colour)) in enumerate(zip(models, looks, strict=True)):
        left.plot(at + 0.18 * (k - 1), model.feature_importances_, linestyle="none", marker=marker,
                  markersize=6, color=colour, clip_on=False,
                  label=f"tree with random_state={k}")  # fmt: skip
    left.set_xticks(at, [f"x{i + 1}" for i in at], fontsize=9.5)
    left.set_title("x1 and x2 and ... and x10", fontsize=11.5)
    left.set_ylabel("share of the gini importance")
    left.set_ylim(0, 0.53)
    below = {"frameon": False, "fontsize": 9.5, "loc": "upper center"}
    *marks, bars = left.get_legend_handles_labels()[0]
    left.legend(handles=[bars, *marks], ncols=2, bbox_to_anchor=(0.5, -0.1), **below)
    tree, X_train, y_train, _ = wisconsin()
    ol.importance_range(tree, X_train, y_train).plot(right)
    right.set_title(f"a tree from data, {tree.n_leaves} leaves", fontsize=11.5)
    *marks, bars = right.get_legend_handles_labels()[0]
    right.legend(handles=[bars, *marks], ncols=3, bbox_to_anchor=(0.3, -0.16), **below)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    save(figure, "importance-orders")


# -- the library's own plots -----------------------------------------------------------------------


def drawn():
    """``plot_tree`` and ``plot_rules``, of a small tree of breast cancer."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    y = y.map({0: "malignant", 1: "benign"})
    X = X[["worst radius", "worst concave points"]]
    tree = ol.read(DecisionTreeClassifier(max_leaf_nodes=5, random_state=0).fit(X, y))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.3), layout="constrained")
    ol.plot_tree(tree, ax=left)
    ol.plot_rules(tree, X=X, ax=right)
    save(figure, "drawn")


def policy():
    """The cheapest policy of the guide to costs."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X[["mean texture", "worst radius", "worst texture", "worst concave points"]]
    y = y.map({0: "malignant", 1: "benign"})
    model = DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, random_state=0).fit(X, y)
    axes = ol.cheapest_policy(model, X, [1, 3, 3, 10]).plot()
    save(axes.figure, "cheapest-policy")


# -- Rashomon sets ---------------------------------------------------------------------------------


def rashomon_wisconsin():
    """Sizes, objectives and the map of the set of the guide."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    found = ol.RashomonSet().fit(X, y.map({0: "malignant", 1: "benign"})).trees_
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
    ol.plots.plot_sizes(found, axes[0])
    axes[0].set_title("how many", fontsize=11.5)
    ol.plots.plot_objectives(found, axes[1])
    axes[1].set_title("objectives of the trees", fontsize=11.5)
    ol.plots.plot_map(found, axes[2])
    save(figure, "rashomon-wisconsin")


def rashomon_fronts():
    """Trade-offs between the objective and second goals, of the set of the guide."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    found = ol.RashomonSet().fit(X, y.map({0: "malignant", 1: "benign"})).trees_
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")
    found.pareto_front(ol.Measure("false negatives")).plot(axes[0])
    found.pareto_front(ol.Measure("f1")).plot(axes[1])
    save(figure, "rashomon-fronts")


def rashomon_few_features():
    """Every cut point of four features: trees and ranges by the number of features."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    names = ["mean radius", "mean texture", "worst area", "worst texture"]
    found = (
        ol.RashomonSet(2, thresholds="all")
        .fit(X[names], y.map({0: "malignant", 1: "benign"}))
        .trees_
    )
    views = [found.where(member.n_features <= k) for k in (1, 2, 3)]
    labels = [f"at most {k}" for k in (1, 2, 3)]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 2.6), layout="constrained")
    counts = [view.n_trees for view in views]
    left.barh(labels, counts, color=BLUE, height=0.6)
    left.set_xscale("log")
    left.set_xlim(1, 20 * max(counts))
    for at, n in enumerate(counts):
        left.text(n * 1.3, at, f"{n:,}", va="center", fontsize=10)
    left.set_xlabel("trees")
    left.set_ylabel("features of a tree")
    for at, view in enumerate(views):
        ends = view.range(ol.Measure("false negatives"))
        right.plot([ends.smallest, ends.largest], [at, at], color=BLUE, linewidth=5)
        right.text(ends.smallest - 1, at, f"{ends.smallest}", va="center", ha="right", fontsize=10)
        right.text(ends.largest + 1, at, f"{ends.largest}", va="center", fontsize=10)
    right.set_yticks(range(3), labels)
    right.set_ylim(-0.6, 2.6)
    right.margins(x=0.12)
    right.set_xlabel("false negatives: smallest and largest over all of these trees")
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
        axes.invert_yaxis()
    save(figure, "rashomon-few-features")


def importance_rashomon():
    """RID with and without the correction: boxes for the Wisconsin data, a curve for a game."""
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(11.4, 4.9), layout="constrained", gridspec_kw={"width_ratios": (1.15, 1)}
    )
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    ol.RashomonImportance(random_state=0).fit(X, y).plot(ax=left)
    left.set_title("Wisconsin", fontsize=11.5, pad=28)
    board, wins = ol.datasets.load("tic_tac_toe")
    ol.RashomonImportance(random_state=0).fit(board, wins).plot("cdf", ["Feat4_x"], ax=right)
    right.set_title("tic-tac-toe: x on the middle square", fontsize=11.5, pad=28)
    save(figure, "importance-rashomon")


# -- the guide to plots ----------------------------------------------------------------------------


def quickstart():
    """The tree of the quickstart, and its patients."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    X = X[["worst radius", "worst texture", "worst concave points"]]
    y = y.map({0: "malignant", 1: "benign"})
    model = DecisionTreeClassifier(max_depth=3, min_samples_leaf=10, random_state=0).fit(X, y)
    return ol.read(model), X, y


def plots_of_a_tree():
    """The tree as it asks, and as boxes where the texture is known and where it is not."""
    tree, X, _ = quickstart()
    save(ol.plot_tree(tree).figure, "plot-tree")
    figure, panels = plt.subplots(1, 2, figsize=(11, 4.6), sharey=True, layout="constrained")
    names = ("worst radius", "worst concave points")
    for axes, known in zip(panels, ({"worst texture": 27}, {}), strict=True):
        ol.plot_rules(tree, names, known=known, X=X, ax=axes)
    panels[0].set_title("the texture is 27", fontsize=11.5, pad=38)
    panels[1].set_title("the texture is unknown", fontsize=11.5, pad=38)
    panels[1].set_ylabel("")
    save(figure, "plot-rules")


def plots_of_answers():
    """Coverage curves, and importance with its range."""
    tree, X, y = quickstart()
    save(ol.coverage(tree, X, n_repeats=5).plot().figure, "plot-coverage")
    axes = plt.subplots(figsize=(7.2, 3.6), layout="constrained")[1]
    save(ol.importance_range(tree, X, y).plot(axes).figure, "plot-importance")


def plots_of_sets():
    """The sizes, objectives and map of one Rashomon set, and the sizes of several."""
    X, y = ol.datasets.load("tic_tac_toe")
    found = ol.RashomonSet().fit(X, y).trees_
    for name, draw in (
        ("plot-rashomon-sizes", ol.plots.plot_sizes),
        ("plot-objectives", ol.plots.plot_objectives),
        ("plot-map", ol.plots.plot_map),
    ):
        axes = plt.subplots(figsize=(7.2, 4.4), layout="constrained")[1]
        save(draw(found, axes).figure, name)
    names = ("spiral", "tic_tac_toe", "iris_versicolor", "iris_virginica")
    sizes = rashomon_sizes({name: ol.datasets.load(name) for name in names})
    axes = plt.subplots(figsize=(7.2, 5.6), layout="constrained")[1]
    save(sizes.plot(axes).figure, "plot-sizes")
    squares = ol.RashomonImportance(n_bootstraps=20, random_state=0, space=ol.Space.infer(X))
    squares.fit(X, y)
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.8), layout="constrained")
    squares.plot("box", ax=left)
    squares.plot("cdf", features=["Feat4", "Feat0", "Feat1"], ax=right)
    save(figure, "plot-rid")


if __name__ == "__main__":
    two_orders()
    third_reason()
    boxes()
    missing_wisconsin()
    importance_orders()
    drawn()
    policy()
    rashomon_wisconsin()
    rashomon_fronts()
    rashomon_few_features()
    importance_rashomon()
    plots_of_a_tree()
    plots_of_answers()
    plots_of_sets()
