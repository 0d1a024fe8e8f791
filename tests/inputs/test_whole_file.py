"""Files are written whole or not at all, by one module, and never through a planted link."""

import errno
import os
import re
import signal
import stat
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

import orderless
import orderless as ol
from orderless.connect import predict_file
from orderless.errors import InvalidData
from orderless.inputs import whole_file, write_whole

PACKAGE = Path(orderless.__file__).parent
TREE = {"feature": 0, "true": {"prediction": "ill"}, "false": {"prediction": "well"}}


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def write_page(path):
    ol.write_page(TREE, path)


def write_report(path):
    ol.report(TREE, [[0], [1]], ["well", "ill"]).save(path)


def write_checkpoint(path):
    from orderless.importance.rid.checkpoint import Checkpoint

    run = Checkpoint(path, {}, 1, 1)
    run.start(1)
    run.save()


def write_answers(path):
    rows = path.with_name("rows.csv")
    rows.write_text("x0\n1\n")
    predict_file(TREE, rows, path, format="csv")
    rows.unlink()


def write_result(path):
    from orderless.cli.sink import write

    write("text", path)


WRITERS = [write_page, write_report, write_checkpoint, write_answers, write_result]


@pytest.fixture
def umask():
    old = os.umask(0o027)
    yield
    os.umask(old)


@pytest.mark.parametrize("write", WRITERS)
def test_permissions_are_those_of_the_target_or_the_umask(write, tmp_path, umask):
    path = tmp_path / "out"
    write(path)
    assert mode(path) == 0o640
    for own in (0o600, 0o666):  # less, and more, than the umask leaves
        path.chmod(own)
        before = path.stat().st_ino
        write(path)
        assert (mode(path), path.stat().st_ino == before) == (own, False)
    assert [p for p in tmp_path.iterdir() if p != path] == []


@pytest.mark.parametrize("write", WRITERS)
def test_a_link_stays_and_its_target_is_written(write, tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "out", tmp_path / "link"
    link.symlink_to(target)  # dangling at first
    write(link)
    assert link.is_symlink()
    assert target.is_file()
    assert not target.is_symlink()
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["link", "out", "there"]


@pytest.mark.parametrize("write", WRITERS)
def test_planted_links_are_not_followed(write, tmp_path):
    """The names that were predictable once."""
    victim = tmp_path / "victim"
    victim.write_text("safe")
    for name in ("out.part", ".out.part", f".out.{os.getpid()}.part"):
        (tmp_path / name).symlink_to(victim)
    write(tmp_path / "out")
    assert victim.read_text() == "safe"


def test_names_of_parts_are_random_and_new(tmp_path, monkeypatch):
    seen = []

    def spy(path, flags, mode=0o777, **kwargs):
        seen.append((Path(path), flags))
        return opened(path, flags, mode, **kwargs)

    opened = os.open
    monkeypatch.setattr(os, "open", spy)
    for _ in range(2):
        write_whole(tmp_path / "out", b"x")
    assert len({path for path, _ in seen}) == 2
    for path, flags in seen:
        assert path.parent == tmp_path
        assert re.fullmatch(r"\.orderless-[0-9a-f]{16}\.part", path.name)
        assert flags & os.O_EXCL
        assert flags & os.O_NOFOLLOW


def test_a_long_name_is_no_longer_beside_its_place(tmp_path):
    path = tmp_path / ("é" * 120 + ".csv")
    write_whole(path, "x")
    assert path.read_text() == "x"


def test_what_was_there_stays_after_an_error(tmp_path):
    path = tmp_path / "out"
    path.write_text("old")

    def write():
        with whole_file(path) as handle:
            handle.write(b"new")
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        write()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_targets_that_are_refused(tmp_path, monkeypatch):
    with pytest.raises(InvalidData, match="is a folder: give the name of a file in it"):
        write_whole(tmp_path, "x")
    with pytest.raises(FileNotFoundError, match=r"there is no folder '.*nowhere': make it"):
        write_whole(tmp_path / "nowhere" / "out", "x")
    (tmp_path / "file").write_text("old")
    with pytest.raises(NotADirectoryError):
        write_whole(tmp_path / "file" / "out", "x")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(OSError, match="symbolic links") as fault:
        write_whole(tmp_path / "loop", "x")
    assert fault.value.errno == errno.ELOOP
    with pytest.raises(OSError, match="name too long") as fault:
        write_whole(tmp_path / ("x" * 300), "x")
    assert fault.value.errno == errno.ENAMETOOLONG
    monkeypatch.setattr(os, "access", lambda path, how: False)  # root may write anything
    with pytest.raises(PermissionError, match=r"the file is read-only: '.*file'"):
        write_whole(tmp_path / "file", "x")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "loop"]


def test_a_folder_that_takes_no_files_is_named(tmp_path, monkeypatch):
    def refuse(path, flags, mode=0o777):
        raise PermissionError(errno.EACCES, "Permission denied", path)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError, match=r"cannot create a file in the folder '.*': Permiss"):
        write_whole(tmp_path / "out", "x")


