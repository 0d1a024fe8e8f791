"""Decision tables and rule lists: a tree that people wrote themselves, as CSV."""
