"""Packages that are not always installed."""

import sys

import pytest

from orderless.inputs import import_optional


def test_what_is_there_is_imported():
    assert import_optional("xml.dom", needed_for="nothing").__name__ == "xml.dom"


def test_what_is_not_there_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ImportError, match=r"reading x needs onnx: pip install 'orderless\[onnx\]'"):
        import_optional("onnx", needed_for="reading x")
    with pytest.raises(ImportError, match="drawing needs no_such: pip install no_such"):
        import_optional("no_such.part", needed_for="drawing")


def test_a_fault_inside_of_a_package_stays_what_it_is(tmp_path, monkeypatch):
    (tmp_path / "broken_package.py").write_text("import no_such_other\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_other'"):
        import_optional("broken_package", needed_for="x")
