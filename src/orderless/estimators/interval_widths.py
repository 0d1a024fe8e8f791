"""How wide the intervals of rows are: the share of rows that are narrow enough, for every width.

In:  by rate of missing values, the width of each row's interval of numbers.
Out: ``IntervalWidths``: a tidy table of steps, the share at any width, and the least width for any
     share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ..model import Floats

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["IntervalWidths"]


class IntervalWidths:
    """Widths of the intervals that rows get, by rate. Made by ``coverage``.

    Attributes
    ----------
    rates : tuple of float
        Shares of the values that are missing.
    """

    def __init__(self, widths: Mapping[float, Floats]) -> None:
        self.rates = tuple(widths)
        self._sorted = {rate: np.sort(own) for rate, own in widths.items()}

    @property
    def table(self) -> pd.DataFrame:
        """By ``rate`` and ``width``: the ``share`` of rows whose interval is at most so wide.

        One row for every width that some interval has, rising, and for 0: the share in between is
        that of the width below. All repeats are taken together.
        """
        import pandas as pd

        parts = []
        for rate, own in self._sorted.items():
            width = np.unique(np.append(own, 0.0))
            share = np.searchsorted(own, width, side="right") / len(own)
            parts.append(pd.DataFrame({"rate": rate, "width": width, "share": share}))
        return pd.concat(parts, ignore_index=True)

    def within(self, width: float) -> dict[float, float]:
        """Give, by rate, the share of rows whose interval is at most so wide.

        0 gives the share of rows whose number is certain.
        """
        if not isinstance(width, int | float | np.number) or not width >= 0:
            raise ValueError(f"width must be a number of at least 0, got {width!r:.80}")
        if isinstance(width, np.floating):
            width = float(str(width))  # the decimal that it is written as
        return {
            rate: float(np.searchsorted(own, width, side="right") / len(own))
            for rate, own in self._sorted.items()
        }

    def reaching(self, share: float) -> dict[float, float]:
        """Give, by rate, the least width that this share of the rows stays within.

        0.9: nine rows of ten have an interval at most so wide.
        """
        if not isinstance(share, int | float | np.number) or not 0 <= share <= 1:
            raise ValueError(f"share must be a number from 0 to 1, got {share!r:.80}")
        out = {}
        for rate, own in self._sorted.items():
            enough = np.arange(1, len(own) + 1) / len(own) >= share
            out[rate] = float(own[int(np.argmax(enough))])
        return out

    def __repr__(self) -> str:
        lines = ["IntervalWidths: share of rows that are certain; width that half, nine of ten "
                 "and all rows stay within"]  # fmt: skip
        certain = self.within(0)
        half, most, every = (self.reaching(share) for share in (0.5, 0.9, 1.0))
        for rate in self.rates:
            lines.append(f"  missing {rate:g}: {certain[rate]:.3f} certain; {half[rate]:.4g}, "
                         f"{most[rate]:.4g}, {every[rate]:.4g}")  # fmt: skip
        return "\n".join(lines)
