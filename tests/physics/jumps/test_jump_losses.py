"""Photons that are lost inside jumps: what is emitted escapes, is destroyed or is absorbed.

Of all atoms that take up a photon, a part eps destroys it, so that the destroyed photons are eps / (1 - eps) times the
scatterings; those absorbed are kappa times the path, 4 pi times the integral of the mean intensity over the volume.
Both come from the fields of cells, which jumps add to as a whole."""

from pathlib import Path

import numpy as np
import pytest

from harness import PARSEC_CM

BOX = Path(__file__).with_name("box.yaml")


@pytest.mark.parametrize("destruction, absorption", [(0.1, 0), (0.01, 0), (0, 100), (0.05, 40)])
def test_photons_are_conserved(linerad, destruction, absorption):
    settings = {"medium.destruction": destruction, "medium.absorption": f"{absorption} 1/pc",
                "physics.acceleration": "jumps", "physics.trials": 8192, "mesh.size": ["0.3 pc", "0.3 pc", "0.3 pc"]}
    run = linerad.run(BOX, settings, packets=4e4, seed=97)
    followed = run.summary["scatterings"] / (run.summary["scatterings"] + run.summary["scatterings_skipped"])
    volume = run.cell_volumes
    destroyed = destruction / (1 - destruction) * np.sum(run.data("fields/scattering_rate") * volume)
    absorbed = absorption / PARSEC_CM * 4 * np.pi * np.sum(run.data("fields/mean_intensity") * volume)
    lost = 1 - run["f_esc"].value
    print(f"  {followed:.2f} followed, destroyed {destroyed:.5f}, absorbed {absorbed:.5f}, lost {lost:.5f}")
    assert followed < 0.7
    assert destroyed + absorbed == pytest.approx(lost, rel=2e-3)
