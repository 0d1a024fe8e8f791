"""Packages that are not always installed: imported when they are needed, with one message.

In:  the name of a module, and what it is needed for.
Out: the module, or an error that says what to install.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["import_optional", "to_install"]

# The extra of orderless that brings a package. Others are installed by their own name.
EXTRAS = {
    "dask": "dask",
    "distributed": "cluster",
    "duckdb": "duckdb",
    "onnx": "onnx",
    "polars": "polars",
    "pyspark": "spark",
    "ray": "cluster",
    "skops": "skops",
}


def import_optional(name: str, *, needed_for: str) -> Any:
    """Import a module whose package may not be installed.

    Parameters
    ----------
    name : str
        Such as ``"polars.selectors"``.
    needed_for : str
        What cannot be done without it, such as ``"writing Parquet"``.

    Raises
    ------
    ModuleNotFoundError
        If the package is not installed. An error inside of the package stays what it is.

    Examples
    --------
    >>> import_optional("json", needed_for="this example").dumps([1])
    '[1]'
    >>> import_optional("no_such_package", needed_for="this example")
    Traceback (most recent call last):
    ...
    ModuleNotFoundError: this example needs no_such_package: pip install no_such_package
    """
    package = name.partition(".")[0]
    try:
        return import_module(name)
    except ModuleNotFoundError as fault:
        if fault.name is not None and fault.name.partition(".")[0] != package:
            raise
        message = f"{needed_for} needs {package}: {to_install(package)}"
        raise ModuleNotFoundError(message, name=package) from None


def to_install(package: str) -> str:
    """Give the command that installs an optional package.

    Examples
    --------
    >>> to_install("polars")
    "pip install 'orderless[polars]'"
    """
    return (
        f"pip install 'orderless[{EXTRAS[package]}]'"
        if package in EXTRAS
        else (f"pip install {package}")
    )
