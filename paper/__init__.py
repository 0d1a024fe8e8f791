"""The paper's tables and figures, reproduced: one module per family of targets.

In:  the name of a target, and how much of it to run: ``python -m paper figure-and --quick``.
Out: a folder with tidy CSV files, figures and Markdown pages; see ``run``.

The modules of the targets use public names of ``orderless`` only, as a reader of the paper would.
"""
