"""The folders of the C++ core stand on each other in one order, and no file includes itself.

The order is that of the list below: a folder includes from the folders before it, and from itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

CPP = Path(__file__).parents[2] / "cpp"

FOLDERS = [
    "base",
    "tree",
    "bins",
    "rows",
    "ensembles",
    "same",
    "reasons",
    "smallest",
    "importance",
    "rashomon",
    "acquisition",
]


def sources() -> list[Path]:
    return sorted((CPP / "core").rglob("*.?pp"))


def includes(source: Path) -> list[Path]:
    return [CPP / name for name in re.findall(r'^#include "(.+)"$', source.read_text(), re.M)]


def cycle(headers: dict[Path, list[Path]]) -> list[Path]:
    """The files of some cycle of includes; none if there is no cycle."""
    done: set[Path] = set()
    way: list[tuple[Path, Iterator[Path]]] = []
    for start in headers:
        way.append((start, iter(headers[start])))
        while way:
            here, rest = way[-1]
            on_the_way = [file for file, _ in way]
            following = next(rest, None)
            if following is None:
                done.add(here)
                way.pop()
            elif following in on_the_way:
                return [*on_the_way[on_the_way.index(following) :], following]
            elif following not in done:
                way.append((following, iter(headers[following])))
    return []


def test_every_file_of_the_core_is_in_a_folder() -> None:
    assert sorted(path.name for path in (CPP / "core").iterdir()) == sorted(FOLDERS)


@pytest.mark.parametrize("source", sources(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_folders_include_from_lower_folders_only(source: Path) -> None:
    own = FOLDERS.index(source.parent.name)
    for header in includes(source):
        assert header.exists(), f"{header} does not exist"
        assert header.is_relative_to(CPP / "core"), f"the core must not include {header}"
        assert FOLDERS.index(header.parent.name) <= own, f"{header} is in a higher folder"


def test_no_header_includes_itself() -> None:
    assert cycle({source: includes(source) for source in sources()}) == []


def test_a_cycle_is_found() -> None:
    a, b, c = Path("a"), Path("b"), Path("c")
    assert cycle({a: [b], b: [c], c: [b]}) == [b, c, b]


OWN = r"__int128|__builtin_|__attribute__|__extension__|__restrict|__GNUC__|_MSC_VER|__declspec"


def test_only_one_file_names_compilers() -> None:
    """Everything else is standard C++20; `make test-portable` builds it without that file."""
    files = [*sources(), *sorted((CPP / "tests").rglob("*.?pp"))]
    found = [path.name for path in files if re.search(OWN, path.read_text())]
    assert found == ["machine.hpp"]


# Macros like PyList_GET_ITEM look into objects, which the wheels' stable ABI does not allow.
INSIDE = r"\bPy[A-Z]\w*_(?:GET|SET|AS)_[A-Z]+\b|\b_Py\w+|\bPyUnicode_(?:KIND|DATA|READ)\b"


def test_bindings_call_the_stable_abi_alone() -> None:
    """`make wheels` compiles them for it; this says so before."""
    found = {
        (path.name, name)
        for path in sorted((CPP / "bindings").rglob("*.?pp"))
        for name in re.findall(INSIDE, path.read_text())
    }
    assert not found
