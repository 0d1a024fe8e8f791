"""Forests and boosted trees by peers: what is certain of a sum of trees, and why."""

from __future__ import annotations

from typing import Any

from ..timing import clock


def veritas_extremes(model: Any, rows: Any = None, limit: float = 1.0) -> Any:
    """The largest score of a booster over rows with unknown values, each in at most ``limit``
    seconds: the score, or None where it is not proven.
    """
    import numpy as np
    import veritas

    if model is None:
        return None
    trees = veritas.get_addtree(model, silent=True)
    most: list[float | None] = []
    passed = 0.0
    for row in rows:
        box = [
            veritas.Interval()
            if np.isnan(value)
            else veritas.Interval(float(value), float(np.nextafter(value, np.float32(np.inf))))
            for value in row
        ]
        search = veritas.Config(veritas.HeuristicType.MAX_OUTPUT).get_search(trees, box)
        start = clock()
        search.step_for(limit, 100)
        passed += clock() - start
        done = search.is_optimal()
        most.append(float(search.get_solution(0).output) if done else None)
    return passed, most


def _children() -> float:
    """Processor seconds of programs that were started, and have ended."""
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def pyxai_many(kind: str | None, trees: Any = (), n_features: int = 0, rows: Any = ()) -> Any:
    """One reason of each row by PyXAI: "sufficient" or "majoritary" of a majority vote,
    "tree-specific" of a sum with two classes, which is above 0 or not.

    Trees are nested (feature, threshold, otherwise, above); a value above the threshold, for sums
    one that is not below it, goes the last way. Gives conditions (feature, threshold, above).
    """
    import sys

    sys.argv = sys.argv[:1]  # PyXAI reads the command line when it is imported
    from pyxai import Builder, Explaining

    if kind is None:
        return None
    summed = kind == "tree-specific"
    how = Builder.GE if summed else Builder.GT

    def node(below: Any) -> Any:
        if not isinstance(below, tuple):
            return below
        feature, threshold, low, high = below
        return Builder.DecisionNode(
            feature + 1, operator=how, threshold=threshold, left=node(low), right=node(high)
        )

    names = [f"x{i}" for i in range(n_features)]
    roots = [node(tree) if isinstance(tree, tuple) else Builder.LeafNode(tree) for tree in trees]
    made = [Builder.DecisionTree(n_features, root, feature_names=names) for root in roots]
    if summed:
        model = Builder.BoostedTrees(made, n_classes=2, feature_names=names)
    else:
        model = Builder.RandomForest(made, n_classes=2, feature_names=names)
    # Without its theory it takes x > 1 and x > 2 for independent of each other.
    explainer = Explaining.initialize(model, features_type={"numerical": names})
    explainer._visualisation._do_history = False
    ask = {
        "sufficient": lambda: explainer.sufficient_reason(time_limit=5),
        "majoritary": lambda: explainer.majoritary_reason(n=1, seed=1),
        "tree-specific": lambda: explainer.tree_specific_reason(seed=1),
    }[kind]
    passed = 0.0
    found: list[Any] = []
    for row in rows:
        explainer.set_instance(row)
        start, outside = clock(), _children()
        reason = ask()
        passed += clock() - start + _children() - outside  # its solver is a program of its own
        if reason is None:
            found.append(None)
            continue
        conditions = []
        for literal in reason:
            feature, _, threshold = model.map_id_binaries_to_features[abs(literal)]
            conditions.append((feature - 1, float(threshold), literal > 0))
        found.append((int(explainer.target_prediction), conditions))
    return passed, found
