"""What a person sees first: names, counts and figures that can be read without a guide."""

import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless import member
from orderless.connect import predict_file
from tests.commands import run

AND = {"feature": "a", "true": {"feature": "b", "true": {"prediction": "yes"},
       "false": {"prediction": "no"}}, "false": {"prediction": "no"}}  # fmt: skip
SPACE = ol.Space({"a": "boolean", "b": "boolean"})


def test_a_list_with_equal_trees_says_how_many_are_left():
    leaf, other = {"prediction": "no"}, {"prediction": "yes"}
    given = [leaf, AND, AND, other, leaf]
    X, y = [[0, 1], [1, 1]], ["no", "yes"]
    found = ol.TreeSet.from_trees(given, X, y, space=SPACE)
    assert found.n_trees == 3
    for text in (repr(found), str(found)):
        assert "3 trees (5 were given: equal ones count once)" in text
    again = ol.TreeSet.from_trees([leaf, AND], X, y, space=SPACE)
    assert "given" not in str(again)
    # Of a part of the set it would not be true.
    assert "given" not in str(found.where(member.uses("a")))


def test_the_feature_to_ask_is_not_called_a_prediction():
    frame = pd.DataFrame({"a": [None, True], "b": [True, None]}, dtype="boolean")
    asked = ol.read(AND, space=SPACE).ask_next(frame)
    assert asked.name == "ask_next"
    assert asked.tolist() == ["a", "b"]


@pytest.mark.parametrize("labels", [("no", "yes"), ("N", "Y"), ("maybe", "Yes")])
def test_printed_classes_cannot_be_taken_for_answers(labels):
    text = str(ol.read({"feature": 0, "true": {"prediction": labels[1]},
                             "false": {"prediction": labels[0]}}))  # fmt: skip
    assert text == f"not x0?\n  yes: class {labels[0]}\n  no:  class {labels[1]}"


def test_other_classes_are_printed_as_they_are():
    text = str(ol.read({"feature": 0, "true": {"prediction": "ill"},
                             "false": {"prediction": "well"}}))  # fmt: skip
    assert text == "not x0?\n  yes: well\n  no:  ill"


def test_counts_and_classes_that_are_numbers_are_told_apart(tmp_path):
    tree = ol.read({"feature": "a", "true": {"prediction": 1}, "false": {"prediction": 0}},
                        space=ol.Space({"a": "boolean"}))  # fmt: skip
    pd.DataFrame({"a": [1, 0, 0, None]}).to_csv(tmp_path / "in.csv", index=False)
    done = predict_file(tree, tmp_path / "in.csv", tmp_path / "out.csv")
    assert done.summary.endswith(": 2 get class 0, 1 gets class 1")
    X = np.arange(10)[:, None]
    model = DecisionTreeClassifier(max_depth=1).fit(X, X[:, 0] > 6)
    card = ol.model_card(model, X, X[:, 0] > 6, name="m", intended_use="u")
    (data,) = [section for section in card.sections if section.title == "Data"]
    assert dict(data.lines)["rows by class"] == "7 of False, 3 of True"


def test_choosing_leads_with_what_people_decide_by(tmp_path):
    X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]] * 4
    found = ol.RashomonSet(2, 0.05, 0.1).fit(X, [0, 0, 0, 1, 1] * 4).trees_
    table = ol.choose(found)
    assert table.index.tolist() == list(range(len(table)))
    assert table.columns[0] == "objective"
    assert table.columns[-1] == "fingerprint"
    drawn = ol.choose(found, sample=2, random_state=0)
    assert list(drawn.columns[-2:]) == ["end", "fingerprint"]
    for frame in (table, drawn):
        for name, leaves in zip(frame.fingerprint, frame.leaves, strict=True):
            assert found.functions()[name].tree.n_leaves == leaves
    rows = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=[0, 0, 0, 1, 1] * 4)
    rows.to_csv(tmp_path / "rows.csv", index=False)
    args = ("choose", tmp_path / "rows.csv", "--target", "y", "--max-depth", 2)
    said = run(*args)
    assert said.exit_code == 0, said.stderr
    (head,) = [
        line for line in said.stdout.splitlines() if "objective" in line and "leaves" in line
    ]
    assert head.split()[0] == "objective"
    assert head.split()[-1] == "fingerprint"
    assert not re.search("[0-9a-f]{32}", said.stdout)
    # What is shown of a fingerprint is enough to take the function along.
    after = said.stdout[said.stdout.index(head) :].splitlines()[1:]
    shown = [line.split()[-1] for line in after if re.search(r" [0-9a-f]{8,}$", line)]
    model = tmp_path / "model.json"
    again = run(*args, "--save", model, "--function", shown[-1])
    assert again.exit_code == 0, again.stderr
    assert ol.Tree.from_json(model.read_text()).fingerprint.startswith(shown[-1])


