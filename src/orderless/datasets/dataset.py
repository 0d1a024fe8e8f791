"""``load`` a data set of the paper by name: from a folder, built in, or from the web.

In:  a name.
Out: ``Dataset``: rows, label, and where they came from. What comes from elsewhere is checked
     against the catalog; an error says what to do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataNotFound, InvalidData
from . import builtin
from .catalog import CATALOG, REPOSITORY, Entry, entry_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Dataset", "describe", "load", "names"]

VARIABLE = "ORDERLESS_DATA"
OPENML_HIGGS = 42769


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
    path = _folder_file(entry)
    if path is not None:
        return f"folder {path.parent}"
    return {"openml": "download", "folder": "none"}.get(entry.origin, entry.origin)


def _frame(entry: Entry) -> tuple[pd.DataFrame, str]:
    origin = _source(entry)
    path = _folder_file(entry)
    if path is not None:
        return _read(path, entry), origin
    match entry.origin:
        case "scikit-learn" | "generated":
            return builtin.make(entry), origin
        case "download":
            return _download(entry), origin
        case "openml":
            return _fetch_openml(entry), origin
        case "folder":
            raise _missing_from_folder(entry)


# -- from elsewhere --------------------------------------------------------------------------------


def _folder() -> Path | None:
    """Name the folder that ``ORDERLESS_DATA`` points to, which need not exist; None if not set."""
    value = os.environ.get(VARIABLE, "")
    return Path(value).expanduser() if value else None


def _folder_file(entry: Entry) -> Path | None:
    """Find the file of a data set in the folder; None if there is no folder, or no file in it."""
    place = _folder()
    if place is None or not (place / entry.file).is_file():
        return None
    return place / entry.file


def _read(path: Path, entry: Entry) -> pd.DataFrame:
    """Read a file and make sure that it is what its name says.

    Where the checksum is known, nothing but the published content is accepted, with line ends of
    either kind. Where it is not (netherlands, higgs), the shape must be the paper's and the last
    column must have two values. Linear in the size of the file.
    """
    import pandas as pd

    remedy = f"Replace {path} with the complete file{_origin(entry)}, or remove it"
    try:
        if entry.sha256 is None:
            frame = pd.read_csv(path)
            checksum = None
        else:
            content = path.read_bytes()
            checksum = sha256(_published_line_ends(content)).hexdigest()
            frame = pd.read_csv(BytesIO(content))
    except ValueError as error:  # pandas' parser errors and broken encodings are ValueErrors
        raise InvalidData(
            f"{path} cannot be read as CSV ({str(error).strip()}). {remedy}"
        ) from error
    _check_shape(frame, entry, str(path), remedy)
    if checksum != entry.sha256:
        raise InvalidData(
            f"{path} has the rows and columns of {entry.name!r} but other content: its sha256 is "
            f"{checksum}, that of the published file is {entry.sha256}. {remedy}"
        )
    return frame


def _download(entry: Entry) -> pd.DataFrame:
    """Fetch a file from the authors' repository, once; later calls find it in pooch's cache.

    Raises ``DataNotFound`` if there is no network, or what came is not the published file.
    """
    try:
        import pooch

        path = pooch.retrieve(
            url=entry.address,
            known_hash=f"sha256:{entry.sha256}",
            fname=entry.file,
            path=pooch.os_cache("orderless"),
            downloader=_fetch,
        )
    except (ImportError, OSError, ValueError) as error:  # requests' errors are OSErrors
        raise DataNotFound(
            _advice(entry, f"{entry.address} could not be downloaded", error)
        ) from error
    return _read(Path(path), entry)


def _fetch_openml(entry: Entry) -> pd.DataFrame:
    """Fetch Higgs with scikit-learn's OpenML client, which keeps it in its own cache.

    Raises ``DataNotFound`` if OpenML cannot be reached, ``InvalidData`` if what came has another
    shape. The label is 0 and 1.
    """
    import pandas as pd
    from sklearn.datasets import fetch_openml as fetch

    what = f"OpenML's data set {OPENML_HIGGS}"
    try:
        X, y = fetch(data_id=OPENML_HIGGS, as_frame=True, return_X_y=True)
    except (ImportError, OSError, ValueError) as error:
        raise DataNotFound(_advice(entry, f"{what} could not be fetched", error)) from error
    frame: pd.DataFrame = X.copy()
    if isinstance(y, pd.Series) and y.nunique(dropna=False) == 2:
        # OpenML's labels are categories of text; a CSV file would give whole numbers.
        frame[y.name] = pd.to_numeric(y.astype(str)).astype("int64")
    _check_shape(frame, entry, what, f"Use {entry.file} in a folder instead ({VARIABLE})")
    return frame


def _missing_from_folder(entry: Entry) -> DataNotFound:
    """Return the error for a data set that only a folder can have."""
    return DataNotFound(
        _advice(entry, "it is not public: if you may use it, you need a file of your own")
    )


def _check_shape(frame: pd.DataFrame, entry: Entry, what: str, remedy: str) -> None:
    rows, columns = frame.shape
    label = str(frame.columns[-1]) if columns else None
    known = f" with label {entry.label!r}" if entry.label else ""
    shape_fits = (rows, columns - 1) == (entry.rows, entry.features)
    if not shape_fits or entry.label not in (None, label):
        raise InvalidData(
            f"{what} is not the data set {entry.name!r}: it has {rows} rows x {columns - 1} "
            f"features with label {label!r}; expected {entry.rows} rows x {entry.features} "
            f"features{known}, label last. {remedy}"
        )
    values = frame.iloc[:, -1].nunique(dropna=False)
    if values != 2:
        raise InvalidData(
            f"the last column of {what}, {label!r}, has {values} different values; it should be "
            f"the label of {entry.name!r}, with 2. {remedy}"
        )


def _published_line_ends(content: bytes) -> bytes:
    # The published files have CR LF; git and editors may turn that into LF.
    return content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def _fetch(url: str, output_file: str, mirror: Any) -> None:
    """Download for pooch, and give the file the line ends that its checksum was taken with."""
    import pooch

    pooch.HTTPDownloader()(url, output_file, mirror)
    path = Path(output_file)
    path.write_bytes(_published_line_ends(path.read_bytes()))


def _origin(entry: Entry) -> str:
    return f" (data/{entry.file} of {REPOSITORY})" if entry.sha256 else ""


def _advice(entry: Entry, reason: str, error: Exception | None = None) -> str:
    place = _folder()
    if place is None:
        state = f"{VARIABLE} is not set"
        todo = (
            f"put the file {entry.file}{_origin(entry)} into a folder, say ~/orderless-data, and "
            f"set the environment variable {VARIABLE}=~/orderless-data"
        )
    else:
        exists = f"has no {entry.file}" if place.is_dir() else "is not a folder"
        state = f"{VARIABLE} is {str(place)!r}, which {exists}"
        todo = f"put the file {entry.file}{_origin(entry)} into the folder {place}"
    cause = f" ({type(error).__name__}: {error})" if error else ""
    return f"cannot load {entry.name!r}: {state}, and {reason}{cause}. To use it, {todo}"
