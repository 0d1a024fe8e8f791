"""One reason of a complete row, beside PyXAI: of a majority vote, and of boosted trees."""

from __future__ import annotations

from typing import Any

import numpy as np

import orderless as ol
from orderless.inputs import rows_for
from orderless.questions.boxes import RowBoxes
from orderless.questions.sum_row import Sufficient

from .data import load
from .timing import Failed, Peer, Table, Unfinished, clock, now, ratio, seconds

DEPTH, LIMIT = 4, 60.0


def beside_pyxai(data: Any, n_rows: int, n_trees: int) -> Table:
    """An odd number of trees, so that no vote is a tie."""
    table = Table(
        f"One reason of a row beside PyXAI: {n_rows} rows each, {n_trees} trees of depth {DEPTH}",
        ["data", "model", "ours: features", "time", "PyXAI's reason", "features", "conditions",
         "of these needed", "time", "ratio"],
        [
            "Time of one row, the mean. Ours: a set of features none of which can be left out, "
            "each with an interval, by exact search. PyXAI's reasons are sets of conditions "
            "(x1 > 3.2); its theory of numerical features, which knows that x > 2 implies x > 1, "
            "is switched on. *Sufficient* (a search for a minimal unsatisfiable set) has no "
            "condition that can be left out. *Majoritary* (of votes: more than half of the trees, "
            "each for itself, are settled by it) and *tree-specific* (of sums: the least leaves of "
            "all trees, each for itself, add up to the class) need not be minimal for the model. "
            "Needed: the share of their conditions that stays when one after the other is left "
            "out, as long as our search calls the rest certain. Asserted: the same class; every "
            "reason of PyXAI, read as a box, is certain by our search; of a sufficient one no "
            "condition can be left out. PyXAI has no sufficient reasons of boosted trees, and "
            "explains forests by majority vote, which scikit-learn's are not: so the model is a "
            "`VotingClassifier` of trees. Two classes."
        ],
    )  # fmt: skip
    with Peer("pyxai_many", "pyxai") as peer:
        for name in data:
            now(f"{name}: beside PyXAI")
            X, y = load(name)
            X = X.to_numpy(dtype=np.float32)
            rows = X[np.random.default_rng(2).choice(len(X), n_rows, replace=False)]
            y = np.unique(y, return_inverse=True)[1]
            kinds = {"majority vote": ("sufficient", "majoritary"), "XGBoost": ("tree-specific",)}
            for kind, reasons in kinds.items():
                model, trees = _fitted(kind, X, y, n_trees)
                ensemble = ol.read(model)
                size, ours = _ours(ensemble, rows)
                for reason in reasons:
                    table.add(name, kind, f"{size:.1f}", seconds(ours), reason,
                              *_theirs(peer, reason, trees, ensemble, rows, ours))  # fmt: skip
    return table


def _fitted(kind: str, X: Any, y: Any, n_trees: int) -> tuple[Any, list[Any]]:
    """Give a model, and its trees as the peer takes them."""
    if kind == "XGBoost":
        from xgboost import XGBClassifier

        boosted = XGBClassifier(n_estimators=n_trees, max_depth=DEPTH, base_score=0.5, n_jobs=1)
        boosted.fit(X, y)
        frame = boosted.get_booster().trees_to_dataframe()
        return boosted, [_of_frame(own.set_index("ID")) for _, own in frame.groupby("Tree")]
    from sklearn.ensemble import VotingClassifier
    from sklearn.tree import DecisionTreeClassifier

    members = [
        (str(k), DecisionTreeClassifier(max_depth=DEPTH, max_features="sqrt", random_state=k))
        for k in range(n_trees)
    ]
    voting = VotingClassifier(members, voting="hard").fit(X, y)
    return voting, [_of_arrays(member.tree_, 0) for member in voting.estimators_]


def _of_arrays(tree: Any, i: int) -> Any:
    if tree.children_left[i] < 0:
        return int(np.argmax(tree.value[i][0]))
    low, high = (_of_arrays(tree, side[i]) for side in (tree.children_left, tree.children_right))
    return (int(tree.nodes.feature[i]), float(tree.nodes.threshold[i]), low, high)


