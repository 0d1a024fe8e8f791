"""Sphinx settings: `make docs`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # drawn.py

project = "orderless"
author = "The orderless developers"
copyright = f"2025, {author}"

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_gallery.gen_gallery",
]

source_suffix = {
    ".md": "markdown",
    ".rst": "restructuredtext",
}  # rst: the gallery, made by the build
exclude_patterns = ["_build"]
nitpicky = False

myst_enable_extensions = ["attrs_block", "attrs_inline", "colon_fence", "deflist"]
myst_heading_anchors = 3

napoleon_google_docstring = False
napoleon_numpy_docstring = True
napoleon_use_ivar = True
napoleon_use_rtype = False
autodoc_typehints = "none"  # the docstrings say it in words
autodoc_member_order = "bysource"
autodoc_default_options = {
    # scikit-learn adds these to every estimator, with references into its own pages.
    "exclude-members": "set_fit_request, set_predict_request, set_predict_proba_request, "
    "set_score_request, set_score_determined_request",
}
add_module_names = False
python_display_short_literal_types = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples/gallery",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",  # every example is run
    "within_subsection_order": "FileNameSortKey",
    "run_stale_examples": True,  # at every build: the package may have changed
    "abort_on_example_error": True,
    "image_scrapers": ("drawn.as_svg",),
    "reset_modules": ("drawn.afresh",),
    "capture_repr": (),  # what is printed, and nothing else
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 3600,  # times are no part of the pages
    "write_computation_times": False,
    "plot_gallery": "True",
}

html_theme = "furo"
html_title = "orderless"
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {"sidebar_hide_name": False}
html_static_path = ["_static"]
html_css_files = ["orderless.css"]
pygments_style = "default"
pygments_dark_style = "monokai"


def _words_are_not_links(app, doctree):
    """Leave "sequence of labels" alone: only names with a capital or a dot are types of ours."""
    from sphinx.addnodes import pending_xref

    for node in list(doctree.findall(pending_xref)):
        target = node.get("reftarget", "")
        if node.get("refdomain") == "py" and target.islower() and "." not in target:
            node.replace_self(node.children)


def _ways_back_arrive(app, doctree):
    """Let ``orderless.missing.Coverage`` be found as ``orderless.Coverage``, too.

    The pages of source link back to a module's names by the first room that shows one of them.
    """
    from sphinx.addnodes import desc_signature

    for node in doctree.findall(desc_signature):
        package, _, room = node.get("module", "").partition(".")
        if package == "orderless" and room and node["ids"]:
            node["ids"].append(node["ids"][0].replace(f".{room}.", ".", 1))


def _heads_are_for_the_code(app, what, name, obj, options, lines):
    """Leave out a module's "In: ... Out: ...", which says where it stands in the flow of data."""
    if what == "module":
        paragraphs = "\n".join(lines).split("\n\n")
        lines[:] = "\n\n".join(p for p in paragraphs if not p.startswith("In: ")).split("\n")


def setup(app):
    app.connect("autodoc-process-docstring", _heads_are_for_the_code)
    app.connect("doctree-read", _words_are_not_links)
    app.connect("doctree-read", _ways_back_arrive)