# -- figures ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tumours():
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    return X, y


def inside_of(box, other):
    return box.x0 < other.x1 - 1 and other.x0 < box.x1 - 1 and box.y0 < other.y1 - 1 and (
        other.y0 < box.y1 - 1
    )  # fmt: skip


@pytest.mark.parametrize("size", [(4, 3), (3, 2.5), (5, 4), (10, 7)])
def test_thresholds_are_whole_in_small_axes(tumours, size):
    X, y = tumours
    for depth in (2, 3):
        model = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=5, random_state=0)
        tree = ol.read(model.fit(X, y))
        figure, ax = plt.subplots(figsize=size)
        ol.plot_tree(tree, ax=ax)
        drawn = [text.get_text().replace("\n", " ") for text in ax.texts]
        for node in range(tree.n_nodes):
            if tree.nodes.feature[node] >= 0:
                threshold = tree.kernel.condition(node).split()[-1] + "?"
                assert any(text.endswith(threshold) for text in drawn), threshold
        figure.canvas.draw()
        boxes = [t.get_bbox_patch().get_window_extent() for t in ax.texts
                 if t.get_text() not in ("yes", "no")]  # fmt: skip
        for i, one in enumerate(boxes):
            assert not any(inside_of(one, other) for other in boxes[i + 1 :])
        plt.close(figure)


def test_free_space_is_used(tumours):
    """At the top there is room for the whole question, so it is on one line."""
    X, y = tumours
    model = DecisionTreeClassifier(max_depth=3, min_samples_leaf=5, random_state=0).fit(X, y)
    figure, ax = plt.subplots(figsize=(4, 3))
    ol.plot_tree(model, ax=ax)
    assert "worst radius <= 16.795?" in [text.get_text() for text in ax.texts]
    plt.close(figure)


def test_the_size_of_the_font_can_be_chosen(tumours):
    X, y = tumours
    model = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    for size in (5, 14):
        ax = ol.plot_tree(model, fontsize=size)
        questions = [text for text in ax.texts if text.get_text().endswith("?")]
        assert {text.get_fontsize() for text in questions} == {size}
        plt.close(ax.figure)
    with pytest.raises(ValueError, match="fontsize"):
        ol.plot_tree(model, fontsize=0)


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_no_words_stand_on_others_in_the_picture_of_objectives(tumours, layout):
    X, y = tumours
    columns = ["worst radius", "worst texture", "worst concave points"]
    found = ol.RashomonSet(3, 0.01, 0.02).fit(X[columns], y).trees_
    figure, ax = plt.subplots(figsize=(4, 2.5), layout=layout)
    ol.plots.plot_objectives(found, ax)
    figure.canvas.draw()
    legend = ax.get_legend()
    assert any("exactly on it" in text.get_text() for text in legend.get_texts())
    own = legend.get_window_extent()
    labels = [t for t in [*ax.texts, *ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label,
                          ax.yaxis.label] if t.get_text()]  # fmt: skip
    assert not any(inside_of(own, label.get_window_extent()) for label in labels)
    if layout:
        assert not any(inside_of(own, bar.get_window_extent()) for bar in ax.patches)
        assert own.x1 <= figure.bbox.x1
    plt.close(figure)


def test_a_report_says_that_a_wide_tree_goes_on(tumours):
    X, y = tumours
    wide = DecisionTreeClassifier(max_depth=7, min_samples_leaf=2, random_state=0).fit(X, y)
    page = ol.report(wide, X, y).html
    drawing = re.search(r'<svg [^>]*class="tree"[^>]* width="(\d+)"', page)
    assert float(drawing[1]) > 1100
    before = page[: drawing.start()]
    assert before.rindex("move it sideways") > before.rindex("<h2")
    assert "The same as text" in page
    small = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    assert "move it sideways" not in ol.report(small, X, y).html
