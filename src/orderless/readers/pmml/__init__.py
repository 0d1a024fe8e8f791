"""PMML: trees, rule sets and sums of trees as other programs write them."""
