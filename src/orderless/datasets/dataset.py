"""``load`` a data set of the paper by name.

In:  a name.
Out: ``Dataset``: rows, label, and where they came from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import builtin, source
from .catalog import CATALOG, Entry, entry_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Dataset", "describe", "load", "names"]


@dataclass(frozen=True, eq=False, repr=False)
class Dataset:
    """Rows, their label, and where they came from. Unpacks into ``X, y``.

    Parameters
    ----------
    name : str
        The name that was asked for.
    X : pandas.DataFrame
        The features.
    y : pandas.Series
        The label.
    source : str
        ``"scikit-learn"``, ``"generated"``, ``"folder <path>"`` or ``"download"``.

    Examples
    --------
    >>> X, y = load("spiral")
    >>> X.shape, y.name
    ((100, 2), 'target')
    """

    name: str
    X: pd.DataFrame
    y: pd.Series
    source: str

    @property
    def frame(self) -> pd.DataFrame:
        """The features and the label in one new DataFrame, the label last."""
        return self.X.join(self.y)

    def __iter__(self) -> Iterator[Any]:  # Any: a union would spoil "X, y = ..." under mypy
        return iter((self.X, self.y))

    def __repr__(self) -> str:
        rows, features = self.X.shape
        return f"Dataset({self.name!r}: {rows} rows x {features} features, label {self.y.name!r})"


def load(name: str) -> Dataset:
    """Load one of the paper's data sets.

    It comes from the folder that the environment variable ``ORDERLESS_DATA`` names, if that has
    its file; else it is built in (wisconsin and the three iris sets from scikit-learn, spiral and
    tic_tac_toe generated); else it is downloaded once, with a checksum, from the authors'
    repository, or from OpenML (higgs). Names, types, values and order of the rows are those that
    ``pandas.read_csv`` gives for the published file, whatever the source. Every call gives new
    objects.

    Parameters
    ----------
    name : str
        One of ``names()``.

    Returns
    -------
    Dataset
        Use it as ``X, y = load(name)``, or keep it for its ``frame`` and ``source``.

    Raises
    ------
    InvalidData
        The name is unknown, or the file in the folder is not the published one. A ``ValueError``.
    DataNotFound
        No source has it; the message says which file to put where. A ``FileNotFoundError``.

    Examples
    --------
    >>> load("tic_tac_toe")
    Dataset('tic_tac_toe': 958 rows x 18 features, label 'target')
    >>> X, y = load("iris_setosa")
    >>> list(X)
    ['sepal length', 'sepal width', 'petal length', 'petal width']
    """
    entry = entry_of(name)
    frame, origin = _frame(entry)
    # Copies: a view would make pandas 2 warn whoever changes it.
    return Dataset(name, frame.iloc[:, :-1].copy(), frame.iloc[:, -1].copy(), origin)


def names() -> tuple[str, ...]:
    """List the names that ``load`` takes: the paper's 13, then ``fico_full``.

    Returns
    -------
    tuple of str
        The names.

    Examples
    --------
    >>> names()[:3]
    ('compas', 'wine_quality', 'wisconsin')
    """
    return tuple(CATALOG)


def describe() -> pd.DataFrame:
    """Say what is known of each data set, without loading or downloading any.

    Returns
    -------
    pandas.DataFrame
        One row per name, with ``name``, ``rows``, ``features`` (the label not counted),
        ``positive_share`` (of the label; NaN where not known beforehand), ``label`` (name of the
        last column, missing where not known), ``source`` (what ``load`` would use now; "none" when
        there is none) and ``note``.

    Examples
    --------
    >>> describe().loc[:2, ["name", "rows", "features", "label"]]
               name  rows  features           label
    0        compas  6907         7  two_year_recid
    1  wine_quality  6497        11         quality
    2     wisconsin   569        30       Diagnosis
    """
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "name": entry.name,
                "rows": entry.rows,
                "features": entry.features,
                "positive_share": (
                    float("nan") if entry.positives is None else entry.positives / entry.rows
                ),
                "label": entry.label,
                "source": _source(entry),
                "note": entry.note,
            }
            for entry in CATALOG.values()
        ]
    )


def _source(entry: Entry) -> str:
    path = source.folder_file(entry)
    if path is not None:
        return f"folder {path.parent}"
    return {"openml": "download", "folder": "none"}.get(entry.origin, entry.origin)


def _frame(entry: Entry) -> tuple[pd.DataFrame, str]:
    origin = _source(entry)
    path = source.folder_file(entry)
    if path is not None:
        return source.read(path, entry), origin
    match entry.origin:
        case "scikit-learn" | "generated":
            return builtin.make(entry), origin
        case "download":
            return source.download(entry), origin
        case "openml":
            return source.fetch_openml(entry), origin
        case "folder":
            raise source.missing_from_folder(entry)
