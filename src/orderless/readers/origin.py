"""Where a model comes from: the library that made it, and what kind of model it is there.

In:  a model as it was given: an estimator, perhaps in a pipeline, a file, or a tree of ours.
Out: ``Origin``, for the model card.
"""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from ..model import SumKernel, TreeKernel
from .dispatch import opened, reader_of_text
from .wrapped import unwrapped

__all__ = ["OURS", "Origin", "origin_of"]

BOOSTED = ("lightgbm", "xgboost", "catboost")
# The beginning of a class's name, and the kind that it is.
KINDS = {"RandomForest": "random-forest", "XGBRF": "random-forest", "ExtraTrees": "extra-trees",
         "Bagging": "bagging", "AdaBoost": "boosting", "GradientBoosting": "gradient-boosting",
         "HistGradientBoosting": "gradient-boosting", "GBT": "gradient-boosting"}  # fmt: skip
DISTRIBUTIONS = {"sklearn": "scikit-learn"}


class Origin(NamedTuple):
    """The library that made a model, the name of its class there, and what that stands in.

    ``library`` is what Hugging Face's hub calls it: "sklearn", "lightgbm".
    """

    library: str
    name: str = ""
    inside: str = ""

    def kind(self, model: TreeKernel | SumKernel) -> str:
        """Say what kind of model it is."""
        if isinstance(model, TreeKernel):
            return "decision-tree"
        named = (kind for start, kind in KINDS.items() if self.name.startswith(start))
        usual = "gradient-boosting" if self.library in BOOSTED else "tree-ensemble"
        return next(named, usual)

    def __str__(self) -> str:
        of = DISTRIBUTIONS.get(self.library, self.library)
        name = f"{self.name} of {of}" if self.name else f"a model of {of}"
        with suppress(PackageNotFoundError):
            name += f" {version(of)}" if self.name else ""
        return f"{name}, in a {self.inside}" if self.inside else name


OURS = Origin("orderless")


def origin_of(model: Any) -> Origin:
    """Say which library made a model; where only the tree itself is left, that is orderless.

    Examples
    --------
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> origin_of(RandomForestClassifier())[:2]
    ('sklearn', 'RandomForestClassifier')
    >>> origin_of({"prediction": 1}).library
    'orderless'
    """
    if isinstance(model, Origin):
        return model
    inner = opened(model)
    if isinstance(inner, str):
        reader = reader_of_text(inner)
        return OURS if reader is None else Origin(_format(reader.__name__))
    if isinstance(inner, TreeKernel | SumKernel):
        return OURS
    wrapped = unwrapped(inner, None).model
    library = type(wrapped).__module__.partition(".")[0]
    if library in ("builtins", "orderless"):
        return OURS
    if isinstance(model, Path | bytes):
        return Origin(library)  # the class of a file says nothing about the model
    inside = "" if wrapped is inner else type(inner).__qualname__
    return Origin(library, type(wrapped).__qualname__, inside)


def _format(module: str) -> str:
    """Return what the reader of a format is called, from the name of its module."""
    return module.partition(".readers.")[2].partition(".")[0]
