"""Channel maps: the redistribution function, thick slabs, a second estimator, another program."""

import os

import numpy as np
from imaging import KM

from .suite import Outcome, case, curve, load


@case("thin-slab", "Thin moving slab, seen from everywhere", """
Thin gas in a beam (`examples/thin_slab.yaml`): the image is the redistribution function itself. First face-on, where
the gas approaches the camera at v = b and its light must be at -b; then at five scattering angles and three frequencies
of the beam. Differences are those of the worst channel relative to the brightest one, and of the total.
""")
def thin_slab(suite):
    test = load("physics/imaging_thin_slab/test_imaging_thin_slab")
    outcome = Outcome()
    packets = suite.packets(4e6, 20000)
    tolerance = 0.03 if suite.quick else test.TOLERANCE
    image, _, expected = test.face_on(suite.linerad, packets)
    worst, whole = test.differences(image, expected)
    outcome.within("face-on, worst channel", packets, worst, 0.0, "hummer", absolute=tolerance)
    outcome.within("face-on, whole flux", packets, 1 + whole, 1.0, "hummer", relative=tolerance)
    outcome.within("face-on, mean velocity / b", packets, test.mean_velocity(image) / test.B, -1.0, "hummer",
                   absolute=tolerance)
    panel = outcome.panel("gas that moves toward the camera with b", "radio velocity (km/s)", "photons (peak = 1)")
    panel.append(curve(image.velocity / KM, expected / expected.max(), "closed form", "line"))
    panel.append(curve(image.velocity / KM, image.spectrum / expected.max(), "linerad", "points"))
    for x in suite.pick([0, 1.5, -0.7]):
        panel = outcome.panel(f"beam at x = {x}", "radio velocity (km/s)", "photons (peak = 1)")
        for angle, (image, expected) in test.kernel_images(suite.linerad, x, packets).items():
            worst, whole = test.differences(image, expected)
            label = f"x = {x}, {angle} degrees"
            outcome.within(f"{label}, worst channel", packets, worst, 0.0, "hummer", absolute=tolerance)
            outcome.within(f"{label}, whole flux", packets, 1 + whole, 1.0, "hummer", relative=tolerance)
            if 0 < angle:
                panel.append(curve(image.velocity / KM, expected / expected.max(), f"{angle} degrees", "line"))
                panel.append(curve(image.velocity / KM, image.spectrum / expected.max(), "", "points"))
    return outcome


N_CELL = 32  # of examples/thin_slab.yaml along the beam


@case("kernel", "Kernels of the redistribution modes", """
The same slab with each mode that uses a redistribution kernel: total variation, half the sum over channels of the
absolute difference from the closed form, and norm, the sum over channels divided by that of the closed form. The
channels are 0.3 b wide (0.6 b at x = 8.3). The total variation expected from noise alone is given in brackets: a packet
contributes in each of 32 cells. Table modes should reach 2.5 % and 0.1 %; the norm is allowed another tenth of a per
cent for light scattered twice in the thin gas.
""")
def kernel(suite):
    test = load("physics/imaging_thin_slab/test_imaging_thin_slab")
    outcome = Outcome()
    packets = suite.packets(4e6, 20000)
    for x in suite.pick([0.13, 1.47, 3.11, 8.3]):  # between the rows of the tables
        panel = outcome.panel(f"beam at x = {x}", "scattering angle (degrees)", "total variation", "y")
        for mode in ("exact", "table-global", "table-constant"):
            settings = {"physics.redistribution": mode}
            if x > 5:
                settings["channels"] = "{number: 81, range: [-24.3 km/s, 24.3 km/s]}"
            images = test.kernel_images(suite.linerad, x, packets, settings)
            shown, noises = {}, []
            for angle, (image, expected) in images.items():
                if angle == 0:
                    continue  # forward-scattered light all stays at its frequency
                found, wanted = image.spectrum / image.spectrum.sum(), expected / expected.sum()
                noise = 0.5 * np.sum(np.sqrt(2 / np.pi * wanted / (N_CELL * packets)))
                noises.append(noise)
                shown[angle] = 0.5 * np.sum(np.abs(found - wanted))
                limit = 3 * noise + (0.001 if mode == "exact" else 0.025)
                outcome.within(f"x = {x}, {angle} degrees, {mode}, total variation (noise {noise:.1e})", packets,
                               shown[angle], 0.0, "hummer", absolute=limit)
                outcome.within(f"x = {x}, {angle} degrees, {mode}, norm", packets,
                               image.spectrum.sum() / expected.sum(), 1.0, "hummer",
                               relative=0.03 if suite.quick else 0.002)
            panel.append(curve(shown, shown.values(), mode, "points"))
        panel.append(curve(shown, noises, "noise alone", "dashed"))
    return outcome


