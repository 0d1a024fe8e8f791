"""Trees and forests of R: rpart, partykit and ranger.

In:  the JSON that ``orderless.R`` writes (``r_script()``).
Out: ``ColumnModel``. R compares doubles; a missing value has no way of its own
     (docs/decisions/0029: surrogate splits). ranger counts votes, of which equal ones are decided
     at random, or adds shares or numbers in float64, tree after tree, and divides by their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import InvalidTree, UnreadableModel
from ...model import Adding, Rule, formats
from ..builder import ColumnModel, ModelBuilder, Table
from ..checks import check_links, damaged

__all__ = ["from_text", "knows_text", "r_script"]

R_FORMAT = "orderless-r"
VERSION = 1
SAVE = "orderless_json(model, file) of the R script at orderless.readers.r_script()"
LIBRARIES = ("rpart", "partykit", "ranger")
KINDS = ("numeric", "factor", "logical")

Node = dict[str, Any]


def r_script() -> Path:
    """Return the path of the R script that writes models of R as JSON.

    In R, ``source(path)`` and ``orderless_json(model, "model.json")``; then
    ``orderless.read(Path("model.json"))``. It takes rpart, partykit's constant trees (ctree, and
    what ``as.party`` makes), and ranger; it needs no other package of R.

    Examples
    --------
    >>> r_script().name
    'orderless.R'
    """
    return Path(__file__).with_name("orderless.R")


def knows_text(text: str) -> bool:
    """Whether it is what our R script writes."""
    return f'"{R_FORMAT}"' in text[:200]


def from_text(text: str) -> ColumnModel:
    """Read a tree, or a forest."""
    with damaged("R", save=SAVE):
        content = formats.load(text, R_FORMAT, VERSION)
        if content.get("end") is not True:
            raise ValueError("the end of it is missing")
        if content["library"] not in LIBRARIES:
            raise UnreadableModel(
                f"the model is of R's {content['library']!r:.40}: known are {', '.join(LIBRARIES)}"
            )
        trees = content["trees"]
        if not isinstance(trees, list) or not trees or not all(trees):
            raise ValueError("it has no trees, or an empty one")
        flags = [content.get(key, False) for key in ("forest", "votes")]
        if not all(isinstance(flag, bool) for flag in flags):
            raise ValueError(f"'forest' and 'votes' must be true or false, got {flags!r:.80}")
        task, classes = content["task"], content["classes"]
        if task not in ("classification", "regression"):
            raise ValueError(f"the task is {task!r:.40}")
        if (task == "regression") != (classes is None):
            raise ValueError(f"the task is {task!r:.40} with the classes {classes!r:.80}")
        builder = ModelBuilder(_table(content["features"]))
        if classes is None:
            return _numbers(builder, trees)
        if len(trees) > 1:
            return _forest(builder, trees, classes, votes=flags[1])
        for leaf in _leaves(builder, trees[0]):
            shares = _shares(leaf, classes)
            builder.leaf_number(_class(leaf, classes, shares), shares)
        return builder.finish(classes)


def _table(features: list[dict[str, Any]]) -> Table:
    categories = {}
    for i, feature in enumerate(features):
        if feature["kind"] not in KINDS or not isinstance(feature["name"], str):
            raise ValueError(f"a feature is {feature!r:.80}")
        if feature["kind"] == "factor":
            levels = categories[i] = list(feature["levels"])
            if not levels or not all(isinstance(label, str) for label in levels):
                raise ValueError(f"levels of {feature['name']!r:.40} are {levels!r:.80}")
    return Table(
        len(features),
        [feature["name"] for feature in features],
        binary=[i for i, feature in enumerate(features) if feature["kind"] == "logical"],
        categories=categories,
        other_categories=False,
    )


def _numbers(builder: ModelBuilder, trees: list[list[Node]]) -> ColumnModel:
    for nodes in trees:
        for leaf in _leaves(builder, nodes):
            number = leaf["number"]
            if isinstance(number, bool) or not math.isfinite(number):
                raise ValueError(f"a leaf adds {number!r:.80}")
            builder.leaf_adds(number)
    return builder.finish(adding=Adding(divisor=float(len(trees))), rule=Rule("number"))


def _forest(
    builder: ModelBuilder, trees: list[list[Node]], classes: list[Any], *, votes: bool
) -> ColumnModel:
    for nodes in trees:
        for leaf in _leaves(builder, nodes):
            shares = _shares(leaf, classes)
            number = _class(leaf, classes, shares)
            if votes:
                shares = [float(k == number) for k in range(len(classes))]
            elif shares is None:
                raise ValueError(f"a leaf is {leaf!r:.80}")
            elif shares.index(max(shares)) != number:
                raise UnreadableModel(
                    "a leaf's class is not the first of the largest share, because of priors or "
                    "losses, so that the forest does not decide by the shares of its leaves"
                )
            builder.leaf_adds(*shares)
    base = (0.0,) * len(classes)
    if votes:  # equal votes are drawn by lot
        rule = Rule("largest", window=0.5, either=True)
        return builder.finish(classes, Adding(base=base), rule)
    return builder.finish(classes, Adding(base=base, divisor=float(len(trees))), Rule("largest"))


def _leaves(builder: ModelBuilder, nodes: list[Node]) -> Iterator[Node]:
    """Describe the tests of a tree to the builder; its leaves are for the caller to describe."""
    categories = builder.table.categories
    links = [[node[side] if "feature" in node else -1 for node in nodes] for side in ("yes", "no")]
    if any(type(child) is not int for side in links for child in side):
        raise InvalidTree("a child of a node is not a whole number: the file is damaged")
    check_links(*links)
    for position in builder.walk(0):
        node = nodes[position]
        if "feature" not in node:
            yield node
            continue
        column, relation = node["feature"], node["relation"]
        if not isinstance(column, int) or not 0 <= column < (builder.table.n_columns or 0):
            raise InvalidTree(f"a node has the feature {column!r:.40}: the file is damaged")
        yes, no = node["yes"], node["no"]
        levels = categories.get(column)
        if relation == "in" and levels is not None:
            if any(not isinstance(k, int) or not 0 <= k < len(levels) for k in node["levels"]):
                raise ValueError(f"a split has the levels {node['levels']!r:.80} of {len(levels)}")
            builder.categorical_test(column, "in", [levels[k] for k in node["levels"]], yes, no)
        elif relation in ("<", "<=") and levels is None and type(node["value"]) in (int, float):
            builder.numerical_test(column, relation, node["value"], yes, no)
        else:
            raise ValueError(f"a split is {node!r:.120}")


def _class(leaf: Node, classes: list[Any], shares: list[float] | None) -> int:
    """Return the class of a leaf; where it has none, the first of the largest share."""
    if "class" not in leaf and shares is not None:
        return shares.index(max(shares))
    number = leaf.get("class")
    if type(number) is not int or not 0 <= number < len(classes):
        raise ValueError(f"a leaf has the class {number!r:.40}")
    return number


def _shares(leaf: Node, classes: list[Any]) -> list[float] | None:
    if "shares" not in leaf:
        return None
    shares = [float(share) for share in leaf["shares"]]
    if len(shares) != len(classes) or not all(0 <= share <= 1 for share in shares):
        raise ValueError(f"a leaf has the shares {shares!r:.80} of {len(classes)} classes")
    return shares
