"""Files and functions fit in the head, in every folder and in both languages."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDERS = [name for name in ("src", "cpp", "tests", "benchmarks") if (ROOT / name).is_dir()]
ENDINGS = {".py", ".pyi", ".cpp", ".hpp"}
LONGEST_FILE, LONGEST_FUNCTION = 400, 60
# What is no code in C++: comments, texts, characters and lines for the preprocessor.
NO_CODE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])'|^[ \t]*#[^\n]*""", re.S | re.M
)
SCOPE = re.compile(r"\b(?:namespace|class|struct|enum|union)\b(?!.*\)[\s\w]*$)", re.S)


def python_functions(text):
    """Give each function's name and lines, without what its docstring says."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            said = node.body[0]
            words = 0
            if isinstance(said, ast.Expr) and isinstance(said.value, ast.Constant):
                words = said.end_lineno - said.lineno + 1
            yield node.name, node.end_lineno - node.lineno + 1 - words


def cpp_functions(text):
    """Give what stands before each function's body, and the lines of the body."""
    text = NO_CODE.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    blocks, start = [], 0
    for sign in re.finditer(r"[;{}]", text):
        if sign[0] == "{":
            head = text[start : sign.start()]
            outside = not blocks or blocks[-1][0] == "scope"
            kind = ("scope" if SCOPE.search(head) else "function") if outside else "part"
            blocks.append((kind, sign.start(), " ".join(head.split())))
        elif sign[0] == "}":
            kind, first, head = blocks.pop()
            if kind == "function":
                yield head, text.count("\n", first, sign.end()) + 1
        start = sign.end()


def test_lines_of_functions_are_counted():
    code = 'def f(x):\n  """Say\n  much.\n  """\n\n  def g():\n    return x\n\n  return g\n'
    assert dict(python_functions(code)) == {"f": 6, "g": 2}
    code = """\
namespace a {
template <class T>
struct S {
  struct T g() const { return {"}"}; }  // }
};
int f(struct T x) {
  if (x) {
    return '}';
  }
}
}
"""
    assert dict(cpp_functions(code)) == {
        "struct T g() const": 1,
        "int f(struct T x)": 5,
    }


@pytest.mark.parametrize("folder", FOLDERS)
def test_files_and_functions_fit_in_the_head(folder):
    """A file is counted whole; of a function, what is code."""
    long = []
    n_functions = 0
    for path in sorted((ROOT / folder).rglob("*")):
        if path.suffix not in ENDINGS:
            continue
        text, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT)
        if (n := len(text.splitlines())) > LONGEST_FILE:
            long.append(f"{name}: {n} lines")
        functions = python_functions if path.suffix.startswith(".py") else cpp_functions
        for function, n in functions(text):
            n_functions += 1
            if n > LONGEST_FUNCTION:
                long.append(f"{name}: {function} has {n} lines")
    assert long == []
    assert n_functions > 100
