from .dispatch import (
    read_tree as read_tree,
    read_trees as read_trees,
)
from .wrapped import unwrap as unwrap
