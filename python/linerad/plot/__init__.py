"""Pictures of results. Each function draws into axes or makes a figure of the width of one column or a page of a
journal, with units on every label, in colours that are even in grey and for any colour vision. matplotlib must be
installed.

`save(figure, path)` writes PNG, PDF or SVG; text in a PDF stays text, with its fonts embedded.
"""

from .levels import convergence, excitation
from .maps import channel_maps, moment, moments, optical_depth, peak
from .page import lines, quicklook
from .spectra import image_spectrum, spectrum
from .style import STYLE, save

__all__ = [
    "STYLE", "channel_maps", "convergence", "excitation", "image_spectrum", "lines", "moment", "moments",
    "optical_depth", "peak", "quicklook", "save", "spectrum",
]  # fmt: skip
