"""Typesets the equations of the site as MathML, which browsers display by themselves: nothing is loaded from a network.

The converter from LaTeX is that of docutils. An equation it cannot convert is a warning, and so an error in the checks.
"""

from docutils.nodes import SkipNode
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

log = logging.getLogger(__name__)


def mathml(node, as_block):
    try:
        return tex2mathml(node.astext(), as_block=as_block)
    except MathError as failure:
        log.warning("equation '%s': %s", node.astext(), failure, location=node)
        return ""


def visit_inline(self, node):
    self.body.append(mathml(node, as_block=False))
    raise SkipNode


def visit_block(self, node):
    number = f'<span class="eqno">({node["number"]})</span>' if node["number"] else ""
    self.body.append(f'<div class="math">{number}{mathml(node, as_block=True)}</div>\n')
    raise SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", inline_renderers=(visit_inline, None), block_renderers=(visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
