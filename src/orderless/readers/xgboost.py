"""XGBoost's boosted trees, dart and forests.

In:  a fitted model with XGBoost's scikit-learn interface, a ``Booster``, or a model file: JSON, and
     UBJSON, which is written as JSON first.
Out: ``ColumnModel``. Rows are rounded to float32, then asked whether they are below a float32.
     XGBoost begins at the base margin and adds one tree after the other, all in float32.

A model file is read without XGBoost's loader, which believes the counts that it finds there. What a
margin becomes, and where sums begin, is asked of XGBoost itself.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import UnreadableModel
from ..inputs import import_optional
from ..model import Adding, Label, Link, Rule, Task, last_before_change
from .builder import NUMBER, ColumnModel, ModelBuilder, Table
from .checks import check_links, damaged, refuse_own_predict, unfitted

__all__ = ["as_json", "from_text", "from_xgboost", "knows", "knows_text", "knows_ubj"]

Singles = NDArray[np.float32]

VERSIONS = (1, 2, 3)
PROBABILITIES = ("binary:logistic", "reg:logistic")  # of which a regressor predicts them
SEVERAL_CLASSES = ("multi:softprob", "multi:softmax")
CLASSES = (*PROBABILITIES, *SEVERAL_CLASSES, "binary:hinge")
NUMBERS = (
    "reg:squarederror", "reg:squaredlogerror", "reg:pseudohubererror", "reg:absoluteerror",
    "reg:quantileerror", "reg:gamma", "reg:tweedie", "count:poisson", "rank:pairwise",
    "rank:ndcg", "rank:map", "survival:cox", "survival:aft", "binary:logitraw",
)  # fmt: skip
LINKS: dict[str, Link] = {
    "binary:logistic": "logistic",
    "reg:logistic": "logistic",
    "multi:softprob": "softmax",
    "multi:softmax": "softmax",
    "count:poisson": "exp",
    "reg:gamma": "exp",
    "reg:tweedie": "exp",
    "survival:cox": "exp",
    "survival:aft": "exp",
}
# XGBoost's softmax takes float32 exponentials of what a margin is below the largest, and divides
# all by their sum. Of a margin that is further below, the exponential is at most 1 - 2^-22 and one
# unit in the last place (2^-24), so that the quotients are 1.5 units apart and stay two numbers.
SOFTMAX = 2.0**-22

# What a saved objective must hold besides its name. None of it changes what a margin becomes, so
# that these are XGBoost's own defaults, and not what a file says.
LOGISTIC = {"reg_loss_param": {"scale_pos_weight": "1"}}
RANK = {
    "lambdarank_param": {
        "lambdarank_bias_norm": "1", "lambdarank_normalization": "1",
        "lambdarank_num_pair_per_sample": "4294967295", "lambdarank_pair_method": "topk",
        "lambdarank_unbiased": "0", "ndcg_exp_gain": "1",
    }
}  # fmt: skip
PARAMETERS: dict[str, dict[str, Any]] = {
    "binary:logistic": LOGISTIC,
    "binary:logitraw": LOGISTIC,
    "reg:logistic": LOGISTIC,
    "reg:squarederror": LOGISTIC,
    "reg:squaredlogerror": LOGISTIC,
    "reg:gamma": LOGISTIC,
    "reg:pseudohubererror": {"pseudo_huber_param": {"huber_slope": "1"}},
    "reg:quantileerror": {"quantile_loss_param": {"quantile_alpha": "[0.5]"}},
    "reg:tweedie": {"tweedie_regression_param": {"tweedie_variance_power": "1.5"}},
    "count:poisson": {"poisson_regression_param": {"max_delta_step": "0.7"}},
    "survival:aft": {
        "aft_loss_param": {
            "aft_loss_distribution": "normal", "aft_loss_distribution_scale": "1",
        }
    },
    "rank:pairwise": RANK,
    "rank:ndcg": RANK,
    "rank:map": RANK,
}  # fmt: skip
# The types of numbers in UBJSON, all big-endian.
UBJ_NUMBERS = {
    b"i": ">i1", b"U": ">u1", b"I": ">i2", b"l": ">i4", b"L": ">i8", b"d": ">f4", b"D": ">f8",
}  # fmt: skip
UBJ_WORDS = {b"T": True, b"F": False, b"Z": None}
MAX_DEPTH = 200


def knows(model: Any) -> bool:
    """Whether it is a model of XGBoost: a classifier, regressor, ranker or ``Booster``."""
    import xgboost

    if isinstance(model, xgboost.XGBModel):
        known = (xgboost.XGBClassifier, xgboost.XGBRanker, xgboost.XGBModel)
        refuse_own_predict(model, *known)
    return isinstance(model, xgboost.Booster | xgboost.XGBModel)


def from_xgboost(model: Any) -> ColumnModel:
    """Read all trees that its ``predict`` asks: after early stopping, those up to the best round.

    A ``Booster`` predicts with all. Of its probabilities the classes are 0, 1, ...: the largest,
    or of two the second if it is above one half.
    """
    import xgboost
    from xgboost.core import XGBoostError

    task: Task | None = None
    if not isinstance(model, xgboost.Booster):
        task = "classification" if isinstance(model, xgboost.XGBClassifier) else "regression"
    try:
        text = bytes(_booster(model).save_raw("json"))
    except XGBoostError as fault:
        raise UnreadableModel("XGBoost cannot save this booster: is it trained?") from fault
    with damaged("XGBoost", save="booster.save_model('model.json')"):
        saved = json.loads(text)
        content = _ModelJson(saved["learner"], task)
        if task is not None and callable(model.objective) and len(content.trees) > 1:
            raise UnreadableModel(
                "this model has an objective of your own, so that nobody knows what its margin "
                "means: use one of XGBoost's"
            )
        if task == "classification" and content.n_outputs == 2:
            raise UnreadableModel(
                f"with the objective {content.objective!r} and two classes, predict gives a table "
                "and not a class: use the objective 'binary:logistic', or read get_booster()"
            )
        return _model(saved, content, in_place=task is not None)


def _booster(model: Any) -> Any:
    import xgboost

    if isinstance(model, xgboost.Booster):
        return model
    if not model.__sklearn_is_fitted__():
        raise unfitted(model)
    if not (isinstance(model.missing, float) and math.isnan(model.missing)):
        raise UnreadableModel(
            f"this model treats {model.missing!r} as missing: write NaN instead in X, leave "
            "missing= out and fit again"
        )
    booster = model.get_booster()
    best = getattr(model, "best_iteration", None)  # after early stopping its predict asks no more
    return booster if best is None else booster[: best + 1]


def knows_text(text: str) -> bool:
    """Whether a text is a model file of XGBoost."""
    return '"learner"' in text and '"gradient_booster"' in text


def from_text(text: str | bytes) -> ColumnModel:
    """Read the JSON of a model file, as ``save_model("model.json")`` writes it.

    A file that the scikit-learn interface wrote is read as its estimator predicts, and that of a
    ``Booster`` as a ``Booster`` does.
    """
    with damaged("XGBoost", save="booster.save_model('model.json')"):
        saved = json.loads(text)
        attributes = saved["learner"].get("attributes") or {}
        estimator = "scikit_learn" in attributes
        best = attributes.get("best_iteration") if estimator else None
        n_rounds = None if best is None else int(best) + 1
        return _model(saved, _ModelJson(saved["learner"], n_rounds=n_rounds), in_place=estimator)


def _model(saved: Mapping[str, Any], content: _ModelJson, in_place: bool) -> ColumnModel:
    """Describe all trees."""
    if saved["version"][0] not in VERSIONS:
        raise UnreadableModel(
            f"the model file is of XGBoost {saved['version'][0]!r:.40}, and known are "
            f"{VERSIONS[0]} to {VERSIONS[-1]}: update orderless, or save it with one of these"
        )
    library = _Library(saved, content.n_outputs)
    builder = ModelBuilder(content.table)
    several = content.n_outputs > 1
    for i, (tree, output) in enumerate(zip(content.trees, content.outputs, strict=True)):
        added = _added(tree.number, content.weight(i), library.base[output], in_place)
        for node in builder.walk(0, score=output if several else None):
            left, right = tree.left[node], tree.right[node]
            column, nan_left = tree.column[node], tree.nan_left[node]
            if left < 0:
                builder.leaf_adds(added[node])
            elif node in tree.codes:  # what the set holds goes right
                members = [content.labels[column][code] for code in tree.codes[node]]
                builder.categorical_test(column, "not in", members, left, right, nan_left)
            else:
                builder.numerical_test(column, "<", tree.number[node], left, right, nan_left)
    adding = Adding("float32", base=tuple(library.base.tolist()))
    link = LINKS.get(content.objective, "identity")
    if content.task == "regression":
        return builder.finish(None, adding, NUMBER, link, outputs=library.numbers)
    if several:
        window = SOFTMAX if content.objective == "multi:softprob" else 0.0
        return builder.finish(
            range(content.n_outputs), adding, Rule("largest", window=window), link
        )
    rule = Rule("cuts", (library.last_of_first_class(),))
    return builder.finish((0, 1), adding, rule, link, outputs=library.probabilities)


def _added(leaf: Singles, weight: np.float32 | None, base: np.float32, in_place: bool) -> Singles:
    """Return what leaves add: of dart, times the weight of the tree.

    The scikit-learn interface predicts in place, for which XGBoost adds the base to every tree of
    dart and takes it off again before it weighs, so that the last bits of both differ.
    """
    if weight is None:
        return leaf
    out: Singles = ((leaf + base) - base if in_place else leaf) * weight
    return out


# -- what the JSON holds, checked against itself: what does not fit is a ValueError or the like ----


class _ModelJson:
    """A model that decides between classes, or predicts a number; others are refused.

    ``task`` is what its estimator predicts; None: what its objective is for. ``n_rounds`` is how
    many rounds of boosting count (None: all).
    """

    def __init__(
        self, learner: Mapping[str, Any], task: Task | None = None, n_rounds: int | None = None
    ) -> None:
        booster = _trees_of(learner)
        self.n_outputs = _n_outputs(learner)
        self.objective = str(learner["objective"]["name"])
        self.task = _task(learner, task)
        if (self.n_outputs > 1) != (self.objective in SEVERAL_CLASSES):
            raise UnreadableModel(
                f"the objective {self.objective!r:.80} with {self.n_outputs} outputs cannot be "
                f"read: of several, it must be one of {', '.join(map(repr, SEVERAL_CLASSES))}"
            )
        model = booster["model"]
        trees = model["trees"]
        n_trees = len(trees) if n_rounds is None else _end_of_round(model, n_rounds)
        self.trees = [_StoredTree(tree) for tree in trees[:n_trees]]
        self.outputs = _outputs(model, len(trees), self.n_outputs)[:n_trees]
        weights = [float(x) for x in learner["gradient_booster"].get("weight_drop", ())]
        # Of dart; None: they all count once.
        self.weights = np.array(weights, dtype=np.float32)[:n_trees] if weights else None
        if weights and (len(weights) != len(trees) or not np.isfinite(weights).all()):
            raise ValueError(f"{len(weights)} weights for {len(trees)} trees")
        self.n_columns = int(learner["learner_model_param"]["num_feature"])
        self.names = learner.get("feature_names") or None
        stored = model.get("cats", {}).get("enc") or []
        if any(tree.codes for tree in self.trees) and not stored and self.names:
            raise UnreadableModel(
                "this model has categorical columns and does not say which category has which "
                "number: fit with XGBoost 3.1 or newer, or on an array of numbers with "
                "feature_types="
            )
        text = {
            column: _Names(column, entry["values"], entry["offsets"])
            for column, entry in enumerate(stored)
            if "offsets" in entry
        }
        self.labels = _labels(stored, text) if stored else _codes(self.trees)
        self.garbled: dict[int, Callable[[Sequence[Label]], Sequence[Label]]] = {
            column: names.resolve for column, names in text.items() if not names.sure
        }

    def weight(self, tree: int) -> np.float32 | None:
        """Return how much a tree of dart counts; None: once."""
        return None if self.weights is None else np.float32(self.weights[tree])

    @property
    def table(self) -> Table:
        """The columns that it was fitted on."""
        return Table(
            self.n_columns,
            self.names,
            values="float32",
            learns_nan=True,
            absent_is_nan=True,
            categories={column: list(known.values()) for column, known in self.labels.items()},
            garbled=self.garbled,
        )


class _StoredTree:
    """The nodes of a tree as XGBoost stores them, with those that it pruned.

    A leaf has the children -1, and its value for a number.
    """

    def __init__(self, tree: Mapping[str, Any]) -> None:
        self.left: list[int] = tree["left_children"]
        self.right: list[int] = tree["right_children"]
        self.column: list[int] = tree["split_indices"]
        n = len(self.left)
        if int(tree.get("tree_param", {}).get("size_leaf_vector", 1)) > 1:
            raise UnreadableModel(
                "the leaves of this booster hold a number for each output: fit with "
                "multi_strategy='one_output_per_tree'"
            )
        for key in ("right_children", "split_conditions", "split_indices", "default_left"):
            if len(tree[key]) != n:
                raise ValueError(f"{key} has {len(tree[key])} entries for {n} nodes")
        reached = check_links(self.left, self.right)
        self.leaves = [node for node in reached if self.left[node] < 0]
        # Written as the shortest decimals that are the float32.
        conditions = [float(number) for number in tree["split_conditions"]]
        self.number = np.array(conditions, dtype=np.float32)
        self.nan_left = [bool(flag) for flag in tree["default_left"]]
        # The codes that go right, of splits on categories.
        splits = set(reached).difference(self.leaves)
        self.codes = {node: codes for node, codes in _sets(tree, n).items() if node in splits}
        # Before version 3 a split on categories has NaN for a threshold.
        if np.isnan(self.number[[node for node in reached if node not in self.codes]]).any():
            raise ValueError("a threshold or a leaf is not a number")


def _trees_of(learner: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what holds the trees; refuse what does not add up trees."""
    booster: Mapping[str, Any] = learner["gradient_booster"]
    kind = booster["name"]
    if kind not in ("gbtree", "dart"):
        raise UnreadableModel(f"a booster {kind!r:.80} cannot be read: use booster='gbtree'")
    return booster["gbtree"] if kind == "dart" else booster


