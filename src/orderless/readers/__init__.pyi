from .dispatch import (
    read_tree as read_tree,
    read_trees as read_trees,
)
from .pipeline import (
    unwrap as unwrap,
)
from .regressor import (
    tree_of_regressor as tree_of_regressor,
)
