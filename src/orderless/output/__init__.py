"""Output: an object in, a string or figure out. Each module is one format."""
