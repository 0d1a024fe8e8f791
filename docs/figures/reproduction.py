"""Write docs/reproduction.md out of what ``orderless reproduce all`` wrote into a folder.

    python docs/figures/reproduction.py FOLDER

The pages are put together as they are, with their figures; nothing is computed here.
"""

import re
import sys
from pathlib import Path

from PIL import Image

HERE = Path(__file__).parent
PLACE = HERE / "reproduction"

HEAD = """# The paper, reproduced

`orderless reproduce all` runs every table and figure of the paper, and puts the published number,
ours in the paper's semantics (`ours`) and ours where thresholds and one-hot groups are understood
(`aware`) side by side. `orderless reproduce` lists the targets, `--quick` takes seconds. This page
is the output of one complete run; where a number is not reached, its section says what was tried
and why. Netherlands is not public, and Higgs was not at hand: generated data of its shape stands
in.

## What our semantics adds

{added}

## All targets

{index}
"""


def slim(picture, place):
    """Copy a PNG with as few colours as show it: a third of the size."""
    image = Image.open(picture).convert("RGB")
    image.quantize(128, dither=Image.Dither.NONE).save(place, optimize=True)


def main(folder):
    pages = [line for line in (folder / "index.md").read_text().splitlines() if line]
    table = [line for line in pages if line.startswith("|")]
    index = "\n".join(
        re.sub(r"\[([a-z0-9-]+)\]\([a-z0-9-]+\.md\)", r"`\1`", line) for line in table
    )
    about = next(line for line in pages if line.startswith("Run "))
    PLACE.mkdir(exist_ok=True)
    parts = [
        HEAD.format(added=(folder / "added.md").read_text().strip(), index=f"{about}\n\n{index}")
    ]
    for line in table[2:]:
        name = re.match(r"\| \[([a-z0-9-]+)\]", line).group(1)
        text = (folder / f"{name}.md").read_text()
        text = re.sub(r"^#", "##", text, flags=re.M)
        text = re.sub(r"\nAll numbers: .*\n", "\n", text)
        for figure in re.findall(r"\]\(([a-z0-9-]+\.png)\)", text):
            slim(folder / figure, PLACE / figure)
        parts.append(re.sub(r"\]\(([a-z0-9-]+\.png)\)", r"](figures/reproduction/\1)", text))
    (HERE.parent / "reproduction.md").write_text("\n".join(parts))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
