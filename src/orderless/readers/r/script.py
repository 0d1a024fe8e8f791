"""Where the R script is.

In:  nothing.
Out: the path of ``orderless.R``, which writes trees and forests of R as JSON.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["r_script"]


def r_script() -> Path:
    """Give the path of the R script that writes models of R as JSON.

    In R, ``source(path)`` and ``orderless_json(model, "model.json")``; then
    ``orderless.read(Path("model.json"))``. It takes rpart, partykit's constant trees (ctree, and
    what ``as.party`` makes), and ranger; it needs no other package of R.

    Examples
    --------
    >>> r_script().name
    'orderless.R'
    """
    return Path(__file__).with_name("orderless.R")
