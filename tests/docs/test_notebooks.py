"""Notebooks of the documentation run, and the output they show is that of their code.

The code is run as it is, cell by cell, in a separate folder (with examples/data as in a checkout). A cell with the tag
`parameters` may have smaller numbers for this purpose in its metadata, `{"quick": {name: value}}`, which are set after
it. A notebook that imports one of the packages in OPTIONAL is skipped if that is not installed; packages that it needs
without importing them are listed in its metadata, `{"linerad": {"requires": ["emcee"]}}`.
"""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import notebooks  # noqa: E402

OPTIONAL = {"yt", "emcee", "corner", "spectral_cube"}
PATHS = notebooks.paths()
every_notebook = pytest.mark.parametrize("path", PATHS, ids=[path.stem for path in PATHS])


def read(path):
    return json.loads(path.read_text())


def needed(notebook):
    """Packages that linerad does not require and that may be missing."""
    found = set(notebook["metadata"].get("linerad", {}).get("requires", ()))
    for _, cell in notebooks.code_cells(notebook):
        for node in ast.walk(ast.parse(notebooks.source(cell))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            found |= {name.split(".")[0] for name in names} & OPTIONAL
    return sorted(found)


def test_there_are_notebooks():
    assert {"lya_slab", "collapse"} <= {path.stem for path in PATHS}


@every_notebook
def test_code_runs(path, tmp_path, monkeypatch):
    if not os.environ.get("LINERAD_LIBRARY"):
        pytest.skip("LINERAD_LIBRARY is not set")
    notebook = read(path)
    for module in ("cffi", "astropy", *needed(notebook)):
        pytest.importorskip(module)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    monkeypatch.chdir(notebooks.place_to_run(tmp_path))
    monkeypatch.syspath_prepend(str(ROOT / "python"))
    monkeypatch.setattr(pyplot, "show", lambda *_, **__: pyplot.close("all"))
    names = {"__name__": "__main__"}
    with matplotlib.rc_context():
        for number, cell in notebooks.code_cells(notebook):
            try:
                exec(compile(notebooks.source(cell), f"{path.name}, cell {number}", "exec"), names)
            except Exception as failure:
                raise AssertionError(f"{path.name}, cell {number}: {type(failure).__name__}: {failure}") from failure
            quick = cell["metadata"].get("quick", {})
            assert set(quick) <= set(names), f"{path.name}, cell {number}: sets {set(quick) - set(names)} nowhere else"
            names.update(quick)
    pyplot.close("all")


@every_notebook
def test_outputs_belong_to_the_code(path):
    notebook = read(path)
    hint = f"run tools/document notebooks {path.stem}"
    assert notebook["metadata"].get("linerad", {}).get("code") == notebooks.code_hash(notebook), f"out of date: {hint}"
    outputs = [output for _, cell in notebooks.code_cells(notebook) for output in cell["outputs"]]
    pictures = [output for output in outputs if "image/png" in output.get("data", {})]
    assert len(pictures) >= 2, f"no pictures: {hint}"
    assert any(output["output_type"] == "stream" for output in outputs), f"nothing is printed: {hint}"
    assert path.stat().st_size <= notebooks.MOST_BYTES, f"pictures are too large: {path.stat().st_size} bytes"


def test_a_change_of_code_is_noticed():
    notebook = read(PATHS[0])
    before = notebooks.code_hash(notebook)
    notebooks.code_cells(notebook)[-1][1]["source"] += " "
    assert notebooks.code_hash(notebook) != before


@every_notebook
def test_nothing_of_a_machine_is_stored(path):
    text = path.read_text()
    assert '"stderr"' not in text and "/tmp/" not in text and "/home/" not in text
    for number, cell in enumerate(read(path)["cells"], start=1):
        assert cell["id"] == f"cell-{number}" and set(cell["metadata"]) <= {"tags", "quick"}


def test_the_list_is_up_to_date(tmp_path):
    command = [sys.executable, ROOT / "tools" / "document", "notebooks", "-o", tmp_path / "index.md"]
    subprocess.run(command, check=True)
    kept = (notebooks.FOLDER / "index.md").read_text()
    assert kept == (tmp_path / "index.md").read_text(), "run tools/document notebooks"
