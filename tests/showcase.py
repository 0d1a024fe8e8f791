"""Forms that the tests of the output show, and the golden files they are compared with.

``ORDERLESS_GOLDEN=1 pytest tests/output`` writes the golden files anew.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import orderless as ol

GOLDEN = Path(__file__).parent / "golden"

HOSTILE = (
    "<script>alert(1)</script>",
    "a\"b'c`d`",
    "line\nbreak\x1b[31m\u202e",
    "| **bold** | [x](http://a.b) $\\alpha$ #1_2^3~& 50%",
    "größe μ 中文 🙂 [b]",
    "'''\"\"\"\\",
    " --  spaces ",
)


def check_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    text = text.rstrip("\n") + "\n"
    if os.environ.get("ORDERLESS_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8", newline="\n")
    assert text == path.read_text(encoding="utf-8"), f"{name} changed; see tests/showcase.py"


def leaf(label: Any) -> dict[str, Any]:
    return {"prediction": label}


def ask(feature: str, relation: str, reference: Any, yes: Any, no: Any) -> dict[str, Any]:
    return {"feature": feature, "relation": relation, "reference": reference,
            "true": yes, "false": no}  # fmt: skip


def mixed() -> ol.CanonicalForm:
    """Integer, float32, boolean and categorical with other; three classes."""
    colors = ("red", "green", "blue", "grey")
    space = ol.Space(
        [
            ol.Feature("age", values="integer"),
            ol.Feature("lab value", values="float32"),
            ol.Feature("smoker", "boolean"),
            ol.Feature("color", "categorical", categories=colors, other=True),
        ]
    )
    young = ask("smoker", "==", 1, leaf("high"),
                ask("color", "in", ["red", "blue"], leaf("middle"), leaf("low")))  # fmt: skip
    old = ask("age", "<=", 60, ask("smoker", "==", 1, leaf("middle"), leaf("low")), leaf("high"))
    green = ask("lab value", "<=", 2.5, leaf("middle"), leaf("high"))
    tree = ask("age", "<=", 24.5, ask("lab value", "<=", 0.1, leaf("low"), young),
               ask("color", "in", ["green"], green, old))  # fmt: skip
    return ol.canonicalize(ol.read(tree, space=space))


def mixed_rows() -> tuple[list[dict[str, Any]], list[str]]:
    rows = [
        {"age": age, "lab value": lab, "smoker": smoker, "color": color}
        for age in (20, 40, 70, None)
        for lab in (0.05, 1.0, 3.0)
        for smoker in (0, 1, None)
        for color in ("red", "green", "pink")
    ]
    return rows, [("low", "middle", "high")[(i * i + i // 7) % 3] for i in range(len(rows))]


def hostile() -> ol.CanonicalForm:
    """Names, categories and labels that mean something in every format."""
    last = HOSTILE[-1]
    kinds: dict[str, Any] = dict.fromkeys(HOSTILE[:-1], "boolean")
    space = ol.Space({**kinds, last: [*HOSTILE, "", " "]})
    labels = ("<b>&amp;", "| \\ {x}\n")
    tree = ask(last, "in", list(HOSTILE[:3]), leaf(labels[0]), leaf(labels[1]))
    for name in reversed(HOSTILE[:-1]):
        tree = ask(name, "==", 1, leaf(labels[len(name) % 2]), tree)
    return ol.canonicalize(ol.read(tree, space=space))


def constant() -> ol.CanonicalForm:
    tree = ol.Tree(ol.Space.independent(["a"]), ["no", "yes"], feature=[-1], threshold=[0],
                   when_true=[-1], when_false=[-1], leaf_class=[1])  # fmt: skip
    return ol.canonicalize(tree)


def iris() -> tuple[ol.CanonicalForm, Any, Any]:
    """A tree by scikit-learn, on two features so that no two splits are equally good."""
    from sklearn.datasets import load_iris
    from sklearn.tree import DecisionTreeClassifier

    data = load_iris(as_frame=True)
    X = data.data[["sepal length (cm)", "petal width (cm)"]]
    y = data.target_names[data.target]
    fitted = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, y)
    return ol.canonicalize(fitted), X, y


FORMS = {"mixed": mixed, "hostile": hostile, "constant": constant, "iris": lambda: iris()[0]}
