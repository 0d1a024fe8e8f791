"""The house: data flows up seven floors, through the doors of rooms, and tests mirror the rooms."""

import ast
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import orderless

PACKAGE = Path(orderless.__file__).parent
TESTS = Path(__file__).parents[1]
# A room imports from the floors below it, and on its own floor from the rooms to its left.
FLOORS = [
    ["errors"],
    ["model"],
    ["inputs", "readers"],
    ["form"],
    ["missing", "ensembles", "acquisition", "rashomon"],
    ["importance", "estimators"],
    ["datasets", "output", "connect"],
    ["reproduce", "cli"],
]
ORDER = [room for floor in FLOORS for room in floor]
# An object offers what can be asked of it: its methods fetch, when they are called, names from the
# door of a room above. Nothing else is imported upwards.
OFFERS = {
    "model": {"inputs", "missing", "ensembles", "output"},
    "form": {"output"},
    "missing": {"output"},
    "acquisition": {"output"},
    "rashomon": {"output"},
    "importance": {"output"},
}
HEAVY = ("sklearn", "pandas", "scipy", "matplotlib", "joblib", "polars", "pyarrow", "pooch",
         "sqlglot")  # fmt: skip


@dataclass(frozen=True)
class Import:
    """One name that a module takes from another room of the house."""

    module: str  # where the name is taken from, below orderless
    name: str
    late: bool  # inside a function
    line: int

    @property
    def room(self):
        return self.module.split(".")[0] or self.name


def modules(package):
    return sorted(package.rglob("*.py"))


def room_of(path, package):
    return path.relative_to(package).with_suffix("").parts[0]