def _of_frame(nodes: Any, at: str | None = None) -> Any:
    node = nodes.loc[nodes.index[0] if at is None else at]
    if node["Feature"] == "Leaf":
        return float(node["Gain"])
    low, high = (_of_frame(nodes, node[side]) for side in ("Yes", "No"))
    # The table rounds to the digits of float32; the split itself is one.
    return (int(node["Feature"][1:]), float(np.float32(node["Split"])), low, high)


def _boxes(ensemble: Any, rows: Any) -> Any:
    boxes = RowBoxes(ensemble, rows_for(ensemble.kernel, rows))
    return np.ascontiguousarray(boxes.boxes(np.arange(len(rows))))


def _ours(ensemble: Any, rows: Any) -> tuple[float, float]:
    """Give the mean number of features of a minimal reason, and the time for one."""
    boxes = _boxes(ensemble, rows)
    labels = ensemble.kernel.summed.decide(boxes, 10.0, 1).label.tolist()
    sizes, passed = [], 0.0
    for box, label in zip(boxes, labels, strict=True):
        start = clock()
        search = Sufficient(ensemble, box, label, 1000)
        sides = search.one().box.bits
        passed += clock() - start
        sizes.append(sum(side != full for side, full in zip(sides, search.full, strict=True)))
    return float(np.mean(sizes)), passed / len(rows)


def _theirs(
    peer: Peer, kind: str, trees: Any, ensemble: Any, rows: Any, ours: float
) -> tuple[str, ...]:
    got = peer(kind, trees, rows.shape[1], [tuple(map(float, row)) for row in rows], limit=LIMIT)
    if isinstance(got, Failed | Unfinished):
        return ("", "", "", str(got), "")
    passed, found = got
    labels = ensemble.kernel.summed.decide(_boxes(ensemble, rows), 10.0, 1).label.tolist()
    features, conditions, needed = [], [], []
    for label, one in zip(labels, found, strict=True):
        if one is None:
            continue
        said, reason = one
        assert said == label, (kind, said, label)
        assert _certain(ensemble, reason, kind) == label, kind
        features.append(len({feature for feature, _, _ in reason}))
        conditions.append(len(reason))
        needed.append(len(_left(ensemble, reason, kind, label)))
        assert kind != "sufficient" or needed[-1] == len(reason), (reason, needed[-1])
    late = len(found) - len(features)
    return (
        f"{np.mean(features):.1f}", f"{np.mean(conditions):.1f}",
        f"{sum(needed) / sum(conditions):.0%}" + (f" ({late} not in time)" if late else ""),
        seconds(passed / len(rows)), ratio(passed / len(rows), ours),
    )  # fmt: skip


def _certain(ensemble: Any, reason: Any, kind: str) -> int | None:
    """Give the class that the box of some conditions is certain to have, by our search."""
    bins = ensemble.kernel.bins
    place = {position: k for k, position in enumerate(bins.positions)}
    sides = [np.ones(width, dtype=np.uint8) for width in bins.widths]
    for feature, threshold, above in reason:
        k = place[feature]
        # Sums compare with "below": ours with "at most" the float before.
        cut = float(np.nextafter(np.float32(threshold), np.float32(-np.inf)))
        at = threshold if kind != "tree-specific" else cut
        first = int(np.searchsorted(bins.cuts[k], _boundary(at), side="right"))
        sides[k][:first] &= not above
        sides[k][first:] &= above
    found = ensemble.kernel.summed.decide(np.concatenate(sides)[None], 10.0, 1)
    return int(found.label[0]) if found.status[0] == 0 else None


def _boundary(threshold: float) -> float:
    """Give the largest float32 that is at most a threshold: rows have no other numbers."""
    near = np.float32(threshold)
    return float(near if near <= threshold else np.nextafter(near, np.float32(-np.inf)))


def _left(ensemble: Any, reason: Any, kind: str, label: int) -> list[Any]:
    left = list(reason)
    for one in reason:
        fewer = [other for other in left if other != one]
        if _certain(ensemble, fewer, kind) == label:
            left = fewer
    return left
