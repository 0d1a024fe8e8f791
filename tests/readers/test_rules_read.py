"""Tables of rules: the tree, the gaps and the overlaps are those of brute force over all cells."""

import itertools
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import orderless as ol
from orderless.errors import InvalidRules, InvalidTree, TooLarge

# -- brute force: each cell is text and a predicate that says what the text means ------------------

NUMBERS = (-2, 0, 1, 3, 7.5)
WARDS = ("a", "b", "ä c")


@st.composite
def number_cells(draw):
    kind = draw(
        st.sampled_from(["any", "<=", "<", ">", ">=", "range", "dash", "list", "not", "!="])
    )
    low, high = sorted(draw(st.lists(st.sampled_from(NUMBERS), min_size=2, max_size=2)))
    if kind == "any":
        return draw(st.sampled_from(["", "-", " - "])), lambda x: True
    if kind in ("<=", "<", ">", ">="):
        compare = {"<=": lambda x: x <= low, "<": lambda x: x < low, ">": lambda x: x > low,
                   ">=": lambda x: x >= low}[kind]  # fmt: skip
        return f"{kind} {low}", compare
    if kind == "dash":
        return f"{low} - {high}", lambda x: low <= x <= high
    if kind == "!=":
        return f"!= {low}", lambda x: x != low
    if kind == "list":
        return f"{low}, > {high}", lambda x: x == low or x > high
    if kind == "not":
        return f"not {low}, {high}", lambda x: x not in (low, high)
    left, right = draw(st.sampled_from("[(")), draw(st.sampled_from("])"))
    if low == high:
        left, right = "[", "]"
    return (
        f"{left}{low}..{high}{right}",
        lambda x: (
            (low <= x if left == "[" else low < x) and (x <= high if right == "]" else x < high)
        ),
    )


@st.composite
def label_cells(draw):
    kind = draw(st.sampled_from(["any", "in", "not"]))
    some = draw(st.lists(st.sampled_from(WARDS), min_size=1, max_size=2, unique=True))
    if kind == "any":
        return "-", lambda x: True
    if kind == "in":
        return ", ".join(some), lambda x: x in some
    return f"not ({', '.join(some)})", lambda x: x not in some


@st.composite
def flag_cells(draw):
    text = draw(st.sampled_from(["-", "true", "FALSE"]))
    return text, lambda x: text == "-" or x == (text == "true")


@st.composite
def tables(draw):
    n = draw(st.integers(1, 6))
    rules = []
    for _ in range(n):
        cells = [
            draw(number_cells()),
            draw(label_cells()),
            draw(flag_cells()),
            draw(number_cells()),
        ]
        rules.append((cells, draw(st.sampled_from(["yes", "no", "ask, maybe"]))))
    return rules


HEAD = ["x", "ward", "flag", "other y"]
SPACE = {"x": "numeric", "ward": ol.Feature("ward", "categorical", categories=WARDS, other=True),
         "flag": "boolean", "other y": "numeric"}  # fmt: skip


def written(rules):
    quoted = [[*HEAD, "out"], *([*(text for text, _ in cells), f"'{output}'"]
                                for cells, output in rules)]  # fmt: skip
    return "\n".join(
        ",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in quoted
    )


def every_row():
    numbers = sorted({v for n in NUMBERS for v in (n, np.nextafter(n, -9), np.nextafter(n, 9))})
    return list(itertools.product(numbers, [*WARDS, "zz"], [False, True], numbers))


ROWS = every_row()


def held(rules, row):
    return [i for i, (cells, _) in enumerate(rules)
            if all(holds(x) for (_, holds), x in zip(cells, row, strict=True))]  # fmt: skip