def _n_outputs(learner: Mapping[str, Any]) -> int:
    """Return how many sums there are; refuse several numbers per row."""
    number = learner["learner_model_param"]
    n_classes, n_targets = int(number["num_class"]), int(number.get("num_target", 1))
    if n_targets > 1:
        raise UnreadableModel(
            f"this booster predicts {n_targets} numbers at once: only one can be read; fit one "
            "model per output"
        )
    return max(n_classes, n_targets, 1)


def _outputs(model: Mapping[str, Any], n_trees: int, n_outputs: int) -> list[int]:
    """Give the output that each tree adds to; every output has trees."""
    outputs = model["tree_info"]
    if len(outputs) != n_trees or any(type(one) is not int for one in outputs):
        raise ValueError(f"tree_info has {len(outputs)} entries for {n_trees} trees")
    if n_outputs > n_trees or set(outputs) != set(range(n_outputs)):
        raise ValueError(f"{n_trees} trees do not add to {n_outputs} outputs")
    return list(outputs)


def _end_of_round(model: Mapping[str, Any], n_rounds: int) -> int:
    """Give the number of trees in the first rounds."""
    ends = model["iteration_indptr"]
    if any(type(end) is not int for end in ends) or sorted(ends) != ends:
        raise ValueError("iteration_indptr does not rise")
    if not 0 < n_rounds < len(ends) or not 0 < ends[n_rounds] <= len(model["trees"]):
        raise ValueError(f"{n_rounds} rounds count, of {len(ends) - 1}")
    return int(ends[n_rounds])


