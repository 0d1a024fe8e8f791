"""Data flows one way: a module imports only from rooms above it (design: "The house")."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import orderless

PACKAGE = Path(orderless.__file__).parent
ROOMS = [
    "errors", "escapes", "whole_file", "cellstyle", "numbers", "decimals", "space", "side", "words",
    "serial", "rows", "ranges", "inference", "tree", "readers", "binarize", "example",
    "commonspace", "equivalence", "bins", "rowbins", "term", "functiontree", "formfile",
    "rowleaves", "rowsearch", "costs", "explain", "canonical", "smallest", "missing", "quality",
    "redundant", "needed", "asking", "many", "study", "imputation", "bounds", "rashomon",
    "importance", "acquisition", "estimator", "output", "datasets", "files", "duckdb", "spark",
    "dask", "reproduce", "cli", "__main__",
]  # fmt: skip
# Imports inside a function, of a room below, each with its reason.
LATER = {
    ("space", "inference"): "Space.infer is where people look for it; the work is its own room",
    ("tree", "missing"): "tree.possible_classes(X): a tree offers what can be asked of it",
    ("tree", "needed"): "tree.missing_needed(row): likewise",
    ("canonical", "smallest"): "form.to_tree(): likewise",
    ("tree", "output"): "tree.to_sklearn(), to_javascript(): an object offers how it is written",
    ("acquisition", "output"): "print(policy), policy.plot(): likewise",
    ("canonical", "output"): "print(form), form.to_sql(): an object offers how it is written",
}
# A room that may use these only, although more is above it.
ONLY = {"datasets": {"errors"}}
HEAVY = ("sklearn", "pandas", "scipy", "matplotlib", "joblib", "polars", "pyarrow", "pooch",
         "sqlglot")  # fmt: skip


def modules():
    return sorted(PACKAGE.rglob("*.py"))


def room_of(parts):
    return parts[0] if parts else "__init__"


def imported_rooms(path):
    """(room, whether at the top of the module, line) of every import of our own package."""
    inside = path.relative_to(PACKAGE).with_suffix("").parts
    package = inside[:-1]  # of this file, below orderless
    module = ast.parse(path.read_text(encoding="utf-8"))
    top = {id(node) for node in ast.walk(module)}
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            top -= {id(inner) for inner in ast.walk(node)}
    typing = {
        id(inner)
        for node in ast.walk(module)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for inner in ast.walk(node)
    }  # names for annotations only: nothing is imported when it runs
    for node in ast.walk(module):
        if id(node) in typing:
            continue
        found = []
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
            found = [name[1:] for name in names if name[0] == "orderless"]
        elif isinstance(node, ast.ImportFrom):
            target = node.module.split(".") if node.module else []
            if node.level:
                base = list(package[: len(package) - node.level + 1])
                target = base + target
            elif target and target[0] == "orderless":
                target = target[1:]
            else:
                continue
            found = [target] if target else [[alias.name] for alias in node.names]
        for target in found:
            yield room_of(target), id(node) in top, node.lineno


@pytest.mark.parametrize("path", modules(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_come_from_above(path):
    room = room_of(path.relative_to(PACKAGE).with_suffix("").parts)
    if room == "__init__":
        return
    assert room in ROOMS, (
        f"{room} has no place in the house: give it one in tests/house/test_layers.py"
    )
    for other, at_top, line in imported_rooms(path):
        if other in ("_core", room):
            continue
        where = f"{path.name}:{line}: {room} imports {other}"
        if room == "reproduce":  # public names only
            assert other in ("__init__", "datasets", "errors", "output", "whole_file"), where
            continue
        assert other in ROOMS, f"{where}, which is no room"
        if (room, other) in LATER and not at_top:
            continue
        assert ROOMS.index(other) < ROOMS.index(room), f"{where}, which is below it"
        if room in ONLY:
            assert other in ONLY[room], f"{where}; it may use {ONLY[room]} only"


def test_exceptions_are_still_needed():
    used = {
        (room_of(path.relative_to(PACKAGE).with_suffix("").parts), other)
        for path in modules()
        for other, at_top, _ in imported_rooms(path)
        if not at_top
    }
    assert set(LATER) <= used


def test_a_violation_is_found(tmp_path, monkeypatch):
    (tmp_path / "errors.py").write_text(
        "from .tree import Tree\ndef f():\n    import orderless.cli"
    )
    monkeypatch.setattr(sys.modules[__name__], "PACKAGE", tmp_path)
    assert list(imported_rooms(tmp_path / "errors.py")) == [("tree", True, 1), ("cli", False, 3)]


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
