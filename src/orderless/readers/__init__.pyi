from .dispatch import (
    read_tree as read_tree,
    read_trees as read_trees,
    tree_of_regressor as tree_of_regressor,
    unwrap as unwrap,
)
