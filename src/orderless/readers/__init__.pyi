from .dispatch import (
    read_tree as read_tree,
)
from .dispatch import (
    read_trees as read_trees,
)
from .dispatch import (
    unwrap as unwrap,
)
from .sklearn import (
    tree_of_regressor as tree_of_regressor,
)
