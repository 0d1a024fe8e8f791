"""A quick look at an installed copy: ``python -m pytest --pyargs orderless``.

The suite is in the repository and in the sdist; here is what a wheel can get wrong. Nothing outside
of the package is read, and nothing but a temporary folder is written.
"""
