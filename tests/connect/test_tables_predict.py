"""Files in, files out: the same answers, constant memory, and never half a file."""

import csv
import errno
import resource
import signal
import subprocess
import sys
import textwrap
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import showcase
import tables

import orderless as ol
from orderless.connect import predict_file
from orderless.errors import InvalidData, TooManyReasons


def read_csv(path):
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture
def mixed(tmp_path):
    """The tree of the showcase, and its rows as files."""
    form = showcase.mixed()
    rows, _ = showcase.mixed_rows()
    rows = [{"id": f"{i:03}", **row, "note": 'a, "b"\nc'} for i, row in enumerate(rows)]
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, tmp_path / "in.parquet")
    pd.DataFrame(rows).to_csv(tmp_path / "in.csv", index=False)
    plain = [{name: row[name] for name in form.space.names} for row in rows]
    return form, plain, tmp_path


@pytest.mark.parametrize("source", ["in.parquet", "in.csv"])
@pytest.mark.parametrize("target", ["out.parquet", "out.csv", "out.PQ"])
def test_every_way_from_file_to_file(mixed, source, target):
    form, rows, folder = mixed
    done = predict_file(form, folder / source, folder / target, batch_size=7)
    class_ = form.predict(rows).tolist()
    known = [{k: v for k, v in row.items() if v is not None} for row in rows]
    ask = ["; ".join(form.tree.needed(row).settle[0]) or None for row in known]
    assert (done.n_rows, done.n_determined) == (len(rows), sum(c is not None for c in class_))
    assert done.target == folder / target
    assert sorted(p.name for p in folder.iterdir()) == sorted(["in.csv", "in.parquet", target])
    if target.endswith("csv"):
        found = read_csv(folder / target)
        assert [row["prediction"] or None for row in found] == class_
        assert [row["determined"] for row in found] == [
            "no" if c is None else "yes" for c in class_
        ]
        assert [row["needed"] or None for row in found] == ask
        assert [row["id"] for row in found] == [f"{i:03}" for i in range(len(rows))]
        assert {row["note"] for row in found} == {'a, "b"\nc'}
    else:
        found = pq.read_table(folder / target)
        assert found["prediction"].to_pylist() == class_
        assert found["determined"].to_pylist() == [c is not None for c in class_]
        assert found["needed"].to_pylist() == ask
        kept = found.select(found.column_names[:-3])
        if source == "in.parquet":
            assert kept == pq.read_table(folder / source)
        else:
            assert kept.to_pylist() == read_csv(folder / source)


