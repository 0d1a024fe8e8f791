"""What is known of each data set without having it.

In:  nothing; facts written down once, from the files that the paper's authors published.
Out: ``CATALOG``, a mapping from name to ``Entry``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from ..errors import InvalidData
from ..inputs import near

__all__ = ["CATALOG", "REPOSITORY", "Entry", "entry_of"]

REPOSITORY = "https://github.com/HaydenMcT/predictive-equivalence"

Origin = Literal["scikit-learn", "generated", "download", "openml", "folder"]


@dataclass(frozen=True)
class Entry:
    """The known facts of one data set.

    Parameters
    ----------
    name : str
        What ``load`` takes.
    file : str
        Name of its file, in the authors' repository and in the folder of ``ORDERLESS_DATA``.
    rows, features : int
        Its shape; the label is not counted among the features.
    origin : {"scikit-learn", "generated", "download", "openml", "folder"}
        Where it comes from when no folder has it. "folder": from nowhere else.
    label : str or None
        Name of the label, the last column. None: not known beforehand.
    positives : int or None
        Rows of which the label is true or 1. None: not known beforehand.
    sha256 : str or None
        Checksum of the file as published, with lines that end in CR LF. None: not known.
    note : str
        What a user should know.
    """

    name: str
    file: str
    rows: int
    features: int
    origin: Origin
    label: str | None = None
    positives: int | None = None
    sha256: str | None = None
    note: str = ""

    @property
    def address(self) -> str:
        """Where the raw file is on the web.

        Examples
        --------
        >>> CATALOG["compas"].address.rpartition("/main/")[2]
        'data/compas_complete.csv'
        """
        raw = REPOSITORY.replace("//github.com/", "//raw.githubusercontent.com/")
        return f"{raw}/main/data/{self.file}"


_IRIS = {
    "setosa": "695a3a8c0c53c7f683792075226e23855fd8780622056555bfa5fd84a8a03d2f",
    "versicolor": "b8a1500c16d15910137f6ba603dac1afb71e6688684b3fcd2d3e4b94a2d587ff",
    "virginica": "adef30b4588286830e0814d1150a8bc4f0b998c03ef1bf2d1e511d458ec1944e",
}
_ENTRIES = (
    Entry(
        "compas",
        "compas_complete.csv",
        6907,
        7,
        "download",
        label="two_year_recid",
        positives=3196,
        sha256="cadd794f743f44e1d8f9d91c962d89d9fd96023be7bd9a8e2709a2efd1811037",
        note="criminal recidivism within two years",
    ),
    Entry(
        "wine_quality",
        "wine_quality.csv",
        6497,
        11,
        "download",
        label="quality",
        positives=4113,
        sha256="b0a9e913e4d6bfa6d2c94038813c3845f0d21b055ab35cd5e27dd116c47cd5a3",
        note="label True/False",
    ),
    Entry(
        "wisconsin",
        "wisconsin.csv",
        569,
        30,
        "scikit-learn",
        label="Diagnosis",
        positives=212,
        sha256="2db4f3ca83f885ebcf9331565c80a59d8bb4d3ebc2b6c804b73a12a2300bf01b",
        note="breast cancer; scikit-learn's has other names and the label inverted",
    ),
    Entry(
        "coupon",
        "coupon_full.csv",
        12079,
        67,
        "download",
        label="y",
        positives=6877,
        sha256="1d047f33b6a7fa8b52cd3ded11a201d541c4c345da24578f061e3227172dd22f",
        note="one-hot; the paper's 12,684 x 25 is before dropping rows and encoding",
    ),
    Entry(
        "fico",
        "fico_complete.csv",
        2502,
        23,
        "download",
        label="PoorRiskPerformance",
        positives=1560,
        sha256="e94aa59b57a7ec4e52060e4125b566210370852de83867aaa6573aa8ac27ea04",
        note="only rows without the special values -7, -8, -9; all rows are in fico_full",
    ),
    Entry(
        "broward",
        "broward_general_2y.csv",
        1954,
        38,
        "download",
        label="general_two_year",
        positives=889,
        sha256="42b2937b09bccca0fded244c4490c42f3f3ad5cd91b98646ba2ade9f99896af7",
        note="criminal recidivism within two years",
    ),
    Entry(
        "spiral",
        "spiral.csv",
        100,
        2,
        "generated",
        label="target",
        positives=50,
        sha256="12b69e414be0ff46bddff2cc4873e294b4e9a1c9557443ab05863bf96b643192",
        note="two interleaved spirals",
    ),
    Entry(
        "tic_tac_toe",
        "tic-tac-toe.csv",
        958,
        18,
        "generated",
        label="target",
        positives=626,
        sha256="675969b29511298e9f6c9da8255068ca50988bfd3dca40bea793382765f3859c",
        note="every final board, one-hot o/x per square, blank = both 0; label: x has won",
    ),
    *(
        Entry(
            f"iris_{species}",
            f"iris_{species}.csv",
            150,
            4,
            "scikit-learn",
            label="class",
            positives=50,
            sha256=sha256,
            note="one against the rest; UCI's copy, three cells unlike scikit-learn's",
        )
        for species, sha256 in _IRIS.items()
    ),
    Entry(
        "netherlands",
        "netherlands.csv",
        20_000,
        9,
        "folder",
        note="not public; only from a folder",
    ),
    Entry(
        "higgs",
        "higgs.csv",
        1_000_000,
        28,
        "openml",
        note="from OpenML, data id 42769",
    ),
    Entry(
        "fico_full",
        "fico_full.csv",
        10459,
        23,
        "download",
        label="PoorRiskPerformance",
        positives=5459,
        sha256="f9d672ce5c73f83ccde6df80995ed85a193497d20849c39aa303fe6e9106df17",
        note="not in the paper's tables: all rows of fico, with special values -7, -8, -9",
    ),
)

CATALOG: Mapping[str, Entry] = MappingProxyType({entry.name: entry for entry in _ENTRIES})


def entry_of(name: str) -> Entry:
    """Look up what is known of a data set; the error for another name lists all, and the closest.

    Examples
    --------
    >>> entry_of("spiral").rows
    100
    """
    if isinstance(name, str) and name in CATALOG:
        return CATALOG[name]
    wanted = str(name).lower().replace("-", "_").replace(" ", "_").removesuffix(".csv")
    by_file = {entry.file.removesuffix(".csv"): entry.name for entry in CATALOG.values()}
    hint = near(by_file.get(wanted, wanted), CATALOG, cutoff=0.5)
    raise InvalidData(
        f"there is no data set {name!r}{hint}: it must be one of {', '.join(CATALOG)}"
    )
