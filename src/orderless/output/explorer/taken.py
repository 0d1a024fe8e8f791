"""A chosen function as files: SQL, a page to fill in, a report, code.

In:  a tree, and the line that says from which set and by which choices it came.
Out: the file's kind and bytes.
"""

from __future__ import annotations

from typing import Any

from ...api import Tree
from ...model import printable
from ..page import write_page
from ..pages import report

__all__ = ["FORM_TITLE", "NAMES", "written"]

NAMES = ("json", "sql", "sklearn", "page", "report")
FORM_TITLE = "What is certain"
PLAIN = "text/plain; charset=utf-8"


def written(tree: Tree, kind: str, origin: str, X: Any, y: Any, costs: Any) -> tuple[str, bytes]:
    """Write a tree as one of ``NAMES``."""
    told = printable(origin)
    if kind == "json":
        return "application/json", tree.to_json().encode()
    if kind == "sql":
        text = f"{_comment('--', told)}\n{tree.to_sql()}\n"
        return PLAIN, text.encode()
    if kind == "sklearn":
        return PLAIN, sklearn_code(tree.to_json(), told).encode()
    if kind == "page":
        return "text/html", write_page(tree, title=FORM_TITLE, description=told).encode()
    page = report(tree, X, y, costs, about={"Where it comes from": told})
    return "text/html", page.html.encode()


def sklearn_code(model: str, origin: str) -> str:
    """Write Python that makes the scikit-learn classifier; needs orderless to run."""
    return (
        f"{_comment('#', origin)}\nimport orderless as ol\n\n"
        f"tree = ol.read({model!r})\n"
        "model = tree.to_sklearn()  # a fitted DecisionTreeClassifier; it takes complete rows\n"
    )


def _comment(sign: str, text: str) -> str:
    return "\n".join(f"{sign} {line}" for line in text.splitlines() or [""])
