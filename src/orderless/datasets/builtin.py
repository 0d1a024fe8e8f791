"""The data sets that need neither a file nor a network.

In:  an ``Entry`` of the catalog.
Out: a DataFrame, label last, equal in every cell to the file that the authors published.
"""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING

from .catalog import Entry

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["final_boards", "iris", "make", "spiral", "tic_tac_toe", "wisconsin"]


def make(entry: Entry) -> pd.DataFrame:
    """Make a built-in data set, one whose origin is "scikit-learn" or "generated"."""
    family, _, species = entry.name.partition("_")
    if family == "iris":
        return iris(species)
    return {"spiral": spiral, "tic_tac_toe": tic_tac_toe, "wisconsin": wisconsin}[entry.name]()


def wisconsin() -> pd.DataFrame:
    """Breast cancer of Wisconsin, from scikit-learn.

    The file's values are scikit-learn's; its names are UCI's (``radius1`` is the mean, ``radius2``
    the standard error and ``radius3`` the worst) and its label is inverted: 1 is malignant.

    Returns
    -------
    pandas.DataFrame
        569 rows, 30 features, and ``Diagnosis``.

    Examples
    --------
    >>> int(wisconsin()["Diagnosis"].sum())
    212
    """
    import pandas as pd
    from sklearn.datasets import load_breast_cancer

    source = load_breast_cancer()
    quantities = [
        "radius",
        "texture",
        "perimeter",
        "area",
        "smoothness",
        "compactness",
        "concavity",
        "concave_points",
        "symmetry",
        "fractal_dimension",
    ]
    columns = [f"{quantity}{k}" for k in (1, 2, 3) for quantity in quantities]
    frame = pd.DataFrame(source.data, columns=columns)
    frame["Diagnosis"] = (1 - source.target).astype("int64")
    return frame


def iris(species: str) -> pd.DataFrame:
    """One iris species against the two others, from scikit-learn.

    The authors' files are made from UCI's copy, which differs from Fisher's paper in three cells;
    scikit-learn has Fisher's values. To be equal to the files, those three cells are set here to
    UCI's values (rows counted from 0):

    ====  ============  =============  =====
    row   feature       scikit-learn   here
    ====  ============  =============  =====
    34    petal width   0.2            0.1
    37    sepal width   3.6            3.1
    37    petal length  1.4            1.5
    ====  ============  =============  =====

    Parameters
    ----------
    species : {"setosa", "versicolor", "virginica"}
        The species of which the label is True.

    Returns
    -------
    pandas.DataFrame
        150 rows, 4 features, and ``class``.

    Examples
    --------
    >>> float(iris("virginica").loc[34, "petal width"])
    0.1
    """
    import pandas as pd
    from sklearn.datasets import load_iris

    source = load_iris()
    columns = ["sepal length", "sepal width", "petal length", "petal width"]
    frame = pd.DataFrame(source.data, columns=columns)
    frame.loc[34, "petal width"] = 0.1
    frame.loc[37, "sepal width"] = 3.1
    frame.loc[37, "petal length"] = 1.5
    frame["class"] = source.target == list(source.target_names).index(species)
    return frame


def spiral() -> pd.DataFrame:
    r"""Two interleaved spirals of 50 points, by formula.

    Point :math:`i = 0, \dots, 49` of spiral :math:`c \in \{0, 1\}` is

    .. math:: r_i = \frac{52 - i}{104}, \quad \varphi_i = \frac{i \pi}{16} + c \pi, \quad
       (r_i \cos \varphi_i,\ r_i \sin \varphi_i),

    rounded to three decimals: the spirals of Lang and Witbrock, but with a radius that falls twice
    as fast. In the authors' file 0.169 and its mirror image are printed as 0.1689999999999999
    (``feat1`` of rows 6 and 56); they are set so here.

    Returns
    -------
    pandas.DataFrame
        100 rows, ``feat1``, ``feat2``, and ``target``.

    References
    ----------
    K. J. Lang and M. J. Witbrock, "Learning to tell two spirals apart", Proceedings of the 1988
    Connectionist Models Summer School.

    Examples
    --------
    >>> spiral().iloc[[0, 1, 50]].to_numpy().tolist()
    [[0.5, 0.0, 0.0], [0.481, 0.096, 0.0], [-0.5, 0.0, 1.0]]
    """
    import pandas as pd

    points = []
    for arm in (0, 1):
        for i in range(50):
            radius, angle = (52 - i) / 104, i * pi / 16 + arm * pi
            x, y = round(radius * cos(angle), 3), round(radius * sin(angle), 3)
            points.append((x, y, float(arm)))
    frame = pd.DataFrame(points, columns=["feat1", "feat2", "target"])
    frame.loc[6, "feat1"] = 0.1689999999999999
    frame.loc[56, "feat1"] = -0.1689999999999999
    return frame


_LINES = (
    *((0, 1, 2), (3, 4, 5), (6, 7, 8)),
    *((0, 3, 6), (1, 4, 7), (2, 5, 8)),
    *((0, 4, 8), (2, 4, 6)),
)


def _winner(board: str) -> str:
    for a, b, c in _LINES:
        if board[a] != " " and board[a] == board[b] == board[c]:
            return board[a]
    return ""


def final_boards() -> dict[str, str]:
    """Play every game of tic-tac-toe, x first, and keep the boards on which a game ends.

    Returns
    -------
    dict of str to str
        Board (nine characters of ``x``, ``o`` and blank, row by row) to its winner, ``""`` for a
        draw.

    Examples
    --------
    >>> boards = final_boards()
    >>> len(boards), boards["xxxoo    "], sum(winner == "" for winner in boards.values())
    (958, 'x', 16)
    """
    ended: dict[str, str] = {}
    seen: set[str] = set()
    waiting = [(" " * 9, "x", "o")]
    while waiting:
        board, player, other = waiting.pop()
        for square in range(9):
            after = board[:square] + player + board[square + 1 :]
            if board[square] != " " or after in seen:
                continue
            seen.add(after)
            winner = _winner(after)
            if winner or " " not in after:
                ended[after] = winner
            else:
                waiting.append((after, other, player))
    return ended


def tic_tac_toe() -> pd.DataFrame:
    """Every final board of tic-tac-toe, and whether x has won.

    The rows are in UCI's order: boards that x has won, then those that o has won, then draws, each
    in the order of the squares with x before o before blank.

    Returns
    -------
    pandas.DataFrame
        958 rows, ``Feat0_o``, ``Feat0_x``, ... ``Feat8_x`` (blank: both 0), and ``target``.

    Examples
    --------
    >>> tic_tac_toe().shape
    (958, 19)
    """
    import pandas as pd

    boards = final_boards()

    def position(board: str) -> tuple[int, list[int]]:
        return ("x", "o", "").index(boards[board]), ["xo ".index(mark) for mark in board]

    rows = [
        [int(mark == player) for mark in board for player in "ox"] + [int(boards[board] == "x")]
        for board in sorted(boards, key=position)
    ]
    columns = [f"Feat{square}_{player}" for square in range(9) for player in "ox"]
    return pd.DataFrame(rows, columns=[*columns, "target"], dtype="int64")
