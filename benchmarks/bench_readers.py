"""Reading trees: scikit-learn's into ours, and ours from and to JSON.

Peers: scikit-learn's ``export_text`` (a tree as text), treelite (a forest of one tree), pickle.
"""

from __future__ import annotations

import pickle

import numpy as np

import orderless as ol

from .figures import OURS, Figure
from .timing import NOT_INSTALLED, Failed, Table, against, best_of, ratio, seconds


def run(quick: bool) -> list[Table | Figure]:
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier, export_text

    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 20))
    y = (X[:, 0] * X[:, 1] + rng.normal(size=len(X)) > 0).astype(int)
    reading = Table(
        "Reading a scikit-learn tree",
        ["leaves", "`read_tree`", "target", "`export_text`", "ratio", "treelite", "ratio "],
        [
            "Best of 7. Asserted: our `predict` equals scikit-learn's on 40,000 rows, and the "
            "leaves are as many in the text. `read_tree` checks the tree, moves thresholds to the "
            "boundaries they draw and drops dead branches. treelite reads no single trees, so it "
            "gets a forest of this one."
        ],
    )
    files = Table(
        "Writing and reading files",
        ["leaves", "`to_json`", "`from_json`", "kB", "pickle of the model, both ways", "ratio"],
        [
            "Best of 7. Asserted: the round trip gives an equal tree. Ratio: pickle to JSON, both "
            "ways."
        ],
    )
    figure = Figure("readers", "time", ["The same measurements as in the tables."])
    panel = figure.panel("leaves", "Reading a scikit-learn tree")
    both = figure.panel("leaves", "To a file's text and back")
    for n_leaves in (100, 1000) if quick else (10, 30, 100, 300, 1000, 4000):
        model = DecisionTreeClassifier(max_leaf_nodes=n_leaves, random_state=0).fit(X, y)
        tree = ol.read_tree(model)
        assert tree.n_leaves == n_leaves
        assert (tree.predict(X) == model.predict(X)).all()
        text = export_text(model, max_depth=10**6)
        assert text.count("class: ") == n_leaves
        ours = best_of(lambda model=model: ol.read_tree(model))
        as_text = best_of(lambda model=model: export_text(model, max_depth=10**6))
        forest = RandomForestClassifier(
            1, max_leaf_nodes=n_leaves, bootstrap=False, max_features=None, random_state=0
        ).fit(X, y)
        try:
            import treelite

            loaded: float | str = best_of(
                lambda forest=forest: treelite.sklearn.import_model(forest)
            )
        except ImportError:
            loaded = NOT_INSTALLED
        except Exception as fault:
            loaded = f"refuses ({type(fault).__name__})"
        target = against(0.005, ours) if n_leaves == 1000 else ""
        reading.add(n_leaves, seconds(ours), target, seconds(as_text), ratio(as_text, ours),
                    seconds(loaded), ratio(loaded, ours))  # fmt: skip
        written = tree.to_json()
        assert ol.Tree.from_json(written) == tree
        out = best_of(tree.to_json)
        back = best_of(lambda written=written: ol.Tree.from_json(written))
        pickled = best_of(lambda model=model: pickle.loads(pickle.dumps(model)))
        panel.add(OURS, n_leaves, ours)
        panel.add("export_text", n_leaves, as_text)
        panel.add("treelite", n_leaves, loaded if isinstance(loaded, float) else Failed(loaded))
        both.add(OURS, n_leaves, out + back)
        both.add("pickle", n_leaves, pickled)
        files.add(n_leaves, seconds(out), seconds(back), f"{len(written) / 1000:.1f}",
                  seconds(pickled), ratio(pickled, out + back))  # fmt: skip
    return [reading, files, figure]
