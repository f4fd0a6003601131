"""Bad input: each case gives one error line that names the file and the position, exit code 2, and nothing is
overwritten."""

import os
import re
import resource
import shutil
import subprocess

import h5py
import numpy as np
import pytest

from conftest import error_line

RUN = ("run", "model.yaml", "-o", "out.h5")
MEDIUM = "medium: {temperature: 1e4 K, tau_mean: 200, damping: 0.149}"
FIELD = "medium: {temperature: 1e4 K, density: {file: fields.h5, dataset: /density}}"


def density(folder, values, units="cm^-3"):
    """A model whose density comes from fields.h5."""
    folder.change_model(MEDIUM, FIELD)
    with h5py.File(folder.path / "fields.h5", "w") as file:
        file["density"] = values
        if units:
            file["density"].attrs["units"] = units
    return folder.path / "fields.h5"


@pytest.fixture
def values():
    return np.full((16, 2, 2), 1e-3)


def test_the_field_of_these_tests_is_good_when_left_alone(folder, values):
    density(folder, values)
    done = folder.run("check", "model.yaml")
    assert done.returncode == 0, done.stderr


# ---- the model ----


def test_missing_model(fails):
    assert "nowhere.yaml" in fails("run", "nowhere.yaml", "-o", "out.h5")


def test_model_that_is_not_yaml(folder, fails):
    folder.model.write_text("mesh: {cells: [16, 2\n")
    assert "model.yaml:" in fails(*RUN)


def test_model_that_is_a_directory(folder, fails):
    (folder.path / "models").mkdir()
    assert "models" in fails("run", "models", "-o", "out.h5")


@pytest.mark.parametrize("command", [RUN, ("check", "model.yaml")])
def test_unknown_key_names_the_nearest(folder, fails, command):
    folder.change_model("temperature", "temprature")
    line = fails(*command)
    assert "model.yaml:3:" in line and "temprature" in line and "'temperature'" in line


def test_unknown_key_at_the_top(folder, fails):
    folder.change_model("medium:", "meduim:")
    line = fails(*RUN)
    assert "model.yaml:3:" in line and "meduim" in line and "'medium'" in line


def test_unknown_key_from_set(fails):
    line = fails(*RUN, "--set", "run.pakets=3")
    assert "run.pakets" in line and "'packets'" in line


def test_missing_unit(folder, fails):
    folder.change_model("1e4 K", "1e4")
    line = fails(*RUN)
    assert "model.yaml:3:" in line and "temperature" in line and "unit" in line


def test_wrong_unit(folder, fails):
    folder.change_model("1e4 K", "1e4 km/s")
    line = fails(*RUN)
    assert "model.yaml:3:" in line and "temperature" in line and "km/s" in line


def test_unit_that_does_not_exist(folder, fails):
    folder.change_model("2 pc", "2 parsnips")
    line = fails(*RUN)
    assert "model.yaml:1:" in line and "parsnips" in line


def test_negative_density(folder, fails):
    folder.change_model("tau_mean: 200", "density: -1 cm^-3")
    line = fails(*RUN)
    assert "model.yaml:3:" in line and "density" in line


def test_no_source(folder, fails):
    text = folder.model.read_text()
    folder.model.write_text(re.sub(r"sources: .*\n", "", text))
    line = fails(*RUN)
    assert "model.yaml" in line and "source" in line


def test_empty_list_of_sources(folder, fails):
    text = folder.model.read_text()
    folder.model.write_text(re.sub(r"sources: .*\n", "sources: []\n", text))
    line = fails(*RUN)
    assert "model.yaml" in line and "source" in line


@pytest.mark.parametrize("number", ["0", "-5"])
def test_zero_packets(folder, fails, number):
    folder.change_model("packets: 1000", f"packets: {number}")
    line = fails(*RUN)
    assert "model.yaml:5:" in line and "packets" in line


@pytest.mark.parametrize("option", [("--packets", "0"), ("--set", "run.packets=0")])
def test_zero_packets_as_an_option(fails, option):
    assert "run.packets" in fails(*RUN, *option)


# ---- fields ----


def test_nan_in_a_field_names_the_cell(folder, fails, values):
    values[11, 1, 0] = np.nan
    density(folder, values)
    line = fails(*RUN)
    assert "model.yaml:3:" in line and "density" in line
    assert re.search(r"11, *1, *0", line)


def test_negative_value_in_a_field_names_the_cell(folder, fails, values):
    values[3, 0, 1] = -1
    density(folder, values)
    line = fails(*RUN)
    assert "model.yaml:3:" in line and "density" in line
    assert re.search(r"3, *0, *1", line)


def test_shape_mismatch_names_both_shapes(folder, fails, values):
    density(folder, values[:, :, :1])
    line = fails(*RUN)
    assert "model.yaml:3:" in line and "density" in line
    assert re.search(r"16\D+2\D+1\b", line) and re.search(r"16\D+2\D+2\b", line)


def test_field_without_units(folder, fails, values):
    density(folder, values, units=None)
    line = fails(*RUN)
    assert "model.yaml:3:" in line and "density" in line and "units" in line


