"""Photons that scatter and escape: slabs, spheres, cubes, dust, moving gas, two-level atoms."""

import numpy as np
from harness import Measured
from reference import (CUBE_DEPTH, CUBE_PERIODIC, CUBE_THERMAL, CUBE_WIDE, DUST_FREE, DUSTY_DEPTH, DUSTY_ESCAPE,
                       DUSTY_VERHAMME, EXPANDING_SHELL, HALF_SPACE, HALF_SPACE_EDGES, HALF_SPACE_ERROR, SLAB, SLAB_DAMPING,
                       SPHERE, SPHERE_PATH, SPHERE_SCATTERINGS, dusty_limit, slab_quantile, sphere_quantile)

from .suite import Outcome, case, curve, load

WORDS = {"median_abs_x": "median \\|x\\|", "lower_quartile_abs_x": "lower quartile", "mean_path": "mean path",
         "upper_quartile_abs_x": "upper quartile", "scatterings_per_depth": "scatterings / tau_c"}


def folded_spectrum(run, scale, n=60):
    """Photons per unit of |x| / scale per emitted photon, in n bins up to 2.5."""
    edges, total = run.data("spectrum/x_edges") / scale, run.data("spectrum/total")
    below = np.concatenate([[0], np.cumsum(total * np.diff(edges))])
    bins = np.linspace(0, 2.5, n + 1)
    within = np.interp(bins, edges, below) - np.interp(-bins, edges, below)
    return 0.5 * (bins[1:] + bins[:-1]), np.diff(within) / np.diff(bins) / below[-1]


def neufeld_shape(z):
    """The same for the limit, z = |x| / (a tau_mean)^(1/3)."""
    return 2 * np.pi / np.sqrt(6) * z**2 / np.cosh(np.minimum(np.sqrt(np.pi**4 / 54) * z**3, 700))


@case("neufeld", "Thick slab: escape", """
A static slab with a source of line-centre photons in its midplane (`examples/neufeld_slab.yaml`), a = 0.149,
redistribution `exact`. The escaping light is compared with independent exact Monte Carlo at the same finite optical
depth, in both precisions, and the spectrum with the limit of infinite depth.
""")
def neufeld(suite):
    test = load("physics/neufeld_slab/test_neufeld_slab")
    outcome = Outcome()
    panel = outcome.panel("exact redistribution", "|x| / (a tau_mean)^(1/3)", "escaped photons")
    for tau_mean in suite.pick(SLAB):
        for precision in suite.pick(("mixed", "double")):
            packets = suite.packets(test.MANY[tau_mean])
            measured = test.slab(suite.linerad, tau_mean, packets, precision)
            for name in test.QUANTITIES:
                outcome.statistical(f"tau_mean {tau_mean}, {precision}, {WORDS[name]}", packets, measured[name],
                                    SLAB[tau_mean][name], "exact")
        run = suite.linerad.run("neufeld_slab", {"medium.tau_mean": tau_mean}, packets=packets, seed=11,
                                precision=precision)
        if tau_mean in (200, 2000, 32000):
            spectrum = folded_spectrum(run, np.cbrt(SLAB_DAMPING * tau_mean))
            panel.append(curve(*spectrum, f"tau_mean {tau_mean}", "steps"))
    z = np.linspace(0, 2.5, 200)
    panel.append(curve(z, neufeld_shape(z), "Neufeld (1990), limit", "dashed"))
    return outcome


