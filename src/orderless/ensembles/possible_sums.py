"""Ensembles where facts hold: what the search leaves out, by what a row says.

In:  an ``Ensemble`` over a space with facts; rows.
Out: ``PossibleSums``: the same ensemble, whose search looks at possible cells only.

The core gets trees that say which cells facts exclude (``fact_trees``), made for the exact values
of a row; what they exclude is worth less than anything else, so that bounds leave it out.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..model import Domain, Ensemble, FactTrees, fact_trees, sides_by_bin

__all__ = ["PossibleSums", "touched"]


def touched(ensemble: Ensemble) -> bool:
    """Whether facts are about features that the ensemble asks about."""
    return bool({*ensemble.connected} & {*ensemble.used})


class PossibleSums:
    """An ensemble, by what rows say of the features that facts connect.

    Cost: for each different row a check of the facts for some cells of its unknown features
    (``Grid``), and a copy of the trees; rows for which facts exclude the same share one.
    """

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        self.sides = sides_by_bin(ensemble.bins)
        self._made: dict[bytes, Ensemble] = {}

    def given(self, row: Mapping[int, Domain]) -> Ensemble:
        """Give the ensemble over the possible rows that have the values of this one."""
        known = {i for i, domain in row.items() if _one_value(domain)}
        unknown = {i: own for i, own in self.sides.items() if i not in known}
        trees = fact_trees(self.ensemble.bins, unknown, row)
        if trees is None:
            return self.ensemble
        key = b"".join(array.tobytes() for array in (*trees.nodes, trees.roots))
        if key not in self._made:
            self._made[key] = _with_facts(self.ensemble, trees)
        return self._made[key]


def _one_value(domain: Domain) -> bool:
    if domain.codes is not None:
        return len(domain.codes) == 1
    if domain.ends is None:
        return True
    return not domain.nan and domain.ends[0] is not None and domain.ends[0] == domain.ends[1]


def _with_facts(ensemble: Ensemble, trees: FactTrees) -> Ensemble:
    summed = ensemble.summed.with_facts(trees.nodes, trees.roots)
    out = Ensemble.__new__(Ensemble)
    out.__dict__.update({**ensemble.__dict__, "summed": summed})
    return out
