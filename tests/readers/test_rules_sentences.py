"""Lists of rules as text."""

import itertools

import pytest

import orderless as ol
from orderless.errors import InvalidTree

RULES = """if,then
"age <= 30 and income > 5",young
"18 < age <= 40 or `blood pressure` between 3 and 5",middle
"ward in {a, b} and not smoker",third
"ward not in (c) and smoker and age is not 50",fourth
"age in [60..70)",fifth
else,rest
"""

AGES = (10, 18, 19, 30, 31, 40, 41, 50, 60, 69, 70)


def expected(age, income, pressure, ward, smoker):
    if age <= 30 and income > 5:
        return "young"
    if 18 < age <= 40 or 3 <= pressure <= 5:
        return "middle"
    if ward in "ab" and not smoker:
        return "third"
    if ward != "c" and smoker and age != 50:
        return "fourth"
    return "fifth" if 60 <= age < 70 else "rest"


def test_a_list_of_rules_decides_as_it_reads():
    tree = ol.rules.read(RULES, hit="first")
    names = ("age", "income", "blood pressure", "ward", "smoker")
    rows = list(itertools.product(AGES, (5, 6), (2, 3, 5, 6), "abcd", (False, True)))
    assert set(tree.space.names) == set(names)
    found = tree.predict([dict(zip(names, row, strict=True)) for row in rows])
    assert found.tolist() == [expected(*row) for row in rows]


def test_alternatives_of_one_rule_do_not_overlap():
    check = ol.rules.check("when,then\nx > 3 or y > 3,a\nx <= 3 and y <= 3,b\n")
    assert check
    assert check.n_rules == 2


def test_lists_without_else_have_gaps():
    check = ol.rules.check("if,then\nx > 3 && y == 'b',a\n", hit="first")
    assert [gap.region for gap in check.gaps] == ["x <= 3", "x > 3 AND y = (other)"]


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("x > 3 and", "line 2: a condition is missing in"),
        ("x >", "line 2: 'x >' compares with nothing"),
        ("(x > 3) and y > 2", "brackets around conditions are not read"),
        ("x > 3 and x < 2", "line 2: no value of 'x' fulfils its condition"),
        ("> 3", "is not the name of a feature"),
        ("x in {}", "line 2: a condition on 'x' compares with nothing"),
        ("x between 5 and 3", "no number lies in"),
        ("x > 3 and x is red", "compared by line 2 with 3 and by line 2 with 'red'"),
    ],
)
def test_sentences_that_cannot_be_read(rule, message):
    with pytest.raises(InvalidTree, match=message):
        ol.rules.read(f'if,then\n"{rule}",a\nelse,b\n', hit="first")


def test_names_in_quotes():
    tree = ol.rules.read("rule,then\n`a and b <= 3` > 5,x\n'or' is 2,y\nelse,z\n", hit="F")
    assert tree.space.names == ("a and b <= 3", "or")


def test_unknown_names_are_refused():
    space = ol.Space({"age": "numeric"})
    with pytest.raises(
        InvalidTree, match=r"line 2: there is no feature 'agee' \(did you mean 'age'"
    ):
        ol.rules.read("if,then\nagee > 5,a\nelse,b\n", hit="first", space=space)
