"""Results of parts of a run, or of other seeds, add up to that of one run: every sum is over packets, and packets belong
to batches by their numbers."""

import subprocess

import h5py
import numpy as np
import pytest
from conftest import error_line
from test_resume import assert_same, command, numbers_of, prepare

# Not in a merged file: /scene, and what is not additive.
ONLY_IN_ONE = ("scene", "centroid", "correlation", "shift")


def share(folder, part, parts, *arguments, output=None):
    output = output or f"part{part}.h5"
    done = folder.run(*command(folder, "--share", f"{part}/{parts}", "-o", output, *arguments)[1:])
    assert done.returncode == 0, done.stderr
    return output


def compare(one, other, skip):
    """Errors of images need single precision, all else is as exact as sums in another order."""
    one, other = numbers_of(one), numbers_of(other)
    names = {name for name in one if not any(word in name for word in (*ONLY_IN_ONE, *skip)) and "sums" not in name}
    assert names - set(other) == set()
    for name in names:
        value = one[name]
        scale = np.nanmax(np.abs(value)) if np.size(value) and np.isfinite(value).any() else 0
        tolerance = 1e-4 if "image" in name else 1e-7 if "error" in name or "balance" in name else 1e-12
        np.testing.assert_allclose(other[name], value, rtol=tolerance, atol=tolerance * scale, err_msg=name)


def test_ten_shares_are_one_run(folder):
    prepare(folder)
    size = ["--packets", 1234, "--set", "run.checkpoint=auto"]
    subprocess.run(command(folder, *size, "-o", "whole.h5"), cwd=folder.path, check=True, timeout=120)
    names = [share(folder, part, 10, *size) for part in range(1, 11)]
    done = folder.run("merge", *reversed(names), "-o", "all.h5")
    assert done.returncode == 0, done.stderr
    with h5py.File(folder.path / "all.h5") as file:
        assert file["summary"].attrs["packets"] == file["summary"].attrs["packets_requested"] == 1234
        ids = np.sort(file["packets/id"][()])
    with h5py.File(folder.path / "whole.h5") as file:
        np.testing.assert_array_equal(ids, file["packets/id"][()])
    # The fluxes of the comparison with packets have errors from shares rather than batches.
    compare(folder.path / "whole.h5", folder.path / "all.h5", ("packets/", "flux", "packet_angle"))
    assert (folder.path / "all_side.fits").exists()


def test_merged_results_can_be_merged_again_with_other_seeds(folder):
    prepare(folder, cameras=False, medium="tau_mean: 200, damping: 0.149")
    for part in (1, 2):
        share(folder, part, 2, "--packets", 500)
    assert folder.run("merge", "part1.h5", "part2.h5", "-o", "one.h5").returncode == 0
    other = command(folder, "--packets", 500, "--seed", 2, "--set", "output.sums=true", "-o", "two.h5")
    subprocess.run(other, cwd=folder.path, check=True, timeout=120)
    done = folder.run("merge", "one.h5", "two.h5", "-o", "both.h5", "--quiet")
    assert done.returncode == 0, done.stderr
    one, two, both = (numbers_of(folder.path / f"{name}.h5") for name in ("one", "two", "both"))
    np.testing.assert_allclose(both["spectrum/total"], 0.5 * (one["spectrum/total"] + two["spectrum/total"]), rtol=1e-9)
    error = np.hypot(one["summary/median_abs_x_error"], two["summary/median_abs_x_error"]) / 2
    assert both["summary/median_abs_x_error"] == pytest.approx(error, rel=0.4)


def test_a_share_from_which_nothing_escapes_still_counts(folder):
    """Weights in the list of packets add up to what escapes, whichever part is first."""
    prepare(folder, cameras=False, medium="tau_mean: 200, damping: 0.149, absorption: 0.3 1/pc")
    names = [share(folder, part, 8, "--packets", 16, "--set", "physics.absorption=analog") for part in range(1, 9)]
    escaped = {}
    for name in names:
        with h5py.File(folder.path / name) as file:
            escaped[name] = float(file["summary"].attrs["escaped"])
    none = [name for name in names if escaped[name] == 0]
    some = [name for name in names if escaped[name] > 0]
    assert none and some
    for pair in [(none[0], some[0]), (some[0], none[0])]:
        done = folder.run("merge", *pair, "-o", "two.h5")
        assert done.returncode == 0, done.stderr
        with h5py.File(folder.path / "two.h5") as file:
            assert file["packets/weight"][()].sum() == pytest.approx(float(file["summary"].attrs["escaped"]), rel=1e-12)


