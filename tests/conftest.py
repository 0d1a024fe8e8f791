"""Shared settings of the tests."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browsing
import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "orderless",
    deadline=None,  # timings are benchmarks, never tests
    max_examples=100,
    derandomize=True,  # the same input gives the same result, in CI too
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("orderless")

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_configure():
    """Hear Ctrl-C: what a shell starts in the background ignores it, and so do its children.

    Tests interrupt processes that they start, which would go on for ever.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the paper's data and known numbers."""
    if not (SHARED / "reference").is_dir():
        pytest.skip(
            f"the paper's numbers are not at hand: no folder {SHARED.name!r} beside the clone"
        )
    return SHARED


@pytest.fixture(scope="module")
def browser():
    """A browser; one that is not there is a failure."""
    with browsing.launched() as started:
        yield started


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """One session of Spark for all tests of a run: it takes seconds to start."""
    from servers import spark_session

    with spark_session() as session:
        yield session