def imports(path, package):
    """Give every name that a module takes from another room, function by function."""
    inside = path.relative_to(package).with_suffix("").parts[:-1]
    module = ast.parse(path.read_text(encoding="utf-8"))
    late = {
        id(inner)
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    }
    typing = {
        id(inner)
        for node in ast.walk(module)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }  # names for annotations only: nothing is imported when it runs
    for node in ast.walk(module):
        if id(node) in typing:
            continue
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "orderless":
                    yield Import(alias.name[10:], "", id(node) in late, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            target = node.module.split(".") if node.module else []
            if node.level:
                target = [*inside[: len(inside) - node.level + 1], *target]
            elif target[:1] == ["orderless"]:
                target = target[1:]
            else:
                continue
            for alias in node.names:
                yield Import(".".join(target), alias.name, id(node) in late, node.lineno)


def faults(package):
    """Name every import that does not come from below, or not through a door."""
    for path in modules(package):
        room = room_of(path, package)
        if room.startswith("__"):
            continue
        if room not in ORDER:
            yield f"{room} is not a room of the house: give it a place in FLOORS"
            continue
        for taken in imports(path, package):
            other = taken.room
            if other in (room, "_core") or (not other and room in FLOORS[-1]):
                continue  # the top floor may use orderless as people do
            where = f"{path.relative_to(package)}:{taken.line} takes {taken.name} from {other}"
            if other not in ORDER:
                yield f"{where}, which is not a room"
                continue
            below = ORDER.index(other) < ORDER.index(room)
            if not below and not (taken.late and other in OFFERS.get(room, ())):
                yield f"{where}, which is not below {room}"
            if other != "errors" and taken.name not in door(package, taken.module):
                yield f"{where}, but not through its door, {taken.module}/__init__.pyi"


def door(package, module):
    """Give the names that a package offers to other rooms."""
    stub = package.joinpath(*module.split("."), "__init__.pyi")
    if not stub.is_file():
        return set()
    tree = ast.parse(stub.read_text(encoding="utf-8"))
    return {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_imports_come_from_below_through_doors():
    assert list(faults(PACKAGE)) == []


def test_violations_are_found(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "form").mkdir()
    (tmp_path / "attic").mkdir()
    (tmp_path / "model" / "__init__.pyi").write_text("from .tree import Tree as Tree\n")
    (tmp_path / "errors.py").write_text("from .model import Tree\n")
    (tmp_path / "form" / "terms.py").write_text(
        "from ..model import Tree\nfrom ..model.tree import Tree as Other\n"
        "from ..model import Bins\ndef f():\n    import orderless.cli\n"
    )
    (tmp_path / "attic" / "box.py").write_text("")
    said = "\n".join(faults(tmp_path))
    for expected in (
        "attic is not a room",
        "errors.py:1 takes Tree from model, which is not below errors",
        "terms.py:2 takes Tree from model, but not through its door, model.tree/",
        "terms.py:3 takes Bins from model, but not through its door",
        "terms.py:5 takes  from cli, which is not below form",
    ):
        assert expected in said
    assert "terms.py:1" not in said


def test_no_module_imports_itself_through_others():
    """Function-level imports count, but for the methods that OFFERS names."""
    names = {}
    for path in modules(PACKAGE):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    graph = {}
    for name, path in names.items():
        room = name.split(".")[0]
        targets = set()
        for taken in imports(path, PACKAGE):
            if taken.late and taken.room in OFFERS.get(room, ()):
                continue
            full = f"{taken.module}.{taken.name}" if taken.module else taken.name
            target = full if full in names else taken.module
            if target in names and target not in ("", name):
                targets.add(target)
        graph[name] = targets
    assert cycle(graph) == []


def cycle(graph):
    """Give the nodes of some cycle of a graph, or none."""
    done, path = set(), []

    def visit(node):
        if node in path:
            return path[path.index(node) :]
        if node in done:
            return []
        path.append(node)
        for other in sorted(graph.get(node, ())):
            if found := visit(other):
                return found
        path.pop()
        done.add(node)
        return []

    return next((found for node in sorted(graph) if (found := visit(node))), [])


def test_cycles_are_found():
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c"]
    assert cycle({"a": {"b", "c"}, "b": {"c"}}) == []


def test_offers_are_still_needed():
    used = {(room_of(path, PACKAGE), taken.room)
            for path in modules(PACKAGE)
            for taken in imports(path, PACKAGE) if taken.late}  # fmt: skip
    assert {(room, other) for room, others in OFFERS.items() for other in others} <= used


def test_there_are_at_most_fifteen_rooms_and_the_errors():
    names = {p.name.removesuffix(".py") for p in PACKAGE.iterdir() if p.name[0] not in "_."}
    assert names - {"py.typed"} == set(ORDER)
    assert len(set(ORDER) - {"errors"}) <= 15


@pytest.mark.parametrize("path", sorted(TESTS.glob("*/test_*.py")), ids=lambda p: p.stem)
def test_tests_mirror_rooms(path):
    """tests/<room>/test_<file>.py, perhaps with more words; tests of the whole are in house."""
    room = path.parent.name
    if room == "house":
        return
    assert room in ORDER
    inside = PACKAGE / room
    files = {
        "_".join(file.relative_to(inside).with_suffix("").parts).removesuffix("___init__")
        for file in modules(inside)
    } | {file.stem for file in modules(inside)}
    name = path.stem.removeprefix("test_")
    parts = name.split("_")
    assert any("_".join(parts[:n]) in files for n in range(1, len(parts) + 1)), (
        f"{path.name} is about no file of {room}: {sorted(files)}"
    )


def test_no_test_stands_outside_of_a_room():
    assert [path.name for path in TESTS.glob("test_*.py")] == []


def test_import_is_light():
    code = f"import sys, orderless; print([m for m in {HEAVY!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_predicting_from_an_array_stays_light():
    code = (
        "import sys, orderless as ol; t = ol.read_tree({'feature': 0, 'true': {'prediction': 1}, "
        "'false': {'prediction': 0}}); t.predict([[1]]); t.predict([{'x0': None}]); "
        "ol.fingerprint(ol.Tree.from_json(t.to_json())); "
        f"print([m for m in {HEAVY!r} if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
