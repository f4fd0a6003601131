"""Fit an observed cube: an infalling CO envelope, with four parameters. About a minute on two cores.

    pip install 'linerad[fit,plot]'
    python examples/fit.py                  # writes fit.png
    python examples/fit.py --steps 400      # a longer chain

The observation is synthetic: the model at known parameters, with noise correlated like the beam, as for an
interferometer. With a real observation, everything from `fit = ...` on is the same:

    observation = lr.fit.Observation("co.fits", noise=20 * u.mJy / u.beam)
"""

import argparse
import time

import astropy.units as u
import emcee
import linerad as lr
import numpy as np

KMS = u.km / u.s
TRUTH = {"temperature": 14 * u.K, "density": 3.6, "infall": 0.4 * KMS, "systemic": 5.23 * KMS}
PRIORS = {
    "temperature": (6, 40) * u.K,
    "density": (2.5, 5.0),
    "infall": (0.0, 1.0) * KMS,
    "systemic": lr.fit.Normal(5.2 * KMS, 0.3 * KMS),
}


def envelope(temperature, density, infall, systemic):
    """`density` is the logarithm of n(H2) in cm^-3 at half the radius, `infall` the velocity there."""
    edges = np.geomspace(0.005, 0.1, 17)
    r = 0.5 * (edges[1:] + edges[:-1]) / 0.05
    return lr.Model(
        mesh=lr.Mesh.shells(edges * u.pc),
        line=lr.Molecule("co", transition="2-1"),
        medium=lr.Medium(
            temperature=temperature,
            density=1e-6 * 10**density * r**-1.5 / u.cm**3,  # of CO
            turbulence=0.15 * KMS,
            velocity=-infall * r**-0.5,
        ),
        channels=lr.Channels(24, [-1.5, 1.5] * KMS),  # replaced by those of the observation
        cameras=[lr.Camera("sky", "+z")],
        image=lr.Image(distance=140 * u.pc, velocity=systemic, background="cmb", subtract_background=True),
        run=lr.Run(threads=1),  # small models: threads would wait for each other
    )


def observe(signal_to_noise=30, seed=2):
    """The true model as seen by a telescope, with 32 x 32 pixels and a beam of 25 arcsec."""
    grid = {
        "channels.number": 20, "channels.range": ["-1.5 km/s", "1.5 km/s"], "cameras.0.pixels": [32, 32],
        "cameras.0.field": ["0.2 pc", "0.2 pc"], "image.unit": "Jy/beam", "image.beam": "25 arcsec",
    }  # fmt: skip
    cube = envelope(**TRUTH).run(settings=grid).cube()
    rms = float(cube.data.value.max()) / signal_to_noise
    white = np.random.default_rng(seed).standard_normal((20, 64, 64))
    sigma = (25 * u.arcsec / cube.pixel[0]).to_value("") / np.sqrt(8 * np.log(2)) / np.sqrt(2)
    k = np.fft.fftfreq(64)
    window = np.exp(-2 * (np.pi * sigma) ** 2 * (k[:, None] ** 2 + k**2))
    noise = np.fft.ifft2(np.fft.fft2(white) * window).real / np.sqrt((window**2).mean())
    return lr.fit.Observation(cube.data.value + rms * noise[:, :32, :32], rms, header=cube.header)


def picture(fit, chain, best, path):
    """Every pair of parameters, the truth, and spectra through the centre."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    n, truth = len(fit.names), [getattr(value, "value", value) for value in TRUTH.values()]
    figure, axes = plt.subplots(n, n, figsize=(9, 9))
    for i in range(n):
        for j in range(n):
            axis = axes[i, j]
            if j > i:
                axis.axis("off")
                continue
            if i == j:
                axis.hist(chain[:, i], bins=25, color="0.6")
            else:
                axis.plot(chain[:, j], chain[:, i], ".", color="0.4", markersize=1.5, alpha=0.5)
                axis.axhline(truth[i], color="tab:red", linewidth=0.8)
            axis.axvline(truth[j], color="tab:red", linewidth=0.8)
            axis.set_xlabel(fit.names[j] if i == n - 1 else "")
            axis.set_ylabel(fit.names[i] if j == 0 and i > 0 else "")
            axis.locator_params(nbins=3)
            axis.tick_params(labelleft=j == 0 and i > 0, labelbottom=i == n - 1, labelsize=7)
    inset = figure.add_axes((0.6, 0.68, 0.36, 0.26))
    observation, middle = fit.observation, (slice(None), 16, 16)
    inset.step(observation.velocity, observation.data[middle], where="mid", color="0.5", label="observed")
    inset.plot(observation.velocity, fit.model_cube(best).data.value[middle], color="tab:blue", label="best")
    inset.set_xlabel("velocity (km/s)")
    inset.set_ylabel(f"middle pixel ({observation.unit})")
    inset.legend()
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100)
    parser.add_argument("--walkers", type=int, default=10)
    parser.add_argument("-o", "--output", default="fit.png", help="the figure; 'none' leaves it out")
    options = parser.parse_args()

    observation = observe()
    fit = lr.fit.Fit(envelope, observation, PRIORS)
    print(observation)
    print("what it takes to change a parameter:", fit.needs())

    start = time.perf_counter()
    best, covariance = fit.maximum([20, 4.0, 0.3, 5.0])
    np.random.seed(1)  # emcee uses this generator
    sampler = emcee.EnsembleSampler(options.walkers, len(fit.names), fit.log_probability)
    sampler.run_mcmc(fit.start(options.walkers, best, covariance), options.steps)
    chain = sampler.get_chain(discard=options.steps // 5, flat=True)
    seconds = time.perf_counter() - start
    print(f"{sum(fit.counts.values())} models in {seconds:.0f} s: {dict(fit.counts)}")

    print(f"{'':12s} {'truth':>8s} {'posterior':>18s} {'pull':>6s}")
    for i, (name, value) in enumerate(TRUTH.items()):
        mean, error, value = chain[:, i].mean(), chain[:, i].std(), getattr(value, "value", value)
        print(f"{name:12s} {value:8.4g} {mean:8.4f} +- {error:.4f} {(mean - value) / error:6.2f}  {fit.units[i] or ''}")
    if options.output != "none":
        picture(fit, chain, best, options.output)


if __name__ == "__main__":
    main()
