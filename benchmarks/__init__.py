"""Benchmarks against peers: ``python -m benchmarks`` (README.md has the last tables)."""
