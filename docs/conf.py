"""Sphinx: `sphinx-build -W docs out/docs`. Pages are Markdown (MyST) and read as well without Sphinx.

Links to files outside docs/ lead to the page of the site that holds them.
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "docs" / "site"), str(ROOT / "python")]

project = "linerad"
author = "the linerad developers"
release = version = "0.1.0"
extensions = [
    "myst_nb",  # Markdown and notebooks
    "mathml",  # equations, docs/site/mathml.py
    "typography",  # numbers and units, docs/site/typography.py
    "sphinx.ext.autodoc",  # the Python interface from its docstrings
    "sphinx.ext.napoleon",
]
html_math_renderer = "mathml"
autodoc_mock_imports = ["linerad._library"]  # docstrings can be read without the compiled library
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False  # kinds of arguments are words, not links
nb_execution_mode = "off"  # notebooks are stored with their results: tools/document notebooks
nb_merge_streams = True
html_theme = "furo"
html_title = "linerad"
html_show_copyright = False
smartquotes_action = "De"  # dashes and dots; quotes are mostly those of code
html_static_path = ["site/static"]
html_css_files = ["site.css"]
exclude_patterns = ["README.md"]  # the list of pages in the repository; index.md is that of the site
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "dollarmath"]
suppress_warnings = ["myst.header"]  # CHANGELOG and README may begin where they like
highlight_language = "none"  # blocks without a language are shell commands with comments, or formulas

# Files outside docs/, and the pages of the site that hold them.
PAGES = {
    "README.md": "start.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "include/linerad.h": "c_api.md",
    "examples": "examples.md",
    "docs/README.md": "index.md",
}
WHOLE = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")  # shown as they are; their pages here only name them


def lead_inside(app, name, source):
    """Puts whole files in place, and makes links to other files links to their pages."""
    text, depth = source[0], name.count("/")
    above, here = "../" * (depth + 1), "../" * depth
    for outside in WHOLE:
        if PAGES[outside] == f"{name}.md":
            app.env.note_dependency(str(ROOT / outside))
            text, above = (ROOT / outside).read_text(), ""
    for outside, page in PAGES.items():
        text = text.replace(f"]({above}{outside})", f"]({here}{page})")
    source[0] = text.replace("](docs/", "](") if not above else text


def setup(app):
    app.connect("source-read", lead_inside)