@case("shape", "Thick slab: peak and shape of the spectrum", """
The same slab at large optical depth: quantiles and the peak of the escaped spectrum against the limit of infinite
depth. Its first correction is of relative size (a tau_mean)^(-1/3), and one such correction is allowed in addition to
the statistical error.
""")
def shape(suite):
    test = load("physics/spectrum_shape/test_spectrum_shape")
    outcome = Outcome()
    for tau_mean, full in suite.pick([(32000, 1e5), (256000, 1e4)]):
        packets = suite.packets(full, 4000)
        run = test.escaped(suite.linerad, tau_mean, packets)
        x, a_tau = np.abs(run.packets["x"]), SLAB_DAMPING * tau_mean
        for p in (0.1, 0.25, 0.5, 0.75, 0.9):
            outcome.statistical(f"tau_mean {tau_mean}, {p:g} of photons below \\|x\\|", packets,
                                Measured(np.quantile(x, p), test.quantile_error(x, p)), slab_quantile(p, a_tau),
                                "neufeld", allowance=a_tau ** (-1 / 3))
        outcome.within(f"tau_mean {tau_mean}, peak \\|x\\|", packets, test.smooth_peak(x), 0.8812 * np.cbrt(a_tau),
                       "neufeld", relative=a_tau ** (-1 / 3))
    return outcome


@case("modes", "Thick slab: every redistribution mode", """
The modes of `physics.redistribution` on the slab. The table modes should give the median within 1 % and the number of
scatterings within 2 %. `approximate-voigt` and `complete` solve different problems and are only shown, to illustrate
the differences; `complete` has its own case below.
""")
def modes(suite):
    test = load("physics/redistribution_modes/test_redistribution_modes")
    outcome = Outcome()
    for tau_mean, full in suite.pick([(2000, 2e5), (8000, 5e4)]):
        panel = outcome.panel(f"tau_mean {tau_mean}", "|x| / (a tau_mean)^(1/3)", "escaped photons")
        for mode in ("exact", "table-global", "table-constant", "approximate-voigt", "complete"):
            packets = suite.packets(full)
            run = test.slab(suite.linerad, mode, tau_mean, packets)
            expected = SLAB[tau_mean]
            values = {"median_abs_x": (run["median_abs_x"], test.MEDIAN_TOLERANCE), "scatterings_per_depth": (
                run["scatterings_per_packet"] * (np.sqrt(np.pi) / tau_mean), test.SCATTERINGS_TOLERANCE)}
            for name, (value, tolerance) in values.items():
                quantity = f"tau_mean {tau_mean}, {mode}, {WORDS[name]}"
                if mode == "exact":
                    outcome.statistical(quantity, packets, value, expected[name], "exact")
                elif mode.startswith("table"):
                    outcome.statistical(quantity, packets, value, expected[name], "exact", allowance=tolerance)
                else:
                    outcome.shown(quantity, packets, value, expected[name], "exact")
            panel.append(curve(*folded_spectrum(run, np.cbrt(SLAB_DAMPING * tau_mean), 40), mode, "steps"))
    return outcome


@case("dusty", "Dusty slab", """
Escape from a slab with grey absorption (`examples/dusty_slab.yaml`, a = 0.015, line-centre optical depth 1e5) against X
= (a tau_c)^(1/3) tau_a: exact Monte Carlo over three decades, in two ways: with dust, where packets lose weight, and
from the paths of a run without dust, f = <exp(-tau_a path)>. The points of Verhamme et al. are shown for comparison;
they have no errors. With few packets the second way misses the short paths that matter at large X, so it
is compared up to X = 3.
""")
def dusty(suite):
    test = load("physics/dusty_slab/test_dusty_slab")
    outcome = Outcome()
    found = {}
    for x in suite.pick(list(DUSTY_ESCAPE)[1:] + list(DUSTY_ESCAPE)[:1]):
        packets = suite.packets(1e4 if x < 3 else 3e4)
        found[x] = test.dusty(suite.linerad, x, packets)["f_esc"]
        outcome.statistical(f"f_esc, X = {x}", packets, found[x], DUSTY_ESCAPE[x], "exact")
        outcome.shown(f"f_esc, X = {x}", packets, found[x], DUSTY_VERHAMME[x], "verhamme")
    packets = suite.packets(2e4)
    free = test.dust_free(suite.linerad, packets)
    for name, expected in DUST_FREE.items():
        value = free["scatterings_per_packet"] / DUSTY_DEPTH if name == "scatterings_per_depth" else free[name]
        outcome.statistical(f"no dust, {WORDS[name]}", packets, value, expected, "exact")
    for x in [x for x in DUSTY_ESCAPE if x < 3]:
        outcome.statistical(f"f_esc from paths, X = {x}", packets, test.escape_from_paths(free, x), DUSTY_ESCAPE[x],
                            "exact")
    panel = outcome.panel("escape from a dusty slab", "X = (a tau_c)^(1/3) tau_a", "f_esc", "xy")
    x = np.geomspace(0.02, 13, 100)
    panel.append(curve(x, dusty_limit(x), "Neufeld (1990), limit", "dashed"))
    panel.append(curve(DUSTY_ESCAPE, [value.value for value in DUSTY_ESCAPE.values()], "exact Monte Carlo", "crosses"))
    panel.append(curve(DUSTY_VERHAMME, DUSTY_VERHAMME.values(), "Verhamme et al. (2006)", "points"))
    values, errors = zip(*found.values())
    panel.append(curve(found, values, "linerad", "points", errors))
    return outcome