def test_field_with_wrong_units(folder, fails, values):
    density(folder, values, units="K")
    line = fails(*RUN)
    assert "model.yaml:3:" in line and "density" in line and "'K'" in line


def test_missing_dataset(folder, fails, values):
    density(folder, values)
    folder.model.write_text(folder.model.read_text().replace("/density", "/dens"))
    line = fails(*RUN)
    assert "model.yaml:3:" in line and "fields.h5" in line and "/dens" in line


def test_missing_field_file(folder, fails):
    folder.change_model(MEDIUM, FIELD)
    assert "fields.h5" in fails(*RUN)


def test_truncated_hdf5(folder, fails, values):
    path = density(folder, values)
    os.truncate(path, path.stat().st_size // 2)
    assert "fields.h5" in fails(*RUN)


def test_field_file_that_is_not_hdf5(folder, fails, values):
    density(folder, values).write_text("density 1 2 3\n")
    assert "fields.h5" in fails(*RUN)


def test_field_file_without_permission(folder, fails, values):
    if os.geteuid() == 0:
        pytest.skip("root may read anything")
    density(folder, values).chmod(0)
    folder.earlier_result()
    line = error_line(folder.run(*RUN))
    assert "fields.h5" in line and "ermission" in line


# ---- the output ----


def test_output_directory_missing(fails):
    line = fails("run", "model.yaml", "-o", "nowhere/out.h5")
    assert "nowhere/out.h5" in line and "'nowhere'" in line


def test_output_is_a_directory(folder, fails):
    (folder.path / "results").mkdir()
    assert "results" in fails("run", "model.yaml", "-o", "results")
    assert "results" in fails("run", "model.yaml", "-o", "results/")


def test_output_has_no_name(fails):
    assert "no name" in fails("run", "model.yaml", "-o", "")


def test_output_is_the_model(fails):
    assert "model.yaml: the model reads this file" in fails("run", "model.yaml", "-o", "model.yaml")


def test_output_is_the_file_of_fields(folder, fails, values):
    density(folder, values)
    assert "fields.h5: the model reads this file" in fails("run", "model.yaml", "-o", "fields.h5")
    (folder.path / "link.h5").symlink_to("fields.h5")
    assert "link.h5: the model reads this file" in fails("run", "model.yaml", "-o", "link.h5")


def test_output_is_some_other_file(folder, fails):
    (folder.path / "data.h5").write_text("mine")
    line = fails("run", "model.yaml", "-o", "data.h5")
    assert "data.h5" in line and "not a linerad result" in line


def test_output_is_a_fits_file(fails):
    line = fails("run", "model.yaml", "-o", "a.b/cube.fits")
    assert "HDF5 file, such as a.b/cube.h5;" in line and "a.b/cube_<camera>.fits" in line


def test_output_is_a_device(fails):
    assert "/dev/full" in fails("run", "model.yaml", "-o", "/dev/full")


def test_output_where_nobody_may_write(fails):
    assert "/proc/out.h5" in fails("run", "model.yaml", "-o", "/proc/out.h5")


def test_output_directory_without_permission(folder, fails):
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    (folder.path / "closed").mkdir(mode=0o500)
    assert "closed/out.h5" in fails("run", "model.yaml", "-o", "closed/out.h5")


def test_earlier_result_that_is_write_protected(folder, fails):
    if os.geteuid() == 0:
        pytest.skip("root may write anywhere")
    folder.earlier_result("kept.h5").chmod(0o444)
    assert "kept.h5" in fails("run", "model.yaml", "-o", "kept.h5")


@pytest.mark.parametrize("limit", [0, 1000, 6000, 20000])
def test_output_that_grows_beyond_a_limit(fails, limit):
    """Below 4 KiB the check before the run fails, above it writing the result."""

    def set_limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    line = fails(*RUN, "--set", "output.bins=1000", preexec_fn=set_limit)
    assert "out.h5" in line


@pytest.mark.parametrize("size, used", [("16k", "16k"), ("16k", "8k")])
def test_output_directory_full(folder, size, used):
    """A file system of 16 KiB, full before the run or filled by the result."""
    if not shutil.which("unshare"):
        pytest.skip("needs unshare")
    (folder.path / "small").mkdir()
    script = f"""mount -t tmpfs -o size={size} none small || exit 77
        head -c {used} /dev/zero > small/ballast
        "$0" run model.yaml -o small/out.h5 --set output.bins=1000; code=$?
        [ "$(ls small)" = ballast ] || exit 99
        exit $code"""
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, folder.program]
    done = subprocess.run(command, cwd=folder.path, capture_output=True, text=True)
    if done.returncode in (1, 77):
        pytest.skip("cannot mount here: " + done.stderr)
    line = error_line(done)
    assert "small/out.h5" in line and "No space left on device" in line


# ---- the device ----


def test_cuda_without_a_gpu(fails):
    hidden = dict(os.environ, CUDA_VISIBLE_DEVICES="")
    assert "cuda" in fails(*RUN, "--device", "cuda", env=hidden).lower()


def test_a_gpu_that_is_not_there(fails):
    assert "cuda" in fails(*RUN, "--device", "cuda:99").lower()
