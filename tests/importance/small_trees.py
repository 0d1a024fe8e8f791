"""Small trees and their rows."""

import itertools

import oracle
from hypothesis import strategies as st

import orderless as ol

BITS = [[0, 0], [0, 1], [1, 0], [1, 1]]


def and_tree():
    tree = {"feature": "x1", "true": {"feature": "x2", "true": {"prediction": 1},
            "false": {"prediction": 0}}, "false": {"prediction": 0}}  # fmt: skip
    return ol.read(tree, feature_names=["x1", "x2"])


@st.composite
def small_data(draw, kinds, spec, most=4):
    """A few rows at all sides of every threshold, with labels, one of them of no class perhaps."""
    values = oracle.values_by_feature(kinds, spec)
    labels = sorted(set(labels_of(spec)), key=str)
    other = "none of them" if isinstance(labels[0], str) else 99
    one = st.tuples(
        st.tuples(*(st.sampled_from(values[name]) for name in kinds)),
        st.sampled_from([*labels, other]),
    )
    return draw(st.lists(one, min_size=1, max_size=most))


def labels_of(spec):
    return [spec[1]] if spec[0] == "leaf" else [*labels_of(spec[3]), *labels_of(spec[4])]


def deciding(kinds, spec):
    rounded = oracle.float32_names(kinds)
    return lambda cell: oracle.decide(spec, dict(zip(kinds, cell, strict=True)), rounded)


def dicts(kinds, rows):
    return [dict(zip(kinds, cell, strict=True)) for cell, _ in rows]


# -- by column ---------------------------------------------------------------------------------

AGE = ol.Feature("age", values="integer")
COLOR = ol.Feature("color", "categorical", categories=("red", "green", "blue"))
SPACE = ol.Space(
    [AGE, COLOR],
    columns={
        "age <= 3": ol.Condition("age", at_most=3),
        "age <= 5": ol.Condition("age", at_most=5),
        "red": ol.Condition("color", among=("red",)),
        "blue": ol.Condition("color", among=("blue",)),
    },
)


def binarized():
    """A tree over features, and what it asks of the columns."""
    leaf = [{"prediction": i} for i in range(3)]
    low = {"feature": "red", "true": leaf[0], "false": leaf[1]}
    middle = {"feature": "blue", "true": leaf[0], "false": leaf[2]}
    young = {"feature": "age <= 3", "true": low, "false": middle}
    tree = {"feature": "age <= 5", "true": young, "false": leaf[1]}

    def decide(cell):
        three, five, red, blue = cell
        if not five:
            return 1
        if three:
            return 0 if red else 1
        return 0 if blue else 2

    found = ol.read(tree, space=SPACE)
    assert found.features == ("age", "color")
    return found, decide


def binarized_rows():
    values = itertools.product((1, 4, 7), ("red", "green", "blue"))
    rows = [(age <= 3, age <= 5, color == "red", color == "blue") for age, color in values]
    return [(tuple(map(int, row)), i * i % 3) for i, row in enumerate(rows)]
