"""Imputation, audited: how often a value that somebody filled in decides.

In:  a model, rows with unknown values, and ways to fill them in.
Out: ``ImputationAudit``: a tidy table, and its summary, in all or over time.
Paper: Section 6 compares imputation with what is certain; this says it of each row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidData, a_kind
from ..inputs import label_array, rows_at, rows_for
from ..model import (
    TIME_LIMIT,
    Budget,
    Flags,
    SumKernel,
    TreeKernel,
    in_budget,
    known_bins,
    plain_label,
)
from ..questions import explain_all, predict, status
from ..readers import read_model

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ImputationAudit", "audit_imputation"]

SHOWN = 6  # lines of the summary that are printed


@dataclass(frozen=True, eq=False, repr=False)
class ImputationAudit:
    """How often imputed values decide. Made by ``audit_imputation``.

    Attributes
    ----------
    table : pandas.DataFrame
        A line for each row and imputer, with the columns ``row`` (its position), ``imputer``,
        ``status`` ("certain", "open", "undecided" or "impossible", as ``model.status(X)``),
        ``gaps`` (how many features the model asks about and the row does not give), ``answer`` (of
        the row as the imputer filled it in; None where it left a gap that matters), ``agree``
        (whether all imputers get this answer), and ``decisive``: of an open row the features whose
        imputed values are in the reason of the filled row, so that they, with what is known,
        suffice for the answer; () elsewhere. With labels, also ``right``.
    """

    table: pd.DataFrame

    def summary(self, by: ArrayLike | None = None) -> pd.DataFrame:
        """Return a line for each imputer, or for each value of ``by`` and imputer.

        Parameters
        ----------
        by : one value for each row, optional
            The month that a row comes from, or the site.

        Returns
        -------
        pandas.DataFrame
            ``rows``, ``with_gaps``, ``certain`` and ``undecided`` (shares of rows; time did not
            suffice for the latter), ``imputation_decides`` (share of rows that are open and got an
            answer all the same), ``agree`` (share of open rows on
            which all imputers agree; NaN without any), and, with labels, ``accuracy`` and
            ``accuracy_where_certain``.
        """
        import pandas as pd

        lines = self.table
        keys = ["imputer"]
        if by is not None:
            values = np.asarray(by)
            n_rows = 0 if lines.empty else int(lines["row"].max()) + 1
            if values.shape != (n_rows,):
                raise InvalidData(
                    f"by has shape {values.shape}, and there are {n_rows:,} rows: give one value "
                    "for each row"
                )
            lines = lines.assign(by=values[lines["row"].to_numpy()])
            keys = ["by", "imputer"]
        out = []
        for key, some in lines.groupby(keys, sort=by is not None):
            is_open = some["status"] == "open"
            certain = some["status"] == "certain"
            line = dict(zip(keys, key, strict=True)) | {
                "rows": len(some),
                "with_gaps": int((some["gaps"] > 0).sum()),
                "certain": certain.mean(),
                "undecided": (some["status"] == "undecided").mean(),
                "imputation_decides": (is_open & some["answer"].notna()).mean(),
                "agree": some.loc[is_open, "agree"].mean(),
            }
            if "right" in some:
                line["accuracy"] = some["right"].mean()
                line["accuracy_where_certain"] = some.loc[certain, "right"].mean()
            out.append(line)
        return pd.DataFrame(out)

    def __repr__(self) -> str:
        summary = self.summary()
        shown = summary.head(SHOWN).round(4).to_string(index=False)
        more = len(summary) - SHOWN
        return f"ImputationAudit\n{shown}" + (f"\n... and {more:,} more" if more > 0 else "")


@in_budget
def audit_imputation(
    model: Any,
    X: Any,
    imputers: Any,
    *,
    y: ArrayLike | None = None,
    time_limit: float | None = TIME_LIMIT,
) -> ImputationAudit:
    """Find out of which rows imputed values decide the answer, and which of these values do.

    Parameters
    ----------
    model : Tree, Ensemble, or any model that ``orderless.read`` reads
    X : array or data frame
        Rows with unknown values, with the columns of the model's space.
    imputers : dict of name -> imputer, list of imputers, or one imputer
        Transformers with ``fit`` and ``transform`` (scikit-learn's, or a pipeline of them), or
        functions of X. What is fitted is used as it is; what is not is cloned, and fitted on X.
    y : labels, or numbers for a model of numbers, optional
        By row: what would have been right.
    time_limit : float, optional
        Seconds for the call; None for no limit. Most of it goes into what was decisive.

    Returns
    -------
    ImputationAudit

    Raises
    ------
    InvalidData
        If an imputer changes the number of rows or columns, or fills in what the space excludes,
        such as the mean of a yes and a no.
    OutOfTime
        If time did not suffice to explain all rows.

    Notes
    -----
    Where a row is certain, every imputer gets its answer (Corollary 4.2): what was filled in does
    not matter. Where it is open, an imputer decides; which of its values do is read off the reason
    of the filled row (``explain_all``). One reason of each different row and imputer.

    Examples
    --------
    >>> import numpy as np
    >>> import orderless as ol
    >>> from sklearn.impute import SimpleImputer
    >>> tree = ol.read({"feature": "priors", "relation": "<=", "reference": 3,
    ...     "true": {"prediction": "no"}, "false": {"feature": "age", "relation": "<=",
    ...     "reference": 25, "true": {"prediction": "yes"}, "false": {"prediction": "no"}}},
    ...     feature_names=["age", "priors"])
    >>> X = np.array([[20, 5], [np.nan, 1], [np.nan, 7], [60, 9]])
    >>> audit = ol.audit_imputation(tree, X, {"mean": SimpleImputer(), "zero": lambda X:
    ...                                       np.nan_to_num(X)})
    >>> audit.summary()[["imputer", "certain", "imputation_decides", "agree"]]
      imputer  certain  imputation_decides  agree
    0    mean     0.75                0.25    0.0
    1    zero     0.75                0.25    0.0
    >>> audit.table[["imputer", "status", "answer", "decisive"]][audit.table["row"] == 2]
      imputer status answer decisive
    2    mean   open     no   (age,)
    6    zero   open    yes   (age,)
    """
    import pandas as pd

    kernel = read_model(model)
    unknown = _unknown(kernel, X)
    row_status = np.asarray(status(kernel, X)).astype(str)
    is_open = row_status == "open"
    truth = None if y is None else [plain_label(value) for value in label_array(y, len(unknown))]
    answers: dict[str, list[Any]] = {}
    decisive: dict[str, list[tuple[str, ...]]] = {}
    ways = _named(imputers)
    for done, (name, impute) in enumerate(ways.items()):
        with Budget(Budget.current().left / (len(ways) - done)):
            rows = _filled(impute, X, name)
            answers[name] = np.ma.MaskedArray(predict(kernel, rows)).tolist()
            answered = np.array([answer is not None for answer in answers[name]], dtype=bool)
            explained = np.flatnonzero(is_open & answered)
            decisive[name] = _decisive(kernel, rows, explained, unknown)
    alike = [len(set(row)) == 1 for row in zip(*answers.values(), strict=True)]
    tables = []
    for name, answer in answers.items():
        table = pd.DataFrame(
            {
                "row": np.arange(len(unknown)),
                "imputer": name,
                "status": row_status,
                "gaps": unknown.sum(axis=1),
                "answer": pd.Series(answer, dtype=object),
                "agree": alike,
                "decisive": decisive[name],
            }
        )
        if truth is not None:
            table["right"] = [a == b for a, b in zip(answer, truth, strict=True)]
        tables.append(table)
    return ImputationAudit(pd.concat(tables, ignore_index=True))


def _unknown(kernel: TreeKernel | SumKernel, X: Any) -> Flags:
    """Return rows x features that the model asks about: whether the row leaves several bins."""
    bins, rows = kernel.bins, rows_for(kernel, X)
    unknown = np.zeros((rows.n_rows, len(bins.features)), dtype=bool)
    for k in range(len(bins.features)):
        unknown[:, k] = known_bins(bins, k, rows) < 0
    return unknown


def _named(imputers: Any) -> dict[str, Any]:
    """Return imputers by name; a list by the names of their classes or functions."""
    if isinstance(imputers, Mapping):
        named = {str(name): impute for name, impute in imputers.items()}
    else:
        several = imputers if isinstance(imputers, list | tuple) else [imputers]
        named = {}
        for impute in several:
            name = getattr(impute, "__name__", type(impute).__name__)
            same = sum(known.partition(" ")[0] == name for known in named)
            named[f"{name} {same + 1}" if same else name] = impute
    if not named:
        raise InvalidData("there is no imputer: give at least one")
    for name, impute in named.items():
        if not callable(impute) and not hasattr(impute, "transform"):
            raise InvalidData(
                f"imputer {name!r} is {a_kind(impute)}: give a transformer, with fit and "
                "transform, or a function of X"
            )
    return named


def _filled(impute: Any, X: Any, name: str) -> Any:
    """Return the rows as an imputer fills them in, as a data frame where one came in."""
    if hasattr(impute, "transform"):
        from sklearn.base import clone
        from sklearn.exceptions import NotFittedError
        from sklearn.utils.validation import check_is_fitted

        try:
            check_is_fitted(impute)
        except NotFittedError:
            impute = clone(impute).fit(X)
        rows = impute.transform(X)
    else:
        rows = impute(X)
    came, shape = np.shape(X), np.shape(rows)
    if shape != came:
        raise InvalidData(
            f"imputer {name!r} made a table of shape {shape} of one of shape {came}: give one that "
            "keeps rows and columns, such as SimpleImputer(keep_empty_features=True)"
        )
    if hasattr(X, "columns") and not hasattr(rows, "columns"):
        import pandas as pd

        return pd.DataFrame(rows, columns=list(X.columns))
    return rows


def _decisive(
    kernel: TreeKernel | SumKernel, rows: Any, which: NDArray[np.intp], unknown: Flags
) -> list[tuple[str, ...]]:
    """Return by row the unknown features that are in the reason of the filled row."""
    decisive: list[tuple[str, ...]] = [()] * len(unknown)
    if not len(which):
        return decisive
    names = np.array([feature.name for feature in kernel.bins.features])
    reasons = explain_all(kernel, rows_at(rows, which), Budget.current().left).reasons
    for row, reason in zip(which.tolist(), reasons, strict=True):
        if reason is not None:
            gaps = set(names[unknown[row]].tolist())
            decisive[row] = tuple(name for name in reason.features if name in gaps)
    return decisive