@case("thick-slab", "Thick slab, seen by a camera", """
The slab of the first case seen by cameras at five angles, against the packets that leave in their directions
(`examples/thick_slab_image.yaml`). Ratio of image flux to packet flux, with 1 % allowed for channels and cells;
chi-square per channel should lie between 0.6 and 1.7.
""")
def thick_slab(suite):
    test = load("physics/imaging_thick_slab/test_imaging_thick_slab")
    outcome = Outcome()
    for tau_mean, full in suite.pick([(300, 2e6), (3000, 2e5), (3e4, 2e4), (1e5, 8e3)]):
        packets = suite.packets(full, 4000)
        run = test.run_slab(suite.linerad, tau_mean, packets, seed=12)
        flux, error, chi2 = test.flux_and_chi2(run, tau_mean)
        outcome.statistical(f"tau_mean {tau_mean:g}, image / packets", packets, (flux, error), 1.0, "packets",
                            allowance=0.01)
        outcome.between(f"tau_mean {tau_mean:g}, chi-square per channel", packets, chi2, 0.6, 1.7, "packets")
        x = test.middles(run)
        image, image_error = test.seen(run, 0.75)
        leaving, leaving_error = test.escaped(run, 0.75)
        panel = outcome.panel(f"mean depth {tau_mean:g}, mu = 0.75", "x (Doppler units)", "I_v b A / L")
        panel.append(curve(x, image, "image", "line"))
        panel.append(curve(x, leaving, "packets", "points", leaving_error))
    return outcome


@case("peel-off", "Two ways to an image", """
Scattered light of clumps moving around a star (`examples/clumpy_box.yaml`): the two-step estimator against peel-off,
which sends every scattering to the camera individually (CPU only). With errors from eight groups of packets, the
expected chi-square per pixel is 7/6.
""")
def peel_off(suite):
    test = load("physics/imaging_peel_off/test_imaging_peel_off")
    outcome = Outcome()
    n, packets = (16, suite.packets(1e6, 200000)) if suite.quick else (32, suite.packets(2e7))
    device = os.environ["LINERAD_DEVICE"]
    os.environ["LINERAD_DEVICE"] = "cpu"
    try:
        fluxes, deviations = test.measure(suite.linerad, n, packets)
    finally:
        os.environ["LINERAD_DEVICE"] = device
    for name, flux in fluxes.items():
        outcome.within(f"toward {name}, flux of two-step / peel-off", packets, flux, 1.0, "peel", relative=0.015)
    outcome.between(f"chi-square of {len(deviations)} pixels and channels", packets, np.mean(deviations**2), 0.9, 1.45,
                    "peel")
    outcome.within("mean deviation, standard errors", packets, np.mean(deviations), 0.0, "peel", absolute=0.15)
    return outcome


@case("radmc3d", "Ray tracing against RADMC-3D", """
CO 1-0 in LTE from a clumpy box of 64^3 cells, 128 x 128 pixels, 32 channels: uniform cells and channel centres, as in
RADMC-3D. Differences relative to the brightest pixel.
""")
def radmc3d(suite):
    test = load("physics/imaging_radmc3d/test_imaging_radmc3d")
    outcome = Outcome()
    image, expected, velocity = test.clumpy_images(suite.linerad)
    error = np.abs(image - expected) / expected.max()
    outcome.within("largest difference of a pixel", 0, error.max(), 0.0, "radmc3d", absolute=1e-3)
    outcome.within("mean difference", 0, error.mean(), 0.0, "radmc3d", absolute=1e-4)
    outcome.within("flux of the cube / that of RADMC-3D", 0, image.sum() / expected.sum(), 1.0, "radmc3d",
                   relative=1e-4)
    panel = outcome.panel("spectrum of the whole image", "radio velocity (km/s)", "intensity (peak = 1)")
    spectra = image.sum(axis=(1, 2)), expected.sum(axis=(1, 2))
    panel.append(curve(velocity / KM, spectra[1] / spectra[1].max(), "RADMC-3D", "line"))
    panel.append(curve(velocity / KM, spectra[0] / spectra[1].max(), "linerad", "points"))
    return outcome
