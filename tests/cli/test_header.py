"""The public header: valid C and C++ without other headers, and the programs shown in the documentation."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import MODEL

ROOT = Path(__file__).resolve().parents[2]
HEADER = ROOT / "include" / "linerad.h"
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wconversion", "-Werror"]

# Every structure that may grow, initialised and filled, using only what both languages have.
PROGRAM = """
#include <linerad.h>
#if LINERAD_VERSION_MAJOR != 0 && LINERAD_VERSION_MINOR < 0 && LINERAD_VERSION_PATCH < 0
#error versions are numbers
#endif
int main(void)
{
    struct lr_array array;
    struct lr_summary summary;
    struct lr_line line;
    struct lr_level level;
    struct lr_partner partner;
    struct lr_parcels parcels;
    struct lr_parcel_lines lines;
    struct lr_cube_view view;
    struct lr_moments moments;
    struct lr_image image;
    struct lr_check check;
    LR_INIT(array);
    LR_INIT(summary);
    LR_INIT(line);
    LR_INIT(level);
    LR_INIT(partner);
    LR_INIT(parcels);
    LR_INIT(lines);
    LR_INIT(view);
    LR_INIT(moments);
    LR_INIT(image);
    LR_INIT(check);
    const size_t size = array.size + summary.size + line.size + level.size + partner.size + parcels.size + lines.size +
                        view.size + moments.size + image.size + check.size;
    const char *header = LINERAD_VERSION, *library = lr_version();
    for (; *header && *header == *library; header++)
        library++;
    return size > 0 && *header == *library ? 0 : 1;
}
"""


@pytest.fixture
def build(tmp_path):
    library = os.environ.get("LINERAD_LIBRARY")
    if not library:
        pytest.skip("LINERAD_LIBRARY is not set")

    def make(compiler, standard, text):
        if not shutil.which(compiler):
            pytest.skip(f"there is no {compiler}")
        source, program = tmp_path / ("program.cc" if "++" in compiler else "program.c"), tmp_path / "program"
        source.write_text(text)
        folder = Path(library).resolve().parent
        link = [library, f"-Wl,-rpath,{folder}"]
        command = [compiler, f"-std={standard}", *WARNINGS, f"-I{HEADER.parent}", str(source), *link, "-o", str(program)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return program

    return make


@pytest.mark.parametrize("compiler, standard", [("gcc", "c99"), ("gcc", "c17"), ("g++", "c++11"), ("g++", "c++20")])
def test_both_languages(build, compiler, standard):
    assert subprocess.run([build(compiler, standard, PROGRAM)]).returncode == 0


def test_the_program_in_the_header(build, tmp_path):
    """The example in its first comment is a program."""
    body = re.search(r"(?:^ \* {5}.*\n)+", HEADER.read_text(), re.M).group().replace(" * ", "")
    text = "#include <stdio.h>\n#include <linerad.h>\nint main(void)\n{\n" + body + "    return 0;\n}\n"
    program = build("gcc", "c17", text)
    (tmp_path / "slab.yaml").write_text(MODEL)
    done = subprocess.run([program], cwd=tmp_path, capture_output=True, text=True)
    assert done.stderr == "" and (tmp_path / "slab.h5").exists()


def test_the_program_in_the_documentation(build, tmp_path):
    text = re.search(r"```c\n(.*?)```", (ROOT / "docs" / "c_api.md").read_text(), re.S).group(1)
    program = build("gcc", "c17", text)
    (tmp_path / "slab.yaml").write_text(MODEL)
    done = subprocess.run([program, "slab.yaml"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    rows = [[float(word) for word in line.split()] for line in done.stdout.splitlines()]
    assert len(rows) > 10 and all(lower < upper for lower, upper, _ in rows) and any(value > 0 for *_, value in rows)
    gone = subprocess.run([program, "gone.yaml"], cwd=tmp_path, capture_output=True, text=True)
    assert gone.returncode == 2 and gone.stderr.startswith("gone.yaml: ")


def test_structures_begin_with_their_size_or_are_pairs():
    found = re.findall(r"^struct (\w+) \{\n(.*?)^\};", HEADER.read_text(), re.S | re.M)
    assert len(found) > 10
    pairs = [name for name, body in found if not body.startswith("    size_t size;\n")]
    assert pairs == ["lr_estimate", "lr_depth"]


def test_tools_are_apart():
    for word in ("lr_cloud", "lr_values", "lr_quantity", "lr_model_keys", "linerad_tools"):
        assert word not in HEADER.read_text()
