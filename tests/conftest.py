"""Shared settings of the tests, and their two tiers.

``--tier quick`` (``make test``) leaves out tests that are marked ``slow``, and keeps at most three
parameter sets of a function and ten examples of a property. ``--tier rest`` runs what the quick
tier leaves out, and every property with all of its examples. By default everything runs.
"""

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

QUICK_PARAMETER_SETS = 3
QUICK_EXAMPLES = 10

SHARED = Path(__file__).resolve().parents[2] / "shared"


def pytest_configure():
    """Hear Ctrl-C: what a shell starts in the background ignores it, and so do its children.

    Tests interrupt processes that they start, which would go on for ever.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser):
    parser.addoption("--tier", choices=["quick", "rest", "all"], default="all", help=__doc__)


def pytest_collection_modifyitems(config, items):
    tier = config.getoption("--tier")
    if tier == "all":
        return
    quick = quick_tier(items)
    if tier == "quick":
        for item in filter(is_property, quick):
            cap_examples(item.obj)
        kept = {item.nodeid for item in quick}
    else:
        done = {item.nodeid for item in quick if not is_property(item)}
        kept = {item.nodeid for item in items} - done
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in kept])
    items[:] = [item for item in items if item.nodeid in kept]


def quick_tier(items):
    """Leave out slow tests, and of each function's parameter sets all but three, spread evenly."""
    functions = {}
    for item in items:
        if item.get_closest_marker("slow") is None:
            functions.setdefault(item.nodeid.split("[")[0], []).append(item)
    quick = []
    for sets in functions.values():
        steps = min(QUICK_PARAMETER_SETS, len(sets)) - 1
        indices = [step * (len(sets) - 1) // steps for step in range(steps + 1)] if steps else [0]
        quick += [sets[index] for index in indices]
    return quick


def is_property(item):
    return getattr(getattr(item, "obj", None), "is_hypothesis_test", False)


def cap_examples(test):
    """Hypothesis keeps a test's settings here, and has no public way to change them later."""
    usual = test._hypothesis_internal_use_settings
    examples = min(QUICK_EXAMPLES, usual.max_examples)
    test._hypothesis_internal_use_settings = settings(usual, max_examples=examples)


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
