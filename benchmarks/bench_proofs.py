"""Proofs, differences and changes: how they grow with leaves and with trees.

Peers: none that is exact. Every refutation is put through the model again before its time counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

import orderless as ol
from orderless.errors import InvalidData
from orderless.output.pages import Letter
from orderless.questions import Proof

from .timing import Table, best_of, now, seconds

BOX = {"x0": (0, 0.1), "x1": (0, 0.1)}


def run(quick: bool) -> Iterator[Table]:
    yield properties(quick)
    yield differences(quick)
    yield certificates(quick)
    yield letters(quick)
    yield ensembles(quick)


def rows(n: int = 20_000) -> tuple[Any, Any]:
    """Twenty features, three of which matter, and noise enough for large trees."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 20))
    y = (X[:, 0] * X[:, 1] + X[:, 2] > rng.normal(size=n)).astype(int)
    return X, y


def replayed(model: Any, proof: Proof) -> str:
    """Check a counterexample; say what was found."""
    if proof:
        return "proven"
    table = [list(row.values()) for row in proof.columns]
    assert model.predict(np.array(table)).tolist() == list(proof.answers)
    return "refuted"


def properties(quick: bool) -> Table:
    """One tree, more and more leaves."""
    X, y = rows()
    table = Table(
        "Properties of one tree over 20 features: growth with leaves",
        ["leaves", "never, in a box", "ignores, refuted", "ignores, proven", "monotone",
         "stable, with all thresholds"],
        [
            "`never(1, where=...)` in a box of two features; `ignores` of a feature, and of the "
            "same beyond its thresholds, where all pairs of leaves are gone through. Best of 3. "
            "Asserted: scikit-learn's predict on every counterexample."
        ],
    )  # fmt: skip
    for leaves in (16, 64) if quick else (16, 64, 256, 1024, 4096):
        now(f"leaves: {leaves:,}")
        model = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
        asked = ol.prove(model)
        questions = (
            lambda asked=asked: asked.never(1, where=BOX),
            lambda asked=asked: asked.ignores("x0"),
            lambda asked=asked: asked.ignores("x0", given={"x0": (10, None)}),
            lambda asked=asked: asked.monotone("x0", 1),
            lambda asked=asked: asked.stable("x0", by=0.01),
        )
        for ask in questions:
            replayed(model, ask())
        table.add(leaves, *(seconds(best_of(ask, 3)) for ask in questions))
    return table


def differences(quick: bool) -> Table:
    """Two trees that were fitted in different ways."""
    X, y = rows()
    table = Table(
        "What changed between two trees, and what would change a row",
        ["leaves", "regions that differ", "difference, any rules", "rules", "difference, fewest",
         "proven", "changes of a row", "changes of a row, found"],
        [
            "`difference(..., exact=False)`: rules of which none can be left out. The fewest: "
            "once, within 10 s for all steps. `changes` with one feature fixed, of the first row. "
            "Best of 3. Asserted: the rows that change are those on which "
            "scikit-learn's two trees differ."
        ],
    )  # fmt: skip
    for leaves in (8, 16) if quick else (8, 16, 32, 64, 128, 256):
        now(f"leaves: {leaves:,}")
        old, new = (
            DecisionTreeClassifier(max_leaf_nodes=leaves, max_features=m, random_state=m).fit(X, y)
            for m in (20, 10)
        )
        found = ol.difference(old, new, X, exact=False)
        assert list(found.at) == np.flatnonzero(old.predict(X) != new.predict(X)).tolist()
        time = best_of(lambda old=old, new=new: ol.difference(old, new, exact=False), 3)
        tree = ol.read(old)
        ways = tree.explain(X[0]).changes(immutable=["x0"])
        ask = lambda tree=tree: tree.explain(X[0]).changes(immutable=["x0"])  # noqa: E731
        n = sum(len(shift.rules or ()) for shift in found.shifts)
        few = ol.difference(old, new)
        once = best_of(lambda old=old, new=new: ol.difference(old, new), 1)
        table.add(leaves, len(found.shifts), seconds(time), n, seconds(once),
                  "yes" if few.exact else "no", seconds(best_of(ask, 3)), len(ways))  # fmt: skip
    return table


