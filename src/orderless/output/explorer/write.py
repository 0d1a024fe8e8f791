"""Write the explorer: one HTML file, or a page that this machine serves.

In:  a set of trees, and what its functions are judged by.
Out: HTML that needs no other file and no network; its content security policy allows nothing but
     its own script and style, by their hashes.
"""

from __future__ import annotations

import json
import os
import secrets
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...errors import InvalidData, a_kind
from ...inputs import write_whole
from ...model import printable
from ...rashomon import Judged, LookedAt, Wanted, chosen_frame, drawn_instead, looked_at
from ..code.javascript import part, script_of
from ..plots.look import GROUNDS, PAGE, page_colours
from ..templates import markup, render, sealed
from .content import set_content
from .live import Live
from .origin import about, judged_by, made_by, notes
from .rows import table_content
from .serve import serve

if TYPE_CHECKING:
    from ...rashomon import TreeSet

__all__ = ["explore", "write_explorer"]

SCRIPTS = (
    "set.js", "filters.js", "order.js", "draw.js", "parts.js", "compare.js", "build.js", "row.js",
    "take.js", "form.js", "live.js", "start.js",
)  # fmt: skip
LIMIT = 20_000


def write_explorer(
    trees: TreeSet,
    path: str | os.PathLike[str] | None = None,
    X: Any = None,
    y: Any = None,
    **options: Any,
) -> str:
    """Write a set as one page on which a person walks among its functions and chooses one.

    Parameters
    ----------
    trees : TreeSet
        For classes.
    path : path, optional
        File to write; complete or not at all.
    X, y, missing, costs, positive, measures, sample, draw, random_state
        What the functions are judged by, and which are shown, as in ``choose``.
    title : str
    rows : data frame, or True for X with its labels, optional
        Rows that are shown where functions differ. They are written into the page, so whoever has
        the file can read them.
    limit : int
        Most functions on the page. Of more, and without ``sample``, 2,000 are drawn, and the exact
        ends are beside them: the page says so, and a warning does.

    Returns
    -------
    str
        The page.
    """
    page = _page(trees, X, y, None, **options)
    if path is not None:
        write_whole(path, page)
    return page


def explore(
    trees: TreeSet,
    X: Any = None,
    y: Any = None,
    *,
    port: int = 0,
    ready: Callable[[str], object] | None = None,
    report_on: tuple[Any, Any] | None = None,
    **options: Any,
) -> None:
    """Serve the explorer to browsers on this machine, until Ctrl-C.

    Beyond the file it counts all trees that meet the filters, however many there are, and writes
    the chosen function as SQL, as a page to fill in and as a report.

    Parameters
    ----------
    trees : TreeSet
    port : int
        0 takes any that is free.
    ready : function of the address, optional
        Called when the page can be opened; by default it is opened in a browser, and its address
        is printed.
    report_on : (rows, labels), optional
        What the report is about; by default X and y.
    **options
        As of ``write_explorer``.
    """
    live = Live(trees, secrets.token_urlsafe(32), *(report_on or (X, y)), options.get("costs"))
    page = _page(trees, X, y, live, **options)
    told = _opened if ready is None else ready
    with live.working_ahead():
        serve(page, port=port, ready=told, answers=live.answers, token=live.token)


def _page(
    trees: TreeSet,
    X: Any,
    y: Any,
    live: Live | None,
    *,
    title: str = "Near-optimal functions",
    rows: Any = None,
    missing: Any = 0.1,
    costs: Any = None,
    positive: Any = None,
    measures: Any = (),
    sample: int | None = None,
    draw: str = "functions",
    random_state: Any = 0,
    limit: int = LIMIT,
) -> str:
    if not isinstance(title, str):
        raise TypeError(f"title must be text, got {a_kind(title)}")
    if trees._problem.task == "regression":
        raise InvalidData(
            "the explorer is about classes, and this set is of task='regression', whose trees "
            "predict numbers: ol.choose(trees) gives its functions as a table, function(name).tree "
            "the tree of one of them, and write_page(tree) its page to fill in"
        )
    judging = {
        "X": X, "y": y, "missing": missing, "costs": costs, "positive": positive,
        "measures": measures,
    }  # fmt: skip
    table = table_content(trees, rows, X, y)
    asked = trees._asked(X, y, missing, costs, positive, measures)
    some = _shown(trees, sample, draw, random_state, limit)
    if not some.all:
        some = trees._with_ends(some, X, y, positive, measures)
        some.remember(trees)
    judged = Judged(some.table, trees._problem, asked, some.drawn)
    content = set_content(trees, chosen_frame(judged, Wanted()), judged, some)
    content |= {
        "table": table,
        "made": made_by(trees),
        "judged": judged_by(judging, some, random_state),
        "again": some.all or isinstance(random_state, int),  # whether Python finds the same ones
        "about": about(trees, some),
        "live": None if live is None else {"token": live.token, "takes": live.takes},
    }
    if live is not None:
        live.see(some)
    data = json.dumps(content, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
    script = [f"const SET = {data};\n", *(part(name, "explorer") for name in SCRIPTS)]
    return sealed(
        "explorer/explorer.html",
        style=_style(),
        script=script_of("\n".join(script)),
        connect=live is not None,
        title=printable(title),
        about=content["about"],
        notes=notes(trees, some, judging),
        served=live is not None,
    )


def _shown(
    trees: TreeSet, sample: int | None, draw: str, random_state: Any, limit: int
) -> LookedAt:
    """Give the functions that are on the page."""
    trees._warn_of_part("the explorer")
    if sample is not None:
        return looked_at(trees, sample, draw, random_state, limit)
    trees._not_empty()
    some = drawn_instead(trees, random_state, limit)
    if not some.all:
        warnings.warn(
            f"the set has more than limit={limit:,} functions: the page shows {some.how}; say "
            "sample= and random_state= for a choice of your own",
            stacklevel=5,
        )
    return some


def _opened(address: str) -> None:
    import webbrowser

    print(f"Serving {address} (Ctrl-C ends it)")  # noqa: T201
    webbrowser.open(address)


def _style() -> str:
    """Give the style sheet: our own file, with the colours of pages and classes."""
    colours = {ground: markup(page_colours(ground)) for ground in GROUNDS}
    classes = "\n".join(
        f".{name} {{ border-bottom: 2px solid var(--{name}); }}"
        for name in PAGE
        if name.startswith("class-")
    )
    return f"{render('explorer/explorer.css', classes=markup(classes), **colours)}\n"