def _task(learner: Mapping[str, Any], task: Task | None) -> Task:
    """Return whether it predicts a class or a number; refuse other objectives."""
    objective = learner["objective"]["name"]
    what = "classes or one number"
    known: tuple[str, ...] = CLASSES + NUMBERS
    if task == "classification":
        what, known = "classes", CLASSES
    elif task == "regression":
        what, known = "one number", NUMBERS + PROBABILITIES
    if objective not in known:
        raise UnreadableModel(
            f"the objective {objective!r:.80} cannot be read as {what}: it must be one of "
            f"{', '.join(map(repr, known))}"
        )
    if task is None:
        # A file that a regressor of XGBoost wrote says so.
        kind = str((learner.get("attributes") or {}).get("scikit_learn"))
        number = objective in NUMBERS or '"regressor"' in kind
        task = "regression" if number else "classification"
    return task


def _sets(tree: Mapping[str, Any], n: int) -> dict[int, list[int]]:
    """Give the codes that go right, of the nodes that test a set."""
    parts = zip(
        tree.get("categories_nodes", ()),
        tree.get("categories_segments", ()),
        tree.get("categories_sizes", ()),
        strict=True,
    )
    codes = tree.get("categories", [])
    out: dict[int, list[int]] = {}
    for node, start, size in parts:
        if not 0 <= node < n or not 0 <= start <= start + size <= len(codes):
            raise ValueError(f"the categories of node {node!r:.40} are not there")
        out[node] = codes[start : start + size]
    kinds = tree.get("split_type") or [0] * n
    asked = [node for node in range(n) if tree["left_children"][node] >= 0 and kinds[node]]
    if set(asked) - set(out):
        raise ValueError("a split asks for categories and lists none")
    return out


