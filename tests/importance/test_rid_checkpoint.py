"""Checkpoints of RashomonImportance: a run goes on where it was; what is not whole is refused."""

import json

import numpy as np
import pytest

import orderless as ol
from orderless.errors import InvalidData
from orderless.importance.rid.bootstrap import Bootstraps
from orderless.importance.rid.checkpoint import Checkpoint

RANDOM = np.random.default_rng(0)
X = RANDOM.integers(0, 2, (60, 4))
y = (X[:, 0] & X[:, 1]).astype(bool) ^ (RANDOM.random(60) < 0.1)


def model(path, **given):
    return ol.RashomonImportance(
        **{"n_bootstraps": 6, "max_depth": 2, "random_state": 0, "checkpoint": path, **given}
    )


@pytest.fixture
def calls(monkeypatch):
    """The numbers of the samples that were worked on; ``stop`` is where a person interrupts."""
    real = Bootstraps.__call__

    class Calls(list):
        stop = None

    seen = Calls()

    def call(work, number):
        if number == seen.stop:
            raise KeyboardInterrupt
        seen.append(number)
        return real(work, number)

    monkeypatch.setattr(Bootstraps, "__call__", call)
    return seen


def shares(found):
    return [part.tobytes() for name in found.features_ for part in found.distribution(name)]


def test_an_interrupted_run_goes_on(tmp_path, calls):
    whole = model(None).fit(X, y)
    path = tmp_path / "run.jsonl"
    calls.clear()
    calls.stop = 4
    with pytest.raises(KeyboardInterrupt):
        model(path).fit(X, y)
    assert calls == [0, 1, 2, 3]
    lines = path.read_text().splitlines()
    assert [json.loads(line).get("bootstrap") for line in lines] == [None, 0, 1, 2, 3]
    calls.clear()
    calls.stop = None
    found = model(str(path)).fit(X, y)
    assert calls == [4, 5]
    assert shares(found) == shares(whole)
    assert found.n_trees_.tolist() == whole.n_trees_.tolist()
    assert not path.with_name("run.jsonl.part").exists()
    straight = tmp_path / "straight.jsonl"
    model(straight, n_jobs=2).fit(X, y)
    assert path.read_bytes() == straight.read_bytes()  # equal seeds, equal bytes
    calls.clear()
    assert shares(model(path).fit(X, y)) == shares(whole)
    assert calls == []


def test_more_or_fewer_samples(tmp_path, calls):
    path = tmp_path / "run"
    model(path, n_bootstraps=4).fit(X, y)
    calls.clear()
    assert shares(model(path).fit(X, y)) == shares(model(None).fit(X, y))
    assert calls[:2] == [4, 5]
    before = path.read_bytes()
    assert len(model(path, n_bootstraps=2).fit(X, y).n_trees_) == 2
    assert path.read_bytes() == before


def test_what_answers_depend_on_may_change(tmp_path, calls):
    path = tmp_path / "run"
    model(path).fit(X, y)
    calls.clear()
    given = {"correct_equivalence": False, "pooled": True, "n_jobs": 2, "n_repeats": 9}
    model(path, **given, regularization="0.02").fit(X, y)
    assert calls == []


def test_a_seed_of_the_file_is_used(tmp_path):
    path = tmp_path / "run"
    first = model(path, random_state=None, n_bootstraps=3).fit(X, y)
    again = model(path, random_state=None, n_bootstraps=3).fit(X, y)
    assert first.seed_ == again.seed_ > 2**64
    assert shares(first) == shares(again)
    with pytest.raises(InvalidData, match="to a run with different random_state"):
        model(path).fit(X, y)


def test_long_runs_write_in_between(tmp_path, calls, monkeypatch):
    monkeypatch.setattr("orderless.importance.rid.checkpoint.EVERY", -1.0)
    monkeypatch.setattr(
        "orderless.importance.rid.checkpoint.Checkpoint.save",
        lambda self, save=Checkpoint.save: (
            sizes.append(len(self._lines)),
            save(self),
        ),
    )
    sizes = []
    model(tmp_path / "run").fit(X, y)
    assert sizes == [0, 1, 2, 3, 4, 5, 6, 6]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"max_depth": 1}, "max_depth"),
        ({"regularization": 0.03}, "regularization"),
        ({"epsilon": 0.01}, "epsilon"),
        ({"semantics": "independent"}, "semantics"),
        ({"importance": "conditional"}, "importance"),
        ({"importance": "permutation-sampled"}, "importance, n_repeats"),
        ({"by": "column"}, "by, semantics"),
        ({"random_state": 1}, "random_state"),
    ],
)
def test_other_parameters_are_refused(tmp_path, given, says):
    path = tmp_path / "run"
    model(path).fit(X, y)
    before = path.read_bytes()
    with pytest.raises(InvalidData, match=f"to a run with different {says}: give the same data"):
        model(path, **given).fit(X, y)
    assert path.read_bytes() == before


