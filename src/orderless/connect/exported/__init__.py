"""Exports: whether an artifact decides as what it was made from."""