def _labels(stored: Sequence[Any], text: Mapping[int, _Names]) -> dict[int, dict[int, Any]]:
    """Give, of categorical columns, the label of every code."""
    labels = {}
    for column, entry in enumerate(stored):
        values = text[column].labels if column in text else entry["values"]
        if values:
            labels[column] = dict(enumerate(values))
    return labels


def _codes(trees: Sequence[_StoredTree]) -> dict[int, dict[int, Any]]:
    """Take codes for labels, where there are no others: those that the trees ask about."""
    labels: dict[int, dict[int, Any]] = {}
    for tree in trees:
        for node, codes in tree.codes.items():
            labels.setdefault(tree.column[node], {}).update({code: code for code in codes})
    return labels


class _Names:
    """Names of categories as XGBoost keeps them: UTF-8, and where each name ends.

    Up to version 3.2 XGBoost counts letters instead of bytes if the names come from pandas, so that
    names which are not ASCII are cut at the wrong places, and the last ones are lost. It does not
    say where they came from, so such names are known only once somebody lists them.
    """

    def __init__(self, column: int, values: list[int], ends: list[int]) -> None:
        if sorted(ends) != ends or (ends and (ends[0] < 0 or ends[-1] > len(values))):
            raise ValueError("the offsets of category names do not fit the names")
        self.column = column
        self.text = bytes(byte & 255 for byte in values)  # written as -128 to 127
        self.ends = ends

    @property
    def sure(self) -> bool:
        return self.text.isascii()

    @property
    def labels(self) -> list[str]:
        """The names; where they are not sure, something to put in their place."""
        if not self.sure:
            return [f"category {code}" for code in range(len(self.ends) - 1)]
        return [self.text[a:b].decode("ascii") for a, b in pairwise(self.ends)]

    def resolve(self, names: Sequence[Label]) -> Sequence[Label]:
        """Put a feature's categories in the order of the codes; they must be these."""
        stored = [self.text[a:b].decode(errors="replace") for a, b in pairwise(self.ends)]
        text = [name for name in names if isinstance(name, str)]
        if len(text) == len(names):
            by_letters = [0, *accumulate(len(name) for name in text)]
            if self.ends == by_letters and self.text == "".join(text).encode()[: by_letters[-1]]:
                return text
            if sorted(stored) == sorted(text):
                return stored
        raise UnreadableModel(
            f"the categories of column {self.column} have names that are not ASCII, which XGBoost "
            "cuts at the wrong places if they come from pandas, and can mix up in its own "
            "predict: rename the categories and fit again; or, for the tree by the codes of "
            "the categories, list them in the order of the model's categories, with "
            "space=Space({name: [labels], ...}) for all columns"
        )


