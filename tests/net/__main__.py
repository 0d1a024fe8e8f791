"""Run ``python -m tests.net`` with ``draw`` (inputs), ``write`` (answers) or ``compare``."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))  # the oracles and the hunt

from net import data, draw, questions

if sys.argv[1:] == ["draw"]:
    draw.main()
elif sys.argv[1:2] == ["write"]:
    for group in sys.argv[2:] or data.groups():
        data.write(data.ANSWERS / f"{group}.jsonl.gz", questions.answers(group))
elif sys.argv[1:2] == ["compare"]:
    for group in sys.argv[2:] or data.groups():
        changed = questions.changed(group)
        sys.stdout.write(f"{group}: {len(changed)} changed\n")
        for line in changed[:20]:
            sys.stdout.write(f"  {line}\n")
else:
    sys.exit(__doc__)
