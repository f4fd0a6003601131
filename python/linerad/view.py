"""Interactive pages of cubes: one HTML file that a browser opens from disk, without a server or a network.

The page is made of the files in viewer/ (HTML, CSS, JavaScript) and of the packed cubes (_view_pack.py).
"""

import html
import json
import os
import re
import tempfile
from pathlib import Path

from . import _view_cube, _view_pack
from .errors import InputError, not_written

_PARTS = Path(__file__).with_name("viewer")
_SCRIPTS = ("data", "colours", "canvas", "map", "spectrum", "cut", "volume", "controls", "main")


class Page:
    """An interactive page; a notebook shows it. Made by :func:`view`. ``html`` is its text."""

    def __init__(self, cubes):
        self.html = _page(cubes)

    def __repr__(self):
        return f"<linerad.Page: {len(self.html) / 1e6:.1f} MB>"

    def _repr_html_(self):
        return (f'<iframe srcdoc="{html.escape(self.html)}" style="width: 100%; height: 900px; border: 0">'
                "</iframe>")  # fmt: skip

    def save(self, path):
        """Writes the page, or nothing: an earlier file is replaced once the new one is complete. Returns its name.

        Parameters
        ----------
        path : str or Path
            The page, a name ending in .html. Required.
        """
        path = Path(path)
        if path.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{path}: pages are HTML; use a name ending in .html")
        try:
            handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        except OSError as failure:
            raise not_written(path, "page", failure) from None
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(self.html)
            os.chmod(part, 0o666 & ~_umask())
            os.replace(part, path)
        except BaseException as failure:  # also Ctrl-C
            os.unlink(part)
            if isinstance(failure, OSError):
                raise not_written(path, "page", failure) from None
            raise
        return str(path)


def view(source, *others, camera=None):
    """An interactive page of cubes, :class:`Page`: ``.save("page.html")`` writes it, and a notebook shows it.

    Parameters
    ----------
    source : str, Path, Result or Cube
        A result file (HDF5), a FITS cube, a result or a cube. Required.
    others : the same
        More of them, for the same page. Default: none.
    camera : str or int
        Only this camera of results. Default: None, all of them.
    """
    return Page([cube for part in (source, *others) for cube in _view_cube.shown(part, camera)])


def _umask():
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _page(cubes):
    described, blocks = _view_pack.pack(cubes)
    data = "\n".join(f'<script type="text/plain" id="block{n}">{text}</script>' for n, text in enumerate(blocks))
    scripts = "\n".join((_PARTS / f"{name}.js").read_text("utf-8") for name in _SCRIPTS)
    parts = {
        "@TITLE@": html.escape(cubes[0].title.encode("utf-8", "replace").decode()),  # names of files may be other bytes
        "@STYLE@": (_PARTS / "style.css").read_text("utf-8"),
        "@CUBES@": json.dumps(described, allow_nan=False).replace("<", "\\u003c"),  # nor "</script>", nor "<!--"
        "@DATA@": data,
        "@SCRIPT@": f"(() => {{\n'use strict';\n{scripts}\n}})();",
    }
    return re.sub("@[A-Z]+@", lambda mark: parts[mark.group()], (_PARTS / "page.html").read_text("utf-8"))
