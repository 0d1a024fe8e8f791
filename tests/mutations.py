"""Model files that are damaged, one small change each; and a process of its own that reads them.

Run as a program (``python mutations.py KIND COUNT SEED``) it prints one line of JSON per file that
is neither read nor refused with a clear error. It may take one gigabyte more than it has after all
imports, so that a count in a file that is believed shows as a MemoryError, or as its end.
"""

from __future__ import annotations

import io
import json
import resource
import sys
import tempfile
import xml.etree.ElementTree as ET
import zipfile
from copy import deepcopy
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from model_files import FILES, SUMS

STRANGE: list[Any] = [
    0, 1, -1, 2, 10**6, 10**9, 2**31 - 1, 2**31, 2**63, -(2**63), 10**30, 1.5, -0.0, 1e308, -1e308,
    float("inf"), float("nan"), "", "x", "1000000000", None, True, [], {}, [[]], [0], {"a": 1},
]  # fmt: skip
ROOM = 2**30


def changed(kind: str, content: bytes, rng: np.random.Generator) -> bytes:
    """Damage a file: somewhere in what it says, or in its bytes."""
    if rng.random() < 0.25:
        return _bytes(content, rng)
    kind = kind.removesuffix(" sum")
    if kind in ("xgboost", "catboost", "numbers", "r", "spark"):
        return _json(content, rng)
    if kind == "lightgbm":
        return _line(content, rng)
    if kind.startswith("onnx"):
        return _proto(content, rng)
    if kind.startswith("pmml"):
        return _xml(content, rng)
    return _zip(content, rng)


def _bytes(content: bytes, rng: np.random.Generator) -> bytes:
    at = int(rng.integers(len(content)))
    end = min(len(content), at + int(rng.integers(1, 40)))
    return [
        content[:at],
        content[:at] + content[end:],
        content[:at] + bytes(rng.integers(0, 256, end - at, dtype=np.uint8)) + content[end:],
        content[:end] + content[at:],
    ][rng.integers(4)]


def _strange(rng: np.random.Generator) -> Any:
    return STRANGE[rng.integers(len(STRANGE))]


def _json(content: bytes, rng: np.random.Generator) -> bytes:
    value = json.loads(content)
    places: list[tuple[Any, Any]] = []
    todo = [value]
    while todo:
        node = todo.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node))
        places += [(node, key) for key in keys]
        todo += [node[key] for key in keys if isinstance(node[key], dict | list)]
    node, key = places[rng.integers(len(places))]
    what = rng.integers(4)
    if what == 0 and isinstance(node[key], str):
        new = _strange(rng)
        node[key] = new if isinstance(new, str) else json.dumps(new)
    elif what == 1:
        del node[key]
    else:
        node[key] = _strange(rng)
    return json.dumps(value).encode()


def _xml(content: bytes, rng: np.random.Generator) -> bytes:
    root = ET.fromstring(content)
    parents = [element for element in root.iter() if len(element)]
    every = list(root.iter())
    element = every[rng.integers(len(every))]
    parent = parents[rng.integers(len(parents))]
    child = parent[rng.integers(len(parent))]
    what = rng.integers(7)
    if what < 3 and element.attrib:
        key = list(element.attrib)[rng.integers(len(element.attrib))]
        others = [v for e in every for v in e.attrib.values()]
        new = str(_strange(rng)) if what else others[rng.integers(len(others))]
        element.set(key, new)
    elif what == 3 and element.attrib:
        del element.attrib[list(element.attrib)[rng.integers(len(element.attrib))]]
    elif what == 4:
        parent.remove(child)
    elif what == 5:
        parent.insert(int(rng.integers(len(parent))), deepcopy(every[rng.integers(1, len(every))]))
    else:
        child.tag = every[rng.integers(len(every))].tag
    return ET.tostring(root)


def _line(content: bytes, rng: np.random.Generator) -> bytes:
    lines = content.decode().split("\n")
    end = lines.index("end of trees")
    at = int(rng.integers(end + 1)) if rng.random() < 0.9 else int(rng.integers(len(lines)))
    key, sign, value = lines[at].partition("=")
    words = value.split(" ")
    words[rng.integers(len(words))] = str(_strange(rng))
    lines[at] = [key + sign + " ".join(words), key + sign, "", lines[rng.integers(len(lines))]][
        rng.choice(4, p=[0.7, 0.1, 0.1, 0.1])
    ]
    return "\n".join(lines).encode()


