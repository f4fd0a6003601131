"""Models against observed cubes: a log-likelihood, with a new transport run only if the physics changes.

    observation = lr.fit.Observation("co.fits", noise=8 * u.mJy / u.beam)
    fit = lr.fit.Fit(build, observation, {"temperature": (5, 40) * u.K, "systemic": (4, 8) * u.km / u.s})
    sampler = emcee.EnsembleSampler(16, len(fit.names), fit.log_probability)

docs/fit.md has the equations and an example.
"""

from .fit import Fit, ModelCube
from .observation import Observation
from .prior import LogUniform, Normal, Uniform

__all__ = ["Fit", "LogUniform", "ModelCube", "Normal", "Observation", "Uniform"]
