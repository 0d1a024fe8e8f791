"""How the gallery's figures are drawn: for sphinx-gallery, which is told of it in conf.py.

In:  an example that is being run by the build.
Out: its figures as SVG, sharp at any size and with their words as text; settings as for the figures
     of the guides, the same for every example.
"""

import matplotlib as mpl
from matplotlib import pyplot as plt
from sphinx_gallery.scrapers import matplotlib_scraper

from orderless.output.plots import GREY, INK


def as_svg(block, variables, settings):
    """Save the figures of one block, and give the text that shows them."""
    return matplotlib_scraper(block, variables, settings, format="svg", facecolor="white")


def afresh(settings, name):
    """Forget what the example before has set."""
    plt.close("all")
    mpl.rcdefaults()
    mpl.use("agg")
    plt.rcParams.update(
        {
            "svg.fonttype": "none",
            "svg.hashsalt": "orderless",
            "font.family": "DejaVu Sans",
            "text.color": INK,
            "axes.edgecolor": GREY,
            "axes.labelcolor": INK,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "xtick.color": GREY,
            "ytick.color": GREY,
        }
    )