@case("sphere", "Sphere", """
A uniform sphere in a Cartesian mesh with a source at its centre (`examples/sphere.yaml`, a = 0.149). The surface is a
layer one cell thick, for which 0.25 % is allowed (64^3 cells; 0.5 % with 32^3) in addition to the statistical error.
""")
def sphere(suite):
    test = load("physics/sphere/test_sphere")
    outcome = Outcome()
    cells, mesh = (32, test.MESH) if suite.quick else (64, test.MESH / 2)
    panel = outcome.panel("sphere with a central source", "fraction of photons", "|x| / (a tau_c)^(1/3)")
    fractions = np.arange(1, 20) / 20
    for tau, full in suite.pick([(1000, 3e5), (4000, 1e5)]):
        packets = suite.packets(full)
        run = test.sphere(suite.linerad, tau, packets, cells)
        for name, value in test.measure(run, tau).items():
            outcome.statistical(f"tau_c {tau}, {WORDS[name]}", packets, value, SPHERE[tau][name], "exact",
                                allowance=mesh)
        panel.append(curve(fractions, np.quantile(np.abs(run.packets["x"]), fractions) / np.cbrt(test.DAMPING * tau),
                           f"tau_c {tau}", "points"))
    for tau, full in [] if suite.quick else [(32000, 3e4)]:
        packets = suite.packets(full)
        run = test.sphere(suite.linerad, tau, packets)
        a_tau = test.DAMPING * tau
        x = np.abs(run.packets["x"])
        for p in (0.25, 0.5, 0.75):
            outcome.within(f"tau_c {tau}, {p:g} of photons below \\|x\\|", packets, np.quantile(x, p),
                           sphere_quantile(p, a_tau), "dijkstra", relative=0.85 * a_tau ** (-1 / 3))
        outcome.within(f"tau_c {tau}, scatterings / tau_c", packets, run.summary["scatterings_per_packet"] / tau,
                       SPHERE_SCATTERINGS, "dijkstra",
                       relative=test.slab_excess("scatterings_per_depth", 1.6117, False) * a_tau ** (-1 / 3))
        outcome.within(f"tau_c {tau}, path / (a tau_c)^(1/3)", packets, test.path_inside(run).value / np.cbrt(a_tau),
                       SPHERE_PATH, "dijkstra", relative=test.slab_excess("mean_path", 1.827, True) * a_tau ** (-1 / 3))
        panel.append(curve(fractions, np.quantile(x, fractions) / np.cbrt(a_tau), f"tau_c {tau}", "points"))
    panel.append(curve(fractions, sphere_quantile(fractions, 1.0), "limit", "dashed"))
    return outcome