def certificates(quick: bool) -> Table:
    """Writing and checking certificates of larger and larger trees."""
    X, y = rows()
    table = Table(
        "Certificates of one tree: growth with leaves",
        ["leaves", "rules", "reasons", "written in", "kB", "checked in", "not stated"],
        [
            "`form.certificate()` after the rules are known, and `check()` in Python. Not stated: "
            "how many of the sentences in `not_stated`. Best of 3. Asserted: it is valid, and with "
            "two rules exchanged between classes it is not."
        ],
    )  # fmt: skip
    for leaves in (8, 16) if quick else (8, 16, 32, 64):
        now(f"leaves: {leaves:,}")
        model = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
        form = ol.canonicalize(model)
        n_rules, n_reasons = (sum(map(len, own.values())) for own in (form.rules, form.reasons))
        certificate = form.certificate()
        wrong = certificate.content
        names, stated = zip(*wrong["stated"].items(), strict=True)
        wrong["stated"] = dict(zip(names, stated[::-1], strict=True))
        try:
            ol.check_certificate(json.dumps(wrong))
        except InvalidData:
            pass
        else:
            raise AssertionError("a wrong certificate was taken")
        table.add(leaves, n_rules, f"{n_reasons:,}", seconds(best_of(form.certificate, 3)),
                  f"{len(certificate.text) / 1e3:,.1f}", seconds(best_of(certificate.check, 3)),
                  len(certificate.not_stated))  # fmt: skip
    return table


def letters(quick: bool) -> Table:
    """Letters of reasons for many rows."""
    X, y = rows()
    n = 50 if quick else 300
    table = Table(
        "Letters of reasons: growth with leaves",
        ["leaves", "rows", "all letters", "a letter", "longest reason"],
        [
            "`reason_letters` with text, HTML and JSON written. Once. Asserted: the decision is "
            "scikit-learn's, and stays so when every feature that no reason names is replaced by "
            "that of another row."
        ],
    )  # fmt: skip
    codes = {f"x{i}": (f"X{i}", f"feature {i}") for i in range(20)}
    for leaves in (8, 32) if quick else (8, 32, 128):
        now(f"leaves: {leaves:,}")
        model = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)

        def write(model: Any = model) -> list[Letter]:
            made = list(ol.reason_letters(model, X[:n], codes, at_most=20))
            for letter in made:
                letter.to_text(), letter.to_html(), letter.to_json()
            return made

        made = write()
        assert [letter.decision for letter in made] == model.predict(X[:n]).tolist()
        for i, letter in enumerate(made[:50]):
            named = [int(name[1:]) for reason in letter.reasons for name in reason.features]
            other = X[n + i].copy()
            other[named] = X[i, named]
            assert model.predict([other])[0] == letter.decision
        time = best_of(write, 1)
        longest = max(sum(len(r.features) for r in letter.reasons) for letter in made)
        table.add(leaves, n, seconds(time), seconds(time / n), longest)
    return table


def ensembles(quick: bool) -> Table:
    """Constraints of a booster, and what a forest does."""
    X, y = rows(2000)
    table = Table(
        "Properties of ensembles: growth with trees",
        ["model", "trees", "monotone +1", "monotone -1", "ignores"],
        [
            "The booster is constrained to rise with the first feature, which is proven tree by "
            "tree; `monotone -1` and `ignores` are of the same feature. Best of 3. Asserted: "
            "scikit-learn's predict on every counterexample."
        ],
    )  # fmt: skip
    for n in (5, 10) if quick else (10, 30, 100):
        now(f"trees: {n:,}")
        models = {
            "boosted, constrained": HistGradientBoostingClassifier(
                max_iter=n, max_leaf_nodes=8, early_stopping=False, random_state=0,
                monotonic_cst=[1] + [0] * 19,
            ),
            "forest, depth 6": RandomForestClassifier(n, max_depth=6, random_state=0),
        }  # fmt: skip
        for name, model in models.items():
            asked = ol.prove(model.fit(X, y))
            questions = (
                lambda asked=asked: asked.monotone("x0", 1),
                lambda asked=asked: asked.monotone("x0", -1),
                lambda asked=asked: asked.ignores("x0"),
            )
            cells = [f"{seconds(best_of(ask, 3))}, {replayed(model, ask())}" for ask in questions]
            table.add(name, n, *cells)
    return table
