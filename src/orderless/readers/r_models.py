"""Trees of R: rpart, partykit and ranger.

In:  the JSON that ``orderless.R`` writes (``r_script()``).
Out: ``ColumnTree``. R compares doubles; a missing value has no way of its own
     (docs/decisions/0029: surrogate splits).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from ..errors import InvalidTree, UnreadableModel
from ..model import Task, formats
from .build import ColumnTree, Table, TreeBuilder
from .checks import check_links, damaged

__all__ = ["SAVE", "RModel", "RNode", "from_text", "knows_text", "leaves_of", "r_model"]

R_FORMAT = "orderless-r"
VERSION = 1
SAVE = "orderless_json(model, file) of the R script at orderless.readers.r_script()"
LIBRARIES = ("rpart", "partykit", "ranger")
KINDS = ("numeric", "factor", "logical")


class RNode(NamedTuple):
    """A node of a tree, by its place among all."""

    at: int
    content: dict[str, Any]


class RModel(NamedTuple):
    """What a file says, checked as far as it is not about single nodes."""

    table: Table
    levels: Sequence[Sequence[str] | None]
    task: Task
    classes: list[Any] | None
    forest: bool
    votes: bool
    trees: list[list[dict[str, Any]]]


def knows_text(text: str) -> bool:
    """Whether it is what our R script writes."""
    return f'"{R_FORMAT}"' in text[:200]


def from_text(text: str) -> ColumnTree:
    """Read one tree; a forest is refused."""
    with damaged("R", save=SAVE):
        model = r_model(text)
        if len(model.trees) != 1:
            raise UnreadableModel(
                f"this forest has {len(model.trees):,} trees, and one is needed: "
                "orderless.read(model) reads all of it"
            )
        builder = TreeBuilder(model.table)
        for leaf in leaves_of(builder, model, model.trees[0]):
            shares = _shares(leaf, model)
            if model.task == "regression":
                builder.leaf_of_number(leaf["number"])
            elif "class" in leaf:
                builder.leaf_number(_class(leaf, model), shares)
            else:
                if shares is None:
                    raise ValueError(f"a leaf is {leaf!r:.80}")
                builder.leaf_number(shares.index(max(shares)), shares)
        return builder.finish(model.classes)


def r_model(text: str) -> RModel:
    """Read the head of a file: columns, classes, and the trees as they are."""
    content = formats.load(text, R_FORMAT, VERSION)
    if content.get("end") is not True:
        raise ValueError("the end of it is missing")
    if content["library"] not in LIBRARIES:
        raise UnreadableModel(
            f"the model is of R's {content['library']!r:.40}: known are {', '.join(LIBRARIES)}"
        )
    names, levels, binary = [], [], []
    for at, feature in enumerate(content["features"]):
        if feature["kind"] not in KINDS or not isinstance(feature["name"], str):
            raise ValueError(f"a feature is {feature!r:.80}")
        names.append(feature["name"])
        own = list(feature["levels"]) if feature["kind"] == "factor" else None
        if own is not None and (not own or not all(isinstance(label, str) for label in own)):
            raise ValueError(f"levels of {feature['name']!r:.40} are {own!r:.80}")
        levels.append(own)
        binary += [at] if feature["kind"] == "logical" else []
    task = content["task"]
    classes = content["classes"]
    if task not in ("classification", "regression") or (task == "regression") != (classes is None):
        raise ValueError(f"the task is {task!r:.40} with the classes {classes!r:.80}")
    trees = content["trees"]
    if not isinstance(trees, list) or not trees or not all(trees):
        raise ValueError("it has no trees, or an empty one")
    categories = {at: own for at, own in enumerate(levels) if own is not None}
    table = Table(len(names), names, binary=binary, categories=categories, other_categories=False)
    flags = [content.get(key, False) for key in ("forest", "votes")]
    if not all(isinstance(flag, bool) for flag in flags):
        raise ValueError(f"'forest' and 'votes' must be true or false, got {flags!r:.80}")
    forest, votes = flags
    return RModel(table, levels, task, classes, forest, votes, trees)


def leaves_of(
    builder: TreeBuilder, model: RModel, nodes: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Describe the tests of a tree to the builder; its leaves are for the caller to describe.

    A leaf that says what cannot be is refused here, for one tree and for many.
    """
    left = [-1 if _is_leaf(node) else node["yes"] for node in nodes]
    right = [-1 if _is_leaf(node) else node["no"] for node in nodes]
    if any(isinstance(child, bool) or not isinstance(child, int) for child in (*left, *right)):
        raise InvalidTree("a child of a node is not a whole number: the file is damaged")
    check_links(left, right)
    places = [RNode(at, node) for at, node in enumerate(nodes)]
    for node in builder.walk(places[0]):
        if _is_leaf(node.content):
            _check_leaf(node.content, model)
            yield node.content
            continue
        test = node.content
        column, relation = test["feature"], test["relation"]
        if not isinstance(column, int) or not 0 <= column < len(model.levels):
            raise InvalidTree(f"a node has the feature {column!r:.40}: the file is damaged")
        yes, no = places[test["yes"]], places[test["no"]]
        own = model.levels[column]
        if relation == "in" and own is not None:
            if any(not isinstance(k, int) or not 0 <= k < len(own) for k in test["levels"]):
                raise ValueError(f"a split has the levels {test['levels']!r:.80} of {len(own)}")
            builder.categorical_test(column, "in", [own[k] for k in test["levels"]], yes, no)
        elif relation in ("<", "<=") and own is None and type(test["value"]) in (int, float):
            builder.numerical_test(column, relation, test["value"], yes, no)
        else:
            raise ValueError(f"a split is {test!r:.120}")


def _is_leaf(node: dict[str, Any]) -> bool:
    return "feature" not in node


def _check_leaf(leaf: dict[str, Any], model: RModel) -> None:
    if model.classes is not None and "class" in leaf:
        _class(leaf, model)
    _shares(leaf, model)


def _class(leaf: dict[str, Any], model: RModel) -> int:
    place = leaf["class"]
    if type(place) is not int or model.classes is None or not 0 <= place < len(model.classes):
        raise ValueError(f"a leaf has the class {place!r:.40}")
    return place


def _shares(leaf: dict[str, Any], model: RModel) -> list[float] | None:
    if "shares" not in leaf or model.classes is None:
        return None
    shares = [float(share) for share in leaf["shares"]]
    if len(shares) != len(model.classes) or not all(0 <= share <= 1 for share in shares):
        raise ValueError(f"a leaf has the shares {shares!r:.80} of {len(model.classes)} classes")
    return shares
