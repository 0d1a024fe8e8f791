"""Write docs/reproduction.md out of what ``python -m paper all`` wrote into a folder.

    python docs/figures/reproduction.py FOLDER [PLACE]

PLACE: where the page goes, with its figures in ``figures/reproduction``; else docs. The pages are
put together as they are; nothing is computed here.
"""

import re
import sys
from pathlib import Path

from PIL import Image

HEAD = """# The paper, reproduced

`make paper` runs every table and figure of the paper, and puts the published number,
ours in the paper's semantics (`ours`) and ours where thresholds and one-hot groups are understood
(`aware`) side by side. `python -m paper` lists the targets, `--quick` takes seconds. This page
is the output of one run; where a number is not reached, its section says what was tried and why.

## What our semantics adds

{added}

## All targets

{index}
"""


def slim(picture, place):
    """Copy a PNG with as few colours as show it: a third of the size."""
    image = Image.open(picture).convert("RGB")
    image.quantize(128, dither=Image.Dither.NONE).save(place, optimize=True)


def main(folder, place):
    # The index: how it was run, the table of targets, what was not at hand.
    about, table, *rest = (folder / "index.md").read_text().strip().split("\n\n")[1:]
    lines = table.splitlines()
    names = [re.match(r"\| \[([a-z0-9-]+)\]", line).group(1) for line in lines[2:]]
    plain = re.sub(r"\[([a-z0-9-]+)\]\([a-z0-9-]+\.md\)", r"`\1`", table)
    added = (folder / "added.md").read_text().strip()
    parts = [HEAD.format(added=added, index="\n\n".join([about, plain, *rest]))]
    figures = place / "figures" / "reproduction"
    figures.mkdir(parents=True, exist_ok=True)
    for name in names:
        text = (folder / f"{name}.md").read_text()
        text = re.sub(r"^#", "##", text, flags=re.M)
        text = re.sub(r"\nAll numbers: .*\n", "\n", text)
        for figure in re.findall(r"\]\(([a-z0-9-]+\.png)\)", text):
            slim(folder / figure, figures / figure)
        parts.append(re.sub(r"\]\(([a-z0-9-]+\.png)\)", r"](figures/reproduction/\1)", text))
    (place / "reproduction.md").write_text("\n".join(parts))


if __name__ == "__main__":
    main(*map(Path, [*sys.argv[1:], Path(__file__).parent.parent][:2]))
