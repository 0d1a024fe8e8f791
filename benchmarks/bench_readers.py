"""Reading trees: scikit-learn's into ours, and ours from and to JSON.

Peers: scikit-learn's ``export_text`` (a tree as text), treelite (a forest of one tree), pickle.
"""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np

import orderless as ol

from .data import binarized
from .figures import OURS, Figure
from .timing import NOT_INSTALLED, Failed, Table, against, at_least, best_of, ratio, seconds

# What treelite took of our time when single trees were first read in numpy: wanted is 5 times that.
TREELITE_BEFORE = {10: 0.082, 30: 0.070, 100: 0.046, 300: 0.049, 1000: 0.054, 4000: 0.091}


def run(quick: bool) -> list[Table | Figure]:
    from sklearn.tree import DecisionTreeClassifier, export_text

    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 20))
    y = (X[:, 0] * X[:, 1] + rng.normal(size=len(X)) > 0).astype(int)
    reading = Table(
        "Reading a scikit-learn tree",
        ["leaves", "`read`", "target", "`export_text`", "ratio", "treelite", "ratio ",
         "5x as fast as before"],
        [
            "Best of 7. Asserted: our `predict` equals scikit-learn's on 40,000 rows, and the "
            "leaves are as many in the text. `read` checks the tree, moves thresholds to the "
            "boundaries they draw and drops dead branches. treelite reads no single trees, so it "
            "gets a forest of this one. The last column compares with treelite, in this run and in "
            "the one of version 0.1."
        ],
    )  # fmt: skip
    files = Table(
        "Writing and reading files",
        ["what", "leaves, trees", "`to_json`", "pickle out", "target", "`from_json`", "pickle in",
         "target ", "kB"],
        [
            "Best of 7. Asserted: the round trip gives an equal tree or form, or a set that writes "
            "the same text. Pickle writes and reads the very same object; a pickled form has its "
            "rules, one from JSON is checked against its rules. Of a set the trees are counted. "
            "JSON reads one by finding it again, to check the numbers in the file; so does a "
            "pickle, when it is asked for the number of its trees, which is measured. Wanted: JSON "
            "takes at most 5 times as long."
        ],
    )  # fmt: skip
    figure = Figure("readers", "time", ["The same measurements as in the tables."])
    panel = figure.panel("leaves", "Reading a scikit-learn tree")
    both = figure.panel("leaves", "To a file's text and back")
    for n_leaves in (100, 1000) if quick else (10, 30, 100, 300, 1000, 4000):
        model = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0).fit(X, y)
        tree = ol.read(model)
        assert tree.n_leaves == n_leaves
        assert (tree.predict(X) == model.predict(X)).all()
        text = export_text(model, max_depth=10**6)
        assert text.count("class: ") == n_leaves
        ours = best_of(lambda model=model: ol.read(model))
        as_text = best_of(lambda model=model: export_text(model, max_depth=10**6))
        loaded = _treelite(X, y, n_leaves)
        target = against(0.005, ours) if n_leaves == 1000 else ""
        before = at_least(5 * TREELITE_BEFORE[n_leaves], loaded, ours)
        reading.add(n_leaves, seconds(ours), target, seconds(as_text), ratio(as_text, ours),
                    seconds(loaded), ratio(loaded, ours), before)  # fmt: skip
        out, back, dumped, undumped = _files(files, "tree", tree, n_leaves)
        panel.add(OURS, n_leaves, ours)
        panel.add("export_text", n_leaves, as_text)
        panel.add("treelite", n_leaves, loaded if isinstance(loaded, float) else Failed(loaded))
        both.add(OURS, n_leaves, out + back)
        both.add("pickle", n_leaves, dumped + undumped)
    _forms(files, X, y)
    for name in ("iris_versicolor",) if quick else ("iris_versicolor", "tic_tac_toe"):
        _, columns, labels = binarized(name)
        _sets(files, ol.RashomonSet().fit(columns, labels).trees_)
    return [reading, files, figure]


def _forms(files: Table, X: np.ndarray, y: np.ndarray) -> None:
    from sklearn.tree import DecisionTreeClassifier

    for n_leaves in (10, 30):
        model = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0).fit(X, y)
        form = ol.canonicalize(ol.read(model))
        _ = form.rules, form.to_json()  # what is written is found before
        _files(files, "form", form, n_leaves)


def _treelite(X: np.ndarray, y: np.ndarray, n_leaves: int) -> float | str:
    """How long treelite takes for a forest of one tree, or why it does not read it."""
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(
        1, max_leaf_nodes=n_leaves, bootstrap=False, max_features=None, random_state=0
    ).fit(X, y)
    try:
        import treelite

        return best_of(lambda: treelite.sklearn.import_model(forest))
    except ImportError:
        return NOT_INSTALLED
    except Exception as fault:
        return f"refuses ({type(fault).__name__})"


def _files(table: Table, what: str, given: Any, n_leaves: int) -> tuple[float, float, float, float]:
    """Write and read one object, as JSON and as a pickle."""
    written, pickled = given.to_json(), pickle.dumps(given)
    assert type(given).from_json(written) == given
    assert pickle.loads(pickled) == given
    out = best_of(given.to_json)
    back = best_of(lambda: type(given).from_json(written))
    dumped = best_of(lambda: pickle.dumps(given))
    undumped = best_of(lambda: pickle.loads(pickled))
    table.add(what, n_leaves, seconds(out), seconds(dumped), at_least(0.2, dumped, out),
              seconds(back), seconds(undumped), at_least(0.2, undumped, back),
              f"{len(written) / 1000:.1f}")  # fmt: skip
    return out, back, dumped, undumped


def _sets(table: Table, found: Any) -> None:
    """Write and read a Rashomon set, ready to be asked, as JSON and as a pickle."""
    written, pickled = found.to_json(), pickle.dumps(found)
    assert type(found).from_json(written, time_limit=None).to_json() == written
    assert pickle.loads(pickled).to_json() == written
    out = best_of(found.to_json)
    back = best_of(lambda: type(found).from_json(written).n_trees)
    dumped = best_of(lambda: pickle.dumps(found))
    undumped = best_of(lambda: pickle.loads(pickled).n_trees)
    table.add("set", found.n_trees, seconds(out), seconds(dumped), at_least(0.2, dumped, out),
              seconds(back), seconds(undumped), at_least(0.2, undumped, back),
              f"{len(written) / 1000:.1f}")  # fmt: skip
