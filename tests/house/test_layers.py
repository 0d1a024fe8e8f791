"""Imports point downwards, and importing orderless stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import orderless

PACKAGE = Path(orderless.__file__).parent
# A room imports from the floors below it, and on its own floor from the rooms to its left. Of
# output, what writes one model stands below the models, and what all writers use below that.
FLOORS = [
    ["errors"],
    ["model"],
    ["inputs", "readers"],
    ["output.plots.look", "output.templates"],
    ["form", "questions", "acquisition"],
    ["output.plots.drawing"],
    ["output.rules", "output.code", "output.certificates", "output.plots.policies"],
    ["api", "baselines", "rules"],
    ["rashomon"],
    ["importance", "estimators"],
    ["datasets", "output", "plots", "connect"],
    ["cli"],
]
ROOMS = [room for floor in FLOORS for room in floor]
# Methods that fetch, when they are called, what a room above them does.
UPWARDS = {
    "rashomon": {"output"},
    "importance": {"output"},
    "estimators": {"output"},
}
# ``Space.infer`` is a constructor that reads a table; nothing else of the model reads anything.
UPWARDS_IN = {"model/space.py": {"inputs"}}
HEAVY = ("sklearn", "pandas", "scipy", "matplotlib", "joblib", "polars", "pyarrow", "pooch",
         "sqlglot")  # fmt: skip


def room_of(names):
    """Name the room of a module, the innermost that it stands in."""
    within = [".".join(names[:n]) for n in range(len(names), 0, -1)]
    return next((name for name in within if name in ROOMS), names[0])


def imported_rooms(path, package):
    """Yield the room of each import inside the package, its line, and whether it is late."""
    folder = path.relative_to(package).parts[:-1]

    def visit(node, late):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        if isinstance(node, ast.ImportFrom):
            module = node.module.split(".") if node.module else []
            if node.level:
                module = ["orderless", *folder[: len(folder) - node.level + 1], *module]
            if module[0] == "orderless":
                for alias in node.names:
                    yield room_of([*module[1:], alias.name]), node.lineno, late
        elif isinstance(node, ast.Import):
            for alias in node.names:
                package_name, *rest = alias.name.split(".")
                if package_name == "orderless":
                    yield room_of(rest or [""]), node.lineno, late
        late = late or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for child in ast.iter_child_nodes(node):
            yield from visit(child, late)

    yield from visit(ast.parse(path.read_text(encoding="utf-8")), False)


def upward_imports(package):
    """Name every import of a room that does not stand below the one that imports it."""
    for path in sorted(package.rglob("*.py")):
        file = path.relative_to(package).as_posix()
        room = room_of(path.relative_to(package).with_suffix("").parts)
        if room.startswith("__"):
            continue
        for other, line, late in imported_rooms(path, package):
            allowed = {*UPWARDS.get(room, ()), *UPWARDS_IN.get(file, ())}
            if other in {room, "_core"} or (late and other in allowed):
                continue
            if room in FLOORS[-1] and other not in ROOMS:
                continue  # the top floor uses orderless as people do
            if other not in ROOMS or ROOMS.index(other) > ROOMS.index(room):
                yield f"{path.relative_to(package)}:{line} imports {other or 'orderless'}"


def test_imports_point_downwards():
    assert list(upward_imports(PACKAGE)) == []


def test_an_upward_import_is_found(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "form").mkdir()
    (tmp_path / "output" / "rules").mkdir(parents=True)
    (tmp_path / "errors.py").write_text("from .model import Tree\n")
    (tmp_path / "form" / "terms.py").write_text(
        "from ..model import Tree\nfrom .. import model\nimport orderless.errors\n"
        "def f():\n    import orderless.cli\n    from ..output.templates import render\n"
        "    from ..output import plots\n"
    )
    (tmp_path / "model" / "tree.py").write_text("from ..output import text\n")
    (tmp_path / "output" / "rules" / "text.py").write_text(
        "from ...form import terms\nfrom ..plots.look import grey\nfrom ..plots import trees\n"
        "from .. import rules, code\n"
    )
    assert list(upward_imports(tmp_path)) == [
        "errors.py:1 imports model",
        "form/terms.py:5 imports cli",
        "form/terms.py:7 imports output",
        "model/tree.py:1 imports output",
        "output/rules/text.py:3 imports output",
        "output/rules/text.py:4 imports output.code",
    ]


def heavy_modules_after(code):
    code = f"import sys\n{code}\nprint([name for name in {HEAVY!r} if name in sys.modules])"
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_import_is_light():
    assert heavy_modules_after("import orderless") == "[]"


def test_predicting_from_an_array_stays_light():
    code = """
import orderless as ol
tree = ol.read({"feature": 0, "true": {"prediction": 1}, "false": {"prediction": 0}})
tree.predict([[1]])
tree.predict([{"x0": None}])
ol.read(tree.to_json()).fingerprint
"""
    assert heavy_modules_after(code) == "[]"
