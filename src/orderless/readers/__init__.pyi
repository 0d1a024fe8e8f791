from .dispatch import (
    read_tree as read_tree,
    read_trees as read_trees,
    unwrap as unwrap,
)
from .sklearn import (
    tree_of_regressor as tree_of_regressor,
)
