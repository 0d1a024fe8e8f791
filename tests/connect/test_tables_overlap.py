"""Reading ahead and writing behind: the same bytes, and no fault is lost."""

import os
import threading

import pytest
import showcase

from orderless.connect import predict_file
from orderless.connect.tables.overlap import ahead, behind
from orderless.errors import InvalidData


@pytest.fixture
def mixed(tmp_path):
    """The tree of the showcase, and its rows as a file."""
    rows, _ = showcase.mixed_rows()
    names = list(rows[0])
    lines = [",".join("" if row[n] is None else str(row[n]) for n in names) for row in rows]
    (tmp_path / "in.csv").write_text("\n".join([",".join(names), *lines]) + "\n")
    return showcase.mixed(), tmp_path


def test_several_threads_write_the_same_file(mixed):
    form, folder = mixed
    before = threading.active_count()
    for target in ("one.csv", "two.csv"):
        n_jobs = 1 if target == "one.csv" else 2
        predict_file(form, folder / "in.csv", folder / target, batch_size=7, n_jobs=n_jobs)
    assert (folder / "one.csv").read_bytes() == (folder / "two.csv").read_bytes()
    assert threading.active_count() == before


def test_a_fault_in_a_later_part_leaves_the_old_file(mixed):
    form, folder = mixed
    with (folder / "in.csv").open("a") as file:
        file.write("a line with one cell\n")
    (folder / "out.csv").write_text("old")
    with pytest.raises(InvalidData, match=r"has 1 cells, the header has"):
        predict_file(form, folder / "in.csv", folder / "out.csv", batch_size=7, n_jobs=2)
    assert (folder / "out.csv").read_text() == "old"
    assert sorted(p.name for p in folder.iterdir()) == ["in.csv", "out.csv"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
def test_a_pipe_is_not_read_ahead(mixed, monkeypatch):
    form, folder = mixed
    os.mkfifo(folder / "pipe")
    monkeypatch.setattr("orderless.connect.tables.predict.ahead", None)  # would fail if called
    feed = threading.Thread(
        target=lambda: (folder / "pipe").write_bytes((folder / "in.csv").read_bytes())
    )
    feed.start()
    done = predict_file(form, folder / "pipe", folder / "out.csv", n_jobs=2)
    feed.join()
    assert done.n_rows == len(showcase.mixed_rows()[0])


def test_parts_come_in_order_and_faults_are_raised():
    assert list(ahead(iter([1, 2, 3]))) == [1, 2, 3]

    def broken():
        yield 1
        raise OSError("cannot be read")

    found = ahead(broken())
    assert next(found) == 1
    with pytest.raises(OSError, match="cannot be read"):
        next(found)


def test_what_was_written_last_is_waited_for():
    written = []
    with behind(written.append) as write:
        for i in range(5):
            write(i)
    assert written == [0, 1, 2, 3, 4]

    def full(part):
        raise OSError(f"no space left for {part}")

    with pytest.raises(OSError, match="no space left for 1"), behind(full) as write:
        write(1)
