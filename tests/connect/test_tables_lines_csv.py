"""CSV in blocks: what is read is what Python's csv module reads, or it is refused."""

import bz2
import csv
import gzip
import io
import lzma

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import orderless as ol
from orderless.connect import predict_file
from orderless.connect.tables import lines
from orderless.connect.tables.part import cells_of
from orderless.connect.tables.table import open_table
from orderless.errors import InvalidData

ODD = st.text(alphabet=st.sampled_from('ab,;"\n\r é\t0'), max_size=6)


def read(content, **options):
    """Give names and rows, or what is wrong."""
    try:
        with open_table(io.BytesIO(content), **options) as table:
            part = table.whole()
    except InvalidData as fault:
        return str(fault)
    return table.columns, list(zip(*map(cells_of, part.columns.values()), strict=True))


def blocks(size):
    patch = pytest.MonkeyPatch()
    patch.setattr(lines, "BLOCK", size)
    return patch


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(st.lists(ODD, min_size=2, max_size=2), max_size=6),
    st.sampled_from([16, 50, 1000]),
    st.sampled_from([("\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_ALL), ("\r\n", csv.QUOTE_MINIMAL)]),
)
def test_what_is_written_is_read(rows, size, how):
    """Python writes it; whatever the blocks are, what comes back is what was written."""
    out = io.StringIO()
    csv.writer(out, lineterminator=how[0], quoting=how[1]).writerows([["name, 1", 'b"'], *rows])
    content = out.getvalue().encode()
    patch = blocks(size + 80)
    try:
        assert read(content, batch_size=2) == (("name, 1", 'b"'), [tuple(row) for row in rows])
    finally:
        patch.undo()


def test_cells_come_out_as_they_went_in():
    cells = ["a,b", 'a"b', "a\nb", "a\rb", "", " ", "é", '""', "'", "a\r\nb", ";"]
    out, given = io.StringIO(), io.BytesIO()
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([["x0", *map(str, range(11))], ["1", *cells]])
    tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    predict_file(tree, io.BytesIO(out.getvalue().encode()), given)
    assert list(csv.reader(io.StringIO(given.getvalue().decode(), newline="")))[1] == [
        "1", *cells, "1", "yes", "",
    ]  # fmt: skip
    assert b',"a,b","a""b","a\nb","a\rb",, ,' in given.getvalue()


def as_python_reads(text):
    """Give the rows, or None where quotes are not in order or a row has other cells."""
    try:
        strictly = csv.reader(io.StringIO(text + "\n", newline=""), strict=True)
        rows = [row for row in strictly if row]
    except csv.Error:
        return None
    return None if any(len(row) != 2 for row in rows) else [tuple(row) for row in rows]


@settings(max_examples=500, deadline=None)
@given(st.text(alphabet=st.sampled_from('ab,"\n'), max_size=40), st.sampled_from([60, 1000]))
def test_any_text_is_read_as_python_reads_it(text, size):
    """No row is lost: what Python cannot read is refused here too."""
    patch = blocks(size)
    try:
        result = read(("x,y\n" + text).encode())
    finally:
        patch.undo()
    expected = as_python_reads(text)
    if expected is None:
        assert isinstance(result, str)
    else:
        assert result == (("x", "y"), expected)


def test_quotes_commas_and_line_breaks_inside():
    content = b'a,b\r\n1,"x, ""y""\nz"\r\n\r\n"",""""\r\n3,'
    assert read(content) == (("a", "b"), [("1", 'x, "y"\nz'), ("", '"'), ("3", "")])


def test_rows_with_another_number_of_cells_are_named():
    assert "row 2 of the file has 3 cells, the header has 2" in read(b"a,b\n1,2\n3,4,5\n")


def test_a_row_that_is_longer_than_a_block_is_refused(monkeypatch):
    monkeypatch.setattr(lines, "BLOCK", 1 << 20)
    content = b'a,b\n"' + b"1,2\n" * 600_000
    assert "a row of more than 1 MB: is a double quote opened and never closed?" in read(content)


def test_a_quote_that_is_never_closed_eats_no_rows():
    content = b"a,b\n" + b"1,x\n" * 100 + b'2,"x\n' + b"3,x\n" * 100
    assert "is not a CSV file: a double quote is opened and never closed" in read(content)


def test_a_quote_that_the_next_one_closes_eats_no_rows():
    content = b'a,b\n1,x\n2,"x\n3,x\n4,"x\n5,x\n'
    assert "or text stands behind the quote that closes its cell" in read(content)


def test_a_quote_inside_of_a_cell_is_a_letter():
    assert read(b"a,b\n1,6'5\"\n2,x\n")[1] == [("1", "6'5\""), ("2", "x")]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252", "utf-8-sig"])
@pytest.mark.parametrize(
    ("pack", "ending"),
    [(bytes, ""), (gzip.compress, ".gz"), (bz2.compress, ".bz2"), (lzma.compress, ".xz")],
)
def test_encodings_and_packed_files(tmp_path, monkeypatch, encoding, pack, ending):
    tree = ol.read({"feature": "größe", "true": {"prediction": 1}, "false": {"prediction": 0}},
                        feature_names=["größe"])  # fmt: skip
    monkeypatch.setattr(lines, "BLOCK", 64)
    text = "größe\tnote\n" + "1\té, x\n0\tb\n" * 50
    path = tmp_path / f"in.tsv{ending}"
    path.write_bytes(pack(text.encode(encoding)))
    done = predict_file(tree, path, tmp_path / "out.csv", encoding=encoding)
    assert (done.n_rows, done.counts) == (100, {0: 50, 1: 50})
    wanted = "größe,note,prediction,determined,needed\n" + '1,"é, x",1,yes,\n0,b,0,yes,\n' * 50
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == wanted


def test_a_packed_file_cut_in_half(tmp_path):
    content = gzip.compress(b"x0\n" + b"1\n0\n" * 10_000)
    (tmp_path / "in.csv.gz").write_bytes(content[: len(content) // 2])
    tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    with pytest.raises(InvalidData, match=r"in.csv.gz is broken or cut off"):
        predict_file(tree, tmp_path / "in.csv.gz", tmp_path / "out.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv.gz"]


def test_open_files():
    tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    out = io.BytesIO()
    done = predict_file(tree, io.BytesIO(b"\xef\xbb\xbfx0\n1\n\n0"), out, needed=None)
    assert out.getvalue() == b"x0,prediction,determined\n1,1,yes\n,,no\n0,0,yes\n"
    assert (done.target, done.n_rows, done.n_determined) == (None, 3, 2)
    with pytest.raises(InvalidData, match="is Parquet, which cannot be read from a stream"):
        predict_file(tree, io.BytesIO(b"PAR1 more"), out)


class Pipe(io.RawIOBase):
    """Gives a few bytes at one time, as a pipe does, and cannot go back."""

    def __init__(self, content):
        self.content = io.BytesIO(content)

    def readable(self):
        return True

    def readinto(self, space):
        data = self.content.read(min(len(space), 3))
        space[: len(data)] = data
        return len(data)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_pipe_is_read_as_it_comes(encoding):
    """Also where names, quotes and letters are cut."""
    text = '\n"größe",x0\r\n' + '"é, ""\n",1\r\n\r\nß,\r\n' * 4 + "a,0"
    out, again = io.BytesIO(), io.BytesIO()
    tree = {"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}}
    pipe = io.BufferedReader(Pipe(text.encode(encoding)))
    done = predict_file(tree, pipe, out, encoding=encoding)
    predict_file(tree, io.BytesIO(text.encode()), again)
    assert out.getvalue() == again.getvalue()
    assert (done.n_rows, done.n_determined) == (9, 5)
