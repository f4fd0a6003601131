"""docs/model_reference.md has every key that a model may have, and no other.

The keys that readers accept are the arrays in src/io that are handed to READER_KEYS or yaml_check_keys. Each must
occur, as code, in the section of the reference that its reader belongs to; each key in the first column of a table of
keys must be one that a reader of that section accepts. For whole sections the program itself is asked: its error about
an unknown key lists the valid ones.
"""

import re
import subprocess

import pytest

# reader in src/io: section of the reference
SECTIONS = {
    "model_abundance.c": "medium", "model_bricks.c": "mesh", "model_camera.c": "cameras", "model_colliders.c": "medium",
    "model_destruction.c": "medium", "model_field.c": "Rules for values", "model_file.c": "Rules for values",
    "model_image.c": "image",
    "model_imaging.c": "channels", "model_line.c": "line", "model_lines.c": "lines", "model_medium.c": "medium",
    "model_mesh.c": "mesh", "model_molecule.c": "line", "model_packets.c": "sources",
    "model_populations.c": "populations", "model_region.c": "Rules for values", "model_rotor.c": "line",
    "model_snapshot.c": "snapshot", "model_source.c": "sources", "model_spectrum.c": "sources",
    "model_star.c": "sources", "model_temperature.c": "medium", "model_thermal.c": "sources",
}
# readers of several sections, by a key of the array
MIXED = {"model_options.c": {"redistribution": "physics", "mu": "output", "fields": "output", "seed": "run"}}
COLLIDERS = "src/lines/molecule.c"  # names of colliders are keys too; their array is there

ARRAY = re.compile(r"\*\s*(?:const\s+)?(\w+)\[\w*\]\s*=\s*\{([^}]*)\}")
CALL = re.compile(r"(?:READER_KEYS\((?:[^,;]*),(?:[^,;]*),\s*(\w+)\s*\)|yaml_check_keys\((?:[^,;]*,){3}\s*(\w+)\s*,)")


def words_of(text):
    return re.findall(r'"([^"]*)"', text)


def key_arrays(root):
    """(file name, keys) of each call that checks keys."""
    names = re.search(r"\*collider_name\(.*?\n}", (root / COLLIDERS).read_text(), re.S).group()
    colliders = [word for word in words_of(names) if word != "?"]
    assert "p-H2" in colliders
    headers = "\n".join(path.read_text() for path in sorted((root / "src" / "io").glob("*.h")))
    macros = dict(re.findall(r"^#define ([A-Z_]+_KEYS) ((?:.*\\\n)*.*)$", headers, re.M))  # lists that readers share
    found = []
    for path in sorted((root / "src" / "io").glob("model_*.c")):
        text = path.read_text()
        for call in CALL.finditer(text):
            name = call.group(1) or call.group(2)
            arrays = [match for match in ARRAY.finditer(text, 0, call.start()) if match.group(1) == name]
            if arrays:
                body = arrays[-1].group(2)
                for other, index in re.findall(r"\b(\w+)\[(\d+)\]", body):  # an element of another array
                    elements = next(match.group(2) for match in ARRAY.finditer(text) if match.group(1) == other)
                    body += f'"{words_of(elements)[int(index)]}"'
                body += " ".join(macros[name] for name in re.findall(r"\b[A-Z_]+\b", body) if name in macros)
                found.append((path.name, words_of(body)))
            elif path.name == "model_colliders.c":
                found.append((path.name, colliders))
            else:
                assert name == "NULL", f"{path.name}: no array {name} before the call"
    return found


def section_of(file, keys):
    if file in MIXED:
        return next(section for key, section in MIXED[file].items() if key in keys)
    return SECTIONS[file]


@pytest.fixture(scope="module")
def sections(root):
    """{heading: text} of the reference."""
    text = (root / "docs" / "model_reference.md").read_text()
    parts = re.split(r"^## (.*)$", text, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2])) | {"": text}


def code_of(text):
    """Fenced blocks and `spans`, and nothing else."""
    blocks = re.findall(r"^```.*?^```", text, re.S | re.M)
    return "\n".join(blocks + re.findall(r"`([^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)))


def table_keys(text):
    """Keys in the first column of tables whose title says that it holds keys, or kinds of a source."""
    keys, inside = set(), False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if not cells:
            inside = False
        elif re.match(r"(key|kind|strength)\b", cells[0]):
            inside = True
        elif inside:
            keys |= set(re.findall(r"`([^`]+)`", cells[0]))
    return keys


def test_every_key_of_a_reader_is_documented(root, sections):
    arrays = key_arrays(root)
    assert len(arrays) > 45
    missing = []
    for file, keys in arrays:
        section = "" if file == "model_load.c" else section_of(file, keys)
        code = code_of(sections[section])
        if file == "model_lines.c":
            code += code_of(sections["line"])  # "the keys of `line`"
        missing += [f"{key} ({file}, section '{section}')" for key in keys
                    if not re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", code)]
    assert not missing, missing


def test_every_documented_key_is_read(root, sections):
    accepted = {}
    for file, keys in key_arrays(root):
        if file != "model_load.c":
            accepted.setdefault(section_of(file, keys), set()).update(keys)
    total = 0
    for section in accepted:
        documented = table_keys(sections[section])
        unknown = documented - accepted[section]
        assert not unknown, f"section '{section}' documents {sorted(unknown)}, which no reader accepts"
        total += len(documented)
    assert total > 100


MODEL = """\
mesh: {cells: [2, 2, 2], size: [1 pc, 1 pc, 1 pc]}
line: lya
medium: {temperature: 1e4 K, tau_centre: 1}
sources: [{point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {monochromatic: 0}, luminosity: 1 photon/s}]
channels: {number: 4, range: [-1 km/s, 1 km/s]}
cameras: [{direction: +z}]
"""


@pytest.mark.parametrize("section, place", [("mesh", "mesh"), ("medium", "medium"), ("channels", "channels"),
                                            ("cameras", "cameras.0"), ("image", "image"), ("physics", "physics"),
                                            ("output", "output"), ("run", "run")])
def test_the_program_names_the_same_keys(program, sections, tmp_path, section, place):
    (tmp_path / "model.yaml").write_text(MODEL)
    done = subprocess.run([program, "check", "model.yaml", "--set", f"{place}.qqqqqq=1"], cwd=tmp_path,
                          capture_output=True, text=True)
    assert done.returncode == 2, done.stdout
    valid = set(done.stderr.strip().partition("valid here: ")[2].split(", "))
    assert len(valid) > 2, done.stderr
    assert valid == table_keys(sections[section])


def test_lines_have_the_keys_of_a_line(root):
    arrays = key_arrays(root)
    entry = next(set(keys) for file, keys in arrays if file == "model_lines.c")
    line = set().union(*(keys for file, keys in arrays if file in ("model_line.c", "model_molecule.c")))
    assert "rotor" in line and line <= entry


def test_sections_are_documented(root, sections):
    keys = next(keys for file, keys in key_arrays(root) if file == "model_load.c")
    assert set(keys) <= set(sections), set(keys) - set(sections)
