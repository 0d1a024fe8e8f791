"""Write the explorer: one HTML file, or a page that this machine serves.

In:  a set of trees, and what its functions are judged by.
Out: HTML that needs no other file and no network; its content security policy allows nothing but
     its own script and style, by their hashes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import InvalidData, a_kind
from ...inputs import write_whole
from ...model import printable, short_count
from ...rashomon import Judged, Wanted, chosen_frame
from ..code.javascript import literal, part, script_of
from ..page import serve_page
from ..plots.look import CLASSES, FORM, page_colours
from ..templates import markup, render, sealed
from .content import set_content

if TYPE_CHECKING:
    from ...rashomon import TreeSet

__all__ = ["explore", "write_explorer"]

SCRIPTS = ("set.js", "filters.js", "order.js", "draw.js", "panels.js", "start.js")
LIMIT = 20_000


def write_explorer(
    trees: TreeSet,
    target: str | os.PathLike[str] | None = None,
    X: Any = None,
    y: Any = None,
    *,
    title: str = "Near-optimal functions",
    missing: Any = 0.1,
    costs: Any = None,
    positive: Any = None,
    goals: Any = (),
    sample: int | None = None,
    random_state: Any = None,
    limit: int = LIMIT,
) -> str:
    """Write a set as one page on which a person walks among its functions and chooses one.

    Parameters
    ----------
    trees : RashomonSet, or a view of one
        For classes.
    target : path, optional
        File to write; complete or not at all.
    X, y, missing, costs, positive, goals
        What the functions are judged by, as in ``choose``.
    title : str
    sample : int, optional
        Show so many functions, drawn uniformly, instead of all; the page says so.
    random_state : int, RandomState, Generator or None
    limit : int
        Most functions on the page; more are an error.

    Returns
    -------
    str
        The page.
    """
    if not isinstance(title, str):
        raise TypeError(f"title must be text, got {a_kind(title)}")
    problem = trees._problem
    if problem.task == "regression":
        raise InvalidData(
            "the explorer is about classes, and this set is of task='regression', whose trees "
            "predict numbers: choose() gives its functions as a table"
        )
    functions = trees._looked_at(sample, random_state, limit)
    asked = trees._asked(X, y, missing, costs, positive, goals)
    judged = Judged(functions.table(), problem, asked)
    content = set_content(trees, chosen_frame(judged, Wanted()), judged)
    content["made"] = _made(trees)
    script = [f"const SET = {literal(content)};\n", *(part(name, "explorer") for name in SCRIPTS)]
    page = sealed(
        "explorer/explorer.html",
        style=_style(),
        script=script_of("\n".join(script)),
        title=printable(title),
        about=_about(trees, len(functions), sample),
        notes=_notes(missing, X, costs),
    )
    if target is not None:
        write_whole(target, page)
    return page


def explore(
    trees: TreeSet, *, port: int = 0, ready: Callable[[str], object] | None = None, **options: Any
) -> None:
    """Serve the explorer to browsers on this machine, until Ctrl-C.

    Parameters
    ----------
    trees : RashomonSet, or a view of one
    port : int
        0 takes any that is free.
    ready : function of the address, optional
        Called when the page can be opened; by default it is opened in a browser, and its address
        is printed.
    **options
        As of ``write_explorer``.
    """
    page = write_explorer(trees, **options)
    serve_page(page, port=port, ready=_opened if ready is None else ready)


def _opened(address: str) -> None:
    import webbrowser

    print(f"Serving {address} (Ctrl-C ends it)")  # noqa: T201
    webbrowser.open(address)


def _made(trees: TreeSet) -> str:
    """Give the Python that makes the set, as far as the set knows."""
    rules, view = trees._problem.rules, trees._view
    numbers = (rules.max_depth, float(rules.regularization), float(view.epsilon))
    kind = "" if rules.kind == "additive" else ', epsilon_kind="relative"'
    return f"ol.RashomonSet({', '.join(map(str, numbers))}{kind}).fit(X, y)"


def _about(trees: TreeSet, n_functions: int, sample: int | None) -> str:
    low, high = float(trees.objective), float(trees.bound)
    n_trees = short_count(trees.n_trees)
    some = f"{n_functions:,} function{'' if n_functions == 1 else 's'}"
    if sample is not None:
        some += ", drawn uniformly from all,"
    return (
        f"{n_trees} tree{'' if trees.n_trees == 1 else 's'} with an objective from {low:.4g} to "
        f"{high:.4g}; here are {some} that they are, each once."
    )


def _notes(missing: Any, X: Any, costs: Any) -> list[str]:
    if isinstance(missing, int | float):
        gaps = f"every value is missing with probability {missing:g}"
    elif isinstance(missing, dict):
        each = ", ".join(f"{printable(str(name))} {chance:g}" for name, chance in missing.items())
        gaps = f"values are missing with these probabilities: {each}"
    else:
        gaps = "the gaps are those of a table"
    rows = "the training rows" if X is None else "rows that were given"
    out = [
        "Training error: share of wrong training rows. Agreement: share of the other functions "
        "that decide alike, on average; overruled: share of rows on which more than half of all "
        f"functions decide otherwise, both on {rows}. Coverage: share of rows that are answered "
        f"for certain where {gaps}."
    ]
    if X is not None:
        out.append(
            "Questions: features that the cheapest way to an answer asks about, on average"
            + ("; cost: what it costs." if costs is not None else ".")
        )
    return out


def _style() -> str:
    """Give the style sheet: our own file, with the colours of pages and classes."""
    colours = {
        at: markup(page_colours(FORM | CLASSES, at, " ")) for at in ("light", "dark", "paper")
    }
    classes = "\n".join(
        f".{name} {{ border-bottom: 2px solid var(--{name}); }}" for name in CLASSES
    )
    return f"{render('explorer/explorer.css', classes=markup(classes), **colours)}\n"
