"""One reader of exact decimals: what it gives, and what it refuses at once."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import orderless as ol
from orderless import member
from orderless.errors import InvalidData, InvalidTree
from orderless.inputs.decimals import MOST_DIGITS, exact

HUGE = ["1e99999999", "-1E+99999999", "1e-99999999", "9" * 5000, "1/" + "9" * 5000, "1e1001",
        "1e-1001", "0." + "1" * 1001, "1e400", "1" + "0" * 400,
        "1e999999999999999999999"]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "known"),
    [
        (0.1, Fraction(1, 10)), ("0.1", Fraction(1, 10)), (Decimal("0.1"), Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)), (np.float32(0.1), Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (Fraction(1, 3), Fraction(1, 3)), (7, 7), (np.int8(-7), -7), (" 1e-3 ", Fraction(1, 1000)),
        (5e-324, Fraction(5, 10**324)), (1.7976931348623157e308, 17976931348623157 * 10**292),
        ("0e99999999", 0), ("0." + "1" * 1000, Fraction(int("1" * 1000), 10**1000)),
    ],
)  # fmt: skip
def test_numbers_are_exact(given, known):
    assert exact(given) == known


@pytest.mark.parametrize("text", HUGE)
def test_what_has_too_many_digits_is_refused_at_once(text):
    with pytest.raises(ValueError, match=r"too large|too many digits|not a number"):
        exact(text)
    if "/" not in text and len(text) < 100 and "9999999999" not in text:
        with pytest.raises(ValueError, match=r"too large|too many digits"):
            exact(Decimal(text))


@pytest.mark.parametrize(
    "given",
    [10**400, Fraction(1, 10 ** (MOST_DIGITS + 1)), Fraction(10**400), -(10**5000)],
    ids=lambda value: "",
)
def test_whole_numbers_and_fractions_too(given):
    with pytest.raises(ValueError, match=r"too large|too many digits"):
        exact(given)


@pytest.mark.parametrize(
    ("given", "words"),
    [("x", "'x' is not a number"), ("1/0", "divides by 0"), (float("nan"), "not finite"),
     (float("inf"), "not finite"), (Decimal("sNaN"), "not finite"), ("", "not a number")],
)  # fmt: skip
def test_what_is_no_number_is_refused(given, words):
    with pytest.raises(ValueError, match=words):
        exact(given)


@pytest.mark.parametrize("given", [None, True, [1], 1j, b"1", np.bool_(True)])
def test_other_things_are_refused(given):
    with pytest.raises(TypeError, match="expected a number, got a"):
        exact(given)
    with pytest.raises(TypeError, match="got a str"):
        exact("1", text=False)


X, Y = [[0, 1], [1, 0], [1, 1], [0, 0]], [0, 1, 1, 0]


@pytest.mark.parametrize("given", ["1e99999999", Decimal("1e99999999"), "1e-99999999", 10**400])
def test_parameters_and_weights_of_sets(given):
    for name in ("epsilon", "regularization"):
        with pytest.raises(ValueError, match=rf"{name} must be .*too (large|many digits)"):
            ol.RashomonSet(**{name: given}).fit(X, Y)
        with pytest.raises(ValueError, match=rf"{name} must be .*too (large|many digits)"):
            ol.RashomonImportance(1, **{name: given}).fit(X, Y)
    with pytest.raises(ValueError, match=r"epsilon must be .*too (large|many digits)"):
        ol.RashomonSet().fit(X, Y).trees_.where(member.epsilon <= given)
    weights = np.array([1, 1, 1, given], dtype=object)
    with pytest.raises(InvalidData, match=r"sample_weight has .* in row 3"):
        ol.RashomonSet().fit(X, Y, weights)


def test_weights_whose_common_denominator_explodes():
    odd = [Fraction(1, p) for p in range(10**6 + 1, 10**6 + 2001, 2)]
    rows = [[i % 2, i % 3 == 0] for i in range(len(odd))]
    with pytest.raises(InvalidData, match="too many digits: their common denominator"):
        ol.RashomonSet().fit(rows, [row[0] for row in rows], odd)
    for weights in ([1e308, 1, 1, 1], [1e-300, 1e300, 1, 1]):
        with pytest.raises(InvalidData, match="too many digits: their sum"):
            ol.RashomonSet().fit(X, Y, weights)
    tiny = ol.RashomonSet().fit(X, Y, [1e-300] * 4).trees_
    assert tiny.n_trees == ol.RashomonSet().fit(X, Y).trees_.n_trees


@pytest.mark.parametrize("given", [Decimal("1e99999999"), Decimal("1e-99999999"), 10**400,
                                   10**5000, Fraction(10**400), Decimal("1e400")],
                         ids=lambda value: "")  # fmt: skip
def test_costs(given):
    tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}},
                        feature_names=["a"])  # fmt: skip
    with pytest.raises(InvalidData, match=r"the cost of 'a' is .*too (large|many digits)"):
        ol.cheapest_policy(tree, [[0], [1]], {"a": given})
    if given < 1:  # a float, to which this is 0
        return
    with pytest.raises(InvalidData, match="the cost of 'a' is"):
        tree.explain([1], costs={"a": given})


def test_amounts_in_the_file_of_a_policy():
    tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}},
                        feature_names=["a"])  # fmt: skip
    text = ol.cheapest_policy(tree, [[0], [1]], {"a": Fraction(1, 3)}).to_json()
    assert '"cost": "1/3"' in text
    assert ol.Policy.from_json(text).to_json() == text
    for odd in HUGE:
        with pytest.raises(InvalidTree, match="does not describe a policy"):
            ol.Policy.from_json(text.replace('"cost": "1/3"', f'"cost": "{odd}"'))
