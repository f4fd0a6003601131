"""Code on the pages that test_blocks.py does not run as a whole: parts of models, and commands for other machines.

Parts of models are put into a small model in place of its own and checked. Alternatives, where a key occurs again, are
checked one by one. Those that read an HDF5 file which is not there are checked up to that file. Of commands that need a
cluster or install something, the options must exist. Blocks of Python and C are run by the tests in RUN_ELSEWHERE."""

import math
import re
import shutil
import subprocess
import sys

import pytest

from test_blocks import BLOCK, HOWTO, LONG, ROOT, SHELL

RUN_ELSEWHERE = {
    ("docs/python.md", "python"): "tests/python/test_docs.py", ("docs/python.md", "py"): "tests/python/test_docs.py",
    ("docs/yt.md", "python"): "tests/python/test_docs.py",
    ("docs/fit.md", "python"): "tests/python/test_docs.py", ("docs/yt.md", "yaml"): "tests/python/test_docs.py",
    ("docs/model_reference.md", "python"): "below", ("docs/model_format.md", "python"): "tests/cli/test_snapshot.py",
    ("docs/model_format.md", "yaml"): "tests/cli/test_snapshot.py", ("docs/c_api.md", "c"): "tests/cli/test_header.py",
}  # fmt: skip
PAGES = sorted(str(path.relative_to(ROOT)) for path in [ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
OTHERS = [page for page in PAGES if page not in (*LONG, *HOWTO)]
NOT_CODE = ("text", "cmake")  # find_package() is tried by tests/cli/test_install.py

MESH = "mesh: {cells: [4, 4, 4], size: [2 pc, 2 pc, 2 pc]}\n"
ATOM = {
    "mesh": MESH, "line": "line: lya\n", "medium": "medium: {temperature: 1e4 K, density: 1 cm^-3}\n",
    "sources": "sources: [{point: {position: [0 pc, 0 pc, 0 pc]}, luminosity: 1 photon/s, spectrum: local}]\n",
    "run": "run: {packets: 10}\n",
}  # fmt: skip
MOLECULE = {
    "mesh": MESH, "line": "line: {molecule: co.dat, transition: 1-0}\n", "populations": "populations: lte\n",
    "medium": "medium: {temperature: 20 K, turbulence: 0.2 km/s, abundance: 1e-4, colliders: {H2: 1e4 cm^-3}}\n",
    "channels": "channels: {number: 8, range: [-2 km/s, 2 km/s]}\n", "cameras": "cameras: [{direction: +x, pixels: 4}]\n",
    "run": "run: {packets: 0}\n",
}  # fmt: skip
SEVERAL = MOLECULE | {"medium": "medium: {temperature: 50 K, turbulence: 0.2 km/s}\n", "sources": "sources: [{thermal: {}}]\n"}
OF_MEDIUM = {
    "density": "  temperature: 1e4 K\n",
    "temperature": "  turbulence: 0.2 km/s\n  abundance: 1e-4\n  colliders: {H2: 1e4 cm^-3}\n",
    "abundance": "  temperature: 20 K\n  turbulence: 0.2 km/s\n  colliders: {H2: 1e4 cm^-3}\n",
}
SOURCE = "sources:\n  - point: {position: [0 pc, 0 pc, 0 pc]}\n    luminosity: 1 photon/s\n"


def blocks(page, *languages):
    text = (ROOT / page).read_text()
    for match in BLOCK.finditer(text):
        if match["language"] in languages and not (match["note"] or "").startswith("not run"):
            yield text.count("\n", 0, match.start("body")) + 1, match["body"]


def alternatives(body):
    """Each as {key: its text}."""
    found = [{}]
    for part in re.findall(r"^\w+:.*\n(?:[ #\n].*\n?)*", body, re.M):
        key = part.partition(":")[0]
        if key in found[-1]:
            found.append({})
        found[-1][key] = part
    return found


def whole_model(parts):
    text = "".join(parts.values())
    molecule = re.search(r"^(populations|abundance):|molecule:|rotor:|ideal-gas:", text, re.M)
    model = dict(SEVERAL if "lines" in parts else MOLECULE if molecule else ATOM)
    if "image" in parts:
        model |= {"channels": MOLECULE["channels"], "cameras": "cameras: [{direction: +x, pixels: 64, field: 0.1 pc}]\n"}
    if "lines" in parts:
        del model["line"], model["populations"]
    if "snapshot" in parts:
        del model["mesh"]
    if "{snapshot:" in text or "# of a snapshot" in text:
        del model["mesh"]
        model["snapshot"] = "snapshot: gas.h5\n"
    for key, part in parts.items():
        inside = "".join(f"  {line}\n" for line in part.splitlines())
        if key in OF_MEDIUM:
            model["medium"] = "medium:\n" + inside + OF_MEDIUM[key]
        elif key == "spectrum":
            model["sources"] = SOURCE + inside.replace("  spectrum", "    spectrum", 1)
        else:
            model[key] = part
    return "".join(model.values())


@pytest.mark.parametrize("page", [page for page in OTHERS if any(blocks(page, "yaml")) and (page, "yaml") not in RUN_ELSEWHERE])
def test_parts_of_models_are_understood(root, program, tmp_path, page):
    for name, copy in (("co_demo.dat", "co.dat"), ("hcn_hfs.dat", "hcn@hfs.dat")):
        shutil.copy(root / "examples" / "data" / name, tmp_path / copy)
    for line, body in blocks(page, "yaml"):
        for parts in alternatives(body):
            (tmp_path / "model.yaml").write_text(whole_model(parts))
            done = subprocess.run([program, "check", "model.yaml"], cwd=tmp_path, capture_output=True, text=True)
            missing = re.search(r": (\S+\.\w*h5|\S+\.athdf): No such file", done.stderr)
            named = missing and missing[1] in (tmp_path / "model.yaml").read_text()
            assert done.returncode == 0 or named, f"{page}, line {line}: {parts}\n{done.stderr}"
            if missing:
                print(f"  {page}, line {line}: checked up to {missing[1]}")


def test_a_dataset_made_as_the_model_reference_says_is_read(program, tmp_path):
    [(_, script)] = blocks("docs/model_reference.md", "python")
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, check=True)
    (tmp_path / "model.yaml").write_text(
        "".join((ATOM | {"mesh": MESH.replace("[4, 4, 4]", "[64, 64, 64]"), "medium": """\
medium:
  temperature: 1e4 K
  density: {file: gas.h5, dataset: /rho}
  velocity: {file: gas.h5, dataset: /v}
"""}).values()))  # fmt: skip
    told = subprocess.run([program, "check", "model.yaml"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    assert "velocity x  -0.98438 to 0.98438" in told  # 63 / 64
    thin, thick = re.search(r"opacity +(\S+) to (\S+),", told).groups()
    assert math.log(float(thick) / float(thin)) == pytest.approx(3 * (63**2 - 1) / 64**2 / 0.1, rel=1e-4)


def test_commands_that_are_not_run_have_their_options(program):
    helps, found = {}, 0
    for page in OTHERS:
        for line, body in blocks(page, *SHELL):
            for name, rest in re.findall(r"\blinerad (\w+)((?:[^|;&#\n\\]|\\\n)*)", body):
                if name not in helps:
                    done = subprocess.run([program, name, "--help"], capture_output=True, text=True)
                    helps[name] = done.stdout if done.returncode == 0 else ""
                for option in re.findall(r"(?<=\s)--?[a-z][a-z-]*", rest):
                    assert re.search(rf"(?<![\w-]){option}(?![\w-])", helps[name]), f"{page}, line {line}: {name} {option}"
                    found += 1
    assert found > 8


def test_no_block_is_left_untested():
    for page in OTHERS:
        text = (ROOT / page).read_text()
        assert len(re.findall(r"^```", text, re.M)) % 2 == 0 and not re.search(r"^ +```", text, re.M), page
        for match in BLOCK.finditer(text):
            language, place = match["language"], f"{page}, line {text.count(chr(10), 0, match.start('body'))}"
            tested = language in (*SHELL, *NOT_CODE, "yaml") or (page, language) in RUN_ELSEWHERE
            assert tested or (match["note"] or "").startswith("not run: "), f"{place}: no test runs this {language}"
