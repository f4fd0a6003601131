"""linerad keys: what a model may contain, which is what readers accept."""

import re

import pytest
from conftest import error_line

MODEL = """\
mesh: {cells: [2, 2, 2], size: [1 pc, 1 pc, 1 pc]}
line: lya
medium: {temperature: 1e4 K, tau_centre: 1}
sources:
  - {point: {position: [0 pc, 0 pc, 0 pc]}, spectrum: {gaussian: {sigma: 1}}, luminosity: 1 photon/s}
  - {plane: {axis: x, at: 0 pc}, spectrum: {band: {from: 0, to: 1}}, luminosity: 1 photon/s}
  - {volume: {}, spectrum: {table: {shift: [0, 1], density: [1, 1]}}, luminosity: 1 photon/s}
channels: {number: 4, range: [-1 km/s, 1 km/s]}
cameras: [{direction: +z}]
"""

# mapping of the schema: where it is in the model
PLACES = {
    "model": "", "mesh": "mesh.", "mesh.edges": "mesh.edges.", "mesh.faces": "mesh.faces.", "line": "line.",
    "snapshot": "snapshot.", "medium": "medium.", "sources": "sources.0.", "sources.point": "sources.0.point.",
    "sources.plane": "sources.1.plane.", "sources.volume": "sources.2.volume.", "sources.spectrum": "sources.0.spectrum.",
    "sources.spectrum.gaussian": "sources.0.spectrum.gaussian.", "sources.spectrum.band": "sources.1.spectrum.band.",
    "sources.spectrum.table": "sources.2.spectrum.table.", "channels": "channels.", "cameras": "cameras.0.",
    "image": "image.", "image.beam": "image.beam.", "image.position": "image.position.",
    "image.subcell": "image.subcell.", "physics": "physics.", "output": "output.",
    "output.directions": "output.directions.", "run": "run.",
}

CHANGES = {  # cases that need a different model: a line of it and its replacement
    "line": ("line: lya", "line: {}"),
    "mesh.edges": ("mesh: {cells: [2, 2, 2], size: [1 pc, 1 pc, 1 pc]}", "mesh: {edges: {}}"),
    "snapshot": ("mesh: {cells: [2, 2, 2], size: [1 pc, 1 pc, 1 pc]}", "snapshot: {}"),
}


def keys(folder, name):
    done = folder.run("keys", name, "--markdown")
    assert done.returncode == 0, done.stderr
    return re.findall(r"^\| `(\S+)` \|", done.stdout, re.M)


@pytest.mark.parametrize("name", PLACES)
def test_readers_accept_the_keys_that_are_listed(folder, name):
    """The error about an unknown key lists all keys of its mapping; a line may be molecular, or a
    group."""
    folder.model.write_text(MODEL.replace(*CHANGES.get(name, ("", ""))))
    line = error_line(folder.run("check", "model.yaml", "--set", f"{PLACES[name]}qqqqqqqq=1"))
    valid = line.partition("valid here: ")[2].split(", ")
    others = ["line.molecule", "line.group"] if name == "line" else []
    listed = sum((keys(folder, table) for table in [name, *others]), [])
    assert valid == listed


def test_every_mapping_is_listed_and_has_keys(folder):
    names = re.findall(r"^  (\S+)  +\S", folder.run("keys").stdout, re.M)
    assert len(names) > 50 and len(set(names)) == len(names)
    for name in names:
        done = folder.run("keys", name)
        assert done.returncode == 0 and done.stdout.startswith(f"{name}: ")
        assert all(len(line) <= 120 for line in done.stdout.splitlines())
        assert keys(folder, name)


def test_a_table_teaches(folder):
    text = folder.run("keys", "medium").stdout
    assert re.search(r"^  density +field, number density, +required", text, re.M) and "e.g. cm^-3" in text
    assert re.search(r"^  turbulence +field, velocity, e.g. km/s +0 km/s +added in quadrature", text, re.M)
    assert "mappings in it:" in text and "medium.colliders" in text


def test_one_key(folder):
    text = folder.run("keys", "run.packets").stdout
    assert "1e5" in text and "seed" not in text


def test_a_name_with_several_tables(folder):
    text = folder.run("keys", "region").stdout
    assert [line.split(":")[0] for line in text.splitlines() if line.startswith("region.")] == [
        "region.box", "region.sphere", "region.shell", "region.slab"]


@pytest.mark.parametrize("arguments, words", [
    (["mehs"], ["'mehs'", "'mesh'"]),
    (["image.baem"], ["'image.baem'", "'image.beam'"]),
    (["photosynthesis"], ["'photosynthesis'", "mesh, snapshot, line"]),
    (["mesh", "line"], ["'line'"]),
    (["mesh", "--markdwon"], ["'--markdown'"]),
])
def test_wrong_arguments(folder, arguments, words):
    line = error_line(folder.run("keys", *arguments))
    assert all(word in line for word in words), line


def test_a_key_is_found_by_its_bare_name(folder):
    assert "keys of that name: image.beam" in error_line(folder.run("keys", "beam"))
