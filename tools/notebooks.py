"""Notebooks of the documentation: what `tools/document notebooks` does, and what tests/docs requires of them.

A stored notebook has its outputs, a hash of the code they came from, and no trace of the machine that made them: cells
have numbers instead of random names, figures contain no times, and paths or warnings in an output are errors.
"""

import base64
import hashlib
import io
import json
import os
import re
import shutil
import socket
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "notebooks"
ORDER = ("lya_slab", "collapse", "snapshot_to_cube", "fitting")  # of the gallery; others follow
MOST_BYTES = 300_000  # of a stored notebook, pictures included

# How yt shows its plots.
EMBEDDED = re.compile(r'\s*<img [^>]*src="data:image/png;base64,([^"]+)"[^>]*>(?:<br ?/?>)?\s*')

# Run before the first cell and not kept: makes figures reproducible.
PRELUDE = """\
import matplotlib_inline.backend_inline as _inline
_inline.set_matplotlib_formats("png", dpi=100, bbox_inches="tight", metadata={"Software": None})
"""


class NotebookError(Exception):
    """What is wrong with which cell."""


def paths(names=()):
    """The notebooks, in the order of the gallery."""
    found = {path.stem: path for path in sorted(FOLDER.glob("*.ipynb"))}
    for name in names:
        if name not in found:
            raise NotebookError(f"there is no docs/notebooks/{name}.ipynb; there are {', '.join(found)}")
    order = [name for name in ORDER if name in found] + [name for name in found if name not in ORDER]
    return [found[name] for name in order if not names or name in names]


def source(cell):
    return cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])


def code_cells(notebook):
    """[(number of the cell from 1, cell)] of those that contain code."""
    cells = enumerate(notebook["cells"], start=1)
    return [(number, cell) for number, cell in cells if cell["cell_type"] == "code" and source(cell).strip()]


