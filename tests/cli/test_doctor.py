"""orderless doctor: what a bug report needs, what is wrong, and nothing of anybody's files."""

import json
import re
from importlib import metadata
from pathlib import Path

import pytest
from commands import fine

import orderless as ol
from orderless._core import base
from orderless.cli import doctor


def findings():
    return {
        (each["about"], each["what"]): each for each in json.loads(fine("doctor", "-f", "json"))
    }


def test_doctor_says_what_is_installed():
    found = findings()
    assert found["orderless", "version"]["found"] == metadata.version("orderless")
    assert base.registers in found["orderless", "core"]["found"]
    assert base.registers in ("avx512", "avx2", "popcnt", "portable")
    for name in ("numpy", "scikit-learn", "pandas"):
        assert found["needed", name]["found"] == metadata.version(name)
    sources = {what: int(each["found"]) for (about, what), each in found.items()
               if about == "data sets"}  # fmt: skip
    assert sum(sources.values()) == len(ol.datasets.names())
    assert not any(each["problem"] for each in found.values())
    assert fine("doctor").endswith("\nNo problem was found.\n")


@pytest.mark.parametrize("form", ["text", "json", "csv", "md"])
def test_doctor_tells_no_path_and_no_value(form, monkeypatch, tmp_path):
    monkeypatch.setenv("ORDERLESS_DATA", str(tmp_path / "secret"))
    said = fine("doctor", "--format", form)
    assert "ORDERLESS_DATA" in said.replace("\\", "")  # Markdown escapes it
    assert "secret" not in said
    assert str(Path.home()) not in said
    assert str(Path(ol.__file__).parent) not in said


def test_a_package_that_is_too_old_or_absent_is_a_problem(monkeypatch):
    needs = ["numpy>=999", "no-such-package>=1", "another-one>=1; extra == 'more'"]
    monkeypatch.setattr(metadata, "requires", lambda _: needs)
    found = findings()
    assert found["needed", "numpy"]["problem"] == "orderless needs numpy>=999"
    assert found["needed", "no-such-package"]["problem"] == "install no-such-package"
    assert found["optional", "another-one"]["found"] == "not installed"
    assert found["optional", "another-one"]["problem"] == ""
    said = fine("doctor")
    assert "<- orderless needs numpy>=999" in said
    assert said.endswith("\n2 problems were found: see the arrows.\n")


def test_a_wrong_answer_of_the_core_is_a_problem(monkeypatch):
    monkeypatch.setattr(doctor, "FINGERPRINT", "0" * 32)
    problem = findings()["orderless", "fingerprint"]["problem"]
    assert re.fullmatch("should be 0{32}: please report it", problem)
    assert "1 problem was found: it is marked with an arrow." in fine("doctor")


def test_a_package_under_another_name_counts(monkeypatch):
    versions = {"xgboost-cpu": "3.2.0"}

    def version(name):
        if name in versions:
            return versions[name]
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", version)
    monkeypatch.setattr(metadata, "requires", lambda _: ["xgboost>=2.0; extra == 'sources'"])
    found = findings()
    assert found["optional", "xgboost"]["found"] == "3.2.0"
    assert found["orderless", "version"]["found"] == "(not installed)"
