"""Drawings of trees of numbers: one hue, the darker the larger."""

import matplotlib as mpl

import orderless as ol
from orderless.output.plots.drawing import class_marks, tree_as_svg

mpl.use("agg")


def test_leaves_of_numbers_are_the_darker_the_larger():
    tree = ol.read({"task": "regression", "feature": "a", "true": {"prediction": 1 / 3},
                         "false": {"feature": "b", "true": {"prediction": 12.0},
                                   "false": {"prediction": 5.0}}},
                        feature_names=["a", "b"])  # fmt: skip
    ax = ol.plot_tree(tree)
    leaves = {text.get_text(): text.get_bbox_patch() for text in ax.texts
              if text.get_bbox_patch() is not None and text.get_fontweight() == "bold"}  # fmt: skip
    assert sorted(leaves, key=float) == ["0.3333", "5", "12"]
    grounds = [sum(leaves[name].get_facecolor()[:3]) for name in ("0.3333", "5", "12")]
    assert grounds == sorted(grounds, reverse=True)
    assert len({leaf.get_edgecolor() for leaf in leaves.values()}) == 1
    picture = tree_as_svg(tree.kernel, [[1, 0], [0, 1], [0, 1], [0, 0]], [0, 10, 13, 5])
    assert "12  2 rows, off by 1.5" in picture
    assert "0.3333  1 row, off by 0.3333" in picture
    assert "5  1 row, off by 0<" in picture
    assert "●" not in picture
    assert class_marks(tree.kernel) == []