@pytest.mark.parametrize("single", [False, True])
def test_a_hundred_thousand_rows_of_all_kinds(tmp_path, single):
    """Parquet keeps every bit; so does CSV, where numbers are written with all digits."""
    tree, table, class_, needed = tables.large(single)
    pq.write_table(table, tmp_path / "in.parquet", row_group_size=30_000)
    predict_file(tree, tmp_path / "in.parquet", tmp_path / "out.parquet",
                    batch_size=9_999, needed="next")  # fmt: skip
    found = pq.read_table(tmp_path / "out.parquet")
    assert found["prediction"].to_pylist() == class_
    assert found["needed"].to_pylist() == needed
    part = table.slice(0, 3_000)
    texts = {
        name: [_written(value) for value in part[name].to_pylist()] for name in part.column_names
    }
    with (tmp_path / "in.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(texts)
        writer.writerows(zip(*texts.values(), strict=True))
    predict_file(tree, tmp_path / "in.csv", tmp_path / "out.csv", needed="next")
    found = read_csv(tmp_path / "out.csv")
    # An empty text is a category here, and unknown in a CSV file where it is none.
    empty = {f.name for f in tree.space.features if "" in f.categories}
    rows = [i for i, row in enumerate(part.to_pylist())
            if not any(row[name] is None for name in empty)]  # fmt: skip
    assert len(rows) > 500
    assert [found[i]["prediction"] or None for i in rows] == [class_[i] for i in rows]
    assert [found[i]["needed"] or None for i in rows] == [needed[i] for i in rows]


def _written(value):
    return "" if value is None else repr(value) if isinstance(value, float) else value


@pytest.mark.parametrize(
    ("labels", "kind"),
    [((0, 1), pa.int64()), ((False, True), pa.bool_()), ((0.5, 1.5), pa.float64()),
     (("a", "b"), pa.string())],
)  # fmt: skip
def test_classes_of_every_type(tmp_path, labels, kind):
    tree = ol.read(showcase.ask("a", "<=", 1, *map(showcase.leaf, labels)),
                        feature_names=["a"])  # fmt: skip
    pq.write_table(pa.table({"a": [0.0, 2.0, None]}), tmp_path / "in.parquet")
    predict_file(tree, tmp_path / "in.parquet", tmp_path / "out.parquet")
    column = pq.read_table(tmp_path / "out.parquet")["prediction"]
    assert column.type == kind
    assert column.to_pylist() == [*labels, None]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_no_rows(tmp_path, suffix):
    tree = showcase.mixed()
    table = pa.Table.from_pylist(showcase.mixed_rows()[0]).slice(0, 0)
    pq.write_table(table, tmp_path / "in.parquet")
    (tmp_path / "in.csv").write_text(",".join(table.column_names) + "\n")
    done = predict_file(tree, tmp_path / f"in.{suffix}", tmp_path / "out.parquet")
    assert done.n_rows == 0
    found = pq.read_table(tmp_path / "out.parquet")
    assert found.column_names == [*table.column_names, "prediction", "determined", "needed"]


def test_words_of_csv(tmp_path):
    features = [ol.Feature("flag", "boolean"), ol.Feature("x"), ol.Feature("n", nan=True),
                ol.Feature("c", "categorical", categories=("NA", "b"), other=True),
                ol.Feature("k", "categorical", categories=("one", 2, 3.5), other=True)]  # fmt: skip
    space = ol.Space(features)

    def asks(feature, *test):
        return ol.read(showcase.ask(feature, *test, showcase.leaf("yes"), showcase.leaf("no")),
                            space=space)  # fmt: skip

    cases = {
        "flag": (asks("flag", "==", 1), ["1", "TRUE", "true", "1.0", "0", "False", "", "NA"],
                 ["yes"] * 4 + ["no"] * 2 + [None] * 2),
        "x": (asks("x", "<=", 0.1), ["0.1", " 0.1 ", "1e-1", "-inf", "0.10000000000000001",
                                     "0.1000000000000001", "inf", "nan", "None", "null", "<NA>"],
              ["yes"] * 5 + ["no"] * 2 + [None] * 4),
        "n": (asks("n", "<=", 1), ["1", "2", "", "NaN"], ["yes", "no", "no", "no"]),
        "c": (asks("c", "in", ["NA"]), ["NA", "b", "else", "", "null"],
              ["yes", "no", "no", None, None]),
        "k": (asks("k", "in", ["one", 2]), ["one", "2", "2.0", "3.5", "four", ""],
              ["yes", "yes", "yes", "no", "no", None]),
    }  # fmt: skip
    for name, (tree, texts, wanted) in cases.items():
        lines = [name, *(f'"{text}"' for text in texts)]
        (tmp_path / "in.csv").write_text("\n".join(lines) + "\n")
        predict_file(tree, tmp_path / "in.csv", tmp_path / "out.csv")
        found = read_csv(tmp_path / "out.csv")
        assert [row[name] for row in found] == texts
        assert [row["prediction"] or None for row in found] == wanted


def test_progress_and_names(mixed):
    form, rows, folder = mixed
    seen = []
    predict_file(form, folder / "in.parquet", folder / "out.parquet", batch_size=50,
                    names=("class", "sure", "ask"),
                    progress=lambda *far: seen.append(far))  # fmt: skip
    assert seen == [(50, len(rows)), (100, len(rows)), (len(rows), len(rows))]
    assert pq.read_schema(folder / "out.parquet").names[-3:] == ["class", "sure", "ask"]


# -- what is refused ------------------------------------------------------------------------------


def refused(form, folder, source, error, match, **options):
    """The error is clear, an older target is untouched, and nothing else is there."""
    before = sorted(p.name for p in folder.iterdir())
    (folder / "out.parquet").write_bytes(b"older")
    with pytest.raises(error, match=match):
        predict_file(form, folder / source, folder / "out.parquet", **options)
    assert (folder / "out.parquet").read_bytes() == b"older"
    (folder / "out.parquet").unlink()
    assert sorted(p.name for p in folder.iterdir()) == before


def test_a_parquet_file_cut_in_half(mixed):
    form, _, folder = mixed
    data = (folder / "in.parquet").read_bytes()
    (folder / "half.parquet").write_bytes(data[: len(data) // 2])
    refused(form, folder, "half.parquet", InvalidData, "half.parquet is not a complete Parquet "
            "file, it is broken or cut off")  # fmt: skip
    # Pages that are overwritten in the middle, the end intact.
    rng = np.random.default_rng(0)
    big = tables.random_table(rng, tables.large(False)[0].space, 20_000)
    pq.write_table(big, folder / "big.parquet", row_group_size=5_000, compression="zstd")
    data = bytearray((folder / "big.parquet").read_bytes())
    data[len(data) // 3 : len(data) // 3 + 20_000] = bytes(20_000)
    (folder / "big.parquet").write_bytes(data)
    refused(tables.large(False)[0], folder, "big.parquet", InvalidData, "broken or cut off")


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "in.csv is empty: a table begins with the names of its columns"),
        ("age,smoker,color,lab value\n1,1,red,2\n1,1,red\n",
         "row 2 of in.csv has 3 cells, the header has 4"),
        ("age,lab,color\n1,1,red\n",
         "in.csv has no columns 'lab value', 'smoker': it has 'age', 'lab', 'color'. Add them"),
        ("Age,smoker,colour,lab value\n1,1,red,2\n",
         r"has no columns 'age' \(did you mean 'Age'\?\), 'color' \(did you mean 'colour'\?\): it"),
        ("age,age\n1,1\n", "has two columns named 'age'"),
        ("age,smoker,color,lab value\n1,1,red,2\n1,1,red,high\n",
         "row 2 of in.csv has 'high' in the column 'lab value', which must be a number"),
        ("age,smoker,color,lab value\n1,maybe,red,2\n",
         "row 1 of in.csv has 'maybe' in the column 'smoker', which must be true or false"),
        ("age,smoker,color,lab value\n1_0,1,red,2\n", "has '1_0' in the column 'age', which must"),
        ("age,smoker,color,lab value\n1.5,1,red,2\n", "has '1.5' .* must be a whole number"),
        ("age,smoker,color,lab value\n1,1,red,\"2,5\"\n", "If it is a number, add decimal=','"),
        ("age,smoker,color,lab value,needed\n1,1,red,2,x\n", "has a column 'needed' already"),
        (b"age,smoker,color,lab value\n1,1,r\xe9d,2\n",
         r"is not utf-8 text \(byte 0xe9\): save it as UTF-8, or .*encoding='cp1252'"),
        ('age,smoker,color,lab value\n1,1,red,2\n1,1,"red,2\n1,1,red,2\n',
         "a double quote is opened and never closed"),
        ("age;smoker;color;lab value\n1;1;red;2\n", "if ';' separates .* delimiter=';'"),
    ],
)  # fmt: skip
def test_csv_that_is_refused(tmp_path, text, match):
    (tmp_path / "in.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    refused(showcase.mixed(), tmp_path, "in.csv", InvalidData, match)


def test_later_batches_are_refused_too(mixed):
    form, _, folder = mixed
    table = pq.read_table(folder / "in.parquet")
    colors = table["color"].to_pylist()
    bad = table.set_column(table.column_names.index("smoker"), "smoker",
                           pa.array([0] * (len(colors) - 1) + [2]))  # fmt: skip
    pq.write_table(bad, folder / "bad.parquet")
    refused(form, folder, "bad.parquet", InvalidData,
            f"row {len(colors)} of bad.parquet has 2.* 'smoker', which must be true or",
            batch_size=50)  # fmt: skip


def test_smallest_sets_that_take_too_long_name_the_quick_way(mixed, monkeypatch):
    from orderless.connect.tables import answers
    from orderless.questions.needed import Settling

    monkeypatch.setattr(answers, "Settling", partial(Settling, limit=1))
    tree, _, folder = mixed
    with pytest.raises(TooManyReasons, match="choose needed='next'"):
        predict_file(tree, folder / "in.csv", folder / "out.csv")
    assert not (folder / "out.csv").exists()
    assert predict_file(tree, folder / "in.csv", folder / "out.csv", needed="next").n_rows


def test_arguments_that_are_refused(mixed):
    form, _, folder = mixed
    refused(form, folder, "none.parquet", FileNotFoundError, "none.parquet")
    refused(form, folder, "none.csv", FileNotFoundError, "none.csv")
    (folder / "in.xlsx").write_bytes(b"PK\x03\x04")
    refused(form, folder, "in.xlsx", InvalidData, "in.xlsx is a spreadsheet or zip file")
    refused(form, folder, ".", InvalidData, "is a folder")
    refused(form, folder, "in.csv", ValueError, "needed must be one of 'smallest'", needed="all")
    refused(form, folder, "in.csv", ValueError, "format must be one of 'csv'", format="xml")
    refused(form, folder, "in.csv", InvalidData, "delimiter=';;': it must be one", delimiter=";;")
    refused(form, folder, "in.csv", InvalidData, "no encoding 'klingon'", encoding="klingon")
    refused(form, folder, "in.csv", InvalidData, "more than max_columns=2", max_columns=2)
    with pytest.raises(ValueError, match=r"target='out\.xyz' must end in one of .csv, .json"):
        predict_file(form, folder / "in.csv", folder / "out.xyz")
    with pytest.raises(InvalidData, match="is a folder: give the name of a file in it"):
        predict_file(form, folder / "in.csv", folder, format="csv")
    refused(form, folder, "out.parquet", ValueError, "is source and target")
    refused(form, folder, "in.csv", ValueError, "names=.*give three different names", names="abc")
    refused(form, folder, "in.csv", ValueError, "give three different", names=("a", "a", "b"))
    refused(form, folder, "in.csv", ValueError, "give three different", names=("a", "b"))
    refused(form, folder, "in.csv", ValueError, "give two", names=("a", "a"), needed=None)
    refused(form, folder, "in.csv", ValueError, "give two", names=("a",), needed=None)
    refused(form, folder, "in.csv", ValueError, "unseen must be one of 'unknown'", unseen="drop")
    refused(form, folder, "in.csv", ValueError, "batch_size=0: give a number", batch_size=0)
    refused(form, folder, "in.csv", ValueError, "n_jobs must be", n_jobs=0)
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        predict_file(form, folder / "in.csv", folder / "nowhere" / "out.csv")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_full_disk_leaves_nothing(tmp_path, suffix):
    """A limit on the size of files stands for the disk: writing fails in the same place."""
    n = 400_000
    rng = np.random.default_rng(0)
    pq.write_table(pa.table({"a": rng.normal(size=n)}), tmp_path / "in.parquet")
    code = textwrap.dedent("""
        import resource, signal, sys
        from pathlib import Path
        import orderless as ol
        from orderless.connect import predict_file
        folder, target = Path(sys.argv[1]), sys.argv[2]
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        tree = ol.read({"feature": "a", "relation": "<=", "reference": 0,
                             "true": {"prediction": 1}, "false": {"prediction": 0}},
                            feature_names=["a"])
        try:
            predict_file(tree, folder / "in.parquet", folder / target)
        except OSError as fault:
            print(fault.errno, fault)
    """)
    assert resource.RLIMIT_FSIZE is not None
    assert signal.SIGXFSZ
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path), f"out.{suffix}"],
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.startswith(str(errno.EFBIG)), done.stdout + done.stderr
    assert f"out.{suffix}' was not written" in done.stdout
    assert [p.name for p in tmp_path.iterdir()] == ["in.parquet"]