@settings(max_examples=25, deadline=None)
@given(tables(), st.sampled_from(["unique", "first", "any"]))
def test_every_cell_as_brute_force_says(rules, hit):
    text = written(rules)
    by_row = [held(rules, row) for row in ROWS]
    check = ol.rules.check(text, hit=hit, space=SPACE, most=1000)
    pairs = set()
    for rows in by_row:
        for i, j in itertools.combinations(rows, 2):
            if hit == "unique" or (hit == "any" and rules[i][1] != rules[j][1]):
                pairs.add((i + 2, j + 2))
    assert {overlap.lines for overlap in check.overlaps} == pairs
    for overlap in check.overlaps:
        row = [overlap.row[name] for name in HEAD]
        assert {overlap.lines[0] - 2, overlap.lines[1] - 2} <= set(held(rules, row))
        assert overlap.outputs == tuple(rules[line - 2][1] for line in overlap.lines)
    assert bool(check.gaps) == any(not rows for rows in by_row)
    assert check.n_gaps == len(check.gaps)
    for gap in check.gaps:
        assert not held(rules, [gap.row[name] for name in HEAD])
    if hit == "first":
        used = {rows[0] for rows in by_row if rows}
        assert check.unused == tuple(i + 2 for i in range(len(rules)) if i not in used)
    if pairs:
        with pytest.raises(InvalidRules, match="do not give every row one output"):
            ol.rules.read(text, hit=hit, space=SPACE, default="none")
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rules that never decide
        tree = ol.rules.read(text, hit=hit, space=SPACE, default="none")
    frame = [dict(zip(HEAD, row, strict=True)) for row in ROWS]
    expected = [rules[rows[0]][1] if rows else "none" for rows in by_row]
    assert tree.predict(frame).tolist() == expected