def test_a_move_that_fails_names_the_target(tmp_path, monkeypatch):
    def busy(source, target):
        raise OSError(errno.EBUSY, "Device or resource busy", source, None, target)

    monkeypatch.setattr(os, "replace", busy)
    with pytest.raises(OSError, match=r"resource busy: '.*/out' was not written") as fault:
        write_whole(tmp_path / "out", "x")
    assert ".part" not in str(fault.value)
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_sync_is_fine(tmp_path, monkeypatch):
    def cannot(number):
        raise OSError(errno.EINVAL, "Invalid argument")

    def full(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", cannot)
    write_whole(tmp_path / "out", "x")
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*out' was not written"):
        write_whole(tmp_path / "out", "y")
    assert (tmp_path / "out").read_text() == "x"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_pipe_is_written_to(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    got = []
    reader = threading.Thread(target=lambda: got.append(path.read_bytes()))
    reader.start()
    write_whole(path, b"through")
    reader.join()
    assert got == [b"through"]
    assert stat.S_ISFIFO(path.stat().st_mode)


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.parametrize("into", ["pipe", "file"])
def test_standard_output_by_name(tmp_path, name, into):
    """Also where it is a file, in which something is already, and more follows."""
    code = (
        "import sys; from orderless.inputs import write_whole; print('a');"
        "write_whole(sys.argv[1], 'b\\n'); print('c')"
    )
    command = [sys.executable, "-c", code, name]
    if into == "pipe":
        assert subprocess.run(command, capture_output=True, check=True).stdout == b"a\nb\nc\n"
        return
    (tmp_path / "log").write_text("0\n")
    with (tmp_path / "log").open("a") as handle:
        subprocess.run(command, stdout=handle, check=True)
    assert (tmp_path / "log").read_text() == "0\na\nb\nc\n"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_a_full_device_is_named():
    with pytest.raises(OSError, match="No space left on device: '/dev/full' was not written"):
        write_whole("/dev/full", "x")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signals_in_the_middle_leave_nothing(tmp_path, number):
    """Three at once, as when a terminal is closed: tidying up is not interrupted."""
    code = textwrap.dedent("""
        import os, signal, sys
        from orderless.cli import _end_tidily
        from orderless.inputs import whole_file
        # Whoever runs the tests may ignore signals, as nohup does, and children inherit that.
        usual = signal.default_int_handler if int(sys.argv[2]) == signal.SIGINT else signal.SIG_DFL
        signal.signal(int(sys.argv[2]), usual)
        _end_tidily()
        with whole_file(sys.argv[1]) as handle:
            handle.write(b"x" * 100_000)
            for _ in range(3):
                os.kill(os.getpid(), int(sys.argv[2]))
    """)
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "out", str(int(number))],
                          capture_output=True)  # fmt: skip
    assert done.returncode == (-number if number == signal.SIGINT else 128 + number)
    assert list(tmp_path.iterdir()) == []


def test_nohup_is_respected():
    code = (
        "import os, signal; signal.signal(signal.SIGHUP, signal.SIG_IGN);"
        "from orderless.cli import _end_tidily; _end_tidily();"
        "os.kill(os.getpid(), signal.SIGHUP); print('alive')"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout == b"alive\n"


@pytest.mark.parametrize("write", WRITERS)
def test_a_full_disk_leaves_what_was_there(write, tmp_path):
    """A limit on the size of files stands for the disk: writing fails in the same place."""
    path = tmp_path / "out"
    if write is not write_checkpoint:
        path.write_text("old")
    (tmp_path / "rows.csv").write_text("x0\n1\n")
    code = textwrap.dedent("""
        import resource, sys
        sys.path[:0] = [sys.argv[1], sys.argv[1] + "/tests"]
        from orderless.connect import predict_file
        from tests.inputs import test_whole_file as tests
        from pathlib import Path
        path = Path(sys.argv[3])
        if sys.argv[2] == "write_answers":
            write = lambda path: predict_file(
                tests.TREE, path.with_name("rows.csv"), path, format="csv")
        else:
            write = getattr(tests, sys.argv[2])
        resource.setrlimit(resource.RLIMIT_FSIZE, (2, 2))
        try:
            write(path)
        except OSError as fault:
            print(fault.errno, fault)
    """)
    done = subprocess.run(
        [sys.executable, "-c", code, Path(__file__).parents[2], write.__name__, path],
        capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout.startswith(str(errno.EFBIG)), done.stdout + done.stderr
    assert "out' was not written" in done.stdout
    left = {"rows.csv"} if write is write_checkpoint else {"rows.csv", "out"}
    assert {p.name for p in tmp_path.iterdir()} == left
    assert not path.exists() or path.read_text() == "old"


def test_nothing_else_in_the_package_creates_files():
    makes = re.compile(
        r"write_text\(|write_bytes\(|os\.replace\(|os\.rename\(|mkstemp|TemporaryFile"
        r"|open\([^)\n]*[\"'][wax]b?[\"']"
    )
    found = {
        f"{path.relative_to(PACKAGE)}: {line.strip()}"
        for path in PACKAGE.rglob("*.py")
        if path != PACKAGE / "inputs" / "files.py"
        for line in path.read_text(encoding="utf-8").splitlines()
        if makes.search(line) and ">>>" not in line
    }
    assert found == {
        # A download, into the file that pooch moves to its place when its checksum is right.
        "datasets/dataset.py: path.write_bytes(_published_line_ends(path.read_bytes()))",
        # In temporary folders, for engines and readers that take models from files only.
        "cli/models.py: path.write_bytes(sys.stdin.buffer.read())",
        'connect/exported/jpmml.py: path.write_text(text, encoding="utf-8")',
        'readers/catboost.py: path.write_text(json.dumps(content), encoding="utf-8")',
    }
