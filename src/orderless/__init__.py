"""What a decision tree decides, free of the order in which it asks."""

from .readers import read_tree, read_trees
from .space import Condition, Feature, Space
from .tree import Tree

__all__ = ["Condition", "Feature", "Space", "Tree", "read_tree", "read_trees"]
