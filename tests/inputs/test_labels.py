"""Labels: one per row, as positions in classes."""

import numpy as np
import pytest

import orderless as ol
from orderless.errors import InvalidData
from orderless.inputs import class_codes, label_array, number_array, numbered_classes

TREE = ol.read({"feature": 0, "true": {"prediction": "b"}, "false": {"prediction": "a"}})


def test_codes_are_positions_in_the_classes():
    assert class_codes(TREE, ["b", "c", "a"], 3).tolist() == [1, -1, 0]
    assert class_codes(TREE, [], 0).tolist() == []


@pytest.mark.parametrize(
    ("y", "match"),
    [
        (["a"], r"y has shape \(1,\), but there are 2 rows: give one label per row"),
        ([["a"], ["b"]], r"y has shape \(2, 1\)"),
        (["a", None], "y has None in row 1: every row needs a label"),
        ([0.0, np.nan], "y has .*nan.* in row 1"),
    ],
)
def test_labels_that_are_refused(y, match):
    with pytest.raises(InvalidData, match=match):
        label_array(y, 2, complete=True)


@pytest.mark.parametrize(
    ("y", "classes", "codes"),
    [
        ([3, 1, 3], (1, 3), [1, 0, 1]),
        ([True, False], (False, True), [1, 0]),
        ([0, 5000], (0, 5000), [0, 1]),
        (["no", "yes", "no"], ("no", "yes"), [0, 1, 0]),
        (np.array([[2], [1]]), (1, 2), [1, 0]),
        ([1.5, 0.5], (0.5, 1.5), [1, 0]),
    ],
)
def test_classes_are_sorted_and_numbered(y, classes, codes):
    found, numbers = numbered_classes(y)
    assert found == classes
    assert numbers.tolist() == codes


def test_labels_that_cannot_be_numbered():
    with pytest.raises(InvalidData, match="X has 3 rows and y has 2 labels"):
        numbered_classes([1, 0], np.zeros((3, 1)))
    with pytest.raises(InvalidData, match="y has None in row 0"):
        numbered_classes([None, "a"])
    with pytest.raises(InvalidData, match="mixes text and numbers"):
        numbered_classes(np.array([1, "a"], dtype=object))
    with pytest.raises(InvalidData, match="one label per row"):
        numbered_classes([[1, 2], [3, 4]])


def test_numbers_of_rows():
    from decimal import Decimal

    for y in ([1, 2], [1.0, 2.0], np.array([1, 2], dtype=np.float32), [True, Decimal(2)]):
        assert number_array(y, 2).tolist() == [1.0, 2.0]
    for y, message in (
        (["1", "2"], "y has '1' in row 0, and the tree says numbers"),
        ([1, "2"], "y has '1' in row 0, and the tree says numbers"),
        (
            np.array([1, "x"], dtype=object),
            "y has 'x' in row 1, and the tree says numbers: give one number per row",
        ),
        ([1, None], "y has None in row 1"),
        ([float("nan"), 1], "y has nan in row 0"),
        ([1, -np.inf], "y has -inf in row 1: numbers must be finite"),
        ([1, 10**400], "y must hold one number per row"),
        ([1j, 2], "and the tree says numbers"),
        ([[1], [2]], "y has shape"),
        ([1, 2, 3], "y has shape"),
    ):
        with pytest.raises(InvalidData, match=message):
            number_array(y, 2)


@pytest.mark.parametrize("kind", ["?", "b", "B", "h", "H", "i", "I", "l", "L", "q", "Q", ">i4"])
def test_two_neighbouring_labels_of_any_type(kind):
    ends = np.iinfo(kind) if kind != "?" else None
    for low in {0} if ends is None else {0, 5, ends.min, ends.max - 1}:
        wanted = np.random.default_rng(0).integers(0, 2, 50)
        labels = np.array([[False, True] if ends is None else [low, low + 1]], dtype=kind)
        y = labels[0][wanted]
        locked = y.copy()
        locked.flags.writeable = False
        for given in (y, np.repeat(y, 3)[::3], y[::-1].copy()[::-1], locked, y[:, None]):
            classes, codes = numbered_classes(given)
            assert classes == tuple(labels[0].tolist())
            assert [type(label) for label in classes] == [bool if kind == "?" else int] * 2
            assert codes.dtype == np.int32
            assert codes.tolist() == wanted.tolist()


@pytest.mark.parametrize("y", [[0, 2], [0, 1, 2], [7, 7], [-3, -5, 9], [0, 2**62], [-(2**63), 0]])
def test_other_whole_labels_are_those_that_there_are(y):
    classes, codes = numbered_classes(np.array(y))
    assert classes == tuple(sorted(set(y)))
    assert [classes[code] for code in codes] == y
    assert numbered_classes(np.zeros(0, dtype=int))[0] in ((), (0,))
