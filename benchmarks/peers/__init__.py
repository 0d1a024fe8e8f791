"""What the peers do, each called in a process of its own (``timing.Peer``).

In:  what the peer is asked about; None: only import what is needed.
Out: (seconds, answer). Conversion into the peer's own objects is not in the seconds.
"""

from .ensembles import pyxai_many as pyxai_many, veritas_extremes as veritas_extremes
from .functions import (
    dd_groups as dd_groups,
    dd_reasons as dd_reasons,
    espresso as espresso,
    oxidd_groups as oxidd_groups,
    oxidd_reasons as oxidd_reasons,
    pair_groups as pair_groups,
    pyxai_reasons as pyxai_reasons,
    sympy_dnf as sympy_dnf,
    table_groups as table_groups,
    table_pairs as table_pairs,
)
from .sets import (
    arborenum_features as arborenum_features,
    arborenum_set as arborenum_set,
    orderless_set as orderless_set,
    praxis_set as praxis_set,
    streed_classes as streed_classes,
    streed_numbers as streed_numbers,
    treefarms_rid as treefarms_rid,
    treefarms_set as treefarms_set,
)
