"""Draw the floors and rooms of the package from the code: `python docs/figures/house.py`.

In:  FLOORS of tests/house/test_layers.py, the first line of each room's `__init__.py`, and the
     folders of the C++ core, FOLDERS of tests/house/test_core_layers.py.
Out: house.svg beside this file; tests/house/test_picture.py checks that it is current.
"""

import ast
from pathlib import Path
from textwrap import wrap

from svg import arrow, box, drawing, text, upright

import orderless

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PACKAGE = Path(orderless.__file__).parent
WIDTH, LEFT, RIGHT, TOP, GAP = 960, 56, 16, 16, 8
HEAD, LINE = 46, 17  # heights: a room with its name and one line, and every line more
LETTER = 6.4  # width of a letter of the words in a room


def listed(name, test):
    """Read a list of names out of a test of the house, without running it."""
    module = ast.parse((ROOT / "tests" / "house" / test).read_text(encoding="utf-8"))
    for node in module.body:
        if isinstance(node, ast.Assign) and node.targets[0].id == name:
            return ast.literal_eval(node.value)
    raise LookupError(f"tests/house/{test} has no {name}")


def floors():
    """Give the floors, lowest first."""
    return listed("FLOORS", "test_layers.py")


def core():
    """Give the folders of the C++ core, each built on those before it."""
    return listed("FOLDERS", "test_core_layers.py")


def says(room):
    """Give the first sentence of a room about itself."""
    path = PACKAGE.joinpath(*room.split("."))
    file = path / "__init__.py"
    module = file if file.is_file() else path.with_suffix(".py")
    words = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))
    return words.partition("\n")[0].replace("``", "")


def house():
    """Give the drawing: the highest floor on top, rooms in the order of the floor."""
    rooms = floors()
    shapes, y = [], TOP
    for floor in reversed(rooms):
        width = (WIDTH - LEFT - RIGHT - GAP * (len(floor) - 1)) / len(floor)
        words = [wrap(says(room), int((width - 24) / LETTER)) for room in floor]
        height = HEAD + LINE * max(map(len, words))
        for i, room in enumerate(floor):
            x = LEFT + i * (width + GAP)
            shapes.append(box(x, y, width, height - GAP))
            shapes.append(text(x + 12, y + 22, room, 15, "blue", bold=True))
            for k, line in enumerate(words[i]):
                shapes.append(text(x + 12, y + 41 + LINE * k, line, 12, "grey"))
        y += height
    shapes.append(box(LEFT, y, WIDTH - LEFT - RIGHT, 34, "ground", dashed=True))
    shapes.append(text(LEFT + 12, y + 22, "the core, in C++", 13, "blue", bold=True))
    shapes.append(text(LEFT + 148, y + 22, " · ".join(core()), 12, "grey"))
    y += 34 + GAP
    shapes.append(arrow(LEFT - 14, y - GAP, LEFT - 14, TOP + 2))
    shapes.append(upright(LEFT - 24, (TOP + y) / 2, "data flows up", 12, "grey"))
    rule = (
        "A room imports from the floors below and from the rooms to its left, and from there only "
        "what their doors offer."
    )
    shapes.append(text(LEFT, y + 16, rule, 12.5, "grey"))
    upwards = "; ".join(", ".join(floor) for floor in rooms)
    return drawing(WIDTH, y + 34, f"The rooms of orderless, from the lowest floor up: {upwards}.",
                   shapes)  # fmt: skip


if __name__ == "__main__":
    (HERE / "house.svg").write_text(house(), encoding="utf-8")
