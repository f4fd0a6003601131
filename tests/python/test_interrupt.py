"""Ctrl-C and exceptions during a run: the run ends, what was finished is available, and the next run works."""

import os
import signal
import threading
import time

import linerad as lr
import pytest
from small import slab

FAR_TOO_MANY = 10**10


def test_ctrl_c_keeps_what_was_finished():
    """Ctrl-C comes once, when a packet has been finished."""
    pressed = []

    def press(what, done, total, seconds):
        if done > 0 and not pressed:
            pressed.append(done)
            os.kill(os.getpid(), signal.SIGINT)

    model = slab(output=None, physics=lr.Physics(acceleration="none"))
    with pytest.raises(KeyboardInterrupt) as caught:
        model.run(packets=FAR_TOO_MANY, progress=press)
    assert isinstance(caught.value, lr.Interrupted)
    result = caught.value.result
    assert pressed[0] <= result.summary.packets < FAR_TOO_MANY == result.summary.packets_requested
    assert result.spectrum.flux.value.sum() > 0
    assert model.run(packets=100).summary.packets == 100


def test_progress():
    seen = []
    slab(output=None).run(packets=300000, progress=lambda *now: seen.append(now))
    assert seen, "a run of a second or so reports"
    assert all(
        what.startswith("packets") and 0 <= done <= total == 300000 and seconds >= 0 for what, done, total, seconds in seen
    )
    assert [now[1] for now in seen] == sorted(now[1] for now in seen)


def test_an_exception_in_progress_ends_the_run():
    def fail(what, done, total, seconds):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        slab(output=None).run(packets=FAR_TOO_MANY, progress=fail)
    assert slab().run(packets=50).summary.packets == 50


def test_tqdm():
    tqdm = pytest.importorskip("tqdm")
    bars = []

    class Bar(tqdm.tqdm):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            bars.append(self)

    slab(output=None).run(packets=300000, progress=Bar)
    assert bars and bars[0].n == bars[0].total == 300000


def test_other_threads_run_meanwhile():
    """The interpreter is free while the library works: a thread counts, and two runs proceed at once."""
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    results = []
    runs = [
        threading.Thread(target=lambda seed=seed: results.append(slab(output=None).run(20000, seed=seed)))
        for seed in (1, 2)
    ]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    done.set()
    thread.join()
    assert len(results) == 2 and counted[0] > 10
    alone = {seed: slab(output=None).run(20000, seed=seed) for seed in (1, 2)}
    for result in results:
        assert (result.spectrum.flux == alone[result.summary.seed].spectrum.flux).all()
