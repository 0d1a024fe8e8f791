"""Shared settings of the tests."""

from pathlib import Path

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


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with the paper's data and known numbers."""
    if not (SHARED / "reference").is_dir():
        pytest.skip(
            f"the paper's numbers are not at hand: no folder {SHARED.name!r} beside the clone"
        )
    return SHARED
