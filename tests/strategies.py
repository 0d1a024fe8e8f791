"""Random spaces, trees and rows for hypothesis: specs for the oracle, ``Tree``s for us."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from oracle import Spec, as_float32, values_by_feature

import orderless as ol

NAMES = ("age", "blood pressure", 'a "quoted" name', "größe", "x<=3", "it's")
LABELS = st.sampled_from([(0, 1), ("no", "yes"), (False, True), (0, 1, 2), ("a", "b", "c", "d"),
                          (-1, 1), (0.5, 1.5), (3, 7, 11, 13, 17)])  # fmt: skip
CATEGORIES = (("red", "green", "blue"), (1, 2, 3, 4), ("", " ", "é"), ("one", "two"))
NUMBERS = st.one_of(
    st.sampled_from([0.0, 0.5, 1.0, 2.0, 2.5, 24.5, 0.1, -0.1, 1e-30, -3.0, 1e30]),
    st.integers(-3, 3).map(float),
)


@st.composite
def kinds(draw: Any, min_features: int = 1, max_features: int = 4) -> dict[str, Any]:
    """Features and their kinds, as the oracle wants them."""
    n = draw(st.integers(min_features, max_features))
    one = st.one_of(
        st.sampled_from(["float64", "float32", "integer", "boolean"]), st.sampled_from(CATEGORIES)
    )
    return {name: draw(one) for name in draw(st.permutations(NAMES))[:n]}


@st.composite
def specs(draw: Any, kinds: dict[str, Any], labels: tuple[Any, ...], depth: int = 3) -> Spec:
    """A tree; it may have dead branches, splits of equal leaves, and one feature asked often."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return ("leaf", draw(st.sampled_from(labels)))
    name = draw(st.sampled_from(sorted(kinds)))
    kind = kinds[name]
    test: Any
    if kind == "boolean":
        test = frozenset([True])
    elif isinstance(kind, tuple):
        test = frozenset(draw(st.sets(st.sampled_from(kind), min_size=0, max_size=len(kind))))
    else:
        test = draw(NUMBERS)
        if kind == "float32":
            test = draw(st.sampled_from([test, as_float32(test)]))
    yes = draw(specs(kinds, labels, depth - 1))
    no = draw(specs(kinds, labels, depth - 1))
    return ("split", name, test, yes, no)


def space_of(kinds: dict[str, Any]) -> ol.Space:
    features: dict[str, Any] = {
        name: list(kind) if isinstance(kind, tuple) else "numeric" if kind == "float64" else kind
        for name, kind in kinds.items()
    }
    return ol.Space(features)


def nested(spec: Spec) -> dict[str, Any]:
    """A spec in the style of GOSDT's dicts."""
    if spec[0] == "leaf":
        return {"prediction": spec[1]}
    _, name, test, yes, no = spec
    out = {"feature": name, "true": nested(yes), "false": nested(no)}
    if test == frozenset([True]):
        return {**out, "relation": "==", "reference": 1}
    if isinstance(test, frozenset):
        return {**out, "relation": "in", "reference": sorted(test, key=str)}
    return {**out, "relation": "<=", "reference": test}


def tree_of(spec: Spec, kinds: dict[str, Any]) -> ol.Tree:
    return ol.read(nested(spec), space=space_of(kinds))


@st.composite
def problems(draw: Any, n_trees: int = 1, **options: Any) -> tuple[dict[str, Any], list[Spec]]:
    """Kinds, and some trees over them with the same labels."""
    which = draw(kinds(**options))
    labels = draw(LABELS)
    return which, [draw(specs(which, labels)) for _ in range(n_trees)]


@st.composite
def partial_rows(draw: Any, kinds: dict[str, Any], spec: Spec) -> dict[str, Any]:
    """A row in which some features are unknown."""
    values = values_by_feature(kinds, spec)
    return {
        name: draw(st.one_of(st.none(), st.sampled_from(values[name]))) for name in sorted(values)
    }
