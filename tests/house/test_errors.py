"""Every error of the package survives the way from a worker to the one who waits for it."""

import concurrent.futures
import copy
import importlib
import pickle
import pkgutil

import pytest

import orderless
from orderless.errors import TooLarge, TooManyReasons

FIRST = {
    "InvalidParameter": ("limit=0: give 1 or more", "limit"),
    "InvalidRules": ("these rules overlap: correct them", "all that was found"),
    "TooLarge": ("too large: shrink it", 7),
    "TooManyReasons": ("too many: raise limit=", 7),
    "Undecided": ("neither was proven: raise time_limit=", "time", {"at_least": 2}),
}


def error_classes():
    """Every exception class that a module of the package defines, the command line's too."""
    found = {}
    for module in pkgutil.walk_packages(orderless.__path__, "orderless."):
        if module.name.endswith("__main__"):
            continue  # importing it runs the command line
        try:
            content = vars(importlib.import_module(module.name))
        except ImportError:  # an optional package that is not installed
            continue
        for value in content.values():
            if not isinstance(value, type) or not issubclass(value, BaseException):
                continue
            if value.__module__.startswith("orderless"):
                found[f"{value.__module__}.{value.__qualname__}"] = value
    return [found[name] for name in sorted(found)]


def test_the_walk_finds_errors_everywhere():
    names = {kind.__qualname__ for kind in error_classes()}
    assert names >= {*orderless.errors.__all__, "Mistake", "Refused"}


@pytest.mark.parametrize("kind", error_classes(), ids=lambda kind: kind.__qualname__)
def test_errors_can_be_pickled_and_copied(kind):
    error = kind(*FIRST.get(kind.__qualname__, ("what came, what is allowed",)))
    error.add_note("a note")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is kind
        assert str(again) == str(error)
        assert again.args == error.args
        assert vars(again) == vars(error)


def too_many(error):
    raise error


@pytest.mark.parametrize("kind", [TooLarge, TooManyReasons])
def test_a_worker_can_raise_them(kind):
    with (
        concurrent.futures.ProcessPoolExecutor(1) as pool,
        pytest.raises(kind, match="more than 5") as caught,
    ):
        pool.submit(too_many, kind("more than 5: raise limit=", 6)).result(timeout=60)
    assert caught.value.met == 6