def test_many_images_are_merged(folder):
    """Every camera has sums of its own, more than a hundred of them here."""
    prepare(folder, cameras=False, medium="tau_mean: 200, damping: 0.149")
    cameras = ", ".join(
        f"{{name: c{i}, theta: {i + 10} deg, phi: 30 deg, pixels: 2, field: 3 pc}}" for i in range(60)
    )
    text = folder.model.read_text().replace("y: periodic, z: periodic", "y: open, z: open")
    channels = "channels: {range: [-100 km/s, 100 km/s], number: 1}"
    folder.model.write_text(f"{text}{channels}\ncameras: [{cameras}]\nimage: {{errors: true}}\n")
    for part in (1, 2):
        share(folder, part, 2, "--packets", 100)
    done = folder.run("merge", "part1.h5", "part2.h5", "-o", "all.h5")
    assert done.returncode == 0, done.stderr


def test_a_share_goes_on_after_a_stop(folder):
    """Shares and statepoints work together: killed parts are resumed and add up."""
    prepare(folder, cameras=False, medium="tau_mean: 2e4, damping: 0.0149")
    size = ["--packets", 600]
    share(folder, 1, 2, *size)
    arguments = command(folder, "--share", "2/2", "-o", "part2.h5", "--resume", *size)
    for _ in range(30):
        process = subprocess.Popen(arguments, cwd=folder.path, stderr=subprocess.DEVNULL)
        try:
            assert process.wait(0.4) == 0
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    assert folder.run("merge", "part1.h5", "part2.h5", "-o", "all.h5").returncode == 0
    subprocess.run(command(folder, *size, "-o", "whole.h5"), cwd=folder.path, check=True, timeout=120)
    compare(folder.path / "whole.h5", folder.path / "all.h5", ("packets/",))


def test_what_does_not_belong_together_is_refused_by_name(folder):
    prepare(folder, cameras=False, medium="tau_mean: 200, damping: 0.149")
    first = share(folder, 1, 2)
    again = share(folder, 1, 3, output="third.h5")
    line = error_line(folder.run("merge", first, again, "-o", "all.h5"))
    assert "packets 0 to 332 of seed 1 are in both" in line
    warm = share(folder, 2, 2, "--set", "medium.temperature=2e4 K", output="warm.h5")
    line = error_line(folder.run("merge", first, warm, "-o", "all.h5"))
    assert "medium.temperature is '1e4 K' here and '2e4 K' there" in line
    more = share(folder, 2, 2, "--packets", 2000, output="more.h5")
    line = error_line(folder.run("merge", first, more, "-o", "all.h5"))
    assert "numbers of packets (run.packets) are 1000 and 2000" in line
    second = share(folder, 2, 2)
    with h5py.File(folder.path / second, "r+") as file:
        file["sums/shape"][0] = 2
    line = error_line(folder.run("merge", first, second, "-o", "all.h5"))
    assert "versions of the format of sums are 1 and 2" in line
    assert folder.run(*command(folder, "-o", "plain.h5")[1:]).returncode == 0
    assert "no sums" in error_line(folder.run("merge", first, "plain.h5", "-o", "all.h5"))
    assert not (folder.path / "all.h5").exists()


@pytest.mark.parametrize("index, value", [(3, 1024), (4, 0), (5, 100000), (6, 1000000), (8, 7), (9, 1), (10, 1 << 40)])
def test_sums_that_are_not_of_the_shape_they_claim_are_refused(folder, index, value):
    names = [share(folder, part, 2) for part in (1, 2)]
    for name in names:
        with h5py.File(folder.path / name, "r+") as file:
            file["sums/shape"][index] = value
    assert "damaged" in error_line(folder.run("merge", *names, "-o", "all.h5"))


def test_a_result_is_not_replaced_by_what_is_made_from_it(folder):
    names = [share(folder, part, 2) for part in (1, 2)]
    (folder.path / "link.h5").symlink_to(names[1])
    before = [(folder.path / name).read_bytes() for name in names]
    for output in (names[0], f"./{names[0]}", "link.h5"):
        assert "one of the results to be merged" in error_line(folder.run("merge", *names, "-o", output))
    assert [(folder.path / name).read_bytes() for name in names] == before


@pytest.mark.parametrize("text", ["0/4", "5/4", "1/0", "3", "1/2x"])
def test_a_share_that_makes_no_sense_is_refused(folder, text):
    assert "such as 3/10" in error_line(folder.run("run", "model.yaml", "--share", text))


def test_results_that_are_whole_stay_the_same_with_sums(folder):
    prepare(folder)
    size = ["--packets", 300]
    subprocess.run(command(folder, *size, "-o", "plain.h5"), cwd=folder.path, check=True, timeout=120)
    subprocess.run(command(folder, *size, "-o", "sums.h5", "--set", "output.sums=true"), cwd=folder.path, check=True)
    with h5py.File(folder.path / "sums.h5", "r+") as file:
        del file["sums"]
    assert_same(folder.path / "plain.h5", folder.path / "sums.h5")
