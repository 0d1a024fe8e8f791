"""One row at a time, and small tables: what a service waits for.

In:  trees of scikit-learn on made-up data; each library's own predict.
Out: tables in microseconds per call, with ratios. Equal answers are asserted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import orderless as ol

from .timing import Table, against, best_of, now, ratio, seconds


def run(quick: bool) -> Iterator[Table | str]:
    from sklearn.datasets import make_classification
    from sklearn.tree import DecisionTreeClassifier

    X, y = make_classification(20_000, 20, n_informative=10, random_state=0)
    model = DecisionTreeClassifier(max_depth=5, random_state=0).fit(X, y)
    yield one_row(model, X)
    yield tables(
        {"depth 5": model, "no limit": DecisionTreeClassifier(random_state=0).fit(X, y)}, X
    )
    yield many(model, X, quick)
    yield huge(quick)


def one_row(model: Any, X: Any) -> Table:
    """Everything that is asked about one row."""
    table = Table(
        "One row, 20 features, depth 5",
        ["call", "time", "target"],
        ["Best of 7. Asserted: the class that scikit-learn predicts. With gaps: three values "
         "of the row are unknown."],
    )  # fmt: skip
    tree = ol.read(model)
    row = dict(zip(tree.space.names, X[0].tolist(), strict=True))
    gaps = {name: value for i, (name, value) in enumerate(row.items()) if i not in (0, 3, 5)}
    predict, values = tree.predictor(), X[0].tolist()
    assert predict(row) == predict(values) == tree.predict(row) == model.predict(X[:1])[0]
    assert tree.explain(row).label == predict(row)
    calls = {
        "`tree.predict(dict)`": (lambda: tree.predict(row), 5e-6),
        "`tree.predictor()(dict)`": (lambda: predict(row), 1e-6),
        "`tree.predictor()(list)`": (lambda: predict(values), 1e-6),
        "`tree.explain(dict)`": (lambda: tree.explain(row), 5e-5),
        "`next(tree.explain(dict).reasons())`": (
            lambda: next(tree.explain(row).reasons()),
            2e-5,
        ),
        "`tree.explain(dict).shortest`": (lambda: tree.explain(row).shortest, None),
        "`tree.explain(dict).changes()`": (lambda: tree.explain(row).changes(), None),
        "`ask_next(tree, [gaps])`": (lambda: tree.ask_next([gaps]), None),
        "`tree.needed(gaps)`": (lambda: tree.needed(gaps), None),
    }
    for name, (work, target) in calls.items():
        passed = best_of(work)
        table.add(name, seconds(passed), "" if target is None else against(target, passed))
    return table


def tables(models: dict[str, Any], X: Any) -> Table:
    """Small tables beside scikit-learn."""
    table = Table(
        "`predict` of small tables of float64, beside scikit-learn",
        ["tree", "rows", "orderless", "scikit-learn", "ratio", "target"],
        ["Best of 7. Asserted: the same classes. Target: ahead."],
    )
    for name, model in models.items():
        tree = ol.read(model)
        for n in (1, 10, 100, 1000):
            rows = X[:n]
            assert np.array_equal(tree.predict(rows), model.predict(rows))
            ours = best_of(lambda tree=tree, rows=rows: tree.predict(rows))
            theirs = best_of(lambda model=model, rows=rows: model.predict(rows))
            table.add(name, n, seconds(ours), seconds(theirs), ratio(theirs, ours),
                      against(theirs, ours))  # fmt: skip
    return table


def many(model: Any, X: Any, quick: bool) -> Table:
    """Explaining all rows of a table."""
    table = Table(
        "`tree.explain_all(X)`: class and shortest reason of every row, depth 5",
        ["rows", "different places", "time", "rows per second", "target"],
        ["Best of 3. Asserted: for every 997th row, what `explain` gives. Target: 100,000 rows per "
         "second."],
    )  # fmt: skip
    rows = X if quick else np.tile(X, (5, 1))
    tree = ol.read(model)
    assert isinstance(tree, ol.Tree)
    why = tree.explain_all(rows)
    for i in range(0, len(rows), 997):
        one = tree.explain(rows[i])
        assert (one.label, one.shortest) == (why.label[i], why.reasons[i])
    passed = best_of(lambda: tree.explain_all(rows), 3)
    table.add(f"{len(rows):,}", len({id(term) for term in why.reasons}), seconds(passed),
              f"{len(rows) / passed:,.0f}", against(len(rows) / 1e5, passed))  # fmt: skip
    return table


def huge(quick: bool) -> Table:
    """A tree without a depth limit."""
    from sklearn.tree import DecisionTreeClassifier

    now("a tree without a depth limit")
    rng = np.random.default_rng(0)
    n = 30_000 if quick else 300_000
    X = rng.normal(size=(n, 20))
    signal = X[:, 0] * X[:, 1] + X[:, 2] - X[:, 3] * X[:, 4]
    model = DecisionTreeClassifier(random_state=0).fit(X, signal + rng.normal(size=n) > 0)
    tree = ol.read(model)
    assert isinstance(tree, ol.Tree)
    _ = tree.kernel.bins.explainer
    table = Table(
        f"One row of a tree of {tree.n_leaves:,} leaves ({n:,} x 20, no depth limit)",
        ["asked for", "time", "target"],
        ["Worst of 10 rows, each once. Asserted: every reason has the class of its row for "
         "certain; with unknowns, the classes that `possible` gives."],
    )  # fmt: skip
    spent: dict[str, float] = {}
    for values in X[:10]:
        row = dict(zip(tree.space.names, values.tolist(), strict=True))
        gaps = {name: value for i, (name, value) in enumerate(row.items()) if i % 2}
        assert (tree.explain(gaps).possible,) == tuple(tree.possible([gaps]))
        why = tree.explain(row)
        assert next(why.reasons()).covers([row]).all()
        asked = {
            "one reason": lambda row=row: next(tree.explain(row).reasons()),
            "the shortest reason": lambda row=row: tree.explain(row).shortest,
            "the fewest changes": lambda row=row: tree.explain(row).changes(),
            "half of the values unknown: which decide": lambda gaps=gaps: tree.explain(gaps),
        }
        for what, work in asked.items():
            spent[what] = max(spent.get(what, 0.0), best_of(work, 1))
    for what, passed in spent.items():
        table.add(what, seconds(passed), against(0.05, passed))
    return table
