"""Reasons within limits: of number, of time, and of a person's patience."""

import math
import subprocess
import sys

import pytest

import orderless as ol
from orderless.errors import OutOfTime, TooManyReasons


def checkerboard(n):
    """A tree with many reasons: parity of n thresholds on different features."""

    def grow(i, parity):
        if i == n:
            return {"prediction": parity}
        return {"feature": i, "true": grow(i + 1, 1 - parity), "false": grow(i + 1, parity)}

    return grow(0, 0)


def many_reasons(n):
    """(a1 or b1) and (a2 or b2) and ...: 2^n reasons for 1 from few leaves."""
    tree = {"prediction": 1}
    for i in reversed(range(n)):
        no = {"feature": 2 * i + 1, "true": tree, "false": {"prediction": 0}}
        tree = {"feature": 2 * i, "true": tree, "false": no}
    return tree


def test_limit_is_kept():
    form = ol.canonicalize(many_reasons(6), limit=10)
    with pytest.raises(TooManyReasons, match=r"limit=10 .*raise limit=") as caught:
        _ = form.reasons
    assert caught.value.met == 11
    assert len(ol.canonicalize(many_reasons(6)).reasons[1]) == 64
    assert len(ol.canonicalize(many_reasons(6), limit=10, exact=False).rules[1]) >= 1


def test_time_limit_is_kept():
    with pytest.raises(OutOfTime, match=r"time_limit=0\.05"):
        _ = ol.canonicalize(many_reasons(12), limit=10**9, time_limit=0.05).reasons
    for bad in (-1, math.nan):
        with pytest.raises(ValueError, match="time_limit"):
            ol.canonicalize({"prediction": 1}, time_limit=bad)
    with pytest.raises(ValueError, match="limit=0"):
        ol.canonicalize({"prediction": 1}, limit=0)


def test_ctrl_c_is_heard_while_reasons_are_found():
    code = (
        "import os, signal, threading, sys; sys.path[:0] = [sys.argv[1], sys.argv[1] + '/tests']\n"
        "import orderless as ol\n"
        "from tests.form.test_canonical_limits import many_reasons\n"
        "form = ol.canonicalize(many_reasons(13), limit=10**9, time_limit=1e9)\n"
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n    form.reasons\nexcept KeyboardInterrupt:\n    print('heard')\n"
    )
    here = str(__import__("pathlib").Path(__file__).parents[2])
    out = subprocess.run(
        [sys.executable, "-c", code, here], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "heard"


def test_parity_has_one_reason_per_cell():
    form = ol.canonicalize(checkerboard(6))
    assert len(form.reasons[0]) == len(form.reasons[1]) == 32
    assert form.rules == form.reasons
