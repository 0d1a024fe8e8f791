"""Every step of the redesign gives the answers that were stored before it."""

import pytest

from . import data, questions


@pytest.mark.slow
@pytest.mark.parametrize("group", data.groups())
def test_answers_are_the_stored_ones(group, request):
    if group in questions.NEEDS_SHARED:
        request.getfixturevalue("shared")
    assert questions.changed(group) == []


def test_changes_are_found():
    old = {"predict": [1, None], "rows": [{"label": "a"}]}
    assert list(questions.differences(old, old)) == []
    new = {"predict": [1, 0], "rows": [{"label": "b"}]}
    assert list(questions.differences(old, new)) == [
        (" predict 1", None, 0),
        (" rows 0 label", "a", "b"),
    ]
    assert list(questions.differences([1], [1, 2])) == [("", [1], [1, 2])]