def code_hash(notebook):
    """Hash of all code, to detect outputs that came from other code."""
    text = json.dumps([source(cell) for _, cell in code_cells(notebook)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def place_to_run(folder):
    """A folder that looks like docs/notebooks in a checkout, so that line data of the examples are found."""
    place = Path(folder) / "docs" / "notebooks"
    place.mkdir(parents=True)
    shutil.copytree(ROOT / "examples" / "data", Path(folder) / "examples" / "data")
    return place


# ---- making outputs --------------------------------------------------------------------------------------------------


def _forbidden(folder):
    """What must not be in an output: {text: what it is}."""
    home, host = str(Path.home()), socket.gethostname()
    texts = {str(ROOT): "the checkout", sys.prefix: "the Python environment", str(folder): "the folder it ran in"}
    texts |= {tempfile.gettempdir() + "/": "a temporary folder (write to the current one instead)"}
    texts |= {home: "the home folder"} if len(home) > 5 else {}
    return texts | ({host: "the name of the machine"} if len(host) > 4 else {})


def _small(picture, smooth):
    """A PNG without transparency, with 256 colours (a third of the size). With `smooth`, figures in which this changes
    more than a few places, such as maps with gradients, keep all their colours."""
    from PIL import Image, ImageChops

    whole, written = Image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB"), io.BytesIO()
    few = whole.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    changed = ImageChops.difference(whole, few.convert("RGB")).convert("L").point(lambda value: 255 * (value > 2))
    keep = smooth and changed.histogram()[255] > 0.1 * whole.width * whole.height
    (whole if keep else few).save(written, "PNG", optimize=True)
    return base64.b64encode(written.getvalue()).decode() + "\n"


def _clean_output(output, place, forbidden, smooth):
    """The output with what a reader sees, and nothing else."""
    kind = output["output_type"]
    if kind == "stream":
        text = "".join(output["text"])
        if output["name"] != "stdout":
            raise NotebookError(f"{place} writes to stderr (warnings, logs, progress bars): {text.strip()}")
        kept, texts = {"output_type": kind, "name": "stdout", "text": text}, [text]
    elif kind in ("display_data", "execute_result"):
        data = {key: "".join(value) for key, value in output["data"].items()
                if key in ("text/plain", "text/html", "text/latex", "image/png")}
        inside = EMBEDDED.fullmatch(data.get("text/html", ""))
        if inside:
            data = {"image/png": inside[1], "text/plain": "picture"}
        if "image/png" in data:
            data = {"image/png": _small(data["image/png"], smooth), "text/plain": data.get("text/plain", "picture")}
        kept = {"output_type": kind, "data": data, "metadata": {}}
        texts = [value for key, value in data.items() if key != "image/png"]
    else:
        raise NotebookError(f"{place} has an output of the kind {kind}")
    for text in texts:
        for word, what in forbidden.items():
            if word in text:
                raise NotebookError(f"{place} prints {what}: {word}")
        if re.search(r"\bat 0x[0-9a-f]{6,}", text):
            raise NotebookError(f"{place} shows an address in memory: {text.strip()}; end its last line with ;")
    return kept


def _merged(outputs):
    """Consecutive pieces of text merged into one output; nothing is left of a progress line."""
    merged = []
    for output in outputs:
        if output.get("data") == {"text/plain": ""}:
            continue
        if merged and output["output_type"] == merged[-1]["output_type"] == "stream":
            merged[-1]["text"] += output["text"]
        else:
            merged.append(output)
    return merged


def _clean(notebook, folder, smooth):
    """The notebook as it is stored, as text."""
    forbidden, cells, count = _forbidden(folder), [], 0
    for number, cell in enumerate(notebook["cells"], start=1):
        kept = {"cell_type": cell["cell_type"], "id": f"cell-{number}",
                "metadata": {key: cell["metadata"][key] for key in ("tags", "quick") if key in cell["metadata"]},
                "source": source(cell).rstrip()}
        if cell["cell_type"] == "code":
            count += 1
            outputs = _merged(_clean_output(output, f"cell {number}", forbidden, smooth) for output in cell["outputs"])
            for output in outputs:
                if output["output_type"] == "execute_result":
                    output["execution_count"] = count
            kept |= {"execution_count": count, "outputs": outputs}
        cells.append(kept)
    about = notebook["metadata"].get("linerad", {}) | {"code": code_hash({"cells": cells})}
    whole = {"cells": cells, "nbformat": 4, "nbformat_minor": 5,
             "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
                          "language_info": {"name": "python", "file_extension": ".py"}, "linerad": about}}
    return json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def run(path):
    """Run a notebook in a separate folder and store it with its output."""
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.from_dict(json.loads(path.read_text()))
    for cell in notebook.cells:
        cell.source = source(cell)
    prelude = nbformat.v4.new_code_cell(PRELUDE)
    notebook.cells.insert(0, prelude)
    with tempfile.TemporaryDirectory() as checkout:
        folder = place_to_run(checkout)
        environment = os.environ | {"PYTHONPATH": f"{ROOT / 'python'}:{os.environ.get('PYTHONPATH', '')}"}
        environment.pop("MPLBACKEND", None)
        environment.setdefault("LINERAD_LIBRARY", str(ROOT / "build" / "liblinerad.so"))
        client = NotebookClient(notebook, kernel_name="python3", timeout=600, resources={"metadata": {"path": folder}},
                                extra_arguments=["--log-level=ERROR"])
        try:
            client.execute(env=environment)
        except CellExecutionError as failure:
            message = re.sub(r"\x1b\[[0-9;]*m", "", str(failure))  # colours of terminals
            raise NotebookError(f"{path.name}: {message}") from None
        notebook.cells.remove(prelude)
        try:
            text = _clean(notebook, checkout, smooth=True)
            if len(text.encode()) > MOST_BYTES:
                text = _clean(notebook, checkout, smooth=False)
        except NotebookError as failure:
            raise NotebookError(f"{path.name}: {failure}") from None
    if len(text.encode()) > MOST_BYTES:
        raise NotebookError(f"{path.name}: {len(text.encode())} bytes with its pictures, more than {MOST_BYTES}")
    path.write_text(text)


# ---- the gallery -----------------------------------------------------------------------------------------------------


def title_and_line(path):
    """The heading of a notebook and the first sentence below it."""
    first = source(json.loads(path.read_text())["cells"][0])
    match = re.match(r"# (?P<title>[^\n]+)\n\n(?P<line>.+?\.)(?:\s|$)", first, re.S)
    if not match:
        raise NotebookError(f"{path.name}: the first cell must be a heading, an empty line and a sentence")
    return match["title"].strip(), " ".join(match["line"].split()).rstrip(".")


def gallery():
    """docs/notebooks/index.md"""
    page = ["# Notebooks", "", "Worked examples, from model to physics, with their results; written by",
            "`tools/document notebooks`. Download one and run it with Jupyter (`pip install jupyterlab`, and linerad with",
            "plots, [see here](../python.md)); each takes from a few seconds to a minute on two cores.", "",
            "| notebook | what it does | file |", "|---|---|---|"]
    found = paths()
    for path in found:
        title, line = title_and_line(path)
        page.append(f"| [{title}]({path.name}) | {line} | {{download}}`{path.name}` |")
    page += ["", "```{toctree}", ":hidden:", ""] + [path.stem for path in found] + ["```", ""]
    return "\n".join(page)
