"""Progress is for people who watch: nothing is written when nobody does."""

import sys

import pytest

from orderless.inputs import bar, busy, counted, watched


def work():
    with busy("thinking"), bar("reading") as move, counted("trying", 2, 1) as done:
        move(1, 2)
        move(2, None)
        done()


def test_nothing_is_shown_when_nobody_watches(capsys):
    assert not watched()
    work()
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("what", [busy, bar])
def test_a_person_sees_what_is_going_on(capsys, monkeypatch, what):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with what("thinking"):
        pass
    assert watched()


def test_who_calls_can_decide(capsys):
    with counted("trying", 3, show=True) as done:
        done()
    assert capsys.readouterr().err  # a bar, of which a pipe shows only the end