def test_other_data_are_refused(tmp_path):
    path = tmp_path / "run"
    model(path).fit(X, y)
    changed = X.copy()
    changed[7, 2] ^= 1
    named = ol.Space.independent(["a", "b", "c", "d"])
    for rows, labels, given in (
        (changed, y, {}),
        (X[::-1], y[::-1], {}),
        (X, ~y, {}),
        (X, y.astype(int), {}),
        (X, y, {"space": named}),
    ):
        with pytest.raises(InvalidData, match="to a run with different data"):
            model(path, **given).fit(rows, labels)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "does not begin as a checkpoint"),
        (b"hello\n", "does not begin as a checkpoint"),
        (b"[1, 2]\n", "does not begin as a checkpoint"),
        (b"3\n", "does not begin as a checkpoint"),
        (b'{"format": "of others"}\n', "does not begin as a checkpoint"),
        (b"\xff\xfe\x00", "is not text"),
        (b'{"format":"orderless.rashomon-importance","version":2}\n', "another version than 1"),
        (b'{"format":"orderless.rashomon-importance","version":1}\n', "damaged in its first line"),
    ],
)
def test_foreign_files_are_refused(tmp_path, text, says):
    path = tmp_path / "run"
    path.write_bytes(text)
    with pytest.raises(InvalidData, match=says):
        model(path).fit(X, y)
    assert path.read_bytes() == text


def test_cut_and_changed_files_are_refused(tmp_path, calls):
    path = tmp_path / "run"
    whole = model(path).fit(X, y)
    text = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(text) if byte == ord("\n")]
    for cut in [*range(1, len(text), 97), len(text) - 1]:
        if cut in ends:
            continue
        path.write_bytes(text[:cut])
        with pytest.raises(InvalidData, match=r"does not begin|damaged|cut or changed at line"):
            model(path).fit(X, y)
        assert path.read_bytes() == text[:cut]
    for at in range(0, len(text), 211):  # one byte is another
        path.write_bytes(text[:at] + bytes([text[at] ^ 1]) + text[at + 1 :])
        with pytest.raises(InvalidData, match=r"begin|damaged|version|cut or chan|different|text"):
            model(path).fit(X, y)
    # What the error says to do.
    path.write_bytes(text[: ends[3] + 20])
    with pytest.raises(InvalidData, match=r"line 5: .* Lines 1 to 4 are whole \(3 samples\)"):
        model(path).fit(X, y)
    path.write_bytes(text[: ends[3]])
    calls.clear()
    assert shares(model(path).fit(X, y)) == shares(whole)
    assert calls == [3, 4, 5]
    assert path.read_bytes() == text


def test_a_line_of_another_run_is_refused(tmp_path):
    one, two = tmp_path / "one", tmp_path / "two"
    model(one).fit(X, y)
    model(two, random_state=1).fit(X, y)
    lines = one.read_text().splitlines()
    lines[2] = two.read_text().splitlines()[2]
    one.write_text("\n".join(lines) + "\n")
    with pytest.raises(InvalidData, match="cut or changed at line 3"):
        model(one).fit(X, y)


def test_counts_that_do_not_add_up_are_refused(tmp_path):
    """A line with a right checksum is not trusted either."""
    from orderless.importance.rid.checkpoint import _sealed

    path = tmp_path / "run"
    model(path).fit(X, y)
    head, line, *rest = path.read_text().splitlines()
    for change, says in (
        (lambda body: body.update(functions=body["functions"] + 1), "do not add up"),
        (lambda body: body["importances"].pop(), "do not add up"),
        (lambda body: body.pop("trees"), "not the counts"),
        (lambda body: body.update(importances=[["a"]]), "not the counts"),
    ):
        body = json.loads(line)
        body.pop("check")
        change(body)
        path.write_text("\n".join([head, _sealed(body, head), *rest]) + "\n")
        with pytest.raises(InvalidData, match=says):
            model(path).fit(X, y)


def test_a_path_that_cannot_be_written_is_found_before_the_work(tmp_path, calls):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        model(tmp_path / "nowhere" / "run").fit(X, y)
    assert calls == []
