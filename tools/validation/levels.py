"""Level populations: the problems of van Zadelhoff et al. (2002), uniform parcels of gas, and the example cloud."""

import numpy as np

from .suite import Outcome, case, curve, load


@case("vz2002", "Level populations of van Zadelhoff et al. (2002)", """
Two levels in a power-law density, thin (1a) and thick (1b), and HCO+ with 21 levels in an inside-out collapse (2a).
Largest and rms relative difference over all radii. The reference itself is accurate to 0.5 % (1a) and 1 %; the
codes of the paper differ by 0.2, 2 and 12 %.
""")
def vz2002(suite):
    test = load("physics/equilibrium_vz2002/test_equilibrium_vz2002")
    table = np.loadtxt(test.reference("vz2002", "reference_problem1.txt"))
    outcome = Outcome()

    def compare(name, radius, found, wanted, tolerance):
        difference = test.differences(radius, found, *wanted)
        outcome.within(f"{name}, largest difference", 0, np.max(np.abs(difference)), 0.0, "vz2002", absolute=tolerance)
        outcome.within(f"{name}, rms difference", 0, np.sqrt(np.mean(difference**2)), 0.0, "vz2002", absolute=tolerance)

    panel = outcome.panel("problem 1", "radius (cm)", "upper level", "xy")
    problems = [("1a", 1, 1e-8, 80, 0.02)] if suite.quick else [("1a", 1, 1e-8, 250, 0.005), ("1b", 4, 1e-6, 400, 0.02)]
    for name, column, abundance, n, tolerance in problems:
        radius, upper = test.power_law(suite.linerad, n, abundance, 1e-4 if name == "1a" else 1e-3)
        compare(f"{name}, {n} shells", radius, upper, (table[:, 0], table[:, column]), tolerance)
        panel.append(curve(table[:, 0], table[:, column], f"{name}, reference", "line"))
        panel.append(curve(radius[::6], upper[::6], f"{name}, linerad", "points"))
    n = 20 if suite.quick else 60
    radius, fractions, expected = test.collapse(suite.linerad, n)
    panel = outcome.panel("problem 2a, HCO+", "radius (cm)", "fraction of molecules", "xy")
    for level in range(5):
        compare(f"2a, {n} shells, J = {level}", radius, fractions[:, level], (expected[:, 0], expected[:, 1 + level]),
                0.03 if suite.quick else 0.02)
        panel.append(curve(expected[:, 0], expected[:, 1 + level], f"J = {level}", "line"))
        panel.append(curve(radius, fractions[:, level], "", "points"))
    return outcome


@case("radex", "Uniform parcels of gas", """
`linerad radex` against tables from another program for CO and HCO+: 100 models for each geometry, up to twelve lines
each. Largest relative differences of excitation temperature, optical depth and line strength over all lines with tau
above 1e-3 in models without inverted lines. For 'LVG sphere RADEX', models with a line near tau = 7 to 14.5, where the
table switches to RADEX's large-tau form too early, are left out.
""")
def radex(suite):
    test = load("physics/radex/test_radex")
    folder, solve = test.reference_folder(), test.solver(suite.linerad)
    outcome = Outcome()
    narrow = 1 / test.dense.GAUSSIAN_WIDTH
    tables = [("static sphere RADEX", "sphere", 1.0), ("LVG sphere", "expansion", narrow),
              ("LVG sphere RADEX", "lvg", narrow)]
    for molecule in suite.pick(test.FILES):
        for name, geometry, width in suite.pick(tables):
            models = test.solve_table(solve, folder, molecule, geometry, width)
            expected = test.table(folder / "radex" / test.FILES[molecule][0], name)
            if geometry == "lvg":
                expected = {key: lines for key, lines in expected.items()
                            if not any(6.9 < row["tau"] < 14.6 or 6.9 < float(models[key][up]["tau"]) < 14.6
                                       for up, row in lines.items())}
            worst, n = test.compare({key: models[key] for key in expected}, expected, np.inf)
            for quantity, value in zip(("Tex", "tau", "T_R"), worst):
                outcome.within(f"{molecule}, {name}, {quantity} of {n} lines", 0, value, 0.0, "radex", absolute=0.005)
    return outcome


@case("cloud", "The example cloud", """
`examples/cloud.yaml`, a turbulent cloud in OH 1665 MHz and CO 1-0, with 32^3 cells: optical depths as reported by the
program (with and without stimulated emission), column densities, and the flux of a cloud with a thousandth of the
molecules, which follows from its levels, h c A N_u / (4 pi D^2).
""")
def cloud(suite):
    test = load("physics/cloud/test_cloud_job")
    outcome = Outcome()
    folder, thin = suite.new_folder(), suite.new_folder()
    packets = suite.packets(20000, 1000)
    test.command(folder, "cloud", "--cells", test.CELLS, "-o", "gas.h5", "--quiet")
    summary = test.run(folder, "--packets", int(packets))
    for name, line in (("oh", test.OH), ("co", test.CO)):
        gas = test.Gas(folder / "gas.h5", folder / f"job_{name}.h5", name.upper())
        arrays, _ = test.image(folder, name)
        report = summary[name]["images"][0]
        edges = arrays["velocity_edges"] * test.KM_S
        for key, stimulated in (("depth", True), ("depth_without_stimulated_emission", False)):
            depth = gas.channel_depth(gas.strength(**line, stimulated=stimulated), test.MASS[name], edges).max(axis=0)
            label = "depth" if stimulated else "depth without stimulated emission"
            outcome.within(f"{name.upper()}, mean {label}", packets, report[key]["mean"], depth.mean(), "sums",
                           relative=2e-3)
            outcome.within(f"{name.upper()}, largest {label}", packets, report[key]["largest"], depth.max(), "sums",
                           relative=1e-2)
        column = gas.n.sum(axis=0).T * gas.cell
        outcome.within(f"{name.upper()}, largest error of a column density", packets,
                       np.abs(arrays["column"][0] / column - 1).max(), 0.0, "sums", absolute=2e-5)
        panel = outcome.panel(f"{name.upper()}: the whole image", "radio velocity (km/s)", "intensity (peak = 1)")
        spectrum = arrays["intensity"].sum(axis=(1, 2))
        panel.append(curve(0.5 * (edges[1:] + edges[:-1]) / test.KM_S, spectrum / spectrum.max(), "cloud", "points"))
    test.command(thin, "cloud", "--cells", test.CELLS, "-o", "gas.h5", "--quiet", "--mean-co", "2.8e-8", "--mean-oh",
                 "5.8e-9")
    test.run(thin, "--packets", 1000, "--set", "lines.1.medium.destruction=1", "--set",
             "channels={number: 12, range: [-6 km/s, 6 km/s]}")
    gas = test.Gas(thin / "gas.h5", thin / "job_co.h5", "CO")
    outcome.within("CO, flux of the thin cloud (Jy km/s)", 1000, test.cube_flux(thin, "co"),
                   test.thin_flux(gas, test.CO["a_ul"], 1, 1.0), "sums", relative=0.01)
    return outcome
