"""Destruction of photons with probability eps per line interaction, and by grey absorption. All expectations are exact.

- In an infinite medium every photon is destroyed, after (1 - eps) / eps scatterings on average, whatever the
  profile: the number of interactions is geometric.
- Grey absorption kappa alone in such a medium: the mean path is 1 / kappa, hence INT 4 pi J dV = L / kappa.
- A photon that would scatter n times survives with (1 - eps)^n: f_esc = <(1 - eps)^n> over a run without destruction.
- eps acts with the line profile: see thin_moving_slab, where eps = 1 reproduces exp(-tau H(a, x)) per frequency.
"""

from pathlib import Path

import numpy as np
import pytest

from harness import PARSEC_CM, Measured, assert_agrees, assert_close, weighted_mean

MODEL = Path(__file__).with_name("model.yaml")
SLAB = {"medium.tau_mean": 200}


@pytest.mark.parametrize("absorption", ["continuous", "analog"])
@pytest.mark.parametrize("faces", ["periodic", "reflecting"])
def test_scatterings_without_escape_are_geometric(linerad, absorption, faces):
    run = linerad.run(MODEL, {"physics.absorption": absorption, "mesh.faces": faces}, packets=1e4, seed=81)
    assert_agrees(f"scatterings, {absorption}, {faces}", run["scatterings_per_packet"], (1 - 0.02) / 0.02)
    assert run.summary["escaped"] == 0
    assert_close("absorbed", run.summary["absorbed"], 1, 1e-6)  # rounding of single precision


def test_scatterings_do_not_depend_on_redistribution(linerad):
    """Without damping wings, in which flights under complete redistribution have no finite mean length."""
    settings = {"physics.redistribution": "complete", "medium.damping": 1e-12,
                "sources.0.spectrum": "{monochromatic: 0}"}
    run = linerad.run(MODEL, settings, packets=1e4, seed=82)
    assert_agrees("scatterings, complete redistribution", run["scatterings_per_packet"], (1 - 0.02) / 0.02)


@pytest.mark.parametrize("absorption", ["continuous", "analog"])
def test_path_in_grey_absorption_is_its_inverse(linerad, absorption):
    """kappa = 3 / pc, with and without line opacity; J is tallied per cell."""
    for tau_centre in (0, 20):
        settings = {"medium": "{temperature: 1e4 K, damping: 0.01, tau_centre: %g, absorption: 3 1/pc}" % tau_centre,
                    "physics.absorption": absorption}
        run = linerad.run(MODEL, settings, packets=2e4, seed=83)
        path = 4 * np.pi * np.sum(run.data("fields/mean_intensity") * run.cell_volumes) / PARSEC_CM
        # The path of one photon is exponential. With continuous absorption only Russian roulette is random, with
        # weights of 1e-3: three such weights per packet.
        error = 1 / 3 / np.sqrt(2e4) * (3e-3 if absorption == "continuous" else 1)
        assert_agrees(f"path in pc, tau_centre {tau_centre}, {absorption}", Measured(path, error), 1 / 3)


def test_escape_follows_from_the_scatterings_without_destruction(linerad):
    eps = 2e-3
    free = linerad.run("neufeld_slab", SLAB | {"output.packets": True}, packets=2e4, seed=84)
    expected = weighted_mean((1 - eps) ** free.packets["scatterings"])
    for absorption in ("continuous", "analog"):
        settings = SLAB | {"medium.destruction": eps, "physics.absorption": absorption}
        run = linerad.run("neufeld_slab", settings, packets=2e4, seed=85)
        assert_agrees(f"f_esc, eps = {eps}, {absorption}", run["f_esc"], expected)


def test_destruction_and_dust_together(linerad):
    """Both at once: f_esc = <(1 - eps)^n exp(-kappa path)>."""
    eps, tau_a = 1e-3, 0.05
    free = linerad.run("neufeld_slab", SLAB | {"output.packets": True}, packets=2e4, seed=84)
    path = free.packets["path"] / free.attribute("half_size_x")
    expected = weighted_mean((1 - eps) ** free.packets["scatterings"] * np.exp(-tau_a * path))
    for absorption in ("continuous", "analog"):
        settings = SLAB | {"medium.destruction": eps, "medium.tau_absorption": tau_a, "physics.absorption": absorption}
        run = linerad.run("neufeld_slab", settings, packets=2e4, seed=86)
        assert_agrees(f"f_esc, eps = {eps}, tau_a = {tau_a}, {absorption}", run["f_esc"], expected)
