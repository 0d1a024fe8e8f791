"""The checker of certificates against brute force."""

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest
from certificate_cases import hunt, in_a_ring, verdict
from oracle_certificates import truth

import orderless as ol
from orderless.output.certificates import checker


def test_changed_certificates_are_judged_as_brute_force_judges_them():
    """What is still true is valid, and nothing else. (By hand: 10^5, docs/decisions/0042.)"""
    met = hunt(900, 7)
    assert min(met[claim] for claim in ("form", "same", "policy", "with branches")) > 0
    assert 30 < met["changed, still valid"] < met["changed"] - 300


def changed(content, **entries):
    return json.dumps({**content, **entries})


def exchanged(content):
    """The rules of the first class as those of the second, and the other way round."""
    (a, one), (b, other) = content["stated"].items()
    return {**content, "stated": {a: other, b: one}}


@pytest.fixture(scope="module")
def ring():
    return ol.canonicalize(in_a_ring()).certificate().content


def with_class(content, name, **entries):
    stated = content["stated"]
    return {**content, "stated": {**stated, name: {**stated[name], **entries}}}


def test_a_proof_by_cases(ring):
    """Fewer cells than rules are apart, so that the proof goes through the reasons of a cell."""
    assert verdict(json.dumps(ring)) == "valid"
    by_cases = [name for name, own in ring["stated"].items() if own["proof"][1]]
    assert by_cases
    for name, own in ring["stated"].items():
        assert own["bound"] == len(own["rules"])
        for broken in (
            {"bound": own["bound"] + 1},
            {"complete": False} if name in by_cases else {"proof": [[], []]},
            {"reasons": own["reasons"][1:]},
            {"complete": False, "reasons": own["reasons"][:1], "proof": own["proof"][::-1]},
        ):
            wrong = with_class(ring, name, **broken)
            assert not truth(wrong)
            assert verdict(json.dumps(wrong)) == "invalid"


def test_a_proof_that_is_nested_too_deeply_is_no_proof(ring):
    """It neither overflows nor hangs."""
    name = next(iter(ring["stated"]))
    deep = "[[], [" * 50_000 + "[[], []]" + "]]" * 50_000
    text = json.dumps(with_class(ring, name, proof="@")).replace('"@"', deep)
    assert verdict(text) != "valid"


def test_nodes_that_lead_back_are_refused(ring):
    for child in (0, -1, len(ring["trees"][0]), 2**53):
        root = [*ring["trees"][0][0][:3], child]
        assert verdict(changed(ring, trees=[[root, *ring["trees"][0][1:]]])) == "invalid"


def test_shared_nodes_cannot_make_it_hang():
    """A chain of splits whose both sides go on has more ways than anybody can walk."""
    features = [{"name": f"x{i}", "cuts": [0], "sets": []} for i in range(80)]
    nodes = [[f"x{i}", "10", i + 1, i + 1] for i in range(80)]
    content = {"format": "orderless-certificate", "version": 2, "claim": "same", "classes": ["a"],
               "features": features, "trees": [[*nodes, "a"]] * 2, "stated": {}}  # fmt: skip
    assert verdict(json.dumps(content)) == "undecided"


@pytest.mark.parametrize("text", ["", "[]", "{", "null", '{"format": 1}', "NaN",
                                  '{"format": "orderless-certificate", "version": 1}'])  # fmt: skip
def test_what_is_no_certificate(text):
    assert verdict(text) == "invalid"


def test_lists_in_lists_without_end_are_no_certificate():
    assert verdict("[" * 100_000) != "valid"


def test_infinite_numbers_are_refused(ring):
    for number in ("1e999", "NaN", "Infinity", "1" * 400):
        text = json.dumps({**ring, "version": "@"}).replace('"@"', number)
        assert verdict(text) == "invalid"


def run(arguments):
    return subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)


def test_the_program_needs_nothing_but_python(tmp_path, ring):
    program = tmp_path / "check.py"
    program.write_text(checker(), encoding="utf-8")
    (tmp_path / "good.json").write_text(json.dumps(ring))
    (tmp_path / "bad.json").write_text(json.dumps(exchanged(ring)))
    alone = [sys.executable, "-I", "-S", str(program)]  # no packages can be imported
    good, bad = (run([*alone, str(tmp_path / name)]) for name in ("good.json", "bad.json"))
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.splitlines()[-1] == "Valid."
    assert bad.returncode == 4
    assert bad.stdout.startswith("a rule or reason holds where")
    assert bad.stdout.splitlines()[-1] == "Invalid."


def test_it_gives_up_after_so_many_steps(ring):
    with pytest.raises(ol.Undecided, match=r"too many steps; raise limit=10"):
        ol.check_certificate(json.dumps(ring), limit=10)


# -- the page --------------------------------------------------------------------------------------

PAGE = Path(__file__).parents[2] / "docs" / "certificates.md"
PARTS = {
    "two trees are the same": ["same"],
    "rules and reasons are right, cannot be widened, and cover the tree": [
        "form",
        "widest",
        "covered",
    ],
    "the reasons are all that there are": ["closed"],
    "fewer rules are not enough": ["prove"],
    "what a policy costs": ["policy"],
    "nothing is cheaper": ["least"],
}


def code_lines():
    """Return the numbers of the lines of code, and by function where it begins and ends."""
    source = checker()
    tree = ast.parse(source)
    code, ends = set(), {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.string.strip() and token.type != tokenize.COMMENT:
            code |= set(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = node.body[0]
            if ast.get_docstring(node):
                code -= set(range(text.lineno, text.end_lineno + 1))
        if isinstance(node, ast.FunctionDef):
            ends[node.name] = node.lineno, node.end_lineno
    return code, ends


def test_the_page_says_how_long_the_checker_is():
    code, ends = code_lines()
    counts = [
        sum(len([i for i in code if ends[name][0] <= i <= ends[name][1]]) for name in names)
        for names in PARTS.values()
    ]
    rows = re.findall(r"^\| (.*?) \| (\d+) \|$", PAGE.read_text(encoding="utf-8"), re.M)
    assert [name for name, _ in rows][1:-1] == list(PARTS)
    assert [int(count) for _, count in rows] == [len(code) - sum(counts), *counts, len(code)]


def test_the_example_of_the_page_is_valid():
    (text,) = re.findall(r"```json\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)
    assert truth(json.loads(text))
    assert verdict(text) == "valid"
