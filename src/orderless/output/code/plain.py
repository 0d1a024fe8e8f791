"""Exports of models over spaces with facts: what is written knows no facts, and this is said.

In:  a ``Tree``, ``CanonicalForm`` or ``Ensemble``.
Out: the same without facts, and a warning. What is certain without them is certain with them.
"""

from __future__ import annotations

import warnings
from typing import Any, TypeVar

from ...form import Form, canonical_form
from ...model import SumKernel, TreeKernel

__all__ = ["plain"]

Source = TypeVar("Source", TreeKernel, Form, SumKernel, TreeKernel | Form)


def plain(source: Source, what: str) -> Source:
    """Give what can be written in another language, which knows no facts between features.

    Warns
    -----
    UserWarning
        If there were facts.
    """
    model = source.tree if isinstance(source, Form) else source
    if model.space.knowledge is None:
        return source
    warnings.warn(
        f"{what} writes nothing of the facts between features: every complete row gets its class, "
        "also one that the facts exclude, and a row with unknown values only one that is certain "
        "without the facts",
        UserWarning,
        stacklevel=4,
    )
    own: Any = model.over(model.space.without_facts())
    out: Any = canonical_form(own) if isinstance(source, Form) else own
    return out  # type: ignore[no-any-return]
