"""Other lines of the molecule within the channels are left out, and said to be."""

# Three levels; the two upper ones are 0.001 cm^-1 apart, so that their lines are 29.98 MHz or 30.0 km/s apart.
MOLECULE = """\
!
XY
!
30.0
!
3
!
1 0.000 1.0 0
2 10.000 3.0 1a
3 10.001 3.0 1b
!
2
!
1 2 1 1.5e-06 299.792458
2 3 1 1.5e-06 299.822437
"""
MODEL = """\
mesh: {cells: [4, 4, 4], size: [1 pc, 1 pc, 1 pc]}
line: {molecule: xy.dat, transition: 1}
medium: {temperature: 20 K, density: 1e-3 cm^-3}
populations: lte
cameras: [{name: z, theta: 0 deg, phi: 0 deg, pixels: 4}]
channels: {range: [-20 km/s, 20 km/s], number: 8}
run: {packets: 0}
"""


def test_lines_that_are_left_out_are_named(folder):
    (folder.path / "xy.dat").write_text(MOLECULE)
    folder.model.write_text(MODEL)
    for command in ("check", "run"):
        done = folder.run(command, "model.yaml")
        assert done.returncode == 0, done.stderr
        assert "other line" not in done.stderr
        done = folder.run(command, "model.yaml", "--set", "channels.range=[-40 km/s, 20 km/s]")
        assert done.returncode == 0, done.stderr
        assert "1 other line of XY lies within the channels and is left out; the nearest, 299.822437 GHz, is at -30 km/s" in done.stderr