@settings(max_examples=20, deadline=None)
@given(tables())
def test_gaps_do_not_meet_and_are_all_there(rules):
    check = ol.rules.check(written(rules), hit="first", space=SPACE, most=1000)
    tree_of_gaps = [r for r in ROWS if not held(rules, r)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ol.rules.read(written(rules), hit="first", space=SPACE, default="gap here")
    frame = [dict(zip(HEAD, row, strict=True)) for row in ROWS]
    assert (tree.predict(frame) == "gap here").sum() == len(tree_of_gaps)
    rows = {tuple(gap.row.values()) for gap in check.gaps}
    assert len(rows) == len(check.gaps)


def test_kinds_are_inferred_or_given():
    text = "age,ward,flag,out\n<= 3,a,true,1\n-,-,-,2\n"
    tree = ol.rules.read(text, hit="F")
    assert [f.kind for f in tree.space.features] == ["numeric", "categorical", "boolean"]
    assert tree.space["ward"].other
    closed = ol.rules.read(text, hit="F", space={"age": "integer", "ward": ["a", "b"]})
    assert closed.space["age"].whole
    assert not closed.space["ward"].other
    assert closed.classes == (1, 2)
    whole = ol.Space({"ward": ["a", "b"], "age": "integer", "flag": "boolean", "more": "numeric"})
    assert ol.rules.read(text, hit="F", space=whole).space == whole


def test_declared_categories_close_a_gap():
    text = "ward,out\na,1\nb,2\n"
    with pytest.raises(
        InvalidRules, match=r"no rule covers ward = \(other\), for example ward = other"
    ):
        ol.rules.read(text)
    assert ol.rules.read(text, space={"ward": ["a", "b"]}).classes == (1, 2)


def test_numbers_to_compute_with():
    tree = ol.rules.read("x,out\n<= 1,2.5\n> 1,4\n", task="regression")
    assert tree.task == "regression"
    assert tree.predict([[0], [2]]).tolist() == [2.5, 4.0]
    with pytest.raises(ValueError, match="task must be"):
        ol.rules.read("x,out\n<= 1,2.5\n> 1,4\n", task="sums")


def test_the_error_has_the_check():
    with pytest.raises(InvalidRules, match="choose hit='first' and a default= for gaps") as caught:
        ol.rules.read("x,out\n[0..5],a\n[3..9],b\n")
    check = caught.value.check
    assert [o.lines for o in check.overlaps] == [(2, 3)]
    assert check.overlaps[0].contradicts
    assert [gap.region for gap in check.gaps] == ["x < 0", "x > 9"]
    assert not check
    assert "lines 2 and 3 say a and b where 3 <= x <= 5" in str(check)


def test_overlaps_that_agree_are_for_any():
    text = "x,out\n<= 5,a\n> 3,a\n"
    with pytest.raises(InvalidRules, match=r"both say a.*choose hit='any'"):
        ol.rules.read(text)
    assert ol.rules.read(text, hit="any").n_leaves == 1


def test_rules_that_never_decide_are_said():
    with pytest.warns(UserWarning, match="line 4 never decide"):
        ol.rules.read("x,out\n<= 5,a\n> 3,b\n[0..4],c\n", hit="first")


def test_columns_that_no_rule_asks_are_said():
    with pytest.warns(UserWarning, match="no rule asks about 'y'"):
        ol.rules.read("x,y,out\n<= 5,-,a\n> 5,,b\n")


def test_findings_are_limited_and_counted():
    text = "x,out\n" + "".join(f"{2 * i},a\n" for i in range(50))
    check = ol.rules.check(text, most=3)
    assert (len(check.gaps), check.n_gaps) == (3, 51)
    assert "there are 51 such gaps" in str(check)
    same = ol.rules.check("x,out\n" + "> 1,a\n" * 20, most=4, default="b")
    assert len(same.overlaps) == 4
    assert same.more_overlaps
    assert "more pairs of rules overlap" in str(same)


def test_too_many_regions():
    head = ",".join(f"f{i}" for i in range(24)) + ",out\n"
    rows = "".join(
        ",".join("> 5" if i == j else "-" for i in range(24)) + ",a\n" for j in range(24)
    )
    with pytest.raises(TooLarge, match=r"too many regions.*limit=1,000"):
        ol.rules.read(head + rows, limit=1_000, default="b")
    with pytest.raises(TooLarge, match=r"tree of these rules has .* nodes"):
        ol.rules.read("x,out\n" + "".join(f"{i},{i % 2}\n" for i in range(60)), default=3, limit=99)
    assert ol.rules.read(head + rows, hit="first", default="b").n_leaves == 25


def test_thousands_of_rules():
    lines = [f"[{i}..{i + 1}),[{j}..{j + 1}),{(i * j) % 3}" for i in range(60) for j in range(60)]
    tree = ol.rules.read("x,y,out\n" + "\n".join(lines), default=9)
    points = np.array(list(itertools.product(range(60), range(60))), dtype=float)
    assert tree.predict(points + 0.5).tolist() == [int(i * j) % 3 for i, j in points]
    assert tree.predict([[-1, 3], [60, 2]]).tolist() == [9, 9]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hit": "collect"}, "hit must be one of 'unique', 'first', 'any'"),
        ({"hit": 3}, "hit must be one of"),
        ({"limit": 0}, "limit must be a whole number"),
        ({"output": "outt"}, r"there is no column 'outt' \(did you mean 'out'"),
        ({"ignore": ["z"]}, "there is no column 'z'"),
        ({"ignore": "x"}, "ignore must be a list of names"),
        ({"default": 7}, "default=7 is of another kind than the outputs, such as 'a'"),
        ({"delimiter": ";;"}, "delimiter must be one character"),
        ({"space": {"y": "numeric"}}, "the kind of 'y' is given"),
        ({"space": ol.Space({"y": "numeric"})}, "line 2: there is no feature 'x'"),
        ({"space": 3}, "space must be a Space or a dict"),
        ({"space": {"x": ol.Feature("x", nan=True)}}, "has NaN as a value"),
        ({"space": {"x": ["a"]}}, "line 2: 'x' is categorical and has no order"),
    ],
)
def test_bad_arguments(change, message):
    with pytest.raises((ValueError, InvalidTree), match=message):
        ol.rules.read("x,out\n<= 5,a\n> 5,b\n", **change)


def test_indicator_columns_are_refused():
    space = ol.Space({"x": "numeric"}, columns={"low": ol.Condition("x", at_most=3)})
    with pytest.raises(ValueError, match="no indicator columns"):
        ol.rules.read("x,out\n<= 5,a\n> 5,b\n", space=space)


def test_the_tree_is_like_any_other(tmp_path):
    path = tmp_path / "regeln.csv"
    path.write_bytes(
        "\ufeffAlter;Größe;Urteil\r\n< 18;-;Grün\r\n>= 18;> 1.5;Rot\r\n>= 18;<= 1.5;Grün".encode()
    )
    tree = ol.rules.read(Path(path), delimiter=";")
    assert tree.classes == ("Grün", "Rot")
    assert str(ol.canonicalize(tree).rules["Rot"][0]) == "Alter >= 18 AND Größe > 1.5"
    assert tree.predict([{"Alter": 20}, {"Größe": 1}]).tolist() == [None, "Grün"]