def _proto(content: bytes, rng: np.random.Generator) -> bytes:
    """Change one thing of an ONNX model: an operator, an attribute, a constant, an input."""
    import onnx

    model = onnx.load_from_string(content)
    graph = model.graph
    trees = [node for node in graph.node if node.op_type.startswith("TreeEnsemble")]
    node = trees[0] if rng.random() < 0.7 else graph.node[rng.integers(len(graph.node))]
    what = rng.integers(6)
    if what == 0:
        kinds = ["Cast", "Scaler", "Gather", "TreeEnsemble", "", "Imputer", "Div", "OneHotEncoder"]
        node.op_type = kinds[rng.integers(len(kinds))]
    elif what == 1 and len(node.input):
        node.input[rng.integers(len(node.input))] = ["X", "", "nothing"][rng.integers(3)]
    elif what == 2 and len(graph.initializer):
        one = graph.initializer[rng.integers(len(graph.initializer))]
        one.dims[:] = [int(rng.choice([0, 1, 2**31, 2**62, -1, 3]))]
    elif what == 3 and len(node.attribute):
        del node.attribute[rng.integers(len(node.attribute))]
    elif len(node.attribute):
        _attribute(node.attribute[rng.integers(len(node.attribute))], rng)
    return model.SerializeToString()


def _attribute(one: Any, rng: np.random.Generator) -> None:
    whole = [0, 1, -1, 2, 7, 10**9, 2**31, 2**63 - 1, -(2**63)]
    if one.type == one.TENSOR:
        one.t.raw_data = _bytes(one.t.raw_data or b"\0", rng)
        return
    lists = {one.INTS: one.ints, one.FLOATS: one.floats, one.STRINGS: one.strings}
    if one.type in lists and len(lists[one.type]):
        own = lists[one.type]
        at = int(rng.integers(len(own)))
        if rng.random() < 0.2:
            del own[at]
        elif one.type == one.INTS:
            own[at] = whole[rng.integers(len(whole))]
        elif one.type == one.FLOATS:
            own[at] = float(rng.choice([0.0, -1.0, np.inf, np.nan, 1e38, -1e38]))
        else:
            own[at] = [b"", b"\xff", b"BRANCH_EQ", b"LEAF", b"BRANCH_X"][rng.integers(5)]
    else:
        one.i, one.f, one.s = whole[rng.integers(len(whole))], float("nan"), b"\xff"


def _zip(content: bytes, rng: np.random.Generator) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = "schema.json" if rng.random() < 0.6 else list(members)[rng.integers(len(members))]
    damage = _json if name == "schema.json" else _bytes
    members[name] = damage(members[name], rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for each, data in members.items():
            archive.writestr(each, data)
    return out.getvalue()


def say(record: Any) -> None:
    sys.stdout.write(json.dumps(record) + "\n")
    sys.stdout.flush()


def main(kind: str, count: int, seed: int) -> None:
    for library in ("catboost", "lightgbm", "onnx", "skl2onnx", "skops.io", "xgboost"):
        if find_spec(library.partition(".")[0]):
            import_module(library)

    import orderless as ol
    from orderless.cli.mistakes import Mistake
    from orderless.cli.models import load_model
    from orderless.errors import InvalidSpace, InvalidTree, UnreadableModel

    content = (FILES | SUMS)[kind]()
    read_one = ol.read if kind in SUMS else load_model
    rng = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        path.write_bytes(content)
        read_one(path)
        now = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (now + ROOM, now + ROOM))
        read = refused = 0
        for number in range(count):
            damaged = changed(kind, content, rng)
            path.write_bytes(damaged)
            sys.stderr.write(f"{number}\n")
            try:
                read_one(path)
                read += 1
            except (InvalidSpace, InvalidTree, UnreadableModel) as fault:
                refused += 1
                if kind not in SUMS:
                    say([number, type(fault).__name__, str(fault)[:300]])
            except Mistake as fault:
                refused += 1
                if not str(fault).startswith("model"):
                    say([number, "unnamed", str(fault)])
            except BaseException as fault:
                say([number, type(fault).__name__, str(fault)[:300]])
    say({"read": read, "refused": refused})


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
