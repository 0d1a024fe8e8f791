"""What notebooks show of a fitted set: what ``fit`` learned, and nothing that takes long.

In:  a fitted estimator.
Out: the table of its fitted attributes, as scikit-learn draws it.
"""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator

__all__ = ["fitted_attributes"]


def fitted_attributes(estimator: BaseEstimator, doc_link: str = "") -> Any:
    """Give scikit-learn's table of what ``fit`` stored, without evaluating a property.

    scikit-learn (from 1.8 on) asks for every attribute, also for those that count functions: that
    takes long, and may raise TooLarge. So it is shown a stand-in that has only what is stored.
    """
    kind = type(estimator)
    stand_in = type(kind.__name__, (BaseEstimator,), {"__doc__": kind.__doc__})()
    vars(stand_in).update(
        (name, value)
        for name, value in vars(estimator).items()
        if name.endswith("_") and not name.startswith("_")
    )
    return BaseEstimator._get_fitted_attr_html(stand_in, doc_link)