# -- what a margin becomes, asked of XGBoost itself ------------------------------------------------


class _Library:
    """A booster of our own, of leaves of value 0 and one column, with another's objective."""

    def __init__(self, saved: Mapping[str, Any], n_outputs: int = 1) -> None:
        xgboost = import_optional("xgboost", needed_for="reading a model file of XGBoost")
        text = json.dumps(_one_leaf(saved, n_outputs)).encode()
        self._booster = xgboost.Booster({"nthread": 1}, model_file=bytearray(text))
        self._table = xgboost.DMatrix
        margins = self._booster.predict(self._rows(1), output_margin=True, validate_features=False)
        self.base: Singles = margins.reshape(-1)
        if len(self.base) != n_outputs:
            raise ValueError(f"{len(self.base)} base margins for {n_outputs} outputs")

    def numbers(self, margins: Any) -> Any:
        """Return what it predicts where the sum of all trees is this margin, to the last bit."""
        rows = self._rows(len(margins), base_margin=margins.astype(np.float32))
        return self._booster.predict(rows, validate_features=False)

    def probabilities(self, margins: Any) -> Any:
        """Return what it says of two classes, as ``predict_proba`` does."""
        second = self.numbers(margins)
        return np.column_stack([1.0 - second, second])

    def last_of_first_class(self) -> float:
        """Find the largest margin of which XGBoost makes at most one half: the first of two."""
        limit = float(np.finfo(np.float32).max)
        (last,), _, (always,) = last_before_change(
            lambda margins, _: self.numbers(np.clip(margins, -limit, limit)) > 0.5, 1
        )
        if always:
            raise ValueError("the objective does not part two classes at one half")
        return float(np.float32(last))

    def _rows(self, n: int, **options: Any) -> Any:
        return self._table(np.zeros((n, 1), dtype=np.float32), nthread=1, **options)


