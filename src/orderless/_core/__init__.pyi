"""The C++ core: a submodule per folder of ``cpp/core``. Private."""

from . import (
    acquisition as acquisition,
    base as base,
    bins as bins,
    ensembles as ensembles,
    importance as importance,
    rashomon as rashomon,
    reasons as reasons,
    rows as rows,
    same as same,
    smallest as smallest,
    tree as tree,
)
