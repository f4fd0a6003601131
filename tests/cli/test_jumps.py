"""Jumps through deep gas: where their records are kept, and what a run and `check` say of them."""

import os
import signal
import subprocess
import time

import pytest

from conftest import error_line

SMALL = ["--set", "physics.acceleration=jumps", "--set", "physics.trials=1000", "--set", "output.fields=false"]


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "cache"


def environment(cache):
    return os.environ | {"LINERAD_CACHE": str(cache)}


def measured(summary):
    return {key: summary[key] for key in ("median_abs_x", "mean_path", "scatterings_per_packet", "scatterings_skipped")}


def test_records_are_made_once(folder, cache):
    first = folder.run_json(*SMALL, env=environment(cache))
    assert first["scatterings_skipped"] > 0
    (made,) = cache.iterdir()
    before = made.stat().st_mtime_ns
    second = folder.run_json(*SMALL, env=environment(cache))
    assert [made] == list(cache.iterdir()) and made.stat().st_mtime_ns == before
    assert measured(second) == measured(first)


@pytest.mark.parametrize("damage", (lambda b: b[:1000], lambda b: b[:-5] + b"12345", lambda b: b"", lambda b: b[:8] * 99))
def test_damaged_records_are_made_again(folder, cache, damage):
    first = folder.run_json(*SMALL, env=environment(cache))
    (made,) = cache.iterdir()
    whole = made.read_bytes()
    made.write_bytes(damage(whole))
    assert measured(folder.run_json(*SMALL, env=environment(cache))) == measured(first)
    assert made.read_bytes() == whole and [made] == list(cache.iterdir())


def test_a_folder_that_cannot_be_written_is_only_a_warning(folder, tmp_path):
    blocked = tmp_path / "blocked"
    blocked.write_text("not a folder")
    done = folder.run("run", "model.yaml", *SMALL, env=environment(blocked))
    assert done.returncode == 0
    assert "LINERAD_CACHE" in done.stderr and blocked.read_text() == "not a folder"


def test_a_stop_while_records_are_made_leaves_nothing(folder, cache):
    command = [folder.program, "run", "model.yaml", *SMALL[:2], "--set", "physics.trials=1e8", "--set", "output.fields=false"]
    process = subprocess.Popen(command, cwd=folder.path, env=environment(cache), stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    try:
        assert process.wait(60) != 0
    finally:
        process.kill()
    assert "stopped while making records" in process.stderr.read()
    assert not cache.exists() or not list(cache.iterdir())
    assert not (folder.path / "model.h5").exists()


def test_check_announces_jumps(folder):
    assert "jumps " in folder.run("check", "model.yaml", *SMALL).stdout
    assert "jumps " not in folder.run("check", "model.yaml").stdout


@pytest.mark.parametrize("setting", ("physics.acceleration=fast", "physics.trials=10", "physics.trials=many"))
def test_bad_settings(folder, setting):
    done = folder.run("run", "model.yaml", "--set", setting)
    assert done.returncode != 0 and setting.split("=")[0] in error_line(done)