def _one_leaf(saved: Mapping[str, Any], n_outputs: int) -> dict[str, Any]:
    """Write a model of one leaf per output, with the objective and base score of another."""
    learner = saved["learner"]
    score = str(learner["learner_model_param"]["base_score"])
    version = saved["version"]
    stated = re.fullmatch(r"\[?([-+.\deE]+(?:,[-+.\deE]+)*)\]?", score)[1]  # type: ignore[index]
    numbers = [float(number) for number in stated.split(",")]
    objective = learner["objective"]["name"]
    low, high = (0.0, 1.0) if objective in PROBABILITIES else (-math.inf, math.inf)
    fits = all(math.isfinite(number) and low <= number <= high for number in numbers)
    fits = fits and len(numbers) in (1, n_outputs)
    if not fits or [type(part) for part in version] != [int] * 3:
        raise ValueError(f"base_score is {score!r:.40} and version {version!r:.40}")
    none: dict[str, Any] = {
        name: [] for name in ("categories", "categories_nodes", "categories_segments")
    }
    leaf = {
        **none, "categories_sizes": [], "base_weights": [0.0], "default_left": [0], "id": 0,
        "left_children": [-1], "right_children": [-1], "parents": [2**31 - 1],
        "loss_changes": [0.0], "split_conditions": [0.0], "split_indices": [0], "split_type": [0],
        "sum_hessian": [1.0], "tree_param": {
            "num_deleted": "0", "num_feature": "1", "num_nodes": "1", "size_leaf_vector": "1",
        },
    }  # fmt: skip
    model = {
        "gbtree_model_param": {"num_parallel_tree": "1", "num_trees": str(n_outputs)},
        "iteration_indptr": [0, n_outputs],
        "tree_info": list(range(n_outputs)),
        "trees": [{**leaf, "id": i} for i in range(n_outputs)],
    }
    booster = learner["gradient_booster"]
    if "cats" in booster.get("gbtree", booster)["model"]:
        model["cats"] = {"enc": [], "feature_segments": [], "sorted_idx": []}
    several = {"softmax_multiclass_param": {"num_class": str(n_outputs)}} if n_outputs > 1 else {}
    own = {
        "attributes": {},
        "feature_names": [],
        "feature_types": [],
        "gradient_booster": {"model": model, "name": "gbtree"},
        "learner_model_param": {
            "base_score": score, "boost_from_average": "1", "num_feature": "1", "num_target": "1",
            "num_class": str(n_outputs if n_outputs > 1 else 0),
        },
        "objective": {"name": objective, **PARAMETERS.get(objective, {}), **several},
    }  # fmt: skip
    return {"learner": own, "version": version}


