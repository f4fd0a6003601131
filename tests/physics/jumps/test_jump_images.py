"""Images of deep gas through which packets jump, against images of runs that follow every scattering.

Cameras see into a jump only through its last scattering (src/kernel/packet_jump.h). The errors of both images come
from eight groups of packets, so that the mean of (d / sigma)^2 is 7/5 rather than 1 at most; channels and cameras share
packets, which leaves about 0.25 of scatter in the mean over 3 x 30 channels. The fluxes agree within their errors and
0.5 % for the records, which the default number of trials would halve.
"""

from pathlib import Path

import numpy as np
import pytest

from harness import N_SIGMA
from imaging import cube

HERE = Path(__file__).parent
CAMERAS = ("one", "two", "three")
TRIALS = 8192


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LINERAD_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def spectrum(run, name):
    image = cube(run, name)
    return image.intensity.ravel(), image.error.ravel()


def compare(linerad, settings, packets, least_skipped):
    jumped = linerad.run(HERE / "slab_image.yaml", settings | {"physics.acceleration": "jumps", "physics.trials": TRIALS},
                         packets=packets[0], seed=91)
    followed = linerad.run(HERE / "slab_image.yaml", settings | {"physics.acceleration": "none"}, packets=packets[1],
                           seed=92)
    assert jumped.summary["scatterings_skipped"] > least_skipped * jumped.summary["scatterings"]
    terms = []
    for name in CAMERAS:
        one, one_error = spectrum(jumped, name)
        other, other_error = spectrum(followed, name)
        used = other > 4 * other_error  # whatever the other image shows there
        chi = (one - other)[used] / np.hypot(one_error, other_error)[used]
        ratio = one.sum() / other.sum()
        error = ratio * np.hypot(np.linalg.norm(one_error) / one.sum(), np.linalg.norm(other_error) / other.sum())
        print(f"  {name}: flux {ratio:.4f} +- {error:.4f}, chi-square {np.mean(chi**2):.2f} of {used.sum()} channels")
        assert abs(ratio - 1) < N_SIGMA * error + 0.005
        terms.append(chi**2)
    terms = np.concatenate(terms)
    assert len(terms) > 40 and 0.5 < np.mean(terms) < 2


@pytest.mark.parametrize("settings", ({}, {"medium.tau_absorption": 0.02}), ids=("clear", "dusty"))
def test_slab(linerad, settings):
    compare(linerad, settings, (4e4, 2e4), 0.5)


@pytest.mark.long
@pytest.mark.parametrize("tau_mean", (8000, 32000))
def test_slab_in_detail(linerad, tau_mean):
    compare(linerad, {"medium.tau_mean": tau_mean, "channels.range": [-40, 40]}, (4e5, 2e5), 0.5)
