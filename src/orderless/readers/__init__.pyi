from .dispatch import (
    read_tree as read_tree,
    read_trees as read_trees,
)
from .ensembles.dispatch import read_ensemble as read_ensemble
from .wrapped import unwrap as unwrap
