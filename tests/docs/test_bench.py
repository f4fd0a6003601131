"""The bench: its statistics, its comparison with a baseline, and that its models run."""

import json
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def bench(root):
    """Modules of the bench by name."""
    sys.path.insert(0, str(root / "bench"))
    import cases
    import digest
    import machine

    yield {"cases": cases, "digest": digest, "machine": machine}
    sys.path.remove(str(root / "bench"))


def entry_of(*seconds, case="box"):
    runs = [{"transport_s": value, "device": "cpu", "scatterings_per_second": 1 / value} for value in seconds]
    return {"case": case, "precision": "mixed", "threads": 1, "runs": runs}


def test_median_and_spread(bench):
    middle = bench["digest"].middle
    assert middle(entry_of(5, 1, 2, 4, 3)["runs"], "transport_s") == (3, 0.5 * (4.5 - 1.5))
    assert middle(entry_of(1, 9, 2, 3)["runs"], "transport_s") == (2.5, 0.5 * (6 - 1.5))
    assert middle(entry_of(1, 2)["runs"], "transport_s") == (1.5, 0.5)


def test_what_became_slower_is_marked(bench):
    compared = bench["digest"].compared
    before = {("box", "mixed", 1): entry_of(1, 1.01, 1.02, 1.03, 1.04)}
    assert compared(entry_of(1.3, 1.31, 1.32, 1.33, 1.34), before) == (pytest.approx(1.32 / 1.02), True)
    assert compared(entry_of(1.02, 1.02, 1.03, 1.04, 1.05), before)[1] is False  # within 5 %
    assert compared(entry_of(0.7, 0.9, 1.2, 1.5, 1.6), before)[1] is False  # within the spread
    assert compared(entry_of(1, case="slab_2000"), before) == (None, False)


def test_baseline_is_the_newest_file_of_the_same_machine(bench, tmp_path):
    def machine(*lines):
        return {"hardware": ["linerad 0.1.0", *lines], "date": "2026-01-01"}

    def write(name, header, *entries):
        (tmp_path / name).write_text("\n".join(map(json.dumps, (header, *entries))) + "\n")

    here = machine("cpu A", "2 threads, AVX2, 7.1 GiB free")
    write("2026-01-01.jsonl", machine("cpu A", "2 threads, AVX2, 3.0 GiB free"), entry_of(1))
    write("2026-01-02.jsonl", machine("cpu A", "2 threads, AVX2, 5.0 GiB free"), entry_of(2), entry_of(3, case="gone"),
          {"case": "sphere", "precision": "mixed", "threads": 1, "runs": [{"error": "it failed"}]})
    write("2026-01-03.jsonl", machine("cpu B", "2 threads, AVX2, 5.0 GiB free"), entry_of(4))
    path, entries = bench["digest"].baseline(tmp_path.glob("*.jsonl"), here)
    assert path.name == "2026-01-02.jsonl"
    assert {name[0]: entry["runs"][0]["transport_s"] for name, entry in entries.items()} == {"box": 2}


def test_models_run(bench, root, program, tmp_path):
    for name in ("moving", "moving_dusty", "shells", "refined", "box_dipole"):
        case = bench["cases"].CASES[name]
        path = root / (case.model if case.model.endswith(".yaml") else f"examples/{case.model}.yaml")
        settings = [word for setting in case.settings for word in ("--set", setting)]
        done = subprocess.run([program, "run", path, "--packets", "20", "--json", *settings, "-o", tmp_path / "result.h5"],
                              capture_output=True, text=True)
        assert done.returncode == 0 and "warning" not in done.stderr, done.stderr
        assert json.loads(done.stdout)["scatterings"] > 20


def test_every_case_is_listed(bench, root):
    said = subprocess.run([sys.executable, root / "bench" / "run", "--list"], capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in said.stdout.splitlines()] == list(bench["cases"].CASES)
