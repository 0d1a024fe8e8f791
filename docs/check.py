"""Check the pages that were built: `python docs/check.py docs/_build/html`, the end of `make docs`.

In:  the folder of the built pages.
Out: nothing, and exit code 0; or a line per fault and exit code 1: a link or a picture that leads
     nowhere, within the pages or to an anchor; an example of the gallery that did not run. Links to
     other sites are left to `make docs-links`, which needs the web.
"""

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

EXAMPLES = Path(__file__).parents[1] / "examples" / "gallery"


class Page(HTMLParser):
    """What a page links to, and the anchors that it has."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.text = path.read_text(encoding="utf-8")
        self.feed(self.text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.anchors.add(value)


@cache
def page(path):
    return Page(path)


def broken_links(folder):
    """Give a line for each link within the pages that leads nowhere."""
    for path in sorted(folder.rglob("*.html")):
        for link in dict.fromkeys(page(path).links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            target = target / "index.html" if target.is_dir() else target
            anchor = unquote(parts.fragment) if target.suffix == ".html" else ""
            if not target.is_file():
                yield f"{path.relative_to(folder)}: {link} is not there"
            elif anchor and anchor not in page(target).anchors:
                yield f"{path.relative_to(folder)}: {link} has no such anchor"


def examples_that_did_not_run(folder):
    """Give a line for each example without a page that shows what it printed and drew."""
    for example in sorted(EXAMPLES.glob("*.py")):
        path = folder / "gallery" / f"{example.stem}.html"
        if not path.is_file():
            yield f"{example.name} has no page"
            continue
        for what, sign in (("prints", "sphx-glr-script-out"), ("draws", "sphx-glr-single-img")):
            if sign not in page(path).text:
                yield f"{example.name} {what} nothing"


def main(folder):
    folder = Path(folder).resolve()
    if not (folder / "index.html").is_file() or not (folder / "searchindex.js").is_file():
        return [f"{folder} has no first page, or no search: build it first"]
    return [*broken_links(folder), *examples_that_did_not_run(folder)]


if __name__ == "__main__":
    faults = main(*sys.argv[1:])
    sys.stderr.write("".join(f"{fault}\n" for fault in faults))
    sys.exit(bool(faults))