@case("shell", "Expanding shell", """
Lyman alpha from a galaxy at the centre of a hollow shell that expands at 200 km/s = 5 b (`examples/shells_lya.yaml`),
on a mesh of spherical shells. The blue half is removed; at the larger column most photons come from the far side of the
shell, redshifted by twice its speed (Verhamme, Schaerer & Maselli 2006).
""")
def shell(suite):
    test = load("physics/shells/test_shells")
    outcome = Outcome()
    panel = outcome.panel("expanding shell", "velocity, km/s", "photons per km/s")
    for column, full in suite.pick([(1e19, 1e5), (1e20, 1e4)]):
        packets = suite.packets(full)
        velocity, measured = test.expanding_shell(suite.linerad, column, packets, seed=219)
        for name, expected in EXPANDING_SHELL[column].items():
            word = WORDS.get(name, name.replace("_", " ") + " of v/b")
            outcome.statistical(f"{column:.0e} cm^-2, {word}", packets, measured[name], expected, "exact")
        light, edges = np.histogram(40 * velocity, 60, (-800, 1600), density=True)
        panel.append(curve(0.5 * (edges[1:] + edges[:-1]), light, f"{column:.0e} cm^-2", "steps"))
    return outcome


@case("cube", "Cube", """
An open cube that emits everywhere (`examples/box.yaml`, a = 4.73e-3, line-centre optical depth 500 from the centre to a
face), with two widths of the source line, and with periodic sides, which make it a slab.
""")
def cube(suite):
    test = load("physics/cube/test_cube")
    outcome = Outcome()
    variants = {"dispersion b/sqrt(2)": (test.THERMAL, CUBE_THERMAL, 2e6), "dispersion b": (test.WIDE, CUBE_WIDE, 2e6),
                "dispersion b, periodic": (test.PERIODIC, CUBE_PERIODIC, 1e6)}
    for name, (settings, expected, full) in suite.pick(variants.items()):
        packets = suite.packets(full)
        run = suite.linerad.run("box", settings | test.BINS, packets=packets, seed=21)
        for quantity, value in expected.items():
            per_depth = run["scatterings_per_packet"] / CUBE_DEPTH
            outcome.statistical(f"{name}, {WORDS[quantity]}", packets,
                                per_depth if quantity == "scatterings_per_depth" else run[quantity], value, "exact")
        if name == "dispersion b":
            outcome.within(f"{name}, peak \\|x\\|", packets, test.peak(run), test.CUBE_PEAK, "exact",
                           absolute=test.CUBE_PEAK_BIN)
    return outcome


@case("half-space", "Two-level atoms in a half-space", """
Complete redistribution (`complete`) with destruction eps = 0.01: the source function rises from sqrt(eps) B at the
surface to B. It follows from the rates of scattering and creation in each cell.
""")
def half_space(suite):
    test = load("physics/two_level/test_two_level")
    outcome = Outcome()
    packets = suite.packets(4e6, 20000)
    source, error = test.source_function(suite.linerad, packets)
    for i, expected in enumerate(HALF_SPACE):
        outcome.statistical(f"S/B at depths {HALF_SPACE_EDGES[i]:g} to {HALF_SPACE_EDGES[i + 1]:g}", packets,
                            Measured(source[i], error[i]), Measured(expected, HALF_SPACE_ERROR), "avrett")
    depth = np.sqrt(np.maximum(HALF_SPACE_EDGES[:-1], 0.01) * np.array(HALF_SPACE_EDGES[1:]))
    panel = outcome.panel("source function of a half-space", "line-centre depth", "S / B", "xy")
    panel.append(curve(depth, HALF_SPACE, "integral equation", "line"))
    panel.append(curve(depth, source, "linerad", "points", error))
    return outcome


@case("moving", "Beams through moving gas", """
A beam in six directions through moving gas: the weight of every packet is exp(-alpha0 s H(a, x - v.n/b)), without
noise. This fixes all velocity signs. The largest relative error over all packets and beams is shown.
""")
def moving(suite):
    test = load("physics/thin_moving_slab/test_thin_moving_slab")
    outcome = Outcome()
    for precision in ("mixed", "double"):
        for velocity in suite.pick(test.VELOCITIES):
            pairs = [test.beam_error(suite.linerad, beam, velocity, precision) for beam in test.BEAMS]
            outcome.within(f"v = {velocity} km/s, {precision}, largest error of a weight", 1000 * len(pairs),
                           max(error for error, _ in pairs), 0.0, "voigt",
                           absolute=test.WEIGHT_TOLERANCE[precision] * max(depth for _, depth in pairs))
    return outcome
