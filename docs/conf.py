"""Sphinx: `sphinx-build -W docs out/docs`. Pages are Markdown (MyST) and read as well without Sphinx.

Links to files outside docs/ lead to the page of the site that holds them.
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

project = "linerad"
author = "the linerad developers"
release = version = "0.1.0"
extensions = ["myst_nb"]  # Markdown and notebooks
nb_execution_mode = "off"  # notebooks are stored with their results: tools/document notebooks
nb_merge_streams = True
html_theme = "furo"
html_title = "linerad"
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