def test_an_interrupt_leaves_nothing(mixed):
    form, _, folder = mixed

    def stop(n, of):
        assert n <= of
        if n > 20:
            raise KeyboardInterrupt("stopped")

    refused(form, folder, "in.parquet", KeyboardInterrupt, "stopped", batch_size=10, progress=stop)


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
def test_memory_does_not_grow_with_the_file(tmp_path):
    """Eight times the rows, less than a third more memory."""
    code = textwrap.dedent("""
        import sys
        from pathlib import Path
        import orderless as ol
        from orderless.connect import predict_file
        tree = ol.read({"feature": "a", "relation": "<=", "reference": 0,
                             "true": {"prediction": 1}, "false": {"prediction": 0}},
                            feature_names=["a"])
        predict_file(tree, Path(sys.argv[1]), Path(sys.argv[2]), batch_size=20_000)
        lines = Path("/proc/self/status").read_text().splitlines()
        print(next(line for line in lines if line.startswith("VmHWM")).split()[1])
    """)
    peak = []
    for n in (400_000, 3_200_000):
        rng = np.random.default_rng(0)  # nothing to compress: 26 MB, then 205
        table = pa.table({name: rng.normal(size=n) for name in "abcdefgh"})
        pq.write_table(table, tmp_path / "in.parquet", row_group_size=50_000)
        command = [sys.executable, "-c", code, str(tmp_path / "in.parquet"), str(tmp_path / "o.pq")]
        peak.append(int(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    assert peak[1] < 1.33 * peak[0]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize("values", ["integer", "float64", "float32"])
def test_whole_numbers_that_would_be_rounded_are_refused(tmp_path, values, ending):
    """As ``predict`` does (docs/decisions/0011); a float32 feature rounds every number."""
    tree = ol.read(
        {"feature": "n", "relation": "<=", "reference": 2.0**53, "true": {"prediction": "low"},
         "false": {"prediction": "high"}},
        space=ol.Space([ol.Feature("n", values=values)]),
    )  # fmt: skip
    for bad in (2**53 + 1, -(2**53) - 1, 2**53):
        table = pa.table({"n": [1, bad]})
        source = tmp_path / f"rows{ending}"
        if ending == ".csv":
            source.write_text(f"n\n1\n{bad}\n")
        else:
            pq.write_table(table, source)
        target = tmp_path / "out.csv"
        if bad == 2**53 or values == "float32":
            assert predict_file(tree, source, target).n_rows == 2
            continue
        with pytest.raises(InvalidData, match=rf"row 2 .*{bad}.*float64 cannot hold this number"):
            predict_file(tree, source, target)
        with pytest.raises(InvalidData, match="float64 cannot hold"):
            tree.predict(table)
    (tmp_path / "rows.csv").write_text("n\n1e+23\n1.2345678901234568e+17\n")
    if values != "integer":
        assert predict_file(tree, tmp_path / "rows.csv", tmp_path / "out.csv").n_rows == 2


@pytest.mark.parametrize("values", ["float64", "integer"])
@pytest.mark.parametrize("cell", ["2\x1d", "\x1c3", "90071992547409931\x1f"])
def test_control_characters_beside_digits_are_refused(tmp_path, values, cell):
    """``str.strip`` takes them for spaces, ``float`` does not."""
    tree = ol.read({"feature": "n", "relation": "<=", "reference": 2, "true": {"prediction": 0},
                    "false": {"prediction": 1}},
                   space=ol.Space([ol.Feature("n", values=values)]))  # fmt: skip
    (tmp_path / "rows.csv").write_bytes(f"n\n1\n{cell}\n".encode())
    with pytest.raises(InvalidData, match=r"row 2 .*in the column 'n', which must be"):
        predict_file(tree, tmp_path / "rows.csv", tmp_path / "out.csv")
