"""Decision tables as files: headers, cells and lines that cannot be read are named."""

import pytest

import orderless as ol
from orderless.errors import InvalidData, InvalidTree
from orderless.readers.rules.cells import read_cell, value_of


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is not a table of rules"),
        ("\n\n", "is not a table of rules"),
        ("x,out\n\n", "is not a table of rules"),
        ("x,out\n<= 5,\n", "line 2 has no output: write one in the column 'out'"),
        ("x,out\n<= 5,a,b\n", "line 2 has 3 cells, the header 2"),
        ("x,x,out\n1,2,3\n", "the header has 'x' twice"),
        ("x,,out\n1,2,3\n", "column 2 has no name"),
        ("x;out\n1;3\n", r"got 'x;out'; perhaps it needs delimiter=';'"),
        ("out\n1\n", "a column for each feature and one for the output"),
        ('x,out\n"<= 5,a\n', "line 2: this is not complete CSV"),
        ("x,out\n\n<= 5 mg,a\n", "line 3, 'x': '<= 5 mg' needs a number after '<='"),
        ("x,out\n<=,a\n", "line 2, 'x': '<=' compares with nothing"),
        ("x,out\n<= <= 3,a\n", "compares with nothing"),
        ("x,out\n[5..3],a\n", r"line 2, 'x': no number lies in '\[5..3\]'"),
        ("x,out\n(3..3],a\n", "no number lies in"),
        ('x,out\n"30,5",a\n', "'30,5' may be one number or a list"),
        ('x,out\n"<= 1,000",a\n', "may be one number or a list"),
        ('x,out\n"a,,b",a\n', "line 2, 'x': a value is empty"),
        ('x,out\n"a, not b",a\n', "'not' must come first"),
        ('x,out\n"""a"" b",a\n', "a comma or the end is expected"),
        ("x,out\n5,a\n\nb,a\n", "feature 'x' is compared by line 2 with 5 and by line 4 with 'b'"),
        ("x,out\n5,a\n4,3\n", "line 2 has 'a', line 3 has 3"),
        ("x,out\n-,a\n", "no rule asks about anything"),
        ("x,out\n<= 1e400,a\n", "must be finite"),
        ("x,out\n5,a\0\n", "NUL character"),
        ("U,x,out\n1,<= 5,a\n2,> 5,b\n", "is the first column, 'U', a feature"),
        ("hit C+,x,out\n1,<= 5,a\n2,> 5,b\n", "hit policy that is not read"),
        ("flag,out\n> true,a\n", "needs a number after '>'"),
        ('x,out\n"""\\q""",a\n', "is not a value"),
    ],
)
@pytest.mark.filterwarnings("ignore:no rule asks about")
def test_what_cannot_be_read_is_named(text, message):
    with pytest.raises(InvalidTree, match=message):
        ol.rules.read(text)


def test_files_that_are_no_text(tmp_path):
    path = tmp_path / "rules.csv"
    path.write_bytes("x,out\n1,ä\n".encode("latin-1"))
    with pytest.raises(InvalidTree, match=r"'rules.csv' is not UTF-8 text .* save it as CSV UTF-8"):
        ol.rules.read(path)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        ol.rules.read(tmp_path / "nowhere.csv")
    with pytest.raises(InvalidTree, match="must be CSV text or a path, got a dict"):
        ol.rules.read({})


def test_size_is_limited(tmp_path, monkeypatch):
    path = tmp_path / "rules.csv"
    path.write_text("x,out\n" + "<= 1,a\n" * 40)
    monkeypatch.setattr("orderless.readers.rules.table.MOST_BYTES", 100)
    with pytest.raises(InvalidData, match="at most 100"):
        ol.rules.read(path)
    monkeypatch.setattr("orderless.readers.rules.table.MOST_RULES", 10)
    with pytest.raises(InvalidTree, match="more than 10 rules"):
        ol.rules.read("x,out\n" + "<= 1,a\n" * 40)
    monkeypatch.setattr("orderless.readers.rules.table.MOST_COLUMNS", 2)
    with pytest.raises(InvalidTree, match="3 columns: 2 are the most"):
        ol.rules.read("x,y,out\n<= 1,2,a\n")


def test_the_first_column_may_number_the_rules():
    body = "1,<= 5,a\n2,> 3,b\n"
    assert ol.rules.check("hit F,x,out\n" + body).hit == "first"
    assert ol.rules.check("Hit: unique,x,out\n" + body).hit == "unique"
    assert ol.rules.check("#,x,out\n" + body, hit="A").hit == "any"
    assert ol.rules.check("#,x,out\n" + body).space.names == ("x",)
    assert ol.rules.check("A,x,out\n" + body, ignore=["A"]).space.names == ("x",)
    assert ol.rules.check("A,x,out\n2,<= 5,a\n1,> 3,b\n").space.names == ("A", "x")
    with pytest.raises(InvalidTree, match=r"'hit F' is the hit policy 'first', and hit='any'"):
        ol.rules.check("hit F,x,out\n" + body, hit="any")


def test_columns_are_chosen():
    text = "why,verdict,x\nbecause,a,<= 5\nsince,b,> 5\n"
    tree = ol.rules.read(text, output="verdict", ignore=["why"])
    assert tree.space.names == ("x",)
    assert tree.classes == ("a", "b")


def test_lines_are_those_of_the_file():
    text = 'x,ward,out\n5,"a\nb",1\n\n5,"a\nb",2\n'
    overlap = ol.rules.check(text, default=0).overlaps[0]
    assert overlap.lines == (2, 5)
    assert r"ward = a\nb" in str(overlap)


def test_quoted_text_is_text():
    tree = ol.rules.read("band,out\n'20-30',1\n'<= 5',2\n\"'a, b'\",3\n", default=0)
    rows = [{"band": label} for label in ("20-30", "<= 5", "a, b", "20")]
    assert tree.predict(rows).tolist() == [1, 2, 3, 0]


def test_labels_of_declared_features_need_no_quotes():
    bands = ["18-30", "31-99", "not known"]
    text = "band,out\n18-30,1\nnot known,2\n31-99,3\n"
    tree = ol.rules.read(text, space={"band": bands})
    assert tree.predict([{"band": label} for label in bands]).tolist() == [1, 3, 2]


def test_cells_with_other_signs():
    dash = "\N{EN DASH}"
    for text, low, high in ((f"3{dash}5", 3, 5), ("3 to 5", 3, 5), ("-5--3", -5, -3)):
        (tests,) = read_cell(text, "x", "line 1").parts
        assert [(test.relation, test.value) for test in tests] == [(">=", low), ("<=", high)]
    (tests,) = read_cell("]3..5[", "x", "line 1").parts
    assert [test.relation for test in tests] == [">", "<"]
    for text, sign in (("≤ 3", "<="), ("≥3", ">="), ("<> 3", "is not"), ("≠ 3", "is not")):
        assert read_cell(text, "x", "line 1").parts[0][0].relation == sign
    assert value_of("1e3", "") == 1000


def test_booleans_take_bits():
    tree = ol.rules.read("flag,out\n1,a\n0,b\n", space={"flag": "boolean"})
    assert tree.predict([[True], [False]]).tolist() == ["a", "b"]