# -- binary model files: the same as the JSON, as UBJSON ------------------------------------------


def knows_ubj(content: bytes) -> bool:
    """Whether bytes are a binary model file of XGBoost."""
    return content[:1] == b"{" and content[1:2] in UBJ_NUMBERS and b"learner" in content[:64]


def as_json(content: bytes) -> str:
    """Write a binary model file as JSON."""
    with damaged("XGBoost", save="booster.save_model('model.json')"):
        return json.dumps(_UbjReader(content).value(0))


class _UbjReader:
    """Goes through the bytes once; a count is believed only as far as there are bytes."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._at = 0

    def value(self, depth: int) -> Any:
        return self._of_kind(self._take(1), depth)

    def _of_kind(self, kind: bytes, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise ValueError(f"values are nested more than {MAX_DEPTH} deep")
        if kind in UBJ_NUMBERS:
            return self._numbers(kind, 1)[0]
        if kind in UBJ_WORDS:
            return UBJ_WORDS[kind]
        if kind == b"S":
            return self._text()
        if kind == b"[":
            return self._list(depth)
        if kind == b"{":
            return self._object(depth)
        raise ValueError(f"a value has the type {kind!r}")

    def _object(self, depth: int) -> dict[str, Any]:
        out = {}
        while self._next() != b"}":
            key = self._text()
            out[key] = self.value(depth + 1)
        self._at += 1
        return out

    def _list(self, depth: int) -> list[Any]:
        kind = b""
        if self._next() == b"$":
            self._at += 1
            kind = self._take(1)
        if self._next() == b"#":
            self._at += 1
            count = self._count()
            if kind in UBJ_NUMBERS:
                return self._numbers(kind, count)
            if kind:
                raise ValueError(f"a list has elements of the type {kind!r}")
            return [self.value(depth + 1) for _ in range(count)]
        out = []
        while self._next() != b"]":
            out.append(self.value(depth + 1))
        self._at += 1
        return out

    def _text(self) -> str:
        return self._take(self._count()).decode("utf-8")

    def _count(self) -> int:
        count = self._of_kind(self._take(1), 0)
        if type(count) is not int or count < 0:
            raise ValueError(f"a count is {count!r:.40}")
        return count

    def _numbers(self, kind: bytes, count: int) -> list[Any]:
        numbers = np.dtype(UBJ_NUMBERS[kind])
        part = self._take(count * numbers.itemsize)
        out: list[Any] = np.frombuffer(part, dtype=numbers).tolist()
        return out

    def _next(self) -> bytes:
        if self._at >= len(self._content):
            raise ValueError("the file ends too early")
        return self._content[self._at : self._at + 1]

    def _take(self, count: int) -> bytes:
        end = self._at + count
        if end > len(self._content):
            raise ValueError(f"the file ends {end - len(self._content)} bytes too early")
        part = self._content[self._at : end]
        self._at = end
        return part
