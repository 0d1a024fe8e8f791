"""Live forests and boosted trees of Spark MLlib: saved, and read from there."""

from __future__ import annotations

from typing import Any

from ..pyspark import knows, saved_text
from .build import ColumnEnsemble
from .spark_models import from_text

__all__ = ["from_pyspark", "knows"]


def from_pyspark(model: Any) -> ColumnEnsemble:
    """Read all trees."""
    return from_text(saved_text(model))
