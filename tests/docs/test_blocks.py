"""Every code block of README.md, docs/tutorial.md and docs/howto does what it says, in order, in one folder per page.

Shell blocks (no language, bash or sh) are run as they are, with build/linerad, .venv/bin/python, examples/ and tools/
in place. YAML blocks are models: saved, or added to a saved one, and checked; Python blocks are run; text is not code.
A comment before a block can change this; blocks that cannot be run have one that says why.

    <!-- not run: REASON -->        skipped, and listed by `pytest -s`
    <!-- run: OLD => NEW -->        with this change, to make it small; several with ;
    <!-- file: NAME -->             a YAML block is saved under this name
    <!-- add to: NAME -->           ... or at the end of this file
    <!-- output -->                 part of the output of the previous block; labels and units must appear in this order
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

LONG = ("README.md", "docs/tutorial.md")
ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "howto"
HOWTO = sorted(f"docs/howto/{path.name}" for path in FOLDER.glob("*.md") if path.name != "index.md")
BLOCK = re.compile(r"(?:^<!-- *(?P<note>[^\n]*?) *-->\n+)?^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.S | re.M)
SHELL = ("", "bash", "sh")


class Block:
    def __init__(self, match, text):
        self.line = text.count("\n", 0, match.start("body"))
        self.language, self.body = match["language"], match["body"]
        kind, _, rest = (match["note"] or "").partition(":")
        self.note, self.detail = kind.strip(), rest.strip()
        assert self.note in ("", "not run", "run", "file", "add to", "output"), f"line {self.line}: {match['note']}"


def blocks_of(path):
    text = path.read_text()
    blocks = [Block(match, text) for match in BLOCK.finditer(text)]
    notes = re.findall(r"^<!-- *(?:not run|run|file|add to|output)\b", text, re.M)
    assert len(notes) == sum(bool(block.note) for block in blocks), f"{path}: a note that is not before a block"
    return blocks


class Page:
    """A folder that looks like a checkout with a build."""

    def __init__(self, root, folder, program):
        self.folder, self.program = folder, program
        for name in ("examples", "tools"):
            shutil.copytree(root / name, folder / name, ignore=shutil.ignore_patterns("*.h5", "*.fits", "__pycache__"))
        programs = {"build/linerad": program, "bin/linerad": program, ".venv/bin/python": sys.executable}
        for name, target in programs.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f'#!/bin/sh\nexec "{target}" "$@"\n')
            path.chmod(0o755)
        shutil.copy(root / "examples" / "data" / "hco+_demo.dat", folder / "hco+.dat")  # of LAMDA, by its name there
        self.environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "MPLBACKEND": "Agg",
                                         "LINERAD_PYTHON": sys.executable}
        self.printed = ""

    def shell(self, script):
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", script], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        self.printed = done.stdout

    def check(self, name):
        self.shell(f"linerad check '{name}'")
        assert "mesh" in self.printed and "line" in self.printed

    def do(self, block):
        """Whether the block was run."""
        body = block.body
        if block.note == "run":
            for change in block.detail.split(";"):
                old, _, new = (part.strip() for part in change.partition("=>"))
                assert old in body and new, f"line {block.line}: '{old}' is not there to be replaced"
                body = body.replace(old, new)
        if block.note == "not run":
            assert len(block.detail) > 10, f"line {block.line}: say why it is not run"
            return False
        if block.note == "output":
            self.compare(block)
        elif block.language == "yaml":
            name = block.detail if block.note in ("file", "add to") else f"block_{block.line}.yaml"
            with open(self.folder / name, "a" if block.note == "add to" else "w") as file:
                file.write(body)
            self.check(name)
        elif block.language == "python":
            (self.folder / "block.py").write_text(body)
            self.shell(".venv/bin/python block.py")
        else:
            assert block.language in SHELL, f"line {block.line}: a block in {block.language} needs a note"
            self.shell(body)
        return True

    def compare(self, block):
        """Numbers depend on the size of a run; words do not."""
        at = 0
        for line in block.body.strip().splitlines():
            label = re.split(r" {2,}|\t", line.strip())[0]
            found = self.printed.find(label, at)
            assert found >= 0, f"line {block.line}: '{label}' is not in\n{self.printed}"
            at = found + len(label)


@pytest.mark.parametrize("name", [*LONG, *HOWTO])
def test_blocks_run(root, program, tmp_path, name):
    page, done, left_out = Page(root, tmp_path, program), 0, []
    for block in blocks_of(root / name):
        if page.do(block):
            done += 1
        else:
            left_out.append(f"{name}, line {block.line}: {block.detail}")
    print(f"  {name}: {done} blocks run; not run:", *left_out, sep="\n    ")
    assert done >= (5 if name in LONG else 1)


def test_readme_shows_a_run_that_agrees_with_what_it_quotes(root):
    """The output shown in the README agrees with the independent numbers quoted next to it."""
    text = (root / "README.md").read_text()
    median = re.search(r"median \|x\| +([\d.]+) ± ([\d.]+)", text)
    scatterings = re.search(r"scatterings per packet +([\d.]+) ± ([\d.]+)", text)
    quoted = re.search(r"gives ([\d.]+), ([\d.]+) and ([\d.]+)", text)
    for shown, expected in ((scatterings, quoted[1]), (median, quoted[3])):
        assert abs(float(shown[1]) - float(expected)) < 3.5 * float(shown[2])
