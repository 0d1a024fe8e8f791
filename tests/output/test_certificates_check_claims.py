"""The checkers of certificates, in Python and in JavaScript, against brute force."""

import json
import subprocess
import sys

import pytest
from certificate_cases import JavaScript, hunt, in_a_ring, verdict
from javascript import NODE, needs_node
from oracle_certificates import truth

import orderless as ol
from orderless.output.certificates import checker


def test_changed_certificates_are_judged_as_brute_force_judges_them():
    """What is still true is valid, and nothing else. (By hand: 10^5, docs/decisions/0031.)"""
    met = hunt(900, 7)
    assert min(met[claim] for claim in ("form", "same", "policy", "with branches")) > 0
    assert 50 < met["changed, still valid"] < met["changed"] - 300


@needs_node
def test_javascript_judges_as_python_does():
    node = JavaScript()
    try:
        hunt(500, 8, node)
    finally:
        node.close()


def changed(content, **entries):
    return json.dumps({**content, **entries})


@pytest.fixture(scope="module")
def ring():
    return ol.canonicalize(in_a_ring()).certificate().content


def test_a_proof_by_cases(ring):
    """Fewer cells than rules are apart, so that the proof goes through the reasons of a cell."""
    assert any("branches" in own["proof"] for own in ring["fewest"])
    assert verdict(json.dumps(ring)) == "valid"
    bounds = [len(own) for own in ring["rules"]]
    assert [own["bound"] for own in ring["fewest"]] == bounds
    c = next(c for c, own in enumerate(ring["fewest"]) if "branches" in own["proof"])
    for broken in (
        {"complete": [False, False]},  # branches need all reasons
        {"reasons": None, "complete": None},
        {"fewest": [None if i != c else {**ring["fewest"][c], "bound": bounds[c] + 1}
                    for i in range(2)]},
    ):  # fmt: skip
        assert not truth({**ring, **broken})
        assert verdict(changed(ring, **broken)) == "invalid"


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"format": 1}', "NaN", "[" * 100_000,
                                  '{"format": "orderless-certificate", "version": 2}'])  # fmt: skip
def test_what_is_no_certificate(text):
    assert verdict(text) == "invalid"


def test_infinite_numbers_are_refused(ring):
    for number in ("1e999", "NaN", "Infinity", "1" * 400):
        text = json.dumps({**ring, "version": "@"}).replace('"@"', number)
        assert verdict(text) == "invalid"


def run(arguments):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)


def test_the_program_needs_nothing_but_python(tmp_path, ring):
    program = tmp_path / "check.py"
    program.write_text(checker("python"), encoding="utf-8")
    (tmp_path / "good.json").write_text(json.dumps(ring))
    (tmp_path / "bad.json").write_text(changed(ring, rules=ring["rules"][::-1]))
    alone = [sys.executable, "-I", "-S", str(program)]  # no packages can be imported
    good, bad = (run([*alone, str(tmp_path / name)]) for name in ("good.json", "bad.json"))
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.splitlines()[-1] == "Valid."
    assert bad.returncode == 4
    assert bad.stdout.startswith("Not valid: a rule or reason holds where")


@needs_node
def test_the_program_in_node_says_the_same(tmp_path, ring):
    program = tmp_path / "check.js"
    program.write_text(checker("javascript"), encoding="utf-8")
    (tmp_path / "good.json").write_text(json.dumps(ring))
    (tmp_path / "bad.json").write_text(changed(ring, classes=[0, 0]))
    good, bad = (run([NODE, str(program), str(tmp_path / n)]) for n in ("good.json", "bad.json"))
    expected = list(ol.check_certificate(json.dumps(ring)))
    assert good.stdout.splitlines() == [*expected, "Valid."]
    assert (good.returncode, bad.returncode) == (0, 4)


@needs_node
def test_both_give_up_after_so_many_steps(ring):
    node = JavaScript()
    try:
        assert node.verdict(json.dumps(ring)) == "valid"
    finally:
        node.close()
    with pytest.raises(ol.Undecided, match=r"too many steps; raise limit=10"):
        ol.check_certificate(json.dumps(ring), limit=10)
