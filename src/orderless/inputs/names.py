"""Names in messages: the one that was probably meant, and a few of many.

In:  a name that is not there, and those that are.
Out: text to put into an error message.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["near", "some_names"]


def near(name: object, allowed: Iterable[object], *, cutoff: float = 0.6) -> str:
    """Ask whether the closest allowed name was meant; give no text if none is close.

    Examples
    --------
    >>> near("Age", ["age", "sex"])
    " (did you mean 'age'?)"
    """
    by_text = {str(other).casefold(): other for other in allowed}
    close = get_close_matches(str(name).casefold(), by_text, n=1, cutoff=cutoff)
    return f" (did you mean {by_text[close[0]]!r:.80}?)" if close else ""


def some_names(names: Iterable[object], most: int = 12) -> str:
    """List a few names, and say how many more there are.

    Examples
    --------
    >>> some_names(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    names = list(names)
    shown = ", ".join(f"{name!r:.80}" for name in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "")
