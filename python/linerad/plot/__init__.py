"""Plots of results. Each function draws into axes or makes a figure as wide as one column or the page of a journal,
with units on every label, in perceptually uniform colours that also work in greyscale and for colour-blind readers.
matplotlib must be installed.

`save(figure, path)` writes PNG, PDF or SVG; text in a PDF remains text, with embedded fonts.
"""

from .cut import pv
from .levels import convergence, excitation
from .maps import channel_maps, moment, moments, optical_depth, peak
from .page import lines, quicklook
from .spectra import image_spectrum, line_spectra, spectrum
from .style import STYLE, save

__all__ = [
    "STYLE", "channel_maps", "convergence", "excitation", "image_spectrum", "line_spectra", "lines", "moment",
    "moments", "optical_depth", "peak", "pv", "quicklook", "save", "spectrum",
]  # fmt: skip
