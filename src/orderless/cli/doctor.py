"""``orderless doctor``: what is installed, and what is wrong with it, for bug reports.

In:  the installed packages, the core, the processor, and where data sets would come from.
Out: one table that holds no path and nothing of anybody's files; ``build_line`` for ``--version``.
"""

from __future__ import annotations

import os
import platform
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from .options import Format, OutputOptions
from .sink import as_json, records_as, write

if TYPE_CHECKING:
    from packaging.requirements import Requirement

__all__ = ["EXAMPLE", "build_line", "command"]

EXAMPLE = "Example: orderless doctor\n\nExample: orderless doctor --format md"
# A tree of three leaves, and its fingerprint, which is the same on every machine.
TREE = {
    "feature": "age", "relation": "<=", "reference": 40, "true": {"prediction": "well"},
    "false": {"feature": "smoker", "true": {"prediction": "ill"}, "false": {"prediction": "well"}},
}  # fmt: skip
FINGERPRINT = "0d3b243dea7c091b0ae1a7e63290f612"

# Packages that bring the same module under another name.
OTHER_NAMES = {"xgboost": "xgboost-cpu"}


class Finding(NamedTuple):
    """One thing that was looked at."""

    about: str
    what: str
    found: str
    problem: str = ""


def command(output: OutputOptions) -> None:
    """Say what is installed and whether it works, for a bug report.

    Versions of orderless, of Python and of every package that orderless uses or can use, how the
    core was built and which registers of the processor it uses, where the data sets would come
    from, and which of its variables are set. Nothing of your files, and no path, is in it.
    """
    findings = list(_findings())
    if output.format == Format.json:
        text = as_json([finding._asdict() for finding in findings])
    elif output.format == Format.text:
        text = _text(findings)
    else:
        rows = [finding._asdict() for finding in findings]
        text = records_as(rows, output.format, safe_csv=output.safe_csv)
    write(text, output.output)


def build_line() -> str:
    """Write the version, and how and for what it was built, in one line."""
    return f"orderless {_own_version()} ({_python()}, {_system()}; core: {_core()})"


def _findings() -> Iterator[Finding]:
    yield Finding("orderless", "version", _own_version())
    yield Finding("orderless", "installed as", _installed_as())
    yield Finding("orderless", "core", _core())
    yield _answers()
    yield Finding("machine", "Python", _python())
    yield Finding("machine", "system", _system())
    yield Finding("machine", "processors", str(os.cpu_count()))
    yield from _packages()
    yield from _data()
    for name in sorted(name for name in os.environ if name.startswith("ORDERLESS_")):
        yield Finding("environment", name, "set")


def _text(findings: list[Finding]) -> str:
    lines, about = [], ""
    width = max(len(finding.what) for finding in findings) + 2
    for finding in findings:
        if finding.about != about:
            about = finding.about
            lines.append(about)
        problem = f"  <- {finding.problem}" if finding.problem else ""
        lines.append(f"  {finding.what:{width}}{finding.found}{problem}")
    n = sum(bool(finding.problem) for finding in findings)
    said = {0: "No problem was found.", 1: "1 problem was found: it is marked with an arrow."}
    return "\n".join([*lines, "", said.get(n, f"{n} problems were found: see the arrows.")])


# -- what is looked at ---------------------------------------------------------------------------


def _own_version() -> str:
    return _version("orderless") or "(not installed)"  # or: run from its folder


def _version(package: str) -> str | None:
    from importlib import metadata  # slow to import, and every --help would

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _python() -> str:
    return f"{platform.python_implementation()} {platform.python_version()}"


def _system() -> str:
    libc = " ".join(platform.libc_ver()).strip()
    return f"{platform.system()} {platform.machine()}{f', {libc}' if libc else ''}"


def _core() -> str:
    from .._core import base

    kind = "stable ABI" if base.stable_abi else "for this Python only"
    return f"built by {base.compiler}, {kind}, registers: {base.registers}"


def _installed_as() -> str:
    """Give the tags of the wheel, which say for which Python and system it was built."""
    from importlib import metadata

    try:
        text = metadata.distribution("orderless").read_text("WHEEL") or ""
    except metadata.PackageNotFoundError:
        return "(not installed)"
    tags = [line.removeprefix("Tag: ") for line in text.splitlines() if line.startswith("Tag: ")]
    return ", ".join(tags) or "(no wheel)"


def _answers() -> Finding:
    """Whether the core gives the answer that it gives everywhere."""
    from ..form import fingerprint
    from ..model import Feature, Space
    from ..readers import read_tree

    space = Space([Feature("age"), Feature("smoker", "boolean")])
    found = fingerprint(read_tree(TREE, space=space))
    if found == FINGERPRINT:
        return Finding("orderless", "fingerprint", "as on every machine")
    return Finding("orderless", "fingerprint", found, f"should be {FINGERPRINT}: please report it")


def _packages() -> Iterator[Finding]:
    """Give what orderless needs, and then what it can use, each with its version."""
    from importlib import metadata

    from packaging.requirements import Requirement

    try:
        lines = metadata.requires("orderless") or []
    except metadata.PackageNotFoundError:
        lines = []
    needs = [Requirement(line) for line in lines]
    for need in sorted(needs, key=lambda need: need.name.lower()):
        if need.marker is None:
            yield _package("needed", need)
    for need in sorted(needs, key=lambda need: need.name.lower()):
        if need.marker is not None:
            yield _package("optional", need)


def _package(about: str, need: Requirement) -> Finding:
    version = _version(need.name) or _version(OTHER_NAMES.get(need.name, need.name))
    if version is None:
        missing = f"install {need.name}" if about == "needed" else ""
        return Finding(about, need.name, "not installed", missing)
    if need.specifier.contains(version, prereleases=True):
        return Finding(about, need.name, version)
    return Finding(about, need.name, version, f"orderless needs {need.name}{need.specifier}")


def _data() -> Iterator[Finding]:
    """Say where the paper's data sets would come from, without loading any."""
    from .. import datasets

    sources = [str(source).split()[0] for source in datasets.describe()["source"]]
    for source, n in sorted(Counter(sources).items()):
        yield Finding("data sets", source, str(n))
