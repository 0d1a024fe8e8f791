"""Forests of R: ranger.

In:  the JSON that ``orderless.R`` writes (``r_script()``).
Out: ``ColumnEnsemble``. ranger counts votes, of which equal ones are decided at random, or adds
     shares or numbers in float64, tree after tree, and divides by their number.
"""

from __future__ import annotations

import numpy as np

from ...errors import UnreadableModel
from ...model import Adding, Rule
from ..build import TreeBuilder
from ..checks import damaged
from ..r_models import SAVE, knows_text, leaves_of, r_model
from .build import ColumnEnsemble
from .rounding import check_room

__all__ = ["from_text", "knows_text"]


def from_text(text: str) -> ColumnEnsemble:
    """Read a forest, or one tree with numbers or shares."""
    with damaged("R", save=SAVE):
        model = r_model(text)
        n_scores = 1 if model.classes is None else len(model.classes)
        trees, values = [], []
        for nodes in model.trees:
            builder = TreeBuilder(model.table)
            own: list[list[float]] = []
            for leaf in leaves_of(builder, model, nodes):
                builder.leaf_number(len(own))
                if model.classes is None:
                    added = [float(leaf["number"])]
                elif model.votes:
                    added = [0.0] * n_scores
                    added[leaf["class"]] = 1.0
                else:
                    added = [float(share) for share in leaf["shares"]]
                    if "class" in leaf and added.index(max(added)) != leaf["class"]:
                        raise UnreadableModel(
                            "a leaf's class is not the first of the largest share, because of "
                            "priors or losses: orderless.read reads the tree itself"
                        )
                if len(added) != n_scores or not np.isfinite(added).all():
                    raise ValueError(f"a leaf adds {added!r:.80}")
                own.append(added)
            trees.append(builder.finish(range(len(own))))
            values.append(np.array(own))
        adding = Adding(base=(0.0,) * n_scores, divisor=1.0 if model.votes else float(len(trees)))
        check_room(values, adding)
        if model.classes is None:
            rule = Rule("number")
        elif model.votes and len(trees) > 1:
            rule = Rule("largest", window=0.5, either=True)  # equal votes are drawn by lot
        else:
            rule = Rule("largest")
        return ColumnEnsemble(trees, values, model.classes, adding, rule)
