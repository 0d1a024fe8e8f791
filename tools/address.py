"""Write the address of the repository into what is about to be built.

In:  an address such as https://github.com/owner/name, and the commit or tag that is built.
Out: `[project.urls]` in pyproject.toml, `repository-code` in CITATION.cff, and a README whose links
     and pictures are absolute, since a package index shows it without the repository.

The workflows call it before they build, so that a fork's packages point to the fork. No target of
make calls it: a clone stays as it is.

    python tools/address.py https://github.com/owner/name v0.1.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What a link or a picture points to: [text](here), src="here", href="here", srcset="here".
TARGETS = re.compile(r'(\]\(|\b(?:src|href|srcset)=")(?!https?:|mailto:|#)([^)"\s]+)')
PICTURES = (".svg", ".png", ".gif")


def main(address: str, version: str, root: Path = ROOT) -> None:
    """Change the three files; an address that is there already is an error, not a guess."""
    address = address.rstrip("/")
    if not re.fullmatch(r"https://[\w.-]+/[\w.-]+/[\w.-]+", address):
        sys.exit(f"{address!r} is no repository's address: https://host/owner/name is expected")
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)*", version):
        sys.exit(f"{version!r} is neither a commit nor a tag")
    project, citation, readme = (
        root / name for name in ("pyproject.toml", "CITATION.cff", "README.md")
    )
    for path, mark in [(project, "[project.urls]"), (citation, "repository-code:")]:
        if mark in path.read_text(encoding="utf-8"):
            sys.exit(f"{path.name} has {mark} already")
    add(project, "[project.scripts]\n", "[project.urls]\n" + "".join(
        f'{name} = "{address}{path}"\n' for name, path in [
            ("Homepage", ""),
            ("Documentation", f"/blob/{version}/docs/index.md"),
            ("Source", f"/tree/{version}"),
            ("Issues", "/issues"),
            ("Changelog", f"/blob/{version}/CHANGELOG.md"),
        ]
    ) + "\n")  # fmt: skip
    add(citation, "license:", f'repository-code: "{address}"\n')
    text = readme.read_text(encoding="utf-8")
    readme.write_text(
        TARGETS.sub(lambda m: m[1] + absolute(m[2], address, version), text), encoding="utf-8"
    )


def add(path: Path, before: str, text: str) -> None:
    """Put a text before the first line that begins with another one."""
    whole = path.read_text(encoding="utf-8")
    at = re.search(rf"^{re.escape(before)}", whole, re.MULTILINE)
    if at is None:
        sys.exit(f"{path.name} has no line that begins with {before.strip()!r}")
    path.write_text(whole[: at.start()] + text + whole[at.start() :], encoding="utf-8")


def absolute(target: str, address: str, version: str) -> str:
    kind = "raw" if target.lower().endswith(PICTURES) else "blob"
    return f"{address}/{kind}/{version}/{target}"


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python tools/address.py https://host/owner/name VERSION")
    main(*sys.argv[1:])
