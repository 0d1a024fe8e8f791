"""Data sets that come from elsewhere: a folder, the authors' repository, OpenML.

In:  an ``Entry`` of the catalog.
Out: a DataFrame, label last, that was checked against the entry; or an error that says what to do.
"""

from __future__ import annotations

import os
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import DataNotFound, InvalidData
from .catalog import REPOSITORY, Entry

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "VARIABLE",
    "download",
    "fetch_openml",
    "folder",
    "folder_file",
    "missing_from_folder",
    "read",
]

VARIABLE = "ORDERLESS_DATA"
OPENML_HIGGS = 42769


def folder() -> Path | None:
    """Name the folder that ``ORDERLESS_DATA`` points to, which need not exist; None if not set."""
    value = os.environ.get(VARIABLE, "")
    return Path(value).expanduser() if value else None


def folder_file(entry: Entry) -> Path | None:
    """Find the file of a data set in the folder; None if there is no folder, or no file in it."""
    place = folder()
    if place is None or not (place / entry.file).is_file():
        return None
    return place / entry.file


def read(path: Path, entry: Entry) -> pd.DataFrame:
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


def download(entry: Entry) -> pd.DataFrame:
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
    return read(Path(path), entry)


def fetch_openml(entry: Entry) -> pd.DataFrame:
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


def missing_from_folder(entry: Entry) -> DataNotFound:
    """Give the error for a data set that only a folder can have."""
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
    place = folder()
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
