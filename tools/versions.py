"""Run a part of the suite with the oldest, or the newest, versions of what orderless needs.

In:  the floors in pyproject.toml (``name>=floor``), and a wheel of dist/, built if there is none.
Out: an environment in build/versions/<end>, the tests' result, and a line for docs/versions.md.

    python tools/versions.py oldest            # every dependency at its floor, on Python 3.11
    python tools/versions.py newest            # whatever installs today, on this Python
    python tools/versions.py newest --also "pandas<3"
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What the tests of both ends need beside the package: data frames of every kind, and files.
FRAMES = ("polars", "pyarrow", "skops")
TOOLS = ("pytest>=8.0", "pytest-xdist>=3.5", "hypothesis>=6.100", "duckdb>=1.1", "sympy>=1.13",
         "markdown-it-py>=3.0")  # fmt: skip
# What our needs need: newer ones tell everybody that old versions of our needs call old names.
OF_THAT_TIME = ("pyparsing<3.3",)
# Everything that touches a library of the table: reading, frames, estimators, files, figures.
TESTS = (
    "tests/model", "tests/inputs", "tests/missing/test_predict.py",
    "tests/missing/test_predict_odds.py", "tests/estimators", "tests/readers/test_sklearn.py",
    "tests/readers/test_sklearn_missing.py", "tests/readers/test_ensembles_sklearn_hist.py",
    "tests/readers/test_through_numbers.py", "tests/readers/test_through_space.py",
    "tests/form/test_canonical.py", "tests/form/test_canonical_limits.py",
    "tests/rashomon/test_rashomon_set.py", "tests/output/test_plots.py",
    "tests/output/test_report.py", "tests/output/test_report_near.py",
    "tests/connect/test_tables_predict.py", "tests/cli/test_app.py", "tests/cli/test_explain.py",
)  # fmt: skip


def floors() -> dict[str, str]:
    """Give the oldest version that pyproject.toml allows of each package."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    lines = list(project["dependencies"])
    for extra in project["optional-dependencies"].values():
        lines += extra
    found = {}
    for line in lines:
        match = re.match(r"([A-Za-z0-9_.-]+)(?:\[.*\])?>=([0-9.]+)", line)
        if match is None:
            sys.exit(f"pyproject.toml: {line!r} has no floor (name>=version)")
        found.setdefault(match[1], match[2])
    return found


def needs(end: str) -> list[str]:
    """Give what to install: the packages that orderless imports, at one end."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = [re.split(r"[\[>]", line)[0] for line in project["dependencies"]] + list(FRAMES)
    oldest = floors()
    if end == "newest":
        return names
    return [*(f"{name}=={oldest[name]}" for name in names), *OF_THAT_TIME]


def package(python: str) -> str:
    """Give the wheel of dist/ that this Python takes, or this folder, to be built."""
    tag = subprocess.run(
        [python, "-c", "import sys; print('cp%d%d' % sys.version_info[:2])"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    dist = ROOT / "dist"
    wheels = list(dist.glob(f"*-{tag}-*.whl")) or (
        list(dist.glob("*-abi3-*.whl")) if tag != "cp311" else []
    )
    return str(wheels[0]) if wheels else str(ROOT)


def run(command: list[str], **options: object) -> int:
    return subprocess.run(command, **options).returncode  # type: ignore[call-overload,no-any-return]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("end", choices=["oldest", "newest"])
    parser.add_argument("--python", default=None, help="the interpreter (oldest: python3.11)")
    parser.add_argument("--also", action="append", default=[], help='another need: "pandas<3"')
    given, extra = parser.parse_known_args()
    python = given.python or (
        shutil.which("python3.11") if given.end == "oldest" else None
    ) or sys.executable  # fmt: skip
    venv = ROOT / "build" / "versions" / "-".join([given.end, *given.also]).replace("<", "-below-")
    shutil.rmtree(venv, ignore_errors=True)
    print(f"an environment with the {given.end} versions in {venv.relative_to(ROOT)}", flush=True)
    for command in (
        [python, "-m", "venv", str(venv)],
        [str(venv / "bin" / "python"), "-m", "pip", "install", "--quiet",
         "--disable-pip-version-check", package(python), *needs(given.end), *given.also, *TOOLS],
    ):  # fmt: skip
        if code := run(command, cwd=ROOT):
            sys.exit(code)
    # Old libraries call what new ones deprecate, and neither is ours.
    lenient = ["-o", "filterwarnings=default"] if given.end == "oldest" else []
    code = run(
        [str(venv / "bin" / "python"), "-m", "pytest", "-q", "-m", "not engine", *lenient, *TESTS,
         *extra], cwd=ROOT,
    )  # fmt: skip
    print(line(venv, given.end, code), flush=True)
    sys.exit(code)


def line(venv: Path, end: str, code: int) -> str:
    """Write what ran, as a row of the table in docs/versions.md."""
    shown = ["numpy", "scipy", "scikit-learn", "pandas", "polars", "narwhals", "matplotlib"]
    code_ = (
        "import sys\nfrom importlib.metadata import version\n"
        f"print('%d.%d.%d' % sys.version_info[:3], *map(version, {shown!r}), sep=' | ')"
    )
    versions = subprocess.run(
        [str(venv / "bin" / "python"), "-c", code_], capture_output=True, text=True, check=True
    ).stdout.strip()
    result = "passed" if code == 0 else "failed"
    return f"| {end} | {versions} | {result} | {time.strftime('%Y-%m-%d')} |"


if __name__ == "__main__":
    main()
