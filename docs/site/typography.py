"""Numbers, units and molecules in prose as printed in a paper: 3e-5 cm^-3 becomes 3 × 10⁻⁵ cm⁻³, 13CO ¹³CO.

The pages themselves stay plain text. Code, equations and names of functions are left as they are.
"""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

RAISED = str.maketrans("+-0123456789", "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
NUMBER = re.compile(r"(?<![\w.])(\d+(?:\.\d+)?)e([+-]?\d{1,2})(?![\w.]*\w)")  # 1.5e-6, but no part of a name
POWER = re.compile(r"(?<=[A-Za-z0-9])\^(-?\d+)(?![\d./])")  # cm^-3, 10^4, 64^3, but not k^-11/3
MOLECULES = {"H2": "H₂", "13CO": "¹³CO", "C18O": "C¹⁸O", "12CO": "¹²CO"}
MOLECULE = re.compile(rf"(?<![\w-])({'|'.join(MOLECULES)})(?!\w)")

PLAIN = (nodes.literal, nodes.literal_block, nodes.math, nodes.math_block, nodes.raw, nodes.comment,
         addnodes.desc_signature)  # fmt: skip


def _scientific(match):
    mantissa, power = match[1], f"10{str(int(match[2])).translate(RAISED)}"
    return power if float(mantissa) == 1 else f"{mantissa} × {power}"


def printed(text):
    text = NUMBER.sub(_scientific, text)
    text = POWER.sub(lambda match: match[1].translate(RAISED), text)
    return MOLECULE.sub(lambda match: MOLECULES[match[1]], text)


class Typography(SphinxTransform):
    default_priority = 750

    def apply(self):
        for text in list(self.document.findall(nodes.Text)):
            above = text.parent
            while above is not None and not isinstance(above, PLAIN):
                above = above.parent
            if above is None and printed(text) != text:
                text.parent.replace(text, nodes.Text(printed(text)))


def setup(app):
    app.add_transform(Typography)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
